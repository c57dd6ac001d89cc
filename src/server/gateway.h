// A gateway: Phoenix's clients and the console, served by SQL of this process over a cluster that
// has the tables. It keeps nothing but open connections and statements, so that any number may
// stand side by side.
#ifndef BENNU_SRC_SERVER_GATEWAY_H_
#define BENNU_SRC_SERVER_GATEWAY_H_

#include <memory>
#include <string>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/server/server.h"

namespace bennu::server {

struct GatewayOptions {
  std::string cluster;       // as OpenedCluster takes it
  DatabaseOptions database;  // of SQL and of the client of the cluster
  // What it listens on, for whom, and how much clients may make it hold: of these the members for
  // the ports of Phoenix and HTTP and for the server as a whole count.
  ServerOptions server;
};

// Connects to the cluster, takes the port and serves. InvalidArgument: an option, or no port is
// asked for; IoError, TimedOut: the cluster does not answer, or the port cannot be had.
Result<std::unique_ptr<RunningServer>> StartGateway(const GatewayOptions& options);

}  // namespace bennu::server

#endif  // BENNU_SRC_SERVER_GATEWAY_H_
