#include "src/sql/exec/range_query.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/table_merge.h"
#include "src/sql/exec/table_merger.h"
#include "src/sql/exec/table_scan.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/keys/slot_layout.h"

namespace bennu::sql::exec {

// What one run at a time uses, with all memory already there.
class RangeRun {
 public:
  std::shared_ptr<TableScanSpec> spec;
  std::unique_ptr<RepeatedScan> scan;
  std::optional<TableMerger> merger;  // of an index whose rows are looked up in its table
  Bytes prefix;                       // of the columns that are equal to something, with separators
  size_t significant = 0;             // of 'prefix', without separators behind the last value
  Bytes encoded;
  Bytes lower, upper;  // the bounds' bytes
  Bytes start, stop;   // rows without the salt byte; 'stop' may be empty: unbounded
  DataChunk chunk;     // rows, by slots
  DataChunk selected;  // those of them that pass the filter
  SelectionVector selection;
};

class RangeStream : public RowStream {
 public:
  // 'limit' negative: none.
  RangeStream(std::shared_ptr<RangeQuery> query, std::unique_ptr<RangeRun> run, int64_t limit,
              const RunOptions& options, std::span<const Value> params)
      : query_(std::move(query)),
        run_(std::move(run)),
        context_(query_->connection_, options, params),
        eval_(context_.params(), options.now_millis),
        rows_left_(limit) {}

  ~RangeStream() override {
    if (begun_) End();
    if (!failed_) query_->runs_.GiveBack(std::move(run_));
  }

  Status Next(DataChunk* chunk) override {
    chunk->size = 0;
    if (done_) return Status::Ok();
    if (!begun_) {
      begun_ = true;
      Begin();
    }
    Status status = Fill(chunk);
    failed_ = !status.ok();
    if (failed_ || chunk->size == 0) {
      done_ = true;
      End();
    }
    rows_returned_ += status.ok() ? chunk->size : 0;
    return status;
  }

  Metrics metrics() const override {
    Metrics metrics = context_.metrics();
    metrics.rows_returned = rows_returned_;
    return metrics;
  }

  // There is nothing to read.
  void SetDone() { done_ = true; }

 private:
  void Begin() {
    run_->scan->Begin(&context_);
    // A filter behind the look-up may take any number of rows away.
    const int64_t row_limit = query_->node_->filter == nullptr ? rows_left_ : -1;
    if (run_->merger.has_value()) run_->merger->Begin(&context_, row_limit, /*step=*/nullptr);
  }
  void End() {
    run_->scan->End();
    if (run_->merger.has_value()) run_->merger->End();
  }

  Status Read() {
    if (run_->merger.has_value()) return run_->merger->Next(run_->scan.get(), &run_->chunk);
    return run_->scan->Next(&run_->chunk);
  }

  Status Fill(DataChunk* chunk) {
    const bind::BoundSelect& select = *query_->node_->select;
    if (chunk->columns.size() != select.visible_outputs) {
      chunk->columns.resize(select.visible_outputs);
    }
    const DataChunk* rows = nullptr;
    while (rows == nullptr && rows_left_ != 0) {
      RETURN_IF_ERROR(Read());
      if (run_->chunk.size == 0) return Status::Ok();
      RETURN_IF_ERROR(ChooseRows(&rows));
    }
    if (rows == nullptr) return Status::Ok();
    for (size_t i = 0; i < select.visible_outputs; ++i) {
      RETURN_IF_ERROR(Evaluate(*select.outputs[i].expr, *rows, &eval_, &chunk->columns[i]));
    }
    chunk->size = rows->size;
    if (rows_left_ >= 0) {
      chunk->size = std::min(chunk->size, static_cast<size_t>(rows_left_));
      rows_left_ -= static_cast<int64_t>(chunk->size);
    }
    return Status::Ok();
  }

  // *rows stays null when the filter lets none pass.
  Status ChooseRows(const DataChunk** rows) {
    if (query_->node_->filter == nullptr) {
      *rows = &run_->chunk;
      return Status::Ok();
    }
    RETURN_IF_ERROR(EvaluateFilter(*query_->node_->filter, run_->chunk, &eval_, &run_->selection));
    if (run_->selection.size() == 0) return Status::Ok();
    if (run_->selection.size() == run_->chunk.size) {
      *rows = &run_->chunk;
      return Status::Ok();
    }
    GatherChunk(run_->chunk, run_->selection, &run_->selected);
    *rows = &run_->selected;
    return Status::Ok();
  }

  const std::shared_ptr<RangeQuery> query_;
  std::unique_ptr<RangeRun> run_;
  ExecContext context_;
  EvalContext eval_;
  int64_t rows_left_;
  uint64_t rows_returned_ = 0;
  bool begun_ = false;
  bool done_ = false;
  bool failed_ = false;  // what the run has is perhaps of no more use
};

RangeQuery::RangeQuery(std::shared_ptr<const plan::Plan> plan, const plan::KeyRangeNode* node,
                       Connection* connection)
    : plan_(std::move(plan)),
      node_(node),
      schema_(node->scan->schema.get()),
      connection_(connection) {}

RangeQuery::~RangeQuery() = default;

std::unique_ptr<RangeRun> RangeQuery::MakeRun() const {
  const plan::ScanNode& scan = *node_->scan;
  auto run = std::make_unique<RangeRun>();
  run->spec = std::make_shared<TableScanSpec>();
  run->spec->table = scan.table;
  run->spec->data = scan.data;
  run->spec->columns = node_->columns;
  run->spec->slot_count = node_->select->slots.size();
  run->spec->keys.kind = KeyScan::Kind::kRange;
  run->spec->keys.ranges.resize(std::max<size_t>(1, schema_->salt_buckets()));
  run->spec->ordered = scan.direction != plan::KeyDirection::kAny;
  run->spec->reversed = scan.direction == plan::KeyDirection::kBackward;
  if (scan.indexed != nullptr && scan.indexed->has_marks) run->spec->verified_by = scan.indexed;
  if (scan.merges()) {
    run->merger.emplace(scan.indexed.get(), schema_, run->spec->slot_count, node_->index_filter);
    ReadKeysForMerge(run->spec.get());
  }
  run->scan = MakeRepeatedScan(run->spec);
  return run;
}

bool RangeQuery::EncodeBounds(std::span<const Value> params, RangeRun* run, bool* nothing) const {
  const KeyColumn& column = schema_->columns()[node_->equal.size()];
  for (const bool is_lower : {true, false}) {
    const plan::KeyRangeNode::Bound& bound = is_lower ? node_->lower : node_->upper;
    if (bound.operand == nullptr) continue;
    Bytes* const encoded = is_lower ? &run->lower : &run->upper;
    const Value& value = ValueOf(*bound.operand, params);
    if (value.is_null()) {
      *nothing = true;
      return true;
    }
    if (!EncodeOperand(value, column, encoded) || encoded->empty()) return false;
    if (schema_->IsMisread(node_->equal.size(), *encoded)) return false;
  }
  return true;
}

bool RangeQuery::MakeRanges(std::span<const Value> params, RangeRun* run, bool* nothing) const {
  KeyScan& keys = run->spec->keys;
  keys.time_range = {};
  run->prefix.clear();
  run->significant = 0;
  for (size_t i = 0; i < node_->equal.size(); ++i) {
    const Value& value = ValueOf(*node_->equal[i], params);
    if (value.is_null()) {
      *nothing = true;
      return true;
    }
    if (!EncodeOperand(value, schema_->columns()[i], &run->encoded) || run->encoded.empty()) {
      return false;
    }
    if (schema_->IsMisread(i, run->encoded)) return false;
    run->prefix.append(run->encoded);
    run->significant = run->prefix.size();
    run->prefix.append(schema_->Separator(i, /*is_null=*/false));
    if (schema_->IsTerminated(i)) run->significant = run->prefix.size();
    if (static_cast<int>(i) == schema_->row_timestamp_column()) {
      const KeyRange point = KeyRange::Point(run->encoded);
      keys.time_range = RowTimestampRange(schema_->columns()[i], std::span(&point, 1));
    }
  }
  if (node_->lower.operand != nullptr || node_->upper.operand != nullptr) {
    if (!EncodeBounds(params, run, nothing)) return false;
    if (*nothing) return true;
    // The next value of a fixed width can be named.
    const bool steps = node_->lower.operand != nullptr && !node_->lower.inclusive && IsFixedBound();
    if (steps) {
      std::optional<Bytes> next = NextKey(run->lower);
      *nothing = !next.has_value();
      if (*nothing) return true;
      run->lower = *std::move(next);
    }
    if (static_cast<int>(node_->equal.size()) == schema_->row_timestamp_column()) {
      KeyRange range;
      range.lower_bounded = node_->lower.operand != nullptr;
      range.lower_inclusive = node_->lower.inclusive || steps;
      if (range.lower_bounded) range.lower = run->lower;
      range.upper_bounded = node_->upper.operand != nullptr;
      range.upper_inclusive = node_->upper.inclusive;
      if (range.upper_bounded) range.upper = run->upper;
      *nothing = range.IsEmpty();
      if (*nothing) return true;
      keys.time_range =
          RowTimestampRange(schema_->columns()[node_->equal.size()], std::span(&range, 1));
    }
  }
  MakeStart(run);
  MakeStop(run);
  *nothing =
      keys.time_range.min >= keys.time_range.max || (!run->stop.empty() && run->stop <= run->start);
  if (*nothing) return true;
  if (!schema_->salted()) {
    keys.ranges[0].start.assign(run->start);
    keys.ranges[0].stop.assign(run->stop);
    return true;
  }
  for (size_t bucket = 0; bucket < keys.ranges.size(); ++bucket) {
    RowRange& range = keys.ranges[bucket];
    range.start.assign(1, static_cast<char>(bucket)).append(run->start);
    range.stop.clear();
    if (!run->stop.empty()) {
      range.stop.assign(1, static_cast<char>(bucket)).append(run->stop);
    } else if (bucket < 255) {
      range.stop.assign(1, static_cast<char>(bucket + 1));
    }
  }
  return true;
}

// The least row. A row whose last columns are NULL has no separators behind the others.
void RangeQuery::MakeStart(RangeRun* run) const {
  const bool is_last = node_->equal.size() + 1 == schema_->column_count();
  run->start.assign(run->prefix);
  const bool between = node_->lower.operand != nullptr || node_->upper.operand != nullptr;
  if (node_->lower.operand == nullptr && (!between || IsFixedBound())) {
    run->start.resize(run->significant);
    return;
  }
  // No lower bound of text: behind NULL.
  if (node_->lower.operand != nullptr) run->start.append(run->lower);
  if (node_->lower.operand != nullptr && (node_->lower.inclusive || IsFixedBound())) return;
  run->start.push_back('\0');
  if (!is_last) PrefixSuccessor(&run->start);
}

// The row behind the greatest one; empty when there is none.
void RangeQuery::MakeStop(RangeRun* run) const {
  run->stop.assign(run->prefix);
  if (node_->upper.operand != nullptr) {
    run->stop.append(run->upper);
    if (!node_->upper.inclusive) return;
    if (node_->equal.size() + 1 == schema_->column_count()) {
      run->stop.push_back('\0');
      return;
    }
    run->stop.append(schema_->Separator(node_->equal.size(), /*is_null=*/false));
  }
  if (!PrefixSuccessor(&run->stop)) run->stop.clear();
}

bool RangeQuery::IsFixedBound() const { return schema_->IsFixed(node_->equal.size()); }

bool RangeQuery::TakeLimit(std::span<const Value> params, int64_t* limit) const {
  *limit = -1;
  const bind::ExprPtr& expr = node_->limit;
  if (expr == nullptr) return true;
  const Value& value = ValueOf(*expr, params);
  const bool whole = value.type().id == TypeId::kInteger || value.type().id == TypeId::kBigint;
  if (!whole || value.is_null() || value.int64() < 0) return false;
  *limit = value.int64();
  return true;
}

std::unique_ptr<RowStream> RangeQuery::Open(std::span<const Value> params,
                                            const RunOptions& options) {
  // The long way has the servers leave rows of the index out.
  if (node_->index_filter != nullptr && connection_->capabilities().remote) return nullptr;
  int64_t limit = -1;
  if (!TakeLimit(params, &limit)) return nullptr;
  std::unique_ptr<RangeRun> run = runs_.Take();
  if (run == nullptr) run = MakeRun();
  bool nothing = false;
  if (!MakeRanges(params, run.get(), &nothing)) {
    runs_.GiveBack(std::move(run));
    return nullptr;
  }
  // Of an index's rows some may not count.
  const bool all_count = node_->filter == nullptr && !run->merger.has_value();
  run->spec->row_limit = all_count ? limit : -1;
  auto rows =
      std::make_unique<RangeStream>(shared_from_this(), std::move(run), limit, options, params);
  if (nothing) rows->SetDone();
  return rows;
}

}  // namespace bennu::sql::exec
