#include "tests/sql/metamorphic/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace bennu::sql::testing {
namespace {

constexpr size_t kExamplesMax = 30;
constexpr size_t kRowsShown = 6;

// Rows of 'from' that 'other' does not have as often; both are sorted.
std::string Missing(const Rows& from, const Rows& other) {
  Rows missing;
  std::set_difference(from.begin(), from.end(), other.begin(), other.end(),
                      std::back_inserter(missing));
  std::string text;
  for (size_t i = 0; i < missing.size() && i < kRowsShown; ++i) text += "\n    " + missing[i];
  if (missing.size() > kRowsShown) text += fmt::format("\n    … {} in all", missing.size());
  return text.empty() ? " none" : text;
}

}  // namespace

Failures& Failures::Seen() {
  static auto* const seen = new Failures();
  return *seen;
}

void Failures::Add(const std::string& message, const std::string& sql) {
  ++count_;
  if (examples_.size() < kExamplesMax) examples_.emplace_back(message, sql);
}

Rows Check::Ask(const std::string& sql) {
  finding_.queries.push_back(sql);
  auto rows = lab_->Ask(sql);
  if (!rows.ok()) {
    errors_.push_back(rows.status().ToString());
    return {};
  }
  ++answers_;
  return *std::move(rows);
}

Rows Check::AskSorted(const std::string& sql) {
  Rows rows = Ask(sql);
  std::sort(rows.begin(), rows.end());
  return rows;
}

void Check::Run(const std::string& sql) {
  finding_.queries.push_back(sql);
  const Status status = lab_->Run(sql);
  if (!status.ok()) errors_.push_back(status.ToString());
}

void Check::Equal(const Rows& expected, const Rows& actual, const std::string& what) {
  if (expected == actual) return;
  Rows left = expected;
  Rows right = actual;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::string text = fmt::format("{}: {} rows and {} rows", what, left.size(), right.size());
  if (left == right) {
    text += ", the same in another order";
  } else {
    text += "\n  only the first has:" + Missing(left, right) +
            "\n  only the second has:" + Missing(right, left);
  }
  That(false, text);
}

void Check::That(bool holds, const std::string& what) {
  if (!holds && finding_.what.empty()) finding_.what = what;
}

std::optional<Finding> Check::Verdict() && {
  if (!errors_.empty()) {
    if (answers_ == 0) {
      Failures::Seen().Add(errors_[0], finding_.queries[0]);
      return std::nullopt;
    }
    finding_.what = "one of the statements fails: " + errors_[0];
  }
  if (finding_.what.empty()) return std::nullopt;
  return std::move(finding_);
}

Rows Together(std::vector<Rows> parts) {
  Rows all;
  for (Rows& part : parts) std::move(part.begin(), part.end(), std::back_inserter(all));
  std::sort(all.begin(), all.end());
  return all;
}

Rows WithoutDuplicates(Rows rows) {
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

}  // namespace bennu::sql::testing
