#include "src/cli/line_editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <optional>
#include <utility>

#include "src/cli/completion.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

constexpr int kHistoryEntries = 5000;

// Stands in the line for bytes that are no UTF-8, so that the user sees them.
const char* Replacement() { return MB_CUR_MAX > 1 ? "\xEF\xBF\xBD" : "?"; }

// libedit asks the C library what a character is, and the "C" locale that a process begins with has
// none outside ASCII. Text here is UTF-8 whatever the user's locale is, and the user's own would
// change more: in Turkish ones toupper('i') is not 'I'.
void UseUtf8() {
  for (const char* name : {"C.UTF-8", "C.utf8", "en_US.UTF-8"}) {
    if (std::setlocale(LC_CTYPE, name) != nullptr) return;
  }
  fmt::print(stderr,
             "WARNING: this system has none of the locales C.UTF-8 and en_US.UTF-8: characters "
             "outside ASCII cannot be typed here; put such statements into a script\n");
}

editline* NewEditor() {
  UseUtf8();  // before libedit begins: it looks once
  return el_init("bennu", stdin, stdout, stderr);
}

// Where the handler of SIGINT tells of it: the kernel may run it in any thread, and a wait for keys
// that only begins just then must end as well.
int g_interrupt_pipe[2] = {-1, -1};

void TellInterrupt(int) {
  const int error = errno;
  const char byte = 0;
  [[maybe_unused]] const ssize_t told = ::write(g_interrupt_pipe[1], &byte, 1);
  errno = error;
}

// Takes what the handler told; whether there was anything.
bool TakeInterrupt() {
  char bytes[16];
  bool any = false;
  while (::read(g_interrupt_pipe[0], bytes, sizeof(bytes)) > 0) any = true;
  return any;
}

// Ctrl-C ends the prompt's wait for keys while one of these lives.
class InterruptAtPrompt {
 public:
  InterruptAtPrompt() {
    TakeInterrupt();
    struct sigaction tell = {};
    tell.sa_handler = TellInterrupt;
    tell.sa_flags = SA_RESTART;
    sigaction(SIGINT, &tell, &previous_);
  }
  ~InterruptAtPrompt() { sigaction(SIGINT, &previous_, nullptr); }
  InterruptAtPrompt(const InterruptAtPrompt&) = delete;
  InterruptAtPrompt& operator=(const InterruptAtPrompt&) = delete;

 private:
  struct sigaction previous_ = {};
};

// Returns when there is something to read; false with EINTR after a Ctrl-C.
bool WaitForKey() {
  while (true) {
    pollfd waits[2] = {{STDIN_FILENO, POLLIN, 0}, {g_interrupt_pipe[0], POLLIN, 0}};
    if (::poll(waits, 2, -1) < 0) {
      if (errno == EINTR) continue;  // another signal, such as a new size of the window
      return false;
    }
    if (waits[1].revents != 0) {
      errno = EINTR;
      return false;
    }
    if (waits[0].revents != 0) return true;
  }
}

// Reads characters for libedit. A character's bytes may come one by one.
class CharacterReader {
 public:
  // 1, 0 at the input's end, or -1 with errno.
  int Next(wchar_t* character) {
    std::mbstate_t state = {};
    for (bool begun = false;; begun = true) {
      char byte;
      if (kept_.has_value()) {
        byte = *kept_;
        kept_.reset();
      } else if (const ssize_t count = ReadByte(&byte); count <= 0) {
        return static_cast<int>(count);
      }
      const size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == static_cast<size_t>(-2)) continue;  // the character goes on
      if (used != static_cast<size_t>(-1)) return 1;  // a NUL is one, too
      // What was begun ends here; the byte itself may begin the next one, or be the Enter key.
      if (begun) kept_ = byte;
      saw_malformed_ = true;
      *character = MB_CUR_MAX > 1 ? L'\uFFFD' : L'?';
      return 1;
    }
  }

  // Whether bytes came that are no UTF-8 since this was asked last.
  bool TakeMalformed() { return std::exchange(saw_malformed_, false); }

 private:
  static ssize_t ReadByte(char* byte) {
    while (true) {
      if (!WaitForKey()) return -1;
      const ssize_t count = ::read(STDIN_FILENO, byte, 1);
      if (count >= 0 || errno != EINTR) return count;
    }
  }

  std::optional<char> kept_;
  bool saw_malformed_ = false;
};

// libedit's call has no argument for it; there is one LineEditor at a time.
CharacterReader g_characters;

int NextCharacter(editline*, wchar_t* character) { return g_characters.Next(character); }

}  // namespace

std::string HomeFile(std::string_view name) {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : fmt::format("{}/{}", home, name);
}

LineEditor::LineEditor(std::string_view history_file, std::string_view separators,
                       Candidates candidates)
    : separators_(separators),
      candidates_(std::move(candidates)),
      edit_(NewEditor()),
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
  if (::pipe2(g_interrupt_pipe, O_CLOEXEC | O_NONBLOCK) == 0) {
    el_set(edit_, EL_GETCFN, &NextCharacter);
  }
  el_source(edit_, nullptr);  // ~/.editrc
}

LineEditor::~LineEditor() {
  HistEvent event;
  if (!history_file_.empty()) ::history(history_, &event, H_SAVE, history_file_.c_str());
  history_end(history_);
  el_end(edit_);
  for (int& end : g_interrupt_pipe) {
    if (end >= 0) ::close(end);
    end = -1;
  }
}

LineEditor::Outcome LineEditor::Read(const std::string& prompt, std::string* line) {
  prompt_ = prompt;
  const InterruptAtPrompt interrupt;
  int length = 0;
  const char* text = el_gets(edit_, &length);
  const bool malformed = g_characters.TakeMalformed();
  if (TakeInterrupt()) {
    el_reset(edit_);
    return Outcome::kInterrupted;
  }
  if (text == nullptr) return Outcome::kEnd;
  line->assign(text, static_cast<size_t>(length));
  while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) line->pop_back();
  if (malformed && line->find(Replacement()) != std::string::npos) {
    fmt::print(
        stderr,
        "ERROR: the line holds bytes that are not UTF-8, shown as {}; it is dropped. Set the "
        "terminal to UTF-8 and type it again.\n",
        Replacement());
    return Outcome::kInterrupted;
  }
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
  const std::string_view after(info->cursor, static_cast<size_t>(info->lastchar - info->cursor));
  const std::vector<std::string> candidates =
      self->candidates_(typed.substr(0, start), word, after);
  if (candidates.empty()) return CC_ERROR;
  std::string common = Completion::CommonPrefix(candidates);
  if (candidates.size() == 1) {
    const bool quoted = before == '\'' || before == '"';
    common += quoted ? before : ' ';  // a quoted word ends as it began
  }
  if (common.size() > word.size()) {
    el_deletestr(edit, static_cast<int>(sql::Utf8Length(word)));  // it counts characters
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
