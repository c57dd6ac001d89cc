#include "src/engine/store/rows_reader.h"

#include <limits>

#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/file_selection.h"

namespace bennu::engine {

namespace {

RowRules::Options OptionsOf(uint64_t read_point, int64_t now_millis) {
  RowRules::Options options;
  options.read_point = read_point;
  options.now_millis = now_millis;
  return options;
}

}  // namespace

RowsReader::RowsReader(const Store& store, const Scan* scan, uint64_t read_point,
                       int64_t now_millis)
    : store_(store),
      scan_(scan),
      read_point_(read_point),
      now_millis_(now_millis),
      reading_(store.StartReading()),
      rules_(*reading_.family, *scan, OptionsOf(read_point, now_millis)),
      time_range_(TimeRangeOf(*scan, reading_.family->name)),
      cursors_(reading_.view->files.size()) {}

bool RowsReader::IsInMemory(ByteView row) {
  key_.clear();
  for (const auto& memstore : reading_.view->memstores) {
    if (memstore->empty()) continue;
    if (key_.empty()) cell::AppendFirstOnRow(&key_, row);
    MemStore::Iterator iterator(memstore.get());
    iterator.Seek(key_, std::numeric_limits<uint64_t>::max());
    if (iterator.Valid() && iterator.cell().row() == row) return true;
  }
  return false;
}

Result<bool> RowsReader::Find(size_t file, ByteView row) {
  std::optional<hfile::Cursor>& cursor = cursors_[file];
  if (cursor.has_value() && cursor->Valid()) {
    const hfile::Block& block = *cursor->block();
    // The first row may have begun in the block before.
    if (block.RowAt(0) < row && row <= block.RowAt(block.cell_count() - 1)) {
      cursor->set_index(block.RowStart(block.RowLowerBound(row)));
      return block.RowAt(cursor->index()) == row;
    }
  }
  const StoreFile& store_file = *reading_.view->files[file];
  const FileSelection selection = {*reading_.family, *scan_,      scan_->range,
                                   time_range_,      read_point_, now_millis_};
  Scanner::Metrics metrics;
  ASSIGN_OR_RETURN(const bool matters, selection.MayMatter(store_file, &metrics));
  if (!matters) return false;
  if (!cursor.has_value()) {
    hfile::CursorOptions options;
    options.cache_blocks = scan_->cache_blocks && reading_.family->block_cache;
    cursor.emplace(store_file.reader(), options);
  }
  RETURN_IF_ERROR(cursor->SeekToRow(row));
  return cursor->Valid() && cursor->block()->RowAt(cursor->index()) == row;
}

Result<bool> RowsReader::Read(std::vector<Cell>* cells,
                              std::vector<std::shared_ptr<const void>>* pins) {
  const ByteView row = scan_->range.start;
  if (reading_.meta_order || IsInMemory(row)) return false;
  const hfile::Cursor* found = nullptr;
  for (size_t i = 0; i < cursors_.size(); ++i) {
    ASSIGN_OR_RETURN(const bool has, Find(i, row));
    if (!has) continue;
    // Another file's cells would have to be merged with these.
    if (found != nullptr || reading_.view->files[i]->cell_sequence_id().has_value()) return false;
    found = &*cursors_[i];
  }
  if (found == nullptr) return true;
  const hfile::Block& block = *found->block();
  // Its rows may be larger than rows may be.
  const uint64_t row_bytes_max = reading_.family->row_bytes_max;
  if (row_bytes_max > 0 && block.memory_bytes() > row_bytes_max) return false;
  const uint32_t end = block.NextRowStart(found->index());
  if (end == block.cell_count() && found->last_row_goes_on()) return false;
  rules_.ApplyBlock(block, found->index(), end, cells);
  if (pins->empty() || pins->back().get() != &block) pins->push_back(found->block_pin());
  return true;
}

}  // namespace bennu::engine
