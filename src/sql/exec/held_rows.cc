#include "src/sql/exec/held_rows.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/spill.h"
#include "src/sql/exec/spill_rows.h"

namespace bennu::sql::exec {
namespace {

// In memory; the rest goes into a file.
constexpr size_t kHeldBytesMax = 8 << 20;

class HeldRowStream : public RowStream {
 public:
  explicit HeldRowStream(std::vector<DataType> types) : types_(std::move(types)) {}

  Status Hold(RowStream* rows, SpillSpace* spill) {
    DataChunk chunk;
    std::vector<const Vector*> columns;
    size_t bytes = 0;
    for (;;) {
      RETURN_IF_ERROR(rows->Next(&chunk));
      if (chunk.size == 0) break;
      columns.clear();
      for (const Vector& column : chunk.columns) columns.push_back(&column);
      for (size_t row = 0; row < chunk.size; ++row) {
        Bytes record;
        AppendRow(columns, row, &record);
        bytes += record.size();
        if (file_ == nullptr && bytes > kHeldBytesMax && spill != nullptr) {
          ASSIGN_OR_RETURN(file_, spill->NewFile());
        }
        if (file_ == nullptr) {
          records_.push_back(std::move(record));
        } else {
          RETURN_IF_ERROR(file_->Append(record));
        }
      }
    }
    metrics_ = rows->metrics();
    if (file_ == nullptr) return Status::Ok();
    RETURN_IF_ERROR(file_->Flush());
    metrics_.spilled_bytes += file_->size();
    ASSIGN_OR_RETURN(reader_, file_->Read(0, file_->size()));
    return Status::Ok();
  }

  Status Next(DataChunk* chunk) override {
    const auto next = [this](ByteView* record) -> Result<bool> {
      if (next_ == records_.size()) return reader_ == nullptr ? false : reader_->Next(record);
      *record = records_[next_++];
      return true;
    };
    RETURN_IF_ERROR(ReadRows(types_, next, &rows_));
    chunk->columns.resize(types_.size());
    for (size_t i = 0; i < types_.size(); ++i) chunk->columns[i].Reference(rows_.columns[i]);
    chunk->size = rows_.size;
    return Status::Ok();
  }

  Metrics metrics() const override { return metrics_; }

 private:
  const std::vector<DataType> types_;
  std::vector<Bytes> records_;  // the first rows
  size_t next_ = 0;
  std::unique_ptr<SpillFile> file_;  // the others; null: there are none
  std::unique_ptr<SpillReader> reader_;
  DataChunk rows_;
  Metrics metrics_;
};

}  // namespace

Result<std::unique_ptr<RowStream>> HoldRows(std::unique_ptr<RowStream> rows,
                                            std::vector<DataType> types,
                                            const RunOptions& options) {
  auto held = std::make_unique<HeldRowStream>(std::move(types));
  RETURN_IF_ERROR(held->Hold(rows.get(), options.spill));
  return std::unique_ptr<RowStream>(std::move(held));
}

}  // namespace bennu::sql::exec
