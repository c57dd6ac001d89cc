// What commands that open a store are told of it: --memory, --mmap, and --conf NAME=VALUE with
// properties as hbase-site.xml names them.
#ifndef BENNU_SRC_CLI_STORE_CONF_H_
#define BENNU_SRC_CLI_STORE_CONF_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu::cli {

struct StoreArguments {
  uint64_t memory_bytes = 0;      // --memory; 0: as DatabaseOptions::memory_bytes
  bool map_files = false;         // --mmap
  std::vector<std::string> conf;  // --conf, each NAME=VALUE; of one given twice the last counts
  // --config, hbase-site.xml of a cluster that is meant in place of a directory; or empty.
  std::string config_file;
};

// Adds a property that is given as "NAME=VALUE"; of one given twice the last counts. False: it is
// not of that form.
bool AddAssignment(const std::string& text, std::map<std::string, std::string>* values);

// Changes 'options' as the properties say. Known are those of the engine and its stores that
// `bennu serve --config` reads, with the same meaning, and Phoenix's. 'option' is where they come
// from, for messages. InvalidArgument: another name, a value that cannot be.
Status ApplyProperties(const std::string& option,
                       const std::map<std::string, std::string>& properties,
                       DatabaseOptions* options);
// The same for --conf. InvalidArgument also: one without '='.
Status ApplyConf(const std::vector<std::string>& properties, DatabaseOptions* options);

// How to open the store. InvalidArgument: wrong usage.
Result<DatabaseOptions> DatabaseOptionsOf(const StoreArguments& arguments);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STORE_CONF_H_
