// Scope: the tables of a FROM clause and the names of their columns.
//
// A column that is used gets a slot, a number by which expressions refer to it and which is its
// place in the chunks of the operators below the aggregation. Only used columns get one, so that
// scans read nothing else. One thread; lives while a SELECT is bound, its outcome is copied out.
#ifndef BENNU_SRC_SQL_BIND_SCOPE_H_
#define BENNU_SRC_SQL_BIND_SCOPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/index_access.h"
#include "src/sql/catalog/table.h"
#include "src/sql/parse/expression.h"
#include "src/sql/types/type.h"

namespace bennu::sql::bind {

// A column that a derived table gives.
struct DerivedColumn {
  std::string name;   // by which the outer query knows it
  std::string label;  // what a result column made of it is called
  DataType type;
  bool nullable = true;
  std::string table = {};  // that it comes from, for ColumnOrigin
};

// A table or a derived table in FROM.
struct Source {
  std::string alias;   // qualifies columns; the table's name when none was given; may be empty
  std::string schema;  // only without alias
  bool has_alias = false;
  std::shared_ptr<const catalog::TableMeta> table;  // null: derived
  // What is read for the table, which still gives the names; null: itself. Once a SELECT is bound,
  // 'table' is the index.
  std::shared_ptr<const IndexAccess> access;
  std::vector<DerivedColumn> derived;
  size_t derived_query = 0;                 // index of the derived table's query
  bool hidden = false;                      // of a subquery in a condition: no name reaches it
  double sample_percent = 100;              // TABLESAMPLE
  std::vector<int32_t> slot_of_expression;  // likewise, by key column of the access
  std::vector<int32_t> slot_of_column;      // by column of the table or derived table; -1: not used

  // What is read.
  const catalog::TableMeta& read() const { return access != nullptr ? *access->index : *table; }
  // Of the key of what is read: the type of its values, and whether they may be NULL.
  const DataType& KeyType(uint32_t key_column) const {
    return access != nullptr ? access->key[key_column].type : table->key_column(key_column).type;
  }
  bool KeyIsNullable(uint32_t key_column) const { return read().key_column(key_column).nullable; }
  size_t column_count() const { return table != nullptr ? table->columns.size() : derived.size(); }
};

struct Slot {
  uint32_t source = 0;
  uint32_t column = 0;  // of what is read
  DataType type;
  SortOrder order = SortOrder::kAsc;
  bool nullable = true;
  std::string text;  // as expressions over it print: "B", "E.NAME", "M.Q"
  std::string name;  // as a result column of it alone is called, without the table
  std::optional<Value> held = std::nullopt;  // of Scope::kHeldColumn
  // Where 'column' is kMissingColumn: the column of the table, in which it is looked up.
  uint32_t table_column = 0;
};

class Scope {
 public:
  // Pseudo columns, given out beside the tables' ones.
  static constexpr uint32_t kRowTimestampColumn = UINT32_MAX;    // PHOENIX_ROW_TIMESTAMP()
  static constexpr uint32_t kRowKeyColumn = UINT32_MAX - 1;      // ROWKEY_BYTES_STRING(): the key
  static constexpr uint32_t kRowSizeColumn = UINT32_MAX - 2;     // ROW_SIZE()
  static constexpr uint32_t kRawRowSizeColumn = UINT32_MAX - 3;  // RAW_ROW_SIZE()
  // A column that the index which is read does not have.
  static constexpr uint32_t kMissingColumn = UINT32_MAX - 4;
  // The same where all rows of the index have one value in the column: 'held'.
  static constexpr uint32_t kHeldColumn = UINT32_MAX - 5;
  static bool IsPseudoColumn(uint32_t column) { return column >= kHeldColumn; }

  // 501: another source has the same alias.
  Status Add(Source source, int64_t position);

  // The slot of a name; given out when it is new. 502: ambiguous. 504: no such column. 1001: the
  // qualifier is neither a table nor a family.
  Result<uint32_t> Resolve(const parse::Expr& column);
  // The slot of a known column.
  uint32_t SlotOf(uint32_t source, uint32_t column);
  // An index that is read for a source holds expressions.
  bool reads_expressions() const { return reads_expressions_; }
  // The slot of an expression that an index of a source holds as it is; nothing: none does.
  std::optional<uint32_t> IndexedExpression(const parse::Expr& expr);
  // The row timestamp of the only table.
  Result<uint32_t> RowTimestampSlot();
  // Another pseudo column of the only table.
  Result<uint32_t> PseudoSlot(uint32_t column, const DataType& type, std::string text);

  // Columns that '*', 'T.*' or 'F.*' mean: (source, column) in order.
  Result<std::vector<std::pair<uint32_t, uint32_t>>> Expand(const parse::Expr& star) const;

  // From now on names are columns of this source alone, for the condition of a view; -1: of all.
  void Restrict(int32_t source) { only_source_ = source; }

  const std::vector<Source>& sources() const { return sources_; }
  // Without the hidden ones, which follow the others.
  size_t visible_count() const;
  std::vector<Source>& mutable_sources() { return sources_; }
  const std::vector<Slot>& slots() const { return slots_; }
  // A column of the only table that is never NULL: a NOT NULL one of the key.
  bool IsNeverNull(uint32_t slot) const;
  // Columns print with their table ("E.NAME") when there is more than one.
  bool qualified() const { return sources_.size() > 1; }
  void set_force_qualified(bool value) { force_qualified_ = value; }

 private:
  struct Found {
    uint32_t source = 0;
    uint32_t column = 0;
  };
  Result<Found> Find(const parse::Expr& column) const;
  std::string AdviceFor(const parse::Expr& column) const;
  Result<Found> FindUnqualified(const parse::Expr& column) const;
  // In the only table of the query.
  Result<Found> FindInTable(const Source& source, const parse::Expr& column) const;
  std::vector<uint32_t> SourcesNamed(std::string_view schema, std::string_view name) const;
  // 504 when absent. 'family' null: any.
  Result<uint32_t> ColumnOf(const Source& source, const std::string* family,
                            const std::string& name, int64_t position) const;

  // The slot of a column of the key of the index that is read for the source.
  uint32_t SlotOfIndexKey(uint32_t source, uint32_t key);
  // What the slot is in the index that is read for 'source'.
  static void ReadFromIndex(const Source& source, uint32_t column, Slot* slot);

  std::vector<Source> sources_;
  std::vector<Slot> slots_;
  int32_t row_timestamp_slot_ = -1;
  bool force_qualified_ = false;
  int32_t only_source_ = -1;
  bool reads_expressions_ = false;
};

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_SCOPE_H_
