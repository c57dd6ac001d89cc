//   array    '[' [ element { ',' element } ] ']'
//   element  "'" text, each "'" in it doubled, "'"  |  NULL  |  text without ',' and ']'
#include "src/sql/types/array_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/types/array.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {

namespace {

struct Element {
  std::string text;
  bool quoted = false;
};

// Cuts the text of an array into its elements.
class ElementReader {
 public:
  explicit ElementReader(std::string_view text) : text_(text) {}

  Result<std::vector<Element>> ReadAll() {
    std::vector<Element> elements;
    if (!Take('[')) return Malformed("an array begins with '['");
    if (Take(']')) return AtEnd() ? Result(std::move(elements)) : Malformed("text follows its ']'");
    do {
      ASSIGN_OR_RETURN(elements.emplace_back(), ReadElement());
    } while (Take(','));
    if (!Take(']')) return Malformed("',' or ']' is missing behind an element");
    if (!AtEnd()) return Malformed("text follows its ']'");
    return elements;
  }

 private:
  Result<Element> ReadElement() {
    Element element;
    SkipBlanks();
    if (at_ == text_.size() || text_[at_] != '\'') {
      const size_t end = std::min(text_.find_first_of(",]", at_), text_.size());
      element.text = text_.substr(at_, end - at_);
      element.text.erase(element.text.find_last_not_of(' ') + 1);
      at_ = end;
      return element;
    }
    element.quoted = true;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'' && (++at_ == text_.size() || text_[at_] != '\'')) return element;
      element.text.push_back(text_[at_]);
    }
    return Malformed("a quote is never closed");
  }

  void SkipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Take(char c) {
    SkipBlanks();
    const bool is_next = at_ < text_.size() && text_[at_] == c;
    if (is_next) ++at_;
    return is_next;
  }
  bool AtEnd() {
    SkipBlanks();
    return at_ == text_.size();
  }
  Status Malformed(std::string_view what) const {
    return SqlIllegalData(fmt::format(
        "'{}' is not an array: {} (byte {}); expected is such as [1,NULL] or ['it''s',NULL]", text_,
        what, at_ + 1));
  }

  const std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Result<Value> ParseArray(std::string_view text, const DataType& type) {
  ASSIGN_OR_RETURN(const std::vector<Element> elements, ElementReader(text).ReadAll());
  if (elements.empty()) return Value::Null(type);
  const DataType element_type = StoredElementType(type);
  std::vector<Value> values;
  for (const Element& element : elements) {
    if (!element.quoted && element.text == "NULL") {
      values.push_back(Value::Null(element_type));
      continue;
    }
    Result<Value> value = ParseValue(element.text, element_type);
    if (!value.ok()) {
      return value.status().Annotate(fmt::format("element {}", values.size() + 1));
    }
    values.push_back(*std::move(value));
  }
  return MakeArray(type, values);
}

}  // namespace bennu::sql
