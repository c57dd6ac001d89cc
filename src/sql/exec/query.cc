#include "src/sql/exec/query.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include "src/base/check.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/sql/bind/select_binder.h"
#include "src/sql/exec/phoenix_plan.h"
#include "src/sql/exec/plan_builder.h"
#include "src/sql/exec/plan_tree.h"
#include "src/sql/exec/point_query.h"
#include "src/sql/exec/range_query.h"
#include "src/sql/exec/segment_query.h"
#include "src/sql/exec/subquery.h"
#include "src/sql/plan/index_chooser.h"
#include "src/sql/plan/planner.h"
#include "src/sql/plan/write_planner.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

class RowStreamOverOperators : public RowStream {
 public:
  RowStreamOverOperators(std::shared_ptr<const plan::Plan> plan, Connection* connection,
                         const RunOptions& options, std::span<const Value> params)
      : plan_(std::move(plan)), context_(connection, options, params) {}

  ~RowStreamOverOperators() override {
    root_ = nullptr;  // the scanners tell what they did when they go
    if (context_.options().analysis != nullptr) Analyze(context_.options().analysis);
  }

  Status Open() {
    start_nanos_ = Env::Default()->MonotonicNanos();
    RETURN_IF_ERROR(RunSubqueries(plan_->subqueries, &context_));
    ASSIGN_OR_RETURN(root_, BuildPlan(&context_, *plan_->root));
    return Status::Ok();
  }

  Status Next(DataChunk* chunk) override {
    chunk->size = 0;
    if (root_ == nullptr) return Status::Ok();
    Status status = context_.CheckCancelled();
    if (status.ok()) status = root_->Next(chunk);
    if (!status.ok() || chunk->size == 0) root_ = nullptr;
    rows_returned_ += status.ok() ? chunk->size : 0;
    return status;
  }

  Metrics metrics() const override {
    Metrics metrics = context_.metrics();
    metrics.rows_returned = rows_returned_;
    return metrics;
  }

 private:
  void Analyze(Analysis* analysis) {
    const double millis =
        static_cast<double>(Env::Default()->MonotonicNanos() - start_nanos_) / 1e6;
    Result<std::vector<PlanLine>> lines = PhoenixPlan(*plan_, &context_);
    if (lines.ok()) {
      const Metrics run = context_.metrics();
      PlanLine total;
      total.text = fmt::format(
          "TOTAL {} ROWS IN {:.3f} ms; {} MORSELS ON {} THREADS; {} BYTES OF MEMORY, {} SPILLED",
          rows_returned_, millis, run.morsels, std::max<size_t>(1, run.threads),
          run.memory_peak_bytes, run.spilled_bytes);
      lines->push_back(std::move(total));
      if (auto tree = MakePlanTree(*plan_, &context_); tree.ok()) {
        tree->totals = {rows_returned_,        static_cast<uint64_t>(millis * 1e6),
                        run.morsels,           std::max<size_t>(1, run.threads),
                        run.memory_peak_bytes, run.spilled_bytes};
        analysis->SetTree(*std::move(tree));
      }
    }
    analysis->SetPlan(std::move(lines));
  }

  const std::shared_ptr<const plan::Plan> plan_;
  uint64_t start_nanos_ = 0;
  ExecContext context_;
  std::unique_ptr<Operator> root_;
  uint64_t rows_returned_ = 0;
};

// How a plan is run that has a short read at its top.
class ShortRead : public plan::DefaultVisitor {
 public:
  ShortRead(std::shared_ptr<const plan::Plan> plan, Connection* connection)
      : plan_(std::move(plan)), connection_(connection) {
    BENNU_CHECK(plan_->root->Accept(this).ok());
  }

  // Null: there is none, or it is not for these values.
  Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params,
                                          const RunOptions& options) const {
    if (point_ != nullptr) return point_->Open(params, options);
    if (range_ != nullptr) return range_->Open(params, options);
    return std::unique_ptr<RowStream>();
  }

  Status Visit(const plan::PointLookupNode& node) override {
    point_ = std::make_shared<PointQuery>(plan_, &node);
    return Status::Ok();
  }
  // The session writes what is read.
  Status Visit(const plan::WriteNode& node) override { return node.child->Accept(this); }
  Status Visit(const plan::KeyRangeNode& node) override {
    range_ = std::make_shared<RangeQuery>(plan_, &node, connection_);
    return Status::Ok();
  }

 private:
  const std::shared_ptr<const plan::Plan> plan_;
  Connection* const connection_;
  std::shared_ptr<PointQuery> point_;
  std::shared_ptr<RangeQuery> range_;
};

class PreparedQueryImpl : public PreparedQuery {
 public:
  PreparedQueryImpl(std::shared_ptr<const plan::Plan> plan, bind::Parameters parameters,
                    const PrepareContext& context)
      : plan_(std::move(plan)),
        parameters_(std::move(parameters)),
        connection_(context.connection),
        consistency_(context.consistency),
        short_read_(plan_, connection_) {
    std::vector<ResultColumn> columns;
    for (const bind::Output& column : plan_->columns) {
      columns.push_back({column.label, column.type, column.nullable, column.origin});
    }
    columns_ = std::make_shared<const std::vector<ResultColumn>>(std::move(columns));
  }

  const SharedColumns& shared_columns() const override { return columns_; }
  const std::vector<DataType>& parameter_types() const override { return parameters_.types; }
  const std::vector<bool>& compared_parameters() const override { return parameters_.compared; }
  Status CheckParameter(size_t index, const Value& value) const override {
    return bind::CheckComparable(parameters_, index, value);
  }

  Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params,
                                          const RunOptions& options) const override {
    RETURN_IF_ERROR(CheckParameters(params));
    if (options.analysis == nullptr) {
      ASSIGN_OR_RETURN(std::unique_ptr<RowStream> rows, short_read_.Open(params, options));
      if (rows != nullptr) return rows;
    }
    auto stream = std::make_unique<RowStreamOverOperators>(plan_, connection_, options, params);
    RETURN_IF_ERROR(stream->Open());
    return std::unique_ptr<RowStream>(std::move(stream));
  }

  bool Reads(const TableName& table) const override {
    for (const auto& select : plan_->selects) {
      for (const plan::ScanNode* const scan : select->scans) {
        if (scan == nullptr) continue;
        if (scan->table->physical == table) return true;
        if (scan->indexed != nullptr && scan->indexed->table->physical == table) return true;
      }
    }
    return false;
  }

  Result<std::vector<PlanLine>> Explain(std::span<const Value> params) const override {
    std::vector<Value> all(params.begin(), params.end());
    while (all.size() < parameters_.types.size()) {
      all.push_back(Value::Null(parameters_.types[all.size()]));
    }
    RunOptions options;
    options.consistency = consistency_;
    ExecContext context(connection_, options, all);
    return PhoenixPlan(*plan_, &context);
  }

 private:
  Status CheckParameters(std::span<const Value> params) const {
    if (params.size() >= parameters_.types.size()) return Status::Ok();
    return MakeSqlError(
        2004, fmt::format("Parameter {} at index {} is unbound", params.size() + 1, params.size()));
  }

  const std::shared_ptr<const plan::Plan> plan_;
  const bind::Parameters parameters_;  // without values
  Connection* const connection_;
  const Consistency consistency_;
  const ShortRead short_read_;
  SharedColumns columns_;
};

}  // namespace

std::vector<DataType> PreparedQuery::types() const {
  std::vector<DataType> types;
  for (const ResultColumn& column : columns()) types.push_back(column.type);
  return types;
}

Result<std::unique_ptr<PreparedQuery>> PrepareQuery(const parse::Select& select,
                                                    const PrepareContext& context) {
  if (IsSegmentQuery(select)) return PrepareSegmentQuery(select, context);
  bind::BindContext bind_context;
  bind_context.catalog = context.catalog;
  bind_context.default_schema = context.default_schema;
  bind_context.as_of = context.as_of;
  bind_context.tenant = context.tenant;
  std::vector<bind::Subquery> subqueries;
  bind_context.subqueries = &subqueries;
  bind_context.with_expired = context.with_expired;
  plan::IndexChooser chooser(context.catalog, context.write);
  bind_context.chooser = &chooser;
  bind::Parameters parameters;
  parameters.values = context.parameters;
  parameters.now_millis = context.now_millis;
  ASSIGN_OR_RETURN(std::unique_ptr<bind::BoundQuery> bound,
                   bind::BindQuery(select, bind_context, &parameters));
  ASSIGN_OR_RETURN(std::shared_ptr<const plan::Plan> plan,
                   plan::MakePlan(std::move(bound), std::move(subqueries),
                                  {context.connection, context.now_millis}, context.write));
  return std::unique_ptr<PreparedQuery>(
      std::make_unique<PreparedQueryImpl>(std::move(plan), std::move(parameters), context));
}

Result<std::vector<PlanLine>> ExplainWrite(const plan::WriteSpec& write, Connection* connection) {
  plan::Plan plan;
  plan.root = plan::PlanWrite(write, nullptr);
  ExecContext context(connection, RunOptions{}, {});
  return PhoenixPlan(plan, &context);
}

}  // namespace bennu::sql::exec
