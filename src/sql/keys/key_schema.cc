#include "src/sql/keys/key_schema.h"

#include <algorithm>
#include <cstring>

#include "src/base/check.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

constexpr ByteView kZero("\0", 1);
constexpr ByteView kOnes("\xff", 1);
constexpr ByteView kEncodedSeparator("\0\1", 2);
constexpr ByteView kEncodedDescSeparator("\xff\xfe", 2);

bool IsEncoded(TypeId id) { return id == TypeId::kVarbinaryEncoded; }

Status NullKeyColumn(const KeyColumn& column) {
  return SqlConstraintViolation(column.name + " may not be null");
}

Status MisreadKeyColumn(const KeyColumn& column, ByteView encoded) {
  const bool begins_as_null = column.order == SortOrder::kDesc && encoded[0] == '\0';
  return SqlIllegalData(column.name +
                        (begins_as_null ? " begins with the byte ff, which is NULL in a descending "
                                          "column of a key"
                                        : " holds a zero byte, at which its value would end in a "
                                          "key") +
                        " with more columns behind; take the byte out, make the column the last of "
                        "the key, or declare it VARBINARY_ENCODED");
}

// Where the terminator of a descending VARBINARY_ENCODED value stands whose bytes begin at
// 'position'; npos: no such value begins there. Each ff within is followed by 00.
size_t DescEncodedEnd(ByteView key, size_t position) {
  for (size_t at = position; (at = key.find('\xff', at)) != ByteView::npos; at += 2) {
    if (at + 1 == key.size()) return ByteView::npos;
    if (key[at + 1] == '\xfe') return at;
    if (key[at + 1] != '\0') return ByteView::npos;
  }
  return ByteView::npos;
}

// Bounds the work for a key that was made up; keys that an encoder makes need a few.
constexpr int kGuessesMax = 64;

Status MalformedKey(ByteView key, const KeyColumn& column, const char* what) {
  return Corruption("row key " + ToStringBinary(key) + ": " + what + " at column " + column.name +
                    "; the row was not written with this table's definition");
}

}  // namespace

KeySchema::KeySchema(std::vector<KeyColumn> columns, int32_t salt_buckets)
    : columns_(std::move(columns)), salt_buckets_(salt_buckets) {
  BENNU_CHECK(salt_buckets >= 0 && salt_buckets <= 256);
  int32_t offset = 0;
  layouts_.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const KeyColumn& column = columns_[i];
    ColumnLayout layout;
    layout.desc = column.order == SortOrder::kDesc;
    layout.constant_offset = offset;
    const std::optional<int32_t> width = FixedWidth(column.type);
    if (width.has_value()) {
      layout.layout = Layout::kFixed;
      layout.width = static_cast<uint32_t>(*width);
      if (offset >= 0) offset += *width;
    } else {
      layout.layout = IsEncoded(column.type.id) ? Layout::kEncoded : Layout::kVariable;
      offset = -1;
    }
    // No byte of a DECIMAL is a separator. Keys with a document in them are of indexes that are
    // kept up, but never read.
    layout.ends_at_separator = layout.layout == Layout::kVariable && i + 1 < columns_.size() &&
                               column.type.id != TypeId::kDecimal &&
                               column.type.id != TypeId::kJson;
    layout.ambiguous = layout.layout == Layout::kEncoded && layout.desc && column.nullable &&
                       i + 1 < columns_.size();
    if (column.is_row_timestamp) row_timestamp_column_ = static_cast<int>(i);
    layouts_.push_back(layout);
  }
}

ByteView KeySchema::Separator(size_t column, bool is_null) const {
  const ColumnLayout& layout = layouts_[column];
  const bool desc = layout.desc && !is_null;
  switch (layout.layout) {
    case Layout::kFixed: return {};
    case Layout::kVariable: return desc ? kOnes : kZero;
    case Layout::kEncoded: break;
  }
  return desc ? kEncodedDescSeparator : kEncodedSeparator;
}

ByteView KeySchema::Terminator(size_t column, bool is_null) const {
  return IsTerminated(column) && !is_null ? Separator(column, false) : ByteView();
}

Status KeySchema::AppendKey(std::span<const ByteView> encoded, Bytes* key) const {
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (IsMisread(i, encoded[i])) return MisreadKeyColumn(columns_[i], encoded[i]);
  }
  return AppendStoredKey(encoded, key);
}

Status KeySchema::AppendStoredKey(std::span<const ByteView> encoded, Bytes* key) const {
  BENNU_DCHECK(encoded.size() <= columns_.size());
  size_t count = encoded.size();
  while (count > 0 && encoded[count - 1].empty()) --count;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const bool is_null = i >= count || encoded[i].empty();
    if (is_null && (!columns_[i].nullable || (IsFixed(i) && i < count))) {
      return NullKeyColumn(columns_[i]);
    }
  }
  if (count == 0) return SqlConstraintViolation("Primary key may not be null");

  const size_t start = key->size();
  if (salted()) key->push_back('\0');
  for (size_t i = 0; i < count; ++i) {
    const ByteView part = encoded[i];
    if (IsFixed(i) && part.size() != layouts_[i].width) {
      key->resize(start);
      return Internal("key column " + columns_[i].name + ": " + std::to_string(part.size()) +
                      " bytes for a type of " + std::to_string(layouts_[i].width));
    }
    key->append(part);
    const ByteView after = i + 1 < count ? Separator(i, part.empty()) : Terminator(i, part.empty());
    if (after.size() == 1) {  // mostly, or none
      key->push_back(after[0]);
    } else if (!after.empty()) {
      key->append(after);
    }
  }
  if (key->size() - start > kMaxRowKeyBytes) {
    const size_t size = key->size() - start;
    key->resize(start);
    return SqlIllegalData("Row key of " + std::to_string(size) + " bytes is longer than " +
                          std::to_string(kMaxRowKeyBytes));
  }
  if (salted()) {
    (*key)[start] = static_cast<char>(SaltByte(ByteView(*key).substr(start + 1), salt_buckets_));
  }
  return Status::Ok();
}

Result<Bytes> KeySchema::EncodeKey(std::span<const Value> values) const {
  BENNU_CHECK(values.size() <= columns_.size());
  Bytes scratch;
  std::vector<size_t> ends(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    RETURN_IF_ERROR(Encode(values[i], columns_[i].type, columns_[i].order, &scratch));
    ends[i] = scratch.size();
  }
  std::vector<ByteView> parts(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    parts[i] = ByteView(scratch).substr(begin, ends[i] - begin);
  }
  Bytes key;
  key.reserve(scratch.size() + 2 * values.size() + 1);
  RETURN_IF_ERROR(AppendKey(parts, &key));
  return key;
}

KeyStep KeySchema::Step(ByteView key, size_t column, size_t position) const {
  const ColumnLayout& layout = layouts_[column];
  const size_t size = key.size();
  if (position >= size) return {size, size, size};
  if (layout.layout == Layout::kFixed) {
    const size_t end = position + std::min<size_t>(layout.width, size - position);
    return {position, end, end};
  }
  const ByteView rest = key.substr(position);
  const ByteView separator = Separator(column, false);
  if (column + 1 == columns_.size()) {
    const bool terminated = layout.desc && rest.ends_with(separator);
    return {position, terminated ? size - separator.size() : size, size};
  }
  // A descending VARBINARY_ENCODED value that begins with ff fe is stored with the bytes of NULL in
  // front; its terminator tells it from NULL.
  const bool maybe_value = layout.desc && layout.layout == Layout::kEncoded &&
                           (!columns_[column].nullable || rest.find(separator) != ByteView::npos);
  const ByteView null_separator = Separator(column, true);
  if (!maybe_value && rest.starts_with(null_separator)) {
    return {position, position, position + null_separator.size()};
  }
  size_t found = ByteView::npos;
  if (separator.size() == 1) {
    const void* byte = std::memchr(rest.data(), separator[0], rest.size());
    if (byte != nullptr) found = static_cast<size_t>(static_cast<const char*>(byte) - rest.data());
  } else {
    found = rest.find(separator);
  }
  if (found == ByteView::npos) return {position, size, size};
  return {position, position + found, position + found + separator.size()};
}

KeyStep KeySchema::ResolveNull(ByteView key, size_t column, size_t position) const {
  const ByteView rest = key.substr(position);
  if (!rest.starts_with(kEncodedSeparator)) return Step(key, column, position);
  const size_t null_end = position + kEncodedSeparator.size();
  const KeyStep null = {position, position, null_end};
  const size_t end = DescEncodedEnd(key, position);
  if (end == ByteView::npos) return null;
  const KeyStep value = {position, end, end + kEncodedDescSeparator.size()};
  int guesses = kGuessesMax;
  const bool is_null = !HoldsColumns(key, column + 1, value.next, &guesses) &&
                       HoldsColumns(key, column + 1, null_end, &guesses);
  return is_null ? null : value;
}

bool KeySchema::HoldsColumns(ByteView key, size_t column, size_t position, int* guesses) const {
  for (; column < columns_.size(); ++column) {
    if (position == key.size()) {
      if (!columns_[column].nullable) return false;
      continue;
    }
    KeyStep step;
    if (layouts_[column].ambiguous && key.substr(position).starts_with(kEncodedSeparator)) {
      if (--*guesses < 0) return false;
      const size_t null_end = position + kEncodedSeparator.size();
      if (HoldsColumns(key, column + 1, null_end, guesses)) return true;
      const size_t end = DescEncodedEnd(key, position);
      if (end == ByteView::npos) return false;
      step = {position, end, end + kEncodedDescSeparator.size()};
    } else {
      step = Step(key, column, position);
    }
    const size_t length = step.end - step.begin;
    if (IsFixed(column) && length != layouts_[column].width) return false;
    if (length == 0 && !columns_[column].nullable) return false;
    if (length != 0 && IsTerminated(column) && step.next == step.end) return false;
    position = step.next;
  }
  return position == key.size();
}

ByteView KeySchema::ColumnView(ByteView key, size_t column) const {
  size_t position = std::min(prefix_size(), key.size());
  size_t first = 0;
  // Fixed columns in front need no walk.
  if (layouts_[column].constant_offset >= 0) {
    position =
        std::min(position + static_cast<size_t>(layouts_[column].constant_offset), key.size());
    first = column;
  }
  for (size_t i = first; i < column; ++i) position = StepInRow(key, i, position).next;
  const KeyStep step = StepInRow(key, column, position);
  return key.substr(step.begin, step.end - step.begin);
}

Status KeySchema::Split(ByteView key, std::span<KeyPart> parts) const {
  BENNU_DCHECK(parts.size() == columns_.size());
  if (key.size() < prefix_size()) return Corruption("row key without its salt byte");
  size_t position = prefix_size();
  for (size_t i = 0; i < columns_.size(); ++i) {
    const KeyStep step = StepInRow(key, i, position);
    const size_t length = step.end - step.begin;
    if (IsFixed(i) && length != 0 && length != layouts_[i].width) {
      return MalformedKey(key, columns_[i], "too few bytes");
    }
    if (IsTerminated(i) && length != 0 && step.next == step.end) {
      return MalformedKey(key, columns_[i], "no terminator");
    }
    parts[i] = {static_cast<uint32_t>(step.begin), static_cast<uint32_t>(length)};
    position = step.next;
  }
  if (position != key.size()) {
    return MalformedKey(key, columns_.back(), "bytes left over");
  }
  return Status::Ok();
}

Status KeySchema::DecodeColumnInto(std::span<const ByteView> keys, size_t column,
                                   Vector* vector) const {
  const ColumnLayout& layout = layouts_[column];
  const TypeId id = columns_[column].type.id;
  const bool bigint = id == TypeId::kBigint || id == TypeId::kDate || id == TypeId::kTime;
  const bool text = (id == TypeId::kChar || id == TypeId::kBinary) && !layout.desc;
  const bool quick = (bigint || id == TypeId::kInteger || text) &&
                     layout.layout == Layout::kFixed && layout.constant_offset >= 0;
  const size_t begin = prefix_size() + (quick ? static_cast<size_t>(layout.constant_offset) : 0);
  const uint64_t flip = layout.desc ? ~uint64_t{0} : 0;
  for (size_t row = 0; row < keys.size(); ++row) {
    if (!quick || keys[row].size() < begin + layout.width) {
      RETURN_IF_ERROR(DecodeColumnInto(keys[row], column, vector, row));
      continue;
    }
    const char* const p = keys[row].data() + begin;
    if (text) {
      vector->SetView(row, ByteView(p, layout.width));
      continue;
    }
    vector->Set<int64_t>(
        row, (bigint ? DecodeBigint(p) : DecodeInteger(p)) ^ static_cast<int64_t>(flip));
  }
  return Status::Ok();
}

Result<std::vector<Value>> KeySchema::DecodeKey(ByteView key) const {
  std::vector<KeyPart> parts(columns_.size());
  RETURN_IF_ERROR(Split(key, parts));
  std::vector<Value> values;
  values.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const ByteView bytes = key.substr(parts[i].offset, parts[i].length);
    ASSIGN_OR_RETURN(Value value, Decode(bytes, columns_[i].type, columns_[i].order));
    values.push_back(std::move(value));
  }
  return values;
}

uint8_t KeySchema::SaltByte(ByteView key_after_salt, int32_t buckets) {
  uint32_t hash = 1;
  for (const char c : key_after_salt) {
    hash = 31 * hash + static_cast<uint32_t>(static_cast<signed char>(c));
  }
  const int32_t rest = static_cast<int32_t>(hash) % buckets;
  return static_cast<uint8_t>(rest < 0 ? -rest : rest);
}

Bytes KeySchema::PadSplitPoint(ByteView split) const {
  Bytes padded(split);
  size_t position = std::min(prefix_size(), split.size());
  size_t missing = prefix_size() - position;
  bool covered = missing == 0;
  for (size_t i = 0; i < columns_.size(); ++i) {
    const bool fixed = IsFixed(i);
    const size_t width = fixed ? layouts_[i].width : 1;
    if (!covered) {
      missing += width;
      continue;
    }
    if (!fixed && i + 1 == columns_.size()) return padded;
    const size_t left = split.size() - position;
    if (fixed) {
      covered = left >= width;
      if (!covered) missing = width - left;
      position += std::min(left, width);
      continue;
    }
    const size_t zero = split.find('\0', position);
    covered = zero != ByteView::npos;
    if (covered) {
      position = zero + 1;
    } else {
      missing = 1;
    }
  }
  padded.append(missing, '\0');
  return padded;
}

std::vector<Bytes> KeySchema::SaltSplitPoints() const {
  std::vector<Bytes> points;
  for (int32_t bucket = 1; bucket < salt_buckets_; ++bucket) {
    points.push_back(PadSplitPoint(Bytes(1, static_cast<char>(bucket))));
  }
  return points;
}

}  // namespace bennu::sql
