// The binder of subqueries in conditions: IN, EXISTS, comparisons, ANY and ALL.
//
// As Phoenix does it: a subquery that stands for itself and gives one value is run before the query
// and its value used as a parameter. IN, and every subquery whose WHERE refers to the row around it
// (by equalities between its ANDs, nothing else), becomes a join with what the subquery gives for
// all rows at once: a semi or an anti join where the condition stands between the ANDs of WHERE,
// else a left join whose match is asked for. NULLs: as in ON, a NULL matches a NULL.
#ifndef BENNU_SRC_SQL_BIND_SUBQUERY_BINDER_H_
#define BENNU_SRC_SQL_BIND_SUBQUERY_BINDER_H_

#include <map>
#include <memory>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/from_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/bind/select_binder.h"

namespace bennu::sql::bind {

// True when the condition is made of a subquery, not only somewhere below.
bool IsSubqueryCondition(const parse::Expr& expr);

// For one SELECT. One thread; everything given must outlive it.
class SubqueryBinder : public SubqueryHandler {
 public:
  SubqueryBinder(const BindContext& context, Scope* scope, FromBinder* from, Parameters* parameters,
                 BoundSelect* result);

  // A part between the ANDs of WHERE for which IsSubqueryCondition. Gives what is left to check
  // after the joins; null: nothing. 215 is found when the query is run. 216: IN with another number
  // of columns.
  Result<ExprPtr> BindPart(const parse::Expr& part);

  Result<ExprPtr> BindInside(const parse::Expr& expr, const BindOperand& operand,
                             bool may_join) override;

 private:
  // How a condition stands.
  struct Use {
    const BindOperand* operand = nullptr;
    bool top = false;      // between the ANDs of WHERE
    bool may_join = true;  // below the aggregation
    bool negated = false;  // NOT EXISTS, NOT IN
  };

  struct MemberRules {
    bool negated = false;
    bool matches_null = false;  // NULL is the same as NULL
  };
  struct Membership {
    std::vector<ExprPtr> operands;  // what is looked for, a column of the subquery each
    uint32_t source = 0;
    size_t marker = 0;  // column that tells of a match, where 'use' is not the top of a condition
  };
  // Joins with the rows of the subquery that equal the first child of 'expr'.
  Result<Membership> JoinMembers(const parse::Expr& expr, const parse::Select& members,
                                 const MemberRules& rules, const Use& use);
  Result<ExprPtr> BindIn(const parse::Expr& expr, const Use& use);
  Result<ExprPtr> BindExists(const parse::Expr& expr, const Use& use);
  Result<ExprPtr> BindScalar(const parse::Expr& expr, const Use& use);
  Result<ExprPtr> BindQuantified(const parse::Expr& expr, const Use& use);
  Result<ExprPtr> BindMember(const parse::Expr& expr, const Use& use);
  Result<ExprPtr> BindNoMember(const parse::Expr& expr, const Use& use);
  // x op the least or greatest of the rows, or of both.
  Result<ExprPtr> BindExtremes(const parse::Expr& expr, const Use& use);
  Result<std::vector<ExprPtr>> Extreme(const parse::Expr& expr, bool greatest, const Use& use);

  // Values of a subquery that is run before the query.
  std::vector<ExprPtr> RunBefore(SubqueryKind kind, std::unique_ptr<BoundQuery> query,
                                 size_t value_count, int32_t position);
  Result<SubqueryParts> BindSelect(const parse::Select& select, const SubqueryWishes& wishes);
  // Joins what was bound so far with the subquery; its columns are then slots of the source.
  Result<uint32_t> Join(SubqueryParts parts, JoinType type, FromNode** node);
  ExprPtr ColumnOf(uint32_t source, size_t column, int32_t position);
  Result<ExprPtr> CompareWith(const parse::Expr& expr, std::vector<ExprPtr> values, const Use& use);
  Result<ExprPtr> BindOuter(const parse::Expr& expr);
  Result<ExprPtr> AskMatch(uint32_t source, size_t column, bool negated, int32_t position);

  const BindContext& context_;
  Scope* const scope_;
  FromBinder* const from_;
  Parameters* const parameters_;
  BoundSelect* const result_;
  // A tree may be bound again to see what it says about the key.
  std::map<const parse::Expr*, ExprPtr> values_;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_SUBQUERY_BINDER_H_
