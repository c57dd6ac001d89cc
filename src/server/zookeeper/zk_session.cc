#include "src/server/zookeeper/zk_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/server/net/clock.h"

namespace bennu::server::zookeeper {

namespace {

constexpr size_t kFrameMax = 1u << 20;  // ZooKeeper's jute.maxbuffer
constexpr size_t kWordSize = 4;

// ZooKeeper's operations that are understood.
enum Operation : int32_t {
  kNotification = 0,
  kExists = 3,
  kGetData = 4,
  kGetAcl = 6,
  kGetChildren = 8,
  kSync = 9,
  kPing = 11,
  kGetChildren2 = 12,
  kAuth = 100,
  kSetWatches = 101,
  kCloseSession = -11,
};

enum Error : int32_t {
  kOk = 0,
  kSystemError = -1,
  kUnimplemented = -6,
  kNoNode = -101,
  kNotReadOnly = -119,
};

// Of what the server tells by itself.
constexpr int32_t kNotificationXid = -1;
constexpr int32_t kConnectedState = 3;
constexpr std::chrono::milliseconds kTimeoutMin{4'000};
constexpr std::chrono::milliseconds kTimeoutMax{40'000};

// A frame being made.
class Writer {
 public:
  // 'zxid' stands for all that happens while the process runs: by it a client that comes back says
  // whether it has seen this process before.
  explicit Writer(int64_t zxid) : zxid_(zxid) { frame_.resize(4); }
  void Int(int32_t value) { AppendBE32(&frame_, static_cast<uint32_t>(value)); }
  void Long(int64_t value) { AppendBE64(&frame_, static_cast<uint64_t>(value)); }
  void Bool(bool value) { frame_.push_back(value ? 1 : 0); }
  void Buffer(ByteView bytes) {
    Int(static_cast<int32_t>(bytes.size()));
    frame_.append(bytes);
  }
  void Header(int32_t xid, int32_t error) {
    Int(xid);
    Long(zxid_);
    Int(error);
  }
  // Of a node that was made once and never changed.
  void Stat(size_t data_length, size_t children) {
    Long(zxid_);  // created
    Long(zxid_);  // modified
    Long(0);      // when
    Long(0);
    Int(0);  // versions of the data, the children, the access list
    Int(0);
    Int(0);
    Long(0);  // nobody's session
    Int(static_cast<int32_t>(data_length));
    Int(static_cast<int32_t>(children));
    Long(zxid_);
  }
  ByteView Done() {
    StoreBE32(frame_.data(), static_cast<uint32_t>(frame_.size() - 4));
    return frame_;
  }

 private:
  const int64_t zxid_;
  Bytes frame_;
};

bool ReadString(ByteView* rest, std::string* text) {
  uint32_t length = 0;
  ByteView bytes;
  if (!ConsumeBE32(rest, &length) || !ConsumeBytes(rest, length, &bytes)) return false;
  text->assign(bytes);
  return true;
}

bool IsWord(ByteView bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

Status ZkSession::Tick() {
  ZnodesView view(znodes_);
  SendFired(&view);
  if (net::MonotonicNow() - heard_ < timeout_) return Status::Ok();
  return IoError("the ZooKeeper session sent nothing for the length of its timeout");
}

Result<size_t> ZkSession::Receive(ByteView bytes) {
  if (bytes.size() < kWordSize) return 0;
  heard_ = net::MonotonicNow();
  if (!connected_ && IsWord(bytes.substr(0, kWordSize))) {
    RETURN_IF_ERROR(AnswerWord(bytes.substr(0, kWordSize)));
    return bytes.size();
  }
  const size_t length = LoadBE32(bytes.data());
  if (length > kFrameMax) {
    return Corruption(
        fmt::format("a ZooKeeper frame of {} bytes; the limit is {}", length, kFrameMax));
  }
  if (bytes.size() - kWordSize < length) return 0;
  const ByteView frame = bytes.substr(kWordSize, length);
  RETURN_IF_ERROR(connected_ ? Answer(frame) : Connect(frame));
  return kWordSize + length;
}

Status ZkSession::AnswerWord(ByteView word) {
  if (word == "ruok") {
    channel_->Send("imok");
  } else if (word == "srvr" || word == "stat") {
    channel_->Send("Zookeeper version: 3.8.4-bennu, read-only\nMode: standalone\n");
  } else {
    channel_->Send(fmt::format("{} is not executed because it is not known.\n", word));
  }
  channel_->Close();
  return Status::Ok();
}

Status ZkSession::Connect(ByteView frame) {
  uint32_t version = 0;
  uint64_t last_seen = 0;
  uint32_t timeout = 0;
  uint64_t session = 0;
  std::string password;
  if (!ConsumeBE32(&frame, &version) || !ConsumeBE64(&frame, &last_seen) ||
      !ConsumeBE32(&frame, &timeout) || !ConsumeBE64(&frame, &session) ||
      !ReadString(&frame, &password)) {
    return Corruption("a ZooKeeper session that begins with something else");
  }
  static std::atomic<int64_t> sessions{1};
  timeout_ = std::clamp(std::chrono::milliseconds(timeout), kTimeoutMin, kTimeoutMax);
  connected_ = true;
  // Sessions hold nothing, so that a client which comes back gets the one that it asks for.
  const int64_t id = session != 0 ? static_cast<int64_t>(session) : sessions.fetch_add(1);
  Writer writer(znodes_->start_millis());
  writer.Int(0);
  writer.Int(static_cast<int32_t>(timeout_.count()));
  writer.Long(id);
  writer.Buffer(Bytes(16, '\0'));
  writer.Bool(false);
  channel_->Send(writer.Done());
  return Status::Ok();
}

void ZkSession::SendFired(ZnodesView* view) {
  for (const Watches::Event& event : watches_.TakeFired(view)) {
    Writer writer(kNotificationXid);
    writer.Header(kNotificationXid, kOk);
    writer.Int(static_cast<int32_t>(event.type));
    writer.Int(kConnectedState);
    writer.Buffer(event.path);
    channel_->Send(writer.Done());
  }
}

Result<bool> ZkSession::RestoreWatches(ByteView rest) {
  uint64_t last_seen = 0;
  if (!ConsumeBE64(&rest, &last_seen)) return Corruption("watches without what was seen last");
  const bool since_start = static_cast<int64_t>(last_seen) >= znodes_->start_millis();
  struct List {
    Watches::Of what;
    bool existed;
  };
  bool all = true;
  for (const List& list : {List{Watches::Of::kNode, true}, List{Watches::Of::kNode, false},
                           List{Watches::Of::kChildren, true}}) {
    uint32_t count = 0;
    if (!ConsumeBE32(&rest, &count)) return Corruption("watches that are cut short");
    if (count == UINT32_MAX) continue;  // a vector that is null
    for (uint32_t i = 0; i < count; ++i) {
      std::string path;
      if (!ReadString(&rest, &path)) return Corruption("watches that are cut short");
      all = all && watches_.Restore(list.what, path, list.existed, since_start);
    }
  }
  return all;
}

Status ZkSession::Answer(ByteView frame) {
  uint32_t xid_bits = 0;
  uint32_t type_bits = 0;
  if (!ConsumeBE32(&frame, &xid_bits) || !ConsumeBE32(&frame, &type_bits)) {
    return Corruption("a ZooKeeper request without a header");
  }
  const auto xid = static_cast<int32_t>(xid_bits);
  const auto type = static_cast<int32_t>(type_bits);
  Writer writer(znodes_->start_millis());
  std::string path;
  const bool has_path = type == kExists || type == kGetData || type == kGetChildren ||
                        type == kGetChildren2 || type == kSync || type == kGetAcl;
  if (has_path && !ReadString(&frame, &path)) {
    return Corruption("a ZooKeeper request without a path");
  }
  uint8_t watch = 0;
  const bool may_watch = has_path && type != kSync && type != kGetAcl;
  if (may_watch && !ConsumeByte(&frame, &watch)) {
    return Corruption("a ZooKeeper request that does not say whether it watches");
  }
  ZnodesView view(znodes_);
  SendFired(&view);
  const auto data = has_path ? view.Data(path) : std::nullopt;
  const auto children = data.has_value() ? view.Children(path) : std::nullopt;
  // Of what is not there only its coming can be watched.
  if (watch != 0 && (data.has_value() || type == kExists)) {
    const bool children_only = type == kGetChildren || type == kGetChildren2;
    if (!watches_.Add(children_only ? Watches::Of::kChildren : Watches::Of::kNode, path, &view)) {
      writer.Header(xid, kSystemError);
      channel_->Send(writer.Done());
      return Status::Ok();
    }
  }
  if (has_path && type != kSync && !data.has_value()) {
    writer.Header(xid, kNoNode);
    channel_->Send(writer.Done());
    return Status::Ok();
  }
  switch (type) {
    case kExists:
      writer.Header(xid, kOk);
      writer.Stat(data->size(), children->size());
      break;
    case kGetData:
      writer.Header(xid, kOk);
      writer.Buffer(*data);
      writer.Stat(data->size(), children->size());
      break;
    case kGetChildren:
    case kGetChildren2:
      writer.Header(xid, kOk);
      writer.Int(static_cast<int32_t>(children->size()));
      for (const std::string& child : *children) writer.Buffer(child);
      if (type == kGetChildren2) writer.Stat(data->size(), children->size());
      break;
    case kGetAcl:
      writer.Header(xid, kOk);
      writer.Int(1);
      writer.Int(1);  // read
      writer.Buffer("world");
      writer.Buffer("anyone");
      writer.Stat(data->size(), children->size());
      break;
    case kSync:
      writer.Header(xid, kOk);
      writer.Buffer(path);
      break;
    case kPing:
    case kAuth: writer.Header(xid, kOk); break;
    case kSetWatches: {
      ASSIGN_OR_RETURN(const bool restored, RestoreWatches(frame));
      writer.Header(xid, restored ? kOk : kSystemError);
      channel_->Send(writer.Done());
      SendFired(&view);
      return Status::Ok();
    }
    case kCloseSession:
      writer.Header(xid, kOk);
      channel_->Send(writer.Done());
      channel_->Close();
      return Status::Ok();
    default:  // what changes nodes, and what this is not for
      writer.Header(xid, type == 1 || type == 2 || type == 5 ? kNotReadOnly : kUnimplemented);
  }
  channel_->Send(writer.Done());
  return Status::Ok();
}

}  // namespace bennu::server::zookeeper
