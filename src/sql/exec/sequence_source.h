// SequenceSource: where a query's sequences get their values from; the session's side of it.
#ifndef BENNU_SRC_SQL_EXEC_SEQUENCE_SOURCE_H_
#define BENNU_SRC_SQL_EXEC_SEQUENCE_SOURCE_H_

#include <cstdint>
#include <string>

#include "bennu/status.h"

namespace bennu::sql::exec {

// Used by one thread at a time; the values behind it are shared with others.
class SequenceSource {
 public:
  virtual ~SequenceSource() = default;
  // Could 'count' values be asked for? 1201: no such sequence. 1212, 1213, 1216 for a count above
  // one that could never be given.
  virtual Status Validate(const std::string& schema, const std::string& name, int64_t count) = 0;
  // The first of 'count' values that nobody else gets. 1201, 1212, 1213, 1216.
  virtual Result<int64_t> Next(const std::string& schema, const std::string& name,
                               int64_t count) = 0;
  // The value given last. 1206: none yet.
  virtual Result<int64_t> Current(const std::string& schema, const std::string& name) = 0;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SEQUENCE_SOURCE_H_
