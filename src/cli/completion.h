// What the Tab key offers: keywords, tables, columns, commands of the shell, as the place wants.
#ifndef BENNU_SRC_CLI_COMPLETION_H_
#define BENNU_SRC_CLI_COMPLETION_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"
#include "src/sql/parse/completion.h"

namespace bennu::cli {

class Completion {
 public:
  explicit Completion(SqlConnection* connection) : connection_(connection) {}  // must outlive this

  // What fits between 'before' and 'after', the text of the statement or command around the word,
  // and begins with 'word' (case does not matter), sorted, each once.
  std::vector<std::string> Candidates(std::string_view before, std::string_view word,
                                      std::string_view after);
  // A definition may have changed the tables: ask again at the next need.
  void Invalidate() { loaded_ = false; }

  // Longest text that all candidates begin with.
  static std::string CommonPrefix(const std::vector<std::string>& candidates);

 private:
  void Load();
  std::vector<std::string> CommandCandidates(std::string_view before) const;

  SqlConnection* const connection_;
  bool loaded_ = false;
  sql::parse::TableColumns tables_;
};

// The line with colours for a terminal: keywords, strings, numbers, comments.
std::string ColourSql(std::string_view line);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_COMPLETION_H_
