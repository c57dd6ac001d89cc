// Pager: a program that shows a page of text at a time, such as less.
#ifndef BENNU_SRC_CLI_PAGER_H_
#define BENNU_SRC_CLI_PAGER_H_

#include <cstdio>
#include <string>

namespace bennu::cli {

// BENNU_PAGER, else PAGER, else less; empty when the variable is, or when there is no such program.
std::string PagerCommand();

// What is written while it lives goes to the pager; its end waits until the user has left it. One
// at a time in a process. Meanwhile a write that nobody reads is an error and ends no process.
class Pager {
 public:
  explicit Pager(const std::string& command);
  ~Pager();
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;

  std::FILE* input() const { return input_; }  // null: it could not be started

 private:
  void (*const previous_)(int);
  std::FILE* const input_;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_PAGER_H_
