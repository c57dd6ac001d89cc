#include "src/sql/bind/key_points.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/keys/key_range.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::bind {

namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;
using parse::ExprKind;

// What was cut off when the constant became a key (digits of a DECIMAL, say) means that no key is
// equal to it.
bool IsEqual(const Value& key, const Value& constant) {
  if (IsIntegral(key.type().id) && IsIntegral(constant.type().id)) {
    return key.int64() == constant.int64();
  }
  if (!IsComparable(key.type().id, constant.type().id)) return false;
  const auto order = CompareValues(key, constant);
  return order.ok() && *order == 0;
}

}  // namespace

int32_t KeyPoints::KeyColumnOf(const parse::Expr& expr, const TableMeta& table,
                               const std::string& alias) {
  if (expr.kind != ExprKind::kColumn) return -1;
  if (!expr.table.empty() && expr.table.text != alias) return -1;
  if (!expr.schema.empty() && expr.schema.text != table.schema) return -1;
  const int32_t index = table.IndexOf("", expr.column.text);
  if (index < 0) return -1;
  // A key value column of the same name makes the name ambiguous.
  if (expr.table.empty() && !table.FindColumn(expr.column.text).ok()) return -1;
  return table.columns[static_cast<size_t>(index)].key_position;
}

std::optional<KeyPoints::Constant> KeyPoints::ConstantOf(const parse::Expr& expr) {
  if (expr.kind == ExprKind::kBind) return Constant{expr.bind_index - 1, Value()};
  auto literal = LiteralOf(expr);
  if (!literal.ok() || !literal->has_value()) return std::nullopt;
  return Constant{-1, **std::move(literal)};
}

bool KeyPoints::AddEqual(const parse::Expr& left, const parse::Expr& right, const TableMeta& table,
                         const std::string& alias) {
  if (left.kind == ExprKind::kRowValue && right.kind == ExprKind::kRowValue) {
    if (left.children.size() != right.children.size()) return false;
    for (size_t i = 0; i < left.children.size(); ++i) {
      if (!AddEqual(*left.children[i], *right.children[i], table, alias)) return false;
    }
    return true;
  }
  const int32_t position = KeyColumnOf(left, table, alias);
  if (position < 0) {
    return KeyColumnOf(right, table, alias) >= 0 && AddEqual(right, left, table, alias);
  }
  auto constant = ConstantOf(right);
  if (!constant.has_value() || !constants_[position].empty()) return false;
  constants_[position].push_back(*std::move(constant));
  return true;
}

bool KeyPoints::AddConjunct(const parse::Expr& expr, const TableMeta& table,
                            const std::string& alias) {
  switch (expr.kind) {
    case ExprKind::kAnd:
      return std::all_of(expr.children.begin(), expr.children.end(),
                         [&](const auto& child) { return AddConjunct(*child, table, alias); });
    case ExprKind::kComparison:
      if (expr.compare != parse::CompareOp::kEqual || expr.quantifier != parse::Quantifier::kNone ||
          expr.children.size() != 2) {
        return false;
      }
      return AddEqual(*expr.children[0], *expr.children[1], table, alias);
    case ExprKind::kInList: {
      if (expr.children[0]->kind == ExprKind::kRowValue && expr.children[0]->children.size() > 1) {
        return AddRows(expr, table, alias);
      }
      const int32_t position = KeyColumnOf(*expr.children[0], table, alias);
      if (expr.negated || position < 0 || !constants_[position].empty()) return false;
      for (size_t i = 1; i < expr.children.size(); ++i) {
        auto constant = ConstantOf(*expr.children[i]);
        if (!constant.has_value()) return false;
        constants_[position].push_back(*std::move(constant));
      }
      return true;
    }
    case ExprKind::kOr: return AddDisjuncts(expr, table, alias);
    default: return false;
  }
}

// (K, L) IN ((1, 2), (3, 4)). Several rows are whole keys, as in Phoenix, where all of the key is
// ascending.
bool KeyPoints::AddRows(const parse::Expr& in, const TableMeta& table, const std::string& alias) {
  const parse::Expr& columns = *in.children[0];
  if (in.negated) return false;
  if (in.children.size() == 2) return AddEqual(columns, *in.children[1], table, alias);
  for (size_t i = 0; i < constants_.size(); ++i) {
    if (!constants_[i].empty()) return false;
    if (table.key_column(i).sort_order == SortOrder::kDesc) return false;
  }
  for (size_t row = 1; row < in.children.size(); ++row) {
    KeyPoints point;
    point.constants_.resize(constants_.size());
    if (!point.AddEqual(columns, *in.children[row], table, alias)) return false;
    for (size_t i = 0; i < constants_.size(); ++i) {
      if (point.constants_[i].size() != 1) return false;
      constants_[i].push_back(std::move(point.constants_[i][0]));
    }
  }
  by_row_ = true;
  return true;
}

size_t KeyPoints::CountKeys() const {
  if (by_row_) return constants_[0].size();
  size_t keys = 1;
  for (const auto& constants : constants_) {
    keys *= constants.size();
    if (keys == 0 || keys > kKeysMax) return keys;
  }
  return keys;
}

// K = 1 OR K IN (2, 3): constants of one column.
bool KeyPoints::AddDisjuncts(const parse::Expr& expr, const TableMeta& table,
                             const std::string& alias) {
  std::vector<std::vector<Constant>> all(constants_.size());
  for (const auto& child : expr.children) {
    KeyPoints part;
    part.constants_.resize(constants_.size());
    if (!part.AddConjunct(*child, table, alias) || part.by_row_) return false;
    for (size_t i = 0; i < all.size(); ++i) {
      std::move(part.constants_[i].begin(), part.constants_[i].end(), std::back_inserter(all[i]));
    }
  }
  size_t position = all.size();
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].empty()) continue;
    if (position < all.size()) return false;
    position = i;
  }
  if (position == all.size() || !constants_[position].empty()) return false;
  constants_[position] = std::move(all[position]);
  return true;
}

std::optional<KeyPoints> KeyPoints::Match(const parse::Expr& where, const TableMeta& table,
                                          const std::string& alias) {
  KeyPoints points;
  points.constants_.resize(table.key_columns.size());
  if (!points.AddConjunct(where, table, alias)) return std::nullopt;
  const size_t keys = points.CountKeys();
  if (keys == 0 || keys > kKeysMax) return std::nullopt;
  return points;
}

Result<std::optional<std::vector<Bytes>>> KeyPoints::Keys(const TableMeta& table,
                                                          std::span<const Value> params) const {
  const std::optional<std::vector<Bytes>> none;
  std::vector<std::vector<Bytes>> encoded(constants_.size());
  for (size_t i = 0; i < constants_.size(); ++i) {
    const ColumnMeta& column = table.key_column(i);
    for (const Constant& constant : constants_[i]) {
      const Value& value = constant.parameter < 0 ? constant.literal
                                                  : params[static_cast<size_t>(constant.parameter)];
      if (value.is_null()) return none;
      const auto coerced = Coerce(value, column.type);
      if (!coerced.ok() || !IsEqual(*coerced, value)) return none;
      if (IsSignedZero(*coerced, column.type)) return none;
      Bytes bytes;
      if (!Encode(*coerced, column.type, column.sort_order, &bytes).ok()) return none;
      if (bytes.empty() || table.key_schema.IsMisread(i, bytes)) return none;
      encoded[i].push_back(std::move(bytes));
    }
  }
  std::vector<Bytes> keys;
  std::vector<size_t> choice(encoded.size(), 0);
  std::vector<ByteView> parts(encoded.size());
  for (;;) {
    for (size_t i = 0; i < encoded.size(); ++i) parts[i] = encoded[i][choice[i]];
    Bytes key;
    RETURN_IF_ERROR(table.key_schema.AppendKey(parts, &key));
    keys.push_back(std::move(key));
    if (by_row_) {
      if (keys.size() == encoded[0].size()) break;
      for (size_t& place : choice) ++place;
      continue;
    }
    size_t i = encoded.size();
    while (i > 0 && ++choice[i - 1] == encoded[i - 1].size()) choice[--i] = 0;
    if (i == 0) break;
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return std::optional<std::vector<Bytes>>(std::move(keys));
}

void KeyPoints::SetParameterTypes(const TableMeta& table, std::vector<DataType>* types) const {
  for (size_t i = 0; i < constants_.size(); ++i) {
    for (const Constant& constant : constants_[i]) {
      if (constant.parameter < 0) continue;
      (*types)[static_cast<size_t>(constant.parameter)] = table.key_column(i).type;
    }
  }
}

}  // namespace bennu::sql::bind
