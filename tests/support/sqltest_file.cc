#include "tests/support/sqltest_file.h"

#include <charconv>
#include <utility>

#include "src/base/hex.h"

namespace bennu::testing {
namespace {

constexpr std::string_view kColumnsComment = "# columns:";
constexpr std::string_view kUpdateCountComment = "# update count:";
constexpr std::string_view kNoSuchTableComment = "# no such table";
constexpr std::string_view kDeviationComment = "# deviation:";

bool Consume(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

void SkipBlanks(std::string_view* text) {
  while (!text->empty() && text->front() == ' ') text->remove_prefix(1);
}

std::string_view NextWord(std::string_view* text) {
  SkipBlanks(text);
  const size_t end = text->find(' ');
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(word.size());
  SkipBlanks(text);
  return word;
}

Result<int64_t> ParseCount(std::string_view text) {
  SkipBlanks(&text);
  int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size()) {
    return InvalidArgument("'" + std::string(text) + "' is no count");
  }
  return count;
}

std::vector<std::string_view> SplitLines(std::string_view content) {
  std::vector<std::string_view> lines;
  while (!content.empty()) {
    const size_t end = content.find('\n');
    lines.push_back(content.substr(0, end));
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
  }
  return lines;
}

// ---------------------------------------------------------------- binds

// Appends a code point of the basic plane as UTF-8.
void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xC0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  } else {
    out->push_back(static_cast<char>(0xE0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3F)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3F)));
  }
}

// 'text' with '' for a quote and \uXXXX; the opening quote is taken already.
Status ParseQuoted(std::string_view* text, std::string* out) {
  while (!text->empty()) {
    if (Consume("''", text)) {
      out->push_back('\'');
    } else if (Consume("'", text)) {
      return Status::Ok();
    } else if (text->size() >= 6 && text->starts_with("\\u")) {
      uint32_t code = 0;
      const char* const digits = text->data() + 2;
      const auto [end, error] = std::from_chars(digits, digits + 4, code, 16);
      if (error != std::errc() || end != digits + 4) return InvalidArgument("bad \\u in a text");
      AppendUtf8(code, out);
      text->remove_prefix(6);
    } else {
      out->push_back(text->front());
      text->remove_prefix(1);
    }
  }
  return InvalidArgument("a text without its closing quote");
}

Status ParseScalar(std::string_view* text, BindValue* value) {
  if (Consume("'", text)) return ParseQuoted(text, &value->text);
  if (Consume("x'", text)) {
    const size_t end = text->find('\'');
    if (end == std::string_view::npos) return InvalidArgument("bytes without a closing quote");
    ASSIGN_OR_RETURN(value->text, HexDecode(text->substr(0, end)));
    text->remove_prefix(end + 1);
    return Status::Ok();
  }
  const size_t end = text->find_first_of(",]");
  std::string_view word = text->substr(0, end);
  text->remove_prefix(word.size());
  while (word.ends_with(' ')) word.remove_suffix(1);
  if (word.empty()) return InvalidArgument("a value is missing");
  value->is_null = word == "NULL";
  if (!value->is_null) value->text = word;
  return Status::Ok();
}

Status ParseElements(std::string_view* text, BindValue* value) {
  if (text->starts_with("NULL")) return ParseScalar(text, value);
  if (!Consume("[", text)) return InvalidArgument("an array begins with [");
  while (!Consume("]", text)) {
    BindValue element;
    element.type = value->type;
    RETURN_IF_ERROR(ParseScalar(text, &element));
    value->elements.push_back(std::move(element));
    Consume(",", text);
  }
  return Status::Ok();
}

Result<std::vector<BindValue>> ParseBinds(std::string_view text) {
  std::vector<BindValue> binds;
  for (;;) {
    ASSIGN_OR_RETURN(BindValue value, ParseBindValue(&text));
    binds.push_back(std::move(value));
    SkipBlanks(&text);
    if (text.empty()) return binds;
    if (!Consume(",", &text)) return InvalidArgument("',' expected before: " + std::string(text));
  }
}

// ---------------------------------------------------------------- records

class FileParser {
 public:
  explicit FileParser(std::string_view content) : lines_(SplitLines(content)) {}

  Result<std::vector<TestRecord>> Parse() {
    while (next_ < lines_.size()) {
      const std::string_view line = lines_[next_];
      if (line.empty() || (line.starts_with('#') && !line.starts_with(kDeviationComment))) {
        ++next_;
        continue;
      }
      const int first_line = static_cast<int>(next_) + 1;
      Status status = ParseRecord();
      if (!status.ok()) return status.Annotate("line " + std::to_string(first_line));
    }
    return std::move(records_);
  }

 private:
  Status ParseRecord() {
    TestRecord record;
    while (next_ < lines_.size() && TakeDeviation(&record)) ++next_;
    if (next_ == lines_.size()) return InvalidArgument("a deviation without a record");
    std::string_view line = lines_[next_];
    if (Consume("bind ", &line)) {
      ASSIGN_OR_RETURN(record.binds, ParseBinds(line));
      if (++next_ == lines_.size()) return InvalidArgument("bind without a statement");
      line = lines_[next_];
      if (!line.starts_with("statement ") && !line.starts_with("query ")) {
        return InvalidArgument("bind must stand before a statement or query");
      }
    }
    record.line = static_cast<int>(next_) + 1;
    ++next_;
    const std::string_view directive = NextWord(&line);
    RETURN_IF_ERROR(ParseDirective(directive, line, &record));
    records_.push_back(std::move(record));
    return Status::Ok();
  }

  Status ParseDirective(std::string_view directive, std::string_view rest, TestRecord* record) {
    if (directive == "statement") return ParseStatement(rest, record);
    if (directive == "query") return ParseQuery(rest, record);
    if (directive == "connection") return ParseConnection(rest, record);
    if (directive == "autocommit") {
      record->kind = RecordKind::kAutocommit;
      record->on = rest == "on";
      return rest == "on" || rest == "off" ? Status::Ok() : InvalidArgument("autocommit on|off");
    }
    if (directive == "commit" || directive == "rollback") {
      record->kind = directive == "commit" ? RecordKind::kCommit : RecordKind::kRollback;
      RETURN_IF_ERROR(ParseOutcome(rest, record));
      return TakeComments(record);
    }
    if (directive == "cells") return ParseBlock(RecordKind::kCells, rest, record);
    if (directive == "raw-cells") return ParseBlock(RecordKind::kRawCells, rest, record);
    if (directive == "descriptor") return ParseBlock(RecordKind::kDescriptor, rest, record);
    return InvalidArgument("unknown directive '" + std::string(directive) + "'");
  }

  Status ParseOutcome(std::string_view rest, TestRecord* record) {
    const std::string_view outcome = NextWord(&rest);
    if (outcome == "ok") return Status::Ok();
    if (outcome == "count") {
      ASSIGN_OR_RETURN(record->expected_count, ParseCount(rest));
      return Status::Ok();
    }
    if (outcome == "error" && !rest.empty()) {
      record->expected_error = rest;
      return Status::Ok();
    }
    return InvalidArgument("ok, count N or error CODE expected");
  }

  Status ParseStatement(std::string_view rest, TestRecord* record) {
    record->kind = RecordKind::kStatement;
    RETURN_IF_ERROR(ParseOutcome(rest, record));
    RETURN_IF_ERROR(TakeSql(record));
    return TakeComments(record);
  }

  Status ParseQuery(std::string_view rest, TestRecord* record) {
    record->kind = RecordKind::kQuery;
    record->type_letters = NextWord(&rest);
    if (rest != "nosort" && rest != "rowsort") return InvalidArgument("nosort or rowsort expected");
    record->sort_rows = rest == "rowsort";
    RETURN_IF_ERROR(TakeSql(record));
    RETURN_IF_ERROR(TakeComments(record));
    if (next_ == lines_.size() || lines_[next_] != "----") return InvalidArgument("---- expected");
    for (++next_; next_ < lines_.size() && !lines_[next_].empty(); ++next_) {
      record->rows.emplace_back(lines_[next_]);
    }
    return Status::Ok();
  }

  Status ParseConnection(std::string_view rest, TestRecord* record) {
    record->kind = RecordKind::kConnection;
    record->name = NextWord(&rest);
    if (record->name.empty()) return InvalidArgument("a connection needs a name");
    while (!rest.empty()) {
      const size_t end = rest.find(',');
      const std::string_view property = rest.substr(0, end);
      const size_t equals = property.find('=');
      if (equals == std::string_view::npos) return InvalidArgument("KEY=VALUE expected");
      record->properties[std::string(property.substr(0, equals))] = property.substr(equals + 1);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return Status::Ok();
  }

  Status ParseBlock(RecordKind kind, std::string_view rest, TestRecord* record) {
    record->kind = kind;
    record->table = rest;
    if (rest.empty()) return InvalidArgument("a table's name is missing");
    for (; next_ < lines_.size() && !lines_[next_].empty(); ++next_) {
      if (lines_[next_].starts_with(kNoSuchTableComment)) record->no_such_table = true;
      if (!lines_[next_].starts_with('#')) record->lines.emplace_back(lines_[next_]);
    }
    return Status::Ok();
  }

  // The statement's text: up to a comment, the rows or the end of the record.
  Status TakeSql(TestRecord* record) {
    for (; next_ < lines_.size(); ++next_) {
      const std::string_view line = lines_[next_];
      if (line.empty() || line.starts_with('#') || line == "----") break;
      if (!record->sql.empty()) record->sql += '\n';
      record->sql += line;
    }
    return record->sql.empty() ? InvalidArgument("the statement is missing") : Status::Ok();
  }

  Status TakeComments(TestRecord* record) {
    for (; next_ < lines_.size() && lines_[next_].starts_with('#'); ++next_) {
      std::string_view line = lines_[next_];
      if (Consume(kColumnsComment, &line)) {
        SkipBlanks(&line);
        record->columns = std::string(line);
      } else if (Consume(kUpdateCountComment, &line)) {
        ASSIGN_OR_RETURN(record->expected_count, ParseCount(line));
      } else {
        TakeDeviation(record);
      }
    }
    return Status::Ok();
  }

  bool TakeDeviation(TestRecord* record) {
    std::string_view line = lines_[next_];
    if (!Consume(kDeviationComment, &line)) return false;
    SkipBlanks(&line);
    record->deviation = line;
    return true;
  }

  const std::vector<std::string_view> lines_;
  size_t next_ = 0;
  std::vector<TestRecord> records_;
};

}  // namespace

Result<BindValue> ParseBindValue(std::string_view* text) {
  BindValue value;
  std::string_view type = NextWord(text);
  if (type.ends_with("[]")) {
    type.remove_suffix(2);
    value.is_array = true;
  }
  value.type = type;
  if (value.type.empty() || text->empty()) return InvalidArgument("TYPE VALUE expected");
  RETURN_IF_ERROR(value.is_array ? ParseElements(text, &value) : ParseScalar(text, &value));
  return value;
}

bool AcceptsAnyFailure(const TestRecord& record) {
  return record.expected_error == "UNCODED" || record.expected_error.starts_with("ERROR 101 ");
}

Result<std::vector<TestRecord>> ParseTestFile(std::string_view content) {
  return FileParser(content).Parse();
}

}  // namespace bennu::testing
