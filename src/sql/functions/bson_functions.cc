// BSON_VALUE, BSON_VALUE_TYPE, BSON_CONDITION_EXPRESSION, BSON_UPDATE_EXPRESSION.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "src/base/status_macros.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/expr/make_internal.h"
#include "src/sql/functions/bson_condition.h"
#include "src/sql/functions/bson_path.h"
#include "src/sql/functions/bson_update.h"
#include "src/sql/functions/function_tables.h"
#include "src/sql/types/bson.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

using enum TypeId;

// ---------------------------------------------------------------- values

struct ValueState : FunctionState {
  BsonPath path;
  Value default_value;  // of the function's type
};

// A default is written as text.
Result<Value> DefaultOf(const Value& text, TypeId type) {
  if (text.is_null()) return Value::Null({type});
  if (IsBinary(type)) {
    const std::optional<Bytes> bytes = DecodeBase64(text.bytes());
    if (!bytes.has_value()) return SqlIllegalData("'" + text.bytes() + "' is no base64");
    return Value::String({type}, *bytes);
  }
  return ParseValue(text.bytes(), {type});
}

Status BindValue(BoundExpr* expr) {
  auto state = std::make_shared<ValueState>();
  if (!expr->children[1]->constant.is_null()) {
    ASSIGN_OR_RETURN(state->path, ParseFieldPath(expr->children[1]->constant.bytes()));
  }
  if (expr->function->name == "BSON_VALUE" && !expr->children[2]->constant.is_null()) {
    const Bytes& name = expr->children[2]->constant.bytes();
    const std::optional<TypeId> type = TypeByName(name);
    if (!type.has_value()) return SqlIllegalData("Unsupported sql type: " + name);
    expr->type = {*type};
    ASSIGN_OR_RETURN(state->default_value, DefaultOf(expr->children[3]->constant, *type));
  }
  expr->state = std::move(state);
  return Status::Ok();
}

// A number without its fraction. Nothing: it is no number, or not one of 64 bits.
std::optional<int64_t> WholeOf(const BsonValue& value) {
  if (value.type == BsonType::kInt32 || value.type == BsonType::kInt64) return value.integer;
  if (!value.is_number()) return std::nullopt;
  constexpr double kLimit = 9223372036854775808.0;
  const double number = value.ToDouble();
  if (!(number >= -kLimit && number < kLimit)) return std::nullopt;
  return static_cast<int64_t>(number);
}

// java.util.Date's text, in UTC.
std::string DateText(int64_t millis) {
  constexpr const char* kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const CivilTime c = CivilFromMillis(millis);
  const int64_t days = DaysFromCivil(c.year, c.month, c.day);
  return fmt::format("{} {} {:02} {:02}:{:02}:{:02} UTC {}", kDays[(days % 7 + 7) % 7],
                     kMonths[c.month - 1], c.day, c.hour, c.minute, c.second, c.year);
}

std::string TextOf(const BsonValue& value) {
  std::string text;
  switch (value.type) {
    case BsonType::kString: return value.bytes;
    case BsonType::kBoolean: return value.integer != 0 ? "true" : "false";
    case BsonType::kBinary: AppendBase64(value.bytes, &text); return text;
    case BsonType::kDateTime: return DateText(value.integer);
    case BsonType::kInt32:
    case BsonType::kInt64: return std::to_string(value.integer);
    case BsonType::kDecimal128: return Decimal128ToText(value.bytes);
    default: return value.is_number() ? DoubleToText(value.ToDouble()) : "";
  }
}

// Nothing when a value of this kind is not of that type.
std::optional<Value> ValueOf(const BsonValue& value, TypeId type) {
  const bool whole = value.type == BsonType::kInt32 || value.type == BsonType::kInt64;
  switch (type) {
    case kVarchar: {
      std::string text = TextOf(value);
      return text.empty() ? Value::Null({type}) : Value::Varchar(std::move(text));
    }
    case kInteger: {
      const std::optional<int64_t> number = WholeOf(value);
      if (number != std::clamp<int64_t>(number.value_or(0), INT32_MIN, INT32_MAX)) {
        return std::nullopt;
      }
      return Value::Integer(static_cast<int32_t>(*number));
    }
    case kBigint: {
      const std::optional<int64_t> number = WholeOf(value);
      return number.has_value() ? std::optional(Value::Bigint(*number)) : std::nullopt;
    }
    case kDouble:
      if (!value.is_number()) return std::nullopt;
      return Value::Double(value.ToDouble());
    case kDecimal: {
      if (!value.is_number()) return std::nullopt;
      std::optional<Decimal> number;
      if (whole) {
        number = Decimal::FromInt64(value.integer);
      } else if (value.type == BsonType::kDouble) {
        number = Decimal::FromDouble(value.real);
      } else {
        number = Decimal::Parse(Decimal128ToText(value.bytes));
      }
      if (!number.has_value()) return std::nullopt;
      return Value::Number(*number);
    }
    case kBoolean:
      if (value.type != BsonType::kBoolean) return std::nullopt;
      return Value::Bool(value.integer != 0);
    case kVarbinary:
    case kVarbinaryEncoded:
      if (value.type != BsonType::kBinary) return std::nullopt;
      if (value.bytes.empty()) return Value::Null({type});
      return Value::String({type}, value.bytes);
    case kDate:
      if (value.type != BsonType::kDateTime) return std::nullopt;
      return Value::Int({type}, value.integer);
    case kBson: {
      if (!value.is_document()) return std::nullopt;
      Bytes bytes;
      EncodeBson(value, &bytes);
      return Value::String({type}, std::move(bytes));
    }
    default: return std::nullopt;
  }
}

Status BsonValueAt(const BoundExpr& expr, Arguments args, size_t count, EvalContext*, Vector* out) {
  const auto& state = static_cast<const ValueState&>(*expr.state);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const BsonValue document, DecodeBson(BytesAt(*args[0], i)));
    const BsonValue* const found = FindAt(document, state.path);
    std::optional<Value> value = state.default_value;
    if (found != nullptr) value = ValueOf(*found, expr.type.id);
    if (!value.has_value()) {
      return MakeUncodedSqlError(
          fmt::format("The function data type does not match with actual data type: no {} at '{}'",
                      TypeName(expr.type.id), BytesAt(*args[1], i)));
    }
    if (value->is_null()) {
      out->SetNull(i);
    } else {
      out->SetValue(i, *value);
    }
  }
  return Status::Ok();
}

std::string_view TypeNameOf(const BsonValue* value) {
  if (value == nullptr) return "NULL";
  switch (value->type) {
    case BsonType::kInt32: return "INTEGER";
    case BsonType::kInt64: return "BIGINT";
    case BsonType::kDouble:
    case BsonType::kDecimal128: return "DOUBLE";
    case BsonType::kBoolean: return "BOOLEAN";
    case BsonType::kBinary: return "VARBINARY";
    case BsonType::kDateTime: return "DATE";
    case BsonType::kDocument:
    case BsonType::kArray: return "BSON";
    case BsonType::kNull: return "NULL";
    default: return "VARCHAR";
  }
}

Status BsonValueType(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                     Vector* out) {
  const auto& state = static_cast<const ValueState&>(*expr.state);
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    ASSIGN_OR_RETURN(const BsonValue document, DecodeBson(BytesAt(*args[0], i)));
    out->SetBytes(i, TypeNameOf(FindAt(document, state.path)));
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- conditions and updates

// The second argument: text is JSON, other bytes are a document.
Result<BsonValue> DocumentOf(const DataType& type, ByteView bytes) {
  if (!IsString(type.id)) return DecodeBson(bytes);
  ASSIGN_OR_RETURN(BsonValue value, ParseBsonJson(bytes));
  if (!value.is_document()) return MakeUncodedSqlError("JSON is no object at its top level");
  return value;
}

Status CheckDocument(const BoundExpr& expr) {
  const TypeId type = expr.children[0]->type.id;
  if (type == kNull || CanCoerce(type, kBson)) return Status::Ok();
  return MakeUncodedSqlError(
      fmt::format("{} type is unsupported for {}()", TypeName(type), expr.function->name));
}

struct ConditionState : FunctionState {
  BsonCondition condition;
};

Status BindCondition(BoundExpr* expr) {
  RETURN_IF_ERROR(CheckDocument(*expr));
  const BoundExpr& given = *expr->children[1];
  if (!given.is_constant() || given.constant.is_null()) return Status::Ok();
  auto state = std::make_shared<ConditionState>();
  ASSIGN_OR_RETURN(BsonValue condition, DocumentOf(given.type, given.constant.bytes()));
  ASSIGN_OR_RETURN(state->condition, BsonCondition::Make(std::move(condition)));
  expr->state = std::move(state);
  return Status::Ok();
}

Status HoldsCondition(const BoundExpr& expr, Arguments args, size_t count, EvalContext*,
                      Vector* out) {
  Bytes known;  // what 'made' was made of
  BsonCondition made;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const BsonCondition* condition = &made;
    if (expr.state != nullptr) {
      condition = &static_cast<const ConditionState&>(*expr.state).condition;
    } else if (const ByteView bytes = BytesAt(*args[1], i); known != bytes) {
      ASSIGN_OR_RETURN(BsonValue given, DocumentOf(args[1]->type(), bytes));
      ASSIGN_OR_RETURN(made, BsonCondition::Make(std::move(given)));
      known = bytes;
    }
    ASSIGN_OR_RETURN(const BsonValue document, DecodeBson(BytesAt(*args[0], i)));
    ASSIGN_OR_RETURN(const bool holds, condition->Holds(document));
    out->Set<uint8_t>(i, holds ? 1 : 0);
  }
  return Status::Ok();
}

Status BindUpdate(BoundExpr* expr) { return CheckDocument(*expr); }

Status Update(const BoundExpr&, Arguments args, size_t count, EvalContext*, Vector* out) {
  Bytes known;
  BsonValue update;
  for (size_t i = 0; i < count; ++i) {
    if (out->IsNull(i)) continue;
    const ByteView given = BytesAt(*args[1], i);
    if (known.empty() || known != given) {
      ASSIGN_OR_RETURN(update, DocumentOf(args[1]->type(), given));
      known = given;
    }
    ASSIGN_OR_RETURN(BsonValue document, DecodeBson(BytesAt(*args[0], i)));
    RETURN_IF_ERROR(UpdateBson(update, &document));
    Bytes bytes;
    EncodeBson(document, &bytes);
    out->SetBytes(i, bytes);
  }
  return Status::Ok();
}

}  // namespace

std::vector<FunctionDef> BsonFunctions() {
  const ArgumentSpec document{{kBson, kVarbinary}};
  const ArgumentSpec any_document{{kJson, kBson, kVarbinary}};
  const ArgumentSpec constant{{kVarchar}, false, true};
  return {
      {.name = "BSON_VALUE",
       .arguments = {any_document, constant, constant, {{kVarchar}, true, true}},
       .result = kVarchar,
       .evaluate = BsonValueAt,
       .bind = BindValue,
       .can_fail = true},
      {.name = "BSON_VALUE_TYPE",
       .arguments = {any_document, constant},
       .result = kVarchar,
       .evaluate = BsonValueType,
       .bind = BindValue,
       .can_fail = true},
      {.name = "BSON_CONDITION_EXPRESSION",
       .arguments = {document, document},
       .result = kBoolean,
       .evaluate = HoldsCondition,
       .bind = BindCondition,
       .can_fail = true},
      {.name = "BSON_UPDATE_EXPRESSION",
       .arguments = {document, document},
       .result = kBson,
       .evaluate = Update,
       .bind = BindUpdate,
       .can_fail = true},
  };
}

}  // namespace bennu::sql
