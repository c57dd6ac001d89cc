#include "src/filter/regex_matcher.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string>
#include <utility>

#include "bennu/filter.h"
#include "src/base/status_macros.h"
#include "src/filter/java_regex.h"

namespace bennu::filter {

namespace {

constexpr int32_t kUnixLines = 0x01;
constexpr int32_t kComments = 0x04;
constexpr int32_t kLiteral = 0x10;
constexpr int32_t kUnicodeCharacterClass = 0x100;

// Steps of one match, and the memory for going back, before it is given up.
constexpr uint32_t kMatchLimit = 5'000'000;
constexpr uint32_t kHeapLimitKiB = 64 * 1024;

struct Deleter {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
  void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

std::string ErrorText(int code) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

uint32_t PcreOptions(int32_t flags) {
  uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C;
  if ((flags & kRegexCaseInsensitive) != 0) options |= PCRE2_CASELESS;
  if ((flags & kRegexMultiline) != 0) options |= PCRE2_MULTILINE;
  if ((flags & kRegexDotAll) != 0) options |= PCRE2_DOTALL;
  if ((flags & kComments) != 0) options |= PCRE2_EXTENDED;
  if ((flags & kUnicodeCharacterClass) != 0) options |= PCRE2_UCP;
  if ((flags & kLiteral) != 0) {
    options = (options & ~(PCRE2_MULTILINE | PCRE2_DOTALL | PCRE2_EXTENDED | PCRE2_UCP |
                           PCRE2_NEVER_BACKSLASH_C)) |
              PCRE2_LITERAL;
  }
  return options;
}

}  // namespace

struct CompiledRegex::Impl {
  Bytes pattern;
  std::unique_ptr<pcre2_code, Deleter> code;
  size_t group_count = 0;
};

CompiledRegex::CompiledRegex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CompiledRegex::~CompiledRegex() = default;

Result<std::shared_ptr<const CompiledRegex>> CompiledRegex::Compile(const Bytes& pattern,
                                                                    int32_t* all_flags) {
  const int32_t flags = *all_flags;
  Bytes translated = pattern;
  if ((flags & kLiteral) == 0) {
    ASSIGN_OR_RETURN(translated, PcrePattern(pattern, all_flags));
  }
  const std::unique_ptr<pcre2_compile_context, Deleter> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(),
                    (flags & kUnixLines) != 0 ? PCRE2_NEWLINE_LF : PCRE2_NEWLINE_ANYCRLF);
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto impl = std::make_unique<Impl>();
  impl->pattern = pattern;
  impl->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                                 PcreOptions(flags), &error, &offset, context.get()));
  if (impl->code == nullptr) {
    return InvalidArgument("regular expression '" + pattern + "': " + ErrorText(error));
  }
  uint32_t groups = 0;
  pcre2_pattern_info(impl->code.get(), PCRE2_INFO_CAPTURECOUNT, &groups);
  impl->group_count = groups;
  // Without it matches are only slower.
  static_cast<void>(pcre2_jit_compile(impl->code.get(), PCRE2_JIT_COMPLETE));
  return std::shared_ptr<const CompiledRegex>(new CompiledRegex(std::move(impl)));
}

const Bytes& CompiledRegex::pattern() const { return impl_->pattern; }
size_t CompiledRegex::group_count() const { return impl_->group_count; }

std::optional<size_t> CompiledRegex::GroupNamed(ByteView name) const {
  const Bytes terminated(name);
  const int number = pcre2_substring_number_from_name(
      impl_->code.get(), reinterpret_cast<PCRE2_SPTR>(terminated.c_str()));
  if (number <= 0) return std::nullopt;
  return static_cast<size_t>(number);
}

struct RegexMatcher::Impl {
  std::shared_ptr<const CompiledRegex> regex;
  std::unique_ptr<pcre2_match_data, Deleter> match;
  std::unique_ptr<pcre2_match_context, Deleter> context;
  ByteView text;
};

RegexMatcher::RegexMatcher(std::shared_ptr<const CompiledRegex> regex)
    : impl_(std::make_unique<Impl>()) {
  impl_->match.reset(pcre2_match_data_create_from_pattern(regex->impl_->code.get(), nullptr));
  impl_->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(impl_->context.get(), kMatchLimit);
  pcre2_set_heap_limit(impl_->context.get(), kHeapLimitKiB);
  impl_->regex = std::move(regex);
}
RegexMatcher::~RegexMatcher() = default;
RegexMatcher::RegexMatcher(RegexMatcher&&) noexcept = default;

Result<bool> RegexMatcher::Match(ByteView text, size_t start, Kind kind) {
  uint32_t options = PCRE2_NO_UTF_CHECK;
  if (kind == Kind::kWhole) options |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
  if (kind == Kind::kInsideBlock) options |= PCRE2_ANCHORED | PCRE2_NOTBOL;
  impl_->text = text;
  const auto* const bytes = reinterpret_cast<PCRE2_SPTR>(text.empty() ? "" : text.data());
  const pcre2_code* const code = impl_->regex->impl_->code.get();
  int result = pcre2_match(code, bytes, text.size(), start, options, impl_->match.get(),
                           impl_->context.get());
  // The compiled form keeps its way back on a small stack; the other has a heap.
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
    result = pcre2_match(code, bytes, text.size(), start, options | PCRE2_NO_JIT,
                         impl_->match.get(), impl_->context.get());
  }
  if (result >= 0) return true;
  if (result == PCRE2_ERROR_NOMATCH) return false;
  return ResourceExhausted("regular expression '" + impl_->regex->pattern() + "' on a value of " +
                           std::to_string(text.size()) + " bytes: " + ErrorText(result));
}

std::optional<ByteView> RegexMatcher::Group(size_t group) const {
  const PCRE2_SIZE* const offsets = pcre2_get_ovector_pointer(impl_->match.get());
  if (group > impl_->regex->group_count() || offsets[2 * group] == PCRE2_UNSET) {
    return std::nullopt;
  }
  return impl_->text.substr(offsets[2 * group], offsets[2 * group + 1] - offsets[2 * group]);
}

size_t RegexMatcher::begin() const { return pcre2_get_ovector_pointer(impl_->match.get())[0]; }
size_t RegexMatcher::end() const { return pcre2_get_ovector_pointer(impl_->match.get())[1]; }

}  // namespace bennu::filter
