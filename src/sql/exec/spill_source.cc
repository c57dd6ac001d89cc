#include "src/sql/exec/spill_source.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/spill_rows.h"

namespace bennu::sql::exec {
namespace {

class SpillSourceOperator : public Operator {
 public:
  SpillSourceOperator(ExecContext* context, std::unique_ptr<SpillReader> reader,
                      SpillColumns columns)
      : context_(context), reader_(std::move(reader)), columns_(std::move(columns)) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(context_->CheckCancelled());
    chunk->columns.resize(columns_.slot_count);
    const auto next = [this](ByteView* record) -> Result<bool> {
      return reader_ == nullptr ? false : reader_->Next(record);
    };
    RETURN_IF_ERROR(ReadRows(columns_.types, next, &rows_));
    for (size_t i = 0; i < columns_.slots.size(); ++i) {
      chunk->columns[columns_.slots[i]].Reference(rows_.columns[i]);
    }
    chunk->size = rows_.size;
    return Status::Ok();
  }

 private:
  ExecContext* const context_;
  const std::unique_ptr<SpillReader> reader_;
  const SpillColumns columns_;
  DataChunk rows_;
};

}  // namespace

std::unique_ptr<Operator> MakeSpillSource(ExecContext* context, std::unique_ptr<SpillReader> reader,
                                          SpillColumns columns) {
  return std::make_unique<SpillSourceOperator>(context, std::move(reader), std::move(columns));
}

}  // namespace bennu::sql::exec
