// LIKE: % any run, _ one character, \ takes the next one literally. Most patterns are a plain text
// with % at one or both ends; those need no matcher.
#include "src/sql/expr/kernels.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/unicode.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

struct LikePattern : FunctionState {
  enum class Shape : uint8_t { kEqual, kPrefix, kSuffix, kContains, kGeneral };
  Shape shape = Shape::kGeneral;
  std::string text;  // what must be found; kGeneral: the pattern
  bool case_insensitive = false;
};

size_t SequenceLength(char c) {
  const auto b = static_cast<uint8_t>(c);
  if (b < 0xc0) return 1;
  if (b < 0xe0) return 2;
  return b < 0xf0 ? 3 : 4;
}

// The text between wildcards at the ends when there are no others; nothing otherwise.
std::optional<std::string> PlainText(std::string_view pattern) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' || pattern[i] == '_') return std::nullopt;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    text += pattern[i];
  }
  return text;
}

}  // namespace

std::optional<std::string> TextOfPattern(std::string_view pattern) { return PlainText(pattern); }

namespace {

// Whether the % at the end is a wildcard: an even number of backslashes stands before it.
bool EndsWithWildcard(std::string_view pattern) {
  if (pattern.empty() || pattern.back() != '%') return false;
  size_t backslashes = 0;
  while (backslashes + 1 < pattern.size() && pattern[pattern.size() - 2 - backslashes] == '\\') {
    ++backslashes;
  }
  return backslashes % 2 == 0;
}

// Greedy with one point of return: the last %. Linear in the text for each % at worst.
bool Match(std::string_view text, std::string_view pattern) {
  size_t t = 0;
  size_t p = 0;
  size_t retry_pattern = std::string_view::npos;
  size_t retry_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '%') {
      retry_pattern = ++p;
      retry_text = t;
      continue;
    }
    if (p < pattern.size() && pattern[p] == '_') {
      t = std::min(t + SequenceLength(text[t]), text.size());
      ++p;
      continue;
    }
    const bool escaped = p + 1 < pattern.size() && pattern[p] == '\\';
    const size_t literal = escaped ? p + 1 : p;
    if (literal < pattern.size() && pattern[literal] == text[t]) {
      ++t;
      p = literal + 1;
      continue;
    }
    if (retry_pattern == std::string_view::npos) return false;
    p = retry_pattern;
    t = ++retry_text;
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

bool MatchesCompiled(std::string_view text, const LikePattern& like) {
  switch (like.shape) {
    case LikePattern::Shape::kEqual: return text == like.text;
    case LikePattern::Shape::kPrefix: return text.starts_with(like.text);
    case LikePattern::Shape::kSuffix: return text.ends_with(like.text);
    case LikePattern::Shape::kContains: return text.find(like.text) != std::string_view::npos;
    case LikePattern::Shape::kGeneral: return Match(text, like.text);
  }
  return false;
}

}  // namespace

std::shared_ptr<const FunctionState> CompileLike(std::string_view pattern, bool case_insensitive) {
  auto like = std::make_shared<LikePattern>();
  like->case_insensitive = case_insensitive;
  const std::string lowered = case_insensitive ? LowerCaseAscii(pattern) : std::string(pattern);
  std::string_view inner = lowered;
  const bool wild_end = EndsWithWildcard(inner);
  if (wild_end) inner.remove_suffix(1);
  const bool wild_start = !inner.empty() && inner.front() == '%';
  if (wild_start) inner.remove_prefix(1);
  std::optional<std::string> plain = PlainText(inner);
  using Shape = LikePattern::Shape;
  if (plain.has_value()) {
    like->shape = wild_start ? (wild_end ? Shape::kContains : Shape::kSuffix)
                             : (wild_end ? Shape::kPrefix : Shape::kEqual);
    like->text = *std::move(plain);
  } else {
    like->text = lowered;
  }
  return like;
}

void LikeKernel(const Vector& text, const FunctionState& compiled, bool negated, size_t count,
                Vector* out) {
  const auto& like = static_cast<const LikePattern&>(compiled);
  MergeNulls(text, count, out);
  const Reader<std::string_view> values(text);
  uint8_t* result = out->data<uint8_t>();
  for (size_t i = 0; i < count; ++i) {
    const bool matches = like.case_insensitive ? MatchesCompiled(LowerCaseAscii(values[i]), like)
                                               : MatchesCompiled(values[i], like);
    result[i] = matches != negated;
  }
}

bool LikeMatches(std::string_view text, std::string_view pattern, bool case_insensitive) {
  if (case_insensitive) return Match(LowerCaseAscii(text), LowerCaseAscii(pattern));
  return Match(text, pattern);
}

std::optional<std::string> LikePlainText(std::string_view pattern) { return PlainText(pattern); }

bool LikeAnyText(std::string_view pattern) {
  return !pattern.empty() && pattern.find_first_not_of('%') == std::string_view::npos;
}

bool CharLikeMatches(std::string_view text, std::string_view pattern) {
  const std::optional<std::string> plain = PlainText(pattern);
  if (!plain.has_value()) return Match(text, pattern);
  return StripCharPadding(text) == StripCharPadding(*plain);
}

}  // namespace bennu::sql
