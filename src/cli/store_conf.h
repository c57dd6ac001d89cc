// --conf NAME=VALUE of the commands that open a store: properties as hbase-site.xml names them.
#ifndef BENNU_SRC_CLI_STORE_CONF_H_
#define BENNU_SRC_CLI_STORE_CONF_H_

#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu::cli {

// Changes 'options' as the properties say, each "NAME=VALUE"; of one given twice the last counts.
// Known are those of the engine and its stores that `bennu serve --config` reads, with the same
// meaning, and Phoenix's. InvalidArgument: another name, no '=', a value that can not be.
Status ApplyConf(const std::vector<std::string>& properties, DatabaseOptions* options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STORE_CONF_H_
