// RegionFinder: finds the region of a row, in what is known or in hbase:meta.
//
// A table of which nothing is known is read from its first region on, a step of 1000 regions in one
// call, which is all of most tables. A row behind that, and one whose region was forgotten, is
// looked up alone, by a reversed scan for one row of hbase:meta as HBase's client does it; if the
// region behind it is not known either, the gap up to the next known one is filled by one more
// step. So a change of one region costs the reading of one row, and the regions of a large table
// become known in steps, as somebody comes to them. Source:
// ConnectionImplementation.locateRegionInMeta of HBase; hbase-rpc spec section 4.2.
#ifndef BENNU_SRC_CLIENT_REGION_FINDER_H_
#define BENNU_SRC_CLIENT_REGION_FINDER_H_

#include <map>
#include <memory>
#include <set>

#include "src/base/mutex.h"
#include "src/client/channel.h"
#include "src/client/locations.h"
#include "src/client/meta_reader.h"
#include "src/client/operation.h"

namespace bennu::client {

// Thread-safe. Of calls that miss something of the same table at a time, one reads hbase:meta, and
// the others wait for it.
class RegionFinder {
 public:
  // 'meta' must outlive this.
  explicit RegionFinder(MetaReader* meta) : meta_(meta) {}

  // The region that has the row; it has a server. One attempt; the operation is for its time only.
  // NotFound: no such table. FailedPrecondition: it is disabled. Aborted: hbase:meta names no
  // region of the row, or none with a server, which may pass.
  Result<LocationPtr> Find(const TableName& table, ByteView row, const Operation& operation);
  // The region that has what comes just before the row; before the empty row: the last region.
  Result<LocationPtr> FindBefore(const TableName& table, ByteView row, const Operation& operation);

  // After a call of the region failed: forgets or mends what is wrong.
  // 'secondary': it was a call of one of its secondary replicas.
  void Correct(const LocationPtr& region, const CallOutcome& failed, bool secondary = false);
  // Whether the table is still there and enabled is asked with the next look-up.
  void Forget(const TableName& table) { locations_.ForgetTable(table); }

  Locations* locations() { return &locations_; }

 private:
  // A row, or what comes just before it.
  struct Wanted {
    const TableName& table;
    ByteView row;
    bool before;
  };
  struct LookUp {
    Bytes row;
    bool before;
    bool done = false;
    Status status;
  };

  LocationPtr Known(const Wanted& wanted) const;
  Result<LocationPtr> Locate(const Wanted& wanted, const Operation& operation);
  Result<LocationPtr> Ask(const Wanted& wanted, const Operation& operation);
  // Fails if the table is not there or disabled, where that has to be asked.
  Status CheckState(const TableName& table, const Operation& operation);
  Status ReadStep(const MetaRows& rows, const Operation& operation);
  Result<LocationPtr> ReadOne(const Wanted& wanted, const Operation& operation);

  MetaReader* const meta_;
  Locations locations_;
  Mutex mu_;
  CondVar ended_;
  std::map<TableName, std::shared_ptr<LookUp>> look_ups_ GUARDED_BY(mu_);
  std::set<TableName> doubtful_ GUARDED_BY(mu_);  // a server did not have a region of it
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_REGION_FINDER_H_
