#include "src/engine/store/date_tiered_policy.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace bennu::engine {

namespace {

constexpr int64_t kOldest = std::numeric_limits<int64_t>::min();
// Each border may be a file that is written at the same time as the others. Windows grow
// exponentially unless a table is told otherwise; what is older than this many shares a file.
constexpr size_t kWindowsMax = 256;
// Windows that a selection looks at before it takes the rest for too old.
constexpr size_t kWindowsLookedAt = 100'000;

int64_t MinTimestamp(const StoreFile& file) {
  const auto range = file.reader()->time_range();
  return range.has_value() ? range->min : std::numeric_limits<int64_t>::max();
}

int64_t MaxTimestamp(const StoreFile& file) {
  const auto range = file.reader()->time_range();
  return range.has_value() ? range->max : kOldest;
}

int64_t SubtractOrOldest(int64_t from, int64_t what) {
  int64_t result = 0;
  return __builtin_sub_overflow(from, what, &result) ? kOldest : result;
}

size_t WindowOf(const std::vector<int64_t>& borders, int64_t timestamp) {
  const auto after = std::upper_bound(borders.begin(), borders.end(), timestamp);
  return after == borders.begin() ? 0 : static_cast<size_t>(after - borders.begin()) - 1;
}

// Whether the time has come and rewriting would change anything: a file is new, has expired cells,
// reaches over a border, or shares its window.
bool IsDue(const StoreView& view, const CompactionConfig& config, const CompactionMoment& moment) {
  const int64_t pause = MajorCompactionPauseMillis(view.files, config);
  const auto oldest = OldestCreation(view.files);
  if (pause == 0 || !oldest.has_value() || *oldest >= moment.now_millis - pause) return false;
  const auto borders = WindowBorders(view.files, config.date_tiered, moment.now_millis);
  const int64_t expiry = moment.ttl_seconds == kTtlForever
                             ? kOldest
                             : moment.now_millis - static_cast<int64_t>(moment.ttl_seconds) * 1000;
  std::set<size_t> taken;
  for (const auto& file : view.files) {
    if (MinTimestamp(*file) <= expiry) return true;
    if (!file->reader()->is_major_compaction() || file->reader()->is_bulk_loaded()) return true;
    if (file->reader()->empty()) continue;
    const size_t window = WindowOf(borders, MaxTimestamp(*file));
    if (WindowOf(borders, MinTimestamp(*file)) != window) return true;
    if (!taken.insert(window).second) return true;
  }
  return false;
}

// The files of one window, newest first. Nothing when they are too few or out of proportion.
CompactionRequest SelectInWindow(const StoreFiles& files, const TimeWindow& window,
                                 size_t files_min, bool is_stuck, const StoreView& view,
                                 const CompactionConfig& config, bool off_peak) {
  if (files.size() < files_min) return CompactionRequest();
  const RunLimits limits{files_min, std::max(config.files_max, files_min), false};
  StoreFiles inputs =
      is_stuck ? files
               : SelectRun(files, config.date_tiered.window_policy, config, limits, off_peak);
  if (inputs.empty()) return CompactionRequest();
  // With a file of the window left out, the result must not be finer than that file.
  const bool whole = inputs.size() == files.size();
  const bool all_files = inputs.size() == view.files.size();
  CompactionRequest request = MakeCompactionRequest(std::move(inputs), all_files);
  if (whole && !config.date_tiered.single_output_for_minor) {
    request.time_borders = {kOldest, window.start_millis()};
  }
  return request;
}

}  // namespace

TimeWindow TimeWindow::Incoming(const DateTieredConfig& config, int64_t now_millis) {
  return TimeWindow(config.base_window_millis, now_millis / config.base_window_millis,
                    config.windows_per_tier,
                    SubtractOrOldest(now_millis, config.max_tier_age_millis));
}

TimeWindow TimeWindow::Earlier() const {
  int64_t wider = 0;
  const bool too_wide = __builtin_mul_overflow(width_, per_tier_, &wider);
  if (position_ % per_tier_ > 0 || too_wide || SubtractOrOldest(start_millis(), wider) < cutoff_) {
    return TimeWindow(width_, position_ - 1, per_tier_, cutoff_);
  }
  return TimeWindow(wider, position_ / per_tier_ - 1, per_tier_, cutoff_);
}

int TimeWindow::Compare(int64_t millis) const {
  int64_t position = millis / width_;
  if (millis < 0 && millis % width_ != 0) --position;
  if (position_ == position) return 0;
  return position_ < position ? -1 : 1;
}

std::vector<int64_t> WindowBorders(const StoreFiles& files, const DateTieredConfig& config,
                                   int64_t now_millis) {
  int64_t oldest = std::numeric_limits<int64_t>::max();
  for (const auto& file : files) oldest = std::min(oldest, MinTimestamp(*file));
  std::vector<int64_t> borders;
  TimeWindow window = TimeWindow::Incoming(config, now_millis);
  while (window.Compare(oldest) > 0 && borders.size() + 1 < kWindowsMax) {
    borders.push_back(window.start_millis());
    window = window.Earlier();
  }
  borders.push_back(kOldest);
  std::reverse(borders.begin(), borders.end());
  return borders;
}

CompactionRequest SelectAllDateTiered(const StoreView& view, const CompactionConfig& config,
                                      int64_t now_millis) {
  CompactionRequest request = SelectAllFiles(view);
  request.time_borders = WindowBorders(view.files, config.date_tiered, now_millis);
  return request;
}

CompactionRequest SelectDateTiered(const StoreView& view, const CompactionConfig& config,
                                   const CompactionMoment& moment) {
  if (const bool due = IsDue(view, config, moment); view.has_references || due) {
    CompactionRequest request = SelectAllDateTiered(view, config, moment.now_millis);
    request.is_major = due;
    return request;
  }
  // A file with older cells than one before it counts as if it held that one's newest. So windows
  // follow each other in the order of the files' ages too, and what is merged is a run.
  std::vector<int64_t> newest(view.files.size());
  int64_t seen = kOldest;
  for (size_t i = view.files.size(); i-- > 0;) {
    seen = std::max(seen, MaxTimestamp(*view.files[i]));
    newest[i] = seen;
  }
  const bool is_stuck = view.files.size() >= config.blocking_files;
  const int64_t oldest_to_merge =
      SubtractOrOldest(moment.now_millis, config.date_tiered.max_file_age_millis);
  TimeWindow window = TimeWindow::Incoming(config.date_tiered, moment.now_millis);
  size_t files_min = config.date_tiered.incoming_window_files_min;
  size_t next = 0;
  size_t windows = 0;
  while (next < view.files.size() && newest[next] != kOldest &&
         window.Compare(oldest_to_merge) >= 0) {
    if (window.Compare(newest[next]) > 0) {  // too old for this one
      if (++windows > kWindowsLookedAt) break;
      window = window.Earlier();
      files_min = config.files_min;
      continue;
    }
    StoreFiles files;
    while (next < view.files.size() && window.Compare(newest[next]) <= 0) {
      files.push_back(view.files[next++]);
    }
    CompactionRequest request =
        SelectInWindow(files, window, files_min, is_stuck, view, config, moment.off_peak);
    if (!request.inputs.empty()) return request;
  }
  return CompactionRequest();
}

}  // namespace bennu::engine
