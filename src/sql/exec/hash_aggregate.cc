#include "src/sql/exec/hash_aggregate.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/group_table.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

std::vector<DataType> GroupTypes(const AggregateSpec& spec) {
  std::vector<DataType> types;
  for (const bind::ExprPtr& group : spec.groups) types.push_back(group->type);
  return types;
}

// What one thread gathers.
class PartialAggregate {
 public:
  PartialAggregate(ExecContext* context, const AggregateSpec* spec)
      : context_(context),
        spec_(spec),
        evaluator_(context),
        table_(GroupTypes(*spec)),
        keys_(spec->groups.size()),
        arguments_(spec->aggregates.size()) {
    for (size_t i = 0; i < spec->aggregates.size(); ++i) {
      aggregators_.push_back(MakeAggregator(*spec->aggregates[i]));
      arguments_[i].resize(spec->aggregates[i]->arguments.size());
    }
    if (spec->groups.empty()) Resize(1);
  }
  ~PartialAggregate() { (void)context_->Reserve(-reserved_bytes_, "GROUP BY"); }

  Status Add(const DataChunk& chunk) {
    const uint32_t* groups = nullptr;
    if (!spec_->groups.empty()) {
      key_views_.clear();
      for (size_t i = 0; i < keys_.size(); ++i) {
        ASSIGN_OR_RETURN(const Vector* key, evaluator_.View(*spec_->groups[i], chunk, &keys_[i]));
        key_views_.push_back(key);
      }
      ids_.resize(chunk.size);
      table_.Insert(key_views_, chunk.size, ids_.data());
      Resize(table_.size());
      groups = ids_.data();
    }
    for (size_t i = 0; i < aggregators_.size(); ++i) {
      argument_views_.clear();
      for (size_t j = 0; j < arguments_[i].size(); ++j) {
        ASSIGN_OR_RETURN(
            const Vector* argument,
            evaluator_.View(*spec_->aggregates[i]->arguments[j], chunk, &arguments_[i][j]));
        argument_views_.push_back(argument);
      }
      RETURN_IF_ERROR(aggregators_[i]->Update(argument_views_, groups, chunk.size));
    }
    rows_seen_ += chunk.size;
    return Account();
  }

  Status Merge(PartialAggregate* other) {
    rows_seen_ += other->rows_seen_;
    std::vector<uint32_t> map;
    if (!spec_->groups.empty()) {
      RETURN_IF_ERROR(other->ForEachBatch([&](const uint32_t*, const DataChunk& keys) {
        key_views_.clear();
        for (const Vector& key : keys.columns) key_views_.push_back(&key);
        ids_.resize(keys.size);
        table_.Insert(key_views_, keys.size, ids_.data());
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
    return Account();
  }

  size_t group_count() const { return table_.size(); }

  // Keeps the groups that were seen first, at most 'max_groups', and settles the order in which
  // Emit gives them.
  Status Finish(size_t max_groups) {
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

  Status Emit(DataChunk* chunk) {
    const size_t key_count = spec_->groups.size();
    chunk->columns.resize(key_count + aggregators_.size());
    chunk->size = std::min(VectorSize(), order_.size() - emitted_);
    if (chunk->size == 0) return Status::Ok();
    const uint32_t* groups = order_.data() + emitted_;
    EmitKeys(groups, chunk->size, chunk);
    if (key_count > 0 && spec_->groups.back()->type.id == TypeId::kVarbinary) {
      CutTerminators(chunk->size, &chunk->columns[key_count - 1]);
    }
    if (spec_->cuts_encoded) {
      RETURN_IF_ERROR(CutEncoded(chunk->size, &chunk->columns[0]));
    }
    for (size_t i = 0; i < aggregators_.size(); ++i) {
      Vector* out = &chunk->columns[key_count + i];
      out->Initialize(spec_->aggregates[i]->type);
      out->Reset();
      RETURN_IF_ERROR(aggregators_[i]->Finalize(groups, chunk->size, out));
    }
    emitted_ += chunk->size;
    return Status::Ok();
  }

 private:
  void Resize(size_t count) {
    for (auto& aggregator : aggregators_) aggregator->Resize(count);
  }

  void EmitKeys(const uint32_t* groups, size_t count, DataChunk* chunk) const {
    std::vector<Vector*> out;
    for (size_t i = 0; i < spec_->groups.size(); ++i) {
      Vector* vector = &chunk->columns[i];
      vector->Initialize(spec_->groups[i]->type);
      vector->Reset();
      out.push_back(vector);
    }
    if (!out.empty()) table_.Emit(groups, count, out);
  }

  // The values of a group are joined like a key in the original: see KeySchema::Readable.
  static void CutTerminators(size_t count, Vector* values) {
    for (size_t i = 0; i < count; ++i) {
      if (values->IsNull(i)) continue;
      const ByteView value = values->At<ByteView>(i);
      if (!value.ends_with('\xff')) continue;
      if (value.size() == 1) {
        values->SetNull(i);
      } else {
        values->SetView(i, value.substr(0, value.size() - 1));
      }
    }
  }

  // See AggregateSpec::cuts_encoded.
  Status CutEncoded(size_t count, Vector* values) const {
    for (size_t i = 0; i < count; ++i) {
      if (values->IsNull(i)) continue;
      const ByteView stored = values->At<ByteView>(i);
      if (stored.size() <= 2) {
        values->SetNull(i);
        continue;
      }
      char* kept = values->AllocateBytes(stored.size() - 2);  // the value may be a view of it
      std::copy_n(stored.data(), stored.size() - 2, kept);
      const ByteView cut(kept, stored.size() - 2);
      RETURN_IF_ERROR(DecodeInto(cut, values->type(), SortOrder::kAsc, values, i));
    }
    return Status::Ok();
  }

  // All groups in order of their numbers, a chunk at a time.
  template <typename Use>
  Status ForEachBatch(Use&& use) const {
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

  Status Account() {
    auto now = static_cast<int64_t>(table_.memory_bytes());
    for (const auto& aggregator : aggregators_) {
      now += static_cast<int64_t>(aggregator->memory_bytes());
    }
    const int64_t more = now - reserved_bytes_;
    reserved_bytes_ = now;
    return context_->Reserve(more, "GROUP BY");
  }

  ExecContext* const context_;
  const AggregateSpec* const spec_;
  Evaluator evaluator_;
  GroupTable table_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  std::vector<Vector> keys_;
  std::vector<std::vector<Vector>> arguments_;
  std::vector<const Vector*> key_views_;
  std::vector<const Vector*> argument_views_;
  std::vector<uint32_t> ids_;
  size_t rows_seen_ = 0;
  int64_t reserved_bytes_ = 0;
  std::vector<uint32_t> order_;
  size_t emitted_ = 0;
};

class HashAggregateOperator : public Operator {
 public:
  HashAggregateOperator(ExecContext* context, std::unique_ptr<Operator> child,
                        std::unique_ptr<Morsels> morsels, const AggregateSpec* spec,
                        size_t max_groups)
      : context_(context),
        child_(std::move(child)),
        morsels_(std::move(morsels)),
        spec_(spec),
        max_groups_(max_groups) {}

  Status Next(DataChunk* chunk) override {
    if (result_ == nullptr) RETURN_IF_ERROR(Run());
    return result_->Emit(chunk);
  }

 private:
  Status Drain(Operator* source, PartialAggregate* partial) const {
    DataChunk chunk;
    while (partial->group_count() < max_groups_) {
      RETURN_IF_ERROR(source->Next(&chunk));
      if (chunk.size == 0) return Status::Ok();
      RETURN_IF_ERROR(partial->Add(chunk));
    }
    return Status::Ok();
  }

  Status Run() {
    std::unique_ptr<PartialAggregate> result;
    if (morsels_ == nullptr) {
      result = std::make_unique<PartialAggregate>(context_, spec_);
      RETURN_IF_ERROR(Drain(child_.get(), result.get()));
    } else {
      std::vector<std::unique_ptr<PartialAggregate>> partial;
      for (size_t i = 0; i < context_->worker_count(); ++i) {
        partial.push_back(std::make_unique<PartialAggregate>(context_, spec_));
      }
      RETURN_IF_ERROR(RunMorsels(context_, morsels_.get(), partial.size(),
                                 [&](size_t worker, size_t, Operator* source) {
                                   return Drain(source, partial[worker].get());
                                 }));
      result = std::move(partial[0]);
      for (size_t i = 1; i < partial.size(); ++i) {
        RETURN_IF_ERROR(result->Merge(partial[i].get()));
        partial[i] = nullptr;
      }
    }
    RETURN_IF_ERROR(result->Finish(max_groups_));
    result_ = std::move(result);
    child_ = nullptr;
    return Status::Ok();
  }

  ExecContext* const context_;
  std::unique_ptr<Operator> child_;
  std::unique_ptr<Morsels> morsels_;
  const AggregateSpec* const spec_;
  const size_t max_groups_;
  std::unique_ptr<PartialAggregate> result_;
};

}  // namespace

std::unique_ptr<Operator> MakeHashAggregate(ExecContext* context, std::unique_ptr<Operator> child,
                                            std::unique_ptr<Morsels> morsels,
                                            const AggregateSpec* spec, size_t max_groups) {
  return std::make_unique<HashAggregateOperator>(context, std::move(child), std::move(morsels),
                                                 spec, max_groups);
}

}  // namespace bennu::sql::exec
