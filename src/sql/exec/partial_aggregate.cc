#include "src/sql/exec/partial_aggregate.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

// So many groups are taken in however little memory there is: each division of the rows then gets
// somewhere.
constexpr size_t kGroupsMin = 256;
// What the state of a group that came in with a first chunk may grow by.
constexpr size_t kStateBytesUnasked = 128;

std::vector<DataType> GroupTypes(const AggregateSpec& spec) {
  std::vector<DataType> types;
  for (const bind::ExprPtr& group : spec.groups) types.push_back(group->type);
  return types;
}

}  // namespace

std::vector<DataType> PartialAggregate::EvaluatedTypes(const AggregateSpec& spec) {
  std::vector<DataType> types = GroupTypes(spec);
  for (const bind::AggregatePtr& aggregate : spec.aggregates) {
    for (const bind::ExprPtr& argument : aggregate->arguments) types.push_back(argument->type);
  }
  return types;
}

PartialAggregate::PartialAggregate(ExecContext* context, const AggregateSpec* spec, int spill_level)
    : context_(context),
      spec_(spec),
      spill_level_(spill_level),
      may_spill_(context->options().spill != nullptr && !spec->groups.empty() &&
                 spill_level < SpillPartitions::kLevelsMax),
      evaluator_(context),
      table_(GroupTypes(*spec)),
      evaluated_(EvaluatedTypes(*spec).size()) {
  for (const bind::AggregatePtr& aggregate : spec->aggregates) {
    aggregators_.push_back(MakeAggregator(*aggregate));
  }
  if (spec->groups.empty()) Resize(1);
}

PartialAggregate::~PartialAggregate() { context_->Charge(-reserved_bytes_); }

Status PartialAggregate::Add(const DataChunk& chunk) {
  views_.clear();
  const auto evaluate = [&](const bind::Expr& expr) -> Status {
    ASSIGN_OR_RETURN(const Vector* view, evaluator_.View(expr, chunk, &evaluated_[views_.size()]));
    views_.push_back(view);
    return Status::Ok();
  };
  for (const bind::ExprPtr& group : spec_->groups) RETURN_IF_ERROR(evaluate(*group));
  for (const bind::AggregatePtr& aggregate : spec_->aggregates) {
    for (const bind::ExprPtr& argument : aggregate->arguments) {
      RETURN_IF_ERROR(evaluate(*argument));
    }
  }
  return AddEvaluated(views_, chunk.size);
}

Status PartialAggregate::AddEvaluated(Columns columns, size_t count) {
  rows_seen_ += count;
  if (frozen_) return AddToKnown(columns, count);
  const size_t key_count = spec_->groups.size();
  const uint32_t* groups = nullptr;
  if (key_count > 0) {
    ids_.resize(count);
    table_.Insert(columns.first(key_count), count, ids_.data());
    Resize(table_.size());
    groups = ids_.data();
  }
  RETURN_IF_ERROR(Aggregate(columns.subspan(key_count), groups, count));
  return Account();
}

Status PartialAggregate::Aggregate(Columns arguments, const uint32_t* groups, size_t count) {
  size_t next = 0;
  for (size_t i = 0; i < aggregators_.size(); ++i) {
    const size_t argument_count = spec_->aggregates[i]->arguments.size();
    RETURN_IF_ERROR(
        aggregators_[i]->Update(arguments.subspan(next, argument_count), groups, count));
    next += argument_count;
  }
  return Status::Ok();
}

void PartialAggregate::Divide(Columns columns, size_t count, SelectionVector* known,
                              SelectionVector* unknown) {
  ids_.resize(count);
  table_.Find(columns.first(spec_->groups.size()), count, ids_.data(), &scratch_);
  known->Clear();
  unknown->Clear();
  for (uint32_t row = 0; row < count; ++row) {
    (ids_[row] == GroupTable::kNone ? unknown : known)->Append(row);
  }
}

Status PartialAggregate::AddToKnown(Columns columns, size_t count) {
  const size_t key_count = spec_->groups.size();
  SelectionVector known;
  SelectionVector unknown;
  Divide(columns, count, &known, &unknown);
  if (unknown.size() == 0) {
    RETURN_IF_ERROR(Aggregate(columns.subspan(key_count), ids_.data(), count));
    return Account();
  }
  hashes_.resize(count);
  table_.Hash(columns.first(key_count), count, hashes_.data(), &scratch_);
  RETURN_IF_ERROR(spills_[0]->Add(columns, unknown.rows, hashes_.data()));
  if (known.size() == 0) return Status::Ok();
  for (size_t i = 0; i < known.size(); ++i) ids_[i] = ids_[known[i]];
  gathered_.resize(columns.size() - key_count);
  argument_views_.clear();
  for (size_t i = key_count; i < columns.size(); ++i) {
    Vector& to = gathered_[i - key_count];
    to.Initialize(columns[i]->type(), std::max(VectorSize(), known.size()));
    to.Gather(*columns[i], known);
    argument_views_.push_back(&to);
  }
  RETURN_IF_ERROR(Aggregate(argument_views_, ids_.data(), known.size()));
  return Account();
}

Status PartialAggregate::Merge(PartialAggregate* other) {
  rows_seen_ += other->rows_seen_;
  for (auto& spill : other->spills_) spills_.push_back(std::move(spill));
  other->spills_.clear();
  std::vector<uint32_t> map;
  if (!spec_->groups.empty()) {
    RETURN_IF_ERROR(other->ForEachBatch([&](const uint32_t*, const DataChunk& keys) {
      views_.clear();
      for (const Vector& key : keys.columns) views_.push_back(&key);
      ids_.resize(keys.size);
      table_.Insert(views_, keys.size, ids_.data());
      map.insert(map.end(), ids_.begin(), ids_.end());
      return Status::Ok();
    }));
    Resize(table_.size());
  }
  const size_t count = spec_->groups.empty() ? 1 : map.size();
  for (size_t i = 0; i < aggregators_.size(); ++i) {
    RETURN_IF_ERROR(aggregators_[i]->Merge(other->aggregators_[i].get(),
                                           spec_->groups.empty() ? nullptr : map.data(), count));
  }
  // What the threads took in was bounded; together it may take more (states of few values become
  // sets), and what grows is counted from here.
  settled_bytes_ = MemoryBytes();
  return Account();
}

Status PartialAggregate::Finish(size_t max_groups) {
  const size_t count = spec_->groups.empty() ? 1 : std::min(table_.size(), max_groups);
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0);
  if (spec_->groups.empty() && !spec_->single_row && rows_seen_ == 0) order_.clear();
  if (spec_->order.empty() || count < 2) return Status::Ok();
  SortKeys sort_keys;
  Bytes key;
  RETURN_IF_ERROR(ForEachBatch([&](const uint32_t*, const DataChunk& keys) {
    for (size_t row = 0; row < keys.size && sort_keys.size() < count; ++row) {
      key.clear();
      AppendSortKey(spec_->order, keys, row, &key);
      sort_keys.Add(key);
    }
    return Status::Ok();
  }));
  order_ = sort_keys.Order(SIZE_MAX);
  return Status::Ok();
}

Status PartialAggregate::Emit(DataChunk* chunk) {
  const size_t key_count = spec_->groups.size();
  chunk->columns.resize(key_count + aggregators_.size());
  chunk->size = std::min(VectorSize(), order_.size() - emitted_);
  if (chunk->size == 0) return Status::Ok();
  const uint32_t* groups = order_.data() + emitted_;
  EmitKeys(groups, chunk->size, chunk);
  for (size_t i = 0; i < aggregators_.size(); ++i) {
    Vector* out = &chunk->columns[key_count + i];
    out->Initialize(spec_->aggregates[i]->type, chunk->size);
    out->Reset();
    RETURN_IF_ERROR(aggregators_[i]->Finalize(groups, chunk->size, out));
  }
  emitted_ += chunk->size;
  return Status::Ok();
}

void PartialAggregate::Resize(size_t count) {
  for (auto& aggregator : aggregators_) aggregator->Resize(count);
}

void PartialAggregate::EmitKeys(const uint32_t* groups, size_t count, DataChunk* chunk) const {
  std::vector<Vector*> out;
  for (size_t i = 0; i < spec_->groups.size(); ++i) {
    Vector* vector = &chunk->columns[i];
    vector->Initialize(spec_->groups[i]->type, count);
    vector->Reset();
    out.push_back(vector);
  }
  if (!out.empty()) table_.Emit(groups, count, out);
}

template <typename Use>
Status PartialAggregate::ForEachBatch(Use&& use) const {
  DataChunk chunk;
  chunk.columns.resize(spec_->groups.size());
  std::vector<uint32_t> groups;
  for (size_t begin = 0; begin < table_.size(); begin += VectorSize()) {
    groups.resize(std::min(VectorSize(), table_.size() - begin));
    std::iota(groups.begin(), groups.end(), static_cast<uint32_t>(begin));
    EmitKeys(groups.data(), groups.size(), &chunk);
    chunk.size = groups.size();
    RETURN_IF_ERROR(use(groups.data(), chunk));
  }
  return Status::Ok();
}

int64_t PartialAggregate::MemoryBytes() const {
  auto bytes = static_cast<int64_t>(table_.memory_bytes());
  for (const auto& aggregator : aggregators_) {
    bytes += static_cast<int64_t>(aggregator->memory_bytes());
  }
  return bytes;
}

Status PartialAggregate::Account() {
  const int64_t now = MemoryBytes();
  const int64_t more = now - reserved_bytes_;
  reserved_bytes_ = now;
  const bool fits = context_->Charge(more);
  if (!may_spill_) return fits ? Status::Ok() : context_->OutOfMemory("GROUP BY");
  // Half of the memory is left to merging what the threads have, and to the files' partitions.
  if (!frozen_ && (!fits || context_->crowded()) && table_.size() >= kGroupsMin) {
    frozen_ = true;
    settled_bytes_ = now;
    spills_.insert(spills_.begin(), std::make_unique<SpillPartitions>(context_, spill_level_));
  }
  // What is too much although no group comes in any more are the states of those that are there;
  // but not those that each thread's first chunk brought, before anybody looked.
  const auto unasked =
      static_cast<int64_t>(context_->worker_count() * VectorSize() * kStateBytesUnasked);
  const bool grows = reserved_bytes_ - settled_bytes_ >
                     static_cast<int64_t>(context_->options().memory_bytes_max) + unasked;
  return fits || !grows ? Status::Ok() : context_->OutOfMemory("GROUP BY");
}

}  // namespace bennu::sql::exec
