// TableKeyMaker: from rows of an index to the keys of the table's rows that they belong to.
#ifndef BENNU_SRC_SQL_EXEC_TABLE_KEY_MAKER_H_
#define BENNU_SRC_SQL_EXEC_TABLE_KEY_MAKER_H_

#include <cstdint>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/bind/index_access.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql::exec {

// One thread at a time; keeps its memory between calls.
class TableKeyMaker {
 public:
  // 'table_key': by column of the table's key, where it is found. All must outlive this.
  TableKeyMaker(const KeySchema* index, const KeySchema* table,
                const std::vector<bind::IndexAccess::TableKeyPart>* table_key);

  // Sets *key to the table's key for the row 'index_row' of the index: the parts by their places,
  // with values converted back, what a view holds to constants, and the salt byte of the table.
  // Corruption: 'index_row' is no key of the index.
  Status Make(ByteView index_row, Bytes* key);

 private:
  Status MakeOfParts(ByteView index_row, Bytes* key);

  const KeySchema* const index_;
  const KeySchema* const table_;
  const std::vector<bind::IndexAccess::TableKeyPart>* const table_key_;
  std::vector<KeyPart> parts_;    // of the index's key
  std::vector<Bytes> converted_;  // by column of the table's key
  std::vector<ByteView> views_;   // the same
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_TABLE_KEY_MAKER_H_
