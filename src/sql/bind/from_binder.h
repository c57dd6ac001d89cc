// The binder of FROM: tables, derived tables and joins.
#ifndef BENNU_SRC_SQL_BIND_FROM_BINDER_H_
#define BENNU_SRC_SQL_BIND_FROM_BINDER_H_

#include <memory>
#include <set>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/bind/select_binder.h"

namespace bennu::sql::bind {

class FromBinder {
 public:
  // Fills in 'scope' and result->from, ->derived. All must outlive this.
  FromBinder(const BindContext& context, Scope* scope, ExpressionBinder* binder,
             Parameters* parameters, BoundSelect* result);

  // What is to be read for the sources; of those behind its end their tables. For Bind.
  void set_accesses(const Accesses* accesses) { accesses_ = accesses; }

  Status Bind(const parse::Select& select);

  // Joins all that FROM has given so far with the query of a condition, whose columns no name
  // reaches; returns its source. *node is the join.
  Result<uint32_t> JoinHidden(std::unique_ptr<BoundQuery> query, JoinType type, FromNode** node);
  // 203: the two sides cannot be compared.
  Status AddKey(ExprPtr left, ExprPtr right, bool matches_null, FromNode* node);

  // Moves an equality between two sides of an inner join (or comma) to the join's keys; false when
  // the condition is none.
  Result<bool> TakeJoinKey(const Conjunct& conjunct);
  // Sources whose columns may be NULL because an outer join found nothing: conditions on them can
  // not be applied before the join.
  bool IsNullSupplied(uint32_t source) const { return null_supplied_.count(source) > 0; }

 private:
  using Node = std::unique_ptr<FromNode>;

  // First all sources, in the order of the text, then the joins, which need all names.
  Status AddSources(const parse::TableRef& ref);
  Status AddTable(const parse::TableRef& ref);
  Status AddDerived(const parse::TableRef& ref);
  Result<Node> MakeNode(const parse::TableRef& ref);
  Status BindOn(const parse::Expr& on, FromNode* node);
  Status BindOnPart(const parse::Expr& part, FromNode* node);
  // An equality of ON as keys of the join; false when it is none between its two sides.
  Result<bool> TakeOnKeys(const parse::Expr& one, const parse::Expr& other, FromNode* node);
  Result<bool> TakeJoinKey(FromNode* node, const ExprPtr& left, const ExprPtr& right);

  std::set<uint32_t> SourcesOf(const Expr& expr) const;
  static void Collect(const FromNode& node, std::set<uint32_t>* sources);
  static std::set<uint32_t> SourcesUnder(const FromNode& node);

  const BindContext& context_;
  Scope* const scope_;
  ExpressionBinder* const binder_;
  Parameters* const parameters_;
  BoundSelect* const result_;
  const Accesses* accesses_ = nullptr;
  uint32_t next_source_ = 0;
  std::set<uint32_t> null_supplied_;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_FROM_BINDER_H_
