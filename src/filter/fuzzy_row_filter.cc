#include "src/filter/fuzzy_row_filter.h"

#include <algorithm>
#include <string>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {

namespace {

// Masks on the wire: fixed bytes are 0xff, open ones 2, or 0 from clients before 2.5.9. Some
// clients send them as their users wrote them: 0 and 1.
constexpr char kFixed = '\xff';

char OpenByte(bool mask_v2) { return mask_v2 ? '\x02' : '\x00'; }

Bytes UserMask(ByteView mask, bool mask_v2) {
  const bool processed = std::all_of(mask.begin(), mask.end(),
                                     [&](char c) { return c == kFixed || c == OpenByte(mask_v2); });
  Bytes user(mask);
  if (processed) {
    for (char& c : user) c = c == kFixed ? '\0' : '\x01';
  }
  return user;
}

}  // namespace

FilterPtr FuzzyRowFilter::Clone() const {
  auto clone = std::make_unique<FuzzyRowFilter>(rules_, mask_v2_);
  clone->reversed_ = reversed_;
  return clone;
}

Filter::Code FuzzyRowFilter::FilterCell(const Cell& cell) {
  const ByteView row = cell.row();
  const std::vector<FuzzyRule>& rules = *rules_;
  size_t index = last_match_;
  for (size_t tried = 0; tried < rules.size(); ++tried) {
    if (Satisfies(rules[index], row)) {
      last_match_ = index;
      return Code::kInclude;
    }
    if (++index == rules.size()) index = 0;
  }
  last_match_ = 0;
  filter_row_ = true;
  return Code::kSeekUsingHint;
}

bool FuzzyRowFilter::NextCellHint(const Cell& current, Bytes* flat_key) {
  if (!UpdateCandidates(current.row())) {
    done_ = true;
    return false;
  }
  flat_key->clear();
  cell::AppendFirstOnRow(flat_key, candidates_.front().row);
  return true;
}

// Brings every candidate behind 'row'. Returns false when none is left.
bool FuzzyRowFilter::UpdateCandidates(ByteView row) {
  const auto farther = [this](const Candidate& left, const Candidate& right) {
    return Farther(left, right);
  };
  if (!started_) {
    started_ = true;
    for (const FuzzyRule& rule : *rules_) {
      Candidate candidate{Bytes(), &rule};
      if (NextForRule(rule, row, reversed_, &candidate.row)) {
        candidates_.push_back(std::move(candidate));
      }
    }
    std::make_heap(candidates_.begin(), candidates_.end(), farther);
    return !candidates_.empty();
  }
  // Backwards a candidate may stay where it is, so none is moved twice.
  for (size_t moves = candidates_.size(); moves > 0 && !candidates_.empty(); --moves) {
    const ByteView nearest = candidates_.front().row;
    if (reversed_ ? row > nearest : row < nearest) break;
    std::pop_heap(candidates_.begin(), candidates_.end(), farther);
    Candidate& candidate = candidates_.back();
    if (NextForRule(*candidate.rule, row, reversed_, &candidate.row)) {
      std::push_heap(candidates_.begin(), candidates_.end(), farther);
    } else {
      candidates_.pop_back();
    }
  }
  return !candidates_.empty();
}

Bytes FuzzyRowFilter::class_name() const { return ClassName("FuzzyRowFilter"); }

Bytes FuzzyRowFilter::Encode() const {
  pb::FuzzyRowFilter message;
  for (const FuzzyRule& rule : *rules_) {
    pb::BytesBytesPair* pair = message.add_fuzzy_keys_data();
    pair->set_first(rule.key);
    Bytes mask(rule.key.size(), kFixed);
    for (size_t i = 0; i < mask.size(); ++i) {
      if (!rule.IsFixed(i)) mask[i] = OpenByte(mask_v2_);
    }
    pair->set_second(mask);
  }
  message.set_is_mask_v2(mask_v2_);
  return Serialize(message);
}

namespace {

Result<FilterPtr> MakeFuzzy(const std::vector<FuzzyKey>& keys, bool mask_v2) {
  if (keys.empty()) return InvalidArgument("FuzzyRowFilter: no pattern is given");
  auto rules = std::make_shared<std::vector<FuzzyRule>>();
  for (const FuzzyKey& key : keys) {
    if (key.key.size() != key.mask.size()) {
      return InvalidArgument("FuzzyRowFilter: the key '" + ToStringBinary(key.key) + "' has " +
                             std::to_string(key.key.size()) + " bytes, its mask " +
                             std::to_string(key.mask.size()));
    }
    rules->push_back(FuzzyRule::FromUserMask(key.key, key.mask));
  }
  return FilterPtr(std::make_unique<FuzzyRowFilter>(std::move(rules), mask_v2));
}

}  // namespace

Result<FilterPtr> FuzzyRowFilter::Decode(ByteView bytes) {
  pb::FuzzyRowFilter message;
  RETURN_IF_ERROR(Parse(bytes, "FuzzyRowFilter", &message));
  std::vector<FuzzyKey> keys;
  for (const pb::BytesBytesPair& pair : message.fuzzy_keys_data()) {
    keys.push_back({pair.first(), UserMask(pair.second(), message.is_mask_v2())});
  }
  return MakeFuzzy(keys, message.is_mask_v2());
}

}  // namespace filter

Result<FilterPtr> NewFuzzyRowFilter(const std::vector<FuzzyKey>& keys) {
  return filter::MakeFuzzy(keys, /*mask_v2=*/true);
}

}  // namespace bennu
