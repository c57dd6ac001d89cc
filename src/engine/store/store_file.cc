#include "src/engine/store/store_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "src/api/family_options.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/engine/store/file_link.h"

namespace bennu::engine {

namespace {

// A number of 8 bytes; nothing when the entry is missing or has another length.
std::optional<uint64_t> InfoNumber(const hfile::Reader& reader, ByteView key) {
  const std::optional<ByteView> value = reader.Info(key);
  if (!value.has_value() || value->size() != 8) return std::nullopt;
  return LoadBE64(value->data());
}

constexpr std::string_view kSuffixStart = "_SeqId_";

// The same family of another region of the table: "<table>/<region>/<family>" with another region.
std::string SiblingStore(const std::string& directory, const std::string& region) {
  const size_t family = directory.rfind('/');
  const size_t own_region = directory.rfind('/', family - 1);
  return directory.substr(0, own_region + 1) + region + directory.substr(family);
}

// <root>/data/<ns>/<table>/<region>/<family> without its last five parts.
std::string RootOf(std::string store_directory) {
  for (int i = 0; i < 5; ++i) {
    const size_t slash = store_directory.rfind('/');
    if (slash == std::string::npos) return store_directory;
    store_directory.resize(slash);
  }
  return store_directory;
}

// Tries the places in turn.
template <typename Places>
Result<std::shared_ptr<const hfile::Reader>> OpenFirst(Env* env, const std::string& name,
                                                       const Places& places,
                                                       hfile::BlockCache* cache,
                                                       const hfile::ReaderOptions& options) {
  Status missing;
  for (const std::string& place : places) {
    auto reader = hfile::Reader::Open(env, place, cache, options);
    if (reader.ok() || reader.status().code() != StatusCode::kNotFound) return reader;
    if (missing.ok()) missing = reader.status();
  }
  return missing.Annotate(name + " stands for a missing file");
}

Result<std::shared_ptr<const hfile::Reader>> OpenLinked(Env* env, const std::string& directory,
                                                        const std::string& name,
                                                        const FileLink& link,
                                                        hfile::BlockCache* cache,
                                                        const hfile::ReaderOptions& options) {
  const std::string family = directory.substr(directory.rfind('/') + 1);
  return OpenFirst(env, JoinPath(directory, name), LinkedPlaces(RootOf(directory), link, family),
                   cache, options);
}

Result<std::shared_ptr<const hfile::Reader>> OpenReferred(Env* env, const std::string& directory,
                                                          const std::string& archive_directory,
                                                          const std::string& name,
                                                          const ReferenceName& to,
                                                          hfile::BlockCache* cache,
                                                          const hfile::ReaderOptions& options) {
  if (const auto link = ParseLinkName(to.file); link.has_value()) {
    return OpenLinked(env, directory, name, *link, cache, options);
  }
  const std::array places = {JoinPath(SiblingStore(directory, to.parent), to.file),
                             JoinPath(SiblingStore(archive_directory, to.parent), to.file)};
  return OpenFirst(env, JoinPath(directory, name), places, cache, options);
}

}  // namespace

Result<std::shared_ptr<const StoreFile>> StoreFile::Open(Env* env, const std::string& directory,
                                                         const std::string& archive_directory,
                                                         const std::string& name,
                                                         hfile::BlockCache* cache,
                                                         const hfile::ReaderOptions& options) {
  const std::string path = JoinPath(directory, name);
  std::shared_ptr<const hfile::Reader> reader;
  std::optional<FileReference> half;
  if (const auto reference = ParseReferenceName(name); reference.has_value()) {
    // Its content says which rows; they are those of the region, which bound every scan.
    ASSIGN_OR_RETURN(half, ReadReference(env, path));
    ASSIGN_OR_RETURN(
        reader, OpenReferred(env, directory, archive_directory, name, *reference, cache, options));
  } else if (const auto link = ParseLinkName(name); link.has_value()) {
    ASSIGN_OR_RETURN(reader, OpenLinked(env, directory, name, *link, cache, options));
  } else if (IsStoreFileName(name)) {
    ASSIGN_OR_RETURN(reader, hfile::Reader::Open(env, path, cache, options));
  } else {
    return NotSupported(path + " is no store file, reference or link; move it away if it is none");
  }
  return std::shared_ptr<const StoreFile>(new StoreFile(name, std::move(half), std::move(reader)));
}

std::shared_ptr<const StoreFile> StoreFile::WithCellSequenceId(uint64_t cell_sequence_id) const {
  std::shared_ptr<StoreFile> file(new StoreFile(*this));
  if (file->cell_sequence_id_.has_value()) file->cell_sequence_id_ = cell_sequence_id;
  return file;
}

StoreFile::StoreFile(std::string name, std::optional<FileReference> reference,
                     std::shared_ptr<const hfile::Reader> reader)
    : name_(std::move(name)), reference_(std::move(reference)), reader_(std::move(reader)) {
  const std::optional<uint64_t> loaded = BulkLoadSequenceId(name_);
  is_bulk_loaded_ = loaded.has_value() || reader_->is_bulk_loaded();
  max_sequence_id_ = loaded.value_or(reader_->max_sequence_id());
  if (is_bulk_loaded_) {
    const std::optional<ByteView> keeps = reader_->Info(hfile::kInfoSkipResetSequenceId);
    if (!keeps.has_value() || keeps->empty() || keeps->front() == '\0') {
      cell_sequence_id_ = max_sequence_id_;
    } else if (loaded.has_value()) {
      ++max_sequence_id_;  // newer than the file that was loaded with it, as in HBase
    }
  }
  const std::optional<uint64_t> markers = InfoNumber(*reader_, kDeleteMarkerCountKey);
  is_ours_ = markers.has_value();
  may_hold_markers_ = markers.value_or(1) > 0;
  row_count_ = InfoNumber(*reader_, kRowCountKey);
  // What a loaded file says of flushes it says of another store.
  flushed_sequence_id_ =
      is_bulk_loaded_
          ? max_sequence_id_
          : InfoNumber(*reader_, kFlushedSequenceIdKey).value_or(reader_->max_sequence_id());
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
  if (digits == 0 || name.compare(digits, 7, kSuffixStart) != 0 || name.back() != '_') {
    return false;
  }
  const std::string number = name.substr(digits + 7, name.size() - digits - 8);
  return !number.empty() && std::all_of(number.begin(), number.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
}

hfile::WriterOptions WriterOptionsOf(const ColumnFamilyDescriptor& family, int64_t now_millis) {
  hfile::WriterOptions writer;
  writer.block_size_bytes = static_cast<size_t>(family.block_size_bytes());
  writer.encoding = family.data_block_encoding();
  writer.compression = api::WritableCompression(family.compression());
  writer.bloom = family.bloom_type();
  writer.bloom_prefix_length = family.bloom_prefix_length();
  writer.compress_tags = api::BoolAttribute(family, "COMPRESS_TAGS", true);
  writer.create_time_ms = now_millis;
  return writer;
}

std::string NewStoreFileName(Env* env) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (int half = 0; half < 2; ++half) {
    uint64_t bits = env->RandomU64();
    for (int i = 0; i < 16; ++i, bits >>= 4) name.push_back(kDigits[bits & 15]);
  }
  return name;
}

std::string BulkLoadSuffix(uint64_t sequence_id) {
  return std::string(kSuffixStart) + std::to_string(sequence_id) + "_";
}

std::optional<uint64_t> BulkLoadSequenceId(const std::string& name) {
  const size_t at = name.find(kSuffixStart);
  if (at == std::string::npos) return std::nullopt;
  const char* const begin = name.data() + at + kSuffixStart.size();
  const char* const end = name.data() + name.size();
  uint64_t sequence_id = 0;
  const auto [after, error] = std::from_chars(begin, end, sequence_id);
  if (error != std::errc() || after == end || *after != '_') return std::nullopt;
  return sequence_id;
}

}  // namespace bennu::engine
