#include "src/engine/store/store.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "src/api/family_options.h"
#include "src/api/store_configuration.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/archive_file.h"
#include "src/engine/store/store_file_list.h"
#include "src/engine/store/stripes.h"

namespace bennu::engine {

Store::Store(const StoreOptions& options, Bytes name) : options_(options), name_(std::move(name)) {}

Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::Open(const StoreOptions& options,
                                           const ColumnFamilyDescriptor& family,
                                           const api::Attributes& table) {
  std::unique_ptr<Store> store(new Store(options, family.name));
  store->SetFamily(family, table);
  RETURN_IF_ERROR(store->OpenFiles());
  return store;
}

Result<std::vector<std::shared_ptr<const StoreFile>>> Store::OpenPresentFiles() {
  std::vector<std::shared_ptr<const StoreFile>> files;
  loaded_when_opened_.clear();
  ASSIGN_OR_RETURN(const std::vector<std::string> names,
                   options_.env->ListDirectory(options_.store_directory));
  for (const std::string& name : names) {
    if (name.starts_with('.') || name.starts_with('_')) continue;
    if (options_.excluded_files.contains(name)) continue;
    if (options_.read_only && BulkLoadSequenceId(name).has_value()) {
      loaded_when_opened_.insert(name);
    }
    ASSIGN_OR_RETURN(auto file, OpenFile(name));
    WarmCache(*file, CacheWarmth::OfOpening(family()));
    files.push_back(std::move(file));
  }
  return files;
}

// The list is read before the directory: beside a process that writes (read-only), a file that was
// listed, by the one or the other, and is gone was merged if the list has changed since, and then
// both are read again.
Result<std::vector<std::shared_ptr<const StoreFile>>> Store::OpenListedFiles(bool* list_is_right) {
  while (true) {
    ASSIGN_OR_RETURN(const auto list, StoreFileList::Load(options_.env, options_.store_directory));
    auto opened = OpenPresentFiles();
    if (options_.read_only && opened.status().code() == StatusCode::kNotFound) {
      ASSIGN_OR_RETURN(const auto now, StoreFileList::Load(options_.env, options_.store_directory));
      if (now != list) continue;
    }
    RETURN_IF_ERROR(opened.status());
    auto files = *std::move(opened);
    const StoreFileList found(files);
    *list_is_right = list.value_or(StoreFileList()) == found;
    if (!list.has_value() || *list_is_right) return files;
    const std::vector<StoreFileList::Entry> missing = list->Missing(files);
    if (missing.empty()) return files;
    ASSIGN_OR_RETURN(const auto now, StoreFileList::Load(options_.env, options_.store_directory));
    if (now == list) {
      ASSIGN_OR_RETURN(const std::string path,
                       StoreFileList::Path(options_.env, options_.store_directory));
      return MissingFilesError(path, options_.archive_directory, missing);
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
    // Flushes sync the directory, and not what it is an entry of.
    RETURN_IF_ERROR(options_.env->CreateDurableDirectories(options_.store_directory));
  }
  // Inputs of a compaction whose result is here: the process died before it could archive them.
  std::set<std::string> replaced;
  for (const auto& file : files) {
    if (file->is_bulk_loaded()) continue;  // what it replaced was replaced elsewhere
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
    const std::string& directory = options_.store_directory;
    ASSIGN_OR_RETURN(const std::string list, StoreFileList::Path(options_.env, directory));
    const bool is_old = list.ends_with(kOldStoreFileListName);
    if (!list_is_right || !stale.empty() || is_old) {
      RETURN_IF_ERROR(StoreFileList(files).Save(options_.env, directory));
    }
    if (is_old) RETURN_IF_ERROR(options_.env->RemoveFile(list));
    for (const std::string& name : stale) RETURN_IF_ERROR(Archive(name));
  }

  MutexLock lock(&mu_);
  auto memstore = std::make_shared<MemStore>(options_.meta_order, options_.given_up);
  active_.store(memstore.get(), std::memory_order_release);
  view_ = MakeStoreView({std::move(memstore)}, std::move(files));
  return Status();
}

void Store::SetFamily(const ColumnFamilyDescriptor& family, const api::Attributes& table) {
  const api::StoreConfiguration properties(options_.configuration, &table, &family.attributes);
  const int64_t flush_bytes = properties.Integer("MEMSTORE_FLUSHSIZE", 0);
  const uint64_t memstore_bytes =
      flush_bytes > 0 ? static_cast<uint64_t>(flush_bytes) : options_.memstore_flush_bytes;
  CompactionConfig config = CompactionConfig::Of(properties, memstore_bytes);
  // Its rows sort by an order of their own, which only the default engine is made for.
  if (options_.meta_order) config.engine = StoreEngine::kDefault;
  // Nor do they expire.
  if (options_.meta_order && config.policy == CompactionPolicy::kFifo) {
    config.policy = CompactionPolicy::kExploring;
  }
  const int64_t lookback = properties.Integer("phoenix.max.lookback.age.seconds", 0);
  const int64_t purge_after = properties.Integer("hbase.hstore.time.to.purge.deletes", 0);
  MutexLock lock(&mu_);
  family_ = family;
  const int64_t row_bytes =
      options_.bounds_rows ? properties.Integer(kRowBytesMaxKey, kRowBytesMax) : 0;
  rules_ = std::make_shared<FamilyRules>(family, std::max<int64_t>(0, lookback) * 1000,
                                         std::max<int64_t>(0, purge_after),
                                         static_cast<uint64_t>(std::max<int64_t>(0, row_bytes)));
  config_ = config;
  in_memory_ = InMemoryCompactionConfig::Of(properties, memstore_bytes);
  reader_options_.in_memory = api::BoolAttribute(family, "IN_MEMORY", false);
  reader_options_.map_file = properties.Bool(api::kMapFilesKey, false);
  if (view_ == nullptr) return;
  for (const auto& file : view_->files) file->reader()->SetInMemory(reader_options_.in_memory);
}

CompactionConfig Store::config() const {
  MutexLock lock(&mu_);
  return config_;
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
  SetActiveAside();
  return true;
}

void Store::SetActiveAside() {
  std::vector<std::shared_ptr<MemStore>> next = {
      std::make_shared<MemStore>(options_.meta_order, options_.given_up)};
  next.insert(next.end(), view_->memstores.begin(), view_->memstores.end());
  active_.store(next.front().get(), std::memory_order_release);
  view_ = std::make_shared<const StoreView>(
      StoreView{std::move(next), view_->files, view_->has_references});
}

// When the list cannot be written the store still goes on with the new files, as what is in them
// is right; the old ones must stay where they are then.
Status Store::ReplaceFiles(std::vector<std::shared_ptr<const StoreFile>> files) {
  const StoreFileList list(files);
  {
    MutexLock lock(&mu_);
    view_ = MakeStoreView(view_->memstores, std::move(files));
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

// ---- bulk load

Result<std::shared_ptr<const StoreFile>> Store::OpenFile(const std::string& name) const {
  return StoreFile::Open(options_.env, options_.store_directory, options_.archive_directory, name,
                         options_.block_cache, MakeReaderOptions());
}

void Store::AddLoadedFiles(const std::vector<std::shared_ptr<const StoreFile>>& loaded,
                           uint64_t cell_sequence_id) {
  MutexLock files_lock(&files_mu_);
  MutexLock lock(&mu_);
  auto files = view_->files;
  for (const auto& file : loaded) files.push_back(file->WithCellSequenceId(cell_sequence_id));
  view_ = MakeStoreView(view_->memstores, std::move(files));
}

Status Store::SaveFileList() {
  MutexLock files_lock(&files_mu_);
  return StoreFileList(view()->files).Save(options_.env, options_.store_directory);
}

// ---- reading

Result<std::unique_ptr<StoreScanner>> Store::OpenScanner(const Scan& scan, uint64_t read_point,
                                                         int64_t now_millis) const {
  return OpenScanner(StartReading(), scan, read_point, now_millis);
}

Result<std::unique_ptr<StoreScanner>> Store::OpenScanner(Reading reading, const Scan& scan,
                                                         uint64_t read_point,
                                                         int64_t now_millis) const {
  StoreScanner::Options options;
  options.family = std::move(reading.family);
  options.read_point = read_point;
  options.now_millis = now_millis;
  options.meta_order = reading.meta_order;
  options.region_rows = &options_.rows;
  return StoreScanner::Open(std::move(reading.view), scan, options);
}

Store::Reading Store::StartReading() const {
  MutexLock lock(&mu_);
  return {rules_, view_, options_.meta_order};
}

Result<std::optional<int64_t>> Store::NewestTimestamp(const Reading& reading, ByteView row,
                                                      int64_t at_least) const {
  StoreView late;
  std::optional<int64_t> newest;
  const auto note = [&](const Cell& cell) {
    const int64_t timestamp = cell.timestamp();
    if (timestamp >= at_least && (!newest || timestamp > *newest)) newest = timestamp;
  };
  Bytes key;
  for (const auto& memstore : reading.view->memstores) {
    if (memstore->empty() || memstore->max_timestamp() < at_least) continue;
    if (key.empty()) cell::AppendFirstOnRow(&key, row);
    MemStore::Iterator iterator(memstore.get());
    iterator.Seek(key, std::numeric_limits<uint64_t>::max());
    for (; iterator.Valid() && iterator.cell().row() == row; iterator.Next()) note(iterator.cell());
  }
  for (const auto& file : reading.view->files) {
    const auto own = file->reader()->time_range();
    if (file->reader()->empty() || (own.has_value() && own->max < at_least)) continue;
    late.files.push_back(file);
    late.has_references = late.has_references || file->is_reference();
  }
  if (late.files.empty()) return newest;
  Scan scan;
  scan.range = {Bytes(row), true, Bytes(row), true};
  scan.raw = true;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  Reading of_late = reading;
  of_late.view = std::make_shared<const StoreView>(std::move(late));
  ASSIGN_OR_RETURN(const auto scanner,
                   OpenScanner(std::move(of_late), scan, std::numeric_limits<uint64_t>::max(), 0));
  CellBatch batch;
  for (bool done = false; !done;) {
    batch.Clear();
    RETURN_IF_ERROR(scanner->NextRows(1, &batch, &done));
    for (const Cell& cell : batch.cells) note(cell);
    scanner->Unpin();
  }
  return newest;
}

// ---- facts

uint64_t Store::max_flushed_sequence_id() const {
  uint64_t id = 0;
  const auto current = view();
  for (const auto& file : current->files) id = std::max(id, file->flushed_sequence_id());
  return id;
}

uint64_t Store::max_sequence_id() const {
  const auto current = view();
  uint64_t id = 0;
  for (const auto& file : current->files) {
    id = std::max({id, file->max_sequence_id(), file->max_cell_sequence_id()});
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

bool Store::has_too_many_files() const {
  const CompactionConfig now = config();
  if (now.engine == StoreEngine::kDefault && now.policy == CompactionPolicy::kFifo) return false;
  const auto current = view();
  if (current->files.size() <= now.blocking_files) return false;
  return now.engine != StoreEngine::kStripe || CountedFiles(*current) > now.blocking_files;
}

bool Store::has_references() const { return view()->has_references; }

Result<std::optional<Bytes>> Store::SplitPoint() const {
  const auto current = view();
  if (current->has_references) return std::optional<Bytes>();
  if (const CompactionConfig now = config(); now.engine == StoreEngine::kStripe) {
    if (auto border = StripeSplitPoint(*current, now.stripe)) return border;
  }
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

Status Store::Archive(const std::string& name) {
  if (!IsStoreFileName(name)) {
    // A reference or a link: worth nothing without the file, which stays where it is.
    RETURN_IF_ERROR(options_.env->RemoveFile(JoinPath(options_.store_directory, name)));
    return options_.env->SyncDirectory(options_.store_directory);
  }
  const Status moved =
      MoveToArchive(options_.env, options_.store_directory, options_.archive_directory, name);
  if (moved.code() == StatusCode::kNotFound) {
    LogWarning("{} was removed by someone else; what it held was merged before",
               JoinPath(options_.store_directory, name));
    return Status();
  }
  RETURN_IF_ERROR(moved);
  return options_.env->SyncDirectory(options_.store_directory);
}

}  // namespace bennu::engine
