// HBase's procedures, as clients see them: a change is submitted, gets a number, and is asked after
// until it is done. Here it runs at once; what is kept is how it ended.
#ifndef BENNU_SRC_SERVER_HBASE_PROCEDURES_H_
#define BENNU_SRC_SERVER_HBASE_PROCEDURES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <utility>

#include "proto/procedure.pb.h"
#include "src/base/mutex.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Thread-safe.
class Procedures {
 public:
  struct Outcome {
    int64_t submitted_millis = 0;
    int64_t finished_millis = 0;
  };

  // Runs 'body' and sets *id to its number; returns in a later millisecond than those of what it
  // changed. A second submission with the nonce of one that went
  // well gets that one's number. One that fails has none: the submission fails.
  CallError Run(uint64_t nonce_group, uint64_t nonce, const std::function<CallError()>& body,
                uint64_t* id);
  // Null: no such procedure, or one of long ago. Does not wait for a change that runs.
  std::optional<Outcome> Find(uint64_t id);

 private:
  Mutex run_mu_;  // held while a change runs: they run one after another
  Mutex mu_;      // taken after run_mu_, and not for long
  uint64_t last_id_ GUARDED_BY(mu_) = 0;
  std::map<uint64_t, Outcome> outcomes_ GUARDED_BY(mu_);
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> ids_ GUARDED_BY(mu_);  // by nonce
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_PROCEDURES_H_
