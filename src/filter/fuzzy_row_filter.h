// FuzzyRowFilter: rows that satisfy one of several patterns, with jumps from match to match.
#ifndef BENNU_SRC_FILTER_FUZZY_ROW_FILTER_H_
#define BENNU_SRC_FILTER_FUZZY_ROW_FILTER_H_

#include <memory>
#include <utility>
#include <vector>

#include "bennu/filter.h"
#include "src/filter/fuzzy_rule.h"

namespace bennu::filter {

class FuzzyRowFilter final : public Filter {
 public:
  // 'mask_v2': how the mask was written on the wire, and will be.
  FuzzyRowFilter(std::shared_ptr<const std::vector<FuzzyRule>> rules, bool mask_v2)
      : rules_(std::move(rules)), mask_v2_(mask_v2) {}
  static Result<FilterPtr> Decode(ByteView bytes);

  FilterPtr Clone() const override;
  void Reset() override { filter_row_ = false; }
  bool FilterAllRemaining() override { return done_; }
  Code FilterCell(const Cell& cell) override;
  bool NextCellHint(const Cell& current, Bytes* flat_key) override;
  bool FilterRow() override { return filter_row_; }
  bool GivesHints() const override { return true; }
  bool LooksAtRowsOnly() const override { return true; }
  Bytes class_name() const override;
  Bytes Encode() const override;

 private:
  // The next row of one rule; those of all rules are a heap with the nearest in front.
  struct Candidate {
    Bytes row;
    const FuzzyRule* rule;
  };
  bool Farther(const Candidate& left, const Candidate& right) const {
    return reversed_ ? left.row < right.row : left.row > right.row;
  }
  bool UpdateCandidates(ByteView row);

  const std::shared_ptr<const std::vector<FuzzyRule>> rules_;
  const bool mask_v2_;
  size_t last_match_ = 0;  // the rule that is tried first
  bool filter_row_ = false;
  bool done_ = false;
  bool started_ = false;
  std::vector<Candidate> candidates_;
};

}  // namespace bennu::filter

#endif  // BENNU_SRC_FILTER_FUZZY_ROW_FILTER_H_
