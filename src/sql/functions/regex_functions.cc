// REGEXP_SUBSTR, REGEXP_REPLACE, REGEXP_LIKE in ECMAScript's syntax, which is close to Java's: no
// look-behind, no possessive quantifiers, no inline flags. The library throws on a bad pattern,
// which becomes an error here.
#include <regex>

#include "src/sql/functions/function_tables.h"
#include "src/sql/functions/unicode.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

// The library's matcher calls itself once for each byte of a text, so its stack bounds the length.
constexpr size_t kTextBytesMax = 4096;

struct RegexState : FunctionState {
  std::regex regex;
};

Result<std::shared_ptr<RegexState>> Compile(ByteView pattern, bool ignore_case) {
  try {
    auto state = std::make_shared<RegexState>();
    auto flags = std::regex::ECMAScript | std::regex::optimize;
    if (ignore_case) flags |= std::regex::icase;
    state->regex.assign(pattern.data(), pattern.data() + pattern.size(), flags);
    return state;
  } catch (const std::exception& error) {
    return MakeUncodedSqlError("Bad regular expression '" + std::string(pattern) +
                               "': " + error.what());
  }
}

// Compiles once when the pattern is constant.
Status BindRegex(BoundExpr* expr) {
  const BoundExpr& pattern = *expr->children[1];
  if (!pattern.is_constant() || pattern.constant.is_null()) return Status::Ok();
  const bool has_flags =
      expr->function->name == "REGEXP_LIKE" && !expr->children[2]->is_null_constant();
  const bool ignore_case =
      has_flags && expr->children[2]->constant.bytes().find('i') != std::string::npos;
  ASSIGN_OR_RETURN(expr->state, Compile(pattern.constant.bytes(), ignore_case));
  return Status::Ok();
}

// Calls use(regex, row, &text) for each row; a false result is NULL.
template <typename F>
Status ForEachRegex(const BoundExpr& expr, Arguments args, size_t count, Vector* out, F use) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    std::shared_ptr<const FunctionState> state = expr.state;
    if (state == nullptr) {
      ASSIGN_OR_RETURN(state, Compile(BytesAt(*args[1], i), false));
    }
    if (BytesAt(*args[0], i).size() > kTextBytesMax) {
      return MakeUncodedSqlError("Regular expressions take texts of at most " +
                                 std::to_string(kTextBytesMax) + " bytes");
    }
    try {
      text.clear();
      use(static_cast<const RegexState&>(*state).regex, i, &text);
    } catch (const std::exception& error) {
      return MakeUncodedSqlError(std::string("Regular expression failed: ") + error.what());
    }
  }
  return Status::Ok();
}

Status RegexpLike(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachRegex(expr, args, count, out,
                      [&](const std::regex& regex, size_t row, std::string*) {
                        const ByteView text = BytesAt(*args[0], row);
                        out->Set<uint8_t>(row, std::regex_match(text.begin(), text.end(), regex));
                      });
}

// 1-based, negative from the end.
size_t StartOffset(ByteView text, int64_t start) {
  const auto size = static_cast<int64_t>(Utf8Length(text));
  const int64_t from = start < 0 ? size + start : std::max<int64_t>(start - 1, 0);
  if (from < 0 || from >= size) return text.size();
  return Utf8Advance(text, static_cast<size_t>(from));
}

void SetTextOrNull(size_t row, ByteView text, Vector* out) {
  if (text.empty()) {
    out->SetNull(row);
  } else {
    out->SetBytes(row, text);
  }
}

Status RegexpSubstr(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                    Vector* out) {
  return ForEachRegex(
      expr, args, count, out, [&](const std::regex& regex, size_t row, std::string*) {
        const ByteView text = BytesAt(*args[0], row);
        const ByteView rest = text.substr(StartOffset(text, IntAt(*args[2], row)));
        std::cmatch match;
        const bool found = std::regex_search(rest.data(), rest.data() + rest.size(), match, regex);
        SetTextOrNull(row, found ? ByteView(match[0].first, match[0].length()) : "", out);
      });
}

Status RegexpReplace(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                     Vector* out) {
  return ForEachRegex(
      expr, args, count, out, [&](const std::regex& regex, size_t row, std::string* text) {
        const ByteView source = BytesAt(*args[0], row);
        const std::string with(args[2]->IsNull(row) ? ByteView() : BytesAt(*args[2], row));
        std::regex_replace(std::back_inserter(*text), source.begin(), source.end(), regex, with);
        SetTextOrNull(row, *text, out);
      });
}

}  // namespace

std::vector<FunctionDef> RegexFunctions() {
  const ArgumentSpec text{{kVarchar}};
  const auto regex = [&](std::string_view name, ArgumentSpec last, TypeId type,
                         FunctionEvaluate evaluate) {
    return FunctionDef{.name = name,
                       .arguments = {text, text, std::move(last)},
                       .result = type,
                       .evaluate = evaluate,
                       .bind = BindRegex,
                       .can_fail = true};
  };
  return {
      regex("REGEXP_LIKE", {{kVarchar}, true, true, {}}, kBoolean, RegexpLike),
      regex("REGEXP_SUBSTR", {{kBigint}, true, false, Value::Integer(1)}, kVarchar, RegexpSubstr),
      regex("REGEXP_REPLACE", {{kVarchar}, true, false, {}}, kVarchar, RegexpReplace),
  };
}

}  // namespace bennu::sql
