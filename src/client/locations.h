// Locations: which server has which region, as hbase:meta says it, remembered until it proves
// wrong. Source: hbase-hfile spec section 15 (hbase:meta); MetaCache of HBase.
#ifndef BENNU_SRC_CLIENT_LOCATIONS_H_
#define BENNU_SRC_CLIENT_LOCATIONS_H_

#include <cstddef>
#include <functional>
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

// A copy of a region on another server, which can only be read.
struct RegionReplica {
  int32_t id;  // from 1 on
  Bytes name;  // by which its server knows it
  Address server;
};

struct RegionLocation {
  RegionInfo info;
  Bytes name;  // info.RegionName()
  // Where it is; nothing while it is on its way or its table is disabled.
  std::optional<Address> server;
  uint64_t start_code = 0;  // when the server began, as a part of its name; 0: not known
  // The replicas that a server has, in the order of their ids.
  std::vector<RegionReplica> replicas;
};
// Never changes: a region that moved is another object.
using LocationPtr = std::shared_ptr<const RegionLocation>;

// How calls name the region.
void SetRegion(const RegionLocation& region, pb::RegionSpecifier* specifier);
void SetRegion(ByteView name, pb::RegionSpecifier* specifier);

// The regions of a table in key order, without those that were split. Never changes.
class TableRegions {
 public:
  explicit TableRegions(std::vector<RegionLocation> regions);

  const std::vector<RegionLocation>& all() const { return regions_; }
  // That of the row; of the empty row the first. Null: hbase:meta has a hole there.
  const RegionLocation* Find(ByteView row) const;

 private:
  std::vector<RegionLocation> regions_;
};

// hbase:meta names no region for a part of the table.
Status HoleIn(const TableName& table);

// A row of hbase:meta. Nothing: it is of no region that is in use. Corruption.
Result<std::optional<RegionLocation>> ReadMetaRow(const Cell* cells, size_t count);
// Rows of hbase:meta that tell of the table's regions.
RowRange MetaRowsOf(const TableName& table);
// The row of hbase:meta before all regions of the table that begin with 'row' or behind it, and
// the one behind all regions that begin with it.
Bytes MetaRowBefore(const TableName& table, ByteView row);
Bytes MetaRowBehind(const TableName& table, ByteView row);

// The regions that are known of all tables, each with a server. A change of one region touches this
// region alone, whatever the size of its table. Thread-safe.
class Locations {
 public:
  // The region that has the row. Null: not known.
  LocationPtr Find(const TableName& table, ByteView row) const;
  // The region that has what comes just before the row, for reversed scans; before the empty row:
  // the last region. Null: not known.
  LocationPtr FindBefore(const TableName& table, ByteView row) const;
  // Whether anything is known of the table.
  bool Knows(const TableName& table) const;
  // Where the next region that is known begins, behind 'row'. Empty: none does.
  Bytes NextStart(const TableName& table, ByteView row) const;
  // The table's regions, in order. Nothing: not all are known.
  std::optional<std::vector<RegionInfo>> All(const TableName& table) const;

  // Takes the place of all that it overlaps. It must have a server.
  void Add(const LocationPtr& region);
  // The region is on another server. Does nothing if 'known' is not what is known any more.
  void Move(const LocationPtr& known, const Address& server);
  // The region is not there. As Move.
  void Forget(const LocationPtr& known);
  // The region's server is gone: forgets all that is known to be there. As Move.
  void ForgetServerOf(const LocationPtr& known);
  void ForgetTable(const TableName& table);

 private:
  using Regions = std::map<Bytes, LocationPtr, std::less<>>;  // by their start keys

  // Whether 'known' is still what is known.
  bool Holds(const LocationPtr& known) const REQUIRES(mu_);
  const Regions* Of(const TableName& table) const REQUIRES(mu_);

  mutable Mutex mu_;
  std::map<TableName, Regions> tables_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_LOCATIONS_H_
