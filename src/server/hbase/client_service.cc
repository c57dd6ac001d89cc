#include "src/server/hbase/client_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>

#include "src/base/hex.h"
#include "src/base/kept_buffer.h"
#include "src/rpc/requests.h"
#include "src/server/hbase/endpoints.h"
#include "src/server/hbase/multi.h"
#include "src/server/hbase/space_quotas.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// HBase's hbase.server.scanner.max.result.size.
constexpr uint64_t kResultBytesMax = 100ull << 20;
// HBase's read point of scans that also see what is not acknowledged.
constexpr uint64_t kUncommittedReadPoint = std::numeric_limits<int64_t>::max();
// What HBase takes a scan's call to read until it is done; others count kOperationBytes.
constexpr uint64_t kScanBytes = 1000;
// A call that may send heartbeats takes no less time than this.
constexpr std::chrono::milliseconds kHeartbeatMin{10};
// A thread keeps no larger block than this for its next answer.
constexpr size_t kKeptBlock = 1u << 20;

// The memory for one answer's cells; each thread keeps one.
Bytes* CleanBlock() {
  thread_local Bytes block;
  Recycle(&block, kKeptBlock);
  return &block;
}

}  // namespace

ClientService::ClientService(Regions* regions, Scanners* scanners, net::Handlers* handlers,
                             Quotas* quotas, Env* env, const std::string& root,
                             ClientFolders load_folders, uint64_t answer_bytes_max)
    : Service("ClientService"),
      regions_(regions),
      scanners_(scanners),
      handlers_(handlers),
      quotas_(quotas),
      answer_bytes_max_(std::min(answer_bytes_max, kResultBytesMax)),
      bulk_loads_(regions->store(), env, root, std::move(load_folders)) {
  Add("Get", RunOn::kLoop, [this](CallPtr call) { Get(std::move(call)); });
  Add("Mutate", RunOn::kLoop, [this](CallPtr call) { Mutate(std::move(call)); });
  Add("Multi", RunOn::kHandler, [this](CallPtr call) {
    Bytes* const block = CleanBlock();
    RunMulti(std::move(call), regions_, &nonces_, quotas_, answer_bytes_max_, block);
  });
  Add("Scan", RunOn::kHandler, [this](CallPtr call) { Scan(std::move(call)); });
  AddEndpoints();
  AddBulkLoads();
}

void ClientService::AddBulkLoads() {
  Add("PrepareBulkLoad", RunOn::kHandler, [this](CallPtr call) {
    pb::PrepareBulkLoadRequest request;
    if (const Status status = call->Parse(&request); !status.ok()) {
      return call->Fail(rpc::RemoteError(status));
    }
    pb::PrepareBulkLoadResponse response;
    const CallError error = bulk_loads_.Prepare(response.mutable_bulk_token());
    if (error) return call->Fail(*error);
    call->Respond(response);
  });
  AddUnary<pb::BulkLoadHFileRequest, pb::BulkLoadHFileResponse>(
      "BulkLoadHFile", RunOn::kHandler,
      [this](const pb::BulkLoadHFileRequest& request,
             pb::BulkLoadHFileResponse* response) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          return error;
        }
        response->set_loaded(true);
        return bulk_loads_.Load(*region, request);
      });
  AddUnary<pb::CleanupBulkLoadRequest, pb::CleanupBulkLoadResponse>(
      "CleanupBulkLoad", RunOn::kHandler,
      [this](const pb::CleanupBulkLoadRequest& request, auto*) -> CallError {
        return bulk_loads_.Cleanup(request.bulk_token());
      });
}

void ClientService::AddEndpoints() {
  AddUnary<pb::CoprocessorServiceRequest, pb::CoprocessorServiceResponse>(
      "ExecService", RunOn::kHandler,
      [this](const pb::CoprocessorServiceRequest& request,
             pb::CoprocessorServiceResponse* response) -> CallError {
        ServedRegionPtr region;
        if (CallError error = regions_->Find(request.region(), &region); error) {
          return error;
        }
        response->mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
        response->mutable_region()->set_value(region->name);
        return RunEndpoint(*region, request.call(), &nonces_, response->mutable_value());
      });
  AddUnary<pb::CoprocessorServiceRequest, pb::CoprocessorServiceResponse>(
      "ExecRegionServerService", RunOn::kLoop,
      [](const pb::CoprocessorServiceRequest& request,
         pb::CoprocessorServiceResponse*) -> CallError {
        return rpc::RemoteError(
            exceptions::kUnknownProtocol,
            fmt::format("No registered region server coprocessor service found for {}",
                        request.call().service_name()));
      });
}

bool ReadsBeforeWriting(const pb::MutationProto& message) {
  return message.mutate_type() == pb::MutationProto::INCREMENT ||
         message.mutate_type() == pb::MutationProto::APPEND;
}

CallError ReadGetOf(const ServedRegion& region, const pb::Get& message, bennu::Get* get) {
  if (message.closest_row_before()) {
    return rpc::RemoteError(exceptions::kUnknownProtocol,
                            "a Get of the closest row before; scan in reverse instead");
  }
  if (CallError error = region.CheckRowForRead(message.row(), "Get"); error) return error;
  for (const pb::Column& column : message.column()) {
    if (CallError error = region.CheckFamily(column.family()); error) return error;
  }
  if (const Status status = rpc::ReadGet(message, get); !status.ok()) {
    return rpc::RemoteError(status);
  }
  return std::nullopt;
}

CallError RunGet(const ServedRegion& region, const pb::Get& message, const bennu::Get& get,
                 const rpc::ResultWriter& writer, pb::Result* result, Call* call) {
  Status status;
  CallError full;
  region.counters->reads.fetch_add(1, std::memory_order_relaxed);
  if (message.existence_only()) {
    const auto exists = region.table->Exists(get);
    if (exists.ok()) {
      result->set_exists(*exists);
      result->set_associated_cell_count(0);
    } else {
      status = exists.status();
    }
  } else {
    status = region.table->GetCells(get, [&](const Cell* cells, size_t count) {
      if (call != nullptr) full = call->ReserveAnswer(cells, count);
      if (!full) writer.Add(cells, count, result);
    });
  }
  if (!status.ok()) return rpc::RemoteError(status);
  return full;
}

namespace {

CallError CheckSizes(const ServedRegion& region, const MutationBatch& batch, size_t offset) {
  while (offset < batch.buffer().size()) {
    Cell cell;
    offset = CellAt(batch.buffer(), offset, &cell);
    if (CallError error = region.CheckSize(cell); error) return error;
  }
  return std::nullopt;
}

}  // namespace

CallError ReadMutationOf(const ServedRegion& region, const pb::MutationProto& message,
                         rpc::CellBlockReader* cells, MutationBatch* batch, bool* of_all) {
  const size_t cells_before = batch->buffer().size();
  const size_t rows_before = batch->row_count();
  if (const Status status = rpc::ReadMutation(message, cells, batch); !status.ok()) {
    return rpc::RemoteError(status);
  }
  CallError refused;
  if (message.mutate_type() != pb::MutationProto::DELETE) {
    refused = CheckSizes(region, *batch, cells_before);
  }
  const int policy = region.space_policy->load(std::memory_order_relaxed);
  if (!refused && policy != 0) refused = CheckSpacePolicy(policy, message.mutate_type());
  if (refused) {
    if (of_all != nullptr) *of_all = true;
    return refused;
  }
  if (batch->row_count() == rows_before)
    return rpc::RemoteError(exceptions::kDoNotRetry, "a mutation without cells");
  if (CallError error = region.CheckRowForWrite(batch->row_key(batch->rows().back())); error) {
    return error;
  }
  region.counters->writes.fetch_add(1, std::memory_order_relaxed);
  for (size_t offset = cells_before; offset < batch->buffer().size();) {
    Cell cell;
    offset = CellAt(batch->buffer(), offset, &cell);
    if (CallError error = region.CheckFamily(cell.family()); error) return error;
  }
  return std::nullopt;
}

CallError ReadBack(const ServedRegion& region, const MutationBatch& batch,
                   const rpc::ResultWriter& writer, pb::Result* result) {
  bennu::Get get;
  get.row = batch.row_key(batch.rows().front());
  for (size_t offset = 0; offset < batch.buffer().size();) {
    Cell cell;
    offset = CellAt(batch.buffer(), offset, &cell);
    get.columns[Bytes(cell.family())].emplace(cell.qualifier());
  }
  return RunGet(region, pb::Get(), get, writer, result);
}

// What is at hand is answered here; a handler reads what is on the disk, and asks filters.
void ClientService::Get(CallPtr call) {
  thread_local pb::GetRequest kept_request;
  pb::GetRequest large_request;
  pb::GetRequest& request = call->size() > kKeptBlock ? large_request : kept_request;
  if (const Status status = call->Parse(&request); !status.ok()) {
    return call->Fail(rpc::RemoteError(status));
  }
  NoWaitScope scope;
  if (AnswerGet(request, &scope, &call)) return;
  HandOver(std::move(call),
           [this, asked = request](CallPtr waiting) { AnswerGet(asked, nullptr, &waiting); });
}

bool ClientService::AnswerGet(const pb::GetRequest& request, const NoWaitScope* scope,
                              CallPtr* answered) {
  CallPtr& call = *answered;
  const auto fail = [&](const rpc::RemoteError& error) {
    call->Fail(error);
    return true;
  };
  ServedRegionPtr region;
  if (const CallError error = regions_->Find(request.region(), &region); error) {
    return fail(*error);
  }
  bennu::Get get;
  if (const CallError error = ReadGetOf(*region, request.get(), &get); error) {
    return fail(*error);
  }
  QuotaUse quota;
  if (scope != nullptr) {  // else it was taken before
    CallError error = TakeQuota(*call, *region, 1, 0, kOperationBytes, &quota);
    if (error) return fail(*error);
  }
  // A regular expression may take long with each cell of the row.
  if (scope != nullptr && request.get().has_filter()) return false;
  Bytes* const block = CleanBlock();
  const rpc::ResultWriter writer(call->get_codec(), block);
  pb::GetResponse response;
  if (const CallError error =
          RunGet(*region, request.get(), get, writer, response.mutable_result(), call.get());
      error) {
    if (scope != nullptr && scope->refused()) {
      region->counters->reads.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
    return fail(*error);
  }
  quota.Done(block->empty() ? response.ByteSizeLong() : block->size(), 0);
  call->Respond(response, *block);
  return true;
}

namespace {

// A mutation on its way into the log; nobody waits for it.
struct PendingMutation {
  CallPtr call;
  ServedRegionPtr region;
  MutationBatch batch;
  std::vector<Row> results;  // of an Increment or Append
  std::optional<Table::Condition> condition;
  Table::CheckedResult checked;
  Nonces* nonces = nullptr;  // null: there is none to end
  uint64_t nonce_group = 0;
  uint64_t nonce = 0;

  // Of the thread that hands the mutation in, and only looked at by it: its scope while it does.
  const std::thread::id thread = std::this_thread::get_id();
  const NoWaitScope* scope = nullptr;
  bool refused = false;  // it would have to wait; nothing has happened

  // Whether a failure that is told now is that it would have to wait.
  bool WasRefused() {
    if (std::this_thread::get_id() != thread || scope == nullptr) return false;
    refused = scope->refused();
    return refused;
  }
};

// What a mutation that was carried out came to: 'checked' where it had a condition, otherwise
// 'results', which only an Increment or Append has.
void AnswerMutation(Call* call, const Table::CheckedResult* checked,
                    const std::vector<Row>& results) {
  pb::MutateResponse response;
  const Row* row = nullptr;
  if (checked != nullptr) {
    response.set_processed(checked->success);
    if (!checked->result.empty()) row = &checked->result;
  } else if (results.empty()) {
    response.set_processed(true);
  } else {
    row = &results[0];
  }
  if (row == nullptr) return call->Respond(response);
  Bytes* const block = CleanBlock();
  const rpc::ResultWriter writer(call->result_codec(), block);
  writer.Add(row->cells.data(), row->cells.size(), response.mutable_result());
  call->Respond(response, *block);
}

void Answer(PendingMutation* pending, const Status& status) {
  if (pending->nonces != nullptr) {
    pending->nonces->End(pending->nonce_group, pending->nonce, status.ok());
  }
  if (!status.ok()) return pending->call->Fail(rpc::RemoteError(status));
  AnswerMutation(pending->call.get(), pending->condition ? &pending->checked : nullptr,
                 pending->results);
}

// A Put of nothing, which HBase takes; Java's client refuses to send it.
bool WritesNothing(const pb::MutateRequest& request, const MutationBatch& batch) {
  return !request.has_condition() && batch.buffer().empty() &&
         request.mutation().mutate_type() == pb::MutationProto::PUT;
}

// What the thread's connections have handed in by the end of this turn goes into the log at once.
void LeadLogSoon(net::Channel* channel, const ServedRegionPtr& region) {
  thread_local bool due = false;
  if (due) return;
  due = true;
  channel->Later([region] {
    due = false;
    region->table->LeadLog();
  });
}

CallError ReadConditionOf(const ServedRegion& region, const pb::MutateRequest& request,
                          const MutationBatch& batch, Table::Condition* condition) {
  if (CallError error = region.ReadCondition(request.condition(), condition); error) return error;
  if (condition->row == batch.row_key(batch.rows().front())) return std::nullopt;
  return rpc::RemoteError(InvalidArgument(fmt::format(
      "The row of the action <{}> doesn't match the original one <{}>",
      ToStringBinary(batch.row_key(batch.rows().front())), ToStringBinary(condition->row))));
}

}  // namespace

// Nothing here waits for the log. A handler takes what must wait for something else.
void ClientService::Mutate(CallPtr call) {
  thread_local pb::MutateRequest kept_request;
  pb::MutateRequest large_request;
  pb::MutateRequest& request = call->size() > kKeptBlock ? large_request : kept_request;
  if (const Status status = call->Parse(&request); !status.ok()) {
    return call->Fail(rpc::RemoteError(status));
  }
  ServedRegionPtr region;
  if (const CallError error = regions_->Find(request.region(), &region); error) {
    return call->Fail(*error);
  }
  if (call->is_compressed()) {
    return HandMutationOver(std::move(call), request, region);
  }
  auto pending = std::make_shared<PendingMutation>();
  MutationBatch* const batch = &pending->batch;
  rpc::CellBlockReader cells(call->connection().codec, call->cells());
  if (const CallError error = ReadMutationOf(*region, request.mutation(), &cells, batch); error) {
    return call->Fail(*error);
  }
  QuotaUse quota;
  if (const CallError error = TakeQuota(*call, *region, 0, 1, kOperationBytes, &quota); error) {
    return call->Fail(*error);
  }
  quota.Done(0, batch->buffer().size());
  if (WritesNothing(request, *batch)) {
    pb::MutateResponse response;
    response.set_processed(true);
    return call->Respond(response);
  }
  if (request.has_condition()) {
    CallError error = ReadConditionOf(*region, request, *batch, &pending->condition.emplace());
    if (error) return call->Fail(*error);
    if (request.condition().has_filter()) {  // it may take long with each cell of the row
      region->counters->writes.fetch_sub(1, std::memory_order_relaxed);
      return HandMutationOver(std::move(call), request, region);
    }
  } else if (ReadsBeforeWriting(request.mutation()) && request.mutation().nonce() != 0) {
    pending->nonce_group = request.nonce_group();
    pending->nonce = request.mutation().nonce();
    if (nonces_.TryBegin(pending->nonce_group, pending->nonce) != Nonces::Turn::kFirst) {
      return HandMutationOver(std::move(call), request, region);
    }
    pending->nonces = &nonces_;
  }
  net::Channel* const channel = call->channel();
  call->SetSubject(region, batch->row_key(batch->rows().front()));
  pending->call = std::move(call);
  pending->region = region;
  const auto done = [pending](const Status& status) {
    if (!status.ok() && pending->WasRefused()) return;
    Answer(pending.get(), status);
  };
  NoWaitScope scope;
  pending->scope = &scope;
  if (pending->condition) {
    region->table->CheckAndMutateAsync(*pending->condition, batch, &pending->checked, done);
  } else {
    const bool reads = ReadsBeforeWriting(request.mutation());
    region->table->MutateAsync(batch, reads ? &pending->results : nullptr, done);
  }
  pending->scope = nullptr;
  if (!pending->refused) return LeadLogSoon(channel, region);
  region->counters->writes.fetch_sub(1, std::memory_order_relaxed);
  if (pending->nonces != nullptr) {
    pending->nonces->End(pending->nonce_group, pending->nonce, /*done=*/false);
  }
  HandMutationOver(std::move(pending->call), request, region);
}

void ClientService::HandOver(CallPtr call, std::function<void(CallPtr)> run) {
  call->Keep();
  auto shared = std::make_shared<CallPtr>(std::move(call));
  const size_t bytes = (*shared)->size();
  const bool taken = handlers_->TrySubmit(
      [shared, run = std::move(run)] {
        (*shared)->Begin(nullptr);
        PrepareAndRun(std::move(*shared), run);
      },
      bytes);
  if (!taken) (*shared)->Fail({exceptions::kCallQueueTooBig, "Call queue is full"});
}

void ClientService::HandMutationOver(CallPtr call, const pb::MutateRequest& request,
                                     const ServedRegionPtr& region) {
  HandOver(std::move(call), [this, request, region](CallPtr waiting) {
    MutateWaiting(std::move(waiting), request, *region);
  });
}

void ClientService::MutateWaiting(CallPtr call, const pb::MutateRequest& request,
                                  const ServedRegion& region) {
  MutationBatch batch;
  rpc::CellBlockReader cells(call->connection().codec, call->cells());
  if (const CallError error = ReadMutationOf(region, request.mutation(), &cells, &batch); error) {
    return call->Fail(*error);
  }
  if (request.has_condition()) {
    Table::Condition condition;
    if (CallError error = ReadConditionOf(region, request, batch, &condition); error) {
      return call->Fail(*error);
    }
    const auto checked = region.table->CheckAndMutate(condition, &batch);
    if (!checked.ok()) return call->Fail(rpc::RemoteError(checked.status()));
    return AnswerMutation(call.get(), &*checked, {});
  }
  NonceGuard nonce(&nonces_, request.nonce_group(), request.mutation().nonce());
  if (!nonce.first()) {
    Bytes* const block = CleanBlock();
    const rpc::ResultWriter writer(call->result_codec(), block);
    pb::MutateResponse response;
    if (const CallError error = ReadBack(region, batch, writer, response.mutable_result()); error) {
      return call->Fail(*error);
    }
    return call->Respond(response, *block);
  }
  std::vector<Row> results;
  const bool reads = ReadsBeforeWriting(request.mutation());
  const Status status = region.table->Mutate(&batch, reads ? &results : nullptr);
  if (!status.ok()) return call->Fail(rpc::RemoteError(status));
  nonce.set_done();
  AnswerMutation(call.get(), nullptr, results);
}

CallError ClientService::TakeQuota(const Call& call, const ServedRegion& region, uint64_t reads,
                                   uint64_t writes, uint64_t bytes_each, QuotaUse* use) const {
  if (quotas_ == nullptr) return std::nullopt;
  return quotas_->Take(call.connection().user, region.info.table, reads, writes, bytes_each, use);
}

// Before the scan is touched, so that the same call can be made again.
CallError ClientService::TakeScanQuota(const Call& call, const pb::ScanRequest& request,
                                       QuotaUse* use) {
  if (quotas_ == nullptr || request.renew()) return std::nullopt;
  if (request.close_scanner() && !request.has_number_of_rows()) return std::nullopt;
  ServedRegionPtr region;
  if (request.has_scanner_id()) {
    region = scanners_->RegionOf(request.scanner_id());
  } else if (CallError error = regions_->Find(request.region(), &region); error) {
    return error;
  }
  return region == nullptr ? std::nullopt : TakeQuota(call, *region, 1, 0, kScanBytes, use);
}

CallError ClientService::OpenScan(const pb::ScanRequest& request,
                                  std::unique_ptr<RegionScan>* scan) {
  ServedRegionPtr region;
  if (CallError error = regions_->Find(request.region(), &region); error) return error;
  for (const pb::Column& column : request.scan().column()) {
    if (CallError error = region->CheckFamily(column.family()); error) return error;
  }
  bennu::Scan asked;
  if (const Status status = rpc::ReadScan(request.scan(), &asked); !status.ok()) {
    return rpc::RemoteError(status);
  }
  ClipToRegion(region->info, &asked);
  const uint64_t bytes_max =
      request.scan().max_result_size() > 0
          ? std::min<uint64_t>(request.scan().max_result_size(), answer_bytes_max_)
          : answer_bytes_max_;
  asked.max_result_bytes = static_cast<int64_t>(bytes_max);
  asked.allow_partial_results = request.client_handles_partials();
  // A client that had to begin again within a row goes on at the moment of its first scan.
  ReadMoment moment;
  if (asked.read_uncommitted) {
    moment.number = kUncommittedReadPoint;
  } else {
    if (request.scan().mvcc_read_point() > 0) {
      moment = scanners_->Recall(request.scan().mvcc_read_point());
    }
    if (moment.snapshot == nullptr) moment = scanners_->Remember(regions_->store()->TakeSnapshot());
    asked.snapshot = moment.snapshot;
  }
  auto scanner = region->table->OpenPausableScanner(asked);
  if (!scanner.ok()) return rpc::RemoteError(scanner.status());
  // Rows of local indexes have other keys in the regions that take its place.
  if (CallError error = regions_->CheckThere(*region); error) return error;
  *scan = std::make_unique<RegionScan>(std::move(region), std::move(moment),
                                       std::move(scanner).value(), bytes_max);
  (*scan)->SetCursor(request.scan().need_cursor_result());
  return std::nullopt;
}

void ClientService::Scan(CallPtr call) {
  pb::ScanRequest request;
  if (const Status status = call->Parse(&request); !status.ok()) {
    return call->Fail(rpc::RemoteError(status));
  }
  QuotaUse quota;
  if (const CallError error = TakeScanQuota(*call, request, &quota); error) {
    return call->Fail(*error);
  }
  const bool opens = !request.has_scanner_id();
  uint64_t id = request.scanner_id();
  if (opens) {
    if (!request.has_scan() || !request.has_region()) {
      return call->Fail({exceptions::kDoNotRetry,
                         "Missing required input: a scanner id, or a region and a scan"});
    }
    std::unique_ptr<RegionScan> scan;
    if (const CallError error = OpenScan(request, &scan); error) return call->Fail(*error);
    id = scanners_->Add(std::move(scan), call->connection().user);
  }
  pb::ScanResponse response;
  Scanners::Use use;
  const auto sequence = !opens && request.has_next_call_seq()
                            ? std::optional<uint64_t>(request.next_call_seq())
                            : std::nullopt;
  if (const CallError error = scanners_->Take(id, call->connection().user, sequence, &use); error) {
    return call->Fail(*error);
  }
  response.set_scanner_id(id);
  if (use && !opens) call->SetSubject(use->region(), {});
  if (!use) return call->Respond(response);  // it had ended before
  if (opens) {
    response.set_ttl(static_cast<uint32_t>(scanners_->lease().count()));
    response.set_mvcc_read_point(use->read_point());
  }
  if (request.renew()) {
    scanners_->Return(std::move(use));
    return call->Respond(response);
  }
  RegionScan::Limits limits;
  limits.rows =
      request.has_number_of_rows() ? request.number_of_rows() : (request.close_scanner() ? 0 : 1);
  limits.whole_rows = request.limit_of_rows();
  limits.metrics = request.track_scan_metrics();
  limits.cursor = use->wants_cursor();
  limits.heartbeats = request.client_handles_heartbeats() && request.client_handles_partials();
  const auto now = net::MonotonicNow();
  auto time = std::chrono::duration_cast<std::chrono::milliseconds>(scanners_->lease());
  if (call->deadline().has_value()) {
    time = std::min(time,
                    std::chrono::duration_cast<std::chrono::milliseconds>(*call->deadline() - now));
  }
  limits.deadline = now + std::max(time / 2, kHeartbeatMin);
  Bytes* const block = CleanBlock();
  const rpc::ResultWriter writer(call->result_codec(), block);
  CallError full;
  limits.reserve = [&](const Cell* cells, size_t count) {
    full = call->ReserveAnswer(cells, count);
    return !full.has_value();
  };
  if (const Status status = use->Fill(limits, writer, &response); !status.ok()) {
    scanners_->Finish(std::move(use));
    return call->Fail(rpc::RemoteError(status));
  }
  // Nothing fits, though a row is there: the client comes again with the same call.
  if (full && response.cells_per_result_size() == 0 && response.results_size() == 0) {
    opens ? scanners_->Finish(std::move(use)) : scanners_->ReturnUnanswered(std::move(use));
    return call->Fail(*full);
  }
  quota.Done(block->empty() ? response.ByteSizeLong() : block->size(), 0);
  response.set_stale(false);
  if (request.close_scanner() || !response.more_results() || !response.more_results_in_region()) {
    scanners_->Finish(std::move(use));
  } else {
    scanners_->Return(std::move(use));
  }
  call->Respond(response, *block);
}

}  // namespace bennu::server::hbase
