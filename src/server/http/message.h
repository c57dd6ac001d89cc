// Requests and answers of HTTP, as the parts of the server see them.
#ifndef BENNU_SRC_SERVER_HTTP_MESSAGE_H_
#define BENNU_SRC_SERVER_HTTP_MESSAGE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/server/http/caller.h"

namespace bennu::server::http {

inline constexpr std::string_view kTextType = "text/plain; charset=utf-8";

struct Request {
  std::string method;       // "GET", "POST" …
  std::string path;         // begins with '/', as it came
  std::string query;        // what follows the '?', as it came
  std::string body;         // not compressed
  std::string user;         // who asks; empty where nobody has to say it
  bool names_host = false;  // its version of HTTP wants a Host
  std::vector<std::pair<std::string, std::string>> headers;
  // Who waits for the answer. Null: somebody does, whatever happens.
  std::shared_ptr<const Caller> caller;

  // The value of the header, whatever the case of its name; nullptr: it is not there.
  const std::string* Header(std::string_view name) const;
};

struct Response {
  unsigned status = 200;
  std::string type = std::string(kTextType);
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside those of each answer
  // Why the request was not taken, for the log; empty: it was, whatever came of it.
  std::string refusal = {};
};

// The answer to a request that is not taken: the reason as a line of text.
Response Refused(unsigned status, std::string_view reason);

// The value of a parameter in a query, %XX and '+' resolved; empty: there is none.
std::string QueryParameter(std::string_view query, std::string_view name);

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_MESSAGE_H_
