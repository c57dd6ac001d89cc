// Prints the session that a seed makes, as questions for differential/Ask.java:
//
//   peers_questions SEED PREFIX
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/sessions.h"

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: peers_questions SEED PREFIX-OF-TABLES\n");
    return 2;
  }
  bennu::sql::testing::Choices choices(std::strtoull(words[1], nullptr, 10));
  fmt::print("{}", bennu::sql::testing::SessionMaker(&choices, words[2]).Session());
  return 0;
}
