#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

struct Element {
  const char* type;
  std::vector<std::string> values;
};

const std::vector<Element>& Elements() {
  static const auto* const elements = new std::vector<Element>{
      {"INTEGER", {"1", "2", "3", "-7", "2147483647"}},
      {"VARCHAR", {"'a'", "'b'", "'ab'", "'zz'", "'c,d'"}},
      {"BIGINT", {"1", "2", "9223372036854775807", "-1"}},
      {"SMALLINT", {"1", "2", "-3", "32767"}},
      {"TINYINT", {"1", "2", "-3", "127"}},
      {"UNSIGNED_INT", {"1", "2", "0"}},
      {"UNSIGNED_LONG", {"1", "2", "0", "77777777777"}},
      {"DOUBLE", {"0.5", "1.25", "-2.5"}},
      {"FLOAT", {"0.5", "1.25", "-2.5"}},
      {"DECIMAL(10,2)", {"0.5", "1.25", "-2.5", "100"}},
      {"CHAR(3)", {"'a'", "'bc'", "'def'"}},
      {"BOOLEAN", {"TRUE", "FALSE"}},
      {"DATE", {"DATE '2020-01-01'", "DATE '1999-12-31 23:59:59'"}},
      {"TIMESTAMP", {"TIMESTAMP '2020-01-01'", "TIMESTAMP '1999-12-31 23:59:59.123'"}},
      {"VARBINARY", {"X'01'", "X'0203'", "X'00ff'"}},
  };
  return *elements;
}

class ArrayTheme {
 public:
  explicit ArrayTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    element_ = text_.choices()->Pick(Elements());
    table_ = text_.Name("Y");
    // As the last column of the key too.
    key_ = text_.Percent(30);
    const std::string type = std::string(element_.type) + " ARRAY";
    const std::string options = text_.Pick({"", " COLUMN_ENCODED_BYTES=NONE", " SALT_BUCKETS=2"});
    // Phoenix 5.2 loses columns beside an element in a single cell.
    text_.Statement(
        fmt::format("CREATE {}TABLE {} (K INTEGER NOT NULL, {}A {}, B {}, E {}{}, CONSTRAINT PK "
                    "PRIMARY KEY (K{})){}",
                    "", table_, key_ ? "P " + type + ", " : "", type, type, element_.type,
                    ", S VARCHAR", key_ ? (text_.Percent(40) ? ", P DESC" : ", P") : "", options));
    for (int i = 1; i < 9; ++i) Upsert(i);
    text_.Cells(table_);
    text_.Query("SELECT * FROM " + table_, false);
    for (int i = 0; i < 26; ++i) Ask();
  }

 private:
  std::string Value() { return text_.Pick(element_.values); }
  std::string Array() {
    return "ARRAY[" + text_.Several(1, 4, ", ", [&] { return Value(); }) + "]";
  }

  void Upsert(int key) {
    text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}{}, {}, {}, {})", table_, key,
                                key_ ? Array() + ", " : "", text_.Percent(10) ? "NULL" : Array(),
                                text_.Percent(20) ? "NULL" : Array(), Value(),
                                text_.Pick({"'a'", "'a,b'", "NULL"})));
  }

  std::string Column() { return text_.Pick({"A", "B", key_ ? "P" : "A"}); }

  std::string Made() {
    switch (text_.choices()->Below(9)) {
      case 0:
        return fmt::format("ARRAY_APPEND({}, {})", Column(), text_.Percent(50) ? Value() : "E");
      case 1:
        return fmt::format("ARRAY_PREPEND({}, {})", text_.Percent(50) ? Value() : "E", Column());
      case 2:
        return fmt::format("ARRAY_CAT({}, {})", Column(), text_.Percent(50) ? Array() : Column());
      case 3:
        return fmt::format("ARRAY_REMOVE({}, {})", Column(), text_.Percent(50) ? Value() : "E");
      case 4:
        return fmt::format("ARRAY_FILL({}, {})", text_.Percent(50) ? Value() : "E",
                           text_.Between(1, 3));
      case 5: return "STRING_TO_ARRAY(S, ',')";
      case 6: return "ARRAY[E, " + Value() + "]";
      case 7: return Array();
      default: return Column();
    }
  }

  std::string Scalar() {
    switch (text_.choices()->Below(8)) {
      case 0:
      case 1: return fmt::format("{}[{}]", Column(), text_.Between(1, 4));
      case 2: return fmt::format("ARRAY_ELEM({}, {})", Column(), text_.Between(1, 4));
      case 3: return "ARRAY_LENGTH(" + Made() + ")";
      case 4:
        return fmt::format("ARRAY_TO_STRING({}, '{}'{})", Column(), text_.Pick({",", "-", ""}),
                           text_.Percent(30) ? ", 'none'" : "");
      case 5: return "COALESCE(" + Column() + "[1], E)";
      default: return Made();
    }
  }

  std::string Condition() {
    const std::string op = text_.Pick({"=", "<", ">", "<=", ">=", "<>"});
    switch (text_.choices()->Below(7)) {
      case 0:
      case 1: return fmt::format("{} {} ANY({})", text_.Percent(60) ? Value() : "E", op, Column());
      case 2: return fmt::format("{} {} ALL({})", text_.Percent(60) ? Value() : "E", op, Column());
      case 3: return fmt::format("{}[{}] {} {}", Column(), text_.Between(1, 3), op, Value());
      case 4: return fmt::format("{} {} {}", Column(), op, text_.Percent(50) ? Array() : Column());
      case 5: return "ARRAY_LENGTH(" + Column() + ") " + op + " 2";
      default: return Column() + text_.Pick({" IS NULL", " IS NOT NULL", "[2] IS NULL"});
    }
  }

  void Ask() {
    const std::string where = text_.Percent(50) ? " WHERE " + Condition() : "";
    if (text_.Percent(12)) {
      text_.Query("SELECT COUNT(*), COUNT(" + Column() + ") FROM " + table_ + where, true);
    } else if (text_.Percent(10)) {
      text_.Query(
          "SELECT K, " + Column() + " FROM " + table_ + where + " ORDER BY " + Column() + ", K",
          true);
    } else {
      text_.Query("SELECT K, " + text_.Several(1, 2, ", ", [&] { return Scalar(); }) + " FROM " +
                      table_ + where,
                  false);
    }
  }

  ThemeText& text_;
  Element element_;
  std::string table_;
  bool key_ = false;
};

}  // namespace

void MakeArrays(ThemeText* text) { ArrayTheme(text).Make(); }

}  // namespace bennu::sql::testing
