// RegexStringComparator, over PCRE2: the library whose patterns mean nearly what Java's mean.
//
// The text is what Java would make of the bytes: decoded by the charset, malformed bytes as U+FFFD.
// A match that takes too many steps is an error, not a hang.
//
// The other engine, JONI, is not HBase's default, and at fault there: it looks at the block that a
// value lies in, from the value's first byte backwards. A pattern is found only where the value
// begins, and the value's end is not one to it. Recorded answers show it, so it is the same here,
// but for what chance has put before the value.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/filter/messages.h"
#include "src/filter/regex_matcher.h"
#include "src/filter/text.h"

namespace bennu {
namespace filter {
namespace {

class RegexComparator final : public ByteComparator {
 public:
  RegexComparator(Bytes pattern, RegexOptions options, Charset charset,
                  std::shared_ptr<const CompiledRegex> regex)
      : pattern_(std::move(pattern)),
        options_(std::move(options)),
        charset_(charset),
        regex_(std::move(regex)),
        matcher_(regex_) {}

  int Compare(ByteView bytes, Status* error) override {
    ByteView text = bytes;
    if (charset_ != Charset::kUtf8 || !IsUtf8(bytes)) {
      decoded_.clear();
      AppendDecoded(bytes, charset_, &decoded_);
      text = decoded_;
    }
    auto kind = RegexMatcher::Kind::kFind;
    if (options_.joni) {
      within_block_ = text;
      within_block_ += '\0';
      text = within_block_;
      kind = RegexMatcher::Kind::kInsideBlock;
    }
    const Result<bool> found = matcher_.Match(text, 0, kind);
    if (!found.ok()) *error = found.status();
    return found.ok() && *found ? 0 : 1;
  }
  ComparatorPtr Clone() const override {
    return std::make_unique<RegexComparator>(pattern_, options_, charset_, regex_);
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
  const std::shared_ptr<const CompiledRegex> regex_;  // shared by the clones
  RegexMatcher matcher_;
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
  ASSIGN_OR_RETURN(auto regex, filter::CompiledRegex::Compile(pattern, &flags));
  if (!options.joni) normal.flags = flags;
  return ComparatorPtr(std::make_unique<filter::RegexComparator>(
      std::move(pattern), std::move(normal), charset, std::move(regex)));
}

}  // namespace bennu
