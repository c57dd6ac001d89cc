#include "src/sql/exec/hash_join.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

constexpr uint32_t kNoRow = RowBuffer::kNoRow;
// Of the query's memory, for a block: what groups or sorts its rows needs the rest.
constexpr uint64_t kBlockShare = 4;

std::vector<DataType> TypesOf(const std::vector<bind::ExprPtr>& keys) {
  std::vector<DataType> types;
  for (const bind::ExprPtr& key : keys) types.push_back(key->type);
  // A cross product has one group without a key.
  if (types.empty()) types.push_back({TypeId::kBigint});
  return types;
}

// The keys of a chunk's rows; a row with a NULL in one matches nothing, unless that key takes
// NULLs.
class KeyReader {
 public:
  KeyReader(ExecContext* context, const std::vector<bind::ExprPtr>* keys,
            std::vector<bool> matches_null)
      : evaluator_(context),
        keys_(keys),
        matches_null_(std::move(matches_null)),
        scratch_(keys->size()) {}

  Status Read(const DataChunk& chunk) {
    views_.clear();
    for (size_t i = 0; i < keys_->size(); ++i) {
      ASSIGN_OR_RETURN(const Vector* view, evaluator_.View(*(*keys_)[i], chunk, &scratch_[i]));
      views_.push_back(view);
    }
    return Status::Ok();
  }
  const std::vector<const Vector*>& views() const { return views_; }
  bool HasNull(size_t row) const {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (!matches_null_[i] && views_[i]->IsNull(row)) return true;
    }
    return false;
  }

 private:
  Evaluator evaluator_;
  const std::vector<bind::ExprPtr>* const keys_;
  const std::vector<bool> matches_null_;
  std::vector<Vector> scratch_;
  std::vector<const Vector*> views_;
};

class HashJoinOperator : public Operator {
 public:
  HashJoinOperator(ExecContext* context, std::unique_ptr<Operator> probe,
                   std::shared_ptr<const JoinSpec> spec)
      : context_(context),
        probe_(std::move(probe)),
        spec_(std::move(spec)),
        table_(*spec_->table),
        keys_(context, &spec_->left_keys, spec_->matches_null) {
    if (spec_->type == bind::JoinType::kFull) matched_.assign(table_.rows().size(), 0);
  }

  Status Next(DataChunk* chunk) override {
    for (;;) {
      // A filter above may let nothing through for long.
      RETURN_IF_ERROR(context_->CheckCancelled());
      pairs_left_.Clear();
      pairs_right_.clear();
      if (row_ == input_.size && !probe_done_) RETURN_IF_ERROR(Refill());
      if (probe_done_) return EmitUnmatched(chunk);
      RETURN_IF_ERROR(Expand());
      if (!pairs_right_.empty()) break;
    }
    Output(chunk);
    return Status::Ok();
  }

 private:
  Status Refill() {
    rows_before_ += input_.size;
    RETURN_IF_ERROR(probe_->Next(&input_));
    row_ = 0;
    match_ = kNoRow;
    row_started_ = false;
    if (input_.size == 0) {
      probe_done_ = true;
      return Status::Ok();
    }
    heads_.resize(input_.size);
    if (table_.cross()) {
      std::fill(heads_.begin(), heads_.end(), table_.rows().size() > 0 ? table_.Head(0) : kNoRow);
      return Status::Ok();
    }
    RETURN_IF_ERROR(keys_.Read(input_));
    table_.groups().Find(keys_.views(), input_.size, heads_.data(), &scratch_);
    for (size_t row = 0; row < input_.size; ++row) {
      const bool none = heads_[row] == GroupTable::kNone || keys_.HasNull(row);
      heads_[row] = none ? kNoRow : table_.Head(heads_[row]);
    }
    return Status::Ok();
  }

  // Fills the pairs from row_ on, up to a chunk full.
  Status Expand() {
    const bool outer = spec_->type != bind::JoinType::kInner;
    while (row_ < input_.size && pairs_right_.size() < VectorSize()) {
      if (!row_started_) {
        match_ = heads_[row_];
        row_started_ = true;
        if (match_ != kNoRow) RETURN_IF_ERROR(NoteMatch());
        if (match_ == kNoRow && outer) Pair(kNoRow);
      }
      while (match_ != kNoRow && pairs_right_.size() < VectorSize()) {
        if (!matched_.empty()) matched_[match_] = 1;
        Pair(match_);
        match_ = table_.NextRow(match_);
      }
      if (match_ != kNoRow) return Status::Ok();
      ++row_;
      row_started_ = false;
    }
    return Status::Ok();
  }

  // Row row_ has one in the table.
  Status NoteMatch() {
    MatchedRows* const matched = spec_->matched;
    const uint64_t number = rows_before_ + row_;
    const bool again = matched != nullptr && matched->Has(number);
    if (spec_->single_match && (again || table_.NextRow(match_) != kNoRow)) {
      return MakeSqlError(215, "");
    }
    if (matched != nullptr) matched->Add(number);
    return Status::Ok();
  }

  void Pair(uint32_t right) {
    pairs_left_.Append(static_cast<uint32_t>(row_));
    pairs_right_.push_back(right);
  }

  void Output(DataChunk* chunk) {
    chunk->columns.resize(input_.columns.size());
    for (size_t i = 0; i < input_.columns.size(); ++i) {
      const Vector& from = input_.columns[i];
      if (from.capacity() == 0) continue;
      chunk->columns[i].Initialize(from.type(), std::max(from.capacity(), VectorSize()));
      chunk->columns[i].Gather(from, pairs_left_);
    }
    table_.rows().Gather(pairs_right_.data(), pairs_right_.size(), chunk);
    chunk->size = pairs_right_.size();
  }

  // FULL: rows of the table that nothing matched, with NULLs on the left.
  Status EmitUnmatched(DataChunk* chunk) {
    chunk->size = 0;
    while (unmatched_ < matched_.size() && pairs_right_.size() < VectorSize()) {
      if (matched_[unmatched_] == 0) pairs_right_.push_back(static_cast<uint32_t>(unmatched_));
      ++unmatched_;
    }
    if (pairs_right_.empty()) return Status::Ok();
    for (size_t i = 0; i < spec_->left_slots.size(); ++i) {
      const uint32_t slot = spec_->left_slots[i];
      if (slot >= chunk->columns.size()) chunk->columns.resize(slot + 1);
      chunk->columns[slot].Initialize(spec_->left_types[i]);
      for (size_t row = 0; row < pairs_right_.size(); ++row) chunk->columns[slot].SetNull(row);
    }
    for (uint32_t slot : table_.rows().columns()) {
      if (slot >= chunk->columns.size()) chunk->columns.resize(slot + 1);
    }
    table_.rows().Gather(pairs_right_.data(), pairs_right_.size(), chunk);
    chunk->size = pairs_right_.size();
    return Status::Ok();
  }

  ExecContext* const context_;
  const std::unique_ptr<Operator> probe_;
  const std::shared_ptr<const JoinSpec> spec_;
  const JoinTable& table_;
  KeyReader keys_;
  GroupTable::Scratch scratch_;
  DataChunk input_;
  uint64_t rows_before_ = 0;  // of the left side, in chunks before this one
  size_t row_ = 0;
  bool row_started_ = false;
  bool probe_done_ = false;
  uint32_t match_ = kNoRow;
  std::vector<uint32_t> heads_;
  SelectionVector pairs_left_;
  std::vector<uint32_t> pairs_right_;
  std::vector<uint8_t> matched_;
  size_t unmatched_ = 0;
};

// Keeps the rows of the left side that match (kSemi) or do not (kAnti).
class MatchFilterOperator : public Operator {
 public:
  MatchFilterOperator(ExecContext* context, std::unique_ptr<Operator> probe,
                      std::shared_ptr<const JoinSpec> spec)
      : context_(context),
        probe_(std::move(probe)),
        spec_(std::move(spec)),
        keys_(context, &spec_->left_keys, spec_->matches_null) {}

  Status Next(DataChunk* chunk) override {
    const JoinTable& table = *spec_->table;
    const bool wanted = spec_->type == bind::JoinType::kSemi;
    for (;;) {
      RETURN_IF_ERROR(context_->CheckCancelled());
      RETURN_IF_ERROR(probe_->Next(&input_));
      chunk->size = 0;
      if (input_.size == 0) return Status::Ok();
      RETURN_IF_ERROR(keys_.Read(input_));
      groups_.resize(input_.size);
      table.groups().Find(keys_.views(), input_.size, groups_.data(), &scratch_);
      selection_.Clear();
      for (uint32_t row = 0; row < input_.size; ++row) {
        const bool matches =
            groups_[row] != GroupTable::kNone && !keys_.HasNull(row) && table.HasRow(groups_[row]);
        if (matches == wanted) selection_.Append(row);
      }
      if (selection_.size() == 0) continue;
      TakeSelected(selection_, &input_, chunk);
      return Status::Ok();
    }
  }

 private:
  ExecContext* const context_;
  const std::unique_ptr<Operator> probe_;
  const std::shared_ptr<const JoinSpec> spec_;
  KeyReader keys_;
  GroupTable::Scratch scratch_;
  DataChunk input_;
  std::vector<uint32_t> groups_;
  SelectionVector selection_;
};

}  // namespace

KeyDivider::KeyDivider(ExecContext* context, const std::vector<bind::ExprPtr>* keys,
                       const JoinBuild& build)
    : evaluator_(context), keys_(keys), groups_(TypesOf(build.keys)), evaluated_(keys->size()) {}

Status KeyDivider::Divide(const DataChunk& chunk, const std::vector<uint32_t>& slots,
                          SpillPartitions* partitions) {
  std::vector<const Vector*> views;
  for (size_t i = 0; i < keys_->size(); ++i) {
    ASSIGN_OR_RETURN(const Vector* view, evaluator_.View(*(*keys_)[i], chunk, &evaluated_[i]));
    views.push_back(view);
  }
  hashes_.assign(chunk.size, 0);
  if (!keys_->empty()) groups_.Hash(views, chunk.size, hashes_.data(), &scratch_);
  std::vector<const Vector*> columns;
  for (const uint32_t slot : slots) columns.push_back(&chunk.columns[slot]);
  if (all_.size() != chunk.size) all_ = SelectionVector::All(chunk.size);
  return partitions->Add(columns, all_.rows, hashes_.data());
}

JoinTable::JoinTable(ExecContext* context, const JoinBuild& build)
    : context_(context),
      cross_(build.keys.empty()),
      rows_(build.slots, build.types),
      groups_(TypesOf(build.keys)) {}

JoinTable::~JoinTable() { context_->Charge(-reserved_bytes_); }

void JoinTable::Chain(uint32_t row, uint32_t group) {
  if (group >= heads_.size()) {
    heads_.resize(group + 1, kNoRow);
    tails_.resize(group + 1, kNoRow);
  }
  if (heads_[group] == kNoRow) {
    heads_[group] = row;
  } else {
    next_[tails_[group]] = row;
  }
  tails_[group] = row;
}

template <typename Keys>
void JoinTable::Add(const DataChunk& chunk, const Keys& keys, const JoinBuild& build) {
  std::vector<uint32_t> ids(chunk.size, 0);
  if (!cross_) groups_.Insert(keys.views(), chunk.size, ids.data());
  for (uint32_t row = 0; row < chunk.size; ++row) {
    const bool null_key = keys.HasNull(row);
    if (null_key && !build.keep_null_keys) continue;
    if (build.first_only && !null_key && HasRow(ids[row])) continue;
    const auto number = static_cast<uint32_t>(rows_.size());
    rows_.Append(chunk, &row, 1);
    next_.push_back(kNoRow);
    if (!null_key) Chain(number, ids[row]);
  }
}

bool JoinTable::Account() {
  const auto now =
      static_cast<int64_t>(rows_.memory_bytes() + groups_.memory_bytes() + next_.capacity() * 12);
  const int64_t more = now - reserved_bytes_;
  reserved_bytes_ = now;
  return context_->Charge(more);
}

Status JoinTable::MoveTo(const JoinBuild& build, KeyDivider* divider,
                         SpillPartitions* overflow) const {
  DataChunk chunk;
  if (!build.slots.empty()) {
    chunk.columns.resize(*std::max_element(build.slots.begin(), build.slots.end()) + 1);
  }
  std::vector<uint32_t> numbers;
  for (size_t begin = 0; begin < rows_.size(); begin += VectorSize()) {
    chunk.size = std::min(VectorSize(), rows_.size() - begin);
    numbers.resize(chunk.size);
    std::iota(numbers.begin(), numbers.end(), static_cast<uint32_t>(begin));
    rows_.Gather(numbers.data(), chunk.size, &chunk);
    RETURN_IF_ERROR(divider->Divide(chunk, build.slots, overflow));
  }
  return Status::Ok();
}

Result<std::shared_ptr<JoinTable>> JoinTable::Build(ExecContext* context, Operator* source,
                                                    const JoinBuild& build,
                                                    SpillPartitions* overflow) {
  std::shared_ptr<JoinTable> table(new JoinTable(context, build));
  KeyReader reader(context, &build.keys, build.matches_null);
  KeyDivider divider(context, &build.keys, build);
  DataChunk chunk;
  for (;;) {
    RETURN_IF_ERROR(source->Next(&chunk));
    if (chunk.size == 0) break;
    if (table == nullptr) {
      RETURN_IF_ERROR(divider.Divide(chunk, build.slots, overflow));
      continue;
    }
    RETURN_IF_ERROR(reader.Read(chunk));
    table->Add(chunk, reader, build);
    if (table->Account()) continue;
    if (overflow == nullptr) return context->OutOfMemory("JOIN");
    RETURN_IF_ERROR(table->MoveTo(build, &divider, overflow));
    table = nullptr;
  }
  if (table != nullptr) table->Finish();
  return table;
}

Result<std::shared_ptr<JoinTable>> JoinTable::BuildBlock(ExecContext* context, Operator* source,
                                                         const JoinBuild& build) {
  std::shared_ptr<JoinTable> table(new JoinTable(context, build));
  KeyReader reader(context, &build.keys, build.matches_null);
  DataChunk chunk;
  const auto bytes_max = static_cast<int64_t>(context->options().memory_bytes_max / kBlockShare);
  // Of a chunk all keys may be NULL.
  while (table->rows_.size() == 0 || (table->Account() && table->reserved_bytes_ < bytes_max)) {
    RETURN_IF_ERROR(source->Next(&chunk));
    if (chunk.size == 0) break;
    RETURN_IF_ERROR(reader.Read(chunk));
    table->Add(chunk, reader, build);
  }
  table->Finish();
  return table;
}

void JoinTable::Finish() {
  // Groups of NULL keys have no rows.
  heads_.resize(std::max<size_t>(groups_.size(), 1), kNoRow);
}

MatchedRows::~MatchedRows() { context_->Charge(-reserved_bytes_); }

Status MatchedRows::Reserve(uint64_t count) {
  reserved_bytes_ = static_cast<int64_t>(count / 8);
  if (!context_->Charge(reserved_bytes_)) return context_->OutOfMemory("JOIN");
  rows_.resize(count);
  return Status::Ok();
}

std::unique_ptr<Operator> MakeHashJoin(ExecContext* context, std::unique_ptr<Operator> probe,
                                       std::shared_ptr<const JoinSpec> spec) {
  if (spec->type == bind::JoinType::kSemi || spec->type == bind::JoinType::kAnti) {
    return std::make_unique<MatchFilterOperator>(context, std::move(probe), std::move(spec));
  }
  return std::make_unique<HashJoinOperator>(context, std::move(probe), std::move(spec));
}

}  // namespace bennu::sql::exec
