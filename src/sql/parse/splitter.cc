#include "src/sql/parse/splitter.h"

#include <algorithm>

namespace bennu::sql::parse {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::vector<ScriptStatement> StatementSplitter::AddLine(std::string_view line) {
  ++line_;
  std::vector<ScriptStatement> done;
  for (size_t i = 0; i < line.size();) {
    switch (state_) {
      case State::kPlain: i = StepPlain(line, i, &done); break;
      case State::kString:
        i = TakeUpTo("\\'", line, i);
        if (i == line.size()) break;
        // A backslash takes the next character with it; '' leaves and enters again.
        if (line[i] == '\\' && i + 1 < line.size()) {
          text_ += line[i++];
        } else if (line[i] == '\'') {
          state_ = State::kPlain;
        }
        text_ += line[i++];
        break;
      case State::kName:
        i = TakeUpTo("\"", line, i);
        if (i == line.size()) break;
        if (line[i] == '"') state_ = State::kPlain;
        text_ += line[i++];
        break;
      case State::kBlockComment:
        if (line.substr(i, 2) == "*/") {
          state_ = State::kPlain;
          text_ += line[i++];
        }
        text_ += line[i++];
        break;
    }
  }
  if (started_ || state_ != State::kPlain) {
    text_ += '\n';
  } else {
    text_.clear();  // comments between statements belong to none
  }
  return done;
}

// Handles the character at 'i' outside quotes and comments; returns where to go on.
size_t StatementSplitter::StepPlain(std::string_view line, size_t i,
                                    std::vector<ScriptStatement>* done) {
  if (started_) {
    i = TakeUpTo("-/;'\"", line, i);
    if (i == line.size()) return i;
  }
  const char c = line[i];
  const std::string_view two = line.substr(i, 2);
  if (two == "--" || two == "//") {
    text_ += line.substr(i);
    return line.size();
  }
  if (two == "/*") {
    state_ = State::kBlockComment;
    text_ += two;
    return i + 2;
  }
  if (c == ';') {
    if (started_) done->push_back(Take());
    Clear();
    return i + 1;
  }
  if (!IsBlank(c) && !started_) {
    started_ = true;
    start_line_ = line_;
  }
  if (c == '\'') state_ = State::kString;
  if (c == '"') state_ = State::kName;
  text_ += c;
  return i + 1;
}

// Takes the characters from 'i' on that are none of 'special' at once; returns the place of the
// first that is, or the line's end.
size_t StatementSplitter::TakeUpTo(std::string_view special, std::string_view line, size_t i) {
  const size_t end = std::min(line.find_first_of(special, i), line.size());
  text_.append(line, i, end - i);
  return end;
}

ScriptStatement StatementSplitter::Take() {
  ScriptStatement statement;
  statement.text = std::string(Trim(text_));
  statement.line = start_line_;
  return statement;
}

std::optional<ScriptStatement> StatementSplitter::Finish() {
  if (!started_) {
    Clear();
    return std::nullopt;
  }
  ScriptStatement statement = Take();
  Clear();
  return statement;
}

void StatementSplitter::Clear() {
  state_ = State::kPlain;
  started_ = false;
  text_.clear();
}

}  // namespace bennu::sql::parse
