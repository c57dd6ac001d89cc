#include "src/sql/exec/slice_jumper.h"

#include <algorithm>
#include <utility>

namespace bennu::sql::exec {
namespace {

// A jump costs as much as a filter, or a matcher, of so many rows, and so does a row that is
// wanted.
constexpr int64_t kRowsPerJump = 24;
constexpr int64_t kRowsMatchedPerJump = 200;
constexpr int64_t kRowsPerInclusion = 8;
// Fewer rows between wanted ones are left to the filter, since each run of rows has its price, too.
constexpr uint32_t kRowsPassedMin = 16;
// What may be lost before a pause, and what past gains pay for at most.
constexpr int64_t kJumpsBeforePause = 16;
constexpr int64_t kBalanceMax = 8192;
// Rows that are left to the filter then; twice as many each time.
constexpr uint32_t kPauseFirst = 512;
constexpr uint32_t kPauseMax = 64 * 1024;

void Append(uint32_t begin, uint32_t end, std::vector<SliceJumper::Run>* runs) {
  if (begin == end) return;
  if (!runs->empty() && runs->back().end == begin) {
    runs->back().end = end;
  } else {
    runs->push_back({begin, end});
  }
}

}  // namespace

SliceJumper::SliceJumper(const RowNavigator& navigator, std::shared_ptr<const KeyMatcher> matcher)
    : navigator_(navigator.Clone()),
      matcher_(std::move(matcher)),
      jump_price_(matcher_ != nullptr ? kRowsMatchedPerJump : kRowsPerJump),
      balance_(kJumpsBeforePause * jump_price_),
      pause_(kPauseFirst) {}

void SliceJumper::Begin() {
  has_target_ = false;
  tells_target_ = false;
  done_ = false;
}

void SliceJumper::Pay(int64_t rows_passed, int64_t price) {
  balance_ += rows_passed - price;
  if (balance_ >= kBalanceMax) {
    balance_ = kBalanceMax;
    pause_ = kPauseFirst;
  } else if (balance_ < 0) {
    balance_ = kJumpsBeforePause * jump_price_;
    unasked_ = pause_;
    pause_ = std::min(pause_ * 2, kPauseMax);
  }
}

void SliceJumper::Match(const ColumnRows& rows, uint32_t begin, uint32_t end,
                        std::vector<Run>* runs) {
  if (matcher_ == nullptr) {
    Append(begin, end, runs);
    return;
  }
  allowed_.clear();
  matcher_->Select(rows, begin, end, &allowed_);
  for (const uint32_t row : allowed_) {
    const bool near = !runs->empty() && row - runs->back().end < kRowsPassedMin;
    Append(near ? runs->back().end : row, row + 1, runs);
  }
}

// Where leading values have as many rows each as the one before, a jump is as far as the last but
// one: one leads to the next leading value, the other to the row there.
uint32_t SliceJumper::FindTarget(const ColumnRows& rows, uint32_t row, uint32_t end) {
  std::swap(distance_, last_distance_);
  const uint32_t guess = end - row <= distance_ ? end : row + distance_;
  uint32_t found = guess;
  if (!rows.IsBefore(guess - 1, target_)) {
    found = rows.LowerBound(target_, row + 1, guess - 1);
  } else if (guess < end && rows.IsBefore(guess, target_)) {
    found = rows.LowerBound(target_, guess + 1, end);
  }
  if (found < end) distance_ = found - row;
  return found;
}

void SliceJumper::Choose(const ColumnSlice& slice, std::vector<Run>* runs) {
  runs->clear();
  tells_target_ = false;
  const ColumnRows& rows = *slice.rows;
  uint32_t row = slice.begin;
  if (has_target_) {
    row = rows.LowerBound(target_, row, slice.end);
    Pay(row - slice.begin, /*price=*/0);
    tells_target_ = row == slice.end;
    has_target_ = tells_target_;
  }
  while (row < slice.end && !done_) {
    if (unasked_ > 0) {
      const uint32_t count = std::min(unasked_, slice.end - row);
      Match(rows, row, row + count, runs);
      unasked_ -= count;
      row += count;
      continue;
    }
    switch (navigator_->Navigate(rows.KeyAt(row), &target_)) {
      case RowNavigator::Decision::kDone: done_ = true; break;
      case RowNavigator::Decision::kInclude: {
        const ByteView end = navigator_->IncludedUpTo();
        const uint32_t next = end.empty() ? row + 1 : rows.LowerBound(end, row + 1, slice.end);
        Append(row, next, runs);
        Pay(/*rows_passed=*/0, kRowsPerInclusion);
        row = next;
        break;
      }
      case RowNavigator::Decision::kSeek: {
        const uint32_t next = FindTarget(rows, row, slice.end);
        has_target_ = next == slice.end;
        if (next - row < kRowsPassedMin && !has_target_) Append(row, next, runs);
        Pay(next - row, jump_price_);
        row = next;
        break;
      }
    }
  }
}

}  // namespace bennu::sql::exec
