// DELETE, in the way that its plan says: whole keys at once, everything else by selecting the keys
// first.
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/change_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/plan/write_planner.h"
#include "src/sql/session/change.h"
#include "src/sql/session/returning.h"

namespace bennu::sql::session {
namespace {

using catalog::TableMeta;

constexpr size_t kRowsPerWrite = 1000;  // under autocommit

// A row goes from all families, also from those that only another view knows.
std::vector<std::string> FamiliesOf(const Table& storage) {
  std::vector<std::string> families;
  for (const ColumnFamilyDescriptor& family : storage.descriptor().families) {
    families.push_back(family.name);
  }
  return families;
}

class DeleteChange : public Change {
 public:
  DeleteChange(bind::BoundDelete bound, std::shared_ptr<Table> storage,
               const parse::Delete& statement, const ChangeContext& context)
      : takes_first_(bound.takes_first),
        write_(plan::PlanDelete(std::move(bound))),
        storage_(std::move(storage)),
        families_(FamiliesOf(*storage_)),
        statement_(statement),
        context_(context),
        returner_(statement.returning ? std::make_unique<RowReturner>(write_.table, context)
                                      : nullptr) {
    if (!write_.points.has_value()) return;
    point_types_.resize(static_cast<size_t>(context.bind_count));
    write_.points->SetParameterTypes(table(), &point_types_);
  }

  // Plans the query that finds the keys, if the change reads one.
  Status Prepare() {
    if (!plan::ReadsRows(write_.way)) return Status::Ok();
    ASSIGN_OR_RETURN(query_, PrepareSelect(write_));
    return Status::Ok();
  }

  Result<int64_t> Run(const ChangeRun& run) override {
    TableWrites* const writes = run.writes->ForTable(table(), storage_);
    if (write_.points.has_value()) {
      ASSIGN_OR_RETURN(const auto keys, write_.points->Keys(table(), run.params));
      if (keys.has_value()) {
        if (returner_ != nullptr && run.autocommit && keys->size() == 1) {
          RETURN_IF_ERROR(ReturnAndDelete(run, keys->front(), writes));
          return 1;
        }
        for (const Bytes& key : *keys) DeleteRow(key, writes);
        return static_cast<int64_t>(keys->size());
      }
    }
    if (query_ == nullptr) {
      ASSIGN_OR_RETURN(query_, PrepareSelect(WithoutPoints()));
    }
    return DeleteSelected(run, writes);
  }

  Result<std::vector<exec::PlanLine>> Explain(std::span<const Value> params) override {
    if (plan::ReadsRows(write_.way)) return query_->Explain(params);
    return exec::ExplainWrite(write_, context_.prepare.connection);
  }
  std::vector<DataType> parameter_types() const override {
    return query_ != nullptr ? query_->parameter_types() : point_types_;
  }
  Status CheckParameter(size_t index, const Value& value) const override {
    if (query_ != nullptr) return query_->CheckParameter(index, value);
    const DataType& type = point_types_[index];
    if (bind::SurelyComparable(value.type().id, type.id)) return Status::Ok();
    if (bind::Fits(value, type, /*compared=*/true)) return Status::Ok();
    // No key can be made of the value, so that a run would select the rows.
    const auto query = PrepareSelect(WithoutPoints());
    return query.ok() ? (*query)->CheckParameter(index, value) : Status::Ok();
  }
  Result<std::vector<exec::ResultColumn>> ReturnedColumns() const override {
    return returner_ == nullptr ? Change::ReturnedColumns() : returner_->Columns();
  }
  std::vector<bool> compared_parameters() const override {
    if (query_ != nullptr) return query_->compared_parameters();
    return std::vector<bool>(static_cast<size_t>(context_.bind_count), true);
  }

 private:
  const TableMeta& table() const { return *write_.table; }

  // The constants of the keys have turned out to be none.
  plan::WriteSpec WithoutPoints() const {
    return plan::PlanDelete({write_.table, std::nullopt, takes_first_});
  }

  Result<std::unique_ptr<exec::PreparedQuery>> PrepareSelect(const plan::WriteSpec& write) const {
    exec::PrepareContext prepare = context_.prepare;
    prepare.write = &write;
    const parse::Select select = bind::SelectKeys(statement_);
    return context_.store->prepare_query()(select, prepare);
  }

  Status ReturnAndDelete(const ChangeRun& run, const Bytes& key, TableWrites* writes) {
    // Keeps atomic updates out between the two.
    MutexLock lock(context_.store->RowLock(key));
    ASSIGN_OR_RETURN(*run.returned, returner_->Read(key, run.query));
    DeleteRow(key, writes);
    return run.writes->Write(writes);
  }

  void DeleteRow(ByteView key, TableWrites* writes) {
    writes->batch.StartRow(key);
    for (const std::string& family : families_) writes->batch.DeleteFamily(family, context_.scn);
    writes->has_deletes = true;
  }

  Result<int64_t> DeleteSelected(const ChangeRun& run, TableWrites* writes) {
    ASSIGN_OR_RETURN(const auto rows, query_->Open(run.params, run.query));
    int64_t count = 0;
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(rows->Next(&chunk));
      if (chunk.size == 0) return count;
      for (size_t row = 0; row < chunk.size; ++row) {
        DeleteRow(chunk.columns[0].At<ByteView>(row), writes);
        if (run.autocommit && writes->batch.row_count() >= kRowsPerWrite) {
          RETURN_IF_ERROR(run.writes->Write(writes));
        }
      }
      count += static_cast<int64_t>(chunk.size);
    }
  }

  const bool takes_first_;
  const plan::WriteSpec write_;
  const std::shared_ptr<Table> storage_;
  const std::vector<std::string> families_;
  const parse::Delete& statement_;  // must outlive this
  const ChangeContext context_;
  const std::unique_ptr<RowReturner> returner_;  // null: nothing is returned
  std::vector<DataType> point_types_;            // of the parameters, when keys are made of them
  std::unique_ptr<exec::PreparedQuery> query_;   // null until it is needed
};

}  // namespace

Result<std::unique_ptr<Change>> MakeDelete(const parse::Delete& statement,
                                           const ChangeContext& context) {
  ASSIGN_OR_RETURN(bind::BoundDelete bound, bind::BindDelete(statement, context.ForBinder()));
  ASSIGN_OR_RETURN(auto storage, context.store->connection()->OpenTable(bound.table->physical));
  auto change =
      std::make_unique<DeleteChange>(std::move(bound), std::move(storage), statement, context);
  RETURN_IF_ERROR(change->Prepare());
  return std::unique_ptr<Change>(std::move(change));
}

}  // namespace bennu::sql::session
