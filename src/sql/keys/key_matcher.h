// KeyMatcher: a quick look whether the key columns at fixed places of a row key lie in their
// ranges.
//
// Knows less than a navigator: only columns of fixed width behind others of fixed width, with a
// single range each. Where that says all of a condition the filter behind it finds nothing more.
#ifndef BENNU_SRC_SQL_KEYS_KEY_MATCHER_H_
#define BENNU_SRC_SQL_KEYS_KEY_MATCHER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "src/cell/column_rows.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/keys/key_schema.h"

namespace bennu::sql {

// Immutable and thread-safe.
class KeyMatcher {
 public:
  // Null when no slot can be looked at. The slots' ranges are kept.
  static std::shared_ptr<const KeyMatcher> Make(const KeySchema& schema,
                                                const std::vector<KeySlot>& slots);

  // False: the slots do not allow the row. A key that is too short is allowed.
  bool Allows(ByteView row) const {
    if (row.size() < key_size_) return true;
    for (const Part& part : parts_) {
      if (!part.Contains(row.data() + part.offset)) return false;
    }
    return true;
  }

  // Appends the numbers of those of rows [begin, end) that are allowed.
  void Select(const ColumnRows& rows, uint32_t begin, uint32_t end,
              std::vector<uint32_t>* allowed) const;

 private:
  struct Part {
    size_t offset = 0;
    size_t width = 0;
    bool single = false;  // the range is the value at its lower end, of the column's width
    KeyRange range;

    bool Contains(const char* bytes) const;
  };

  std::vector<Part> parts_;
  size_t key_size_ = 0;  // what the parts want of a key
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_KEY_MATCHER_H_
