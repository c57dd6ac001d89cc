#include "src/sql/exec/explain.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include "src/sql/exec/evaluate.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

constexpr std::string_view kIndent = "    ";

// ---- key ranges: ['x',~5] - ['x',*]

// One bound of one column. Descending values carry a ~.
std::string BoundText(const Bytes& bytes, bool bounded, const KeyColumn& column) {
  if (!bounded) return "*";
  if (bytes.empty()) return "null";
  const Result<Value> value = Decode(bytes, column.type, column.order);
  if (!value.ok()) return LiteralText(Value::Varbinary(bytes));
  return (column.order == SortOrder::kDesc ? "~" : "") + LiteralText(*value);
}

std::string SaltText(int bucket) {
  return LiteralText(Value::Varbinary(Bytes(1, static_cast<char>(bucket))));
}

std::string SideText(const KeySchema& schema, const std::vector<KeySlot>& slots, bool upper) {
  std::vector<std::string> parts;
  if (schema.salted()) parts.push_back(SaltText(upper ? schema.salt_buckets() - 1 : 0));
  size_t column = 0;
  for (const KeySlot& slot : slots) {
    const KeyRange& range = upper ? slot.ranges.back() : slot.ranges.front();
    if (slot.span > 0) {
      const bool bounded = upper ? range.upper_bounded : range.lower_bounded;
      const Bytes& bytes = upper ? range.upper : range.lower;
      parts.push_back(bounded ? LiteralText(Value::Varbinary(bytes)) : "*");
    } else {
      parts.push_back(upper
                          ? BoundText(range.upper, range.upper_bounded, schema.columns()[column])
                          : BoundText(range.lower, range.lower_bounded, schema.columns()[column]));
    }
    column += 1 + slot.span;
  }
  return fmt::format("[{}]", fmt::join(parts, ","));
}

std::string RangeText(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  if (slots.empty()) return "";
  const std::string lower = SideText(schema, slots, false);
  const std::string upper = SideText(schema, slots, true);
  return lower == upper ? " " + lower : fmt::format(" {} - {}", lower, upper);
}

// ---- lines

class Explainer {
 public:
  explicit Explainer(ExecContext* context) : context_(context) {}

  Status Query(const QueryPlan& plan, const std::string& indent) {
    ASSIGN_OR_RETURN(const int64_t limit, plan.Limit(context_));
    ASSIGN_OR_RETURN(const int64_t offset, plan.Offset(context_));
    if (plan.branches().size() > 1) {
      Add(indent, fmt::format("UNION ALL OVER {} QUERIES", plan.branches().size()));
      for (const auto& branch : plan.branches()) {
        RETURN_IF_ERROR(Select(*branch, -1, 0, indent + std::string(kIndent)));
      }
      if (!plan.query().order.empty()) Add(indent, "CLIENT MERGE SORT");
      if (limit >= 0) Add(indent, fmt::format("CLIENT {} ROW LIMIT", limit));
      return Status::Ok();
    }
    return Select(*plan.branches()[0], limit, offset, indent);
  }

  std::vector<PlanLine> Take() { return std::move(lines_); }

 private:
  void Add(const std::string& indent, std::string_view text) {
    PlanLine line;
    line.text = indent + std::string(text);
    lines_.push_back(std::move(line));
  }

  Status Select(const SelectPlan& plan, int64_t limit, int64_t offset, const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    if (select.from == nullptr) return Status::Ok();
    const bind::FromNode* leaf = select.from.get();
    while (!leaf->is_leaf()) leaf = leaf->left.get();
    const auto source = static_cast<size_t>(leaf->source);
    if (plan.sources()[source].derived != nullptr) {
      RETURN_IF_ERROR(Query(*plan.sources()[source].derived, indent));
    } else {
      RETURN_IF_ERROR(Scan(plan, source, limit, indent));
      if (degenerate_) return Status::Ok();
    }
    if (leaf == select.from.get()) ServerSteps(plan, limit, offset, indent);
    int table = 0;
    RETURN_IF_ERROR(Joins(plan, *select.from, indent, &table));
    ClientSteps(plan, limit, offset, indent);
    return Status::Ok();
  }

  Status Scan(const SelectPlan& plan, size_t source, int64_t limit, const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    ASSIGN_OR_RETURN(SourceRun run, plan.PlanSource(context_, source));
    const catalog::TableMeta& table = *run.spec->table;
    degenerate_ = select.never || run.keys.scan.kind == KeyScan::Kind::kDegenerate;
    if (degenerate_) {
      Add(indent, fmt::format("DEGENERATE SCAN OVER {}", table.FullName()));
      return Status::Ok();
    }
    const bool points = run.keys.scan.kind == KeyScan::Kind::kPoints;
    size_t ways = std::max<size_t>(1, table.salt_buckets);
    if (points && table.is_salted()) {
      ways = std::min<size_t>(ways, run.keys.scan.points.size());
    }
    const bool any_order = select.order.empty() && !select.aggregated && !select.distinct;
    const bool serial = limit >= 0 && any_order && run.filter == nullptr && !points;
    std::string scan_text;
    switch (run.keys.scan.kind) {
      case KeyScan::Kind::kPoints: {
        const size_t count = run.keys.scan.points.size();
        scan_text = fmt::format("POINT LOOKUP ON {} KEY{}", count, count == 1 ? "" : "S");
        break;
      }
      case KeyScan::Kind::kSkip: scan_text = SkipText(run.keys.slots); break;
      case KeyScan::Kind::kRange: scan_text = "RANGE SCAN"; break;
      default: scan_text = "FULL SCAN";
    }
    const bool ranges = !points && run.keys.scan.kind != KeyScan::Kind::kFull;
    Add(indent, fmt::format("CLIENT {}-CHUNK {} {}-WAY {}{}{} OVER {}{}", ways,
                            serial ? "SERIAL" : "PARALLEL", ways, any_order ? "ROUND ROBIN " : "",
                            plan.key_reversed() ? "REVERSE " : "", scan_text, table.FullName(),
                            ranges ? RangeText(table.key_schema, run.keys.slots) : ""));
    const TimeRange& time = run.keys.scan.time_range;
    if (!time.all()) {
      Add(indent, fmt::format("{}ROW TIMESTAMP FILTER [{}, {})", kIndent, time.min, time.max));
    }
    const bool keys_only = std::all_of(
        run.spec->columns.begin(), run.spec->columns.end(),
        [](const ScanColumn& column) { return column.source == ScanColumn::Source::kKey; });
    std::string filter;
    if (keys_only && !points) filter = "FIRST KEY ONLY";
    if (run.filter != nullptr) {
      filter += (filter.empty() ? "" : " AND ") + ToText(*run.filter);
    }
    if (!filter.empty()) Add(indent, fmt::format("{}SERVER FILTER BY {}", kIndent, filter));
    return Status::Ok();
  }

  static std::string SkipText(const std::vector<KeySlot>& slots) {
    size_t count = 1;
    bool single = true;
    for (const KeySlot& slot : slots) {
      count *= slot.ranges.size();
      for (const KeyRange& range : slot.ranges) single &= range.IsSingle();
    }
    return fmt::format("SKIP SCAN ON {} {}{}", count, single ? "KEY" : "RANGE",
                       count == 1 ? "" : "S");
  }

  static std::string OrderText(const bind::BoundSelect& select) {
    std::vector<std::string> parts;
    for (const bind::OrderField& field : select.order) {
      parts.push_back(ToText(*select.outputs[field.output].expr) +
                      (field.descending ? " DESC" : "") + (field.nulls_last ? " NULLS LAST" : ""));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  // True when the groups come in the order of the key, from its first column on.
  static bool GroupsByKey(const SelectPlan& plan, const std::vector<bind::ExprPtr>& groups) {
    const bind::BoundSelect& select = plan.select();
    if (select.sources.size() != 1 || select.sources[0].table == nullptr) return false;
    std::vector<int32_t> positions;
    for (const bind::ExprPtr& group : groups) {
      if (group->kind != BoundKind::kSlot) return false;
      const bind::Slot& slot = select.slots[group->slot];
      if (slot.column == bind::Scope::kRowTimestampColumn) return false;
      positions.push_back(select.sources[0].table->columns[slot.column].key_position);
    }
    std::sort(positions.begin(), positions.end());
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] != static_cast<int32_t>(i)) return false;
    }
    return !positions.empty();
  }

  void Groups(const SelectPlan& plan, const std::vector<bind::ExprPtr>& groups,
              const std::string& indent, bool distinct) {
    std::vector<std::string> texts;
    for (const bind::ExprPtr& group : groups) texts.push_back(ToText(*group));
    const std::string list = fmt::format("[{}]", fmt::join(texts, ", "));
    const bool ordered = GroupsByKey(plan, groups);
    if (distinct && ordered) {
      Add(indent, fmt::format("{}SERVER DISTINCT PREFIX FILTER OVER {}", kIndent, list));
    }
    Add(indent, fmt::format("{}SERVER AGGREGATE INTO {}DISTINCT ROWS BY {}", kIndent,
                            ordered ? "ORDERED " : "", list));
    const bool salted = plan.sources()[0].table != nullptr && plan.sources()[0].table->is_salted();
    if (!ordered || salted) Add(indent, "CLIENT MERGE SORT");
  }

  void ServerSteps(const SelectPlan& plan, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    if (select.aggregated) {
      if (select.groups.empty()) {
        Add(indent, fmt::format("{}SERVER AGGREGATE INTO SINGLE ROW", kIndent));
      } else {
        Groups(plan, select.groups, indent, false);
      }
      return;
    }
    if (select.distinct) {
      std::vector<bind::ExprPtr> groups;
      for (size_t i = 0; i < select.visible_outputs; ++i) groups.push_back(select.outputs[i].expr);
      Groups(plan, groups, indent, true);
      return;
    }
    if (!select.order.empty() && !plan.key_ordered()) {
      Add(indent, limit >= 0 ? fmt::format("{}SERVER TOP {} ROWS SORTED BY {}", kIndent,
                                           limit + offset, OrderText(select))
                             : fmt::format("{}SERVER SORTED BY {}", kIndent, OrderText(select)));
      Add(indent, "CLIENT MERGE SORT");
      return;
    }
    if (offset > 0) Add(indent, fmt::format("{}SERVER OFFSET {}", kIndent, offset));
    if (limit >= 0) Add(indent, fmt::format("{}SERVER {} ROW LIMIT", kIndent, limit + offset));
    const bool salted = plan.sources()[0].table != nullptr && plan.sources()[0].table->is_salted();
    if (plan.key_ordered() && salted) Add(indent, "CLIENT MERGE SORT");
  }

  Status Joins(const SelectPlan& plan, const bind::FromNode& node, const std::string& indent,
               int* table) {
    if (node.is_leaf()) return Status::Ok();
    RETURN_IF_ERROR(Joins(plan, *node.left, indent, table));
    std::string_view kind = "INNER";
    if (node.type == parse::JoinType::kLeft) kind = "LEFT";
    if (node.type == parse::JoinType::kFull) kind = "FULL";
    Add(indent, fmt::format("{}PARALLEL {}-JOIN TABLE {}", kIndent, kind, (*table)++));
    const std::string inner = indent + std::string(kIndent) + std::string(kIndent);
    if (!node.right->is_leaf()) return Joins(plan, *node.right, inner, table);
    const auto source = static_cast<size_t>(node.right->source);
    if (plan.sources()[source].derived != nullptr) {
      return Query(*plan.sources()[source].derived, inner);
    }
    return Scan(plan, source, -1, inner);
  }

  void ClientSteps(const SelectPlan& plan, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    std::vector<std::string> having;
    for (const bind::ExprPtr& expr : select.having) having.push_back(ToText(*expr));
    if (!having.empty()) {
      Add(indent, fmt::format("CLIENT FILTER BY {}", fmt::join(having, " AND ")));
    }
    const bool grouped = select.aggregated || select.distinct;
    if (grouped && !select.order.empty()) {
      Add(indent, limit >= 0 ? fmt::format("CLIENT TOP {} ROWS SORTED BY {}", limit + offset,
                                           OrderText(select))
                             : fmt::format("CLIENT SORTED BY {}", OrderText(select)));
      if (offset == 0) return;
    }
    if (limit >= 0) Add(indent, fmt::format("CLIENT {} ROW LIMIT", limit));
  }

  ExecContext* const context_;
  std::vector<PlanLine> lines_;
  bool degenerate_ = false;
};

}  // namespace

Result<std::vector<PlanLine>> ExplainQuery(const QueryPlan& plan, ExecContext* context) {
  Explainer explainer(context);
  RETURN_IF_ERROR(explainer.Query(plan, ""));
  return explainer.Take();
}

}  // namespace bennu::sql::exec
