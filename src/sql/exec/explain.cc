#include "src/sql/exec/explain.h"
#include "src/sql/bind/group_keys.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include "src/sql/exec/estimate.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/key_range_text.h"

namespace bennu::sql::exec {
namespace {

constexpr std::string_view kIndent = "    ";

class Explainer {
 public:
  explicit Explainer(ExecContext* context) : context_(context) {}

  Status Query(const QueryPlan& plan, const std::string& indent) {
    ASSIGN_OR_RETURN(const int64_t limit, plan.Limit(context_));
    ASSIGN_OR_RETURN(const int64_t offset, plan.Offset(context_));
    if (plan.branches().size() > 1) {
      Add(indent, fmt::format("UNION ALL OVER {} QUERIES{}", plan.branches().size(),
                              Did(&plan, StepKind::kUnion)));
      for (const auto& branch : plan.branches()) {
        RETURN_IF_ERROR(Select(*branch, -1, 0, indent + std::string(kIndent)));
      }
      if (!plan.query().order.empty()) {
        Add(indent, "CLIENT MERGE SORT" + Did(&plan, StepKind::kSort));
      }
      if (limit >= 0) {
        Add(indent, fmt::format("CLIENT {} ROW LIMIT{}", limit, Did(&plan, StepKind::kLimit)));
      }
      return Status::Ok();
    }
    return Select(*plan.branches()[0], limit, offset, indent);
  }

  Status Subquery(const SubqueryPlan& subquery) {
    const bool single = subquery.kind == bind::SubqueryKind::kSingleRow;
    Add("", fmt::format("{}EXECUTE {}-ROW SUBQUERY", kIndent, single ? "SINGLE" : "MULTIPLE"));
    return Query(*subquery.plan, std::string(kIndent) + std::string(kIndent));
  }

  std::vector<PlanLine> Take() {
    if (estimate_.has_value()) {
      for (PlanLine& line : lines_) {
        line.rows = estimate_->rows;
        line.bytes = estimate_->bytes;
        line.info_millis = estimate_->info_millis;
      }
    }
    return std::move(lines_);
  }

 private:
  void Add(const std::string& indent, std::string_view text) {
    PlanLine line;
    line.text = indent + std::string(text);
    lines_.push_back(std::move(line));
  }

  // What a step did, when this is about a run; else nothing.
  const Step* Find(const void* part, StepKind kind) const {
    const Analysis* const analysis = context_->options().analysis;
    return analysis == nullptr ? nullptr : analysis->Find(part, kind);
  }
  std::string Did(const void* part, StepKind kind) const { return StepSuffix(Find(part, kind)); }
  std::string JoinDid(const bind::FromNode& node) const {
    const Step* const build = Find(&node, StepKind::kJoinBuild);
    const std::string built = build == nullptr ? "" : " BUILT" + StepSuffix(build);
    return Did(&node, StepKind::kJoin) + built;
  }

  Status Select(const SelectPlan& plan, int64_t limit, int64_t offset, const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    if (select.from == nullptr) return Status::Ok();
    const bind::FromNode* leaf = select.from.get();
    while (!leaf->is_leaf()) leaf = leaf->left.get();
    const auto source = static_cast<size_t>(leaf->source);
    const bool joined = leaf != select.from.get();
    if (joined && plan.Merges(*select.from)) {
      RETURN_IF_ERROR(MergedSide(plan, *select.from, {}, indent));
      ClientSteps(plan, limit, offset, indent);
      return Status::Ok();
    }
    const bool limits_rows = KeepsRows(*select.from);
    if (plan.sources()[source].derived != nullptr) {
      RETURN_IF_ERROR(Query(*plan.sources()[source].derived, indent));
    } else {
      const int64_t wanted = limits_rows && limit >= 0 ? limit + offset : -1;
      RETURN_IF_ERROR(Scan(plan, source, wanted, indent));
      if (degenerate_) return Status::Ok();
    }
    const bool limited = limits_rows || (!select.order.empty() && !plan.key_ordered());
    ServerSteps(plan, limited ? limit : -1, limited ? offset : 0, indent);
    ClientSteps(plan, limit, offset, indent);
    int table = 0;
    std::vector<std::string> filters;
    RETURN_IF_ERROR(Joins(plan, *select.from, indent, &table, &filters));
    for (const std::string& filter : filters) {
      Add(indent, fmt::format("{}DYNAMIC SERVER FILTER BY {}", kIndent, filter));
    }
    if (joined && plan.late_filter() != nullptr) {
      Add(indent, fmt::format("{}AFTER-JOIN SERVER FILTER BY {}{}", kIndent,
                              ToText(*plan.late_filter()), Did(&plan, StepKind::kLateFilter)));
    }
    if (joined && limit >= 0 && select.order.empty() && !select.aggregated && !select.distinct) {
      Add(indent, fmt::format("{}JOIN-SCANNER {} ROW LIMIT", kIndent, limit + offset));
    }
    return Status::Ok();
  }

  // Joins that leave all rows of the left side alone.
  static bool KeepsRows(const bind::FromNode& node) {
    return node.is_leaf() || (node.type == bind::JoinType::kLeft && KeepsRows(*node.left));
  }

  // 'limit': how many rows are wanted, -1 when that is not known.
  Status Scan(const SelectPlan& plan, size_t source, int64_t limit, const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    ASSIGN_OR_RETURN(SourceRun run, plan.PlanSource(context_, source));
    const catalog::TableMeta& table = *run.spec->table;
    degenerate_ = select.never || run.keys.scan.kind == KeyScan::Kind::kDegenerate;
    if (degenerate_) {
      Add(indent, fmt::format("DEGENERATE SCAN OVER {}", table.physical.ToString()));
      return Status::Ok();
    }
    const bool points = run.keys.scan.kind == KeyScan::Kind::kPoints;
    size_t ways = std::max<size_t>(1, table.salt_buckets);
    if (points && table.is_salted()) {
      ways = std::min<size_t>(ways, run.keys.scan.points.size());
    }
    const bool merged = select.from != nullptr && plan.Merges(*select.from);
    const bool any_order =
        select.order.empty() && !select.aggregated && !select.distinct && !merged;
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
    const bool first_rows = limit >= 0 && run.filter == nullptr && !select.aggregated &&
                            !select.distinct && (select.order.empty() || plan.key_ordered());
    std::string estimate;
    if (points || first_rows) {
      const auto rows = points ? static_cast<int64_t>(run.keys.scan.points.size()) : limit;
      const int64_t bytes = rows * EstimatedRowBytes(table);
      estimate = fmt::format(" {} ROWS {} BYTES", rows, bytes);
      if (select.sources.size() == 1 && indent.empty()) estimate_ = {rows, bytes, 0};
    }
    size_t chunks = ways;
    if (!points && !first_rows) {
      ASSIGN_OR_RETURN(const auto counted, CountGuidePosts(plan.sources()[source], run));
      if (counted.has_value()) {
        chunks += counted->cuts;
        estimate = fmt::format(" {} ROWS {} BYTES", counted->total.rows, counted->total.bytes);
        if (select.sources.size() == 1 && indent.empty()) estimate_ = counted->total;
      }
    }
    Add(indent,
        fmt::format("CLIENT {}-CHUNK{} {} {}-WAY {}{}{} OVER {}{}{}", chunks, estimate,
                    serial ? "SERIAL" : "PARALLEL", ways, any_order ? "ROUND ROBIN " : "",
                    plan.key_reversed() ? "REVERSE " : "", scan_text, table.physical.ToString(),
                    ranges ? RangeText(table.key_schema, run.keys.slots) : "",
                    Did(&plan.sources()[source], StepKind::kScan)));
    const TimeRange& time = run.keys.scan.time_range;
    if (!time.all()) {
      Add(indent, fmt::format("{}ROW TIMESTAMP FILTER [{}, {})", kIndent, time.min, time.max));
    }
    const bool keys_only = std::all_of(run.spec->columns.begin(), run.spec->columns.end(),
                                       [](const ScanColumn& column) {
                                         return column.source == ScanColumn::Source::kKey ||
                                                column.source == ScanColumn::Source::kRowKey;
                                       });
    std::string filter;
    if (keys_only && !points) filter = "FIRST KEY ONLY";
    if (run.filter != nullptr) {
      filter += (filter.empty() ? "" : " AND ") + ToText(*run.filter);
    }
    if (!filter.empty()) {
      Add(indent, fmt::format("{}SERVER FILTER BY {}{}", kIndent, filter,
                              Did(&plan.sources()[source], StepKind::kFilter)));
    }
    if (const Step* step = Find(&plan.sources()[source], StepKind::kScan); step != nullptr) {
      for (const std::string& line : step->ScanTexts()) Add(indent, std::string(kIndent) + line);
    }
    return Status::Ok();
  }

  struct Estimate {
    int64_t rows = 0;
    int64_t bytes = 0;
    int64_t info_millis = 0;
  };
  struct Counted {
    Estimate total;
    size_t cuts = 0;
  };

  // What the guide posts say of the scan. Nothing: there are none.
  static Result<std::optional<Counted>> CountGuidePosts(const SourcePlan& source,
                                                        const SourceRun& run) {
    std::optional<Counted> counted;
    if (source.guide_posts == nullptr) return counted;
    ASSIGN_OR_RETURN(const auto posts, source.guide_posts->Get());
    if (posts->empty()) return counted;
    counted.emplace();
    counted->total.info_millis = posts->front().millis;
    for (const catalog::GuidePost& post : *posts) {
      bool counts = post.key.empty();
      for (const RowRange& range : run.keys.scan.ranges) {
        if (post.key.empty() || post.key < range.start) continue;
        if (!range.stop.empty() && post.key >= range.stop) continue;
        counts = true;
        if (post.key > range.start) ++counted->cuts;
      }
      if (!counts) continue;
      // Without a key nobody has counted.
      counted->total.rows +=
          post.key.empty() ? post.bytes / EstimatedRowBytes(*source.table) : post.rows;
      counted->total.bytes += post.bytes;
      counted->total.info_millis = std::min(counted->total.info_millis, post.millis);
    }
    return counted;
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

  void Groups(const SelectPlan& plan, const std::vector<bind::ExprPtr>& groups,
              const std::string& indent, bool distinct) {
    std::vector<std::string> texts;
    for (const bind::ExprPtr& group : groups) texts.push_back(ToText(*group));
    const std::string list = fmt::format("[{}]", fmt::join(texts, ", "));
    const bool ordered = bind::GroupsByKey(plan.select(), groups);
    if (distinct && ordered && !in_subquery_) {
      Add(indent, fmt::format("{}SERVER DISTINCT PREFIX FILTER OVER {}", kIndent, list));
    }
    Add(indent, fmt::format("{}SERVER AGGREGATE INTO {}DISTINCT ROWS BY {}{}", kIndent,
                            ordered ? "ORDERED " : "", list,
                            Did(&plan, distinct ? StepKind::kDistinct : StepKind::kGroups)));
    const bool salted = plan.sources()[0].table != nullptr && plan.sources()[0].table->is_salted();
    if (!ordered || salted) Add(indent, "CLIENT MERGE SORT");
  }

  void ServerSteps(const SelectPlan& plan, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    if (select.aggregated) {
      if (select.groups.empty()) {
        Add(indent, fmt::format("{}SERVER AGGREGATE INTO SINGLE ROW{}", kIndent,
                                Did(&plan, StepKind::kGroups)));
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
      const std::string sorted =
          limit >= 0 ? fmt::format("{}SERVER TOP {} ROWS SORTED BY {}", kIndent, limit + offset,
                                   OrderText(select))
                     : fmt::format("{}SERVER SORTED BY {}", kIndent, OrderText(select));
      Add(indent, sorted + Did(&plan, StepKind::kSort));
      Add(indent, "CLIENT MERGE SORT");
      return;
    }
    if (offset > 0) Add(indent, fmt::format("{}SERVER OFFSET {}", kIndent, offset));
    if (limit >= 0) Add(indent, fmt::format("{}SERVER {} ROW LIMIT", kIndent, limit + offset));
    const bool salted = plan.sources()[0].table != nullptr && plan.sources()[0].table->is_salted();
    if (plan.key_ordered() && salted) Add(indent, "CLIENT MERGE SORT");
  }

  // A side of a join by merging, brought into the order of 'keys' (none: it is not sorted).
  Status MergedSide(const SelectPlan& plan, const bind::FromNode& node,
                    const std::vector<bind::ExprPtr>& keys, const std::string& indent) {
    std::vector<std::string> texts;
    for (const bind::ExprPtr& key : keys) texts.push_back(KeyText(plan.select(), *key));
    const std::string sorted = fmt::format("SORTED BY [{}]", fmt::join(texts, ", "));
    if (node.is_leaf()) {
      const auto source = static_cast<size_t>(node.source);
      if (plan.sources()[source].derived != nullptr) {
        in_subquery_ = plan.select().sources[source].hidden;
        const Status status = Query(*plan.sources()[source].derived, indent);
        in_subquery_ = false;
        return status;
      }
      RETURN_IF_ERROR(Scan(plan, source, -1, indent));
      if (keys.empty() || plan.InKeyOrder(node, keys)) return Status::Ok();
      Add(indent, fmt::format("{}SERVER {}", kIndent, sorted));
      Add(indent, "CLIENT MERGE SORT");
      return Status::Ok();
    }
    std::vector<bind::ExprPtr> left;
    std::vector<bind::ExprPtr> right;
    for (const bind::JoinKey& key : node.keys) {
      left.push_back(key.left);
      right.push_back(key.right);
    }
    const std::string inner = indent + std::string(kIndent);
    Add(indent, fmt::format("SORT-MERGE-JOIN ({}) TABLES{}", JoinName(node), JoinDid(node)));
    RETURN_IF_ERROR(MergedSide(plan, *node.left, left, inner));
    const bool match_only =
        node.type == bind::JoinType::kSemi || node.type == bind::JoinType::kAnti;
    Add(indent, match_only ? "AND (SKIP MERGE)" : "AND");
    RETURN_IF_ERROR(MergedSide(plan, *node.right, right, inner));
    if (!keys.empty()) Add(indent, "CLIENT " + sorted);
    return Status::Ok();
  }

  static std::string_view JoinName(const bind::FromNode& node) {
    switch (node.type) {
      case bind::JoinType::kInner: return "INNER";
      case bind::JoinType::kLeft: return "LEFT";
      case bind::JoinType::kFull: return "FULL";
      case bind::JoinType::kSemi: return "SEMI";
      case bind::JoinType::kAnti: return "ANTI";
    }
    return "";
  }

  // 'filters' get what the joins say about the keys of the left side.
  Status Joins(const SelectPlan& plan, const bind::FromNode& node, const std::string& indent,
               int* table, std::vector<std::string>* filters) {
    if (node.is_leaf()) return Status::Ok();
    RETURN_IF_ERROR(Joins(plan, *node.left, indent, table, filters));
    const std::string_view kind = JoinName(node);
    const bool match_only =
        node.type == bind::JoinType::kSemi || node.type == bind::JoinType::kAnti;
    size_t key_columns = 0;
    const std::string filter = KeyFilter(plan.select(), node, &key_columns);
    if (!filter.empty()) filters->push_back(filter);
    if (node.type == bind::JoinType::kSemi && key_columns == node.keys.size()) {
      Add(indent, fmt::format("{}SKIP-SCAN-JOIN TABLE {}{}", kIndent, (*table)++, JoinDid(node)));
    } else {
      Add(indent, fmt::format("{}PARALLEL {}-JOIN TABLE {}{}{}", kIndent, kind, (*table)++,
                              match_only ? " (SKIP MERGE)" : "", JoinDid(node)));
    }
    const std::string inner = indent + std::string(kIndent) + std::string(kIndent);
    if (!node.right->is_leaf()) return Joins(plan, *node.right, inner, table, filters);
    const auto source = static_cast<size_t>(node.right->source);
    if (plan.sources()[source].derived != nullptr) {
      in_subquery_ = plan.select().sources[source].hidden;
      Status status = Query(*plan.sources()[source].derived, inner);
      in_subquery_ = false;
      return status;
    }
    return Scan(plan, source, -1, inner);
  }

  static std::string KeyText(const bind::BoundSelect& select, const bind::Expr& expr) {
    const bool hidden =
        expr.kind == BoundKind::kSlot && select.sources[select.slots[expr.slot].source].hidden;
    return hidden ? "$1.$2" : ToText(expr);
  }

  // The left side's first key columns and what they are joined with; empty: not joined by them.
  static std::string KeyFilter(const bind::BoundSelect& select, const bind::FromNode& node,
                               size_t* key_columns) {
    *key_columns = 0;
    const bool leaves_out =
        node.type == bind::JoinType::kInner || node.type == bind::JoinType::kSemi;
    std::vector<std::string> left;
    std::vector<std::string> right;
    for (bool found = leaves_out; found;) {
      found = false;
      for (const bind::JoinKey& key : node.keys) {
        if (key.left->kind != BoundKind::kSlot) continue;
        const bind::Slot& slot = select.slots[key.left->slot];
        const bind::Source& source = select.sources[slot.source];
        if (source.table == nullptr || bind::Scope::IsPseudoColumn(slot.column)) continue;
        const int32_t place = source.table->columns[slot.column].key_position;
        if (place != static_cast<int32_t>(left.size())) continue;
        left.push_back(KeyText(select, *key.left));
        right.push_back(KeyText(select, *key.right));
        found = true;
        break;
      }
    }
    *key_columns = left.size();
    if (left.empty()) return "";
    if (left.size() == 1) return fmt::format("{} IN ({})", left[0], right[0]);
    return fmt::format("({}) IN (({}))", fmt::join(left, ", "), fmt::join(right, ", "));
  }

  void ClientSteps(const SelectPlan& plan, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = plan.select();
    std::vector<std::string> having;
    for (const bind::ExprPtr& expr : select.having) having.push_back(ToText(*expr));
    if (!having.empty()) {
      Add(indent, fmt::format("CLIENT FILTER BY {}{}", fmt::join(having, " AND "),
                              Did(&plan, StepKind::kHaving)));
    }
    const bool grouped = select.aggregated || select.distinct;
    if (grouped && !select.order.empty()) {
      const std::string sorted = limit >= 0 ? fmt::format("CLIENT TOP {} ROWS SORTED BY {}",
                                                          limit + offset, OrderText(select))
                                            : fmt::format("CLIENT SORTED BY {}", OrderText(select));
      Add(indent, sorted + Did(&plan, StepKind::kSort));
      if (offset == 0) return;
    }
    if (limit >= 0) {
      Add(indent, fmt::format("CLIENT {} ROW LIMIT{}", limit, Did(&plan, StepKind::kLimit)));
    }
  }

  ExecContext* const context_;
  std::vector<PlanLine> lines_;
  bool degenerate_ = false;
  bool in_subquery_ = false;          // of a condition
  std::optional<Estimate> estimate_;  // of the whole query
};

}  // namespace

Result<std::vector<PlanLine>> ExplainQuery(const QueryPlan& plan,
                                           const std::vector<SubqueryPlan>& subqueries,
                                           ExecContext* context) {
  Explainer explainer(context);
  RETURN_IF_ERROR(explainer.Query(plan, ""));
  for (const SubqueryPlan& subquery : subqueries) {
    RETURN_IF_ERROR(explainer.Subquery(subquery));
  }
  std::vector<PlanLine> lines = explainer.Take();
  const size_t sequences = plan.branches()[0]->select().sequences.size();
  if (sequences > 0) {
    lines.push_back({"CLIENT RESERVE VALUES FROM " + std::to_string(sequences) + " SEQUENCE" +
                         (sequences > 1 ? "S" : ""),
                     -1, -1, -1});
  }
  return lines;
}

}  // namespace bennu::sql::exec
