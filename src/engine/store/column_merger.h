// ColumnMerger: rows of one family that stand in several blocks of columns, and among cells, put
// together as columns of their own.
//
// Rows are added in order; all that is added is copied by Finish, and must stay where it is until
// then. Runs of rows are copied as a whole. One thread at a time.
#ifndef BENNU_SRC_ENGINE_STORE_COLUMN_MERGER_H_
#define BENNU_SRC_ENGINE_STORE_COLUMN_MERGER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/cell.h"
#include "src/cell/column_rows.h"

namespace bennu::engine {

class ColumnMerger {
 public:
  // 'qualifiers': the columns that are wanted, sorted; empty: all. Both must outlive this.
  ColumnMerger(const Bytes* family, const std::vector<Bytes>* qualifiers);

  uint32_t row_count() const { return row_count_; }

  // Rows [begin, end).
  void AddRun(const std::shared_ptr<const ColumnRows>& rows, uint32_t begin, uint32_t end);
  // A row of cells, at least one, of each column once at most.
  void AddRow(const Cell* cells, size_t count);
  // Row 'row' of 'rows', where the cells take the place of what they are of, and columns 'hidden'
  // are not there.
  void AddRowUnder(const std::shared_ptr<const ColumnRows>& rows, uint32_t row,
                   const std::vector<ByteView>& hidden, const Cell* cells, size_t count);
  // Rows without any column; whoever adds them wants no keys.
  void AddGap(uint32_t count);

  // What was added, and forgets it. Null if that is nothing. The columns come in order of their
  // qualifiers; those that no row has are not among them.
  std::shared_ptr<const ColumnRows> Finish(bool with_keys = true);

 private:
  // A value that is not that of the run which the row is of.
  struct Patch {
    uint32_t row;
    const char* value;  // null: the row does not have the column
    uint32_t length;
  };
  struct Column {
    ByteView qualifier;
    std::vector<Patch> patches;  // in order of rows; of one row the last one counts
  };
  struct Base {
    std::shared_ptr<const ColumnRows> rows;
    std::vector<const ColumnRows::Column*> columns;  // as columns_; null: no row has it
    const ColumnRows::Column* column(size_t id) const {
      return id < columns.size() ? columns[id] : nullptr;
    }
  };
  static constexpr uint32_t kNoBase = UINT32_MAX;
  // Rows one after the other of a base, or one of cells, or a gap.
  struct Piece {
    uint32_t base;
    uint32_t begin;
    uint32_t count;
    ByteView key;  // of a row of cells
  };
  // How a column is laid out.
  struct Shape {
    bool any = false;       // a row has it
    bool missing = false;   // a row does not have it
    bool one_width = true;  // of all values
    bool one_value = true;
    uint32_t width = 0;
    const char* value = nullptr;  // the one value
    size_t bytes = 0;             // of all values, or somewhat more
    size_t ends_at = 0;
    size_t values_at = 0;
    size_t present_at = 0;
    size_t qualifier_at = 0;
    void AddWidth(uint32_t value_width, const char* same_value);
  };

  uint32_t BaseOf(const std::shared_ptr<const ColumnRows>& rows);
  size_t ColumnOf(ByteView qualifier);  // SIZE_MAX: not wanted
  void AddPatch(ByteView qualifier, const char* value, uint32_t length);
  Shape ShapeOf(size_t id) const;
  size_t KeyBytes() const;
  size_t Layout(std::vector<Shape>* shapes) const;
  void PutKeys(char* memory, char* keys, ColumnRows* rows) const;
  ColumnRows::Column Put(size_t id, const Shape& shape, char* memory) const;  // without family
  template <typename OnRun, typename OnPatch>
  void ForEachPart(size_t id, OnRun on_run, OnPatch on_patch) const;

  const Bytes* const family_;
  const std::vector<Bytes>* const qualifiers_;
  std::vector<Column> columns_;  // as 'qualifiers', or as they were met first
  std::vector<Base> bases_;
  std::vector<Piece> pieces_;
  uint32_t row_count_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COLUMN_MERGER_H_
