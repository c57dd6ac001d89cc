#include "src/client/zookeeper_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netdb.h>
#include <sys/socket.h>
#include <zookeeper/zookeeper.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

// What the library has for all of a process.
void SetUpLibrary() {
  [[maybe_unused]] static const bool once = [] {
    // Ask counts on every server having its turn.
    zoo_deterministic_conn_order(1);
    // No log. It tells of single attempts, where whoever asks is told of the outcome; and its texts
    // are put together in one buffer for all threads.
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    return true;
  }();
}

std::string NumericText(const addrinfo& found) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (getnameinfo(found.ai_addr, found.ai_addrlen, host, sizeof(host), port, sizeof(port),
                  NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  // The library takes what stands behind the last colon for the port, and knows no brackets.
  return fmt::format("{}:{}", host, port);
}

// The servers' addresses in numbers, in an order of chance, so that clients spread over the
// servers. The library would look names up again before every attempt.
Result<std::vector<std::string>> LookUp(const std::vector<Address>& servers) {
  std::vector<std::string> numeric;
  std::vector<std::string> problems;
  for (const Address& server : servers) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error =
        getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found);
    if (error != 0) {
      problems.push_back(fmt::format("{} cannot be found: {}", server.host, gai_strerror(error)));
      continue;
    }
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &freeaddrinfo);
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      std::string text = NumericText(*one);
      if (!text.empty()) numeric.push_back(std::move(text));
    }
  }
  if (numeric.empty()) return IoError(fmt::format("{}", fmt::join(problems, "; ")));
  for (size_t i = numeric.size(); i > 1; --i) {
    std::swap(numeric[i - 1], numeric[Env::Default()->RandomU64() % i]);
  }
  return numeric;
}

// The connection broke or could not be made; the library goes on with the next server.
bool IsLoss(int code) {
  return code == ZSYSTEMERROR || code == ZRUNTIMEINCONSISTENCY || code == ZDATAINCONSISTENCY ||
         code == ZCONNECTIONLOSS || code == ZOPERATIONTIMEOUT;
}

bool IsEndOfSession(int code) {
  return code == ZSESSIONEXPIRED || code == ZINVALIDSTATE || code == ZCLOSING ||
         code == ZSESSIONMOVED || code == ZAUTHFAILED;
}

}  // namespace

// What is asked, from the moment it is sent until the library has called back, be it that whoever
// asks has gone. Thread-safe.
class ZooKeeperSession::Question {
 public:
  // The library calls these on its own thread; 'self' is what SelfFor gave.
  static void OnData(int code, const char* value, int size, const Stat* /*stat*/,
                     const void* self) {
    Take(self)->Answer(code, value == nullptr || size <= 0 ? Bytes() : Bytes(value, size), {});
  }
  static void OnChildren(int code, const String_vector* names, const void* self) {
    std::vector<std::string> children;
    if (names != nullptr) children.assign(names->data, names->data + names->count);
    Take(self)->Answer(code, {}, std::move(children));
  }
  // To be given to the library, whose call back frees it.
  static const void* SelfFor(const std::shared_ptr<Question>& question) {
    return new std::shared_ptr<Question>(question);
  }
  static std::shared_ptr<Question> Take(const void* self) {
    const std::unique_ptr<const std::shared_ptr<Question>> owner(
        static_cast<const std::shared_ptr<Question>*>(self));
    return *owner;
  }

  // The library's code; nothing: the time is over.
  std::optional<int> Wait(const Deadline& deadline) {
    MutexLock lock(&mu_);
    while (!code_.has_value()) {
      const auto left = deadline.Left();
      if (left.count() == 0) return std::nullopt;
      answered_.WaitFor(&mu_, left);
    }
    return code_;
  }
  // Once it is answered.
  Bytes TakeData() {
    MutexLock lock(&mu_);
    return std::move(data_);
  }
  std::vector<std::string> TakeChildren() {
    MutexLock lock(&mu_);
    return std::move(children_);
  }

 private:
  void Answer(int code, Bytes data, std::vector<std::string> children) {
    MutexLock lock(&mu_);
    code_ = code;
    data_ = std::move(data);
    children_ = std::move(children);
    answered_.SignalAll();
  }

  Mutex mu_;
  CondVar answered_;
  std::optional<int> code_ GUARDED_BY(mu_);
  Bytes data_ GUARDED_BY(mu_);
  std::vector<std::string> children_ GUARDED_BY(mu_);
};

Result<std::unique_ptr<ZooKeeperSession>> ZooKeeperSession::Open(
    const std::vector<Address>& servers, const std::string& chroot,
    std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const std::vector<std::string> numeric, LookUp(servers));
  SetUpLibrary();
  const std::string hosts = fmt::format("{}{}", fmt::join(numeric, ","), chroot);
  const auto millis =
      static_cast<int>(std::clamp<int64_t>(timeout.count(), 1, std::numeric_limits<int>::max()));
  zhandle_t* const handle = zookeeper_init(hosts.c_str(), /*fn=*/nullptr, millis,
                                           /*clientid=*/nullptr, /*context=*/nullptr, /*flags=*/0);
  if (handle == nullptr) {
    return IoError(fmt::format("no session can be begun: {}", std::strerror(errno)));
  }
  return std::unique_ptr<ZooKeeperSession>(new ZooKeeperSession(handle, numeric.size()));
}

ZooKeeperSession::~ZooKeeperSession() { zookeeper_close(handle_); }

Result<bool> ZooKeeperSession::Ask(const std::string& path, const Deadline& deadline,
                                   const std::function<int(const std::shared_ptr<Question>&)>& send,
                                   std::shared_ptr<Question>* answered) {
  // The library keeps a question until there is a connection, and fails it with each attempt that
  // fails. As many failures as there are servers mean that each of them has been tried; a
  // connection that is there now may have to break first.
  size_t failures_left = server_count_ + (zoo_state(handle_) == ZOO_CONNECTED_STATE ? 1 : 0);
  while (true) {
    const auto question = std::make_shared<Question>();
    std::optional<int> code = send(question);
    if (*code == ZOK) code = question->Wait(deadline);
    if (!code.has_value()) {
      return Status(StatusCode::kTimedOut, "no server answers in time");
    }
    if (*code == ZOK || *code == ZNONODE) {
      *answered = question;
      return *code == ZOK;
    }
    if (IsEndOfSession(*code)) {
      return Status(StatusCode::kAborted, fmt::format("the session has ended: {}", zerror(*code)));
    }
    if (*code == ZNOAUTH) {
      return FailedPrecondition(
          fmt::format("the znode {} may not be read without authentication, which Bennu's client "
                      "does not have",
                      path));
    }
    if (!IsLoss(*code)) return IoError(fmt::format("{}: {}", path, zerror(*code)));
    if (--failures_left == 0) return IoError("no server answers");
  }
}

Result<std::optional<Bytes>> ZooKeeperSession::Get(const std::string& path,
                                                   const Deadline& deadline) {
  std::shared_ptr<Question> answered;
  ASSIGN_OR_RETURN(const bool exists, Ask(
                                          path, deadline,
                                          [&](const std::shared_ptr<Question>& question) {
                                            const void* const self = Question::SelfFor(question);
                                            const int sent =
                                                zoo_aget(handle_, path.c_str(), /*watch=*/0,
                                                         &Question::OnData, self);
                                            if (sent != ZOK) Question::Take(self);
                                            return sent;
                                          },
                                          &answered));
  if (!exists) return std::optional<Bytes>();
  return std::optional<Bytes>(answered->TakeData());
}

Result<std::optional<std::vector<std::string>>> ZooKeeperSession::Children(
    const std::string& path, const Deadline& deadline) {
  std::shared_ptr<Question> answered;
  ASSIGN_OR_RETURN(const bool exists, Ask(
                                          path, deadline,
                                          [&](const std::shared_ptr<Question>& question) {
                                            const void* const self = Question::SelfFor(question);
                                            const int sent = zoo_aget_children(
                                                handle_, path.c_str(), /*watch=*/0,
                                                &Question::OnChildren, self);
                                            if (sent != ZOK) Question::Take(self);
                                            return sent;
                                          },
                                          &answered));
  if (!exists) return std::optional<std::vector<std::string>>();
  return std::optional<std::vector<std::string>>(answered->TakeChildren());
}

}  // namespace bennu::client
