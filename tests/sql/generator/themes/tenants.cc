#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class TenantTheme {
 public:
  explicit TenantTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    Define();
    Fill();
    for (int i = 0; i < 6; ++i) Ask(text_.Pick({"main", "one", "two"}), table_);
    Views();
    for (int i = 0; i < 8; ++i) Ask(text_.Pick({"one", "two"}), text_.Percent(70) ? view_ : table_);
    Change();
    text_.Connection("main");
    text_.Cells(table_);
    text_.Query("SELECT * FROM " + table_, !salted_);
  }

 private:
  void Define() {
    table_ = text_.Name("M");
    view_ = text_.Name("MV");
    kind_ = text_.Pick({"VARCHAR", "CHAR(3)", "VARCHAR", "INTEGER", "UNSIGNED_LONG", "BIGINT",
                        "VARCHAR(10)", "SMALLINT", "DECIMAL"});
    whole_ = kind_[0] != 'V' && kind_[0] != 'C';
    key_ = text_.Pick({"INTEGER", "VARCHAR", "DATE", "UNSIGNED_INT"});
    salted_ = text_.Percent(30);
    const std::string descending = text_.Percent(30) ? " DESC" : "";
    std::string options = " MULTI_TENANT=true";
    if (salted_) options += ", SALT_BUCKETS=3";
    if (text_.Percent(30)) options += ", COLUMN_ENCODED_BYTES=NONE";
    immutable_ = text_.Percent(20);
    text_.Statement(fmt::format(
        "CREATE {}TABLE {} (T {} NOT NULL, K {} NOT NULL, L INTEGER NOT NULL, A VARCHAR, {}B "
        "INTEGER, CONSTRAINT PK PRIMARY KEY (T, K{}, L)){}",
        immutable_ ? "IMMUTABLE " : "", table_, kind_, key_, text_.Percent(25) ? "F." : "",
        descending, options));
    text_.Connection("one", "TenantId=" + Id(0));
    text_.Connection("two", "TenantId=" + Id(1));
  }

  std::string Id(int which) const {
    if (whole_) return which == 0 ? "7" : "12";
    return which == 0 ? "a" : "ab";
  }
  std::string IdText(int which) const { return whole_ ? Id(which) : "'" + Id(which) + "'"; }

  std::string Key() {
    if (key_ == "VARCHAR") return text_.Pick({"'p'", "'pq'", "'r'"});
    if (key_ == "DATE") return text_.Pick({"DATE '2020-01-01'", "DATE '1999-05-06 07:08:09'"});
    return text_.Pick({"1", "2", "30"});
  }
  std::string Values() {
    return fmt::format("{}, {}, {}, {}", Key(), Number(),
                       text_.Pick({"'x'", "'y'", "'zz'", "NULL"}),
                       text_.Pick({"1", "2", "3", "NULL"}));
  }
  std::string Number() { return std::to_string(text_.Between(0, 4)); }

  void Fill() {
    text_.Connection("main");
    for (int i = 0; i < 5; ++i) {
      text_.Statement("UPSERT INTO " + table_ + " VALUES (" + IdText(i % 2) + ", " + Values() +
                      ")");
    }
    for (const char* who : {"one", "two"}) {
      text_.Connection(who);
      for (int i = 0; i < 4; ++i) {
        text_.Statement("UPSERT INTO " + table_ + " VALUES (" + Values() + ")");
      }
    }
    // What a tenant may not name.
    if (text_.Percent(20)) text_.Query("SELECT T FROM " + table_, false);
    text_.Connection("main");
    text_.Cells(table_);
  }

  std::string Condition(bool tenant) {
    switch (text_.choices()->Below(tenant ? 6 : 8)) {
      case 0: return "K = " + Key();
      case 1: return "K " + text_.Pick({"<", ">=", "<>"}) + " " + Key();
      case 2: return "L IN (" + Number() + ", " + Number() + ")";
      case 3: return "B > " + Number();
      case 4: return "A LIKE '%" + text_.Pick({"x", "z", ""}) + "'";
      case 5: return "(K, L) >= (" + Key() + ", " + Number() + ")";
      case 6: return "T = " + IdText(static_cast<int>(text_.Between(0, 1)));
      default: return "T > " + IdText(0) + " AND L = " + Number();
    }
  }

  void Ask(const std::string& who, const std::string& table) {
    const bool tenant = who != "main";
    text_.Connection(who);
    const std::string where =
        text_.Percent(80)
            ? " WHERE " + text_.Several(1, 2, " AND ", [&] { return Condition(tenant); })
            : "";
    switch (text_.choices()->Below(6)) {
      case 0: text_.Query("SELECT COUNT(*), MAX(K), SUM(B) FROM " + table + where, true); break;
      case 1: text_.Query("SELECT L, COUNT(*) FROM " + table + where + " GROUP BY L", false); break;
      case 2:
        text_.Query("SELECT * FROM " + table + where + " ORDER BY L DESC, K" +
                        (tenant ? "" : ", T") + " LIMIT 3",
                    true);
        break;
      case 3:
        text_.Query(
            fmt::format("SELECT X.K, Y.L, Y.A FROM {0} X JOIN {0} Y ON X.L = Y.L WHERE X.B > 1",
                        table),
            false);
        break;
      case 4: text_.Query("SELECT DISTINCT K FROM " + table + where, false); break;
      default: text_.Query("SELECT * FROM " + table + where, !salted_);
    }
  }

  void Views() {
    for (const char* who : {"one", "two"}) {
      text_.Connection(who);
      const bool adds = text_.Percent(60);
      const bool narrows = text_.Percent(50);
      text_.Statement(fmt::format("CREATE VIEW {}{} AS SELECT * FROM {}{}", view_,
                                  adds ? " (X INTEGER, Y VARCHAR)" : "", table_,
                                  narrows ? " WHERE L = 2" : ""));
      for (int i = 0; i < 4; ++i) {
        text_.Statement(fmt::format("UPSERT INTO {} (K, {}A, B{}) VALUES ({}, {}{}, {}{})", view_,
                                    narrows ? "" : "L, ", adds ? ", X" : "", Key(),
                                    narrows ? "" : Number() + ", ", text_.Pick({"'v'", "'w'"}),
                                    Number(), adds ? ", " + Number() : ""));
      }
      text_.Query("SELECT * FROM " + view_, !salted_);
      if (text_.Percent(40)) {
        text_.Statement("ALTER VIEW " + view_ + " ADD W VARCHAR");
        text_.Query("SELECT * FROM " + view_, !salted_);
      }
    }
  }

  void Change() {
    text_.Connection("one");
    if (!immutable_) {
      text_.Statement("UPSERT INTO " + view_ + " (K, L, B) SELECT K, L, B + 10 FROM " + view_ +
                      " WHERE " + Condition(true));
    }
    text_.Statement("DELETE FROM " + (text_.Percent(50) ? view_ : table_) + " WHERE " +
                    Condition(true));
    text_.Connection("two");
    text_.Statement("DELETE FROM " + table_ + " WHERE " + Condition(true));
    text_.Query("SELECT * FROM " + table_, !salted_);
    text_.Statement("DROP TABLE " + table_);
    text_.Statement("DROP VIEW " + view_);
    text_.Query("SELECT * FROM " + view_, !salted_);
  }

  ThemeText& text_;
  std::string table_;
  std::string view_;
  std::string kind_;
  std::string key_;
  bool whole_ = false;
  bool salted_ = false;
  bool immutable_ = false;
};

}  // namespace

void MakeTenants(ThemeText* text) { TenantTheme(text).Make(); }

}  // namespace bennu::sql::testing
