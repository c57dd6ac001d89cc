// Compound bloom filters: chunks of a bit array each, spread over the file, with an index of the
// chunks' first keys in the metadata block.
//
// Metadata payload                                       (HBase 2.5 CompoundBloomFilter)
//   int version (3), long bytes of all chunks, int hash count, int hash type, long keys, long keys
//   at most, int chunks, vint + bytes comparator class, then root-index entries of the chunks
// The comparator class is empty for filters of rows, whose chunk keys are plain bytes; ROWCOL
// filters name CellComparatorImpl, and their chunk keys are flat keys.
#ifndef BENNU_SRC_HFILE_BLOOM_H_
#define BENNU_SRC_HFILE_BLOOM_H_

#include <cstdint>
#include <deque>
#include <memory>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/hfile/index.h"

namespace bennu::hfile {

enum class HashType : uint8_t { kJenkins = 0, kMurmur = 1, kMurmur3 = 2 };

// HBase's Hash implementations, over 'key' with 'seed'.
uint32_t BloomHash(HashType type, ByteView key, uint32_t seed);

// One chunk's bit array.
class BloomChunk final : public CachedBlock {
 public:
  static constexpr Kind kKind = Kind::kBloom;
  explicit BloomChunk(RawBlock block) : CachedBlock(kKind), raw_(std::move(block)) {}
  ByteView bits() const { return raw_.payload; }
  size_t memory_bytes() const override { return sizeof(*this) + raw_.payload.size(); }

 private:
  RawBlock raw_;
};

// True when all the key's bits are set in 'bits'.
bool BloomContains(ByteView bits, uint32_t hash_count, HashType type, ByteView key);

// The metadata of a filter: where its chunks are. Immutable.
class BloomFilter {
 public:
  // Takes the metadata block. Corruption: not version 3, counts that cannot be.
  static Result<std::unique_ptr<BloomFilter>> Parse(RawBlock block, uint64_t file_size);

  uint64_t byte_size() const { return byte_size_; }
  uint32_t hash_count() const { return hash_count_; }
  HashType hash_type() const { return hash_type_; }
  uint64_t key_count() const { return key_count_; }
  uint64_t keys_max() const { return keys_max_; }
  uint32_t chunk_count() const { return chunks_->entry_count(); }
  const IndexBlock::Entry& chunk(uint32_t index) const { return chunks_->entry(index); }
  const Bytes& comparator() const { return comparator_; }
  bool is_row_col() const { return !comparator_.empty(); }

  // The chunk that would hold 'key', null if none would. 'meta_order': rows of the file are in the
  // order of hbase:meta's, and so are the chunks, which are filled in the file's order.
  const IndexBlock::Entry* FindChunk(ByteView key, bool meta_order) const;

 private:
  uint64_t byte_size_ = 0;
  uint32_t hash_count_ = 0;
  HashType hash_type_ = HashType::kMurmur;
  uint64_t key_count_ = 0;
  uint64_t keys_max_ = 0;
  Bytes comparator_;
  std::shared_ptr<const IndexBlock> chunks_;
};

// The ROWCOL bloom key: a first-on-column flat key without family.
void BuildRowColKey(ByteView row, ByteView qualifier, Bytes* out);

// Builds a compound filter. Keys come in order, each once.
class BloomWriter {
 public:
  BloomWriter(size_t chunk_size_bytes, double error_rate, bool row_col);

  // 'key' is both what is hashed and what the chunk index compares.
  void Add(ByteView key);

  // A chunk ready to be written as an inline block, if any; 'closing' completes the last one.
  bool HasReadyChunk(bool closing);
  // Bits of the oldest ready chunk, valid until ChunkWritten tells where they went.
  const Bytes& ready_bits() const { return ready_.front().bits; }
  void ChunkWritten(uint64_t offset, uint32_t on_disk_size);

  uint64_t key_count() const { return key_count_; }
  // Payload of the metadata block. All chunks must have been written.
  void AppendMetadata(Bytes* out) const;

 private:
  struct Ready {
    Bytes first_key;
    Bytes bits;
  };
  void StartChunk();
  void CloseChunk();

  const bool row_col_;
  const HashType hash_type_ = HashType::kMurmur;
  uint32_t hash_count_ = 0;
  size_t chunk_bytes_ = 0;  // of the next chunk; shrinks when a chunk was folded
  uint32_t chunk_keys_max_ = 0;
  bool open_ = false;
  Bytes first_key_;
  Bytes bits_;
  uint32_t chunk_key_count_ = 0;
  std::deque<Ready> ready_;
  IndexChunk index_;
  uint64_t key_count_ = 0;
  uint64_t keys_max_ = 0;
  uint64_t byte_size_ = 0;
};

}  // namespace bennu::hfile

#endif  // BENNU_SRC_HFILE_BLOOM_H_
