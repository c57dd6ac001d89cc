#include "src/cli/line_editor.h"

#include <fmt/format.h>
#include <histedit.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "src/cli/completion.h"

namespace bennu::cli {

namespace {

constexpr int kHistoryEntries = 5000;

void IgnoreInterrupt(int) {}  // only wakes the read

}  // namespace

std::string HomeFile(std::string_view name) {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : fmt::format("{}/{}", home, name);
}

LineEditor::LineEditor(std::string_view history_file, std::string_view separators,
                       Candidates candidates)
    : separators_(separators),
      candidates_(std::move(candidates)),
      edit_(el_init("bennu", stdin, stdout, stderr)),
      history_(history_init()),
      history_file_(HomeFile(history_file)) {
  HistEvent event;
  ::history(history_, &event, H_SETSIZE, kHistoryEntries);
  ::history(history_, &event, H_SETUNIQUE, 1);
  if (!history_file_.empty()) ::history(history_, &event, H_LOAD, history_file_.c_str());
  el_set(edit_, EL_CLIENTDATA, this);
  el_set(edit_, EL_PROMPT, &LineEditor::Prompt);
  el_set(edit_, EL_EDITOR, "emacs");
  el_set(edit_, EL_HIST, ::history, history_);
  el_set(edit_, EL_ADDFN, "bennu-complete", "complete a word", &LineEditor::Complete);
  el_set(edit_, EL_BIND, "^I", "bennu-complete", nullptr);
  el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_source(edit_, nullptr);  // ~/.editrc
}

LineEditor::~LineEditor() {
  HistEvent event;
  if (!history_file_.empty()) ::history(history_, &event, H_SAVE, history_file_.c_str());
  history_end(history_);
  el_end(edit_);
}

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string* line) {
  prompt_ = prompt;
  struct sigaction wake = {};
  struct sigaction previous = {};
  wake.sa_handler = IgnoreInterrupt;  // without SA_RESTART, so that the read returns
  sigaction(SIGINT, &wake, &previous);
  int length = 0;
  errno = 0;
  const char* text = el_gets(edit_, &length);
  const int error = errno;
  sigaction(SIGINT, &previous, nullptr);
  if (text == nullptr) {
    if (error == EINTR) {
      el_reset(edit_);
      return Outcome::kInterrupted;
    }
    return Outcome::kEnd;
  }
  line->assign(text, static_cast<size_t>(length));
  while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) line->pop_back();
  return Outcome::kLine;
}

void LineEditor::Remember(const std::string& statement) {
  HistEvent event;
  ::history(history_, &event, H_ENTER, statement.c_str());
}

char* LineEditor::Prompt(editline* edit) {
  LineEditor* self = nullptr;
  el_get(edit, EL_CLIENTDATA, &self);
  return self->prompt_.data();
}

unsigned char LineEditor::Complete(editline* edit, int /*key*/) {
  LineEditor* self = nullptr;
  el_get(edit, EL_CLIENTDATA, &self);
  const LineInfo* info = el_line(edit);
  const std::string_view typed(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
  const size_t start = typed.find_last_of(self->separators_) + 1;
  const std::string_view word = typed.substr(start);
  const char before = start > 0 ? typed[start - 1] : '\0';
  const std::vector<std::string> candidates = self->candidates_(word, before);
  if (candidates.empty()) return CC_ERROR;
  std::string common = Completion::CommonPrefix(candidates);
  if (candidates.size() == 1) {
    const bool quoted = before == '\'' || before == '"';
    common += quoted ? before : ' ';  // a quoted word ends as it began
  }
  if (common.size() > word.size()) {
    el_deletestr(edit, static_cast<int>(word.size()));
    el_insertstr(edit, common.c_str());
    return CC_REFRESH;
  }
  constexpr size_t kShown = 60;
  std::fputc('\n', stdout);
  for (size_t i = 0; i < candidates.size() && i < kShown; ++i) {
    fmt::print("{}  ", candidates[i]);
  }
  if (candidates.size() > kShown) fmt::print("… {} more", candidates.size() - kShown);
  std::fputc('\n', stdout);
  return CC_REDISPLAY;
}

}  // namespace bennu::cli
