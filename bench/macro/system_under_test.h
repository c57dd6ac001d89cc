// What a system must be able to do to be measured: Bennu and its yardsticks behind one face.
#ifndef BENNU_BENCH_MACRO_SYSTEM_UNDER_TEST_H_
#define BENNU_BENCH_MACRO_SYSTEM_UNDER_TEST_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bench/macro/data.h"

namespace bennu::bench {

// All methods end the process with a message when something fails: a wrong benchmark measures
// nothing. One thread.
class SystemUnderTest {
 public:
  virtual ~SystemUnderTest() = default;
  virtual std::string name() const = 0;

  // Makes the table T (key A, B, C, D; values G, V, W) and the series S (key AT, ID; value V).
  virtual void CreateTables() = 0;
  // Rows [begin, end) of T in durable batches of kRowsPerBatch, through a prepared statement.
  virtual void LoadRows(int64_t begin, int64_t end) = 0;
  // All rows of S in time order; Bennu flushes so that they end up in kTimeFiles files.
  virtual void LoadSeries() = 0;
  // Overwrites every twentieth row of T and deletes every twentieth, in durable batches.
  virtual void Disturb() = 0;
  // Whatever brings a loaded table into its usual state (flush, compaction); nothing for SQLite.
  virtual void Settle() = 0;

  // Runs a query and fetches all rows; returns their number and, in *sum, the total of the first
  // column as integers, so that answers can be compared.
  virtual int64_t Query(const std::string& sql, int64_t* sum) = 0;
  // An index of T by V with G, under the name T_V; T is loaded.
  enum class IndexKind : uint8_t { kCovered, kUncovered, kLocal };
  virtual bool HasKind(IndexKind kind) const = 0;
  virtual void CreateIndex(IndexKind kind) = 0;
  virtual void DropIndex() = 0;
  // Makes TX, a table like T with the same index, and loads rows [0, end) into it as LoadRows does.
  virtual void LoadIndexed(int64_t end) = 0;
  // Asks 'count' times for G of the rows with one V, about twenty, prepared; returns the sum.
  virtual int64_t LookUpByIndex(int64_t count) = 0;

  // Makes U (key ID; values P, Q, G), of which no two rows have the same P or Q, with an index by P
  // with G and one by Q without it, and loads rows [0, end).
  virtual void LoadUnique(int64_t end) = 0;
  // Asks for G of one row at a time, prepared, pseudo-random; every one must be there.
  enum class OneRowBy : uint8_t { kKey, kCoveredIndex, kUncoveredIndex };
  virtual void LookUpOne(OneRowBy way, int64_t end, int64_t count) = 0;
  // Looks 'count' rows up by their whole key, prepared, pseudo-random; every one must be there.
  virtual void LookUp(int64_t count) = 0;
};

// 'directory' must not exist. Both sync every batch.
std::unique_ptr<SystemUnderTest> MakeBennu(const std::string& directory);
std::unique_ptr<SystemUnderTest> MakeSqlite(const std::string& directory);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_SYSTEM_UNDER_TEST_H_
