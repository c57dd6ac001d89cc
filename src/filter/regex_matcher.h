// Java's regular expressions over PCRE2, the library whose patterns mean nearly what Java's mean:
// for RegexStringComparator and SQL's REGEXP functions.
#ifndef BENNU_SRC_FILTER_REGEX_MATCHER_H_
#define BENNU_SRC_FILTER_REGEX_MATCHER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::filter {

// A compiled pattern. Immutable: shared by any number of threads.
class CompiledRegex {
 public:
  // *flags are java.util.regex.Pattern's and take up what the pattern sets itself.
  // InvalidArgument: no such pattern.
  static Result<std::shared_ptr<const CompiledRegex>> Compile(const Bytes& pattern, int32_t* flags);
  ~CompiledRegex();

  const Bytes& pattern() const;
  size_t group_count() const;  // without the whole match
  // Nothing when there is no group of that name.
  std::optional<size_t> GroupNamed(ByteView name) const;

 private:
  friend class RegexMatcher;
  struct Impl;
  explicit CompiledRegex(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

// Matches of one pattern. One thread at a time.
class RegexMatcher {
 public:
  enum class Kind : uint8_t {
    kFind,         // somewhere behind the start
    kWhole,        // the whole text
    kInsideBlock,  // at the start, which is not the beginning of a line
  };

  explicit RegexMatcher(std::shared_ptr<const CompiledRegex> regex);
  ~RegexMatcher();
  RegexMatcher(RegexMatcher&&) noexcept;

  // Matches 'text', valid UTF-8, from byte 'start' on. ResourceExhausted: it took too many steps or
  // too much memory.
  Result<bool> Match(ByteView text, size_t start, Kind kind);

  // Of the last match, which was one: bytes of the text; 0 is the whole match. Nothing for a group
  // that took no part.
  std::optional<ByteView> Group(size_t group) const;
  size_t begin() const;
  size_t end() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_REGEX_MATCHER_H_
