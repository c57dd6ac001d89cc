#include "src/filter/fuzzy_rule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bennu::filter {

namespace {

uint8_t At(ByteView bytes, size_t i) { return static_cast<uint8_t>(bytes[i]); }

uint64_t Load(ByteView bytes, size_t i) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + i, sizeof(word));
  return word;
}

}  // namespace

FuzzyRule FuzzyRule::FromUserMask(ByteView key, ByteView mask) {
  FuzzyRule rule;
  rule.key = Bytes(key);
  rule.mask.resize(key.size());
  for (size_t i = 0; i < key.size(); ++i) {
    rule.mask[i] = mask[i] == 0 ? '\xff' : '\0';
    rule.key[i] = static_cast<char>(rule.key[i] & rule.mask[i]);
  }
  return rule;
}

bool Satisfies(const FuzzyRule& rule, ByteView row) {
  const size_t length = std::min(rule.key.size(), row.size());
  size_t i = 0;
  for (; i + 8 <= length; i += 8) {
    if ((Load(row, i) & Load(rule.mask, i)) != Load(rule.key, i)) return false;
  }
  for (; i < length; ++i) {
    if ((row[i] & rule.mask[i]) != rule.key[i]) return false;
  }
  return true;
}

// Backwards this has HBase's faults, since they show in what its scans return: where a row is
// longer than the pattern, zeros that the pattern fixes become 0xff, and the step up at the end
// takes bytes for signed. A hint may so lie too low, and rows be missed.
//
// The row's bytes are kept from the left as long as they agree with the rule. At the first fixed
// byte that differs either the rule's byte lies ahead of the row's, which already makes a later
// row, or an open byte before it has to be stepped. What follows the step is as near as can be.
bool NextForRule(const FuzzyRule& rule, ByteView row, bool reversed, Bytes* next) {
  const size_t pattern_length = rule.key.size();
  const size_t length = std::max(pattern_length, row.size());
  const auto nearest = static_cast<char>(reversed ? 0xff : 0);  // of the bytes behind a step
  const auto open = [&](size_t i) { return i >= pattern_length || !rule.IsFixed(i); };

  next->assign(rule.key);
  next->resize(length);
  if (reversed) std::replace(next->begin(), next->end(), '\0', nearest);
  std::ptrdiff_t step_at = -1;
  bool ahead = false;
  for (size_t i = 0; i < length; ++i) {
    if (i >= row.size()) {
      // Forwards whatever continues the row lies behind it, backwards before it.
      ahead = !reversed;
      break;
    }
    if (open(i)) {
      (*next)[i] = row[i];
      if (At(row, i) != (reversed ? 0 : 0xff)) step_at = static_cast<std::ptrdiff_t>(i);
      continue;
    }
    const int order = At(row, i) - At(rule.key, i);
    if (order == 0) continue;
    ahead = reversed ? order > 0 : order < 0;
    break;
  }
  if (!ahead) {
    if (step_at < 0) return false;
    const auto place = static_cast<size_t>(step_at);
    (*next)[place] = static_cast<char>(At(*next, place) + (reversed ? -1 : 1));
    for (size_t i = place + 1; i < length; ++i) {
      if (open(i)) (*next)[i] = nearest;
    }
  }
  // Open bytes at the end would leave out rows that are shorter or have less there.
  auto last = static_cast<std::ptrdiff_t>(pattern_length) - 1;
  while (last >= 0 && !rule.IsFixed(static_cast<size_t>(last))) --last;
  next->resize(static_cast<size_t>(std::max(last, step_at) + 1));
  if (reversed) {
    IncreaseLastByte(next);
  } else if (*next == row) {
    next->push_back('\0');  // the row is shorter than the pattern
  }
  return true;
}

void IncreaseLastByte(Bytes* bytes) {
  for (size_t i = bytes->size(); i > 0; --i) {
    const uint8_t byte = At(*bytes, i - 1);
    if (byte == 0x7f) continue;
    (*bytes)[i - 1] = static_cast<char>(byte + 1);
    return;
  }
}

}  // namespace bennu::filter
