// SpillPartitions: rows that found no room in memory, divided by the hashes of their keys.
#ifndef BENNU_SRC_SQL_EXEC_SPILL_PARTITIONS_H_
#define BENNU_SRC_SQL_EXEC_SPILL_PARTITIONS_H_

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/status.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/spill.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

// One thread at a time.
class SpillPartitions {
 public:
  static constexpr size_t kPartitions = 16;
  // Beyond it the hashes have no bits left that tell keys apart.
  static constexpr int kLevelsMax = 8;

  // 'level': how many times the rows were divided before; each time by other bits of the hash.
  SpillPartitions(ExecContext* context, int level) : context_(context), level_(level) {}

  // Rows 'rows' of the columns; row i has hashes[i].
  Status Add(std::span<const Vector* const> columns, const std::vector<uint32_t>& rows,
             const uint64_t* hashes);
  // After the last Add.
  Status Finish();
  // Null when the partition has no rows.
  Result<std::unique_ptr<SpillReader>> Read(size_t partition) const;
  uint64_t row_count(size_t partition) const { return row_counts_[partition]; }
  // The partition is not needed any more.
  void Drop(size_t partition) { files_[partition] = nullptr; }

 private:
  ExecContext* const context_;
  const int level_;
  std::array<std::unique_ptr<SpillFile>, kPartitions> files_;  // null: no rows
  std::array<uint64_t, kPartitions> row_counts_{};
  Bytes record_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILL_PARTITIONS_H_
