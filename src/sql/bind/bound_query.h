// BoundQuery: a SELECT with every name and type resolved; what the binder hands to the planner.
//
// Expressions below the aggregation refer to slots (Scope), those above it to the group's columns:
// first the GROUP BY expressions, then the aggregates. ORDER BY refers to outputs, of which the
// ones behind the visible columns are there for ORDER BY alone. Plain data; moved, not copied.
#ifndef BENNU_SRC_SQL_BIND_BOUND_QUERY_H_
#define BENNU_SRC_SQL_BIND_BOUND_QUERY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/sql/bind/expr.h"
#include "src/sql/bind/key_term.h"
#include "src/sql/bind/scope.h"
#include "src/sql/bind/sequence_use.h"
#include "src/sql/parse/ast.h"
#include "src/sql/types/column_origin.h"
#include "src/sql/types/type.h"

namespace bennu::sql::bind {

struct BoundQuery;

// A part of WHERE (between its ANDs). 'source': the only source that it reads, when it may be
// applied right there, else -1 (after the joins). 'terms': what it says about that source's key, as
// indexes of its terms; when all of them are absorbed by a scan ('exact'), it needs no filter.
struct Conjunct {
  ExprPtr expr;
  int32_t source = -1;
  std::vector<uint32_t> terms;
  bool exact = false;
};

// The first three as written; a subquery of WHERE keeps the rows of the left side that have a match
// on the right one (kSemi) or have none (kAnti), and gives no columns.
enum class JoinType : uint8_t { kInner, kLeft, kFull, kSemi, kAnti };

struct JoinKey {
  ExprPtr left;   // over slots of the left side
  ExprPtr right;  // over slots of the right side, of a type comparable without conversion
  // A NULL matches a NULL, as in the ON of the original, which joins by the bytes of the key. An
  // equality of WHERE is never true of NULLs.
  bool matches_null = false;
};

// FROM as a tree: a leaf is a source, an inner node a join.
struct FromNode {
  int32_t source = -1;  // leaf
  JoinType type = JoinType::kInner;
  std::unique_ptr<FromNode> left;
  std::unique_ptr<FromNode> right;
  std::vector<JoinKey> keys;  // none: a cross product
  // Conditions of ON over the table that stands behind JOIN, applied before the join whatever its
  // type is, as in Phoenix. It is the left side where a RIGHT join was turned round.
  std::vector<ExprPtr> right_filter;
  std::vector<ExprPtr> left_filter;
  bool turned = false;
  bool first_match = false;   // rows of the right side with the same key count once
  bool single_match = false;  // error 215 when a row has more than one match

  bool is_leaf() const { return source >= 0; }
};

struct Output {
  ExprPtr expr;
  std::string label;
  DataType type;
  bool nullable = true;
  ColumnOrigin origin = {};
};

struct OrderField {
  uint32_t output = 0;
  bool descending = false;
  bool nulls_last = false;
};

// A subquery that does not depend on the rows around it. It is run once, before the query, for
// values that expressions know as parameters EvalContext::kSubqueryBase + 'first' and following.
enum class SubqueryKind : uint8_t {
  kExists,     // one BOOLEAN: whether it gives a row
  kSingleRow,  // its columns; NULLs when it gives no row; 215 for more than one
  kLeast,      // the lowest of its rows, NULLs left out; NULLs when there is none
  kGreatest,   // the highest one
};

struct Subquery {
  SubqueryKind kind = SubqueryKind::kExists;
  size_t first = 0;
  size_t value_count = 1;
  std::unique_ptr<BoundQuery> query;
};

struct BoundSelect {
  std::vector<parse::Hint> hints;
  std::vector<Source> sources;
  std::vector<Slot> slots;
  std::vector<std::unique_ptr<BoundQuery>> derived;  // by Source::derived_query
  std::unique_ptr<FromNode> from;                    // null: SELECT without FROM
  std::vector<Conjunct> where;
  bool never = false;                       // WHERE is false whatever the rows
  std::vector<std::vector<KeyTerm>> terms;  // by source
  std::vector<ExprPtr> operands;            // of all terms: expressions without columns

  // SCAN_START_KEY() = … and SCAN_END_KEY() = …: only rows from here on, and up to there, of the
  // first source. Null: not given. An empty value is no bound.
  ExprPtr segment_start;
  ExprPtr segment_stop;

  bool aggregated = false;  // GROUP BY or an aggregate: one row for each group
  std::vector<ExprPtr> groups;
  std::vector<AggregatePtr> aggregates;
  std::vector<ExprPtr> having;

  std::vector<Output> outputs;
  size_t visible_outputs = 0;
  bool distinct = false;
  std::vector<OrderField> order;
  bool limited = false;  // LIMIT: not all rows are wanted
  // OFFSET (key columns) = (…): values of the columns of the key of what is read, of the types that
  // they have outside of it, behind whose row the result begins. Empty: not given.
  std::vector<ExprPtr> offset_key;
  // 2014: OFFSET does not name the table's key; that of an index may be meant.
  Status offset_refused;

  // With sequences what is shown is computed last: 'shown' reads the visible outputs as its slots
  // and behind them the sequences. Both are empty when there are none.
  std::vector<SequenceUse> sequences;
  std::vector<Output> shown;
};

struct BoundQuery {
  std::vector<BoundSelect> branches;  // more than one: UNION ALL
  // Of a union: over the branches' columns. Of a single branch its own order is used.
  std::vector<OrderField> order;
  std::vector<Output> columns;  // without their expressions
  ExprPtr limit;                // null: none
  ExprPtr offset;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_BOUND_QUERY_H_
