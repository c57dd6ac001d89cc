// DefinitionCache: definitions that were read, each with what tells whether it is still the one
// that the store has.
//
// In a store that this process alone writes, a definition stays right until a change through the
// catalog drops it. Where others write the store, too, it is only good for statements that began
// before it was last looked at; the catalog looks again at the header row, whose fingerprint says
// whether anything was changed.
//
// Thread-safe.
#ifndef BENNU_SRC_SQL_CATALOG_DEFINITION_CACHE_H_
#define BENNU_SRC_SQL_CATALOG_DEFINITION_CACHE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bennu/cell.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// Of several rows, one after another: 'before' is that of the rows so far, 0 for none. Differs,
// most likely, when anything in the rows differs: a value, a time, a column. Never 0, which stands
// for no row.
uint64_t Fingerprint(uint64_t before, const Cell* cells, size_t count);

class DefinitionCache {
 public:
  using TablePtr = std::shared_ptr<const TableMeta>;

  struct Entry {
    TablePtr table;
    uint64_t fingerprint = 0;  // of its header row and its links, as those to its indexes
    // When the header was last looked at: the statement for which, and the clock's milliseconds.
    uint64_t statement = 0;
    int64_t looked_ms = 0;
  };

  // Nothing: it is not known.
  std::optional<Entry> Find(const TableKey& key);
  // The definition is still right.
  void Confirm(const TableKey& key, uint64_t statement, int64_t now_ms);
  // Keeps an answer, unless something has changed since version() was 'version_before': then the
  // answer is right, but not to keep.
  void Keep(const TableKey& key, Entry entry, uint64_t version_before);
  // As a tenant sees a multi-tenant table; kept beside the table that it was made of alone.
  TablePtr FindSeen(const std::string& tenant, const TableKey& key);
  void KeepSeen(const std::string& tenant, const TablePtr& table, const TablePtr& seen);

  // Forgets the table, and all views, which may have inherited from it.
  void Forget(const TableKey& key);
  void Clear();
  // Goes up with every Forget and Clear.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  Mutex mu_;
  std::map<TableKey, Entry> tables_ GUARDED_BY(mu_);
  std::map<std::pair<std::string, TableKey>, TablePtr> seen_ GUARDED_BY(mu_);
  // Written under mu_ after a change, read by anybody: a stale value only means that a statement is
  // prepared once more, or, as between any two clients, runs on the old definition.
  std::atomic<uint64_t> version_{0};
};

// Notes the names that this thread looks up in catalogs while it lives: what a statement was
// prepared from. They do not nest.
class NameRecorder {
 public:
  NameRecorder();
  ~NameRecorder();
  NameRecorder(const NameRecorder&) = delete;
  NameRecorder& operator=(const NameRecorder&) = delete;

  // For the catalog: tells this thread's recorder, if there is one.
  static void Note(const TableKey& key);

  std::set<TableKey> Take() { return std::move(names_); }

 private:
  std::set<TableKey> names_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_DEFINITION_CACHE_H_
