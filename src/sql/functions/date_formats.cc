// Patterns of dates, with the letters of java.text.SimpleDateFormat as commons-lang's
// FastDateFormat reads and writes them, which Phoenix uses; always in UTC and in English, weeks
// begin on Sunday.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {

namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                          "Friday", "Saturday", "Sunday"};
constexpr std::string_view kDateLetters = "GyYMwWDdFEuaHkKhmsSzZX";

struct DateToken {
  char letter = 0;  // 0: literal text
  size_t width = 0;
  std::string text;
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<DateToken> SplitPattern(std::string_view pattern) {
  std::vector<DateToken> tokens;
  const auto add_literal = [&](char c) {
    if (tokens.empty() || tokens.back().letter != 0) tokens.emplace_back();
    tokens.back().text += c;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\'') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '\'')
        add_literal(pattern[++i]);
      else
        for (++i; i < pattern.size() && pattern[i] != '\''; ++i) add_literal(pattern[i]);
    } else if (IsLetter(c)) {
      if (tokens.empty() || tokens.back().letter != c) tokens.push_back({c, 0, ""});
      ++tokens.back().width;
    } else {
      add_literal(c);
    }
  }
  return tokens;
}

std::string Pad(int64_t value, size_t width) { return fmt::format("{:0{}}", value, width); }

int64_t DaysOf(const CivilTime& t) { return DaysFromCalendar(t.year, t.month, t.day); }

// Monday is 0.
int64_t WeekdayOf(int64_t days) { return ((days + 3) % 7 + 7) % 7; }

// How far the day is into its week, which begins on Sunday.
int64_t DayInWeek(int64_t days) { return (WeekdayOf(days) + 1) % 7; }

int64_t DayOfYear(const CivilTime& t) { return DaysOf(t) - DaysFromCalendar(t.year, 1, 1) + 1; }

// The year that the day's week is counted in: that of its Saturday, since the week with the first
// of January is a year's first one.
int64_t WeekYear(const CivilTime& t) {
  const int64_t saturday = DaysOf(t) - DayInWeek(DaysOf(t)) + 6;
  return saturday >= DaysFromCalendar(t.year + 1, 1, 1) ? t.year + 1 : t.year;
}

int64_t WeekOfYear(const CivilTime& t) {
  const int64_t first = DaysFromCalendar(WeekYear(t), 1, 1);
  return (DaysOf(t) - first + DayInWeek(first)) / 7 + 1;
}

int64_t FirstOfMonth(const CivilTime& t) { return DaysFromCalendar(t.year, t.month, 1); }

int64_t WeekOfMonth(const CivilTime& t) {
  const int64_t first = FirstOfMonth(t);
  return (DaysOf(t) - first + DayInWeek(first)) / 7 + 1;
}

// The year of its era, with four digits or more unless two are asked for.
std::string FormatYear(int64_t year, size_t width) {
  if (year <= 0) year = 1 - year;
  return width == 2 ? Pad(year % 100, 2) : Pad(year, std::max<size_t>(width, 4));
}

// UTC, as the pattern's letter spells it.
std::string FormatZone(const DateToken& token) {
  if (token.letter == 'z') return token.width >= 4 ? "Greenwich Mean Time" : "GMT";
  if (token.letter == 'X' || token.width == 2) return "Z";
  return token.width == 1 ? "+0000" : "+00:00";
}

std::string FormatToken(const DateToken& token, const CivilTime& t) {
  switch (token.letter) {
    case 0: return token.text;
    case 'G': return t.year > 0 ? "AD" : "BC";
    case 'y': return FormatYear(t.year, token.width);
    case 'Y': return FormatYear(WeekYear(t), token.width);
    case 'M':
      if (token.width >= 4) return std::string(kMonths[t.month - 1]);
      if (token.width == 3) return std::string(kMonths[t.month - 1].substr(0, 3));
      return Pad(t.month, token.width);
    case 'd': return Pad(t.day, token.width);
    case 'H': return Pad(t.hour, token.width);
    case 'k': return Pad(t.hour == 0 ? 24 : t.hour, token.width);
    case 'K': return Pad(t.hour % 12, token.width);
    case 'h': return Pad(t.hour % 12 == 0 ? 12 : t.hour % 12, token.width);
    case 'm': return Pad(t.minute, token.width);
    case 's': return Pad(t.second, token.width);
    case 'S': return Pad(t.millis, token.width);
    case 'a': return t.hour < 12 ? "AM" : "PM";
    case 'D': return Pad(DayOfYear(t), token.width);
    case 'F': return Pad((DaysOf(t) - FirstOfMonth(t)) / 7 + 1, token.width);
    case 'w': return Pad(WeekOfYear(t), token.width);
    case 'W': return Pad(WeekOfMonth(t), token.width);
    case 'u': return Pad(WeekdayOf(DaysOf(t)) + 1, token.width);
    case 'E': {
      const std::string_view name = kWeekdays[WeekdayOf(DaysOf(t))];
      return std::string(token.width >= 4 ? name : name.substr(0, 3));
    }
    default: return FormatZone(token);
  }
}

// Index of the name that 'text' begins with, whole or by its first three letters; -1: none.
template <size_t N>
int TakeName(const std::string_view (&names)[N], std::string_view* text) {
  for (size_t i = 0; i < N; ++i) {
    for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
      if (text->starts_with(name)) {
        text->remove_prefix(name.size());
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

// What has been read so far; nothing where the pattern has no such field.
struct Fields {
  CivilTime civil;
  bool pm = false;
  bool twelve_hours = false;
  bool bc = false;
  std::optional<int64_t> day_of_year;
  std::optional<int64_t> week_year;
  std::optional<int64_t> week_of_year;
  std::optional<int64_t> weekday;  // Monday is 0
  std::optional<int32_t> zone_minutes;
  int64_t now_millis = 0;   // two digits of a year are completed by it
  bool either_end = false;  // the two digits are those of the first of these years and of the last
};

constexpr int64_t kYearsBack = 80;

bool TakeNumber(std::string_view* text, size_t width_max, int64_t* number) {
  size_t width = 0;
  while (width < text->size() && width < width_max && (*text)[width] >= '0' &&
         (*text)[width] <= '9') {
    ++width;
  }
  if (width == 0) return false;
  std::from_chars(text->data(), text->data() + width, *number);
  text->remove_prefix(width);
  return true;
}

// Two digits of a year mean, where the pattern has one or two letters for it, one of the hundred
// years that begin eighty years ago.
int64_t FullYear(int64_t year, size_t pattern_width, size_t digits, Fields* fields) {
  if (pattern_width > 2 || digits != 2) return year;
  const int64_t first = CalendarFromMillis(fields->now_millis).year - kYearsBack;
  fields->either_end = year == first % 100;
  return first / 100 * 100 + year + (year < first % 100 ? 100 : 0);
}

void SetField(char letter, int64_t number, Fields* fields) {
  const auto value = static_cast<int32_t>(number);
  switch (letter) {
    case 'y': fields->civil.year = number; return;
    case 'Y': fields->week_year = number; return;
    case 'M': fields->civil.month = value; return;
    case 'w': fields->week_of_year = number; return;
    case 'D': fields->day_of_year = number; return;
    case 'u': fields->weekday = number - 1; return;
    case 'd': fields->civil.day = value; return;
    case 'H': fields->civil.hour = value; return;
    case 'k': fields->civil.hour = value == 24 ? 0 : value; return;
    case 'K':
    case 'h':
      fields->civil.hour = value == 12 && letter == 'h' ? 0 : value;
      fields->twelve_hours = true;
      return;
    case 'm': fields->civil.minute = value; return;
    case 's': fields->civil.second = value; return;
    case 'S': fields->civil.millis = value; return;
    default: return;
  }
}

bool TakeEither(std::string_view one, std::string_view other, std::string_view* text,
                bool* second) {
  *second = !text->starts_with(one);
  if (*second && !text->starts_with(other)) return false;
  text->remove_prefix((*second ? other : one).size());
  return true;
}

// "Z", "GMT", "UTC", "+02", "+0200", "GMT+2:00".
bool TakeZone(std::string_view* text, Fields* fields) {
  size_t length = 0;
  while (length < text->size() &&
         (IsLetter((*text)[length]) || (*text)[length] == '+' || (*text)[length] == '-' ||
          (*text)[length] == ':' || ((*text)[length] >= '0' && (*text)[length] <= '9'))) {
    ++length;
  }
  fields->zone_minutes = ZoneOffsetMinutes(text->substr(0, length));
  text->remove_prefix(length);
  return fields->zone_minutes.has_value();
}

bool ParseDigits(const DateToken& token, bool number_follows, std::string_view* text,
                 Fields* fields) {
  constexpr size_t kDigitsMax = 9;
  size_t width_max = number_follows ? token.width : kDigitsMax;
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
  const bool negative = width_max > 1 && text->starts_with("-");
  if (negative) {
    text->remove_prefix(1);
    if (number_follows) --width_max;
  }
  int64_t number = 0;
  const size_t before = text->size();
  if (!TakeNumber(text, width_max, &number)) return false;
  const bool year = token.letter == 'y' || token.letter == 'Y';
  if (year) number = FullYear(number, token.width, before - text->size(), fields);
  SetField(token.letter, negative ? -number : number, fields);
  return true;
}

bool ParseToken(const DateToken& token, bool number_follows, std::string_view* text,
                Fields* fields) {
  switch (token.letter) {
    case 0:
      if (!text->starts_with(token.text)) return false;
      text->remove_prefix(token.text.size());
      return true;
    case 'a':
      return TakeEither("AM", "PM", text, &fields->pm) || TakeEither("am", "pm", text, &fields->pm);
    case 'G': return TakeEither("AD", "BC", text, &fields->bc);
    case 'E': {
      const int day = TakeName(kWeekdays, text);
      if (day >= 0) fields->weekday = day;
      return day >= 0;
    }
    case 'X':
    case 'z':
    case 'Z': return TakeZone(text, fields);
    default: break;
  }
  if (token.letter == 'M' && token.width >= 3) {
    const int month = TakeName(kMonths, text);
    fields->civil.month = month + 1;
    return month >= 0;
  }
  return ParseDigits(token, number_follows, text, fields);
}

// The first of January of a week's year, or the day that weeks and weekdays say.
int64_t DayOfFields(const Fields& fields) {
  const CivilTime& c = fields.civil;
  if (fields.day_of_year.has_value())
    return DaysFromCalendar(c.year, 1, 1) + *fields.day_of_year - 1;
  if (fields.week_year.has_value() || fields.week_of_year.has_value()) {
    const int64_t first = DaysFromCalendar(fields.week_year.value_or(c.year), 1, 1);
    const int64_t sunday = first - DayInWeek(first);
    return sunday + (fields.week_of_year.value_or(1) - 1) * 7 +
           (fields.weekday.value_or(6) + 1) % 7;
  }
  const int64_t months = c.month - 1;
  const int64_t years = months >= 0 ? months / 12 : -((11 - months) / 12);
  const int64_t year = (fields.bc ? 1 - c.year : c.year) + years;
  const auto month = static_cast<int32_t>(months - years * 12) + 1;
  return DaysFromCalendar(year, month, 1) + c.day - 1;
}

int64_t MillisOfFields(const Fields& fields) {
  const CivilTime& c = fields.civil;
  const int64_t hour = c.hour + (fields.twelve_hours && fields.pm ? 12 : 0);
  const int64_t minutes = (DayOfFields(fields) * 24 + hour) * 60 + c.minute;
  return ((minutes - fields.zone_minutes.value_or(0)) * 60 + c.second) * 1000 + c.millis;
}

// The same time of the same day, eighty years earlier.
int64_t YearsBefore(int64_t millis) {
  const CivilTime c = CalendarFromMillis(millis);
  const int64_t days = DaysFromCalendar(c.year, c.month, c.day);
  return millis - (days - DaysFromCalendar(c.year - kYearsBack, c.month, c.day)) * kMillisPerDay;
}

}  // namespace

Status CheckDatePattern(std::string_view pattern) {
  for (const DateToken& token : SplitPattern(pattern)) {
    if (token.letter == 0 || kDateLetters.find(token.letter) != std::string_view::npos) continue;
    return MakeUncodedSqlError(
        fmt::format("Illegal pattern character '{}' in '{}'", token.letter, pattern));
  }
  return Status::Ok();
}

std::string FormatDate(int64_t millis, std::string_view pattern) {
  const CivilTime civil = CalendarFromMillis(millis);
  std::string text;
  for (const DateToken& token : SplitPattern(pattern)) text += FormatToken(token, civil);
  return text;
}

std::optional<ParsedDate> ParseDate(std::string_view text, std::string_view pattern,
                                    int64_t now_millis) {
  const std::vector<DateToken> tokens = SplitPattern(pattern);
  Fields fields;
  fields.now_millis = now_millis;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool number_follows = i + 1 < tokens.size() && tokens[i + 1].letter != 0;
    if (!ParseToken(tokens[i], number_follows, &text, &fields)) return std::nullopt;
  }
  ParsedDate date;
  date.millis = MillisOfFields(fields);
  if (fields.either_end && date.millis < YearsBefore(now_millis)) {
    fields.civil.year += 100;
    date.millis = MillisOfFields(fields);
  }
  date.is_utc = fields.zone_minutes.has_value();
  return date;
}

std::optional<int32_t> ZoneOffsetMinutes(std::string_view zone) {
  if (zone == "GMT" || zone == "UTC" || zone == "Z" || zone == "local") return 0;
  if (zone.starts_with("GMT") || zone.starts_with("UTC")) zone.remove_prefix(3);
  if (zone.size() < 2 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const int32_t sign = zone[0] == '-' ? -1 : 1;
  zone.remove_prefix(1);
  int64_t hours = 0;
  int64_t minutes = 0;
  if (!TakeNumber(&zone, 2, &hours)) return std::nullopt;
  if (zone.starts_with(":")) zone.remove_prefix(1);
  if (!zone.empty() && !TakeNumber(&zone, 2, &minutes)) return std::nullopt;
  if (!zone.empty() || hours > 18 || minutes > 59) return std::nullopt;
  return sign * static_cast<int32_t>(hours * 60 + minutes);
}

}  // namespace bennu::sql
