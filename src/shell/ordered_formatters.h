// Formatters for values of HBase's OrderedBytes: 'f:q:toOrderedInt64'. HBase's shell has none; its
// class OrderedBytes takes no plain bytes.
#ifndef BENNU_SRC_SHELL_ORDERED_FORMATTERS_H_
#define BENNU_SRC_SHELL_ORDERED_FORMATTERS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::shell {

// The value as the formatter shows it, whichever its order; nothing when there is no formatter of
// that name. InvalidArgument: the bytes are no such value, or go on behind it.
std::optional<Result<std::string>> FormatOrdered(ByteView bytes, std::string_view formatter);

std::vector<std::string> OrderedFormatterNames();

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_ORDERED_FORMATTERS_H_
