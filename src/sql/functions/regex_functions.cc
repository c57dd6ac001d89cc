// REGEXP_SUBSTR, REGEXP_REPLACE, REGEXP_LIKE with Perl's syntax, which is close to Java's.
// The library throws, on a bad pattern and on one that would take forever; both become errors here.
#include <boost/regex.hpp>

#include "src/sql/functions/function_tables.h"
#include "src/sql/functions/unicode.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

struct RegexState : FunctionState {
  boost::regex regex;
};

Result<std::shared_ptr<RegexState>> Compile(ByteView pattern, bool ignore_case) {
  try {
    auto state = std::make_shared<RegexState>();
    boost::regex::flag_type flags = boost::regex::perl;
    if (ignore_case) flags = flags | boost::regex::icase;
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
                      [&](const boost::regex& regex, size_t row, std::string*) {
                        const ByteView text = BytesAt(*args[0], row);
                        out->Set<uint8_t>(row, boost::regex_match(text.begin(), text.end(), regex));
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
      expr, args, count, out, [&](const boost::regex& regex, size_t row, std::string*) {
        const ByteView text = BytesAt(*args[0], row);
        const ByteView rest = text.substr(StartOffset(text, IntAt(*args[2], row)));
        boost::cmatch match;
        const bool found =
            boost::regex_search(rest.data(), rest.data() + rest.size(), match, regex);
        SetTextOrNull(row, found ? ByteView(match[0].first, match[0].length()) : "", out);
      });
}

Status RegexpReplace(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                     Vector* out) {
  return ForEachRegex(
      expr, args, count, out, [&](const boost::regex& regex, size_t row, std::string* text) {
        const ByteView source = BytesAt(*args[0], row);
        const std::string with(args[2]->IsNull(row) ? ByteView() : BytesAt(*args[2], row));
        boost::regex_replace(std::back_inserter(*text), source.begin(), source.end(), regex, with);
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
