// Dates and times as text and back; see text.h.
#include <array>

#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

constexpr int64_t kGregorianStartDay = -141'427;  // 1582-10-15, days from 1970-01-01
constexpr int64_t kMaxYear = 292'278'993;         // what Java's long milliseconds can reach

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool IsGregorianLeap(int64_t year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int32_t DaysInMonth(int64_t year, int32_t month, bool julian) {
  constexpr std::array<int8_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month == 2 && (julian ? year % 4 == 0 : IsGregorianLeap(year))) return 29;
  return kDays[static_cast<size_t>(month - 1)];
}

// Days from 1970-01-01 of a date in the Julian calendar.
int64_t DaysFromJulian(int64_t year, int32_t month, int32_t day) {
  const int64_t y = month <= 2 ? year - 1 : year;  // years from March on
  const int32_t m = month <= 2 ? month + 9 : month - 3;
  const int64_t day_of_year = (153 * m + 2) / 5 + day - 1;
  return FloorDivide(1461 * y, 4) + day_of_year - 719'470;
}

void AppendPadded(int64_t value, int width, std::string* out) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (int i = count; i < width; ++i) out->push_back('0');
  while (count > 0) out->push_back(digits[--count]);
}

void AppendDateAndTime(const CivilTime& civil, char separator, std::string* out) {
  if (civil.year < 0 || civil.year > 9999) out->push_back(civil.year < 0 ? '-' : '+');
  AppendPadded(civil.year < 0 ? -civil.year : civil.year, 4, out);
  out->push_back('-');
  AppendPadded(civil.month, 2, out);
  out->push_back('-');
  AppendPadded(civil.day, 2, out);
  out->push_back(separator);
  AppendPadded(civil.hour, 2, out);
  out->push_back(':');
  AppendPadded(civil.minute, 2, out);
  out->push_back(':');
  AppendPadded(civil.second, 2, out);
}

// Reads from left to right. Every Read… leaves the position alone when it does not match.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : text_(text) {}

  bool AtEnd() const { return position_ == text_.size(); }
  size_t position() const { return position_; }
  bool AtDigit() const {
    return position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9';
  }
  bool Skip(char c) {
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  // One to 'max' digits; the number of digits that were read.
  int ReadNumber(int max, int64_t* value) {
    int count = 0;
    *value = 0;
    while (count < max && AtDigit()) {
      *value = *value * 10 + (text_[position_++] - '0');
      ++count;
    }
    return count;
  }
  // Skips the separator only when a digit follows it.
  bool SkipBeforeDigit(char c) {
    const size_t start = position_;
    if (Skip(c) && AtDigit()) return true;
    position_ = start;
    return false;
  }

 private:
  std::string_view text_;
  size_t position_ = 0;
};

struct ParsedTime {
  CivilTime civil;
  int32_t nanos_of_second = 0;
  int64_t offset_millis = 0;
};

Status Malformed(std::string_view text, size_t position) {
  std::string detail = "Invalid format: \"" + std::string(text) + "\"";
  if (position > 0 && position < text.size()) {
    detail += " is malformed at \"" + std::string(text.substr(position)) + "\"";
  } else if (position == text.size() && !text.empty()) {
    detail += " is too short";
  }
  return SqlIllegalData(detail +
                        "; a date is written 2024-01-31, with a time 2024-01-31 13:45:00.5");
}

Status OutOfRange(std::string_view text, int64_t value, std::string_view field, int64_t low,
                  int64_t high) {
  return SqlIllegalData("Cannot parse \"" + std::string(text) + "\": Value " +
                        std::to_string(value) + " for " + std::string(field) +
                        " must be in the range [" + std::to_string(low) + "," +
                        std::to_string(high) + "]");
}

Status ReadField(std::string_view text, DateReader* reader, std::string_view field, int64_t low,
                 int64_t high, int32_t* value) {
  int64_t number = 0;
  if (reader->ReadNumber(2, &number) == 0) return Malformed(text, reader->position());
  if (number < low || number > high) return OutOfRange(text, number, field, low, high);
  *value = static_cast<int32_t>(number);
  return Status::Ok();
}

Status ReadDate(std::string_view text, DateReader* reader, CivilTime* civil) {
  const bool negative = reader->Skip('-');
  if (!negative) (void)reader->Skip('+');
  int64_t year = 0;
  if (reader->ReadNumber(9, &year) == 0) return Malformed(text, reader->position());
  if (year > kMaxYear) return OutOfRange(text, year, "year", -kMaxYear, kMaxYear);
  civil->year = negative ? -year : year;
  if (!reader->SkipBeforeDigit('-')) return Status::Ok();
  RETURN_IF_ERROR(ReadField(text, reader, "monthOfYear", 1, 12, &civil->month));
  if (!reader->SkipBeforeDigit('-')) return Status::Ok();
  return ReadField(text, reader, "dayOfMonth", 1, 31, &civil->day);
}

// A fraction of 'unit' nanoseconds, up to nine digits.
Status ReadFraction(std::string_view text, DateReader* reader, int64_t unit, int64_t* nanos) {
  *nanos = 0;
  if (!reader->SkipBeforeDigit('.') && !reader->SkipBeforeDigit(',')) return Status::Ok();
  int64_t digits = 0;
  const int count = reader->ReadNumber(9, &digits);
  if (reader->AtDigit()) return Malformed(text, reader->position());
  for (int i = count; i < 9; ++i) digits *= 10;
  *nanos = static_cast<int64_t>(static_cast<__int128>(digits) * unit / 1'000'000'000);
  return Status::Ok();
}

Status ReadTime(std::string_view text, DateReader* reader, ParsedTime* time) {
  constexpr int64_t kSecond = 1'000'000'000;
  CivilTime* civil = &time->civil;
  RETURN_IF_ERROR(ReadField(text, reader, "hourOfDay", 0, 23, &civil->hour));
  int64_t unit = 3600 * kSecond;
  if (reader->SkipBeforeDigit(':')) {
    unit = 60 * kSecond;
    RETURN_IF_ERROR(ReadField(text, reader, "minuteOfHour", 0, 59, &civil->minute));
    if (reader->SkipBeforeDigit(':')) {
      unit = kSecond;
      RETURN_IF_ERROR(ReadField(text, reader, "secondOfMinute", 0, 59, &civil->second));
    }
  }
  int64_t nanos = 0;
  RETURN_IF_ERROR(ReadFraction(text, reader, unit, &nanos));
  civil->minute += static_cast<int32_t>(nanos / (60 * kSecond));
  nanos %= 60 * kSecond;
  civil->second += static_cast<int32_t>(nanos / kSecond);
  time->nanos_of_second = static_cast<int32_t>(nanos % kSecond);
  return Status::Ok();
}

Status ReadOffset(std::string_view text, DateReader* reader, int64_t* offset_millis) {
  if (reader->Skip('Z')) return Status::Ok();
  const bool west = reader->Skip('-');
  if (!west && !reader->Skip('+')) return Status::Ok();
  int32_t hours = 0;
  int32_t minutes = 0;
  RETURN_IF_ERROR(ReadField(text, reader, "offset hours", 0, 23, &hours));
  (void)reader->Skip(':');
  if (reader->AtDigit()) {
    RETURN_IF_ERROR(ReadField(text, reader, "offset minutes", 0, 59, &minutes));
  }
  *offset_millis = (hours * 60 + minutes) * 60'000LL * (west ? -1 : 1);
  return Status::Ok();
}

// Gregorian from 1582-10-15 on, Julian before, as the reference's calendar has it.
Result<int64_t> DaysOf(std::string_view text, const CivilTime& civil) {
  const bool julian = DaysFromCivil(civil.year, civil.month, civil.day) < kGregorianStartDay;
  // The Julian calendar has no year 0: the year -1 comes before the year 1.
  if (civil.year == 0) return OutOfRange(text, 0, "year", 1, kMaxYear);
  const int64_t year = civil.year < 0 ? civil.year + 1 : civil.year;
  const int32_t last = DaysInMonth(year, civil.month, julian);
  if (civil.day > last) return OutOfRange(text, civil.day, "dayOfMonth", 1, last);
  if (!julian) return DaysFromCivil(year, civil.month, civil.day);
  const int64_t days = DaysFromJulian(year, civil.month, civil.day);
  if (days >= kGregorianStartDay) {
    return SqlIllegalData("Cannot parse \"" + std::string(text) +
                          "\": the calendar leaves out 1582-10-05 to 1582-10-14");
  }
  return days;
}

}  // namespace

int64_t DaysFromCivil(int64_t year, int32_t month, int32_t day) {
  const int64_t y = month <= 2 ? year - 1 : year;
  const int32_t m = month <= 2 ? month + 9 : month - 3;
  const int64_t era = FloorDivide(y, 400);
  const int64_t year_of_era = y - era * 400;
  const int64_t day_of_year = (153 * m + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146'097 + day_of_era - 719'468;
}

int64_t DaysFromCalendar(int64_t year, int32_t month, int32_t day) {
  const int64_t days = DaysFromCivil(year, month, day);
  return days < kGregorianStartDay ? DaysFromJulian(year, month, day) : days;
}

int64_t MillisFromCivil(const CivilTime& civil) {
  const int64_t seconds = (civil.hour * 60LL + civil.minute) * 60 + civil.second;
  return DaysFromCivil(civil.year, civil.month, civil.day) * kMillisPerDay + seconds * 1000 +
         civil.millis;
}

CivilTime CivilFromMillis(int64_t millis) {
  const int64_t days = FloorDivide(millis, kMillisPerDay);
  int64_t rest = millis % kMillisPerDay;
  if (rest < 0) rest += kMillisPerDay;
  CivilTime civil;
  civil.millis = static_cast<int32_t>(rest % 1000);
  rest /= 1000;
  civil.second = static_cast<int32_t>(rest % 60);
  rest /= 60;
  civil.minute = static_cast<int32_t>(rest % 60);
  civil.hour = static_cast<int32_t>(rest / 60);

  const int64_t shifted = days + 719'468;  // days from 0000-03-01
  const int64_t era = FloorDivide(shifted, 146'097);
  const int64_t day_of_era = shifted - era * 146'097;
  const int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t m = (5 * day_of_year + 2) / 153;  // 0 is March
  civil.day = static_cast<int32_t>(day_of_year - (153 * m + 2) / 5 + 1);
  civil.month = static_cast<int32_t>(m < 10 ? m + 3 : m - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  return civil;
}

CivilTime CalendarFromMillis(int64_t millis) {
  CivilTime civil = CivilFromMillis(millis);
  const int64_t days = FloorDivide(millis, kMillisPerDay);
  if (days >= kGregorianStartDay) return civil;
  const int64_t c = days + 2'472'670;  // days from -4800-03-01 of the Julian calendar
  const int64_t d = FloorDivide(4 * c + 3, 1461);
  const int64_t e = c - FloorDivide(1461 * d, 4);
  const int64_t m = (5 * e + 2) / 153;  // 0 is March
  civil.day = static_cast<int32_t>(e - (153 * m + 2) / 5 + 1);
  civil.month = static_cast<int32_t>(m < 10 ? m + 3 : m - 9);
  civil.year = d - 4800 + m / 10;
  return civil;
}

namespace {

std::string DateTimeText(const CivilTime& civil, int32_t nanos_of_milli, char separator) {
  std::string text;
  AppendDateAndTime(civil, separator, &text);
  const int64_t nanos = civil.millis * 1'000'000LL + nanos_of_milli;
  if (nanos == 0) return text;
  text.push_back('.');
  AppendPadded(nanos, 9, &text);
  while (text.back() == '0') text.pop_back();
  return text;
}

}  // namespace

std::string DateTimeToIso(Timestamp value) {
  return DateTimeText(CivilFromMillis(value.millis), value.nanos, 'T');
}

std::string DateTimeToText(Timestamp value) {
  CivilTime civil = CalendarFromMillis(value.millis);
  if (civil.year <= 0) --civil.year;  // there is no year 0
  return DateTimeText(civil, value.nanos, ' ');
}

std::string FormatDefaultDate(int64_t millis) {
  CivilTime civil = CalendarFromMillis(millis);
  if (civil.year <= 0) civil.year = 1 - civil.year;  // the year of its era
  std::string text;
  AppendDateAndTime(civil, ' ', &text);
  if (text[0] == '+') text.erase(0, 1);  // Java's formats have no sign there
  text.push_back('.');
  AppendPadded(civil.millis, 3, &text);
  return text;
}

Result<Timestamp> ParseDateTime(std::string_view text) {
  DateReader reader(text);
  ParsedTime time;
  RETURN_IF_ERROR(ReadDate(text, &reader, &time.civil));
  if (!reader.Skip(' ')) (void)reader.Skip('T');
  if (reader.AtDigit()) RETURN_IF_ERROR(ReadTime(text, &reader, &time));
  RETURN_IF_ERROR(ReadOffset(text, &reader, &time.offset_millis));
  if (!reader.AtEnd()) return Malformed(text, reader.position());

  ASSIGN_OR_RETURN(const int64_t days, DaysOf(text, time.civil));
  const CivilTime& civil = time.civil;
  const int64_t seconds = (civil.hour * 60LL + civil.minute) * 60 + civil.second;
  int64_t millis = 0;
  if (__builtin_mul_overflow(days, kMillisPerDay, &millis) ||
      __builtin_add_overflow(millis, seconds * 1000 - time.offset_millis, &millis)) {
    return OutOfRange(text, civil.year, "year", -kMaxYear, kMaxYear);
  }
  millis += time.nanos_of_second / 1'000'000;
  return Timestamp{millis, time.nanos_of_second % 1'000'000};
}

}  // namespace bennu::sql
