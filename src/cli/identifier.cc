#include "src/cli/identifier.h"

#include "src/base/ascii.h"

namespace bennu::cli {

std::string Identifier(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    return std::string(text.substr(1, text.size() - 2));
  }
  return Upper(text);
}

}  // namespace bennu::cli
