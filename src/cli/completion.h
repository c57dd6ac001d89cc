// What the Tab key offers: keywords, tables, columns, commands of the shell, as the place wants.
#ifndef BENNU_SRC_CLI_COMPLETION_H_
#define BENNU_SRC_CLI_COMPLETION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"

namespace bennu::cli {

class Completion {
 public:
  explicit Completion(SqlConnection* connection) : connection_(connection) {}  // must outlive this

  // What fits behind 'before', the text of the statement or command in front of the word, and
  // begins with 'word' (case does not matter), sorted, each once.
  std::vector<std::string> Candidates(std::string_view before, std::string_view word);
  // A definition may have changed the tables: ask again at the next need.
  void Invalidate() { loaded_ = false; }

  // Longest text that all candidates begin with.
  static std::string CommonPrefix(const std::vector<std::string>& candidates);

 private:
  void Load();
  std::vector<std::string> CommandCandidates(std::string_view before) const;
  std::vector<std::string> Tables() const;
  // Of the tables that the statement names, or of all where it names none.
  std::vector<std::string> Columns(const std::vector<std::string>& named) const;
  // Of the table that a word of the form QUALIFIER.NAME means, each with the qualifier.
  std::vector<std::string> ColumnsOf(std::string_view before, std::string_view qualifier) const;

  SqlConnection* const connection_;
  bool loaded_ = false;
  std::map<std::string, std::vector<std::string>> tables_;  // the columns of each
};

// The words of Phoenix's grammar, upper case, sorted.
const std::vector<std::string_view>& SqlKeywords();

// The line with colours for a terminal: keywords, strings, numbers, comments.
std::string ColourSql(std::string_view line);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_COMPLETION_H_
