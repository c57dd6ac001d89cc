#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class MomentTheme {
 public:
  explicit MomentTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("W");
    text_.Statement(fmt::format(
        "CREATE TABLE {} (K {} NOT NULL, N INTEGER NOT NULL, D DATE, T TIME, S TIMESTAMP, UD "
        "UNSIGNED_DATE, US UNSIGNED_TIMESTAMP, Z VARCHAR, CONSTRAINT PK PRIMARY KEY (K{}, N))",
        table_, text_.Pick({"DATE", "TIMESTAMP", "TIME"}), text_.Percent(40) ? " DESC" : ""));
    for (int i = 1; i < 9; ++i) Upsert(i);
    text_.Query("SELECT * FROM " + table_, true);
    text_.Cells(table_);
    for (int i = 0; i < 34; ++i) Ask();
  }

 private:
  std::string Day() {
    return text_.Pick({"2020-02-29 23:59:59.999", "1999-12-31", "2020-03-29 01:30:00",
                       "2021-10-31 02:30:00", "1970-01-01", "2024-07-04 12:34:56.789", "2000-01-03",
                       "2016-12-31 23:00:00", "2038-01-19 03:14:08", "1969-12-31 23:59:59.5",
                       "1900-01-01", "2020-11-01 06:30:00"});
  }
  std::string Late() {
    return text_.Pick(
        {"2020-02-29 23:59:59.999", "1999-12-31", "2020-03-29 01:30:00", "1970-01-02"});
  }
  std::string Zone() {
    return text_.Pick({"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata",
                       "Australia/Lord_Howe", "GMT+5", "EST", "Pacific/Auckland", "+02:00",
                       "nowhere"});
  }

  void Upsert(int key) {
    text_.Statement(
        fmt::format("UPSERT INTO {} VALUES (DATE '{}', {}, DATE '{}', TIME '{}', TIMESTAMP '{}', "
                    "DATE '{}', TIMESTAMP "
                    "'{}', '{}')",
                    table_, Day(), key, Day(), Day(), Day(), Late(), Late(), Zone()));
  }

  std::string Column() { return text_.Pick({"K", "D", "T", "S", "UD", "US", "D", "S"}); }

  std::string Time(int depth) {
    if (depth == 0) return Column();
    switch (text_.choices()->Below(12)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("{}({}, '{}'{})", text_.Pick({"FLOOR", "CEIL", "ROUND", "TRUNC"}),
                           Time(depth - 1),
                           text_.Pick({"SECOND", "MINUTE", "HOUR", "DAY", "WEEK", "MONTH", "YEAR",
                                       "MILLISECOND", "second"}),
                           text_.Percent(30) ? ", " + text_.Pick({"2", "5", "15", "10", "3"}) : "");
      case 3:
        return fmt::format("{} {} {}", Time(depth - 1), text_.Pick({"+", "-"}),
                           text_.Pick({"1", "0.5", "30", "1.000001", "-1", "365.25"}));
      case 4:
        return fmt::format("CAST({} AS {})", Time(depth - 1),
                           text_.Pick({"DATE", "TIMESTAMP", "TIME", "UNSIGNED_DATE"}));
      case 5:
        return fmt::format("CONVERT_TZ({}, '{}', '{}')", text_.Pick({"D", "UD", "T", "S"}), Zone(),
                           Zone());
      case 6:
        return fmt::format(
            "TO_DATE('{}'{})", text_.Pick({"2020-05-06", "2020-05-06 07:08:09", "20200506"}),
            text_.Pick({"", ", 'yyyy-MM-dd'", ", 'yyyy-MM-dd', '" + Zone() + "'", ", 'yyyyMMdd'"}));
      case 7:
        return fmt::format(
            "TO_TIMESTAMP('{}'{})",
            text_.Pick({"2020-05-06 07:08:09.123", "06/05/2020 7:08 PM", "2020-05-06"}),
            text_.Pick({"", ", 'dd/MM/yyyy h:mm a'", ", 'yyyy-MM-dd', '" + Zone() + "'"}));
      case 8:
        return "TO_TIME('" +
               text_.Pick({"2020-05-06 07:08:09", "07:08:09", "1970-01-01 00:00:01"}) + "'" +
               text_.Pick({"", ", 'HH:mm:ss'"}) + ")";
      case 9: return "COALESCE(" + Time(depth - 1) + ", " + Time(0) + ")";
      default: return Time(depth - 1);
    }
  }

  std::string Item() {
    switch (text_.choices()->Below(8)) {
      case 0:
      case 1:
        return text_.Pick({"YEAR(", "MONTH(", "DAYOFMONTH(", "HOUR(", "MINUTE(", "SECOND(", "WEEK(",
                           "DAYOFYEAR(", "DAYOFWEEK("}) +
               Time(1) + ")";
      case 2:
      case 3:
        return fmt::format(
            "TO_CHAR({}, '{}')", Time(1),
            text_.Pick({"yyyy-MM-dd", "EEE, d MMM yy", "HH:mm:ss.SSS", "D F W w", "hh a K k",
                        "yyyy-MM-dd''T''HH:mm:ssX", "G yyyy", "MMMM dd", "Y-ww-u", "z Z XXX"}));
      case 4: return "TO_CHAR(" + Time(1) + ")";
      case 5:
        return fmt::format("TIMEZONE_OFFSET({}, {})", text_.Percent(40) ? "Z" : "'" + Zone() + "'",
                           text_.Pick({"D", "UD", "S"}));
      case 6: return fmt::format("({} - {})", Column(), Column());
      default: return Time(2);
    }
  }

  std::string Condition() {
    const std::string op = text_.Pick({"=", "<", ">", "<=", ">=", "<>"});
    switch (text_.choices()->Below(6)) {
      case 0: return fmt::format("K {} DATE '{}'", op, Day());
      case 1: return fmt::format("K {} TO_DATE('{}')", op, Day());
      case 2:
        return fmt::format(
            "{}(K, '{}') {} DATE '{}'", text_.Pick({"FLOOR", "TRUNC", "CEIL", "ROUND"}),
            text_.Pick({"DAY", "MONTH", "YEAR", "HOUR"}), op,
            text_.Pick({"2020-01-01", "1999-12-31", "2020-02-29", "2024-07-04 12:00:00"}));
      case 3: return fmt::format("{} {} {}", Time(1), op, Column());
      case 4: return fmt::format("K IN (DATE '{}', TIMESTAMP '{}')", Day(), Day());
      default: return fmt::format("{} {} TIMESTAMP '{}'", Column(), op, Day());
    }
  }

  void Ask() {
    if (text_.Percent(15)) {
      const std::string group =
          fmt::format("TRUNC({}, '{}')", Column(), text_.Pick({"DAY", "YEAR", "MONTH"}));
      text_.Query(fmt::format("SELECT {0}, COUNT(*), MIN({1}) FROM {2} GROUP BY {0}", group,
                              Column(), table_),
                  false);
    } else if (text_.Percent(40)) {
      text_.Query("SELECT * FROM " + table_ + " WHERE " + Condition(), true);
    } else {
      text_.Query("SELECT " + text_.Several(1, 3, ", ", [&] { return Item(); }) + " FROM " + table_,
                  true);
    }
  }

  ThemeText& text_;
  std::string table_;
};

}  // namespace

void MakeMoments(ThemeText* text) { MomentTheme(text).Make(); }

}  // namespace bennu::sql::testing
