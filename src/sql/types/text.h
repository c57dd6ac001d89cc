// Values as text and text as values: the canonical text of results, Java's number formats, dates.
// Calendar: Java's, in UTC, so that the days before 1582-10-15 are Julian; but the canonical text
// of recorded results is proleptic Gregorian. Source: phoenix-types spec sections 5 and 10; the
// conformance corpus' table of canonical texts.
#ifndef BENNU_SRC_SQL_TYPES_TEXT_H_
#define BENNU_SRC_SQL_TYPES_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql {

struct TextStyle {
  bool iso_dates = true;     // DateTimeToIso, else DateTimeToText
  bool escape_text = true;   // \t, \n, \uXXXX; texts NULL and (empty) marked; see the corpus
  bool quote_binary = true;  // x'00ff', else 00ff
};

// "NULL" for NULL. CHAR without its padding.
std::string ToText(const Value& value, const TextStyle& style = {});
// The same of one row of a vector.
void AppendText(const Vector& vector, size_t row, const TextStyle& style, std::string* out);
// Text with the canonical escapes of the corpus.
std::string EscapeText(std::string_view text);
// Lower-case hex digits.
void AppendHex(ByteView bytes, std::string* out);

// Java's Double.toString and Float.toString with the shortest digits: "1.0", "1.0E10", "NaN".
std::string DoubleToText(double value);
std::string FloatToText(float value);

// "2024-01-02T03:04:05.678", fraction without trailing zeros, proleptic Gregorian. 'nanos' lie
// inside the millisecond.
std::string DateTimeToIso(Timestamp value);
// "2024-01-02 03:04:05.678": the same with a blank, in the calendar that ParseDateTime reads.
std::string DateTimeToText(Timestamp value);
// "2024-01-02 03:04:05.678": yyyy-MM-dd HH:mm:ss.SSS, what TO_CHAR gives without a format.
std::string FormatDefaultDate(int64_t millis);
// 12345.67895 as "12,345.679": DecimalFormat "#,##0.###", HALF_EVEN; TO_CHAR's default.
std::string FormatDefaultNumber(const Decimal& value);

// Phoenix's lenient ISO form: date (month and day may be missing), optional blank or T, optional
// time, fraction, zone (Z or ±hh:mm). Up to nine digits of fraction. Error 201 otherwise.
Result<Timestamp> ParseDateTime(std::string_view text);

struct CivilTime {
  int64_t year = 1970;  // astronomical: 0 is 1 BC
  int32_t month = 1;
  int32_t day = 1;
  int32_t hour = 0;
  int32_t minute = 0;
  int32_t second = 0;
  int32_t millis = 0;
};
inline constexpr int64_t kMillisPerDay = 86'400'000;

// Proleptic Gregorian.
CivilTime CivilFromMillis(int64_t millis);
int64_t MillisFromCivil(const CivilTime& civil);
int64_t DaysFromCivil(int64_t year, int32_t month, int32_t day);

// The calendar of Java and Joda: Julian before 1582-10-15, Gregorian from then on. Years are
// counted through 0, which is the year 1 BC.
CivilTime CalendarFromMillis(int64_t millis);
int64_t DaysFromCalendar(int64_t year, int32_t month, int32_t day);

// A result as text in the type of a column ("x'0aff'" aside: binary is hex digits, with or without
// x'…'), for loading files. Errors 201 and 206.
Result<Value> ParseValue(std::string_view text, const DataType& type);

// Number of characters of UTF-8 text (malformed bytes count one each).
size_t Utf8Length(std::string_view text);
bool IsValidUtf8(std::string_view text);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_TEXT_H_
