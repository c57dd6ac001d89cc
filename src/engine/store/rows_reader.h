// RowsReader: single rows of one family, one after another, where they are at hand.
//
// Who reads many keys mostly wants several of one block. What a read of a row begins with (the view
// of the store, the rules, the way through a file's index) is done once here; and a row between the
// first and the last of the block that a file's last row was in is found there, without a bloom
// filter or an index.
#ifndef BENNU_SRC_ENGINE_STORE_ROWS_READER_H_
#define BENNU_SRC_ENGINE_STORE_ROWS_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/engine/store/row_rules.h"
#include "src/engine/store/store.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

// One thread at a time.
class RowsReader {
 public:
  // 'scan' must outlive this; its range is set to each row before it is read, all else stays.
  RowsReader(const Store& store, const Scan* scan, uint64_t read_point, int64_t now_millis);

  const Store& store() const { return store_; }
  // If the row is at hand (in one block of one file, and not in a memstore), or not there, appends
  // what this family has of it to *cells and returns true; the cells are valid as long as what is
  // added to *pins. Else false, and nothing is appended: ask a RowReader. IoError, Corruption: a
  // file cannot be read.
  Result<bool> Read(std::vector<Cell>* cells, std::vector<std::shared_ptr<const void>>* pins);

 private:
  bool IsInMemory(ByteView row);
  // Puts the file's cursor at the row; false: the file has not got it.
  Result<bool> Find(size_t file, ByteView row);

  const Store& store_;
  const Scan* const scan_;
  const uint64_t read_point_;
  const int64_t now_millis_;
  const Store::Reading reading_;
  const RowRules rules_;
  const TimeRange& time_range_;
  std::vector<std::optional<hfile::Cursor>> cursors_;  // by file; set once one was looked into
  Bytes key_;                                          // a search key being built
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ROWS_READER_H_
