#include "src/cli/result_printer.h"

#include <fmt/format.h>
#include <wchar.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <cwchar>
#include <set>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/base/utf8.h"
#include "src/cli/csv_reader.h"
#include "src/cli/terminal.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

// Rows looked at before column widths are fixed; later rows may stand out, but the first screen
// is aligned and a result of any size needs bounded memory.
constexpr size_t kRowsForWidths = 5000;
constexpr size_t kFlushBytes = 64 * 1024;

constexpr std::pair<std::string_view, OutputFormat> kFormats[] = {
    {"auto", OutputFormat::kAuto},         {"table", OutputFormat::kTable},
    {"csv", OutputFormat::kCsv},           {"tsv", OutputFormat::kTsv},
    {"json", OutputFormat::kJson},         {"jsonl", OutputFormat::kJsonLines},
    {"markdown", OutputFormat::kMarkdown}, {"vertical", OutputFormat::kVertical},
};

template <typename T>
bool Holds(const Datum& datum) {
  return std::holds_alternative<T>(datum.variant());
}

bool IsNumeric(const ColumnInfo& column) {
  static constexpr std::string_view kNames[] = {"BIGINT", "INTEGER", "SMALLINT", "TINYINT", "FLOAT",
                                                "DOUBLE", "DECIMAL", "LONG",     "INT"};
  std::string_view name = column.type;
  if (name.starts_with("UNSIGNED_")) name.remove_prefix(9);
  name = name.substr(0, name.find('('));
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::string CellText(const ResultSet& result, size_t column) {
  if (result.IsNull(column)) return "NULL";
  const Datum datum = result.Get(column);
  if (Holds<std::string>(datum)) return sql::EscapeText(std::get<std::string>(datum.variant()));
  return result.GetText(column);
}

// 'text', or 'scratch' with U+FFFD for what is no UTF-8, as an HBase client can have stored it:
// readers of JSON refuse a file with such bytes, and a terminal may take them for commands.
std::string_view ValidText(std::string_view text, std::string* scratch) {
  if (sql::IsValidUtf8(text)) return text;
  AppendValidUtf8(text, scratch);
  return *scratch;
}

// Of a text on a terminal: control characters would move the cursor.
std::string OnScreen(std::string_view text) {
  std::string scratch;
  std::string shown;
  shown.reserve(text.size());
  for (const char c : ValidText(text, &scratch)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      shown += fmt::format("\\u{:04x}", byte);
    } else {
      shown.push_back(c);
    }
  }
  return shown;
}

std::string ScreenText(const ResultSet& result, size_t column) {
  if (result.IsNull(column)) return "NULL";
  const Datum datum = result.Get(column);
  if (Holds<std::string>(datum)) return OnScreen(std::get<std::string>(datum.variant()));
  return result.GetText(column);
}

// Of a plan the depth of a line is told by the blanks before it.
bool IsPlan(const std::vector<ColumnInfo>& columns) {
  return !columns.empty() && columns[0].label == "PLAN";
}

std::string Hex(ByteView bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

void AppendCsvField(std::string_view field, std::string* out) {
  if (field.find_first_of(",\"\n\r") == std::string_view::npos) {
    out->append(field);
    return;
  }
  out->push_back('"');
  for (const char c : field) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

void AppendTsvField(std::string_view field, std::string* out) {
  // Or a reader takes it for a quoted field, or `bennu load` for the reason of a rejected line.
  if (field.starts_with('"') || field.starts_with(kRejectMark)) out->push_back('\\');
  for (const char c : field) {
    switch (c) {
      case '\t': out->append("\\t"); break;
      case '\n': out->append("\\n"); break;
      case '\r': out->append("\\r"); break;
      case '\\': out->append("\\\\"); break;
      default: out->push_back(c);
    }
  }
}

void AppendJsonString(std::string_view text, std::string* out) {
  std::string scratch;
  out->push_back('"');
  for (const char c : ValidText(text, &scratch)) {
    switch (c) {
      case '"': out->append("\\\""); break;
      case '\\': out->append("\\\\"); break;
      case '\n': out->append("\\n"); break;
      case '\r': out->append("\\r"); break;
      case '\t': out->append("\\t"); break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out->append(fmt::format("\\u{:04x}", static_cast<unsigned char>(c)));
        } else {
          out->push_back(c);
        }
    }
  }
  out->push_back('"');
}

void AppendJsonReal(double value, std::string text, std::string* out) {
  // JSON has no NaN and no infinities; as text they can still be told apart.
  out->append(std::isfinite(value) ? text : '"' + text + '"');
}

// An element of an array.
void AppendJsonDatum(const Datum& datum, std::string* out) {
  if (datum.is_null()) {
    out->append("null");
  } else if (const auto* truth = std::get_if<bool>(&datum.variant())) {
    out->append(*truth ? "true" : "false");
  } else if (const auto* integer = std::get_if<int64_t>(&datum.variant())) {
    out->append(std::to_string(*integer));
  } else if (const auto* real = std::get_if<double>(&datum.variant())) {
    AppendJsonReal(*real, sql::DoubleToText(*real), out);
  } else if (const auto* number = std::get_if<Datum::Number>(&datum.variant())) {
    out->append(number->digits);
  } else if (const auto* moment = std::get_if<Datum::Moment>(&datum.variant())) {
    AppendJsonString(sql::DateTimeToText({moment->millis, moment->nanos}), out);
  } else if (const auto* binary = std::get_if<Datum::Binary>(&datum.variant())) {
    AppendJsonString(Hex(binary->bytes), out);
  } else if (const auto* text = std::get_if<std::string>(&datum.variant())) {
    AppendJsonString(*text, out);
  }
}

void AppendJsonArray(const Datum::Array& array, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < array.elements.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonDatum(array.elements[i], out);
  }
  out->push_back(']');
}

void AppendJsonValue(const ResultSet& result, size_t column, std::string* out) {
  const Datum datum = result.Get(column);
  if (datum.is_null()) {
    out->append("null");
  } else if (Holds<bool>(datum) || Holds<int64_t>(datum) || Holds<Datum::Number>(datum)) {
    out->append(result.GetText(column));
  } else if (Holds<double>(datum)) {
    AppendJsonReal(std::get<double>(datum.variant()), result.GetText(column), out);
  } else if (Holds<Datum::Array>(datum)) {
    AppendJsonArray(std::get<Datum::Array>(datum.variant()), out);
  } else if (Holds<Datum::Binary>(datum)) {
    AppendJsonString(Hex(std::get<Datum::Binary>(datum.variant()).bytes), out);
  } else if (Holds<std::string>(datum)) {
    AppendJsonString(std::get<std::string>(datum.variant()), out);
  } else {
    AppendJsonString(result.GetText(column), out);
  }
}

// A field of csv or tsv; the caller has dealt with NULL.
std::string FieldText(const ResultSet& result, size_t column) {
  const Datum datum = result.Get(column);
  if (Holds<std::string>(datum)) return std::get<std::string>(datum.variant());
  if (Holds<Datum::Binary>(datum)) return Hex(std::get<Datum::Binary>(datum.variant()).bytes);
  return result.GetText(column);
}

// A cell of a Markdown table (GitHub's): a `|` would end it, a line break the row, and `<` and `\\`
// would begin what is not shown as it stands.
std::string MarkdownCell(std::string_view text) {
  std::string scratch;
  text = ValidText(text, &scratch);
  std::string cell;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') {
      if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
      cell += "<br>";
      continue;
    }
    if (c == '|' || c == '<' || c == '\\') cell.push_back('\\');
    cell.push_back(c);
  }
  return cell;
}

std::string MarkdownText(const ResultSet& result, size_t column) {
  return result.IsNull(column) ? "NULL" : MarkdownCell(FieldText(result, column));
}

void AppendPadded(std::string_view text, size_t width, bool right, std::string* out) {
  const size_t used = DisplayWidth(text);
  const size_t pad = width > used ? width - used : 0;
  if (right) out->append(pad, ' ');
  out->append(text);
  if (!right) out->append(pad, ' ');
}

// The labels of the columns, each once: of `SELECT 1, 1` they are "1" and "1_1", as in DuckDB.
// Readers of JSON keep one of two members with the same name, and the other is lost.
std::vector<std::string> JsonKeys(const std::vector<ColumnInfo>& columns) {
  std::set<std::string> labels;
  for (const ColumnInfo& column : columns) labels.insert(column.label);
  std::set<std::string> given;
  std::vector<std::string> keys;
  for (const ColumnInfo& column : columns) {
    std::string key = column.label;
    // A column that has such a label of its own keeps it.
    for (int number = 1; given.contains(key) || (number > 1 && labels.contains(key)); ++number) {
      key = fmt::format("{}_{}", column.label, number);
    }
    given.insert(key);
    keys.push_back(std::move(key));
  }
  return keys;
}

std::string RowCountLine(uint64_t rows) {
  return fmt::format("({} row{})\n", rows, rows == 1 ? "" : "s");
}

}  // namespace

// The first rows of a result, whose cells decide how wide its columns are; later ones stand out.
class HeadRows {
 public:
  using CellOf = std::string (*)(const ResultSet&, size_t);

  // 'labels' are the headings, of which none is wider than its column.
  HeadRows(ResultSet* result, const std::vector<std::string>& labels, CellOf cell_of)
      : result_(result), cell_of_(cell_of), columns_(labels.size()) {
    for (const std::string& label : labels) widths_.push_back(DisplayWidth(label));
  }

  // 'more': the result stands at a row.
  void Read(bool more) {
    more_ = more;
    for (; more_ && cells_.size() < kRowsForWidths * columns_; Advance()) {
      for (size_t i = 0; i < columns_; ++i) {
        cells_.push_back(cell_of_(*result_, i));
        widths_[i] = std::max(widths_[i], DisplayWidth(cells_.back()));
      }
    }
  }
  // Hands the cells of each row to 'write', one row after another, those read and all that follow,
  // until it returns false.
  Status ForEach(const std::function<bool(const std::string* cells)>& write) {
    for (size_t at = 0; at < cells_.size(); at += columns_) {
      if (!write(&cells_[at])) return Status();
    }
    std::vector<std::string> row(columns_);
    for (; more_; Advance()) {
      for (size_t i = 0; i < columns_; ++i) row[i] = cell_of_(*result_, i);
      if (!write(row.data())) return Status();
    }
    return status_;
  }
  size_t rows_read() const { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  const std::vector<size_t>& widths() const { return widths_; }

 private:
  void Advance() {
    const Result<bool> next = result_->Next();
    status_ = next.status();
    more_ = next.ok() && *next;
  }

  ResultSet* const result_;
  const CellOf cell_of_;
  const size_t columns_;
  std::vector<size_t> widths_;
  std::vector<std::string> cells_;  // row by row
  bool more_ = false;
  Status status_;
};

std::optional<OutputFormat> OutputFormatByName(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  return std::nullopt;
}

const std::vector<std::string>& OutputFormatNames() {
  static const std::vector<std::string>* const names = [] {
    auto* const all = new std::vector<std::string>;
    for (const auto& [name, format] : kFormats) all->emplace_back(name);
    return all;
  }();
  return *names;
}

size_t DisplayWidth(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
  if (ascii) return text.size();
  // The library knows how wide characters are, under a locale of UTF-8, whatever the user's is.
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(utf8);
  size_t width = 0;
  std::mbstate_t state{};
  while (!text.empty()) {
    wchar_t character = 0;
    size_t length = std::mbrtowc(&character, text.data(), text.size(), &state);
    int columns = 1;
    if (length == 0 || length > text.size()) {  // no character: one byte, shown as something
      length = 1;
      state = {};
    } else {
      columns = std::max(wcwidth(character), 0);
    }
    width += static_cast<size_t>(columns);
    text.remove_prefix(length);
  }
  uselocale(before);
  return width;
}

ResultPrinter::ResultPrinter(OutputFormat format, std::FILE* out, std::FILE* notes)
    : format_(format), out_(out), notes_(notes) {}

void ResultPrinter::Write(std::string_view text) {
  buffer_.append(text);
  if (buffer_.size() >= kFlushBytes) FlushOutput();
}

void ResultPrinter::AboutToWrite() {
  if (before_output_) before_output_();
  before_output_ = nullptr;
}

void ResultPrinter::FlushOutput() {
  if (!buffer_.empty()) AboutToWrite();
  std::FILE* const to = pager_ != nullptr ? pager_->input() : out_;
  const size_t written = std::fwrite(buffer_.data(), 1, buffer_.size(), to);
  if (written < buffer_.size() || std::fflush(to) != 0) unread_ = true;
  buffer_.clear();
}

void ResultPrinter::Acknowledge(int64_t update_count) {
  std::FILE* const to = IsForPeople(format_) ? out_ : notes_;
  const std::string line = update_count < 0 ? "ok\n"
                                            : fmt::format("{} row{} affected\n", update_count,
                                                          update_count == 1 ? "" : "s");
  AboutToWrite();
  std::fwrite(line.data(), 1, line.size(), to);
  std::fflush(to);
}

Status ResultPrinter::Print(ResultSet* result, const std::function<void()>& before_output) {
  rows_printed_ = 0;
  unread_ = false;
  screen_columns_ = on_terminal_ ? TerminalWidth() : 0;
  screen_lines_ = on_terminal_ ? TerminalHeight() : 0;
  before_output_ = before_output;
  if (result->columns().empty()) {
    Acknowledge(result->update_count());
    return Status();
  }
  ASSIGN_OR_RETURN(const bool more, result->Next());
  Status status;
  switch (format_) {
    case OutputFormat::kAuto:
    case OutputFormat::kTable: status = PrintTable(result, more); break;
    case OutputFormat::kVertical: status = PrintVertical(result, more); break;
    case OutputFormat::kCsv: status = PrintDelimited(result, more, true); break;
    case OutputFormat::kTsv: status = PrintDelimited(result, more, false); break;
    case OutputFormat::kJson: status = PrintJson(result, more, false); break;
    case OutputFormat::kJsonLines: status = PrintJson(result, more, true); break;
    case OutputFormat::kMarkdown: status = PrintMarkdown(result, more); break;
  }
  FlushOutput();
  pager_.reset();
  printed_any_ = true;
  return status;
}

void ResultPrinter::OpenPager(size_t lines, size_t columns) {
  if (screen_columns_ == 0 || pager_command_.empty()) return;
  if (lines < screen_lines_ && columns <= screen_columns_) return;
  AboutToWrite();
  pager_ = std::make_unique<Pager>(pager_command_);
  if (pager_->input() == nullptr) pager_.reset();
}

void ResultPrinter::PrintTableHead(const std::vector<std::string>& labels,
                                   const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < labels.size(); ++i) {
    line += i == 0 ? " " : " | ";
    AppendPadded(labels[i], widths[i], false, &line);
  }
  line += "\n";
  for (size_t i = 0; i < labels.size(); ++i) {
    line += i == 0 ? "" : "+";
    line.append(widths[i] + 2, '-');
  }
  Write(line + "\n");
}

Status ResultPrinter::PrintTable(ResultSet* result, bool more) {
  std::vector<std::string> labels;
  std::vector<bool> right;
  for (const ColumnInfo& column : result->columns()) {
    labels.push_back(OnScreen(column.label));
    right.push_back(IsNumeric(column));
  }
  const bool plain = screen_columns_ > 0 || IsPlan(result->columns());
  HeadRows rows(result, labels, plain ? ScreenText : CellText);
  rows.Read(more);
  size_t width = 0;
  for (const size_t of_column : rows.widths()) width += of_column + 3;
  if (format_ == OutputFormat::kAuto && screen_columns_ > 0 && width > screen_columns_ + 1 &&
      labels.size() > 1) {
    return PrintAsVertical(labels, &rows);
  }
  constexpr size_t kLinesBesides = 4;  // the heading, the count, the prompt
  OpenPager(rows.rows_read() + kLinesBesides, width);
  PrintTableHead(labels, rows.widths());
  std::string line;
  const Status status = rows.ForEach([&](const std::string* cells) {
    line.clear();
    for (size_t i = 0; i < labels.size(); ++i) {
      line += i == 0 ? " " : " | ";
      AppendPadded(cells[i], rows.widths()[i], right[i], &line);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    Write(line + "\n");
    ++rows_printed_;
    return !unread_;
  });
  if (status.ok()) Write(RowCountLine(rows_printed_));
  return status;
}

Status ResultPrinter::PrintMarkdown(ResultSet* result, bool more) {
  std::vector<std::string> labels;
  std::vector<bool> right;
  for (const ColumnInfo& column : result->columns()) {
    labels.push_back(MarkdownCell(OnScreen(column.label)));
    right.push_back(IsNumeric(column));
  }
  HeadRows rows(result, labels, MarkdownText);
  rows.Read(more);
  const auto write_row = [&](const std::string* cells) {
    std::string line = "|";
    for (size_t i = 0; i < labels.size(); ++i) {
      line += " ";
      AppendPadded(cells[i], rows.widths()[i], right[i], &line);
      line += " |";
    }
    Write(line + "\n");
  };
  if (printed_any_) Write("\n");
  write_row(labels.data());
  std::string line = "|";
  for (size_t i = 0; i < labels.size(); ++i) {
    line.append(rows.widths()[i] + (right[i] ? 1 : 2), '-');
    line += right[i] ? ":|" : "|";
  }
  Write(line + "\n");
  return rows.ForEach([&](const std::string* cells) {
    write_row(cells);
    ++rows_printed_;
    return !unread_;
  });
}

Status ResultPrinter::PrintVertical(ResultSet* result, bool more) {
  std::vector<std::string> labels;
  for (const ColumnInfo& column : result->columns()) labels.push_back(OnScreen(column.label));
  const bool plain = screen_columns_ > 0 || IsPlan(result->columns());
  HeadRows rows(result, labels, plain ? ScreenText : CellText);
  rows.Read(more);
  return PrintAsVertical(labels, &rows);
}

Status ResultPrinter::PrintAsVertical(const std::vector<std::string>& labels, HeadRows* rows) {
  size_t width = 0;
  for (const std::string& label : labels) width = std::max(width, DisplayWidth(label));
  constexpr size_t kLinesBesides = 2;  // the count, the prompt
  OpenPager(rows->rows_read() * (labels.size() + 1) + kLinesBesides, 0);
  const Status status = rows->ForEach([&](const std::string* cells) {
    Write(fmt::format("-[ row {} ]{}\n", ++rows_printed_, std::string(width, '-')));
    for (size_t i = 0; i < labels.size(); ++i) {
      std::string line;
      AppendPadded(labels[i], width, false, &line);
      Write(line + " | " + cells[i] + "\n");
    }
    return !unread_;
  });
  if (status.ok()) Write(RowCountLine(rows_printed_));
  return status;
}

Status ResultPrinter::PrintDelimited(ResultSet* result, bool more, bool csv) {
  const std::vector<ColumnInfo>& columns = result->columns();
  const char delimiter = csv ? ',' : '\t';
  std::string line = printed_any_ ? "\n" : "";
  const auto append = csv ? AppendCsvField : AppendTsvField;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line.push_back(delimiter);
    append(columns[i].label, &line);
  }
  Write(line + "\n");
  while (more) {
    line.clear();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) line.push_back(delimiter);
      if (result->IsNull(i)) {
        if (!csv) line += "\\N";
        continue;
      }
      const std::string field = FieldText(*result, i);
      if (csv && field.empty()) {
        line += "\"\"";
      } else {
        append(field, &line);
      }
    }
    line.push_back('\n');
    Write(line);
    ++rows_printed_;
    ASSIGN_OR_RETURN(more, result->Next());
  }
  return Status();
}

Status ResultPrinter::PrintJson(ResultSet* result, bool more, bool lines) {
  const std::vector<std::string> keys = JsonKeys(result->columns());
  if (!lines) Write("[");
  while (more) {
    std::string line = lines || rows_printed_ == 0 ? "{" : ",{";
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) line.push_back(',');
      AppendJsonString(keys[i], &line);
      line.push_back(':');
      AppendJsonValue(*result, i, &line);
    }
    Write(line + (lines ? "}\n" : "}"));
    ++rows_printed_;
    ASSIGN_OR_RETURN(more, result->Next());
  }
  if (!lines) Write("]\n");
  return Status();
}

}  // namespace bennu::cli
