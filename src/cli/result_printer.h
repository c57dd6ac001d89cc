// Prints results in the formats of `bennu sql --format`.
//
//   table     aligned columns under a heading, as psql
//   vertical  one line per column, for wide rows
//   csv       RFC 4180 with LF; NULL an empty field, empty text "", binary in hex
//   tsv       \t \n \r \\ escaped, a quote at a field's start as \", NULL \N
//   json      one array of objects per result, one array per line; a label that comes again gets
//             _1, _2 …
//   jsonl     the same objects, each in a line of its own, with nothing around or between them
//   markdown  a table of GitHub's Markdown, numbers to the right; NULL as NULL, binary in hex, and
//             what Markdown would take for its own as escapes
//
// One printer per session of output: it remembers whether a result went before (csv, tsv and
// markdown put an empty line between results).
#ifndef BENNU_SRC_CLI_RESULT_PRINTER_H_
#define BENNU_SRC_CLI_RESULT_PRINTER_H_

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/cli/pager.h"

namespace bennu::cli {

// kAuto: a table, or the rows one below the other where a table is wider than the screen.
enum class OutputFormat { kAuto, kTable, kVertical, kCsv, kTsv, kJson, kJsonLines, kMarkdown };
// Whether it is for people: acknowledgements stand among the results.
inline bool IsForPeople(OutputFormat format) { return format <= OutputFormat::kVertical; }

std::optional<OutputFormat> OutputFormatByName(std::string_view name);
const std::vector<std::string>& OutputFormatNames();

class HeadRows;

class ResultPrinter {
 public:
  // 'out' gets the results, 'notes' the acknowledgements where they would spoil the results. Both
  // must outlive this.
  ResultPrinter(OutputFormat format, std::FILE* out, std::FILE* notes);

  // Prints all rows of a query, or the acknowledgement of another statement, and flushes. Calls
  // 'before_output' when the first of it is about to be written. A query that fails before its
  // first row prints nothing.
  Status Print(ResultSet* result, const std::function<void()>& before_output = nullptr);
  // Results go to a terminal: texts stand there as they are, but for control characters.
  void SetOnTerminal() { on_terminal_ = true; }
  // On a screen, results that do not fit go to this program; empty: to none.
  void SetPager(std::string command) { pager_command_ = std::move(command); }
  void set_format(OutputFormat format) { format_ = format; }
  OutputFormat format() const { return format_; }
  uint64_t rows_printed() const { return rows_printed_; }  // of the last result

 private:
  // 'more': the result stands at a row, its first; false when it has none.
  // Both kinds of tables look at the first rows to know how wide their columns are.
  Status PrintTable(ResultSet* result, bool more);
  Status PrintMarkdown(ResultSet* result, bool more);
  void PrintTableHead(const std::vector<std::string>& labels, const std::vector<size_t>& widths);
  Status PrintVertical(ResultSet* result, bool more);
  Status PrintAsVertical(const std::vector<std::string>& labels, HeadRows* rows);
  void OpenPager(size_t lines, size_t columns);
  Status PrintDelimited(ResultSet* result, bool more, bool csv);
  Status PrintJson(ResultSet* result, bool more, bool lines);
  void Acknowledge(int64_t update_count);
  void AboutToWrite();
  void Write(std::string_view text);
  void FlushOutput();

  OutputFormat format_;
  bool on_terminal_ = false;
  size_t screen_columns_ = 0;  // of the terminal as it is now; 0: there is none
  size_t screen_lines_ = 0;
  std::string pager_command_;
  std::unique_ptr<Pager> pager_;  // of the result that is being printed
  bool unread_ = false;           // whoever read it has left
  std::FILE* const out_;
  std::FILE* const notes_;
  std::function<void()> before_output_;  // of the result that is being printed; empty once called
  bool printed_any_ = false;
  uint64_t rows_printed_ = 0;
  std::string buffer_;
};

// Columns that UTF-8 text takes on a terminal: East Asian characters take two, marks that are set
// on others none.
size_t DisplayWidth(std::string_view text);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_RESULT_PRINTER_H_
