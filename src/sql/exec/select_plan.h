// SelectPlan, QueryPlan: how a bound query is run. Made once for a prepared query; each run makes
// operators from it. Immutable, so any number of runs may share one.
#ifndef BENNU_SRC_SQL_EXEC_SELECT_PLAN_H_
#define BENNU_SRC_SQL_EXEC_SELECT_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/hash_aggregate.h"
#include "src/sql/exec/join_keys.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/query.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/exec/table_scan.h"
#include "src/sql/plan/key_terms.h"

namespace bennu::sql::exec {

class QueryPlan;
class SpillPartitions;
struct JoinBuild;
struct JoinSpec;

// What a scan should do beyond giving its rows.
struct ScanWishes {
  bool morsels = false;    // the operator above can work in parallel
  bool ordered = false;    // in key order
  bool reversed = false;   // in the opposite of it
  int64_t row_limit = -1;  // rows that are wanted at most
  // What joins above have found out about the row keys.
  std::vector<std::shared_ptr<const JoinKeyValues>> join_keys;
};

// Rows to come, from one operator or from several morsels: exactly one is set.
struct Input {
  std::unique_ptr<Operator> serial;
  std::unique_ptr<Morsels> parallel;
};

// One table (or derived table) of a FROM clause.
struct SourcePlan {
  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<const KeySchema> schema;  // the table's
  std::shared_ptr<Table> data;
  std::vector<ScanColumn> columns;
  std::unique_ptr<QueryPlan> derived;
  std::vector<int32_t> derived_slots;  // by column of the derived table; -1: not used
  std::vector<const bind::Conjunct*> conditions;
  plan::KeyTermOptions key_options;
  std::shared_ptr<catalog::LazyGuidePosts> guide_posts;  // null: the table does without them
};

// What a run reads of a table, once its operands are known.
struct SourceRun {
  std::shared_ptr<TableScanSpec> spec;
  bind::ExprPtr filter;        // what the scan's keys leave to check; null: nothing
  bind::ExprPtr shown_filter;  // what they leave to the original; for EXPLAIN
  plan::KeyTermPlan keys;
};

class SelectPlan {
 public:
  static Result<std::unique_ptr<SelectPlan>> Make(bind::BoundSelect select,
                                                  const PrepareContext& context);

  // Rows with the visible outputs, in the wanted order. 'row_limit': no more rows are needed.
  Result<std::unique_ptr<Operator>> Open(ExecContext* context, int64_t row_limit) const;

  const bind::BoundSelect& select() const { return select_; }
  const std::vector<SourcePlan>& sources() const { return sources_; }
  // The order of ORDER BY is that of the key, or its opposite.
  bool key_ordered() const { return key_ordered_; }
  bool key_reversed() const { return key_reversed_; }
  // ORDER BY is the order in which groups come out, or its opposite.
  bool OrdersByGroups(bool* reversed) const;
  // The groups' indexes in the order in which they make a key.
  const std::vector<uint32_t>& group_order() const { return group_order_; }
  // Conditions over several sources; null: none.
  const bind::ExprPtr& late_filter() const { return late_filter_; }
  const AggregateSpec& aggregate() const { return aggregate_; }
  // The join brings both sides into the order of its keys.
  bool Merges(const bind::FromNode& node) const;
  // A table that gives its rows in the order of 'keys': they are the first columns of its key.
  bool InKeyOrder(const bind::FromNode& node, const std::vector<bind::ExprPtr>& keys) const;

  Result<SourceRun> PlanSource(ExecContext* context, size_t source,
                               const ScanWishes& wishes = {}) const;

 private:
  explicit SelectPlan(bind::BoundSelect select) : select_(std::move(select)) {}

  Status PrepareSource(size_t source, const PrepareContext& context);
  Result<ScanColumn> MakeScanColumn(const SourcePlan& source, uint32_t slot,
                                    const PrepareContext& context) const;
  std::shared_ptr<catalog::LazyGuidePosts> GuidePostsOf(size_t index,
                                                        const PrepareContext& context) const;
  void MatchKeyOrder();
  void PrepareAggregates();
  std::vector<bind::ExprPtr> Groups() const;
  // Of groups of one, those that come first are the greatest.
  bool IsDescending(const bind::Expr& group) const;
  // True when the first groups that the scan finds are enough for LIMIT.
  bool TakesFirstGroups() const;
  Result<Input> OpenFrom(ExecContext* context, const bind::FromNode& node,
                         const ScanWishes& wishes) const;
  Result<Input> OpenJoin(ExecContext* context, const bind::FromNode& node,
                         const ScanWishes& wishes) const;
  Result<Input> OpenMergeJoin(ExecContext* context, const bind::FromNode& node) const;
  Result<std::unique_ptr<SpillPartitions>> BuildJoin(ExecContext* context,
                                                     const bind::FromNode& node, Operator* source,
                                                     const JoinBuild& build, JoinSpec* spec) const;
  std::unique_ptr<Operator> OpenSpilledJoin(ExecContext* context, std::unique_ptr<Operator> left,
                                            const std::shared_ptr<JoinSpec>& spec,
                                            const std::shared_ptr<JoinBuild>& build,
                                            std::unique_ptr<SpillPartitions> built,
                                            bool ordered) const;
  // Leaves out what SCAN_START_KEY() and SCAN_END_KEY() do.
  Status CutToSegment(ExecContext* context, KeyScan* keys) const;
  Status BeginBehindOffset(ExecContext* context, bool reversed, TableScanSpec* spec) const;
  Result<Input> OpenSource(ExecContext* context, size_t source, const ScanWishes& wishes) const;
  Result<Input> OpenRows(ExecContext* context, int64_t row_limit) const;
  void SlotsUnder(const bind::FromNode& node, std::vector<uint32_t>* slots,
                  std::vector<DataType>* types) const;
  bool Sorts() const { return !select_.order.empty() && !key_ordered_; }

  bind::BoundSelect select_;
  std::vector<SourcePlan> sources_;
  bind::ExprPtr late_filter_;  // conditions over more than one source
  bind::ExprPtr having_;
  AggregateSpec aggregate_;
  AggregateSpec distinct_;
  std::vector<uint32_t> group_order_;  // of groups, or of a DISTINCT's columns: the order of rows
  bool key_ordered_ = false;
  bool key_reversed_ = false;
  bool takes_first_groups_ = false;
};

class QueryPlan {
 public:
  static Result<std::unique_ptr<QueryPlan>> Make(std::unique_ptr<bind::BoundQuery> query,
                                                 const PrepareContext& context);
  Result<std::unique_ptr<Operator>> Open(ExecContext* context) const;

  const bind::BoundQuery& query() const { return *query_; }
  const std::vector<std::unique_ptr<SelectPlan>>& branches() const { return branches_; }
  // Values of LIMIT (-1: none) and OFFSET in this run.
  Result<int64_t> Limit(ExecContext* context) const;
  Result<int64_t> Offset(ExecContext* context) const;

 private:
  std::unique_ptr<bind::BoundQuery> query_;  // without its branches
  std::vector<std::unique_ptr<SelectPlan>> branches_;
};

// Puts an operator on top of either kind of input.
Input WrapInput(Input input, Wrap wrap);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SELECT_PLAN_H_
