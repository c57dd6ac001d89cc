#include "src/engine/directory/root_directory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/base/crc32.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/engine/directory/meta_rows.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kVersion = "8";
constexpr std::string_view kTableInfoPrefix = ".tableinfo.";
// Beside a .tableinfo: its name and checksum, which the format has no place for. A file of another
// name, HBase's for one, is taken as it is.
constexpr std::string_view kTableInfoChecksum = ".bennu.checksum";

// Whatever a creation that died may have left, and what a mount point brings along.
constexpr std::array<std::string_view, 9> kOwnNames = {".bennu.lock", ".bennu.clock", ".tmp",
                                                       "WALs",        "archive",      "data",
                                                       "hbase.id",    "oldWALs",      "lost+found"};

bool IsOwnName(const std::string& name) {
  // Atomic writes leave "NAME.tmp-…" behind when they die.
  const std::string_view stem = std::string_view(name).substr(0, name.find(".tmp-"));
  return stem == "hbase.version" ||
         std::find(kOwnNames.begin(), kOwnNames.end(), stem) != kOwnNames.end();
}

// Random, as RFC 4122 version 4 wants it.
std::string NewUuid(Env* env) {
  const uint64_t high = (env->RandomU64() & ~0xF000ull) | 0x4000ull;
  const uint64_t low = (env->RandomU64() & ~(3ull << 62)) | (2ull << 62);
  char text[40];
  std::snprintf(text, sizeof(text), "%08x-%04x-%04x-%04x-%012llx",
                static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xFFFF),
                static_cast<unsigned>(high & 0xFFFF), static_cast<unsigned>(low >> 48),
                static_cast<unsigned long long>(low & 0xFFFFFFFFFFFFull));
  return text;
}

Status MakeMeta(Env* env, const RootLayout& layout) {
  const TableDescriptor descriptor = MetaDescriptor();
  const std::string table = layout.TableDirectory(descriptor.name);
  const RegionInfo info = MetaRegionInfo();
  const std::string region = layout.RegionDirectory(descriptor.name, info.EncodedName());
  for (const auto& family : descriptor.families) {
    RETURN_IF_ERROR(env->CreateDirectories(JoinPath(region, family.name)));
  }
  RETURN_IF_ERROR(WriteRegionInfo(env, region, info));
  RETURN_IF_ERROR(WriteTableInfo(env, table, descriptor));
  RETURN_IF_ERROR(env->SyncDirectory(region));
  RETURN_IF_ERROR(env->SyncDirectory(table));
  return env->SyncDirectory(layout.NamespaceDirectory("hbase"));
}

// Each step may have been done before.
Status MakeRoot(Env* env, const RootLayout& layout) {
  BENNU_FAILPOINT("root.create.after_lock");
  for (const std::string& directory :
       {layout.NamespaceDirectory("default"), layout.NamespaceDirectory("hbase"), layout.Logs(),
        layout.OldLogs(), layout.Archive(), layout.Temp()}) {
    RETURN_IF_ERROR(env->CreateDirectories(directory));
  }
  BENNU_FAILPOINT("root.create.after_directories");
  ASSIGN_OR_RETURN(const bool has_id, env->Exists(layout.IdFile()));
  if (!has_id) RETURN_IF_ERROR(WriteClusterId(env, layout));
  BENNU_FAILPOINT("root.create.after_id");
  RETURN_IF_ERROR(MakeMeta(env, layout));
  RETURN_IF_ERROR(env->SyncDirectory(layout.Data()));
  BENNU_FAILPOINT("root.create.after_meta");
  RETURN_IF_ERROR(WriteVersion(env, layout));
  BENNU_FAILPOINT("root.create.after_version");
  RETURN_IF_ERROR(env->SyncDirectory(layout.root()));
  // The root itself is an entry of its parent.
  const size_t slash = layout.root().rfind('/');
  if (slash == std::string::npos) return env->SyncDirectory(".");
  return env->SyncDirectory(slash == 0 ? "/" : layout.root().substr(0, slash));
}

// Refuses a directory that is neither a store nor empty.
Status CheckForeign(Env* env, const RootLayout& layout, bool* complete) {
  ASSIGN_OR_RETURN(const bool is_directory, env->IsDirectory(layout.root()));
  if (!is_directory) {
    return FailedPrecondition(layout.root() + " is a file, not a directory; name another place");
  }
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(layout.root()));
  *complete = std::find(names.begin(), names.end(), "hbase.version") != names.end();
  if (*complete) return Status::Ok();
  const auto has_lock = std::find(names.begin(), names.end(), ".bennu.lock") != names.end();
  // Another name beside these is something that only a store makes, and as a rule its last step.
  const bool was_store = std::find(names.begin(), names.end(), "hbase.id") != names.end() &&
                         std::find(names.begin(), names.end(), "data") != names.end();
  for (const std::string& name : names) {
    if (name == "lost+found" || (has_lock && IsOwnName(name))) continue;
    if (was_store) {
      return FailedPrecondition("directory " + layout.root() +
                                " is a store whose file hbase.version is lost; `bennu check " +
                                layout.root() + " --repair` writes it again");
    }
    return FailedPrecondition("directory " + layout.root() + " holds something else ('" + name +
                              "') and no store; name an empty or missing directory");
  }
  return Status::Ok();
}

Status CheckVersion(Env* env, const RootLayout& layout) {
  ASSIGN_OR_RETURN(const Bytes bytes, env->ReadFile(layout.VersionFile()));
  pb::HBaseVersionFileContent content;
  const ByteView view = bytes;
  if (view.substr(0, api::kPbMagic.size()) != api::kPbMagic ||
      !content.ParseFromArray(bytes.data() + api::kPbMagic.size(),
                              static_cast<int>(bytes.size() - api::kPbMagic.size()))) {
    return Corruption(layout.VersionFile() +
                      ": not a version file of HBase (expected PBUF and a message); restore it "
                      "from a copy");
  }
  if (content.version() != kVersion) {
    return NotSupported(layout.VersionFile() + " says version '" + content.version() +
                        "'; this program reads version '" + std::string(kVersion) +
                        "' (HBase 2.x), so upgrade the directory with HBase first");
  }
  return Status::Ok();
}

struct TableInfoFile {
  std::string name;
  int64_t sequence = -1;
  int64_t length = -1;  // -1: the name does not tell
};

// Nothing: it is another file's.
std::optional<TableInfoFile> ParseTableInfoName(const std::string& name) {
  if (!name.starts_with(kTableInfoPrefix) || IsTemporaryName(name)) return std::nullopt;
  const std::string_view rest = std::string_view(name).substr(kTableInfoPrefix.size());
  TableInfoFile file;
  file.name = name;
  file.sequence = api::ParseInteger(rest.substr(0, rest.find('.'))).value_or(-1);
  if (const size_t dot = rest.find('.'); dot != std::string_view::npos) {
    file.length = api::ParseInteger(rest.substr(dot + 1)).value_or(-1);
  }
  if (file.sequence < 0) return std::nullopt;
  return file;
}

// None when there is no such directory.
Result<std::vector<TableInfoFile>> ListTableInfos(Env* env, const std::string& directory) {
  std::vector<TableInfoFile> files;
  const auto names = env->ListDirectory(directory);
  if (names.status().code() == StatusCode::kNotFound) return files;
  RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    if (auto file = ParseTableInfoName(name); file.has_value()) files.push_back(*std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const auto& left, const auto& right) { return left.sequence > right.sequence; });
  return files;
}

std::string ChecksumLine(const std::string& name, ByteView content) {
  return name + " " + std::to_string(Crc32c(content));
}

struct TableInfoNote {
  TableInfoFile file;
  uint32_t checksum = 0;
};

// Of a line of ChecksumLine. Nothing: it is none.
std::optional<TableInfoNote> ParseChecksumLine(ByteView line) {
  const size_t space = line.find(' ');
  if (space == ByteView::npos) return std::nullopt;
  TableInfoNote note;
  const auto file = ParseTableInfoName(std::string(line.substr(0, space)));
  const auto checksum = api::ParseInteger(line.substr(space + 1));
  if (!file.has_value() || !checksum.has_value() || *checksum < 0 || *checksum > UINT32_MAX) {
    return std::nullopt;
  }
  return TableInfoNote{*file, static_cast<uint32_t>(*checksum)};
}

// Corruption: the file is the one that the checksum was made for, and is not what it was; or the
// checksum is of a file that is gone, or is no checksum. 'files' are all that are there.
Status CheckTableInfo(Env* env, const std::string& directory, const TableInfoFile& file,
                      ByteView content, const std::vector<TableInfoFile>& files) {
  const std::string path = JoinPath(directory, kTableInfoChecksum);
  const auto read = env->ReadFile(path);
  if (read.status().code() == StatusCode::kNotFound) return Status::Ok();
  RETURN_IF_ERROR(read.status());
  const auto note = ParseChecksumLine(*read);
  if (!note.has_value()) {
    return Corruption(path +
                      " is not the name and checksum that Bennu writes there; `bennu check "
                      "--repair` makes a new one");
  }
  if (note->checksum == Crc32c(content)) return Status::Ok();
  if (note->file.name == file.name) {
    return Corruption(JoinPath(directory, file.name) + " is not what " +
                      std::string(kTableInfoChecksum) +
                      " beside it says; `bennu check --repair` makes a new one");
  }
  const bool is_there = std::any_of(files.begin(), files.end(), [&](const TableInfoFile& one) {
    return one.name == note->file.name;
  });
  if (is_there || note->file.sequence < file.sequence) return Status::Ok();
  return Corruption(path + " is of " + note->file.name +
                    ", which is not there; put it back from a backup, or `bennu check --repair` "
                    "takes " +
                    file.name);
}

}  // namespace

Result<std::unique_ptr<DirectoryLock>> TakeRoot(Env* env, const RootLayout& layout,
                                                bool create_if_missing) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(layout.root()));
  if (!exists) {
    if (!create_if_missing) return NotFound("there is no directory " + layout.root());
    RETURN_IF_ERROR(env->CreateDurableDirectories(layout.root()));
  }
  bool complete = false;
  RETURN_IF_ERROR(CheckForeign(env, layout, &complete));
  if (!complete && !create_if_missing) {
    return NotFound("directory " + layout.root() + " holds no store");
  }
  if (complete) RETURN_IF_ERROR(CheckVersion(env, layout));
  auto lock = env->LockFile(layout.LockFile());
  if (!lock.ok()) {
    if (lock.status().code() != StatusCode::kHeld) return lock;
    return Status(StatusCode::kHeld, "directory " + lock.status().message());
  }
  // Looked at again: another process may have made the store before we had the lock.
  RETURN_IF_ERROR(CheckForeign(env, layout, &complete));
  if (!complete) RETURN_IF_ERROR(MakeRoot(env, layout));
  RETURN_IF_ERROR(CheckVersion(env, layout));
  return lock;
}

Status CheckRoot(Env* env, const RootLayout& layout) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(layout.root()));
  if (!exists) return NotFound("there is no directory " + layout.root());
  bool complete = false;
  RETURN_IF_ERROR(CheckForeign(env, layout, &complete));
  if (!complete) return NotFound("directory " + layout.root() + " holds no store");
  return CheckVersion(env, layout);
}

Result<std::string> ReadClusterId(Env* env, const RootLayout& layout) {
  ASSIGN_OR_RETURN(const Bytes bytes, env->ReadFile(layout.IdFile()));
  pb::ClusterId id;
  if (!bytes.starts_with(api::kPbMagic) ||
      !id.ParseFromString(bytes.substr(api::kPbMagic.size())) || id.cluster_id().empty()) {
    return Corruption(layout.IdFile() +
                      " holds no cluster id; take it from a backup, or let `bennu check --repair` "
                      "write a new one");
  }
  return id.cluster_id();
}

Status WriteClusterId(Env* env, const RootLayout& layout) {
  pb::ClusterId id;
  id.set_cluster_id(NewUuid(env));
  return env->WriteFileAtomically(layout.IdFile(), Bytes(api::kPbMagic) + id.SerializeAsString());
}

Status WriteVersion(Env* env, const RootLayout& layout) {
  pb::HBaseVersionFileContent version;
  version.set_version(std::string(kVersion));
  return env->WriteFileAtomically(layout.VersionFile(),
                                  Bytes(api::kPbMagic) + version.SerializeAsString());
}

Result<TableDescriptor> ReadTableInfo(Env* env, const std::string& table_directory) {
  const std::string directory = JoinPath(table_directory, ".tabledesc");
  Status problem = NotFound("there is no table descriptor in " + directory);
  ASSIGN_OR_RETURN(const std::vector<TableInfoFile> files, ListTableInfos(env, directory));
  for (const TableInfoFile& file : files) {
    const std::string path = JoinPath(directory, file.name);
    ASSIGN_OR_RETURN(const Bytes bytes, env->ReadFile(path));
    // A file whose length is not that of its name was cut short; an older one may be whole.
    if (file.length >= 0 && static_cast<uint64_t>(file.length) != bytes.size()) {
      problem = Corruption(path + " has " + std::to_string(bytes.size()) +
                           " bytes; its name says " + std::to_string(file.length));
      LogWarning("{}; looking for an older one", problem.ToString());
      continue;
    }
    auto descriptor = api::DecodeTableInfo(bytes);
    if (!descriptor.ok()) return descriptor.status().Annotate(path);
    RETURN_IF_ERROR(CheckTableInfo(env, directory, file, bytes, files));
    return descriptor;
  }
  return problem;
}

namespace {

// What is left to do once the new file is there and counts.
Status FinishTableInfo(Env* env, const std::string& directory, const std::string& name,
                       ByteView content, const std::vector<TableInfoFile>& older) {
  RETURN_IF_ERROR(env->WriteFileAtomically(JoinPath(directory, kTableInfoChecksum),
                                           ChecksumLine(name, content)));
  BENNU_FAILPOINT("root.tableinfo.before_remove");
  for (const TableInfoFile& file : older) {
    RETURN_IF_ERROR(env->RemoveFile(JoinPath(directory, file.name)));
  }
  return Status::Ok();
}

// A file that could not be written may be there all the same, when it was its directory that could
// not be synced: the next opening would take it.
Status TakeTableInfoBack(Env* env, const std::string& directory, const std::string& name) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(JoinPath(directory, name)));
  if (!exists) return Status::Ok();
  RETURN_IF_ERROR(env->RemoveFile(JoinPath(directory, name)));
  return env->SyncDirectory(directory);
}

}  // namespace

Status WriteTableInfo(Env* env, const std::string& table_directory,
                      const TableDescriptor& descriptor) {
  const std::string directory = JoinPath(table_directory, ".tabledesc");
  RETURN_IF_ERROR(env->CreateDirectories(directory));
  ASSIGN_OR_RETURN(const std::vector<TableInfoFile> older, ListTableInfos(env, directory));
  const int64_t sequence = older.empty() ? 1 : older.front().sequence + 1;
  const Bytes content = api::EncodeTableInfo(descriptor);
  char name[64];
  std::snprintf(name, sizeof(name), "%s%010lld.%zu", std::string(kTableInfoPrefix).c_str(),
                static_cast<long long>(sequence), content.size());
  const Status written = env->WriteFileAtomically(JoinPath(directory, name), content);
  if (!written.ok()) {
    const Status back = TakeTableInfoBack(env, directory, name);
    if (!back.ok()) LogWarning("taking {}/{} back: {}", directory, name, back.ToString());
    return written;
  }
  // Decided: what goes wrong from here on is leftovers, and the next change removes them.
  const Status finished = FinishTableInfo(env, directory, name, content, older);
  if (!finished.ok()) LogWarning("{}: {}", directory, finished.ToString());
  return Status::Ok();
}

Status WriteRegionInfo(Env* env, const std::string& region_directory, const RegionInfo& info) {
  RETURN_IF_ERROR(env->CreateDirectories(region_directory));
  return env->WriteFileAtomically(JoinPath(region_directory, ".regioninfo"),
                                  api::EncodeRegionInfoFile(info));
}

namespace {

// "TIME SEQUENCE-ID FINGERPRINT CRC32C", or the time alone. Nothing: damaged.
std::optional<StoreNotes> ParseNotes(ByteView text) {
  std::vector<int64_t> numbers;
  const size_t last_space = text.rfind(' ');
  for (ByteView rest = text; !rest.empty();) {
    const size_t space = rest.find(' ');
    const auto number = api::ParseInteger(rest.substr(0, space));
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
    rest.remove_prefix(space == ByteView::npos ? rest.size() : space + 1);
  }
  if (numbers.size() != 1 && numbers.size() != 4) return std::nullopt;
  StoreNotes notes;
  notes.clock_millis = numbers[0];
  if (numbers.size() < 4) return notes;
  if (numbers[3] != static_cast<int64_t>(Crc32c(text.substr(0, last_space)))) return std::nullopt;
  notes.sequence_id = static_cast<uint64_t>(numbers[1]);
  notes.catalog_fingerprint = static_cast<uint64_t>(numbers[2]);
  return notes;
}

}  // namespace

Result<StoreNotes> ReadNotes(Env* env, const RootLayout& layout) {
  const auto text = env->ReadFile(layout.ClockFile());
  if (text.status().code() == StatusCode::kNotFound) return StoreNotes();
  RETURN_IF_ERROR(text.status());
  const auto notes = ParseNotes(*text);
  if (!notes.has_value()) {
    LogWarning("{} is damaged; every region is looked at instead", layout.ClockFile());
  }
  return notes.value_or(StoreNotes());
}

Status CheckNotes(Env* env, const RootLayout& layout) {
  const auto text = env->ReadFile(layout.ClockFile());
  if (text.status().code() == StatusCode::kNotFound) return Status::Ok();
  if (!text.ok()) return text.status();
  if (ParseNotes(*text).has_value()) return Status::Ok();
  return Corruption("the notes for the next start are damaged; it looks at every region instead");
}

Status WriteNotes(Env* env, const RootLayout& layout, const StoreNotes& notes) {
  std::string text = std::to_string(notes.clock_millis) + " " + std::to_string(notes.sequence_id) +
                     " " + std::to_string(notes.catalog_fingerprint);
  text += " " + std::to_string(Crc32c(text));
  return env->WriteFileAtomically(layout.ClockFile(), text);
}

}  // namespace bennu::engine
