#include "src/sql/plan/key_terms.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/keys/key_matcher.h"
#include "src/sql/keys/skip_scan.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/index_key_value.h"
#include "src/sql/types/text.h"

namespace bennu::sql::plan {
namespace {

// What one term allows for its columns. 'ranges' empty in an engaged optional: nothing at all.
struct TermRanges {
  std::vector<KeyRange> ranges;
  bool exact = true;  // the ranges hold exactly the rows for which the term is true
};

// An operand as a value of the column's type. Nothing: it has no exact counterpart there.
std::optional<Value> Exactly(const Value& value, const KeyColumn& column) {
  // Padding does not count, and RangesFor knows what to do with text that is too long.
  if (IsString(value.type().id) && IsString(column.type.id)) {
    return Value::String(column.type, value.bytes());
  }
  Result<Value> coerced = Coerce(value, column.type);
  if (!coerced.ok()) return std::nullopt;
  // A FLOAT column is compared in single precision, to which a constant is brought first. With a
  // whole number it is compared as a number.
  const bool single =
      (column.type.id == TypeId::kFloat || column.type.id == TypeId::kUnsignedFloat) &&
      !IsIntegral(value.type().id);
  if (single && !coerced->is_null()) return std::move(coerced).value();
  // DECIMAL loses digits silently.
  Result<int> order = CompareValues(*coerced, value);
  if (!order.ok() || *order != 0) return std::nullopt;
  // What is too small for the bytes would become 0.
  if (coerced->type().id == TypeId::kDecimal && !coerced->is_null() &&
      !coerced->decimal().FitsBytes()) {
    return std::nullopt;
  }
  Bytes scratch;
  if (!Encode(*coerced, column.type, column.order, &scratch).ok()) return std::nullopt;
  if (scratch.empty()) return std::nullopt;
  return std::move(coerced).value();
}

// A fraction that a column of whole numbers is compared with: the whole number that takes its
// place. Nothing: there is none in the column's type.
std::optional<Value> WholeNumber(const Value& fraction, CompareOp op, const KeyColumn& column) {
  if (fraction.type().id != TypeId::kDecimal || !IsIntegral(column.type.id)) return std::nullopt;
  const bool down = op == CompareOp::kGreater || op == CompareOp::kLessOrEqual;
  const std::optional<Decimal> whole =
      fraction.decimal().SetScale(0, down ? Rounding::kFloor : Rounding::kCeiling);
  if (!whole.has_value() || *whole == fraction.decimal()) return std::nullopt;
  return Exactly(Value::Number(*whole), column);
}

class TermPlanner {
 public:
  // 'value_types': see KeyTermOptions.
  TermPlanner(const KeySchema& schema, const OperandValues& values,
              std::span<const DataType> value_types)
      : schema_(schema), values_(values), value_types_(value_types) {}

  // Nothing: the term says nothing that a scan can use.
  Result<std::optional<TermRanges>> Ranges(const KeyTerm& term) {
    switch (term.kind) {
      case KeyTerm::Kind::kCompare: return Compare(term, term.op);
      case KeyTerm::Kind::kIn: return In(term);
      case KeyTerm::Kind::kLike: return Like(term);
      case KeyTerm::Kind::kStart: return Start(term);
      case KeyTerm::Kind::kRounded: return Rounded(term);
      case KeyTerm::Kind::kIsNull: return Null(term);
      case KeyTerm::Kind::kIsNotNull: return NotNull(term);
      case KeyTerm::Kind::kAnd: return All(term);
      case KeyTerm::Kind::kOr: return Any(term);
      case KeyTerm::Kind::kRowCompare: return RowCompare(term);
      case KeyTerm::Kind::kRowIn: return RowIn(term);
    }
    return std::optional<TermRanges>();
  }

  // How many columns of a row, from the first, are of one sort order: their bytes are one range.
  uint32_t SameOrderCount(const KeyTerm& term) const {
    const std::vector<KeyColumn>& columns = schema_.columns();
    uint32_t count = 1;
    while (count < term.column_count &&
           columns[term.column + count].order == columns[term.column].order) {
      ++count;
    }
    return count;
  }

  // What a row comparison says of its first 'count' columns.
  Result<std::optional<TermRanges>> FirstColumns(const KeyTerm& term, uint32_t count) {
    KeyTerm part = term;
    part.column_count = count;
    part.operands.resize(count);
    if (part.op == CompareOp::kLess) part.op = CompareOp::kLessOrEqual;
    if (part.op == CompareOp::kGreater) part.op = CompareOp::kGreaterOrEqual;
    return Inexact(RowCompare(part));
  }

  // What a row comparison says of its first column alone.
  Result<std::optional<TermRanges>> FirstColumn(const KeyTerm& term) {
    CompareOp op = term.op;
    if (op == CompareOp::kLess) op = CompareOp::kLessOrEqual;
    if (op == CompareOp::kGreater) op = CompareOp::kGreaterOrEqual;
    if (term.kind == KeyTerm::Kind::kRowIn) return ColumnIn(term, 0);
    ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, Inexact(Compare(term, op)));
    if (ranges.has_value() && of_index() && IsBelow(op)) {
      AppendNull(term, &*ranges);
      ranges->ranges = Coalesce(std::move(ranges->ranges));
    }
    return ranges;
  }

  // What a row's IN says of one of its columns.
  Result<std::optional<TermRanges>> ColumnIn(const KeyTerm& term, uint32_t column) {
    KeyTerm in;
    in.kind = KeyTerm::Kind::kIn;
    in.column = term.column + column;
    in.null_is_equal = true;
    for (size_t i = column; i < term.operands.size(); i += term.column_count) {
      in.operands.push_back(term.operands[i]);
    }
    return Inexact(In(in));
  }

  // Whether the rows of IN have a slot for each column: where a NULL is among them, and, as in
  // Phoenix, where the columns are of both orders, unless they are whole keys.
  Result<bool> IsByColumn(const KeyTerm& term) const {
    if (term.kind != KeyTerm::Kind::kRowIn) return false;
    for (uint32_t operand : term.operands) {
      ASSIGN_OR_RETURN(const Value value, values_(operand));
      if (value.is_null()) return true;
    }
    return SameOrderCount(term) < term.column_count && term.column_count < schema_.column_count();
  }

 private:
  using Answer = Result<std::optional<TermRanges>>;

  // The key stores values of the column in another type than theirs.
  bool Converts(uint32_t column) const {
    return !value_types_.empty() && value_types_[column].id != schema_.columns()[column].type.id;
  }

  // As ::Exactly; what the key has for it.
  std::optional<Value> ExactlyIn(uint32_t number, const Value& value) const {
    if (!Converts(number)) return Exactly(value, schema_.columns()[number]);
    return Stored(number, Exactly(value, ColumnOfValues(number)));
  }
  // The column as its values are outside of the key.
  KeyColumn ColumnOfValues(uint32_t number) const {
    KeyColumn column = schema_.columns()[number];
    column.type = value_types_[number];
    return column;
  }
  std::optional<Value> Stored(uint32_t number, std::optional<Value> value) const {
    if (!value.has_value()) return value;
    Result<Value> stored =
        ToIndexKeyValue(*value, value_types_[number], schema_.columns()[number].type);
    if (!stored.ok()) return std::nullopt;
    return std::move(stored).value();
  }

  // No row has such a value in the column, and its bytes are those of other rows.
  bool IsMisread(uint32_t number, const Value& value) const {
    return IsString(value.type().id) && IsMisread(number, value.bytes());
  }
  // Also where 'text' is only the beginning of a value.
  bool IsMisread(uint32_t number, std::string_view text) const {
    if (schema_.columns()[number].order == SortOrder::kAsc) return schema_.IsMisread(number, text);
    Bytes encoded(text);
    InvertBytes(encoded.data(), encoded.size());
    return schema_.IsMisread(number, encoded);
  }

  static bool IsDescEncoded(const KeyColumn& column) {
    return column.type.id == TypeId::kVarbinaryEncoded && column.order == SortOrder::kDesc;
  }

  static Answer Inexact(Answer answer) {
    if (answer.ok() && answer->has_value()) (*answer)->exact = false;
    return answer;
  }

  Answer Compare(const KeyTerm& term, CompareOp op) {
    const KeyColumn& column = schema_.columns()[term.column];
    ASSIGN_OR_RETURN(Value value, values_(term.operands[0]));
    if (value.is_null() && term.null_is_equal) return Null(term);
    if (value.is_null()) return std::optional(TermRanges{});  // never true
    std::optional<Value> exact = ExactlyIn(term.column, value);
    if (!exact.has_value()) {
      exact = Converts(term.column)
                  ? Stored(term.column, WholeNumber(value, op, ColumnOfValues(term.column)))
                  : WholeNumber(value, op, column);
      if (exact.has_value() && op == CompareOp::kEqual) return std::optional(TermRanges{});
    }
    if (!exact.has_value()) return std::optional<TermRanges>();
    if (IsMisread(term.column, *exact)) {
      if (op == CompareOp::kEqual) return std::optional(TermRanges{});
      return std::optional<TermRanges>();
    }
    ASSIGN_OR_RETURN(std::vector<KeyRange> ranges,
                     RangesFor(op, *exact, column.type, column.order));
    return std::optional(TermRanges{Coalesce(std::move(ranges))});
  }

  Answer In(const KeyTerm& term) {
    const KeyColumn& column = schema_.columns()[term.column];
    TermRanges result;
    for (uint32_t operand : term.operands) {
      ASSIGN_OR_RETURN(Value value, values_(operand));
      if (value.is_null() && term.null_is_equal) AppendNull(term, &result);
      if (value.is_null()) continue;
      const std::optional<Value> exact = ExactlyIn(term.column, value);
      // Equal to no value of the column.
      if (!exact.has_value() || IsMisread(term.column, *exact)) continue;
      ASSIGN_OR_RETURN(std::vector<KeyRange> point,
                       RangesFor(CompareOp::kEqual, *exact, column.type, column.order));
      result.ranges.insert(result.ranges.end(), point.begin(), point.end());
    }
    result.ranges = Coalesce(std::move(result.ranges));
    return std::optional(std::move(result));
  }

  Answer Like(const KeyTerm& term) {
    if (Converts(term.column)) return std::optional<TermRanges>();
    const KeyColumn& column = schema_.columns()[term.column];
    ASSIGN_OR_RETURN(Value value, values_(term.operands[0]));
    if (value.is_null()) return std::optional(TermRanges{});
    if (!IsString(value.type().id)) return std::optional<TermRanges>();
    bool exact = false;
    const std::string prefix = LikePrefix(value.bytes(), &exact);
    if (prefix.empty() || IsMisread(term.column, prefix)) return std::optional<TermRanges>();
    return std::optional(TermRanges{{LikePrefixRange(prefix, column.type, column.order)},
                                    exact && column.type.id == TypeId::kVarchar});
  }

  // SUBSTR(column, 1, length) op text. A CHAR is compared without the blanks at its end, which the
  // start of one may have in its middle: there the condition stays.
  Answer Start(const KeyTerm& term) {
    if (Converts(term.column)) return std::optional<TermRanges>();
    const KeyColumn& column = schema_.columns()[term.column];
    ASSIGN_OR_RETURN(Value value, values_(term.operands[0]));
    if (value.is_null()) return std::optional(TermRanges{});
    if (!IsString(value.type().id)) return std::optional<TermRanges>();
    const bool exact = column.type.id == TypeId::kVarchar;
    std::string text(value.bytes());
    while (!exact && !text.empty() && text.back() == ' ') text.pop_back();
    if (text.empty() || term.length <= 0 || IsMisread(term.column, text)) {
      return std::optional<TermRanges>();
    }
    const auto characters = static_cast<int64_t>(Utf8Length(text));
    const auto compared = [&](CompareOp op) {
      return RangesFor(op, Value::String(column.type, text), column.type, column.order);
    };
    const KeyRange same_start = LikePrefixRange(text, column.type, column.order);
    if (characters > term.length) {
      if (exact && term.op == CompareOp::kEqual) return std::optional(TermRanges{});
      if (term.op == CompareOp::kEqual || IsBelow(term.op)) return std::optional<TermRanges>();
    }
    TermRanges result;
    result.exact = false;
    switch (term.op) {
      case CompareOp::kEqual: {
        const bool shorter = exact && characters < term.length;  // then it is all there is
        result.exact = exact;
        result.ranges = {same_start};
        if (!shorter) break;
        ASSIGN_OR_RETURN(result.ranges, compared(CompareOp::kEqual));
        break;
      }
      case CompareOp::kGreater:
      case CompareOp::kGreaterOrEqual: {
        ASSIGN_OR_RETURN(result.ranges, compared(CompareOp::kGreaterOrEqual));
        break;
      }
      case CompareOp::kLess:
      case CompareOp::kLessOrEqual: {
        ASSIGN_OR_RETURN(result.ranges, compared(CompareOp::kLess));
        if (term.op == CompareOp::kLessOrEqual || !exact) {
          result.ranges = UnionAll(std::move(result.ranges), {same_start});
        }
        break;
      }
      case CompareOp::kNotEqual: return std::optional<TermRanges>();
    }
    result.ranges = Coalesce(std::move(result.ranges));
    return std::optional(std::move(result));
  }

  bool of_index() const { return !value_types_.empty(); }

  static bool IsBelow(CompareOp op) {
    return op == CompareOp::kLess || op == CompareOp::kLessOrEqual;
  }

  // A rounded moment op another one, as milliseconds of the column itself.
  Answer Rounded(const KeyTerm& term) {
    if (Converts(term.column)) return std::optional<TermRanges>();
    const KeyColumn& column = schema_.columns()[term.column];
    ASSIGN_OR_RETURN(const Value value, values_(term.operands[0]));
    if (value.is_null()) return std::optional(TermRanges{});
    if (!IsDateTime(value.type().id) || !IsDateTime(column.type.id)) {
      return std::optional<TermRanges>();
    }
    const bool timed = IsTimestamp(value.type().id);
    const int64_t at = timed ? value.timestamp().millis : value.int64();
    const int64_t unit = term.rounding.unit_millis;
    const bool timestamps = IsTimestamp(column.type.id);
    // Nanoseconds count where it is rounded to milliseconds. Before 1970 FLOOR goes up.
    if (unit <= 0 || (timestamps && unit == 1) || at / 2 < unit) return std::optional<TermRanges>();
    if ((timed && value.timestamp().nanos != 0) || at > INT64_MAX / 2) {
      return std::optional<TermRanges>();
    }
    const std::optional<MomentSpan> calendar =
        term.rounding.fixed_length ? std::nullopt : RoundedCalendarSpan(term.rounding, at);
    const bool aligned = term.rounding.fixed_length ? at % unit == 0 : calendar.has_value();
    if (!aligned && term.op == CompareOp::kEqual) return std::optional(TermRanges{});
    // What is rounded to 'at' lies from 'at' + before on, up to 'at' + after.
    int64_t before = 0;
    switch (term.rounding.mode) {
      case MomentRounding::Mode::kFloor: break;
      case MomentRounding::Mode::kCeil: before = 1 - unit; break;
      case MomentRounding::Mode::kRound: before = -(unit / 2); break;
    }
    int64_t after = before + unit - 1;
    if (calendar.has_value()) {
      before = calendar->first - at;
      after = calendar->last - at;
    } else if (!aligned) {
      before = -unit;
      after = unit;
    }
    TermRanges result;
    result.exact = aligned && !timestamps;
    const bool equal = term.op == CompareOp::kEqual;
    const bool includes = equal || term.op == CompareOp::kGreaterOrEqual ||
                          term.op == CompareOp::kLessOrEqual || !aligned;
    const auto bound = [&](CompareOp op, int64_t millis) -> Result<std::vector<KeyRange>> {
      const Value moment = timestamps ? Value::Time(column.type, Timestamp{millis, 0})
                                      : Value::Int(column.type, millis);
      return RangesFor(op, moment, column.type, column.order);
    };
    if (equal || !IsBelow(term.op)) {
      ASSIGN_OR_RETURN(result.ranges,
                       bound(CompareOp::kGreaterOrEqual, at + (includes ? before : after + 1)));
    }
    if (equal || IsBelow(term.op)) {
      ASSIGN_OR_RETURN(std::vector<KeyRange> below,
                       includes && !timestamps
                           ? bound(CompareOp::kLessOrEqual, at + after)
                           : bound(CompareOp::kLess, at + (includes ? after + 1 : before)));
      result.ranges = equal ? IntersectAll(result.ranges, below) : std::move(below);
    }
    result.ranges = Coalesce(std::move(result.ranges));
    return std::optional(std::move(result));
  }

  Answer Null(const KeyTerm& term) {
    TermRanges result;
    AppendNull(term, &result);
    return std::optional(std::move(result));
  }

  void AppendNull(const KeyTerm& term, TermRanges* result) const {
    const KeyColumn& column = schema_.columns()[term.column];
    if (!column.nullable) return;
    result->ranges.push_back(KeyRange::IsNull());
    // The bytes of NULL are also those with which descending values that begin with ff fe begin.
    if (IsDescEncoded(column)) result->exact = false;
  }

  Answer NotNull(const KeyTerm& term) {
    // Of a fixed-width column nothing is NULL.
    if (!schema_.columns()[term.column].nullable) return std::optional<TermRanges>();
    return std::optional(TermRanges{{KeyRange::IsNotNull()}});
  }

  Answer All(const KeyTerm& term) {
    std::optional<TermRanges> result;
    bool exact = true;
    for (const KeyTerm& child : term.children) {
      ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, Ranges(child));
      if (!ranges.has_value()) {
        exact = false;
        continue;
      }
      exact &= ranges->exact;
      if (result.has_value()) {
        result->ranges = IntersectAll(result->ranges, ranges->ranges);
      } else {
        result = std::move(ranges);
      }
    }
    if (result.has_value()) result->exact = exact;
    return result;
  }

  Answer Any(const KeyTerm& term) {
    TermRanges result;
    for (const KeyTerm& child : term.children) {
      ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, Ranges(child));
      if (!ranges.has_value()) return std::optional<TermRanges>();
      result.exact &= ranges->exact;
      result.ranges = UnionAll(std::move(result.ranges), ranges->ranges);
    }
    return std::optional(std::move(result));
  }

  // The bytes of a row's operands. Nothing: not all can be said in the columns' types.
  Result<std::optional<std::vector<Bytes>>> EncodeRow(const KeyTerm& term, size_t first_operand,
                                                      size_t count) {
    const std::optional<std::vector<Bytes>> none;
    std::vector<Bytes> encoded(count);
    for (size_t i = 0; i < count; ++i) {
      const KeyColumn& column = schema_.columns()[term.column + i];
      ASSIGN_OR_RETURN(Value value, values_(term.operands[first_operand + i]));
      if (value.is_null()) return none;
      const std::optional<Value> exact = ExactlyIn(term.column + static_cast<uint32_t>(i), value);
      if (!exact.has_value()) return none;
      // Text that is too long for the column has no bytes there.
      if (!Encode(*exact, column.type, column.order, &encoded[i]).ok() ||
          schema_.IsMisread(term.column + i, encoded[i])) {
        return none;
      }
    }
    return std::optional(std::move(encoded));
  }

  // The joined bytes of the first 'count' of them.
  Bytes JoinFirst(const KeyTerm& term, const std::vector<Bytes>& row, size_t count) const {
    const std::vector<ByteView> views(row.begin(), row.begin() + static_cast<ptrdiff_t>(count));
    return JoinComponents(schema_, term.column, views);
  }

  // Whether an operand of a row is equal to two values of its column.
  Result<bool> HasSignedZero(const KeyTerm& term) const {
    for (size_t i = 0; i < term.operands.size(); ++i) {
      const KeyColumn& column = schema_.columns()[term.column + i % term.column_count];
      if (PhysicalTypeOf(column.type.id) != PhysicalType::kDouble) continue;
      ASSIGN_OR_RETURN(const Value value, values_(term.operands[i]));
      const Result<Value> real = Coerce(value, column.type);
      if (real.ok() && IsSignedZero(*real, column.type)) return true;
    }
    return false;
  }

  // A range of an index finds what a scan of the table would: NULL is the lowest value of a row in
  // both orders. Its bytes are the lowest of a key: they stand at the right end of an ascending
  // range, and at the wrong one of a descending range.
  Answer RowCompare(const KeyTerm& term) {
    if (term.op == CompareOp::kEqual || term.op == CompareOp::kNotEqual) {
      return std::optional<TermRanges>();
    }
    ASSIGN_OR_RETURN(const bool has_zero, HasSignedZero(term));
    if (has_zero) return std::optional<TermRanges>();
    if (SameOrderCount(term) < term.column_count) return std::optional<TermRanges>();
    ASSIGN_OR_RETURN(const std::optional<std::vector<Bytes>> row,
                     EncodeRow(term, 0, term.column_count));
    if (!row.has_value()) return std::optional<TermRanges>();
    const Bytes bound = JoinFirst(term, *row, row->size());
    const bool below = IsBelow(term.op);
    const bool inclusive =
        term.op == CompareOp::kLessOrEqual || term.op == CompareOp::kGreaterOrEqual;
    const bool desc = schema_.columns()[term.column].order == SortOrder::kDesc;
    if (!of_index()) return RangeOfTable(term, bound, inclusive);
    TermRanges result;
    result.ranges = {below == desc ? KeyRange::AtLeast(bound, inclusive)
                                   : KeyRange::AtMost(bound, inclusive)};
    // A row of nothing but NULLs is neither below nor above another one.
    result.exact = !below || !MayBeAllNull(term);
    for (uint32_t i = 0; desc && i < term.column_count; ++i) {
      const KeyColumn& column = schema_.columns()[term.column + i];
      // NULLs of these are not at either end.
      if (IsDescEncoded(column) && below && column.nullable) return std::optional<TermRanges>();
      if (IsDescEncoded(column)) result.exact = false;
      if (!column.nullable || IsDescEncoded(column)) continue;
      const Bytes equal = JoinFirst(term, *row, i);
      if (below) {
        result.ranges.push_back(KeyRange::Make(equal, true, equal + '\1', false));
      } else if (MayBeginWithZero(column)) {
        result.exact = false;
      } else {
        result.ranges = IntersectAll(
            result.ranges, {KeyRange::AtMost(equal, false), KeyRange::AtLeast(equal + '\1', true)});
      }
      if (MayBeginWithZero(column)) result.exact = false;
    }
    result.ranges = Coalesce(std::move(result.ranges));
    return std::optional(std::move(result));
  }

  // Phoenix's ranges of a table's own key go by bytes, with which NULLs are the lowest ascending
  // and the highest descending, and leave out rows that begin with a NULL where the range ends in a
  // column of variable width.
  Answer RangeOfTable(const KeyTerm& term, const Bytes& bound, bool inclusive) const {
    const KeyColumn& first = schema_.columns()[term.column];
    const KeyColumn& last = schema_.columns()[term.column + term.column_count - 1];
    const bool desc = first.order == SortOrder::kDesc;
    TermRanges result;
    // Descending values of VARBINARY_ENCODED can begin with 00, unlike all others.
    if (IsBelow(term.op) == desc) {
      result.ranges = {KeyRange::AtLeast(bound, inclusive)};
    } else if (IsFixedWidth(first.type.id) || IsFixedWidth(last.type.id) || IsDescEncoded(first)) {
      result.ranges = {KeyRange::AtMost(bound, inclusive)};
    } else {
      // The separator of a NULL is the byte 00, with which no value begins; of a VARBINARY_ENCODED
      // it is 00 01, and a value can begin with 00 ff.
      const bool encoded = first.type.id == TypeId::kVarbinaryEncoded;
      result.ranges = {
          KeyRange::Make(encoded ? Bytes("\0\2", 2) : Bytes(1, '\x01'), true, bound, inclusive)};
    }
    // NULLs of these are not at either end.
    if (IsDescEncoded(first)) result.exact = false;
    return std::optional(std::move(result));
  }

  // A descending value other than text and DECIMAL can begin with the byte that NULL has.
  static bool MayBeginWithZero(const KeyColumn& column) {
    return column.type.id != TypeId::kVarchar && column.type.id != TypeId::kDecimal;
  }

  // No key is made of NULLs alone.
  bool MayBeAllNull(const KeyTerm& term) const {
    if (term.column_count == schema_.column_count()) return false;
    const auto first = schema_.columns().begin() + term.column;
    return std::all_of(first, first + term.column_count,
                       [](const KeyColumn& column) { return column.nullable; });
  }

  Answer RowIn(const KeyTerm& term) {
    ASSIGN_OR_RETURN(const bool has_zero, HasSignedZero(term));
    if (has_zero) return std::optional<TermRanges>();
    TermRanges result;
    for (size_t i = 0; i < term.operands.size(); i += term.column_count) {
      ASSIGN_OR_RETURN(const std::optional<std::vector<Bytes>> row,
                       EncodeRow(term, i, term.column_count));
      if (!row.has_value()) continue;
      result.ranges.push_back(KeyRange::Point(JoinFirst(term, *row, row->size())));
    }
    result.ranges = Coalesce(std::move(result.ranges));
    return std::optional(std::move(result));
  }

  const KeySchema& schema_;
  const OperandValues& values_;
  const std::span<const DataType> value_types_;
};

bool AllSingle(const KeySlot& slot) {
  return std::all_of(slot.ranges.begin(), slot.ranges.end(),
                     [](const KeyRange& range) { return range.IsSingle(); });
}

// What is known of one key column (or, for a row, of several from here on).
struct ColumnSlot {
  std::optional<TermRanges> ranges;
  uint32_t span = 0;
  std::vector<size_t> exact_terms;  // absorbed when the slot is used exactly
};

bool IsRow(const KeyTerm& term) {
  return term.kind == KeyTerm::Kind::kRowCompare || term.kind == KeyTerm::Kind::kRowIn;
}

class SlotBuilder {
 public:
  SlotBuilder(const KeySchema& schema, std::span<const KeyTerm> terms, TermPlanner* planner)
      : terms_(terms), planner_(planner), columns_(schema.column_count()) {}

  Status Build() {
    RETURN_IF_ERROR(BuildColumns());
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (IsRow(terms_[i])) RETURN_IF_ERROR(AddRow(i));
    }
    return Status::Ok();
  }

  // Of the terms that are not of rows as values.
  Status BuildColumns() {
    for (size_t i = 0; i < terms_.size(); ++i) {
      if (!IsRow(terms_[i])) RETURN_IF_ERROR(Add(i));
    }
    return Status::Ok();
  }

  std::vector<ColumnSlot>& columns() { return columns_; }

 private:
  void Intersect(ColumnSlot* slot, TermRanges ranges, size_t term) {
    if (ranges.exact) slot->exact_terms.push_back(term);
    if (slot->ranges.has_value()) {
      slot->ranges->ranges = IntersectAll(slot->ranges->ranges, ranges.ranges);
    } else {
      slot->ranges = std::move(ranges);
    }
  }

  Status Add(size_t term) {
    ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, planner_->Ranges(terms_[term]));
    if (ranges.has_value()) Intersect(&columns_[terms_[term].column], *std::move(ranges), term);
    return Status::Ok();
  }

  // A row's slot spans its columns, if no other term has a say in one of them.
  Status AddRow(size_t index) {
    const KeyTerm& term = terms_[index];
    ColumnSlot& first = columns_[term.column];
    const bool compares = term.kind == KeyTerm::Kind::kRowCompare;
    const uint32_t count = compares ? planner_->SameOrderCount(term) : term.column_count;
    bool free = count > 1 && (!first.ranges.has_value() || first.span == count - 1);
    for (uint32_t i = 1; i < count; ++i) {
      free &= !columns_[term.column + i].ranges.has_value();
    }
    for (uint32_t i = 0; i < term.column; ++i) {
      free &= columns_[i].span == 0 || i + columns_[i].span < term.column;
    }
    ASSIGN_OR_RETURN(const bool by_column, planner_->IsByColumn(term));
    if (free && by_column && !first.ranges.has_value()) {
      for (uint32_t i = 0; i < count; ++i) {
        ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, planner_->ColumnIn(term, i));
        if (ranges.has_value()) Intersect(&columns_[term.column + i], *std::move(ranges), index);
      }
      return Status::Ok();
    }
    if (free) {
      ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, count < term.column_count
                                                             ? planner_->FirstColumns(term, count)
                                                             : planner_->Ranges(term));
      if (ranges.has_value()) {
        first.span = count - 1;
        Intersect(&first, *std::move(ranges), index);
        return Status::Ok();
      }
    }
    if (first.span != 0) return Status::Ok();
    ASSIGN_OR_RETURN(std::optional<TermRanges> ranges, planner_->FirstColumn(term));
    if (ranges.has_value()) Intersect(&first, *std::move(ranges), index);
    return Status::Ok();
  }

  const std::span<const KeyTerm> terms_;
  TermPlanner* const planner_;
  std::vector<ColumnSlot> columns_;
};

// Sets what scan->jumps and scan->matcher may say, if terms of the columns behind the first
// 'covered' ones rule out anything.
Status PlanJumps(const std::shared_ptr<const KeySchema>& schema, std::span<const KeyTerm> terms,
                 size_t covered, TermPlanner* planner, KeyScan* scan) {
  const bool behind = std::any_of(terms.begin(), terms.end(), [covered](const KeyTerm& term) {
    return !IsRow(term) && term.column >= covered;
  });
  if (!behind) return Status::Ok();
  // Of rows as values a range holds other rows than a filter, as in the original.
  SlotBuilder builder(*schema, terms, planner);
  RETURN_IF_ERROR(builder.BuildColumns());
  std::vector<KeySlot> slots;
  size_t needed = 0;
  for (const ColumnSlot& column : builder.columns()) {
    slots.push_back(KeySlot::Everything());
    if (!column.ranges.has_value()) continue;
    slots.back().ranges = Coalesce(column.ranges->ranges);
    const KeyRange& first = slots.back().ranges.front();
    if (slots.size() > covered && !first.IsEverything()) needed = slots.size();
  }
  if (needed == 0) return Status::Ok();
  slots.resize(needed);
  scan->matcher = KeyMatcher::Make(*schema, slots);
  scan->jumps = std::make_shared<SkipScanNavigator>(
      schema, std::make_shared<const std::vector<KeySlot>>(std::move(slots)));
  return Status::Ok();
}

}  // namespace

std::string LikePrefix(std::string_view pattern, bool* exact) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      prefix.push_back(pattern[++i]);
    } else if (c == '%' || c == '_') {
      *exact = c == '%' && i + 1 == pattern.size();
      return prefix;
    } else {
      prefix.push_back(c);
    }
  }
  *exact = false;  // no wildcard at all: equality, which is narrower than the prefix
  return prefix;
}

Result<KeyTermPlan> PlanKeyTerms(const std::shared_ptr<const KeySchema>& schema_ptr,
                                 std::span<const KeyTerm> terms, const OperandValues& values,
                                 const KeyTermOptions& options) {
  const KeySchema& schema = *schema_ptr;
  TermPlanner planner(schema, values, options.value_types);
  SlotBuilder builder(schema, terms, &planner);
  RETURN_IF_ERROR(builder.Build());

  KeyTermPlan plan;
  plan.absorbed.assign(terms.size(), false);
  plan.skipped = plan.absorbed;
  // Conditions on columns behind the last usable slot only matter as filters, except that they can
  // rule everything out.
  for (const ColumnSlot& column : builder.columns()) {
    if (column.ranges.has_value() && column.ranges->ranges.empty()) {
      plan.scan.kind = KeyScan::Kind::kDegenerate;
      return plan;
    }
  }
  size_t last = 0;  // one past the last column with a condition
  for (size_t i = 0; i < builder.columns().size(); ++i) {
    if (builder.columns()[i].ranges.has_value()) last = i + 1 + builder.columns()[i].span;
  }
  plan.has_ranges = last > 0;
  std::vector<size_t> used_terms;
  for (size_t i = 0; i < last;) {
    ColumnSlot& column = builder.columns()[i];
    if (!column.ranges.has_value() && !options.skip_scan_hint) break;
    if (column.ranges.has_value()) {
      plan.slots.push_back({column.ranges->ranges, column.span});
      used_terms.insert(used_terms.end(), column.exact_terms.begin(), column.exact_terms.end());
    } else {
      plan.slots.push_back(KeySlot::Everything());
    }
    // Behind an open range a scan cannot skip unless it is told to.
    const bool open = !AllSingle(plan.slots.back()) && plan.slots.back().span == 0;
    i += 1 + column.span;
    if (open && !options.skip_scan_hint) {
      bool bounded = true;
      for (const KeyRange& range : plan.slots.back().ranges) {
        // What is above NULL is not bounded to the original.
        bounded &= range.lower_bounded && !range.lower.empty() && range.upper_bounded;
      }
      if (!bounded) break;
    }
  }
  KeyScanOptions scan_options;
  scan_options.allow_skip_scan = !options.range_scan_hint && options.may_skip;
  plan.scan = PlanKeyScan(schema_ptr, plan.slots, scan_options);
  // Timestamps of cells follow the ROW_TIMESTAMP column even where its slot is not used.
  if (const int ts = schema.row_timestamp_column(); ts >= 0) {
    const std::optional<TermRanges>& ranges = builder.columns()[ts].ranges;
    if (ranges.has_value() && builder.columns()[ts].span == 0) {
      const TimeRange range = RowTimestampRange(schema.columns()[ts], ranges->ranges);
      plan.scan.time_range.min = std::max(plan.scan.time_range.min, range.min);
      plan.scan.time_range.max = std::min(plan.scan.time_range.max, range.max);
    }
  }
  const bool may_jump =
      plan.scan.kind == KeyScan::Kind::kRange || plan.scan.kind == KeyScan::Kind::kFull;
  if (may_jump && !options.range_scan_hint) {
    size_t covered = 0;
    for (const KeySlot& slot : plan.slots) covered += slot.span + 1;
    RETURN_IF_ERROR(PlanJumps(schema_ptr, terms, covered, &planner, &plan.scan));
  }
  if (plan.scan.exact) {
    for (size_t term : used_terms) plan.absorbed[term] = true;
  }
  plan.skipped = plan.absorbed;
  // Once it skips between several values, the original's scan goes by all columns behind them.
  const bool several = std::any_of(plan.slots.begin(), plan.slots.end(),
                                   [](const KeySlot& slot) { return slot.ranges.size() > 1; });
  if (plan.scan.kind == KeyScan::Kind::kSkip && several) {
    for (const ColumnSlot& column : builder.columns()) {
      for (size_t term : column.exact_terms) plan.skipped[term] = true;
    }
  }
  return plan;
}

}  // namespace bennu::sql::plan
