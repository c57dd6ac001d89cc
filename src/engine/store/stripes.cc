#include "src/engine/store/stripes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace bennu::engine {

namespace {

using Stripe = Stripes::Stripe;

uint64_t SizeOf(const StoreFiles& files) {
  uint64_t size = 0;
  for (const auto& file : files) size += file->size_bytes();
  return size;
}

uint64_t CellsOf(const StoreFiles& files) {
  uint64_t cells = 0;
  for (const auto& file : files) cells += file->reader()->entry_count();
  return cells;
}

// The ranges cover all rows, each row once.
bool CoversAll(const std::vector<Stripe>& stripes) {
  if (stripes.empty() || !stripes.front().start.empty() || !stripes.back().end.empty()) {
    return false;
  }
  for (size_t i = 0; i + 1 < stripes.size(); ++i) {
    if (stripes[i].end.empty() || stripes[i].end != stripes[i + 1].start) return false;
  }
  return true;
}

StoreFiles Union(const StoreFiles& left, const StoreFiles& right) {
  StoreFiles all = left;
  all.insert(all.end(), right.begin(), right.end());
  std::sort(all.begin(), all.end(),
            [](const auto& one, const auto& other) { return IsNewer(*one, *other); });
  return all;
}

// One output for each stripe as it stands.
std::vector<StripeOutput> Borders(const std::vector<Stripe>& stripes) {
  std::vector<StripeOutput> outputs;
  for (const Stripe& stripe : stripes) outputs.push_back({stripe.start, stripe.end});
  return outputs;
}

// The rows of [start, end) cut by the number of cells into 'parts' stripes of equal size, the last
// of which may be smaller. As stripes grow past their limit, so does the number of parts.
StripeOutput Cut(const Bytes& start, const Bytes& end, const StoreFiles& files, double parts,
                 uint64_t part_bytes) {
  StripeOutput output{start, end};
  const double size = static_cast<double>(SizeOf(files));
  double count = std::max(1.0, parts);
  // Each part below its size, in steps of one.
  while (part_bytes > 0 && size / count > static_cast<double>(part_bytes) &&
         size / (count + 1) >= static_cast<double>(part_bytes)) {
    count += 1;
  }
  const double cells = static_cast<double>(CellsOf(files));
  output.count_max = static_cast<size_t>(std::ceil(count));
  output.cells_per_stripe = std::max<uint64_t>(1, static_cast<uint64_t>(std::ceil(cells / count)));
  if (output.count_max == 1) {
    output.cells_per_stripe = std::numeric_limits<uint64_t>::max();
  }
  return output;
}

StripeOutput CutAll(const StoreFiles& files, const StripeConfig& config) {
  StripeOutput output =
      Cut(Bytes(), Bytes(), files, static_cast<double>(config.initial_count),
          static_cast<uint64_t>(static_cast<double>(config.split_bytes) / config.split_parts));
  output.drop_markers = true;
  output.replaces_stripe = true;
  return output;
}

StoreFiles SelectInStripe(const StoreFiles& files, bool all_or_none, const CompactionConfig& config,
                          const CompactionMoment& moment) {
  RunLimits limits{};
  limits.files_min = std::max(all_or_none ? files.size() : 0, config.stripe.files_min);
  limits.files_max = std::max(config.stripe.files_max, limits.files_min);
  return SelectRun(files, CompactionPolicy::kExploring, config, limits, moment.off_peak);
}

// The stripe whose files are most worth merging, with the level-0 files when 'with_level0', so that
// its delete markers can go.
CompactionRequest SelectOneStripe(const Stripes& all, bool with_level0,
                                  const CompactionConfig& config, const CompactionMoment& moment) {
  StoreFiles best;
  size_t best_index = 0;
  for (size_t i = 0; i < all.stripes.size(); ++i) {
    StoreFiles files = SelectInStripe(all.stripes[i].files, with_level0, config, moment);
    if (files.empty()) continue;
    if (best.empty() || files.size() > best.size() ||
        (files.size() == best.size() && SizeOf(files) < SizeOf(best))) {
      best = std::move(files);
      best_index = i;
    }
  }
  if (best.empty()) return CompactionRequest();
  const Stripe& stripe = all.stripes[best_index];
  const bool whole = best.size() == stripe.files.size();
  const bool is_big = whole && SizeOf(best) >= config.stripe.split_bytes;
  const bool drop_markers = whole && (with_level0 || all.level0.empty());
  CompactionRequest request;
  if (with_level0) {
    if (is_big) return request;  // to be split by itself, not merged twice
    request = MakeCompactionRequest(Union(best, all.level0), false);
    request.stripes = Borders(all.stripes);
    request.stripes[best_index].replaces_stripe = whole;
    request.stripes[best_index].drop_markers = drop_markers;
    return request;
  }
  StripeOutput output{stripe.start, stripe.end};
  if (is_big) {
    output = Cut(stripe.start, stripe.end, best, config.stripe.split_parts,
                 static_cast<uint64_t>(static_cast<double>(config.stripe.split_bytes) /
                                       config.stripe.split_parts));
  }
  output.replaces_stripe = whole;
  output.drop_markers = drop_markers;
  request = MakeCompactionRequest(std::move(best), false);
  request.stripes = {std::move(output)};
  return request;
}

bool HasExpired(const Stripe& stripe, const CompactionMoment& moment) {
  if (moment.ttl_seconds == kTtlForever) return false;
  const int64_t oldest = moment.now_millis - static_cast<int64_t>(moment.ttl_seconds) * 1000;
  return std::all_of(stripe.files.begin(), stripe.files.end(), [&](const auto& file) {
    const auto range = file->reader()->time_range();
    return range.has_value() && range->max < oldest;
  });
}

// The longest run of stripes that hold nothing but what has expired becomes one. One alone takes
// its right neighbour in; the last one by itself stays.
CompactionRequest MergeExpired(const Stripes& all, const CompactionMoment& moment) {
  size_t best = 0;
  size_t best_count = 0;
  size_t count = 0;
  for (size_t i = 0; i < all.stripes.size(); ++i) {
    count = HasExpired(all.stripes[i], moment) ? count + 1 : 0;
    if (count > best_count) {
      best_count = count;
      best = i + 1 - count;
    }
  }
  if (best_count == 1) best_count = best + 1 < all.stripes.size() ? 2 : 0;
  if (best_count == 0) return CompactionRequest();
  StoreFiles files;
  for (size_t i = best; i < best + best_count; ++i) files = Union(files, all.stripes[i].files);
  CompactionRequest request = MakeCompactionRequest(std::move(files), false);
  StripeOutput output{all.stripes[best].start, all.stripes[best + best_count - 1].end};
  output.drop_markers = all.level0.empty();
  output.replaces_stripe = true;
  request.stripes = {std::move(output)};
  return request;
}

}  // namespace

Stripes Stripes::Of(const StoreFiles& files) {
  Stripes result;
  std::map<std::pair<Bytes, Bytes>, StoreFiles> ranges;
  for (const auto& file : files) {
    const auto start = file->reader()->Info(kStripeStartKey);
    const auto end = file->reader()->Info(kStripeEndKey);
    // A reference's stripe may be cut by its region's border; a loaded file's is another store's.
    if (!start.has_value() || !end.has_value() || file->is_reference() || file->is_bulk_loaded()) {
      result.level0.push_back(file);
    } else {
      ranges[{Bytes(*start), Bytes(*end)}].push_back(file);
    }
  }
  for (auto& [range, members] : ranges) {
    result.stripes.push_back({range.first, range.second, std::move(members)});
  }
  if (result.stripes.empty() || CoversAll(result.stripes)) return result;
  return Stripes{{}, files};
}

std::vector<StripeOutput> StripesOfFlush(const StoreView& view, const StripeConfig& config,
                                         const std::function<uint64_t()>& count_cells) {
  if (config.flush_to_level0) return {};
  const Stripes all = Stripes::Of(view.files);
  if (!all.stripes.empty()) return Borders(all.stripes);
  // The first stripes would be a full description of the rows, which level-0 files are not part of.
  if (!all.level0.empty()) return {};
  StripeOutput output;
  output.count_max = config.initial_count;
  if (config.initial_count > 1) {
    output.cells_per_stripe = std::max<uint64_t>(1, count_cells() / config.initial_count);
  }
  return {std::move(output)};
}

size_t CountedFiles(const StoreView& view) {
  const size_t stripes = Stripes::Of(view.files).stripes.size();
  return view.files.size() - (stripes > 0 ? stripes - 1 : 0);
}

CompactionRequest SelectAllStriped(const StoreView& view, const CompactionConfig& config) {
  CompactionRequest request = SelectAllFiles(view);
  if (request.inputs.empty()) return request;
  const Stripes all = Stripes::Of(view.files);
  if (all.stripes.empty() || view.has_references) {
    request.stripes = {CutAll(view.files, config.stripe)};
    return request;
  }
  request.stripes = Borders(all.stripes);
  for (StripeOutput& output : request.stripes) {
    output.drop_markers = true;
    output.replaces_stripe = true;
  }
  return request;
}

CompactionRequest SelectStriped(const StoreView& view, const CompactionConfig& config,
                                const CompactionMoment& moment) {
  if (view.has_references) return SelectAllStriped(view, config);
  const Stripes all = Stripes::Of(view.files);
  const bool level0_is_full = all.level0.size() >= config.stripe.level0_files_min;
  if (all.stripes.empty()) {
    return level0_is_full ? SelectAllStriped(view, config) : CompactionRequest();
  }
  if (level0_is_full) {
    CompactionRequest request = SelectOneStripe(all, true, config, moment);
    if (!request.inputs.empty()) return request;
    request = MakeCompactionRequest(all.level0, false);
    request.stripes = Borders(all.stripes);
    return request;
  }
  CompactionRequest request = MergeExpired(all, moment);
  return request.inputs.empty() ? SelectOneStripe(all, false, config, moment) : request;
}

std::optional<Bytes> StripeSplitPoint(const StoreView& view, const StripeConfig& config) {
  const Stripes all = Stripes::Of(view.files);
  if (all.stripes.size() < 2) return std::nullopt;
  uint64_t right = 0;
  for (const Stripe& stripe : all.stripes) right += SizeOf(stripe.files);
  uint64_t left = 0;
  double best_imbalance = std::numeric_limits<double>::max();
  const Bytes* best = nullptr;
  for (size_t i = 0; i + 1 < all.stripes.size(); ++i) {
    const uint64_t size = SizeOf(all.stripes[i].files);
    left += size;
    right -= size;
    const double imbalance = static_cast<double>(std::max(left, right)) /
                             static_cast<double>(std::max<uint64_t>(1, std::min(left, right)));
    if (imbalance >= best_imbalance) continue;
    best_imbalance = imbalance;
    best = &all.stripes[i].end;
  }
  if (best_imbalance > config.region_split_imbalance_max) return std::nullopt;
  return *best;
}

}  // namespace bennu::engine
