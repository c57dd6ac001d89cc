// DELETE: whole keys at once, everything else by selecting the keys first.
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/change_binder.h"
#include "src/sql/session/change.h"
#include "src/sql/session/returning.h"

namespace bennu::sql::session {
namespace {

using catalog::TableMeta;
using parse::ExprKind;

constexpr size_t kRowsPerWrite = 1000;  // under autocommit

// SELECT the row key FROM table WHERE … as the DELETE says. The key as it is stored: made again of
// its columns' values it could be that of another row (a VARBINARY at the end reads without a final
// ff).
parse::Select SelectKeys(const parse::Delete& statement) {
  parse::Select select;
  select.hints = statement.hints;
  auto key = std::make_unique<parse::Expr>(ExprKind::kFunction, -1);
  key->function_name = parse::kStoredRowKey;
  select.items.push_back(parse::SelectItem{std::move(key), {}});
  auto from = std::make_unique<parse::TableRef>();
  from->name = statement.table;
  from->position = statement.table.position();
  select.from.push_back(std::move(from));
  if (statement.where != nullptr) select.where = statement.where->Clone();
  for (const parse::OrderItem& item : statement.order_by) select.order_by.push_back(item.Clone());
  if (statement.limit != nullptr) select.limit = statement.limit->Clone();
  return select;
}

// A row goes from all families, also from those that only another view knows.
std::vector<std::string> FamiliesOf(const Table& storage) {
  std::vector<std::string> families;
  for (const ColumnFamilyDescriptor& family : storage.descriptor().families) {
    families.push_back(family.name);
  }
  return families;
}

class DeleteChange : public Change {
 public:
  DeleteChange(bind::BoundDelete bound, std::shared_ptr<Table> storage,
               const parse::Delete& statement, const ChangeContext& context)
      : table_(std::move(bound.table)),
        storage_(std::move(storage)),
        families_(FamiliesOf(*storage_)),
        points_(std::move(bound.points)),
        statement_(statement),
        context_(context),
        returner_(statement.returning ? std::make_unique<RowReturner>(table_, context) : nullptr) {}

  // Whole keys need no query, unless their constants turn out to be no keys.
  Status PrepareSelect() {
    if (query_ != nullptr) return Status::Ok();
    const parse::Select select = SelectKeys(statement_);
    ASSIGN_OR_RETURN(query_, context_.store->prepare_query()(select, context_.prepare));
    return Status::Ok();
  }

  Result<int64_t> Run(const ChangeRun& run) override {
    TableWrites* const writes = run.writes->ForTable(*table_, storage_);
    if (points_.has_value()) {
      ASSIGN_OR_RETURN(const auto keys, points_->Keys(*table_, run.params));
      if (keys.has_value()) {
        if (returner_ != nullptr && run.autocommit && keys->size() == 1) {
          RETURN_IF_ERROR(ReturnAndDelete(run, keys->front(), writes));
          return 1;
        }
        for (const Bytes& key : *keys) DeleteRow(key, writes);
        return static_cast<int64_t>(keys->size());
      }
    }
    RETURN_IF_ERROR(PrepareSelect());
    return DeleteSelected(run, writes);
  }

  Result<std::vector<exec::PlanLine>> Explain(std::span<const Value> params) override {
    if (points_.has_value()) {
      return std::vector<exec::PlanLine>{{"DELETE SINGLE ROW", 0, 0, 0}};
    }
    ASSIGN_OR_RETURN(std::vector<exec::PlanLine> lines, query_->Explain(params));
    exec::PlanLine first;
    if (!lines.empty()) first = lines.front();
    // Phoenix's servers delete what no order and no count is asked of.
    const bool on_client = statement_.limit != nullptr || !statement_.order_by.empty();
    first.text = on_client ? "DELETE ROWS CLIENT SELECT" : "DELETE ROWS SERVER SELECT";
    // There the order in which the rows come does not matter.
    constexpr std::string_view kRoundRobin = " ROUND ROBIN";
    const size_t at = lines.empty() ? std::string::npos : lines[0].text.find(kRoundRobin);
    if (!on_client && at != std::string::npos) lines[0].text.erase(at, kRoundRobin.size());
    lines.insert(lines.begin(), std::move(first));
    return lines;
  }
  std::vector<DataType> parameter_types() const override {
    if (query_ != nullptr) return query_->parameter_types();
    std::vector<DataType> types(static_cast<size_t>(context_.bind_count));
    points_->SetParameterTypes(*table_, &types);
    return types;
  }
  Result<std::vector<exec::ResultColumn>> ReturnedColumns() const override {
    return returner_ == nullptr ? Change::ReturnedColumns() : returner_->Columns();
  }
  std::vector<bool> compared_parameters() const override {
    if (query_ != nullptr) return query_->compared_parameters();
    return std::vector<bool>(static_cast<size_t>(context_.bind_count), true);
  }

 private:
  Status ReturnAndDelete(const ChangeRun& run, const Bytes& key, TableWrites* writes) {
    // Keeps atomic updates out between the two.
    MutexLock lock(context_.store->RowLock(key));
    ASSIGN_OR_RETURN(*run.returned, returner_->Read(key, run.query));
    DeleteRow(key, writes);
    return run.writes->Write(writes);
  }

  void DeleteRow(ByteView key, TableWrites* writes) {
    writes->batch.StartRow(key);
    for (const std::string& family : families_) writes->batch.DeleteFamily(family, context_.scn);
    writes->has_deletes = true;
  }

  Result<int64_t> DeleteSelected(const ChangeRun& run, TableWrites* writes) {
    ASSIGN_OR_RETURN(const auto rows, query_->Open(run.params, run.query));
    int64_t count = 0;
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(rows->Next(&chunk));
      if (chunk.size == 0) return count;
      for (size_t row = 0; row < chunk.size; ++row) {
        DeleteRow(chunk.columns[0].At<ByteView>(row), writes);
        if (run.autocommit && writes->batch.row_count() >= kRowsPerWrite) {
          RETURN_IF_ERROR(run.writes->Write(writes));
        }
      }
      count += static_cast<int64_t>(chunk.size);
    }
  }

  const std::shared_ptr<const TableMeta> table_;
  const std::shared_ptr<Table> storage_;
  const std::vector<std::string> families_;
  const std::optional<bind::KeyPoints> points_;
  const parse::Delete& statement_;  // must outlive this
  const ChangeContext context_;
  const std::unique_ptr<RowReturner> returner_;  // null: nothing is returned
  std::unique_ptr<exec::PreparedQuery> query_;   // null until it is needed
};

}  // namespace

Result<std::unique_ptr<Change>> MakeDelete(const parse::Delete& statement,
                                           const ChangeContext& context) {
  ASSIGN_OR_RETURN(bind::BoundDelete bound, bind::BindDelete(statement, context.ForBinder()));
  ASSIGN_OR_RETURN(auto storage, context.store->connection()->OpenTable(bound.table->physical));
  const bool needs_query = !bound.points.has_value();
  auto change =
      std::make_unique<DeleteChange>(std::move(bound), std::move(storage), statement, context);
  if (needs_query) RETURN_IF_ERROR(change->PrepareSelect());
  return std::unique_ptr<Change>(std::move(change));
}

}  // namespace bennu::sql::session
