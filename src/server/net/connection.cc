#include "src/server/net/connection.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "src/base/log.h"

namespace bennu::server::net {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

// Past so many bytes that a client has not fetched, nothing more is read from it.
constexpr size_t kQueuedMax = 8u << 20;
// Ticks that a peer has to fetch what was sent before the end.
constexpr int kClosingTicksMax = 5;
// A buffer of a large request or response that is given back when it is done.
constexpr size_t kKeptBuffer = 64u << 10;

void Recycle(Bytes* buffer) {
  if (buffer->capacity() > kKeptBuffer) {
    Bytes().swap(*buffer);
  } else {
    buffer->clear();
  }
}

}  // namespace

Connection::Connection(Loop* loop, tcp::socket socket) : loop_(loop), socket_(std::move(socket)) {
  error_code error;
  const tcp::endpoint remote = socket_.remote_endpoint(error);
  peer_ = error ? "unknown" : fmt::format("{}:{}", remote.address().to_string(), remote.port());
}

void Connection::Start(const SessionFactory& factory) {
  error_code error;
  socket_.non_blocking(true, error);
  if (!error) socket_.set_option(tcp::no_delay(true), error);
  if (error) return Shut(IoError(error.message()));
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
  error_code error;
  const size_t size = socket_.read_some(boost::asio::buffer(loop_->buffer), error);
  if (error == boost::asio::error::would_block) return AwaitInput();
  if (error == boost::asio::error::eof) {
    return Shut(rest_.empty() ? Status::Ok() : IoError("the peer left within a frame"));
  }
  if (error) return Shut(IoError(error.message()));
  delivering_ = true;
  const Status status = Deliver(ByteView(loop_->buffer.data(), size));
  delivering_ = false;
  Flush();
  if (!status.ok()) {
    // What explains the end to the client is still to be sent.
    LogWarning("connection from {}: {}", peer_, status.message());
    return Close();
  }
  size_t unsent;
  {
    MutexLock lock(&mu_);
    unsent = queued_.size();
    if (closing_) return;
  }
  if (unsent + sending_.size() - sent_ <= kQueuedMax) AwaitInput();
}

Status Connection::Deliver(ByteView bytes) {
  if (!rest_.empty()) {
    rest_.append(bytes);
    bytes = rest_;
  }
  const size_t size = bytes.size();
  while (!bytes.empty()) {
    ASSIGN_OR_RETURN(const size_t consumed, session_->Receive(bytes));
    if (consumed == 0) break;
    bytes.remove_prefix(consumed);
  }
  if (rest_.empty()) {
    rest_.assign(bytes);
  } else if (bytes.empty()) {
    Recycle(&rest_);
  } else {
    rest_.erase(0, size - bytes.size());
  }
  return Status::Ok();
}

void Connection::Send(ByteView bytes) {
  MutexLock lock(&mu_);
  queued_.append(bytes);
  ScheduleFlush();
}

void Connection::Close() {
  MutexLock lock(&mu_);
  closing_ = true;
  ScheduleFlush();
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
      Recycle(&sending_);
      sent_ = 0;
      MutexLock lock(&mu_);
      flush_scheduled_ = false;
      if (queued_.empty()) {
        if (closing_)
          boost::asio::post(loop_->context,
                            [self = shared_from_this()] { self->Shut(Status::Ok()); });
        break;
      }
      sending_.swap(queued_);
    }
    error_code error;
    const size_t written = socket_.write_some(
        boost::asio::buffer(sending_.data() + sent_, sending_.size() - sent_), error);
    if (error == boost::asio::error::would_block) return AwaitOutput();
    if (error) return Shut(IoError(error.message()));
    sent_ += written;
  }
  if (!delivering_) AwaitInput();
}

void Connection::AwaitOutput() {
  if (awaiting_output_) return;
  awaiting_output_ = true;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](const error_code& error) {
    self->awaiting_output_ = false;
    if (!error) self->Flush();
  });
}

void Connection::Tick() {
  if (shut_ || session_ == nullptr) return;
  bool overdue;
  {
    MutexLock lock(&mu_);
    overdue = closing_ && ++closing_ticks_ > kClosingTicksMax;
  }
  if (overdue) return Shut(IoError("the peer did not fetch what was sent before the end"));
  if (const Status status = session_->Tick(); !status.ok()) Shut(status);
}

void Connection::Shut(const Status& reason) {
  if (shut_) return;
  shut_ = true;
  if (!reason.ok()) LogInfo("connection from {}: {}", peer_, reason.message());
  error_code ignored;
  socket_.shutdown(tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
  session_.reset();
  loop_->connections.erase(shared_from_this());
  loop_->connection_count.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace bennu::server::net
