// The binder of UPSERT and DELETE: the table, its columns and what goes into them.
//
// What a change computes or reads is a query of its own for the planner. It stays a tree here, that
// of the statement, which must outlive what was bound. Errors are Phoenix's and know their place.
#ifndef BENNU_SRC_SQL_BIND_CHANGE_BINDER_H_
#define BENNU_SRC_SQL_BIND_CHANGE_BINDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/bind/key_points.h"
#include "src/sql/bind/select_binder.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::bind {

// The table of a change and the columns that get values.
struct BoundTarget {
  std::shared_ptr<const catalog::TableMeta> table;  // with the dynamic columns of the statement
  std::vector<uint32_t> columns;  // all that are shown, in order, when the statement names none
  bool named = false;             // the statement names them

  const catalog::ColumnMeta& ColumnOf(size_t value) const { return table->columns[columns[value]]; }
};

// One value of VALUES.
struct BoundValue {
  enum class Kind : uint8_t { kConstant, kParameter, kComputed };
  Kind kind = Kind::kConstant;
  uint32_t index = 0;     // into the constants, the parameters or the computed values
  int64_t position = -1;  // of the expression in the statement
};

// An expression of VALUES that is evaluated by each run.
struct ComputedValue {
  const parse::Expr* expr = nullptr;
  uint32_t value = 0;            // index of its value in the row
  bool beside_sequence = false;  // a sequence goes on for its row
};

struct BoundAssignment {
  uint32_t column = 0;  // of the table
  const parse::Expr* value = nullptr;
};

struct BoundUpsert {
  BoundTarget target;

  // ---- VALUES
  size_t value_count = 0;          // of each row; 0: it is an UPSERT SELECT
  std::vector<BoundValue> values;  // row after row
  std::vector<Bytes> constants;    // as their columns store them
  // Those that are computed at once: all, but the values of a row with a sequence end a group, so
  // that each row gets a value of its own. Counted through all groups by BoundValue::index.
  std::vector<std::vector<ComputedValue>> computed;
  // By index of the parameter, the value in the row that it is; -1: it is part of an expression.
  std::vector<int32_t> parameter_values;

  const parse::Select* select = nullptr;  // null: VALUES

  parse::OnDuplicateKey on_duplicate = parse::OnDuplicateKey::kNone;
  std::vector<BoundAssignment> assignments;
  bool returning = false;
};

struct BoundDelete {
  std::shared_ptr<const catalog::TableMeta> table;
  // Set when WHERE names whole keys and nothing else.
  std::optional<KeyPoints> points;
  bool takes_first = false;  // ORDER BY or LIMIT say which rows go
};

// 'bind_count': of the statement. Errors: 201, 203, 206 a constant that its column cannot take; 203
// a row value; 204 a column or an aggregate among VALUES; 502, 504 columns; 514 a column twice; 901
// a ROW_TIMESTAMP table with CurrentSCN; 1020 counts; 1046 a column that a view holds to a
// constant; of ON DUPLICATE KEY 1205 a sequence, 1218 a key column, 1219 immutable rows, 1221 a
// column twice, 1222 an aggregate, 1223 CurrentSCN; of the table 505, 1010, 1012, and without code
// one with indexes where the store does not keep them.
Result<BoundUpsert> BindUpsert(const parse::Upsert& statement, const BindContext& context,
                               int32_t bind_count);
// Errors of the table as BindUpsert; those of WHERE are found by planning its query, if it needs
// one.
Result<BoundDelete> BindDelete(const parse::Delete& statement, const BindContext& context);

// SELECT the row key FROM table WHERE … as the DELETE says. The key as it is stored: made again of
// its columns' values it could be that of another row (a VARBINARY at the end reads without a final
// ff).
parse::Select SelectKeys(const parse::Delete& statement);

// 1020: not as many values as columns. Fewer are fine when the statement names no columns: the
// first ones are meant.
Status CheckValueCount(const BoundTarget& target, size_t values, int64_t position);
// The column of 'table' that a statement names. 502, 504, 1001.
Result<uint32_t> FindColumn(const catalog::TableMeta& table, const parse::QualifiedName& name);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_CHANGE_BINDER_H_
