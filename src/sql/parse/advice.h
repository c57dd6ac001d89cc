// What someone who comes from another system may have meant by a statement that is refused.
#ifndef BENNU_SRC_SQL_PARSE_ADVICE_H_
#define BENNU_SRC_SQL_PARSE_ADVICE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace bennu::sql::parse {

// A hint for an error of syntax at a byte of the statement, negative when no place is known. Empty:
// nothing that helps. Pure function.
std::string SyntaxAdvice(std::string_view sql, int32_t position);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_ADVICE_H_
