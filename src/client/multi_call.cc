#include "src/client/multi_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"
#include "src/client/pending_call.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

bool Reads(MutationKind kind) {
  return kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
}

CallOutcome NotAsked() {
  return OutcomeOf(Corruption("the server's answer is about what was not asked"));
}

// Of what may be done, and must not be done twice.
CallOutcome NotAgain(const Operation& operation, CallOutcome outcome) {
  outcome.remedy = rpc::Remedy::kNone;
  outcome.status = operation.NotKnown(outcome.status);
  return outcome;
}

// What has to be waited for longest counts; what cannot be mended counts before all else.
int Weight(rpc::Remedy remedy) {
  switch (remedy) {
    case rpc::Remedy::kNone: return 3;
    case rpc::Remedy::kRelocate:
    case rpc::Remedy::kReopen: return 2;
    case rpc::Remedy::kWait: return 1;
    case rpc::Remedy::kAtOnce: return 0;
  }
  return 0;
}

}  // namespace

MultiCall::MultiCall(Cluster* cluster, const TableName& table, const MutationBatch& batch)
    : cluster_(cluster),
      table_(table),
      batch_(batch),
      done_(batch.row_count(), false),
      nonces_(batch.row_count(), 0) {
  for (size_t i = 0; i < nonces_.size(); ++i) {
    if (Reads(batch.rows()[i].kind)) nonces_[i] = Cluster::NextNonce();
  }
}

bool MultiCall::HasSeveralKinds(size_t mutation) const {
  const MutationBatch::Row& row = batch_.rows()[mutation];
  if (row.kind != MutationKind::kPutDelete) return false;
  bool puts = false;
  bool deletes = false;
  for (size_t offset = row.cells_begin; offset < row.cells_end;) {
    Cell cell;
    offset = CellAt(batch_.buffer(), offset, &cell);
    (IsDelete(cell.type()) ? deletes : puts) = true;
  }
  return puts && deletes;
}

Status MultiCall::Check() const {
  if (const Status status = batch_.Check(); !status.ok()) {
    return Status(status.code(), fmt::format("table {}: {}", table_.ToString(), status.message()));
  }
  const uint64_t bytes_max = cluster_->options().cell_bytes_max;
  // Smaller in all than one cell may be, as nearly every batch is.
  if (bytes_max == 0 || batch_.buffer().size() <= bytes_max) return Status::Ok();
  for (const MutationBatch::Row& row : batch_.rows()) {
    if (row.kind != MutationKind::kPutDelete) continue;
    Cell cell;
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      const uint64_t next = CellAt(batch_.buffer(), offset, &cell);
      if (cell.type() == CellType::kPut && next - offset > bytes_max) {
        return InvalidArgument(fmt::format(
            "KeyValue size too large: table {}, row '{}', column {}:{} takes {} bytes; "
            "hbase.client.keyvalue.maxsize is {}",
            table_.ToString(), ToStringBinary(batch_.row_key(row)), ToStringBinary(cell.family()),
            ToStringBinary(cell.qualifier()), next - offset, bytes_max));
      }
      offset = next;
    }
  }
  return Status::Ok();
}

uint64_t MultiCall::BytesOf(size_t mutation) const {
  const MutationBatch::Row& row = batch_.rows()[mutation];
  return row.cells_end - row.cells_begin;
}

void MultiCall::AddTo(Divided* divided, bool atomic, const LocationPtr& region,
                      size_t mutation) const {
  Parts* const parts = &divided->parts[*region->server];
  // What must be several messages is atomic by itself.
  if (!atomic && HasSeveralKinds(mutation)) {
    parts->push_back({region, {mutation}, true, BytesOf(mutation)});
    return;
  }
  const auto [entry, added] =
      divided->open.try_emplace(region->name, OpenPart{parts, parts->size()});
  OpenPart& open = entry->second;
  // A part that need not stay whole ends with its request.
  const uint64_t bytes_max = cluster_->options().request_bytes_max;
  if (!added && !atomic && (*open.parts)[open.index].bytes >= bytes_max) {
    open = {parts, parts->size()};
  }
  if (open.index == open.parts->size()) open.parts->push_back({region, {}, atomic, 0});
  Part& part = (*open.parts)[open.index];
  part.mutations.push_back(mutation);
  part.bytes += BytesOf(mutation);
}

std::map<Address, MultiCall::Parts> MultiCall::Divide(bool atomic, const Operation& operation,
                                                      Round* round) {
  Divided divided;
  LocationPtr region;  // of the row before, as a rule of this one too
  for (size_t i = 0; i < done_.size(); ++i) {
    if (done_[i]) continue;
    if (region == nullptr || !region->info.Contains(RowOf(i))) {
      auto found = cluster_->Find(table_, RowOf(i), operation);
      if (!found.ok()) {
        region = nullptr;
        const CallOutcome failed = client::OutcomeOf(std::move(found).status());
        if (failed.remedy == rpc::Remedy::kNone) {  // all others would be told the same
          round->worst = failed;
          round->worst_mutation = i;
          return {};
        }
        FailOne(i, failed, round);
        continue;
      }
      region = *std::move(found);
    }
    AddTo(&divided, atomic, region, i);
  }
  return std::move(divided.parts);
}

void MultiCall::AddPart(const Part& part, const Table::Condition* condition, Bytes* cells,
                        pb::MultiRequest* request) const {
  pb::RegionAction* const action = request->add_regionaction();
  SetRegion(*part.region, action->mutable_region());
  if (part.atomic) action->set_atomic(true);
  if (condition != nullptr) rpc::WriteCondition(*condition, action->mutable_condition());
  for (const size_t mutation : part.mutations) {
    rpc::WriteMutation(batch_, mutation, kCodec, cells, [&] {
      pb::Action* const one = action->add_action();
      one->set_index(static_cast<uint32_t>(action->action_size() - 1));
      if (nonces_[mutation] != 0) one->mutable_mutation()->set_nonce(nonces_[mutation]);
      return one->mutable_mutation();
    });
  }
}

void MultiCall::Encode(const Parts& parts, const Table::Condition* condition,
                       pb::MultiRequest* request, Bytes* cells) const {
  for (const Part& part : parts) AddPart(part, condition, cells, request);
  request->set_noncegroup(cluster_->nonce_group());
}

MultiCall::Parts MultiCall::TakeRequest(Parts* waiting) const {
  Parts request;
  uint64_t bytes = 0;
  while (!waiting->empty() && (bytes == 0 || bytes < cluster_->options().request_bytes_max)) {
    bytes += std::max<uint64_t>(waiting->front().bytes, 1);
    request.push_back(std::move(waiting->front()));
    waiting->pop_front();
  }
  return request;
}

void MultiCall::SendAll(std::map<Address, Parts> parts, const Operation& operation, Round* round) {
  struct Request {
    Parts parts;
    Parts* waiting;  // of its server
  };
  std::vector<Request> requests;
  CallGroup calls;
  const auto send = [&](Parts* waiting) {
    Parts next = TakeRequest(waiting);
    pb::MultiRequest message;
    Bytes cells;
    Encode(next, nullptr, &message, &cells);
    cluster_->ChannelTo(*next.front().region)
        ->Start("Multi", message, cells, operation.CallTimeout(), calls.Add(requests.size()));
    requests.push_back({std::move(next), waiting});
  };
  for (auto& [server, waiting] : parts) {
    const uint32_t most = cluster_->options().requests_per_server_max;
    for (uint32_t i = 0; i < most && !waiting.empty(); ++i) send(&waiting);
  }
  while (calls.under_way() > 0) {
    auto [index, outcome] = calls.Next();
    const Parts answered = std::exchange(requests[index].parts, {});
    TakeAnswer(answered, std::move(outcome), round);
    if (Parts* const waiting = requests[index].waiting; !waiting->empty()) send(waiting);
  }
}

void MultiCall::FailOne(size_t mutation, const CallOutcome& failed, Round* round) {
  // A mutation that failed for good is done as well, where each is by itself.
  if (outcomes_ != nullptr) {
    (*outcomes_)[mutation].status = failed.status;
    if (failed.remedy == rpc::Remedy::kNone) {
      done_[mutation] = true;
      return;
    }
  }
  if (!round->worst.status.ok() && Weight(failed.remedy) <= Weight(round->worst.remedy)) {
    round->worst.overloaded |= failed.overloaded;
    round->worst.wait = std::max(round->worst.wait, failed.wait);
    return;
  }
  const bool overloaded = round->worst.overloaded || failed.overloaded;
  const auto wait = std::max(round->worst.wait, failed.wait);
  round->worst = failed;
  round->worst.overloaded = overloaded;
  round->worst.wait = wait;
  round->worst_mutation = mutation;
}

void MultiCall::Fail(const Part& part, const CallOutcome& failed, Round* round) {
  cluster_->Correct(part.region, failed);
  for (const size_t mutation : part.mutations) FailOne(mutation, failed, round);
}

void MultiCall::Succeed(size_t mutation, const Cell* cells, size_t count) {
  done_[mutation] = true;
  if (outcomes_ != nullptr) {
    (*outcomes_)[mutation].status = Status::Ok();
    if (count > 0) (*outcomes_)[mutation].result = cell::CopyRow(cells, count);
  } else if (results_ != nullptr && count > 0) {
    (*results_)[mutation] = cell::CopyRow(cells, count);
  }
}

void MultiCall::Distribute(const Part& part, const std::vector<Cell>& cells) {
  size_t next = 0;
  for (const size_t mutation : part.mutations) {
    const MutationBatch::Row& row = batch_.rows()[mutation];
    size_t count = 0;
    if (Reads(row.kind) && batch_.options(mutation).return_results) {
      count = std::min<size_t>(row.cell_count, cells.size() - next);
    }
    Succeed(mutation, cells.data() + next, count);
    next += count;
  }
}

Status MultiCall::TakeAtomicPart(const Part& part, const pb::RegionActionResult& result,
                                 ResultReader* reader, Round* round) {
  std::vector<Cell> cells;
  std::optional<CallOutcome> failed;
  for (const pb::ResultOrException& one : result.resultorexception()) {
    if (one.has_exception()) {
      failed = OutcomeOf(rpc::FailureOf(one.exception()));
    } else {
      RETURN_IF_ERROR(reader->Read(one.result(), &cells));
    }
  }
  if (failed.has_value()) {
    Fail(part, *failed, round);
  } else {
    Distribute(part, cells);
  }
  return Status::Ok();
}

Status MultiCall::TakePart(const Part& part, const pb::RegionActionResult& result,
                           ResultReader* reader, Round* round) {
  if (result.has_exception()) {
    Fail(part, OutcomeOf(rpc::FailureOf(result.exception())), round);
    return Status::Ok();
  }
  if (part.atomic) return TakeAtomicPart(part, result, reader, round);
  std::vector<bool> told(part.mutations.size(), false);
  std::vector<Cell> cells;
  for (const pb::ResultOrException& one : result.resultorexception()) {
    if (one.index() >= part.mutations.size()) return NotAsked().status;
    told[one.index()] = true;
    const size_t mutation = part.mutations[one.index()];
    if (one.has_exception()) {
      const CallOutcome failed = OutcomeOf(rpc::FailureOf(one.exception()));
      cluster_->Correct(part.region, failed);
      FailOne(mutation, failed, round);
      continue;
    }
    cells.clear();
    RETURN_IF_ERROR(reader->Read(one.result(), &cells));
    Succeed(mutation, cells.data(), cells.size());
  }
  // What the server says nothing of may have been done, and is nobody's success.
  for (size_t i = 0; i < told.size(); ++i) {
    if (told[i]) continue;
    FailOne(part.mutations[i],
            OutcomeOf(Corruption("the server's answer tells nothing of a mutation")), round);
  }
  return Status::Ok();
}

void MultiCall::TakeAnswer(const Parts& parts, CallOutcome outcome, Round* round) {
  pb::MultiResponse response;
  if (outcome.status.ok()) outcome.status = outcome.answer.Parse(&response);
  if (outcome.status.ok() && response.regionactionresult_size() != static_cast<int>(parts.size())) {
    outcome = NotAsked();
  }
  if (!outcome.status.ok()) {
    for (const Part& part : parts) Fail(part, outcome, round);
    return;
  }
  ResultReader reader(outcome.answer);
  for (size_t i = 0; i < parts.size(); ++i) {
    Status taken =
        TakePart(parts[i], response.regionactionresult(static_cast<int>(i)), &reader, round);
    if (taken.ok()) continue;
    // The cells of those behind it cannot be found any more.
    const CallOutcome failed = OutcomeOf(std::move(taken));
    for (; i < parts.size(); ++i) Fail(parts[i], failed, round);
  }
}

Status MultiCall::Run(bool atomic, bool one_region) {
  const Bytes first_row(batch_.row_key(batch_.rows()[0]));
  Operation operation(cluster_->options(), table_, first_row);
  while (true) {
    Round round;
    std::map<Address, Parts> parts = Divide(atomic, operation, &round);
    if (one_region && (parts.size() > 1 || (!parts.empty() && parts.begin()->second.size() > 1))) {
      return InvalidArgument(fmt::format(
          "table {}: rows of several regions cannot be changed atomically", table_.ToString()));
    }
    SendAll(std::move(parts), operation, &round);
    if (round.worst.status.ok()) return Status::Ok();
    const LocationPtr place = cluster_->FindKnown(table_, RowOf(round.worst_mutation), false);
    operation.SetRow(RowOf(round.worst_mutation));
    if (place != nullptr) operation.SetPlace(place->name, *place->server);
    RETURN_IF_ERROR(operation.TryAgain(round.worst));
  }
}

Status MultiCall::RunAtomically(bool one_region, std::vector<Row>* results) {
  RETURN_IF_ERROR(Check());
  results_ = results;
  if (results != nullptr) {
    results->clear();
    results->resize(batch_.row_count());
  }
  if (batch_.empty()) return Status::Ok();
  return Run(true, one_region);
}

Status MultiCall::RunEach(std::vector<Table::Outcome>* outcomes) {
  RETURN_IF_ERROR(Check());
  outcomes_ = outcomes;
  outcomes->clear();
  outcomes->resize(batch_.row_count());
  if (batch_.empty()) return Status::Ok();
  const Status status = Run(false, false);
  if (status.ok()) return status;
  bool any = false;
  for (size_t i = 0; i < done_.size(); ++i) {
    any = any || done_[i];
    // Those that were left when the operation ended.
    if (!done_[i]) (*outcomes)[i].status = status;
  }
  return any ? Status::Ok() : status;
}

Result<Table::CheckedResult> MultiCall::RunChecked(const Table::Condition& condition) {
  RETURN_IF_ERROR(Check());
  if (batch_.empty()) return InvalidArgument("a condition without a mutation");
  for (const MutationBatch::Row& row : batch_.rows()) {
    if (batch_.row_key(row) != condition.row) {
      return InvalidArgument("a condition and its mutations must be of the same row");
    }
  }
  Table::CheckedResult checked;
  Operation operation(cluster_->options(), table_, condition.row);
  RETURN_IF_ERROR(Cluster::Retry(&operation, [&]() -> CallOutcome {
    auto found = cluster_->Find(table_, condition.row, operation);
    if (!found.ok()) return OutcomeOf(std::move(found).status());
    Part part = {*std::move(found), {}, true, 0};
    for (size_t i = 0; i < batch_.row_count(); ++i) part.mutations.push_back(i);
    operation.SetPlace(part.region->name, *part.region->server);
    pb::MultiRequest request;
    Bytes sent;
    Encode({part}, &condition, &request, &sent);
    CallOutcome outcome =
        cluster_->ChannelTo(*part.region)->Call("Multi", request, sent, operation.CallTimeout());
    cluster_->Correct(part.region, outcome);
    if (outcome.in_doubt) return NotAgain(operation, std::move(outcome));
    if (!outcome.status.ok()) return outcome;
    pb::MultiResponse response;
    outcome.status = outcome.answer.Parse(&response);
    if (!outcome.status.ok()) return outcome;
    if (response.regionactionresult_size() != 1) return NotAsked();
    const pb::RegionActionResult& result = response.regionactionresult(0);
    if (result.has_exception()) {
      CallOutcome failed = OutcomeOf(rpc::FailureOf(result.exception()));
      cluster_->Correct(part.region, failed);
      return failed.in_doubt ? NotAgain(operation, std::move(failed)) : failed;
    }
    ResultReader reader(outcome.answer);
    std::vector<Cell> cells;
    for (const pb::ResultOrException& one : result.resultorexception()) {
      if (one.has_exception()) {
        CallOutcome failed = OutcomeOf(rpc::FailureOf(one.exception()));
        return failed.in_doubt ? NotAgain(operation, std::move(failed)) : failed;
      }
      outcome.status = reader.Read(one.result(), &cells);
      if (!outcome.status.ok()) return outcome;
    }
    checked.success = result.processed();
    if (!cells.empty()) checked.result = cell::CopyRow(cells.data(), cells.size());
    return outcome;
  }));
  return checked;
}

}  // namespace bennu::client
