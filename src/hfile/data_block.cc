#include "src/hfile/data_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "src/base/coding.h"
#include "src/cell/flat_key.h"
#include "src/hfile/tag_dictionary.h"

namespace bennu::hfile {

namespace {

// A block that claims to unencode to more than this, and to more than kExpansionMax times its
// size, is damaged.
constexpr size_t kUnencodedSizeFloor = 64 << 20;
constexpr size_t kExpansionMax = 1024;

// Reads forward through a payload; once a read fails, all do.
class Input {
 public:
  explicit Input(ByteView bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return at_ == end_; }
  bool failed() const { return failed_; }
  const char* at() const { return at_; }
  size_t left() const { return static_cast<size_t>(end_ - at_); }

  const char* Take(size_t size) {
    if (size > left()) return Fail();
    const char* taken = at_;
    at_ += size;
    return taken;
  }
  uint8_t Byte() {
    const char* taken = Take(1);
    return taken == nullptr ? 0 : static_cast<uint8_t>(*taken);
  }
  uint32_t BE16() {
    const char* taken = Take(2);
    return taken == nullptr ? 0 : LoadBE16(taken);
  }
  uint32_t BE32() {
    const char* taken = Take(4);
    return taken == nullptr ? 0 : LoadBE32(taken);
  }
  uint32_t Varint() {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) return static_cast<uint8_t>(*at_++);
    uint32_t value = 0;
    const size_t used = DecodeVarint32(ByteView(at_, left()), &value);
    if (used == 0) Fail();
    at_ += used;
    return value;
  }
  uint64_t VLong() {
    if (at_ != end_ && static_cast<int8_t>(*at_) >= -112) {
      return static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(*at_++)));
    }
    int64_t value = 0;
    const size_t used = DecodeVLong(ByteView(at_, left()), &value);
    if (used == 0) Fail();
    at_ += used;
    return static_cast<uint64_t>(value);
  }
  const char* Fail() {
    failed_ = true;
    at_ = end_;
    return nullptr;
  }

 private:
  const char* at_;
  const char* end_;
  bool failed_ = false;
};

// Whether a flat key's lengths fit and it could be stored (cell::IsWellFormedFlatKey, inline: it
// runs for every cell read from disk).
inline bool IsGoodKey(const char* key, size_t length) {
  if (length < kFlatKeyOverhead) return false;
  const size_t row = LoadBE16(key);
  if (row == 0 || row > kMaxRowLength || row + kFlatKeyOverhead > length) return false;
  const size_t family = static_cast<uint8_t>(key[2 + row]);
  return family <= kMaxFamilyLength && row + family + kFlatKeyOverhead <= length &&
         cell::IsStoredType(static_cast<uint8_t>(key[length - 1])) && key[length - 9] >= 0;
}

// Whether two keys have the same row; 'size' is that of the second's, its length included. Rows
// side by side mostly differ in their last bytes.
inline bool IsSameRow(const char* before, const char* key, size_t size) {
  if (size >= sizeof(uint64_t)) {
    const size_t last = size - sizeof(uint64_t);
    if (std::memcmp(before + last, key + last, sizeof(uint64_t)) != 0) return false;
  }
  return std::memcmp(before, key, size) == 0;
}

// Gathers the arrays of a block. Its vectors are kept per thread, so that a block costs only the
// allocations that it keeps.
struct Gatherer {
  std::vector<Block::Entry> entries;
  std::vector<uint32_t> rows;
  std::vector<uint64_t> sequence_ids;
  bool any_sequence_id = false;

  void Clear() {
    entries.clear();
    rows.clear();
    sequence_ids.clear();
    any_sequence_id = false;
  }

  // 'base' is where offsets count from. The comparison may look past the previous key's end, but
  // not past the buffer's: this key follows it and has that many bytes.
  void Add(const char* base, const char* key, uint32_t key_length, uint32_t value_length) {
    if (entries.empty() || !IsSameRow(base + entries.back().key_offset, key, 2 + LoadBE16(key))) {
      rows.push_back(static_cast<uint32_t>(entries.size()));
    }
    entries.push_back({static_cast<uint32_t>(key - base), key_length, value_length});
  }
  void AddSequenceId(uint64_t sequence_id) {
    any_sequence_id |= sequence_id != 0;
    sequence_ids.push_back(sequence_id);
  }

  Block::Parts Finish() {
    Block::Parts parts;
    parts.cell_count = static_cast<uint32_t>(entries.size());
    parts.row_count = static_cast<uint32_t>(rows.size());
    rows.push_back(parts.cell_count);
    parts.entries.reset(new Block::Entry[entries.size()]);
    std::copy(entries.begin(), entries.end(), parts.entries.get());
    parts.rows.reset(new uint32_t[rows.size()]);
    std::copy(rows.begin(), rows.end(), parts.rows.get());
    if (any_sequence_id) {
      parts.sequence_ids.reset(new uint64_t[sequence_ids.size()]);
      std::copy(sequence_ids.begin(), sequence_ids.end(), parts.sequence_ids.get());
    }
    return parts;
  }
};

Gatherer& ThreadGatherer() {
  thread_local Gatherer gatherer;
  gatherer.Clear();
  return gatherer;
}

Status BadCell(size_t index, size_t at) {
  return Corruption(
      fmt::format("cell {} of the block, at byte {} of its payload, is malformed", index, at));
}

// A buffer that holds cells.
struct Memory {
  std::unique_ptr<char[]> data;
  size_t size = 0;
  uint32_t cells_end = 0;  // see Block::Parts
};

Result<std::shared_ptr<const Block>> Complete(Gatherer* gatherer, Memory memory,
                                              const RawBlock& raw, const DataBlockFormat& format) {
  if (gatherer->entries.empty()) return Corruption("a data block without cells");
  Block::Parts parts = gatherer->Finish();
  parts.data = std::move(memory.data);
  parts.data_size = memory.size;
  parts.cells_end = memory.cells_end;
  parts.has_tags = format.includes_tags;
  parts.meta_order = format.meta_order;
  parts.file_offset = raw.offset;
  parts.on_disk_size = raw.header.on_disk_size();
  return std::shared_ptr<const Block>(std::make_shared<Block>(std::move(parts)));
}

// Cells that stand as they will: NONE, and the cells of ROW_INDEX_V1. The payload's buffer becomes
// the block's.
Result<std::shared_ptr<const Block>> DecodePlain(RawBlock raw, ByteView cells,
                                                 const DataBlockFormat& format) {
  Gatherer& gatherer = ThreadGatherer();
  const char* base = raw.buffer.get();
  Input in(cells);
  while (!in.done()) {
    const size_t start = static_cast<size_t>(in.at() - raw.payload.data());
    const uint32_t key_length = in.BE32();
    const uint32_t value_length = in.BE32();
    const char* key = in.Take(key_length);
    in.Take(value_length);
    if (format.includes_tags) in.Take(in.BE16());
    const uint64_t sequence_id = format.includes_mvcc ? in.VLong() : 0;
    if (in.failed() || !IsGoodKey(key, key_length)) {
      return BadCell(gatherer.entries.size(), start);
    }
    gatherer.Add(base, key, key_length, value_length);
    if (format.includes_mvcc) gatherer.AddSequenceId(sequence_id);
  }
  Memory memory;
  memory.size = static_cast<size_t>(raw.payload.data() - base) + raw.payload.size();
  // What was compressed begins with its payload.
  if (raw.payload.data() != base) {
    memory.cells_end = static_cast<uint32_t>(cells.data() - base + cells.size());
  }
  memory.data = std::move(raw.buffer);
  return Complete(&gatherer, std::move(memory), raw, format);
}

Result<std::shared_ptr<const Block>> DecodeRowIndex(RawBlock raw, const DataBlockFormat& format) {
  const ByteView body = raw.payload.substr(2);
  if (body.size() < 8) return Corruption("a ROW_INDEX_V1 block without its row index");
  const uint64_t cells_size = LoadBE32(body.data() + body.size() - 4);
  if (cells_size > body.size() - 8) {
    return Corruption("the cells of a ROW_INDEX_V1 block run past its end");
  }
  const uint64_t row_count = LoadBE32(body.data() + cells_size);
  if (cells_size + 4 + 4 * row_count + 4 != body.size()) {
    return Corruption("the row index of a ROW_INDEX_V1 block has a wrong size");
  }
  const ByteView cells = body.substr(0, cells_size);
  return DecodePlain(std::move(raw), cells, format);
}

// Where a decoder of differences writes the cells, each as `flat key, value` and perhaps `tags
// length, tags`. Memory of the thread, since how much there will be is known only at the end; what
// was written is copied then.
class Output {
 public:
  // Holds up to 'size' bytes. One at a time on each thread.
  explicit Output(size_t size) : size_(size) {
    constexpr size_t kKeptMax = 1 << 20;
    thread_local std::unique_ptr<char[]> kept;
    thread_local size_t kept_size = 0;
    if (size > kKeptMax) {
      own_.reset(new char[size]);
      data_ = own_.get();
      return;
    }
    if (size > kept_size) {
      kept.reset(new char[size]);
      kept_size = size;
    }
    data_ = kept.get();
  }

  // Room for one cell's key and value; null when the block says it holds less.
  char* Begin(uint64_t key_length, uint64_t value_length) {
    if (key_length + value_length > size_ - used_) return nullptr;
    char* at = data_ + used_;
    used_ += key_length + value_length;
    return at;
  }
  char* Reserve(size_t size) {
    if (size > size_ - used_) return nullptr;
    char* at = data_ + used_;
    used_ += size;
    return at;
  }
  const char* data() const { return data_; }
  Memory Copy() const {
    Memory memory;
    memory.data.reset(new char[used_ == 0 ? 1 : used_]);
    if (used_ > 0) std::memcpy(memory.data.get(), data_, used_);
    memory.size = used_;
    return memory;
  }

 private:
  std::unique_ptr<char[]> own_;  // of an uncommonly big block
  char* data_ = nullptr;
  const size_t size_;
  size_t used_ = 0;
};

// What the decoders of differences know of the cell before. The pointers are into the output.
struct Previous {
  const char* key = nullptr;
  const char* value = nullptr;
  uint32_t key_length = 0;
  uint32_t value_length = 0;

  uint32_t row_length() const { return LoadBE16(key); }
  uint32_t family_length() const { return static_cast<uint8_t>(key[2 + row_length()]); }
  const char* timestamp() const { return key + key_length - 9; }
  char type() const { return key[key_length - 1]; }
};

// A cell as far as its first bytes tell. key and value are room in the output.
struct Shape {
  uint8_t flags = 0;
  uint32_t key_length = 0;
  uint32_t value_length = 0;
  uint32_t common = 0;
};

bool DecodePrefixCell(Input* in, Output* out, Previous* previous) {
  const uint32_t rest = in->Varint();
  const uint32_t value_length = in->Varint();
  const uint32_t common = in->Varint();
  if (in->failed() || common > previous->key_length) return false;
  const uint64_t key_length = uint64_t{common} + rest;
  const char* key_rest = in->Take(rest);
  const char* value = in->Take(value_length);
  if (in->failed()) return false;
  char* key = out->Begin(key_length, value_length);
  if (key == nullptr) return false;
  if (common > 0) std::memcpy(key, previous->key, common);
  std::memcpy(key + common, key_rest, rest);
  std::memcpy(key + key_length, value, value_length);
  *previous = {key, key + key_length, static_cast<uint32_t>(key_length), value_length};
  return true;
}

// Row, family and qualifier of a DIFF or FAST_DIFF cell: what is shared with the key before is
// copied from it, the family always from 'family' (length byte and bytes), the rest read.
bool DecodeColumn(Input* in, const Previous& previous, ByteView family, const Shape& shape,
                  char* key) {
  if (shape.common > previous.key_length) return false;
  if (shape.common > 0) std::memcpy(key, previous.key, shape.common);
  size_t at = shape.common;
  if (at < 2) {
    const char* rest = in->Take(2 - at);
    if (rest == nullptr || shape.key_length < 2) return false;
    std::memcpy(key + at, rest, 2 - at);
    at = 2;
  }
  const size_t row_end = 2 + size_t{LoadBE16(key)};
  const size_t column_end = size_t{shape.key_length} - 9;
  if (shape.key_length < kFlatKeyOverhead || row_end + family.size() > column_end) return false;
  if (at < row_end) {
    const char* rest = in->Take(row_end - at);
    if (rest == nullptr) return false;
    std::memcpy(key + at, rest, row_end - at);
    at = row_end;
  }
  if (at < row_end + family.size()) {
    // A shared row has its family and qualifier counted as shared too.
    if (shape.common >= row_end) return false;
    std::memcpy(key + row_end, family.data(), family.size());
    at = row_end + family.size();
  }
  if (at > column_end) return false;
  const char* rest = in->Take(column_end - at);
  if (rest == nullptr) return false;
  std::memcpy(key + at, rest, column_end - at);
  return true;
}

int64_t LoadTimestamp(const char* bytes) { return static_cast<int64_t>(LoadBE64(bytes)); }

bool DecodeDiffTimestamp(Input* in, const Previous& previous, uint8_t flags, char* out) {
  const size_t length =
      ((flags & kDiffTimestampLengthMask) >> kDiffTimestampLengthShift) + size_t{1};
  const char* bytes = in->Take(length);
  if (bytes == nullptr) return false;
  uint64_t value = 0;
  std::memcpy(&value, bytes, length);  // stored with the least significant byte first
  if ((flags & kDiffTimestampNegated) != 0) value = -value;
  if ((flags & kDiffTimestampIsDiff) != 0) {
    if (previous.key == nullptr) return false;
    value = static_cast<uint64_t>(LoadTimestamp(previous.timestamp())) - value;
  }
  StoreBE64(out, value);
  return true;
}

bool DecodeDiffCell(Input* in, Output* out, ByteView family, Previous* previous) {
  Shape shape;
  shape.flags = in->Byte();
  shape.key_length = (shape.flags & kDiffSameKeyLength) != 0 ? previous->key_length : in->Varint();
  shape.value_length =
      (shape.flags & kDiffSameValueLength) != 0 ? previous->value_length : in->Varint();
  shape.common = in->Varint();
  if (in->failed() || shape.key_length < kFlatKeyOverhead || shape.common > shape.key_length) {
    return false;
  }
  char* key = out->Begin(shape.key_length, shape.value_length);
  if (key == nullptr || !DecodeColumn(in, *previous, family, shape, key)) return false;
  char* timestamp = key + shape.key_length - 9;
  if (!DecodeDiffTimestamp(in, *previous, shape.flags, timestamp)) return false;
  if ((shape.flags & kDiffSameType) != 0) {
    if (previous->key == nullptr) return false;
    timestamp[8] = previous->type();
  } else {
    timestamp[8] = static_cast<char>(in->Byte());
  }
  char* value = key + shape.key_length;
  const char* stored = in->Take(shape.value_length);
  if (in->failed()) return false;
  std::memcpy(value, stored, shape.value_length);
  *previous = {key, value, shape.key_length, shape.value_length};
  return true;
}

// The first cell of a FAST_DIFF block stands whole.
bool DecodeFirstFastDiffCell(Input* in, Output* out, Previous* previous) {
  const uint8_t flags = in->Byte();
  const uint32_t key_length = in->Varint();
  const uint32_t value_length = in->Varint();
  const uint32_t common = in->Varint();
  const char* stored_key = in->Take(key_length);
  const char* stored_value = in->Take(value_length);
  if (in->failed() || flags != 0 || common != 0) return false;
  char* key = out->Begin(key_length, value_length);
  if (key == nullptr) return false;
  std::memcpy(key, stored_key, key_length);
  std::memcpy(key + key_length, stored_value, value_length);
  *previous = {key, key + key_length, key_length, value_length};
  return true;
}

bool DecodeFastDiffCell(Input* in, Output* out, Previous* previous) {
  if (previous->key == nullptr) return DecodeFirstFastDiffCell(in, out, previous);
  Shape shape;
  shape.flags = in->Byte();
  shape.key_length =
      (shape.flags & kFastDiffSameKeyLength) != 0 ? previous->key_length : in->Varint();
  shape.value_length =
      (shape.flags & kFastDiffSameValueLength) != 0 ? previous->value_length : in->Varint();
  shape.common = in->Varint();
  if (in->failed() || shape.key_length < kFlatKeyOverhead || shape.common > shape.key_length) {
    return false;
  }
  const ByteView family(previous->key + 2 + previous->row_length(), 1 + previous->family_length());
  char* key = out->Begin(shape.key_length, shape.value_length);
  if (key == nullptr || !DecodeColumn(in, *previous, family, shape, key)) return false;
  char* timestamp = key + shape.key_length - 9;
  const size_t shared = shape.flags & kFastDiffTimestampPrefixMask;
  const char* rest = in->Take(8 - shared);
  if (rest == nullptr) return false;
  std::memcpy(timestamp, previous->timestamp(), shared);
  std::memcpy(timestamp + shared, rest, 8 - shared);
  timestamp[8] =
      (shape.flags & kFastDiffSameType) != 0 ? previous->type() : static_cast<char>(in->Byte());
  char* value = key + shape.key_length;
  const char* stored = previous->value;
  if ((shape.flags & kFastDiffSameValue) == 0) {
    stored = in->Take(shape.value_length);
  } else if (shape.value_length != previous->value_length) {
    return false;
  }
  if (in->failed()) return false;
  std::memcpy(value, stored, shape.value_length);
  *previous = {key, value, shape.key_length, shape.value_length};
  return true;
}

// Restores 'length' bytes of tags from dictionary references.
bool DecodeCompressedTags(Input* in, TagDictionary* dictionary, char* out, size_t length) {
  size_t done = 0;
  while (done < length) {
    const uint8_t first = in->Byte();
    ByteView tag;
    if (first == 0xff) {
      const uint32_t size = in->Varint();
      const char* bytes = in->Take(size);
      if (in->failed()) return false;
      tag = ByteView(bytes, size);
      dictionary->Add(tag);
    } else {
      const int slot = (first << 8) | in->Byte();
      const Bytes* known = dictionary->Get(slot);
      if (in->failed() || known == nullptr) return false;
      tag = *known;
    }
    if (tag.size() > 0xffff || tag.size() + 2 > length - done) return false;
    StoreBE16(out + done, static_cast<uint16_t>(tag.size()));
    std::memcpy(out + done + 2, tag.data(), tag.size());
    done += 2 + tag.size();
  }
  return !in->failed();
}

bool DecodeTags(Input* in, Output* out, TagDictionary* dictionary) {
  const uint32_t length = in->Varint();
  if (in->failed() || length > 0xffff) return false;
  char* room = out->Reserve(2 + size_t{length});
  if (room == nullptr) return false;
  StoreBE16(room, static_cast<uint16_t>(length));
  if (dictionary != nullptr) return DecodeCompressedTags(in, dictionary, room + 2, length);
  const char* stored = in->Take(length);
  if (stored == nullptr) return false;
  std::memcpy(room + 2, stored, length);
  return true;
}

Result<std::shared_ptr<const Block>> DecodeDifferences(RawBlock raw, DataBlockEncoding encoding,
                                                       const DataBlockFormat& format) {
  Input in(raw.payload.substr(2));
  const size_t unencoded_size = in.BE32();
  if (unencoded_size > std::max(kUnencodedSizeFloor, kExpansionMax * raw.payload.size())) {
    return Corruption(fmt::format("a block of {} bytes claims to unencode to {}",
                                  raw.payload.size(), unencoded_size));
  }
  ByteView family;
  if (encoding == DataBlockEncoding::kDiff) {
    const char* start = in.at();
    const size_t size = size_t{1} + in.Byte();
    in.Take(size - 1);
    if (!in.failed()) family = ByteView(start, size);
  }
  if (in.failed()) return Corruption("an encoded block ends before its first cell");
  Gatherer& gatherer = ThreadGatherer();
  Output out(std::max<size_t>(unencoded_size, 1));
  Previous previous;
  thread_local TagDictionary thread_dictionary;
  TagDictionary* dictionary = format.compresses_tags ? &thread_dictionary : nullptr;
  if (dictionary != nullptr) dictionary->Clear();
  while (!in.done()) {
    const size_t start = static_cast<size_t>(in.at() - raw.payload.data());
    bool good = false;
    switch (encoding) {
      case DataBlockEncoding::kPrefix: good = DecodePrefixCell(&in, &out, &previous); break;
      case DataBlockEncoding::kDiff: good = DecodeDiffCell(&in, &out, family, &previous); break;
      default: good = DecodeFastDiffCell(&in, &out, &previous); break;
    }
    good = good && IsGoodKey(previous.key, previous.key_length);
    if (good && format.includes_tags) good = DecodeTags(&in, &out, dictionary);
    const uint64_t sequence_id = format.includes_mvcc ? in.VLong() : 0;
    if (!good || in.failed()) return BadCell(gatherer.entries.size(), start);
    gatherer.Add(out.data(), previous.key, previous.key_length, previous.value_length);
    if (format.includes_mvcc) gatherer.AddSequenceId(sequence_id);
  }
  return Complete(&gatherer, out.Copy(), raw, format);
}

}  // namespace

Result<std::shared_ptr<const Block>> DecodeDataBlock(RawBlock raw, const DataBlockFormat& format) {
  if (raw.header.type == BlockType::kData) {
    const ByteView cells = raw.payload;
    return DecodePlain(std::move(raw), cells, format);
  }
  if (raw.header.type != BlockType::kEncodedData) {
    return Corruption(
        fmt::format("a {} block where a data block was expected", BlockTypeName(raw.header.type)));
  }
  if (raw.payload.size() < 2) return Corruption("an encoded block without its encoding id");
  const DataBlockEncoding encoding =
      static_cast<DataBlockEncoding>(static_cast<uint8_t>(raw.payload[1]));
  if (raw.payload[0] == 0) {
    switch (encoding) {
      case DataBlockEncoding::kPrefix:
      case DataBlockEncoding::kDiff:
      case DataBlockEncoding::kFastDiff: return DecodeDifferences(std::move(raw), encoding, format);
      case DataBlockEncoding::kRowIndexV1: return DecodeRowIndex(std::move(raw), format);
      default: break;
    }
  }
  return Corruption(fmt::format("unknown data block encoding {}", LoadBE16(raw.payload.data())));
}

Result<std::shared_ptr<const Block>> DecodePiece(std::unique_ptr<char[]> bytes, size_t size,
                                                 uint64_t offset, const DataBlockFormat& format) {
  RawBlock raw;
  raw.buffer = std::move(bytes);
  raw.payload = ByteView(raw.buffer.get(), size);
  raw.offset = offset;
  const ByteView cells = raw.payload;
  return DecodePlain(std::move(raw), cells, format);
}

}  // namespace bennu::hfile
