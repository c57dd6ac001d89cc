#include "src/sql/exec/spill_partitions.h"

#include "src/base/status_macros.h"
#include "src/sql/exec/spill_rows.h"

namespace bennu::sql::exec {
namespace {

constexpr int kPartitionBits = 4;
static_assert(1 << kPartitionBits == SpillPartitions::kPartitions);

// From the top: hash tables use the low bits.
size_t PartitionOf(uint64_t hash, int level) {
  return (hash >> (64 - kPartitionBits * (level + 1))) % SpillPartitions::kPartitions;
}

}  // namespace

Status SpillPartitions::Add(std::span<const Vector* const> columns,
                            const std::vector<uint32_t>& rows, const uint64_t* hashes) {
  for (const uint32_t row : rows) {
    const size_t partition = PartitionOf(hashes[row], level_);
    std::unique_ptr<SpillFile>& file = files_[partition];
    if (file == nullptr) {
      ASSIGN_OR_RETURN(file, context_->options().spill->NewFile());
    }
    record_.clear();
    AppendRow(columns, row, &record_);
    RETURN_IF_ERROR(file->Append(record_));
    ++row_counts_[partition];
  }
  return Status::Ok();
}

Status SpillPartitions::Finish() {
  for (const std::unique_ptr<SpillFile>& file : files_) {
    if (file == nullptr) continue;
    RETURN_IF_ERROR(file->Flush());
    context_->CountSpilled(file->size());
  }
  return Status::Ok();
}

Result<std::unique_ptr<SpillReader>> SpillPartitions::Read(size_t partition) const {
  if (files_[partition] == nullptr) return std::unique_ptr<SpillReader>();
  return files_[partition]->Read(0, files_[partition]->size());
}

}  // namespace bennu::sql::exec
