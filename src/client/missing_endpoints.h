// MissingEndpoints: which tables' regions do not answer which coprocessor endpoints.
#ifndef BENNU_SRC_CLIENT_MISSING_ENDPOINTS_H_
#define BENNU_SRC_CLIENT_MISSING_ENDPOINTS_H_

#include <map>
#include <string>
#include <utility>

#include "bennu/descriptor.h"
#include "src/base/mutex.h"
#include "src/client/deadline.h"

namespace bennu::client {

// Remembers for a minute, because a class can be loaded any time. Thread-safe.
class MissingEndpoints {
 public:
  void Note(const TableName& table, const std::string& service) EXCLUDES(mu_);
  bool Has(const TableName& table, const std::string& service) EXCLUDES(mu_);

 private:
  Mutex mu_;
  std::map<std::pair<TableName, std::string>, Deadline> until_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_MISSING_ENDPOINTS_H_
