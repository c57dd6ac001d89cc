// From hbase.pb.Filter to filters, by the Java class's name.
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/filter/decoders.h"
#include "src/filter/fuzzy_row_filter.h"
#include "src/filter/messages.h"

namespace bennu::filter {

namespace {

struct Entry {
  std::string_view name;
  Result<FilterPtr> (*decode)(ByteView);
};

constexpr Entry kSimpleFilters[] = {
    {"ColumnCountGetFilter", DecodeColumnCountGetFilter},
    {"ColumnPaginationFilter", DecodeColumnPaginationFilter},
    {"ColumnPrefixFilter", DecodeColumnPrefixFilter},
    {"ColumnRangeFilter", DecodeColumnRangeFilter},
    {"ColumnValueFilter", DecodeColumnValueFilter},
    {"DependentColumnFilter", DecodeDependentColumnFilter},
    {"FamilyFilter", DecodeFamilyFilter},
    {"FilterAllFilter", [](ByteView) { return Result<FilterPtr>(NewFilterAllFilter()); }},
    {"FirstKeyOnlyFilter", [](ByteView) { return Result<FilterPtr>(NewFirstKeyOnlyFilter()); }},
    {"FirstKeyValueMatchingQualifiersFilter", DecodeFirstKeyValueMatchingQualifiersFilter},
    {"FuzzyRowFilter", FuzzyRowFilter::Decode},
    {"InclusiveStopFilter", DecodeInclusiveStopFilter},
    {"KeyOnlyFilter", DecodeKeyOnlyFilter},
    {"MultiRowRangeFilter", DecodeMultiRowRangeFilter},
    {"MultipleColumnPrefixFilter", DecodeMultipleColumnPrefixFilter},
    {"PageFilter", DecodePageFilter},
    {"PrefixFilter", DecodePrefixFilter},
    {"QualifierFilter", DecodeQualifierFilter},
    {"RandomRowFilter", DecodeRandomRowFilter},
    {"RowFilter", DecodeRowFilter},
    {"SingleColumnValueExcludeFilter", DecodeSingleColumnValueExcludeFilter},
    {"SingleColumnValueFilter", DecodeSingleColumnValueFilter},
    {"TimestampsFilter", DecodeTimestampsFilter},
    {"ValueFilter", DecodeValueFilter},
};

Result<FilterPtr> DecodeFilterList(ByteView bytes, int depth) {
  pb::FilterList message;
  RETURN_IF_ERROR(Parse(bytes, "FilterList", &message));
  std::vector<FilterPtr> filters;
  for (const pb::Filter& part : message.filters()) {
    ASSIGN_OR_RETURN(FilterPtr filter, DecodeFilter(part, depth + 1));
    filters.push_back(std::move(filter));
  }
  return NewFilterList(static_cast<FilterListOp>(message.operator_()), std::move(filters));
}

template <typename Message>
Result<FilterPtr> DecodeWrapped(ByteView bytes, std::string_view name, int depth) {
  Message message;
  RETURN_IF_ERROR(Parse(bytes, name, &message));
  return DecodeFilter(message.filter(), depth + 1);
}

}  // namespace

Result<FilterPtr> DecodeFilter(const pb::Filter& message, int depth) {
  if (depth > kNestingMax) {
    return InvalidArgument("filters are nested more than " + std::to_string(kNestingMax) + " deep");
  }
  std::string_view name = message.name();
  const ByteView bytes = message.serialized_filter();
  if (name.starts_with(kPackage)) {
    name.remove_prefix(kPackage.size());
    for (const Entry& entry : kSimpleFilters) {
      if (entry.name == name) return entry.decode(bytes);
    }
    if (name == "FilterList") return DecodeFilterList(bytes, depth);
    if (name == "SkipFilter") {
      ASSIGN_OR_RETURN(FilterPtr filter, DecodeWrapped<pb::SkipFilter>(bytes, name, depth));
      return NewSkipFilter(std::move(filter));
    }
    if (name == "WhileMatchFilter") {
      ASSIGN_OR_RETURN(FilterPtr filter, DecodeWrapped<pb::WhileMatchFilter>(bytes, name, depth));
      return NewWhileMatchFilter(std::move(filter));
    }
    if (name == "FilterWrapper") return DecodeWrapped<pb::FilterWrapper>(bytes, name, depth);
  }
  return InvalidArgument("unknown filter class '" + message.name() + "'");
}

Result<Comparison> DecodeComparison(const pb::CompareFilter& message) {
  ComparatorPtr comparator;
  if (message.has_comparator()) {
    ASSIGN_OR_RETURN(comparator, DecodeComparator(message.comparator()));
  }
  return Comparison(FromMessage(message.compare_op()), std::move(comparator));
}

}  // namespace bennu::filter
