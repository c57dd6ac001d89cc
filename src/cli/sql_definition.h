// What SQL is told of tables that commands of HBase's data model make: `bennu snapshot clone` and
// `bennu import`, with and without --sql.
#ifndef BENNU_SRC_CLI_SQL_DEFINITION_H_
#define BENNU_SRC_CLI_SQL_DEFINITION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::cli {

// Properties as --conf has them; those that tell where SQL's schemas are count here.
using Configuration = std::map<std::string, std::string>;

// The name as SQL takes it, quoted where that is needed: S.T, "t", "S"."t".
std::string SqlTableName(const TableName& table);

// Runs 'make', which makes the HBase table 'copy' with the rows of 'source', and gives it SQL's
// definition of 'source'. Where that cannot be, nothing is changed, and the error says why and
// what to do instead. 'older_than': when the rows were as they are, milliseconds since 1970.
Status MakeWithDefinition(Connection* connection, const Configuration& configuration,
                          const TableName& source, const TableName& copy, int64_t older_than,
                          const std::function<Status()>& make);

// What --sql is answered with where the target is a server.
Status NoDefinitionsOnServers(std::string_view target);

// What to tell of 'table', which has just been made of 'source': by which statement SQL gets to see
// it. Empty when it does already, or when that cannot be found out.
std::string DefinitionHint(Connection* connection, const Configuration& configuration,
                           const TableName& source, const TableName& table);

// What to tell of a table that SQL knows under its name in double quotes only; else empty.
std::string QuotedNameHint(const TableName& table);

// Prints it to standard error, behind what the command has printed.
void PrintHint(const std::string& hint);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQL_DEFINITION_H_
