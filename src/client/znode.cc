#include "src/client/znode.h"

#include <fmt/format.h>
#include <google/protobuf/message_lite.h>

#include <algorithm>
#include <limits>

#include "proto/cluster_status.pb.h"
#include "proto/hbase.pb.h"
#include "proto/zookeeper.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

constexpr char kNameMark = '\xff';
constexpr size_t kHostBytesMax = 255;  // of a name of the DNS

// The message's bytes, without what is in front of them.
Result<ByteView> Payload(ByteView data) {
  if (!data.empty() && data.front() == kNameMark) {
    data.remove_prefix(1);
    uint32_t length = 0;
    ByteView name;
    if (!ConsumeBE32(&data, &length) || !ConsumeBytes(&data, length, &name)) {
      return Corruption("the name of the writer is cut short");
    }
  }
  if (!data.starts_with(api::kPbMagic)) {
    return Corruption(data.empty() ? "it is empty" : "it has no 'PBUF' before its message");
  }
  return data.substr(api::kPbMagic.size());
}

Status ParseZnode(ByteView data, google::protobuf::MessageLite* message) {
  ASSIGN_OR_RETURN(const ByteView payload, Payload(data));
  // In two steps, since the library writes to standard error of a message without its fields.
  if (payload.size() > std::numeric_limits<int>::max() ||
      !message->ParsePartialFromArray(payload.data(), static_cast<int>(payload.size())) ||
      !message->IsInitialized()) {
    return Corruption("its message cannot be read");
  }
  return Status::Ok();
}

// A host goes into messages and to the resolver: it must be one word of printable characters.
Result<Address> AddressOf(const pb::ServerName& server) {
  const std::string& host = server.host_name();
  const bool printable =
      std::all_of(host.begin(), host.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (host.empty() || host.size() > kHostBytesMax || !printable) {
    return Corruption("its server has no name of a host");
  }
  if (server.port() == 0 || server.port() > std::numeric_limits<uint16_t>::max()) {
    return Corruption(fmt::format("the port of its server is {}", server.port()));
  }
  return Address::FromPb(server);
}

}  // namespace

Result<std::string> ClusterIdOfZnode(ByteView data) {
  pb::ClusterId id;
  RETURN_IF_ERROR(ParseZnode(data, &id));
  return id.cluster_id();
}

Result<Address> MasterOfZnode(ByteView data) {
  pb::Master master;
  RETURN_IF_ERROR(ParseZnode(data, &master));
  return AddressOf(master.master());
}

Result<Address> MetaServerOfZnode(ByteView data) {
  pb::MetaRegionServer meta;
  RETURN_IF_ERROR(ParseZnode(data, &meta));
  // As in HBase, a message without a state is of a region that is open.
  if (meta.has_state() && meta.state() != pb::RegionState::OPEN) {
    return Status(StatusCode::kAborted,
                  fmt::format("hbase:meta is {}, not OPEN; the master is still to open it",
                              pb::RegionState::State_Name(meta.state())));
  }
  return AddressOf(meta.server());
}

}  // namespace bennu::client
