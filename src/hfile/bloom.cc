#include "src/hfile/bloom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/encoding/hash.h"

namespace bennu::hfile {

namespace {

constexpr uint32_t kMetadataVersion = 3;
constexpr std::string_view kRowColComparator = "org.apache.hadoop.hbase.CellComparatorImpl";
// A chunk's size is a multiple of 2^7, so that it can be folded seven times (io.storefile.bloom.
// max.fold).
constexpr uint32_t kFoldMax = 7;

// Where a key's i-th bit is in an array of 'bit_count' bits. Java's int arithmetic: wrapping sum,
// remainder with the sign of the dividend.
uint32_t BitPosition(uint32_t first, uint32_t second, uint32_t i, int32_t bit_count) {
  const int32_t sum = static_cast<int32_t>(first + i * second);
  return static_cast<uint32_t>(std::abs(sum % bit_count));
}

}  // namespace

uint32_t BloomHash(HashType type, ByteView key, uint32_t seed) {
  switch (type) {
    case HashType::kJenkins: return encoding::JenkinsHash(key, seed);
    case HashType::kMurmur: return encoding::MurmurHash(key, seed);
    case HashType::kMurmur3: return encoding::Murmur3Hash(key, seed);
  }
  return 0;
}

bool BloomContains(ByteView bits, uint32_t hash_count, HashType type, ByteView key) {
  const int32_t bit_count = static_cast<int32_t>(bits.size() * 8);
  if (bit_count <= 0) return false;
  const uint32_t first = BloomHash(type, key, 0);
  const uint32_t second = BloomHash(type, key, first);
  for (uint32_t i = 0; i < hash_count; ++i) {
    const uint32_t bit = BitPosition(first, second, i, bit_count);
    if ((static_cast<uint8_t>(bits[bit >> 3]) & (1u << (bit & 7))) == 0) return false;
  }
  return true;
}

Result<std::unique_ptr<BloomFilter>> BloomFilter::Parse(RawBlock block, uint64_t file_size) {
  ByteView rest = block.payload;
  auto filter = std::make_unique<BloomFilter>();
  uint32_t version;
  uint32_t hash_type;
  uint32_t chunk_count;
  int32_t comparator_length;
  ByteView comparator;
  if (!ConsumeBE32(&rest, &version) || !ConsumeBE64(&rest, &filter->byte_size_) ||
      !ConsumeBE32(&rest, &filter->hash_count_) || !ConsumeBE32(&rest, &hash_type) ||
      !ConsumeBE64(&rest, &filter->key_count_) || !ConsumeBE64(&rest, &filter->keys_max_) ||
      !ConsumeBE32(&rest, &chunk_count) || !ConsumeVInt(&rest, &comparator_length) ||
      comparator_length < 0 ||
      !ConsumeBytes(&rest, static_cast<size_t>(comparator_length), &comparator)) {
    return Corruption("bloom filter metadata ends early");
  }
  if (version != kMetadataVersion) {
    return Corruption(fmt::format("bloom filter metadata of unknown version {}", version));
  }
  if (hash_type > static_cast<uint32_t>(HashType::kMurmur3) || filter->hash_count_ == 0 ||
      filter->hash_count_ > 127) {
    return Corruption(fmt::format("bloom filter with hash type {} and {} hashes", hash_type,
                                  filter->hash_count_));
  }
  filter->hash_type_ = static_cast<HashType>(hash_type);
  filter->comparator_ = Bytes(comparator);
  const size_t start = block.payload.size() - rest.size();
  ASSIGN_OR_RETURN(filter->chunks_,
                   ParseBloomIndex(std::move(block), start, chunk_count, file_size));
  if (!filter->chunks_->tail().empty()) {
    return Corruption("bloom filter metadata goes on after its last chunk");
  }
  if (filter->is_row_col()) RETURN_IF_ERROR(filter->chunks_->CheckCellKeys());
  return filter;
}

const IndexBlock::Entry* BloomFilter::FindChunk(ByteView key, bool meta_order) const {
  const int64_t index = is_row_col() ? chunks_->FloorCell(key, meta_order)
                        : meta_order ? chunks_->FloorMetaRow(key)
                                     : chunks_->FloorBytes(key);
  return index < 0 ? nullptr : &chunks_->entry(static_cast<uint32_t>(index));
}

void BuildRowColKey(ByteView row, ByteView qualifier, Bytes* out) {
  out->clear();
  cell::AppendFlatKey(out, row, ByteView(), qualifier, kLatestTimestamp, CellType::kMaximum);
}

// ---- BloomWriter

BloomWriter::BloomWriter(size_t chunk_size_bytes, double error_rate, bool row_col)
    : row_col_(row_col) {
  // A ROWCOL filter is asked twice per column (the column, the row's deletes), so each answer gets
  // half of the allowed error.
  const double error = row_col ? 1 - std::sqrt(1 - error_rate) : error_rate;
  constexpr size_t kMultiple = size_t{1} << kFoldMax;
  chunk_bytes_ = (std::max<size_t>(chunk_size_bytes, 1) + kMultiple - 1) / kMultiple * kMultiple;
  const double bits = static_cast<double>(chunk_bytes_ * 8);
  const double ln2 = std::log(2.0);
  const int64_t ideal_keys_max =
      std::max<int64_t>(1, static_cast<int64_t>(bits * (ln2 * ln2 / -std::log(error))));
  const int64_t bits_per_key = static_cast<int64_t>(chunk_bytes_ * 8) / ideal_keys_max;
  hash_count_ = static_cast<uint32_t>(
      std::min(127.0, std::max(1.0, std::ceil(ln2 * static_cast<double>(bits_per_key)))));
  chunk_keys_max_ = static_cast<uint32_t>(-bits / hash_count_ *
                                          std::log(1 - std::exp(std::log(error) / hash_count_)));
}

void BloomWriter::StartChunk() {
  bits_.assign(chunk_bytes_, '\0');
  chunk_key_count_ = 0;
  open_ = true;
}

void BloomWriter::Add(ByteView key) {
  if (open_ && chunk_key_count_ >= chunk_keys_max_) CloseChunk();
  if (!open_) {
    StartChunk();
    first_key_.assign(key);
  }
  const int32_t bit_count = static_cast<int32_t>(bits_.size() * 8);
  const uint32_t first = BloomHash(hash_type_, key, 0);
  const uint32_t second = BloomHash(hash_type_, key, first);
  for (uint32_t i = 0; i < hash_count_; ++i) {
    const uint32_t bit = BitPosition(first, second, i, bit_count);
    bits_[bit >> 3] = static_cast<char>(static_cast<uint8_t>(bits_[bit >> 3]) | (1u << (bit & 7)));
  }
  ++chunk_key_count_;
  ++key_count_;
}

// Folds a chunk that is mostly empty onto itself: a bit's position modulo the folded size is the
// same, as sizes are halved. The following chunks start from the folded size, as in HBase.
void BloomWriter::CloseChunk() {
  size_t size = bits_.size();
  while (size % 2 == 0 && chunk_keys_max_ > 2 * uint64_t{chunk_key_count_}) {
    size /= 2;
    chunk_keys_max_ /= 2;
  }
  for (size_t at = size; at < bits_.size(); ++at) {
    bits_[at % size] = static_cast<char>(bits_[at % size] | bits_[at]);
  }
  bits_.resize(size);
  chunk_bytes_ = size;
  byte_size_ += size;
  keys_max_ += chunk_keys_max_;
  ready_.push_back({std::move(first_key_), std::move(bits_)});
  first_key_.clear();
  bits_.clear();
  open_ = false;
}

bool BloomWriter::HasReadyChunk(bool closing) {
  if (open_ && (closing || chunk_key_count_ >= chunk_keys_max_)) CloseChunk();
  return !ready_.empty();
}

void BloomWriter::ChunkWritten(uint64_t offset, uint32_t on_disk_size) {
  index_.Add(ready_.front().first_key, offset, on_disk_size);
  ready_.pop_front();
}

void BloomWriter::AppendMetadata(Bytes* out) const {
  AppendBE32(out, kMetadataVersion);
  AppendBE64(out, byte_size_);
  AppendBE32(out, hash_count_);
  AppendBE32(out, static_cast<uint32_t>(hash_type_));
  AppendBE64(out, key_count_);
  AppendBE64(out, keys_max_);
  AppendBE32(out, static_cast<uint32_t>(index_.entry_count()));
  const std::string_view comparator = row_col_ ? kRowColComparator : std::string_view();
  AppendVInt(out, static_cast<int32_t>(comparator.size()));
  out->append(comparator);
  index_.AppendRoot(out);
}

}  // namespace bennu::hfile
