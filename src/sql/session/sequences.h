// Sequences: SYSTEM.SEQUENCE, and the values that were reserved there and not given out yet.
//
// As Phoenix' clients do, a batch of CACHE values is reserved by moving CURRENT_VALUE on, and given
// out from memory. What is left is given back when the store is closed, if nobody else has reserved
// since; a crash leaves a gap. All sessions of a store share the batches. A reservation is written
// on the condition that nobody else has reserved meanwhile, so that processes may share a sequence.
// Thread-safe.
// Source: phoenix-storage.md 4.1; Sequence, SequenceRegionObserver and SequenceUtil of 5.3.
#ifndef BENNU_SRC_SQL_SESSION_SEQUENCES_H_
#define BENNU_SRC_SQL_SESSION_SEQUENCES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::session {

// What CREATE SEQUENCE says.
struct SequenceDefinition {
  int64_t start = 1;
  int64_t increment = 1;
  int64_t min_value = INT64_MIN;
  int64_t max_value = INT64_MAX;
  int64_t cache_size = 100;
  bool cycle = false;
};

// Evaluates the constants of the statement. 1202, 1203, 1204, 1208, 1209: one is no whole number;
// 1210, 1211, 1214: they do not go together.
Result<SequenceDefinition> ReadSequenceDefinition(const parse::CreateSequence& statement,
                                                  const catalog::ConstantEvaluator& evaluate);

class Sequences {
 public:
  // Both must outlive this.
  Sequences(Connection* connection, catalog::Catalog* catalog)
      : connection_(connection), catalog_(catalog) {}

  // 1200: there is one of that name.
  Status Create(const catalog::TableKey& key, const SequenceDefinition& definition);
  // 1201
  Status Drop(const catalog::TableKey& key);
  // See exec::SequenceSource.
  Status Validate(const catalog::TableKey& key, int64_t count);
  Result<int64_t> Next(const catalog::TableKey& key, int64_t count);
  Result<int64_t> Current(const catalog::TableKey& key);

  // Gives back what was reserved and not used, by a connection of the caller's to the same store,
  // for as long as that answers and for five seconds at most. The log names what is lost.
  // 'reconnect' is called if there is something.
  using Reconnect = std::function<Result<Connection*>()>;
  void ReturnUnused(const Reconnect& reconnect);

 private:
  // A row of SYSTEM.SEQUENCE.
  struct Row {
    int64_t current = 0;
    int64_t increment = 1;
    int64_t cache_size = 1;
    int64_t min_value = INT64_MIN;
    int64_t max_value = INT64_MAX;
    bool cycle = false;
    bool limit_reached = false;
    int64_t timestamp = 0;  // of all changes, as long as the sequence lives
  };
  // Values that were reserved: from 'current' on up to, but without, 'end'.
  struct Batch {
    Row row;  // as it was when they were reserved; 'current' is the next value to give
    int64_t end = 0;
    bool limit_reached = false;
  };

  Result<std::shared_ptr<Table>> Open() REQUIRES(mu_);
  // 1201
  Result<Row> Read(Table* table, const catalog::TableKey& key) REQUIRES(mu_);
  // Whoever else uses the sequence may have been quicker. False: it is not as it 'was' any more.
  Result<bool> Write(Table* table, const catalog::TableKey& key, const Row& was, const Row& row)
      REQUIRES(mu_);
  Result<int64_t> Reserve(const catalog::TableKey& key, int64_t count) REQUIRES(mu_);
  // Nothing: somebody else reserved values meanwhile.
  Result<std::optional<int64_t>> TryReserve(Table* table, const catalog::TableKey& key,
                                            int64_t count) REQUIRES(mu_);
  // Somebody else may have reserved since, or made the sequence anew: then nothing is given back.
  Status Return(Table* table, const catalog::TableKey& key, const Batch& batch) REQUIRES(mu_);
  static Status CheckBulk(const catalog::TableKey& key, const Row& row, int64_t count);
  static int64_t Give(Batch* batch, int64_t count);
  static Status LimitError(const catalog::TableKey& key, bool increasing);

  Connection* const connection_;
  catalog::Catalog* const catalog_;
  Mutex mu_;
  std::map<catalog::TableKey, Batch> batches_ GUARDED_BY(mu_);
  std::optional<TableName> table_ GUARDED_BY(mu_);  // SYSTEM.SEQUENCE, once it was looked up
  int64_t last_ms_ GUARDED_BY(mu_) = 0;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_SEQUENCES_H_
