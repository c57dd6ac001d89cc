// ROUND, FLOOR, CEIL and TRUNC, of numbers to a scale and of dates to a unit. TRUNC is FLOOR.
#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/functions/moment_rounding.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

using Mode = MomentRounding::Mode;
enum class Unit : uint8_t { kMillisecond, kSecond, kMinute, kHour, kDay, kWeek, kMonth, kYear };
constexpr int kFirstCalendarUnit = static_cast<int>(Unit::kWeek);

constexpr std::pair<std::string_view, Unit> kUnits[] = {
    {"DAY", Unit::kDay},
    {"HOUR", Unit::kHour},
    {"MINUTE", Unit::kMinute},
    {"SECOND", Unit::kSecond},
    {"MILLISECOND", Unit::kMillisecond},
    {"WEEK", Unit::kWeek},
    {"MONTH", Unit::kMonth},
    {"YEAR", Unit::kYear},
};

struct RoundState : FunctionState {
  bool is_date = false;
  Unit unit = Unit::kDay;
  int64_t divisor = 1;  // milliseconds of units of one length, times the multiplier
  int32_t scale = 0;
};

int64_t UnitMillis(Unit unit) {
  switch (unit) {
    case Unit::kSecond: return 1000;
    case Unit::kMinute: return 60000;
    case Unit::kHour: return 3600000;
    case Unit::kDay: return kMillisPerDay;
    default: return 1;
  }
}

Result<Unit> ParseUnit(const BoundExpr& argument) {
  if (argument.is_null_constant() || !IsString(argument.type.id)) {
    return MakeUncodedSqlError(
        "No time unit value specified; one of DAY, HOUR, MINUTE, SECOND, "
        "MILLISECOND, WEEK, MONTH, YEAR is needed");
  }
  std::string name = argument.constant.bytes();
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c;
  for (const auto& [text, unit] : kUnits) {
    if (text == name) return unit;
  }
  return MakeUncodedSqlError("Invalid value of time unit " + name +
                             "; it is one of DAY, HOUR, MINUTE, SECOND, MILLISECOND, WEEK, MONTH, "
                             "YEAR");
}

Status BindDate(BoundExpr* expr, RoundState* state) {
  state->is_date = true;
  ASSIGN_OR_RETURN(state->unit, ParseUnit(*expr->children[1]));
  const BoundExpr& multiplier = *expr->children[2];
  const int64_t times = multiplier.is_null_constant() ? 1 : multiplier.constant.int64();
  if (times == 0) return MakeUncodedSqlError("The multiplier of a time unit is zero");
  state->divisor = UnitMillis(state->unit) * times;
  const TypeId type = expr->children[0]->type.id;
  const std::string_view name = expr->function->name;
  const bool nanos =
      state->unit == Unit::kMillisecond && times == 1 && (name == "ROUND" || name == "CEIL");
  const bool to_date = IsTimestamp(type) && !nanos;
  const TypeId date = IsUnsigned(type) ? kUnsignedDate : kDate;
  expr->type = {to_date ? date : type};
  expr->can_fail |= IsUnsigned(type);
  return Status::Ok();
}

Status BindRound(BoundExpr* expr) {
  auto state = std::make_shared<RoundState>();
  const TypeId type = expr->children[0]->type.id;
  if (IsDateTime(type) || type == kNull) {
    RETURN_IF_ERROR(BindDate(expr, state.get()));
  } else {
    expr->type = IsIntegral(type) ? DataType{type} : DataType{kDecimal};
    const BoundExpr& scale = *expr->children[1];
    if (IsString(scale.type.id)) {
      return MakeSqlError(203, "a number is rounded to a scale, not to " + ToText(scale));
    }
    if (!scale.is_null_constant()) state->scale = static_cast<int32_t>(scale.constant.int64());
    if (state->scale > kMaxDecimalDigits && !IsIntegral(type)) {
      return SqlIllegalData(
          fmt::format("Invalid second argument for scale: {}. The scale must be between 0 and {} "
                      "inclusive.",
                      state->scale, kMaxDecimalDigits));
    }
  }
  expr->state = std::move(state);
  return Status::Ok();
}

// There is nothing to round.
bool IsWholeNumber(const BoundExpr& expr) { return IsIntegral(expr.children[0]->type.id); }

// The first moment of the week, month or year that holds 'millis', 'ahead' units later.
int64_t CalendarStart(int64_t millis, Unit unit, int ahead) {
  const CivilTime civil = CalendarFromMillis(millis);
  if (unit == Unit::kWeek) {
    const int64_t days = DaysFromCalendar(civil.year, civil.month, civil.day);
    const int64_t monday = days - ((days + 3) % 7 + 7) % 7;
    return (monday + 7 * ahead) * kMillisPerDay;
  }
  if (unit == Unit::kYear) return DaysFromCalendar(civil.year + ahead, 1, 1) * kMillisPerDay;
  const int64_t month = civil.month - 1 + ahead;
  return DaysFromCalendar(civil.year + month / 12, static_cast<int32_t>(month % 12) + 1, 1) *
         kMillisPerDay;
}

// The number of a week that begins on the Monday 'millis': the first one holds January 4th.
int64_t WeekOfYear(int64_t millis) {
  constexpr int64_t kDaysToThursday = 3;
  const CivilTime thursday = CalendarFromMillis(millis + kDaysToThursday * kMillisPerDay);
  const int64_t new_year = DaysFromCalendar(thursday.year, 1, 1);
  const int64_t day = DaysFromCalendar(thursday.year, thursday.month, thursday.day) - new_year;
  return day / 7 + 1;
}

int64_t RoundCalendar(Mode mode, Unit unit, int64_t millis) {
  const int64_t floor = CalendarStart(millis, unit, 0);
  if (mode == Mode::kFloor || floor == millis) return floor;
  const int64_t ceiling = CalendarStart(millis, unit, 1);
  if (mode == Mode::kCeil) return ceiling;
  const int64_t below = millis - floor;
  const int64_t above = ceiling - millis;
  if (below != above) return below < above ? floor : ceiling;
  // Exactly between: the even year, month or week of its year.
  const CivilTime next = CalendarFromMillis(ceiling);
  const int64_t field = unit == Unit::kYear    ? next.year
                        : unit == Unit::kMonth ? next.month
                                               : WeekOfYear(ceiling);
  return field % 2 == 0 ? ceiling : floor;
}

// The division truncates, as in the original: before 1970 FLOOR goes up.
int64_t RoundDate(Mode mode, const RoundState& state, int64_t millis) {
  if (state.unit == Unit::kWeek || state.unit == Unit::kMonth || state.unit == Unit::kYear) {
    return RoundCalendar(mode, state.unit, millis);
  }
  int64_t shift = 0;
  if (mode == Mode::kRound) shift = state.divisor / 2;
  if (mode == Mode::kCeil) shift = state.divisor - 1;
  return (millis + shift) / state.divisor * state.divisor;
}

Timestamp RoundToMillis(Mode mode, Timestamp value) {
  constexpr int32_t kHalf = 500000;
  const bool up =
      mode == Mode::kCeil ? value.nanos > 0 : mode == Mode::kRound && value.nanos >= kHalf;
  return {value.millis + (up ? 1 : 0), 0};
}

constexpr Rounding kNumberRounding[] = {Rounding::kHalfUp, Rounding::kFloor, Rounding::kCeiling};

Decimal RoundNumber(Mode mode, const Decimal& value, int32_t scale) {
  if (value.scale() <= scale) return value.StripTrailingZeros();
  const Rounding rounding = kNumberRounding[static_cast<size_t>(mode)];
  return value.SetScale(scale, rounding).value_or(value).StripTrailingZeros();
}

template <Mode mode>
Status Round(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const auto& state = static_cast<const RoundState&>(*expr.state);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    switch (out->physical_type()) {
      case PhysicalType::kDecimal:
        out->Set<Decimal>(i, RoundNumber(mode, DecimalAt(*args[0], i), state.scale));
        break;
      case PhysicalType::kTimestamp:
        out->Set<Timestamp>(i, RoundToMillis(mode, args[0]->At<Timestamp>(i)));
        break;
      default: {
        const int64_t value = MillisAt(*args[0], i);
        const int64_t rounded = state.is_date ? RoundDate(mode, state, value) : value;
        // The week of an unsigned moment may begin before 1970.
        if (rounded < 0 && IsUnsigned(expr.type.id)) return MakeSqlError(201, "", expr.position);
        out->Set<int64_t>(i, rounded);
      }
    }
  }
  return Status::Ok();
}

}  // namespace

std::optional<MomentRounding> MomentRoundingOf(const BoundExpr& expr) {
  if (expr.kind != BoundKind::kFunction || expr.function->bind != BindRound) return std::nullopt;
  const auto& state = static_cast<const RoundState&>(*expr.state);
  if (!state.is_date) return std::nullopt;
  MomentRounding rounding;
  const std::string_view name = expr.function->name;
  rounding.mode = name == "ROUND" ? Mode::kRound : name == "CEIL" ? Mode::kCeil : Mode::kFloor;
  constexpr int64_t kLongestDays[] = {7, 31, 366};  // week, month, year
  rounding.fixed_length = state.unit < Unit::kWeek;
  rounding.calendar_unit = static_cast<int>(state.unit) - kFirstCalendarUnit;
  rounding.unit_millis =
      rounding.fixed_length
          ? state.divisor
          : kMillisPerDay *
                kLongestDays[static_cast<size_t>(state.unit) - static_cast<size_t>(Unit::kWeek)];
  return rounding;
}

std::optional<MomentSpan> RoundedCalendarSpan(const MomentRounding& rounding, int64_t at) {
  const auto unit = static_cast<Unit>(rounding.calendar_unit + kFirstCalendarUnit);
  if (CalendarStart(at, unit, 0) != at) return std::nullopt;
  const int64_t before = CalendarStart(at - 1, unit, 0);
  const int64_t after = CalendarStart(at, unit, 1);
  if (rounding.mode == Mode::kFloor) return MomentSpan{at, after - 1};
  if (rounding.mode == Mode::kCeil) return MomentSpan{before + 1, at};
  MomentSpan span{before + (at - before) / 2, at + (after - at) / 2};
  if (RoundCalendar(rounding.mode, unit, span.first) != at) ++span.first;
  if (RoundCalendar(rounding.mode, unit, span.last) != at) --span.last;
  return span;
}

namespace {

// TRUNC is shown as FLOOR. A moment is shown without its unit; with calendar units ROUND, FLOOR and
// CEIL are one class to Phoenix.
FunctionText RoundText(const BoundExpr& expr) {
  FunctionText text{expr.function->name, expr.children.size()};
  if (text.name == "TRUNC") text.name = "FLOOR";
  const std::optional<MomentRounding> rounding = MomentRoundingOf(expr);
  if (!rounding.has_value()) return text;
  if (!rounding->fixed_length) text.name = "ROUND";
  text.argument_count = 1;
  text.shows_result_type = expr.type.id != expr.children[0]->type.id;
  return text;
}

}  // namespace

std::vector<FunctionDef> RoundFunctions() {
  const auto round = [](std::string_view name, FunctionEvaluate evaluate) {
    return FunctionDef{.name = name,
                       .arguments = {{{kTimestamp, kDecimal}},
                                     {{kVarchar, kInteger}, true, true, {}},
                                     {{kInteger}, true, true, Value::Integer(1)}},
                       .result = kNull,
                       .evaluate = evaluate,
                       .bind = BindRound,
                       .is_identity = IsWholeNumber,
                       .text = RoundText};
  };
  return {round("ROUND", Round<Mode::kRound>), round("FLOOR", Round<Mode::kFloor>),
          round("CEIL", Round<Mode::kCeil>), round("TRUNC", Round<Mode::kFloor>)};
}

}  // namespace bennu::sql
