// RowRules: which cells of one row of one family pass.
//
// Input: the row's cells in HBase's order, merged from all sources; output: those that the purpose
// lets through, in the same order. A row may come in parts (Progress). One thread
// at a time; keeps nothing from row to row.
//
// Reading (hbase-cell spec section 6), cell by cell:
//   1. newer than the read point: not there           2. expired: not there (unless MIN_VERSIONS)
//   3. a delete marker: remembered                    4. hidden by a remembered marker: not there
//   5. outside the time range or not asked for        6. beyond the version limit: not there
// Rewriting in a flush or compaction (section 8) applies the same to cells that no reader needs any
// more, keeps the others verbatim, and keeps markers unless every file takes part. No reader: none
// that is open, and none as of an earlier moment within the max look-back.
#ifndef BENNU_SRC_ENGINE_STORE_ROW_RULES_H_
#define BENNU_SRC_ENGINE_STORE_ROW_RULES_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "bennu/cell.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "src/hfile/block.h"

namespace bennu::engine {

// What a family's descriptor says of versions and expiry, read out of its attributes once.
// Immutable.
struct FamilyRules {
  explicit FamilyRules(const ColumnFamilyDescriptor& family, int64_t max_lookback_millis = 0,
                       int64_t purge_deletes_millis = 0, uint64_t row_bytes_max = 0);

  const Bytes name;
  const int32_t max_versions;
  const int32_t min_versions;
  const int32_t ttl_seconds;  // kTtlForever: cells do not expire
  const KeepDeletedCells keep_deleted;
  const bool new_version_behavior;
  const bool block_cache;  // blocks that are read are worth keeping
  // Phoenix's max look-back: rewriting keeps what a read as of any moment so far back may see.
  const int64_t max_lookback_millis;
  // hbase.hstore.time.to.purge.deletes: markers up to this age outlive a major compaction. 0: none.
  const int64_t purge_deletes_millis;
  // What may be read of a row at once (row_size.h); 0: no limit.
  const uint64_t row_bytes_max;
};

// The timestamps that a scan wants of a family.
const TimeRange& TimeRangeOf(const Scan& scan, const Bytes& family);

class RowRules {
 public:
  struct Options {
    uint64_t read_point = 0;  // reading: newest visible id; rewriting: smallest of all readers
    int64_t now_millis = 0;
    bool rewriting = false;              // flush or compaction
    bool drop_markers = false;           // every file of the store takes part
    int64_t earliest_put_timestamp = 0;  // over the inputs, when drop_markers
    // Rewriting: cells from this time on are kept as they are, so that reads as of a moment since
    // then see what they saw. 'now_millis' is that moment then.
    int64_t keep_from_millis = std::numeric_limits<int64_t>::max();
    // With drop_markers: delete markers from this time on are kept as they are.
    int64_t keep_markers_from_millis = std::numeric_limits<int64_t>::max();
  };

  // What is known of a row that comes in parts, and where its next part may begin. Columns are only
  // left out behind the one without a qualifier, where the markers of the family are. To be used
  // after Begin() only.
  class Progress {
   public:
    Progress();
    ~Progress();
    // No later cell can pass.
    bool done() const;
    // No cell before this column can pass; null: the cells that follow may.
    const Bytes* next_column() const;
    // The one column to be read next, when the scan names its columns or leaves some out; null: all
    // from next_column() on. Once all its cells were seen, EndColumn() must be called with it.
    const Bytes* only_column() const;
    // How many columns, that one among them, the scan still wants; 0: not known.
    size_t columns_left() const;
    void EndColumn(ByteView qualifier);
    // next_column() was followed.
    void Jumped();
    // The reader wants nothing before that column.
    void SkipTo(ByteView qualifier);

   private:
    friend class RowRules;
    struct State;
    std::unique_ptr<State> state_;  // made by the first Begin(): few scans need it
  };

  RowRules(const FamilyRules& family, const Scan& scan, const Options& options);

  // Puts *progress at the beginning of a row.
  void Begin(Progress* progress) const;
  // The next cells of the row. 'count' may be 0.
  void ApplyPart(const Cell* cells, size_t count, Progress* progress, std::vector<Cell>* out) const;

  void Apply(const Cell* cells, size_t count, std::vector<Cell>* out) const;
  // The same for cells [begin, end) of a block, one row; looks only at those that it needs.
  void ApplyBlock(const hfile::Block& block, uint32_t begin, uint32_t end,
                  std::vector<Cell>* out) const;

  // Whether puts with timestamps and sequence ids within these bounds, without tags and each the
  // only version of its column, all pass (those of columns that are asked for).
  bool PassesAll(int64_t min_timestamp, int64_t max_timestamp, uint64_t max_sequence_id) const {
    return max_sequence_id <= options_.read_point && !Expired(min_timestamp) &&
           (time_range_.all() ||
            (time_range_.Contains(min_timestamp) && time_range_.Contains(max_timestamp)));
  }
  // Whether PassesAll may be asked: no rule looks at more than single cells.
  bool by_cell() const {
    return !options_.rewriting && !raw_ && !new_version_behavior_ && version_limit_ > 0 &&
           cell_limit_ < 0 && cell_offset_ <= 0;
  }
  bool one_version() const { return version_limit_ == 1; }              // of a column, at most
  const std::vector<Bytes>& qualifiers() const { return qualifiers_; }  // sorted; empty: all

  // What cells of a row leave of older ones.
  struct Hidden {
    bool all = false;
    std::vector<ByteView> columns;  // that markers hide; puts hide those of their own columns
  };
  // For cells of a row whose other cells are puts with timestamps and sequence ids up to these, for
  // which PassesAll holds. Whether Apply of the cells by themselves gives those of them that pass,
  // and *hidden what the others lose besides; false: all must be applied together.
  bool AppliesAlone(const std::vector<Cell>& cells, int64_t others_max_timestamp,
                    uint64_t others_max_sequence_id, Hidden* hidden) const;

 private:
  struct DeleteTracker;
  struct ColumnState;

  template <typename Cells>
  void Dispatch(const Cells& cells, size_t count, std::vector<Cell>* out) const;
  // 'state' is null for a whole row.
  template <typename Cells>
  void ApplyRead(const Cells& cells, size_t count, Progress::State* state,
                 std::vector<Cell>* out) const;
  template <typename Cells>
  void ApplyReadByWrites(const Cells& cells, size_t count, Progress::State* state,
                         std::vector<Cell>* out) const;
  template <typename Cells>
  void ApplyRaw(const Cells& cells, size_t count, Progress::State* state,
                std::vector<Cell>* out) const;
  // Whether no older cell of the last one's column can pass.
  bool ColumnIsOver(const Cell& last, const Progress::State& state) const;
  template <typename Cells>
  void ApplyRewrite(const Cells& cells, size_t count, Progress::State* state,
                    std::vector<Cell>* out) const;
  // HBase's store offset and limit, for the cells of one row from 'begin' on, which 'before' others
  // came before.
  void Trim(size_t begin, size_t before, std::vector<Cell>* out) const;
  bool CountsInRewrite(const Cell& cell, bool expired, ColumnState* column) const;
  bool ExpiredByTag(const Cell& cell) const;
  bool Expired(int64_t timestamp) const { return timestamp < oldest_unexpired_; }
  bool Wants(ByteView qualifier) const;
  bool MarkerHides(int64_t timestamp) const;
  bool KeepMarker(int64_t timestamp) const;

  const Options options_;
  const TimeRange time_range_;
  const bool raw_;
  const int32_t version_limit_;
  const int32_t family_versions_;
  const bool new_version_behavior_;
  const int32_t cell_limit_;   // of a row; -1: none
  const int32_t cell_offset_;  // of a row
  const int32_t min_versions_;
  const KeepDeletedCells keep_deleted_;
  int64_t oldest_unexpired_ = std::numeric_limits<int64_t>::min();
  std::vector<Bytes> qualifiers_;  // sorted; empty: all columns
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_ROW_RULES_H_
