// SkipFilter and WhileMatchFilter: what another filter refuses has larger consequences.
#include <memory>
#include <utility>
#include <vector>

#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

class WrappingFilter : public Filter {
 public:
  explicit WrappingFilter(FilterPtr filter) : filter_(std::move(filter)) {}
  void TransformCell(Cell* cell, FilterMemory* memory) override {
    filter_->TransformCell(cell, memory);
  }
  bool HasFilterRow() const override { return true; }
  bool IsFamilyEssential(ByteView family) const override {
    return filter_->IsFamilyEssential(family);
  }
  const Status* error() const override { return filter_->error(); }

 protected:
  const FilterPtr filter_;
};

// The wrapped filter does not get to know that the scan is reversed, as in HBase.
//
// HBase's asks the wrapped filter about cells only: what that would say of row keys or hint at is
// not heard.
class SkipFilter final : public WrappingFilter {
 public:
  using WrappingFilter::WrappingFilter;
  FilterPtr Clone() const override { return std::make_unique<SkipFilter>(filter_->Clone()); }
  void Reset() override {
    filter_->Reset();
    out_ = false;
  }
  bool FilterRowKey(ByteView /*row*/) override { return false; }
  Code FilterCell(const Cell& cell) override {
    const Code code = filter_->FilterCell(cell);
    if (code != Code::kInclude) out_ = true;
    return code;
  }
  bool FilterRow() override { return out_; }
  Bytes class_name() const override { return ClassName("SkipFilter"); }
  Bytes Encode() const override {
    pb::SkipFilter message;
    ToMessage(*filter_, message.mutable_filter());
    return Serialize(message);
  }

 private:
  bool out_ = false;
};

class WhileMatchFilter final : public WrappingFilter {
 public:
  using WrappingFilter::WrappingFilter;
  FilterPtr Clone() const override { return std::make_unique<WhileMatchFilter>(filter_->Clone()); }
  void Reset() override { filter_->Reset(); }
  bool FilterAllRemaining() override { return ended_ || filter_->FilterAllRemaining(); }
  bool FilterRowKey(ByteView row) override {
    if (FilterAllRemaining()) return true;
    return EndWhen(filter_->FilterRowKey(row));
  }
  Code FilterCell(const Cell& cell) override {
    const Code code = filter_->FilterCell(cell);
    EndWhen(code != Code::kInclude);
    return code;
  }
  bool FilterRow() override { return EndWhen(filter_->FilterRow()); }
  Bytes class_name() const override { return ClassName("WhileMatchFilter"); }
  Bytes Encode() const override {
    pb::WhileMatchFilter message;
    ToMessage(*filter_, message.mutable_filter());
    return Serialize(message);
  }

 private:
  bool EndWhen(bool refused) {
    ended_ = ended_ || refused;
    return refused;
  }
  bool ended_ = false;
};

}  // namespace
}  // namespace filter

FilterPtr NewSkipFilter(FilterPtr filter) {
  return std::make_unique<filter::SkipFilter>(std::move(filter));
}

FilterPtr NewWhileMatchFilter(FilterPtr filter) {
  return std::make_unique<filter::WhileMatchFilter>(std::move(filter));
}

}  // namespace bennu
