#include "src/cli/csv_reader.h"

#include <algorithm>
#include <cstring>

namespace bennu::cli {

namespace {

constexpr size_t kReadBytes = 256 * 1024;

}  // namespace

// Sets record_ to the next record in the buffer, which is filled as needed.
Result<bool> CsvReader::FindRecord() {
  line_ = next_line_;
  bool quoted = false;
  size_t at = begin_;
  while (true) {
    for (; at < buffer_.size(); ++at) {
      if (!quoted) {
        // Line ends are searched for at the speed of memchr as long as no quote comes before.
        const char* from = buffer_.data() + at;
        const size_t left = buffer_.size() - at;
        const auto* end = static_cast<const char*>(std::memchr(from, '\n', left));
        const size_t span = end == nullptr ? left : static_cast<size_t>(end - from);
        const auto* quote = static_cast<const char*>(std::memchr(from, '"', span));
        if (quote != nullptr) {
          quoted = true;
          at += static_cast<size_t>(quote - from);
          continue;
        }
        at += span;
        if (end == nullptr) break;
        record_ = std::string_view(buffer_).substr(begin_, at - begin_);
        begin_ = at + 1;
        ++next_line_;
        if (!record_.empty() && record_.back() == '\r') record_.remove_suffix(1);
        return true;
      }
      if (buffer_[at] == '"') quoted = false;
      if (buffer_[at] == '\n') ++next_line_;
    }
    if (at_end_) break;
    if (buffer_.size() - begin_ > kRecordBytesMax) {
      begin_ = buffer_.size();
      return InvalidArgument("the record is longer than 64 MiB: a quote is not closed?");
    }
    buffer_.erase(0, begin_);
    at -= begin_;
    begin_ = 0;
    const size_t size = buffer_.size();
    buffer_.resize(size + kReadBytes);
    ASSIGN_OR_RETURN(const size_t count, input_->Read(buffer_.data() + size, kReadBytes));
    buffer_.resize(size + count);
    at_end_ = count == 0;
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
    }
    fields->push_back(field);
    if (at >= record_.size()) return Status();
    ++at;  // the delimiter
  }
}

Result<bool> CsvReader::Next(std::vector<CsvField>* fields) {
  fields->clear();
  do {
    ASSIGN_OR_RETURN(const bool found, FindRecord());
    if (!found) return false;
  } while (record_.empty());
  RETURN_IF_ERROR(Split(fields));
  return true;
}

}  // namespace bennu::cli
