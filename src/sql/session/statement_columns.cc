#include "src/sql/session/statement_columns.h"

namespace bennu::sql::session {
namespace {

constexpr TypeId kText = TypeId::kVarchar;
constexpr TypeId kFlag = TypeId::kBoolean;
constexpr TypeId kNumber = TypeId::kBigint;

}  // namespace

std::vector<exec::ResultColumn> ExplainColumns() {
  std::vector<exec::ResultColumn> columns = {{"PLAN", {kText}, true},
                                             {"EST_BYTES_READ", {kNumber}, true},
                                             {"EST_ROWS_READ", {kNumber}, true},
                                             {"EST_INFO_TS", {kNumber}, true}};
  for (exec::ResultColumn& column : columns) column.origin.table = "PLAN_TABLE";  // as Phoenix says
  return columns;
}

std::vector<exec::ResultColumn> ShowColumns(parse::ShowKind kind) {
  switch (kind) {
    case parse::ShowKind::kTables:
      return {{"TABLE_CAT", {kText}},
              {"TABLE_SCHEM", {kText}},
              {"TABLE_NAME", {kText}},
              {"TABLE_TYPE", {kText}},
              {"REMARKS", {kText}},
              {"TYPE_NAME", {kText}},
              {"SELF_REFERENCING_COL_NAME", {kText}},
              {"REF_GENERATION", {kText}},
              {"INDEX_STATE", {kText}},
              {"IMMUTABLE_ROWS", {kFlag}},
              {"SALT_BUCKETS", {TypeId::kInteger}},
              {"MULTI_TENANT", {kFlag}},
              {"VIEW_STATEMENT", {kText}},
              {"VIEW_TYPE", {kText}},
              {"INDEX_TYPE", {kText}},
              {"TRANSACTIONAL", {kFlag}},
              {"IS_NAMESPACE_MAPPED", {kFlag}},
              {"GUIDE_POSTS_WIDTH", {kNumber}},
              {"TRANSACTION_PROVIDER", {kText}}};
    case parse::ShowKind::kSchemas: return {{"TABLE_SCHEM", {kText}}, {"TABLE_CATALOG", {kText}}};
    case parse::ShowKind::kCreateTable: return {{"CREATE STATEMENT", {TypeId::kChar}}};
    case parse::ShowKind::kStatements:
      return {{"STATEMENT_ID", {kNumber}, false},     {"TENANT_ID", {kText}, true},
              {"START_TIME", {TypeId::kDate}, false}, {"ELAPSED_MS", {kNumber}, false},
              {"ROWS_READ", {kNumber}, false},        {"ROWS_RETURNED", {kNumber}, false},
              {"MORSELS_DONE", {kNumber}, false},     {"MORSELS", {kNumber}, false},
              {"MEMORY_BYTES", {kNumber}, false},     {"STATEMENT", {kText}, false}};
  }
  return {};
}

std::vector<exec::ResultColumn> CheckIndexColumns() {
  return {{"DIFFERENCE", {kText}, false},
          {"TABLE_ROW", {TypeId::kVarbinary}, true},
          {"INDEX_ROW", {TypeId::kVarbinary}, true}};
}

std::vector<exec::ResultColumn> TraceColumns() { return {{"trace_id", {kNumber}, false}}; }

}  // namespace bennu::sql::session
