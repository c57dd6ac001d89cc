// FilterList: several filters as one, all of which (MUST_PASS_ALL) or one of which (MUST_PASS_ONE)
// must let a cell pass. Merging their codes follows HBase to the letter, since counting filters
// (pages, limits) show in the results which cells each of them was asked about.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "src/cell/comparator.h"
#include "src/filter/decoders.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

using Code = Filter::Code;

bool Includes(Code code) {
  return code == Code::kInclude || code == Code::kIncludeAndNextColumn ||
         code == Code::kIncludeAndSeekNextRow;
}

// How far a code moves on: the cell, its column, its row.
enum class Step : uint8_t { kCell, kColumn, kRow };

Step StepOf(Code code) {
  switch (code) {
    case Code::kIncludeAndNextColumn:
    case Code::kNextColumn: return Step::kColumn;
    case Code::kIncludeAndSeekNextRow:
    case Code::kNextRow: return Step::kRow;
    default: return Step::kCell;
  }
}

Code MakeCode(bool include, Step step) {
  switch (step) {
    case Step::kCell: return include ? Code::kInclude : Code::kSkip;
    case Step::kColumn: return include ? Code::kIncludeAndNextColumn : Code::kNextColumn;
    case Step::kRow: return include ? Code::kIncludeAndSeekNextRow : Code::kNextRow;
  }
  return Code::kSkip;
}

// All must pass: included when both include it, and the longer step is taken.
Code MergeAll(Code left, Code right) {
  if (left == Code::kSeekUsingHint || right == Code::kSeekUsingHint) return Code::kSeekUsingHint;
  return MakeCode(Includes(left) && Includes(right), std::max(StepOf(left), StepOf(right)));
}

// One must pass: included when either includes it, and the shorter step is taken; nobody knows how
// long the step of a hint is.
Code MergeOne(Code left, Code right) {
  if (left == Code::kSeekUsingHint && right == Code::kSeekUsingHint) return Code::kSeekUsingHint;
  return MakeCode(Includes(left) || Includes(right), std::min(StepOf(left), StepOf(right)));
}

class FilterListBase : public Filter {
 public:
  explicit FilterListBase(std::vector<FilterPtr> filters) : filters_(std::move(filters)) {}

  void SetReversed(bool reversed) override {
    reversed_ = reversed;
    for (auto& filter : filters_) filter->SetReversed(reversed);
  }
  void Reset() override {
    for (auto& filter : filters_) filter->Reset();
  }
  void FilterRowCells(std::vector<Cell>* cells) override {
    for (auto& filter : filters_) filter->FilterRowCells(cells);
  }
  bool HasFilterRow() const override {
    return std::any_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->HasFilterRow(); });
  }
  bool IsFamilyEssential(ByteView family) const override {
    return filters_.empty() ||
           std::any_of(filters_.begin(), filters_.end(),
                       [&](const FilterPtr& filter) { return filter->IsFamilyEssential(family); });
  }
  bool DecidesByRowKey() const override {
    return std::all_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->DecidesByRowKey(); });
  }
  const Status* error() const override {
    for (const auto& filter : filters_) {
      if (const Status* error = filter->error()) return error;
    }
    return nullptr;
  }
  Bytes class_name() const override { return ClassName("FilterList"); }

 protected:
  std::vector<FilterPtr> CloneFilters() const {
    std::vector<FilterPtr> clones;
    for (const auto& filter : filters_) clones.push_back(filter->Clone());
    return clones;
  }
  Bytes EncodeAs(pb::FilterList::Operator op) const {
    pb::FilterList message;
    message.set_operator_(op);
    for (const auto& filter : filters_) ToMessage(*filter, message.add_filters());
    return Serialize(message);
  }
  // The hint that lies farther (nearer) in the direction of the scan goes to *best.
  void KeepFarther(Bytes* best, Bytes* other) const {
    if (Order(*best, *other) < 0) best->swap(*other);
  }
  void KeepNearer(Bytes* best, Bytes* other) const {
    if (Order(*best, *other) > 0) best->swap(*other);
  }
  int Order(ByteView left, ByteView right) const {
    const int order = cell::CompareFlatKeys(left, right);
    return reversed_ ? -order : order;
  }

  const std::vector<FilterPtr> filters_;
  Bytes hint_scratch_;
};

class AllList final : public FilterListBase {
 public:
  using FilterListBase::FilterListBase;

  FilterPtr Clone() const override {
    auto clone = std::make_unique<AllList>(CloneFilters());
    clone->reversed_ = reversed_;
    return clone;
  }
  void Reset() override {
    FilterListBase::Reset();
    hinting_.clear();
  }
  bool FilterAllRemaining() override {
    return std::any_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->FilterAllRemaining(); });
  }
  // Every filter hears of the row. A row that a hinting filter has not refused goes on to
  // FilterCell, where the filter can say how far to jump.
  bool FilterRowKey(ByteView row) override {
    bool refused = false;
    bool may_hint = false;
    for (const auto& filter : filters_) {
      if (filter->FilterAllRemaining()) return true;
      if (filter->FilterRowKey(row)) {
        refused = true;
      } else if (filter->GivesHints()) {
        may_hint = true;
      }
    }
    return refused && !may_hint;
  }
  // Filters behind one that refuses a cell do not hear of it, or they would count it; but for those
  // that give hints and count nothing.
  Code FilterCell(const Cell& cell) override {
    hinting_.clear();
    Code code = Code::kInclude;
    size_t i = 0;
    for (; i < filters_.size() && Includes(code); ++i) {
      Filter* const filter = filters_[i].get();
      if (filter->FilterAllRemaining()) {
        code = Code::kNextRow;
        continue;
      }
      const Code own = filter->FilterCell(cell);
      if (own == Code::kSeekUsingHint) hinting_.push_back(filter);
      code = MergeAll(code, own);
    }
    for (; i < filters_.size(); ++i) {
      Filter* const filter = filters_[i].get();
      if (filter->GivesHints() && filter->FilterCell(cell) == Code::kSeekUsingHint) {
        hinting_.push_back(filter);
      }
    }
    return hinting_.empty() ? code : Code::kSeekUsingHint;
  }
  void TransformCell(Cell* cell, FilterMemory* memory) override {
    for (const auto& filter : filters_) filter->TransformCell(cell, memory);
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    bool found = false;
    for (Filter* const filter : hinting_) {
      if (filter->FilterAllRemaining()) continue;
      Bytes* const hint = found ? &hint_scratch_ : flat_key;
      if (!filter->NextCellHint(current, hint)) continue;
      if (found) KeepFarther(flat_key, &hint_scratch_);
      found = true;
    }
    return found;
  }
  bool FilterRow() override {
    return std::any_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->FilterRow(); });
  }
  bool LooksAtRowsOnly() const override {
    return std::all_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->LooksAtRowsOnly(); });
  }
  Bytes Encode() const override { return EncodeAs(pb::FilterList::MUST_PASS_ALL); }

 private:
  std::vector<Filter*> hinting_;  // of the last cell
};

class OneList final : public FilterListBase {
 public:
  explicit OneList(std::vector<FilterPtr> filters)
      : FilterListBase(std::move(filters)), states_(filters_.size()) {}

  FilterPtr Clone() const override {
    auto clone = std::make_unique<OneList>(CloneFilters());
    clone->reversed_ = reversed_;
    return clone;
  }
  void Reset() override {
    FilterListBase::Reset();
    for (State& state : states_) {
      state.code = Code::kInclude;
      state.Keep({});
      state.included = false;
    }
  }
  bool FilterAllRemaining() override {
    return !filters_.empty() &&
           std::all_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->FilterAllRemaining(); });
  }
  bool FilterRowKey(ByteView row) override {
    if (filters_.empty()) return false;
    bool refused = true;
    for (const auto& filter : filters_) {
      if (!filter->FilterAllRemaining() && !filter->FilterRowKey(row)) refused = false;
    }
    return refused;
  }
  Code FilterCell(const Cell& cell) override {
    if (filters_.empty()) return Code::kInclude;
    std::optional<Code> code;
    for (size_t i = 0; i < filters_.size(); ++i) {
      State& state = states_[i];
      state.included = false;
      if (filters_[i]->FilterAllRemaining()) continue;
      const std::optional<Code> known = StillSkips(i, cell);
      const Code own = known.has_value() ? *known : filters_[i]->FilterCell(cell);
      state.code = own;
      state.Keep(own == Code::kInclude || own == Code::kSkip ? ByteView() : cell.flat_key());
      state.included = Includes(own);
      code = code.has_value() ? MergeOne(*code, own) : own;
    }
    return code.value_or(Code::kSkip);
  }
  void TransformCell(Cell* cell, FilterMemory* memory) override {
    for (size_t i = 0; i < filters_.size(); ++i) {
      if (states_[i].included) filters_[i]->TransformCell(cell, memory);
    }
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    bool found = false;
    for (const auto& filter : filters_) {
      if (filter->FilterAllRemaining()) continue;
      if (!filter->NextCellHint(current, found ? &hint_scratch_ : flat_key)) return false;
      if (found) KeepNearer(flat_key, &hint_scratch_);
      found = true;
    }
    return found;
  }
  bool FilterRow() override {
    return !filters_.empty() &&
           std::all_of(filters_.begin(), filters_.end(),
                       [](const FilterPtr& filter) { return filter->FilterRow(); });
  }
  Bytes Encode() const override { return EncodeAs(pb::FilterList::MUST_PASS_ONE); }

 private:
  // What a filter said last. One that wanted to go farther than the list went is not asked again
  // before its goal is reached.
  struct State {
    Code code = Code::kInclude;
    Cell cell;  // only its key, which 'key' has; no key: the filter is to be asked about the next
    Bytes key;
    bool included = false;

    void Keep(ByteView flat_key) {
      key.assign(flat_key);
      cell = Cell();
      if (flat_key.empty()) return;
      cell.key = key.data();
      cell.key_length = static_cast<uint32_t>(key.size());
    }
  };

  std::optional<Code> StillSkips(size_t index, const Cell& cell) {
    const State& state = states_[index];
    if (state.cell.key == nullptr) return std::nullopt;
    switch (state.code) {
      case Code::kInclude:
      case Code::kSkip: return std::nullopt;
      case Code::kSeekUsingHint:
        if (!filters_[index]->NextCellHint(state.cell, &hint_scratch_)) return std::nullopt;
        if (Order(cell.flat_key(), hint_scratch_) >= 0) return std::nullopt;
        return Code::kSeekUsingHint;
      case Code::kNextColumn:
      case Code::kIncludeAndNextColumn:
        if (cell.qualifier() != state.cell.qualifier() || cell.family() != state.cell.family()) {
          return std::nullopt;
        }
        return Code::kNextColumn;
      case Code::kNextRow:
      case Code::kIncludeAndSeekNextRow:
        if (cell.family() != state.cell.family()) return std::nullopt;
        return Code::kNextRow;
    }
    return std::nullopt;
  }

  std::vector<State> states_;
};

}  // namespace
}  // namespace filter

FilterPtr NewFilterList(FilterListOp op, std::vector<FilterPtr> filters) {
  if (op == FilterListOp::kMustPassAll) {
    return std::make_unique<filter::AllList>(std::move(filters));
  }
  return std::make_unique<filter::OneList>(std::move(filters));
}

}  // namespace bennu
