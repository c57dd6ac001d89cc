// The statements that make a table, a view or an index again: what SHOW CREATE TABLE gives.
// Source: SchemaExtractionProcessor of Phoenix 5.3.
#ifndef BENNU_SRC_SQL_SESSION_CREATE_STATEMENT_H_
#define BENNU_SRC_SQL_SESSION_CREATE_STATEMENT_H_

#include <string>

#include "bennu/descriptor.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::session {

// 'descriptor': of the HBase table. Options come in Phoenix's order; what Phoenix leaves out,
// though the table would be another one without it, comes last.
std::string CreateStatementOf(const catalog::TableMeta& table, const TableDescriptor& descriptor);
std::string CreateStatementOfView(const catalog::TableMeta& view);
// 'table': that it is of.
std::string CreateStatementOfIndex(const catalog::TableMeta& index,
                                   const catalog::TableMeta& table);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_CREATE_STATEMENT_H_
