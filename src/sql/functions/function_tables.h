// The tables of built-in functions, by subject, and what their kernels share. Private to this
// folder.
#ifndef BENNU_SRC_SQL_FUNCTIONS_FUNCTION_TABLES_H_
#define BENNU_SRC_SQL_FUNCTIONS_FUNCTION_TABLES_H_

#include <vector>

#include "src/sql/expr/function_def.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/row_value.h"

namespace bennu::sql {

using Arguments = std::span<const Vector* const>;

std::vector<FunctionDef> StringFunctions();
std::vector<FunctionDef> RegexFunctions();
std::vector<FunctionDef> CollationFunctions();
std::vector<FunctionDef> FormatFunctions();  // TO_CHAR, TO_NUMBER, TO_DATE …
std::vector<FunctionDef> MathFunctions();
std::vector<FunctionDef> RoundFunctions();  // ROUND, FLOOR, CEIL, TRUNC of numbers and dates
std::vector<FunctionDef> DateFunctions();
std::vector<FunctionDef> BinaryFunctions();
std::vector<FunctionDef> CatalogFunctions();
std::vector<FunctionDef> ArrayFunctions();
std::vector<FunctionDef> JsonFunctions();
std::vector<FunctionDef> BsonFunctions();

// A text without characters is NULL.
inline void SetTextOrNull(size_t row, ByteView text, Vector* out) {
  if (text.empty()) {
    out->SetNull(row);
  } else {
    out->SetBytes(row, text);
  }
}

// Calls produce(row, &text) for each row that is not NULL; a false or an empty text is NULL.
template <typename F>
void ProduceText(size_t count, Vector* out, F produce) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    text.clear();
    if (produce(i, &text) && !text.empty()) {
      out->SetBytes(i, text);
    } else {
      out->SetNull(i);
    }
  }
}

// ---- number_formats.cc, date_formats.cc: Java's DecimalFormat and SimpleDateFormat

std::string FormatNumber(const Decimal& value, std::string_view pattern);
// Nothing when the text does not fit the pattern.
std::optional<Decimal> ParseNumber(std::string_view text, std::string_view pattern);
// InvalidArgument-like (uncoded): a letter that means nothing.
Status CheckDatePattern(std::string_view pattern);
std::string FormatDate(int64_t millis, std::string_view pattern);
struct ParsedDate {
  int64_t millis = 0;
  bool is_utc = false;  // the text itself says in which zone it is
};
// As Java's SimpleDateFormat: what is behind is passed over, a thirteenth month is the first of the
// next year. Years of two digits are those from 80 years before 'now_millis' on. Nothing when the
// text does not fit the pattern.
std::optional<ParsedDate> ParseDate(std::string_view text, std::string_view pattern,
                                    int64_t now_millis);
// "GMT", "UTC", "GMT+2", "+02:00": minutes east. Nothing for others; see time_zone.h.
std::optional<int32_t> ZoneOffsetMinutes(std::string_view zone);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_FUNCTION_TABLES_H_
