#include "src/hfile/block_encoder.h"

#include <algorithm>
#include <cstring>

#include "src/base/coding.h"

namespace bennu::hfile {

namespace {

// A flat key taken apart.
struct Key {
  const char* bytes;
  uint32_t length;
  uint32_t row_end;        // end of the row
  uint32_t qualifier;      // start of the qualifier
  uint32_t qualifier_end;  // start of the timestamp

  explicit Key(ByteView key)
      : bytes(key.data()),
        length(static_cast<uint32_t>(key.size())),
        row_end(2 + LoadBE16(key.data())),
        qualifier(row_end + 1 + static_cast<uint8_t>(key[row_end])),
        qualifier_end(length - 9) {}
};

uint32_t CommonPrefix(const char* left, const char* right, uint32_t max) {
  uint32_t at = 0;
  while (at + 8 <= max) {
    uint64_t a;
    uint64_t b;
    std::memcpy(&a, left + at, 8);
    std::memcpy(&b, right + at, 8);
    if (a != b) return at + static_cast<uint32_t>(__builtin_ctzll(a ^ b)) / 8;
    at += 8;
  }
  while (at < max && left[at] == right[at]) ++at;
  return at;
}

// Bytes that two keys share as the encoders count them, family taken as the same: up to the first
// difference in row length, row or qualifier.
uint32_t SharedColumn(const Key& key, const Key& before) {
  const uint32_t length_shared = CommonPrefix(key.bytes, before.bytes, 2);
  if (length_shared < 2) return length_shared;
  const uint32_t row_shared = CommonPrefix(key.bytes + 2, before.bytes + 2, key.row_end - 2);
  if (2 + row_shared < key.row_end) return 2 + row_shared;
  return key.qualifier + CommonPrefix(key.bytes + key.qualifier, before.bytes + before.qualifier,
                                      std::min(key.qualifier_end - key.qualifier,
                                               before.qualifier_end - before.qualifier));
}

// PREFIX also counts timestamp and type once the column is the same.
uint32_t SharedKey(const Key& key, const Key& before) {
  const uint32_t column = SharedColumn(key, before);
  if (column != key.qualifier_end || column != before.qualifier_end) return column;
  return column + CommonPrefix(key.bytes + column, before.bytes + column, 9);
}

// Bytes that hold a number without its leading zero bytes, at least one.
uint32_t BytesFor(uint64_t value) {
  return value == 0 ? 1 : (71 - static_cast<uint32_t>(__builtin_clzll(value))) / 8;
}

void AppendLittleEndian(Bytes* out, uint64_t value, uint32_t count) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out->append(bytes, count);
}

// |value| as Java has it: the least number stays as it is.
uint64_t Magnitude(int64_t value) {
  return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
}

}  // namespace

BlockEncoder::BlockEncoder(DataBlockEncoding encoding, const DataBlockFormat& format)
    : encoding_(encoding), format_(format) {}

void BlockEncoder::Start() {
  out_.clear();
  row_offsets_.clear();
  previous_key_.clear();
  previous_value_.clear();
  dictionary_.Clear();
  cell_count_ = 0;
  unencoded_size_ = 0;
  if (encoding_ != DataBlockEncoding::kNone) AppendBE16(&out_, static_cast<uint16_t>(encoding_));
  if (encoding_ == DataBlockEncoding::kPrefix || encoding_ == DataBlockEncoding::kDiff ||
      encoding_ == DataBlockEncoding::kFastDiff) {
    AppendBE32(&out_, 0);  // the unencoded size, set in Finish
  }
  cells_start_ = out_.size();
}

void BlockEncoder::Add(const Cell& cell) {
  unencoded_size_ += size_t{8} + cell.key_length + cell.value_length;
  if (format_.includes_tags) unencoded_size_ += 2 + cell.tags_length;
  switch (encoding_) {
    case DataBlockEncoding::kNone: AddPlain(cell); break;
    case DataBlockEncoding::kPrefix: AddPrefix(cell); break;
    case DataBlockEncoding::kDiff: AddDiff(cell); break;
    case DataBlockEncoding::kFastDiff: AddFastDiff(cell); break;
    case DataBlockEncoding::kRowIndexV1: {
      const ByteView row = cell.row();
      if (cell_count_ == 0 || ByteView(previous_key_) != row) {
        row_offsets_.push_back(static_cast<uint32_t>(out_.size() - cells_start_));
        previous_key_.assign(row);
      }
      AddPlain(cell);
      break;
    }
  }
  if (format_.includes_mvcc) {
    const size_t before = out_.size();
    AppendVLong(&out_, static_cast<int64_t>(cell.sequence_id));
    unencoded_size_ += out_.size() - before;
  }
  ++cell_count_;
}

void BlockEncoder::AddPlain(const Cell& cell) {
  AppendBE32(&out_, cell.key_length);
  AppendBE32(&out_, cell.value_length);
  out_.append(cell.key, cell.key_length);
  out_.append(cell.value, cell.value_length);
  if (format_.includes_tags) {
    AppendBE16(&out_, static_cast<uint16_t>(cell.tags_length));
    out_.append(cell.tags_view());
  }
}

void BlockEncoder::Remember(const Cell& cell) { previous_key_.assign(cell.key, cell.key_length); }

void BlockEncoder::AddPrefix(const Cell& cell) {
  uint32_t common = 0;
  if (cell_count_ > 0) common = SharedKey(Key(cell.flat_key()), Key(previous_key_));
  AppendVarint(&out_, cell.key_length - common);
  AppendVarint(&out_, cell.value_length);
  AppendVarint(&out_, common);
  out_.append(cell.key + common, cell.key_length - common);
  out_.append(cell.value, cell.value_length);
  AppendTags(cell.tags_view());
  Remember(cell);
}

// The rest of row and qualifier; the family is never written here.
void BlockEncoder::AppendColumnAfter(const Cell& cell, uint32_t common) {
  const Key key(cell.flat_key());
  if (common < key.row_end) {
    out_.append(key.bytes + common, key.row_end - common);
    out_.append(key.bytes + key.qualifier, key.qualifier_end - key.qualifier);
  } else {
    out_.append(key.bytes + common, key.qualifier_end - common);
  }
}

void BlockEncoder::AddDiff(const Cell& cell) {
  const int64_t timestamp = cell.timestamp();
  uint64_t stored = Magnitude(timestamp);
  uint32_t stored_bytes = BytesFor(stored);
  bool negated = timestamp < 0;
  uint8_t flags = 0;
  uint32_t common = 0;
  if (cell_count_ == 0) {
    out_.push_back(static_cast<char>(cell.family_length()));
    out_.append(cell.family());
  } else {
    const Key before(previous_key_);
    common = SharedColumn(Key(cell.flat_key()), before);
    if (before.length == cell.key_length) flags |= kDiffSameKeyLength;
    if (previous_value_.size() == cell.value_length) flags |= kDiffSameValueLength;
    if (before.bytes[before.length - 1] == cell.key[cell.key_length - 1]) flags |= kDiffSameType;
    const int64_t difference = static_cast<int64_t>(LoadBE64(before.bytes + before.qualifier_end) -
                                                    static_cast<uint64_t>(timestamp));
    const uint32_t difference_bytes = BytesFor(Magnitude(difference));
    if (difference_bytes < stored_bytes) {
      flags |= kDiffTimestampIsDiff;
      stored = Magnitude(difference);
      stored_bytes = difference_bytes;
      negated = difference < 0;
    }
  }
  if (negated) flags |= kDiffTimestampNegated;
  flags |= static_cast<uint8_t>((stored_bytes - 1) << kDiffTimestampLengthShift);
  out_.push_back(static_cast<char>(flags));
  if ((flags & kDiffSameKeyLength) == 0) AppendVarint(&out_, cell.key_length);
  if ((flags & kDiffSameValueLength) == 0) AppendVarint(&out_, cell.value_length);
  AppendVarint(&out_, common);
  AppendColumnAfter(cell, common);
  AppendLittleEndian(&out_, stored, stored_bytes);
  if ((flags & kDiffSameType) == 0) out_.push_back(cell.key[cell.key_length - 1]);
  out_.append(cell.value, cell.value_length);
  AppendTags(cell.tags_view());
  Remember(cell);
  previous_value_.resize(cell.value_length);  // only its length is looked at
}

void BlockEncoder::AddFastDiff(const Cell& cell) {
  if (cell_count_ == 0) {
    out_.push_back('\0');
    AppendVarint(&out_, cell.key_length);
    AppendVarint(&out_, cell.value_length);
    AppendVarint(&out_, 0);
    out_.append(cell.key, cell.key_length);
    out_.append(cell.value, cell.value_length);
  } else {
    const Key before(previous_key_);
    const char* timestamp = cell.key + cell.key_length - 9;
    const uint32_t common = SharedColumn(Key(cell.flat_key()), before);
    const uint32_t shared_time =
        CommonPrefix(timestamp, before.bytes + before.qualifier_end, kFastDiffTimestampPrefixMask);
    uint8_t flags = static_cast<uint8_t>(shared_time);
    if (before.length == cell.key_length) flags |= kFastDiffSameKeyLength;
    if (previous_value_.size() == cell.value_length) flags |= kFastDiffSameValueLength;
    if (before.bytes[before.length - 1] == timestamp[8]) flags |= kFastDiffSameType;
    if (ByteView(previous_value_) == cell.value_view()) flags |= kFastDiffSameValue;
    out_.push_back(static_cast<char>(flags));
    if ((flags & kFastDiffSameKeyLength) == 0) AppendVarint(&out_, cell.key_length);
    if ((flags & kFastDiffSameValueLength) == 0) AppendVarint(&out_, cell.value_length);
    AppendVarint(&out_, common);
    AppendColumnAfter(cell, common);
    out_.append(timestamp + shared_time, 8 - shared_time);
    if ((flags & kFastDiffSameType) == 0) out_.push_back(timestamp[8]);
    if ((flags & kFastDiffSameValue) == 0) out_.append(cell.value, cell.value_length);
  }
  AppendTags(cell.tags_view());
  Remember(cell);
  previous_value_.assign(cell.value, cell.value_length);
}

void BlockEncoder::AppendTags(ByteView tags) {
  if (!format_.includes_tags) return;
  AppendVarint(&out_, tags.size());
  if (!format_.compresses_tags) {
    out_.append(tags);
    return;
  }
  while (tags.size() >= 2) {
    const size_t length = std::min<size_t>(LoadBE16(tags.data()), tags.size() - 2);
    const ByteView tag = tags.substr(2, length);
    const int slot = dictionary_.FindOrAdd(tag);
    if (slot >= 0) {
      AppendBE16(&out_, static_cast<uint16_t>(slot));
    } else {
      out_.push_back('\xff');
      AppendVarint(&out_, length);
      out_.append(tag);
    }
    tags.remove_prefix(2 + length);
  }
}

const Bytes& BlockEncoder::Finish() {
  switch (encoding_) {
    case DataBlockEncoding::kNone: break;
    case DataBlockEncoding::kPrefix:
    case DataBlockEncoding::kDiff:
    case DataBlockEncoding::kFastDiff:
      StoreBE32(out_.data() + 2, static_cast<uint32_t>(unencoded_size_));
      break;
    case DataBlockEncoding::kRowIndexV1: {
      const uint32_t cells_size = static_cast<uint32_t>(out_.size() - cells_start_);
      AppendBE32(&out_, static_cast<uint32_t>(row_offsets_.size()));
      for (const uint32_t offset : row_offsets_) AppendBE32(&out_, offset);
      AppendBE32(&out_, cells_size);
      break;
    }
  }
  return out_;
}

}  // namespace bennu::hfile
