// Filters that count cells, look at their timestamps or change them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/cell/flat_key.h"
#include "src/filter/decoders.h"
#include "src/filter/messages.h"

namespace bennu {
namespace filter {
namespace {

// The first page begins 'offset' columns behind the row's first, or at a column.
class ColumnPaginationFilter final : public Filter {
 public:
  ColumnPaginationFilter(int32_t limit, int32_t offset, std::optional<Bytes> first_column)
      : limit_(limit), offset_(offset), first_column_(std::move(first_column)) {}
  FilterPtr Clone() const override {
    return std::make_unique<ColumnPaginationFilter>(limit_, offset_, first_column_);
  }
  void Reset() override { count_ = 0; }
  Code FilterCell(const Cell& cell) override {
    if (first_column_.has_value()) {
      if (count_ >= limit_) return Code::kNextRow;
      if (count_ == 0 && cell.qualifier() < ByteView(*first_column_)) return Code::kSeekUsingHint;
      ++count_;
      return Code::kIncludeAndNextColumn;
    }
    if (count_ >= int64_t{offset_} + limit_) return Code::kNextRow;
    return count_++ < offset_ ? Code::kNextColumn : Code::kIncludeAndNextColumn;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    if (!first_column_.has_value()) return false;
    flat_key->clear();
    cell::AppendFirstOnColumn(flat_key, current.row(), current.family(), *first_column_);
    return true;
  }
  Bytes class_name() const override { return ClassName("ColumnPaginationFilter"); }
  Bytes Encode() const override {
    pb::ColumnPaginationFilter message;
    message.set_limit(limit_);
    if (first_column_.has_value()) {
      message.set_column_offset(*first_column_);
    } else {
      message.set_offset(offset_);
    }
    return Serialize(message);
  }

 private:
  const int32_t limit_;
  const int32_t offset_;
  const std::optional<Bytes> first_column_;
  int64_t count_ = 0;
};

class ColumnCountGetFilter final : public Filter {
 public:
  explicit ColumnCountGetFilter(int32_t limit) : limit_(limit) {}
  FilterPtr Clone() const override { return std::make_unique<ColumnCountGetFilter>(limit_); }
  void Reset() override { count_ = 0; }
  bool FilterAllRemaining() override { return count_ > limit_; }
  Code FilterCell(const Cell& /*cell*/) override {
    return ++count_ > limit_ ? Code::kNextColumn : Code::kIncludeAndNextColumn;
  }
  Bytes class_name() const override { return ClassName("ColumnCountGetFilter"); }
  Bytes Encode() const override {
    pb::ColumnCountGetFilter message;
    message.set_limit(limit_);
    return Serialize(message);
  }

 private:
  const int32_t limit_;
  int64_t count_ = 0;
};

class FirstKeyOnlyFilter final : public Filter {
 public:
  FilterPtr Clone() const override { return std::make_unique<FirstKeyOnlyFilter>(); }
  void Reset() override { found_ = false; }
  Code FilterCell(const Cell& /*cell*/) override {
    return std::exchange(found_, true) ? Code::kNextRow : Code::kInclude;
  }
  Bytes class_name() const override { return ClassName("FirstKeyOnlyFilter"); }
  Bytes Encode() const override { return Bytes(); }

 private:
  bool found_ = false;
};

class FirstKeyValueMatchingQualifiersFilter final : public Filter {
 public:
  using Qualifiers = std::vector<Bytes>;
  explicit FirstKeyValueMatchingQualifiersFilter(std::shared_ptr<const Qualifiers> qualifiers)
      : qualifiers_(std::move(qualifiers)) {}
  FilterPtr Clone() const override {
    return std::make_unique<FirstKeyValueMatchingQualifiersFilter>(qualifiers_);
  }
  void Reset() override { found_ = false; }
  Code FilterCell(const Cell& cell) override {
    if (found_) return Code::kNextRow;
    found_ = std::binary_search(qualifiers_->begin(), qualifiers_->end(), cell.qualifier(),
                                [](ByteView left, ByteView right) { return left < right; });
    return Code::kInclude;
  }
  Bytes class_name() const override { return ClassName("FirstKeyValueMatchingQualifiersFilter"); }
  Bytes Encode() const override {
    pb::FirstKeyValueMatchingQualifiersFilter message;
    for (const Bytes& qualifier : *qualifiers_) message.add_qualifiers(qualifier);
    return Serialize(message);
  }

 private:
  const std::shared_ptr<const Qualifiers> qualifiers_;  // sorted
  bool found_ = false;
};

class KeyOnlyFilter final : public Filter {
 public:
  explicit KeyOnlyFilter(bool length_as_value) : length_as_value_(length_as_value) {}
  FilterPtr Clone() const override { return std::make_unique<KeyOnlyFilter>(length_as_value_); }
  Code FilterCell(const Cell& /*cell*/) override { return Code::kInclude; }
  void TransformCell(Cell* cell, FilterMemory* memory) override {
    cell->tags_length = 0;
    if (!length_as_value_) {
      cell->value_length = 0;
      return;
    }
    const uint32_t big_endian = __builtin_bswap32(cell->value_length);
    char* const value = memory->Allocate(sizeof(big_endian));
    std::memcpy(value, &big_endian, sizeof(big_endian));
    cell->value = value;
    cell->value_length = sizeof(big_endian);
  }
  Bytes class_name() const override { return ClassName("KeyOnlyFilter"); }
  Bytes Encode() const override {
    pb::KeyOnlyFilter message;
    message.set_len_as_val(length_as_value_);
    return Serialize(message);
  }

 private:
  const bool length_as_value_;
};

class TimestampsFilter final : public Filter {
 public:
  using Timestamps = std::vector<int64_t>;
  TimestampsFilter(std::shared_ptr<const Timestamps> timestamps, bool can_hint)
      : timestamps_(std::move(timestamps)), can_hint_(can_hint) {}
  FilterPtr Clone() const override {
    return std::make_unique<TimestampsFilter>(timestamps_, can_hint_);
  }
  Code FilterCell(const Cell& cell) override {
    const int64_t timestamp = cell.timestamp();
    if (std::binary_search(timestamps_->begin(), timestamps_->end(), timestamp)) {
      return Code::kInclude;
    }
    if (timestamps_->empty() || timestamp < timestamps_->front()) return Code::kNextColumn;
    return can_hint_ ? Code::kSeekUsingHint : Code::kSkip;
  }
  bool NextCellHint(const Cell& current, Bytes* flat_key) override {
    if (!can_hint_) return false;
    flat_key->clear();
    const auto above =
        std::lower_bound(timestamps_->begin(), timestamps_->end(), current.timestamp());
    if (above == timestamps_->begin()) {
      cell::AppendLastOnColumn(flat_key, current.row(), current.family(), current.qualifier());
    } else {
      cell::AppendFirstOnColumnAt(flat_key, current.row(), current.family(), current.qualifier(),
                                  *(above - 1));
    }
    return true;
  }
  bool GivesHints() const override { return true; }
  Bytes class_name() const override { return ClassName("TimestampsFilter"); }
  Bytes Encode() const override {
    pb::TimestampsFilter message;
    for (const int64_t timestamp : *timestamps_) message.add_timestamps(timestamp);
    message.set_can_hint(can_hint_);
    return Serialize(message);
  }

 private:
  const std::shared_ptr<const Timestamps> timestamps_;  // sorted, distinct
  const bool can_hint_;
};

Status CheckNotNegative(const char* what, int64_t value) {
  if (value >= 0) return Status::Ok();
  return InvalidArgument(std::string(what) + " is " + std::to_string(value) +
                         "; it must not be negative");
}

}  // namespace

Result<FilterPtr> DecodeColumnPaginationFilter(ByteView bytes) {
  pb::ColumnPaginationFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ColumnPaginationFilter", &message));
  if (message.has_column_offset()) {
    return NewColumnPaginationFilter(message.limit(), message.column_offset());
  }
  return NewColumnPaginationFilter(message.limit(), message.offset());
}

Result<FilterPtr> DecodeColumnCountGetFilter(ByteView bytes) {
  pb::ColumnCountGetFilter message;
  RETURN_IF_ERROR(Parse(bytes, "ColumnCountGetFilter", &message));
  return NewColumnCountGetFilter(message.limit());
}

Result<FilterPtr> DecodeFirstKeyValueMatchingQualifiersFilter(ByteView bytes) {
  pb::FirstKeyValueMatchingQualifiersFilter message;
  RETURN_IF_ERROR(Parse(bytes, "FirstKeyValueMatchingQualifiersFilter", &message));
  return NewFirstKeyValueMatchingQualifiersFilter(
      {message.qualifiers().begin(), message.qualifiers().end()});
}

Result<FilterPtr> DecodeKeyOnlyFilter(ByteView bytes) {
  pb::KeyOnlyFilter message;
  RETURN_IF_ERROR(Parse(bytes, "KeyOnlyFilter", &message));
  return NewKeyOnlyFilter(message.len_as_val());
}

Result<FilterPtr> DecodeTimestampsFilter(ByteView bytes) {
  pb::TimestampsFilter message;
  RETURN_IF_ERROR(Parse(bytes, "TimestampsFilter", &message));
  return NewTimestampsFilter({message.timestamps().begin(), message.timestamps().end()},
                             message.can_hint());
}

}  // namespace filter

Result<FilterPtr> NewColumnPaginationFilter(int32_t limit, int32_t offset) {
  RETURN_IF_ERROR(filter::CheckNotNegative("the limit of a ColumnPaginationFilter", limit));
  RETURN_IF_ERROR(filter::CheckNotNegative("the offset of a ColumnPaginationFilter", offset));
  return FilterPtr(std::make_unique<filter::ColumnPaginationFilter>(limit, offset, std::nullopt));
}

Result<FilterPtr> NewColumnPaginationFilter(int32_t limit, Bytes first_column) {
  RETURN_IF_ERROR(filter::CheckNotNegative("the limit of a ColumnPaginationFilter", limit));
  return FilterPtr(
      std::make_unique<filter::ColumnPaginationFilter>(limit, 0, std::move(first_column)));
}

Result<FilterPtr> NewColumnCountGetFilter(int32_t limit) {
  RETURN_IF_ERROR(filter::CheckNotNegative("the limit of a ColumnCountGetFilter", limit));
  return FilterPtr(std::make_unique<filter::ColumnCountGetFilter>(limit));
}

FilterPtr NewFirstKeyOnlyFilter() { return std::make_unique<filter::FirstKeyOnlyFilter>(); }

FilterPtr NewFirstKeyValueMatchingQualifiersFilter(std::vector<Bytes> qualifiers) {
  std::sort(qualifiers.begin(), qualifiers.end());
  qualifiers.erase(std::unique(qualifiers.begin(), qualifiers.end()), qualifiers.end());
  return std::make_unique<filter::FirstKeyValueMatchingQualifiersFilter>(
      std::make_shared<const std::vector<Bytes>>(std::move(qualifiers)));
}

FilterPtr NewKeyOnlyFilter(bool length_as_value) {
  return std::make_unique<filter::KeyOnlyFilter>(length_as_value);
}

Result<FilterPtr> NewTimestampsFilter(std::vector<int64_t> timestamps, bool can_hint) {
  std::sort(timestamps.begin(), timestamps.end());
  timestamps.erase(std::unique(timestamps.begin(), timestamps.end()), timestamps.end());
  if (!timestamps.empty()) {
    RETURN_IF_ERROR(
        filter::CheckNotNegative("a timestamp of a TimestampsFilter", timestamps.front()));
  }
  return FilterPtr(std::make_unique<filter::TimestampsFilter>(
      std::make_shared<const std::vector<int64_t>>(std::move(timestamps)), can_hint));
}

}  // namespace bennu
