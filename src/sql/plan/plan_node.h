// PlanNode: how a query is run, as a tree.
//
// The planner (planner.h) makes the tree once for a prepared query, and decides everything there
// that does not depend on the values of parameters: which joins are merged, what is sorted, in
// which direction tables are read, where reading may stop. Builders make operators from it for each
// run (sql/exec/plan_builder.h), and printers show it (sql/exec/phoenix_plan.h): they decide
// nothing again. Key ranges follow from the values of a run (sql/exec/scan_run.h).
//
// A new kind of node is a struct here, a Visit of PlanVisitor, and the Visit of each visitor, which
// the compiler asks for.
//
// Nodes refer to what was bound (BoundSelect), which the Plan keeps with the tree. Immutable once
// planned: any number of runs, on any threads, may share a tree.
#ifndef BENNU_SRC_SQL_PLAN_PLAN_NODE_H_
#define BENNU_SRC_SQL_PLAN_PLAN_NODE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/bind/index_access.h"
#include "src/sql/bind/key_points.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/plan/key_terms.h"
#include "src/sql/plan/scan_column.h"
#include "src/sql/plan/sort_field.h"

namespace bennu::sql::plan {

struct SingleRowNode;
struct EmptyNode;
struct ScanNode;
struct DerivedNode;
struct HashJoinNode;
struct MergeJoinNode;
struct FilterNode;
struct AggregateNode;
struct ProjectNode;
struct SortNode;
struct LimitNode;
struct UnionNode;
struct SequencesNode;
struct PointLookupNode;
struct KeyRangeNode;
struct WriteNode;
struct SelectNodes;

class PlanVisitor {
 public:
  virtual ~PlanVisitor() = default;
  virtual Status Visit(const SingleRowNode& node) = 0;
  virtual Status Visit(const EmptyNode& node) = 0;
  virtual Status Visit(const ScanNode& node) = 0;
  virtual Status Visit(const DerivedNode& node) = 0;
  virtual Status Visit(const HashJoinNode& node) = 0;
  virtual Status Visit(const MergeJoinNode& node) = 0;
  virtual Status Visit(const FilterNode& node) = 0;
  virtual Status Visit(const AggregateNode& node) = 0;
  virtual Status Visit(const ProjectNode& node) = 0;
  virtual Status Visit(const SortNode& node) = 0;
  virtual Status Visit(const LimitNode& node) = 0;
  virtual Status Visit(const UnionNode& node) = 0;
  virtual Status Visit(const SequencesNode& node) = 0;
  virtual Status Visit(const PointLookupNode& node) = 0;
  virtual Status Visit(const KeyRangeNode& node) = 0;
  virtual Status Visit(const WriteNode& node) = 0;
};

// One that looks at some kinds only; further kinds come to the default by themselves.
class DefaultVisitor : public PlanVisitor {
 public:
  virtual Status VisitOther() { return Status::Ok(); }
  Status Visit(const SingleRowNode& /*node*/) override { return VisitOther(); }
  Status Visit(const EmptyNode& /*node*/) override { return VisitOther(); }
  Status Visit(const ScanNode& /*node*/) override { return VisitOther(); }
  Status Visit(const DerivedNode& /*node*/) override { return VisitOther(); }
  Status Visit(const HashJoinNode& /*node*/) override { return VisitOther(); }
  Status Visit(const MergeJoinNode& /*node*/) override { return VisitOther(); }
  Status Visit(const FilterNode& /*node*/) override { return VisitOther(); }
  Status Visit(const AggregateNode& /*node*/) override { return VisitOther(); }
  Status Visit(const ProjectNode& /*node*/) override { return VisitOther(); }
  Status Visit(const SortNode& /*node*/) override { return VisitOther(); }
  Status Visit(const LimitNode& /*node*/) override { return VisitOther(); }
  Status Visit(const UnionNode& /*node*/) override { return VisitOther(); }
  Status Visit(const SequencesNode& /*node*/) override { return VisitOther(); }
  Status Visit(const PointLookupNode& /*node*/) override { return VisitOther(); }
  Status Visit(const KeyRangeNode& /*node*/) override { return VisitOther(); }
  Status Visit(const WriteNode& /*node*/) override { return VisitOther(); }
};

struct PlanNode {
  virtual ~PlanNode() = default;
  // Calls the visitor's Visit for the kind of node that this is.
  virtual Status Accept(PlanVisitor* visitor) const = 0;
};

using PlanNodePtr = std::unique_ptr<const PlanNode>;

// The Accept of a kind of node.
template <typename Node>
struct NodeOf : PlanNode {
  Status Accept(PlanVisitor* visitor) const override {
    return visitor->Visit(static_cast<const Node&>(*this));
  }
};

// ---- where rows come from. Their columns are the slots of one SELECT (exec/operator.h)

// One row without columns: SELECT without FROM.
struct SingleRowNode : NodeOf<SingleRowNode> {};

// No rows, since WHERE is false whatever they are. 'source' is what would have been read.
struct EmptyNode : NodeOf<EmptyNode> {
  PlanNodePtr source;
};

struct IndexDefinition;

// The table of an index that is read in its place.
struct IndexedTable {
  std::shared_ptr<const catalog::TableMeta> table;  // or view, as the query names it
  // Whose index it is: 'table', or what that was made over, which may have more rows and columns.
  std::shared_ptr<const catalog::TableMeta> owner;
  std::shared_ptr<Table> data;
  std::vector<bind::IndexAccess::TableKeyPart> table_key;  // by column of the table's key
  // Columns that the index lacks: they are looked up in the table, by the keys of its rows.
  std::vector<ScanColumn> columns;
  // Of an uncovered index, which does not say of its rows whether the table has them: what they are
  // held against. Null: there is no need to.
  std::shared_ptr<const IndexDefinition> definition;
  // As those of a Get: what is looked up beside 'columns', to see whether the table has the row.
  std::map<Bytes, std::set<Bytes>> index_columns;
  bool has_marks = false;  // rows of the index say whether they are verified
  // The slot in which the keys of the table's rows are wanted, for a DELETE; -1: nowhere.
  int32_t key_slot = -1;

  bool is_looked_up() const { return !columns.empty() || definition != nullptr; }
};

// In which order of its key a table is read.
enum class KeyDirection : uint8_t {
  kAny,
  kForward,
  kBackward,  // unless it would have to skip; exec/scan_run.h says what happens then
};

// A table of FROM, with the conditions that are about it alone.
struct ScanNode : NodeOf<ScanNode> {
  const bind::BoundSelect* select = nullptr;
  size_t source = 0;  // of the SELECT's sources
  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<const KeySchema> schema;  // the table's
  std::shared_ptr<Table> data;
  std::vector<ScanColumn> columns;
  std::shared_ptr<const IndexedTable> indexed;  // 'table' is an index of it; null: it is none
  std::vector<const bind::Conjunct*> conditions;
  KeyTermOptions key_options;
  std::shared_ptr<catalog::LazyGuidePosts> guide_posts;  // null: the table does without them
  KeyDirection direction = KeyDirection::kAny;
  bool parallel = false;      // what is above can work on parts of it at the same time
  bool cache_blocks = true;   // keep the blocks that are read in the cache
  bool is_segment = false;    // it is cut as SCAN_START_KEY() and SCAN_END_KEY() say
  bool skips_offset = false;  // it begins behind the key that OFFSET names

  // Rows are looked up in the table of the index that is scanned.
  bool merges() const { return indexed != nullptr && indexed->is_looked_up(); }
};

// A derived table: the rows of a query of its own.
struct DerivedNode : NodeOf<DerivedNode> {
  const bind::BoundSelect* select = nullptr;  // the one around it
  PlanNodePtr query;
  std::vector<int32_t> slots;  // by column of the query; -1: not used
  std::vector<const bind::Conjunct*> conditions;
  bind::ExprPtr filter;  // all of them; null: none
};

// What both kinds of joins have.
struct JoinNode {
  const bind::BoundSelect* select = nullptr;
  const bind::FromNode* join = nullptr;  // what is joined by what
  bool merges = false;                   // a MergeJoinNode
  PlanNodePtr left;
  PlanNodePtr right;
  bind::ExprPtr left_filter;  // conditions of ON on one side, before the join; null: none
  bind::ExprPtr right_filter;
  std::vector<uint32_t> left_slots, right_slots;  // what the sides fill in
  std::vector<DataType> left_types, right_types;  // of these slots
};

// The right side becomes a table in memory, which the left side probes.
struct HashJoinNode : NodeOf<HashJoinNode>, JoinNode {
  bool keeps_order = false;  // rows must come in the order of the left side
  bool finds_keys = false;   // few keys of the right side become look-ups in the left one
};

// Both sides are brought into the order of the join's keys.
struct MergeJoinNode : NodeOf<MergeJoinNode>, JoinNode {
  MergeJoinNode() { merges = true; }
  bool left_in_order = false;  // by its own key: it needs no sorting
  bool right_in_order = false;
};

// ---- what is done with rows

struct FilterNode : NodeOf<FilterNode> {
  PlanNodePtr child;
  bind::ExprPtr condition;
};

struct AggregateSpec {
  std::vector<bind::ExprPtr> groups;  // none: one row, even of no rows
  std::vector<bind::AggregatePtr> aggregates;
  // In which order groups come out, by group column; empty: any.
  std::vector<SortField> order;
  // One row of no groups comes out even of no input.
  bool single_row = false;
};

// GROUP BY, aggregates without groups, or DISTINCT. Output: the groups, then the aggregates.
struct AggregateNode : NodeOf<AggregateNode> {
  PlanNodePtr child;
  AggregateSpec spec;
  bool takes_first = false;  // as many groups as are wanted are enough: nothing is read behind them
  // ORDER BY is the order of the groups' values, or ('backward') the opposite of it.
  bool in_wanted_order = false;
  bool backward = false;
};

// The outputs of a SELECT: a column for each expression.
struct ProjectNode : NodeOf<ProjectNode> {
  const SelectNodes* nodes = nullptr;
  PlanNodePtr child;
  std::vector<bind::ExprPtr> expressions;
};

// ORDER BY. Of the rows' columns the first 'visible' are left.
struct SortNode : NodeOf<SortNode> {
  PlanNodePtr child;
  std::vector<SortField> fields;
  std::vector<DataType> types;
  size_t visible = 0;
  // The table whose key has the wanted order, or the opposite, and that is read in that direction:
  // nothing is sorted unless the scan has to skip (exec/scan_run.h). Null: there is none.
  const ScanNode* scan = nullptr;
};

// LIMIT and OFFSET. Null: not given.
struct LimitNode : NodeOf<LimitNode> {
  PlanNodePtr child;
  bind::ExprPtr limit;
  bind::ExprPtr offset;
};

// UNION ALL.
struct UnionNode : NodeOf<UnionNode> {
  std::vector<PlanNodePtr> children;
};

// Values of sequences, given out to the rows that are left, and what is shown of them.
struct SequencesNode : NodeOf<SequencesNode> {
  const bind::BoundSelect* select = nullptr;
  PlanNodePtr child;
  std::vector<bind::ExprPtr> shown;
};

// ---- short reads of prepared statements (short_read.h): at the top of a tree only

// What both kinds have. 'otherwise' is the same query for values that do not fit the key's columns
// exactly; the rest is taken from it.
struct ShortReadNode {
  PlanNodePtr otherwise;
  const bind::BoundSelect* select = nullptr;
  const ScanNode* scan = nullptr;
  std::vector<ScanColumn> columns;  // of the scan's those that are still looked at
  // What WHERE says beside the key's columns; null: nothing. Where rows are looked up in the table
  // of an index, that which needs only the index stands apart.
  bind::ExprPtr filter;
  bind::ExprPtr index_filter;
};

// SELECT … WHERE each key column = constant or parameter. Nothing is looked up elsewhere.
struct PointLookupNode : NodeOf<PointLookupNode>, ShortReadNode {
  std::vector<const BoundExpr*> key_operands;  // by key column
};

// SELECT … WHERE the first key columns = something and, perhaps, the next one lies between bounds.
// The rows of an index may be looked up in its table (ScanNode::merges).
struct KeyRangeNode : NodeOf<KeyRangeNode>, ShortReadNode {
  // One end of what the bounded column may be, in the order of its bytes.
  struct Bound {
    const BoundExpr* operand = nullptr;  // null: no bound
    bool inclusive = false;
  };
  std::vector<const BoundExpr*> equal;  // by key column, from the first on
  Bound lower, upper;                   // of the column behind those
  bind::ExprPtr limit;                  // a constant or a parameter; null: none
};

// ---- changes: at the top of a tree only

// How UPSERT and DELETE get at the rows that they write.
enum class WriteWay : uint8_t {
  kValues,     // UPSERT VALUES: the rows stand in the statement
  kQueryRows,  // UPSERT SELECT: the query below gives them
  kNamedKeys,  // DELETE: WHERE names whole keys, and nothing is read
  kFoundKeys,  // DELETE: the query below finds the keys, in any order
  kFirstKeys,  // DELETE with ORDER BY or LIMIT: the query below finds the first keys, in order
  // DELETE: as kFoundKeys, where Phoenix's servers cannot delete what they find, because an index
  // is read or there are subqueries.
  kSelectedKeys,
};

struct WriteSpec {
  WriteWay way = WriteWay::kValues;
  std::shared_ptr<const catalog::TableMeta> table;  // the one that is written to
  std::vector<uint32_t> columns;          // UPSERT: those of the table that get values, in order
  std::optional<bind::KeyPoints> points;  // kNamedKeys: the keys, by the values of a run
};

// UPSERT or DELETE. The session takes the rows of the child and writes them, since it knows what is
// pending. DELETE takes the key of each row as it is stored, in the only column.
struct WriteNode : NodeOf<WriteNode> {
  PlanNodePtr child;  // null for kValues and kNamedKeys, which read nothing
  WriteSpec spec;
};

// ---- a whole query

// One SELECT: what was bound, and the nodes that it became. Null: there is no such node.
struct SelectNodes {
  bind::BoundSelect select;
  std::vector<const ScanNode*> scans;       // by source
  std::vector<const DerivedNode*> derived;  // by source
  std::map<const bind::FromNode*, const JoinNode*> joins;
  const FilterNode* late_filter = nullptr;  // conditions over several sources
  const AggregateNode* groups = nullptr;
  const FilterNode* having = nullptr;
  const AggregateNode* distinct = nullptr;
  const SortNode* sort = nullptr;
};

// A subquery that does not depend on the rows around it; it is run first.
struct SubqueryPlan {
  bind::SubqueryKind kind = bind::SubqueryKind::kExists;
  PlanNodePtr root;
  std::vector<DataType> types;  // of the values that are taken from it
};

struct Plan {
  std::vector<SubqueryPlan> subqueries;  // each before those that need its values
  PlanNodePtr root;
  std::vector<bind::Output> columns;                  // labels and types
  std::vector<std::unique_ptr<SelectNodes>> selects;  // of all queries above, outer ones first
};

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_PLAN_NODE_H_
