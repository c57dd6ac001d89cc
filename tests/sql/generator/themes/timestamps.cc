#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

// Moments as the types of a ROW_TIMESTAMP column write them; all are later than nothing that the
// system made by itself, so that the tables are made at CurrentSCN 1000 too where it is used.
struct Moment {
  const char* date;
  const char* timestamp;
  const char* number;
};

constexpr Moment kMoments[] = {
    {"DATE '2020-01-01 00:00:00'", "TIMESTAMP '2020-01-01 00:00:00'", "1577836800000"},
    {"DATE '2020-01-01 00:00:00.001'", "TIMESTAMP '2020-01-01 00:00:00.001'", "1577836800001"},
    {"DATE '2020-01-02 12:30:00'", "TIMESTAMP '2020-01-02 12:30:00'", "1577968200000"},
    {"DATE '2021-06-05 04:03:02'", "TIMESTAMP '2021-06-05 04:03:02'", "1622865782000"},
    {"DATE '1971-01-01 00:00:00'", "TIMESTAMP '1971-01-01 00:00:00'", "31536000000"},
};

class TimestampTheme {
 public:
  explicit TimestampTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    if (text_.Percent(35)) return Versions();
    Define();
    for (int i = 0; i < 12; ++i) Upsert();
    text_.TimedCells(table_);
    for (int i = 0; i < 16; ++i) Ask();
    Copy();
    text_.Statement("DELETE FROM " + table_ + " WHERE " + Condition());
    text_.Query("SELECT * FROM " + table_, !salted_);
  }

 private:
  std::string Time() {
    const Moment& moment = kMoments[text_.choices()->Below(std::size(kMoments))];
    if (type_ == "DATE" || type_ == "TIME") return moment.date;
    return type_ == "TIMESTAMP" ? moment.timestamp : moment.number;
  }

  void Define() {
    table_ = text_.Name("R");
    type_ = text_.Pick({"DATE", "TIMESTAMP", "BIGINT", "TIME", "DATE"});
    descending_ = text_.Percent(30);
    salted_ = text_.Percent(30);
    const std::string time = std::string("TS") + (descending_ ? " DESC" : "") + " ROW_TIMESTAMP";
    std::string options;
    if (salted_) options += " SALT_BUCKETS=3";
    if (text_.Percent(30)) options += std::string(salted_ ? ", " : " ") + "VERSIONS=3";
    text_.Statement(
        fmt::format("CREATE {}TABLE {} (K VARCHAR NOT NULL, TS {} NOT NULL, A INTEGER, B "
                    "VARCHAR, CONSTRAINT PK PRIMARY KEY ({})){}",
                    text_.Percent(25) ? "IMMUTABLE " : "", table_, type_,
                    text_.Percent(50) ? "K, " + time : time + ", K", options));
  }

  std::string Key() { return text_.Pick({"'a'", "'b'", "'c'", "'ab'"}); }

  void Upsert() {
    text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {}, {})", table_, Key(), Time(),
                                text_.Pick({"1", "2", "NULL"}),
                                text_.Pick({"'x'", "'y'", "NULL"})));
  }

  std::string Condition() {
    switch (text_.choices()->Below(7)) {
      case 0: return "TS = " + Time();
      case 1: return "TS " + text_.Pick({"<", ">", "<=", ">=", "<>"}) + " " + Time();
      case 2: return "TS BETWEEN " + Time() + " AND " + Time();
      case 3: return "TS IN (" + Time() + ", " + Time() + ")";
      case 4: return "(K, TS) > (" + Key() + ", " + Time() + ")";
      case 5: return "K = " + Key() + " AND TS >= " + Time();
      default: return "(TS < " + Time() + " OR A = 1)";
    }
  }

  void Ask() {
    const std::string where = " WHERE " + text_.Several(1, 2, " AND ", [&] { return Condition(); });
    switch (text_.choices()->Below(5)) {
      case 0: text_.Query("SELECT COUNT(*), MIN(TS), MAX(TS) FROM " + table_ + where, true); break;
      case 1:
        text_.Query("SELECT TS, COUNT(*) FROM " + table_ + where + " GROUP BY TS", false);
        break;
      case 2:
        text_.Query("SELECT * FROM " + table_ + where + " ORDER BY TS DESC, K LIMIT 4", true);
        break;
      case 3:
        text_.Query("SELECT K, PHOENIX_ROW_TIMESTAMP() FROM " + table_ + where, !salted_);
        break;
      default: text_.Query("SELECT * FROM " + table_ + where, !salted_);
    }
  }

  // Both ways: with the times of the rows that it reads, and with those of its values.
  void Copy() {
    const std::string copy = text_.Name("RC");
    text_.Statement(
        fmt::format("CREATE TABLE {} (K VARCHAR NOT NULL, TS {} NOT NULL, A INTEGER, "
                    "CONSTRAINT PK PRIMARY KEY (K, TS ROW_TIMESTAMP))",
                    copy, type_));
    text_.Statement(fmt::format("UPSERT INTO {} (K, TS, A) SELECT K, TS, A FROM {}", copy, table_));
    text_.TimedCells(copy);
    text_.Query("SELECT * FROM " + copy, true);
    if (type_ == "DATE" || type_ == "TIMESTAMP") {
      text_.Statement(fmt::format("UPSERT INTO {0} (K, TS, A) SELECT K, TS + 1, A FROM {0}", copy));
      text_.TimedCells(copy);
    }
  }

  // Versions by CurrentSCN: the past as it was.
  void Versions() {
    table_ = text_.Name("RV");
    const bool encoded = text_.Percent(50);
    text_.Connection("t10", "CurrentSCN=10");
    text_.Statement(
        fmt::format("CREATE TABLE {} (K INTEGER PRIMARY KEY, A VARCHAR, B INTEGER) VERSIONS={}{}",
                    table_, text_.Pick({"1", "5"}), encoded ? "" : ", COLUMN_ENCODED_BYTES=NONE"));
    bool altered = false;
    for (const char* time : {"20", "30", "40", "50"}) {
      text_.Connection(std::string("t") + time, std::string("CurrentSCN=") + time);
      for (int i = 0; i < 4; ++i) {
        const int64_t key = text_.Between(1, 5);
        if (text_.Percent(20)) {
          text_.Statement(fmt::format("DELETE FROM {} WHERE K = {}", table_, key));
        } else {
          text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {})", table_, key,
                                      text_.Pick({"'a'", "'b'", "NULL"}), text_.Between(1, 9)));
        }
      }
      if (text_.Percent(40)) {
        text_.Statement(
            fmt::format("UPSERT INTO {0} (K, B) SELECT K, B + 1 FROM {0} WHERE B > 4", table_));
      }
      if (std::string(time) == "30" && text_.Percent(40)) {
        text_.Statement("ALTER TABLE " + table_ + " ADD C INTEGER");
        altered = true;
      }
    }
    text_.Connection("main");
    // Phoenix flushes a table that it alters, and with that drops what delete markers hide.
    if (!altered) text_.TimedCells(table_);
    for (const char* time : {"11", "20", "21", "31", "41", "51", "9", "1000"}) {
      text_.Connection(std::string("r") + time, std::string("CurrentSCN=") + time);
      text_.Query("SELECT * FROM " + table_, true);
      text_.Query("SELECT COUNT(*), SUM(B) FROM " + table_ + " WHERE K > 1", true);
    }
    text_.Connection("main");
    text_.Query("SELECT K, A, B FROM " + table_, true);
    text_.Query("SELECT COUNT(*) FROM " + table_, true);
  }

  ThemeText& text_;
  std::string table_;
  std::string type_;
  bool descending_ = false;
  bool salted_ = false;
};

}  // namespace

void MakeTimestamps(ThemeText* text) { TimestampTheme(text).Make(); }

}  // namespace bennu::sql::testing
