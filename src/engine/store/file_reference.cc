#include "src/engine/store/file_reference.h"

#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

std::optional<ReferenceName> ParseReferenceName(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return std::nullopt;
  ReferenceName parts{name.substr(0, dot), name.substr(dot + 1)};
  if (!IsStoreFileName(parts.file)) return std::nullopt;
  if (parts.parent.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  return parts;
}

std::string MakeReferenceName(const std::string& file, const std::string& parent) {
  return file + "." + parent;
}

Bytes EncodeReference(const FileReference& reference) {
  Bytes key;
  cell::AppendFirstOnRow(&key, reference.border);
  pb::Reference message;
  message.set_splitkey(key);
  message.set_range(reference.half == FileReference::Half::kTop ? pb::Reference::TOP
                                                                : pb::Reference::BOTTOM);
  return Bytes(api::kPbMagic) + message.SerializeAsString();
}

Result<FileReference> DecodeReference(ByteView bytes) {
  const Status corrupt =
      Corruption("not a reference to a store file (expected PBUF and a message)");
  pb::Reference message;
  if (bytes.substr(0, api::kPbMagic.size()) != api::kPbMagic) return corrupt;
  const ByteView body = bytes.substr(api::kPbMagic.size());
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size()))) return corrupt;
  const std::string& key = message.splitkey();
  if (key.size() < 2) return corrupt;
  const size_t row_length = LoadBE16(key.data());
  if (key.size() < 2 + row_length) return corrupt;
  FileReference reference;
  reference.border = key.substr(2, row_length);
  reference.half = message.range() == pb::Reference::TOP ? FileReference::Half::kTop
                                                         : FileReference::Half::kBottom;
  return reference;
}

Result<FileReference> ReadReference(Env* env, const std::string& path) {
  ASSIGN_OR_RETURN(const Bytes bytes, env->ReadFile(path));
  auto reference = DecodeReference(bytes);
  if (!reference.ok()) return reference.status().Annotate(path);
  return reference;
}

Status WriteReference(Env* env, const std::string& path, const FileReference& reference) {
  ASSIGN_OR_RETURN(const auto file, env->CreateFile(path));
  RETURN_IF_ERROR(file->Append(EncodeReference(reference)));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace bennu::engine
