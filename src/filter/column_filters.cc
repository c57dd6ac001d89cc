// Filters by family and qualifier, with jumps to the columns that may pass.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/filter/comparing.h"
#include "src/filter/decoders.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

void HintColumn(const Cell& current, ByteView qualifier, Bytes* flat_key) {
  flat_key->clear();
  cell::AppendFirstOnColumn(flat_key, current.row(), current.family(), qualifier);
}

class FamilyFilter final : public Filter {
 public:
  explicit FamilyFilter(Comparison comparison) : comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override { return std::make_unique<FamilyFilter>(comparison_.Clone()); }
  Code FilterCell(const Cell& cell) override {
    return comparison_.Pass(cell.family(), &error_) ? Code::kInclude : Code::kNextRow;
  }
  Bytes class_name() const override { return ClassName("FamilyFilter"); }
  Bytes Encode() const override {
    pb::FamilyFilter message;
    ToMessage(comparison_.op(), comparison_.comparator(), message.mutable_compare_filter());
    return Serialize(message);
  }

 private:
  Comparison comparison_;
};

class QualifierFilter final : public Filter {
 public:
  explicit QualifierFilter(Comparison comparison) : comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override {
    return std::make_unique<QualifierFilter>(comparison_.Clone());
  }
  Code FilterCell(const Cell& cell) override {
    return comparison_.Pass(cell.qualifier(), &error_) ? Code::kInclude : Code::kSkip;
  }
  Bytes class_name() const override { return ClassName("QualifierFilter"); }
  Bytes Encode() const override {
    pb::QualifierFilter message;
    ToMessage(comparison_.op(), comparison_.comparator(), message.mutable_compare_filter());
    return Serialize(message);
  }

 private:
  Comparison comparison_;
};

class ColumnPrefixFilter final : public Filter {
 public:
  explicit ColumnPrefixFilter(Bytes prefix) : prefix_(std::move(prefix)) {}
  FilterPtr Clone() const override { return std::make_unique<ColumnPrefixFilter>(prefix_); }
  Code FilterCell(const Cell& cell) override {
    const int order = cell.qualifier().substr(0, prefix_.size()).compare(prefix_);
    if (order == 0) return Code::kInclude;
    return order < 0 ? Code::kSeekUsingHint : Code::kNextRow;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    HintColumn(current, prefix_, flat_key);
    return true;
  }
  bool GivesHints() const override { return true; }
  Bytes class_name() const override { return ClassName("ColumnPrefixFilter"); }
  Bytes Encode() const override {
    pb::ColumnPrefixFilter message;
    message.set_prefix(prefix_);
    return Serialize(message);
  }

 private:
  const Bytes prefix_;
};

// Only the greatest prefix that is not above the qualifier is tried, as in HBase: with "a" and "ab"
// a column "ac" is not taken for one that begins with "a".
class MultipleColumnPrefixFilter final : public Filter {
 public:
  using Prefixes = std::vector<Bytes>;
  explicit MultipleColumnPrefixFilter(std::shared_ptr<const Prefixes> prefixes)
      : prefixes_(std::move(prefixes)) {}
  FilterPtr Clone() const override {
    return std::make_unique<MultipleColumnPrefixFilter>(prefixes_);
  }
  Code FilterCell(const Cell& cell) override {
    if (prefixes_->empty()) return Code::kInclude;
    const ByteView qualifier = cell.qualifier();
    const auto above =
        std::upper_bound(prefixes_->begin(), prefixes_->end(), qualifier,
                         [](ByteView left, const Bytes& right) { return left < ByteView(right); });
    if (above != prefixes_->begin() && qualifier.starts_with(*(above - 1))) return Code::kInclude;
    if (above == prefixes_->end()) return Code::kNextRow;
    hint_ = &*above;
    return Code::kSeekUsingHint;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    if (hint_ == nullptr) return false;
    HintColumn(current, *hint_, flat_key);
    return true;
  }
  bool GivesHints() const override { return true; }
  Bytes class_name() const override { return ClassName("MultipleColumnPrefixFilter"); }
  Bytes Encode() const override {
    pb::MultipleColumnPrefixFilter message;
    for (const Bytes& prefix : *prefixes_) message.add_sorted_prefixes(prefix);
    return Serialize(message);
  }

 private:
  const std::shared_ptr<const Prefixes> prefixes_;  // sorted, distinct
  const Bytes* hint_ = nullptr;
};

class ColumnRangeFilter final : public Filter {
 public:
  ColumnRangeFilter(ColumnBound min, ColumnBound max)
      : min_(std::move(min)), max_(std::move(max)) {}
  FilterPtr Clone() const override { return std::make_unique<ColumnRangeFilter>(min_, max_); }
  Code FilterCell(const Cell& cell) override {
    const ByteView qualifier = cell.qualifier();
    if (!min_.open) {
      const int order = qualifier.compare(min_.qualifier);
      if (order < 0) return Code::kSeekUsingHint;
      if (order == 0 && !min_.inclusive) return Code::kNextColumn;
    }
    if (max_.open) return Code::kInclude;
    const int order = qualifier.compare(max_.qualifier);
    return order < 0 || (order == 0 && max_.inclusive) ? Code::kInclude : Code::kNextRow;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    HintColumn(current, min_.qualifier, flat_key);
    return true;
  }
  bool GivesHints() const override { return true; }
  Bytes class_name() const override { return ClassName("ColumnRangeFilter"); }
  Bytes Encode() const override {
    pb::ColumnRangeFilter message;
    if (!min_.open) message.set_min_column(min_.qualifier);
    message.set_min_column_inclusive(min_.inclusive);
    if (!max_.open) message.set_max_column(max_.qualifier);
    message.set_max_column_inclusive(max_.inclusive);
    return Serialize(message);
  }

 private:
  const ColumnBound min_;
  const ColumnBound max_;
};

}  // namespace

Result<FilterPtr> DecodeFamilyFilter(ByteView bytes) {
  pb::FamilyFilter message;
  RETURN_IF_ERROR(Parse(bytes, "FamilyFilter", &message));
  ASSIGN_OR_RETURN(Comparison comparison, DecodeComparison(message.compare_filter()));
  return FilterPtr(std::make_unique<FamilyFilter>(std::move(comparison)));
}

Result<FilterPtr> DecodeQualifierFilter(ByteView bytes) {
  pb::QualifierFilter message;
  RETURN_IF_ERROR(Parse(bytes, "QualifierFilter", &message));
  ASSIGN_OR_RETURN(Comparison comparison, DecodeComparison(message.compare_filter()));
  return FilterPtr(std::make_unique<QualifierFilter>(std::move(comparison)));
}

Result<FilterPtr> DecodeColumnPrefixFilter(ByteView bytes) {
  pb::ColumnPrefixFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ColumnPrefixFilter", &message));
  return NewColumnPrefixFilter(message.prefix());
}

Result<FilterPtr> DecodeMultipleColumnPrefixFilter(ByteView bytes) {
  pb::MultipleColumnPrefixFilter message;
  RETURN_IF_ERROR(Parse(bytes, "MultipleColumnPrefixFilter", &message));
  return NewMultipleColumnPrefixFilter(
      {message.sorted_prefixes().begin(), message.sorted_prefixes().end()});
}

Result<FilterPtr> DecodeColumnRangeFilter(ByteView bytes) {
  pb::ColumnRangeFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ColumnRangeFilter", &message));
  return NewColumnRangeFilter(
      {message.min_column(), message.min_column_inclusive(), !message.has_min_column()},
      {message.max_column(), message.max_column_inclusive(), !message.has_max_column()});
}

}  // namespace filter

FilterPtr NewFamilyFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_unique<filter::FamilyFilter>(filter::Comparison(op, std::move(comparator)));
}

FilterPtr NewQualifierFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_unique<filter::QualifierFilter>(filter::Comparison(op, std::move(comparator)));
}

FilterPtr NewColumnPrefixFilter(Bytes prefix) {
  return std::make_unique<filter::ColumnPrefixFilter>(std::move(prefix));
}

Result<FilterPtr> NewMultipleColumnPrefixFilter(std::vector<Bytes> prefixes) {
  std::sort(prefixes.begin(), prefixes.end());
  const auto repeated = std::adjacent_find(prefixes.begin(), prefixes.end());
  if (repeated != prefixes.end()) {
    return InvalidArgument("MultipleColumnPrefixFilter: the prefix '" + ToStringBinary(*repeated) +
                           "' is given twice");
  }
  return FilterPtr(std::make_unique<filter::MultipleColumnPrefixFilter>(
      std::make_shared<const std::vector<Bytes>>(std::move(prefixes))));
}

FilterPtr NewColumnRangeFilter(ColumnBound min, ColumnBound max) {
  return std::make_unique<filter::ColumnRangeFilter>(std::move(min), std::move(max));
}

}  // namespace bennu
