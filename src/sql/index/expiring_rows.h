// ExpiringRows: the rows that an index has of a row of which cells expire at different moments, or
// by a time to live of their own.
//
// What the row has in the index changes then without a write. So the index has all that it will
// ever have, from the beginning: a row for each key that the row has now, and for each that it gets
// as cells expire. None of them is believed: what it leads to is looked at when it is read, and it
// counts while the table's row has that key. So they have no values beside the mark.
//
// One thread at a time.
#ifndef BENNU_SRC_SQL_INDEX_EXPIRING_ROWS_H_
#define BENNU_SRC_SQL_INDEX_EXPIRING_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/sql/exec/index_encoder.h"

namespace bennu::sql::index {

class ExpiringRows {
 public:
  // Such a row, before or after the write.
  static bool IsFor(const api::RowChange& change) {
    return !change.before_later.empty() || !change.after_later.empty();
  }

  // Appends to 'batch' what the index of 'encoder' needs for the write. 'prefix' as in
  // exec::IndexEncoder::AppendChange. Errors as of Encode: also of what the row will be later.
  Status AppendChange(const api::RowChange& change, exec::IndexEncoder* encoder, ByteView prefix,
                      MutationBatch* batch);

 private:
  // By key: from when on the row has it no more; nothing: it keeps it.
  using Keys = std::map<Bytes, std::optional<int64_t>>;
  Status FindKeys(ByteView row, std::span<const Cell> now, std::span<const api::LaterRow> later,
                  exec::RowState state, exec::IndexEncoder* encoder, Keys* keys);

  std::vector<exec::TableRow> rows_;
  std::vector<exec::IndexEntry> entries_;
  Keys before_;
  Keys after_;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_EXPIRING_ROWS_H_
