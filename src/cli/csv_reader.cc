#include "src/cli/csv_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cli/utf8_input.h"

namespace bennu::cli {

namespace {

constexpr size_t kReadBytes = 256 * 1024;

}  // namespace

// Reads on behind what the buffer holds; positions in it move down by begin_.
Status CsvReader::Fill() {
  buffer_.erase(0, begin_);
  begin_ = 0;
  const size_t size = buffer_.size();
  buffer_.resize(size + kReadBytes);
  const Result<size_t> count = input_->Read(buffer_.data() + size, kReadBytes);
  buffer_.resize(size + (count.ok() ? *count : 0));
  RETURN_IF_ERROR(count.status());
  at_end_ = *count == 0;
  return Status();
}

Result<std::string_view> CsvReader::PeekLine() {
  for (size_t begin = begin_;;) {
    const size_t end = buffer_.find('\n', begin);
    if (end == std::string::npos && !at_end_ && buffer_.size() - begin_ < kRecordBytesMax) {
      begin -= begin_;  // filling moves what is left to the front
      RETURN_IF_ERROR(Fill());
      continue;
    }
    std::string_view line = std::string_view(buffer_).substr(begin, end - begin);
    if (begin == 0 && line_ == 0) DropByteOrderMark(&line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if ((!line.empty() && !line.starts_with(kRejectMark)) || end == std::string::npos) return line;
    begin = end + 1;
  }
}

// The first quote of [from, to) that opens a quoted field: others are characters as any. One that
// follows a closing one directly, 'doubled', stands for itself and the field goes on.
size_t CsvReader::FindOpeningQuote(size_t from, size_t to, bool doubled) const {
  for (size_t at = from; at < to; ++at) {
    const void* found = std::memchr(buffer_.data() + at, '"', to - at);
    if (found == nullptr) break;
    at = static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
    if (at == begin_ || buffer_[at - 1] == delimiter_ || (doubled && at == from)) return at;
  }
  return std::string::npos;
}

// Sets record_ to the next record in the buffer, which is filled as needed.
Result<bool> CsvReader::FindRecord() {
  line_ = next_line_;
  while (!at_end_ && buffer_.size() - begin_ < kRejectMark.size()) RETURN_IF_ERROR(Fill());
  std::string_view rest = std::string_view(buffer_).substr(begin_);
  if (line_ == 1) DropByteOrderMark(&rest);
  begin_ = buffer_.size() - rest.size();
  is_reason_ = rest.starts_with(kRejectMark);
  bool quoted = false;
  bool just_closed = false;
  size_t at = begin_;
  while (true) {
    for (; at < buffer_.size(); ++at) {
      if (!quoted) {
        // Line ends are searched for at the speed of memchr as long as no quote comes before.
        const size_t left = buffer_.size() - at;
        const void* found = std::memchr(buffer_.data() + at, '\n', left);
        const size_t end =
            found == nullptr
                ? buffer_.size()
                : static_cast<size_t>(static_cast<const char*>(found) - buffer_.data());
        const size_t quote =
            is_reason_ ? std::string::npos : FindOpeningQuote(at, end, just_closed);
        just_closed = false;
        quoted = quote != std::string::npos;
        at = quoted ? quote : end;
        if (quoted) continue;
        if (found == nullptr) break;
        record_ = std::string_view(buffer_).substr(begin_, at - begin_);
        begin_ = at + 1;
        ++next_line_;
        if (!record_.empty() && record_.back() == '\r') record_.remove_suffix(1);
        return true;
      }
      if (buffer_[at] == '"') {
        quoted = false;
        just_closed = true;
      }
      if (buffer_[at] == '\n') ++next_line_;
    }
    if (at_end_) break;
    if (buffer_.size() - begin_ > kRecordBytesMax) {
      record_ = std::string_view(buffer_).substr(begin_);
      begin_ = buffer_.size();
      return InvalidArgument("the record is longer than 64 MiB: a quote is not closed?");
    }
    at -= begin_;
    RETURN_IF_ERROR(Fill());
  }
  if (begin_ == buffer_.size()) return false;
  record_ = std::string_view(buffer_).substr(begin_);
  begin_ = buffer_.size();
  if (quoted) return InvalidArgument("a quote is opened and never closed");
  return true;
}

Status CsvReader::Split(std::vector<CsvField>* fields) {
  // Quotes that were doubled have to go: such fields are put together in unquoted_, which must not
  // move while views point into it.
  unquoted_.clear();
  unquoted_.reserve(record_.size());
  size_t at = 0;
  while (true) {
    CsvField field;
    if (at < record_.size() && record_[at] == '"') {
      field.quoted = true;
      const size_t start = unquoted_.size();
      ++at;
      while (true) {
        const size_t quote = record_.find('"', at);
        if (quote == std::string_view::npos) return InvalidArgument("a quote is never closed");
        unquoted_.append(record_, at, quote - at);
        at = quote + 1;
        if (at >= record_.size() || record_[at] != '"') break;
        unquoted_.push_back('"');
        ++at;
      }
      field.text = std::string_view(unquoted_).substr(start);
      if (at < record_.size() && record_[at] != delimiter_) {
        return InvalidArgument("text follows a closing quote");
      }
    } else {
      const size_t end = std::min(record_.find(delimiter_, at), record_.size());
      field.text = record_.substr(at, end - at);
      at = end;
      if (delimiter_ == '\t') RETURN_IF_ERROR(TakeEscapes(&field));
    }
    fields->push_back(field);
    if (at >= record_.size()) return Status();
    ++at;  // the delimiter
  }
}

// What `bennu sql --format tsv` escapes; also PostgreSQL's COPY.
Status CsvReader::TakeEscapes(CsvField* field) {
  if (field->text.find('\\') == std::string_view::npos) return Status();
  if (field->text == "\\N") {
    *field = {"", false, true};
    return Status();
  }
  const size_t start = unquoted_.size();
  for (size_t i = 0; i < field->text.size(); ++i) {
    char c = field->text[i];
    if (c == '\\') {
      c = ++i < field->text.size() ? field->text[i] : '\0';
      switch (c) {
        case 't': c = '\t'; break;
        case 'n': c = '\n'; break;
        case 'r': c = '\r'; break;
        case '\\':
        case '"':
        case '#': break;
        default:
          return InvalidArgument(
              "the field '" + std::string(field->text) +
              R"(' has a \ that begins no escape; those of tsv are \t \n \r \\ \" \# and \N)");
      }
    }
    unquoted_.push_back(c);
  }
  field->text = std::string_view(unquoted_).substr(start);
  return Status();
}

Result<bool> CsvReader::Next(std::vector<CsvField>* fields) {
  fields->clear();
  if (std::exchange(unread_, false)) {
    RETURN_IF_ERROR(Split(fields));
    return true;
  }
  do {
    ASSIGN_OR_RETURN(const bool found, FindRecord());
    if (!found) return false;
    if (is_reason_) ++reasons_;
  } while (record_.empty() || is_reason_);
  RETURN_IF_ERROR(Split(fields));
  return true;
}

}  // namespace bennu::cli
