#include "src/client/tcp_channel.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <cstring>

#include "src/base/coding.h"
#include "src/base/tls.h"
#include "src/rpc/frame.h"

namespace bennu::client {

namespace {

using boost::asio::ip::tcp;

// Above what a server sends at once, which is bounded by 100 MB and a row.
constexpr uint32_t kFrameMax = 2'000'000'000;
// What is set aside for a frame before its bytes have come: somewhat more than the largest answer
// of a scan by default. A longer frame grows as it comes, so that a length alone costs no memory.
constexpr size_t kReserveMax = 4 << 20;
constexpr size_t kReadAtOnce = 1 << 20;

}  // namespace

TcpChannel::TcpChannel(boost::asio::io_context* context, const Address& address, ChannelTls tls,
                       std::chrono::milliseconds connect_timeout)
    : context_(context),
      name_(address.ToString()),
      host_(address.host),
      tls_options_(std::move(tls)),
      connect_timeout_(connect_timeout),
      connect_deadline_(connect_timeout),
      socket_(*context),
      resolver_(*context),
      timer_(*context) {}

void TcpChannel::Connect(const Address& reached_at, Bytes greeting) {
  {
    MutexLock lock(&mu_);
    timer_rings_ = std::min(timer_rings_, connect_deadline_.nanos());
  }
  SetTimer();
  resolver_.async_resolve(
      reached_at.host, std::to_string(reached_at.port),
      [self = shared_from_this(), greeting = std::move(greeting)](
          const ErrorCode& error, const tcp::resolver::results_type& found) mutable {
        if (error) return self->Break(fmt::format("cannot be found: {}", error.message()));
        if (self->broken()) return;
        boost::asio::async_connect(
            self->socket_, found,
            [self, greeting = std::move(greeting)](const ErrorCode& failed,
                                                   const tcp::endpoint&) mutable {
              if (failed) {
                return self->Break(fmt::format("cannot be reached: {}", failed.message()));
              }
              ErrorCode ignored;
              self->socket_.set_option(tcp::no_delay(true), ignored);
              self->Begin(std::move(greeting));
            });
      });
}

void TcpChannel::Begin(Bytes greeting) {
  if (tls_options_.context == nullptr) return Greet(std::move(greeting));
  SSL_CTX_up_ref(tls_options_.context.get());
  boost::asio::ssl::context context(tls_options_.context.get());  // takes over a reference
  tls_.emplace(socket_, context);
  SSL* const ssl = tls_->native_handle();
  if (const Status named = NameTlsPeer(ssl, host_, tls_options_.verify_host); !named.ok()) {
    return Break(named.message());
  }
  tls_->async_handshake(
      TlsSocket::client,
      [self = shared_from_this(), greeting = std::move(greeting)](const ErrorCode& error) mutable {
        if (error) return self->Break("refuses TLS: " + error.message());
        self->Greet(std::move(greeting));
      });
}

void TcpChannel::Greet(Bytes greeting) {
  if (broken()) return;
  connected_ = true;
  descriptor_ = socket_.native_handle();
  std::vector<Bytes> frames;
  frames.push_back(std::move(greeting));
  Write(std::move(frames));
  ReadMore();
}

CallOutcome TcpChannel::Failed(Status status, bool sent) {
  CallOutcome outcome;
  outcome.status = std::move(status);
  outcome.remedy = rpc::Remedy::kRelocate;
  outcome.in_doubt = sent;
  return outcome;
}

void TcpChannel::Start(const std::string& method, const google::protobuf::MessageLite& parameter,
                       ByteView cells, std::chrono::milliseconds timeout, CallDone done) {
  uint32_t id = ++last_id_;
  if (id == rpc::kNoCallId) id = ++last_id_;
  pb::RequestHeader header;
  header.set_call_id(id);
  header.set_method_name(method);
  header.set_timeout(static_cast<uint32_t>(timeout.count()));
  Frame frame = {id, {}};
  rpc::AppendRequest(&header, parameter, cells, &frame.bytes);
  const Deadline deadline(timeout);
  Sender became = Sender::kNobody;  // of a connection on which nobody was sending
  Bytes sent_here;
  bool earlier = false;
  std::string problem;
  {
    MutexLock lock(&mu_);
    problem = problem_;
    if (problem.empty()) {
      if (sender_ == Sender::kNobody) {
        became = tls_options_.context == nullptr ? Sender::kCaller : Sender::kLoop;
        sender_ = became;
      }
      const bool here = became == Sender::kCaller;
      waiters_.emplace(id, Waiter{std::exchange(done, nullptr), deadline, here, method, timeout});
      if (here) {
        sent_here = std::move(frame.bytes);
      } else {
        outbox_.push_back(std::move(frame));
      }
      earlier = deadline.nanos() < timer_rings_;
      if (earlier) timer_rings_ = deadline.nanos();
    }
  }
  if (!problem.empty()) {
    CallOutcome outcome = Failed(IoError(problem), false);
    outcome.lost_server = true;
    return done(std::move(outcome));
  }
  if (became == Sender::kCaller) Send(std::move(sent_here));
  if (became == Sender::kLoop) PassToLoop();
  if (earlier) boost::asio::post(*context_, [self = shared_from_this()] { self->SetTimer(); });
}

// Not by the socket's object, which is the loop's. What has gone wrong, if something has, the loop
// finds out: it sends what was not taken.
void TcpChannel::Send(Bytes frame) {
  const ssize_t sent = ::send(descriptor_, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  const size_t taken = sent > 0 ? static_cast<size_t>(sent) : 0;
  {
    MutexLock lock(&mu_);
    if (taken < frame.size()) {
      frame.erase(0, taken);
      outbox_.insert(outbox_.begin(), Frame{rpc::kNoCallId, std::move(frame)});
    }
    const bool all_sent = outbox_.empty() && problem_.empty();
    sender_ = all_sent ? Sender::kNobody : Sender::kLoop;
    if (all_sent) return;
  }
  PassToLoop();
}

void TcpChannel::PassToLoop() {
  boost::asio::post(*context_, [self = shared_from_this()] { self->Flush(); });
}

bool TcpChannel::broken() const {
  MutexLock lock(&mu_);
  return !problem_.empty();
}

void TcpChannel::Close() {
  ErrorCode ignored;
  socket_.close(ignored);
}

void TcpChannel::Break(const std::string& reason) {
  timer_.cancel();
  resolver_.cancel();
  bool in_use;
  std::unordered_map<uint32_t, Waiter> waiters;
  std::string problem;
  {
    MutexLock lock(&mu_);
    if (!problem_.empty()) return;
    problem = problem_ = fmt::format("{} {}", name_, reason);
    waiters.swap(waiters_);
    outbox_.clear();
    in_use = sender_ == Sender::kCaller;
  }
  // Closed under a caller that sends, the descriptor might be another file's by then.
  if (in_use) {
    ErrorCode ignored;
    socket_.shutdown(tcp::socket::shutdown_both, ignored);
  } else {
    Close();
  }
  for (auto& [id, waiter] : waiters) {
    CallOutcome outcome = Failed(IoError(problem), waiter.sent);
    outcome.lost_server = true;
    waiter.done(std::move(outcome));
  }
}

void TcpChannel::Flush() {
  std::vector<Bytes> frames;
  bool broken;
  {
    MutexLock lock(&mu_);
    broken = !problem_.empty();
    frames.reserve(outbox_.size());
    for (Frame& frame : outbox_) {
      if (frame.call_id != rpc::kNoCallId) {
        const auto waiter = waiters_.find(frame.call_id);
        if (waiter == waiters_.end()) continue;  // nobody waits any longer
        waiter->second.sent = true;
      }
      frames.push_back(std::move(frame.bytes));
    }
    outbox_.clear();
    if (frames.empty() && !broken) sender_ = Sender::kNobody;
  }
  if (broken) return Close();  // it was left open for a caller that sent
  if (!frames.empty()) Write(std::move(frames));
}

void TcpChannel::Write(std::vector<Bytes> frames) {
  const auto kept = std::make_shared<std::vector<Bytes>>(std::move(frames));
  std::vector<boost::asio::const_buffer> buffers;
  buffers.reserve(kept->size());
  for (const Bytes& frame : *kept) buffers.emplace_back(frame.data(), frame.size());
  AsyncWrite(buffers, [self = shared_from_this(), kept](const ErrorCode& error, size_t) {
    if (error) return self->Break("was lost: " + error.message());
    self->Flush();
  });
}

void TcpChannel::ReadMore() {
  AsyncReadSome(boost::asio::buffer(buffer_.data() + end_, buffer_.size() - end_),
                [self = shared_from_this()](const ErrorCode& error, size_t count) {
                  if (error) return self->Break("closed the connection: " + error.message());
                  self->end_ += count;
                  self->TakeFrames();
                });
}

void TcpChannel::TakeFrames() {
  while (end_ - begin_ >= rpc::kFrameLengthSize) {
    const uint32_t length = LoadBE32(buffer_.data() + begin_);
    if (length > kFrameMax) {
      return Break(fmt::format("sends a frame of {} bytes; is it HBase's?", length));
    }
    const char* const bytes = buffer_.data() + begin_ + rpc::kFrameLengthSize;
    const size_t came = end_ - begin_ - rpc::kFrameLengthSize;
    if (came >= length) {
      begin_ += rpc::kFrameLengthSize + length;
      if (!Handle(std::make_shared<Bytes>(bytes, length))) return;
    } else if (length > buffer_.size() - rpc::kFrameLengthSize) {
      large_ = std::make_shared<Bytes>();
      large_->reserve(std::min<size_t>(length, kReserveMax));
      large_->append(bytes, came);
      large_size_ = length;
      begin_ = end_ = 0;
      return ReadRest();
    } else {
      break;
    }
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  ReadMore();
}

void TcpChannel::ReadRest() {
  const size_t came = large_->size();
  large_->resize(std::min(large_size_, came + kReadAtOnce));
  AsyncReadSome(boost::asio::buffer(large_->data() + came, large_->size() - came),
                [self = shared_from_this(), came](const ErrorCode& error, size_t count) {
                  if (error) return self->Break("closed the connection: " + error.message());
                  self->large_->resize(came + count);
                  if (self->large_->size() < self->large_size_) return self->ReadRest();
                  if (self->Handle(std::exchange(self->large_, nullptr))) self->ReadMore();
                });
}

bool TcpChannel::Handle(std::shared_ptr<Bytes> frame) {
  pb::ResponseHeader header;
  rpc::ResponseParts parts;
  const Status status = rpc::ParseResponse(*frame, &header, &parts);
  if (!status.ok()) {
    Break("sends what is no answer: " + status.message());
    return false;
  }
  if (header.call_id() == rpc::kNoCallId) {
    Break("refused the connection: " + rpc::FailureOf(header.exception()).status.message());
    return false;
  }
  Deliver(header, {std::move(frame), parts.result, parts.cells});
  return true;
}

void TcpChannel::Deliver(const pb::ResponseHeader& header, Answer answer) {
  CallDone done;
  {
    MutexLock lock(&mu_);
    const auto found = waiters_.find(header.call_id());
    if (found == waiters_.end()) return;  // nobody waits any longer
    done = std::move(found->second.done);
    waiters_.erase(found);
  }
  CallOutcome outcome;
  if (header.has_exception()) {
    outcome = OutcomeOf(rpc::FailureOf(header.exception()));
  } else {
    outcome.answer = std::move(answer);
  }
  done(std::move(outcome));
}

void TcpChannel::SetTimer() {
  uint64_t rings;
  {
    MutexLock lock(&mu_);
    if (!problem_.empty()) return;
    rings = timer_rings_;
  }
  if (rings == kNever) return;
  timer_.expires_after(Deadline::At(rings).Left());
  timer_.async_wait([self = shared_from_this()](const ErrorCode& error) {
    if (!error) self->EndLateCalls();
  });
}

void TcpChannel::EndLateCalls() {
  if (!connected_ && connect_deadline_.Passed()) {
    return Break(
        fmt::format("does not accept a connection within {} ms", connect_timeout_.count()));
  }
  std::vector<Waiter> late;
  {
    MutexLock lock(&mu_);
    timer_rings_ = connected_ ? kNever : connect_deadline_.nanos();
    for (auto waiter = waiters_.begin(); waiter != waiters_.end();) {
      if (waiter->second.deadline.Passed()) {
        late.push_back(std::move(waiter->second));
        waiter = waiters_.erase(waiter);
      } else {
        timer_rings_ = std::min(timer_rings_, waiter->second.deadline.nanos());
        ++waiter;
      }
    }
  }
  SetTimer();
  for (Waiter& waiter : late) {
    waiter.done(Failed(
        Status(StatusCode::kTimedOut, fmt::format("{}: {} was not answered within {} ms", name_,
                                                  waiter.method, waiter.timeout.count())),
        waiter.sent));
  }
}

}  // namespace bennu::client
