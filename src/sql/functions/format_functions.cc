// TO_CHAR, TO_NUMBER, TO_DATE, TO_TIME, TO_TIMESTAMP.
#include <cmath>

#include <fmt/format.h>

#include "src/base/status_macros.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/functions/time_zone.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

struct FormatState : FunctionState {
  std::string pattern;  // empty: the default
  TimeZone zone;        // UTC
};

bool IsGiven(const BoundExpr& argument) { return !argument.is_null_constant(); }

Status BindToChar(BoundExpr* expr) {
  auto state = std::make_shared<FormatState>();
  if (IsGiven(*expr->children[1])) state->pattern = expr->children[1]->constant.bytes();
  if (IsDateTime(expr->children[0]->type.id)) RETURN_IF_ERROR(CheckDatePattern(state->pattern));
  expr->state = std::move(state);
  return Status::Ok();
}

// What Java's DecimalFormat makes of what is no number, whatever the pattern; empty for others.
std::string_view NoNumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "\u221e" : "-\u221e";
  return {};
}

Status ToChar(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const auto& state = static_cast<const FormatState&>(*expr.state);
  const bool is_date = IsDateTime(args[0]->type().id);
  const bool is_real = args[0]->physical_type() == PhysicalType::kDouble;
  ProduceText(count, out, [&](size_t i, std::string* text) {
    if (is_real) *text = NoNumberText(args[0]->GetValue(args[0]->IndexOf(i)).real());
    if (is_real && !text->empty()) return true;
    if (is_date) {
      const int64_t millis = MillisAt(*args[0], i);
      *text = state.pattern.empty() ? FormatDefaultDate(millis) : FormatDate(millis, state.pattern);
    } else {
      const Decimal number = DecimalAt(*args[0], i);
      *text =
          state.pattern.empty() ? FormatDefaultNumber(number) : FormatNumber(number, state.pattern);
    }
    return true;
  });
  return Status::Ok();
}

Result<std::optional<Decimal>> NumberOf(ByteView text, const std::string& pattern) {
  if (!pattern.empty()) return ParseNumber(text, pattern);
  const std::optional<Decimal> number = Decimal::Parse(text);
  if (!number.has_value()) {
    return SqlIllegalData("'" + std::string(text) + "' is not a number");
  }
  return number;
}

Status ToNumber(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const auto& state = static_cast<const FormatState&>(*expr.state);
  const bool is_date = IsDateTime(args[0]->type().id);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    if (is_date) {
      out->Set<Decimal>(i, Decimal::FromInt64(MillisAt(*args[0], i)));
      continue;
    }
    ASSIGN_OR_RETURN(const std::optional<Decimal> number,
                     NumberOf(BytesAt(*args[0], i), state.pattern));
    if (number.has_value()) {
      out->Set<Decimal>(i, number->StripTrailingZeros());
    } else {
      out->SetNull(i);
    }
  }
  return Status::Ok();
}

Status BindToDate(BoundExpr* expr) {
  auto state = std::make_shared<FormatState>();
  if (IsGiven(*expr->children[1])) state->pattern = expr->children[1]->constant.bytes();
  RETURN_IF_ERROR(CheckDatePattern(state->pattern));
  if (IsGiven(*expr->children[2])) {
    // As Java's TimeZone has it: what it does not know is GMT.
    Result<TimeZone> zone = TimeZone::FindAsJava(expr->children[2]->constant.bytes());
    if (zone.ok()) state->zone = std::move(zone).value();
  }
  expr->state = std::move(state);
  return Status::Ok();
}

Result<int64_t> DateOf(ByteView text, const FormatState& state, int64_t now_millis) {
  if (state.pattern.empty()) {
    const Result<Timestamp> time = ParseDateTime(text);
    if (!time.ok()) return MakeUncodedSqlError(time.status().message());
    return state.zone.UtcOf(time->millis);
  }
  const std::optional<ParsedDate> date = ParseDate(text, state.pattern, now_millis);
  if (date.has_value()) return date->is_utc ? date->millis : state.zone.UtcOf(date->millis);
  return SqlIllegalData(fmt::format("Unable to parse date/time '{}' using format string of '{}'.",
                                    text, state.pattern));
}

Status ToDate(const BoundExpr& expr, Arguments args, size_t count, EvalContext* context,
              Vector* out) {
  const auto& state = static_cast<const FormatState&>(*expr.state);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const int64_t millis,
                     DateOf(BytesAt(*args[0], i), state, context->now_millis()));
    if (out->physical_type() == PhysicalType::kTimestamp) {
      out->Set<Timestamp>(i, {millis, 0});
    } else {
      out->Set<int64_t>(i, millis);
    }
  }
  return Status::Ok();
}

// Formats are not shown.
FunctionText TextWithoutFormat(const BoundExpr& expr) { return {expr.function->name, 1}; }

}  // namespace

std::vector<FunctionDef> FormatFunctions() {
  const ArgumentSpec option{{kVarchar}, true, true, {}};
  const auto to_date = [&](std::string_view name, TypeId type) {
    return FunctionDef{.name = name,
                       .arguments = {{{kVarchar}}, option, option},
                       .result = type,
                       .evaluate = ToDate,
                       .bind = BindToDate,
                       .can_fail = true};
  };
  return {
      {.name = "TO_CHAR",
       .arguments = {{{kTimestamp, kDecimal}}, option},
       .result = kVarchar,
       .evaluate = ToChar,
       .bind = BindToChar,
       .text = TextWithoutFormat},
      {.name = "TO_NUMBER",
       .arguments = {{{kVarchar, kTimestamp}}, option},
       .result = kDecimal,
       .evaluate = ToNumber,
       .bind = BindToChar,
       .can_fail = true,
       .text = TextWithoutFormat},
      to_date("TO_DATE", kDate),
      to_date("TO_TIME", kTime),
      to_date("TO_TIMESTAMP", kTimestamp),
  };
}

}  // namespace bennu::sql
