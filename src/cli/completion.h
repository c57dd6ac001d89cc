// What the Tab key offers: keywords, tables, columns.
#ifndef BENNU_SRC_CLI_COMPLETION_H_
#define BENNU_SRC_CLI_COMPLETION_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"

namespace bennu::cli {

class Completion {
 public:
  explicit Completion(SqlConnection* connection) : connection_(connection) {}  // must outlive this

  // Names that begin with 'prefix' (case does not matter), sorted, each once.
  std::vector<std::string> Candidates(std::string_view prefix);
  // A definition may have changed the tables: ask again at the next need.
  void Invalidate() { loaded_ = false; }

  // Longest text that all candidates begin with.
  static std::string CommonPrefix(const std::vector<std::string>& candidates);

 private:
  void Load();

  SqlConnection* const connection_;
  bool loaded_ = false;
  std::vector<std::string> names_;  // of tables and columns
};

// The words of Phoenix's grammar, upper case, sorted.
const std::vector<std::string_view>& SqlKeywords();

// The line with colours for a terminal: keywords, strings, numbers, comments.
std::string ColourSql(std::string_view line);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_COMPLETION_H_
