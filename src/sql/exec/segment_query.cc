#include "src/sql/exec/segment_query.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/exec/phoenix_plan.h"
#include "src/sql/exec/static_rows.h"
#include "src/sql/parse/literal.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

bool IsCall(const parse::Expr& expr, std::string_view name) {
  return expr.kind == parse::ExprKind::kFunction && expr.function_name == name &&
         expr.children.empty();
}

// What TOTAL_SEGMENTS() is compared with; null when it is not there.
const parse::Expr* SegmentCount(const parse::Expr& expr) {
  const bool equality = expr.kind == parse::ExprKind::kComparison &&
                        expr.compare == parse::CompareOp::kEqual &&
                        expr.quantifier == parse::Quantifier::kNone;
  if (equality) {
    for (size_t i = 0; i < 2; ++i) {
      if (IsCall(*expr.children[i], "TOTAL_SEGMENTS")) return expr.children[1 - i].get();
    }
  }
  for (const parse::ExprPtr& child : expr.children) {
    if (const parse::Expr* found = SegmentCount(*child); found != nullptr) return found;
  }
  return nullptr;
}

// Regions side by side, the first parts one longer when they do not come out even.
std::vector<RowRange> Segments(const std::vector<RegionInfo>& regions, size_t wanted) {
  const size_t count = std::min(wanted, regions.size());
  std::vector<RowRange> segments;
  size_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t size = regions.size() / count + (i < regions.size() % count ? 1 : 0);
    RowRange segment;
    segment.start = regions[next].start_key;
    segment.stop = regions[next + size - 1].end_key;
    segments.push_back(std::move(segment));
    next += size;
  }
  return segments;
}

class SegmentQuery : public PreparedQuery {
 public:
  SegmentQuery(std::shared_ptr<Table> table, std::vector<ResultColumn> columns,
               std::vector<bool> starts, const parse::Expr& count)
      : table_(std::move(table)),
        columns_(std::make_shared<const std::vector<ResultColumn>>(std::move(columns))),
        starts_(std::move(starts)) {
    if (count.kind == parse::ExprKind::kBind) {
      parameter_ = count.bind_index - 1;
      parameters_.assign(static_cast<size_t>(parameter_), DataType{TypeId::kNull});
      parameters_.push_back({TypeId::kInteger});
    }
  }

  Status SetCount(const Value& value) {
    ASSIGN_OR_RETURN(const Value number, Coerce(value, {TypeId::kInteger}));
    if (number.is_null() || number.int64() <= 0) return MakeSqlError(221, "");
    count_ = static_cast<size_t>(number.int64());
    return Status::Ok();
  }

  void set_write(plan::WriteWay way) { write_ = way; }

  const SharedColumns& shared_columns() const override { return columns_; }
  const std::vector<DataType>& parameter_types() const override { return parameters_; }
  const std::vector<bool>& compared_parameters() const override { return compared_; }
  Status CheckParameter(size_t /*index*/, const Value& /*value*/) const override {
    return Status::Ok();
  }

  Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params,
                                          const RunOptions& /*options*/) const override {
    size_t count = count_;
    if (parameter_ >= 0) {
      if (static_cast<size_t>(parameter_) >= params.size()) return MakeSqlError(2004, "");
      SegmentQuery given = *this;
      RETURN_IF_ERROR(given.SetCount(params[static_cast<size_t>(parameter_)]));
      count = given.count_;
    }
    std::vector<std::vector<Value>> rows;
    for (const RowRange& segment : Segments(table_->regions(), count)) {
      std::vector<Value> row;
      for (const bool start : starts_) {
        const Bytes& key = start ? segment.start : segment.stop;
        row.push_back(key.empty() ? Value::Null({TypeId::kVarbinary}) : Value::Varbinary(key));
      }
      rows.push_back(std::move(row));
    }
    return std::unique_ptr<RowStream>(std::make_unique<StaticRows>(types(), std::move(rows)));
  }

  // Regions are told, and none of their rows.
  bool Reads(const TableName& /*table*/) const override { return false; }
  Result<std::vector<PlanLine>> Explain(std::span<const Value> /*params*/) const override {
    PlanLine line;
    line.text = "CLIENT REGION SCAN";
    std::vector<PlanLine> lines{std::move(line)};
    if (write_.has_value()) AddWriteLine(*write_, &lines);
    return lines;
  }

 private:
  std::shared_ptr<Table> table_;
  SharedColumns columns_;
  std::vector<bool> starts_;  // by column: where a part begins, or where it ends
  std::vector<DataType> parameters_;
  std::vector<bool> compared_;  // none
  int32_t parameter_ = -1;      // the count's, from 0
  size_t count_ = 0;
  std::optional<plan::WriteWay> write_;  // of the change that the rows are for
};

}  // namespace

bool IsSegmentQuery(const parse::Select& select) {
  return select.where != nullptr && SegmentCount(*select.where) != nullptr;
}

Result<std::unique_ptr<PreparedQuery>> PrepareSegmentQuery(const parse::Select& select,
                                                           const PrepareContext& context) {
  const parse::Expr& count = *SegmentCount(*select.where);
  if (select.from.size() != 1 || select.from[0]->kind != parse::TableRefKind::kNamed) {
    return MakeUncodedSqlError("TOTAL_SEGMENTS() needs a query over a single table",
                               count.position);
  }
  const parse::QualifiedName& name = select.from[0]->name;
  const std::string& schema = name.qualifier.empty() ? context.default_schema : name.qualifier.text;
  ASSIGN_OR_RETURN(const auto meta,
                   context.catalog->GetTable(schema, name.name.text, name.position(), context.as_of,
                                             context.tenant));
  if (meta->is_local_index()) {
    return MakeUncodedSqlError(
        "TOTAL_SEGMENTS() needs a table: the rows of a local index have no "
        "segments of their own",
        count.position);
  }
  ASSIGN_OR_RETURN(std::shared_ptr<Table> table, context.connection->OpenTable(meta->physical));
  std::vector<ResultColumn> columns;
  std::vector<bool> starts;
  for (const parse::SelectItem& item : select.items) {
    const bool start = IsCall(*item.expr, "SCAN_START_KEY");
    if (!start && !IsCall(*item.expr, "SCAN_END_KEY")) {
      return MakeUncodedSqlError(
          "with TOTAL_SEGMENTS() only SCAN_START_KEY() and SCAN_END_KEY() can be selected",
          item.expr->position);
    }
    const std::string label = item.expr->function_name + "()";
    columns.push_back({item.alias.empty() ? label : item.alias.text, {TypeId::kVarbinary}, true});
    starts.push_back(start);
  }
  auto query = std::make_unique<SegmentQuery>(std::move(table), std::move(columns),
                                              std::move(starts), count);
  if (context.write != nullptr) query->set_write(context.write->way);
  if (count.kind != parse::ExprKind::kBind) {
    ASSIGN_OR_RETURN(const Value value, parse::LiteralValue(count));
    RETURN_IF_ERROR(query->SetCount(value));
  }
  return std::unique_ptr<PreparedQuery>(std::move(query));
}

}  // namespace bennu::sql::exec
