// Cuts CSV (RFC 4180, any one-byte delimiter, LF or CRLF) into records.
//
// Quoted fields may hold delimiters, line ends and doubled quotes. A byte order mark at the start
// of the file is passed over, as are the reasons in a file of rejected lines. Where the delimiter
// is a tab, fields without quotes may hold the escapes of `bennu sql --format tsv`. One thread at a
// time.
#ifndef BENNU_SRC_CLI_CSV_READER_H_
#define BENNU_SRC_CLI_CSV_READER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/cli/input_stream.h"

namespace bennu::cli {

struct CsvField {
  std::string_view text;
  bool quoted = false;   // "" is empty text, an empty field without quotes is NULL
  bool is_null = false;  // \N between tabs
};

// Begins a line of a file of rejected lines that says why the next one is there.
inline constexpr std::string_view kRejectMark = "# rejected, line ";

class CsvReader {
 public:
  // A longer record is an error: most likely a quote was never closed.
  static constexpr size_t kRecordBytesMax = 64 * 1024 * 1024;

  CsvReader(InputStream* input, char delimiter) : input_(input), delimiter_(delimiter) {}

  // The first line that Next will take, without its end, and without taking it; empty at the end. A
  // view until Next is called.
  Result<std::string_view> PeekLine();
  void SetDelimiter(char delimiter) { delimiter_ = delimiter; }

  // Replaces *fields by those of the next record; false at the end. Views are valid until the next
  // call. Empty lines are passed over. InvalidArgument: a malformed record (line() tells where);
  // the next call goes on behind it.
  Result<bool> Next(std::vector<CsvField>* fields);

  // The next call of Next gives the last record again.
  void Unread() { unread_ = true; }

  int64_t line() const { return line_; }               // where the last record begins, from 1
  std::string_view record() const { return record_; }  // its text, without the line's end
  uint64_t reasons() const { return reasons_; }  // lines with kRejectMark that were passed over

 private:
  Status Fill();
  size_t FindOpeningQuote(size_t from, size_t to, bool doubled) const;
  Result<bool> FindRecord();
  Status Split(std::vector<CsvField>* fields);
  Status TakeEscapes(CsvField* field);

  InputStream* const input_;  // must outlive this
  char delimiter_;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not yet handed out
  bool at_end_ = false;
  bool unread_ = false;
  int64_t line_ = 0;
  int64_t next_line_ = 1;
  std::string_view record_;
  bool is_reason_ = false;  // record_ is a line with kRejectMark
  uint64_t reasons_ = 0;
  std::string unquoted_;  // fields with doubled quotes or escapes, put together
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_CSV_READER_H_
