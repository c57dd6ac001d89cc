#include "src/engine/store/range_reader.h"

#include <limits>

#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/file_selection.h"
#include "src/hfile/cursor.h"

namespace bennu::engine {

namespace {

// The rows that were found: [begin, end) of a block.
struct BlockRows {
  std::shared_ptr<const hfile::Block> block;  // null: none yet
  uint32_t begin = 0;
  uint32_t end = 0;
};

bool HasRows(const MemStore& memstore, ByteView low, ByteView high) {
  if (memstore.empty()) return false;
  Bytes key;
  cell::AppendFirstOnRow(&key, low);
  MemStore::Iterator iterator(&memstore);
  iterator.Seek(key, std::numeric_limits<uint64_t>::max());
  return iterator.Valid() && iterator.cell().row() < high;
}

// False: the file has rows, and they are not at hand.
Result<bool> FindInFile(const StoreFile& file, const FileSelection& selection, ByteView low,
                        ByteView high, size_t rows_max, BlockRows* rows,
                        Scanner::Metrics* metrics) {
  ASSIGN_OR_RETURN(const bool matters, selection.MayMatter(file, metrics));
  if (!matters) return true;
  ++metrics->files_opened;
  hfile::CursorOptions options;
  options.cache_blocks = selection.scan.cache_blocks && selection.family.block_cache;
  hfile::Cursor cursor(file.reader(), options);
  RETURN_IF_ERROR(cursor.SeekToRow(low));
  metrics->blocks_read += cursor.blocks_read();
  metrics->blocks_cached += cursor.blocks_cached();
  if (!cursor.Valid() || cursor.block()->RowAt(cursor.index()) >= high) return true;
  // Another file's rows would have to be merged with these.
  if (rows->block != nullptr || file.cell_sequence_id().has_value()) return false;
  const hfile::Block& block = *cursor.block();
  // Its rows may be larger than rows may be.
  const uint64_t row_bytes_max = selection.family.row_bytes_max;
  if (row_bytes_max > 0 && block.memory_bytes() > row_bytes_max) return false;
  // There may be more in the next block.
  if (block.RowAt(block.cell_count() - 1) < high) return false;
  rows->begin = block.RowOf(cursor.index());
  rows->end = rows->begin;
  // They are few, or the loop ends soon.
  while (block.RowAt(block.RowStart(rows->end)) < high) {
    if (++rows->end - rows->begin > rows_max) return false;
  }
  rows->block = cursor.block_pin();
  return true;
}

}  // namespace

bool IsShortScan(const Scan& scan) {
  const bool ends_fit = scan.reversed ? !scan.range.start_inclusive && scan.range.stop_inclusive
                                      : scan.range.start_inclusive && !scan.range.stop_inclusive;
  return ends_fit && !scan.range.start.empty() && !scan.range.stop.empty() && !scan.raw &&
         scan.batch < 0 && scan.max_result_bytes < 0 && !scan.read_uncommitted &&
         scan.filter == nullptr && scan.navigator == nullptr;
}

Result<bool> ReadRangeAtHand(const Store& store, const Scan& scan, uint64_t read_point,
                             int64_t now_millis, size_t rows_max, CellBatch* batch,
                             std::vector<std::shared_ptr<const void>>* pins,
                             Scanner::Metrics* metrics) {
  const Store::Reading reading = store.StartReading();
  if (reading.meta_order || reading.view->has_references) return false;
  const ByteView low = scan.reversed ? scan.range.stop : scan.range.start;
  const ByteView high = scan.reversed ? scan.range.start : scan.range.stop;
  for (const auto& memstore : reading.view->memstores) {
    if (HasRows(*memstore, low, high)) return false;
  }
  const FamilyRules& family = *reading.family;
  const FileSelection selection = {
      family, scan, scan.range, TimeRangeOf(scan, family.name), read_point, now_millis};
  BlockRows rows;
  for (const auto& file : reading.view->files) {
    ASSIGN_OR_RETURN(const bool at_hand,
                     FindInFile(*file, selection, low, high, rows_max, &rows, metrics));
    if (!at_hand) return false;
  }
  if (rows.block == nullptr) return true;
  RowRules::Options options;
  options.read_point = read_point;
  options.now_millis = now_millis;
  const RowRules rules(family, scan, options);
  int64_t taken = 0;
  for (uint32_t i = 0; i < rows.end - rows.begin && taken != scan.row_limit; ++i) {
    const uint32_t row = scan.reversed ? rows.end - 1 - i : rows.begin + i;
    const size_t before = batch->cells.size();
    rules.ApplyBlock(*rows.block, rows.block->RowStart(row), rows.block->RowStart(row + 1),
                     &batch->cells);
    metrics->cells_seen += rows.block->RowStart(row + 1) - rows.block->RowStart(row);
    if (batch->cells.size() == before) continue;
    batch->row_starts.push_back(static_cast<uint32_t>(before));
    ++taken;
  }
  metrics->rows += static_cast<uint64_t>(taken);
  pins->push_back(std::move(rows.block));
  return true;
}

}  // namespace bennu::engine
