#include "src/cli/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "src/base/log.h"

namespace bennu::cli {

void NotifyServiceManager(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  if (path == nullptr || *path == '\0') return;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t size = std::strlen(path);
  if (size >= sizeof(address.sun_path)) return;
  std::memcpy(address.sun_path, path, size);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // a name that is no file
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const auto address_size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + size);
  // The interface of sockets is made of such casts.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::sendto(socket, state.data(), state.size(), MSG_NOSIGNAL, generic, address_size) < 0) {
    LogWarning("the service manager at {} cannot be notified: {}", path, std::strerror(errno));
  }
  ::close(socket);
}

}  // namespace bennu::cli
