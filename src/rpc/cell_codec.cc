#include "src/rpc/cell_codec.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::rpc {

namespace {

constexpr size_t kLengthSize = 4;
constexpr size_t kKeyValuePrefix = 8;  // lengths of key and value
constexpr uint32_t kMinKeyLength = kFlatKeyOverhead;

struct NamedCodec {
  std::string_view name;
  CellCodec codec;
};
constexpr std::array<NamedCodec, 5> kCodecs = {{
    {"org.apache.hadoop.hbase.codec.KeyValueCodec", CellCodec::kKeyValue},
    {"org.apache.hadoop.hbase.codec.KeyValueCodecWithTags", CellCodec::kKeyValueWithTags},
    {"org.apache.hadoop.hbase.codec.CellCodec", CellCodec::kCell},
    {"org.apache.hadoop.hbase.codec.CellCodecWithTags", CellCodec::kCellWithTags},
    {"org.apache.hadoop.hbase.codec.MessageCodec", CellCodec::kMessage},
}};

void AppendCounted(ByteView bytes, Bytes* out) {
  AppendBE32(out, static_cast<uint32_t>(bytes.size()));
  out->append(bytes);
}

void AppendKeyValue(const Cell& cell, bool with_tags, Bytes* block) {
  const bool tags = with_tags && cell.tags_length > 0;
  const size_t length =
      kKeyValuePrefix + cell.key_length + cell.value_length + (tags ? 2 + cell.tags_length : 0);
  AppendBE32(block, static_cast<uint32_t>(length));
  AppendBE32(block, cell.key_length);
  AppendBE32(block, cell.value_length);
  block->append(cell.flat_key());
  block->append(cell.value_view());
  if (!tags) return;
  AppendBE16(block, static_cast<uint16_t>(cell.tags_length));
  block->append(cell.tags_view());
}

void AppendFields(const Cell& cell, bool with_tags, Bytes* block) {
  AppendCounted(cell.row(), block);
  AppendCounted(cell.family(), block);
  AppendCounted(cell.qualifier(), block);
  AppendBE64(block, static_cast<uint64_t>(cell.timestamp()));
  block->push_back(static_cast<char>(cell.type()));
  AppendCounted(cell.value_view(), block);
  if (with_tags) AppendCounted(cell.tags_view(), block);
  AppendBE64(block, cell.sequence_id);
}

void AppendMessage(const Cell& cell, Bytes* block) {
  pb::Cell message;
  CellToPb(cell, &message);
  AppendVarint(block, message.ByteSizeLong());
  message.AppendToString(block);
}

Status CutShort() { return Corruption("the cell block ends within a cell"); }

// Whether the lengths within a flat key fit each other and the type is one that a cell can have.
bool IsFlatKey(ByteView key) {
  if (key.size() < kMinKeyLength) return false;
  const size_t row = LoadBE16(key.data());
  if (row + kFlatKeyOverhead > key.size()) return false;
  const size_t family = static_cast<uint8_t>(key[2 + row]);
  if (row + family + kFlatKeyOverhead > key.size()) return false;
  const auto type = static_cast<CellType>(static_cast<uint8_t>(key.back()));
  return type == CellType::kPut || IsDelete(type);
}

}  // namespace

Result<CellCodec> CellCodecOfClass(std::string_view java_class) {
  if (java_class.empty()) return CellCodec::kNone;
  for (const NamedCodec& named : kCodecs) {
    if (named.name == java_class) return named.codec;
  }
  return NotSupported(fmt::format("the cell block codec {}", java_class));
}

void AppendCell(CellCodec codec, const Cell& cell, Bytes* block) {
  switch (codec) {
    case CellCodec::kNone: return;
    case CellCodec::kKeyValue: return AppendKeyValue(cell, /*with_tags=*/false, block);
    case CellCodec::kKeyValueWithTags: return AppendKeyValue(cell, /*with_tags=*/true, block);
    case CellCodec::kCell: return AppendFields(cell, /*with_tags=*/false, block);
    case CellCodec::kCellWithTags: return AppendFields(cell, /*with_tags=*/true, block);
    case CellCodec::kMessage: return AppendMessage(cell, block);
  }
}

Status CellBlockReader::Take(size_t length, ByteView* bytes) {
  if (length > rest_.size()) return CutShort();
  *bytes = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return Status::Ok();
}

Status CellBlockReader::TakeCounted(ByteView* bytes) {
  ByteView length;
  RETURN_IF_ERROR(Take(kLengthSize, &length));
  return Take(LoadBE32(length.data()), bytes);
}

Status CellBlockReader::Next(Cell* cell) {
  switch (codec_) {
    case CellCodec::kNone:
      return NotSupported("a request whose cells are in a block, on a connection without a codec");
    case CellCodec::kKeyValue:
    case CellCodec::kKeyValueWithTags: return NextKeyValue(cell);
    case CellCodec::kCell:
    case CellCodec::kCellWithTags: return NextFields(cell);
    case CellCodec::kMessage: return NextMessage(cell);
  }
  return Internal("an unknown cell codec");
}

Status CellBlockReader::Skip(int64_t count) {
  Cell ignored;
  for (int64_t i = 0; i < count; ++i) RETURN_IF_ERROR(Next(&ignored));
  return Status::Ok();
}

Status CellBlockReader::NextKeyValue(Cell* cell) {
  ByteView bytes;
  RETURN_IF_ERROR(TakeCounted(&bytes));
  if (bytes.size() < kKeyValuePrefix) return CutShort();
  const uint64_t key_length = LoadBE32(bytes.data());
  const uint64_t value_length = LoadBE32(bytes.data() + kLengthSize);
  bytes.remove_prefix(kKeyValuePrefix);
  if (key_length + value_length > bytes.size()) return CutShort();
  const ByteView key = bytes.substr(0, key_length);
  if (!IsFlatKey(key)) return Corruption("a cell of the block has a key that is none");
  *cell = Cell();
  cell->key = key.data();
  cell->key_length = static_cast<uint32_t>(key_length);
  cell->value = key.data() + key_length;
  cell->value_length = static_cast<uint32_t>(value_length);
  bytes.remove_prefix(key_length + value_length);
  if (bytes.empty()) return Status::Ok();
  if (bytes.size() < 2 || bytes.size() - 2 != LoadBE16(bytes.data())) {
    return Corruption("the tags of a cell of the block are cut");
  }
  cell->tags = bytes.data() + 2;
  cell->tags_length = static_cast<uint32_t>(bytes.size() - 2);
  return Status::Ok();
}

Status CellBlockReader::NextFields(Cell* cell) {
  CellParts parts;
  ByteView number;
  RETURN_IF_ERROR(TakeCounted(&parts.row));
  RETURN_IF_ERROR(TakeCounted(&parts.family));
  RETURN_IF_ERROR(TakeCounted(&parts.qualifier));
  RETURN_IF_ERROR(Take(sizeof(uint64_t), &number));
  parts.timestamp = static_cast<int64_t>(LoadBE64(number.data()));
  RETURN_IF_ERROR(Take(1, &number));
  parts.type = static_cast<CellType>(static_cast<uint8_t>(number[0]));
  RETURN_IF_ERROR(TakeCounted(&parts.value));
  if (codec_ == CellCodec::kCellWithTags) RETURN_IF_ERROR(TakeCounted(&parts.tags));
  RETURN_IF_ERROR(Take(sizeof(uint64_t), &number));  // the write number is the store's business
  return MakeCell(parts, &made_.emplace_back(), cell);
}

Status CellBlockReader::NextMessage(Cell* cell) {
  uint64_t size = 0;
  if (!ConsumeVarint64(&rest_, &size)) return CutShort();
  ByteView bytes;
  RETURN_IF_ERROR(Take(size, &bytes));
  pb::Cell message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Corruption("a cell of the block is not a message");
  }
  CellParts parts;
  parts.row = message.row();
  parts.family = message.family();
  parts.qualifier = message.qualifier();
  if (message.has_timestamp()) parts.timestamp = static_cast<int64_t>(message.timestamp());
  parts.type = static_cast<CellType>(message.has_cell_type() ? message.cell_type() : pb::PUT);
  parts.value = message.value();
  parts.tags = message.tags();
  return MakeCell(parts, &made_.emplace_back(), cell);
}

Status MakeCell(const CellParts& parts, Bytes* memory, Cell* cell) {
  constexpr size_t kValueMax = std::numeric_limits<int32_t>::max();
  constexpr size_t kTagsMax = std::numeric_limits<uint16_t>::max();
  if (parts.row.empty() || parts.row.size() > kMaxRowLength) {
    return InvalidArgument(fmt::format("a row key of {} bytes", parts.row.size()));
  }
  if (parts.family.size() > kMaxFamilyLength || parts.qualifier.size() > kValueMax ||
      parts.value.size() > kValueMax || parts.tags.size() > kTagsMax) {
    return InvalidArgument("a cell with a part that is too long");
  }
  if (parts.type != CellType::kPut && !IsDelete(parts.type)) {
    return InvalidArgument(fmt::format("a cell of type {}", static_cast<int>(parts.type)));
  }
  memory->clear();
  AppendBE16(memory, static_cast<uint16_t>(parts.row.size()));
  memory->append(parts.row);
  memory->push_back(static_cast<char>(parts.family.size()));
  memory->append(parts.family);
  memory->append(parts.qualifier);
  AppendBE64(memory, static_cast<uint64_t>(parts.timestamp));
  memory->push_back(static_cast<char>(parts.type));
  const size_t key_length = memory->size();
  memory->append(parts.value);
  memory->append(parts.tags);
  *cell = Cell();
  cell->key = memory->data();
  cell->key_length = static_cast<uint32_t>(key_length);
  cell->value = memory->data() + key_length;
  cell->value_length = static_cast<uint32_t>(parts.value.size());
  cell->tags = cell->value + parts.value.size();
  cell->tags_length = static_cast<uint32_t>(parts.tags.size());
  return Status::Ok();
}

void CellToPb(const Cell& cell, pb::Cell* message) {
  message->set_row(cell.row().data(), cell.row().size());
  message->set_family(cell.family().data(), cell.family().size());
  message->set_qualifier(cell.qualifier().data(), cell.qualifier().size());
  message->set_timestamp(static_cast<uint64_t>(cell.timestamp()));
  message->set_cell_type(static_cast<pb::CellType>(cell.type()));
  message->set_value(cell.value_view().data(), cell.value_length);
}

}  // namespace bennu::rpc
