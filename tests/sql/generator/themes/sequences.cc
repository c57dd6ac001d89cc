#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class SequenceTheme {
 public:
  explicit SequenceTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("Q");
    text_.Statement("CREATE TABLE " + table_ + " (K BIGINT PRIMARY KEY, A BIGINT, B VARCHAR)" +
                    (text_.Percent(30) ? " SALT_BUCKETS=3" : ""));
    for (const char* name : {"S1", "S2", "S3"}) {
      names_.push_back(text_.Name(name));
      Define(names_.back());
    }
    for (int i = 0; i < 24; ++i) Step();
    text_.Query("SELECT * FROM " + table_ + " ORDER BY K", true);
    text_.Cells(table_);
    for (const std::string& name : names_) text_.Statement("DROP SEQUENCE " + name);
    text_.Query("SELECT NEXT VALUE FOR " + names_[0], true);
    text_.Statement("DROP SEQUENCE IF EXISTS " + names_[0]);
  }

 private:
  const std::string& Any() { return text_.choices()->Pick(names_); }

  void Define(const std::string& name) {
    std::string sql = "CREATE SEQUENCE " + name;
    if (text_.Percent(50)) sql += " START WITH " + text_.Pick({"1", "10", "-3", "5", "0"});
    if (text_.Percent(50)) sql += " INCREMENT BY " + text_.Pick({"1", "2", "-1", "5", "-3", "100"});
    if (text_.Percent(35)) sql += " MINVALUE " + text_.Pick({"-3", "0", "1", "-100"});
    if (text_.Percent(45)) sql += " MAXVALUE " + text_.Pick({"12", "20", "100", "10"});
    if (text_.Percent(40)) sql += " CYCLE";
    if (text_.Percent(50)) sql += " CACHE " + text_.Pick({"1", "2", "3", "10", "0"});
    text_.Statement(sql);
    // One that was refused takes nothing away from the rest.
    text_.Statement("CREATE SEQUENCE IF NOT EXISTS " + name + " START WITH 1 INCREMENT BY 1");
  }

  std::string Value() {
    switch (text_.choices()->Below(8)) {
      case 0:
      case 1: return "CURRENT VALUE FOR " + Any();
      case 2: return "NEXT " + text_.Pick({"2", "3", "1", "7"}) + " VALUES FOR " + Any();
      case 3: return "NEXT VALUE FOR " + Any() + text_.Pick({" + 1", " * 2", " || ''"});
      default: return "NEXT VALUE FOR " + Any();
    }
  }

  void Step() {
    const std::string key = std::to_string(text_.Between(1, 40));
    switch (text_.choices()->Below(12)) {
      case 0:
      case 1:
        text_.Statement(fmt::format("UPSERT INTO {} VALUES ({}, {}, {})", table_,
                                    text_.Percent(50) ? "NEXT VALUE FOR " + Any() : key, Value(),
                                    text_.Pick({"'a'", "'b'", "NULL"})));
        break;
      case 2:
        text_.Statement(fmt::format("UPSERT INTO {0} (K, A) SELECT K, {1} FROM {0} WHERE K > {2}",
                                    table_, Value(), key));
        break;
      case 3:
        text_.Statement(fmt::format(
            "UPSERT INTO {0} (K, A) SELECT K, NEXT VALUE FOR {1} FROM {0} ORDER BY K DESC LIMIT 3",
            table_, Any()));
        break;
      case 4:
        text_.Query(fmt::format("SELECT K, {} FROM {} ORDER BY K", Value(), table_), true);
        break;
      case 5:
        text_.Query(
            fmt::format("SELECT {}, {}, K FROM {} ORDER BY K LIMIT 2", Value(), Value(), table_),
            true);
        break;
      case 6:
        text_.Query("SELECT * FROM " + table_ + " WHERE K = CURRENT VALUE FOR " + Any(), true);
        break;
      case 7:
        text_.Query("SELECT NEXT VALUE FOR " + Any() + ", COUNT(*) FROM " + table_, true);
        break;
      case 8: text_.Query("SELECT " + Value() + " FROM " + text_.Name("NONE"), true); break;
      case 9:
        // The names of one schema; the same for all that the test makes of it.
        text_.Query(
            fmt::format(
                "SELECT START_WITH, INCREMENT_BY, MIN_VALUE, MAX_VALUE, CYCLE_FLAG, CACHE_SIZE, "
                "LIMIT_REACHED_FLAG FROM SYSTEM.\"SEQUENCE\" WHERE SEQUENCE_NAME = '{}'",
                Any()),
            true);
        break;
      default: text_.Query("SELECT " + text_.Several(1, 3, ", ", [&] { return Value(); }), true);
    }
  }

  ThemeText& text_;
  std::string table_;
  std::vector<std::string> names_;
};

}  // namespace

void MakeSequences(ThemeText* text) { SequenceTheme(text).Make(); }

}  // namespace bennu::sql::testing
