#include "src/sql/functions/collation.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>

#include "src/sql/expr/unicode.h"

namespace bennu::sql {
namespace {

constexpr uint32_t kMaxSecondary = 117;
constexpr uint32_t kMaxTertiary = 1;
constexpr uint32_t kUnmapped = 0x7fff0000;  // followed by the unit itself as a primary weight
constexpr char16_t kDiaeresis = 0x308;
constexpr char16_t kAcute = 0x301;
constexpr uint32_t kDiaeresisAndAcute = 0x5400;  // the only two units that have weights together

using Units = std::u16string;

class Weights {
 public:
  Weights() {
    const std::span<const uint32_t> all = CollationWeights();
    for (size_t i = 0; i < all.size();) {
      const uint32_t count = all[i] & 0xff;
      by_unit_.emplace(static_cast<char16_t>(all[i] >> 8), all.subspan(i + 1, count));
      i += 1 + count;
    }
  }
  // Nothing for a unit that Java's rules do not name.
  std::span<const uint32_t> Of(char16_t unit) const {
    const auto found = by_unit_.find(unit);
    return found == by_unit_.end() ? std::span<const uint32_t>() : found->second;
  }

 private:
  std::unordered_map<char16_t, std::span<const uint32_t>> by_unit_;
};

const Weights& RootWeights() {
  static const Weights weights;
  return weights;
}

// Decodes one character at *at and moves on.
uint32_t NextCharacter(std::string_view utf8, size_t* at) {
  const size_t length = Utf8SequenceLength(utf8[*at]);
  const auto first = static_cast<uint8_t>(utf8[*at]);
  if (length == 1 || *at + length > utf8.size()) {
    ++*at;
    return first < 0x80 ? first : 0xfffd;
  }
  uint32_t code = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    code = code << 6 | (static_cast<uint8_t>(utf8[*at + i]) & 0x3fU);
  }
  *at += length;
  return code;
}

Units ToUtf16(std::string_view utf8) {
  Units units;
  for (size_t at = 0; at < utf8.size();) {
    const uint32_t code = NextCharacter(utf8, &at);
    if (code < 0x10000) {
      units.push_back(static_cast<char16_t>(code));
    } else {
      units.push_back(static_cast<char16_t>(0xd800 + ((code - 0x10000) >> 10)));
      units.push_back(static_cast<char16_t>(0xdc00 + ((code - 0x10000) & 0x3ff)));
    }
  }
  return units;
}

class KeyBuilder {
 public:
  explicit KeyBuilder(const Collation& collation) : collation_(collation) {}

  void Add(uint32_t weight) {
    const uint32_t primary = weight >> 16;
    const uint32_t secondary = weight >> 8 & 0xff;
    const uint32_t tertiary = weight & 0xff;
    if (primary != 0) {
      primaries_.push_back(static_cast<char16_t>(primary + 1));
      TurnAccents();
      secondaries_.push_back(static_cast<char16_t>(secondary + 1));
      accents_ = secondaries_.size();
      tertiaries_.push_back(static_cast<char16_t>(tertiary + 1));
      return;
    }
    if (secondary != 0) {
      secondaries_.push_back(static_cast<char16_t>(secondary + kMaxSecondary + 1));
    }
    if (tertiary != 0) {
      tertiaries_.push_back(static_cast<char16_t>(tertiary + kMaxTertiary + 1));
    }
  }

  Bytes Finish(const Units& text) {
    TurnAccents();
    if (collation_.french) std::reverse(secondaries_.begin(), secondaries_.end());
    Bytes key;
    Append(primaries_, &key);
    AppendUnit(0, &key);
    if (collation_.strength >= CollationStrength::kSecondary) Append(secondaries_, &key);
    AppendUnit(0, &key);
    if (collation_.strength >= CollationStrength::kTertiary) Append(tertiaries_, &key);
    if (collation_.strength == CollationStrength::kIdentical) {
      AppendUnit(0, &key);
      Append(text, &key);
    }
    return key;
  }

 private:
  // In French the accents of one letter count from the last one too.
  void TurnAccents() {
    if (!collation_.french) return;
    std::reverse(secondaries_.begin() + static_cast<ptrdiff_t>(accents_), secondaries_.end());
  }

  static void AppendUnit(char16_t unit, Bytes* key) {
    key->push_back(static_cast<char>(unit >> 8));
    key->push_back(static_cast<char>(unit & 0xff));
  }
  static void Append(const Units& units, Bytes* key) {
    for (const char16_t unit : units) AppendUnit(unit, key);
  }

  const Collation collation_;
  Units primaries_;
  Units secondaries_;
  Units tertiaries_;
  size_t accents_ = 0;  // where those of the last letter begin
};

}  // namespace

std::optional<Collation> Collation::OfLanguage(std::string_view locale) {
  static constexpr std::array<std::string_view, 40> kOwnRules = {
      "ar", "be", "bg", "bs", "cs", "da", "el", "es", "et", "fi", "he", "hi", "hr", "hu",
      "is", "iw", "ja", "ko", "lt", "lv", "mk", "nb", "nn", "no", "pl", "ro", "ru", "sh",
      "sk", "sl", "sr", "sv", "th", "tr", "uk", "vi", "zh", "kk", "hy", "ka"};
  static constexpr std::array<std::string_view, 3> kFrench = {"ca", "fr", "sq"};
  std::string language;
  for (const char c : locale.substr(0, locale.find_first_of("_-"))) {
    language.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  if (std::find(kOwnRules.begin(), kOwnRules.end(), language) != kOwnRules.end()) return {};
  Collation collation;
  collation.french = std::find(kFrench.begin(), kFrench.end(), language) != kFrench.end();
  return collation;
}

Bytes Collation::Key(std::string_view utf8) const {
  const Units text = ToUtf16(utf8);
  KeyBuilder builder(*this);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kDiaeresis && i + 1 < text.size() && text[i + 1] == kAcute) {
      builder.Add(kDiaeresisAndAcute);
      ++i;
      continue;
    }
    const std::span<const uint32_t> weights = RootWeights().Of(text[i]);
    for (const uint32_t weight : weights) builder.Add(weight);
    if (!weights.empty()) continue;
    builder.Add(kUnmapped);
    builder.Add(static_cast<uint32_t>(text[i]) << 16);
    const bool pair = text[i] >= 0xd800 && text[i] < 0xdc00 && i + 1 < text.size();
    if (pair) builder.Add(static_cast<uint32_t>(text[++i]) << 16);
  }
  return builder.Finish(text);
}

}  // namespace bennu::sql
