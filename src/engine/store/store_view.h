// StoreView: what a store consisted of at one moment. Immutable once published; readers hold it by
// shared_ptr, and with it every memstore and file in it.
#ifndef BENNU_SRC_ENGINE_STORE_STORE_VIEW_H_
#define BENNU_SRC_ENGINE_STORE_STORE_VIEW_H_

#include <memory>
#include <vector>

#include "src/engine/memstore/memstore.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

struct StoreView {
  std::vector<std::shared_ptr<MemStore>> memstores;     // the active one, then those set aside
  std::vector<std::shared_ptr<const StoreFile>> files;  // newest first
  bool has_references = false;                          // any of the files is one
};

// 'files' in any order.
std::shared_ptr<const StoreView> MakeStoreView(std::vector<std::shared_ptr<MemStore>> memstores,
                                               std::vector<std::shared_ptr<const StoreFile>> files);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_VIEW_H_
