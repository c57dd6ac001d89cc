// DefinitionLock: keeps other processes from changing a definition while this one does, by a cell
// in SYSTEM.MUTEX, as Phoenix's clients do. The cell expires by itself when its owner dies (TTL of
// the table, 15 minutes). Source: phoenix-storage.md section 4.
#ifndef BENNU_SRC_SQL_CATALOG_DEFINITION_LOCK_H_
#define BENNU_SRC_SQL_CATALOG_DEFINITION_LOCK_H_

#include <memory>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// Held as long as it lives.
class DefinitionLock {
 public:
  // Waits a few seconds for another owner. 301: it still has it. 'durability': of its cell.
  static Result<std::unique_ptr<DefinitionLock>> Take(std::shared_ptr<Table> mutexes,
                                                      const TableKey& key, Durability durability);
  ~DefinitionLock();
  DefinitionLock(const DefinitionLock&) = delete;
  DefinitionLock& operator=(const DefinitionLock&) = delete;

 private:
  DefinitionLock(std::shared_ptr<Table> mutexes, Bytes row, Bytes owner, Durability durability)
      : mutexes_(std::move(mutexes)),
        row_(std::move(row)),
        owner_(std::move(owner)),
        durability_(durability) {}

  const std::shared_ptr<Table> mutexes_;
  const Bytes row_;
  const Bytes owner_;  // the cell's value
  const Durability durability_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_DEFINITION_LOCK_H_
