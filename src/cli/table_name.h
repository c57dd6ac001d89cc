// Which table of HBase a command means. One rule for all commands that take an existing one.
#ifndef BENNU_SRC_CLI_TABLE_NAME_H_
#define BENNU_SRC_CLI_TABLE_NAME_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/admin.h"
#include "bennu/status.h"

namespace bennu::cli {

// The table of exactly this name, else, as SQL would read it, of the name in upper case. NotFound
// tells names that are close to it. InvalidArgument: no table can have such a name.
Result<TableName> FindTable(Admin* admin, const std::string& text);

// Those of 'names' that 'text' may be a slip for, the closest first, three at most. Case does not
// count.
std::vector<std::string> CloseNames(std::string_view text, const std::vector<std::string>& names);

// "did you mean A or B?", or nothing.
std::string DidYouMean(const std::vector<std::string>& names);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_TABLE_NAME_H_
