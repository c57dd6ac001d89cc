// One filter of the filter language: its name and arguments.
#ifndef BENNU_SRC_FILTER_FILTER_ARGUMENTS_H_
#define BENNU_SRC_FILTER_FILTER_ARGUMENTS_H_

#include "bennu/filter.h"

namespace bennu::filter {

// 'text': "PrefixFilter ('a')", with its closing parenthesis. InvalidArgument: an unknown name, or
// arguments that the filter does not take.
Result<FilterPtr> MakeFilter(ByteView text);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_FILTER_ARGUMENTS_H_
