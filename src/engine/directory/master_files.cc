#include "src/engine/directory/master_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

constexpr size_t kChecksumSize = 4;

// 'damaged' says what the damage means.
template <typename Message>
Result<Message> Read(Env* env, const std::string& path, const char* damaged) {
  Message message;
  const auto content = env->ReadFile(path);
  if (content.status().code() == StatusCode::kNotFound) return message;
  RETURN_IF_ERROR(content.status());
  const ByteView bytes = ByteView(*content).substr(std::min(kChecksumSize, content->size()));
  if (content->size() < kChecksumSize || LoadBE32(content->data()) != Crc32c(bytes) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Corruption(fmt::format("{}: {}", path, damaged));
  }
  return message;
}

Status Write(Env* env, const std::string& path, const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  Bytes content;
  AppendBE32(&content, Crc32c(bytes));
  content += bytes;
  return env->WriteFileAtomically(path, content);
}

}  // namespace

Result<pb::ReplicationPeersFile> ReadPeers(Env* env, const RootLayout& layout) {
  return Read<pb::ReplicationPeersFile>(
      env, layout.PeersFile(),
      "the replication peers are damaged; without this file there are none, and no data is lost");
}

Result<pb::SwitchesFile> ReadSwitches(Env* env, const RootLayout& layout) {
  return Read<pb::SwitchesFile>(
      env, layout.SwitchesFile(),
      "the master's switches are damaged; without this file they are as in a new store, and no "
      "data is lost");
}

Status WritePeers(Env* env, const RootLayout& layout, const pb::ReplicationPeersFile& peers) {
  return Write(env, layout.PeersFile(), peers);
}

Status WriteSwitches(Env* env, const RootLayout& layout, const pb::SwitchesFile& switches) {
  return Write(env, layout.SwitchesFile(), switches);
}

}  // namespace bennu::engine
