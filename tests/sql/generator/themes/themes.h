// Sessions about one matter each, beside the general ones of ../sessions.h: what takes its own kind
// of tables, connections or statements.
#ifndef BENNU_TESTS_SQL_GENERATOR_THEMES_THEMES_H_
#define BENNU_TESTS_SQL_GENERATOR_THEMES_THEMES_H_

#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"

namespace bennu::sql::testing {

// Their names; "general" is none of them.
std::vector<std::string> ThemeNames();

// The records of a session; nothing when there is no such theme. The names of all tables begin with
// 'prefix'.
std::string ThemeSession(const std::string& theme, Choices* choices, const std::string& prefix);

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_THEMES_THEMES_H_
