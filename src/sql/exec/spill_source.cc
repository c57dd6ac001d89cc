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
    rows_.Initialize(columns_.types);
    ByteView record;
    while (reader_ != nullptr && rows_.size < VectorSize()) {
      ASSIGN_OR_RETURN(const bool more, reader_->Next(&record));
      if (!more) break;
      RETURN_IF_ERROR(ReadRow(record, rows_.size, &rows_.columns));
      ++rows_.size;
    }
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
