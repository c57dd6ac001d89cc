#include "src/engine/directory/alteration_mark.h"

#include <charconv>

#include "src/base/crc32.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/archive.h"

namespace bennu::engine {

namespace {

// A family a line, and the checksum of these lines.
Bytes Encode(const std::set<std::string>& families) {
  Bytes text;
  for (const std::string& family : families) text += family + "\n";
  return text + std::to_string(Crc32c(text));
}

// None when it is damaged.
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

// What is left over then stays, and the checker tells of it.
Result<std::set<std::string>> ReadIfWhole(Env* env, const RootLayout& layout,
                                          const TableName& table) {
  auto families = ReadAlterationMark(env, layout, table);
  if (families.status().code() != StatusCode::kCorruption) return families;
  LogWarning("{}", families.status().message());
  return std::set<std::string>();
}

}  // namespace

std::string AlterationMarkPath(const RootLayout& layout, const TableName& table) {
  return JoinPath(layout.TableDirectory(table), ".altering");
}

Result<std::set<std::string>> ReadAlterationMark(Env* env, const RootLayout& layout,
                                                 const TableName& table) {
  const std::string path = AlterationMarkPath(layout, table);
  const auto bytes = env->ReadFile(path);
  if (bytes.status().code() == StatusCode::kNotFound) return std::set<std::string>();
  RETURN_IF_ERROR(bytes.status());
  std::set<std::string> families = Decode(*bytes);
  if (families.empty()) {
    return Corruption(path +
                      " is damaged: it names the families whose directories an alteration that "
                      "died left over; they stay until `bennu check --repair` moves them away");
  }
  return families;
}

Status WriteAlterationMark(Env* env, const RootLayout& layout, const TableName& table,
                           std::set<std::string> families) {
  ASSIGN_OR_RETURN(std::set<std::string> present, ReadIfWhole(env, layout, table));
  families.merge(present);
  return env->WriteFileAtomically(AlterationMarkPath(layout, table), Encode(families));
}

Status FinishAlteration(Env* env, const RootLayout& layout, const TableDescriptor& descriptor,
                        const std::vector<std::string>& encoded_regions) {
  const std::string path = AlterationMarkPath(layout, descriptor.name);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const std::set<std::string> families, ReadIfWhole(env, layout, descriptor.name));
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
