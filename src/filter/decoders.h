// One function for each filter class: from the bytes of its message. InvalidArgument: they are not.
#ifndef BENNU_SRC_FILTER_DECODERS_H_
#define BENNU_SRC_FILTER_DECODERS_H_

#include "bennu/filter.h"
#include "src/filter/comparing.h"
#include "src/filter/messages.h"

namespace bennu::filter {

Result<Comparison> DecodeComparison(const pb::CompareFilter& message);

// row_filters.cc, multi_row_range_filter.cc
Result<FilterPtr> DecodeRowFilter(ByteView bytes);
Result<FilterPtr> DecodePrefixFilter(ByteView bytes);
Result<FilterPtr> DecodeInclusiveStopFilter(ByteView bytes);
Result<FilterPtr> DecodePageFilter(ByteView bytes);
Result<FilterPtr> DecodeRandomRowFilter(ByteView bytes);
Result<FilterPtr> DecodeMultiRowRangeFilter(ByteView bytes);
// column_filters.cc
Result<FilterPtr> DecodeFamilyFilter(ByteView bytes);
Result<FilterPtr> DecodeQualifierFilter(ByteView bytes);
Result<FilterPtr> DecodeColumnPrefixFilter(ByteView bytes);
Result<FilterPtr> DecodeMultipleColumnPrefixFilter(ByteView bytes);
Result<FilterPtr> DecodeColumnRangeFilter(ByteView bytes);
// cell_filters.cc
Result<FilterPtr> DecodeColumnPaginationFilter(ByteView bytes);
Result<FilterPtr> DecodeColumnCountGetFilter(ByteView bytes);
Result<FilterPtr> DecodeFirstKeyValueMatchingQualifiersFilter(ByteView bytes);
Result<FilterPtr> DecodeKeyOnlyFilter(ByteView bytes);
Result<FilterPtr> DecodeTimestampsFilter(ByteView bytes);
// value_filters.cc
Result<FilterPtr> DecodeValueFilter(ByteView bytes);
Result<FilterPtr> DecodeSingleColumnValueFilter(ByteView bytes);
Result<FilterPtr> DecodeSingleColumnValueExcludeFilter(ByteView bytes);
Result<FilterPtr> DecodeColumnValueFilter(ByteView bytes);
Result<FilterPtr> DecodeDependentColumnFilter(ByteView bytes);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_DECODERS_H_
