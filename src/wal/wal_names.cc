#include <fmt/format.h>

#include "src/wal/wal.h"

namespace bennu::wal {

std::string EncodeServerName(ByteView server_name) {
  std::string out;
  for (const char c : server_name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '*' || c == '_';
    if (plain) {
      out.push_back(c);
    } else {
      out += c == ' ' ? "+" : fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return out;
}

std::string WalDirectory(const std::string& wal_root, const std::string& server_name) {
  return JoinPath(JoinPath(wal_root, "WALs"), server_name);
}

std::string OldWalDirectory(const std::string& wal_root) { return JoinPath(wal_root, "oldWALs"); }

}  // namespace bennu::wal
