#include "src/sql/exec/server_aggregate.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "src/api/server_aggregates.h"
#include "src/api/store_tools.h"
#include "src/base/mutex.h"
#include "src/base/parallel_work.h"
#include "src/base/status_macros.h"
#include "src/sql/exec/table_scan.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {

namespace {

using api::ServerAggregate;
using plan::AggregateNode;

// More ranges than this are better read by one scan that jumps.
constexpr size_t kRangesMax = 64;
constexpr size_t kPartsOfAWorker = 4;

// The cell that an aggregate is about, as HBase's LongColumnInterpreter reads it; null: another.
const ScanColumn* LongsOf(const AggregateCall& call, const TableScanSpec& spec) {
  if (call.arguments.size() != 1) return nullptr;
  const bind::Expr& argument = *call.arguments[0];
  if (argument.kind != BoundKind::kSlot || argument.type.id != TypeId::kUnsignedLong) {
    return nullptr;
  }
  const auto found =
      std::find_if(spec.columns.begin(), spec.columns.end(), [&](const ScanColumn& column) {
        return column.output == static_cast<uint32_t>(argument.slot);
      });
  if (found == spec.columns.end() || found->source != ScanColumn::Source::kCell ||
      found->type.id != TypeId::kUnsignedLong || found->order != SortOrder::kAsc ||
      found->default_value.has_value()) {
    return nullptr;
  }
  return &*found;
}

bool IsForServers(const AggregateCall& call, const TableScanSpec& spec) {
  switch (call.kind) {
    case AggregateKind::kCountAll: return true;
    case AggregateKind::kSum:
    case AggregateKind::kMin:
    case AggregateKind::kMax: return LongsOf(call, spec) != nullptr;
    default: return false;
  }
}

class ServerAggregateOperator : public Operator {
 public:
  ServerAggregateOperator(ExecContext* context, const AggregateNode& node, ScanRun run,
                          std::unique_ptr<Operator> otherwise)
      : context_(context), node_(node), run_(std::move(run)), otherwise_(std::move(otherwise)) {}

  Status Next(DataChunk* chunk) override {
    if (!asked_) {
      asked_ = true;
      auto row = Ask();
      // What is wrong with a server, or with the table, a scan tells better.
      if (row.ok() && row->has_value()) {
        otherwise_.reset();
        return Give(**row, chunk);
      }
      RETURN_IF_ERROR(context_->CheckCancelled());
    }
    if (otherwise_ != nullptr) return otherwise_->Next(chunk);
    chunk->size = 0;
    return Status::Ok();
  }

 private:
  // Nothing: it cannot be had from the servers.
  using Number = std::optional<int64_t>;

  Result<std::optional<std::vector<Value>>> Ask() {
    for (const RowRange& range : run_.spec->keys.ranges) {
      ASSIGN_OR_RETURN(const auto cut, run_.spec->data->SplitRange(
                                           range, context_->worker_count() * kPartsOfAWorker));
      parts_.insert(parts_.end(), cut.begin(), cut.end());
    }
    std::vector<Value> row;
    for (const bind::AggregatePtr& call : node_.spec.aggregates) {
      ASSIGN_OR_RETURN(const std::optional<Value> value, AskFor(*call));
      if (!value.has_value()) return std::optional<std::vector<Value>>();
      row.push_back(*value);
    }
    return std::optional(std::move(row));
  }

  Result<std::optional<Value>> AskFor(const AggregateCall& call) {
    if (call.kind == AggregateKind::kCountAll) {
      ASSIGN_OR_RETURN(const Number count, Run(ServerAggregate::kCount, nullptr));
      context_->CountRowsRead(static_cast<size_t>(count.value_or(0)));
      return std::optional(Value::Bigint(count.value_or(0)));
    }
    const ScanColumn* const column = LongsOf(call, *run_.spec);
    const bool adds = call.kind == AggregateKind::kSum;
    const auto bound =
        call.kind == AggregateKind::kMin ? ServerAggregate::kMin : ServerAggregate::kMax;
    ASSIGN_OR_RETURN(Number value, Run(bound, column));
    if (adds && value.has_value()) {
      // The servers' sums wrap, and nothing tells that they did.
      ASSIGN_OR_RETURN(const Number count, Run(ServerAggregate::kCount, column));
      const int64_t most = std::max<int64_t>(*value, 1);
      if (count.value_or(0) > std::numeric_limits<int64_t>::max() / most) {
        return std::optional<Value>();
      }
      ASSIGN_OR_RETURN(value, Run(ServerAggregate::kSum, column));
    }
    if (!value.has_value()) return std::optional(Value::Null(call.type));
    ASSIGN_OR_RETURN(Value typed, Coerce(Value::Bigint(*value), call.type));
    return std::optional(std::move(typed));
  }

  // Over all parts, at the same time, and once for each question. 'column': null for the rows
  // themselves.
  Result<Number> Run(ServerAggregate what, const ScanColumn* column) {
    const auto known = known_.find({what, column});
    if (known != known_.end()) return known->second;
    auto* const servers = dynamic_cast<api::ServerAggregates*>(run_.spec->data.get());
    Mutex mu;
    Number total;
    RETURN_IF_ERROR(ParallelForAll(
        StoreTools::QueryPool(context_->connection()), parts_.size(), [&](size_t i) -> Status {
          RETURN_IF_ERROR(context_->CheckCancelled());
          Scan scan = MakeScan(context_, *run_.spec, parts_[i]);
          if (column != nullptr) scan.columns = {{column->family, {column->qualifier}}};
          ASSIGN_OR_RETURN(const Number part, servers->Aggregate(what, scan));
          MutexLock lock(&mu);
          total = api::Combined(what, total, part);
          return Status::Ok();
        }));
    known_[{what, column}] = total;
    return total;
  }

  Status Give(const std::vector<Value>& row, DataChunk* chunk) {
    if (chunk->columns.size() != row.size()) chunk->columns.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      chunk->columns[i].Initialize(node_.spec.aggregates[i]->type, 1);
      chunk->columns[i].SetValue(0, row[i]);
    }
    chunk->size = 1;
    return Status::Ok();
  }

  ExecContext* const context_;
  const AggregateNode& node_;
  const ScanRun run_;
  std::unique_ptr<Operator> otherwise_;  // null once the servers have answered
  bool asked_ = false;
  std::vector<RowRange> parts_;
  std::map<std::pair<ServerAggregate, const ScanColumn*>, Number> known_;
};

}  // namespace

bool MayAggregateAtServers(ExecContext* context, const AggregateNode& node, const ScanRun& run) {
  const TableScanSpec& spec = *run.spec;
  if (!spec.remote || dynamic_cast<api::ServerAggregates*>(spec.data.get()) == nullptr) {
    return false;
  }
  const bool as_it_is = run.filter == nullptr && spec.filter == nullptr &&
                        spec.keys.navigator == nullptr && spec.verified_by == nullptr &&
                        spec.sample_percent >= 100 && spec.row_limit < 0 &&
                        context->options().time_range.markers_max == kLatestTimestamp;
  const bool ranges =
      (spec.keys.kind == KeyScan::Kind::kRange || spec.keys.kind == KeyScan::Kind::kFull) &&
      spec.keys.ranges.size() <= kRangesMax;
  const Scan scan = ranges ? MakeScan(context, spec, {}) : Scan();
  // The servers count in one family.
  if (!as_it_is || !ranges || scan.columns.size() != 1 || scan.raw) return false;
  const auto& aggregates = node.spec.aggregates;
  return node.spec.groups.empty() && !aggregates.empty() &&
         std::all_of(aggregates.begin(), aggregates.end(),
                     [&](const auto& call) { return IsForServers(*call, spec); });
}

Result<std::unique_ptr<ScanRun>> PlanForServers(ExecContext* context, const AggregateNode& node) {
  std::unique_ptr<ScanRun> run;
  if (!node.spec.groups.empty() || !context->connection()->capabilities().remote) return run;
  const auto* const scan = dynamic_cast<const plan::ScanNode*>(node.child.get());
  if (scan == nullptr || scan->skips_offset || scan->merges()) return run;
  ASSIGN_OR_RETURN(ScanRun planned, PlanScanRun(context, *scan));
  run = std::make_unique<ScanRun>(std::move(planned));
  return run;
}

bool AggregatesAtServers(ExecContext* context, const AggregateNode& node) {
  const auto run = PlanForServers(context, node);
  if (!run.ok() || *run == nullptr || !MayAggregateAtServers(context, node, **run)) return false;
  const TableScanSpec& spec = *(*run)->spec;
  // The least row that the scan may meet, alone.
  RowRange row;
  row.start = spec.keys.ranges.empty() ? Bytes() : spec.keys.ranges.front().start;
  row.stop = row.start + Bytes(1, '\0');
  auto* const servers = dynamic_cast<api::ServerAggregates*>(spec.data.get());
  return servers->Aggregate(ServerAggregate::kCount, MakeScan(context, spec, row)).ok();
}

std::unique_ptr<Operator> MakeServerAggregate(ExecContext* context, const AggregateNode& node,
                                              ScanRun run, std::unique_ptr<Operator> otherwise) {
  return std::make_unique<ServerAggregateOperator>(context, node, std::move(run),
                                                   std::move(otherwise));
}

}  // namespace bennu::sql::exec
