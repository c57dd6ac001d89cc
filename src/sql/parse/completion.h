// What may come next in a statement that is being written: keywords, tables, columns, as the place
// wants. The shell's Tab key and the editor of the server's console ask this.
#ifndef BENNU_SRC_SQL_PARSE_COMPLETION_H_
#define BENNU_SRC_SQL_PARSE_COMPLETION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace bennu::sql::parse {

// The columns of each table, by the name that a statement uses: "T", "S.T".
using TableColumns = std::map<std::string, std::vector<std::string>>;

// What fits between 'before' and 'after', the text of the statement around the word, and begins
// with 'word' (case does not matter), sorted, each once. Names that a statement has to quote are
// quoted.
std::vector<std::string> CompleteStatement(const TableColumns& tables, std::string_view before,
                                           std::string_view word, std::string_view after = "");

// Of what is offered that which begins with 'word', sorted, each once; in lower case where the word
// is.
std::vector<std::string> WordsWithPrefix(std::vector<std::string> offered, std::string_view word);

// The query that reads TableColumns: schema, table and column of each row of the catalog.
inline constexpr std::string_view kTableColumnsQuery =
    "SELECT TABLE_SCHEM, TABLE_NAME, COLUMN_NAME FROM SYSTEM.CATALOG";

// The words of Phoenix's grammar, upper case, sorted.
const std::vector<std::string_view>& SqlKeywords();

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_COMPLETION_H_
