#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class ChangeTheme {
 public:
  explicit ChangeTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("U");
    salted_ = text_.Percent(25);
    std::string options = salted_ ? " SALT_BUCKETS=2" : "";
    if (text_.Percent(40)) {
      options += std::string(salted_ ? ", " : " ") +
                 "COLUMN_ENCODED_BYTES=" + text_.Pick({"NONE", "1", "4"});
    }
    text_.Statement(fmt::format(
        "CREATE TABLE {} (K INTEGER NOT NULL, L VARCHAR NOT NULL, A INTEGER{}, B VARCHAR, C "
        "DECIMAL(8,2), D "
        "BIGINT{}, CONSTRAINT PK PRIMARY KEY (K{}, L)){}",
        table_, text_.Percent(30) ? " DEFAULT 5" : "", text_.Percent(20) ? " DEFAULT 1 + 2" : "",
        text_.Percent(30) ? " DESC" : "", options));
    for (int i = 0; i < 30; ++i) Step();
    text_.Cells(table_);
    text_.Query("SELECT * FROM " + table_, !salted_);
  }

 private:
  std::string Key() {
    return std::to_string(text_.Between(1, 4)) + ", " + text_.Pick({"'a'", "'b'"});
  }
  // Where arithmetic or SUBSTR gives NULL Phoenix keeps what the column had, or fails.
  std::string Number() {
    return text_.Pick({"A", "D", "A", "1", "2", "10", "NULL", "COALESCE(A, 3) + 1",
                       "COALESCE(A, 4) * 2", "COALESCE(D, 9) - COALESCE(A, 2)"});
  }
  std::string Text() {
    return text_.Pick({"B", "'x'", "'yy'", "B || 'z'", "UPPER(B)", "COALESCE(B, 'n')", "L", "NULL",
                       "SUBSTR(B || 'pq', 2)", "TO_CHAR(A)"});
  }
  std::string Decimal() {
    return text_.Pick({"C", "C + 1", "C * 2", "1.25", "A", "ROUND(C)", "C / 3", "NULL"});
  }

  std::string Condition() {
    return text_.Pick(
        {"A > 2", "A IS NULL", "B = 'x'", "C >= 1", "A < D", "D IS NOT NULL", "B LIKE 'x%'"});
  }

  std::string Assignment() {
    switch (text_.choices()->Below(6)) {
      case 0:
      case 1:
        return "A = " + (text_.Percent(25)
                             ? "CASE WHEN " + Condition() + " THEN COALESCE(A, 1) + 1 ELSE 0 END"
                             : Number());
      case 2: return "B = " + Text();
      case 3: return "C = " + Decimal();
      default: return "D = " + (text_.Percent(25) ? "COALESCE(D, 0) + 1" : Number());
    }
  }

  void OnDuplicateKey() {
    std::string names = "K, L";
    std::string values = Key();
    if (text_.Percent(60)) names += ", A", values += ", " + text_.Pick({"1", "2", "NULL"});
    if (text_.Percent(50)) names += ", B", values += ", " + text_.Pick({"'x'", "'q'", "NULL"});
    if (text_.Percent(40)) names += ", C", values += ", " + text_.Pick({"1.5", "2", "0.01"});
    const std::string what =
        text_.Percent(20) ? "IGNORE"
                          : "UPDATE " + text_.Several(1, 3, ", ", [&] { return Assignment(); });
    text_.Statement(fmt::format("UPSERT INTO {} ({}) VALUES ({}) ON DUPLICATE KEY {}", table_,
                                names, values, what));
  }

  void Step() {
    switch (text_.choices()->Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3: OnDuplicateKey(); break;
      case 4:
      case 5:
        text_.Statement(fmt::format("UPSERT INTO {} (K, L, A, B, D) VALUES ({}, {}, {}, {})",
                                    table_, Key(), text_.Pick({"1", "7", "NULL"}),
                                    text_.Pick({"'x'", "'xy'", "NULL"}),
                                    text_.Pick({"3", "NULL"})));
        break;
      case 6:
        // In the order of the key: of a salted table it is not said which come first.
        text_.Statement("DELETE FROM " + table_ + " WHERE " + Condition() +
                        (text_.Percent(50) ? " ORDER BY K, L LIMIT 2" : ""));
        text_.Cells(table_);
        break;
      case 7:
        text_.Statement(
            fmt::format("UPSERT INTO {} (K, L, X VARCHAR, F.Y INTEGER) VALUES ({}, 'dyn', {})",
                        table_, Key(), text_.Pick({"1", "NULL", "300"})));
        break;
      case 8:
        text_.Query(
            fmt::format("SELECT K, L, X, Y FROM {} (X VARCHAR, F.Y INTEGER) WHERE {}", table_,
                        text_.Pick({"X = 'dyn'", "Y > 2", "X IS NULL", "Y IS NOT NULL"})),
            !salted_);
        break;
      case 9: Transaction(); break;
      case 10:
        text_.Statement(fmt::format(
            "UPSERT INTO {0} (K, L, A, B) SELECT K + {1}, L, {2}, B FROM {0} WHERE {3}", table_,
            text_.Between(0, 1), text_.Pick({"A", "A + 1", "CAST(D AS INTEGER)"}), Condition()));
        break;
      default: text_.Query("SELECT * FROM " + table_ + " WHERE " + Condition(), !salted_);
    }
    if (text_.Percent(10)) text_.Cells(table_);
  }

  // Statements with ON DUPLICATE KEY beside others of the same row write one version of the empty
  // column, in Phoenix two.
  void Transaction() {
    text_.Autocommit(false);
    const bool on_duplicate_key = text_.Percent(40);
    for (int i = 0; i < 3; ++i) {
      if (on_duplicate_key) {
        OnDuplicateKey();
      } else if (text_.Percent(30)) {
        text_.Statement("DELETE FROM " + table_ +
                        " WHERE K = " + std::to_string(text_.Between(1, 4)));
      } else {
        text_.Statement(fmt::format("UPSERT INTO {} (K, L, A) VALUES ({}, {})", table_, Key(),
                                    text_.Between(1, 9)));
      }
      if (text_.Percent(30)) text_.Query("SELECT * FROM " + table_, !salted_);
    }
    if (text_.Percent(75)) {
      text_.Commit();
    } else {
      text_.Rollback();
    }
    text_.Autocommit(true);
    text_.Query("SELECT * FROM " + table_, !salted_);
  }

  ThemeText& text_;
  std::string table_;
  bool salted_ = false;
};

}  // namespace

void MakeChanges(ThemeText* text) { ChangeTheme(text).Make(); }

}  // namespace bennu::sql::testing
