// The constants of HBase's shell: names that stand for themselves as text, such as VERSIONS.
#ifndef BENNU_SRC_SHELL_CONSTANTS_H_
#define BENNU_SRC_SHELL_CONSTANTS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "src/shell/value.h"

namespace bennu::shell {

// Nothing when there is no such constant.
std::optional<Value> FindConstant(std::string_view name);
// All names that stand for text, sorted; for completion.
const std::vector<std::string_view>& ConstantNames();

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_CONSTANTS_H_
