// The row key of a table: its columns, how a key is made of values and taken apart again.
//
// Key = [salt byte] column1 [separator] column2 … ; a salted table's salt is not among the columns.
// Hidden leading columns (view index id, tenant id) are ordinary columns here.
// Thread rule: immutable after construction; share freely. Source: phoenix-keys spec sections 1
// to 3.
#ifndef BENNU_SRC_SQL_KEYS_KEY_SCHEMA_H_
#define BENNU_SRC_SQL_KEYS_KEY_SCHEMA_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql {

inline constexpr size_t kMaxRowKeyBytes = 32767;  // HBase's limit

struct KeyColumn {
  std::string name;  // for messages, such as "T.K1"
  DataType type;
  SortOrder order = SortOrder::kAsc;
  bool nullable = true;
  bool is_row_timestamp = false;
};

// Where one column's encoded bytes lie in a key.
struct KeyPart {
  uint32_t offset = 0;
  uint32_t length = 0;  // 0: NULL
};

// One step of a walk over a key: a column's bytes are [begin, end); the next column begins at
// 'next'.
struct KeyStep {
  size_t begin = 0;
  size_t end = 0;   // == begin: NULL
  size_t next = 0;  // behind the separator or terminator
};

class KeySchema {
 public:
  KeySchema() = default;
  // salt_buckets: 0 (none) … 256. Types must be allowed in a key (the catalog checks).
  explicit KeySchema(std::vector<KeyColumn> columns, int32_t salt_buckets = 0);

  const std::vector<KeyColumn>& columns() const { return columns_; }
  size_t column_count() const { return columns_.size(); }
  int32_t salt_buckets() const { return salt_buckets_; }
  bool salted() const { return salt_buckets_ > 0; }
  // Bytes before the first column: 1 when salted.
  size_t prefix_size() const { return salted() ? 1 : 0; }
  // Index of the ROW_TIMESTAMP column or -1.
  int row_timestamp_column() const { return row_timestamp_column_; }

  // The row key of these values, one for each column (missing trailing ones are NULL), already of
  // the columns' types. Errors: 218 for NULL in a column that is not nullable or in all; 201, 206
  // as Encode; 201 for a key longer than kMaxRowKeyBytes, and for a value that IsMisread.
  Result<Bytes> EncodeKey(std::span<const Value> values) const;
  // Appends the key of encoded column values (each as Encode gives it, in the column's order,
  // padded; empty: NULL) to *key. No allocation when *key has the room.
  Status AppendKey(std::span<const ByteView> encoded, Bytes* key) const;
  // The key of a row that is stored already. Values that IsMisread pass, so that rows which others
  // have written, or which are older than this rule, can be found and removed.
  Status AppendStoredKey(std::span<const ByteView> encoded, Bytes* key) const;

  // Would the column's bytes, as Encode gives them, be read out of a key as another value? That of
  // text holds the byte that ends it there, which takes a column behind. Where it is true no row
  // that is read has the value.
  bool IsMisread(size_t column, ByteView encoded) const {
    const ColumnLayout& layout = layouts_[column];
    if (!layout.ends_at_separator || encoded.empty()) return false;
    // It begins as a NULL does.
    if (layout.desc && encoded[0] == '\0') return true;
    return std::memchr(encoded.data(), layout.desc ? 0xff : 0, encoded.size()) != nullptr;
  }

  // The encoded bytes of one column: empty for NULL. Never reads outside 'key'; bytes that no
  // encoder makes give some part of the key. 'key' is a whole row key, salt included.
  ByteView ColumnView(ByteView key, size_t column) const;
  // All columns at once: parts[i] for column i; parts.size() == column_count(). Corruption when a
  // fixed-width column is cut short or bytes are left over.
  Status Split(ByteView key, std::span<KeyPart> parts) const;
  // Column 'column' of 'key' into row 'row' of a vector of the column's type. Views point into
  // 'key'.
  Status DecodeColumnInto(ByteView key, size_t column, Vector* vector, size_t row) const {
    const KeyColumn& c = columns_[column];
    return DecodeInto(ColumnView(key, column), c.type, c.order, vector, row);
  }
  // keys[i] into row i.
  Status DecodeColumnInto(std::span<const ByteView> keys, size_t column, Vector* vector) const;
  Result<std::vector<Value>> DecodeKey(ByteView key) const;

  // The separator that stands after a column's value when another follows ("" for fixed width).
  ByteView Separator(size_t column, bool is_null) const;
  // What stands after a column's value when no other follows: the DESC terminator or nothing.
  ByteView Terminator(size_t column, bool is_null) const;
  bool IsFixed(size_t column) const { return layouts_[column].layout == Layout::kFixed; }
  // Of a column that IsFixed; bytes.
  uint32_t FixedWidthOf(size_t column) const { return layouts_[column].width; }
  // Is the value always followed by ff (or ff fe)?
  bool IsTerminated(size_t column) const {
    return layouts_[column].desc && layouts_[column].layout != Layout::kFixed;
  }

  // Reads 'column', whose bytes begin at 'position' of 'key' (any bytes; position <= key.size()).
  // 'key' may end after any column.
  KeyStep Step(ByteView key, size_t column, size_t position) const;
  // The same of a whole row key. The NULL of a descending VARBINARY_ENCODED is stored as 00 01,
  // with which values that begin with ff fe begin, too: what follows in the key tells which it is.
  // Where both readings make a whole key, which takes a later column of variable width, it is the
  // value.
  KeyStep StepInRow(ByteView key, size_t column, size_t position) const {
    return layouts_[column].ambiguous ? ResolveNull(key, column, position)
                                      : Step(key, column, position);
  }

  // The salt byte of a key whose bytes after the salt are 'key_after_salt'.
  static uint8_t SaltByte(ByteView key_after_salt, int32_t buckets);

  // Fills a split point up with zeros as Phoenix does, so that it parses as a key.
  Bytes PadSplitPoint(ByteView split) const;
  // The split points of a salted table, padded: bucket 1 … buckets-1. Empty when unsalted.
  std::vector<Bytes> SaltSplitPoints() const;

 private:
  enum class Layout : uint8_t { kFixed, kVariable, kEncoded };  // kEncoded: VARBINARY_ENCODED
  struct ColumnLayout {
    Layout layout = Layout::kVariable;
    bool desc = false;
    bool ambiguous = false;  // NULL and some values begin alike, see StepInRow
    bool ends_at_separator = false;
    uint32_t width = 0;
    // Offset from the start of the first column when all columns before are fixed; else -1.
    int32_t constant_offset = -1;
  };
  KeyStep ResolveNull(ByteView key, size_t column, size_t position) const;
  // Do the bytes from 'position' on hold the columns from 'column' on, and nothing else? 'guesses'
  // bounds how often NULL and value are both tried; past it the answer is no.
  bool HoldsColumns(ByteView key, size_t column, size_t position, int* guesses) const;

  std::vector<KeyColumn> columns_;
  std::vector<ColumnLayout> layouts_;
  int32_t salt_buckets_ = 0;
  int row_timestamp_column_ = -1;
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_KEY_SCHEMA_H_
