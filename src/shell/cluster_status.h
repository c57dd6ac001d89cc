// `status` of a running cluster, as HBase's shell prints it.
#ifndef BENNU_SRC_SHELL_CLUSTER_STATUS_H_
#define BENNU_SRC_SHELL_CLUSTER_STATUS_H_

#include <string_view>

#include "src/api/cluster_control.h"
#include "src/shell/printer.h"

namespace bennu::shell {

// 'format': "summary", "simple", "detailed" or "replication".
void PrintClusterStatus(const api::ClusterControl::State& state, std::string_view format,
                        Printer* printer);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_CLUSTER_STATUS_H_
