// TrackedRows: the rows of a running statement, which tell its slot how far it is.
#ifndef BENNU_SRC_SQL_SESSION_TRACKED_ROWS_H_
#define BENNU_SRC_SQL_SESSION_TRACKED_ROWS_H_

#include <memory>
#include <utility>

#include "src/sql/exec/query.h"
#include "src/sql/session/statements.h"

namespace bennu::sql::session {

class TrackedRows : public exec::RowStream {
 public:
  TrackedRows(std::unique_ptr<exec::RowStream> rows, std::shared_ptr<StatementSlot> slot,
              int64_t id)
      : slot_(std::move(slot)), id_(id), rows_(std::move(rows)) {
    slot_->Pause();
  }
  ~TrackedRows() override {
    rows_ = nullptr;
    slot_->End(id_);
  }

  Status Next(DataChunk* chunk) override {
    slot_->Resume();
    Status status = rows_->Next(chunk);
    if (status.ok() && chunk->size > 0) {
      slot_->control()->AddRowsReturned(chunk->size);
      slot_->Pause();
    } else {
      slot_->End(id_);
    }
    return status;
  }
  Metrics metrics() const override { return rows_->metrics(); }

 private:
  const std::shared_ptr<StatementSlot> slot_;
  const int64_t id_;
  std::unique_ptr<exec::RowStream> rows_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_TRACKED_ROWS_H_
