#include "src/engine/peers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

constexpr size_t kChecksumSize = 4;

}  // namespace

Result<pb::ReplicationPeersFile> ReadPeers(Env* env, const RootLayout& layout) {
  pb::ReplicationPeersFile peers;
  const auto content = env->ReadFile(layout.PeersFile());
  if (content.status().code() == StatusCode::kNotFound) return peers;
  RETURN_IF_ERROR(content.status());
  const ByteView message = ByteView(*content).substr(std::min(kChecksumSize, content->size()));
  if (content->size() < kChecksumSize || LoadBE32(content->data()) != Crc32c(message) ||
      !peers.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
    return Corruption(fmt::format(
        "{}: the replication peers are damaged; without this file there are none, and no data is "
        "lost",
        layout.PeersFile()));
  }
  return peers;
}

Status WritePeers(Env* env, const RootLayout& layout, const pb::ReplicationPeersFile& peers) {
  const std::string message = peers.SerializeAsString();
  Bytes content;
  AppendBE32(&content, Crc32c(message));
  content += message;
  return env->WriteFileAtomically(layout.PeersFile(), content);
}

}  // namespace bennu::engine
