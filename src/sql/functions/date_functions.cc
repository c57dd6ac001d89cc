#include "src/base/status_macros.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/functions/time_zone.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

int64_t FloorDivide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b < 0 ? q - 1 : q;
}

template <typename F>
void IntegerLoop(Arguments args, size_t count, Vector* out, F compute) {
  for (size_t i = 0; i < count; ++i) {
    if (!out->IsNull(i)) out->Set<int64_t>(i, compute(MillisAt(*args[0], i)));
  }
}

// Joda has no year 0: the year -1 comes before the year 1.
int64_t YearOf(int64_t millis) {
  const int64_t year = CalendarFromMillis(millis).year;
  return year > 0 ? year : year - 1;
}
int64_t MonthOf(int64_t millis) { return CalendarFromMillis(millis).month; }
int64_t DayOfMonthOf(int64_t millis) { return CalendarFromMillis(millis).day; }
int64_t HourOf(int64_t millis) {
  return FloorDivide(millis, 3600000) - 24 * FloorDivide(millis, kMillisPerDay);
}
int64_t MinuteOf(int64_t millis) {
  return FloorDivide(millis, 60000) - 60 * FloorDivide(millis, 3600000);
}
int64_t SecondOf(int64_t millis) {
  return FloorDivide(millis, 1000) - 60 * FloorDivide(millis, 60000);
}

// Monday is 1. 1970-01-01 was a Thursday.
int64_t DayOfWeekOf(int64_t millis) {
  const int64_t days = FloorDivide(millis, kMillisPerDay);
  return ((days + 3) % 7 + 7) % 7 + 1;
}

int64_t DayOfYearOf(int64_t millis) {
  const int64_t first = DaysFromCalendar(CalendarFromMillis(millis).year, 1, 1);
  return FloorDivide(millis, kMillisPerDay) - first + 1;
}

// ISO 8601: the week that holds the year's first Thursday is week 1.
int64_t WeekOf(int64_t millis) {
  const int64_t thursday = millis + (4 - DayOfWeekOf(millis)) * kMillisPerDay;
  return (DayOfYearOf(thursday) - 1) / 7 + 1;
}

template <int64_t (*part)(int64_t)>
Status Part(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  IntegerLoop(args, count, out, part);
  return Status::Ok();
}

Status Now(const BoundExpr&, Arguments, size_t count, EvalContext* context, Vector* out) {
  for (size_t i = 0; i < count; ++i) out->Set<int64_t>(i, context->now_millis());
  return Status::Ok();
}

// What java.util.TimeZone knows, but not Joda, which Phoenix asks here: "GMT+5", "Z".
bool IsJavaZone(ByteView id) {
  const bool shifted = (id.starts_with("GMT") || id.starts_with("UTC")) && id.size() > 3 &&
                       (id[3] == '+' || id[3] == '-') && id.substr(4) != "0";
  return shifted || id == "Z" || id == "local";
}

// Zones that are constant, or come one after another, are looked up once.
class ZoneFinder {
 public:
  Result<const TimeZone*> Find(ByteView id) {
    if (!known_ || id != id_) {
      if (IsJavaZone(id)) return SqlIllegalData("Unknown timezone " + std::string(id));
      ASSIGN_OR_RETURN(zone_, TimeZone::Find(id));
      id_ = id;
      known_ = true;
    }
    return const_cast<const TimeZone*>(&zone_);
  }

 private:
  bool known_ = false;
  Bytes id_;
  TimeZone zone_;
};

Status TimezoneOffset(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ZoneFinder finder;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const TimeZone* const zone, finder.Find(BytesAt(*args[0], i)));
    out->Set<int64_t>(i, zone->OffsetAt(MillisAt(*args[1], i)) / 60000);
  }
  return Status::Ok();
}

// Both offsets are those at the instant that the date stands for in UTC, as in Phoenix.
Status ConvertTimezone(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  ZoneFinder from_finder;
  ZoneFinder to_finder;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const int64_t millis = MillisAt(*args[0], i);
    ASSIGN_OR_RETURN(const TimeZone* const from, from_finder.Find(BytesAt(*args[1], i)));
    ASSIGN_OR_RETURN(const TimeZone* const to, to_finder.Find(BytesAt(*args[2], i)));
    out->Set<int64_t>(i, millis - from->OffsetAt(millis) + to->OffsetAt(millis));
  }
  return Status::Ok();
}

}  // namespace

std::vector<FunctionDef> DateFunctions() {
  const ArgumentSpec date{{kTimestamp}};
  const auto now = [](std::string_view name, TypeId type) {
    return FunctionDef{
        .name = name, .arguments = {}, .result = type, .evaluate = Now, .deterministic = false};
  };
  return {
      {"YEAR", {date}, kInteger, Part<YearOf>},
      {"MONTH", {date}, kInteger, Part<MonthOf>},
      {"DAYOFMONTH", {date}, kInteger, Part<DayOfMonthOf>},
      {"HOUR", {date}, kInteger, Part<HourOf>},
      {"MINUTE", {date}, kInteger, Part<MinuteOf>},
      {"SECOND", {date}, kInteger, Part<SecondOf>},
      {"DAYOFWEEK", {date}, kInteger, Part<DayOfWeekOf>},
      {"DAYOFYEAR", {date}, kInteger, Part<DayOfYearOf>},
      {"WEEK", {date}, kInteger, Part<WeekOf>},
      {.name = "TIMEZONE_OFFSET",
       .arguments = {{{kVarchar}}, {{kDate}}},
       .result = kInteger,
       .evaluate = TimezoneOffset,
       .can_fail = true},
      {.name = "CONVERT_TZ",
       .arguments = {date, {{kVarchar}}, {{kVarchar}}},
       .result = kDate,
       .evaluate = ConvertTimezone,
       .can_fail = true},
      now("NOW", kDate),
      now("CURRENT_DATE", kDate),
      now("CURRENT_TIME", kTime),
  };
}

}  // namespace bennu::sql
