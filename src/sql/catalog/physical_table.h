// The HBase table behind a Phoenix table: families, attributes, coprocessor entries, regions.
//
// The coprocessor entries do nothing in Bennu; they are what makes the directory usable by a Java
// Phoenix, which refuses or repairs tables without them. Source: phoenix-storage.md section 1.
#ifndef BENNU_SRC_SQL_CATALOG_PHYSICAL_TABLE_H_
#define BENNU_SRC_SQL_CATALOG_PHYSICAL_TABLE_H_

#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// 1002: an option names a family that the table does not have.
Result<TableDescriptor> MakeDescriptor(const TableMeta& table, const TableOptions& options);

// Adds families that 'table' has and 'descriptor' has not, and applies the options to those in
// 'families' (and their own options to families named before an option). Same errors.
Status UpdateDescriptor(const TableMeta& table, const std::vector<std::string>& families,
                        const TableOptions& options, TableDescriptor* descriptor);

// The attributes of its HBase table that name coprocessors and a split policy.
Attributes PhoenixClassesOf(const TableMeta& table);
// Whether the attribute names a class of Phoenix's: a coprocessor, a split policy.
bool IsPhoenixClassAttribute(ByteView name, ByteView value);
// Whether the table has such attributes, as those have that were made where Phoenix is installed.
bool NamesPhoenixClasses(const TableDescriptor& descriptor);

// Whether an HBase table was made for an index of the table that 'index' is one of, and is not one
// that indexes of views share.
bool IsDescriptorOfIndex(const TableDescriptor& descriptor, const TableMeta& index);

// What the HBase table of 'table' has besides once it has a local index.
void AddLocalIndexAttributes(const TableMeta& table, Attributes* attributes);

// Gives the rows of indexes what AttributesOfIndex says of a table's family: in the HBase table of
// an index to all families, in that of a table, 'is_table', to those of its local indexes.
void SetAttributesOfIndex(const Attributes& of_table, bool is_table, TableDescriptor* descriptor);

// Families of the HBase table: those of the columns, or the default one when there are none.
std::vector<std::string> PhysicalFamilies(const TableMeta& table);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_PHYSICAL_TABLE_H_
