// Compares a store with the model, and settles what was uncertain.
#ifndef BENNU_TESTS_STRESS_VERIFIER_H_
#define BENNU_TESTS_STRESS_VERIFIER_H_

#include <map>
#include <string>

#include "bennu/table.h"
#include "tests/stress/model.h"
#include "tests/support/memory_store.h"
#include "tests/support/violation.h"

namespace bennu::stress {

inline constexpr const char* kTableName = "stress";
TableDescriptor StressTable(const std::string& name);

// All versions of a row as text; "" when there is none.
Result<std::string> ReadRow(Table* table, const std::string& row,
                            std::shared_ptr<const Snapshot> snapshot = nullptr);
// All rows of the table, by key.
Result<std::map<std::string, std::string>> ReadAll(Table* table,
                                                   std::shared_ptr<const Snapshot> snapshot);

// Ends the process, telling why, when the store does not hold what it must. Afterwards nothing in
// the model is uncertain, and 'mirror' (empty before) has a table of the same data rows.
void VerifyAndSettle(Connection* store, Model* model, testing::MemoryStore* mirror);

// The number in a row that is written without the log; 0 when there is none.
Result<uint64_t> ReadUnlogged(Table* table, int thread);

// Rows of a segment that are always written together hold the same.
void CheckPairs(const std::map<std::string, std::string>& rows);

}  // namespace bennu::stress

#endif  // BENNU_TESTS_STRESS_VERIFIER_H_
