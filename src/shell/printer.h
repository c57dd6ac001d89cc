// Printer: how commands show what they found, in the columns of HBase's shell.
//
// On a terminal the first of two columns takes a quarter of the width and longer texts are folded;
// elsewhere nothing is padded or folded. One thread at a time.
#ifndef BENNU_SRC_SHELL_PRINTER_H_
#define BENNU_SRC_SHELL_PRINTER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bennu::shell {

class Printer {
 public:
  using Write = std::function<void(std::string_view)>;
  // 'width': columns of the terminal, 0 where there is none; asked for at each table's head.
  Printer(Write write, std::function<size_t()> width)
      : write_(std::move(write)), width_of_terminal_(std::move(width)) {}

  // A line as it is.
  void Line(std::string_view text);
  // Without a line's end.
  void Text(std::string_view text) { write_(text); }

  // One column, and two.
  void Header(std::string_view title);
  void Header(std::string_view first, std::string_view second);
  void Row(std::string_view text);
  void Row(std::string_view first, std::string_view second);
  // Three or more, a blank between two.
  void Columns(const std::vector<std::string>& texts);
  // "2 row(s)". 'stale': a secondary replica told some of them.
  void Footer(size_t row_count, bool stale = false);

 private:
  void Columns(std::string_view first, std::string_view second, bool indented);

  const Write write_;
  const std::function<size_t()> width_of_terminal_;
  size_t width_ = 0;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_PRINTER_H_
