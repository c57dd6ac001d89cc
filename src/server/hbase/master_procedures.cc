// Procedures and their locks, as clients ask after them.
#include <cctype>
#include <string>

#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace {

constexpr char kAbortedClass[] = "org.apache.hadoop.hbase.procedure2.ProcedureAbortedException";
constexpr char kAbortedMessage[] = "abort requested";

// Where HBase's procedures say that an error is from: "master-create-table" of a
// CreateTableProcedure.
std::string SourceOf(std::string_view class_name) {
  constexpr std::string_view kSuffix = "Procedure";
  std::string_view simple = class_name.substr(class_name.rfind('.') + 1);
  if (simple.ends_with(kSuffix)) simple.remove_suffix(kSuffix.size());
  std::string source = "master";
  for (const char c : simple) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) source += '-';
    source += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return source;
}

void ToPb(const Procedures::View& view, pb::Procedure* message) {
  message->set_class_name(view.class_name);
  message->set_proc_id(view.id);
  message->set_submitted_time(static_cast<uint64_t>(view.submitted_millis));
  message->set_last_update(static_cast<uint64_t>(view.updated_millis));
  message->set_owner(view.owner);
  // What waits for a lock is runnable, too, in HBase.
  message->set_state(!view.ended ? pb::RUNNABLE : view.error ? pb::ROLLEDBACK : pb::SUCCESS);
  if (view.nonce != 0) {
    message->set_nonce_group(view.nonce_group);
    message->set_nonce(view.nonce);
  }
  if (view.running) message->set_locked(true);
  message->set_executed(view.running || view.ended);
  if (!view.error) return;
  pb::ForeignExceptionMessage* const exception = message->mutable_exception();
  exception->set_source(SourceOf(view.class_name));
  pb::GenericExceptionMessage* const generic = exception->mutable_generic_exception();
  generic->set_class_name(view.aborted ? kAbortedClass : std::string(view.error->type().name));
  generic->set_message(view.aborted ? kAbortedMessage : view.error->message());
}

}  // namespace

void MasterService::AddProcedures() {
  AddUnary<pb::GetProcedureResultRequest, pb::GetProcedureResultResponse>(
      "getProcedureResult", RunOn::kLoop,
      [this](const pb::GetProcedureResultRequest& request,
             pb::GetProcedureResultResponse* response) -> CallError {
        const auto view = procedures_->Find(request.proc_id());
        if (!view.has_value()) {
          response->set_state(pb::GetProcedureResultResponse::NOT_FOUND);
          return std::nullopt;
        }
        response->set_state(view->ended ? pb::GetProcedureResultResponse::FINISHED
                                        : pb::GetProcedureResultResponse::RUNNING);
        response->set_submitted_time(static_cast<uint64_t>(view->submitted_millis));
        response->set_last_update(static_cast<uint64_t>(view->updated_millis));
        if (view->error) {
          pb::GenericExceptionMessage* const generic =
              response->mutable_exception()->mutable_generic_exception();
          generic->set_class_name(std::string(view->error->type().name));
          generic->set_message(view->error->message());
        }
        return std::nullopt;
      });
  AddUnary<pb::GetProceduresRequest, pb::GetProceduresResponse>(
      "GetProcedures", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        for (const auto& view : procedures_->List()) ToPb(view, response->add_procedure());
        return std::nullopt;
      });
  AddUnary<pb::GetLocksRequest, pb::GetLocksResponse>(
      "GetLocks", RunOn::kLoop, [this](const auto&, auto* response) -> CallError {
        for (const Procedures::LockView& view : procedures_->ListLocks()) {
          pb::LockedResource* const lock = response->add_lock();
          lock->set_resource_type(view.type);
          lock->set_resource_name(view.name);
          lock->set_lock_type(view.exclusive_owner ? pb::EXCLUSIVE : pb::SHARED);
          if (view.exclusive_owner) {
            ToPb(*view.exclusive_owner, lock->mutable_exclusive_lock_owner_procedure());
          }
          lock->set_shared_lock_count(view.shared_count);
          for (const auto& one : view.waiting) ToPb(one, lock->add_waitingprocedures());
        }
        return std::nullopt;
      });
  AddUnary<pb::AbortProcedureRequest, pb::AbortProcedureResponse>(
      "AbortProcedure", RunOn::kLoop,
      [this](const pb::AbortProcedureRequest& request,
             pb::AbortProcedureResponse* response) -> CallError {
        response->set_is_procedure_aborted(procedures_->Abort(request.proc_id()));
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
