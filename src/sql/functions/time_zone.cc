#include "src/sql/functions/time_zone.h"

#include <date/tz.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// The files list transitions up to this year; later years are as an earlier one with the same
// calendar, since the rules that are known now go on.
constexpr int64_t kLastListedYear = 2036;
constexpr int64_t kCalendarsRepeatYears = 28;
constexpr int64_t kDayMillis = 86'400'000;

// java.time.ZoneId.SHORT_IDS, but for those that the zone database has too.
constexpr std::pair<std::string_view, std::string_view> kOldIds[] = {
    {"ACT", "Australia/Darwin"},
    {"AET", "Australia/Sydney"},
    {"AGT", "America/Argentina/Buenos_Aires"},
    {"ART", "Africa/Cairo"},
    {"AST", "America/Anchorage"},
    {"BET", "America/Sao_Paulo"},
    {"BST", "Asia/Dhaka"},
    {"CAT", "Africa/Harare"},
    {"CNT", "America/St_Johns"},
    {"CST", "America/Chicago"},
    {"CTT", "Asia/Shanghai"},
    {"EAT", "Africa/Addis_Ababa"},
    {"ECT", "Europe/Paris"},
    {"IET", "America/Indiana/Indianapolis"},
    {"IST", "Asia/Kolkata"},
    {"JST", "Asia/Tokyo"},
    {"MIT", "Pacific/Apia"},
    {"NET", "Asia/Yerevan"},
    {"NST", "Pacific/Auckland"},
    {"PLT", "Asia/Karachi"},
    {"PNT", "America/Phoenix"},
    {"PRT", "America/Puerto_Rico"},
    {"PST", "America/Los_Angeles"},
    {"SST", "Pacific/Guadalcanal"},
    {"VST", "Asia/Ho_Chi_Minh"},
};

bool IsLeap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t FirstDay(int64_t year) { return DaysFromCivil(year, 1, 1); }

// A moment of a listed year at which clocks are set as at 'millis'.
int64_t Listed(int64_t millis) {
  const int64_t year = CivilFromMillis(millis).year;
  if (year <= kLastListedYear) return millis;
  for (int64_t like = kLastListedYear; like > kLastListedYear - kCalendarsRepeatYears; --like) {
    const bool same_calendar =
        IsLeap(like) == IsLeap(year) && (FirstDay(year) - FirstDay(like)) % 7 == 0;
    if (same_calendar) return millis - (FirstDay(year) - FirstDay(like)) * kDayMillis;
  }
  return millis;
}

std::chrono::milliseconds Clamped(int64_t millis) {
  // The library counts in years of 16 bits.
  constexpr int64_t kLimit = 30'000 * 365 * kDayMillis;
  return std::chrono::milliseconds(std::clamp(millis, -kLimit, kLimit));
}

int64_t Millis(std::chrono::seconds seconds) { return int64_t{seconds.count()} * 1000; }

}  // namespace

Result<TimeZone> TimeZone::Find(ByteView id) {
  TimeZone zone;
  if (const std::optional<int32_t> minutes = ZoneOffsetMinutes(id); minutes.has_value()) {
    zone.fixed_millis_ = *minutes * int64_t{60'000};
    return zone;
  }
  try {
    zone.zone_ = date::locate_zone(std::string(id));
    static_cast<void>(zone.OffsetAt(0));  // reads the zone's file
    return zone;
  } catch (const std::exception&) {
    return SqlIllegalData("Unknown timezone " + std::string(id));
  }
}

Result<TimeZone> TimeZone::FindAsJava(ByteView id) {
  if (id.starts_with("+") || id.starts_with("-") || id.starts_with("UTC+") ||
      id.starts_with("UTC-")) {
    return SqlIllegalData("Unknown timezone " + std::string(id));
  }
  for (const auto& [old_id, zone] : kOldIds) {
    if (id == old_id) return Find(zone);
  }
  return Find(id);
}

int64_t TimeZone::OffsetAt(int64_t utc_millis) const {
  if (zone_ == nullptr) return fixed_millis_;
  return Millis(
      zone_->get_info(date::sys_time<std::chrono::milliseconds>(Clamped(Listed(utc_millis))))
          .offset);
}

int64_t TimeZone::UtcOf(int64_t local_millis) const {
  if (zone_ == nullptr) return local_millis - fixed_millis_;
  const date::local_info info =
      zone_->get_info(date::local_time<std::chrono::milliseconds>(Clamped(Listed(local_millis))));
  return local_millis - Millis(info.first.offset);
}

}  // namespace bennu::sql
