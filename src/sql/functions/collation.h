// Sort keys of text as Java's java.text.Collator makes them, for COLLATION_KEY.
//
// The key is a list of 16-bit numbers: primary weights, 0, secondary ones, 0, tertiary ones, so
// that keys compare as bytes do. Source: Java's CollationElementIterator and RuleBasedCollator,
// whose weights collation_weights.cc lists and whose keys tests/sql/functions/java_collation.txt
// records.
#ifndef BENNU_SRC_SQL_FUNCTIONS_COLLATION_H_
#define BENNU_SRC_SQL_FUNCTIONS_COLLATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bennu/bytes.h"

namespace bennu::sql {

enum class CollationStrength : uint8_t { kPrimary, kSecondary, kTertiary, kIdentical };

struct Collation {
  bool french = false;  // accents count from the end
  CollationStrength strength = CollationStrength::kSecondary;

  // The rules of a language, by its ISO code, with a country behind '_' or '-' or without. Nothing:
  // Java has rules of its own for it, which are not known here.
  static std::optional<Collation> OfLanguage(std::string_view locale);

  // Malformed bytes count as U+FFFD.
  Bytes Key(std::string_view utf8) const;
};

// Private to the implementation: see collation_weights.cc.
std::span<const uint32_t> CollationWeights();

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_COLLATION_H_
