// REGEXP_SUBSTR, REGEXP_REPLACE, REGEXP_LIKE and REGEXP_SPLIT with Java's patterns (see
// regex_matcher.h for where they differ). A match that takes too many steps is an error.
#include <algorithm>

#include "bennu/filter.h"
#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/filter/regex_matcher.h"
#include "src/filter/text.h"
#include "src/sql/expr/unicode.h"
#include "src/sql/expr/value_size.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/array.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;
using filter::CompiledRegex;
using filter::RegexMatcher;

struct RegexState : FunctionState {
  std::shared_ptr<const CompiledRegex> regex;
};

Result<std::shared_ptr<const CompiledRegex>> Compile(ByteView pattern, int32_t flags) {
  Result<std::shared_ptr<const CompiledRegex>> regex =
      CompiledRegex::Compile(Bytes(pattern), &flags);
  if (!regex.ok()) return MakeUncodedSqlError("Bad " + regex.status().message());
  return regex;
}

// The letters of REGEXP_LIKE's third argument; the last of i and c counts.
Result<int32_t> FlagsOf(ByteView letters) {
  int32_t flags = 0;
  for (const char letter : letters) {
    switch (letter) {
      case 'i': flags |= kRegexCaseInsensitive; break;
      case 'c': flags &= ~kRegexCaseInsensitive; break;
      case 'm': flags |= kRegexMultiline; break;
      case 's': flags |= kRegexDotAll; break;
      default:
        return MakeUncodedSqlError(std::string("Invalid match_parameter character '") + letter +
                                   "' in REGEXP_LIKE. Valid values are 'i', 'c', 'm', 's'.");
    }
  }
  return flags;
}

Result<int32_t> FlagsOf(const BoundExpr& expr) {
  const bool has_flags =
      expr.function->name == "REGEXP_LIKE" && !expr.children[2]->is_null_constant();
  if (!has_flags) return 0;
  return FlagsOf(expr.children[2]->constant.bytes());
}

// Compiles once when the pattern is constant.
Status BindRegex(BoundExpr* expr) {
  ASSIGN_OR_RETURN(const int32_t flags, FlagsOf(*expr));
  const BoundExpr& pattern = *expr->children[1];
  if (!pattern.is_constant() || pattern.constant.is_null()) return Status::Ok();
  auto state = std::make_shared<RegexState>();
  ASSIGN_OR_RETURN(state->regex, Compile(pattern.constant.bytes(), flags));
  expr->state = std::move(state);
  return Status::Ok();
}

// Calls use(regex, &matcher, text, row), which returns a Status, for each row. Malformed text is
// read as Java decodes it.
template <typename F>
Status ForEachRegex(const BoundExpr& expr, Arguments args, size_t count, Vector* out, F use) {
  std::optional<RegexMatcher> matcher;
  std::shared_ptr<const CompiledRegex> regex;
  if (expr.state != nullptr) {
    regex = static_cast<const RegexState&>(*expr.state).regex;
    matcher.emplace(regex);
  }
  Bytes decoded;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    if (expr.state == nullptr) {
      ASSIGN_OR_RETURN(const int32_t flags, FlagsOf(expr));
      ASSIGN_OR_RETURN(regex, Compile(BytesAt(*args[1], i), flags));
      matcher.emplace(regex);
    }
    ByteView text = BytesAt(*args[0], i);
    if (!filter::IsUtf8(text)) {
      decoded.clear();
      filter::AppendDecoded(text, filter::Charset::kUtf8, &decoded);
      text = decoded;
    }
    const Status used = use(*regex, &*matcher, text, i);
    if (used.code() == StatusCode::kResourceExhausted) return MakeUncodedSqlError(used.message());
    RETURN_IF_ERROR(used);
  }
  return Status::Ok();
}

Status RegexpLike(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachRegex(
      expr, args, count, out,
      [&](const CompiledRegex&, RegexMatcher* matcher, ByteView text, size_t row) -> Status {
        ASSIGN_OR_RETURN(const bool matches, matcher->Match(text, 0, RegexMatcher::Kind::kWhole));
        out->Set<uint8_t>(row, matches ? 1 : 0);
        return Status::Ok();
      });
}

// 1-based, negative from the end; nothing when it is outside.
std::optional<size_t> StartOffset(ByteView text, int64_t start) {
  const auto size = static_cast<int64_t>(Utf8Length(text));
  const int64_t from = start < 0 ? size + start : std::max<int64_t>(start - 1, 0);
  if (from < 0 || from >= size) return std::nullopt;
  return Utf8Advance(text, static_cast<size_t>(from));
}

Status RegexpSubstr(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                    Vector* out) {
  return ForEachRegex(
      expr, args, count, out,
      [&](const CompiledRegex&, RegexMatcher* matcher, ByteView text, size_t row) -> Status {
        const std::optional<size_t> start = StartOffset(text, IntAt(*args[2], row));
        bool found = false;
        if (start.has_value()) {
          ASSIGN_OR_RETURN(found, matcher->Match(text, *start, RegexMatcher::Kind::kFind));
        }
        SetTextOrNull(row, found ? *matcher->Group(0) : ByteView(), out);
        return Status::Ok();
      });
}

// A replacement as java.util.regex.Matcher reads it: $1, ${name}, \x.
struct Replacement {
  struct Part {
    Bytes text;
    std::optional<size_t> group;
  };
  std::vector<Part> parts;
};

// Takes the reference behind '$' at text[*at]: as many digits as still name a group.
Result<size_t> TakeGroup(const CompiledRegex& regex, ByteView text, size_t* at) {
  if (*at < text.size() && text[*at] == '{') {
    const size_t end = text.find('}', *at);
    const ByteView name = end == ByteView::npos ? ByteView() : text.substr(*at + 1, end - *at - 1);
    const std::optional<size_t> group = regex.GroupNamed(name);
    if (!group.has_value()) {
      return MakeUncodedSqlError("No group with name {" + std::string(name) + "}");
    }
    *at = end + 1;
    return *group;
  }
  if (*at >= text.size() || !IsDigit(text[*at])) {
    return MakeUncodedSqlError("Illegal group reference in '" + std::string(text) + "'");
  }
  auto group = static_cast<size_t>(text[(*at)++] - '0');
  if (group > regex.group_count()) {
    return MakeUncodedSqlError("No group " + std::to_string(group));
  }
  while (*at < text.size() && IsDigit(text[*at])) {
    const size_t longer = group * 10 + static_cast<size_t>(text[*at] - '0');
    if (longer > regex.group_count()) break;
    group = longer;
    ++*at;
  }
  return group;
}

Result<Replacement> ParseReplacement(const CompiledRegex& regex, ByteView text) {
  Replacement replacement;
  Bytes plain;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c == '\\') {
      if (at == text.size()) return MakeUncodedSqlError("character to be escaped is missing");
      plain += text[at++];
    } else if (c == '$') {
      ASSIGN_OR_RETURN(const size_t group, TakeGroup(regex, text, &at));
      replacement.parts.push_back({std::exchange(plain, Bytes()), group});
    } else {
      plain += c;
    }
  }
  replacement.parts.push_back({std::move(plain), std::nullopt});
  return replacement;
}

Status ReplaceAll(const Replacement& replacement, RegexMatcher* matcher, ByteView text,
                  Bytes* out) {
  size_t copied = 0;
  for (size_t at = 0; at <= text.size();) {
    ASSIGN_OR_RETURN(const bool found, matcher->Match(text, at, RegexMatcher::Kind::kFind));
    if (!found) break;
    out->append(text.substr(copied, matcher->begin() - copied));
    for (const Replacement::Part& part : replacement.parts) {
      out->append(part.text);
      if (part.group.has_value()) out->append(matcher->Group(*part.group).value_or(ByteView()));
    }
    copied = matcher->end();
    at = copied;
    // Behind an empty match the next one begins a character later.
    if (matcher->begin() == at) at += at < text.size() ? Utf8SequenceLength(text[at]) : 1;
    RETURN_IF_ERROR(CheckMadeSize("REGEXP_REPLACE", out->size()));
  }
  out->append(text.substr(copied));
  return Status::Ok();
}

Status RegexpReplace(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                     Vector* out) {
  Bytes result;
  return ForEachRegex(
      expr, args, count, out,
      [&](const CompiledRegex& regex, RegexMatcher* matcher, ByteView text, size_t row) -> Status {
        const ByteView with = args[2]->IsNull(row) ? ByteView() : BytesAt(*args[2], row);
        ASSIGN_OR_RETURN(const Replacement replacement, ParseReplacement(regex, with));
        result.clear();
        RETURN_IF_ERROR(ReplaceAll(replacement, matcher, text, &result));
        SetTextOrNull(row, result, out);
        return Status::Ok();
      });
}

// As Guava's Splitter: empty parts stay, and an empty match separates nothing.
Status Split(RegexMatcher* matcher, ByteView text, std::vector<ByteView>* parts) {
  size_t begin = 0;
  for (size_t at = 0; at <= text.size();) {
    ASSIGN_OR_RETURN(const bool found, matcher->Match(text, at, RegexMatcher::Kind::kFind));
    if (!found) break;
    if (matcher->end() == begin) {
      at = begin + (begin < text.size() ? Utf8SequenceLength(text[begin]) : 1);
      continue;
    }
    parts->push_back(text.substr(begin, matcher->begin() - begin));
    begin = matcher->end();
    at = begin;
  }
  parts->push_back(text.substr(begin));
  return Status::Ok();
}

Status RegexpSplit(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  return ForEachRegex(
      expr, args, count, out,
      [&](const CompiledRegex& regex, RegexMatcher* matcher, ByteView text, size_t row) -> Status {
        ASSIGN_OR_RETURN(const bool matches_empty,
                         matcher->Match("", 0, RegexMatcher::Kind::kWhole));
        if (matches_empty) {
          return MakeUncodedSqlError("The pattern may not match the empty string: " +
                                     regex.pattern());
        }
        std::vector<ByteView> parts;
        RETURN_IF_ERROR(Split(matcher, text, &parts));
        Bytes array;
        JoinArray(parts, {kVarcharArray}, &array);
        out->SetBytes(row, array);
        return Status::Ok();
      });
}

}  // namespace

std::vector<FunctionDef> RegexFunctions() {
  const ArgumentSpec text{{kVarchar}};
  const auto regex = [&](std::string_view name, std::vector<ArgumentSpec> arguments, TypeId type,
                         FunctionEvaluate evaluate) {
    arguments.insert(arguments.begin(), 2, text);
    return FunctionDef{.name = name,
                       .arguments = std::move(arguments),
                       .result = type,
                       .evaluate = evaluate,
                       .bind = BindRegex,
                       .can_fail = true};
  };
  return {
      regex("REGEXP_LIKE", {{{kVarchar}, true, true, {}}}, kBoolean, RegexpLike),
      regex("REGEXP_SUBSTR", {{{kBigint}, true, false, Value::Integer(1)}}, kVarchar, RegexpSubstr),
      regex("REGEXP_REPLACE", {{{kVarchar}, true, false, {}}}, kVarchar, RegexpReplace),
      regex("REGEXP_SPLIT", {}, kVarcharArray, RegexpSplit),
  };
}

}  // namespace bennu::sql
