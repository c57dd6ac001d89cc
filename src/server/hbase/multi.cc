#include "src/server/hbase/multi.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>

#include <utility>
#include <vector>

#include "proto/client.pb.h"
#include "src/base/status_macros.h"
#include "src/rpc/requests.h"
#include "src/rpc/results.h"
#include "src/server/hbase/client_service.h"
#include "src/server/hbase/endpoints.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// Whose quotas a Multi takes from.
struct MultiQuota {
  Quotas* quotas;  // may be null
  const std::string* user;
  const Bytes* block;  // of the answer
};

// "MultiActionResultTooLarge" is for actions that stand behind those which made the answer so
// large: the client sends them again at once.
rpc::RemoteError TooLarge(size_t bytes) {
  return {exceptions::kMultiActionResultTooLarge,
          fmt::format("Max size exceeded: the answer has {} bytes", bytes)};
}

// Neither a Get nor a change of something: what no client of HBase's sends.
bool HasEmptyAction(const pb::MultiRequest& request) {
  for (const pb::RegionAction& region : request.regionaction()) {
    for (const pb::Action& action : region.action()) {
      if (!action.has_get() && !action.has_mutation() && !action.has_service_call()) return true;
    }
  }
  return false;
}

class Multi {
 public:
  Multi(const pb::MultiRequest& request, Regions* regions, Nonces* nonces, const MultiQuota& quota,
        rpc::CellBlockReader* cells, const rpc::ResultWriter& writer, uint64_t bytes_max)
      : bytes_max_(bytes_max),
        request_(request),
        regions_(regions),
        nonces_(nonces),
        quota_(quota),
        cells_(cells),
        writer_(writer) {}

  // An error only where the rest of the request cannot be made sense of.
  Status Run(pb::MultiResponse* response) {
    for (const pb::RegionAction& action : request_.regionaction()) {
      pb::RegionActionResult* const result = response->add_regionactionresult();
      RETURN_IF_ERROR(RunRegion(action, result));
      // Of a condition that stands with its region clients hear there.
      if (result->has_processed() && !action.has_condition()) {
        response->set_processed(result->processed());
      }
    }
    response->mutable_regionstatistics();
    return Status::Ok();
  }

 private:
  Status RunRegion(const pb::RegionAction& action, pb::RegionActionResult* result) {
    ServedRegionPtr region;
    if (const CallError error = regions_->Find(action.region(), &region); error) {
      error->ToPb(result->mutable_exception());
      return SkipCells(action, 0);
    }
    QuotaUse use;
    if (const CallError error = TakeQuota(*region, action, &use); error) {
      error->ToPb(result->mutable_exception());
      return SkipCells(action, 0);
    }
    const size_t received_before = cells_->rest_bytes();
    const size_t sent_before = quota_.block->size();
    RETURN_IF_ERROR(RunActions(region, action, result));
    // Only what went through cell blocks, as nearly all does.
    if (quota_.quotas != nullptr) {
      use.Done(quota_.block->size() - sent_before, received_before - cells_->rest_bytes());
    }
    return Status::Ok();
  }

  CallError TakeQuota(const ServedRegion& region, const pb::RegionAction& action, QuotaUse* use) {
    if (quota_.quotas == nullptr) return std::nullopt;
    uint64_t reads = 0, writes = 0;
    for (const pb::Action& one : action.action()) {
      reads += one.has_get() ? 1 : 0;
      writes += one.has_mutation() ? 1 : 0;
    }
    return quota_.quotas->Take(*quota_.user, region.info.table, reads, writes, kOperationBytes,
                               use);
  }

  Status RunActions(const ServedRegionPtr& region, const pb::RegionAction& action,
                    pb::RegionActionResult* result) {
    const bool conditional = action.has_condition() || request_.has_condition();
    if (conditional || action.atomic()) {
      size_t read = 0;
      const CallError error = RunWhole(*region, action, &read, result);
      if (!error) return Status::Ok();
      result->Clear();
      error->ToPb(result->mutable_exception());
      return SkipCells(action, read);
    }
    return RunEach(*region, action, result);
  }

  // Of mutations that are not going to be read, from index 'from' on.
  Status SkipCells(const pb::RegionAction& action, size_t from) {
    for (int i = static_cast<int>(from); i < action.action_size(); ++i) {
      if (!action.action(i).has_mutation()) continue;
      RETURN_IF_ERROR(cells_->Skip(action.action(i).mutation().associated_cell_count()));
    }
    return Status::Ok();
  }

  // All or nothing, maybe on a condition. *read: how many actions' cells were taken.
  CallError RunWhole(const ServedRegion& region, const pb::RegionAction& action, size_t* read,
                     pb::RegionActionResult* result) {
    MutationBatch batch;
    for (const pb::Action& one : action.action()) {
      if (!one.has_mutation()) {
        return rpc::RemoteError(exceptions::kDoNotRetry,
                                "Atomic put and/or delete only, not a Get");
      }
      ++*read;
      if (CallError error = ReadMutationOf(region, one.mutation(), cells_, &batch); error) {
        return error;
      }
    }
    Row merged;
    bool success = true;
    if (action.has_condition() || request_.has_condition()) {
      const pb::Condition& asked =
          action.has_condition() ? action.condition() : request_.condition();
      Table::Condition condition;
      if (CallError error = region.ReadCondition(asked, &condition); error) return error;
      auto checked = region.table->CheckAndMutate(condition, &batch);
      if (!checked.ok()) return rpc::RemoteError(checked.status());
      success = checked->success;
      merged = std::move(checked->result);
    } else if (!batch.empty()) {
      std::vector<Row> rows;
      const Status status = region.table->MutateAtomically(&batch, &rows);
      if (!status.ok()) return rpc::RemoteError(status);
      AddResults(action, success, rows, result);
      return std::nullopt;
    }
    std::vector<Row> rows;
    rows.push_back(std::move(merged));
    AddResults(action, success, rows, result);
    return std::nullopt;
  }

  // The cells of all in the first one's result, within the message whatever the codec.
  void AddResults(const pb::RegionAction& action, bool success, const std::vector<Row>& rows,
                  pb::RegionActionResult* result) {
    const bool conditional = action.has_condition() || request_.has_condition();
    for (int i = 0; i < action.action_size(); ++i) {
      pb::ResultOrException* const one = result->add_resultorexception();
      one->set_index(static_cast<uint32_t>(i));
      if (i == 0) {
        const rpc::ResultWriter in_message(rpc::CellCodec::kNone, nullptr);
        for (const Row& row : rows) {
          if (row.cells.empty()) continue;
          in_message.Add(row.cells.data(), row.cells.size(), one->mutable_result());
        }
      }
      if (!conditional) one->mutable_result();
    }
    result->set_processed(success);
  }

  // Each by itself: reads at once, writes when something has to see them or at the end.
  Status RunEach(const ServedRegion& region, const pb::RegionAction& action,
                 pb::RegionActionResult* result) {
    for (const pb::Action& one : action.action()) {
      if (const size_t bytes = quota_.block->size() + message_bytes_; bytes > bytes_max_) {
        Write(region, result);
        AddError(one.index(), TooLarge(bytes), result);
        if (one.has_mutation()) {
          RETURN_IF_ERROR(cells_->Skip(one.mutation().associated_cell_count()));
        }
      } else if (one.has_get()) {
        RunGetAction(region, one, result);
      } else if (one.has_mutation()) {
        RETURN_IF_ERROR(TakeMutation(region, one, result));
      } else {
        RunServiceCall(region, one, result);
      }
    }
    Write(region, result);
    refused_.reset();
    return Status::Ok();
  }

  void RunGetAction(const ServedRegion& region, const pb::Action& action,
                    pb::RegionActionResult* result) {
    bennu::Get get;
    CallError error = ReadGetOf(region, action.get(), &get);
    if (error) return AddError(action.index(), *error, result);
    pb::ResultOrException* const one = result->add_resultorexception();
    one->set_index(action.index());
    error = RunGet(region, action.get(), get, writer_, one->mutable_result());
    if (!error) {
      CountMessage(one->result());
      return;
    }
    result->mutable_resultorexception()->RemoveLast();
    AddError(action.index(), *error, result);
  }

  void RunServiceCall(const ServedRegion& region, const pb::Action& action,
                      pb::RegionActionResult* result) {
    Write(region, result);  // what came before it, it sees
    pb::NameBytesPair value;
    if (const CallError error = RunEndpoint(region, action.service_call(), nonces_, &value);
        error) {
      return AddError(action.index(), *error, result);
    }
    pb::ResultOrException* const one = result->add_resultorexception();
    one->set_index(action.index());
    one->mutable_service_result()->mutable_value()->Swap(&value);
    message_bytes_ += one->service_result().value().value().size();
  }

  Status TakeMutation(const ServedRegion& region, const pb::Action& action,
                      pb::RegionActionResult* result) {
    const pb::MutationProto& mutation = action.mutation();
    const bool reads = ReadsBeforeWriting(mutation);
    if (reads) {
      Write(region, result);
      refused_.reset();
    }
    if (refused_) {
      AddError(action.index(), *refused_, result);
      return cells_->Skip(mutation.associated_cell_count());
    }
    bool of_all = false;
    const CallError error = ReadMutationOf(region, mutation, cells_, &batch_, &of_all);
    if (error) {
      // Cells that were not taken would be mistaken for the next mutation's.
      if (error->type().name == exceptions::kCorruptHFile.name) return Corruption(error->message());
      if (of_all && !reads) {
        Refuse(*error, result);
      } else {
        DropUnfinished();
      }
      AddError(action.index(), *error, result);
      return Status::Ok();
    }
    indexes_.push_back(action.index());
    if (!reads) return Status::Ok();
    NonceGuard nonce(nonces_, request_.noncegroup(), mutation.nonce());
    if (nonce.first()) {
      if (Write(region, result)) nonce.set_done();
      return Status::Ok();
    }
    pb::Result found;
    const CallError failed = ReadBack(region, batch_, writer_, &found);
    batch_.Clear();
    indexes_.clear();
    if (failed) {
      AddError(action.index(), *failed, result);
      return Status::Ok();
    }
    pb::ResultOrException* const one = result->add_resultorexception();
    one->set_index(action.index());
    one->mutable_result()->Swap(&found);
    CountMessage(one->result());
    return Status::Ok();
  }

  // Puts and Deletes that HBase takes together fail together: those that were taken, and those up
  // to the next Increment or Append.
  void Refuse(const rpc::RemoteError& error, pb::RegionActionResult* result) {
    for (const uint32_t index : indexes_) AddError(index, error, result);
    batch_.Clear();
    indexes_.clear();
    refused_ = error;
  }

  // Takes a mutation that failed to be read out of the batch again; rare, so that copies may cost.
  void DropUnfinished() {
    MutationBatch good;
    for (size_t i = 0; i < indexes_.size(); ++i) good.AddMutation(batch_, i);
    batch_ = std::move(good);
  }

  // Writes what was taken; true when all of it succeeded.
  bool Write(const ServedRegion& region, pb::RegionActionResult* result) {
    if (batch_.empty()) return true;
    std::vector<Table::Outcome> outcomes;
    const Status status = region.table->MutateEach(&batch_, &outcomes);
    bool all = true;
    for (size_t i = 0; i < indexes_.size(); ++i) {
      const Status& own = status.ok() ? outcomes[i].status : status;
      if (!own.ok()) {
        all = false;
        AddError(indexes_[i], rpc::RemoteError(own), result);
        continue;
      }
      pb::ResultOrException* const one = result->add_resultorexception();
      one->set_index(indexes_[i]);
      pb::Result* const made = one->mutable_result();
      const auto& cells = outcomes[i].result.cells;
      if (!cells.empty()) writer_.Add(cells.data(), cells.size(), made);
      CountMessage(*made);
    }
    batch_.Clear();
    indexes_.clear();
    return all;
  }

  void AddError(uint32_t index, const rpc::RemoteError& error, pb::RegionActionResult* result) {
    pb::ResultOrException* const one = result->add_resultorexception();
    one->set_index(index);
    error.ToPb(one->mutable_exception());
    message_bytes_ += one->exception().name().size() + one->exception().value().size();
  }
  // Of a result whose cells are not in the block.
  void CountMessage(const pb::Result& result) {
    if (!writer_.in_block()) message_bytes_ += result.ByteSizeLong();
  }

  const uint64_t bytes_max_;  // of the answer; what comes behind is for another call
  uint64_t message_bytes_ = 0;

  const pb::MultiRequest& request_;
  Regions* const regions_;
  Nonces* const nonces_;
  const MultiQuota quota_;
  rpc::CellBlockReader* const cells_;
  const rpc::ResultWriter& writer_;
  MutationBatch batch_;            // taken, not written yet
  std::vector<uint32_t> indexes_;  // of its mutations in the request
  CallError refused_;              // what those that follow fail with
};

}  // namespace

void RunMulti(CallPtr call, Regions* regions, Nonces* nonces, Quotas* quotas, uint64_t bytes_max,
              Bytes* block) {
  // Thousands of small messages, all of which go at once.
  google::protobuf::Arena arena;
  auto& request = *google::protobuf::Arena::CreateMessage<pb::MultiRequest>(&arena);
  if (const Status status = call->Parse(&request); !status.ok()) {
    return call->Fail(rpc::RemoteError(status));
  }
  if (HasEmptyAction(request)) {
    return call->Fail(
        {exceptions::kDoNotRetry, "an action that is neither a Get nor a mutation nor a call"});
  }
  rpc::CellBlockReader cells(call->connection().codec, call->cells());
  const rpc::ResultWriter writer(call->result_codec(), block);
  auto& response = *google::protobuf::Arena::CreateMessage<pb::MultiResponse>(&arena);
  const Status status = Multi(request, regions, nonces, {quotas, &call->connection().user, block},
                              &cells, writer, bytes_max)
                            .Run(&response);
  if (!status.ok()) return call->Fail({exceptions::kDoNotRetry, status.message()});
  call->Respond(response, *block);
}

}  // namespace bennu::server::hbase
