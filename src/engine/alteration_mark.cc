#include "src/engine/alteration_mark.h"

#include <charconv>

#include "src/base/crc32.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/engine/archive.h"

namespace bennu::engine {

namespace {

std::string MarkPath(const RootLayout& layout, const TableName& table) {
  return JoinPath(layout.TableDirectory(table), ".altering");
}

// A family a line, and the checksum of these lines.
Bytes Encode(const std::set<std::string>& families) {
  Bytes text;
  for (const std::string& family : families) text += family + "\n";
  return text + std::to_string(Crc32c(text));
}

// None when it is damaged: then what is left over stays, and the checker tells of it.
std::set<std::string> Decode(ByteView bytes) {
  std::set<std::string> families;
  const size_t end = bytes.rfind('\n');
  if (end == ByteView::npos) return families;
  ByteView lines = bytes.substr(0, end + 1);
  if (bytes.substr(end + 1) != std::to_string(Crc32c(lines))) return families;
  for (; !lines.empty(); lines.remove_prefix(lines.find('\n') + 1)) {
    families.emplace(lines.substr(0, lines.find('\n')));
  }
  return families;
}

Result<std::set<std::string>> ReadMark(Env* env, const std::string& path) {
  const auto bytes = env->ReadFile(path);
  if (bytes.status().code() == StatusCode::kNotFound) return std::set<std::string>();
  RETURN_IF_ERROR(bytes.status());
  std::set<std::string> families = Decode(*bytes);
  if (families.empty()) LogWarning("{} is damaged; what it was for is left alone", path);
  return families;
}

}  // namespace

Status WriteAlterationMark(Env* env, const RootLayout& layout, const TableName& table,
                           std::set<std::string> families) {
  const std::string path = MarkPath(layout, table);
  ASSIGN_OR_RETURN(std::set<std::string> present, ReadMark(env, path));
  families.merge(present);
  return env->WriteFileAtomically(path, Encode(families));
}

Status FinishAlteration(Env* env, const RootLayout& layout, const TableDescriptor& descriptor,
                        const std::vector<std::string>& encoded_regions) {
  const std::string path = MarkPath(layout, descriptor.name);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const std::set<std::string> families, ReadMark(env, path));
  for (const std::string& family : families) {
    if (descriptor.FindFamily(family) != nullptr) continue;
    for (const std::string& encoded : encoded_regions) {
      RETURN_IF_ERROR(ArchiveFamily(env, layout, descriptor.name, encoded, family));
      RETURN_IF_ERROR(env->SyncDirectory(layout.RegionDirectory(descriptor.name, encoded)));
      BENNU_FAILPOINT("admin.alter.between_removals");
    }
  }
  RETURN_IF_ERROR(env->RemoveFile(path));
  return env->SyncDirectory(layout.TableDirectory(descriptor.name));
}

}  // namespace bennu::engine
