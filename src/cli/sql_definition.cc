#include "src/cli/sql_definition.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "src/base/status_macros.h"
#include "src/bennu/phoenix_properties.h"
#include "src/client/cluster_url.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/token.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::cli {

namespace {

using sql::catalog::Catalog;

std::string Quoted(const std::string& name) { return '"' + name + '"'; }

// As it is where the lexer takes it for this name.
std::string SqlName(const std::string& name) {
  const auto tokens = sql::parse::Tokenize(name);
  const bool plain = tokens.ok() && tokens->size() == 2 &&
                     tokens->front().type == sql::parse::TokenType::kName &&
                     tokens->front().text == name;
  return plain ? name : Quoted(name);
}

// A view of an HBase table has a column for its row key, and one for each column that it shows.
std::string CreateViewText(const TableDescriptor& descriptor) {
  std::string text =
      fmt::format("CREATE VIEW {} (\"ROW\" VARBINARY PRIMARY KEY", SqlTableName(descriptor.name));
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    text += fmt::format(", {}.\"QUALIFIER\" VARBINARY", Quoted(family.name));
  }
  return text + ")";
}

Result<std::unique_ptr<Catalog>> OpenCatalog(Connection* connection,
                                             const Configuration& configuration) {
  ASSIGN_OR_RETURN(const auto features, front::FeaturesOf(configuration));
  return Catalog::Open(connection, features);
}

bool IsKnown(Catalog* catalog, const TableName& table) {
  const auto key = catalog->KeyOfPhysical(table);
  if (!key.ok()) return false;
  const auto found = catalog->GetTable(key->schema, key->name);
  // One that cannot be read yet is known all the same.
  return found.ok() || !sql::IsSqlError(found.status(), 1012);
}

bool IsIndex(Catalog* catalog, const TableName& table) {
  const auto key = catalog->KeyOfPhysical(table);
  if (!key.ok()) return false;
  const auto found = catalog->GetTable(key->schema, key->name);
  return found.ok() && (*found)->is_index();
}

}  // namespace

std::string SqlTableName(const TableName& table) {
  if (table.name_space != TableName().name_space)
    return SqlName(table.name_space) + "." + SqlName(table.qualifier);
  const size_t dot = table.qualifier.find('.');
  if (dot == std::string::npos) return SqlName(table.qualifier);
  return SqlName(table.qualifier.substr(0, dot)) + "." + SqlName(table.qualifier.substr(dot + 1));
}

Status MakeWithDefinition(Connection* connection, const Configuration& configuration,
                          const TableName& source, const TableName& copy, int64_t older_than,
                          const std::function<Status()>& make) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(connection, configuration));
  bool made = false;
  const Status status = catalog->CopyTable(source, copy, older_than, [&]() -> Status {
    RETURN_IF_ERROR(make());
    made = true;
    return Status::Ok();
  });
  if (status.ok()) return status;
  if (made) {
    return Status(status.code(), fmt::format("the HBase table {} is made, but SQL does not know it "
                                             "yet: {}",
                                             copy.ToString(), status.message()));
  }
  if (sql::IsSqlError(status, 1013)) {
    return AlreadyExists(fmt::format("--sql: SQL has a table or view {} already; take another name",
                                     SqlTableName(copy)));
  }
  if (status.code() == StatusCode::kNotFound || status.code() == StatusCode::kInvalidArgument) {
    return Status(status.code(),
                  fmt::format("--sql: {}. Nothing was changed; without --sql the HBase table is "
                              "made, and CREATE VIEW or CREATE TABLE shows it to SQL",
                              status.message()));
  }
  return status;
}

// A server's own SQL would go on with what it has read of the catalog.
Status NoDefinitionsOnServers(std::string_view target) {
  const std::string shown = client::ShownTarget(target);
  return InvalidArgument(fmt::format(
      "--sql works on a directory only, and {} is a server: leave it out, and then run CREATE VIEW "
      "or CREATE TABLE with the new table's name in a client of SQL (bennu sql {})",
      shown, shown));
}

std::string DefinitionHint(Connection* connection, const Configuration& configuration,
                           const TableName& source, const TableName& table) {
  const auto catalog = OpenCatalog(connection, configuration);
  if (!catalog.ok()) return "";
  const auto key = (*catalog)->KeyOfPhysical(table);
  if (!key.ok() || IsKnown(catalog->get(), table)) return "";
  const std::string not_seen = fmt::format("note: SQL does not see {} yet. ", table.ToString());
  if (IsIndex(catalog->get(), source)) {
    return fmt::format(
        "note: {} holds the rows of the index {}. SQL reads an index only together with its table; "
        "CREATE INDEX makes one of the rows of a table\n",
        table.ToString(), SqlTableName(source));
  }
  if (IsKnown(catalog->get(), source)) {
    return not_seen + fmt::format(
                          "The option --sql gives it the definition of {}; so does CREATE TABLE {} "
                          "with what SHOW CREATE TABLE {} prints, if no column was ever dropped\n",
                          SqlTableName(source), SqlTableName(table), SqlTableName(source));
  }
  const auto opened = connection->OpenTable(table);
  if (!opened.ok()) return "";
  return not_seen + fmt::format("{} shows it, with its own qualifiers in place of QUALIFIER\n",
                                CreateViewText((*opened)->descriptor()));
}

std::string QuotedNameHint(const TableName& table) {
  const std::string name = SqlTableName(table);
  if (name.find('"') == std::string::npos) return "";
  return fmt::format("note: in SQL the table's name is {}, with the double quotes\n", name);
}

void PrintHint(const std::string& hint) {
  std::fflush(stdout);
  std::fputs(hint.c_str(), stderr);
}

}  // namespace bennu::cli
