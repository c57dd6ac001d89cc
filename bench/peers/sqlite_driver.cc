// SQLite from Debian's package: WITHOUT ROWID tables, journal_mode=WAL, synchronous=FULL, a cache
// as large as the data.
#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <variant>

#include "bench/peers/driver.h"

namespace bennu::bench {

namespace {

void Check(sqlite3* db, int code) {
  if (code == SQLITE_OK) return;
  std::cerr << "sqlite: " << sqlite3_errmsg(db) << "\n";
  std::exit(1);
}

sqlite3_stmt* PrepareOn(sqlite3* db, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  Check(db, sqlite3_prepare_v2(db, sql.c_str(), -1, &statement, nullptr));
  return statement;
}

class SqliteStatement : public DrivenStatement {
 public:
  SqliteStatement(sqlite3* db, const std::string& sql, std::string types)
      : db_(db), statement_(PrepareOn(db, sql)), types_(std::move(types)) {}
  ~SqliteStatement() override { sqlite3_finalize(statement_); }

  void Prepare(const std::vector<TextRow>& rows) override {
    values_.clear();
    for (const TextRow& row : rows) {
      for (size_t i = 0; i < types_.size(); ++i) values_.push_back(ValueOf(row[i], types_[i]));
    }
  }

  int64_t Execute(size_t index, int64_t* sum) override {
    for (size_t i = 0; i < types_.size(); ++i) {
      Bind(static_cast<int>(i) + 1, values_[index * types_.size() + i]);
    }
    int64_t rows = 0;
    int code;
    for (; (code = sqlite3_step(statement_)) == SQLITE_ROW; ++rows) {
      if (sqlite3_column_type(statement_, 0) == SQLITE_INTEGER) {
        *sum += sqlite3_column_int64(statement_, 0);
      }
    }
    Check(db_, code == SQLITE_DONE ? SQLITE_OK : code);
    sqlite3_reset(statement_);
    return rows;
  }

 private:
  using Value = std::variant<std::monostate, int64_t, double, std::string>;

  static Value ValueOf(const std::string& text, char type) {
    if (text.empty()) return {};
    if (type == 'i' || type == 't') return static_cast<int64_t>(std::stoll(text));
    if (type == 'd') return std::stod(text);
    return text;
  }

  void Bind(int index, const Value& value) {
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      sqlite3_bind_int64(statement_, index, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      sqlite3_bind_double(statement_, index, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      sqlite3_bind_text(statement_, index, text->data(), static_cast<int>(text->size()),
                        SQLITE_TRANSIENT);
    } else {
      sqlite3_bind_null(statement_, index);
    }
  }

  sqlite3* const db_;
  sqlite3_stmt* const statement_;
  const std::string types_;
  std::vector<Value> values_;
};

class SqliteDriver : public Driver {
 public:
  explicit SqliteDriver(const std::string& directory) {
    std::filesystem::create_directories(directory);
    Check(db_, sqlite3_open((directory + "/bench.db").c_str(), &db_));
    Execute("PRAGMA journal_mode=WAL");
    Execute("PRAGMA synchronous=FULL");
    Execute("PRAGMA cache_size=-2097152");
  }
  ~SqliteDriver() override { sqlite3_close(db_); }

  void Execute(const std::string& sql) override {
    Check(db_, sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr));
  }
  void Begin() override { Execute("BEGIN"); }
  void Commit() override {
    Execute("COMMIT");
    Execute("BEGIN");
  }
  void End() override { Execute("COMMIT"); }
  void Settle() override {
    Execute("PRAGMA wal_checkpoint(TRUNCATE)");
    Execute("ANALYZE");
  }

  std::unique_ptr<DrivenStatement> Prepare(const std::string& sql,
                                           const std::string& types) override {
    return std::make_unique<SqliteStatement>(db_, sql, types);
  }

  int64_t Query(const std::string& sql, const std::function<void(const TextRow&)>& write) override {
    sqlite3_stmt* const statement = PrepareOn(db_, sql);
    const int columns = sqlite3_column_count(statement);
    TextRow row(static_cast<size_t>(columns));
    int64_t rows = 0;
    int code;
    for (; (code = sqlite3_step(statement)) == SQLITE_ROW; ++rows) {
      for (int i = 0; i < columns; ++i) {
        const std::string value = Fetch(statement, i, write != nullptr);
        if (write) row[static_cast<size_t>(i)] = value;
      }
      if (write) write(row);
    }
    Check(db_, code == SQLITE_DONE ? SQLITE_OK : code);
    sqlite3_finalize(statement);
    return rows;
  }

 private:
  // Reads the value in its own type; as text only if wanted.
  static std::string Fetch(sqlite3_stmt* statement, int column, bool as_text) {
    switch (sqlite3_column_type(statement, column)) {
      case SQLITE_INTEGER: {
        const int64_t value = sqlite3_column_int64(statement, column);
        return as_text ? fmt::format("{}", value) : std::string();
      }
      case SQLITE_FLOAT: {
        const double value = sqlite3_column_double(statement, column);
        return as_text ? fmt::format("{}", value) : std::string();
      }
      case SQLITE_NULL: return {};
      default: return reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
    }
  }

  sqlite3* db_ = nullptr;
};

}  // namespace

std::unique_ptr<Driver> DriveSqlite(const std::string& directory) {
  return std::make_unique<SqliteDriver>(directory);
}

}  // namespace bennu::bench
