// RegexStringComparator, over PCRE2: the library whose patterns mean nearly what Java's mean.
//
// The text is what Java would make of the bytes: decoded by the charset, malformed bytes as U+FFFD.
// A match that takes too many steps is an error, not a hang.
//
// The other engine, JONI, is not HBase's default, and at fault there: it looks at the block that a
// value lies in, from the value's first byte backwards. A pattern is found only where the value
// begins, and the value's end is not one to it. Recorded answers show it, so it is the same here,
// but for what chance has put before the value.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/filter/java_regex.h"
#include "src/filter/messages.h"
#include "src/filter/text.h"

namespace bennu {
namespace filter {
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

// *all_flags takes up what the pattern sets itself.
Result<std::shared_ptr<pcre2_code>> Compile(const Bytes& pattern, int32_t* all_flags) {
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
  std::shared_ptr<pcre2_code> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translated.data()), translated.size(),
                    PcreOptions(flags), &error, &offset, context.get()),
      Deleter());
  if (code == nullptr) {
    return InvalidArgument("regular expression '" + pattern + "': " + ErrorText(error));
  }
  // Without it matches are only slower.
  static_cast<void>(pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE));
  return code;
}

class RegexComparator final : public ByteComparator {
 public:
  RegexComparator(Bytes pattern, RegexOptions options, Charset charset,
                  std::shared_ptr<pcre2_code> code)
      : pattern_(std::move(pattern)),
        options_(std::move(options)),
        charset_(charset),
        code_(std::move(code)),
        match_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)) {
    pcre2_set_match_limit(context_.get(), kMatchLimit);
    pcre2_set_heap_limit(context_.get(), kHeapLimitKiB);
  }

  int Compare(ByteView bytes, Status* error) override {
    ByteView text = bytes;
    if (charset_ != Charset::kUtf8 || !IsUtf8(bytes)) {
      decoded_.clear();
      AppendDecoded(bytes, charset_, &decoded_);
      text = decoded_;
    }
    uint32_t match_options = PCRE2_NO_UTF_CHECK;
    if (options_.joni) {
      within_block_ = text;
      within_block_ += '\0';
      text = within_block_;
      match_options |= PCRE2_ANCHORED | PCRE2_NOTBOL;
    }
    const char* const begin = text.empty() ? "" : text.data();
    const int result = pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(begin), text.size(), 0,
                                   match_options, match_.get(), context_.get());
    if (result >= 0) return 0;
    if (result == PCRE2_ERROR_NOMATCH) return 1;
    *error = ResourceExhausted("regular expression '" + pattern_ + "' on a value of " +
                               std::to_string(bytes.size()) + " bytes: " + ErrorText(result));
    return 1;
  }
  ComparatorPtr Clone() const override {
    return std::make_unique<RegexComparator>(pattern_, options_, charset_, code_);
  }
  Bytes class_name() const override { return ClassName("RegexStringComparator"); }
  Bytes Encode() const override {
    pb::RegexStringComparator message;
    message.set_pattern(pattern_);
    message.set_pattern_flags(options_.flags);
    message.set_charset(options_.charset);
    message.set_engine(options_.joni ? "JONI" : "JAVA");
    return Serialize(message);
  }

 private:
  const Bytes pattern_;
  const RegexOptions options_;
  const Charset charset_;
  const std::shared_ptr<pcre2_code> code_;  // never changes: shared by the clones
  const std::unique_ptr<pcre2_match_data, Deleter> match_;
  const std::unique_ptr<pcre2_match_context, Deleter> context_;
  Bytes decoded_;
  Bytes within_block_;
};

Result<Charset> CharsetOf(ByteView name) {
  Bytes upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 0x20) : c; });
  if (upper == "UTF-8" || upper == "UTF8") return Charset::kUtf8;
  if (upper == "ISO-8859-1" || upper == "ISO8859_1" || upper == "LATIN1") return Charset::kLatin1;
  if (upper == "US-ASCII" || upper == "ASCII") return Charset::kAscii;
  return InvalidArgument("charset '" + Bytes(name) +
                         "' of a regular expression is not known; there are UTF-8, ISO-8859-1 and "
                         "US-ASCII");
}

}  // namespace
}  // namespace filter

Result<ComparatorPtr> NewRegexComparator(Bytes pattern, const RegexOptions& options) {
  ASSIGN_OR_RETURN(const filter::Charset charset, filter::CharsetOf(options.charset));
  RegexOptions normal = options;
  // What the other engine knows of flags.
  if (options.joni) normal.flags &= kRegexCaseInsensitive | kRegexMultiline | kRegexDotAll;
  int32_t flags = normal.flags;
  ASSIGN_OR_RETURN(auto code, filter::Compile(pattern, &flags));
  if (!options.joni) normal.flags = flags;
  return ComparatorPtr(std::make_unique<filter::RegexComparator>(
      std::move(pattern), std::move(normal), charset, std::move(code)));
}

}  // namespace bennu
