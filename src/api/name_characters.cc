#include "src/api/name_characters.h"

#include <locale.h>
#include <wctype.h>

#include <cstdint>

#include "src/filter/text.h"

namespace bennu::api {

namespace {

bool IsAsciiAlnum(uint32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Of a character beyond ASCII.
bool IsAlnum(uint32_t character) {
  // Kept while the process lives. Where the system lacks it, who named something so knew why.
  static const locale_t kUtf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kUtf8 == nullptr || ::iswalnum_l(static_cast<wint_t>(character), kUtf8) != 0;
}

}  // namespace

bool IsNameText(std::string_view text, std::string_view others) {
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = filter::NextCharacter(text, &i);
    if (c < 0x80) {
      const bool is_other = others.find(static_cast<char>(c)) != std::string_view::npos;
      if (!IsAsciiAlnum(c) && c != '_' && !is_other) return false;
    } else if (c > 0xffff || c == filter::kReplacement || !IsAlnum(c)) {
      return false;
    }
  }
  return true;
}

}  // namespace bennu::api
