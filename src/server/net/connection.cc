#include "src/server/net/connection.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <new>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "src/base/kept_buffer.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/server/net/peer_log.h"

namespace bennu::server::net {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// A message that comes faster may take as long as it does.
constexpr size_t kSlowestBytesPerTick = 16u << 10;
// Ticks that a peer has to fetch what was sent before the end.
constexpr int kClosingTicksMax = 5;
// Reads of a peer that is not listened to any more before others have their turn.
constexpr int kDroppedAtATime = 16;
// So much of a message may wait for the rest of it whatever others hold.
constexpr size_t kRestAlways = 16u << 10;
// Answers that are so small are taken whatever others hold, as long as the client has fetched most
// of those before.
constexpr size_t kAnswerAlways = 64u << 10;
// Ticks for which a client may fetch nothing of what waits for it, once that is needed for others.
constexpr int kStalledTicksMax = 5;
// A buffer of a large request or response that is given back when it is done.
constexpr size_t kKeptBuffer = 64u << 10;

// The system asks a peer that says nothing for a minute whether it is still there, and ends the
// connection of one that does not answer: a machine that was switched off says no goodbye.
void KeepAlive(int descriptor) {
  constexpr int kOn = 1;
  constexpr int kIdleSeconds = 60;
  constexpr int kAgainSeconds = 15;
  constexpr int kAsksMax = 4;
  // Where an option is not to be had the connection is as good as without.
  (void)::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof(kOn));
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof(kIdleSeconds));
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &kAgainSeconds, sizeof(kAgainSeconds));
  (void)::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &kAsksMax, sizeof(kAsksMax));
}

}  // namespace

Connection::Connection(Loop* loop, tcp::socket socket, const TlsListener* tls,
                       size_t message_ticks_max, WireMemory* memory, std::shared_ptr<void> place)
    : loop_(loop),
      socket_(std::move(socket)),
      descriptor_(socket_.native_handle()),
      tls_listener_(tls),
      message_ticks_max_(message_ticks_max),
      memory_(memory),
      place_(std::move(place)),
      rest_charge_(memory),
      is_plain_(tls == nullptr),
      unsent_(memory) {
  error_code error;
  const tcp::endpoint remote = socket_.remote_endpoint(error);
  peer_ = error ? "unknown" : fmt::format("{}:{}", remote.address().to_string(), remote.port());
}

void Connection::Start(const SessionFactory& factory) {
  error_code error;
  socket_.non_blocking(true, error);
  if (!error) socket_.set_option(tcp::no_delay(true), error);
  if (error) return Shut(IoError(error.message()));
  KeepAlive(descriptor_);
  session_ = factory(shared_from_this());
  AwaitInput();
}

void Connection::AwaitInput() {
  if (shut_ || awaiting_input_) return;
  awaiting_input_ = true;
  socket_.async_wait(tcp::socket::wait_read, [self = shared_from_this()](const error_code& error) {
    self->awaiting_input_ = false;
    if (!error) self->ReadInput();
  });
}

void Connection::ReadInput() {
  if (shut_) return;
  if (lingers_) return DropInput();
  const IoResult result = ReadSome();
  switch (result.what) {
    case IoResult::What::kDone: break;
    case IoResult::What::kAwaitInput: return AwaitInput();
    case IoResult::What::kAwaitOutput: return AwaitOutput();
    case IoResult::What::kEnd: return EndInput();
    case IoResult::What::kFailed: return Shut(IoError(result.problem));
  }
  if (!Process(ByteView(loop_->buffer.data(), result.size))) return;
  if (!result.more) return AwaitInput();
  boost::asio::post(loop_->context, [self = shared_from_this()] { self->ReadInput(); });
}

void Connection::EndInput() {
  const bool unfinished = !rest_.empty() || session_->unfinished_bytes() > 0;
  if (!unfinished) return Shut(Status::Ok());
  WarnOfPeer(peer_, "the peer left within a message");
  rest_.clear();
  // Who has only said that he sends nothing more may still read.
  if (!session_->AnswerUnfinished(Session::Unfinished::kLeft)) return Shut(Status::Ok());
  Close();
}

void Connection::ResumeInput() {
  if (shut_ || !held_back_) return;
  if (Process({})) AwaitInput();
}

bool Connection::Process(ByteView bytes) {
  held_back_ = false;
  delivering_ = true;
  Status status;
  try {
    status = Deliver(bytes);
  } catch (const std::bad_alloc&) {
    status = ResourceExhausted("there is no memory for what it asks");
  }
  delivering_ = false;
  if (!status.ok()) {
    // What explains the end to the client is still to be sent.
    WarnOfPeer(peer_, status.message());
    lingers_ = tls_ == nullptr;
    Close();
  }
  Flush();
  if (shut_ || !status.ok()) return false;
  MutexLock lock(&mu_);
  return !closing_ && !held_back_ && unsent_.bytes() <= kUnsentMax;
}

void Connection::DropInput() {
  error_code error;
  for (int i = 0; i < kDroppedAtATime && !error; ++i) {
    socket_.read_some(boost::asio::buffer(loop_->buffer), error);
  }
  if (!error || error == boost::asio::error::would_block) return AwaitInput();
  Shut(Status::Ok());
}

Status Connection::ChooseProtocol() {
  if (tls_listener_ == nullptr || tls_ != nullptr) return Status::Ok();
  constexpr char kHandshakeRecord = 0x16;  // TLS's first byte; no preamble of HBase's has it
  char first = kHandshakeRecord;
  const ssize_t size = ::recv(socket_.native_handle(), &first, 1, MSG_PEEK);
  if (size != 1) return Status::Ok();  // reading tells what it is
  if (first == kHandshakeRecord) {
    tls_ = std::make_unique<TlsStream>(*tls_listener_, socket_.native_handle(), peer_);
    return Status::Ok();
  }
  if (!tls_listener_->plaintext_too) return IoError("it does not begin with TLS");
  tls_listener_ = nullptr;
  is_plain_.store(true, std::memory_order_release);
  return Status::Ok();
}

IoResult Connection::ReadSome() {
  if (const Status status = ChooseProtocol(); !status.ok()) {
    return IoResult::Failed(status.message());
  }
  if (tls_ != nullptr) return tls_->Read(loop_->buffer.data(), loop_->buffer.size());
  error_code error;
  const size_t size = socket_.read_some(boost::asio::buffer(loop_->buffer), error);
  if (!error) return IoResult::Done(size);
  if (error == boost::asio::error::would_block) return {IoResult::What::kAwaitInput};
  if (error == boost::asio::error::eof) return {IoResult::What::kEnd};
  return IoResult::Failed(error.message());
}

IoResult Connection::WriteSome() {
  const char* const bytes = sending_.data() + sent_;
  const size_t left = sending_.size() - sent_;
  if (tls_ != nullptr) return tls_->Write(bytes, left);
  error_code error;
  const size_t size = socket_.write_some(boost::asio::buffer(bytes, left), error);
  if (!error) return IoResult::Done(size);
  if (error == boost::asio::error::would_block) return {IoResult::What::kAwaitOutput};
  return IoResult::Failed(error.message());
}

Status Connection::Deliver(ByteView bytes) {
  if (!rest_.empty()) {
    rest_.append(bytes);
    bytes = rest_;
  }
  const size_t size = bytes.size();
  while (!bytes.empty()) {
    if (unsent() > kUnsentMax || session_->IsBusy()) {
      held_back_ = true;
      break;
    }
    ASSIGN_OR_RETURN(const size_t consumed, session_->Receive(bytes));
    if (consumed == 0) break;
    bytes.remove_prefix(consumed);
    if (session_->unfinished_bytes() == 0) message_ticks_ = 0;
  }
  if (rest_.empty()) {
    rest_.assign(bytes);
  } else if (bytes.empty()) {
    Recycle(&rest_, kKeptBuffer);
  } else {
    rest_.erase(0, size - bytes.size());
  }
  if (rest_charge_.TrySet(rest_.capacity() > kRestAlways ? rest_.capacity() : 0)) {
    return Status::Ok();
  }
  return ResourceExhausted(fmt::format(
      "the memory for messages that are not complete is used up; {} bytes of one are there",
      rest_.size()));
}

// Who sends a byte now and then would keep his buffers for ever.
Status Connection::CheckMessageTime() {
  const size_t bytes = rest_.size() + session_->unfinished_bytes();
  if (bytes == 0 || held_back_) return Status::Ok();
  if (++message_ticks_ <= message_ticks_max_ + bytes / kSlowestBytesPerTick) return Status::Ok();
  return IoError(fmt::format("a message is not complete after {} s; {} bytes of it are there",
                             message_ticks_ - 1, bytes));
}

size_t Connection::unsent() const {
  MutexLock lock(&mu_);
  return unsent_.bytes();
}

bool Connection::HasRoomFor(size_t bytes) const {
  if (memory_ == nullptr || memory_->HasRoomFor(bytes)) return true;
  return unsent() + bytes <= kAnswerAlways;
}

void Connection::Send(ByteView bytes) {
  MutexLock lock(&mu_);
  if (gone_) return;
  if (const size_t sent = SendAtOnce(bytes); sent > 0) {
    if (sent == bytes.size()) return;
    bytes.remove_prefix(sent);
  }
  unsent_.Set(unsent_.bytes() + bytes.size());
  queued_.append(bytes);
  ScheduleFlush();
}

void Connection::SendOwned(Bytes bytes) {
  MutexLock lock(&mu_);
  if (gone_) return;
  if (const size_t sent = SendAtOnce(bytes); sent > 0) {
    if (sent == bytes.size()) return;
    bytes.erase(0, sent);
  }
  unsent_.Set(unsent_.bytes() + bytes.size());
  if (queued_.empty()) {
    queued_ = std::move(bytes);
  } else {
    queued_.append(bytes);
  }
  ScheduleFlush();
}

void Connection::Close() {
  MutexLock lock(&mu_);
  closing_ = true;
  ScheduleFlush();
}

void Connection::Later(std::function<void()> task) {
  boost::asio::post(loop_->context, std::move(task));
}

size_t Connection::SendAtOnce(ByteView bytes) {
  const bool may = is_plain_.load(std::memory_order_acquire) && all_sent_ && !flush_scheduled_ &&
                   !closing_ && queued_.empty() &&
                   std::this_thread::get_id() != loop_->thread.get_id();
  if (!may || bytes.empty()) return 0;
  // What has gone wrong, if something has, the loop finds out.
  const ssize_t size = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  return size > 0 ? static_cast<size_t>(size) : 0;
}

void Connection::ScheduleFlush() {
  if (flush_scheduled_) return;
  // On its own thread the connection flushes after what came in is dealt with.
  if (std::this_thread::get_id() == loop_->thread.get_id() && delivering_) return;
  flush_scheduled_ = true;
  boost::asio::post(loop_->context, [self = shared_from_this()] { self->Flush(); });
}

void Connection::Flush() {
  if (shut_) return;
  while (true) {
    if (sent_ == sending_.size()) {
      MutexLock lock(&mu_);
      unsent_.Set(queued_.size());
      Recycle(&sending_, kKeptBuffer);
      sent_ = 0;
      flush_scheduled_ = false;
      all_sent_ = queued_.empty();
      if (queued_.empty()) {
        if (closing_) {
          boost::asio::post(loop_->context, [self = shared_from_this()] { self->EndOutput(); });
        }
        break;
      }
      sending_.swap(queued_);
    }
    const IoResult result = WriteSome();
    switch (result.what) {
      case IoResult::What::kDone: break;
      case IoResult::What::kAwaitInput: return AwaitInput();
      case IoResult::What::kAwaitOutput: return AwaitOutput();
      default: return Shut(IoError(result.problem));
    }
    sent_ += result.size;
    sent_since_tick_ += result.size;
  }
  if (delivering_) return;
  if (held_back_) {
    if (session_->IsBusy()) return;  // its answer comes by here
    boost::asio::post(loop_->context, [self = shared_from_this()] { self->ResumeInput(); });
  } else {
    AwaitInput();
  }
}

void Connection::EndOutput() {
  if (shut_) return;
  if (!lingers_) return Shut(Status::Ok());
  // Closed now, with input that nobody read, the system would take back what was sent.
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  DropInput();
}

void Connection::AwaitOutput() {
  if (awaiting_output_) return;
  awaiting_output_ = true;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code& error) {
    self->awaiting_output_ = false;
    if (error) return;
    self->Flush();
    if (self->tls_ != nullptr) self->ReadInput();  // a handshake may have had to write
  });
}

// Whether nothing of what waits for the client has gone for a while in which others want for
// memory.
bool Connection::IsStalled() {
  const bool scarce = memory_ != nullptr && !memory_->HasRoomFor(memory_->bytes_max() / 4);
  const size_t sent = std::exchange(sent_since_tick_, 0);
  if (!scarce || sent > 0 || unsent() == 0) {
    stalled_ticks_ = 0;
    return false;
  }
  return ++stalled_ticks_ > kStalledTicksMax;
}

void Connection::Tick() {
  if (shut_ || session_ == nullptr) return;
  bool overdue;
  {
    MutexLock lock(&mu_);
    overdue = closing_ && ++closing_ticks_ > kClosingTicksMax;
    if (queued_.empty()) Bytes().swap(queued_);  // an idle connection holds no buffers
  }
  if (IsStalled()) {
    WarnOfPeer(peer_, "it fetches none of its answers, whose memory is needed for others");
    return Shut(Status::Ok());
  }
  if (rest_.empty()) {
    Bytes().swap(rest_);
    rest_charge_.Set(0);
  }
  if (sending_.empty()) Bytes().swap(sending_);
  if (overdue && lingers_) return Shut(Status::Ok());
  if (overdue) return Shut(IoError("the peer did not fetch what was sent before the end"));
  if (const Status status = CheckMessageTime(); !status.ok()) {
    WarnOfPeer(peer_, status.message());
    if (!session_->AnswerUnfinished(Session::Unfinished::kLate)) return Shut(Status::Ok());
    rest_.clear();
    lingers_ = tls_ == nullptr;
    return Close();
  }
  if (const Status status = session_->Tick(); !status.ok()) Shut(status);
}

void Connection::Shut(const Status& reason) {
  if (shut_) return;
  shut_ = true;
  {
    // From here on no other thread uses the socket.
    MutexLock lock(&mu_);
    gone_ = true;
    Bytes().swap(queued_);
    unsent_.Set(0);
  }
  if (!reason.ok()) LogInfo("connection from {}: {}", peer_, reason.message());
  error_code ignored;
  if (tls_ != nullptr) tls_->SayGoodbye();
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  session_.reset();
  tls_.reset();
  Bytes().swap(rest_);
  rest_charge_.Set(0);
  Bytes().swap(sending_);
  sent_ = 0;
  loop_->connections.erase(shared_from_this());
  loop_->connection_count.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace bennu::server::net
