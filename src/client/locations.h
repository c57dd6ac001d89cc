// Locations: which server has which region, as hbase:meta says it, remembered until it proves
// wrong. Source: hbase-hfile spec section 15 (hbase:meta); MetaCache of HBase.
#ifndef BENNU_SRC_CLIENT_LOCATIONS_H_
#define BENNU_SRC_CLIENT_LOCATIONS_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "proto/region.pb.h"
#include "src/base/mutex.h"
#include "src/client/address.h"

namespace bennu::client {

struct RegionLocation {
  RegionInfo info;
  Bytes name;  // info.RegionName()
  // Where it is; nothing while it is on its way or its table is disabled.
  std::optional<Address> server;
};

// How calls name the region.
void SetRegion(const RegionLocation& region, pb::RegionSpecifier* specifier);

// The regions of a table in key order, without those that were split. Never changes.
class TableRegions {
 public:
  explicit TableRegions(std::vector<RegionLocation> regions);

  const std::vector<RegionLocation>& all() const { return regions_; }
  // That of the row; of the empty row the first. Null: hbase:meta has a hole there.
  const RegionLocation* Find(ByteView row) const;
  size_t IndexOf(const RegionLocation* region) const {
    return static_cast<size_t>(region - regions_.data());
  }

 private:
  std::vector<RegionLocation> regions_;
};

// What it is when TableRegions::Find gives none.
Status HoleIn(const TableName& table);

// A row of hbase:meta. Nothing: it is of no region that is in use. Corruption.
Result<std::optional<RegionLocation>> ReadMetaRow(const Cell* cells, size_t count);
// Rows of hbase:meta that tell of the table's regions.
RowRange MetaRowsOf(const TableName& table);

// Thread-safe.
class Locations {
 public:
  std::shared_ptr<const TableRegions> Find(const TableName& table);  // null: not known
  void Set(const TableName& table, std::shared_ptr<const TableRegions> regions);
  void Forget(const TableName& table);

 private:
  Mutex mu_;
  std::map<TableName, std::shared_ptr<const TableRegions>> tables_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_LOCATIONS_H_
