#include "src/client/channel.h"

#include <fmt/format.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <optional>
#include <thread>
#include <unordered_map>

#include "proto/rpc.pb.h"
#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/base/tls.h"
#include "src/client/deadline.h"
#include "src/rpc/frame.h"
#include "src/rpc/greeting.h"

namespace bennu::client {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Above what a server sends at once, which is bounded by 100 MB and a row.
constexpr uint32_t kFrameMax = 2'000'000'000;

// Its socket and queues belong to the loop's thread; 'mu_' guards what callers touch.
class TcpChannel final : public Channel, public std::enable_shared_from_this<TcpChannel> {
 public:
  TcpChannel(boost::asio::io_context* context, const Address& address, ChannelTls tls)
      : context_(context),
        name_(address.ToString()),
        host_(address.host),
        tls_options_(std::move(tls)),
        socket_(*context),
        resolver_(*context) {}

  // On the loop's thread; Connected tells how it went.
  void Connect(const Address& address, Bytes greeting) {
    resolver_.async_resolve(
        address.host, std::to_string(address.port),
        [self = shared_from_this(), greeting = std::move(greeting)](
            const error_code& error, const tcp::resolver::results_type& found) mutable {
          if (error) return self->Break(fmt::format("cannot be found: {}", error.message()));
          boost::asio::async_connect(
              self->socket_, found,
              [self, greeting = std::move(greeting)](const error_code& failed,
                                                     const tcp::endpoint&) mutable {
                if (failed) {
                  return self->Break(fmt::format("cannot be reached: {}", failed.message()));
                }
                error_code ignored;
                self->socket_.set_option(tcp::no_delay(true), ignored);
                self->Begin(std::move(greeting));
              });
        });
  }

  // Waits until it is known whether the server answers.
  Status AwaitConnection(std::chrono::milliseconds timeout) {
    const Deadline deadline(timeout);
    MutexLock lock(&mu_);
    while (!connected_ && problem_.empty()) {
      if (!WaitUntil(deadline, &changed_)) {
        return Status(StatusCode::kTimedOut,
                      fmt::format("{}: no connection within {} ms", name_, timeout.count()));
      }
    }
    return problem_.empty() ? Status::Ok() : IoError(problem_);
  }

  CallOutcome Call(const std::string& method, const google::protobuf::MessageLite& parameter,
                   ByteView cells, std::chrono::milliseconds timeout) override {
    const Deadline deadline(timeout);
    Waiter waiter;
    uint32_t id;
    {
      MutexLock lock(&mu_);
      if (!problem_.empty()) {
        waiter.outcome.status = IoError(problem_);
        waiter.outcome.remedy = rpc::Remedy::kRelocate;
        return std::move(waiter.outcome);
      }
      id = ++last_id_;
      waiters_[id] = &waiter;
    }
    pb::RequestHeader header;
    header.set_call_id(id);
    header.set_method_name(method);
    header.set_timeout(static_cast<uint32_t>(timeout.count()));
    Bytes frame;
    rpc::AppendRequest(&header, parameter, cells, &frame);
    boost::asio::post(*context_, [self = shared_from_this(), frame = std::move(frame)]() mutable {
      self->Send(std::move(frame));
    });
    MutexLock lock(&mu_);
    while (!waiter.done) {
      if (WaitUntil(deadline, &waiter.ready)) continue;
      waiters_.erase(id);
      waiter.outcome.status = Status(
          StatusCode::kTimedOut,
          fmt::format("{}: {} was not answered within {} ms", name_, method, timeout.count()));
      waiter.outcome.remedy = rpc::Remedy::kRelocate;
      waiter.outcome.in_doubt = true;
      break;
    }
    return std::move(waiter.outcome);
  }

  bool broken() const override {
    MutexLock lock(&mu_);
    return !problem_.empty();
  }

  void Break(const std::string& reason) {
    error_code ignored;
    socket_.close(ignored);
    MutexLock lock(&mu_);
    if (!problem_.empty()) return;
    problem_ = fmt::format("{} {}", name_, reason);
    for (auto& [id, waiter] : waiters_) {
      waiter->outcome.status = IoError(problem_);
      waiter->outcome.remedy = rpc::Remedy::kRelocate;
      waiter->outcome.in_doubt = true;
      waiter->End();
    }
    waiters_.clear();
    changed_.SignalAll();
  }

 private:
  struct Waiter {
    void End() {
      done = true;
      ready.Signal();
    }
    bool done = false;
    CondVar ready;
    CallOutcome outcome;
  };

  // False once the time is over.
  bool WaitUntil(const Deadline& deadline, CondVar* change) REQUIRES(mu_) {
    const std::chrono::microseconds left = deadline.Left();
    if (left.count() == 0) return false;
    change->WaitFor(&mu_, left);
    return true;
  }

  using TlsSocket = boost::asio::ssl::stream<tcp::socket&>;

  void Begin(Bytes greeting) {
    if (tls_options_.context == nullptr) return Greet(std::move(greeting));
    SSL_CTX_up_ref(tls_options_.context.get());
    boost::asio::ssl::context context(tls_options_.context.get());  // takes over a reference
    tls_.emplace(socket_, context);
    SSL* const ssl = tls_->native_handle();
    if (const Status named = NameTlsPeer(ssl, host_, tls_options_.verify_host); !named.ok()) {
      return Break(named.message());
    }
    tls_->async_handshake(TlsSocket::client,
                          [self = shared_from_this(),
                           greeting = std::move(greeting)](const error_code& error) mutable {
                            if (error) return self->Break("refuses TLS: " + error.message());
                            self->Greet(std::move(greeting));
                          });
  }

  void Greet(Bytes greeting) {
    Send(std::move(greeting));
    ReadLength();
    SetConnected();
  }

  template <typename Handler>
  void AsyncRead(boost::asio::mutable_buffer buffer, Handler handler) {
    if (tls_) return boost::asio::async_read(*tls_, buffer, std::move(handler));
    boost::asio::async_read(socket_, buffer, std::move(handler));
  }

  template <typename Handler>
  void AsyncWrite(boost::asio::const_buffer buffer, Handler handler) {
    if (tls_) return boost::asio::async_write(*tls_, buffer, std::move(handler));
    boost::asio::async_write(socket_, buffer, std::move(handler));
  }

  void SetConnected() {
    MutexLock lock(&mu_);
    connected_ = true;
    changed_.SignalAll();
  }

  void Send(Bytes bytes) {
    queue_.push_back(std::move(bytes));
    if (queue_.size() == 1) WriteFirst();
  }

  void WriteFirst() {
    AsyncWrite(boost::asio::buffer(queue_.front()),
               [self = shared_from_this()](const error_code& error, size_t) {
                 if (error) return self->Break("was lost: " + error.message());
                 self->queue_.pop_front();
                 if (!self->queue_.empty()) self->WriteFirst();
               });
  }

  void ReadLength() {
    AsyncRead(
        boost::asio::buffer(length_), [self = shared_from_this()](const error_code& error, size_t) {
          if (error) return self->Break("closed the connection: " + error.message());
          const uint32_t length = LoadBE32(self->length_.data());
          if (length > kFrameMax) {
            return self->Break(fmt::format("sends a frame of {} bytes; is it HBase's?", length));
          }
          self->ReadFrame(length);
        });
  }

  void ReadFrame(uint32_t length) {
    auto frame = std::make_shared<Bytes>(length, '\0');
    AsyncRead(boost::asio::buffer(*frame),
              [self = shared_from_this(), frame](const error_code& error, size_t) {
                if (error) return self->Break("closed the connection: " + error.message());
                pb::ResponseHeader header;
                rpc::ResponseParts parts;
                const Status status = rpc::ParseResponse(*frame, &header, &parts);
                if (!status.ok())
                  return self->Break("sends what is no answer: " + status.message());
                self->Deliver(header, {frame, parts.result, parts.cells});
                self->ReadLength();
              });
  }

  void Deliver(const pb::ResponseHeader& header, Answer answer) {
    if (header.call_id() == rpc::kNoCallId) {
      return Break("refused the connection: " +
                   rpc::FailureOf(header.exception()).status.message());
    }
    MutexLock lock(&mu_);
    const auto found = waiters_.find(header.call_id());
    if (found == waiters_.end()) return;  // nobody waits any longer
    Waiter* const waiter = found->second;
    waiters_.erase(found);
    if (header.has_exception()) {
      rpc::RemoteFailure failure = rpc::FailureOf(header.exception());
      waiter->outcome.status = std::move(failure.status);
      waiter->outcome.remedy = failure.remedy;
    } else {
      waiter->outcome.answer = std::move(answer);
    }
    waiter->End();
  }

  boost::asio::io_context* const context_;
  const std::string name_;
  const std::string host_;
  const ChannelTls tls_options_;
  tcp::socket socket_;
  std::optional<TlsSocket> tls_;
  tcp::resolver resolver_;
  std::deque<Bytes> queue_;  // to be written; the first is being written
  std::array<char, rpc::kFrameLengthSize> length_;

  mutable Mutex mu_;
  CondVar changed_;
  bool connected_ GUARDED_BY(mu_) = false;
  std::string problem_ GUARDED_BY(mu_);  // not empty: the connection is gone
  uint32_t last_id_ GUARDED_BY(mu_) = 0;
  std::unordered_map<uint32_t, Waiter*> waiters_ GUARDED_BY(mu_);
};

// What it is given out as: closes the connection with its last user.
class ChannelHandle final : public Channel {
 public:
  ChannelHandle(boost::asio::io_context* context, std::shared_ptr<TcpChannel> channel)
      : context_(context), channel_(std::move(channel)) {}
  ~ChannelHandle() override {
    boost::asio::post(*context_, [channel = channel_] { channel->Break("was closed"); });
  }
  CallOutcome Call(const std::string& method, const google::protobuf::MessageLite& parameter,
                   ByteView cells, std::chrono::milliseconds timeout) override {
    return channel_->Call(method, parameter, cells, timeout);
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

Channels::Channels(std::string user, ChannelTls tls)
    : user_(std::move(user)), tls_(std::move(tls)), loop_(std::make_unique<Loop>()) {}

Channels::~Channels() {
  MutexLock lock(&mu_);
  channels_.clear();  // the loop ends when their connections are closed
}

Result<std::shared_ptr<Channel>> Channels::Get(const Address& address, const std::string& service,
                                               std::chrono::milliseconds timeout) {
  const auto key = std::make_pair(address, service);
  {
    MutexLock lock(&mu_);
    const auto found = channels_.find(key);
    if (found != channels_.end()) {
      if (!found->second->broken()) return found->second;
      channels_.erase(found);
    }
  }
  auto tcp_channel = std::make_shared<TcpChannel>(loop_->context(), address, tls_);
  auto handle = std::make_shared<ChannelHandle>(loop_->context(), tcp_channel);
  boost::asio::post(*loop_->context(),
                    [tcp_channel, address, greeting = rpc::Greeting(user_, service)]() mutable {
                      tcp_channel->Connect(address, std::move(greeting));
                    });
  RETURN_IF_ERROR(tcp_channel->AwaitConnection(timeout));
  MutexLock lock(&mu_);
  const auto [entry, added] = channels_.try_emplace(key, handle);
  if (!added && entry->second->broken()) entry->second = handle;
  return entry->second;
}

}  // namespace bennu::client
