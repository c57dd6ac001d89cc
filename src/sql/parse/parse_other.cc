// The choice among statements, and the small ones.
#include "src/base/status_macros.h"
#include "src/sql/parse/parser_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

}  // namespace

Result<Statement::Node> Parser::ParseNode() {
  const Nesting nesting(this);
  RETURN_IF_ERROR(CheckDepth());
  if (Is(Keyword::kSELECT)) {
    ASSIGN_OR_RETURN(std::unique_ptr<Select> select, ParseSelect());
    return Statement::Node(std::move(*select));
  }
  if (IsWord(0, "CANCEL") && IsWord(1, "STATEMENT")) return ToNode(ParseCancelStatement());
  if (IsWord(0, "CHECK") && IsAhead(1, Keyword::kINDEX)) return ToNode(ParseCheckIndex());
  const Keyword keyword = Current().keyword;
  const size_t start = at_++;
  if (keyword == Keyword::kNone) {
    at_ = start;
    return NoViable();
  }
  return ParseKeywordStatement(keyword);
}

Result<Statement::Node> Parser::ParseKeywordStatement(Keyword keyword) {
  switch (keyword) {
    case Keyword::kUPSERT: return ToNode(ParseUpsert());
    case Keyword::kDELETE:
      if (Accept(Keyword::kJAR)) return ToNode(ParseJarList(UtilityKind::kDeleteJar));
      return ToNode(ParseDelete());
    case Keyword::kCREATE: return ParseCreate();
    case Keyword::kDROP: return ToNode(ParseDrop());
    case Keyword::kALTER: return ParseAlter();
    case Keyword::kUSE: return ToNode(ParseUse());
    case Keyword::kUPDATE: return ToNode(ParseUpdateStatistics());
    case Keyword::kSHOW: return ToNode(ParseShow());
    case Keyword::kEXPLAIN: return ToNode(ParseExplain());
    case Keyword::kGRANT: return ToNode(ParsePermission(true));
    case Keyword::kREVOKE: return ToNode(ParsePermission(false));
    case Keyword::kTRACE: return ToNode(ParseTrace());
    case Keyword::kADD:
      RETURN_IF_ERROR(Expect(Keyword::kJARS));
      return ToNode(ParseJarList(UtilityKind::kAddJars));
    case Keyword::kLIST:
      RETURN_IF_ERROR(Expect(Keyword::kJARS));
      return Statement::Node(Utility{UtilityKind::kListJars, {}, nullptr});
    case Keyword::kEXECUTE:
      RETURN_IF_ERROR(Expect(Keyword::kUPGRADE));
      return Statement::Node(Utility{UtilityKind::kExecuteUpgrade, {}, nullptr});
    case Keyword::kDECLARE: return ToNode(ParseDeclareCursor());
    case Keyword::kFETCH: return ToNode(ParseFetchCursor());
    case Keyword::kOPEN: {
      ASSIGN_OR_RETURN(Name name, ParseName());
      return Statement::Node(OpenCursor{std::move(name)});
    }
    case Keyword::kCLOSE: {
      ASSIGN_OR_RETURN(Name name, ParseName());
      return Statement::Node(CloseCursor{std::move(name)});
    }
    default: --at_; return NoViable();
  }
}

Result<UseSchema> Parser::ParseUse() {
  UseSchema use;
  if (Accept(Keyword::kDEFAULT)) return use;
  ASSIGN_OR_RETURN(use.name, ParseName());
  return use;
}

Result<UpdateStatistics> Parser::ParseUpdateStatistics() {
  UpdateStatistics update;
  if (!Is(Keyword::kSTATISTICS)) {
    Status error = Expect(Keyword::kSTATISTICS, {kName});
    return WithHint(error, "rows are changed with UPSERT INTO ... VALUES or UPSERT ... SELECT");
  }
  ++at_;
  ASSIGN_OR_RETURN(update.table, ParseTableName());
  if (Accept(Keyword::kINDEX)) {
    update.scope = StatisticsScope::kIndex;
  } else if (Accept(Keyword::kALL)) {
    update.scope = StatisticsScope::kAll;
  } else if (Accept(Keyword::kCOLUMNS)) {
    update.scope = StatisticsScope::kColumns;
  }
  if (Accept(Keyword::kSET)) {
    ASSIGN_OR_RETURN(update.properties, ParseProperties());
  }
  return update;
}

Result<Show> Parser::ParseShow() {
  Show show;
  if (AcceptBoth(Keyword::kCREATE, Keyword::kTABLE)) {
    show.kind = ShowKind::kCreateTable;
    ASSIGN_OR_RETURN(show.table, ParseTableName());
    return show;
  }
  if (Accept(Keyword::kTABLES)) {
    show.kind = ShowKind::kTables;
    if (Accept(Keyword::kIN)) {
      ASSIGN_OR_RETURN(show.schema, ParseName());
    }
  } else if (Accept(Keyword::kSCHEMAS)) {
    show.kind = ShowKind::kSchemas;
  } else if (IsWord(0, "STATEMENTS")) {
    ++at_;
    show.kind = ShowKind::kStatements;
    return show;
  } else {
    return NoViable();
  }
  if (Accept(Keyword::kLIKE)) {
    ASSIGN_OR_RETURN(show.like, ParseString());
  }
  return show;
}

Result<CancelStatement> Parser::ParseCancelStatement() {
  at_ += 2;
  CancelStatement cancel;
  cancel.position = position();
  ASSIGN_OR_RETURN(cancel.id, ParseNumber(INT64_MAX));
  return cancel;
}

Result<CheckIndex> Parser::ParseCheckIndex() {
  at_ += 2;
  CheckIndex check;
  ASSIGN_OR_RETURN(check.name, ParseName());
  RETURN_IF_ERROR(Expect(Keyword::kON, {kName}));
  ASSIGN_OR_RETURN(check.table, ParseTableName());
  check.repair = IsWord(0, "REPAIR");
  if (check.repair) ++at_;
  return check;
}

Result<Explain> Parser::ParseExplain() {
  Explain explain;
  if (Accept(Keyword::kWITH)) {
    RETURN_IF_ERROR(Expect(Keyword::kREGIONS));
    explain.with_regions = true;
  } else if (IsWord(0, "ANALYZE")) {
    ++at_;
    explain.analyze = true;
  }
  explain.statement = std::make_unique<Statement>();
  ASSIGN_OR_RETURN(explain.statement->node, ParseNode());
  explain.statement->bind_count = bind_count_;
  return explain;
}

Result<Permission> Parser::ParsePermission(bool grant) {
  Permission permission;
  permission.grant = grant;
  if (grant || Is(kString)) {
    ASSIGN_OR_RETURN(permission.permissions, ParseString());
    const size_t length = permission.permissions.size();
    if (length == 0 || length > 5) {
      return MakeSqlError(601, "Permissions String length should be less than 5 characters");
    }
  }
  if (Accept(Keyword::kON)) {
    if (Accept(Keyword::kSCHEMA)) {
      ASSIGN_OR_RETURN(permission.schema, ParseName());
    } else {
      Accept(Keyword::kTABLE);
      ASSIGN_OR_RETURN(permission.table, ParseTableName());
    }
  }
  RETURN_IF_ERROR(Expect(grant ? Keyword::kTO : Keyword::kFROM, {kString}));
  permission.to_group = Accept(Keyword::kGROUP);
  ASSIGN_OR_RETURN(permission.user, ParseString());
  return permission;
}

Result<Utility> Parser::ParseTrace() {
  Utility utility;
  if (Accept(Keyword::kOFF)) {
    utility.kind = UtilityKind::kTraceOff;
    return utility;
  }
  utility.kind = UtilityKind::kTraceOn;
  RETURN_IF_ERROR(Expect(Keyword::kON));
  if (Accept(Keyword::kWITH)) {
    RETURN_IF_ERROR(Expect(Keyword::kSAMPLING));
    ASSIGN_OR_RETURN(utility.sampling, ParseLiteral());
  }
  return utility;
}

Result<Utility> Parser::ParseJarList(UtilityKind kind) {
  Utility utility;
  utility.kind = kind;
  do {
    ASSIGN_OR_RETURN(std::string jar, ParseString());
    utility.arguments.push_back(std::move(jar));
  } while (kind == UtilityKind::kAddJars && Accept(kComma));
  return utility;
}

Result<DeclareCursor> Parser::ParseDeclareCursor() {
  DeclareCursor declare;
  ASSIGN_OR_RETURN(declare.name, ParseName());
  RETURN_IF_ERROR(Expect(Keyword::kCURSOR, {Keyword::kFOR}));
  RETURN_IF_ERROR(Expect(Keyword::kFOR, {Keyword::kSELECT}));
  ASSIGN_OR_RETURN(declare.select, ParseSelect());
  return declare;
}

Result<FetchCursor> Parser::ParseFetchCursor() {
  FetchCursor fetch;
  RETURN_IF_ERROR(Expect(Keyword::kNEXT));
  if (Is(kInteger)) {
    ASSIGN_OR_RETURN(fetch.count, ParseNumber(INT32_MAX));
  }
  if (!Accept(Keyword::kROW)) Accept(Keyword::kROWS);
  RETURN_IF_ERROR(Expect(Keyword::kFROM, {kName}));
  ASSIGN_OR_RETURN(fetch.name, ParseName());
  return fetch;
}

}  // namespace bennu::sql::parse
