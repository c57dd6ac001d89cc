#include "src/engine/store/compaction_policy.h"

#include <algorithm>

namespace bennu::engine {

namespace {

using Files = std::vector<std::shared_ptr<const StoreFile>>;

uint64_t TotalSize(Files::const_iterator begin, Files::const_iterator end) {
  uint64_t total = 0;
  for (auto file = begin; file != end; ++file) total += (*file)->size_bytes();
  return total;
}

bool InProportion(Files::const_iterator begin, Files::const_iterator end, uint64_t total) {
  return std::all_of(begin, end, [total](const auto& file) {
    const double others = static_cast<double>(total - file->size_bytes());
    return static_cast<double>(file->size_bytes()) <= others * kCompactionRatio;
  });
}

CompactionRequest MakeRequest(Files inputs, bool all_files) {
  CompactionRequest request;
  request.size_bytes = TotalSize(inputs.begin(), inputs.end());
  request.inputs = std::move(inputs);
  request.all_files = all_files;
  return request;
}

}  // namespace

CompactionRequest SelectAllFiles(const StoreView& view) {
  if (view.files.empty()) return CompactionRequest();
  return MakeRequest(view.files, true);
}

CompactionRequest SelectMinorCompaction(const StoreView& view) {
  if (view.has_references) return SelectAllFiles(view);  // the parent's files become free
  const Files& files = view.files;
  Files::const_iterator best_begin = files.end();
  size_t best_count = 0;
  uint64_t best_size = 0;
  for (auto begin = files.begin(); begin != files.end(); ++begin) {
    const size_t left = static_cast<size_t>(files.end() - begin);
    for (size_t count = kCompactionFilesMin; count <= std::min(left, kCompactionFilesMax);
         ++count) {
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      const uint64_t size = TotalSize(begin, end);
      if (!InProportion(begin, end, size)) continue;
      if (count > best_count || (count == best_count && size < best_size)) {
        best_begin = begin;
        best_count = count;
        best_size = size;
      }
    }
  }
  if (best_count == 0 && files.size() >= kBlockingFiles) {
    best_begin = files.begin();  // the newest, which are usually the smallest
    best_count = kCompactionFilesMin;
  }
  if (best_count == 0) return CompactionRequest();
  Files inputs(best_begin, best_begin + static_cast<std::ptrdiff_t>(best_count));
  const bool all_files = inputs.size() == files.size();
  return MakeRequest(std::move(inputs), all_files);
}

}  // namespace bennu::engine
