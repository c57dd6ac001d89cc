#include "src/cli/utf8_input.h"

#include <fmt/format.h>

#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

// Bytes in front of the first one that begins no character.
size_t ValidPrefix(std::string_view text) {
  size_t valid = 0;
  while (valid < text.size()) {
    size_t length = 1;
    while (length <= 4 && !sql::IsValidUtf8(text.substr(valid, length))) ++length;
    if (length > 4) break;
    valid += length;
  }
  return valid;
}

}  // namespace

void DropByteOrderMark(std::string_view* start_of_file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (start_of_file->starts_with(kMark)) start_of_file->remove_prefix(kMark.size());
}

Status CheckUtf8(std::string_view text, std::string_view what) {
  if (sql::IsValidUtf8(text)) return Status();
  const size_t at = ValidPrefix(text);
  const size_t line_end = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  return sql::MakeUncodedSqlError(
      fmt::format("byte {} of {} (0x{:02X}) is not UTF-8", at - line_begin + 1, what,
                  static_cast<unsigned char>(text[at])),
      static_cast<int64_t>(at),
      "convert it, such as by: iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW-FILE");
}

}  // namespace bennu::cli
