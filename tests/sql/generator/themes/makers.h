// The makers of themes.h, one per theme, and what they write with.
#ifndef BENNU_TESTS_SQL_GENERATOR_THEMES_MAKERS_H_
#define BENNU_TESTS_SQL_GENERATOR_THEMES_MAKERS_H_

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/session_text.h"

namespace bennu::sql::testing {

// A session's text together with the choices that it is made by.
class ThemeText : public SessionText {
 public:
  // 'choices' must outlive this.
  ThemeText(Choices* choices, std::string prefix) : choices_(choices), prefix_(std::move(prefix)) {}

  Choices* choices() const { return choices_; }
  // The name of a table of this session.
  std::string Name(const std::string& name) const { return prefix_ + name; }

  bool Percent(uint64_t share) { return choices_->Percent(share); }
  int64_t Between(int64_t low, int64_t high) { return choices_->Between(low, high); }
  std::string Pick(const std::vector<std::string>& from) { return choices_->Pick(from); }
  // 'least' to 'most' of what 'make' gives, with 'between' between them.
  template <typename F>
  std::string Several(int64_t least, int64_t most, const std::string& between, F make) {
    std::string text = make();
    for (int64_t i = 1, count = Between(least, most); i < count; ++i) text += between + make();
    return text;
  }

 private:
  Choices* const choices_;
  const std::string prefix_;
};

void MakeParameters(ThemeText* text);   // ? of every type, in every clause
void MakeTenants(ThemeText* text);      // MULTI_TENANT tables, connections of tenants, their views
void MakeSequences(ThemeText* text);    // NEXT and CURRENT VALUE, several at once, cycles
void MakeAlterations(ThemeText* text);  // columns that come and go between rows
void MakeTimestamps(ThemeText* text);   // ROW_TIMESTAMP, CurrentSCN, time ranges
void MakeArrays(ThemeText* text);       // arrays of every element
void MakeChanges(ThemeText* text);      // ON DUPLICATE KEY, DELETE LIMIT, dynamic columns
void MakeNumbers(ThemeText* text);      // DECIMAL's precision and scale, casts, overflow
void MakeMoments(ThemeText* text);      // functions of dates, patterns, time zones
void MakeRows(ThemeText* text);         // row values, OFFSET, paging
void MakeJoins(ThemeText* text);        // three and more tables, subqueries in subqueries
void MakeIndexes(ThemeText* text);      // indexes of every kind that come and go between rows

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_THEMES_MAKERS_H_
