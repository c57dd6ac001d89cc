#include "src/sql/index/local_index_rows.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/index_access.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/exec/table_key_maker.h"

namespace bennu::sql::index {

struct LocalIndexRows::Index {
  explicit Index(std::shared_ptr<const bind::IndexAccess> of)
      : access(std::move(of)),
        number(catalog::IndexIdBytes(*access->index)),
        key_maker(&access->index->key_schema, &access->table->key_schema, &access->table_key) {}

  const std::shared_ptr<const bind::IndexAccess> access;
  const Bytes number;
  exec::TableKeyMaker key_maker;
};

LocalIndexRows::LocalIndexRows() = default;
LocalIndexRows::~LocalIndexRows() = default;

Result<std::unique_ptr<LocalIndexRows>> LocalIndexRows::Of(
    catalog::Catalog* catalog, const std::shared_ptr<const catalog::TableMeta>& table) {
  std::unique_ptr<LocalIndexRows> rows(new LocalIndexRows());
  RETURN_IF_ERROR(rows->AddIndexesOf(catalog, table));
  ASSIGN_OR_RETURN(const auto views, catalog->IndexedViews(*table));
  for (const auto& view : views) RETURN_IF_ERROR(rows->AddIndexesOf(catalog, view));
  return rows;
}

Status LocalIndexRows::AddIndexesOf(catalog::Catalog* catalog,
                                    const std::shared_ptr<const catalog::TableMeta>& owner) {
  ASSIGN_OR_RETURN(const auto indexes, catalog->IndexesOf(*owner));
  for (const auto& index : indexes) {
    if (!index->is_local_index()) continue;
    ASSIGN_OR_RETURN(auto access, bind::AccessOf(owner, index, owner));
    // Such an index is not read, since its rows do not say whose they are.
    if (access->table_key.empty()) continue;
    indexes_.push_back(std::make_unique<Index>(std::move(access)));
  }
  return Status::Ok();
}

LocalIndexRows::Index* LocalIndexRows::IndexOf(ByteView key) {
  for (const auto& index : indexes_) {
    if (key.starts_with(index->number)) return index.get();
  }
  return nullptr;
}

Result<bool> LocalIndexRows::Move(ByteView row, const RegionInfo& from, const RegionInfo& to,
                                  Bytes* moved) {
  const Bytes prefix = catalog::LocalPrefix(from);
  if (!row.starts_with(prefix)) return false;
  Index* const index = IndexOf(row.substr(prefix.size()));
  if (index == nullptr) return false;
  const ByteView key = row.substr(prefix.size() + index->number.size());
  // A key that cannot be taken apart leads to no row.
  if (!index->key_maker.Make(key, moved).ok() || !to.Contains(*moved)) return false;
  *moved = catalog::LocalPrefix(to);
  moved->append(index->number).append(key);
  return true;
}

Status LocalIndexRows::CheckRegion(const RegionInfo& region) {
  for (const auto& index : indexes_) {
    RETURN_IF_ERROR(catalog::CheckLocalRowsFit(*index->access->index, region));
  }
  return Status::Ok();
}

}  // namespace bennu::sql::index
