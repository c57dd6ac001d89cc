// IndexFiller: fills an index of a store with what a snapshot of its table shows, in the order of
// the index.
//
//   read     rows are taken as the snapshot has them, and encoded a thousand at a time
//   sort     some ten thousand of them, by their keys in the index, so that neighbours are written
//            one after another: a memstore finds the place of a neighbour in a few steps
//   write    a thousand at a time, under the locks of the table's rows
//
// What keeps the index in step while others write the table: from before the snapshot on every
// write is noted in WrittenRows, under its row's lock. A row that is not in there when the filler
// holds its lock is as the snapshot showed it. All others are read anew under the lock.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_FILLER_H_
#define BENNU_SRC_SQL_INDEX_INDEX_FILLER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/cell/expiry.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/index/index_build.h"
#include "src/sql/index/written_rows.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// What the fillers of one index have in common. All that it points to must outlive them.
struct FillTarget {
  api::ObservedStore* store = nullptr;
  std::shared_ptr<const plan::IndexDefinition> definition;
  const WrittenRows* written = nullptr;
  api::WriteObserver* observer = nullptr;  // of rows that were written
  cell::FamilyTtls ttls;                   // of the table
  bool is_new = false;                     // the snapshot shows nothing of the index, nor markers
};

// One thread at a time.
class IndexFiller : public RowSink, private api::RowDeriver {
 public:
  explicit IndexFiller(const FillTarget& target)
      : target_(target), encoder_(target.definition, /*builds=*/true) {}

  Status Add(const CellBatch& rows) override;
  Status Finish() override;

 private:
  // Rows that were encoded together. Memory is used again and again.
  struct Block {
    Bytes keys;  // of the table, one after another
    std::vector<uint32_t> key_ends;
    std::vector<int64_t> newest;
    std::vector<exec::IndexEntry> entries;
    std::vector<uint8_t> in_parts;  // cells of the row expire at different moments

    ByteView KeyOf(uint32_t row) const {
      const uint32_t begin = row == 0 ? 0 : key_ends[row - 1];
      return ByteView(keys).substr(begin, key_ends[row] - begin);
    }
  };
  struct Place {
    uint64_t prefix;  // of the key in the index, its first eight bytes
    uint32_t block;
    uint32_t row;
  };
  const exec::IndexEntry& EntryOf(const Place& place) const {
    return blocks_[place.block]->entries[place.row];
  }

  Block* NextBlock();
  Status Write();

  // Of the rows of the group that is being written. What a row has that goes in parts is left to
  // the observer (expiring_rows.h).
  bool IsAsRead(size_t i) override {
    const Place& place = group_[i];
    return blocks_[place.block]->in_parts[place.row] == 0 &&
           !target_.written->MayHave(group_rows_[i].row);
  }
  Status Derive(const RegionInfo& region, size_t i, api::DerivedWrites* derived) override;
  bool derives_new_rows() const override { return target_.is_new; }
  api::WriteObserver* observer() override { return target_.observer; }

  const FillTarget target_;
  exec::IndexEncoder encoder_;
  std::vector<exec::TableRow> rows_;
  std::vector<std::unique_ptr<Block>> blocks_;
  size_t used_blocks_ = 0;
  std::vector<Place> places_;
  size_t bytes_ = 0;              // of keys and values that wait
  std::span<const Place> group_;  // of places_
  std::vector<api::ReadRow> group_rows_;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_FILLER_H_
