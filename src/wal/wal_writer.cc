#include "src/wal/wal_writer.h"

#include <fmt/format.h>

#include "proto/wal.pb.h"
#include "src/base/checksum_field.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/wal/wal_format.h"

namespace bennu::wal {

namespace {

// Tags of protobuf fields: number × 8 + wire type.
constexpr uint8_t VarintTag(int field) { return static_cast<uint8_t>(field << 3); }
constexpr uint8_t BytesTag(int field) { return static_cast<uint8_t>((field << 3) | 2); }

void AppendBytesField(Bytes* out, int field, ByteView value) {
  out->push_back(static_cast<char>(BytesTag(field)));
  AppendVarint(out, value.size());
  out->append(value);
}

void AppendVarintField(Bytes* out, int field, uint64_t value) {
  out->push_back(static_cast<char>(VarintTag(field)));
  AppendVarint(out, value);
}

char* StoreVarint(char* to, uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<char>(value);
  return to;
}

char* StoreVarintField(char* to, int field, uint64_t value) {
  *to++ = static_cast<char>(VarintTag(field));
  return StoreVarint(to, value);
}

// FamilyScope messages, field 6.
void AppendScopes(Bytes* out, std::span<const FamilyScope> scopes) {
  Bytes message;
  for (const FamilyScope& scope : scopes) {
    message.clear();
    AppendBytesField(&message, 1, scope.family);
    AppendVarintField(&message, 2, static_cast<uint64_t>(scope.scope));
    AppendBytesField(out, 6, message);
  }
}

// What few entries have: fields 8, 11 and 12.
void AppendClusterIds(Bytes* out, const std::vector<ClusterUuid>& ids) {
  Bytes message;
  for (const ClusterUuid& id : ids) {
    message.clear();
    AppendVarintField(&message, 1, id.least_significant_bits);
    AppendVarintField(&message, 2, id.most_significant_bits);
    AppendBytesField(out, 8, message);
  }
}

void AppendAttribute(Bytes* out, ByteView name, ByteView value) {
  Bytes message;
  AppendBytesField(&message, 1, name);
  AppendBytesField(&message, 2, value);
  AppendBytesField(out, 12, message);
}

}  // namespace

uint32_t CellsChecksum(std::span<const ByteView> cells) {
  uint32_t checksum = 0;
  for (const ByteView piece : cells) checksum = Crc32c(piece, checksum);
  return checksum;
}

Bytes EncodeRegionFields(ByteView encoded_region, ByteView table) {
  Bytes fields;
  AppendBytesField(&fields, 1, encoded_region);
  AppendBytesField(&fields, 2, table);
  return fields;
}

Bytes EncodeAttribute(ByteView name, ByteView value) {
  Bytes field;
  AppendAttribute(&field, name, value);
  return field;
}

void AppendWalEntry(Bytes* out, const EntryParts& parts) {
  // Everything but region, scopes and attributes fits a small buffer: up to 5 fields of 11 bytes.
  char before[24];
  char* before_end = StoreVarintField(before, 3, parts.sequence_id);
  before_end = StoreVarintField(before_end, 4, parts.write_time_ms);
  char after[32];
  char* after_end = StoreVarintField(after, 7, parts.cell_count);
  if (parts.nonce_group != 0) after_end = StoreVarintField(after_end, 9, parts.nonce_group);
  if (parts.nonce != 0) after_end = StoreVarintField(after_end, 10, parts.nonce);
  Bytes scopes;
  if (!parts.scopes.empty()) AppendScopes(&scopes, parts.scopes);

  const auto before_size = static_cast<size_t>(before_end - before);
  const auto after_size = static_cast<size_t>(after_end - after);
  char length[kVarint64SizeMax];
  char* const length_end =
      StoreVarint(length, parts.region_fields.size() + before_size + scopes.size() + after_size +
                              parts.attributes.size() + kChecksumFieldSize);
  out->append(length, static_cast<size_t>(length_end - length));
  out->append(parts.region_fields);
  out->append(before, before_size);
  out->append(scopes);
  out->append(after, after_size);
  out->append(parts.attributes);
  uint32_t checksum = Crc32c(parts.region_fields, parts.cells_checksum);
  checksum = Crc32c(ByteView(before, before_size), checksum);
  checksum = Crc32c(scopes, checksum);
  checksum = Crc32c(ByteView(after, after_size), checksum);
  AppendChecksumField(out, Crc32c(parts.attributes, checksum));
  for (const ByteView cells : parts.cells) out->append(cells);
}

void AppendWalEntry(Bytes* out, const WalKeyFields& key, ByteView cells, uint32_t cell_count) {
  Bytes message = EncodeRegionFields(key.encoded_region, key.table);
  AppendVarintField(&message, 3, key.sequence_id);
  AppendVarintField(&message, 4, key.write_time_ms);
  AppendScopes(&message, key.scopes);
  AppendVarintField(&message, 7, cell_count);
  AppendClusterIds(&message, key.cluster_ids);
  if (key.nonce_group != 0) AppendVarintField(&message, 9, key.nonce_group);
  if (key.nonce != 0) AppendVarintField(&message, 10, key.nonce);
  if (key.original_sequence_id != 0) AppendVarintField(&message, 11, key.original_sequence_id);
  for (const auto& [name, value] : key.extended_attributes) {
    AppendAttribute(&message, name, value);
  }
  AppendChecksumField(&message, Crc32c(message, Crc32c(cells)));
  AppendVarint(out, message.size());
  out->append(message);
  out->append(cells);
}

Result<std::unique_ptr<WalFileWriter>> WalFileWriter::Create(Env* env, const std::string& path) {
  pb::WALHeader header;
  header.set_has_compression(false);
  header.set_has_tag_compression(false);
  header.set_writer_cls_name(kWriterClass);
  header.set_cell_codec_cls_name(kCellCodecClass);
  header.set_has_value_compression(false);
  Bytes message = header.SerializeAsString();
  if (message.empty()) return Internal("a WALHeader could not be encoded");
  AppendChecksumField(&message, Crc32c(message));
  Bytes bytes(kMagic);
  AppendVarint(&bytes, message.size());
  bytes.append(message);

  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, env->CreateFile(path));
  Status status = file->Append(bytes);
  const size_t slash = path.rfind('/');
  if (status.ok() && slash != std::string::npos) status = env->SyncDirectory(path.substr(0, slash));
  if (!status.ok()) {
    // A file without a header is of no use; if it cannot be removed it reads as an empty log.
    const Status removed = env->RemoveFile(path);
    if (!removed.ok()) LogWarning("{} stays behind: {}", path, removed.ToString());
    return status;
  }
  return std::unique_ptr<WalFileWriter>(new WalFileWriter(std::move(file)));
}

Status WalFileWriter::Append(ByteView entries) {
  RETURN_IF_ERROR(file_->Append(entries));
  write_back_.NoteAppended();
  return Status::Ok();
}

Status WalFileWriter::Sync() {
  RETURN_IF_ERROR(file_->Sync());
  write_back_.NoteSynced();
  return Status::Ok();
}

Status WalFileWriter::Close() {
  Bytes trailer;
  AppendBE32(&trailer, 0);  // the WALTrailer message has no fields
  trailer.append(kTrailerMagic);
  RETURN_IF_ERROR(file_->Append(trailer));
  RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

}  // namespace bennu::wal
