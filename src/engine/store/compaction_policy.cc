#include "src/engine/store/compaction_policy.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace bennu::engine {

namespace {

uint64_t TotalSize(StoreFiles::const_iterator begin, StoreFiles::const_iterator end) {
  uint64_t total = 0;
  for (auto file = begin; file != end; ++file) total += (*file)->size_bytes();
  return total;
}

bool InProportion(StoreFiles::const_iterator begin, StoreFiles::const_iterator end, uint64_t total,
                  double ratio) {
  return std::all_of(begin, end, [&](const auto& file) {
    const double others = static_cast<double>(total - file->size_bytes());
    return static_cast<double>(file->size_bytes()) <= others * ratio;
  });
}

struct Run {
  StoreFiles::const_iterator begin;
  size_t count = 0;
  uint64_t size = 0;
};

// Most files win, then fewest bytes. A stuck store prefers most files per byte.
bool IsBetter(const Run& run, const Run& best, bool is_stuck) {
  if (best.count == 0) return true;
  if (is_stuck && best.size > 0 && run.size > 0) {
    return static_cast<double>(best.count) / static_cast<double>(best.size) <
           static_cast<double>(run.count) / static_cast<double>(run.size);
  }
  return run.count > best.count || (run.count == best.count && run.size < best.size);
}

// The run in which no file is bigger than the ratio times the others together.
Run Explore(const StoreFiles& files, const CompactionConfig& config, const RunLimits& limits,
            bool off_peak) {
  const double ratio = off_peak ? config.ratio_off_peak : config.ratio;
  const uint64_t max_bytes = off_peak ? config.max_bytes_off_peak : config.max_bytes;
  Run best{files.end()};
  Run smallest{files.end()};
  for (auto begin = files.begin(); begin != files.end(); ++begin) {
    const size_t left = static_cast<size_t>(files.end() - begin);
    for (size_t count = limits.files_min; count <= std::min(left, limits.files_max); ++count) {
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      const Run run{begin, count, TotalSize(begin, end)};
      if (smallest.count == 0 || run.size < smallest.size) smallest = run;
      if (run.size > max_bytes) continue;
      if (run.size >= config.always_below_bytes && !InProportion(begin, end, run.size, ratio)) {
        continue;
      }
      if (IsBetter(run, best, limits.is_stuck)) best = run;
    }
  }
  return best.count == 0 && limits.is_stuck ? smallest : best;
}

// From the oldest file that is not bigger than the ratio times the newer ones together; of these
// the oldest, when they are too many.
Run ByRatio(const StoreFiles& files, const CompactionConfig& config, const RunLimits& limits,
            bool off_peak) {
  const double ratio = off_peak ? config.ratio_off_peak : config.ratio;
  size_t count = files.size();
  while (count >= limits.files_min) {
    const auto oldest = files.begin() + static_cast<std::ptrdiff_t>(count - 1);
    // Newer files beyond the largest number that is merged at once do not count.
    const size_t newer = std::min(count - 1, limits.files_max - 1);
    const uint64_t others = TotalSize(oldest - static_cast<std::ptrdiff_t>(newer), oldest);
    const double bound = std::max(static_cast<double>(config.always_below_bytes),
                                  static_cast<double>(others) * ratio);
    if (static_cast<double>((*oldest)->size_bytes()) <= bound) break;
    --count;
  }
  if (count < limits.files_min) {
    if (!limits.is_stuck) return Run{files.end()};
    count = std::min(limits.files_min, files.size());
  }
  const size_t taken = std::min(count, limits.files_max);
  const auto begin = files.begin() + static_cast<std::ptrdiff_t>(count - taken);
  return Run{begin, taken, TotalSize(begin, begin + static_cast<std::ptrdiff_t>(taken))};
}

// Without the oldest files that are too big to be merged again by themselves.
StoreFiles WithoutLarge(StoreFiles files, const CompactionConfig& config, bool off_peak) {
  const uint64_t max_bytes = off_peak ? config.max_bytes_off_peak : config.max_bytes;
  while (!files.empty() && files.back()->size_bytes() > max_bytes) files.pop_back();
  return files;
}

int64_t OldestUnexpired(const CompactionMoment& moment) {
  if (moment.ttl_seconds == kTtlForever) return std::numeric_limits<int64_t>::min();
  return moment.now_millis - static_cast<int64_t>(moment.ttl_seconds) * 1000;
}

// Of a file without cells, which says up to where the store is flushed: whether one that stays says
// more.
bool IsSurpassed(const StoreFile& file, uint64_t flushed_sequence_id) {
  return file.reader()->empty() && file.flushed_sequence_id() < flushed_sequence_id;
}

}  // namespace

CompactionRequest SelectExpired(const StoreView& view, const CompactionMoment& moment) {
  const auto is_expired = [&moment](const StoreFile& file) {
    const auto range = file.reader()->time_range();
    return !file.reader()->empty() && range.has_value() && range->max < OldestUnexpired(moment);
  };
  uint64_t flushed_sequence_id = 0;  // of the files that stay
  for (const auto& file : view.files) {
    if (is_expired(*file)) continue;
    flushed_sequence_id = std::max(flushed_sequence_id, file->flushed_sequence_id());
  }
  StoreFiles expired;
  for (const auto& file : view.files) {
    if (is_expired(*file) || IsSurpassed(*file, flushed_sequence_id)) expired.push_back(file);
  }
  const bool all_files = expired.size() == view.files.size();
  CompactionRequest request = MakeCompactionRequest(std::move(expired), all_files);
  request.only_expired = true;
  return request;
}

namespace {

// 0 up to 1, the same for the same text on every machine (FNV-1a).
double Scatter(const std::string& text) {
  uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ull;
  return static_cast<double>(hash >> 11) / static_cast<double>(1ull << 53);
}

}  // namespace

CompactionRequest MakeCompactionRequest(StoreFiles inputs, bool all_files) {
  CompactionRequest request;
  request.size_bytes = TotalSize(inputs.begin(), inputs.end());
  request.inputs = std::move(inputs);
  request.all_files = all_files;
  return request;
}

CompactionRequest SelectAllFiles(const StoreView& view) {
  if (view.files.empty()) return CompactionRequest();
  return MakeCompactionRequest(view.files, true);
}

StoreFiles SelectRun(const StoreFiles& files, CompactionPolicy policy,
                     const CompactionConfig& config, const RunLimits& limits, bool off_peak) {
  const Run run = policy == CompactionPolicy::kRatio ? ByRatio(files, config, limits, off_peak)
                                                     : Explore(files, config, limits, off_peak);
  if (run.count == 0) return {};
  return StoreFiles(run.begin, run.begin + static_cast<std::ptrdiff_t>(run.count));
}

CompactionRequest SelectByDefaultEngine(const StoreView& view, const CompactionConfig& config,
                                        const CompactionMoment& moment) {
  if (view.has_references) return SelectAllFiles(view);  // the parent's files become free
  if (config.policy == CompactionPolicy::kFifo) return SelectExpired(view, moment);
  if (view.files.size() < config.files_max && IsMajorCompactionDue(view.files, config, moment)) {
    CompactionRequest request = SelectAllFiles(view);
    request.is_major = true;
    return request;
  }
  const RunLimits limits{config.files_min, config.files_max,
                         view.files.size() >= config.blocking_files};
  StoreFiles run = SelectRun(WithoutLarge(view.files, config, moment.off_peak), config.policy,
                             config, limits, moment.off_peak);
  const bool all_files = run.size() == view.files.size();
  return MakeCompactionRequest(std::move(run), all_files);
}

int64_t MajorCompactionPauseMillis(const StoreFiles& files, const CompactionConfig& config) {
  if (config.major_period_millis <= 0 || files.empty()) return 0;
  const double jitter = static_cast<double>(config.major_period_millis) * config.major_jitter;
  const double pause = static_cast<double>(config.major_period_millis) - jitter +
                       2 * jitter * Scatter(files.back()->name());
  return std::max<int64_t>(1, static_cast<int64_t>(pause));
}

std::optional<int64_t> OldestCreation(const StoreFiles& files) {
  std::optional<int64_t> oldest;
  for (const auto& file : files) {
    if (!file->created_millis().has_value()) return std::nullopt;
    oldest = std::min(oldest.value_or(*file->created_millis()), *file->created_millis());
  }
  return oldest;
}

bool IsMajorCompactionDue(const StoreFiles& files, const CompactionConfig& config,
                          const CompactionMoment& moment) {
  if (config.major_off_peak_only && !moment.off_peak) return false;
  const int64_t pause = MajorCompactionPauseMillis(files, config);
  const std::optional<int64_t> oldest = OldestCreation(files);
  if (pause == 0 || !oldest.has_value() || *oldest >= moment.now_millis - pause) return false;
  if (files.size() > 1) return true;
  // What was merged completely changes only by what has expired since.
  const hfile::Reader& file = *files.front()->reader();
  if (!file.is_major_compaction() || file.is_bulk_loaded()) return true;
  const auto range = file.time_range();
  return range.has_value() && range->min < OldestUnexpired(moment);
}

double CompactionPressure(const StoreView& view, const CompactionConfig& config) {
  const size_t count = view.files.size();
  if (count <= config.files_min) return 0;
  if (config.blocking_files <= config.files_min) return 2;
  return static_cast<double>(count - config.files_min) /
         static_cast<double>(config.blocking_files - config.files_min);
}

}  // namespace bennu::engine
