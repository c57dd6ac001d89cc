// The syntax tree of a statement: exactly what the text says, with places, before any name is
// looked up. Made by ParseStatement (parser.h), read by the binder.
//
// Plain structs that own their children; what belongs to a query can be cloned, as expressions can.
// A std::variant holds the statement, so that the binder's
// std::visit fails to compile when a kind is forgotten. Source: phoenix-sql.md section 2.
#ifndef BENNU_SRC_SQL_PARSE_AST_H_
#define BENNU_SRC_SQL_PARSE_AST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "src/sql/parse/expression.h"

namespace bennu::sql::parse {

// ---------------------------------------------------------------- shared parts

struct Hint {
  std::string name;                    // upper-cased
  std::vector<std::string> arguments;  // words between its parentheses, upper-cased unless quoted
};

// FAMILY.NAME = value of a table, index or session.
struct Property {
  std::string family;  // empty when not given
  std::string name;    // upper-cased unless quoted
  ExprPtr value;       // a literal; a bare word (TTL=FOREVER) is a kColumn with that name
  int32_t position = -1;
};

struct ColumnDef {
  QualifiedName name;  // qualifier: the family
  TypeSpec type;
  std::optional<bool> nullable;  // empty: neither NULL nor NOT NULL was written
  ExprPtr default_value;         // null when absent
  std::string default_text;      // the text of the default, as written
  bool primary_key = false;
  bool descending = false;
  bool row_timestamp = false;
  int32_t encoded_qualifier = -1;  // -1 when absent
  int32_t position = -1;

  ColumnDef Clone() const;
};

struct KeyColumn {
  Name name;
  bool descending = false;
  bool row_timestamp = false;
};

struct KeyConstraint {
  Name name;
  std::vector<KeyColumn> columns;
  int32_t position = -1;
};

// ---------------------------------------------------------------- queries

enum class JoinType : uint8_t { kInner, kLeft, kRight, kFull };

enum class TableRefKind : uint8_t { kNamed, kSubquery, kJoin, kBind };

struct TableRef;
using TableRefPtr = std::unique_ptr<TableRef>;

struct TableRef {
  TableRefKind kind = TableRefKind::kNamed;
  int32_t position = -1;
  Name alias;  // empty when not given; never for kJoin
  // kNamed
  QualifiedName name;
  std::vector<ColumnDef> dynamic_columns;
  ExprPtr sample_percent;  // TABLESAMPLE(literal), null when absent
  // kSubquery
  std::unique_ptr<Select> subquery;
  // kJoin
  JoinType join_type = JoinType::kInner;
  TableRefPtr left;
  TableRefPtr right;
  ExprPtr on;  // null for the comma: a cross product
  // kBind
  int32_t bind_index = 0;

  TableRef Clone() const;
};

struct SelectItem {
  ExprPtr expr;  // kStar for *, T.* and S.T.*
  Name alias;

  SelectItem Clone() const;
};

// A query. With UNION ALL the first branch is the node itself and the others are in 'union_all';
// order_by, limit and offset then are of the whole.
struct Select {
  int32_t position = -1;
  int32_t end = -1;
  std::vector<Hint> hints;
  bool distinct = false;
  std::vector<SelectItem> items;
  std::vector<TableRefPtr> from;  // more than one: comma list, a cross product
  ExprPtr where;
  ExprList group_by;
  ExprPtr having;
  std::vector<std::unique_ptr<Select>> union_all;
  std::vector<OrderItem> order_by;
  ExprPtr limit;   // kLiteral (integer) or kBind; FETCH FIRST n ROWS ONLY is the same
  ExprPtr offset;  // kLiteral or kBind
  // OFFSET (a, b) = (1, 2): the key after which to begin. Both empty when absent.
  ExprList offset_columns;
  ExprList offset_values;

  Select Clone() const;
};

// ---------------------------------------------------------------- changes

enum class OnDuplicateKey : uint8_t { kNone, kIgnore, kUpdate, kUpdateOnly };

struct Assignment {
  QualifiedName column;  // qualifier: the family
  ExprPtr value;
};

struct Upsert {
  std::vector<Hint> hints;
  QualifiedName table;
  // With a type when it is a dynamic column, else type.name is empty.
  std::vector<ColumnDef> columns;  // empty: all columns of the table
  std::vector<ExprList> rows;      // VALUES; empty when 'select' is set
  std::unique_ptr<Select> select;
  OnDuplicateKey on_duplicate = OnDuplicateKey::kNone;
  std::vector<Assignment> assignments;
  bool returning = false;  // RETURNING *
};

struct Delete {
  std::vector<Hint> hints;
  QualifiedName table;
  ExprPtr where;
  std::vector<OrderItem> order_by;
  ExprPtr limit;
  bool returning = false;
};

// ---------------------------------------------------------------- definitions

struct QualifierCounter {
  std::string family;
  int32_t value = 0;
};

struct CreateTable {
  QualifiedName name;
  bool if_not_exists = false;
  bool immutable = false;
  bool no_verify = false;
  std::vector<ColumnDef> columns;
  std::optional<KeyConstraint> key;
  std::vector<Property> properties;
  ExprList splits;
  std::vector<QualifierCounter> counters;
};

struct CreateView {
  QualifiedName name;
  bool if_not_exists = false;
  std::vector<ColumnDef> columns;
  std::optional<KeyConstraint> key;
  QualifiedName base;  // empty: a view over the HBase table of its own name
  ExprPtr where;
  std::string where_text;  // as written, for VIEW_STATEMENT
  std::vector<Property> properties;
};

struct IndexColumn {
  ExprPtr expr;
  bool descending = false;
};

struct CreateIndex {
  QualifiedName name;  // never qualified
  QualifiedName table;
  bool if_not_exists = false;
  bool local = false;
  bool uncovered = false;
  bool async = false;
  std::vector<IndexColumn> columns;
  std::vector<QualifiedName> include;
  ExprPtr where;
  std::string where_text;
  std::vector<Property> properties;
  ExprList splits;
};

struct CreateCdc {
  Name name;
  QualifiedName table;
  bool if_not_exists = false;
  std::vector<std::string> scopes;
  std::vector<Property> properties;
};

struct CreateSequence {
  QualifiedName name;
  bool if_not_exists = false;
  ExprPtr start;  // null when absent, as the next four
  ExprPtr increment;
  ExprPtr min_value;
  ExprPtr max_value;
  ExprPtr cache;
  bool cycle = false;
};

struct CreateSchema {
  Name name;
  bool if_not_exists = false;
};

struct FunctionArgument {
  TypeSpec type;
  bool constant = false;
  ExprPtr default_value;
  ExprPtr min_value;
  ExprPtr max_value;
};

struct CreateFunction {
  Name name;
  bool or_replace = false;
  bool temporary = false;
  std::vector<FunctionArgument> arguments;
  std::string return_type;
  std::string class_name;
  std::string jar_path;  // empty when absent
};

enum class ObjectKind : uint8_t { kTable, kView, kIndex, kSequence, kSchema, kFunction, kCdc };

struct Drop {
  ObjectKind kind = ObjectKind::kTable;
  QualifiedName name;
  bool if_exists = false;
  bool cascade = false;
  QualifiedName table;  // kIndex, kCdc: the table after ON
};

enum class AlterTableAction : uint8_t { kAddColumns, kDropColumns, kSetProperties };

struct AlterTable {
  QualifiedName name;
  bool is_view = false;
  AlterTableAction action = AlterTableAction::kAddColumns;
  bool if_exists = false;      // DROP COLUMN IF EXISTS
  bool if_not_exists = false;  // ADD IF NOT EXISTS
  std::vector<ColumnDef> add;
  std::vector<QualifiedName> drop;
  std::vector<Property> properties;
  bool cascade_all = false;  // CASCADE INDEX ALL
  std::vector<Name> cascade_indexes;
};

enum class IndexAction : uint8_t {
  kUsable,
  kUnusable,
  kRebuild,
  kDisable,
  kActive,
  kConsistencyStrong,
  kConsistencyEventual
};

struct AlterIndex {
  Name name;
  QualifiedName table;
  bool if_exists = false;
  IndexAction action = IndexAction::kUsable;
  bool rebuild_all = false;
  bool async = false;
  std::vector<Property> properties;
};

// ---------------------------------------------------------------- the rest

struct AlterSession {
  std::vector<Property> properties;
};

struct UseSchema {
  Name name;  // empty: USE DEFAULT
};

enum class StatisticsScope : uint8_t { kDefault, kIndex, kAll, kColumns };

struct UpdateStatistics {
  QualifiedName table;
  StatisticsScope scope = StatisticsScope::kDefault;
  std::vector<Property> properties;
};

enum class ShowKind : uint8_t { kTables, kSchemas, kCreateTable, kStatements };

struct Show {
  ShowKind kind = ShowKind::kTables;
  Name schema;  // SHOW TABLES IN
  std::optional<std::string> like;
  QualifiedName table;  // kCreateTable
};

// CANCEL STATEMENT n: ours, as SHOW STATEMENTS is.
struct CancelStatement {
  int64_t id = 0;
  int32_t position = -1;
};

// CHECK INDEX name ON table [REPAIR]: ours.
struct CheckIndex {
  Name name;
  QualifiedName table;
  bool repair = false;
};

struct DeclareCursor {
  Name name;
  std::unique_ptr<Select> select;
};
struct OpenCursor {
  Name name;
};
struct CloseCursor {
  Name name;
};
struct FetchCursor {
  Name name;
  int64_t count = 1;
};

// GRANT and REVOKE.
struct Permission {
  bool grant = true;
  std::string permissions;  // some of RWXCA; empty in a REVOKE of all
  QualifiedName table;      // empty unless ON [TABLE]
  Name schema;              // empty unless ON SCHEMA
  bool to_group = false;
  std::string user;
};

// Statements about the server: its jars, its tracing, its version.
enum class UtilityKind : uint8_t {
  kTraceOn,
  kTraceOff,
  kAddJars,
  kListJars,
  kDeleteJar,
  kExecuteUpgrade
};

struct Utility {
  UtilityKind kind = UtilityKind::kListJars;
  std::vector<std::string> arguments;
  ExprPtr sampling;  // TRACE ON WITH SAMPLING
};

struct Statement;

struct Explain {
  bool with_regions = false;
  bool analyze = false;  // EXPLAIN ANALYZE is ours: runs the statement and reports what it cost
  std::unique_ptr<Statement> statement;
};

struct Statement {
  using Node = std::variant<Select, Upsert, Delete, CreateTable, CreateView, CreateIndex, CreateCdc,
                            CreateSequence, CreateSchema, CreateFunction, Drop, AlterTable,
                            AlterIndex, AlterSession, UseSchema, UpdateStatistics, Show,
                            DeclareCursor, OpenCursor, CloseCursor, FetchCursor, Permission,
                            Utility, Explain, CancelStatement, CheckIndex>;
  Node node;
  int32_t bind_count = 0;  // highest bind index used
};

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_AST_H_
