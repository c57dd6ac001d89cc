#include "src/server/net/http_host.h"

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/string.hpp>
#include <string>

namespace bennu::server::net {

bool IsOwnHost(std::string_view host, std::string_view own) {
  const size_t colon = host.rfind(':');
  if (host.starts_with('[') && host.find(']') != std::string_view::npos) {
    host = host.substr(1, host.find(']') - 1);
  } else if (colon != std::string_view::npos && host.find(':') == colon) {
    host = host.substr(0, colon);
  }
  boost::system::error_code error;
  boost::asio::ip::make_address(std::string(host), error);
  const auto is = [&](std::string_view name) {
    return boost::beast::iequals({host.data(), host.size()}, {name.data(), name.size()});
  };
  return !error || is("localhost") || (!own.empty() && is(own));
}

}  // namespace bennu::server::net
