// Local indexes. Their rows lie in the HBase table of the table's rows, in families of their own,
// and each lies in the region of the row that it is about. So the key of such a row begins with
// something that lies in the region:
//
//   prefix   the start key of the region; of the table's first region, which has none, as many zero
//            bytes as its end key has bytes, and nothing if it has no end key either
//   number   of the index (TableMeta::view_index_id), 2 or 8 bytes
//   key      as IndexEncoder makes it: what is indexed, then the rest of the table's key without
//            its salt byte, for which the region stands
//
// When a region is split or merged its rows of local indexes get other keys (api::RegionRows).
// Source: phoenix-storage.md section 6.3; IndexMaintainer.buildRowKey of 5.2.
#ifndef BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_H_
#define BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// What the names of families begin with that hold rows of local indexes.
inline constexpr std::string_view kLocalFamilyPrefix = "L#";

inline bool IsLocalFamily(std::string_view family) {
  return family.starts_with(kLocalFamilyPrefix);
}

// The HBase table has a local index, or had one.
bool HasLocalFamilies(const TableDescriptor& descriptor);
// The families that hold rows of the table itself, in the form of Scan::columns; empty: all do.
std::map<Bytes, std::set<Bytes>> FamiliesOfTable(const TableDescriptor& descriptor);

// The number of an index, local or of a view, as it stands in keys and in the catalog.
Bytes IndexIdBytes(const TableMeta& index);

// What stands for the region in keys of local indexes.
Bytes LocalPrefix(const RegionInfo& region);
// The same with the number of the index: what all its keys in this region begin with.
Bytes LocalPrefix(const TableMeta& index, const RegionInfo& region);
// The smallest row that is above all that begin with 'prefix'; empty: there is none.
Bytes BehindPrefix(Bytes prefix);
// The rows of the index in this region.
RowRange LocalRows(const TableMeta& index, const RegionInfo& region);
// FailedPrecondition: they do not all lie inside the region, since what they begin with is not
// below its end key. That key is the start key with zeros behind it then (for most numbers of
// indexes), or, of the first region, all zeros.
Status CheckLocalRowsFit(const TableMeta& index, const RegionInfo& region);

// Whether the rows of a local index can be read at once. Over a cluster they cannot while a region
// reads files of the regions that it was split or merged from. Phoenix's servers change the keys of
// these rows while they read them, and do it wrongly: seeks end elsewhere, so that rows outside of
// the range come and others do not, or the scan fails. Source: LocalIndexStoreFileScanner of 5.2.
Result<bool> IsLocalIndexReadable(Connection* connection, const TableMeta& index);

// The rows of 'table', an index or not, as they are read: those of a local index are shown with the
// number and the prefix taken off their keys, and in the order of what is left, whatever their
// region. Such a table can be read only. Its scanners see one moment and, while regions are split
// or merged, each row once; where the rows are not readable at once they wait until they are.
// Errors as of Connection::OpenTable.
Result<std::shared_ptr<Table>> OpenRows(Connection* connection, const TableMeta& table);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_H_
