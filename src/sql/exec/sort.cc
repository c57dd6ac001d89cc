#include "src/sql/exec/sort.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/sql/exec/spill_rows.h"
#include "src/sql/exec/tie_order.h"

namespace bennu::sql::exec {
namespace {

// A sorter with a limit lets this many times the wanted rows gather before it prunes, which keeps
// the cost of pruning small against that of looking at the rows.
constexpr size_t kPruneFactor = 4;
constexpr size_t kPruneRowsMin = 4096;

// Beyond this the work of finding Phoenix's order of equal rows would show; nobody can expect a
// certain order there, which in Phoenix too changes with regions and memory.
constexpr size_t kOrderedTiesMax = 4096;

// A row's place: its morsel, then its number in it.
constexpr int kRowBits = 40;
constexpr size_t kPlaceBytes = 8;

ByteView WithoutPlace(ByteView key) { return key.substr(0, key.size() - kPlaceBytes); }
ByteView PlaceOf(ByteView key) { return key.substr(key.size() - kPlaceBytes); }

std::vector<uint32_t> UpTo(size_t count) {
  std::vector<uint32_t> columns(count);
  std::iota(columns.begin(), columns.end(), 0);
  return columns;
}

}  // namespace

Sorter::Sorter(ExecContext* context, std::vector<SortField> fields, std::vector<DataType> types,
               size_t limit)
    : context_(context),
      fields_(std::move(fields)),
      types_(std::move(types)),
      limit_(limit),
      columns_(UpTo(types_.size())),
      rows_(std::make_unique<RowBuffer>(columns_, types_)) {}

Sorter::~Sorter() { context_->Charge(-reserved_bytes_); }

Status Sorter::Account() {
  const auto now = static_cast<int64_t>(rows_->memory_bytes() + keys_.memory_bytes());
  const int64_t more = now - reserved_bytes_;
  reserved_bytes_ = now;
  if (context_->Charge(more)) return Status::Ok();
  return context_->options().spill != nullptr ? SpillRun() : context_->OutOfMemory("ORDER BY");
}

Status Sorter::SpillRun() {
  if (keys_.size() == 0) return Status::Ok();
  if (file_ == nullptr) {
    ASSIGN_OR_RETURN(file_, context_->options().spill->NewFile());
  }
  const std::vector<uint32_t> order = keys_.Order(limit_);
  SortRunWriter writer(file_);
  DataChunk chunk;
  chunk.columns.resize(types_.size());
  Bytes row;
  for (size_t begin = 0; begin < order.size(); begin += VectorSize()) {
    RETURN_IF_ERROR(context_->CheckCancelled());
    const size_t count = std::min(VectorSize(), order.size() - begin);
    rows_->Gather(order.data() + begin, count, &chunk);
    std::vector<const Vector*> views;
    for (const Vector& column : chunk.columns) views.push_back(&column);
    for (size_t i = 0; i < count; ++i) {
      row.clear();
      AppendRow(views, i, &row);
      RETURN_IF_ERROR(writer.Add(keys_.key(order[begin + i]), row));
    }
  }
  ASSIGN_OR_RETURN(SortRun run, writer.Finish());
  context_->CountSpilled(run.end - run.begin);
  runs_.push_back(std::move(run));
  rows_ = std::make_unique<RowBuffer>(columns_, types_);
  keys_ = SortKeys();
  return Account();  // gives back
}

void Sorter::StartMorsel(size_t morsel) { place_ = static_cast<uint64_t>(morsel) << kRowBits; }

Status Sorter::Add(const DataChunk& chunk) {
  if (limit_ == 0) return Status::Ok();
  Bytes key;
  std::vector<uint32_t> wanted;
  const auto look_at = [&](uint32_t row) {
    key.clear();
    AppendSortKey(fields_, chunk, row, &key);
    AppendBE64(&key, place_ + row);
    if (has_threshold_ && key >= threshold_) return;
    wanted.push_back(row);
    keys_.Add(key);
  };
  if (has_threshold_ && !fields_.empty()) {
    RowsThatMayPrecede(threshold_, fields_, chunk, &candidates_);
    for (const uint32_t row : candidates_) look_at(row);
  } else {
    for (uint32_t row = 0; row < chunk.size; ++row) look_at(row);
  }
  place_ += chunk.size;
  if (wanted.empty()) return Status::Ok();
  rows_->Append(chunk, wanted.data(), wanted.size());
  return PruneIfMany();
}

Status Sorter::PruneIfMany() {
  if (limit_ < SIZE_MAX / kPruneFactor &&
      rows_->size() >= std::max(kPruneRowsMin, limit_ * kPruneFactor)) {
    Prune();
  }
  return Account();
}

void Sorter::Prune() {
  const std::vector<uint32_t> order = keys_.Order(limit_);
  auto rows = std::make_unique<RowBuffer>(columns_, types_);
  SortKeys keys;
  DataChunk chunk;
  chunk.columns.resize(types_.size());
  for (size_t begin = 0; begin < order.size(); begin += VectorSize()) {
    const size_t count = std::min(VectorSize(), order.size() - begin);
    rows_->Gather(order.data() + begin, count, &chunk);
    rows->Append(chunk, nullptr, count);
  }
  for (uint32_t row : order) keys.Add(keys_.key(row));
  if (order.size() == limit_) {
    threshold_ = Bytes(keys.key(keys.size() - 1));
    has_threshold_ = true;
  }
  rows_ = std::move(rows);
  keys_ = std::move(keys);
  pruned_ = true;
}

Status Sorter::Merge(Sorter* other) {
  if (!other->runs_.empty()) {
    RETURN_IF_ERROR(other->SpillRun());
    runs_.insert(runs_.end(), other->runs_.begin(), other->runs_.end());
    other->runs_.clear();
    return Status::Ok();
  }
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < other->keys_.size(); ++row) {
    const ByteView key = other->keys_.key(row);
    if (has_threshold_ && key >= threshold_) continue;
    rows.push_back(row);
    keys_.Add(key);
  }
  DataChunk chunk;
  chunk.columns.resize(types_.size());
  for (size_t begin = 0; begin < rows.size(); begin += VectorSize()) {
    const size_t count = std::min(VectorSize(), rows.size() - begin);
    other->rows_->Gather(rows.data() + begin, count, &chunk);
    rows_->Append(chunk, nullptr, count);
  }
  pruned_ = pruned_ || other->pruned_;
  RETURN_IF_ERROR(PruneIfMany());
  other->rows_->Clear();
  other->keys_.Clear();
  return other->Account();
}

Status Sorter::Finish() {
  if (!runs_.empty()) {
    RETURN_IF_ERROR(SpillRun());
    file_ = nullptr;
    RETURN_IF_ERROR(ReduceSortRuns(context_->options().spill, &runs_));
    ASSIGN_OR_RETURN(merger_, SortRunMerger::Open(std::move(runs_)));
    left_ = limit_;
    return Status::Ok();
  }
  const bool orders_ties = !pruned_ && keys_.size() <= kOrderedTiesMax;
  order_ = keys_.Order(orders_ties ? SIZE_MAX : limit_);
  if (orders_ties) OrderTies();
  emitted_ = 0;
  return Status::Ok();
}

// Of order_, which has all rows.
void Sorter::OrderTies() {
  std::vector<uint32_t> rank_of(order_.size());
  uint32_t rank = 0;
  for (size_t i = 1; i < order_.size(); ++i) {
    if (WithoutPlace(keys_.key(order_[i])) != WithoutPlace(keys_.key(order_[i - 1]))) ++rank;
    rank_of[order_[i]] = rank;
  }
  if (rank + 1 < order_.size()) {
    std::vector<uint32_t> arrivals = UpTo(order_.size());
    std::sort(arrivals.begin(), arrivals.end(), [this](uint32_t left, uint32_t right) {
      return PlaceOf(keys_.key(left)) < PlaceOf(keys_.key(right));
    });
    std::vector<uint32_t> ranks;
    for (const uint32_t row : arrivals) ranks.push_back(rank_of[row]);
    order_ = HeapOrder(ranks, limit_);
    for (uint32_t& row : order_) row = arrivals[row];
  }
  order_.resize(std::min(order_.size(), limit_));
}

Status Sorter::EmitMerged(DataChunk* chunk) {
  chunk->Initialize(types_);
  ByteView key;
  ByteView row;
  for (; chunk->size < VectorSize() && left_ > 0; --left_) {
    ASSIGN_OR_RETURN(const bool more, merger_->Next(&key, &row));
    if (!more) break;
    RETURN_IF_ERROR(ReadRow(row, chunk->size, &chunk->columns));
    ++chunk->size;
  }
  return Status::Ok();
}

Status Sorter::Emit(DataChunk* chunk) {
  if (merger_ != nullptr) return EmitMerged(chunk);
  if (chunk->columns.size() != types_.size()) chunk->columns.resize(types_.size());
  chunk->size = std::min(VectorSize(), order_.size() - emitted_);
  if (chunk->size == 0) return Status::Ok();
  rows_->Gather(order_.data() + emitted_, chunk->size, chunk);
  emitted_ += chunk->size;
  return Status::Ok();
}

namespace {

class SortOperator : public Operator {
 public:
  SortOperator(ExecContext* context, std::unique_ptr<Operator> child,
               std::unique_ptr<Morsels> morsels, std::vector<SortField> fields,
               std::vector<DataType> types, size_t limit)
      : context_(context),
        child_(std::move(child)),
        morsels_(std::move(morsels)),
        fields_(std::move(fields)),
        types_(std::move(types)),
        limit_(limit) {}

  Status Next(DataChunk* chunk) override {
    if (sorter_ == nullptr) RETURN_IF_ERROR(Sort());
    return sorter_->Emit(chunk);
  }

 private:
  std::unique_ptr<Sorter> NewSorter() const {
    return std::make_unique<Sorter>(context_, fields_, types_, limit_);
  }

  static Status Drain(Operator* source, Sorter* sorter) {
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(source->Next(&chunk));
      if (chunk.size == 0) return Status::Ok();
      RETURN_IF_ERROR(sorter->Add(chunk));
    }
  }

  Status Sort() {
    auto result = NewSorter();
    if (morsels_ == nullptr) {
      RETURN_IF_ERROR(Drain(child_.get(), result.get()));
    } else {
      std::vector<std::unique_ptr<Sorter>> partial(context_->worker_count());
      for (auto& sorter : partial) sorter = NewSorter();
      RETURN_IF_ERROR(RunMorsels(context_, morsels_.get(), partial.size(),
                                 [&](size_t worker, size_t morsel, Operator* source) {
                                   partial[worker]->StartMorsel(morsel);
                                   return Drain(source, partial[worker].get());
                                 }));
      for (auto& sorter : partial) RETURN_IF_ERROR(result->Merge(sorter.get()));
    }
    RETURN_IF_ERROR(result->Finish());
    sorter_ = std::move(result);
    child_ = nullptr;
    return Status::Ok();
  }

  ExecContext* const context_;
  std::unique_ptr<Operator> child_;
  std::unique_ptr<Morsels> morsels_;
  const std::vector<SortField> fields_;
  const std::vector<DataType> types_;
  const size_t limit_;
  std::unique_ptr<Sorter> sorter_;
};

}  // namespace

std::unique_ptr<Operator> MakeSort(ExecContext* context, std::unique_ptr<Operator> child,
                                   std::unique_ptr<Morsels> morsels, std::vector<SortField> fields,
                                   std::vector<DataType> types, size_t limit) {
  return std::make_unique<SortOperator>(context, std::move(child), std::move(morsels),
                                        std::move(fields), std::move(types), limit);
}

}  // namespace bennu::sql::exec
