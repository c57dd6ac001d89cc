#include "src/wal/entry_decoder.h"

#include <fmt/format.h>

#include "src/base/checksum_field.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/cell/flat_key.h"
#include "src/cell/key_value.h"
#include "src/hfile/codec.h"
#include "src/wal/wal_format.h"

namespace bennu::wal {

namespace {

constexpr uint8_t kNotInDictionary = 0xff;

enum class Take { kDone, kShort, kBad };

DecodeResult ToResult(Take take) {
  return take == Take::kShort ? DecodeResult::kShort : DecodeResult::kBad;
}

// A varint cut short is told from one that is none: only the former may be completed by more bytes.
template <typename T>
Take TakeVarint(ByteView* in, T* value) {
  const bool done = sizeof(T) == 8 ? ConsumeVarint64(in, reinterpret_cast<uint64_t*>(value))
                                   : ConsumeVarint32(in, reinterpret_cast<uint32_t*>(value));
  if (done) return Take::kDone;
  const size_t size_max = sizeof(T) == 8 ? 10 : 5;
  if (in->size() >= size_max) return Take::kBad;
  for (const char byte : *in) {
    if ((static_cast<uint8_t>(byte) & 0x80) == 0) return Take::kBad;
  }
  return Take::kShort;
}

// Takes one dictionary element; *value stays valid until the dictionary changes.
Take TakeElement(ByteView* in, Dictionary* dictionary, ByteView* value) {
  if (in->empty()) return Take::kShort;
  const auto first = static_cast<uint8_t>(in->front());
  ByteView rest = in->substr(1);
  if (first == kNotInDictionary) {
    uint32_t length;
    const Take take = TakeVarint(&rest, &length);
    if (take != Take::kDone) return take;
    if (!ConsumeBytes(&rest, length, value)) return Take::kShort;
    dictionary->Add(*value);
  } else {
    if (first >= 0x80) return Take::kBad;
    uint8_t second;
    if (!ConsumeByte(&rest, &second)) return Take::kShort;
    const Bytes* known = dictionary->Get(uint32_t{first} << 8 | second);
    if (known == nullptr) return Take::kBad;
    *value = *known;
  }
  *in = rest;
  return Take::kDone;
}

// Replaces an element, which must be all of *field, by its string.
bool ExpandField(Bytes* field, Dictionary* dictionary) {
  ByteView in = *field;
  ByteView value;
  if (TakeElement(&in, dictionary, &value) != Take::kDone || !in.empty()) return false;
  *field = Bytes(value);
  return true;
}

// Encoded names are hex digits; anything printable is let through, other bytes are damage.
bool IsRegionName(ByteView name) {
  if (name.empty()) return false;
  for (const char c : name) {
    if (c <= 0x20 || c >= 0x7f) return false;
  }
  return true;
}

// Decompresses what Hadoop's codec made of one value.
bool DecompressValue(Compression compression, ByteView compressed, uint32_t size, Bytes* out) {
  // More is a damaged length.
  if (size > hfile::UncompressedSizeMax(compression, compressed.size())) return false;
  out->resize(size);
  // As HBase, which does not look at what stands there for no bytes.
  return size == 0 || hfile::Decompress(compression, compressed, out->data(), size).ok();
}

}  // namespace

EntryDecoder::Dictionaries::Dictionaries(bool recovered_edits)
    : region(recovered_edits ? 1 : 32767),
      table(recovered_edits ? 1 : 32767),
      row(32767),
      family(127),
      qualifier(127),
      tags(32767) {}

EntryDecoder::EntryDecoder(const WalHeader& header, bool recovered_edits) : header_(header) {
  if (header.has_compression) dictionaries_ = std::make_unique<Dictionaries>(recovered_edits);
}

bool EntryDecoder::ExpandKey(WalKeyFields* key, std::string* problem) {
  bool good = ExpandField(&key->encoded_region, &dictionaries_->region) &&
              ExpandField(&key->table, &dictionaries_->table);
  for (FamilyScope& scope : key->scopes) {
    good = good && ExpandField(&scope.family, &dictionaries_->family);
  }
  for (auto& [name, value] : key->extended_attributes) {
    good = good && ExpandField(&value, &dictionaries_->table);
  }
  if (!good) *problem = "the key has an element that is not in the dictionary";
  return good;
}

DecodeResult EntryDecoder::Decode(ByteView data, WalEntry* entry, size_t* size,
                                  std::string* problem) {
  ByteView in = data;
  uint64_t key_size;
  Take take = TakeVarint(&in, &key_size);
  *problem = "the length of an entry's key is no varint";
  if (take != Take::kDone) return ToResult(take);
  if (key_size == 0 || key_size > kKeySizeMax) {
    *problem = fmt::format("an entry's key of {} bytes", key_size);
    return DecodeResult::kBad;
  }
  *problem = "an entry's key is cut short";
  ByteView message;
  if (!ConsumeBytes(&in, key_size, &message)) return DecodeResult::kShort;
  std::optional<uint32_t> checksum;
  if (!DecodeWalKey(message, &entry->key, &entry->cell_count, &checksum)) {
    *problem = "what should be an entry's key is none";
    return DecodeResult::kBad;
  }
  if (dictionaries_ != nullptr && !ExpandKey(&entry->key, problem)) return DecodeResult::kBad;
  if (!IsRegionName(entry->key.encoded_region)) {
    *problem = "an entry's key has a region name that can be none";
    return DecodeResult::kBad;
  }
  if (dictionaries_ == nullptr) {
    size_t cells_size;
    const DecodeResult result = DecodePlainCells(in, entry, &cells_size, problem);
    *size = data.size() - in.size() + cells_size;
    if (result != DecodeResult::kEntry || IsRight(message, checksum, entry->cells)) return result;
    *problem = "an entry is not what its checksum says";
    return DecodeResult::kWrong;
  }
  cells_.clear();
  for (uint32_t i = 0; i < entry->cell_count; ++i) {
    const DecodeResult result = DecodeCompressedCell(&in, problem);
    if (result != DecodeResult::kEntry) return result;
  }
  entry->cells = cells_;
  *size = data.size() - in.size();
  return DecodeResult::kEntry;
}

// Entries of other writers have none.
bool EntryDecoder::IsRight(ByteView message, std::optional<uint32_t> checksum,
                           ByteView cells) const {
  if (!checksum.has_value()) return !header_.has_checksums;
  message.remove_suffix(kChecksumFieldSize);
  return *checksum == Crc32c(message, Crc32c(cells));
}

DecodeResult EntryDecoder::DecodePlainCells(ByteView data, WalEntry* entry, size_t* size,
                                            std::string* problem) const {
  size_t end = 0;
  for (uint32_t i = 0; i < entry->cell_count; ++i) {
    size_t cell_size;
    switch (cell::CheckKeyValue(data.substr(end), &cell_size)) {
      case cell::KeyValueCheck::kWhole: end += cell_size; break;
      case cell::KeyValueCheck::kShort:
        *problem = fmt::format("cell {} of {} is cut short", i + 1, entry->cell_count);
        return DecodeResult::kShort;
      case cell::KeyValueCheck::kBad:
        *problem = fmt::format("cell {} of {} is not a KeyValue", i + 1, entry->cell_count);
        return DecodeResult::kBad;
    }
  }
  entry->cells = data.substr(0, end);
  *size = end;
  return DecodeResult::kEntry;
}

DecodeResult EntryDecoder::DecodeCompressedTags(ByteView* in, uint32_t size, Bytes* tags,
                                                std::string* problem) {
  if (!header_.has_tag_compression) {
    ByteView raw;
    if (!ConsumeBytes(in, size, &raw)) return DecodeResult::kShort;
    tags->assign(raw);
    return DecodeResult::kEntry;
  }
  tags->clear();
  while (tags->size() < size) {
    ByteView tag;
    const Take take = TakeElement(in, &dictionaries_->tags, &tag);
    if (take != Take::kDone) return ToResult(take);
    if (tag.empty() || tags->size() + 2 + tag.size() > size) {
      *problem = "tags that do not fill their length";
      return DecodeResult::kBad;
    }
    AppendBE16(tags, static_cast<uint16_t>(tag.size()));
    tags->append(tag);
  }
  return DecodeResult::kEntry;
}

DecodeResult EntryDecoder::DecodeValue(ByteView* in, uint32_t size, ByteView* value,
                                       std::string* problem) {
  if (!header_.has_value_compression) {
    return ConsumeBytes(in, size, value) ? DecodeResult::kEntry : DecodeResult::kShort;
  }
  uint32_t compressed_size;
  const Take take = TakeVarint(in, &compressed_size);
  if (take != Take::kDone) return ToResult(take);
  ByteView compressed;
  if (!ConsumeBytes(in, compressed_size, &compressed)) return DecodeResult::kShort;
  if (!DecompressValue(static_cast<Compression>(header_.value_compression), compressed, size,
                       &value_)) {
    *problem = fmt::format("a compressed value that does not give its {} bytes", size);
    return DecodeResult::kBad;
  }
  *value = value_;
  return DecodeResult::kEntry;
}

// varint key length, value length, tags length; row, family, qualifier as elements; timestamp,
// type; value; tags.
DecodeResult EntryDecoder::DecodeCompressedCell(ByteView* in, std::string* problem) {
  *problem = "a compressed cell is damaged or cut short";
  uint32_t key_length;
  uint32_t value_length;
  uint32_t tags_length;
  for (uint32_t* length : {&key_length, &value_length, &tags_length}) {
    const Take take = TakeVarint(in, length);
    if (take != Take::kDone) return ToResult(take);
  }
  if (key_length < kFlatKeyOverhead || key_length > 0x7fffffff || value_length > 0x7fffffff ||
      tags_length > 65535) {
    return DecodeResult::kBad;
  }
  // Copied at once: an element may be replaced by the next one.
  Bytes key;
  ByteView part;
  Take take = TakeElement(in, &dictionaries_->row, &part);
  if (take != Take::kDone) return ToResult(take);
  if (part.size() > kMaxRowLength) return DecodeResult::kBad;
  AppendBE16(&key, static_cast<uint16_t>(part.size()));
  key.append(part);
  take = TakeElement(in, &dictionaries_->family, &part);
  if (take != Take::kDone) return ToResult(take);
  if (part.size() > kMaxFamilyLength) return DecodeResult::kBad;
  key.push_back(static_cast<char>(part.size()));
  key.append(part);
  take = TakeElement(in, &dictionaries_->qualifier, &part);
  if (take != Take::kDone) return ToResult(take);
  key.append(part);
  ByteView time_and_type;
  if (!ConsumeBytes(in, 9, &time_and_type)) return DecodeResult::kShort;
  key.append(time_and_type);
  if (key.size() != key_length || !cell::IsWellFormedFlatKey(key)) return DecodeResult::kBad;

  ByteView value;
  DecodeResult result = DecodeValue(in, value_length, &value, problem);
  if (result != DecodeResult::kEntry) return result;
  Bytes tags;
  if (tags_length != 0) {
    result = DecodeCompressedTags(in, tags_length, &tags, problem);
    if (result != DecodeResult::kEntry) return result;
  }
  Cell cell;
  cell.key = key.data();
  cell.key_length = key_length;
  cell.value = value.data();
  cell.value_length = value_length;
  cell.tags = tags.data();
  cell.tags_length = tags_length;
  cell::AppendKeyValue(&cells_, cell);
  return DecodeResult::kEntry;
}

bool EntryDecoder::LooksLikeEntry(ByteView data) const {
  ByteView in = data;
  uint64_t key_size;
  if (!ConsumeVarint64(&in, &key_size)) return false;
  if (key_size < 16 || key_size > kKeySizeMax || in.size() < key_size) return false;
  // Writers put the fields in the order of their numbers, so a key begins with its region: its
  // name, or in compressed logs an element of it.
  if (in[0] != '\x0a') return false;
  const auto region_size = static_cast<uint8_t>(in[1]);
  const bool plain = dictionaries_ == nullptr;
  if (plain ? (region_size != 32 && region_size != 10)
            : (region_size != 34 && region_size != 12 && region_size != 2)) {
    return false;
  }
  if (size_t{2} + region_size >= key_size || in[2 + region_size] != '\x12') return false;
  WalEntry entry;
  const ByteView message = in.substr(0, key_size);
  std::optional<uint32_t> checksum;
  if (!DecodeWalKey(message, &entry.key, &entry.cell_count, &checksum)) return false;
  if (!plain) return true;
  if (!IsRegionName(entry.key.encoded_region)) return false;
  size_t size;
  std::string problem;
  return DecodePlainCells(in.substr(key_size), &entry, &size, &problem) == DecodeResult::kEntry &&
         IsRight(message, checksum, entry.cells);
}

}  // namespace bennu::wal
