#include "src/base/json_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "src/base/utf8.h"

namespace bennu {

namespace {

constexpr uint8_t kControlEnd = 0x20;

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->push_back('"');
  while (!text.empty()) {
    const char c = text[0];
    const size_t size = Utf8CharacterSize(text);
    if (size == 0) {
      out->append(kUtf8Replacement);
    } else if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (c == '\n') {
      out->append("\\n");
    } else if (static_cast<uint8_t>(c) < kControlEnd) {
      fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out->append(text.substr(0, size));
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  out->push_back('"');
}

}  // namespace bennu
