// Cuts a script into statements, line by line, for the command line and for files of SQL.
#ifndef BENNU_SRC_SQL_PARSE_SPLITTER_H_
#define BENNU_SRC_SQL_PARSE_SPLITTER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bennu::sql::parse {

struct ScriptStatement {
  std::string text;  // without the ';', comments kept, blanks at both ends removed
  int32_t line = 1;  // of its first word in the script, from 1
};

// A statement ends at a ';' outside quotes, quoted names and comments. A line may hold several.
// Lines with nothing but comments and blanks between statements are dropped. One thread.
class StatementSplitter {
 public:
  // Takes one line without its line end; returns the statements that it completes.
  std::vector<ScriptStatement> AddLine(std::string_view line);
  // A line that is not for the splitter; it counts.
  void PassLine() { ++line_; }
  // What is left at the end of the script: a last statement without ';', or nothing.
  std::optional<ScriptStatement> Finish();

  // True while no statement has begun: a prompt for a new one fits.
  bool at_start() const { return !started_; }
  int32_t line() const { return line_; }  // lines taken so far
  // Forgets the unfinished statement (the user gave it up); line numbers go on.
  void Clear();

 private:
  enum class State : uint8_t { kPlain, kString, kName, kBlockComment };
  size_t StepPlain(std::string_view line, size_t i, std::vector<ScriptStatement>* done);
  size_t TakeUpTo(std::string_view special, std::string_view line, size_t i);
  ScriptStatement Take();

  State state_ = State::kPlain;
  bool started_ = false;  // a character other than blanks and comments was seen
  int32_t line_ = 0;
  int32_t start_line_ = 0;
  std::string text_;
};

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_SPLITTER_H_
