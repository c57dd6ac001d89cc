// IndexEncoder: rows of a table to those of one of its indexes.
//
//   encoder.Encode(rows, &entries, RowState::kNew);          // what each row has in the index
//   encoder.AppendChange(before, after, timestamp, &batch);  // the change from one to the other
//
// One thread at a time. Source: phoenix-storage.md section 6.1.
#ifndef BENNU_SRC_SQL_EXEC_INDEX_ENCODER_H_
#define BENNU_SRC_SQL_EXEC_INDEX_ENCODER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/expr/expr.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

// A row of the table: its newest cells, in HBase's order. None: it is not there.
struct TableRow {
  ByteView key;
  std::span<const Cell> cells;
};

// What a row has in the index. Owns its bytes.
struct IndexEntry {
  bool present = false;  // the row is there, and meets the index's condition
  Bytes key;
  // By included column of the definition; nothing: the row has no such cell.
  std::vector<std::optional<Bytes>> values;

  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// kStored: what the index has of the row now, which may come from Phoenix or an earlier Bennu; see
// StoredIndexKeyValue.
enum class RowState : uint8_t { kNew, kStored };

class IndexEncoder {
 public:
  // 'builds': the rows are those that an index is filled with, not those of a write.
  IndexEncoder(std::shared_ptr<const plan::IndexDefinition> definition, bool builds);

  // The rows expire with those of the table, even if the definition does not say so.
  void set_expires() { expires_ = true; }

  // Fills *entries, one for each row; memory of earlier calls is used again. Errors: 218 and kin
  // where an expression cannot be evaluated, a key becomes too long or cannot hold a value, naming
  // index and row.
  Status Encode(std::span<const TableRow> rows, std::vector<IndexEntry>* entries,
                RowState state = RowState::kNew);

  // Refuses a key of the table that SQL would not make of its values, as one with another salt byte
  // or a separator too many: the row would share its index rows with the one that has the right
  // key. Error 201, naming both; Corruption for one that has no values.
  Status CheckKey(ByteView key);

  // Appends what turns 'before' into 'after'; nothing when they are the same. 'timestamp' as in
  // MutationBatch::Put. 'prefix': what stands before the keys of entries, in a local index.
  void AppendChange(const IndexEntry& before, const IndexEntry& after, int64_t timestamp,
                    MutationBatch* batch, ByteView prefix = {});

  // ---- of a row of which cells expire at different moments (sql/index/expiring_rows.h)
  // Takes away the row of this key.
  void AppendGone(ByteView key, int64_t timestamp, MutationBatch* batch, ByteView prefix);
  // The row of a present entry, whatever was there before.
  void AppendWhole(const IndexEntry& entry, int64_t timestamp, MutationBatch* batch,
                   ByteView prefix);
  // A row of this key that says nothing by itself, whatever was there before: see IsUnsettled. It
  // goes after 'ttl_millis', or later if the index expires with its table.
  void AppendUnsettled(ByteView key, std::optional<int64_t> ttl_millis, int64_t timestamp,
                       MutationBatch* batch, ByteView prefix);

  // ---- the same change in Phoenix's phases, where an index row and the table's row are not
  // written as one Before the table's row is written: the index rows that it makes wrong, or that
  // are not there yet, are not believed any more.
  void AppendMarks(const IndexEntry& before, const IndexEntry& after, int64_t timestamp,
                   MutationBatch* batch);
  // After it was written: what the index has now, whole, whatever was there before.
  void AppendVerified(const IndexEntry& before, const IndexEntry& after, int64_t timestamp,
                      MutationBatch* batch);
  // Has nobody believe a row.
  static void AppendMark(const catalog::TableMeta& index, ByteView key, int64_t timestamp,
                         MutationBatch* batch);
  // Takes the row away.
  void AppendRemoval(ByteView key, int64_t timestamp, MutationBatch* batch);

  // 'cells', of the row entry.key of the index, are those that the entry has there. The mark in the
  // empty column may be any.
  bool Matches(const IndexEntry& entry, std::span<const Cell> cells);

  const plan::IndexDefinition& definition() const { return *definition_; }

 private:
  // Matches, of an index that keeps its columns in arrays.
  bool ArraysMatch(const IndexEntry& entry, std::span<const Cell> cells) const;
  // The row is there, and may be one of the view's.
  bool IsOfTable(const TableRow& row);
  // The same for its cells, which may be of other indexes, too.
  bool IsThere(std::span<const Cell> cells) const;
  // Its errors name neither.
  Status EncodeSome(std::span<const TableRow> rows, std::span<IndexEntry> entries, RowState state);
  // The error of the first of these rows, of which at least one has 'error'.
  Status NameRow(std::span<const TableRow> rows, RowState state, const Status& error) const;
  Status EncodeKey(size_t row, IndexEntry* entry, RowState state);
  void CopyIncluded(const TableRow& row, IndexEntry* entry);
  bool Changes(const IndexEntry& before, const IndexEntry& after) const;
  void StartRow(ByteView prefix, ByteView key, MutationBatch* batch);
  void AppendDeletes(int64_t timestamp, MutationBatch* batch);
  // Which of the columns that the entry lacks are deleted: those that 'before' has, and none where
  // it is null, as in a new row; or all of them.
  enum class Absent : uint8_t { kOfBefore, kAll };
  void AppendIncluded(const IndexEntry* before, const IndexEntry& entry, Absent absent,
                      int64_t timestamp, MutationBatch* batch);
  std::optional<ByteView> ArrayElement(const IndexEntry& entry, size_t included) const;
  void AppendArrays(const IndexEntry& entry, int64_t timestamp, MutationBatch* batch);

  const std::shared_ptr<const plan::IndexDefinition> definition_;
  const bool builds_;
  bool expires_;
  RowDecoder decoder_;
  EvalContext eval_;
  DataChunk chunk_;
  std::vector<const Vector*> values_;  // by key column: a column of chunk_, or of computed_
  std::vector<Vector> computed_;       // by key column
  SelectionVector selected_;
  std::vector<uint8_t> meets_;      // by row: it meets the index's condition
  std::vector<KeyPart> key_parts_;  // of the table's key
  std::vector<ByteView> key_views_;
  Bytes own_key_;
  std::vector<Bytes> parts_;
  std::vector<ByteView> part_views_;
  std::vector<std::optional<ByteView>> elements_;
  Bytes array_;
  Bytes row_;
  std::map<Bytes, std::set<Bytes>> read_columns_;  // of the table
  MutationBatch batch_;                            // what Matches expects
};

// The value of an index row's empty column says that the row agrees with the table's. Rows of local
// indexes say it as rows of tables do, by any value but those of rows that do not.
inline bool IsVerifiedMark(const catalog::TableMeta& index, ByteView value) {
  const char mark = value.size() == 1 ? value[0] : '\0';
  return index.is_local_index() ? mark != '\x02' && mark != '\x03' : mark == '\x01';
}
// The same of the cells of a row, among which the empty column is if the row has it.
bool IsVerified(const catalog::TableMeta& index, std::span<const Cell> cells);
// It says that what the row leads to has to be looked at, since cells of the table's row expire.
// To Phoenix it is a row that is not verified, and that comes to the same.
bool IsUnsettled(const catalog::TableMeta& index, std::span<const Cell> cells);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_INDEX_ENCODER_H_
