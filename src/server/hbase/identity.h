// Who the server is, for clients.
#ifndef BENNU_SRC_SERVER_HBASE_IDENTITY_H_
#define BENNU_SRC_SERVER_HBASE_IDENTITY_H_

#include <cstdint>
#include <string>

#include "proto/hbase.pb.h"
#include "proto/region.pb.h"

namespace bennu::server::hbase {

// One process is master and region server; only the ports differ.
struct Identity {
  std::string host = "localhost";  // as clients resolve it
  uint16_t master_port = 0;
  uint16_t region_server_port = 0;
  int64_t start_code = 0;  // when it started, milliseconds
  std::string cluster_id;
  bool without_phoenix = false;  // see ServerOptions

  std::string MasterName() const { return Name(master_port); }
  std::string RegionServerName() const { return Name(region_server_port); }
  void MasterToPb(pb::ServerName* message) const { ToPb(master_port, message); }
  void RegionServerToPb(pb::ServerName* message) const { ToPb(region_server_port, message); }

 private:
  std::string Name(uint16_t port) const {
    return host + "," + std::to_string(port) + "," + std::to_string(start_code);
  }
  void ToPb(uint16_t port, pb::ServerName* message) const {
    message->set_host_name(host);
    message->set_port(port);
    message->set_start_code(static_cast<uint64_t>(start_code));
  }
};

// The release of HBase whose protocol and behaviour is answered, as clients are told it.
inline constexpr char kHBaseVersion[] = "2.5.13";
inline constexpr uint32_t kHBaseVersionMajor = 2;
inline constexpr uint32_t kHBaseVersionMinor = 5;
void VersionToPb(pb::VersionInfo* message);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_IDENTITY_H_
