#include "src/server/http/message.h"

#include <strings.h>

#include <algorithm>

#include "src/base/percent.h"

namespace bennu::server::http {

namespace {

std::string Decoded(std::string_view text) {
  std::string spaced(text);
  std::replace(spaced.begin(), spaced.end(), '+', ' ');
  return PercentDecoded(spaced);
}

}  // namespace

const std::string* Request::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key.size() == name.size() && strncasecmp(key.data(), name.data(), name.size()) == 0) {
      return &value;
    }
  }
  return nullptr;
}

Response Refused(unsigned status, std::string_view reason) {
  Response response;
  response.status = status;
  response.body = std::string(reason) + "\n";
  response.refusal = reason;
  return response;
}

std::string QueryParameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name || equals == std::string_view::npos) continue;
    return Decoded(pair.substr(equals + 1));
  }
  return "";
}

}  // namespace bennu::server::http
