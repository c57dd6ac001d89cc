#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

// Left out is what Phoenix gets wrong (docs/indexes.md, "Beside Phoenix"): included columns that
// are set to NULL, queries that a partial index has not all rows of, and writes of a table whose
// views have indexes.
class IndexTheme {
 public:
  explicit IndexTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("X");
    salted_ = text_.Percent(25);
    std::string options = salted_ ? " SALT_BUCKETS=2" : "";
    if (text_.Percent(40)) {
      options += std::string(salted_ ? ", " : " ") +
                 "COLUMN_ENCODED_BYTES=" + text_.Pick({"NONE", "1", "4"});
    }
    text_.Statement(fmt::format(
        "CREATE TABLE {} (K INTEGER NOT NULL, L VARCHAR NOT NULL, A INTEGER, B VARCHAR, C "
        "DECIMAL(8,2), D BIGINT, F.E CHAR(3), CONSTRAINT PK PRIMARY KEY (K{}, L{})){}",
        table_, text_.Percent(30) ? " DESC" : "", text_.Percent(20) ? " DESC" : "", options));
    subject_ = table_;
    if (text_.Percent(20)) {
      subject_ = text_.Name("V");
      is_view_ = true;
      text_.Statement("CREATE VIEW " + subject_ + " AS SELECT * FROM " + table_ +
                      " WHERE F.E = 'abc'");
    }
    for (int i = 0; i < 8; ++i) Upsert();
    for (int i = 0; i < 30; ++i) Step();
    for (int i = 0; i < 5; ++i) Ask();
    // A DELETE of a row that is not there leaves markers, which it does not in Phoenix where the
    // table has indexes.
    text_.VisibleCells(table_);
    for (const std::string& index : global_) {
      if (!is_view_) text_.VisibleCells(index);
    }
  }

 private:
  std::string Number() { return std::to_string(text_.Between(-3, 9)); }
  std::string Text() { return text_.Pick({"'x'", "'xy'", "'Yy'", "'z'", "'X'"}); }
  std::string Decimal() { return text_.Pick({"0.5", "1.25", "-2", "300", "7"}); }
  std::string Order() { return text_.Pick({"", "", " DESC"}); }
  std::string Key() {
    return std::to_string(text_.Between(1, 6)) + ", " + text_.Pick({"'a'", "'b'"});
  }

  void Create() {
    const std::string name = text_.Name("I" + std::to_string(++made_));
    const std::string on = " ON " + subject_ + " ";
    const std::string include =
        text_.Pick({"", " INCLUDE (C)", " INCLUDE (C, D)", " INCLUDE (F.E)"});
    const std::string salt = is_view_ ? "" : text_.Pick({"", "", " SALT_BUCKETS=3"});
    std::string sql;
    switch (text_.choices()->Below(7)) {
      case 0:
        sql = "CREATE INDEX " + name + on + "(A" + Order() + ", B" + Order() + ")" + include + salt;
        break;
      case 1:
        sql = "CREATE INDEX " + name + on + "(UPPER(B)" + Order() + ") INCLUDE (A, B, C)" + salt;
        break;
      case 2: sql = "CREATE INDEX " + name + on + "(A + D" + Order() + ")" + include + salt; break;
      case 3: sql = "CREATE INDEX " + name + on + "(C" + Order() + ", L)" + salt; break;
      case 4:
        text_.Statement("CREATE UNCOVERED INDEX " + name + on + "(B" + Order() + ")" + salt);
        indexes_.push_back(name);
        return;
      case 5:
        if (is_view_ || !partial_.empty()) return;
        partial_ = "A > 2";
        sql = "CREATE INDEX " + name + on + "(B) INCLUDE (A, C) WHERE A > 2" + salt;
        break;
      default:
        text_.Statement("CREATE LOCAL INDEX " + name + on + "(D" + Order() + ", A)" + include);
        indexes_.push_back(name);
        return;
    }
    text_.Statement(sql);
    indexes_.push_back(name);
    global_.push_back(name);
  }

  // Whole or in part; nothing becomes NULL.
  void Upsert() {
    std::string names = "K, L";
    std::string values = Key();
    const auto add = [&](uint64_t share, const std::string& name, const std::string& value) {
      if (!text_.Percent(share)) return;
      names += ", " + name;
      values += ", " + value;
    };
    add(75, "A", Number());
    add(75, "B", Text());
    add(60, "C", Decimal());
    add(60, "D", Number());
    if (!is_view_) add(50, "E", text_.Pick({"'abc'", "'de'"}));
    text_.Statement("UPSERT INTO " + subject_ + " (" + names + ") VALUES (" + values + ")");
  }

  std::string Condition() {
    switch (text_.choices()->Below(10)) {
      case 0: return "A = " + Number();
      case 1: return "A > " + Number() + " AND B >= 'x'";
      case 2: return "UPPER(B) = 'XY'";
      case 3: return "A + D BETWEEN 1 AND 8";
      case 4: return "C >= " + Decimal();
      case 5: return "B = " + Text();
      case 6: return "D IN (1, 3, 5)";
      case 7: return "A IS NULL";
      case 8: return "B LIKE 'x%'";
      default: return "C = " + Decimal() + " AND L = 'a'";
    }
  }

  // By an index or not, as it comes; the rows are in an order that no plan changes.
  void Ask() {
    std::string hint = text_.Pick({"", "", "", "/*+ NO_INDEX */ "});
    if (hint.empty() && !indexes_.empty() && text_.Percent(30)) {
      hint = "/*+ INDEX(" + subject_ + " " + text_.Pick(indexes_) + ") */ ";
    }
    std::string where = Condition();
    if (!partial_.empty()) {
      if (text_.Percent(50)) {
        where += " AND " + partial_;
      } else {
        hint = "/*+ NO_INDEX */ ";
      }
    }
    switch (text_.choices()->Below(4)) {
      case 0:
        text_.Query(
            "SELECT " + hint + "COUNT(*), MIN(A), MAX(C) FROM " + subject_ + " WHERE " + where,
            true);
        break;
      case 1:
        text_.Query("SELECT " + hint + "A, COUNT(*) FROM " + subject_ + " WHERE " + where +
                        " GROUP BY A ORDER BY A",
                    true);
        break;
      default:
        text_.Query("SELECT " + hint + text_.Pick({"*", "K, L, A", "L, B, C", "K, UPPER(B)"}) +
                        " FROM " + subject_ + " WHERE " + where + " ORDER BY K, L",
                    true);
    }
  }

  void Step() {
    switch (text_.choices()->Below(16)) {
      case 0:
      case 1:
      case 2:
        if (indexes_.size() < 5) Create();
        break;
      case 3:
        // What an index has no rows of may be deleted by it: partial ones are left out.
        text_.Statement("DELETE " + std::string(partial_.empty() ? "" : "/*+ NO_INDEX */ ") +
                        "FROM " + subject_ + " WHERE " + Condition());
        break;
      case 4:
        text_.Statement("DELETE FROM " + subject_ +
                        " WHERE K = " + std::to_string(text_.Between(1, 6)) + " AND L = 'a'");
        break;
      case 5:
        if (!global_.empty() && text_.Percent(40)) {
          text_.Statement("ALTER INDEX " + text_.Pick(global_) + " ON " + subject_ + " REBUILD");
        }
        break;
      case 6:
        if (!indexes_.empty() && text_.Percent(30)) Drop();
        break;
      case 7:
        text_.Autocommit(false);
        for (int i = 0; i < 3; ++i) Upsert();
        text_.Percent(75) ? text_.Commit() : text_.Rollback();
        text_.Autocommit(true);
        break;
      case 8:
      case 9:
      case 10:
      case 11: Upsert(); break;
      default: Ask();
    }
  }

  void Drop() {
    const std::string name = indexes_.front();
    // The partial one stays, so that it is known which queries it may answer.
    if (!partial_.empty()) return;
    text_.Statement("DROP INDEX " + name + " ON " + subject_);
    indexes_.erase(indexes_.begin());
    std::erase(global_, name);
  }

  ThemeText& text_;
  std::string table_;
  std::string subject_;  // the table, or the view through which all is written
  bool salted_ = false;
  bool is_view_ = false;
  int made_ = 0;
  std::vector<std::string> indexes_;
  std::vector<std::string> global_;  // of them, covered ones with a table of their own
  std::string partial_;              // the condition of the partial one; empty: there is none
};

}  // namespace

void MakeIndexes(ThemeText* text) { IndexTheme(text).Make(); }

}  // namespace bennu::sql::testing
