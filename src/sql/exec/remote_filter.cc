#include "src/sql/exec/remote_filter.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/remote_key_filter.h"
#include "src/sql/keys/slot_ranges.h"
#include "src/sql/plan/key_terms.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {
namespace {

using plan::ScanColumn;

// Past these a filter costs the servers, and the network, more than it saves.
constexpr size_t kRangesMax = 2'000;
constexpr size_t kListMax = 200;

::bennu::CompareOp FilterOp(ComparisonOp op) {
  switch (op) {
    case ComparisonOp::kEqual: return ::bennu::CompareOp::kEqual;
    case ComparisonOp::kNotEqual: return ::bennu::CompareOp::kNotEqual;
    case ComparisonOp::kLess: return ::bennu::CompareOp::kLess;
    case ComparisonOp::kLessOrEqual: return ::bennu::CompareOp::kLessOrEqual;
    case ComparisonOp::kGreater: return ::bennu::CompareOp::kGreater;
    case ComparisonOp::kGreaterOrEqual: return ::bennu::CompareOp::kGreaterOrEqual;
  }
  return ::bennu::CompareOp::kNoOp;
}

// Values of these types are equal, and ordered, as their bytes are. Not of CHAR and BINARY, whose
// blanks and zeros at the end do not count, and of FLOAT and DOUBLE, which have two zeros.
bool ComparesAsBytes(TypeId type) {
  switch (type) {
    case TypeId::kVarchar:
    case TypeId::kVarbinary:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp: return true;
    default: return IsIntegral(type);
  }
}

bool HasSlots(const bind::Expr& expr) {
  std::vector<size_t> slots;
  CollectSlots(expr, &slots);
  return !slots.empty();
}

// Makes filters of the parts of one condition; null for what has none.
class Converter {
 public:
  Converter(ExecContext* context, const std::vector<ScanColumn>& columns, const KeySchema* key)
      : evaluator_(context), columns_(columns), key_(key) {}

  Result<FilterPtr> Convert(const bind::Expr& expr) {
    switch (expr.kind) {
      case BoundKind::kAnd: return ConvertAnd(expr);
      case BoundKind::kOr: return ConvertOr(expr);
      case BoundKind::kCompare: return ConvertCompare(expr);
      case BoundKind::kIn: return ConvertIn(expr);
      case BoundKind::kLike: return ConvertLike(expr);
      case BoundKind::kIsNull: return ConvertIsNull(expr);
      default: return FilterPtr();
    }
  }

 private:
  // A cell's whole value; null: the expression is not that.
  const ScanColumn* CellOf(const bind::Expr& expr) const {
    if (expr.kind != BoundKind::kSlot) return nullptr;
    for (const ScanColumn& column : columns_) {
      if (column.output != expr.slot) continue;
      const bool plain = column.source == ScanColumn::Source::kCell && !column.raw &&
                         !column.may_be_short && !column.default_value.has_value() &&
                         column.order == SortOrder::kAsc;
      return plain ? &column : nullptr;
    }
    return nullptr;
  }

  // The place of a key's column; nothing: the expression is not that.
  std::optional<size_t> KeyColumnOf(const bind::Expr& expr) const {
    if (expr.kind != BoundKind::kSlot || key_ == nullptr) return std::nullopt;
    for (const ScanColumn& column : columns_) {
      if (column.output != expr.slot) continue;
      if (column.source != ScanColumn::Source::kKey || column.converts) return std::nullopt;
      return column.key_column;
    }
    return std::nullopt;
  }

  Result<FilterPtr> ConvertAnd(const bind::Expr& expr) {
    FilterPtr all;
    for (const bind::ExprPtr& child : expr.children) {
      ASSIGN_OR_RETURN(FilterPtr filter, Convert(*child));
      all = BothFilters(std::move(all), std::move(filter));
    }
    return all;
  }

  Result<FilterPtr> ConvertOr(const bind::Expr& expr) {
    std::vector<FilterPtr> any;
    for (const bind::ExprPtr& child : expr.children) {
      ASSIGN_OR_RETURN(FilterPtr filter, Convert(*child));
      if (filter == nullptr) return filter;
      any.push_back(std::move(filter));
    }
    return NewFilterList(FilterListOp::kMustPassOne, std::move(any));
  }

  Result<FilterPtr> ConvertCompare(const bind::Expr& expr) {
    const bind::Expr* side = expr.children[0].get();
    const bind::Expr* other = expr.children[1].get();
    ComparisonOp op = expr.compare;
    if (CellOf(*side) == nullptr && !KeyColumnOf(*side).has_value()) {
      std::swap(side, other);
      op = FlipComparison(op);
    }
    if (const auto column = KeyColumnOf(*side); column.has_value()) {
      if (op != ComparisonOp::kEqual || HasSlots(*other) || !other->deterministic) {
        return FilterPtr();
      }
      ASSIGN_OR_RETURN(const Value value, evaluator_.Constant(*other));
      return KeyTest(*column, std::span(&value, 1), expr.operand_type);
    }
    const ScanColumn* const column = CellOf(*side);
    if (column == nullptr || HasSlots(*other) || !other->deterministic) return FilterPtr();
    ASSIGN_OR_RETURN(const Value value, evaluator_.Constant(*other));
    const std::optional<Bytes> bytes = BytesOf(value, expr.operand_type, *column);
    return bytes.has_value() ? Test(*column, FilterOp(op), NewBinaryComparator(*bytes))
                             : FilterPtr();
  }

  Result<FilterPtr> ConvertIn(const bind::Expr& expr) {
    if (const auto column = KeyColumnOf(*expr.children[0]); column.has_value() && !expr.negated) {
      return KeyTest(*column, expr.list, expr.operand_type);
    }
    const ScanColumn* const column = CellOf(*expr.children[0]);
    if (column == nullptr || expr.negated || expr.list.size() > kListMax) return FilterPtr();
    std::vector<FilterPtr> any;
    for (const Value& value : expr.list) {
      const std::optional<Bytes> bytes = BytesOf(value, expr.operand_type, *column);
      if (!bytes.has_value()) return FilterPtr();
      any.push_back(Test(*column, ::bennu::CompareOp::kEqual, NewBinaryComparator(*bytes)));
    }
    if (any.empty()) return FilterPtr();
    return NewFilterList(FilterListOp::kMustPassOne, std::move(any));
  }

  Result<FilterPtr> ConvertLike(const bind::Expr& expr) {
    const ScanColumn* const column = CellOf(*expr.children[0]);
    const std::optional<size_t> of_key = KeyColumnOf(*expr.children[0]);
    const bool converts = expr.children[0]->type.id == TypeId::kVarchar &&
                          (column != nullptr || of_key.has_value()) && !expr.negated &&
                          !expr.case_insensitive && !HasSlots(*expr.children[1]) &&
                          expr.children[1]->deterministic;
    if (!converts) return FilterPtr();
    ASSIGN_OR_RETURN(const Value pattern, evaluator_.Constant(*expr.children[1]));
    if (pattern.is_null() || pattern.type().id != TypeId::kVarchar) return FilterPtr();
    bool exact = false;
    std::string prefix = plan::LikePrefix(pattern.bytes(), &exact);
    if (prefix.empty()) return FilterPtr();
    if (of_key.has_value()) {
      return KeyTest(*of_key, std::vector<Value>{Value::Varchar(prefix)}, expr.children[0]->type);
    }
    return Test(*column, ::bennu::CompareOp::kEqual, NewBinaryPrefixComparator(std::move(prefix)));
  }

  // A cell without bytes is NULL, too.
  Result<FilterPtr> ConvertIsNull(const bind::Expr& expr) {
    const ScanColumn* const column = CellOf(*expr.children[0]);
    if (column == nullptr) return FilterPtr();
    ColumnTest test;
    test.family = column->family;
    test.qualifier = column->qualifier;
    test.op = expr.negated ? ::bennu::CompareOp::kNotEqual : ::bennu::CompareOp::kEqual;
    test.comparator = NewBinaryComparator({});
    test.filter_if_missing = expr.negated;
    return NewSingleColumnValueFilter(std::move(test));
  }

  // Rows in which the key's column has one of the values, or begins with it. Null: where bytes do
  // not compare as values do.
  FilterPtr KeyTest(size_t number, std::span<const Value> values, const DataType& operand) const {
    const KeyColumn& column = key_->columns()[number];
    std::vector<Bytes> all;
    for (const Value& value : values) {
      const std::optional<Value> fitted = Fitted(value, operand, column.type);
      if (!fitted.has_value()) return nullptr;
      std::optional<Bytes> bytes = KeyBytesOf(*fitted, column);
      if (!bytes.has_value()) return nullptr;
      all.push_back(*std::move(bytes));
    }
    return MakeKeyPrefixFilter(*key_, number, all);
  }

  // As a value of a column of the type; nothing where the column's values are compared otherwise,
  // or the column cannot hold it.
  static std::optional<Value> Fitted(const Value& value, const DataType& operand,
                                     const DataType& type) {
    if (value.is_null()) return std::nullopt;
    const TypeId given = value.type().id;
    const bool integers = IsIntegral(type.id) && IsIntegral(operand.id) && IsIntegral(given);
    // In a CHAR all have their blanks.
    const bool texts = type.id == TypeId::kChar && IsString(operand.id) && IsString(given);
    if (!integers && !texts && (operand.id != type.id || given != type.id)) return std::nullopt;
    if (!integers && !texts) return value;
    auto fitted = Coerce(value, {type.id, type.max_length}, "");
    if (!fitted.ok()) return std::nullopt;
    return std::move(fitted).value();
  }

  // As a cell of the column would have it; nothing where bytes do not compare as these values do.
  static std::optional<Bytes> BytesOf(const Value& value, const DataType& operand,
                                      const ScanColumn& column) {
    const DataType type = {column.type.id};
    if (!ComparesAsBytes(type.id)) return std::nullopt;
    const std::optional<Value> fitted = Fitted(value, operand, type);
    Bytes bytes;
    if (!fitted.has_value() || !Encode(*fitted, type, SortOrder::kAsc, &bytes).ok() ||
        bytes.empty()) {
      return std::nullopt;
    }
    return bytes;
  }

  // No comparison with NULL is true.
  static FilterPtr Test(const ScanColumn& column, ::bennu::CompareOp op, ComparatorPtr comparator) {
    ColumnTest test;
    test.family = column.family;
    test.qualifier = column.qualifier;
    test.op = op;
    test.comparator = std::move(comparator);
    test.filter_if_missing = true;
    return NewSingleColumnValueFilter(std::move(test));
  }

  Evaluator evaluator_;
  const std::vector<ScanColumn>& columns_;
  const KeySchema* const key_;
};

}  // namespace

Result<RemoteFilter> MakeRemoteFilter(ExecContext* context, const std::vector<ScanColumn>& columns,
                                      const KeySchema* key, const bind::ExprPtr& condition) {
  RemoteFilter made;
  if (condition == nullptr) return made;
  std::vector<bind::ExprPtr> conditions{condition};
  if (condition->kind == BoundKind::kAnd) conditions = condition->children;
  Converter converter(context, columns, key);
  for (bind::ExprPtr& part : conditions) {
    ASSIGN_OR_RETURN(FilterPtr filter, converter.Convert(*part));
    (filter == nullptr ? made.left_out : made.carried).push_back(std::move(part));
    made.filter = BothFilters(std::move(made.filter), std::move(filter));
  }
  return made;
}

FilterPtr MakeSlotFilter(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  std::vector<RowRange> ranges = RangesOfSlots(schema, slots, kRangesMax);
  if (ranges.size() < 2) return nullptr;
  auto filter = NewMultiRowRangeFilter(std::move(ranges));
  return filter.ok() ? std::move(filter).value() : nullptr;
}

Result<FilterPtr> MakePointsFilter(const std::vector<Bytes>& points) {
  std::vector<RowRange> ranges;
  ranges.reserve(points.size());
  for (const Bytes& point : points) ranges.push_back({point, true, point, true});
  return NewMultiRowRangeFilter(std::move(ranges));
}

FilterPtr BothFilters(FilterPtr a, FilterPtr b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  std::vector<FilterPtr> both;
  both.push_back(std::move(a));
  both.push_back(std::move(b));
  return NewFilterList(FilterListOp::kMustPassAll, std::move(both));
}

}  // namespace bennu::sql::exec
