// From CREATE TABLE to the table that it asks for, with all that Phoenix refuses refused.
// Source: phoenix-sql.md sections 2 and 6; MetaDataClient.createTable of 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_TABLE_BUILDER_H_
#define BENNU_SRC_SQL_CATALOG_TABLE_BUILDER_H_

#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::catalog {

struct NewTable {
  TableMeta meta;  // without last_ddl_timestamp
  TableDescriptor descriptor;
  std::vector<Bytes> splits;
};

// Looks at no other table: whether it exists is the caller's question.
Result<NewTable> BuildTable(const parse::CreateTable& statement, const DdlContext& context);

// A view as declared over 'parent' (null: over the HBase table of its own name, whose families
// 'mapped' has), with what it inherits. Takes the qualifiers of its new columns from 'base', the
// table below, whose counters then tell what was taken. Errors: 504 and kin of the condition, 509,
// 510, 514, 531, 1007, 1009, 1036, 1045, 1069, 1139, 1141, 10956, 10961.
Result<TableMeta> BuildView(const parse::CreateView& statement, const DdlContext& context,
                            const TableMeta* parent, const TableDescriptor* mapped,
                            const std::string& partition, TableMeta* base);

// Options that a view cannot have: 1009, 1069, 1070, 1139, 10961; 1134 those that it can only be
// made with.
Status CheckViewOptions(const std::vector<parse::Property>& properties, bool altering);

// One column as declared, without its place: family, key position, ordinal and qualifier are the
// caller's. Errors: 201 unknown type; 206 default too long; 207, 208, 209 length or precision; 519;
// 203, 504, 1031 of a default.
Result<ColumnMeta> BuildColumn(const parse::ColumnDef& definition, const DdlContext& context);

// Takes the next qualifier for a key value column of 'table' and sets both of its forms; a name is
// used when the table is not encoded. 1136: none is left. Works on what is known before Finish.
Status AssignQualifier(TableMeta* table, ColumnMeta* column);

// Where the regions of a new table begin: at SPLIT ON's constants, written in their own types and
// not the key columns', or at the salt buckets. 1105: no constant.
Result<std::vector<Bytes>> SplitPoints(const TableMeta& table, const parse::ExprList& splits,
                                       const DdlContext& context);

// CREATE TABLE or CREATE VIEW IF NOT EXISTS with these columns, of something with
// APPEND_ONLY_SCHEMA that is there, as ALTER … ADD IF NOT EXISTS.
Result<parse::AlterTable> AddMissingColumns(const parse::QualifiedName& name,
                                            const std::vector<parse::ColumnDef>& columns,
                                            const std::optional<parse::KeyConstraint>& key);

// Checks the key columns in order and their places: 512, 1005, 1056, 1157, 527, 530, 1032 and the
// uncoded "both fixed width and nullable".
Status CheckKeyColumns(const TableMeta& table);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_TABLE_BUILDER_H_
