#include "src/sql/functions/bson_update.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/functions/bson_path.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

Status BadPath(ByteView name) {
  return MakeUncodedSqlError("The document path '" + std::string(name) +
                             "' provided in the update expression is invalid for update");
}

// ---------------------------------------------------------------- numbers and sets

// The wider type counts; whole numbers wrap. Decimals are added by their whole parts in Phoenix,
// and as doubles here.
BsonValue Sum(const BsonValue& a, const BsonValue& b, int sign) {
  const auto is_real = [](const BsonValue& v) {
    return v.type == BsonType::kDouble || v.type == BsonType::kDecimal128;
  };
  if (is_real(a) || is_real(b)) return BsonValue::Double(a.ToDouble() + sign * b.ToDouble());
  const auto second = static_cast<uint64_t>(b.integer);
  const auto sum = static_cast<uint64_t>(a.integer) + (sign < 0 ? ~second + 1 : second);
  if (a.type == BsonType::kInt64 || b.type == BsonType::kInt64) {
    return BsonValue::Int64(static_cast<int64_t>(sum));
  }
  return BsonValue::Int32(static_cast<int32_t>(sum));
}

// The array of {"$set": […]}, or null.
BsonValue* SetOf(BsonValue* value) {
  if (!value->is_document() || value->fields.size() != 1) return nullptr;
  BsonValue* const set = value->Find("$set");
  return set != nullptr && set->is_array() ? set : nullptr;
}

bool SameElements(const BsonValue& a, const BsonValue& b) {
  return a.fields.empty() || b.fields.empty() || a.fields[0].value.type == b.fields[0].value.type;
}

Status AddTo(BsonValue given, BsonValue* value) {
  if (value->is_number() && given.is_number()) {
    *value = Sum(*value, given, 1);
    return Status::Ok();
  }
  BsonValue* const set = SetOf(value);
  BsonValue* const more = SetOf(&given);
  if (set == nullptr || more == nullptr || !SameElements(*set, *more)) {
    return MakeUncodedSqlError("$ADD takes numbers to numbers and sets to sets of the same type");
  }
  for (BsonField& field : more->fields) {
    if (!HasElement(*set, field.value)) set->fields.push_back(std::move(field));
  }
  return Status::Ok();
}

// *empty: nothing is left of the set.
Status DeleteFrom(BsonValue given, BsonValue* value, bool* empty) {
  BsonValue* const set = SetOf(value);
  BsonValue* const less = SetOf(&given);
  if (set == nullptr || less == nullptr || !SameElements(*set, *less)) {
    return MakeUncodedSqlError("$DELETE_FROM_SET takes sets from sets of the same type");
  }
  std::erase_if(set->fields,
                [&](const BsonField& field) { return HasElement(*less, field.value); });
  *empty = set->fields.empty();
  return Status::Ok();
}

// ---------------------------------------------------------------- new values

Result<BsonValue> IfNotExists(const BsonValue& spec, const BsonValue& document) {
  if (!spec.is_document() || spec.fields.empty())
    return MakeUncodedSqlError("$IF_NOT_EXISTS takes a document");
  ASSIGN_OR_RETURN(const BsonPath path, ParseFieldPath(spec.fields[0].name));
  const BsonValue* const known = FindAt(document, path);
  return known != nullptr ? *known : spec.fields[0].value;
}

// An operand of $ADD, $SUBTRACT and $LIST_APPEND: a value, a field's name or $IF_NOT_EXISTS.
Result<BsonValue> OperandOf(const BsonValue& operand, const BsonValue& document) {
  if (const BsonValue* const spec = operand.Find("$IF_NOT_EXISTS"); spec != nullptr) {
    return IfNotExists(*spec, document);
  }
  if (operand.type != BsonType::kString) return operand;
  ASSIGN_OR_RETURN(const BsonValue* const value, FindField(document, operand.bytes));
  if (value == nullptr)
    return MakeUncodedSqlError("Operand for $SET not found in document: " + operand.bytes);
  return *value;
}

Result<BsonValue> Combine(ByteView name, const BsonValue& operands, const BsonValue& document) {
  if (!operands.is_array() || operands.fields.size() != 2) {
    return MakeUncodedSqlError(std::string(name) + " takes an array of two operands");
  }
  ASSIGN_OR_RETURN(BsonValue first, OperandOf(operands.fields[0].value, document));
  ASSIGN_OR_RETURN(BsonValue second, OperandOf(operands.fields[1].value, document));
  if (name == "$LIST_APPEND") {
    if (!first.is_array() || !second.is_array()) {
      return MakeUncodedSqlError("An operand in the update expression has an incorrect data type");
    }
    std::move(second.fields.begin(), second.fields.end(), std::back_inserter(first.fields));
    return first;
  }
  if (!first.is_number() || !second.is_number()) {
    return MakeUncodedSqlError("Invalid operand for $SET: " + std::string(name) + " takes numbers");
  }
  return Sum(first, second, name == "$SUBTRACT" ? -1 : 1);
}

Result<BsonValue> NewValue(const BsonValue& given, const BsonValue& document) {
  if (!given.is_document()) return given;
  if (const BsonValue* const spec = given.Find("$IF_NOT_EXISTS"); spec != nullptr) {
    return IfNotExists(*spec, document);
  }
  for (const ByteView name : {"$ADD", "$SUBTRACT", "$LIST_APPEND"}) {
    const BsonValue* const operands = given.Find(name);
    if (operands != nullptr) return Combine(name, *operands, document);
  }
  return given;
}

// ---------------------------------------------------------------- places

enum class Operation : uint8_t { kSet, kUnset, kAdd, kDelete };

// What becomes of 'known', null when there is nothing; nothing comes back when it is to go.
Result<std::optional<BsonValue>> Apply(Operation operation, BsonValue given,
                                       const BsonValue* known) {
  std::optional<BsonValue> result;
  switch (operation) {
    case Operation::kSet: result = std::move(given); break;
    case Operation::kUnset: break;
    case Operation::kAdd:
      if (known == nullptr) {
        result = std::move(given);
      } else {
        result = *known;
        RETURN_IF_ERROR(AddTo(std::move(given), &*result));
      }
      break;
    case Operation::kDelete:
      if (known != nullptr) {
        bool empty = false;
        result = *known;
        RETURN_IF_ERROR(DeleteFrom(std::move(given), &*result, &empty));
        if (empty) result.reset();
      }
      break;
  }
  return result;
}

Status ApplyToField(Operation operation, ByteView name, BsonValue given, BsonValue* parent) {
  ASSIGN_OR_RETURN(std::optional<BsonValue> result,
                   Apply(operation, std::move(given), parent->Find(name)));
  if (result.has_value()) {
    parent->Put(name, *std::move(result));
  } else {
    parent->Remove(name);
  }
  return Status::Ok();
}

// An index behind the end appends.
Status ApplyToElement(Operation operation, size_t index, BsonValue given, BsonValue* parent) {
  const bool known = index < parent->fields.size();
  ASSIGN_OR_RETURN(
      std::optional<BsonValue> result,
      Apply(operation, std::move(given), known ? &parent->fields[index].value : nullptr));
  if (!result.has_value()) {
    if (known) parent->fields.erase(parent->fields.begin() + static_cast<ptrdiff_t>(index));
  } else if (known) {
    parent->fields[index].value = *std::move(result);
  } else {
    parent->fields.push_back({Bytes(), *std::move(result)});
  }
  return Status::Ok();
}

Status ApplyAt(Operation operation, ByteView name, BsonValue given, BsonValue* document) {
  const bool plain = name.find_first_of(".[") == ByteView::npos;
  if (plain || document->Find(name) != nullptr) {
    return ApplyToField(operation, name, std::move(given), document);
  }
  ASSIGN_OR_RETURN(BsonPath path, ParseFieldPath(name));
  const PathStep last = std::move(path.back());
  path.pop_back();
  BsonValue* const parent = FindAt(document, path);
  const bool of_array = last.kind == PathStep::Kind::kIndex;
  if (parent == nullptr || (of_array ? !parent->is_array() : !parent->is_document())) {
    return BadPath(name);
  }
  if (!of_array) return ApplyToField(operation, last.name, std::move(given), parent);
  return ApplyToElement(operation, static_cast<size_t>(last.index), std::move(given), parent);
}

Status ApplyAll(Operation operation, const BsonValue* changes, BsonValue* document) {
  if (changes == nullptr) return Status::Ok();
  if (!changes->is_document()) return MakeUncodedSqlError("An update is a document of fields");
  for (const BsonField& field : changes->fields) {
    BsonValue given = field.value;
    if (operation == Operation::kSet) {
      ASSIGN_OR_RETURN(given, NewValue(field.value, *document));
    }
    const bool fits = operation != Operation::kAdd || given.is_number() || SetOf(&given) != nullptr;
    if (!fits) {
      return MakeUncodedSqlError(
          "Type of new value to be updated should be either number or sets only");
    }
    if (operation == Operation::kDelete && SetOf(&given) == nullptr) {
      return MakeUncodedSqlError("Type of new value to be removed should be sets only");
    }
    RETURN_IF_ERROR(ApplyAt(operation, field.name, std::move(given), document));
  }
  return Status::Ok();
}

}  // namespace

Status UpdateBson(const BsonValue& update, BsonValue* document) {
  RETURN_IF_ERROR(ApplyAll(Operation::kSet, update.Find("$SET"), document));
  RETURN_IF_ERROR(ApplyAll(Operation::kUnset, update.Find("$UNSET"), document));
  RETURN_IF_ERROR(ApplyAll(Operation::kAdd, update.Find("$ADD"), document));
  return ApplyAll(Operation::kDelete, update.Find("$DELETE_FROM_SET"), document);
}

}  // namespace bennu::sql
