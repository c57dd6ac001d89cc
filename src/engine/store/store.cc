#include "src/engine/store/store.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "src/api/family_options.h"
#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file_list.h"

namespace bennu::engine {

namespace {

std::shared_ptr<const StoreView> MakeView(std::vector<std::shared_ptr<MemStore>> memstores,
                                          std::vector<std::shared_ptr<const StoreFile>> files) {
  std::sort(files.begin(), files.end(),
            [](const auto& left, const auto& right) { return IsNewer(*left, *right); });
  const bool references = std::any_of(files.begin(), files.end(),
                                      [](const auto& file) { return file->is_reference(); });
  return std::make_shared<const StoreView>(
      StoreView{std::move(memstores), std::move(files), references});
}

}  // namespace

Store::Store(const StoreOptions& options, const ColumnFamilyDescriptor& family)
    : options_(options), family_(family), rules_(std::make_shared<FamilyRules>(family)) {}

Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const StoreOptions& options,
                                           const ColumnFamilyDescriptor& family) {
  std::unique_ptr<Store> store(new Store(options, family));
  RETURN_IF_ERROR(store->OpenFiles());
  return store;
}

Result<std::vector<std::shared_ptr<const StoreFile>>> Store::OpenPresentFiles() const {
  std::vector<std::shared_ptr<const StoreFile>> files;
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   options_.env->ListDirectory(options_.store_directory));
  for (const std::string& name : names) {
    if (name.starts_with('.') || name.starts_with('_')) continue;
    ASSIGN_OR_RETURN(auto file,
                     StoreFile::Open(options_.env, options_.store_directory,
                                     options_.archive_directory, name, options_.block_cache));
    files.push_back(std::move(file));
  }
  return files;
}

// The list is read before the directory: beside a process that writes (read-only), a file that was
// listed and is gone was merged if the list has changed since, and then both are read again.
Result<std::vector<std::shared_ptr<const StoreFile>>> Store::OpenListedFiles(bool* list_is_right) {
  while (true) {
    ASSIGN_OR_RETURN(const auto list, StoreFileList::Load(options_.env, options_.store_directory));
    ASSIGN_OR_RETURN(auto files, OpenPresentFiles());
    const StoreFileList found(files);
    *list_is_right = list.value_or(StoreFileList()) == found;
    if (!list.has_value() || *list_is_right) return files;
    const std::vector<StoreFileList::Entry> missing = list->Missing(files);
    if (missing.empty()) return files;
    ASSIGN_OR_RETURN(const auto now, StoreFileList::Load(options_.env, options_.store_directory));
    if (now == list) {
      return MissingFilesError(options_.store_directory, options_.archive_directory, missing);
    }
  }
}

Status Store::OpenFiles() {
  std::vector<std::shared_ptr<const StoreFile>> files;
  bool list_is_right = true;
  ASSIGN_OR_RETURN(const bool exists, options_.env->Exists(options_.store_directory));
  if (exists) {
    ASSIGN_OR_RETURN(files, OpenListedFiles(&list_is_right));
  } else if (!options_.read_only) {
    RETURN_IF_ERROR(options_.env->CreateDirectories(options_.store_directory));
  }
  // Inputs of a compaction whose result is here: the process died before it could archive them.
  std::set<std::string> replaced;
  for (const auto& file : files) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, file->reader()->CompactedFiles());
    replaced.insert(names.begin(), names.end());
  }
  std::vector<std::string> stale;
  std::erase_if(files, [&](const auto& file) {
    if (!replaced.contains(file->name())) return false;
    stale.push_back(file->name());
    return true;
  });
  if (!options_.read_only) {
    if (!list_is_right || !stale.empty()) {
      RETURN_IF_ERROR(StoreFileList(files).Save(options_.env, options_.store_directory));
    }
    for (const std::string& name : stale) RETURN_IF_ERROR(Archive(name));
  }

  MutexLock lock(&mu_);
  auto memstore = std::make_shared<MemStore>(options_.meta_order);
  active_.store(memstore.get(), std::memory_order_release);
  view_ = MakeView({std::move(memstore)}, std::move(files));
  return Status();
}

void Store::SetFamily(const ColumnFamilyDescriptor& family) {
  MutexLock lock(&mu_);
  family_ = family;
  rules_ = std::make_shared<FamilyRules>(family);
}

std::shared_ptr<const FamilyRules> Store::rules() const {
  MutexLock lock(&mu_);
  return rules_;
}

ColumnFamilyDescriptor Store::family() const {
  MutexLock lock(&mu_);
  return family_;
}

std::shared_ptr<const StoreView> Store::view() const {
  MutexLock lock(&mu_);
  return view_;
}

uint64_t Store::memstore_bytes() const {
  const auto current = view();  // named, so that it outlives the loop: a flush replaces the view
  uint64_t bytes = 0;
  for (const auto& memstore : current->memstores) bytes += memstore->used_bytes();
  return bytes;
}

// ---- flush

bool Store::PrepareFlush(uint64_t flush_sequence_id) {
  MutexLock lock(&mu_);
  flush_sequence_id_ = flush_sequence_id;
  const auto& memstores = view_->memstores;
  if (memstores.front()->empty()) return memstores.size() > 1;
  std::vector<std::shared_ptr<MemStore>> next = {std::make_shared<MemStore>(options_.meta_order)};
  next.insert(next.end(), memstores.begin(), memstores.end());
  active_.store(next.front().get(), std::memory_order_release);
  view_ = std::make_shared<const StoreView>(
      StoreView{std::move(next), view_->files, view_->has_references});
  return true;
}

Result<PendingFile> Store::WriteFlush(uint64_t smallest_read_point, int64_t now_millis) {
  StoreView set_aside;
  hfile::StoreFileFacts facts;
  {
    MutexLock lock(&mu_);
    set_aside.memstores.assign(view_->memstores.begin() + 1, view_->memstores.end());
    facts.max_sequence_id = flush_sequence_id_;
  }
  const bool tags = std::any_of(set_aside.memstores.begin(), set_aside.memstores.end(),
                                [](const auto& memstore) { return memstore->has_tags(); });
  StoreScanner::Options scanner_options{rules(), smallest_read_point, now_millis,
                                        StoreScanner::Purpose::kFlush, options_.meta_order};
  Scan all;
  all.max_versions = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(auto scanner,
                   StoreScanner::Open(std::make_shared<const StoreView>(std::move(set_aside)), all,
                                      scanner_options));
  return WriteCells(scanner.get(), MakeWriterOptions(tags), facts, nullptr);
}

Status Store::CommitFlush(const PendingFile& file) {
  std::shared_ptr<const StoreFile> opened;
  if (!file.temp_path.empty()) {
    BENNU_FAILPOINT("store.flush.before_rename");
    ASSIGN_OR_RETURN(opened, MoveIntoStore(file));
    BENNU_FAILPOINT("store.flush.after_rename");
  }
  MutexLock files_lock(&files_mu_);
  auto files = view()->files;
  if (opened != nullptr) {
    files.push_back(std::move(opened));
    // The cells are safe without the list; the next change of files writes it again.
    const Status listed = StoreFileList(files).Save(options_.env, options_.store_directory);
    if (!listed.ok()) LogWarning("flush: a new file is not listed yet: {}", listed.ToString());
  }
  MutexLock lock(&mu_);
  view_ = MakeView({view_->memstores.front()}, std::move(files));
  return Status();
}

// ---- compaction

CompactionRequest Store::SelectCompaction(bool major) const {
  const auto current = view();
  return major ? SelectAllFiles(*current) : SelectMinorCompaction(*current);
}

Result<PendingFile> Store::WriteCompaction(const CompactionRequest& request,
                                           uint64_t smallest_read_point, int64_t now_millis,
                                           const std::atomic<bool>* cancelled) {
  StoreView inputs;
  inputs.files = request.inputs;
  inputs.has_references = std::any_of(request.inputs.begin(), request.inputs.end(),
                                      [](const auto& file) { return file->is_reference(); });
  hfile::StoreFileFacts facts;
  facts.major_compaction = request.all_files;
  bool tags = false;
  for (const auto& file : request.inputs) {
    facts.max_sequence_id = std::max(facts.max_sequence_id, file->max_sequence_id());
    facts.compacted_files.push_back(file->name());
    tags = tags || file->reader()->includes_tags();
  }
  StoreScanner::Options scanner_options{rules(),
                                        smallest_read_point,
                                        now_millis,
                                        request.all_files ? StoreScanner::Purpose::kMajorCompaction
                                                          : StoreScanner::Purpose::kMinorCompaction,
                                        options_.meta_order,
                                        &options_.rows};
  Scan all;
  all.max_versions = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(auto scanner,
                   StoreScanner::Open(std::make_shared<const StoreView>(std::move(inputs)), all,
                                      scanner_options));
  hfile::WriterOptions writer = MakeWriterOptions(tags);
  writer.compression = api::CompactionCompression(family(), request.all_files);
  return WriteCells(scanner.get(), writer, facts, cancelled);
}

Status Store::CommitCompaction(const CompactionRequest& request, const PendingFile& file) {
  std::shared_ptr<const StoreFile> opened;
  if (!file.temp_path.empty()) {
    BENNU_FAILPOINT("store.compaction.before_rename");
    ASSIGN_OR_RETURN(opened, MoveIntoStore(file));
    BENNU_FAILPOINT("store.compaction.after_rename");
  }
  {
    MutexLock files_lock(&files_mu_);
    auto files = view()->files;
    std::erase_if(files, [&](const auto& existing) {
      return std::find(request.inputs.begin(), request.inputs.end(), existing) !=
             request.inputs.end();
    });
    if (opened != nullptr) files.push_back(std::move(opened));
    RETURN_IF_ERROR(ReplaceFiles(std::move(files)));
  }
  BENNU_FAILPOINT("store.compaction.after_list");
  for (const auto& input : request.inputs) {
    RETURN_IF_ERROR(Archive(input->name()));
    BENNU_FAILPOINT("store.compaction.during_archive");
  }
  return Status();
}

// When the list can not be written the store still goes on with the new files, as what is in them
// is right; the old ones must stay where they are then.
Status Store::ReplaceFiles(std::vector<std::shared_ptr<const StoreFile>> files) {
  const StoreFileList list(files);
  {
    MutexLock lock(&mu_);
    view_ = MakeView(view_->memstores, std::move(files));
  }
  return list.Save(options_.env, options_.store_directory);
}

Status Store::ArchiveFiles(const std::vector<std::string>& names) {
  std::vector<std::string> present;
  {
    MutexLock files_lock(&files_mu_);
    auto files = view()->files;
    std::erase_if(files, [&](const auto& file) {
      if (std::find(names.begin(), names.end(), file->name()) == names.end()) return false;
      present.push_back(file->name());
      return true;
    });
    if (!present.empty()) RETURN_IF_ERROR(ReplaceFiles(std::move(files)));
  }
  for (const std::string& name : present) RETURN_IF_ERROR(Archive(name));
  return Status();
}

// ---- reading

Result<std::unique_ptr<StoreScanner>> Store::OpenScanner(const Scan& scan, uint64_t read_point,
                                                         int64_t now_millis) const {
  StoreScanner::Options options;
  std::shared_ptr<const StoreView> current;
  {
    MutexLock lock(&mu_);
    options.family = rules_;
    current = view_;
  }
  options.read_point = read_point;
  options.now_millis = now_millis;
  options.meta_order = options_.meta_order;
  options.region_rows = &options_.rows;
  return StoreScanner::Open(std::move(current), scan, options);
}

// ---- facts

uint64_t Store::max_flushed_sequence_id() const {
  uint64_t id = 0;
  const auto current = view();
  for (const auto& file : current->files) id = std::max(id, file->max_sequence_id());
  return id;
}

uint64_t Store::max_sequence_id() const {
  const auto current = view();
  uint64_t id = 0;
  for (const auto& file : current->files) {
    id = std::max({id, file->max_sequence_id(), file->reader()->max_cell_sequence_id()});
  }
  for (const auto& memstore : current->memstores) id = std::max(id, memstore->max_sequence_id());
  return id;
}

int64_t Store::max_timestamp() const {
  const auto current = view();
  int64_t timestamp = -1;
  for (const auto& file : current->files) {
    if (const auto range = file->reader()->time_range(); range.has_value()) {
      timestamp = std::max(timestamp, range->max);
    }
  }
  for (const auto& memstore : current->memstores) {
    if (!memstore->empty()) timestamp = std::max(timestamp, memstore->max_timestamp());
  }
  return timestamp;
}

std::vector<std::string> Store::file_names() const {
  std::vector<std::string> names;
  const auto current = view();
  for (const auto& file : current->files) names.push_back(file->name());
  return names;
}

uint64_t Store::size_bytes() const {
  uint64_t bytes = 0;
  const auto current = view();
  for (const auto& file : current->files) bytes += file->size_bytes();
  return bytes;
}

bool Store::has_references() const { return view()->has_references; }

Result<std::optional<Bytes>> Store::SplitPoint() const {
  const auto current = view();
  if (current->has_references) return std::optional<Bytes>();
  const StoreFile* largest = nullptr;
  for (const auto& file : current->files) {
    if (file->reader()->empty()) continue;
    if (largest == nullptr || file->size_bytes() > largest->size_bytes()) largest = file.get();
  }
  if (largest == nullptr) return std::optional<Bytes>();
  const auto key = largest->reader()->MidKey();
  if (!key.ok()) return key.status();
  Cell middle;
  middle.key = key->data();
  middle.key_length = static_cast<uint32_t>(key->size());
  const ByteView row = middle.row();
  if (row == largest->reader()->first_row() || row == largest->reader()->last_row()) {
    return std::optional<Bytes>();
  }
  return std::optional<Bytes>(row);
}

Result<std::vector<Bytes>> Store::SplitRows(const RowRange& range, size_t count) const {
  if (count <= 1) return std::vector<Bytes>();
  const auto current = view();
  // The biggest part of the store decides; the others are assumed to be spread like it.
  const StoreFile* largest = nullptr;
  for (const auto& file : current->files) {
    if (largest == nullptr || file->size_bytes() > largest->size_bytes()) largest = file.get();
  }
  const MemStore& memstore = *current->memstores.front();
  if (largest != nullptr && largest->size_bytes() * 4 >= memstore.used_bytes()) {
    return largest->reader()->SplitRows(count, range.start, range.stop);
  }
  return memstore.SplitRows(count, range.start, range.stop);
}

// ---- files

hfile::WriterOptions Store::MakeWriterOptions(bool tags) const {
  const ColumnFamilyDescriptor current = family();
  hfile::WriterOptions writer;
  writer.block_size_bytes = static_cast<size_t>(current.block_size_bytes());
  writer.encoding = current.data_block_encoding();
  writer.compression = current.compression();
  writer.bloom = current.bloom_type();
  writer.bloom_prefix_length = current.bloom_prefix_length();
  writer.include_tags = tags;
  writer.meta_order = options_.meta_order;
  writer.create_time_ms = options_.env->NowMillis();
  return writer;
}

Result<PendingFile> Store::WriteCells(StoreScanner* scanner, const hfile::WriterOptions& options,
                                      const hfile::StoreFileFacts& facts,
                                      const std::atomic<bool>* cancelled) {
  constexpr size_t kRowsPerStep = 512;
  PendingFile pending;
  pending.name = NewFileName();
  RETURN_IF_ERROR(options_.env->CreateDirectories(options_.temp_directory));
  const std::string path = JoinPath(options_.temp_directory, pending.name);
  std::unique_ptr<hfile::Writer> writer;
  uint64_t markers = 0;
  uint64_t rows = 0;
  CellBatch batch;
  bool done = false;
  while (!done) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
      if (writer != nullptr) RETURN_IF_ERROR(options_.env->RemoveFile(path));
      return Cancelled("writing " + path + " was stopped");
    }
    batch.Clear();
    scanner->Unpin();
    RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
    if (batch.cells.empty()) continue;
    if (writer == nullptr) {
      ASSIGN_OR_RETURN(writer, hfile::Writer::Create(options_.env, path, options));
    }
    rows += batch.row_count();
    for (const Cell& cell : batch.cells) {
      markers += IsDelete(cell.type()) ? 1 : 0;
      RETURN_IF_ERROR(writer->Append(cell));
    }
  }
  if (writer == nullptr) return pending;  // every cell was dropped: no file
  Bytes marker_count;
  AppendBE64(&marker_count, markers);
  RETURN_IF_ERROR(writer->AppendFileInfo(kDeleteMarkerCountKey, marker_count));
  Bytes row_count;
  AppendBE64(&row_count, rows);
  RETURN_IF_ERROR(writer->AppendFileInfo(kRowCountKey, row_count));
  ASSIGN_OR_RETURN(const hfile::FileFacts written, writer->Finish(facts));
  pending.temp_path = path;
  pending.size_bytes = written.size_bytes;
  pending.cell_count = written.entry_count;
  return pending;
}

Result<std::shared_ptr<const StoreFile>> Store::MoveIntoStore(const PendingFile& file) {
  const std::string path = JoinPath(options_.store_directory, file.name);
  RETURN_IF_ERROR(options_.env->Rename(file.temp_path, path));
  RETURN_IF_ERROR(options_.env->SyncDirectory(options_.store_directory));
  return StoreFile::Open(options_.env, options_.store_directory, options_.archive_directory,
                         file.name, options_.block_cache);
}

Status Store::Archive(const std::string& name) {
  const std::string from = JoinPath(options_.store_directory, name);
  if (ParseReferenceName(name).has_value()) {
    // Worth nothing without the file, which stays where it is.
    RETURN_IF_ERROR(options_.env->RemoveFile(from));
    return options_.env->SyncDirectory(options_.store_directory);
  }
  std::string to = JoinPath(options_.archive_directory, name);
  RETURN_IF_ERROR(options_.env->CreateDirectories(options_.archive_directory));
  ASSIGN_OR_RETURN(const bool taken, options_.env->Exists(to));
  if (taken) to += "." + std::to_string(options_.env->NowMillis());
  const Status moved = options_.env->Rename(from, to);
  if (moved.code() == StatusCode::kNotFound) {
    LogWarning("{} was removed by someone else; what it held was merged before", from);
    return Status();
  }
  if (!moved.ok()) return moved.Annotate("archiving " + from);
  return options_.env->SyncDirectory(options_.store_directory);
}

std::string Store::NewFileName() const {
  // As many random bits as HBase's names have (a UUID without dashes).
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (int half = 0; half < 2; ++half) {
    uint64_t bits = options_.env->RandomU64();
    for (int i = 0; i < 16; ++i, bits >>= 4) name.push_back(kDigits[bits & 15]);
  }
  return name;
}

}  // namespace bennu::engine
