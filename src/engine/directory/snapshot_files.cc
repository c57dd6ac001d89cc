#include "src/engine/directory/snapshot_files.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/api/name_characters.h"
#include "src/base/crc32.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kInfoName = ".snapshotinfo";
constexpr std::string_view kManifestName = "data.manifest";
// Beside them, since HBase's messages have no place for it: a line "FILE CRC32C SNAPSHOT" for each.
// A snapshot that HBase took, or renamed while it exported it, is taken as it is.
constexpr std::string_view kChecksumsName = ".bennu.checksum";
constexpr int32_t kLayoutVersion = 2;

std::string ChecksumLine(const std::string& file, ByteView content, const std::string& snapshot) {
  return file + " " + std::to_string(Crc32c(content)) + " " + snapshot + "\n";
}

struct ChecksumNote {
  uint32_t checksum = 0;
  std::string snapshot;
};

// By file. Nothing: these are not the lines of both files.
std::optional<std::map<std::string, ChecksumNote>> ParseChecksums(ByteView text) {
  std::map<std::string, ChecksumNote> notes;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == ByteView::npos) return std::nullopt;
    const ByteView line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const size_t first = line.find(' ');
    const size_t second = first == ByteView::npos ? first : line.find(' ', first + 1);
    if (second == ByteView::npos) return std::nullopt;
    const auto checksum = api::ParseInteger(line.substr(first + 1, second - first - 1));
    if (!checksum.has_value() || *checksum < 0 || *checksum > UINT32_MAX) return std::nullopt;
    notes[std::string(line.substr(0, first))] = {static_cast<uint32_t>(*checksum),
                                                 std::string(line.substr(second + 1))};
  }
  if (notes.size() != 2 || !notes.contains(std::string(kInfoName)) ||
      !notes.contains(std::string(kManifestName))) {
    return std::nullopt;
  }
  return notes;
}

// Corruption: the file is the one that the checksum was made for, and is not what it was; or what
// is noted are no checksums.
Status CheckContent(Env* env, const std::string& path, ByteView content) {
  const size_t name = path.rfind('/');
  const std::string directory = path.substr(0, name);
  const std::string checksums = JoinPath(directory, kChecksumsName);
  const auto read = env->ReadFile(checksums);
  if (read.status().code() == StatusCode::kNotFound) return Status::Ok();
  RETURN_IF_ERROR(read.status());
  const auto notes = ParseChecksums(*read);
  if (!notes.has_value()) {
    return Corruption(checksums + " no longer holds the checksums of " + std::string(kInfoName) +
                      " and " + std::string(kManifestName) +
                      "; put it back from a backup, delete the snapshot, or remove the file if the "
                      "two are known to be right");
  }
  const ChecksumNote& note = notes->at(path.substr(name + 1));
  if (note.checksum == Crc32c(content)) return Status::Ok();
  const std::string snapshot = directory.substr(directory.rfind('/') + 1);
  const auto is_of_another = [&](const auto& one) {
    return one.second.snapshot != snapshot && one.second.snapshot == note.snapshot;
  };
  if (std::all_of(notes->begin(), notes->end(), is_of_another)) return Status::Ok();
  return Corruption(path + " is not what " + std::string(kChecksumsName) +
                    " beside it says; delete the snapshot, or put the file back from a backup. If "
                    "another program changed the file on purpose, remove " +
                    checksums);
}

template <typename Message>
Status ReadMessage(Env* env, const std::string& path, Message* message) {
  const auto read = env->ReadFile(path);
  if (read.status().code() == StatusCode::kNotFound) {
    ASSIGN_OR_RETURN(const bool exists, env->Exists(path.substr(0, path.rfind('/'))));
    if (!exists) return read.status();  // deleted meanwhile, as a whole
    return Corruption(path +
                      " is missing; delete the snapshot, or put the file back from a backup");
  }
  RETURN_IF_ERROR(read.status());
  const Bytes& bytes = *read;
  RETURN_IF_ERROR(CheckContent(env, path, bytes));
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Status::Ok();
  return Corruption(
      path + ": " + std::to_string(bytes.size()) +
      " bytes that are not a valid message; delete the snapshot, or put the file back "
      "from a backup");
}

Status WriteSynced(Env* env, const std::string& path, const std::string& bytes) {
  ASSIGN_OR_RETURN(const auto file, env->CreateFile(path));
  RETURN_IF_ERROR(file->Append(bytes));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

SnapshotDescription DescriptionOf(const pb::SnapshotDescription& info) {
  SnapshotDescription description;
  description.name = info.name();
  if (auto table = TableName::Parse(info.table()); table.ok()) {
    description.table = *std::move(table);
  }
  description.creation_millis = info.creation_time();
  switch (info.type()) {
    case pb::SnapshotDescription::DISABLED:
      description.type = SnapshotDescription::Type::kDisabled;
      break;
    case pb::SnapshotDescription::FLUSH:
      description.type = SnapshotDescription::Type::kFlush;
      break;
    case pb::SnapshotDescription::SKIPFLUSH:
      description.type = SnapshotDescription::Type::kSkipFlush;
      break;
  }
  description.ttl_seconds = info.ttl();
  description.owner = info.owner();
  return description;
}

}  // namespace

bool IsExpired(const SnapshotDescription& snapshot, int64_t now_millis) {
  return snapshot.ttl_seconds > 0 && snapshot.creation_millis > 0 &&
         (now_millis - snapshot.creation_millis) / 1000 > snapshot.ttl_seconds;
}

Status CheckNotExpired(const SnapshotRecord& record, int64_t now_millis) {
  if (!IsExpired(DescriptionOf(record.info), now_millis)) return Status::Ok();
  return FailedPrecondition(fmt::format(
      "the time to live of snapshot {}, {} s, is over; its files may be deleted at any moment",
      record.info.name(), record.info.ttl()));
}

Status CheckSnapshotName(const std::string& name) {
  if (!name.empty() && name.front() != '.' && name.front() != '-' && api::IsNameText(name, ".-") &&
      name != api::kForbiddenName) {
    return Status::Ok();
  }
  return InvalidArgument("'" + name +
                         "' is not a name for a snapshot: letters, digits, '_', '-' and " +
                         "'.' are allowed, but not '-' or '.' at the beginning, and not the name " +
                         std::string(api::kForbiddenName));
}

FileLink TargetOf(const RegionInfo& region, const std::string& name) {
  FileLink target{region.table, region.EncodedName(), name};
  if (const auto reference = ParseReferenceName(name); reference.has_value()) {
    target.region = reference->parent;
    target.file = reference->file;
  }
  if (const auto link = ParseLinkName(target.file); link.has_value()) return *link;
  return target;
}

Status ForEachFile(const pb::SnapshotDataManifest& data,
                   const std::function<Status(const SnapshotFileEntry&)>& visit) {
  for (const auto& manifest : data.region_manifests()) {
    const RegionInfo region = api::RegionInfoFromPb(manifest.region_info());
    for (const auto& family : manifest.family_files()) {
      for (const auto& file : family.store_files()) {
        RETURN_IF_ERROR(visit({region, family.family_name(), file}));
      }
    }
  }
  return Status::Ok();
}

SnapshotContents DescribeRecord(const SnapshotRecord& record) {
  SnapshotContents contents;
  contents.description = DescriptionOf(record.info);
  contents.descriptor = api::DescriptorFromPb(record.data.table_schema());
  for (const auto& manifest : record.data.region_manifests()) {
    SnapshotRegion region;
    region.info = api::RegionInfoFromPb(manifest.region_info());
    for (const auto& family : manifest.family_files()) {
      for (const auto& file : family.store_files()) {
        region.files.push_back({family.family_name(), file.name(), file.file_size()});
        ++contents.description.file_count;
        contents.description.file_bytes += file.file_size();
      }
    }
    contents.regions.push_back(std::move(region));
  }
  std::stable_sort(contents.regions.begin(), contents.regions.end(),
                   [](const auto& left, const auto& right) {
                     return left.info.start_key < right.info.start_key;
                   });
  contents.description.region_count = contents.regions.size();
  return contents;
}

Result<std::vector<std::string>> SnapshotFiles::List() const {
  std::vector<std::string> snapshots;
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(layout_.Snapshots()));
  if (!exists) return snapshots;
  ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(layout_.Snapshots()));
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    // Also one that has lost a file, which is damaged then.
    ASSIGN_OR_RETURN(const bool is_snapshot, env_->IsDirectory(Directory(name)));
    if (is_snapshot) snapshots.push_back(name);
  }
  return snapshots;
}

Result<bool> SnapshotFiles::Exists(const std::string& name) const {
  return env_->Exists(Directory(name));
}

Result<SnapshotRecord> SnapshotFiles::Read(const std::string& name) const {
  RETURN_IF_ERROR(CheckSnapshotName(name));
  ASSIGN_OR_RETURN(const bool exists, Exists(name));
  if (!exists) return NotFound("there is no snapshot " + name);
  SnapshotRecord record;
  RETURN_IF_ERROR(ReadMessage(env_, JoinPath(Directory(name), kInfoName), &record.info));
  if (record.info.version() != kLayoutVersion) {
    return NotSupported("snapshot " + name + " has HBase's layout " +
                        std::to_string(record.info.version()) +
                        "; layout 2 is read, which HBase writes since 1.0: take it again there");
  }
  const std::string manifest = JoinPath(Directory(name), kManifestName);
  RETURN_IF_ERROR(ReadMessage(env_, manifest, &record.data));
  if (record.info.name() != name) {
    return Corruption(JoinPath(Directory(name), kInfoName) + " is that of snapshot " +
                      record.info.name() + "; put the file back from a backup");
  }
  const TableName table = api::TableNameFromPb(record.data.table_schema().table_name());
  const auto said = TableName::Parse(record.info.table());
  if (!said.ok() || *said != table) {
    return Corruption(manifest + " is of table " + table.ToString() + ", " +
                      std::string(kInfoName) + " beside it of " + record.info.table() +
                      "; put the file back from a backup");
  }
  return record;
}

Status SnapshotFiles::Write(const SnapshotRecord& record) const {
  const Status written = WriteAndMove(record);
  if (written.ok()) return written;
  // The next start would remove it, too.
  const Status removed = env_->RemoveTree(TempDirectory(record.info.name()));
  if (!removed.ok()) LogWarning("snapshot {}: {}", record.info.name(), removed.ToString());
  return written;
}

Status SnapshotFiles::WriteAndMove(const SnapshotRecord& given) const {
  SnapshotRecord record = given;
  record.info.set_version(kLayoutVersion);
  const std::string& name = record.info.name();
  const std::string temp = TempDirectory(name);
  RETURN_IF_ERROR(env_->RemoveTree(temp));
  RETURN_IF_ERROR(env_->CreateDurableDirectories(temp));
  const std::string info = record.info.SerializeAsString();
  const std::string data = record.data.SerializeAsString();
  RETURN_IF_ERROR(WriteSynced(env_, JoinPath(temp, kInfoName), info));
  BENNU_FAILPOINT("snapshot.after_info");
  RETURN_IF_ERROR(WriteSynced(env_, JoinPath(temp, kManifestName), data));
  RETURN_IF_ERROR(WriteSynced(env_, JoinPath(temp, kChecksumsName),
                              ChecksumLine(std::string(kInfoName), info, name) +
                                  ChecksumLine(std::string(kManifestName), data, name)));
  RETURN_IF_ERROR(env_->SyncDirectory(temp));
  BENNU_FAILPOINT("snapshot.before_rename");
  RETURN_IF_ERROR(env_->Rename(temp, Directory(name)));  // decides
  BENNU_FAILPOINT("snapshot.after_rename");
  return env_->SyncDirectory(layout_.Snapshots());
}

Status SnapshotFiles::Remove(const std::string& name) const {
  RETURN_IF_ERROR(CheckSnapshotName(name));
  ASSIGN_OR_RETURN(const bool exists, Exists(name));
  if (!exists) return NotFound("there is no snapshot " + name);
  const std::string temp = TempDirectory(name);
  RETURN_IF_ERROR(env_->RemoveTree(temp));
  RETURN_IF_ERROR(env_->CreateDurableDirectories(JoinPath(layout_.Snapshots(), ".tmp")));
  RETURN_IF_ERROR(env_->Rename(Directory(name), temp));  // decides
  // A move is durable once both of its directories are.
  RETURN_IF_ERROR(env_->SyncDirectory(JoinPath(layout_.Snapshots(), ".tmp")));
  RETURN_IF_ERROR(env_->SyncDirectory(layout_.Snapshots()));
  BENNU_FAILPOINT("snapshot.delete.after_rename");
  return env_->RemoveTree(temp);
}

Status SnapshotFiles::RemoveExpired(int64_t now_millis) const {
  ASSIGN_OR_RETURN(const auto names, List());
  for (const std::string& name : names) {
    pb::SnapshotDescription info;
    RETURN_IF_ERROR(ReadMessage(env_, JoinPath(Directory(name), kInfoName), &info));
    if (!IsExpired(DescriptionOf(info), now_millis)) continue;
    LogInfo("snapshot {} is older than its {} s and is deleted", name, info.ttl());
    RETURN_IF_ERROR(Remove(name));
  }
  return Status::Ok();
}

Status SnapshotFiles::CleanTemp() const {
  return env_->RemoveTree(JoinPath(layout_.Snapshots(), ".tmp"));
}

Result<std::set<std::string>> SnapshotFiles::NeededFiles() const {
  std::set<std::string> needed;
  ASSIGN_OR_RETURN(const auto names, List());
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const SnapshotRecord record, Read(name));
    RETURN_IF_ERROR(ForEachFile(record.data, [&](const SnapshotFileEntry& entry) {
      needed.insert(TargetOf(entry.region, entry.file.name()).file);
      return Status::Ok();
    }));
  }
  return needed;
}

Status VerifySnapshot(Env* env, const RootLayout& layout, const SnapshotRecord& record) {
  return ForEachFile(record.data, [&](const SnapshotFileEntry& entry) -> Status {
    const FileLink target = TargetOf(entry.region, entry.file.name());
    const auto places = LinkedPlaces(layout.root(), target, entry.family);
    for (const std::string& place : places) {
      const auto size = env->FileSize(place);
      if (!size.ok()) {
        if (size.status().code() == StatusCode::kNotFound) continue;
        return size.status();
      }
      if (!entry.file.has_file_size() || *size == entry.file.file_size()) return Status::Ok();
      return Corruption("snapshot " + record.info.name() + ": " + place + " has " +
                        std::to_string(*size) + " bytes; it had " +
                        std::to_string(entry.file.file_size()));
    }
    return Corruption("snapshot " + record.info.name() + ": file " + entry.file.name() +
                      " is neither at " + places.front() + " nor at " + places.back() +
                      "; put it back from a backup, or delete the snapshot");
  });
}

}  // namespace bennu::engine
