#include "src/engine/store/file_reference.h"

#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/file_link.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

std::optional<ReferenceName> ParseReferenceName(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot + 1 == name.size()) return std::nullopt;
  ReferenceName parts{name.substr(0, dot), name.substr(dot + 1)};
  if (!IsStoreFileName(parts.file) && !ParseLinkName(parts.file).has_value()) return std::nullopt;
  if (parts.parent.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
  return parts;
}

std::string MakeReferenceName(const std::string& file, const std::string& parent) {
  return file + "." + parent;
}

void ReferenceToPb(const FileReference& reference, pb::Reference* message) {
  Bytes key;
  cell::AppendFirstOnRow(&key, reference.border);
  message->set_splitkey(key);
  message->set_range(reference.half == FileReference::Half::kTop ? pb::Reference::TOP
                                                                 : pb::Reference::BOTTOM);
}

Result<FileReference> ReferenceFromPb(const pb::Reference& message) {
  const std::string& key = message.splitkey();
  if (key.size() < 2 || key.size() < 2u + LoadBE16(key.data())) {
    return Corruption("a reference to a store file whose border is no key");
  }
  FileReference reference;
  reference.border = key.substr(2, LoadBE16(key.data()));
  reference.half = message.range() == pb::Reference::TOP ? FileReference::Half::kTop
                                                         : FileReference::Half::kBottom;
  return reference;
}

Bytes EncodeReference(const FileReference& reference) {
  pb::Reference message;
  ReferenceToPb(reference, &message);
  return Bytes(api::kPbMagic) + message.SerializeAsString();
}

Result<FileReference> DecodeReference(ByteView bytes) {
  const Status corrupt =
      Corruption("not a reference to a store file (expected PBUF and a message)");
  pb::Reference message;
  if (bytes.substr(0, api::kPbMagic.size()) != api::kPbMagic) return corrupt;
  const ByteView body = bytes.substr(api::kPbMagic.size());
  if (!message.ParseFromArray(body.data(), static_cast<int>(body.size()))) return corrupt;
  return ReferenceFromPb(message);
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
