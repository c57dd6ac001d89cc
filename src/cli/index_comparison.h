// `bennu check --indexes`: each index of a store against its table, both ways.
#ifndef BENNU_SRC_CLI_INDEX_COMPARISON_H_
#define BENNU_SRC_CLI_INDEX_COMPARISON_H_

#include <functional>
#include <string>

#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::cli {

// 'tell' is called for each index that differs, or cannot be compared, with the path of its table
// below the store's directory. Indexes that no write keeps up, and no query reads, are passed over.
Status CompareIndexes(Connection* connection,
                      const std::function<void(std::string path, std::string what)>& tell);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_INDEX_COMPARISON_H_
