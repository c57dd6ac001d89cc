#include "src/base/units.h"

#include <array>
#include <charconv>
#include <span>
#include <string>

#include "src/base/ascii.h"

namespace bennu {

namespace {

struct Unit {
  std::string_view name;  // in upper case
  int64_t worth;
};
constexpr std::array<Unit, 9> kSizes = {{{"B", 1},
                                         {"K", 1ll << 10},
                                         {"KB", 1ll << 10},
                                         {"M", 1ll << 20},
                                         {"MB", 1ll << 20},
                                         {"G", 1ll << 30},
                                         {"GB", 1ll << 30},
                                         {"T", 1ll << 40},
                                         {"TB", 1ll << 40}}};
constexpr std::array<Unit, 8> kTimes = {{{"SECOND", 1},
                                         {"SECONDS", 1},
                                         {"MINUTE", 60},
                                         {"MINUTES", 60},
                                         {"HOUR", 3600},
                                         {"HOURS", 3600},
                                         {"DAY", 86400},
                                         {"DAYS", 86400}}};

std::optional<int64_t> ParseWhole(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The leading run of characters that are digits, or are not, without the spaces around it.
std::string_view TakeRun(std::string_view* text, bool digits) {
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
  size_t length = 0;
  while (length < text->size() && (*text)[length] != ' ' &&
         ((*text)[length] >= '0' && (*text)[length] <= '9') == digits) {
    ++length;
  }
  const std::string_view run = text->substr(0, length);
  text->remove_prefix(length);
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
  return run;
}

// The sum of counts, each with its unit.
std::optional<int64_t> ParseSum(std::string_view text, std::span<const Unit> units) {
  int64_t total = 0;
  bool any = false;
  while (!text.empty()) {
    const auto count = ParseWhole(TakeRun(&text, true));
    const std::string_view name = TakeRun(&text, false);
    int64_t worth = 0;
    for (const Unit& unit : units) {
      if (unit.name == name) worth = unit.worth;
    }
    int64_t bytes = 0;
    if (!count || worth == 0 || __builtin_mul_overflow(*count, worth, &bytes) ||
        __builtin_add_overflow(total, bytes, &total)) {
      return std::nullopt;
    }
    any = true;
  }
  return any ? std::optional(total) : std::nullopt;
}

std::optional<int64_t> Parse(std::string_view text, std::span<const Unit> units) {
  const std::string upper = Upper(text);
  const std::string_view all = upper;
  const size_t open = all.find('(');
  if (open == std::string_view::npos) return ParseSum(all, units);
  const size_t close = all.find(')', open);
  if (close == std::string_view::npos ||
      all.find_first_not_of(' ', close + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  const auto before = ParseSum(all.substr(0, open), units);
  const auto within = ParseSum(all.substr(open + 1, close - open - 1), units);
  return before == within ? before : std::nullopt;
}

}  // namespace

std::optional<int64_t> ParseByteSize(std::string_view text) {
  if (const auto bytes = ParseWhole(text)) return bytes;
  return Parse(text, kSizes);
}

std::optional<int64_t> ParseInterval(std::string_view text) { return Parse(text, kTimes); }

}  // namespace bennu
