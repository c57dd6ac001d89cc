#include "src/client/multi_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

bool Reads(MutationKind kind) {
  return kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
}

CallOutcome OutcomeOf(rpc::RemoteFailure failure) {
  CallOutcome outcome;
  outcome.status = std::move(failure.status);
  outcome.remedy = failure.remedy;
  return outcome;
}

// The worse of two: what cannot be mended before what can, and anything before nothing.
void KeepWorse(CallOutcome other, CallOutcome* kept) {
  if (other.status.ok()) return;
  if (kept->status.ok() || other.remedy == rpc::Remedy::kNone) *kept = std::move(other);
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

CallOutcome MultiCall::Divide(bool atomic, std::map<Address, std::vector<Part>>* parts) {
  auto regions = cluster_->Regions(table_);
  if (!regions.ok()) return client::OutcomeOf(std::move(regions).status());
  regions_ = *std::move(regions);
  std::map<const RegionLocation*, Part> by_region;
  for (size_t i = 0; i < done_.size(); ++i) {
    if (done_[i]) continue;
    const ByteView row = batch_.row_key(batch_.rows()[i]);
    const RegionLocation* const region = regions_->Find(row);
    if (region == nullptr || !region->server.has_value()) {
      return client::OutcomeOf(Status(
          StatusCode::kAborted,
          fmt::format("table {}: a region is on no server at the moment", table_.ToString())));
    }
    // What must be several messages is atomic by itself.
    if (!atomic && HasSeveralKinds(i)) {
      (*parts)[*region->server].push_back({region, {i}, true});
      continue;
    }
    Part& part = by_region[region];
    part.region = region;
    part.atomic = atomic;
    part.mutations.push_back(i);
  }
  for (auto& [region, part] : by_region) (*parts)[*region->server].push_back(std::move(part));
  return {};
}

void MultiCall::AddPart(const Part& part, const Table::Condition* condition, Bytes* cells,
                        pb::MultiRequest* request) {
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

CallOutcome MultiCall::Send(const std::vector<Part>& parts, const Table::Condition* condition,
                            pb::MultiResponse* response, Answer* answer) {
  pb::MultiRequest request;
  Bytes cells;
  for (const Part& part : parts) AddPart(part, condition, &cells, &request);
  request.set_noncegroup(cluster_->nonce_group());
  CallOutcome outcome = cluster_->CallRegion(*parts.front().region, "Multi", request, cells);
  if (!outcome.status.ok()) return outcome;
  *answer = std::move(outcome.answer);
  outcome.status = answer->Parse(response);
  if (outcome.status.ok() &&
      response->regionactionresult_size() != static_cast<int>(parts.size())) {
    outcome.status = Corruption("the server's answer is about other regions than were asked for");
  }
  return outcome;
}

void MultiCall::Distribute(const Part& part, const std::vector<Cell>& cells,
                           std::vector<Row>* results) {
  size_t next = 0;
  for (const size_t mutation : part.mutations) {
    const MutationBatch::Row& row = batch_.rows()[mutation];
    if (!Reads(row.kind) || !batch_.options(mutation).return_results) continue;
    const size_t count = std::min<size_t>(row.cell_count, cells.size() - next);
    if (count > 0) (*results)[mutation] = cell::CopyRow(&cells[next], count);
    next += count;
  }
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

Status MultiCall::RunAtomically(bool one_region, std::vector<Row>* results) {
  RETURN_IF_ERROR(Check());
  std::vector<Row> unwanted;
  if (results == nullptr) results = &unwanted;
  results->clear();
  results->resize(batch_.row_count());
  if (batch_.empty()) return Status::Ok();
  return cluster_->Retry(table_, [&]() -> CallOutcome {
    std::map<Address, std::vector<Part>> by_server;
    CallOutcome worst = Divide(true, &by_server);
    if (!worst.status.ok()) return worst;
    if (one_region && (by_server.size() > 1 || by_server.begin()->second.size() > 1)) {
      worst.status = InvalidArgument(fmt::format(
          "table {}: rows of several regions cannot be changed atomically", table_.ToString()));
      return worst;
    }
    for (const auto& [server, parts] : by_server) {
      pb::MultiResponse response;
      Answer answer;
      CallOutcome outcome = Send(parts, nullptr, &response, &answer);
      if (!outcome.status.ok()) {
        KeepWorse(std::move(outcome), &worst);
        continue;
      }
      ResultReader reader(answer);
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto& result = response.regionactionresult(static_cast<int>(i));
        if (result.has_exception()) {
          KeepWorse(OutcomeOf(rpc::FailureOf(result.exception())), &worst);
          continue;
        }
        std::vector<Cell> cells;
        for (const pb::ResultOrException& one : result.resultorexception()) {
          if (one.has_exception()) {
            KeepWorse(OutcomeOf(rpc::FailureOf(one.exception())), &worst);
            continue;
          }
          Status status = reader.Read(one.result(), &cells);
          if (!status.ok()) return client::OutcomeOf(std::move(status));
        }
        Distribute(parts[i], cells, results);
        for (const size_t mutation : parts[i].mutations) done_[mutation] = true;
      }
    }
    return worst;
  });
}

Status MultiCall::RunEach(std::vector<Table::Outcome>* outcomes) {
  RETURN_IF_ERROR(Check());
  outcomes->clear();
  outcomes->resize(batch_.row_count());
  if (batch_.empty()) return Status::Ok();
  const Status status = cluster_->Retry(table_, [&]() -> CallOutcome {
    std::map<Address, std::vector<Part>> by_server;
    CallOutcome worst = Divide(false, &by_server);
    if (!worst.status.ok()) return worst;
    // A mutation that failed for good is done as well; others are tried again.
    const auto end = [&](size_t mutation, rpc::RemoteFailure failure) {
      (*outcomes)[mutation].status = failure.status;
      if (failure.remedy == rpc::Remedy::kNone) {
        done_[mutation] = true;
      } else {
        KeepWorse(OutcomeOf(std::move(failure)), &worst);
      }
    };
    for (const auto& [server, parts] : by_server) {
      pb::MultiResponse response;
      Answer answer;
      CallOutcome outcome = Send(parts, nullptr, &response, &answer);
      if (!outcome.status.ok()) {
        for (const Part& part : parts) {
          for (const size_t mutation : part.mutations) {
            end(mutation, {outcome.status, outcome.remedy});
          }
        }
        continue;
      }
      ResultReader reader(answer);
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto& result = response.regionactionresult(static_cast<int>(i));
        const Part& part = parts[i];
        if (result.has_exception()) {
          for (const size_t mutation : part.mutations) {
            end(mutation, rpc::FailureOf(result.exception()));
          }
          continue;
        }
        for (const pb::ResultOrException& one : result.resultorexception()) {
          // Of an atomic part the first tells of all.
          const size_t index = part.atomic ? 0 : one.index();
          if (index >= part.mutations.size()) {
            return client::OutcomeOf(Corruption("the server's answer is about what was not asked"));
          }
          const size_t mutation = part.mutations[index];
          if (one.has_exception()) {
            end(mutation, rpc::FailureOf(one.exception()));
            continue;
          }
          std::vector<Cell> cells;
          Status read = reader.Read(one.result(), &cells);
          if (!read.ok()) return client::OutcomeOf(std::move(read));
          (*outcomes)[mutation].status = Status::Ok();
          if (!cells.empty())
            (*outcomes)[mutation].result = cell::CopyRow(cells.data(), cells.size());
          done_[mutation] = true;
        }
      }
    }
    return worst;
  });
  // What was left when the time was over has its own error already.
  const bool any_tried = std::any_of(outcomes->begin(), outcomes->end(),
                                     [](const auto& outcome) { return !outcome.status.ok(); }) ||
                         std::find(done_.begin(), done_.end(), true) != done_.end();
  return any_tried ? Status::Ok() : status;
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
  RETURN_IF_ERROR(cluster_->Retry(table_, [&]() -> CallOutcome {
    std::map<Address, std::vector<Part>> by_server;
    CallOutcome outcome = Divide(true, &by_server);
    if (!outcome.status.ok()) return outcome;
    pb::MultiResponse response;
    Answer answer;
    outcome = Send(by_server.begin()->second, &condition, &response, &answer);
    if (outcome.in_doubt) {
      outcome.remedy = rpc::Remedy::kNone;
      outcome.status = outcome.status.Annotate("it is not known whether the change was made");
    }
    if (!outcome.status.ok()) return outcome;
    const pb::RegionActionResult& result = response.regionactionresult(0);
    if (result.has_exception()) return OutcomeOf(rpc::FailureOf(result.exception()));
    ResultReader reader(answer);
    std::vector<Cell> cells;
    for (const pb::ResultOrException& one : result.resultorexception()) {
      if (one.has_exception()) return OutcomeOf(rpc::FailureOf(one.exception()));
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
