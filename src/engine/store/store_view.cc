#include "src/engine/store/store_view.h"

#include <algorithm>
#include <utility>

namespace bennu::engine {

std::shared_ptr<const StoreView> MakeStoreView(
    std::vector<std::shared_ptr<MemStore>> memstores,
    std::vector<std::shared_ptr<const StoreFile>> files) {
  std::sort(files.begin(), files.end(),
            [](const auto& left, const auto& right) { return IsNewer(*left, *right); });
  const bool references = std::any_of(files.begin(), files.end(),
                                      [](const auto& file) { return file->is_reference(); });
  return std::make_shared<const StoreView>(
      StoreView{std::move(memstores), std::move(files), references});
}

}  // namespace bennu::engine
