#include "src/client/channel.h"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "src/client/pending_call.h"
#include "src/client/tcp_channel.h"
#include "src/rpc/greeting.h"

namespace bennu::client {

namespace {

// What it is given out as: closes the connection with its last user.
class ChannelHandle final : public Channel {
 public:
  ChannelHandle(boost::asio::io_context* context, std::shared_ptr<TcpChannel> channel)
      : context_(context), channel_(std::move(channel)) {}
  ~ChannelHandle() override {
    boost::asio::post(*context_, [channel = channel_] { channel->Break("was closed"); });
  }
  void Start(const std::string& method, const google::protobuf::MessageLite& parameter,
             ByteView cells, std::chrono::milliseconds timeout, CallDone done) override {
    channel_->Start(method, parameter, cells, timeout, std::move(done));
  }
  bool broken() const override { return channel_->broken(); }

 private:
  boost::asio::io_context* const context_;
  const std::shared_ptr<TcpChannel> channel_;
};

}  // namespace

Status Answer::Parse(google::protobuf::MessageLite* message) const {
  if (message->ParseFromArray(result.data(), static_cast<int>(result.size()))) return Status::Ok();
  return Corruption("the server's answer is not the message that was expected");
}

CallOutcome OutcomeOf(rpc::RemoteFailure failure) {
  CallOutcome outcome;
  outcome.status = std::move(failure.status);
  outcome.remedy = failure.remedy;
  outcome.overloaded = failure.overloaded;
  outcome.in_doubt = failure.in_doubt;
  outcome.wait = failure.wait;
  if (failure.moved_to.has_value()) {
    outcome.moved_to = Address{std::move(failure.moved_to->host), failure.moved_to->port};
  }
  return outcome;
}

CallOutcome Channel::Call(const std::string& method, const google::protobuf::MessageLite& parameter,
                          ByteView cells, std::chrono::milliseconds timeout) {
  PendingCall call;
  Start(method, parameter, cells, timeout, call.done());
  return call.Wait();
}

class Channels::Loop {
 public:
  Loop() : guard_(boost::asio::make_work_guard(context_)), thread_([this] { context_.run(); }) {
    pthread_setname_np(thread_.native_handle(), "client-io");
  }
  ~Loop() {
    guard_.reset();
    thread_.join();
  }
  boost::asio::io_context* context() { return &context_; }

 private:
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
  std::thread thread_;
};

Channels::Channels(std::string user, ChannelTls tls, Detour detour)
    : user_(std::move(user)),
      tls_(std::move(tls)),
      detour_(std::move(detour)),
      loop_(std::make_unique<Loop>()) {}

Channels::~Channels() {
  MutexLock lock(&mu_);
  channels_.clear();  // the loop ends when their connections are closed
}

std::shared_ptr<Channel> Channels::Get(const Address& address, const std::string& service,
                                       std::chrono::milliseconds timeout) {
  MutexLock lock(&mu_);
  std::shared_ptr<Channel>& entry = channels_[std::make_pair(address, service)];
  if (entry != nullptr && !entry->broken()) return entry;
  auto channel = std::make_shared<TcpChannel>(loop_->context(), address, tls_, timeout);
  boost::asio::post(*loop_->context(), [this, channel, address,
                                        greeting = rpc::Greeting(user_, service)]() mutable {
    channel->Connect(detour_ == nullptr ? address : detour_(address), std::move(greeting));
  });
  entry = std::make_shared<ChannelHandle>(loop_->context(), std::move(channel));
  return entry;
}

}  // namespace bennu::client
