// --conf NAME=VALUE of the commands that open a store: properties as hbase-site.xml names them.
#ifndef BENNU_SRC_CLI_STORE_CONF_H_
#define BENNU_SRC_CLI_STORE_CONF_H_

#include <map>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu::cli {

// Adds a property that is given as "NAME=VALUE"; of one given twice the last counts. False: it is
// not of that form.
bool AddAssignment(const std::string& text, std::map<std::string, std::string>* values);

// Changes 'options' as the properties say, each "NAME=VALUE"; of one given twice the last counts.
// Known are those of the engine and its stores that `bennu serve --config` reads, with the same
// meaning, and Phoenix's. InvalidArgument: another name, no '=', a value that can not be.
Status ApplyConf(const std::vector<std::string>& properties, DatabaseOptions* options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STORE_CONF_H_
