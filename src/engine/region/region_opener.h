// RegionOpener: makes a region that was only known one whose stores can be used, and makes the
// stores of families that come later.
//
// A region opens when somebody first needs it: a store of many regions starts at once. Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_OPENER_H_
#define BENNU_SRC_ENGINE_REGION_REGION_OPENER_H_

#include <functional>
#include <memory>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

class RegionOpener {
 public:
  // 'state' must outlive this; 'descriptor' is what the region is opened with.
  RegionOpener(RegionState* state, std::shared_ptr<const TableDescriptor> descriptor)
      : state_(state), descriptor_(std::move(descriptor)) {}

  // See Region.
  void Refuse(const Status& why);
  Status EnsureOpen() {
    return state_->opened.load(std::memory_order_acquire) ? Status::Ok() : OpenNow();
  }
  Result<std::shared_ptr<const StoreSet>> OpenedStores() {
    RETURN_IF_ERROR(EnsureOpen());
    return state_->stores();
  }

  // Registers with the log and writes the REGION_OPEN marker, unsynced.
  Status StartLogging();

  // The stores of the table as it is described now, made of the present ones and of new ones;
  // the settings are those of the description from now on. Null: the region is not open, and opens
  // with this description.
  Result<std::shared_ptr<StoreSet>> StoresOf(const TableDescriptor& descriptor);

 private:
  Status OpenNow();
  Status PrepareDirectory(const TableDescriptor& descriptor) const;
  // The directories of families that have none yet, each of which is told to 'on_missing' first.
  Status MakeFamilies(
      const TableDescriptor& descriptor,
      const std::function<void(const std::string& family)>& on_missing = nullptr) const;
  Result<StoreSet::Entry> OpenStore(const ColumnFamilyDescriptor& family,
                                    const TableDescriptor& table) const;
  void ReadAttributes(const TableDescriptor& descriptor);
  // Finds out which entries of the log each store leaves out. Aborted: of a bulk load only a part
  // of the files was seen.
  Status ReadFloors(StoreSet* stores) const;

  RegionState* const state_;
  // Null once the region is open.
  std::shared_ptr<const TableDescriptor> descriptor_ GUARDED_BY(state_->open_mu);
  Status refusal_ GUARDED_BY(state_->open_mu);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_OPENER_H_
