// Recorded answers that are errors, as "! ERROR 201 (22000): …".
#ifndef BENNU_TESTS_SQL_FUNCTIONS_ANSWER_CODE_H_
#define BENNU_TESTS_SQL_FUNCTIONS_ANSWER_CODE_H_

#include <string>

namespace bennu::sql {

// The code alone of a refusal, whose words show Java's.
inline std::string CodeOf(const std::string& answer) {
  return answer.substr(0, answer.find(')') + 1);
}

}  // namespace bennu::sql

#endif  // BENNU_TESTS_SQL_FUNCTIONS_ANSWER_CODE_H_
