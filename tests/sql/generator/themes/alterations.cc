#include <algorithm>

#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

class AlterationTheme {
 public:
  explicit AlterationTheme(ThemeText* text) : text_(*text) {}

  void Make() {
    table_ = text_.Name("E");
    salted_ = text_.Percent(30);
    immutable_ = text_.Percent(40);
    std::string options;
    if (salted_) options += " SALT_BUCKETS=2";
    if (text_.Percent(50)) {
      options += std::string(options.empty() ? " " : ", ") +
                 "COLUMN_ENCODED_BYTES=" + text_.Pick({"NONE", "1", "2", "3", "4"});
    }
    if (immutable_ && (options.find("NONE") != std::string::npos || text_.Percent(40))) {
      options += std::string(options.empty() ? " " : ", ") +
                 "IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN";
    }
    key_ = text_.Pick({"VARCHAR NOT NULL", "INTEGER NOT NULL", "VARCHAR", "DECIMAL"});
    // Z stays: Phoenix loses rows when the first family does.
    text_.Statement(fmt::format(
        "CREATE {}TABLE {} (K INTEGER NOT NULL, L {}, Z INTEGER, A VARCHAR, F.B INTEGER, "
        "CONSTRAINT PK "
        "PRIMARY "
        "KEY (K, L{})){}",
        immutable_ ? "IMMUTABLE " : "", table_, key_, text_.Percent(30) ? " DESC" : "", options));
    columns_ = {"A VARCHAR", "B INTEGER"};
    if (text_.Percent(50)) View();
    for (int i = 0; i < 14; ++i) Step();
    text_.Cells(table_);
    text_.Query("SELECT * FROM " + table_, !salted_);
    if (!view_.empty()) {
      text_.Query("SELECT * FROM " + view_, !salted_);
      text_.Statement("DROP TABLE " + table_);
      text_.Statement("DROP TABLE " + table_ + " CASCADE");
      text_.Query("SELECT * FROM " + view_, !salted_);
    }
  }

 private:
  void View() {
    view_ = text_.Name("EV");
    text_.Statement(fmt::format("CREATE VIEW {} (X INTEGER, Y VARCHAR) AS SELECT * FROM {}{}",
                                view_, table_, text_.Percent(50) ? " WHERE K > 1" : ""));
  }

  static std::string NameOf(const std::string& column) {
    const std::string name = column.substr(0, column.find(' '));
    return name.substr(name.find('.') + 1);
  }

  std::string ValueOf(const std::string& column) {
    if (text_.Percent(15)) return "NULL";
    if (column.find("VARCHAR") != std::string::npos || column.find("CHAR") != std::string::npos) {
      if (column.find("ARRAY") != std::string::npos) return "ARRAY['p', 'q']";
      return text_.Pick({"'a'", "'bc'", "'d'"});
    }
    if (column.find("DATE") != std::string::npos) return "DATE '2020-03-04'";
    return text_.Pick({"1", "2", "30"});
  }

  void Upsert() {
    std::string names = "K, L";
    std::string values = std::to_string(next_++ % 9) + ", " +
                         (key_[0] == 'V' ? text_.Pick({"'p'", "'q'"}) : text_.Pick({"5", "6"}));
    for (size_t i = 0; i < more_keys_.size(); ++i) {
      if (text_.Percent(40)) continue;
      names += ", " + NameOf(more_keys_[i]);
      values += ", " + ValueOf(more_keys_[i]);
    }
    for (const std::string& column : columns_) {
      if (text_.Percent(30)) continue;
      names += ", " + NameOf(column);
      values += ", " + ValueOf(column);
    }
    const bool view = !view_.empty() && text_.Percent(25);
    if (view && text_.Percent(50)) {
      names += ", X";
      values += ", 77";
    }
    text_.Statement("UPSERT INTO " + (view ? view_ : table_) + " (" + names + ") VALUES (" +
                    values + ")");
  }

  void Add() {
    const bool exists = text_.Percent(20);
    const std::string what = text_.Pick({"TABLE ", "TABLE ", "TABLE "}) + table_ + " ADD " +
                             (exists ? "IF NOT EXISTS " : "");
    if (text_.Percent(15)) {
      // Behind the key.
      const std::string column =
          fmt::format("N{} {}", more_keys_.size(), text_.Pick({"VARCHAR", "INTEGER", "DECIMAL"}));
      text_.Statement("ALTER " + what + column + " PRIMARY KEY");
      // A fixed width is refused where it may be NULL and the one before ends the key.
      if (column.find("INTEGER") == std::string::npos) more_keys_.push_back(column);
      return;
    }
    std::string list = text_.Several(1, 2, ", ", [&] {
      const std::string column = text_.Pick({"C", "D", "F.C2", "G.H", "A", "E"}) + " " +
                                 text_.Pick({"VARCHAR", "INTEGER", "BIGINT", "CHAR(3)", "DATE",
                                             "VARCHAR ARRAY", "DECIMAL(5,1)"});
      const bool there =
          std::any_of(columns_.begin(), columns_.end(),
                      [&](const std::string& each) { return NameOf(each) == NameOf(column); });
      if (!there) columns_.push_back(column);
      return column + (text_.Percent(15) && column.find("VARCHAR") == std::string::npos &&
                               column.find("INT") != std::string::npos
                           ? " DEFAULT 7"
                           : "");
    });
    text_.Statement("ALTER " + what + list);
  }

  void Drop() {
    const std::string name = NameOf(text_.choices()->Pick(columns_));
    const bool exists = text_.Percent(20);
    text_.Statement("ALTER TABLE " + table_ + " DROP COLUMN " + (exists ? "IF EXISTS " : "") +
                    name);
    columns_.erase(std::remove_if(columns_.begin(), columns_.end(),
                                  [&](const std::string& each) { return NameOf(each) == name; }),
                   columns_.end());
    if (columns_.empty()) columns_.emplace_back("A VARCHAR");
  }

  void Step() {
    for (int i = 0; i < 2; ++i) Upsert();
    switch (text_.choices()->Below(8)) {
      case 0:
      case 1:
      case 2: Add(); break;
      case 3:
      case 4: Drop(); break;
      case 5:
        if (!view_.empty()) {
          text_.Statement(
              "ALTER VIEW " + view_ +
              text_.Pick({" ADD W VARCHAR", " DROP COLUMN Y", " DROP COLUMN A", " ADD C INTEGER"}));
        }
        break;
      case 6:
        text_.Statement(
            "ALTER TABLE " + table_ + " SET " +
            text_.Pick({"IMMUTABLE_ROWS=true", "IMMUTABLE_ROWS=false", "TTL=1000", "VERSIONS=3",
                        "F.VERSIONS=2", "UPDATE_CACHE_FREQUENCY=10", "SALT_BUCKETS=4",
                        "COLUMN_ENCODED_BYTES=1", "STORE_NULLS=true"}));
        break;
      default:
        text_.Statement("DELETE FROM " + table_ +
                        " WHERE K = " + std::to_string(text_.Between(0, 8)));
    }
    const std::string from = !view_.empty() && text_.Percent(30) ? view_ : table_;
    switch (text_.choices()->Below(4)) {
      case 0: text_.Query("SELECT COUNT(*) FROM " + from, true); break;
      case 1:
        text_.Query("SELECT K, " + NameOf(text_.choices()->Pick(columns_)) + " FROM " + from +
                        " WHERE " + NameOf(text_.choices()->Pick(columns_)) +
                        text_.Pick({" IS NULL", " IS NOT NULL"}),
                    !salted_);
        break;
      default: text_.Query("SELECT * FROM " + from, !salted_);
    }
    if (text_.Percent(25)) text_.Cells(table_);
  }

  ThemeText& text_;
  std::string table_;
  std::string view_;
  std::string key_;
  std::vector<std::string> columns_;
  std::vector<std::string> more_keys_;
  bool salted_ = false;
  bool immutable_ = false;
  int next_ = 0;
};

}  // namespace

void MakeAlterations(ThemeText* text) { AlterationTheme(text).Make(); }

}  // namespace bennu::sql::testing
