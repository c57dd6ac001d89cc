// Patterns of java.util.regex in the words of PCRE2.
//
// The two are close; what differs in spelling or meaning is rewritten here:
//   \uXXXX, \0nn, \xHH             characters by number
//   [a-z&&[^m]], [a[bc]]           intersections and unions of classes: look-ahead and alternatives
//   \p{Lower} … \p{Punct}          ASCII classes;  \p{IsL}, \p{javaLowerCase}, \p{IsAlphabetic}, …
//   (?d), (?u), (?U) flags         dropped
#ifndef BENNU_SRC_FILTER_JAVA_REGEX_H_
#define BENNU_SRC_FILTER_JAVA_REGEX_H_

#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::filter {

// Returns the same pattern for PCRE2 in UTF mode. *flags (java.util.regex.Pattern's) takes up those
// that the pattern sets for its rest, "(?i)", as Pattern.flags() has it. InvalidArgument: a class
// or an escape that does not end, or a property that is not known.
Result<Bytes> PcrePattern(ByteView java_pattern, int32_t* flags);

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_JAVA_REGEX_H_
