#include "src/engine/store/store_file.h"

#include <algorithm>
#include <cctype>

#include "src/base/coding.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

namespace {

// A number of 8 bytes; nothing when the entry is missing or has another length.
std::optional<uint64_t> InfoNumber(const hfile::Reader& reader, ByteView key) {
  const std::optional<ByteView> value = reader.Info(key);
  if (!value.has_value() || value->size() != 8) return std::nullopt;
  return LoadBE64(value->data());
}

// The same family of another region of the table: "<table>/<region>/<family>" with another region.
std::string SiblingStore(const std::string& directory, const std::string& region) {
  const size_t family = directory.rfind('/');
  const size_t own_region = directory.rfind('/', family - 1);
  return directory.substr(0, own_region + 1) + region + directory.substr(family);
}

Result<std::shared_ptr<const hfile::Reader>> OpenReferred(Env* env, const std::string& directory,
                                                          const std::string& archive_directory,
                                                          const std::string& name,
                                                          const ReferenceName& to,
                                                          hfile::BlockCache* cache) {
  // Its content says which rows; they are those of the region, which bound every scan.
  RETURN_IF_ERROR(ReadReference(env, JoinPath(directory, name)).status());
  const std::string place = JoinPath(SiblingStore(directory, to.parent), to.file);
  auto reader = hfile::Reader::Open(env, place, cache);
  if (reader.ok() || reader.status().code() != StatusCode::kNotFound) return reader;
  auto archived = hfile::Reader::Open(
      env, JoinPath(SiblingStore(archive_directory, to.parent), to.file), cache);
  if (archived.ok() || archived.status().code() != StatusCode::kNotFound) return archived;
  return reader.status().Annotate(JoinPath(directory, name) + " refers to a missing file");
}

}  // namespace

Result<std::shared_ptr<const StoreFile>> StoreFile::Open(Env* env, const std::string& directory,
                                                         const std::string& archive_directory,
                                                         const std::string& name,
                                                         hfile::BlockCache* cache) {
  const std::string path = JoinPath(directory, name);
  if (const auto reference = ParseReferenceName(name); reference.has_value()) {
    ASSIGN_OR_RETURN(auto referred,
                     OpenReferred(env, directory, archive_directory, name, *reference, cache));
    return std::shared_ptr<const StoreFile>(new StoreFile(name, true, std::move(referred)));
  }
  if (!IsStoreFileName(name)) {
    return NotSupported(path +
                        ": links to another table's files are not read yet; "
                        "run a major compaction of the table in HBase first");
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const hfile::Reader> reader,
                   hfile::Reader::Open(env, path, cache));
  return std::shared_ptr<const StoreFile>(new StoreFile(name, false, std::move(reader)));
}

StoreFile::StoreFile(std::string name, bool is_reference,
                     std::shared_ptr<const hfile::Reader> reader)
    : name_(std::move(name)), is_reference_(is_reference), reader_(std::move(reader)) {
  const std::optional<uint64_t> markers = InfoNumber(*reader_, kDeleteMarkerCountKey);
  is_ours_ = markers.has_value();
  may_hold_markers_ = markers.value_or(1) > 0;
  row_count_ = InfoNumber(*reader_, kRowCountKey);
  flushed_sequence_id_ =
      InfoNumber(*reader_, kFlushedSequenceIdKey).value_or(reader_->max_sequence_id());
  const std::optional<uint64_t> created = InfoNumber(*reader_, hfile::kInfoCreateTime);
  if (created.has_value() && *created > 0) created_millis_ = static_cast<int64_t>(*created);
}

bool StoreFile::MayMatter(const TimeRange& range) const {
  if (reader_->empty()) return false;
  const auto own = reader_->time_range();
  if (!own.has_value() || range.all()) return true;
  if (own->max < range.min) return false;  // older cells hide nothing that is newer
  return may_hold_markers_ || own->min < range.max;
}

bool IsNewer(const StoreFile& left, const StoreFile& right) {
  if (left.max_sequence_id() != right.max_sequence_id()) {
    return left.max_sequence_id() > right.max_sequence_id();
  }
  if (left.size_bytes() != right.size_bytes()) return left.size_bytes() < right.size_bytes();
  return left.name() > right.name();
}

bool IsStoreFileName(const std::string& name) {
  const size_t digits = name.find_first_not_of("0123456789abcdef");
  if (digits == std::string::npos) return !name.empty();
  if (digits == 0 || name.compare(digits, 7, "_SeqId_") != 0 || name.back() != '_') return false;
  const std::string number = name.substr(digits + 7, name.size() - digits - 8);
  return !number.empty() && std::all_of(number.begin(), number.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace bennu::engine
