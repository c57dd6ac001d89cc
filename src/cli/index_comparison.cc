#include "src/cli/index_comparison.h"

#include <fmt/format.h>

#include <memory>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/index/index_check.h"

namespace bennu::cli {

namespace {

using sql::catalog::Catalog;
using sql::catalog::TableMeta;
using sql::index::IndexDifference;
using TablePtr = std::shared_ptr<const TableMeta>;

constexpr size_t kListedMax = 3;

std::string Text(const IndexDifference& difference) {
  switch (difference.kind) {
    case IndexDifference::Kind::kMissing:
      return fmt::format("row '{}' of the table is missing in it",
                         ToStringBinary(difference.table_row));
    case IndexDifference::Kind::kDifferent:
      return fmt::format("it has other values for row '{}' of the table",
                         ToStringBinary(difference.table_row));
    case IndexDifference::Kind::kOrphan: break;
  }
  return fmt::format("its row '{}' belongs to no row of the table",
                     ToStringBinary(difference.index_row));
}

class Comparison {
 public:
  Comparison(Connection* connection,
             const std::function<void(std::string path, std::string what)>& tell)
      : connection_(connection), tell_(tell) {}

  Status Run() {
    // As the store has it: its configuration is not known here.
    const TableName mapped = sql::catalog::SystemTable(sql::catalog::kCatalogName, true)->physical;
    sql::catalog::Features features;
    ASSIGN_OR_RETURN(features.map_namespaces, connection_->admin()->TableExists(mapped));
    ASSIGN_OR_RETURN(catalog_, Catalog::Open(connection_, features));
    ASSIGN_OR_RETURN(const auto listings, catalog_->ListTables());
    for (const sql::catalog::TableListing& listing : listings) {
      const bool has_indexes = listing.type == sql::catalog::TableType::kTable ||
                               listing.type == sql::catalog::TableType::kView;
      if (!has_indexes) continue;
      const auto table = catalog_->GetTable(listing.schema, listing.name);
      if (!table.ok()) continue;  // the check of the catalog reports it
      RETURN_IF_ERROR(CompareAll(*table));
      // Views of tenants are not listed, and are found here alone.
      if ((*table)->is_view()) continue;
      ASSIGN_OR_RETURN(const auto views, catalog_->IndexedViews(**table));
      for (const TablePtr& view : views) {
        if (!view->tenant.empty()) RETURN_IF_ERROR(CompareAll(view));
      }
    }
    return Status::Ok();
  }

 private:
  Status CompareAll(const TablePtr& table) {
    if (table->indexes.empty()) return Status::Ok();
    ASSIGN_OR_RETURN(const auto indexes, catalog_->IndexesOf(*table));
    for (const TablePtr& index : indexes) {
      if (!index->is_kept_up() || !index->is_usable_index()) continue;
      RETURN_IF_ERROR(Compare(table, index));
    }
    return Status::Ok();
  }

  Status Compare(const TablePtr& table, const TablePtr& index) {
    const std::string path =
        fmt::format("data/{}/{}", index->physical.name_space, index->physical.qualifier);
    const std::string of_table =
        fmt::format("index {} of {}{}", index->FullName(), table->FullName(), OfTenant(*table));
    const auto check = sql::index::CheckIndex(connection_, table, index, kListedMax,
                                              [](size_t /*rows*/) { return Status::Ok(); });
    if (!check.ok()) {
      if (check.status().code() == StatusCode::kIoError) return check.status();
      tell_(path, of_table + " cannot be compared: " + check.status().message());
      return Status::Ok();
    }
    if (check->differences == 0) return Status::Ok();
    std::string what = fmt::format("{} differs in {} rows: ", of_table, check->differences);
    for (const IndexDifference& difference : check->first) {
      if (!what.ends_with(": ")) what += ", ";
      what += Text(difference);
    }
    if (check->differences > static_cast<int64_t>(check->first.size())) what += ", …";
    what +=
        fmt::format("; ALTER INDEX {} ON {} REBUILD makes it anew", index->name, table->FullName());
    tell_(path, std::move(what));
    return Status::Ok();
  }

  static std::string OfTenant(const TableMeta& table) {
    return table.tenant.empty() ? "" : fmt::format(" of tenant {}", table.tenant);
  }

  Connection* const connection_;
  const std::function<void(std::string path, std::string what)>& tell_;
  std::unique_ptr<Catalog> catalog_;
};

}  // namespace

Status CompareIndexes(Connection* connection,
                      const std::function<void(std::string path, std::string what)>& tell) {
  return Comparison(connection, tell).Run();
}

}  // namespace bennu::cli
