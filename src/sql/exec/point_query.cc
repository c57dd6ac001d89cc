#include "src/sql/exec/point_query.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/row_existence.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/expr/evaluate.h"

namespace bennu::sql::exec {

// What one run at a time uses, with all memory already there.
class PointRun {
 public:
  explicit PointRun(const plan::PointLookupNode& node)
      : decoder(node.scan->schema.get(), node.columns, 1),
        encoded(node.scan->schema->column_count()),
        views(encoded.size()) {
    chunk.columns.resize(node.select->slots.size());
    const catalog::TableMeta& table = *node.scan->table;
    bool all = false;
    for (const ScanColumn& column : node.columns) {
      all |= column.source == ScanColumn::Source::kRowSize;
      if (!column.family.empty()) get.columns[column.family].insert(column.qualifier);
    }
    catalog::AddExistence(table, &get.columns);
    if (all) get.columns.clear();
  }

  // Fills 'chunk' with the row, whose cells may go then.
  Status Take(const Cell* cells, size_t count) {
    cell_count = count;
    decoder.AddRow(cells, count);
    RETURN_IF_ERROR(decoder.Finish(&chunk));
    heap.Clear();
    for (Vector& column : chunk.columns) {
      const bool views = column.capacity() > 0 && column.physical_type() == PhysicalType::kBytes;
      if (views && !column.IsNull(0)) column.SetView(0, heap.Add(column.At<ByteView>(0)));
    }
    return Status::Ok();
  }

  RowDecoder decoder;
  Get get;
  std::vector<Bytes> encoded;
  std::vector<ByteView> views;
  size_t cell_count = 0;
  StringHeap heap;
  DataChunk chunk;  // the row, by slots
  std::vector<Value> params;
};

class PointStream : public RowStream {
 public:
  PointStream(std::shared_ptr<PointQuery> query, std::unique_ptr<PointRun> run, bool found,
              int64_t now_millis)
      : query_(std::move(query)), run_(std::move(run)), pending_(found), found_(found) {
    eval_ = EvalContext(run_->params, now_millis);
  }
  ~PointStream() override { query_->runs_.GiveBack(std::move(run_)); }

  Status Next(DataChunk* chunk) override {
    const bool row = std::exchange(pending_, false);
    const bind::BoundSelect& select = *query_->node_->select;
    if (chunk->columns.size() != select.visible_outputs) {
      chunk->columns.resize(select.visible_outputs);
    }
    chunk->size = 0;
    if (!row) return Status::Ok();
    if (query_->node_->filter != nullptr) {
      SelectionVector selection;
      RETURN_IF_ERROR(EvaluateFilter(*query_->node_->filter, run_->chunk, &eval_, &selection));
      if (selection.size() == 0) return Status::Ok();
    }
    for (size_t i = 0; i < select.visible_outputs; ++i) {
      RETURN_IF_ERROR(Evaluate(*select.outputs[i].expr, run_->chunk, &eval_, &chunk->columns[i]));
    }
    chunk->size = 1;
    return Status::Ok();
  }

  Metrics metrics() const override {
    Metrics metrics;
    metrics.rows_scanned = found_ ? 1 : 0;
    metrics.cells_scanned = found_ ? run_->cell_count : 0;
    metrics.rows_returned = found_ && !pending_ ? 1 : 0;
    metrics.threads = 1;
    return metrics;
  }

 private:
  const std::shared_ptr<PointQuery> query_;
  std::unique_ptr<PointRun> run_;
  EvalContext eval_;
  bool pending_;
  const bool found_;
};

PointQuery::PointQuery(std::shared_ptr<const plan::Plan> plan, const plan::PointLookupNode* node)
    : plan_(std::move(plan)), node_(node) {}

PointQuery::~PointQuery() = default;

bool PointQuery::MakeKey(std::span<const Value> params, PointRun* run, bool* absent) const {
  const KeySchema& schema = *node_->scan->schema;
  for (size_t i = 0; i < node_->key_operands.size(); ++i) {
    const Value& value = ValueOf(*node_->key_operands[i], params);
    if (value.is_null()) {
      *absent = true;  // = NULL is never true
      return true;
    }
    if (!EncodeOperand(value, schema.columns()[i], &run->encoded[i])) return false;
    run->views[i] = run->encoded[i];
  }
  run->get.row.clear();
  return schema.AppendKey(run->views, &run->get.row).ok();
}

Result<std::unique_ptr<RowStream>> PointQuery::Open(std::span<const Value> params,
                                                    const RunOptions& options) {
  std::unique_ptr<PointRun> run = runs_.Take();
  if (run == nullptr) run = std::make_unique<PointRun>(*node_);
  bool absent = false;
  if (!MakeKey(params, run.get(), &absent)) {
    runs_.GiveBack(std::move(run));
    return std::unique_ptr<RowStream>();
  }
  bool found = false;
  if (!absent) {
    run->get.time_range = options.time_range;
    run->get.consistency = options.consistency;
    run->get.snapshot = options.snapshot;
    PointRun* const target = run.get();
    Status taken;
    Status status = node_->scan->data->GetCells(run->get, [&](const Cell* cells, size_t count) {
      found = count > 0;
      if (found) taken = target->Take(cells, count);
    });
    if (status.ok()) status = std::move(taken);
    if (!status.ok()) {
      runs_.GiveBack(std::move(run));
      return status;
    }
  }
  run->params.assign(params.begin(), params.end());
  return std::unique_ptr<RowStream>(
      std::make_unique<PointStream>(shared_from_this(), std::move(run), found, options.now_millis));
}

}  // namespace bennu::sql::exec
