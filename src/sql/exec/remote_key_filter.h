// Conditions on key columns behind others that are open, as filters of HBase: the key's ranges say
// nothing of them, and without a filter every row would cross the network.
#ifndef BENNU_SRC_SQL_EXEC_REMOTE_KEY_FILTER_H_
#define BENNU_SRC_SQL_EXEC_REMOTE_KEY_FILTER_H_

#include <optional>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/filter.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/types/value.h"

namespace bennu::sql::exec {

// Lets rows pass in whose keys the column begins with one of these bytes, as Encode gives them in
// the column's order. Behind columns of fixed width a FuzzyRowFilter, with which servers jump from
// match to match, else a RowFilter with a regular expression. Null: there is none for the column.
FilterPtr MakeKeyPrefixFilter(const KeySchema& schema, size_t column,
                              const std::vector<Bytes>& prefixes);

// The bytes of a value of the column's type in a key, where equal values have equal bytes.
std::optional<Bytes> KeyBytesOf(const Value& value, const KeyColumn& column);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_REMOTE_KEY_FILTER_H_
