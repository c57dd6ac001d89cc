#include "src/filter/filter_arguments.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"

namespace bennu::filter {

namespace {

// The arguments as they stand, quotes included (doubled ones undone).
class Arguments {
 public:
  static Result<Arguments> Read(ByteView text);

  size_t size() const { return list_.size(); }
  Status ExpectCount(size_t count) const {
    if (list_.size() == count) return Status::Ok();
    return InvalidArgument(
        fmt::format("{} arguments are needed, {} are given", count, list_.size()));
  }
  Result<Bytes> Text(size_t i) const {
    const Bytes& argument = list_[i];
    if (argument.size() < 2 || argument.front() != '\'' || argument.back() != '\'') {
      return InvalidArgument(fmt::format("'{}' needs quotes", argument));
    }
    return argument.substr(1, argument.size() - 2);
  }
  Result<int64_t> Int64(size_t i) const;
  Result<int32_t> Int32(size_t i) const {
    ASSIGN_OR_RETURN(const int64_t value, Int64(i));
    if (value > std::numeric_limits<int32_t>::max() ||
        value < std::numeric_limits<int32_t>::min()) {
      return InvalidArgument(fmt::format("{} is too large", value));
    }
    return static_cast<int32_t>(value);
  }
  Result<bool> Bool(size_t i) const;
  Result<CompareOp> Op(size_t i) const;
  Result<ComparatorPtr> Comparator(size_t i, CompareOp op) const;

 private:
  std::vector<Bytes> list_;
};

bool EndsArgument(char c) { return c == ' ' || c == ',' || c == ')'; }

Result<Arguments> Arguments::Read(ByteView text) {
  Arguments arguments;
  const size_t open = text.find('(');
  if (open == ByteView::npos) return InvalidArgument("there are no arguments");
  for (size_t i = open + 1; i < text.size(); ++i) {
    if (EndsArgument(text[i])) continue;
    Bytes argument;
    if (text[i] == '\'') {
      argument += text[i++];
      while (i < text.size() && (text[i] != '\'' || text.substr(i).starts_with("''"))) {
        if (text[i] == '\'') ++i;
        argument += text[i++];
      }
      if (i >= text.size()) return InvalidArgument("a quote is not closed");
      argument += text[i];
    } else {
      while (i < text.size() && !EndsArgument(text[i])) argument += text[i++];
      if (i >= text.size()) return InvalidArgument("the arguments do not end");
    }
    arguments.list_.push_back(std::move(argument));
  }
  return arguments;
}

Result<int64_t> Arguments::Int64(size_t i) const {
  ByteView digits = list_[i];
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return InvalidArgument(fmt::format("'{}' is no number", list_[i]));
    value = value * 10 + static_cast<uint64_t>(c - '0');
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return InvalidArgument(fmt::format("{} is too large", list_[i]));
    }
  }
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

Result<bool> Arguments::Bool(size_t i) const {
  Bytes lower = list_[i];
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 0x20);
  }
  if (lower == "true") return true;
  if (lower == "false") return false;
  return InvalidArgument(fmt::format("'{}' is neither true nor false", list_[i]));
}

Result<CompareOp> Arguments::Op(size_t i) const {
  const Bytes& text = list_[i];
  if (text == "<") return CompareOp::kLess;
  if (text == "<=") return CompareOp::kLessOrEqual;
  if (text == "=") return CompareOp::kEqual;
  if (text == "!=") return CompareOp::kNotEqual;
  if (text == ">=") return CompareOp::kGreaterOrEqual;
  if (text == ">") return CompareOp::kGreater;
  return InvalidArgument(
      fmt::format("'{}' is no comparison; there are <, <=, =, !=, >= and >", text));
}

// 'binary:value', 'binaryprefix:value', 'regexstring:pattern', 'substring:text'.
Result<ComparatorPtr> Arguments::Comparator(size_t i, CompareOp op) const {
  ASSIGN_OR_RETURN(const Bytes text, Text(i));
  const size_t colon = text.find(':');
  if (colon == Bytes::npos) {
    return InvalidArgument(fmt::format("the comparator '{}' has no colon", text));
  }
  const ByteView type = ByteView(text).substr(0, colon);
  Bytes value = text.substr(colon + 1);
  if (type == "binary") return NewBinaryComparator(std::move(value));
  if (type == "binaryprefix") return NewBinaryPrefixComparator(std::move(value));
  if (type != "regexstring" && type != "substring") {
    return InvalidArgument(
        fmt::format("unknown comparator '{}'; there are binary, binaryprefix, "
                    "regexstring and substring",
                    type));
  }
  if (op != CompareOp::kEqual && op != CompareOp::kNotEqual) {
    return InvalidArgument(fmt::format("{} compares with = and != only", type));
  }
  if (type == "substring") return NewSubstringComparator(value);
  return NewRegexComparator(std::move(value));
}

// ---- the filters, by name

using Maker = Result<FilterPtr> (*)(const Arguments&);

// (op, comparator)
template <FilterPtr (*kMake)(CompareOp, ComparatorPtr)>
Result<FilterPtr> MakeComparing(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(2));
  ASSIGN_OR_RETURN(const CompareOp op, arguments.Op(0));
  ASSIGN_OR_RETURN(ComparatorPtr comparator, arguments.Comparator(1, op));
  return kMake(op, std::move(comparator));
}

// ('bytes')
template <FilterPtr (*kMake)(Bytes)>
Result<FilterPtr> MakeOfBytes(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(1));
  ASSIGN_OR_RETURN(Bytes bytes, arguments.Text(0));
  return kMake(std::move(bytes));
}

// ('family', 'qualifier', op, comparator [, filter if missing, latest version only])
template <FilterPtr (*kMake)(ColumnTest)>
Result<FilterPtr> MakeSingleColumn(const Arguments& arguments) {
  if (arguments.size() != 6) RETURN_IF_ERROR(arguments.ExpectCount(4));
  ColumnTest test;
  ASSIGN_OR_RETURN(test.family, arguments.Text(0));
  ASSIGN_OR_RETURN(test.qualifier, arguments.Text(1));
  ASSIGN_OR_RETURN(test.op, arguments.Op(2));
  ASSIGN_OR_RETURN(test.comparator, arguments.Comparator(3, test.op));
  if (arguments.size() == 6) {
    ASSIGN_OR_RETURN(test.filter_if_missing, arguments.Bool(4));
    ASSIGN_OR_RETURN(test.latest_version_only, arguments.Bool(5));
  }
  return kMake(std::move(test));
}

Result<FilterPtr> MakeColumnValue(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(4));
  ASSIGN_OR_RETURN(Bytes family, arguments.Text(0));
  ASSIGN_OR_RETURN(Bytes qualifier, arguments.Text(1));
  ASSIGN_OR_RETURN(const CompareOp op, arguments.Op(2));
  ASSIGN_OR_RETURN(ComparatorPtr comparator, arguments.Comparator(3, op));
  return NewColumnValueFilter(std::move(family), std::move(qualifier), op, std::move(comparator));
}

// ('family', 'qualifier' [, drop the column [, op, comparator]])
Result<FilterPtr> MakeDependentColumn(const Arguments& arguments) {
  if (arguments.size() != 3 && arguments.size() != 5) RETURN_IF_ERROR(arguments.ExpectCount(2));
  ASSIGN_OR_RETURN(Bytes family, arguments.Text(0));
  ASSIGN_OR_RETURN(Bytes qualifier, arguments.Text(1));
  bool drop_column = false;
  if (arguments.size() > 2) {
    ASSIGN_OR_RETURN(drop_column, arguments.Bool(2));
  }
  if (arguments.size() < 5) {
    return NewDependentColumnFilter(std::move(family), std::move(qualifier), drop_column);
  }
  ASSIGN_OR_RETURN(const CompareOp op, arguments.Op(3));
  // Any comparison goes with any comparator here.
  ASSIGN_OR_RETURN(ComparatorPtr comparator, arguments.Comparator(4, CompareOp::kEqual));
  return NewDependentColumnFilter(std::move(family), std::move(qualifier), drop_column, op,
                                  std::move(comparator));
}

Result<FilterPtr> MakeColumnRange(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(4));
  ColumnBound min;
  ColumnBound max;
  ASSIGN_OR_RETURN(min.qualifier, arguments.Text(0));
  ASSIGN_OR_RETURN(min.inclusive, arguments.Bool(1));
  ASSIGN_OR_RETURN(max.qualifier, arguments.Text(2));
  ASSIGN_OR_RETURN(max.inclusive, arguments.Bool(3));
  min.open = min.qualifier.empty();
  max.open = max.qualifier.empty();
  return NewColumnRangeFilter(std::move(min), std::move(max));
}

Result<FilterPtr> MakeColumnPagination(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(2));
  ASSIGN_OR_RETURN(const int32_t limit, arguments.Int32(0));
  ASSIGN_OR_RETURN(const int32_t offset, arguments.Int32(1));
  return NewColumnPaginationFilter(limit, offset);
}

Result<FilterPtr> MakeColumnCountGet(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(1));
  ASSIGN_OR_RETURN(const int32_t limit, arguments.Int32(0));
  return NewColumnCountGetFilter(limit);
}

Result<FilterPtr> MakePage(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(1));
  ASSIGN_OR_RETURN(const int64_t size, arguments.Int64(0));
  if (size < 0) return InvalidArgument(fmt::format("a page of {} rows", size));
  return NewPageFilter(size);
}

Result<FilterPtr> MakeMultipleColumnPrefix(const Arguments& arguments) {
  std::vector<Bytes> prefixes(arguments.size());
  for (size_t i = 0; i < prefixes.size(); ++i) {
    ASSIGN_OR_RETURN(prefixes[i], arguments.Text(i));
  }
  return NewMultipleColumnPrefixFilter(std::move(prefixes));
}

Result<FilterPtr> MakeTimestamps(const Arguments& arguments) {
  std::vector<int64_t> timestamps(arguments.size());
  for (size_t i = 0; i < timestamps.size(); ++i) {
    ASSIGN_OR_RETURN(timestamps[i], arguments.Int64(i));
  }
  return NewTimestampsFilter(std::move(timestamps));
}

Result<FilterPtr> MakeKeyOnly(const Arguments& arguments) {
  if (arguments.size() == 0) return NewKeyOnlyFilter(/*length_as_value=*/false);
  RETURN_IF_ERROR(arguments.ExpectCount(1));
  ASSIGN_OR_RETURN(const bool length_as_value, arguments.Bool(0));
  return NewKeyOnlyFilter(length_as_value);
}

Result<FilterPtr> MakeFirstKeyOnly(const Arguments& arguments) {
  RETURN_IF_ERROR(arguments.ExpectCount(0));
  return NewFirstKeyOnlyFilter();
}

struct NamedMaker {
  ByteView name;
  Maker make;
};

// Those that HBase's parser knows, and no others.
constexpr NamedMaker kMakers[] = {
    {"KeyOnlyFilter", MakeKeyOnly},
    {"FirstKeyOnlyFilter", MakeFirstKeyOnly},
    {"PrefixFilter", MakeOfBytes<NewPrefixFilter>},
    {"ColumnPrefixFilter", MakeOfBytes<NewColumnPrefixFilter>},
    {"MultipleColumnPrefixFilter", MakeMultipleColumnPrefix},
    {"ColumnCountGetFilter", MakeColumnCountGet},
    {"PageFilter", MakePage},
    {"ColumnPaginationFilter", MakeColumnPagination},
    {"InclusiveStopFilter", MakeOfBytes<NewInclusiveStopFilter>},
    {"TimestampsFilter", MakeTimestamps},
    {"RowFilter", MakeComparing<NewRowFilter>},
    {"FamilyFilter", MakeComparing<NewFamilyFilter>},
    {"QualifierFilter", MakeComparing<NewQualifierFilter>},
    {"ValueFilter", MakeComparing<NewValueFilter>},
    {"ColumnRangeFilter", MakeColumnRange},
    {"SingleColumnValueFilter", MakeSingleColumn<NewSingleColumnValueFilter>},
    {"SingleColumnValueExcludeFilter", MakeSingleColumn<NewSingleColumnValueExcludeFilter>},
    {"DependentColumnFilter", MakeDependentColumn},
    {"ColumnValueFilter", MakeColumnValue},
};

}  // namespace

Result<FilterPtr> MakeFilter(ByteView text) {
  const size_t name_end = text.find_first_of("( ");
  if (name_end == ByteView::npos || name_end == 0) {
    return InvalidArgument(fmt::format("Incorrect Filter Name in '{}'", text));
  }
  const ByteView name = text.substr(0, name_end);
  for (const NamedMaker& maker : kMakers) {
    if (maker.name != name) continue;
    const std::string context = fmt::format("Incorrect filter string {}", text);
    Result<Arguments> arguments = Arguments::Read(text);
    if (!arguments.ok()) return arguments.status().Annotate(context);
    Result<FilterPtr> filter = maker.make(*arguments);
    if (!filter.ok()) return filter.status().Annotate(context);
    return filter;
  }
  return InvalidArgument(fmt::format("Filter Name {} not supported", name));
}

}  // namespace bennu::filter
