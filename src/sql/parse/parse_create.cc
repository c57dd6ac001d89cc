// CREATE of every kind.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "src/base/status_macros.h"
#include "src/sql/parse/parser_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

}  // namespace

Result<Statement::Node> Parser::ParseCreate() {
  const bool immutable = Is(Keyword::kIMMUTABLE) && IsAhead(1, Keyword::kTABLE);
  if (immutable) ++at_;
  if (Accept(Keyword::kTABLE)) return ToNode(ParseCreateTable(immutable));
  if (Accept(Keyword::kVIEW)) return ToNode(ParseCreateView());
  if (Is(Keyword::kINDEX) || Is(Keyword::kLOCAL) || Is(Keyword::kUNCOVERED)) {
    return ToNode(ParseCreateIndex());
  }
  if (Accept(Keyword::kCDC)) return ToNode(ParseCreateCdc());
  if (Accept(Keyword::kSEQUENCE)) return ToNode(ParseCreateSequence());
  if (Accept(Keyword::kSCHEMA)) return ToNode(ParseCreateSchema());
  if (Is(Keyword::kOR) || Is(Keyword::kTEMPORARY) || Is(Keyword::kFUNCTION)) {
    return ToNode(ParseCreateFunction());
  }
  return NoViable();
}

Result<CreateTable> Parser::ParseCreateTable(bool immutable) {
  CreateTable create;
  create.immutable = immutable;
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  ASSIGN_OR_RETURN(create.name, ParseNewTableName());
  RETURN_IF_ERROR(Expect(kLeftParen, {kName}));
  RETURN_IF_ERROR(ParseColumnsAndKey(&create.columns, &create.key));
  create.no_verify = Accept(Keyword::kNOVERIFY);
  if (IsName()) {
    ASSIGN_OR_RETURN(create.properties, ParseProperties());
  }
  ASSIGN_OR_RETURN(create.splits, ParseSplits());
  ASSIGN_OR_RETURN(create.counters, ParseQualifierCounters());
  return create;
}

// What stands between the parentheses, which the caller opened; takes the closing one.
Status Parser::ParseColumnsAndKey(std::vector<ColumnDef>* columns,
                                  std::optional<KeyConstraint>* key) {
  ASSIGN_OR_RETURN(ColumnDef first, ParseColumnDef());
  columns->push_back(std::move(first));
  while (Accept(kComma)) {
    if (!IsName()) {
      if (!Is(Keyword::kCONSTRAINT)) {
        return MismatchError(at_, Keyword::kCONSTRAINT, false);
      }
      break;
    }
    ASSIGN_OR_RETURN(ColumnDef column, ParseColumnDef());
    columns->push_back(std::move(column));
  }
  if (Is(Keyword::kCONSTRAINT)) {
    ASSIGN_OR_RETURN(*key, ParseKeyConstraint());
  } else if (Is(Keyword::kROW_TIMESTAMP)) {
    const std::string hint = MisplacedRowTimestampHint(columns->back());
    return WithHint(Expect(kRightParen), hint);
  }
  return Expect(kRightParen);
}

// ROW_TIMESTAMP right behind a column's type: where it belongs, with a type that it can have.
std::string Parser::MisplacedRowTimestampHint(const ColumnDef& column) const {
  constexpr std::array<std::string_view, 5> kTypes = {"DATE", "TIME", "TIMESTAMP", "BIGINT",
                                                      "UNSIGNED_LONG"};
  const Name& name = column.name.name;
  const std::string written = name.quoted ? "\"" + name.text + "\"" : name.text;
  const bool possible = !column.type.is_array &&
                        std::find(kTypes.begin(), kTypes.end(), column.type.name) != kTypes.end();
  std::string hint =
      Ahead(1).keyword == Keyword::kPRIMARY
          ? fmt::format(
                "ROW_TIMESTAMP comes behind PRIMARY KEY: {} {} NOT NULL PRIMARY KEY "
                "ROW_TIMESTAMP",
                written, possible ? column.type.name : "DATE")
          : fmt::format(
                "ROW_TIMESTAMP comes behind the column in the key: CONSTRAINT PK PRIMARY "
                "KEY ({} ROW_TIMESTAMP)",
                written);
  if (!possible) hint += "; its type is one of " + fmt::to_string(fmt::join(kTypes, ", "));
  return hint;
}

// For a column definition in the order of other systems: what was meant, from the tokens behind the
// name. Empty when they are in order.
std::string Parser::MisplacedTypeHint(const Name& name) const {
  const std::string written = SourceText(name.position, previous_end());
  if (Is(kLeftParen)) {  // CHAR(5) code
    size_t close = 1;
    while (!IsAhead(close, kRightParen) && Ahead(close).type != TokenType::kEnd) ++close;
    const std::string type = SourceText(name.position, Ahead(close).end);
    const bool named = IsName(close + 1);
    const Token& other = Ahead(close + 1);
    return "a column's name comes before its type: " +
           (named ? SourceText(other.position, other.end) : "NAME") + " " + type;
  }
  if (!Is(Keyword::kNOT) && !Is(Keyword::kNULL)) return "";
  const size_t behind = Is(Keyword::kNOT) ? 2 : 1;  // code NOT NULL CHAR(5)
  const std::string constraint = behind == 2 ? "NOT NULL" : "NULL";
  if (!IsName(behind)) return "";
  size_t last = behind;
  if (IsAhead(behind + 1, kLeftParen)) {
    while (!IsAhead(last, kRightParen) && Ahead(last).type != TokenType::kEnd) ++last;
  }
  const std::string type = SourceText(Ahead(behind).position, Ahead(last).end);
  return "a column's type comes before " + constraint + ": " + written + " " + type + " " +
         constraint;
}

Result<ColumnDef> Parser::ParseColumnDef() {
  ColumnDef column;
  column.position = position();
  ASSIGN_OR_RETURN(column.name, ParseColumnName());
  const std::string hint = MisplacedTypeHint(column.name.name);
  Result<TypeSpec> type = ParseTypeSpec();
  if (!type.ok() && !hint.empty()) return WithHint(type.status(), hint);
  ASSIGN_OR_RETURN(column.type, std::move(type));
  if (Accept(Keyword::kNOT)) {
    RETURN_IF_ERROR(Expect(Keyword::kNULL));
    column.nullable = false;
  } else if (Accept(Keyword::kNULL)) {
    column.nullable = true;
  }
  if (Accept(Keyword::kDEFAULT)) RETURN_IF_ERROR(ParseColumnDefault(&column));
  RETURN_IF_ERROR(ParseColumnKey(&column));
  return column;
}

Status Parser::ParseColumnDefault(ColumnDef* column) {
  const int32_t begin = position();
  sequences_allowed_ = false;
  Result<ExprPtr> value = ParseExpr();
  sequences_allowed_ = true;
  ASSIGN_OR_RETURN(column->default_value, std::move(value));
  column->default_text = SourceText(begin, previous_end());
  return Status::Ok();
}

Status Parser::ParseColumnKey(ColumnDef* column) {
  if (Accept(Keyword::kPRIMARY)) {
    RETURN_IF_ERROR(Expect(Keyword::kKEY));
    column->primary_key = true;
    column->descending = Is(Keyword::kDESC);
    if (!Accept(Keyword::kASC)) Accept(Keyword::kDESC);
    column->row_timestamp = Accept(Keyword::kROW_TIMESTAMP);
  } else if (Accept(Keyword::kENCODED_QUALIFIER)) {
    ASSIGN_OR_RETURN(const int64_t qualifier, ParseNumber(INT32_MAX));
    column->encoded_qualifier = static_cast<int32_t>(qualifier);
  }
  return Status::Ok();
}

Result<KeyConstraint> Parser::ParseKeyConstraint() {
  KeyConstraint key;
  key.position = position();
  RETURN_IF_ERROR(Expect(Keyword::kCONSTRAINT));
  ASSIGN_OR_RETURN(key.name, ParseName());
  RETURN_IF_ERROR(ExpectBoth(Keyword::kPRIMARY, Keyword::kKEY));
  RETURN_IF_ERROR(Expect(kLeftParen, {kName}));
  do {
    KeyColumn column;
    ASSIGN_OR_RETURN(column.name, ParseName());
    column.descending = Is(Keyword::kDESC);
    if (!Accept(Keyword::kASC)) Accept(Keyword::kDESC);
    column.row_timestamp = Accept(Keyword::kROW_TIMESTAMP);
    key.columns.push_back(std::move(column));
  } while (Accept(kComma));
  RETURN_IF_ERROR(Expect(kRightParen));
  return key;
}

Result<ExprList> Parser::ParseSplits() {
  ExprList splits;
  if (!Accept(Keyword::kSPLIT)) return splits;
  RETURN_IF_ERROR(Expect(Keyword::kON, {kLeftParen}));
  RETURN_IF_ERROR(Expect(kLeftParen));
  do {
    ASSIGN_OR_RETURN(ExprPtr split, ParseValue());
    splits.push_back(std::move(split));
  } while (Accept(kComma));
  RETURN_IF_ERROR(Expect(kRightParen));
  RETURN_IF_ERROR(CheckDeferredError());
  return splits;
}

Result<std::vector<QualifierCounter>> Parser::ParseQualifierCounters() {
  std::vector<QualifierCounter> counters;
  if (!Accept(Keyword::kCOLUMN_QUALIFIER_COUNTER)) return counters;
  RETURN_IF_ERROR(Expect(kLeftParen));
  do {
    QualifierCounter counter;
    ASSIGN_OR_RETURN(counter.family, ParseString());
    RETURN_IF_ERROR(Expect(kEqual));
    ASSIGN_OR_RETURN(const int64_t value, ParseNumber(INT32_MAX));
    counter.value = static_cast<int32_t>(value);
    counters.push_back(std::move(counter));
  } while (Accept(kComma));
  RETURN_IF_ERROR(Expect(kRightParen));
  return counters;
}

Result<CreateView> Parser::ParseCreateView() {
  CreateView create;
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  ASSIGN_OR_RETURN(create.name, ParseNewTableName());
  if (Accept(kLeftParen)) RETURN_IF_ERROR(ParseColumnsAndKey(&create.columns, &create.key));
  if (Accept(Keyword::kAS)) {
    RETURN_IF_ERROR(Expect(Keyword::kSELECT));
    RETURN_IF_ERROR(Expect(kAsterisk, {Keyword::kFROM}));
    RETURN_IF_ERROR(Expect(Keyword::kFROM, {kName}));
    ASSIGN_OR_RETURN(create.base, ParseTableName());
    if (Accept(Keyword::kWHERE)) {
      const int32_t begin = position();
      ASSIGN_OR_RETURN(create.where, ParseExpr());
      create.where_text = SourceText(begin, previous_end());
    }
  }
  if (IsName()) {
    ASSIGN_OR_RETURN(create.properties, ParseProperties());
  }
  return create;
}

Result<CreateIndex> Parser::ParseCreateIndex() {
  CreateIndex create;
  create.uncovered = Accept(Keyword::kUNCOVERED);
  create.local = !create.uncovered && Accept(Keyword::kLOCAL);
  RETURN_IF_ERROR(Expect(Keyword::kINDEX));
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  ASSIGN_OR_RETURN(create.name.name, ParseName());
  RETURN_IF_ERROR(Expect(Keyword::kON, {kName}));
  ASSIGN_OR_RETURN(create.table, ParseTableName());
  RETURN_IF_ERROR(ParseIndexColumns(&create));
  if (create.uncovered && Is(Keyword::kINCLUDE)) {
    return NoViable("an UNCOVERED index includes no columns: leave INCLUDE out, or UNCOVERED");
  }
  if (Accept(Keyword::kINCLUDE)) {
    RETURN_IF_ERROR(Expect(kLeftParen, {kName}));
    do {
      ASSIGN_OR_RETURN(QualifiedName column, ParseQualifiedName());
      create.include.push_back(std::move(column));
    } while (Accept(kComma));
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  if (Accept(Keyword::kWHERE)) {
    const int32_t begin = position();
    ASSIGN_OR_RETURN(create.where, ParseExpr());
    create.where_text = SourceText(begin, previous_end());
  }
  create.async = Accept(Keyword::kASYNC);
  if (IsName()) {
    ASSIGN_OR_RETURN(create.properties, ParseProperties());
  }
  ASSIGN_OR_RETURN(create.splits, ParseSplits());
  return create;
}

Status Parser::ParseIndexColumns(CreateIndex* index) {
  RETURN_IF_ERROR(Expect(kLeftParen, {kName}));
  do {
    IndexColumn column;
    ASSIGN_OR_RETURN(column.expr, ParseExpr());
    column.descending = Is(Keyword::kDESC);
    if (!Accept(Keyword::kASC)) Accept(Keyword::kDESC);
    index->columns.push_back(std::move(column));
  } while (Accept(kComma));
  return Expect(kRightParen);
}

Result<CreateCdc> Parser::ParseCreateCdc() {
  CreateCdc create;
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  ASSIGN_OR_RETURN(create.name, ParseName());
  RETURN_IF_ERROR(Expect(Keyword::kON, {kName}));
  ASSIGN_OR_RETURN(create.table, ParseTableName());
  if (Accept(Keyword::kINCLUDE)) {
    RETURN_IF_ERROR(Expect(kLeftParen));
    do {
      const Token& scope = Current();
      if (scope.keyword != Keyword::kPRE && scope.keyword != Keyword::kPOST &&
          scope.keyword != Keyword::kCHANGE && scope.keyword != Keyword::kIDX_MUTATIONS &&
          scope.keyword != Keyword::kDATA_ROW_STATE) {
        return NoViable();
      }
      create.scopes.push_back(scope.text);
      ++at_;
    } while (Accept(kComma));
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  if (IsName()) {
    ASSIGN_OR_RETURN(create.properties, ParseProperties());
  }
  return create;
}

Result<CreateSequence> Parser::ParseCreateSequence() {
  CreateSequence create;
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  ASSIGN_OR_RETURN(create.name, ParseTableName());
  if (Accept(Keyword::kSTART)) {
    Accept(Keyword::kWITH);
    ASSIGN_OR_RETURN(create.start, ParseValue());
  }
  if (Accept(Keyword::kINCREMENT)) {
    Accept(Keyword::kBY);
    ASSIGN_OR_RETURN(create.increment, ParseValue());
  }
  if (Accept(Keyword::kMINVALUE)) {
    ASSIGN_OR_RETURN(create.min_value, ParseValue());
  }
  if (Accept(Keyword::kMAXVALUE)) {
    ASSIGN_OR_RETURN(create.max_value, ParseValue());
  }
  create.cycle = Accept(Keyword::kCYCLE);
  if (Accept(Keyword::kCACHE)) {
    ASSIGN_OR_RETURN(create.cache, ParseLimitValue());
  }
  RETURN_IF_ERROR(CheckDeferredError());
  return create;
}

Result<CreateSchema> Parser::ParseCreateSchema() {
  CreateSchema create;
  ASSIGN_OR_RETURN(create.if_not_exists, ParseIfNotExists());
  const size_t at = at_;
  Result<Name> name = ParseName();
  if (!name.ok()) return MismatchError(at, kName, /*may_follow=*/false);
  create.name = std::move(name).value();
  return create;
}

Result<CreateFunction> Parser::ParseCreateFunction() {
  CreateFunction create;
  if (Accept(Keyword::kOR)) {
    RETURN_IF_ERROR(Expect(Keyword::kREPLACE));
    create.or_replace = true;
  }
  create.temporary = Accept(Keyword::kTEMPORARY);
  RETURN_IF_ERROR(Expect(Keyword::kFUNCTION));
  ASSIGN_OR_RETURN(create.name, ParseName());
  RETURN_IF_ERROR(Expect(kLeftParen, {kName}));
  while (!Is(kRightParen)) {
    ASSIGN_OR_RETURN(FunctionArgument argument, ParseFunctionArgument());
    create.arguments.push_back(std::move(argument));
    if (!Accept(kComma)) break;
  }
  RETURN_IF_ERROR(Expect(kRightParen));
  RETURN_IF_ERROR(Expect(Keyword::kRETURNS));
  ASSIGN_OR_RETURN(const Name return_type, ParseName());
  create.return_type = return_type.text;
  RETURN_IF_ERROR(Expect(Keyword::kAS));
  ASSIGN_OR_RETURN(create.class_name, ParseString());
  if (Accept(Keyword::kUSING)) {
    RETURN_IF_ERROR(Expect(Keyword::kJAR));
    ASSIGN_OR_RETURN(create.jar_path, ParseString());
  }
  return create;
}

Result<FunctionArgument> Parser::ParseFunctionArgument() {
  FunctionArgument argument;
  ASSIGN_OR_RETURN(argument.type, ParseTypeSpec());
  argument.constant = Accept(Keyword::kCONSTANT);
  if (Accept(Keyword::kDEFAULTVALUE)) {
    RETURN_IF_ERROR(Expect(kEqual));
    ASSIGN_OR_RETURN(argument.default_value, ParseExpr());
  }
  if (Accept(Keyword::kMINVALUE)) {
    RETURN_IF_ERROR(Expect(kEqual));
    ASSIGN_OR_RETURN(argument.min_value, ParseExpr());
  }
  if (Accept(Keyword::kMAXVALUE)) {
    RETURN_IF_ERROR(Expect(kEqual));
    ASSIGN_OR_RETURN(argument.max_value, ParseExpr());
  }
  return argument;
}

}  // namespace bennu::sql::parse
