// DROP and ALTER.
#include "src/sql/parse/parser_internal.h"

#include "src/base/status_macros.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

}  // namespace

Result<Drop> Parser::ParseDrop() {
  Drop drop;
  const Keyword word = Current().keyword;
  switch (word) {
    case Keyword::kTABLE: drop.kind = ObjectKind::kTable; break;
    case Keyword::kVIEW: drop.kind = ObjectKind::kView; break;
    case Keyword::kINDEX: drop.kind = ObjectKind::kIndex; break;
    case Keyword::kSEQUENCE: drop.kind = ObjectKind::kSequence; break;
    case Keyword::kSCHEMA: drop.kind = ObjectKind::kSchema; break;
    case Keyword::kFUNCTION: drop.kind = ObjectKind::kFunction; break;
    case Keyword::kCDC: drop.kind = ObjectKind::kCdc; break;
    default: return NoViable();
  }
  ++at_;
  ASSIGN_OR_RETURN(drop.if_exists, ParseIfExists());
  const bool qualified = drop.kind == ObjectKind::kTable || drop.kind == ObjectKind::kView ||
                         drop.kind == ObjectKind::kSequence;
  if (qualified) {
    ASSIGN_OR_RETURN(drop.name, ParseTableName());
  } else {
    ASSIGN_OR_RETURN(drop.name.name, ParseName());
  }
  if (drop.kind == ObjectKind::kIndex || drop.kind == ObjectKind::kCdc) {
    RETURN_IF_ERROR(Expect(Keyword::kON, {kName}));
    ASSIGN_OR_RETURN(drop.table, ParseTableName());
  }
  const bool cascades = drop.kind == ObjectKind::kTable || drop.kind == ObjectKind::kView ||
                        drop.kind == ObjectKind::kSchema;
  if (cascades) drop.cascade = Accept(Keyword::kCASCADE);
  return drop;
}

Result<Statement::Node> Parser::ParseAlter() {
  if (Accept(Keyword::kTABLE)) return ToNode(ParseAlterTable(false));
  if (Accept(Keyword::kVIEW)) return ToNode(ParseAlterTable(true));
  if (Accept(Keyword::kINDEX)) return ToNode(ParseAlterIndex());
  if (Accept(Keyword::kSESSION)) return ToNode(ParseAlterSession());
  return NoViable();
}

Result<AlterTable> Parser::ParseAlterTable(bool is_view) {
  AlterTable alter;
  alter.is_view = is_view;
  ASSIGN_OR_RETURN(alter.name, ParseTableName());
  if (Accept(Keyword::kDROP)) {
    RETURN_IF_ERROR(ParseDropColumns(&alter));
  } else if (Accept(Keyword::kADD)) {
    RETURN_IF_ERROR(ParseAddColumns(&alter));
  } else if (Accept(Keyword::kSET)) {
    alter.action = AlterTableAction::kSetProperties;
    ASSIGN_OR_RETURN(alter.properties, ParseProperties());
  } else {
    return NoViable();
  }
  return alter;
}

Status Parser::ParseDropColumns(AlterTable* alter) {
  alter->action = AlterTableAction::kDropColumns;
  RETURN_IF_ERROR(Expect(Keyword::kCOLUMN, {kName}));
  ASSIGN_OR_RETURN(alter->if_exists, ParseIfExists());
  do {
    ASSIGN_OR_RETURN(QualifiedName column, ParseQualifiedName());
    alter->drop.push_back(std::move(column));
  } while (Accept(kComma));
  return Status::Ok();
}

Status Parser::ParseAddColumns(AlterTable* alter) {
  alter->action = AlterTableAction::kAddColumns;
  ASSIGN_OR_RETURN(alter->if_not_exists, ParseIfNotExists());
  do {
    ASSIGN_OR_RETURN(ColumnDef column, ParseColumnDef());
    alter->add.push_back(std::move(column));
  } while (Accept(kComma));
  if (IsName()) {
    ASSIGN_OR_RETURN(alter->properties, ParseProperties());
  }
  if (!Accept(Keyword::kCASCADE)) return Status::Ok();
  RETURN_IF_ERROR(Expect(Keyword::kINDEX, {kName, Keyword::kALL}));
  alter->cascade_all = Accept(Keyword::kALL);
  if (alter->cascade_all) return Status::Ok();
  do {
    ASSIGN_OR_RETURN(Name index, ParseName());
    alter->cascade_indexes.push_back(std::move(index));
  } while (Accept(kComma));
  return Status::Ok();
}

Result<AlterIndex> Parser::ParseAlterIndex() {
  AlterIndex alter;
  ASSIGN_OR_RETURN(alter.if_exists, ParseIfExists());
  ASSIGN_OR_RETURN(alter.name, ParseName());
  RETURN_IF_ERROR(Expect(Keyword::kON, {kName}));
  ASSIGN_OR_RETURN(alter.table, ParseTableName());
  RETURN_IF_ERROR(ParseIndexAction(&alter));
  return alter;
}

Status Parser::ParseIndexAction(AlterIndex* alter) {
  if (Is(kName) && Current().text == "CONSISTENCY" && IsAhead(1, kEqual)) {
    at_ += 2;
    const bool strong = Current().text == "STRONG";
    if (!strong && Current().text != "EVENTUAL") return NoViable();
    ++at_;
    alter->action = strong ? IndexAction::kConsistencyStrong : IndexAction::kConsistencyEventual;
    return Status::Ok();
  }
  switch (Current().keyword) {
    case Keyword::kUSABLE: alter->action = IndexAction::kUsable; break;
    case Keyword::kUNUSABLE: alter->action = IndexAction::kUnusable; break;
    case Keyword::kREBUILD: alter->action = IndexAction::kRebuild; break;
    case Keyword::kDISABLE: alter->action = IndexAction::kDisable; break;
    case Keyword::kACTIVE: alter->action = IndexAction::kActive; break;
    default: return NoViable();
  }
  ++at_;
  if (alter->action == IndexAction::kRebuild) alter->rebuild_all = Accept(Keyword::kALL);
  alter->async = Accept(Keyword::kASYNC);
  if (Accept(Keyword::kSET) || IsName()) {
    ASSIGN_OR_RETURN(alter->properties, ParseProperties());
  }
  return Status::Ok();
}

Result<AlterSession> Parser::ParseAlterSession() {
  AlterSession alter;
  RETURN_IF_ERROR(Expect(Keyword::kSET, {kName}));
  ASSIGN_OR_RETURN(alter.properties, ParseProperties());
  return alter;
}

}  // namespace bennu::sql::parse
