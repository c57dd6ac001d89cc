// HBase's filter language: names with arguments, joined by AND, OR, SKIP, WHILE and parentheses.
//
//   FilterName (argument, argument …)     arguments: 'text' (a quote in it doubled), 12, true, >=
//   SKIP f, WHILE f                       bind tightest, then AND, then OR
//
// What the words mean follows HBase's ParseFilter, with its freedoms: OR and AND are words between
// blanks or parentheses and in capitals, an unclosed parenthesis is no error, a closed one too many
// is. A filter's arguments may stand without commas.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/filter/filter_arguments.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

enum class Operator : uint8_t { kParenthesis, kSkip, kWhile, kAnd, kOr };

// Lower binds tighter.
int Precedence(Operator op) {
  switch (op) {
    case Operator::kSkip:
    case Operator::kWhile: return 1;
    case Operator::kAnd: return 2;
    default: return 3;
  }
}

struct Keyword {
  ByteView word;
  Operator op;
  bool may_begin;  // the text, or what a parenthesis encloses
};

constexpr Keyword kKeywords[] = {
    {"OR", Operator::kOr, false},
    {"AND", Operator::kAnd, false},
    {"SKIP", Operator::kSkip, true},
    {"WHILE", Operator::kWhile, true},
};

class FilterParser {
 public:
  explicit FilterParser(ByteView text) : text_(text) {}

  Result<FilterPtr> Run() {
    while (at_ < text_.size()) RETURN_IF_ERROR(Token());
    while (!operators_.empty()) RETURN_IF_ERROR(ReduceTop());
    if (filters_.size() != 1) return Incorrect();
    return std::move(filters_.back());
  }

 private:
  Status Incorrect() const {
    return InvalidArgument(fmt::format("Incorrect Filter String '{}'", text_));
  }

  Status Token() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t') {
      ++at_;
      return Status::Ok();
    }
    if (c == '(') {
      ++at_;
      operators_.push_back(Operator::kParenthesis);
      return Status::Ok();
    }
    if (c == ')') {
      ++at_;
      return CloseParenthesis();
    }
    for (const Keyword& keyword : kKeywords) {
      if (!LooksAt(keyword)) continue;
      at_ += keyword.word.size();
      while (!operators_.empty() && operators_.back() != Operator::kParenthesis &&
             Precedence(operators_.back()) < Precedence(keyword.op)) {
        RETURN_IF_ERROR(ReduceTop());
      }
      operators_.push_back(keyword.op);
      return Status::Ok();
    }
    return SimpleFilter();
  }

  bool LooksAt(const Keyword& keyword) const {
    if (!text_.substr(at_).starts_with(keyword.word)) return false;
    const size_t behind = at_ + keyword.word.size();
    if (behind >= text_.size() || (text_[behind] != ' ' && text_[behind] != '(')) return false;
    if (at_ == 0) return keyword.may_begin;
    const char before = text_[at_ - 1];
    return before == ' ' || before == ')' || (keyword.may_begin && before == '(');
  }

  Status CloseParenthesis() {
    while (!operators_.empty() && operators_.back() != Operator::kParenthesis) {
      RETURN_IF_ERROR(ReduceTop());
    }
    if (operators_.empty()) {
      return InvalidArgument(fmt::format("Mismatched parenthesis in the filter '{}'", text_));
    }
    operators_.pop_back();
    return Status::Ok();
  }

  // Replaces the operator on top and its filters by what it makes of them; a run of ANDs (ORs)
  // makes one list.
  Status ReduceTop() {
    const Operator op = operators_.back();
    if (op == Operator::kParenthesis) {  // never closed
      if (filters_.empty()) return Incorrect();
      operators_.pop_back();
      return Status::Ok();
    }
    if (op == Operator::kSkip || op == Operator::kWhile) {
      if (filters_.empty()) return Missing(op);
      operators_.pop_back();
      FilterPtr& top = filters_.back();
      top = op == Operator::kSkip ? NewSkipFilter(std::move(top))
                                  : NewWhileMatchFilter(std::move(top));
      return Status::Ok();
    }
    size_t count = 1;
    for (; !operators_.empty() && operators_.back() == op; operators_.pop_back()) ++count;
    if (filters_.size() < count) return Missing(op);
    const auto first = filters_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<FilterPtr> parts(std::make_move_iterator(first),
                                 std::make_move_iterator(filters_.end()));
    filters_.erase(first, filters_.end());
    filters_.push_back(NewFilterList(
        op == Operator::kAnd ? FilterListOp::kMustPassAll : FilterListOp::kMustPassOne,
        std::move(parts)));
    return Status::Ok();
  }

  Status Missing(Operator op) const {
    const ByteView word = op == Operator::kSkip    ? "SKIP"
                          : op == Operator::kWhile ? "WHILE"
                          : op == Operator::kAnd   ? "AND"
                                                   : "OR";
    return InvalidArgument(fmt::format("{} has too few filters in '{}'", word, text_));
  }

  // Name (arguments), up to the parenthesis that is not in quotes.
  Status SimpleFilter() {
    size_t quotes = 0;
    for (size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '\'') {
        if (i + 1 < text_.size() && text_[i + 1] == '\'') {
          ++i;  // a doubled quote
        } else {
          ++quotes;
        }
      }
      if (text_[i] == ')' && quotes % 2 == 0) {
        ASSIGN_OR_RETURN(FilterPtr filter, MakeFilter(text_.substr(at_, i + 1 - at_)));
        filters_.push_back(std::move(filter));
        at_ = i + 1;
        return Status::Ok();
      }
    }
    return Incorrect();
  }

  const ByteView text_;
  size_t at_ = 0;
  std::vector<Operator> operators_;
  std::vector<FilterPtr> filters_;
};

}  // namespace
}  // namespace filter

Result<FilterPtr> ParseFilter(ByteView text) { return filter::FilterParser(text).Run(); }

}  // namespace bennu
