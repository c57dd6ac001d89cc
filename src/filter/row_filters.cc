// Filters that look at rows as a whole: RowFilter, PrefixFilter, InclusiveStopFilter, PageFilter,
// RandomRowFilter, FilterAllFilter.
#include <atomic>
#include <cstdint>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/filter/comparing.h"
#include "src/filter/decoders.h"
#include "src/filter/fuzzy_rule.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

class RowFilter final : public Filter {
 public:
  explicit RowFilter(Comparison comparison) : comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override {
    auto clone = std::make_unique<RowFilter>(comparison_.Clone());
    clone->reversed_ = reversed_;
    return clone;
  }
  void Reset() override { out_ = false; }
  bool FilterRowKey(ByteView row) override {
    if (!comparison_.Pass(row, &error_)) out_ = true;
    return out_;
  }
  Code FilterCell(const Cell& /*cell*/) override { return out_ ? Code::kNextRow : Code::kInclude; }
  bool FilterRow() override { return out_; }
  bool DecidesByRowKey() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("RowFilter"); }
  Bytes Encode() const override {
    pb::RowFilter message;
    ToMessage(comparison_.op(), comparison_.comparator(), message.mutable_compare_filter());
    return Serialize(message);
  }

 private:
  Comparison comparison_;
  bool out_ = false;
};

class PrefixFilter final : public Filter {
 public:
  explicit PrefixFilter(Bytes prefix) : prefix_(std::move(prefix)) {}
  FilterPtr Clone() const override {
    auto clone = std::make_unique<PrefixFilter>(prefix_);
    clone->reversed_ = reversed_;
    return clone;
  }
  void Reset() override { out_ = true; }
  bool FilterAllRemaining() override { return passed_; }
  bool FilterRowKey(ByteView row) override {
    if (passed_) return true;
    const int order = row.substr(0, prefix_.size()).compare(prefix_);
    out_ = order != 0;
    passed_ = reversed_ ? order < 0 : order > 0;
    before_ = out_ && !passed_;
    return passed_;
  }
  Code FilterCell(const Cell& /*cell*/) override {
    if (before_) return Code::kSeekUsingHint;
    return out_ ? Code::kNextRow : Code::kInclude;
  }
  bool NextCellHint(const Cell& /*current*/, Bytes* flat_key) override {
    flat_key->clear();
    if (!reversed_) {
      cell::AppendFirstOnRow(flat_key, prefix_);
      return true;
    }
    Bytes end = prefix_;
    IncreaseLastByte(&end);
    cell::AppendFirstOnRow(flat_key, end);
    return true;
  }
  bool FilterRow() override { return out_; }
  bool GivesHints() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("PrefixFilter"); }
  Bytes Encode() const override {
    pb::PrefixFilter message;
    message.set_prefix(prefix_);
    return Serialize(message);
  }

 private:
  const Bytes prefix_;
  bool out_ = true;
  bool before_ = false;  // the rows with the prefix are still to come
  bool passed_ = false;
};

class InclusiveStopFilter final : public Filter {
 public:
  explicit InclusiveStopFilter(Bytes stop) : stop_(std::move(stop)) {}
  FilterPtr Clone() const override {
    auto clone = std::make_unique<InclusiveStopFilter>(stop_);
    clone->reversed_ = reversed_;
    return clone;
  }
  bool FilterAllRemaining() override { return done_; }
  bool FilterRowKey(ByteView row) override {
    if (!done_) done_ = reversed_ ? row < ByteView(stop_) : row > ByteView(stop_);
    return done_;
  }
  Code FilterCell(const Cell& /*cell*/) override { return done_ ? Code::kNextRow : Code::kInclude; }
  bool DecidesByRowKey() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("InclusiveStopFilter"); }
  Bytes Encode() const override {
    pb::InclusiveStopFilter message;
    message.set_stop_row_key(stop_);
    return Serialize(message);
  }

 private:
  const Bytes stop_;
  bool done_ = false;
};

class PageFilter final : public Filter {
 public:
  explicit PageFilter(int64_t page_size) : page_size_(page_size) {}
  FilterPtr Clone() const override { return std::make_unique<PageFilter>(page_size_); }
  bool FilterAllRemaining() override { return accepted_ >= page_size_; }
  Code FilterCell(const Cell& /*cell*/) override { return Code::kInclude; }
  bool HasFilterRow() const override { return true; }
  bool FilterRow() override { return ++accepted_ > page_size_; }
  bool DecidesByRowKey() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("PageFilter"); }
  Bytes Encode() const override {
    pb::PageFilter message;
    message.set_page_size(page_size_);
    return Serialize(message);
  }

 private:
  const int64_t page_size_;
  int64_t accepted_ = 0;
};

// Numbers that look random; every filter has a sequence of its own. (SplitMix64)
class RowDice {
 public:
  RowDice() : state_(instances_.fetch_add(kGamma, std::memory_order_relaxed)) { Next(); }
  // In [0, 1).
  float Roll() { return static_cast<float>(Next() >> 40) * 0x1p-24F; }

 private:
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;
  uint64_t Next() {
    uint64_t z = state_ += kGamma;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return state_ = z ^ z >> 31;
  }
  static std::atomic<uint64_t> instances_;
  uint64_t state_;
};

std::atomic<uint64_t> RowDice::instances_{1};

class RandomRowFilter final : public Filter {
 public:
  explicit RandomRowFilter(float chance) : chance_(chance) {}
  FilterPtr Clone() const override { return std::make_unique<RandomRowFilter>(chance_); }
  void Reset() override { out_ = false; }
  bool FilterRowKey(ByteView /*row*/) override {
    out_ = chance_ < 0 || (chance_ <= 1 && dice_.Roll() >= chance_);
    return out_;
  }
  Code FilterCell(const Cell& /*cell*/) override { return out_ ? Code::kNextRow : Code::kInclude; }
  bool HasFilterRow() const override { return true; }
  bool FilterRow() override { return out_; }
  bool DecidesByRowKey() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override { return ClassName("RandomRowFilter"); }
  Bytes Encode() const override {
    pb::RandomRowFilter message;
    message.set_chance(chance_);
    return Serialize(message);
  }

 private:
  const float chance_;
  RowDice dice_;
  bool out_ = false;
};

class FilterAllFilter final : public Filter {
 public:
  FilterPtr Clone() const override { return std::make_unique<FilterAllFilter>(); }
  bool FilterAllRemaining() override { return true; }
  bool FilterRowKey(ByteView /*row*/) override { return true; }
  Code FilterCell(const Cell& /*cell*/) override { return Code::kSkip; }
  bool HasFilterRow() const override { return true; }
  bool FilterRow() override { return true; }
  Bytes class_name() const override { return ClassName("FilterAllFilter"); }
  Bytes Encode() const override { return Bytes(); }
};

}  // namespace

Result<FilterPtr> DecodeRowFilter(ByteView bytes) {
  pb::RowFilter message;
  RETURN_IF_ERROR(Parse(bytes, "RowFilter", &message));
  ASSIGN_OR_RETURN(Comparison comparison, DecodeComparison(message.compare_filter()));
  return FilterPtr(std::make_unique<RowFilter>(std::move(comparison)));
}

Result<FilterPtr> DecodePrefixFilter(ByteView bytes) {
  pb::PrefixFilter message;
  RETURN_IF_ERROR(Parse(bytes, "PrefixFilter", &message));
  // HBase's own passes nothing when the prefix is missing.
  if (!message.has_prefix()) return NewFilterAllFilter();
  return NewPrefixFilter(message.prefix());
}

Result<FilterPtr> DecodeInclusiveStopFilter(ByteView bytes) {
  pb::InclusiveStopFilter message;
  RETURN_IF_ERROR(Parse(bytes, "InclusiveStopFilter", &message));
  return NewInclusiveStopFilter(message.stop_row_key());
}

Result<FilterPtr> DecodePageFilter(ByteView bytes) {
  pb::PageFilter message;
  RETURN_IF_ERROR(Parse(bytes, "PageFilter", &message));
  return NewPageFilter(message.page_size());
}

Result<FilterPtr> DecodeRandomRowFilter(ByteView bytes) {
  pb::RandomRowFilter message;
  RETURN_IF_ERROR(Parse(bytes, "RandomRowFilter", &message));
  return NewRandomRowFilter(message.chance());
}

}  // namespace filter

FilterPtr NewRowFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_unique<filter::RowFilter>(filter::Comparison(op, std::move(comparator)));
}

FilterPtr NewPrefixFilter(Bytes prefix) {
  return std::make_unique<filter::PrefixFilter>(std::move(prefix));
}

FilterPtr NewInclusiveStopFilter(Bytes stop_row) {
  return std::make_unique<filter::InclusiveStopFilter>(std::move(stop_row));
}

FilterPtr NewPageFilter(int64_t page_size) {
  return std::make_unique<filter::PageFilter>(page_size);
}

FilterPtr NewRandomRowFilter(float chance) {
  return std::make_unique<filter::RandomRowFilter>(chance);
}

FilterPtr NewFilterAllFilter() { return std::make_unique<filter::FilterAllFilter>(); }

}  // namespace bennu
