// Statements over several lines as one line: an entry of the shell's history.
#ifndef BENNU_SRC_SQL_PARSE_ONE_LINE_H_
#define BENNU_SRC_SQL_PARSE_ONE_LINE_H_

#include <string>
#include <string_view>

namespace bennu::sql::parse {

// Returns 'text' so that it means the same on one line: line ends become blanks, and a comment up
// to the end of its line becomes one between /* and */. Line ends within texts and quoted names
// belong to their values and stay; so the result may still hold some. Pure function.
std::string OneLine(std::string_view text);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_ONE_LINE_H_
