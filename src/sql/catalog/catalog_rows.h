// A table's rows in SYSTEM.CATALOG: written from and read into a TableMeta.
//
//   row key                     meaning
//   [tenant]·[schema]·table     header
//   …·column                    key column
//   …·column·family             key value column
//   …··family                   counter of encoded qualifiers
//   …··name                     link to another table (LINK_TYPE)
//   …·column·[family]           link of another kind: a column that a view dropped
//
// '·' is a zero byte; missing parts at the end are left out. All cells are in family "0", named by
// the columns of SYSTEM.CATALOG. Pure functions over bytes. Source: phoenix-storage.md section 3.
#ifndef BENNU_SRC_SQL_CATALOG_CATALOG_ROWS_H_
#define BENNU_SRC_SQL_CATALOG_CATALOG_ROWS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

inline constexpr std::string_view kCatalogFamily = "0";

// The parts of a catalog row's key.
struct CatalogKey {
  std::string_view tenant, schema, table, column, family;
};
Bytes EncodeCatalogKey(const CatalogKey& key);
// Views into 'row'.
CatalogKey ParseCatalogKey(ByteView row);
// All rows of one table.
RowRange RowsOfTable(const TableKey& table);
// "S.T" as schema and name; the schema ends at the first dot.
TableKey ParseFullName(std::string_view tenant, std::string_view full_name);
// The same of an HBase table, "S:T" where the schema is a namespace.
TableKey ParsePhysicalName(std::string_view name);

// One row, as a scan gave it; 'cells' lives as long as the scanner's batch does.
struct CatalogRow {
  ByteView key;
  const Cell* cells = nullptr;
  size_t cell_count = 0;
};

// Appends header, columns and counters, all with this timestamp.
Status AppendTableRows(const TableMeta& table, int64_t timestamp, MutationBatch* batch);
// Appends 'row', one of those of 'source', as one of a new table 'copy' with the same definition;
// nothing where it is about others: an index, a view.
Status AppendCopiedRow(const CatalogRow& row, const TableMeta& source, const TableKey& copy,
                       int64_t timestamp, MutationBatch* batch);
// Appends only the header (after a change of options or of the column count).
Status AppendHeaderRow(const TableMeta& table, int64_t timestamp, MutationBatch* batch);
Status AppendColumnRow(const TableMeta& table, const ColumnMeta& column, int64_t timestamp,
                       MutationBatch* batch);
Status AppendCounterRows(const TableMeta& table, int64_t timestamp, MutationBatch* batch);
// The new place of a column, all else as it was.
Status AppendOrdinal(const TableMeta& table, const ColumnMeta& column, int64_t timestamp,
                     MutationBatch* batch);
// A column of its parent that the view does not have any more.
Status AppendExcludedColumn(const TableMeta& view, const ColumnMeta& column, int64_t timestamp,
                            MutationBatch* batch);
// The view's links to its parent and to the table below, whose sequence number goes with it.
Status AppendViewLinks(const TableMeta& view, int64_t base_sequence_number, int64_t timestamp,
                       MutationBatch* batch);
// The table's link to its index.
Status AppendIndexLink(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                       MutationBatch* batch);
// The links of an index without an HBase table of its own: to the one that it shares with others,
// and to the view that it is of.
Status AppendSharedIndexLinks(const TableMeta& table, const TableMeta& index, int64_t timestamp,
                              MutationBatch* batch);
// Appends what a change of an index's state changes.
Status AppendIndexState(const TableMeta& index, int64_t timestamp, MutationBatch* batch);
// Appends the header's sequence number alone (a view took qualifiers of the table).
Status AppendSequenceNumber(const TableMeta& table, int64_t timestamp, MutationBatch* batch);

// Rows of SYSTEM.CHILD_LINK: parent's key · child's tenant · child's full name.
Bytes EncodeChildLink(const TableKey& parent, const TableKey& child);
Status AppendChildLink(const TableKey& parent, const TableKey& child, int64_t timestamp,
                       MutationBatch* batch);
// The child that such a row names.
TableKey ParseChildLink(ByteView row);
RowRange ChildLinksOf(const TableKey& parent);

// Calls 'use' with each row of the scan.
Status ForEachRow(Table* table, const Scan& scan,
                  const std::function<Status(const CatalogRow&)>& use);

// Collects the rows of one table, in key order.
class TableReader {
 public:
  // Cells and rows that nobody knows are passed over. Corruption: a cell whose bytes cannot be.
  Status Add(const CatalogRow& row);
  bool found() const { return header_seen_; }
  // Call once, when found() and all rows were added. A view is what its own rows say: its parent
  // has the rest. kSql without code: a table with a feature that is not there yet.
  Result<TableMeta> Finish();

 private:
  Status AddHeader(const CatalogRow& row);
  Status AddColumn(const CatalogKey& key, const CatalogRow& row);
  Status AddLinkOrCounter(const CatalogKey& key, const CatalogRow& row);
  Status CheckSupported() const;

  TableMeta table_;
  bool header_seen_ = false;
  bool transactional_ = false;
};

// TABLE_TYPE of a header row, 0 when the row is none. For listings.
char TableTypeOfHeader(const CatalogRow& row);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_CATALOG_ROWS_H_
