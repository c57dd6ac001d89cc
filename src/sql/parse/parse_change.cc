// UPSERT and DELETE.
#include "src/sql/parse/parser_internal.h"

#include "src/base/status_macros.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

}  // namespace

Result<Upsert> Parser::ParseUpsert() {
  Upsert upsert;
  upsert.hints = ParseHints();
  RETURN_IF_ERROR(Expect(Keyword::kINTO, {kName}));
  ASSIGN_OR_RETURN(upsert.table, ParseTableName());
  RETURN_IF_ERROR(ParseUpsertColumns(&upsert));
  if (Accept(Keyword::kVALUES)) {
    RETURN_IF_ERROR(ParseUpsertValues(&upsert));
  } else if (Is(Keyword::kSELECT)) {
    ASSIGN_OR_RETURN(upsert.select, ParseSelect());
  } else {
    return NoViable();
  }
  ASSIGN_OR_RETURN(upsert.returning, ParseReturning());
  return upsert;
}

Status Parser::ParseUpsertColumns(Upsert* upsert) {
  if (!Accept(kLeftParen)) return Status::Ok();
  do {
    ColumnDef column;
    column.position = position();
    ASSIGN_OR_RETURN(column.name, ParseColumnName());
    if (IsName()) {
      ASSIGN_OR_RETURN(column.type, ParseTypeSpec());
    }
    upsert->columns.push_back(std::move(column));
  } while (Accept(kComma));
  return Expect(kRightParen, {Keyword::kVALUES, Keyword::kSELECT});
}

Status Parser::ParseUpsertValues(Upsert* upsert) {
  do {
    RETURN_IF_ERROR(Expect(kLeftParen));
    ASSIGN_OR_RETURN(ExprList row, ParseExprList());
    RETURN_IF_ERROR(Expect(kRightParen, {kComma}));
    upsert->rows.push_back(std::move(row));
  } while (Accept(kComma));
  if (!Accept(Keyword::kON)) return Status::Ok();
  return ParseOnDuplicateKey(upsert);
}

Status Parser::ParseOnDuplicateKey(Upsert* upsert) {
  RETURN_IF_ERROR(ExpectBoth(Keyword::kDUPLICATE, Keyword::kKEY));
  if (Accept(Keyword::kIGNORE)) {
    upsert->on_duplicate = OnDuplicateKey::kIgnore;
    return Status::Ok();
  }
  upsert->on_duplicate =
      Is(Keyword::kUPDATE_ONLY) ? OnDuplicateKey::kUpdateOnly : OnDuplicateKey::kUpdate;
  if (!Accept(Keyword::kUPDATE) && !Accept(Keyword::kUPDATE_ONLY)) return NoViable();
  do {
    Assignment assignment;
    ASSIGN_OR_RETURN(assignment.column, ParseQualifiedName());
    RETURN_IF_ERROR(Expect(kEqual));
    ASSIGN_OR_RETURN(assignment.value, ParseExpr());
    upsert->assignments.push_back(std::move(assignment));
  } while (Accept(kComma));
  return Status::Ok();
}

Result<bool> Parser::ParseReturning() {
  if (!Accept(Keyword::kRETURNING)) return false;
  RETURN_IF_ERROR(Expect(kAsterisk));
  return true;
}

Result<Delete> Parser::ParseDelete() {
  Delete statement;
  statement.hints = ParseHints();
  if (!Accept(Keyword::kFROM)) return NoViable("write DELETE FROM <table>");
  ASSIGN_OR_RETURN(statement.table, ParseTableName());
  if (Accept(Keyword::kWHERE)) {
    ASSIGN_OR_RETURN(statement.where, ParseExpr());
  }
  ASSIGN_OR_RETURN(statement.order_by, ParseOrderBy());
  if (Accept(Keyword::kLIMIT)) {
    ASSIGN_OR_RETURN(statement.limit, ParseLimitValue());
  }
  ASSIGN_OR_RETURN(statement.returning, ParseReturning());
  return statement;
}

}  // namespace bennu::sql::parse
