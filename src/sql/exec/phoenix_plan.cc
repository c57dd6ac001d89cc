#include "src/sql/exec/phoenix_plan.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include "src/base/status_macros.h"
#include "src/sql/bind/group_keys.h"
#include "src/sql/exec/estimate.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/key_range_text.h"
#include "src/sql/exec/plan_builder.h"
#include "src/sql/exec/scan_run.h"
#include "src/sql/exec/server_aggregate.h"
#include "src/sql/expr/function_def.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/plan/write_planner.h"

namespace bennu::sql::exec {
namespace {

constexpr std::string_view kIndent = "    ";

using plan::AggregateNode;
using plan::KeyDirection;
using plan::PlanNode;
using plan::ScanNode;
using plan::SelectNodes;

// Goes down to the SELECTs; the nodes of each are worded together, since Phoenix's lines are about
// what its servers and its client do.
class PhoenixPrinter : public plan::DefaultVisitor {
 public:
  explicit PhoenixPrinter(ExecContext* context)
      : context_(context), remote_(context->connection()->capabilities().remote) {}

  Status Query(const PlanNode& root, const std::string& indent) {
    const AtHand outer = std::exchange(at_hand_, AtHand());
    at_hand_.indent = indent;
    const Status status = root.Accept(this);
    at_hand_ = outer;
    return status;
  }

  Status Subquery(const plan::SubqueryPlan& subquery) {
    const bool single = subquery.kind == bind::SubqueryKind::kSingleRow;
    Add("", fmt::format("{}EXECUTE {}-ROW SUBQUERY", kIndent, single ? "SINGLE" : "MULTIPLE"));
    return Query(*subquery.root, std::string(kIndent) + std::string(kIndent));
  }

  Status VisitOther() override { return Internal("EXPLAIN met a node that it has no words for"); }
  Status Visit(const plan::PointLookupNode& node) override { return node.otherwise->Accept(this); }
  Status Visit(const plan::KeyRangeNode& node) override { return node.otherwise->Accept(this); }
  Status Visit(const plan::WriteNode& node) override {
    // What was run is shown as it was read; the session tells what was written.
    if (context_->options().analysis == nullptr) write_ = node.spec.way;
    return node.child == nullptr ? Status::Ok() : node.child->Accept(this);
  }
  Status Visit(const plan::SequencesNode& node) override {
    sequences_ = node.select->sequences.size();
    return node.child->Accept(this);
  }
  Status Visit(const plan::LimitNode& node) override {
    at_hand_.limit = &node;
    return node.child->Accept(this);
  }
  Status Visit(const plan::SortNode& node) override {
    at_hand_.sort = &node;
    return node.child->Accept(this);
  }
  Status Visit(const AggregateNode& node) override { return node.child->Accept(this); }
  Status Visit(const plan::ProjectNode& node) override {
    ASSIGN_OR_RETURN(const int64_t limit, Limit());
    ASSIGN_OR_RETURN(const int64_t offset, Offset());
    return Select(*node.nodes, limit, offset, std::string(at_hand_.indent));
  }

  Status Visit(const plan::UnionNode& node) override {
    const std::string indent = at_hand_.indent;
    ASSIGN_OR_RETURN(const int64_t limit, Limit());
    ASSIGN_OR_RETURN(const int64_t offset, Offset());
    const plan::LimitNode* const own_limit = std::exchange(at_hand_.limit, nullptr);
    const plan::SortNode* const own_sort = std::exchange(at_hand_.sort, nullptr);
    Add(indent, fmt::format("UNION ALL OVER {} QUERIES{}", node.children.size(), Did(&node)));
    // Without an order no branch is asked for more rows than all of them give.
    at_hand_.each_limit = limit >= 0 && offset == 0 && own_sort == nullptr ? limit : -1;
    std::optional<Estimate> total = Estimate{0, 0, INT64_MAX};
    for (const plan::PlanNodePtr& child : node.children) {
      estimate_.reset();
      estimates_ = indent.empty();
      at_hand_.indent = indent + std::string(kIndent);
      RETURN_IF_ERROR(child->Accept(this));
      estimates_ = false;
      if (!estimate_.has_value()) total.reset();
      if (!total.has_value()) continue;
      total->rows += estimate_->rows;
      total->bytes += estimate_->bytes;
      total->info_millis = std::min(total->info_millis, estimate_->info_millis);
    }
    at_hand_.each_limit = -1;
    estimate_ = total;
    if (own_sort != nullptr) Add(indent, "CLIENT MERGE SORT" + Did(own_sort));
    if (offset > 0) {
      Add(indent + std::string(kIndent), fmt::format("CLIENT OFFSET {}", offset));
    }
    if (limit >= 0) Add(indent, fmt::format("CLIENT {} ROW LIMIT{}", limit, Did(own_limit)));
    return Status::Ok();
  }

  size_t sequences() const { return sequences_; }
  const std::optional<plan::WriteWay>& write() const { return write_; }

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
  // The query that is gone down.
  struct AtHand {
    std::string indent;
    const plan::LimitNode* limit = nullptr;
    const plan::SortNode* sort = nullptr;
    int64_t each_limit = -1;  // in a branch of a union: what that asks of each
  };

  void Add(const std::string& indent, std::string_view text) {
    PlanLine line;
    line.text = indent + std::string(text);
    lines_.push_back(std::move(line));
  }

  // Who does what the directory's own steps do, which Phoenix's servers do: a cluster of HBase's
  // has nobody for it.
  std::string_view Here() const { return remote_ ? "CLIENT" : "SERVER"; }
  void AddOfServers(const std::string& indent, const std::string& text) {
    Add(indent, fmt::format("{}SERVER {}", kIndent, text));
  }
  void AddStep(const std::string& indent, const std::string& text) {
    remote_ ? Add(indent, "CLIENT " + text) : AddOfServers(indent, text);
  }

  Result<int64_t> Limit() const {
    return at_hand_.limit == nullptr ? at_hand_.each_limit : LimitOf(context_, *at_hand_.limit);
  }
  Result<int64_t> Offset() const {
    return at_hand_.limit == nullptr ? 0 : OffsetOf(context_, *at_hand_.limit);
  }

  // What a step did, when this is about a run; else nothing.
  const Step* Find(const void* node, StepKind kind) const {
    const Analysis* const analysis = context_->options().analysis;
    return analysis == nullptr ? nullptr : analysis->Find(node, kind);
  }
  std::string Did(const void* node, StepKind kind = StepKind::kRows) const {
    return StepSuffix(Find(node, kind));
  }
  std::string JoinDid(const SelectNodes& nodes, const bind::FromNode& node) const {
    const plan::JoinNode* const join = nodes.joins.at(&node);
    const Step* const build = Find(join, StepKind::kJoinBuild);
    const std::string built = build == nullptr ? "" : " BUILT" + StepSuffix(build);
    return Did(join) + built;
  }

  Status Select(const SelectNodes& nodes, int64_t limit, int64_t offset,
                const std::string& indent) {
    const bind::BoundSelect& select = nodes.select;
    if (select.from == nullptr) return Status::Ok();
    const bind::FromNode* leaf = select.from.get();
    while (!leaf->is_leaf()) leaf = leaf->left.get();
    const auto source = static_cast<size_t>(leaf->source);
    const bool joined = leaf != select.from.get();
    RETURN_IF_ERROR(NoteSkips(nodes, source));
    if (Merges(nodes)) {
      RETURN_IF_ERROR(MergedSide(nodes, *select.from, {}, indent));
      if (nodes.late_filter != nullptr) {
        Add(indent, fmt::format("CLIENT FILTER BY {}{}", ToText(*nodes.late_filter->condition),
                                Did(nodes.late_filter)));
      }
      RowsOfClient(nodes, limit, offset, indent);
      return Status::Ok();
    }
    const bool limits_rows = KeepsRows(*select.from);
    if (nodes.derived[source] != nullptr) {
      RETURN_IF_ERROR(Query(*nodes.derived[source]->query, indent));
      RETURN_IF_ERROR(NoteSkips(nodes, source));
      if (!joined) {
        ClientFilter(nodes, source, indent);
        RowsOfClient(nodes, limit, offset, indent);
        return Status::Ok();
      }
    } else {
      Wanted wanted;
      if (limits_rows)
        wanted = {limit >= 0 ? limit + offset : -1, limit >= 0 || offset > 0, offset > 0};
      RETURN_IF_ERROR(Scan(nodes, source, wanted, indent));
      if (degenerate_) return Status::Ok();
    }
    const bool limited = limits_rows || (!select.order.empty() && !KeyOrdered(nodes));
    ServerSteps(nodes, limited ? limit : -1, limited ? offset : 0, indent);
    ClientSteps(nodes, limit, offset, indent);
    int table = 0;
    std::vector<std::string> filters;
    RETURN_IF_ERROR(Joins(nodes, *select.from, indent, &table, &filters));
    for (const std::string& filter : filters) {
      Add(indent, fmt::format("{}DYNAMIC SERVER FILTER BY {}", kIndent, filter));
    }
    if (joined && nodes.late_filter != nullptr) {
      Add(indent, fmt::format("{}AFTER-JOIN {} FILTER BY {}{}", kIndent, Here(),
                              ToText(*nodes.late_filter->condition), Did(nodes.late_filter)));
    }
    if (joined && limit >= 0 && select.order.empty() && !select.aggregated && !select.distinct) {
      Add(indent, fmt::format("{}JOIN-SCANNER {} ROW LIMIT", kIndent, limit + offset));
    }
    return Status::Ok();
  }

  // The outermost join does.
  static bool Merges(const SelectNodes& nodes) {
    const auto join = nodes.joins.find(nodes.select.from.get());
    return join != nodes.joins.end() && join->second->merges;
  }

  Status NoteSkips(const SelectNodes& nodes, size_t source) {
    skips_ = false;
    if (nodes.scans[source] == nullptr) return Status::Ok();
    ASSIGN_OR_RETURN(const ScanRun run, PlanScanRun(context_, *nodes.scans[source]));
    skips_ = run.skips;
    return Status::Ok();
  }

  // Joins that leave all rows of the left side alone.
  static bool KeepsRows(const bind::FromNode& node) {
    return node.is_leaf() || (node.type == bind::JoinType::kLeft && KeepsRows(*node.left));
  }

  // What is asked of a scan.
  struct Wanted {
    int64_t rows = -1;                                       // -1: all
    bool first = false;                                      // by LIMIT or OFFSET
    bool later = false;                                      // by OFFSET
    const std::vector<bind::ExprPtr>* conditions = nullptr;  // of ON, before the join
  };

  // Conditions on the rows of a subquery that are decided behind it.
  void ClientFilter(const SelectNodes& nodes, size_t source, const std::string& indent) {
    std::vector<std::string> conditions;
    for (const bind::Conjunct* condition : nodes.derived[source]->conditions) {
      conditions.push_back(FilterText(nodes, source, *condition->expr));
    }
    if (conditions.empty()) return;
    const std::string all = fmt::format("{}", fmt::join(conditions, " AND "));
    Add(indent, fmt::format(fmt::runtime(conditions.size() > 1 ? "CLIENT FILTER BY ({}){}"
                                                               : "CLIENT FILTER BY {}{}"),
                            all, Did(nodes.derived[source], StepKind::kFilter)));
  }

  // A scan knows its own columns without the table's alias.
  static std::string FilterText(const SelectNodes& nodes, size_t source, const bind::Expr& filter) {
    const std::string text = ToText(filter);
    const std::string& alias = nodes.select.sources[source].alias;
    if (alias.empty()) return text;
    std::string without;
    bool quoted = false;
    for (size_t i = 0; i < text.size();) {
      const bool inside = i > 0 && (std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0 ||
                                    text[i - 1] == '_' || text[i - 1] == '.');
      if (!quoted && !inside && text.compare(i, alias.size(), alias) == 0 &&
          text.compare(i + alias.size(), 1, ".") == 0) {
        i += alias.size() + 1;
        continue;
      }
      quoted ^= text[i] == '\'';
      without += text[i++];
    }
    return without;
  }

  // The original calls a skip scan whose first column may be anything a full one.
  static bool SkipsAllOver(const catalog::TableMeta& table, const plan::KeyTermPlan& keys) {
    return !IsScannedInParts(table) && keys.slots.front().ranges.front().IsEverything();
  }
  // A condition on a later column of the key makes ranges of the buckets, though of nothing else.
  // Of a local index its number does, which its keys begin with.
  static bool ReadsPart(const catalog::TableMeta& table, const plan::KeyTermPlan& keys) {
    return table.is_local_index() || (table.is_salted() && keys.slots.empty() && keys.has_ranges);
  }
  // Its rows come from several scans, each of which has its own in order.
  static bool IsScannedInParts(const catalog::TableMeta& table) {
    return table.is_salted() || table.is_local_index();
  }
  static std::string ReadName(const catalog::TableMeta& table) {
    const std::string physical = table.physical.ToString();
    return table.is_local_index() ? fmt::format("{}({})", table.FullName(), physical) : physical;
  }
  // The number of a local index, counted from 1 as the original shows it.
  static std::string NumberText(const catalog::TableMeta& table) {
    if (!table.is_local_index()) return "";
    const bool is_short = table.view_index_id_type == TypeId::kSmallint;
    const int64_t least =
        is_short ? std::numeric_limits<int16_t>::min() : std::numeric_limits<int64_t>::min();
    return std::to_string(*table.view_index_id - least + 1);
  }

  // Phoenix scans whole buckets for as many rows as each of them may have to give.
  int64_t RowsOfBuckets(const SelectNodes& nodes, const catalog::TableMeta& table,
                        int64_t rows) const {
    return KeyOrdered(nodes) || nodes.select.distinct
               ? rows * std::max<int64_t>(1, table.salt_buckets)
               : rows;
  }

  Status Scan(const SelectNodes& nodes, size_t source, Wanted wanted, const std::string& indent) {
    const int64_t limit = wanted.rows;
    const bind::BoundSelect& select = nodes.select;
    ASSIGN_OR_RETURN(ScanRun run, PlanScanRun(context_, *nodes.scans[source]));
    const catalog::TableMeta& table = *run.spec->table;
    degenerate_ = select.never || run.keys.scan.kind == KeyScan::Kind::kDegenerate;
    if (degenerate_) {
      Add(indent, fmt::format("DEGENERATE SCAN OVER {}",
                              table.is_view() ? table.FullName() : ReadName(table)));
      return Status::Ok();
    }
    const bool points = run.keys.scan.kind == KeyScan::Kind::kPoints;
    const bool merged = Merges(nodes);
    const bool leftmost = source == LeftmostSource(select);
    const bool any_order =
        (select.order.empty() && !select.aggregated && !select.distinct && !merged) ||
        (!leftmost && !merged);
    // Where Phoenix's servers delete the rows, it does not matter in which order they come.
    const bool on_servers = write_ == plan::WriteWay::kFoundKeys && lines_.empty();
    const bool one_order = any_order || (KeyOrdered(nodes) && !IsScannedInParts(table));
    const bool serial = (wanted.first && one_order && (run.filter == nullptr || wanted.later)) ||
                        (select.aggregated && select.groups.empty() &&
                         plan::HasHint(select, "SERIAL") && select.sources.size() == 1);
    std::string scan_text;
    switch (run.keys.scan.kind) {
      case KeyScan::Kind::kPoints: {
        const size_t count = run.keys.scan.points.size();
        scan_text = fmt::format("POINT LOOKUP ON {} KEY{}", count, count == 1 ? "" : "S");
        break;
      }
      case KeyScan::Kind::kSkip:
        scan_text = SkipsAllOver(table, run.keys) ? "FULL SCAN"
                                                  : SkipText(table.key_schema, run.keys.slots);
        break;
      case KeyScan::Kind::kRange: scan_text = "RANGE SCAN"; break;
      default: scan_text = ReadsPart(table, run.keys) ? "RANGE SCAN" : "FULL SCAN";
    }
    const bool ranges = !points && scan_text != "FULL SCAN";
    const bool first_groups =
        select.distinct && !select.aggregated && JumpsOverGroups(nodes, VisibleOutputs(select));
    const bool first_rows = limit >= 0 && run.filter == nullptr && !select.aggregated &&
                            (!select.distinct || first_groups) &&
                            (select.order.empty() || KeyOrdered(nodes));
    std::string estimate;
    if (points || first_rows) {
      const auto rows = points ? static_cast<int64_t>(run.keys.scan.points.size())
                               : RowsOfBuckets(nodes, table, limit);
      const int64_t bytes = rows * EstimatedRowBytes(table);
      estimate = fmt::format(" {} ROWS {} BYTES", rows, bytes);
      if (select.sources.size() == 1 && (indent.empty() || estimates_))
        estimate_ = {rows, bytes, 0};
    }
    size_t chunks = CountRegions(run);
    // The scans of a way run one after the other: a bucket is one, unless rows are sorted behind.
    size_t ways = std::max<size_t>(1, table.salt_buckets);
    if (points) ways = table.is_salted() ? chunks : 1;
    if (!points && !first_rows) {
      ASSIGN_OR_RETURN(const auto counted, CountGuidePosts(*nodes.scans[source], run));
      if (counted.has_value()) {
        chunks += counted->cuts;
        estimate = fmt::format(" {} ROWS {} BYTES", counted->total.rows, counted->total.bytes);
        if (select.sources.size() == 1 && (indent.empty() || estimates_))
          estimate_ = counted->total;
      }
    }
    if (leftmost && !merged && !ComesByKey(nodes)) ways = chunks;
    Add(indent,
        fmt::format("CLIENT {}-CHUNK{} {} {}-WAY {}{}{}{}{}{} OVER {}{}{}", chunks, estimate,
                    serial ? "SERIAL" : "PARALLEL", ways, SampleText(run.spec->sample_percent),
                    any_order && !on_servers ? "ROUND ROBIN " : "", ConsistencyText(table),
                    plan::HasHint(select, "SMALL") ? "SMALL " : "",
                    IsReversed(nodes) ? "REVERSE " : "", scan_text, ReadName(table),
                    ranges ? RangeText(table.key_schema, run.keys.slots, NumberText(table)) : "",
                    Did(nodes.scans[source])));
    const TimeRange& time = run.keys.scan.time_range;
    if (!time.all()) {
      Add(indent, fmt::format("{}ROW TIMESTAMP FILTER [{}, {})", kIndent, time.min, time.max));
    }
    const plan::IndexedTable* const indexed = nodes.scans[source]->indexed.get();
    if (indexed != nullptr && !indexed->columns.empty()) {
      AddStep(indent, fmt::format("MERGE {}{}", MergeText(select, *indexed),
                                  Did(nodes.scans[source], StepKind::kMerge)));
    }
    all_count_ = run.filter == nullptr && run.spec->sample_percent >= 100 && !points &&
                 !nodes.scans[source]->merges() && select.sources.size() == 1;
    const bool keys_only = ReadsKeysOnly(run.spec->columns);
    std::string filter;
    if (keys_only) filter = "FIRST KEY ONLY";
    std::string left;  // that a remote store does not check
    if (run.spec->remote) {
      for (const bind::ExprPtr& condition : run.shown_carried) {
        filter += (filter.empty() ? "" : " AND ") + FilterText(nodes, source, *condition);
      }
      for (const bind::ExprPtr& condition : run.shown_left) {
        left += (left.empty() ? "" : " AND ") + FilterText(nodes, source, *condition);
      }
    } else if (run.shown_filter != nullptr) {
      filter += (filter.empty() ? "" : " AND ") + FilterText(nodes, source, *run.shown_filter);
    }
    if (wanted.conditions != nullptr) {
      std::string& checked = remote_ ? left : filter;
      for (const bind::ExprPtr& condition : *wanted.conditions) {
        checked += (checked.empty() ? "" : " AND ") + FilterText(nodes, source, *condition);
      }
    }
    if (!filter.empty()) {
      Add(indent, fmt::format("{}SERVER FILTER BY {}{}", kIndent, filter,
                              Did(nodes.scans[source], StepKind::kFilter)));
    }
    if (!left.empty()) Add(indent, fmt::format("{}CLIENT FILTER BY {}", kIndent, left));
    if (ProjectsElements(select)) {
      AddStep(indent, "ARRAY ELEMENT PROJECTION");
    }
    if (const Step* step = Find(nodes.scans[source], StepKind::kRows); step != nullptr) {
      for (const std::string& line : step->ScanTexts()) Add(indent, std::string(kIndent) + line);
    }
    return Status::Ok();
  }

  static size_t LeftmostSource(const bind::BoundSelect& select) {
    const bind::FromNode* leaf = select.from.get();
    while (!leaf->is_leaf()) leaf = leaf->left.get();
    return static_cast<size_t>(leaf->source);
  }

  static std::string SampleText(double percent) {
    return percent < 100 ? fmt::format("{}-SAMPLED ", percent / 100) : "";
  }

  // Elements of arrays alone are asked for, of columns that are not keys.
  static bool ProjectsElements(const bind::BoundSelect& select) {
    if (select.aggregated || select.distinct || select.sources.size() != 1) return false;
    bool elements = false;
    for (size_t i = 0; i < select.visible_outputs; ++i) {
      const bind::Expr& expr = *select.outputs[i].expr;
      if (expr.kind != BoundKind::kFunction || expr.function->name != "ARRAY_ELEM") continue;
      const bind::Expr& array = *expr.children[0];
      if (array.kind != BoundKind::kSlot) continue;
      const bind::Slot& slot = select.slots[array.slot];
      const catalog::TableMeta* const table = select.sources[slot.source].table.get();
      if (table == nullptr || bind::Scope::IsPseudoColumn(slot.column)) continue;
      elements |= !table->columns[slot.column].is_key();
    }
    return elements;
  }

  static std::vector<bind::ExprPtr> VisibleOutputs(const bind::BoundSelect& select) {
    std::vector<bind::ExprPtr> groups;
    for (size_t i = 0; i < select.visible_outputs; ++i) groups.push_back(select.outputs[i].expr);
    return groups;
  }
  std::string_view ConsistencyText(const catalog::TableMeta& table) const {
    const bool timeline = context_->options().consistency == Consistency::kTimeline;
    return timeline && !table.is_system() ? "TIMELINE-CONSISTENCY " : "";
  }
  // The scan goes backwards, or the groups come in the opposite of their own order.
  bool IsReversed(const SelectNodes& nodes) const {
    if (skips_) return false;
    if (nodes.groups != nullptr) return nodes.groups->in_wanted_order && nodes.groups->backward;
    const ScanNode* const scan = nodes.sort == nullptr ? nullptr : nodes.sort->scan;
    return scan != nullptr && scan->direction == KeyDirection::kBackward;
  }
  // Rows, or groups, are not sorted behind the scan.
  bool ComesByKey(const SelectNodes& nodes) const {
    const bind::BoundSelect& select = nodes.select;
    if (!select.groups.empty()) return bind::GroupsByKey(select, select.groups);
    if (select.distinct) return bind::GroupsByKey(select, VisibleOutputs(select));
    return select.order.empty() || KeyOrdered(nodes);
  }
  // The scan gives its rows in the order that is asked for.
  bool KeyOrdered(const SelectNodes& nodes) const {
    const ScanNode* const scan = nodes.sort == nullptr ? nullptr : nodes.sort->scan;
    return scan != nullptr && !(scan->direction == KeyDirection::kBackward && skips_);
  }
  // The groups come in the order that is asked for.
  bool ComesInOrder(const SelectNodes& nodes) const {
    const AggregateNode* const groups = nodes.groups != nullptr ? nodes.groups : nodes.distinct;
    return groups != nullptr && groups->in_wanted_order && !(groups->backward && skips_);
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

  // How many regions of the table the keys or the ranges of the scan lie in.
  static size_t CountRegions(const ScanRun& run) {
    const KeyScan& keys = run.keys.scan;
    const std::vector<RegionInfo> regions = run.spec->data->regions();
    return static_cast<size_t>(std::ranges::count_if(regions, [&](const RegionInfo& region) {
      const auto reaches = [&](const RowRange& range) {
        return (range.stop.empty() || region.start_key < range.stop) &&
               (region.end_key.empty() || range.start < region.end_key);
      };
      const auto has = [&](const Bytes& key) { return region.Contains(key); };
      return keys.kind == KeyScan::Kind::kPoints ? std::ranges::any_of(keys.points, has)
                                                 : std::ranges::any_of(keys.ranges, reaches);
    }));
  }

  // What the guide posts say of the scan. Nothing: there are none.
  static Result<std::optional<Counted>> CountGuidePosts(const ScanNode& source,
                                                        const ScanRun& run) {
    std::optional<Counted> counted;
    if (source.guide_posts == nullptr) return counted;
    ASSIGN_OR_RETURN(const auto posts, source.guide_posts->Get());
    if (posts->empty()) return counted;
    counted.emplace();
    counted->total.info_millis = posts->front().millis;
    const bool salted = source.table->is_salted();
    std::vector<bool> behind(run.keys.scan.ranges.size());
    for (const catalog::GuidePost& post : *posts) {
      bool counts = post.key.empty();
      for (size_t i = 0; i < run.keys.scan.ranges.size(); ++i) {
        const RowRange& range = run.keys.scan.ranges[i];
        if (post.key.empty() || post.key < range.start) continue;
        if (!range.stop.empty() && post.key >= range.stop) {
          // Of a bucket the one behind the range counts, too, which holds the end of it.
          const bool same = salted && !range.start.empty() && post.key[0] == range.start[0];
          if (same && !behind[i]) counts = behind[i] = true;
          continue;
        }
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

  static std::string MergeText(const bind::BoundSelect& select, const plan::IndexedTable& indexed) {
    std::vector<std::string> names;
    for (const ScanColumn& read : indexed.columns) {
      const auto& column = indexed.table->columns[select.slots[read.output].table_column];
      names.push_back(column.family + "." + column.name);
    }
    return fmt::format("[{}]", fmt::join(names, ", "));
  }

  static std::string OrderText(const bind::BoundSelect& select) {
    std::vector<std::string> parts;
    for (const bind::OrderField& field : select.order) {
      parts.push_back(ToText(*select.outputs[field.output].expr) +
                      (field.descending ? " DESC" : "") + (field.nulls_last ? " NULLS LAST" : ""));
    }
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }

  // In the order in which they make a key.
  static std::string GroupsText(const bind::BoundSelect& select,
                                const std::vector<bind::ExprPtr>& groups) {
    std::vector<std::string> texts;
    for (uint32_t i : bind::OrderOfGroups(select, groups)) texts.push_back(ToText(*groups[i]));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  // Rows of one group are jumped over: the groups are the first columns of the key, not all of it,
  // and nothing else is read.
  static bool JumpsOverGroups(const SelectNodes& nodes, const std::vector<bind::ExprPtr>& groups) {
    const bind::BoundSelect& select = nodes.select;
    if (select.sources.size() != 1 || !bind::GroupsByKey(select, groups)) return false;
    const ScanNode& source = *nodes.scans[0];
    if (!ReadsKeysOnly(source.columns)) return false;
    if (source.indexed != nullptr && !source.indexed->columns.empty()) return false;
    uint32_t last = 0;
    for (const bind::ExprPtr& group : groups) {
      const std::optional<bind::KeyOrder> order = bind::KeyOrderOf(select, *group);
      last = std::max(last, order->key_column);
    }
    return last + 1 < source.schema->column_count();
  }

  static bool ReadsKeysOnly(const std::vector<ScanColumn>& columns) {
    return std::all_of(columns.begin(), columns.end(), [](const ScanColumn& column) {
      return column.source == ScanColumn::Source::kKey ||
             column.source == ScanColumn::Source::kRowKey;
    });
  }

  // 'limit': how many of the rows are wanted, -1 for all.
  void Groups(const SelectNodes& nodes, const std::vector<bind::ExprPtr>& groups,
              const std::string& indent, bool distinct, int64_t limit) {
    const bind::BoundSelect& select = nodes.select;
    const bool ordered = bind::GroupsByKey(select, groups);
    const std::string list = GroupsText(select, groups);
    // Servers of a cluster do not jump over the rows of a group.
    if (distinct && !remote_ && JumpsOverGroups(nodes, groups)) {
      Add(indent, fmt::format("{}SERVER DISTINCT PREFIX FILTER OVER {}", kIndent, list));
      if (limit >= 0) Add(indent, fmt::format("{}SERVER {} ROW LIMIT", kIndent, limit));
    }
    const bool stops = limit >= 0 && select.having.empty() && ComesInOrder(nodes) &&
                       (ordered || select.aggregates.empty());
    AddStep(indent,
            fmt::format("AGGREGATE INTO {}DISTINCT ROWS BY {}{}{}", ordered ? "ORDERED " : "", list,
                        stops ? fmt::format(" LIMIT {} GROUPS", limit) : "",
                        Did(distinct ? nodes.distinct : nodes.groups)));
    const bool in_parts = nodes.scans[0] != nullptr && IsScannedInParts(*nodes.scans[0]->table);
    if (!ordered || in_parts) Add(indent, "CLIENT MERGE SORT");
  }

  void ServerSteps(const SelectNodes& nodes, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = nodes.select;
    if (select.aggregated) {
      if (select.groups.empty()) {
        const bool one = select.aggregates.size() == 1 && select.sources.size() == 1;
        if (one && !remote_ && select.aggregates[0]->kind == AggregateKind::kCountDistinct &&
            JumpsOverGroups(nodes, select.aggregates[0]->arguments)) {
          Add(indent, fmt::format("{}SERVER DISTINCT PREFIX FILTER OVER {}", kIndent,
                                  GroupsText(select, select.aggregates[0]->arguments)));
        }
        const std::string text = "AGGREGATE INTO SINGLE ROW" + Did(nodes.groups);
        const bool counted = remote_ && AggregatesAtServers(context_, *nodes.groups);
        counted ? AddOfServers(indent, text) : AddStep(indent, text);
      } else {
        Groups(nodes, select.groups, indent, false, limit >= 0 ? limit + offset : -1);
      }
      return;
    }
    if (select.distinct) {
      Groups(nodes, VisibleOutputs(select), indent, true, limit >= 0 ? limit + offset : -1);
      return;
    }
    if (!select.order.empty() && !KeyOrdered(nodes)) {
      const std::string sorted =
          limit >= 0 ? fmt::format("TOP {} ROWS SORTED BY {}", limit + offset, OrderText(select))
                     : fmt::format("SORTED BY {}", OrderText(select));
      AddStep(indent, sorted + Did(nodes.sort));
      Add(indent, "CLIENT MERGE SORT");
      return;
    }
    const bool in_parts = nodes.scans[0] != nullptr && IsScannedInParts(*nodes.scans[0]->table);
    // What to pass over is known once the parts are merged.
    const bool merges = KeyOrdered(nodes) && in_parts;
    if (offset > 0 && !merges && !remote_) {
      AddOfServers(indent, fmt::format("OFFSET {}", offset));
    }
    if (limit >= 0 && LimitsAtServers()) {
      AddOfServers(indent, fmt::format("{} ROW LIMIT", limit + offset));
    }
    if (merges) Add(indent, "CLIENT MERGE SORT");
    if (offset > 0 && (merges || remote_)) Add(indent, fmt::format("CLIENT OFFSET {}", offset));
  }
  // A scan of a cluster ends behind so many rows where all that it gives count.
  bool LimitsAtServers() const { return !remote_ || all_count_; }

  // A side of a join by merging, brought into the order of 'keys' (none: it is not sorted).
  Status MergedSide(const SelectNodes& nodes, const bind::FromNode& node,
                    const std::vector<bind::ExprPtr>& keys, const std::string& indent) {
    std::vector<std::string> texts;
    for (const bind::ExprPtr& key : keys) texts.push_back(KeyText(nodes.select, *key));
    const std::string sorted = fmt::format("SORTED BY [{}]", fmt::join(texts, ", "));
    if (node.is_leaf()) {
      const auto source = static_cast<size_t>(node.source);
      if (nodes.derived[source] != nullptr) {
        return Query(*nodes.derived[source]->query, indent);
      }
      RETURN_IF_ERROR(Scan(nodes, source, Wanted(), indent));
      if (keys.empty()) return Status::Ok();
      if (nodes.scans[source]->direction == KeyDirection::kForward) {
        if (IsScannedInParts(*nodes.scans[source]->table)) Add(indent, "CLIENT MERGE SORT");
        return Status::Ok();
      }
      AddStep(indent, sorted);
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
    Add(indent, fmt::format("SORT-MERGE-JOIN ({}) TABLES{}", JoinName(node), JoinDid(nodes, node)));
    RETURN_IF_ERROR(MergedSide(nodes, *node.left, left, inner));
    const bool match_only =
        node.type == bind::JoinType::kSemi || node.type == bind::JoinType::kAnti;
    const bool skips = match_only || !GivesColumns(nodes, *node.right);
    Add(indent, skips ? "AND (SKIP MERGE)" : "AND");
    RETURN_IF_ERROR(MergedSide(nodes, *node.right, right, inner));
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
  Status Joins(const SelectNodes& nodes, const bind::FromNode& node, const std::string& indent,
               int* table, std::vector<std::string>* filters) {
    if (node.is_leaf()) return Status::Ok();
    RETURN_IF_ERROR(Joins(nodes, *node.left, indent, table, filters));
    const std::string_view kind = JoinName(node);
    const bool match_only =
        node.type == bind::JoinType::kSemi || node.type == bind::JoinType::kAnti;
    size_t key_columns = 0;
    const bool delayed = IsDelayed(nodes.select, node);
    const bool filters_keys =
        !delayed && !plan::HasHint(nodes.select, "NO_CHILD_PARENT_JOIN_OPTIMIZATION");
    const std::string filter = filters_keys ? KeyFilter(nodes.select, node, &key_columns) : "";
    if (!filter.empty()) filters->push_back(filter);
    if (node.type == bind::JoinType::kSemi && key_columns == node.keys.size()) {
      Add(indent,
          fmt::format("{}SKIP-SCAN-JOIN TABLE {}{}", kIndent, (*table)++, JoinDid(nodes, node)));
    } else {
      const bool skips = match_only || !GivesColumns(nodes, *node.right);
      Add(indent, fmt::format("{}PARALLEL {}-JOIN TABLE {}{}{}{}", kIndent, kind, (*table)++,
                              delayed ? "(DELAYED EVALUATION)" : "", skips ? " (SKIP MERGE)" : "",
                              JoinDid(nodes, node)));
    }
    const std::string inner = indent + std::string(kIndent) + std::string(kIndent);
    if (!node.right->is_leaf()) return Joins(nodes, *node.right, inner, table, filters);
    const auto source = static_cast<size_t>(node.right->source);
    if (nodes.derived[source] != nullptr) {
      return Query(*nodes.derived[source]->query, inner);
    }
    Wanted wanted;
    wanted.conditions = &node.right_filter;
    return Scan(nodes, source, wanted, inner);
  }

  // Asks another one of the joined tables than the first for its key.
  static bool IsDelayed(const bind::BoundSelect& select, const bind::FromNode& node) {
    const size_t first = LeftmostSource(select);
    std::vector<size_t> slots;
    for (const bind::JoinKey& key : node.keys) CollectSlots(*key.left, &slots);
    return std::any_of(slots.begin(), slots.end(),
                       [&](size_t slot) { return select.slots[slot].source != first; });
  }

  // Something above the join is made of its right side's columns.
  static bool GivesColumns(const SelectNodes& nodes, const bind::FromNode& right) {
    if (!right.is_leaf()) return true;
    const bind::BoundSelect& select = nodes.select;
    std::vector<size_t> slots;
    const auto collect = [&](const std::vector<bind::ExprPtr>& expressions) {
      for (const bind::ExprPtr& expr : expressions) CollectSlots(*expr, &slots);
    };
    if (select.aggregated) {
      collect(select.groups);
      for (const bind::AggregatePtr& aggregate : select.aggregates) collect(aggregate->arguments);
    } else {
      for (const bind::Output& output : select.outputs) CollectSlots(*output.expr, &slots);
    }
    if (nodes.late_filter != nullptr) CollectSlots(*nodes.late_filter->condition, &slots);
    CollectKeySlots(*select.from, &slots);
    return std::any_of(slots.begin(), slots.end(), [&](size_t slot) {
      return slot < select.slots.size() &&
             static_cast<int32_t>(select.slots[slot].source) == right.source;
    });
  }
  static void CollectKeySlots(const bind::FromNode& node, std::vector<size_t>* slots) {
    if (node.is_leaf()) return;
    for (const bind::JoinKey& key : node.keys) CollectSlots(*key.left, slots);
    CollectKeySlots(*node.left, slots);
    CollectKeySlots(*node.right, slots);
  }

  static std::string KeyText(const bind::BoundSelect& select, const bind::Expr& expr) {
    const bool hidden =
        expr.kind == BoundKind::kSlot && select.sources[select.slots[expr.slot].source].hidden;
    return hidden ? "$1.$2" : ToText(expr);
  }

  // By the name that the index has for it.
  static std::string IndexKeyText(const bind::BoundSelect& select, const bind::Slot& slot) {
    const bind::Source& source = select.sources[slot.source];
    const catalog::ColumnMeta& column = source.table->columns[slot.column];
    const std::string text =
        fmt::format("\"{}.{}\"", source.has_alias ? source.alias : source.table->name, column.name);
    return slot.type.id == column.type.id ? text
                                          : fmt::format("TO_{}({})", TypeName(slot.type.id), text);
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
        left.push_back(source.access != nullptr ? IndexKeyText(select, slot)
                                                : KeyText(select, *key.left));
        const TypeId type = key.left->type.id;
        const std::string value = KeyText(select, *key.right);
        right.push_back(
            type == key.right->type.id ? value : fmt::format("TO_{}({})", TypeName(type), value));
        found = true;
        break;
      }
    }
    *key_columns = left.size();
    if (left.empty()) return "";
    if (left.size() == 1) return fmt::format("{} IN ({})", left[0], right[0]);
    return fmt::format("({}) IN (({}))", fmt::join(left, ", "), fmt::join(right, ", "));
  }

  // Rows that come to the client as they are: those of a subquery or of a join by merging.
  void RowsOfClient(const SelectNodes& nodes, int64_t limit, int64_t offset,
                    const std::string& indent) {
    const bind::BoundSelect& select = nodes.select;
    if (select.aggregated && select.groups.empty()) {
      Add(indent, "CLIENT AGGREGATE INTO SINGLE ROW" + Did(nodes.groups));
    } else if (select.aggregated || select.distinct) {
      const bool distinct = !select.aggregated;
      const std::string groups =
          GroupsText(select, distinct ? VisibleOutputs(select) : select.groups);
      const bool ordered = groups == JoinOrder(select);
      if (!ordered && !plan::HasHint(select, "HASH_AGGREGATE")) {
        Add(indent, "CLIENT SORTED BY " + groups);
      }
      Add(indent,
          fmt::format("CLIENT AGGREGATE INTO {}DISTINCT ROWS BY {}{}", ordered ? "ORDERED " : "",
                      groups, Did(distinct ? nodes.distinct : nodes.groups)));
    }
    Having(nodes, indent);
    const bool grouped = select.aggregated || select.distinct;
    const bool in_order = grouped ? ComesInOrder(nodes) : OrderText(select) == JoinOrder(select);
    const bool sorts = !select.order.empty() && !in_order;
    if (sorts) SortedByClient(nodes, limit, offset, indent);
    if (offset > 0) Add(indent, fmt::format("CLIENT OFFSET {}", offset));
    if (limit >= 0 && (!sorts || offset > 0)) AddLimit(limit, indent);
  }

  // What a join by merging has put its rows in order by, of the side that is named in the query.
  std::string JoinOrder(const bind::BoundSelect& select) const {
    if (select.from->is_leaf()) return "";
    std::vector<std::string> left;
    std::vector<std::string> right;
    for (const bind::JoinKey& key : select.from->keys) {
      left.push_back(KeyText(select, *key.left));
      right.push_back(KeyText(select, *key.right));
    }
    const std::string of_right = fmt::format("[{}]", fmt::join(right, ", "));
    const bool inner = select.from->type == bind::JoinType::kInner;
    const bool names_right =
        inner && ((!select.groups.empty() && GroupsText(select, select.groups) == of_right) ||
                  (!select.order.empty() && OrderText(select) == of_right));
    return names_right ? of_right : fmt::format("[{}]", fmt::join(left, ", "));
  }

  void Having(const SelectNodes& nodes, const std::string& indent) {
    std::vector<std::string> having;
    for (const bind::ExprPtr& expr : nodes.select.having) having.push_back(ToText(*expr));
    if (having.empty()) return;
    Add(indent,
        fmt::format("CLIENT FILTER BY {}{}", fmt::join(having, " AND "), Did(nodes.having)));
  }

  void SortedByClient(const SelectNodes& nodes, int64_t limit, int64_t offset,
                      const std::string& indent) {
    const std::string order = OrderText(nodes.select);
    const std::string sorted =
        limit >= 0 ? fmt::format("CLIENT TOP {} ROWS SORTED BY {}", limit + offset, order)
                   : fmt::format("CLIENT SORTED BY {}", order);
    Add(indent, sorted + Did(nodes.sort));
  }

  void AddLimit(int64_t limit, const std::string& indent) {
    Add(indent, fmt::format("CLIENT {} ROW LIMIT{}", limit, Did(at_hand_.limit)));
  }

  // Behind what the servers do.
  void ClientSteps(const SelectNodes& nodes, int64_t limit, int64_t offset,
                   const std::string& indent) {
    const bind::BoundSelect& select = nodes.select;
    Having(nodes, indent);
    const bool grouped = select.aggregated || select.distinct;
    if (grouped) {
      const bool sorts = !select.order.empty() && !ComesInOrder(nodes);
      if (sorts) SortedByClient(nodes, limit, offset, indent);
      if (offset > 0) Add(indent, fmt::format("CLIENT OFFSET {}", offset));
      if (limit >= 0 && (!sorts || offset > 0)) AddLimit(limit, indent);
      return;
    }
    if (!select.order.empty() && !KeyOrdered(nodes)) {
      if (offset > 0) Add(indent, fmt::format("CLIENT OFFSET {}", offset));
      if (limit >= 0) {
        Add(indent, fmt::format("CLIENT LIMIT {}{}", limit, Did(at_hand_.limit)));
      }
      return;
    }
    if (limit >= 0) AddLimit(limit, indent);
  }

  ExecContext* const context_;
  const bool remote_;  // the store is a cluster
  AtHand at_hand_;
  size_t sequences_ = 0;
  std::optional<plan::WriteWay> write_;
  std::vector<PlanLine> lines_;
  bool degenerate_ = false;
  bool all_count_ = false;  // nothing that the last scan gives is left out behind it
  bool skips_ = false;      // the first table of the SELECT at hand is read by a skip scan
  bool estimates_ = false;  // in a branch of the outermost UNION ALL
  std::optional<Estimate> estimate_;  // of the whole query
};

std::string_view WriteText(plan::WriteWay way) {
  switch (way) {
    case plan::WriteWay::kValues: return "PUT SINGLE ROW";
    case plan::WriteWay::kQueryRows: return "UPSERT SELECT";
    case plan::WriteWay::kNamedKeys: return "DELETE SINGLE ROW";
    // Phoenix's servers delete what no order and no count is asked of.
    case plan::WriteWay::kFoundKeys: return "DELETE ROWS SERVER SELECT";
    case plan::WriteWay::kFirstKeys:
    case plan::WriteWay::kSelectedKeys: return "DELETE ROWS CLIENT SELECT";
  }
  return "";
}

}  // namespace

void AddWriteLine(plan::WriteWay way, std::vector<PlanLine>* lines) {
  PlanLine line;
  if (!lines->empty()) {
    line = lines->front();
  } else if (!plan::ReadsRows(way)) {
    line.bytes = line.rows = line.info_millis = 0;
  }
  line.text = WriteText(way);
  lines->insert(lines->begin(), std::move(line));
}

Result<std::vector<PlanLine>> PhoenixPlan(const plan::Plan& plan, ExecContext* context) {
  PhoenixPrinter printer(context);
  RETURN_IF_ERROR(printer.Query(*plan.root, ""));
  for (const plan::SubqueryPlan& subquery : plan.subqueries) {
    RETURN_IF_ERROR(printer.Subquery(subquery));
  }
  std::vector<PlanLine> lines = printer.Take();
  if (!lines.empty() && !context->connection()->capabilities().snapshots) {
    PlanLine line = lines.front();
    line.text = "EACH REGION AS OF ITS OWN MOMENT";
    lines.push_back(std::move(line));
  }
  PlanLine last;
  last.rows = last.bytes = last.info_millis = 0;  // without a table
  if (!lines.empty()) last = lines.front();
  if (const size_t sequences = printer.sequences(); sequences > 0) {
    last.text = "CLIENT RESERVE VALUES FROM " + std::to_string(sequences) + " SEQUENCE" +
                (sequences > 1 ? "S" : "");
    lines.push_back(std::move(last));
  }
  if (std::optional<plan::WriteWay> way = printer.write(); way.has_value()) {
    const bool remote = context->connection()->capabilities().remote;
    if (remote && way == plan::WriteWay::kFoundKeys) way = plan::WriteWay::kSelectedKeys;
    AddWriteLine(*way, &lines);
  }
  return lines;
}

}  // namespace bennu::sql::exec
