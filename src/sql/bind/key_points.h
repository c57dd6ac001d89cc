// A WHERE clause that names whole row keys: "k1 = 1 AND k2 IN (2, 3)", "(k1, k2) = (1, 2)".
#ifndef BENNU_SRC_SQL_BIND_KEY_POINTS_H_
#define BENNU_SRC_SQL_BIND_KEY_POINTS_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

// The constants that each key column is compared with. Made at compile time, because only the shape
// of the condition decides; the keys follow when the parameters are known.
class KeyPoints {
 public:
  // Nothing when 'where' asks for more or less than whole keys, or for something that is no literal
  // or parameter. 'alias': the name by which the statement calls the table.
  static std::optional<KeyPoints> Match(const parse::Expr& where, const catalog::TableMeta& table,
                                        const std::string& alias);

  // The keys, ascending and distinct. Nothing when some constant is not of a kind that the column
  // can be compared with as a key: NULL, another type, a value that the column cannot have.
  Result<std::optional<std::vector<Bytes>>> Keys(const catalog::TableMeta& table,
                                                 std::span<const Value> params) const;

  // parameters_[i] of each column, for parameter_types().
  void SetParameterTypes(const catalog::TableMeta& table, std::vector<DataType>* types) const;

 private:
  struct Constant {
    int32_t parameter = -1;  // index, or -1 for a literal
    Value literal;
  };
  static constexpr size_t kKeysMax = 50'000;

  bool AddConjunct(const parse::Expr& expr, const catalog::TableMeta& table,
                   const std::string& alias);
  bool AddDisjuncts(const parse::Expr& expr, const catalog::TableMeta& table,
                    const std::string& alias);
  bool AddEqual(const parse::Expr& left, const parse::Expr& right, const catalog::TableMeta& table,
                const std::string& alias);
  bool AddRows(const parse::Expr& in, const catalog::TableMeta& table, const std::string& alias);
  size_t CountKeys() const;
  static int32_t KeyColumnOf(const parse::Expr& expr, const catalog::TableMeta& table,
                             const std::string& alias);
  static std::optional<Constant> ConstantOf(const parse::Expr& expr);

  std::vector<std::vector<Constant>> constants_;  // by key position
  bool by_row_ = false;  // one key for each place in these lists, not for each choice from them
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_KEY_POINTS_H_
