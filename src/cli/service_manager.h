// Tells the service manager how the server is (systemd's sd_notify protocol).
#ifndef BENNU_SRC_CLI_SERVICE_MANAGER_H_
#define BENNU_SRC_CLI_SERVICE_MANAGER_H_

#include <string_view>

namespace bennu::cli {

// 'state' is lines such as "READY=1". Nothing happens where NOTIFY_SOCKET names no socket: then
// nobody wants to know.
void NotifyServiceManager(std::string_view state);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SERVICE_MANAGER_H_
