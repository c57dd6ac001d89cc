// What a store writes: flushes of its memstores and compactions of its files.
#include <algorithm>
#include <limits>
#include <utility>

#include "src/api/family_options.h"
#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/store/compaction_observer.h"
#include "src/engine/store/compaction_policy.h"
#include "src/engine/store/date_tiered_policy.h"
#include "src/engine/store/store.h"
#include "src/engine/store/store_file_list.h"
#include "src/engine/store/stripes.h"

namespace bennu::engine {

namespace {

using Files = std::vector<std::shared_ptr<const StoreFile>>;

constexpr size_t kRowsPerStep = 512;

Scan AllCells() {
  Scan all;
  all.max_versions = std::numeric_limits<int32_t>::max();
  // Of a long row, at a time.
  constexpr int64_t kPartBytes = 4 << 20;
  all.allow_partial_results = true;
  all.max_result_bytes = kPartBytes;
  return all;
}

Scan CellsOf(const StripeOutput& stripe) {
  Scan scan = AllCells();
  scan.range.start = stripe.start;
  scan.range.stop = stripe.end;
  return scan;
}

uint64_t CountCells(const StoreView& view) {
  uint64_t count = 0;
  for (const auto& memstore : view.memstores) {
    MemStore::Iterator cell(memstore.get());
    for (cell.SeekToFirst(); cell.Valid(); cell.Next()) ++count;
  }
  return count;
}

// Copies what 'scanner' lets through. Cancelled: '*cancelled' became true.
Status Copy(StoreScanner* scanner, StoreFileWriter* writer, const std::atomic<bool>* cancelled,
            CompactionThrottle* throttle, CompactionWatch* watch) {
  CellBatch batch;
  bool done = false;
  bool row_is_open = false;
  while (!done) {
    if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
      return Cancelled("the compaction was stopped");
    }
    batch.Clear();
    scanner->Unpin();
    const uint64_t before = writer->bytes_appended();
    RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
    for (size_t i = 0; i < batch.row_count(); ++i) {
      if (!row_is_open) writer->StartRow();
      const Cell* const cells = batch.cells.data() + batch.row_starts[i];
      const size_t count = batch.row_end(i) - batch.row_starts[i];
      if (watch != nullptr) watch->AddCells(cells, count, !row_is_open);
      row_is_open = batch.row_goes_on(i);
      RETURN_IF_ERROR(writer->Append(cells, count));
    }
    if (throttle != nullptr) throttle->Spend(writer->bytes_appended() - before, cancelled);
  }
  return Status::Ok();
}

}  // namespace

hfile::WriterOptions Store::MakeWriterOptions(bool tags) const {
  hfile::WriterOptions writer = WriterOptionsOf(family(), options_.env->NowMillis());
  writer.include_tags = tags;
  writer.meta_order = options_.meta_order;
  if (options_.meta_order) {
    // HBase looks the chunks of a filter up in the order of bytes, which is not that of these rows:
    // it would take rows that are there for missing. The catalog is small, and in the cache.
    writer.bloom = BloomType::kNone;
    writer.delete_family_bloom = false;
  }
  return writer;
}

hfile::ReaderOptions Store::MakeReaderOptions() const {
  MutexLock lock(&mu_);
  return reader_options_;
}

std::unique_ptr<StoreFileWriter> Store::MakeFileWriter(const std::string& directory,
                                                       hfile::WriterOptions file,
                                                       hfile::StoreFileFacts facts,
                                                       uint64_t flushed,
                                                       uint64_t flushed_before) const {
  StoreFileWriter::Options options;
  options.env = options_.env;
  options.directory = directory;
  options.new_name = [this] { return NewStoreFileName(options_.env); };
  options.file = file;
  options.facts = std::move(facts);
  options.flushed_sequence_id = flushed;
  options.flushed_before = flushed_before;
  return std::make_unique<StoreFileWriter>(std::move(options));
}

// After an error none of them is in the store: what was moved would come back at the next opening,
// though its cells are written again elsewhere, and perhaps deleted by then.
Result<Files> Store::MoveIntoStore(const PendingFiles& files, const CacheWarmth& warmth) {
  Files opened;
  Status status;
  for (const PendingFile& file : files) {
    auto moved = MoveIntoStore(file);
    status = moved.status();
    if (!status.ok()) break;
    WarmCache(**moved, warmth);
    opened.push_back(*std::move(moved));
  }
  if (status.ok()) return opened;
  opened.clear();
  for (const PendingFile& file : files) {
    for (const auto& path : {JoinPath(options_.store_directory, file.name), file.temp_path}) {
      const Status removed = options_.env->RemoveFile(path);
      if (removed.ok() || removed.code() == StatusCode::kNotFound) continue;
      LogWarning("removing {} after a failure: {}", path, removed.ToString());
    }
  }
  return status;
}

Result<std::shared_ptr<const StoreFile>> Store::MoveIntoStore(const PendingFile& file) {
  const std::string path = JoinPath(options_.store_directory, file.name);
  RETURN_IF_ERROR(options_.env->Rename(file.temp_path, path));
  RETURN_IF_ERROR(options_.env->SyncDirectory(options_.store_directory));
  BENNU_FAILPOINT("store.between_renames");
  return OpenFile(file.name);
}

// ---- flush

Result<PendingFiles> Store::WriteFlush(uint64_t smallest_read_point, int64_t now_millis) {
  StoreView set_aside;
  hfile::StoreFileFacts facts;
  std::shared_ptr<const StoreView> current;
  {
    MutexLock lock(&mu_);
    current = view_;
    set_aside.memstores.assign(view_->memstores.begin() + 1, view_->memstores.end());
    facts.max_sequence_id = flush_sequence_id_;
  }
  const bool tags = std::any_of(set_aside.memstores.begin(), set_aside.memstores.end(),
                                [](const auto& memstore) { return memstore->has_tags(); });
  const CompactionConfig config = this->config();
  std::vector<StripeOutput> stripes;
  if (config.engine == StoreEngine::kStripe) {
    stripes = StripesOfFlush(*current, config.stripe, [&] { return CountCells(set_aside); });
  }
  RETURN_IF_ERROR(options_.env->CreateDirectories(options_.temp_directory));
  const auto writer = MakeFileWriter(options_.temp_directory, MakeWriterOptions(tags), facts,
                                     facts.max_sequence_id, max_flushed_sequence_id());
  StoreScanner::Options scanner_options{rules(), smallest_read_point, now_millis,
                                        StoreScanner::Purpose::kFlush, options_.meta_order};
  const auto inputs = std::make_shared<const StoreView>(std::move(set_aside));
  const auto write = [&](const Scan& scan) -> Status {
    ASSIGN_OR_RETURN(auto scanner, StoreScanner::Open(inputs, scan, scanner_options));
    return Copy(scanner.get(), writer.get(), nullptr, nullptr, nullptr);
  };
  if (stripes.empty()) RETURN_IF_ERROR(write(AllCells()));
  for (const StripeOutput& stripe : stripes) {
    writer->StartStripe(stripe);
    RETURN_IF_ERROR(write(CellsOf(stripe)));
  }
  const bool is_empty = std::all_of(inputs->memstores.begin(), inputs->memstores.end(),
                                    [](const auto& memstore) { return memstore->empty(); });
  using WhenEmpty = StoreFileWriter::WhenEmpty;
  return writer->Finish(is_empty ? WhenEmpty::kNoFile : WhenEmpty::kOneFile);
}

namespace {

std::vector<std::string> NamesOf(const PendingFiles& files) {
  std::vector<std::string> names;
  for (const PendingFile& file : files) names.push_back(file.name);
  return names;
}

}  // namespace

Status Store::CommitFlush(const PendingFiles& files) {
  const Status status = MoveFlushIn(files);
  if (!status.ok()) NoteStrays(NamesOf(files));
  return status;
}

Status Store::MoveFlushIn(const PendingFiles& files) {
  Files opened;
  if (!files.empty()) {
    BENNU_FAILPOINT("store.flush.before_rename");
    ASSIGN_OR_RETURN(opened, MoveIntoStore(files, CacheWarmth::OfNewFile(family())));
    BENNU_FAILPOINT("store.flush.after_rename");
  }
  MutexLock files_lock(&files_mu_);
  auto all = view()->files;
  if (!opened.empty()) {
    all.insert(all.end(), opened.begin(), opened.end());
    // The cells are safe without the list; the next change of files writes it again.
    const Status listed = StoreFileList(all).Save(options_.env, options_.store_directory);
    if (!listed.ok()) LogWarning("flush: a new file is not listed yet: {}", listed.ToString());
  }
  MutexLock lock(&mu_);
  view_ = MakeStoreView({view_->memstores.front()}, std::move(all));
  return Status();
}

// ---- compaction

CompactionRequest Store::SelectCompaction(bool major) const {
  const auto current = view();
  const CompactionConfig now = config();
  CompactionMoment moment;
  moment.now_millis = options_.env->NowMillis();
  moment.off_peak = now.off_peak.ContainsTime(moment.now_millis);
  const auto family_rules = rules();
  if (family_rules->min_versions <= 0 && family_rules->max_lookback_millis == 0) {
    moment.ttl_seconds = family_rules->ttl_seconds;
  }
  switch (now.engine) {
    case StoreEngine::kDateTiered:
      return major ? SelectAllDateTiered(*current, now, moment.now_millis)
                   : SelectDateTiered(*current, now, moment);
    case StoreEngine::kStripe:
      return major ? SelectAllStriped(*current, now) : SelectStriped(*current, now, moment);
    case StoreEngine::kDefault: break;
  }
  // As in HBase, not even who asks for it gets the files of a FIFO store merged.
  if (!major || now.policy == CompactionPolicy::kFifo) {
    return SelectByDefaultEngine(*current, now, moment);
  }
  return SelectAllFiles(*current);
}

double Store::compaction_pressure() const { return CompactionPressure(*view(), config()); }

Result<PendingFiles> Store::WriteCompaction(const CompactionRequest& request,
                                            uint64_t smallest_read_point, int64_t now_millis,
                                            const std::atomic<bool>* cancelled,
                                            CompactionThrottle* throttle, CompactionWatch* watch) {
  StoreView view;
  view.files = request.inputs;
  view.has_references = std::any_of(request.inputs.begin(), request.inputs.end(),
                                    [](const auto& file) { return file->is_reference(); });
  const auto inputs = std::make_shared<const StoreView>(std::move(view));
  hfile::StoreFileFacts facts;
  facts.major_compaction = request.all_files;
  bool tags = false;
  uint64_t flushed = 0;
  for (const auto& file : request.inputs) {
    facts.max_sequence_id = std::max(facts.max_sequence_id, file->max_sequence_id());
    flushed = std::max(flushed, file->flushed_sequence_id());
    facts.compacted_files.push_back(file->name());
    tags = tags || file->reader()->includes_tags();
  }
  hfile::WriterOptions options = MakeWriterOptions(tags);
  options.compression =
      api::WritableCompression(api::CompactionCompression(family(), request.all_files));
  RETURN_IF_ERROR(options_.env->CreateDirectories(options_.temp_directory));
  const auto writer =
      MakeFileWriter(options_.temp_directory, options, std::move(facts), flushed, flushed);
  const auto write = [&](const Scan& scan, bool drop_markers) -> Status {
    StoreScanner::Options scanner_options{rules(),
                                          smallest_read_point,
                                          now_millis,
                                          drop_markers ? StoreScanner::Purpose::kMajorCompaction
                                                       : StoreScanner::Purpose::kMinorCompaction,
                                          options_.meta_order,
                                          &options_.rows};
    ASSIGN_OR_RETURN(auto scanner, StoreScanner::Open(inputs, scan, scanner_options));
    return Copy(scanner.get(), writer.get(), cancelled, throttle, watch);
  };
  if (request.stripes.empty()) {
    writer->StartTimeWindows(request.time_borders);
    RETURN_IF_ERROR(write(AllCells(), request.all_files));
  }
  for (const StripeOutput& stripe : request.stripes) {
    writer->StartStripe(stripe);
    RETURN_IF_ERROR(write(CellsOf(stripe), stripe.drop_markers));
  }
  using WhenEmpty = StoreFileWriter::WhenEmpty;
  if (request.only_expired) return writer->Finish(WhenEmpty::kNoFile);
  return writer->Finish(request.all_files ? WhenEmpty::kOneFile : WhenEmpty::kStripes);
}

Result<PendingFiles> Store::WriteMoved(const std::shared_ptr<const StoreFile>& file,
                                       const std::string& directory, uint64_t smallest_read_point,
                                       int64_t now_millis, const MoveRow& move) const {
  StoreView view;
  view.files = {file};
  const auto input = std::make_shared<const StoreView>(std::move(view));
  hfile::StoreFileFacts facts;
  facts.max_sequence_id = file->max_sequence_id();
  const hfile::WriterOptions options = MakeWriterOptions(file->reader()->includes_tags());
  const auto writer = MakeFileWriter(directory, options, facts, file->flushed_sequence_id(),
                                     file->flushed_sequence_id());
  const StoreScanner::Options scanner_options{rules(),
                                              smallest_read_point,
                                              now_millis,
                                              StoreScanner::Purpose::kMinorCompaction,
                                              options_.meta_order,
                                              &options_.rows};
  ASSIGN_OR_RETURN(auto scanner, StoreScanner::Open(input, AllCells(), scanner_options));
  CellBatch batch;
  Bytes moved;
  Bytes key;
  bool done = false;
  bool row_is_open = false;
  bool is_wanted = false;
  while (!done) {
    batch.Clear();
    scanner->Unpin();
    RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
    for (size_t i = 0; i < batch.row_count(); ++i) {
      if (!row_is_open) {
        ASSIGN_OR_RETURN(is_wanted, move(batch.cells[batch.row_starts[i]].row(), &moved));
        if (is_wanted) writer->StartRow();
      }
      row_is_open = batch.row_goes_on(i);
      if (!is_wanted) continue;
      for (uint32_t c = batch.row_starts[i]; c < batch.row_end(i); ++c) {
        Cell cell = batch.cells[c];
        const ByteView rest = cell.flat_key().substr(2 + cell.row_length());
        key.resize(2);
        StoreBE16(key.data(), static_cast<uint16_t>(moved.size()));
        key.append(moved).append(rest);
        cell.key = key.data();
        cell.key_length = static_cast<uint32_t>(key.size());
        RETURN_IF_ERROR(writer->Append(&cell, 1));
      }
    }
  }
  return writer->Finish(StoreFileWriter::WhenEmpty::kNoFile);
}

Status Store::CommitCompaction(const CompactionRequest& request, const PendingFiles& files) {
  {
    MutexLock files_lock(&files_mu_);
    RETURN_IF_ERROR(ArchiveStrays());
  }
  bool replaced = false;
  const Status status = ReplaceInputs(request, files, &replaced);
  if (status.ok()) return status;
  std::vector<std::string> inputs;
  for (const auto& input : request.inputs) inputs.push_back(input->name());
  NoteStrays(replaced ? inputs : NamesOf(files));
  return status;
}

Status Store::ReplaceInputs(const CompactionRequest& request, const PendingFiles& files,
                            bool* replaced) {
  Files opened;
  if (!files.empty()) {
    BENNU_FAILPOINT("store.compaction.before_rename");
    ASSIGN_OR_RETURN(opened, MoveIntoStore(files, CacheWarmth::OfOpening(family())));
    BENNU_FAILPOINT("store.compaction.after_rename");
  }
  {
    MutexLock files_lock(&files_mu_);
    auto all = view()->files;
    std::erase_if(all, [&](const auto& existing) {
      return std::find(request.inputs.begin(), request.inputs.end(), existing) !=
             request.inputs.end();
    });
    all.insert(all.end(), opened.begin(), opened.end());
    *replaced = true;
    RETURN_IF_ERROR(ReplaceFiles(std::move(all)));
  }
  BENNU_FAILPOINT("store.compaction.after_list");
  // The oldest first: a marker stays as long as what it hides.
  for (auto input = request.inputs.rbegin(); input != request.inputs.rend(); ++input) {
    RETURN_IF_ERROR(Archive((*input)->name()));
    BENNU_FAILPOINT("store.compaction.during_archive");
  }
  return Status();
}

// ---- after failures

void Store::NoteStrays(const std::vector<std::string>& names) {
  MutexLock files_lock(&files_mu_);
  strays_.insert(strays_.end(), names.begin(), names.end());
}

void Store::RemoveStrays() {
  MutexLock files_lock(&files_mu_);
  const Status archived = ArchiveStrays();
  if (!archived.ok()) LogWarning("{}: {}", options_.store_directory, archived.ToString());
}

// The list first: a listed file must not go.
Status Store::ArchiveStrays() {
  if (strays_.empty()) return Status::Ok();
  RETURN_IF_ERROR(StoreFileList(view()->files).Save(options_.env, options_.store_directory));
  while (!strays_.empty()) {
    ASSIGN_OR_RETURN(const bool exists,
                     options_.env->Exists(JoinPath(options_.store_directory, strays_.back())));
    if (exists) RETURN_IF_ERROR(Archive(strays_.back()));
    strays_.pop_back();
  }
  return Status::Ok();
}

}  // namespace bennu::engine
