// Filters by values: of any cell, of one column's, or by the timestamps of a column.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/filter/comparing.h"
#include "src/filter/decoders.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

class ValueFilter final : public Filter {
 public:
  explicit ValueFilter(Comparison comparison) : comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override { return std::make_unique<ValueFilter>(comparison_.Clone()); }
  Code FilterCell(const Cell& cell) override {
    return comparison_.Pass(cell.value_view(), &error_) ? Code::kInclude : Code::kSkip;
  }
  Bytes class_name() const override { return ClassName("ValueFilter"); }
  Bytes Encode() const override {
    pb::ValueFilter message;
    ToMessage(comparison_.op(), comparison_.comparator(), message.mutable_compare_filter());
    return Serialize(message);
  }

 private:
  Comparison comparison_;
};

struct Column {
  Bytes family;
  Bytes qualifier;
  bool Is(const Cell& cell) const {
    return cell.qualifier() == ByteView(qualifier) && cell.family() == ByteView(family);
  }
};

// Both SingleColumnValueFilter and SingleColumnValueExcludeFilter.
class SingleColumnValueFilter final : public Filter {
 public:
  struct Options {
    bool filter_if_missing = false;
    bool latest_version_only = true;
    bool exclude_column = false;
  };
  SingleColumnValueFilter(Column column, Comparison comparison, const Options& options)
      : column_(std::move(column)), comparison_(std::move(comparison)), options_(options) {}
  FilterPtr Clone() const override {
    return std::make_unique<SingleColumnValueFilter>(column_, comparison_.Clone(), options_);
  }
  void Reset() override { found_ = matched_ = false; }
  Code FilterCell(const Cell& cell) override {
    if (matched_) return Code::kInclude;
    if (found_ && options_.latest_version_only) return Code::kNextRow;
    if (!column_.Is(cell)) return Code::kInclude;
    found_ = true;
    matched_ = comparison_.Pass(cell.value_view(), &error_);
    return matched_ || !options_.latest_version_only ? Code::kInclude : Code::kNextRow;
  }
  void FilterRowCells(std::vector<Cell>* cells) override {
    if (!options_.exclude_column) return;
    std::erase_if(*cells, [this](const Cell& cell) { return column_.Is(cell); });
  }
  bool HasFilterRow() const override { return true; }
  bool FilterRow() override { return found_ ? !matched_ : options_.filter_if_missing; }
  // A row without the column passes, and then it is its other families that make it one.
  bool IsFamilyEssential(ByteView family) const override {
    return !options_.filter_if_missing || family == ByteView(column_.family);
  }
  Bytes class_name() const override {
    return ClassName(options_.exclude_column ? "SingleColumnValueExcludeFilter"
                                             : "SingleColumnValueFilter");
  }
  Bytes Encode() const override {
    pb::SingleColumnValueFilter message;
    message.set_column_family(column_.family);
    message.set_column_qualifier(column_.qualifier);
    message.set_compare_op(ToMessage(comparison_.op()));
    if (comparison_.comparator() != nullptr) {
      ToMessage(*comparison_.comparator(), message.mutable_comparator());
    }
    message.set_filter_if_missing(options_.filter_if_missing);
    message.set_latest_version_only(options_.latest_version_only);
    if (!options_.exclude_column) return Serialize(message);
    pb::SingleColumnValueExcludeFilter outer;
    *outer.mutable_single_column_value_filter() = message;
    return Serialize(outer);
  }

 private:
  const Column column_;
  Comparison comparison_;
  const Options options_;
  bool found_ = false;
  bool matched_ = false;
};

class ColumnValueFilter final : public Filter {
 public:
  ColumnValueFilter(Column column, Comparison comparison)
      : column_(std::move(column)), comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override {
    return std::make_unique<ColumnValueFilter>(column_, comparison_.Clone());
  }
  void Reset() override { found_ = false; }
  Code FilterCell(const Cell& cell) override {
    if (!column_.Is(cell)) return found_ ? Code::kNextRow : Code::kNextColumn;
    found_ = true;
    return comparison_.Pass(cell.value_view(), &error_) ? Code::kInclude : Code::kSkip;
  }
  bool IsFamilyEssential(ByteView family) const override {
    return family == ByteView(column_.family);
  }
  Bytes class_name() const override { return ClassName("ColumnValueFilter"); }
  Bytes Encode() const override {
    pb::ColumnValueFilter message;
    message.set_family(column_.family);
    message.set_qualifier(column_.qualifier);
    message.set_compare_op(ToMessage(comparison_.op()));
    if (comparison_.comparator() != nullptr) {
      ToMessage(*comparison_.comparator(), message.mutable_comparator());
    }
    return Serialize(message);
  }

 private:
  const Column column_;
  Comparison comparison_;
  bool found_ = false;
};

class DependentColumnFilter final : public Filter {
 public:
  DependentColumnFilter(Column column, bool drop_column, Comparison comparison)
      : column_(std::move(column)), drop_column_(drop_column), comparison_(std::move(comparison)) {}
  FilterPtr Clone() const override {
    return std::make_unique<DependentColumnFilter>(column_, drop_column_, comparison_.Clone());
  }
  void Reset() override { stamps_.clear(); }
  Code FilterCell(const Cell& cell) override {
    // The others are sorted out when all of the column's timestamps are known.
    if (!column_.Is(cell)) return Code::kInclude;
    if (comparison_.comparator() != nullptr && !comparison_.Pass(cell.value_view(), &error_)) {
      return Code::kSkip;
    }
    stamps_.push_back(cell.timestamp());
    return drop_column_ ? Code::kSkip : Code::kInclude;
  }
  void FilterRowCells(std::vector<Cell>* cells) override {
    std::erase_if(*cells, [this](const Cell& cell) {
      return std::find(stamps_.begin(), stamps_.end(), cell.timestamp()) == stamps_.end();
    });
  }
  bool HasFilterRow() const override { return true; }
  Bytes class_name() const override { return ClassName("DependentColumnFilter"); }
  Bytes Encode() const override {
    pb::DependentColumnFilter message;
    ToMessage(comparison_.op(), comparison_.comparator(), message.mutable_compare_filter());
    message.set_column_family(column_.family);
    message.set_column_qualifier(column_.qualifier);
    message.set_drop_dependent_column(drop_column_);
    return Serialize(message);
  }

 private:
  const Column column_;
  const bool drop_column_;
  Comparison comparison_;
  std::vector<int64_t> stamps_;
};

Result<FilterPtr> MakeSingleColumn(const pb::SingleColumnValueFilter& message, bool exclude) {
  ASSIGN_OR_RETURN(ComparatorPtr comparator, DecodeComparator(message.comparator()));
  SingleColumnValueFilter::Options options;
  options.filter_if_missing = message.filter_if_missing();
  options.latest_version_only = message.latest_version_only();
  options.exclude_column = exclude;
  return FilterPtr(std::make_unique<SingleColumnValueFilter>(
      Column{message.column_family(), message.column_qualifier()},
      Comparison(FromMessage(message.compare_op()), std::move(comparator)), options));
}

FilterPtr MakeSingleColumn(ColumnTest test, bool exclude) {
  SingleColumnValueFilter::Options options;
  options.filter_if_missing = test.filter_if_missing;
  options.latest_version_only = test.latest_version_only;
  options.exclude_column = exclude;
  return std::make_unique<SingleColumnValueFilter>(
      Column{std::move(test.family), std::move(test.qualifier)},
      Comparison(test.op, std::move(test.comparator)), options);
}

}  // namespace

Result<FilterPtr> DecodeValueFilter(ByteView bytes) {
  pb::ValueFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ValueFilter", &message));
  ASSIGN_OR_RETURN(Comparison comparison, DecodeComparison(message.compare_filter()));
  return FilterPtr(std::make_unique<ValueFilter>(std::move(comparison)));
}

Result<FilterPtr> DecodeSingleColumnValueFilter(ByteView bytes) {
  pb::SingleColumnValueFilter message;
  RETURN_IF_ERROR(Parse(bytes, "SingleColumnValueFilter", &message));
  return MakeSingleColumn(message, /*exclude=*/false);
}

Result<FilterPtr> DecodeSingleColumnValueExcludeFilter(ByteView bytes) {
  pb::SingleColumnValueExcludeFilter message;
  RETURN_IF_ERROR(Parse(bytes, "SingleColumnValueExcludeFilter", &message));
  return MakeSingleColumn(message.single_column_value_filter(), /*exclude=*/true);
}

Result<FilterPtr> DecodeColumnValueFilter(ByteView bytes) {
  pb::ColumnValueFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ColumnValueFilter", &message));
  ASSIGN_OR_RETURN(ComparatorPtr comparator, DecodeComparator(message.comparator()));
  return NewColumnValueFilter(message.family(), message.qualifier(),
                              FromMessage(message.compare_op()), std::move(comparator));
}

Result<FilterPtr> DecodeDependentColumnFilter(ByteView bytes) {
  pb::DependentColumnFilter message;
  RETURN_IF_ERROR(Parse(bytes, "DependentColumnFilter", &message));
  ASSIGN_OR_RETURN(Comparison comparison, DecodeComparison(message.compare_filter()));
  return FilterPtr(std::make_unique<DependentColumnFilter>(
      Column{message.column_family(), message.column_qualifier()}, message.drop_dependent_column(),
      std::move(comparison)));
}

}  // namespace filter

FilterPtr NewValueFilter(CompareOp op, ComparatorPtr comparator) {
  return std::make_unique<filter::ValueFilter>(filter::Comparison(op, std::move(comparator)));
}

FilterPtr NewSingleColumnValueFilter(ColumnTest test) {
  return filter::MakeSingleColumn(std::move(test), /*exclude=*/false);
}

FilterPtr NewSingleColumnValueExcludeFilter(ColumnTest test) {
  return filter::MakeSingleColumn(std::move(test), /*exclude=*/true);
}

FilterPtr NewColumnValueFilter(Bytes family, Bytes qualifier, CompareOp op,
                               ComparatorPtr comparator) {
  return std::make_unique<filter::ColumnValueFilter>(
      filter::Column{std::move(family), std::move(qualifier)},
      filter::Comparison(op, std::move(comparator)));
}

FilterPtr NewDependentColumnFilter(Bytes family, Bytes qualifier, bool drop_column, CompareOp op,
                                   ComparatorPtr comparator) {
  return std::make_unique<filter::DependentColumnFilter>(
      filter::Column{std::move(family), std::move(qualifier)}, drop_column,
      filter::Comparison(op, std::move(comparator)));
}

}  // namespace bennu
