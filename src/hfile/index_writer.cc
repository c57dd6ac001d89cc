#include "src/hfile/index_writer.h"

#include <utility>

#include "src/base/status_macros.h"

namespace bennu::hfile {

IndexWriter::IndexWriter(BlockWriter* blocks, size_t chunk_size_bytes, size_t chunk_entries_min)
    : blocks_(blocks), chunk_size_bytes_(chunk_size_bytes), chunk_entries_min_(chunk_entries_min) {}

void IndexWriter::AddDataBlock(ByteView separator, const BlockWriter::Place& place) {
  leaf_.Add(separator, place.offset, place.on_disk_size);
  ++data_block_count_;
}

Status IndexWriter::WriteInline(bool closing) {
  if (leaf_.entry_count() == 0) return Status();
  if (closing && root_.entry_count() == 0) {
    std::swap(leaf_, root_);
    return Status();
  }
  if (!closing && leaf_.non_root_size() < chunk_size_bytes_) return Status();
  payload_.clear();
  leaf_.AppendNonRoot(&payload_);
  ASSIGN_OR_RETURN(const BlockWriter::Place place, blocks_->Write(BlockType::kLeafIndex, payload_));
  uncompressed_size_ += payload_.size();
  root_.Add(leaf_.key(0), place.offset, place.on_disk_size, data_block_count_);
  leaf_.Clear();
  levels_ = 2;
  return Status();
}

Result<BlockWriter::Place> IndexWriter::Finish() {
  // The middle is that of the leaves, so it is taken before the root may hold other entries.
  Bytes middle;
  if (levels_ > 1) root_.AppendMidKeyMetadata(&middle);
  while (root_.root_size() > chunk_size_bytes_ && root_.entry_count() > chunk_entries_min_ &&
         levels_ < kIndexLevelsMax) {
    RETURN_IF_ERROR(WriteIntermediateLevel());
    ++levels_;
  }
  payload_.clear();
  root_.AppendRoot(&payload_);
  payload_ += middle;
  ASSIGN_OR_RETURN(const BlockWriter::Place place, blocks_->Write(BlockType::kRootIndex, payload_));
  uncompressed_size_ += payload_.size();
  return place;
}

Status IndexWriter::WriteIntermediateLevel() {
  IndexChunk parent;
  IndexChunk chunk;
  for (size_t i = 0; i < root_.entry_count(); ++i) {
    chunk.Add(root_.key(i), root_.offset(i), root_.on_disk_size(i));
    if (chunk.entry_count() >= chunk_entries_min_ && chunk.root_size() >= chunk_size_bytes_) {
      RETURN_IF_ERROR(WriteIntermediateBlock(&chunk, &parent));
    }
  }
  if (chunk.entry_count() > 0) RETURN_IF_ERROR(WriteIntermediateBlock(&chunk, &parent));
  root_ = std::move(parent);
  return Status();
}

Status IndexWriter::WriteIntermediateBlock(IndexChunk* chunk, IndexChunk* parent) {
  payload_.clear();
  chunk->AppendNonRoot(&payload_);
  ASSIGN_OR_RETURN(const BlockWriter::Place place,
                   blocks_->Write(BlockType::kIntermediateIndex, payload_));
  uncompressed_size_ += payload_.size();
  parent->Add(chunk->key(0), place.offset, place.on_disk_size);
  chunk->Clear();
  return Status();
}

}  // namespace bennu::hfile
