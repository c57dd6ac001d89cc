// Session: takes lines as they are typed, runs the statements in them and shows what comes of it,
// as HBase's shell does. One thread at a time.
#ifndef BENNU_SRC_SHELL_SESSION_H_
#define BENNU_SRC_SHELL_SESSION_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/shell/command.h"
#include "src/shell/parser.h"
#include "src/shell/value.h"

namespace bennu::shell {

class Session {
 public:
  // 'stop_on_error': the first statement that fails ends the session; its error is then told by the
  // caller (error()) and not shown.
  Session(Environment environment, bool stop_on_error)
      : environment_(std::move(environment)), stop_on_error_(stop_on_error) {}

  // "bennu:003:0> ", with the number of the line to come, the brackets that are open, and '*' or
  // the quote of an open string where a statement goes on.
  std::string Prompt() const;
  // A line without its end. Runs what is complete now.
  void Take(std::string_view line);
  // The input has ended: what was begun and not completed is an error.
  void Finish();
  // Gives up what was begun.
  void Clear();

  bool wants_more() const { return !text_.empty(); }
  bool ended() const { return ended_; }  // by exit, or by an error
  int exit_argument() const { return exit_argument_; }
  bool failed() const { return !error_.ok(); }    // some statement did
  const Status& error() const { return error_; }  // the last one

  // Names that begin with 'prefix', sorted: of commands, constants and variables, and in quotes of
  // tables.
  std::vector<std::string> Complete(std::string_view prefix) const;
  std::vector<std::string> CompleteQuoted(std::string_view prefix) const;

 private:
  Result<Value> Evaluate(const Expression& expression);
  Result<Value> EvaluateName(const Expression& expression);
  Result<Value> EvaluateCall(const Expression& expression);
  Result<Value> CallOn(const Value& receiver, const Expression& expression);
  Result<Value> Call(std::string_view name, const Arguments& arguments);
  Result<Value> Run(const Command& command, const Arguments& arguments);
  Status Help(const Arguments& arguments);
  void Fail(const Status& status);

  const Environment environment_;
  const bool stop_on_error_;
  std::map<std::string, Value, std::less<>> variables_;
  std::string text_;  // lines of a statement that goes on
  Parsed open_;       // what is known of it
  size_t line_number_ = 1;
  bool ended_ = false;
  int exit_argument_ = 0;
  Status error_;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_SESSION_H_
