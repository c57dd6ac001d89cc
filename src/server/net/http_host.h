// Whom a request of HTTP is for.
#ifndef BENNU_SRC_SERVER_NET_HTTP_HOST_H_
#define BENNU_SRC_SERVER_NET_HTTP_HOST_H_

#include <string_view>

namespace bennu::server::net {

// Whether a request's Host, with or without a port, is an IP address, "localhost" or 'own'. A name
// that somebody else gave the server is how a site has a browser ask a server that it cannot
// reach.
bool IsOwnHost(std::string_view host, std::string_view own);

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_HTTP_HOST_H_
