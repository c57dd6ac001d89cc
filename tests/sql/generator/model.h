// Tables for generated SQL: what columns there are, which values they get, and in which ways the
// same rows can be stored.
//
// Values come from small domains, so that equalities, groups and joins find something. Left out on
// purpose is what Phoenix answers differently in different places of a query
// (docs/compatibility.md): descending BOOLEAN keys, negative DECIMAL keys, VARBINARY with 00 or ff
// at its ends.
#ifndef BENNU_TESTS_SQL_GENERATOR_MODEL_H_
#define BENNU_TESTS_SQL_GENERATOR_MODEL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/sql/generator/choices.h"

namespace bennu::sql::testing {

enum class Kind {
  kInteger,
  kVarchar,
  kTinyint,
  kSmallint,
  kBigint,
  kUnsignedInt,
  kUnsignedLong,
  kDecimal,
  kDouble,
  kChar,
  kDate,
  kTimestamp,
  kBoolean,
  kBinary,
  kVarbinary,
  kVarbinaryEncoded,
  // Only with TableOptions::wide.
  kFloat,
  kTime,
  kUnsignedTinyint,
  kUnsignedSmallint,
  kUnsignedFloat,
  kUnsignedDouble,
  kUnsignedDate,
  kUnsignedTime,
  kUnsignedTimestamp,
  kBareDecimal,  // without a precision
  kIntegerArray,
  kVarcharArray,
};

// Kinds that can stand in for each other in comparisons and arithmetic without loss.
bool IsWhole(Kind kind);
bool IsSigned(Kind kind);  // of the whole ones
bool IsText(Kind kind);

struct Column {
  std::string name;
  Kind kind = Kind::kInteger;
  bool key = false;
  bool nullable = true;
  bool can_descend = false;  // as a key
  bool descending = false;   // where the model is that of one table
  bool bare = true;          // a BOOLEAN that may be a condition by itself
};

// The key's columns come first. The last column, Z, is 0 in every row.
struct TableModel {
  std::vector<Column> columns;
  size_t key_count = 0;
  // Each key is written once, so that the table may be immutable: there a NULL does not replace a
  // value.
  bool written_once = false;
};

// How a variant of a table stores its rows.
struct Layout {
  std::vector<bool> descending;       // by key column
  std::vector<std::string> families;  // by column; empty: the default one
  bool immutable = false;
  std::string options;  // behind the column list
};

std::string TypeText(Kind kind);

struct TableOptions {
  bool wide = false;           // columns of all kinds
  bool encoded_binary = true;  // VARBINARY_ENCODED, which is as old as Phoenix 5.3
};

TableModel MakeTable(Choices* choices, const TableOptions& options = {});
// The plain one: everything ascending, no options.
Layout PlainLayout(const TableModel& table);
Layout MakeLayout(const TableModel& table, Choices* choices);
std::string CreateTable(const std::string& name, const TableModel& table, const Layout& layout);

// A constant of that kind as SQL text; never NULL. 'stored': one that a key may hold.
std::string Literal(Kind kind, Choices* choices, bool stored);
// One from the ends of the kind's domain and other places where things go wrong; for a key too.
std::string ExtremeLiteral(Kind kind, Choices* choices);
// A constant for the column, sometimes NULL where it may be.
std::string ValueFor(const Column& column, Choices* choices);

}  // namespace bennu::sql::testing

#endif  // BENNU_TESTS_SQL_GENERATOR_MODEL_H_
