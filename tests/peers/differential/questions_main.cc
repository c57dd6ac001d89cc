// Prints the session that a seed makes, as questions for differential/Ask.java:
//
//   peers_questions SEED PREFIX [THEME]
//
// Without a theme every second seed makes a general session, the others those of the themes in
// turn.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/sessions.h"
#include "tests/sql/generator/themes/themes.h"

namespace {

using bennu::sql::testing::Choices;

std::string ThemeOf(uint64_t seed) {
  const std::vector<std::string> names = bennu::sql::testing::ThemeNames();
  return seed % 2 == 1 ? "general" : names[seed / 2 % names.size()];
}

}  // namespace

int main(int count, char** words) {
  if (count != 3 && count != 4) {
    fmt::print(stderr, "usage: peers_questions SEED PREFIX-OF-TABLES [THEME]\n");
    return 2;
  }
  const uint64_t seed = std::strtoull(words[1], nullptr, 10);
  Choices choices(seed);
  const std::string theme = count == 4 ? words[3] : ThemeOf(seed);
  const std::string session = theme == "general"
                                  ? bennu::sql::testing::SessionMaker(&choices, words[2]).Session()
                                  : bennu::sql::testing::ThemeSession(theme, &choices, words[2]);
  if (session.empty()) {
    fmt::print(stderr, "peers_questions: no theme {}; there are general", theme);
    for (const std::string& name : bennu::sql::testing::ThemeNames())
      fmt::print(stderr, ", {}", name);
    fmt::print(stderr, "\n");
    return 2;
  }
  fmt::print("{}", session);
  return 0;
}
