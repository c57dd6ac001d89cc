// SELECT and what may stand in FROM.
#include <fmt/format.h>

#include "src/sql/parse/parser_internal.h"

#include "src/base/status_macros.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

// Joins nest to the left, one level each; this keeps their trees walkable.
constexpr size_t kJoinsMax = 200;

}  // namespace

Result<std::unique_ptr<Select>> Parser::ParseSelect() {
  const Nesting nesting(this);
  RETURN_IF_ERROR(CheckDepth());
  ASSIGN_OR_RETURN(std::unique_ptr<Select> select, ParseSingleSelect());
  while (Accept(Keyword::kUNION)) {
    RETURN_IF_ERROR(Expect(Keyword::kALL, {Keyword::kSELECT}));
    ASSIGN_OR_RETURN(std::unique_ptr<Select> branch, ParseSingleSelect());
    select->union_all.push_back(std::move(branch));
  }
  RETURN_IF_ERROR(ParseSelectTail(select.get()));
  select->end = previous_end();
  return select;
}

Status Parser::ParseSelectTail(Select* select) {
  ASSIGN_OR_RETURN(select->order_by, ParseOrderBy());
  if (Accept(Keyword::kLIMIT)) {
    ASSIGN_OR_RETURN(select->limit, ParseLimitValue());
  }
  if (Accept(Keyword::kOFFSET)) RETURN_IF_ERROR(ParseOffset(select));
  if (Accept(Keyword::kFETCH)) RETURN_IF_ERROR(ParseFetchFirst(select));
  return Status::Ok();
}

Status Parser::ParseOffset(Select* select) {
  if (!Accept(kLeftParen)) {
    ASSIGN_OR_RETURN(select->offset, ParseLimitValue());
    if (!Accept(Keyword::kROW)) Accept(Keyword::kROWS);
    return Status::Ok();
  }
  ASSIGN_OR_RETURN(select->offset_columns, ParseExprList());
  RETURN_IF_ERROR(Expect(kRightParen));
  RETURN_IF_ERROR(Expect(kEqual, {kLeftParen}));
  RETURN_IF_ERROR(Expect(kLeftParen));
  ASSIGN_OR_RETURN(select->offset_values, ParseExprList());
  return Expect(kRightParen);
}

Status Parser::ParseFetchFirst(Select* select) {
  if (!Accept(Keyword::kFIRST) && !Accept(Keyword::kNEXT)) return NoViable();
  // Without a number it limits nothing, as in the original.
  if (!Is(Keyword::kROW) && !Is(Keyword::kROWS)) {
    ASSIGN_OR_RETURN(select->limit, ParseLimitValue());
  }
  if (!Accept(Keyword::kROW) && !Accept(Keyword::kROWS)) return NoViable();
  return Expect(Keyword::kONLY);
}

Result<std::unique_ptr<Select>> Parser::ParseSingleSelect() {
  auto select = std::make_unique<Select>();
  select->position = position();
  RETURN_IF_ERROR(Expect(Keyword::kSELECT));
  select->hints = ParseHints();
  select->distinct = Accept(Keyword::kDISTINCT);
  if (!select->distinct) Accept(Keyword::kALL);
  RETURN_IF_ERROR(ParseSelectList(select.get()));
  if (Accept(Keyword::kFROM)) {
    ASSIGN_OR_RETURN(select->from, ParseFrom());
  }
  if (Accept(Keyword::kWHERE)) {
    ASSIGN_OR_RETURN(select->where, ParseExpr());
  }
  if (Accept(Keyword::kGROUP)) {
    RETURN_IF_ERROR(Expect(Keyword::kBY, {kName, kLeftParen, kInteger, kString}));
    ASSIGN_OR_RETURN(select->group_by, ParseExprList());
  }
  if (Accept(Keyword::kHAVING)) {
    ASSIGN_OR_RETURN(select->having, ParseExpr());
  }
  select->end = previous_end();
  return select;
}

Status Parser::ParseSelectList(Select* select) {
  if (Is(kAsterisk)) {
    SelectItem item;
    item.expr = MakeExpr(ExprKind::kStar);
    ++at_;
    item.expr = Finish(std::move(item.expr));
    select->items.push_back(std::move(item));
    return Status::Ok();
  }
  do {
    ASSIGN_OR_RETURN(SelectItem item, ParseSelectItem());
    select->items.push_back(std::move(item));
  } while (Accept(kComma));
  return Status::Ok();
}

Result<SelectItem> Parser::ParseSelectItem() {
  SelectItem item;
  const bool family_star = IsName() && IsAhead(1, kDot) && IsAhead(2, kAsterisk);
  const bool table_star =
      IsName() && IsAhead(1, kDot) && IsName(2) && IsAhead(3, kDot) && IsAhead(4, kAsterisk);
  if (family_star || table_star) {
    item.expr = MakeExpr(ExprKind::kStar);
    ASSIGN_OR_RETURN(QualifiedName name, ParseQualifiedNameBeforeStar());
    item.expr->schema = std::move(name.qualifier);
    item.expr->table = std::move(name.name);
    item.expr = Finish(std::move(item.expr));
    return item;
  }
  if (!AtExpressionStart()) return NoViable();
  ASSIGN_OR_RETURN(item.expr, ParseExpr());
  RETURN_IF_ERROR(ParseAlias(&item.alias));
  return item;
}

// T.* or S.T.*: the caller has looked ahead.
Result<QualifiedName> Parser::ParseQualifiedNameBeforeStar() {
  QualifiedName name;
  ASSIGN_OR_RETURN(name.name, ParseName());
  ++at_;
  if (IsName()) {
    name.qualifier = std::move(name.name);
    ASSIGN_OR_RETURN(name.name, ParseName());
    ++at_;
  }
  ++at_;
  return name;
}

Status Parser::ParseAlias(Name* alias) {
  const bool explicit_alias = Accept(Keyword::kAS);
  if (!explicit_alias && !IsName()) return Status::Ok();
  ASSIGN_OR_RETURN(*alias, ParseName());
  return Status::Ok();
}

Result<std::vector<OrderItem>> Parser::ParseOrderBy() {
  std::vector<OrderItem> items;
  if (!Accept(Keyword::kORDER)) return items;
  RETURN_IF_ERROR(Expect(Keyword::kBY, {kName, kLeftParen, kInteger, kString}));
  do {
    OrderItem item;
    item.position = position();
    ASSIGN_OR_RETURN(item.expr, ParseExpr());
    item.descending = Is(Keyword::kDESC);
    if (!Accept(Keyword::kASC)) Accept(Keyword::kDESC);
    if (Accept(Keyword::kNULLS)) {
      item.nulls_last = Is(Keyword::kLAST);
      if (!Accept(Keyword::kFIRST) && !Accept(Keyword::kLAST)) return NoViable();
    }
    items.push_back(std::move(item));
  } while (Accept(kComma));
  return items;
}

Result<std::vector<TableRefPtr>> Parser::ParseFrom() {
  std::vector<TableRefPtr> tables;
  do {
    ASSIGN_OR_RETURN(TableRefPtr table, ParseJoinTree());
    tables.push_back(std::move(table));
    if (tables.size() > kJoinsMax) {
      return BeyondBound(fmt::format("More than {} tables", kJoinsMax));
    }
  } while (Accept(kComma));
  return tables;
}

// The type of the join that begins here; nothing when none does.
Result<std::optional<JoinType>> Parser::ParseJoinWord() {
  JoinType type = JoinType::kInner;
  if (Accept(Keyword::kJOIN)) return std::optional(type);
  if (Accept(Keyword::kINNER)) {
    RETURN_IF_ERROR(Expect(Keyword::kJOIN));
    return std::optional(type);
  }
  if (Accept(Keyword::kLEFT)) {
    type = JoinType::kLeft;
  } else if (Accept(Keyword::kRIGHT)) {
    type = JoinType::kRight;
  } else if (Accept(Keyword::kFULL)) {
    type = JoinType::kFull;
  } else {
    return std::optional<JoinType>();
  }
  Accept(Keyword::kOUTER);
  RETURN_IF_ERROR(Expect(Keyword::kJOIN));
  return std::optional(type);
}

Result<TableRefPtr> Parser::ParseJoinTree() {
  ASSIGN_OR_RETURN(TableRefPtr left, ParseTableFactor());
  for (size_t joins = 0;; ++joins) {
    const int32_t begin = position();
    ASSIGN_OR_RETURN(const std::optional<JoinType> type, ParseJoinWord());
    if (!type.has_value()) return left;
    if (joins >= kJoinsMax) return BeyondBound(fmt::format("More than {} joins", kJoinsMax));
    auto join = std::make_unique<TableRef>();
    join->kind = TableRefKind::kJoin;
    join->position = begin;
    join->join_type = *type;
    join->left = std::move(left);
    ASSIGN_OR_RETURN(join->right, ParseTableFactor());
    if (Is(Keyword::kUSING)) return NoViable("write ON a.k = b.k");
    RETURN_IF_ERROR(Expect(Keyword::kON));
    ASSIGN_OR_RETURN(join->on, ParseExpr());
    left = std::move(join);
  }
}

Result<TableRefPtr> Parser::ParseTableFactor() {
  const Nesting nesting(this);
  RETURN_IF_ERROR(CheckDepth());
  auto table = std::make_unique<TableRef>();
  table->position = position();
  if (Is(kBind)) {
    ASSIGN_OR_RETURN(const ExprPtr bind, ParseBind());
    table->kind = TableRefKind::kBind;
    table->bind_index = bind->bind_index;
    RETURN_IF_ERROR(ParseAlias(&table->alias));
    return table;
  }
  if (!Is(kLeftParen)) return ParseNamedTable();
  if (IsAhead(1, Keyword::kSELECT)) {
    ++at_;
    table->kind = TableRefKind::kSubquery;
    ASSIGN_OR_RETURN(table->subquery, ParseSelect());
    RETURN_IF_ERROR(Expect(kRightParen));
    RETURN_IF_ERROR(ParseAlias(&table->alias));
    return table;
  }
  ++at_;
  ASSIGN_OR_RETURN(std::vector<TableRefPtr> tables, ParseFrom());
  RETURN_IF_ERROR(Expect(kRightParen));
  return CrossJoin(std::move(tables));
}

// (a, b) inside a join: their cross product.
TableRefPtr Parser::CrossJoin(std::vector<TableRefPtr> tables) {
  TableRefPtr left = std::move(tables[0]);
  for (size_t i = 1; i < tables.size(); ++i) {
    auto join = std::make_unique<TableRef>();
    join->kind = TableRefKind::kJoin;
    join->position = left->position;
    join->left = std::move(left);
    join->right = std::move(tables[i]);
    left = std::move(join);
  }
  return left;
}

Result<TableRefPtr> Parser::ParseNamedTable() {
  auto table = std::make_unique<TableRef>();
  table->position = position();
  ASSIGN_OR_RETURN(table->name, ParseTableName());
  RETURN_IF_ERROR(ParseAlias(&table->alias));
  ASSIGN_OR_RETURN(table->dynamic_columns, ParseDynamicColumns());
  if (Accept(Keyword::kTABLESAMPLE)) {
    RETURN_IF_ERROR(Expect(kLeftParen, {kInteger, kDecimal, kString}));
    if (!AtLiteral()) return NoViable();
    ASSIGN_OR_RETURN(table->sample_percent, ParseLiteral());
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  return table;
}

Result<std::vector<ColumnDef>> Parser::ParseDynamicColumns() {
  std::vector<ColumnDef> columns;
  if (!Accept(kLeftParen)) return columns;
  do {
    ColumnDef column;
    column.position = position();
    ASSIGN_OR_RETURN(column.name, ParseColumnName());
    ASSIGN_OR_RETURN(column.type, ParseTypeSpec());
    columns.push_back(std::move(column));
  } while (Accept(kComma));
  RETURN_IF_ERROR(Expect(kRightParen));
  return columns;
}

}  // namespace bennu::sql::parse
