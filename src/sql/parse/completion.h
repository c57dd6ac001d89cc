// What may come next in a statement that is being written: keywords, tables, columns, as the place
// wants. The shell's Tab key and the editor of the server's console ask this.
#ifndef BENNU_SRC_SQL_PARSE_COMPLETION_H_
#define BENNU_SRC_SQL_PARSE_COMPLETION_H_

#include <cstdint>
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

// The query that reads what CatalogColumns wants. Apache's Phoenix answers it, too.
inline constexpr std::string_view kTableColumnsQuery =
    "SELECT TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, COLUMN_FAMILY, LINK_TYPE FROM SYSTEM.CATALOG";

// Makes TableColumns of the rows of that query. A view's rows have its own columns alone, and a
// link to the table or view that it was made over, whose columns it has as well.
class CatalogColumns {
 public:
  // Empty texts and 0 for NULL.
  void Add(std::string_view schema, std::string_view table, std::string_view column,
           std::string_view family, int64_t link_type);
  TableColumns Take() &&;

 private:
  struct Table {
    std::vector<std::string> columns;   // its own
    std::vector<std::string> excluded;  // of its parent's
    std::string parent;                 // of a view over a view
    std::string base;                   // the table below
  };

  std::map<std::string, Table> tables_;
};

// The words of Phoenix's grammar, upper case, sorted.
const std::vector<std::string_view>& SqlKeywords();

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_COMPLETION_H_
