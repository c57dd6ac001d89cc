#include "src/server/net/io_loops.h"

#include <fmt/format.h>
#include <pthread.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/server/net/address_counts.h"
#include "src/server/net/clock.h"
#include "src/server/net/connection.h"
#include "src/server/net/peer_log.h"

namespace bennu::server::net {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kReadBuffer = 256u << 10;
constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::milliseconds kRetryAccept{100};
constexpr std::chrono::seconds kWarnAgain{60};
constexpr std::chrono::seconds kStopGrace{1};

}  // namespace

class IoLoops::Impl {
 public:
  explicit Impl(size_t thread_count) {
    for (size_t i = 0; i < std::max<size_t>(thread_count, 1); ++i) {
      Loop* const loop = loops_.emplace_back(std::make_unique<Loop>(kReadBuffer)).get();
      guards_.push_back(boost::asio::make_work_guard(loop->context));
      loop->thread = std::thread([loop] { Run(loop); });
      pthread_setname_np(loop->thread.native_handle(), fmt::format("io-{}", i).c_str());
      boost::asio::post(loop->context, [loop] { AwaitTick(loop); });
    }
  }

  // What finds no memory fails; the others go on.
  static void Run(Loop* loop) {
    while (true) {
      try {
        loop->context.run();
        return;
      } catch (const std::bad_alloc&) {
        LogError("a connection's thread found no memory for what it was doing");
      }
    }
  }

  Result<uint16_t> Bind(const ListenOptions& options) {
    error_code error;
    RETURN_IF_ERROR(CheckIpAddress(options.address));
    const auto address = boost::asio::ip::make_address(options.address, error);
    Loop* const loop = loops_.front().get();
    auto listener = std::make_shared<Listener>(loop->context, options);
    const tcp::endpoint endpoint(address, options.port);
    tcp::acceptor& acceptor = listener->acceptor;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(tcp::acceptor::max_listen_connections, error);
    if (error) {
      return IoError(fmt::format("cannot listen on {}:{}: {}; choose another port, or 0 for any",
                                 options.address, options.port, error.message()));
    }
    const uint16_t port = acceptor.local_endpoint().port();
    MutexLock lock(&mu_);
    listeners_[port] = std::move(listener);
    return port;
  }

  void Serve(uint16_t port, SessionFactory factory) {
    MutexLock lock(&mu_);
    const std::shared_ptr<Listener>& listener = listeners_.at(port);
    listener->factory = std::move(factory);
    boost::asio::post(loops_.front()->context, [this, listener] { Accept(listener); });
  }

  void StopListening() {
    std::map<uint16_t, std::shared_ptr<Listener>> listeners;
    {
      MutexLock lock(&mu_);
      listeners.swap(listeners_);
    }
    for (const auto& [port, listener] : listeners) {
      boost::asio::post(loops_.front()->context, [listener] {
        error_code ignored;
        listener->acceptor.close(ignored);
      });
    }
  }

  void Stop() {
    if (stopped_.exchange(true)) return;
    StopListening();
    for (const auto& loop : loops_) {
      boost::asio::post(loop->context, [loop = loop.get()] {
        const auto connections = loop->connections;
        for (const auto& connection : connections) connection->Close();
      });
    }
    const auto deadline = MonotonicNow() + kStopGrace;
    while (connection_count() > 0 && MonotonicNow() < deadline) {
      Env::Default()->SleepMicros(1000);
    }
    guards_.clear();
    for (const auto& loop : loops_) {
      boost::asio::post(loop->context, [loop = loop.get()] {
        const auto connections = loop->connections;
        for (const auto& connection : connections) connection->Shut(Status::Ok());
        loop->timer.cancel();
        loop->context.stop();
      });
    }
    for (const auto& loop : loops_) loop->thread.join();
  }

  size_t connection_count() const {
    size_t count = 0;
    for (const auto& loop : loops_) count += loop->connection_count.load(std::memory_order_relaxed);
    return count;
  }

 private:
  struct Listener {
    Listener(boost::asio::io_context& context, const ListenOptions& asked)
        : acceptor(context), retry(context), options(asked) {}
    tcp::acceptor acceptor;
    boost::asio::steady_timer retry;
    const ListenOptions options;
    SessionFactory factory;
    std::chrono::nanoseconds warned = -kWarnAgain;  // when it was told that none can be taken
  };

  static void AwaitTick(Loop* loop) {
    loop->timer.expires_after(kTick);
    loop->timer.async_wait([loop](const error_code& error) {
      if (error) return;
      const auto connections = loop->connections;  // a tick may end some
      for (const auto& connection : connections) connection->Tick();
      AwaitTick(loop);
    });
  }

  void Accept(const std::shared_ptr<Listener>& listener) {
    Loop* const loop = loops_[next_loop_++ % loops_.size()].get();
    listener->acceptor.async_accept(
        loop->context, [this, listener, loop](const error_code& error, tcp::socket socket) {
          if (!listener->acceptor.is_open()) return;
          if (error) {
            // Mostly too many open files; others may end soon.
            if (const auto now = MonotonicNow(); now - listener->warned >= kWarnAgain) {
              listener->warned = now;
              LogWarning("cannot take a connection, which is tried again: {}", error.message());
            }
            listener->retry.expires_after(kRetryAccept);
            listener->retry.async_wait([this, listener](const error_code&) { Accept(listener); });
            return;
          }
          if (connection_count() >= listener->options.connections_max) {
            error_code unknown;
            WarnOfPeer(socket.remote_endpoint(unknown).address().to_string(),
                       fmt::format("it is refused: there are {} already", connection_count()));
          } else {
            Adopt(listener, loop, std::move(socket));
          }
          Accept(listener);
        });
  }

  void Adopt(const std::shared_ptr<Listener>& listener, Loop* loop, tcp::socket socket) {
    error_code error;
    const auto address = socket.remote_endpoint(error).address();
    std::shared_ptr<void> place;
    if (!error && !address.is_loopback()) {
      const size_t count_max = listener->options.connections_per_address_max;
      place = addresses_->TryEnter(address.to_string(), count_max);
      if (place == nullptr) {
        return WarnOfPeer(address.to_string(),
                          fmt::format("it is refused: the address has {} already", count_max));
      }
    }
    loop->connection_count.fetch_add(1, std::memory_order_relaxed);
    auto connection = std::make_shared<Connection>(
        loop, std::move(socket), listener->options.tls ? &*listener->options.tls : nullptr,
        static_cast<size_t>(listener->options.message_time_max / kTick), listener->options.memory,
        std::move(place));
    boost::asio::post(loop->context, [listener, loop, connection] {
      loop->connections.insert(connection);
      connection->Start(listener->factory);
    });
  }

  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<boost::asio::executor_work_guard<boost::asio::io_context::executor_type>> guards_;
  std::atomic<size_t> next_loop_{0};
  const std::shared_ptr<AddressCounts> addresses_ = std::make_shared<AddressCounts>();
  std::atomic<bool> stopped_{false};
  Mutex mu_;
  std::map<uint16_t, std::shared_ptr<Listener>> listeners_ GUARDED_BY(mu_);  // by port
};

Status CheckIpAddress(const std::string& address) {
  error_code error;
  boost::asio::ip::make_address(address, error);
  if (!error) return Status::Ok();
  return InvalidArgument(fmt::format("'{}' is not an IP address to listen on", address));
}

IoLoops::IoLoops(size_t thread_count) : impl_(std::make_unique<Impl>(thread_count)) {}
IoLoops::~IoLoops() { Stop(); }
Result<uint16_t> IoLoops::Bind(const ListenOptions& options) { return impl_->Bind(options); }
void IoLoops::Serve(uint16_t port, SessionFactory factory) {
  impl_->Serve(port, std::move(factory));
}
void IoLoops::StopListening() { impl_->StopListening(); }
void IoLoops::Stop() { impl_->Stop(); }
size_t IoLoops::connection_count() const { return impl_->connection_count(); }

}  // namespace bennu::server::net
