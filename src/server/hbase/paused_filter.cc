#include "src/server/hbase/paused_filter.h"

#include <utility>
#include <vector>

#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

// Rows between two looks at the clock.
constexpr size_t kRowsPerLook = 16;

}  // namespace

// All of them share one filter, so that nothing that it remembers is lost.
class PausedFilter::Wrapper final : public Filter {
 public:
  explicit Wrapper(std::shared_ptr<PausedFilter> shared)
      : shared_(std::move(shared)), filter_(shared_->filter_.get()) {}

  std::unique_ptr<Filter> Clone() const override { return std::make_unique<Wrapper>(shared_); }
  void SetReversed(bool reversed) override {
    Filter::SetReversed(reversed);
    filter_->SetReversed(reversed);
  }
  void Reset() override { filter_->Reset(); }
  bool FilterAllRemaining() override {
    return shared_->stopped_.has_value() || filter_->FilterAllRemaining();
  }
  bool FilterRowKey(ByteView row) override {
    return shared_->IsOver(row) || filter_->FilterRowKey(row);
  }
  Code FilterCell(const Cell& cell) override { return filter_->FilterCell(cell); }
  void TransformCell(Cell* cell, FilterMemory* memory) override {
    filter_->TransformCell(cell, memory);
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    return filter_->NextCellHint(current, flat_key);
  }
  void FilterRowCells(std::vector<Cell>* cells) override { filter_->FilterRowCells(cells); }
  bool HasFilterRow() const override { return filter_->HasFilterRow(); }
  bool FilterRow() override { return filter_->FilterRow(); }
  bool IsFamilyEssential(ByteView family) const override {
    return filter_->IsFamilyEssential(family);
  }
  bool GivesHints() const override { return filter_->GivesHints(); }
  bool DecidesByRowKey() const override { return filter_->DecidesByRowKey(); }
  bool LooksAtRowsOnly() const override { return filter_->LooksAtRowsOnly(); }
  const Status* error() const override { return filter_->error(); }
  Bytes class_name() const override { return filter_->class_name(); }
  Bytes Encode() const override { return filter_->Encode(); }

 private:
  const std::shared_ptr<PausedFilter> shared_;
  Filter* const filter_;
};

std::shared_ptr<const Filter> PausedFilter::Wrap() {
  return std::make_shared<Wrapper>(shared_from_this());
}

bool PausedFilter::IsOver(ByteView row) {
  if (++rows_ % kRowsPerLook != 0 || !deadline_.has_value()) return false;
  if (net::MonotonicNow() <= *deadline_) return false;
  stopped_.emplace(row);
  return true;
}

}  // namespace bennu::server::hbase
