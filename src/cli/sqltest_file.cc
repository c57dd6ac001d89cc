#include "src/cli/sqltest_file.h"

#include <charconv>
#include <cstdlib>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/text.h"

namespace bennu::cli {

namespace {

using Kind = SqlTestRecord::Kind;

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

// Cuts the first word off.
std::string_view NextWord(std::string_view* rest) {
  const size_t begin = std::min(rest->find_first_not_of(' '), rest->size());
  rest->remove_prefix(begin);
  const std::string_view word = rest->substr(0, rest->find(' '));
  rest->remove_prefix(word.size());
  rest->remove_prefix(std::min(rest->find_first_not_of(' '), rest->size()));
  return word;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lines_(SplitLines(text)) {}

  Result<std::vector<SqlTestRecord>> Parse() {
    while (at_ < lines_.size()) {
      if (lines_[at_].empty() || lines_[at_][0] == '#') {
        ++at_;
        continue;
      }
      RETURN_IF_ERROR(ParseRecord());
    }
    return std::move(records_);
  }

 private:
  Status Bad(const std::string& what) const {
    return InvalidArgument("line " + std::to_string(at_ + 1) + ": " + what);
  }

  Status ParseRecord() {
    std::string_view rest = lines_[at_];
    const std::string_view directive = NextWord(&rest);
    if (directive == "bind") return ParseBind(rest);
    SqlTestRecord record;
    record.line = static_cast<int>(at_) + 1;
    if (directive == "statement") {
      RETURN_IF_ERROR(ParseExpectation(rest, &record));
      ++at_;
      ParseSql(&record);
    } else if (directive == "query") {
      record.kind = Kind::kQuery;
      record.column_count = NextWord(&rest).size();
      record.sorted = rest == "nosort";
      if (!record.sorted && rest != "rowsort") return Bad("a query is nosort or rowsort");
      ++at_;
      ParseSql(&record);
      RETURN_IF_ERROR(ParseRows(&record));
    } else if (directive == "cells" || directive == "raw-cells" || directive == "descriptor") {
      record.kind = directive == "cells"       ? Kind::kCells
                    : directive == "raw-cells" ? Kind::kRawCells
                                               : Kind::kDescriptor;
      record.text = NextWord(&rest);
      ++at_;
      ParseLines(&record);
    } else if (directive == "commit" || directive == "rollback") {
      record.kind = directive == "commit" ? Kind::kCommit : Kind::kRollback;
      RETURN_IF_ERROR(ParseExpectation(rest, &record));
      ++at_;
    } else if (directive == "connection") {
      record.kind = Kind::kConnection;
      record.text = NextWord(&rest);
      ParseProperties(rest, &record);
      ++at_;
    } else if (directive == "autocommit" && (rest == "on" || rest == "off")) {
      record.kind = Kind::kAutocommit;
      record.on = rest == "on";
      ++at_;
    } else {
      return Bad("unknown directive '" + std::string(lines_[at_]) + "'");
    }
    record.binds = std::move(binds_);
    binds_.clear();
    records_.push_back(std::move(record));
    return Status();
  }

  Status ParseExpectation(std::string_view rest, SqlTestRecord* record) const {
    const std::string_view kind = NextWord(&rest);
    if (kind == "ok") return Status();
    if (kind == "count") {
      record->expect = SqlTestRecord::Expect::kCount;
      const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), record->count);
      return end.ec == std::errc() ? Status() : Bad("not a count: " + std::string(rest));
    }
    if (kind != "error") return Bad("a statement is ok, count N or error CODE");
    // A fault that carries no code of Phoenix's; 101 is mostly the same, thrown by a region server.
    const bool uncoded = rest == "UNCODED" || StartsWith(rest, "ERROR 101 ");
    record->expect = uncoded ? SqlTestRecord::Expect::kUncoded : SqlTestRecord::Expect::kError;
    record->error = rest;
    return Status();
  }

  void ParseSql(SqlTestRecord* record) {
    for (; at_ < lines_.size() && !lines_[at_].empty() && lines_[at_] != "----"; ++at_) {
      if (lines_[at_][0] == '#') {
        ParseComment(lines_[at_], record);
        continue;
      }
      if (!record->text.empty()) record->text += '\n';
      record->text += lines_[at_];
    }
  }

  static void ParseComment(std::string_view line, SqlTestRecord* record) {
    static constexpr std::string_view kColumns = "# columns: ";
    static constexpr std::string_view kCount = "# update count: ";
    if (StartsWith(line, kColumns)) record->columns = line.substr(kColumns.size());
    if (StartsWith(line, kCount)) {
      record->count = std::atoll(std::string(line.substr(kCount.size())).c_str());
    }
  }

  Status ParseRows(SqlTestRecord* record) {
    if (at_ >= lines_.size() || lines_[at_] != "----") return Bad("a query needs ---- and rows");
    ++at_;
    ParseLines(record);
    return Status();
  }

  void ParseLines(SqlTestRecord* record) {
    for (; at_ < lines_.size() && !lines_[at_].empty(); ++at_) {
      if (lines_[at_] == "# no such table") {
        record->no_such_table = true;
      } else if (record->kind == Kind::kQuery || lines_[at_][0] != '#') {
        record->rows.emplace_back(lines_[at_]);
      }
    }
  }

  static void ParseProperties(std::string_view rest, SqlTestRecord* record) {
    while (!rest.empty()) {
      const std::string_view property = rest.substr(0, rest.find(','));
      const size_t equals = std::min(property.find('='), property.size() - 1);
      record->properties.emplace(property.substr(0, equals), property.substr(equals + 1));
      rest.remove_prefix(std::min(property.size() + 1, rest.size()));
    }
  }

  // bind TYPE VALUE, TYPE VALUE
  Status ParseBind(std::string_view rest) {
    while (!rest.empty()) {
      const std::string type(NextWord(&rest));
      const std::string_view value = NextBindValue(&rest);
      ASSIGN_OR_RETURN(Datum datum, ParseBindValue(type, value));
      binds_.push_back(std::move(datum));
    }
    ++at_;
    return Status();
  }

  // Takes a value and the comma behind it.
  static std::string_view NextBindValue(std::string_view* rest) {
    std::string_view value;
    if (!rest->empty() && (rest->front() == '\'' || StartsWith(*rest, "x'"))) {
      size_t end = rest->find('\'') + 1;
      while (end < rest->size() && ((*rest)[end] != '\'' || rest->substr(end, 2) == "''")) {
        end += (*rest)[end] == '\'' ? 2 : 1;
      }
      value = rest->substr(0, end + 1);
    } else if (!rest->empty() && rest->front() == '[') {
      value = rest->substr(0, rest->find(']') + 1);
    } else {
      value = rest->substr(0, rest->find(','));
    }
    rest->remove_prefix(value.size());
    while (!rest->empty() && (rest->front() == ',' || rest->front() == ' ')) {
      rest->remove_prefix(1);
    }
    return value;
  }

  // TYPE[] [a,b,NULL]
  Result<Datum> ParseBindArray(const std::string& type, std::string_view values) {
    Datum::Array array;
    array.type = type.substr(0, type.find('['));
    while (!values.empty()) {
      ASSIGN_OR_RETURN(Datum element, ParseBindValue(array.type, NextBindValue(&values)));
      array.elements.push_back(std::move(element));
    }
    return Datum(std::move(array));
  }

  Result<Datum> ParseBindValue(const std::string& type, std::string_view value) {
    if (value == "NULL") return Datum();
    if (value[0] == '[') return ParseBindArray(type, value.substr(1, value.size() - 2));
    if (StartsWith(value, "x'")) {
      Result<Bytes> bytes = HexDecode(value.substr(2, value.size() - 3));
      if (!bytes.ok()) return Bad("not hex: " + std::string(value));
      return Datum(Datum::Binary{std::move(*bytes)});
    }
    if (value[0] == '\'') return Datum(Unquote(value.substr(1, value.size() - 2)));
    if (type.find("DATE") != std::string::npos || type.find("TIME") != std::string::npos) {
      ASSIGN_OR_RETURN(const sql::Timestamp moment, sql::ParseDateTime(value));
      return Datum(Datum::Moment{moment.millis, moment.nanos});
    }
    const std::string text(value);
    if (type == "BOOLEAN") return Datum(text == "true");
    if (type == "DECIMAL") return Datum(Datum::Number{text});
    if (type.find("DOUBLE") != std::string::npos || type.find("FLOAT") != std::string::npos) {
      return Datum(std::strtod(text.c_str(), nullptr));
    }
    return Datum(static_cast<int64_t>(std::strtoll(text.c_str(), nullptr, 10)));
  }

  static std::string Unquote(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
      if (StartsWith(text.substr(i), "\\u0000")) {
        plain.push_back('\0');
        i += 5;
      } else if (StartsWith(text.substr(i), "\\n") || StartsWith(text.substr(i), "\\t")) {
        plain.push_back(text[++i] == 'n' ? '\n' : '\t');
      } else {
        if (StartsWith(text.substr(i), "''")) ++i;
        plain.push_back(text[i]);
      }
    }
    return plain;
  }

  const std::vector<std::string_view> lines_;
  size_t at_ = 0;
  std::vector<SqlTestRecord> records_;
  std::vector<Datum> binds_;
};

}  // namespace

bool IsCounted(const SqlTestRecord& record) {
  return record.kind != Kind::kConnection && record.kind != Kind::kAutocommit;
}

Result<std::vector<SqlTestRecord>> ParseSqlTest(std::string_view text) {
  return Parser(text).Parse();
}

}  // namespace bennu::cli
