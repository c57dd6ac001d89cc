// The row keys of SQL's tables, both ways: bytes cut into their parts, and bytes made of values.
#ifndef BENNU_SRC_SERVER_CONSOLE_ROW_KEY_H_
#define BENNU_SRC_SERVER_CONSOLE_ROW_KEY_H_

#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/server/console/json.h"
#include "src/sql/catalog/catalog.h"

namespace bennu::server::console {

// {"table", "salt_buckets", "columns": [{"name", "type", "order", "nullable"}]}
Json DescribeKey(const sql::catalog::TableMeta& table);

// {"hex", "printable", "bytes", "parts": […]}. The parts lie side by side and cover the key: each
// has "kind" (salt, column, separator, terminator, rest), "from" and "to" (bytes, the second is
// past the end) and "hex"; a column has "name", "type", "order" and "value" (null: NULL), whose
// part is empty when it is NULL, and "error" when no value has these bytes. Any bytes get an
// answer: what the table's definition has no place for is a "rest", and "error" says what is wrong
// with the key.
Json ExplainKey(const sql::catalog::TableMeta& table, ByteView key);

// The key of these values, as texts of the columns' types; nothing is NULL, and so are missing
// trailing ones. Errors: 201, 206, 218 as for UPSERT. InvalidArgument: too many values.
Result<Bytes> MakeKey(const sql::catalog::TableMeta& table,
                      const std::vector<std::optional<std::string>>& values);

// The table of a name as a statement writes it, "S.T", case aside unless it is in quotes.
Result<std::shared_ptr<const sql::catalog::TableMeta>> FindTable(sql::catalog::Catalog* catalog,
                                                                 const std::string& name);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_ROW_KEY_H_
