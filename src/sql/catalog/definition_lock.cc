#include "src/sql/catalog/definition_lock.h"

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog_rows.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {
namespace {

constexpr std::string_view kColumn = "MUTEX_VALUE";
constexpr std::string_view kLocked = "MUTEX_LOCKED";
constexpr int kAttempts = 100;
constexpr uint64_t kPauseMicros = 50'000;
constexpr uint64_t kMillisecondMicros = 1'000;

}  // namespace

Result<std::unique_ptr<DefinitionLock>> DefinitionLock::Take(std::shared_ptr<Table> mutexes,
                                                             const TableKey& key,
                                                             Durability durability) {
  Table::Condition free;
  free.row = EncodeCatalogKey({key.tenant, key.schema, key.name, {}, {}});
  free.family = kCatalogFamily;
  free.qualifier = kColumn;
  free.expect_absent = true;
  // Whoever else wants it looks only whether there is a value.
  const Bytes owner = Bytes(kLocked) + ':' + std::to_string(Env::Default()->RandomU64());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    MutationBatch batch;
    batch.durability = durability;
    batch.StartRow(free.row);
    batch.Put(kCatalogFamily, kColumn, owner);
    ASSIGN_OR_RETURN(const bool taken, mutexes->CheckAndWrite(free, &batch));
    if (!taken) {
      Env::Default()->SleepMicros(kPauseMicros);
      continue;
    }
    // A cell that was put in the millisecond of its predecessor's deletion is hidden by that.
    ASSIGN_OR_RETURN(const auto value, mutexes->ReadValue(free.row, kCatalogFamily, kColumn));
    if (value == owner) {
      return std::unique_ptr<DefinitionLock>(
          new DefinitionLock(std::move(mutexes), free.row, owner, durability));
    }
    Env::Default()->SleepMicros(kMillisecondMicros);
  }
  return MakeSqlError(301, "tableName=" + FullTableName(key.schema, key.name), -1,
                      "another process changes this definition, or died while it did: its lock in "
                      "SYSTEM.MUTEX expires after 15 minutes");
}

DefinitionLock::~DefinitionLock() {
  Table::Condition own;
  own.row = row_;
  own.family = kCatalogFamily;
  own.qualifier = kColumn;
  own.value = owner_;
  MutationBatch batch;
  batch.durability = durability_;
  batch.StartRow(row_);
  batch.DeleteColumn(kCatalogFamily, kColumn);
  if (const auto released = mutexes_->CheckAndWrite(own, &batch); !released.ok()) {
    LogWarning("a lock of SYSTEM.MUTEX stays until it expires: {}", released.status().ToString());
  }
}

}  // namespace bennu::sql::catalog
