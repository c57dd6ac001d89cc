#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class NumberTheme {
 public:
  explicit NumberTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("N");
    text_.Statement(
        fmt::format("CREATE TABLE {} (K INTEGER NOT NULL, P {}, D0 DECIMAL, D1 DECIMAL(10,2), D2 "
                    "DECIMAL(38,10), D3 "
                    "DECIMAL(5), I INTEGER, B BIGINT, S SMALLINT, T TINYINT, U UNSIGNED_INT, UL "
                    "UNSIGNED_LONG, F "
                    "FLOAT, X DOUBLE, CONSTRAINT PK PRIMARY KEY (K, P{}))",
                    table_, text_.Pick({"DECIMAL", "DECIMAL(8,3)", "DECIMAL(38,0)"}),
                    text_.Percent(40) ? " DESC" : ""));
    for (int i = 1; i < 10; ++i) Upsert(i);
    text_.Query("SELECT * FROM " + table_, true);
    text_.Cells(table_);
    for (int i = 0; i < 30; ++i) Ask();
  }

 private:
  std::string Constant() {
    return text_.Pick({"0", "1", "-1", "1.5", "2.25", "-0.005", "0.005", "1.999", "99999",
                       "123456789.123456789", "12345678901234567890", "1.0", "100", "0.10", "3",
                       "99999999.99", "-99999999.995"});
  }
  // Text that no VALUES computes, which a descending key would store otherwise.
  std::string Positive() { return text_.Pick({"0", "1", "1.5", "2.25", "100", "0.125", "7"}); }

  void Upsert(int key) {
    text_.Statement(fmt::format(
        "UPSERT INTO {} VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {})", table_,
        key, Positive(), Constant(), Constant(), Constant(),
        text_.Pick({"1", "99999", "2.6", "100000"}), text_.Pick({"1", "2147483647", "-5", "2.7"}),
        text_.Pick({"1", "9223372036854775807", "-5"}), text_.Pick({"1", "32767", "3.2"}),
        text_.Pick({"1", "127", "-128"}), text_.Pick({"1", "0", "77"}),
        text_.Pick({"1", "0", "99999999999"}), text_.Pick({"0.5", "1.25", "1"}),
        text_.Pick({"0.1", "1E10", "-2.5", "3"})));
  }

  std::string Column() {
    return text_.Pick(
        {"P", "D0", "D1", "D2", "D3", "D1", "D2", "I", "B", "S", "T", "U", "UL", "F", "X"});
  }
  std::string Decimal() { return text_.Pick({"D0", "D1", "D2", "D3", "P"}); }

  std::string Number(int depth) {
    if (depth == 0) return text_.Percent(75) ? Column() : Constant();
    switch (text_.choices()->Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return "(" + Number(depth - 1) + text_.Pick({" + ", " - ", " * ", " / "}) +
               Number(depth - 1) + ")";
      case 4:
        return fmt::format("({} % {})", text_.Pick({"I", "B", "S", "T", "D1"}),
                           text_.Pick({"2", "7", "-3"}));
      case 5:
      case 6:
        return fmt::format("CAST({} AS {})", Number(depth - 1),
                           text_.Pick({"DECIMAL", "DECIMAL(10,2)", "DECIMAL(5,1)", "DECIMAL(38,5)",
                                       "INTEGER", "BIGINT", "DOUBLE", "FLOAT", "UNSIGNED_INT",
                                       "VARCHAR", "SMALLINT", "TINYINT", "UNSIGNED_LONG"}));
      case 7: return fmt::format("ROUND({}, {})", Decimal(), text_.Between(-2, 4));
      case 8:
        return fmt::format("{}({}, {})", text_.Pick({"FLOOR", "CEIL", "TRUNC"}), Decimal(),
                           text_.Between(0, 3));
      case 9: return text_.Pick({"ABS(", "SIGN(", "SQRT(", "-("}) + Number(depth - 1) + ")";
      case 10:
        return fmt::format("TO_NUMBER('{}'{})", text_.Pick({"12.5", "-7", "1E3", "$1,234.5"}),
                           text_.Percent(30) ? ", '\xc2\xa4###,###.##'" : "");
      default: return "COALESCE(" + Number(depth - 1) + ", " + Column() + ")";
    }
  }

  std::string Aggregate() {
    return text_.Pick({"SUM", "AVG", "MIN", "MAX", "COUNT", "STDDEV_POP", "STDDEV_SAMP",
                       "COUNT(DISTINCT ", "SUM"});
  }

  void Ask() {
    switch (text_.choices()->Below(6)) {
      case 0: {
        const std::string items = text_.Several(1, 3, ", ", [&] {
          const std::string name = Aggregate();
          return name + (name.back() == ' ' ? "" : "(") + Number(text_.Percent(30) ? 1 : 0) + ")";
        });
        text_.Query("SELECT " + items + " FROM " + table_, true);
        return;
      }
      case 1:
        text_.Query(fmt::format("SELECT K, P FROM {} WHERE {} {} {}", table_, Number(1),
                                text_.Pick({"=", "<", ">=", "<>"}), Number(0)),
                    true);
        return;
      case 2:
        text_.Query(fmt::format("SELECT K, P FROM {} WHERE P {} {}", table_,
                                text_.Pick({"=", "<", ">=", "<>", ">"}), Constant()),
                    true);
        return;
      case 3:
        text_.Query(fmt::format("SELECT TO_CHAR({}, '{}') FROM {}", Decimal(),
                                text_.Pick({"#,##0.00", "0000.0", "#", "0.00E0"}), table_),
                    true);
        return;
      default:
        text_.Query(
            "SELECT " + text_.Several(1, 3, ", ", [&] { return Number(2); }) + " FROM " + table_,
            true);
    }
  }

  ThemeText& text_;
  std::string table_;
};

}  // namespace

void MakeNumbers(ThemeText* text) { NumberTheme(text).Make(); }

}  // namespace bennu::sql::testing
