#include "src/sql/index/phoenix_expression.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/sql/expr/function_def.h"
#include "src/sql/expr/nullability.h"
#include "src/sql/functions/moment_rounding.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::index {
namespace {

using catalog::ColumnMeta;

// Phoenix's ExpressionType.
enum Class : int32_t {
  kRowKeyColumn = 1,
  kKeyValueColumn = 2,
  kLiteral = 3,
  kRoundDate = 7,
  kFloorDate = 8,
  kCeilDate = 9,
  kRoundDecimal = 12,
  kFloorDecimal = 13,
  kCeilDecimal = 14,
  kCoerce = 19,
  kComparison = 23,
  kLike = 28,
  kNot = 29,
  kCase = 30,
  kIsNull = 32,
  kConcat = 47,
  kRoundWeek = 132,
  kFloorWeek = 135,
  kCeilWeek = 138,
  kDefaultValue = 143,
};

// By BoundKind::kArithmetic's operator: add, subtract, multiply, divide, modulo; -1: there is none.
constexpr int32_t kOfLongs[] = {36, 33, 39, 41, 89};
constexpr int32_t kOfDecimals[] = {37, 35, 40, 42, -1};
constexpr int32_t kOfDoubles[] = {60, 61, 62, 63, -1};
constexpr int32_t kOfDates[] = {38, 34, -1, -1, -1};
constexpr int32_t kOfTimestamps[] = {70, 71, -1, -1, -1};

// Functions that are told by their arguments alone, constants that stand for missing ones too.
constexpr std::pair<std::string_view, int32_t> kFunctions[] = {
    {"REVERSE", 0},
    {"SUBSTR", 20},
    {"COALESCE", 43},
    {"REGEXP_REPLACE", 44},
    {"REGEXP_SUBSTR", 46},
    {"LENGTH", 48},
    {"LTRIM", 49},
    {"RTRIM", 50},
    {"UPPER", 51},
    {"LOWER", 52},
    {"TRIM", 53},
    {"MD5", 65},
    {"INVERT", 68},
    {"ARRAY_ELEM", 72},
    {"ARRAY_LENGTH", 73},
    {"CONVERT_TZ", 77},
    {"DECODE", 78},
    {"TIMEZONE_OFFSET", 79},
    {"ENCODE", 80},
    {"LPAD", 81},
    {"REGEXP_SPLIT", 91},
    {"SIGN", 103},
    {"YEAR", 104},
    {"MONTH", 105},
    {"SECOND", 106},
    {"WEEK", 107},
    {"HOUR", 108},
    {"INSTR", 110},
    {"MINUTE", 111},
    {"DAYOFMONTH", 112},
    {"SQRT", 116},
    {"ABS", 117},
    {"CBRT", 118},
    {"LN", 119},
    {"LOG", 120},
    {"EXP", 121},
    {"POWER", 122},
    {"ARRAY_TO_STRING", 125},
    {"STRING_TO_ARRAY", 126},
    {"GET_BYTE", 127},
    {"SET_BYTE", 128},
    {"GET_BIT", 129},
    {"SET_BIT", 130},
    {"OCTET_LENGTH", 131},
    {"DAYOFWEEK", 141},
    {"DAYOFYEAR", 142},
    {"COLLATION_KEY", 148},
    {"SIN", 152},
    {"COS", 153},
    {"TAN", 154},
    {"JSON_VALUE", 157},
    {"JSON_EXISTS", 159},
    {"BSON_VALUE", 163},
};

constexpr int32_t kNullableFlag = 1;
constexpr int32_t kScaleFlag = 2;
constexpr int32_t kMaxLengthFlag = 4;
constexpr int32_t kFixedFlag = 1;
constexpr int32_t kSeparatorFlag = 2;
constexpr int32_t kAlways = 1 << 2;  // the value of a constant is the same whenever it is asked for
constexpr int32_t kNoLength = -1;

int32_t Ordinal(TypeId type) { return type == TypeId::kNull ? -1 : static_cast<int32_t>(type); }

Status Unknown(std::string what) { return NotSupported(std::move(what)); }

Status AppendLiteral(const Value& value, TypeId type, Bytes* text) {
  AppendVInt(text, Class::kLiteral);
  Bytes encoded;
  if (!value.is_null()) RETURN_IF_ERROR(Encode(value, value.type(), SortOrder::kAsc, &encoded));
  AppendVInt(text, static_cast<int32_t>(encoded.size()) + 1);
  text->append(encoded);
  AppendVInt(text, kAlways | SortOrderSystemValue(SortOrder::kAsc));
  AppendVInt(text, Ordinal(type));
  return Status::Ok();
}

Status AppendLiteral(const Value& value, Bytes* text) {
  return AppendLiteral(value, value.type().id, text);
}

void AppendColumnHeader(const ColumnMeta& column, Bytes* text) {
  int32_t header = Ordinal(column.type.id) << 3;
  if (column.nullable) header |= kNullableFlag;
  if (column.type.scale.has_value()) header |= kScaleFlag;
  if (column.type.max_length.has_value()) header |= kMaxLengthFlag;
  AppendVInt(text, header);
  if (column.type.scale.has_value()) AppendVInt(text, *column.type.scale);
  if (column.type.max_length.has_value()) AppendVInt(text, *column.type.max_length);
  AppendVInt(text, SortOrderSystemValue(column.sort_order));
}

// CASE: values and conditions by turns, a value before its condition, and the value of ELSE.
void BeginChoice(size_t parts, Bytes* text) {
  AppendVInt(text, Class::kCase);
  AppendVInt(text, static_cast<int32_t>(parts));
}

void EndChoice(TypeId type, Bytes* text) { AppendVInt(text, Ordinal(type)); }

void AppendBoolean(bool value, Bytes* text) {
  // A BOOLEAN has bytes.
  static_cast<void>(AppendLiteral(Value::Bool(value), text));
}

void AppendCoerce(const DataType& type, Bytes* text) {
  AppendVInt(text, -(Ordinal(type.id) + 1));  // keys sort as their values do
  AppendVInt(text, SortOrderSystemValue(SortOrder::kAsc));
  AppendVInt(text, kNoLength);
}

// CompareOperator of HBase.
int32_t Operator(ComparisonOp op) {
  switch (op) {
    case ComparisonOp::kLess: return 0;
    case ComparisonOp::kLessOrEqual: return 1;
    case ComparisonOp::kEqual: return 2;
    case ComparisonOp::kNotEqual: return 3;
    case ComparisonOp::kGreaterOrEqual: return 4;
    case ComparisonOp::kGreater: return 5;
  }
  return -1;
}

bool IsReal(TypeId type) { return IsFloatingPoint(type) || type == TypeId::kDecimal; }

// Whether Phoenix's coercion of stored values gives what a cast gives.
bool CoercesAlike(TypeId from, TypeId to) {
  if (IsString(from)) return IsString(to);
  if (IsNumeric(from)) return IsNumeric(to) && !(IsReal(from) && IsIntegral(to));
  if (IsDateTime(from)) return IsDateTime(to) && (IsTimestamp(to) || !IsTimestamp(from));
  return IsBinary(from) && IsBinary(to) && to != TypeId::kVarbinaryEncoded &&
         from != TypeId::kVarbinaryEncoded;
}

}  // namespace

void AppendByteArray(ByteView bytes, Bytes* text) {
  AppendVInt(text, static_cast<int32_t>(bytes.size()));
  text->append(bytes);
}

const ColumnMeta* PhoenixExpressions::ColumnOf(size_t slot) const {
  const plan::ScanColumn& read = columns_[slot];
  for (const ColumnMeta& column : table_.columns) {
    switch (read.source) {
      case plan::ScanColumn::Source::kKey:
        if (column.is_key() && read.key_column == static_cast<uint32_t>(column.key_position)) {
          return &column;
        }
        break;
      case plan::ScanColumn::Source::kCell:
        if (!column.is_key() && column.family == read.family &&
            column.qualifier == read.qualifier) {
          return &column;
        }
        break;
      default: return nullptr;
    }
  }
  return nullptr;
}

Result<Bytes> PhoenixExpressions::Describe(const BoundExpr& expr) const {
  Bytes text;
  RETURN_IF_ERROR(Append(expr, &text));
  return text;
}

Result<Bytes> PhoenixExpressions::DescribeCondition(
    const BoundExpr* condition, std::span<const ColumnMeta* const> present) const {
  Bytes text;
  for (const ColumnMeta* column : present) {
    BeginChoice(3, &text);
    AppendBoolean(false, &text);
    AppendVInt(&text, Class::kIsNull);
    RETURN_IF_ERROR(AppendColumn(*column, &text));
    text.push_back('\0');
  }
  if (condition == nullptr) {
    AppendBoolean(true, &text);
  } else {
    RETURN_IF_ERROR(AppendTruth(*condition, true, &text));
  }
  for (size_t i = 0; i < present.size(); ++i) EndChoice(TypeId::kBoolean, &text);
  return text;
}

// Phoenix's AndExpression and OrExpression remember a NULL that they have seen in an earlier row.
// So each becomes a choice, which remembers nothing.
Status PhoenixExpressions::AppendTruth(const BoundExpr& expr, bool wanted, Bytes* text) const {
  switch (expr.kind) {
    case BoundKind::kNot: return AppendTruth(*expr.children[0], !wanted, text);
    case BoundKind::kRowCompare: return AppendTruth(*expr.children.back(), wanted, text);
    case BoundKind::kAnd:
    case BoundKind::kOr: {
      // Whether one part that is so decides; else one that is not.
      const bool any = (expr.kind == BoundKind::kOr) == wanted;
      const size_t last = expr.children.size() - 1;
      for (size_t i = 0; i < last; ++i) {
        BeginChoice(3, text);
        AppendBoolean(any, text);
        if (!any) AppendVInt(text, Class::kNot);
        RETURN_IF_ERROR(AppendTruth(*expr.children[i], wanted, text));
      }
      RETURN_IF_ERROR(AppendTruth(*expr.children[last], wanted, text));
      for (size_t i = 0; i < last; ++i) EndChoice(TypeId::kBoolean, text);
      return Status::Ok();
    }
    case BoundKind::kIn: {
      const bool is_in = wanted != expr.negated;
      // A NULL in the list: no value is known not to be in it.
      if (!is_in && expr.list_has_null) {
        AppendBoolean(false, text);
        return Status::Ok();
      }
      BeginChoice(2 * expr.list.size() + (is_in ? 1 : 3), text);
      for (const Value& value : expr.list) {
        AppendBoolean(is_in, text);
        AppendVInt(text, Class::kComparison);
        AppendVInt(text, Operator(ComparisonOp::kEqual));
        AppendVInt(text, 2);
        RETURN_IF_ERROR(Append(*expr.children[0], text));
        RETURN_IF_ERROR(AppendLiteral(value, text));
      }
      if (!is_in) {
        AppendBoolean(false, text);
        AppendVInt(text, Class::kIsNull);
        RETURN_IF_ERROR(Append(*expr.children[0], text));
        text->push_back('\0');
      }
      AppendBoolean(!is_in, text);
      EndChoice(TypeId::kBoolean, text);
      return Status::Ok();
    }
    default: break;
  }
  BeginChoice(3, text);
  AppendBoolean(true, text);
  if (!wanted) AppendVInt(text, Class::kNot);
  RETURN_IF_ERROR(Append(expr, text));
  AppendBoolean(false, text);
  EndChoice(TypeId::kBoolean, text);
  return Status::Ok();
}

// NULL where it is neither true nor false.
Status PhoenixExpressions::AppendLogic(const BoundExpr& expr, Bytes* text) const {
  if (!IsNullable(expr)) return AppendTruth(expr, true, text);
  BeginChoice(4, text);
  for (const bool wanted : {true, false}) {
    AppendBoolean(wanted, text);
    RETURN_IF_ERROR(AppendTruth(expr, wanted, text));
  }
  EndChoice(TypeId::kBoolean, text);
  return Status::Ok();
}

Status PhoenixExpressions::AppendColumn(const ColumnMeta& column, Bytes* text) const {
  if (column.is_key()) return AppendKeyColumn(column, text);
  AppendVInt(text, Class::kKeyValueColumn);
  AppendColumnHeader(column, text);
  AppendByteArray(column.family, text);
  AppendByteArray(column.qualifier, text);
  return Status::Ok();
}

// How to get to the column: the widths of those of fixed width before it, and how many others there
// are, by turns.
Status PhoenixExpressions::AppendKeyColumn(const ColumnMeta& column, Bytes* text) const {
  std::vector<int32_t> offsets;
  const auto pass_fixed = [&](int32_t width) {
    if (offsets.empty() || offsets.back() < 0) offsets.push_back(0);
    offsets.back() += width;
  };
  if (table_.is_salted()) pass_fixed(1);
  const auto position = static_cast<size_t>(column.key_position);
  for (size_t i = 0; i < position; ++i) {
    const DataType& type = table_.key_column(i).type;
    if (type.id == TypeId::kVarbinaryEncoded) {
      return Unknown("the key column " + column.name + ", which stands behind one of " +
                     std::string(TypeName(type.id)));
    }
    const std::optional<int32_t> width = FixedWidth(type);
    if (width.has_value()) {
      pass_fixed(*width);
    } else {
      if (offsets.empty() || offsets.back() >= 0) offsets.push_back(0);
      --offsets.back();
    }
  }
  AppendVInt(text, Class::kRowKeyColumn);
  AppendColumnHeader(column, text);
  const bool fixed = FixedWidth(column.type).has_value();
  const bool separated = !fixed && position + 1 < table_.key_columns.size();
  AppendVInt(text, static_cast<int32_t>(offsets.size()) << 2 | (separated ? kSeparatorFlag : 0) |
                       (fixed ? kFixedFlag : 0));
  for (const int32_t offset : offsets) AppendVInt(text, offset);
  return Status::Ok();
}

Status PhoenixExpressions::Append(const BoundExpr& expr, Bytes* text) const {
  switch (expr.kind) {
    case BoundKind::kSlot: {
      const ColumnMeta* const column = ColumnOf(expr.slot);
      if (column == nullptr) return Unknown("the value " + expr.name);
      const std::optional<Value>& missing = columns_[expr.slot].default_value;
      if (!missing.has_value()) return AppendColumn(*column, text);
      AppendVInt(text, Class::kDefaultValue);
      AppendVInt(text, 2);
      RETURN_IF_ERROR(AppendColumn(*column, text));
      return AppendLiteral(*missing, column->type.id, text);
    }
    case BoundKind::kConstant: return AppendLiteral(expr.constant, expr.type.id, text);
    case BoundKind::kFunction: return AppendFunction(expr, text);
    case BoundKind::kArithmetic: return AppendArithmetic(expr, text);
    case BoundKind::kCompare:
      AppendVInt(text, Class::kComparison);
      AppendVInt(text, Operator(expr.compare));
      return AppendAll(expr.children, text);
    case BoundKind::kRowCompare: return Append(*expr.children.back(), text);
    case BoundKind::kAnd:
    case BoundKind::kOr:
    case BoundKind::kIn: return AppendLogic(expr, text);
    case BoundKind::kNot: AppendVInt(text, Class::kNot); return Append(*expr.children[0], text);
    case BoundKind::kIsNull:
      AppendVInt(text, Class::kIsNull);
      RETURN_IF_ERROR(Append(*expr.children[0], text));
      text->push_back(expr.negated ? '\1' : '\0');
      return Status::Ok();
    case BoundKind::kCase: return AppendCase(expr, text);
    case BoundKind::kCast: return AppendCast(expr, text);
    case BoundKind::kLike: return AppendLike(expr, text);
    case BoundKind::kConcat:
      if (expr.type.id != TypeId::kVarchar) return Unknown("the concatenation of bytes");
      AppendVInt(text, Class::kConcat);
      return AppendAll(expr.children, text);
    case BoundKind::kParameter: return Unknown("a parameter");
    case BoundKind::kArray: return Unknown("ARRAY[]");
    case BoundKind::kQuantified: return Unknown("ANY and ALL");
  }
  return Unknown(ToText(expr));
}

Status PhoenixExpressions::AppendAll(std::span<const BoundExprPtr> children, Bytes* text) const {
  AppendVInt(text, static_cast<int32_t>(children.size()));
  for (const BoundExprPtr& child : children) RETURN_IF_ERROR(Append(*child, text));
  return Status::Ok();
}

Status PhoenixExpressions::AppendArithmetic(const BoundExpr& expr, Bytes* text) const {
  const auto op = static_cast<size_t>(expr.arithmetic);
  const auto of_dates = [&] {
    return std::any_of(expr.children.begin(), expr.children.end(),
                       [](const auto& child) { return IsDateTime(child->type.id); });
  };
  int32_t number = -1;
  switch (PhysicalTypeOf(expr.type.id)) {
    case PhysicalType::kInt64: number = of_dates() ? kOfDates[op] : kOfLongs[op]; break;
    case PhysicalType::kDecimal: number = kOfDecimals[op]; break;
    case PhysicalType::kDouble: number = kOfDoubles[op]; break;
    case PhysicalType::kTimestamp: number = kOfTimestamps[op]; break;
    default: break;
  }
  if (number < 0) return Unknown(ToText(expr));
  AppendVInt(text, number);
  return AppendAll(expr.children, text);
}

// Here each condition stands before its value, in Phoenix's form behind it.
Status PhoenixExpressions::AppendCase(const BoundExpr& expr, Bytes* text) const {
  const size_t branches = expr.children.size() / 2;
  const BoundExpr& otherwise = *expr.children.back();
  const bool has_else = !otherwise.is_null_constant();
  BeginChoice(2 * branches + (has_else ? 1 : 0), text);
  for (size_t i = 0; i < branches; ++i) {
    const BoundExpr& when = *expr.children[2 * i];
    const bool is_logic = when.kind == BoundKind::kAnd || when.kind == BoundKind::kOr ||
                          when.kind == BoundKind::kIn || when.kind == BoundKind::kNot;
    RETURN_IF_ERROR(Append(*expr.children[2 * i + 1], text));
    RETURN_IF_ERROR(is_logic ? AppendTruth(when, true, text) : Append(when, text));
  }
  if (has_else) RETURN_IF_ERROR(Append(otherwise, text));
  EndChoice(expr.type.id, text);
  return Status::Ok();
}

Status PhoenixExpressions::AppendCast(const BoundExpr& expr, Bytes* text) const {
  const BoundExpr& child = *expr.children[0];
  const TypeId from = child.type.id;
  const TypeId to = expr.type.id;
  if (from == to) return Append(child, text);
  if (IsReal(from) && IsIntegral(to)) {
    // Phoenix rounds first.
    AppendVInt(text, Class::kCoerce);
    AppendVInt(text, Class::kRoundDecimal);
    RETURN_IF_ERROR(AppendRoundDecimal(child, 0, text));
    AppendCoerce(expr.type, text);
    return Status::Ok();
  }
  if (!CoercesAlike(from, to)) {
    return Unknown("the cast from " + std::string(TypeName(from)) + " to " +
                   std::string(TypeName(to)));
  }
  AppendVInt(text, Class::kCoerce);
  RETURN_IF_ERROR(Append(child, text));
  AppendCoerce(expr.type, text);
  return Status::Ok();
}

Status PhoenixExpressions::AppendLike(const BoundExpr& expr, Bytes* text) const {
  if (!expr.children[1]->is_constant()) return Unknown("LIKE with a pattern that is not constant");
  if (expr.negated) AppendVInt(text, Class::kNot);
  AppendVInt(text, Class::kLike);
  AppendVInt(text, 3);
  RETURN_IF_ERROR(Append(*expr.children[0], text));
  RETURN_IF_ERROR(Append(*expr.children[1], text));
  return AppendLiteral(
      Value::Varchar(expr.case_insensitive ? "CASE_INSENSITIVE" : "CASE_SENSITIVE"), text);
}

Status PhoenixExpressions::AppendFunction(const BoundExpr& expr, Bytes* text) const {
  const std::string_view name = expr.function->name;
  if (name == "ROUND" || name == "FLOOR" || name == "CEIL" || name == "TRUNC") {
    return AppendRounding(expr, text);
  }
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const auto& each) { return each.first == name; });
  if (found == std::end(kFunctions)) return Unknown("the function " + std::string(name));
  AppendVInt(text, found->second);
  AppendVInt(text, static_cast<int32_t>(expr.children.size()));
  for (size_t i = 0; i < expr.children.size(); ++i) {
    const BoundExpr& child = *expr.children[i];
    const std::vector<TypeId>& types = expr.function->arguments[i].types;
    if (child.is_null_constant() && child.type.id == TypeId::kNull && !types.empty()) {
      RETURN_IF_ERROR(AppendLiteral(child.constant, types.front(), text));
    } else {
      RETURN_IF_ERROR(Append(child, text));
    }
  }
  return Status::Ok();
}

// What stands behind the class. The number of digits is a child, and a field as well.
Status PhoenixExpressions::AppendRoundDecimal(const BoundExpr& child, int32_t digits,
                                              Bytes* text) const {
  AppendVInt(text, 2);
  RETURN_IF_ERROR(Append(child, text));
  RETURN_IF_ERROR(AppendLiteral(Value::Integer(digits), text));
  AppendVInt(text, digits);
  return Status::Ok();
}

Status PhoenixExpressions::AppendRounding(const BoundExpr& expr, Bytes* text) const {
  using Mode = MomentRounding::Mode;
  const BoundExpr& child = *expr.children[0];
  const std::optional<MomentRounding> moment = MomentRoundingOf(expr);
  if (!moment.has_value()) {
    const std::string_view name = expr.function->name;
    const BoundExpr& scale = *expr.children[1];
    const auto digits = scale.is_null_constant() ? 0 : scale.constant.int64();
    AppendVInt(text, name == "ROUND"  ? Class::kRoundDecimal
                     : name == "CEIL" ? Class::kCeilDecimal
                                      : Class::kFloorDecimal);
    return AppendRoundDecimal(child, static_cast<int32_t>(digits), text);
  }
  if (IsTimestamp(expr.type.id)) return Unknown(ToText(expr) + " of a TIMESTAMP");
  const auto of_mode = [&](int32_t round, int32_t floor, int32_t ceil) {
    return moment->mode == Mode::kRound ? round : moment->mode == Mode::kCeil ? ceil : floor;
  };
  int32_t number = of_mode(Class::kRoundDate, Class::kFloorDate, Class::kCeilDate);
  if (!moment->fixed_length) {
    // WEEK, MONTH and YEAR stand one after the other in both.
    number =
        of_mode(Class::kRoundWeek, Class::kFloorWeek, Class::kCeilWeek) + moment->calendar_unit;
  }
  AppendVInt(text, number);
  AppendVInt(text, 1);
  if (IsTimestamp(child.type.id)) AppendVInt(text, Class::kCoerce);
  RETURN_IF_ERROR(Append(child, text));
  if (IsTimestamp(child.type.id)) AppendCoerce(expr.type, text);
  AppendVLong(text, moment->fixed_length ? moment->unit_millis : 0);
  return Status::Ok();
}

}  // namespace bennu::sql::index
