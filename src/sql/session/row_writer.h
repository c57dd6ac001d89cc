// RowWriter: one UPSERTed row to its row key and cells.
//
// Made once for a table and the columns that a statement names; appends row after row without
// allocating per column. The layout of the cells is in docs of the catalog: an empty column in
// every row, a cell per column or an array per family, nulls as the table wants them.
// One thread at a time. Source: phoenix-storage.md section 2, phoenix-keys.md sections 1 and 8.
#ifndef BENNU_SRC_SQL_SESSION_ROW_WRITER_H_
#define BENNU_SRC_SQL_SESSION_ROW_WRITER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/session/pending_writes.h"

namespace bennu::sql::session {

class RowWriter {
 public:
  // 'targets': the column of each value, as indexes into table->columns; the last one counts when a
  // column comes twice. 'key_defaults': by key position, the encoded default of a key column that
  // is not among the targets; empty for none.
  RowWriter(std::shared_ptr<const catalog::TableMeta> table, std::vector<uint32_t> targets,
            std::vector<Bytes> key_defaults);

  // Appends one row. 'encoded': for each target the value as its column stores it (Encode with the
  // column's order); empty is NULL. 'timestamp': of the cells, kLatestTimestamp for the store's
  // clock; a ROW_TIMESTAMP column overrules it. 'now_ms' is what a ROW_TIMESTAMP column that is not
  // among the targets gets. Appends nothing after an error: 218 NULL in a column that must have
  // a value, 201 a ROW_TIMESTAMP below zero or NULL, 201 key too long.
  Status Append(std::span<const ByteView> encoded, int64_t timestamp, int64_t now_ms,
                TableWrites* writes);

  const catalog::TableMeta& table() const { return *table_; }
  const std::vector<uint32_t>& targets() const { return targets_; }

 private:
  enum class NullAction : uint8_t { kDeleteColumn, kPutEmpty, kNothing };

  struct CellPlan {
    int32_t value = -1;  // index into the values; -1: what the view holds the column to
    const catalog::ColumnMeta* column = nullptr;
    NullAction on_null = NullAction::kDeleteColumn;
  };
  // One family of a single-cell table: the value of each array element, -1 when not among the
  // targets.
  struct ArrayPlan {
    const std::string* family = nullptr;
    std::vector<CellPlan> elements;  // without element 0
  };

  void PlanCells(const std::vector<int32_t>& value_of_column);
  void PlanArrays(const std::vector<int32_t>& value_of_column);
  static ByteView ValueOf(const CellPlan& plan, std::span<const ByteView> encoded);
  Status CheckRequired(std::span<const ByteView> encoded) const;
  Result<int64_t> RowTimestamp(std::span<const ByteView> encoded, int64_t now_ms);
  Status BuildKey(std::span<const ByteView> encoded);
  void AppendCells(std::span<const CellPlan> plans, std::span<const ByteView> encoded,
                   int64_t timestamp, TableWrites* writes);
  void AppendArray(const ArrayPlan& plan, std::span<const ByteView> encoded, int64_t timestamp,
                   TableWrites* writes);

  std::shared_ptr<const catalog::TableMeta> table_;
  std::vector<uint32_t> targets_;
  std::vector<Bytes> key_defaults_;
  std::vector<int32_t> value_of_key_;
  std::vector<size_t> checks_;      // targets that a view holds to a constant
  std::vector<CellPlan> required_;  // NOT NULL outside of the key
  std::vector<CellPlan> cells_;     // by family and qualifier
  size_t before_empty_ = 0;         // how many of them sort before the empty column
  std::vector<ArrayPlan> arrays_;

  // Reused from row to row.
  Bytes key_;
  Bytes row_timestamp_;
  Bytes array_;
  std::vector<ByteView> key_parts_;
  std::vector<std::optional<ByteView>> elements_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_ROW_WRITER_H_
