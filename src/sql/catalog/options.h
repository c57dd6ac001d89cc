// The options behind CREATE TABLE and ALTER TABLE … SET: names and values checked, and sorted into
// what the catalog keeps, what a family of the HBase table gets and what the table itself gets.
//
// An option that would have an effect which Bennu does not have is refused by name, unless leaving
// the effect out is harmless; docs/compatibility.md lists which are kept without one.
// Source: phoenix-sql.md section 6, phoenix-storage.md section 1.
#ifndef BENNU_SRC_SQL_CATALOG_OPTIONS_H_
#define BENNU_SRC_SQL_CATALOG_OPTIONS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::catalog {

using Attributes = std::map<std::string, std::string>;

// A property's value as text; words and strings alike. Empty for NULL. An SQL error: it is no
// literal.
Result<std::string> TextOf(const parse::Property& property);

// A column of SYSTEM.CATALOG, and the option that it keeps.
inline constexpr const char* kGuidePostsWidth = "GUIDE_POSTS_WIDTH";

struct TableOptions {
  std::optional<int32_t> salt_buckets;
  std::optional<bool> immutable_rows;
  std::optional<int32_t> encoding_bytes;
  std::optional<StorageScheme> storage_scheme;
  std::optional<std::string> default_family;
  std::optional<bool> store_nulls;
  std::optional<bool> multi_tenant;
  std::optional<bool> disable_wal;
  std::optional<bool> append_only_schema;
  std::optional<bool> transactional;
  std::optional<int64_t> update_cache_frequency_ms;
  // Text for the catalog: seconds, a condition, or empty for FOREVER and NONE.
  std::optional<std::string> ttl;
  // Kept only; by column of SYSTEM.CATALOG. An empty text: the column is to have no value.
  Attributes catalog_texts;
  Attributes family_attributes;  // of all families
  std::map<std::string, Attributes> attributes_of_family;
  Attributes table_attributes;
};

// Errors: 1021 salt buckets out of range; 1049, 1050 a family before an option that has none; kSql
// without code for a value that cannot be, or an option that is not there yet.
Result<TableOptions> ParseOptions(const std::vector<parse::Property>& properties);

// The options' catalog_texts among what 'table' had of them.
void KeepCatalogTexts(const TableOptions& options, TableMeta* table);

// Whether HBase's ColumnFamilyDescriptor knows the option; others are the table's.
bool IsFamilyAttribute(const std::string& name);

// Whether the option must be the same in all families of a table and of its indexes, so that it may
// not be given for one.
bool IsSharedByFamilies(const std::string& name);

// Of the attributes of a table's family, those that its indexes have as well: both must forget the
// same rows. An index has one version of a row; MIN_VERSIONS can only say that it stays.
Attributes AttributesOfIndex(const Attributes& of_table);

// What Phoenix gives every family of a new table.
Attributes DefaultFamilyAttributes();

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_OPTIONS_H_
