#include <algorithm>

#include "tests/sql/generator/model.h"
#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

// '2020-01-01 12:30:00.5' as the instant 2020-01-01T12:30:00.5Z.
std::string Instant(const std::string& literal) {
  std::string text = literal.substr(literal.find('\'') + 1);
  text.back() = 'Z';
  std::replace(text.begin(), text.end(), ' ', 'T');
  return text;
}

std::string ParameterType(Kind kind) {
  switch (kind) {
    case Kind::kUnsignedInt: return "INTEGER";
    case Kind::kUnsignedLong: return "BIGINT";
    case Kind::kUnsignedTinyint: return "TINYINT";
    case Kind::kUnsignedSmallint: return "SMALLINT";
    case Kind::kUnsignedFloat: return "FLOAT";
    case Kind::kUnsignedDouble: return "DOUBLE";
    case Kind::kUnsignedDate: return "DATE";
    case Kind::kUnsignedTime: return "TIME";
    case Kind::kUnsignedTimestamp: return "TIMESTAMP";
    case Kind::kDecimal:
    case Kind::kBareDecimal: return "DECIMAL";
    case Kind::kChar: return "VARCHAR";
    case Kind::kBinary: return "VARBINARY";
    case Kind::kIntegerArray: return "INTEGER[]";
    case Kind::kVarcharArray: return "VARCHAR[]";
    default: return TypeText(kind);
  }
}

// A constant as a parameter of its own type, or of another one that may do.
std::string Parameter(ThemeText* text, Kind kind, const std::string& literal) {
  std::string type = ParameterType(kind);
  if (literal == "NULL") return type + " NULL";
  if (type == "DATE" || type == "TIME" || type == "TIMESTAMP") {
    if (text->Percent(10)) type = text->Pick({"DATE", "TIME", "TIMESTAMP"});
    return type + " " + Instant(literal);
  }
  if (type == "BOOLEAN") return literal == "TRUE" ? "BOOLEAN true" : "BOOLEAN false";
  if (type == "VARBINARY") return "VARBINARY x" + literal.substr(1);
  if (type.back() == ']') {
    std::string values = literal.substr(5);  // behind ARRAY
    values.erase(std::remove(values.begin(), values.end(), ' '), values.end());
    return type + " " + values;
  }
  if (IsWhole(kind) && text->Percent(15)) {
    const bool small = literal.size() < 3;
    type = text->Pick(small ? std::vector<std::string>{"TINYINT", "INTEGER", "BIGINT", "DECIMAL"}
                            : std::vector<std::string>{"BIGINT", "DECIMAL"});
  }
  return type + " " + literal;
}

class ParameterTheme {
 public:
  explicit ParameterTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    model_ = MakeTable(text_.choices(), {.wide = true, .encoded_binary = false});
    const Layout layout = MakeLayout(model_, text_.choices());
    table_ = text_.Name("P");
    ordered_ = layout.options.find("SALT") == std::string::npos;
    text_.Statement(CreateTable(table_, model_, layout));
    for (size_t i = 0, rows = 6 + text_.choices()->Below(8); i < rows; ++i) Upsert();
    text_.Cells(table_);
    for (size_t i = 0; i < 24; ++i) Ask();
    Condition();
    text_.Bind(binds_);
    text_.Statement("DELETE FROM " + table_ + " WHERE " + condition_);
    text_.Cells(table_);
  }

 private:
  const Column& AnyColumn() { return text_.choices()->Pick(model_.columns); }
  const Column& KeyColumn() { return model_.columns[text_.choices()->Below(model_.key_count)]; }

  void Add(Kind kind, const std::string& literal) {
    binds_ += (binds_.empty() ? "" : ", ") + Parameter(&text_, kind, literal);
  }
  void AddValue(Kind kind) {
    const bool null = text_.Percent(4);
    Add(kind, null ? "NULL" : Literal(kind, text_.choices(), true));
  }

  void Upsert() {
    binds_.clear();
    std::string names;
    std::string marks;
    for (const Column& column : model_.columns) {
      if (!column.key && text_.Percent(15)) continue;
      std::string value = text_.Percent(20) ? ExtremeLiteral(column.kind, text_.choices())
                                            : ValueFor(column, text_.choices());
      if (column.name == "Z") value = "0";
      const bool padded = column.kind == Kind::kChar || column.kind == Kind::kBinary;
      if (value == "NULL" && padded) value = Literal(column.kind, text_.choices(), true);
      if (value == "''") value = "'q'";
      names += (names.empty() ? "" : ", ") + column.name;
      marks += (marks.empty() ? "?" : ", ?");
      Add(column.kind, value);
    }
    text_.Bind(binds_);
    text_.Statement("UPSERT INTO " + table_ + " (" + names + ") VALUES (" + marks + ")");
  }

  std::string Term(const Column& column) {
    const std::string& name = column.name;
    const std::string op = text_.Pick({"=", "<", "<=", ">", ">=", "<>", "=", "="});
    switch (text_.choices()->Below(8)) {
      case 0:
        AddValue(column.kind);
        AddValue(column.kind);
        return name + " BETWEEN ? AND ?";
      case 1: {
        std::string marks = text_.Several(1, 4, ", ", [&] {
          AddValue(column.kind);
          return std::string("?");
        });
        return name + (text_.Percent(25) ? " NOT IN (" : " IN (") + marks + ")";
      }
      case 2: AddValue(column.kind); return "? " + op + " " + name;
      case 3:
        if (!IsText(column.kind)) break;
        Add(Kind::kVarchar, text_.Pick({"'a%'", "'%b'", "'_'", "'ab'"}));
        return name + " LIKE ?";
      case 4:
        if (model_.key_count < 2) break;
        AddValue(model_.columns[0].kind);
        AddValue(model_.columns[1].kind);
        return "(" + model_.columns[0].name + ", " + model_.columns[1].name + ") " + op + " (?, ?)";
      default: break;
    }
    AddValue(column.kind);
    return name + " " + op + " ?";
  }

  // Makes condition_ and binds_.
  void Condition() {
    binds_.clear();
    AppendCondition();
  }
  void AppendCondition() {
    const std::string between = text_.Percent(70) ? " AND " : " OR ";
    condition_ = text_.Several(1, 3, between,
                               [&] { return Term(text_.Percent(65) ? KeyColumn() : AnyColumn()); });
  }

  std::string ComputedColumn() {
    const Column& column = AnyColumn();
    const std::string& name = column.name;
    if (IsWhole(column.kind)) {
      Add(Kind::kInteger, text_.Pick({"1", "2", "-3"}));
      return name + text_.Pick({" + ?", " * ?", " - ?"});
    }
    if (IsText(column.kind)) {
      switch (text_.choices()->Below(4)) {
        case 0: Add(Kind::kInteger, "1"); return "SUBSTR(" + name + ", ?)";
        case 1: Add(Kind::kVarchar, "'x'"); return name + " || ?";
        case 2: Add(Kind::kVarchar, "'b'"); return "INSTR(" + name + ", ?)";
        default: Add(Kind::kVarchar, "'b'"); return "REGEXP_REPLACE(" + name + ", ?, 'y')";
      }
    }
    const bool keyed = column.key;
    if (keyed || column.kind == Kind::kIntegerArray || column.kind == Kind::kVarcharArray) {
      return name;
    }
    AddValue(column.kind);
    return text_.Percent(50) ? "COALESCE(" + name + ", ?)"
                             : "CASE WHEN " + name + " = ? THEN 1 ELSE 0 END";
  }

  void Ask() {
    binds_.clear();
    std::string select = "*";
    std::string tail;
    const uint64_t way = text_.choices()->Below(6);
    if (way == 0) select = text_.Several(1, 3, ", ", [&] { return ComputedColumn(); });
    if (way == 1) select = "COUNT(*), MAX(" + AnyColumn().name + "), SUM(Z)";
    AppendCondition();
    if (way == 2) {
      tail = " GROUP BY " + model_.columns[0].name + " HAVING COUNT(*) > ?";
      select = model_.columns[0].name + ", COUNT(*)";
      Add(Kind::kInteger, "0");
    }
    bool ordered = ordered_ || way == 1;
    if (way == 3) {
      std::string keys;
      for (size_t i = 0; i < model_.key_count; ++i) {
        keys += (i > 0 ? ", " : "") + model_.columns[i].name;
      }
      tail = " ORDER BY " + keys + " LIMIT ?";
      Add(Kind::kInteger, text_.Pick({"1", "3", "100"}));
      if (text_.Percent(40)) {
        tail += " OFFSET ?";
        Add(Kind::kInteger, text_.Pick({"0", "1", "2"}));
      }
      ordered = true;
    }
    if (way == 2) ordered = false;
    text_.Bind(binds_);
    text_.Query("SELECT " + select + " FROM " + table_ + " WHERE " + condition_ + tail, ordered);
  }

  ThemeText& text_;
  TableModel model_;
  std::string table_;
  bool ordered_ = true;
  std::string binds_;
  std::string condition_;
};

}  // namespace

void MakeParameters(ThemeText* text) { ParameterTheme(text).Make(); }

}  // namespace bennu::sql::testing
