// The shell's language: any text is parsed, wanted more of, or refused; a text that is complete
// stays so when a line's end is added.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "src/base/check.h"
#include "src/shell/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto parsed = bennu::shell::Parse(text);
  if (!parsed.ok() || !parsed->complete) return 0;
  const auto again = bennu::shell::Parse(text + "\n");
  BENNU_CHECK(again.ok() && again->complete);
  BENNU_CHECK(again->statements.size() == parsed->statements.size());
  for (const auto& statement : parsed->statements) (void)statement->value.Inspect();
  return 0;
}
