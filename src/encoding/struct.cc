#include <fmt/format.h>

#include "bennu/types.h"

#include "src/base/status_macros.h"

namespace bennu::types {

namespace {

std::string FieldName(size_t index, const DataType& type) {
  return fmt::format("field {} ({})", index, type.name());
}

}  // namespace

// ---- StructIterator

Result<Value> StructIterator::Next() {
  if (!HasNext()) return FailedPrecondition("the struct has no further field");
  const DataType& type = *(*fields_)[index_];
  Value value;
  if (!in_.empty() || !type.is_nullable()) {
    Result<Value> decoded = type.Decode(&in_);
    if (!decoded.ok()) return decoded.status().Annotate(FieldName(index_, type));
    value = *std::move(decoded);
  }
  ++index_;
  return value;
}

Result<size_t> StructIterator::Skip() {
  if (!HasNext()) return FailedPrecondition("the struct has no further field");
  const DataType& type = *(*fields_)[index_];
  size_t size = 0;
  if (!in_.empty() || !type.is_nullable()) {
    const Result<size_t> skipped = type.Skip(&in_);
    if (!skipped.ok()) return skipped.status().Annotate(FieldName(index_, type));
    size = *skipped;
  }
  ++index_;
  return size;
}

// ---- Struct

Struct::Struct(std::vector<DataTypePtr> fields)
    : fields_(std::make_shared<const std::vector<DataTypePtr>>(std::move(fields))) {
  for (const DataTypePtr& field : *fields_) {
    is_order_preserving_ = is_order_preserving_ && field->is_order_preserving();
    is_skippable_ = is_skippable_ && field->is_skippable();
  }
}

Result<std::shared_ptr<const Struct>> Struct::Make(std::vector<DataTypePtr> fields) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == nullptr) return InvalidArgument(fmt::format("Struct: field {} is null", i));
    if (i + 1 == fields.size() || fields[i]->is_skippable()) continue;
    return InvalidArgument(
        fmt::format("Struct: {} is not skippable, and only the last field may be so; wrap it "
                    "(TerminatedWrapper, "
                    "FixedLengthWrapper) or take another type",
                    FieldName(i, *fields[i])));
  }
  return std::shared_ptr<const Struct>(new Struct(std::move(fields)));
}

Status Struct::Encode(Bytes* out, const Value& value) const {
  const Value::List* const values = value.list();
  if (values == nullptr) {
    return InvalidArgument("Struct takes a list of values, not " + value.ToString());
  }
  if (values->size() > fields_->size()) {
    return InvalidArgument(fmt::format("Struct has {} fields, and {} values are given",
                                       fields_->size(), values->size()));
  }
  size_t count = values->size();
  while (count > 0 && (*values)[count - 1].is_null() && (*fields_)[count - 1]->is_nullable()) {
    --count;
  }
  const size_t begin = out->size();
  for (size_t i = 0; i < count; ++i) {
    const DataType& type = *(*fields_)[i];
    if (const Status status = type.Encode(out, (*values)[i]); !status.ok()) {
      out->resize(begin);
      return status.Annotate(FieldName(i, type));
    }
  }
  return Status::Ok();
}

Result<Value> Struct::Decode(ByteView* in) const {
  Value::List values;
  StructIterator fields = Iterate(*in);
  while (fields.HasNext()) {
    ASSIGN_OR_RETURN(Value value, fields.Next());
    values.push_back(std::move(value));
  }
  *in = fields.rest();
  return Value(std::move(values));
}

Result<size_t> Struct::Skip(ByteView* in) const {
  StructIterator fields = Iterate(*in);
  size_t size = 0;
  while (fields.HasNext()) {
    ASSIGN_OR_RETURN(const size_t skipped, fields.Skip());
    size += skipped;
  }
  *in = fields.rest();
  return size;
}

Result<Value> Struct::DecodeField(ByteView in, size_t index) const {
  if (index >= fields_->size()) {
    return InvalidArgument(
        fmt::format("Struct has {} fields, and field {} is asked for", fields_->size(), index));
  }
  StructIterator fields = Iterate(in);
  for (size_t i = 0; i < index; ++i) RETURN_IF_ERROR(fields.Skip().status());
  return fields.Next();
}

// ---- StructBuilder

StructBuilder& StructBuilder::Add(DataTypePtr field) {
  fields_.push_back(std::move(field));
  return *this;
}

StructBuilder& StructBuilder::Add(Result<DataTypePtr> field) {
  if (field.ok()) return Add(*std::move(field));
  if (status_.ok()) status_ = field.status().Annotate(fmt::format("field {}", fields_.size()));
  return *this;
}

Result<std::shared_ptr<const Struct>> StructBuilder::Build() const {
  RETURN_IF_ERROR(status_);
  return Struct::Make(fields_);
}

void StructBuilder::Reset() {
  fields_.clear();
  status_ = Status::Ok();
}

}  // namespace bennu::types
