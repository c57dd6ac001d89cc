// SQLite from Debian's package: the same key, WITHOUT ROWID, journal_mode=WAL, synchronous=FULL.
#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench/macro/system_under_test.h"

namespace bennu::bench {

namespace {

class SqliteSystem : public SystemUnderTest {
 public:
  explicit SqliteSystem(const std::string& directory) {
    std::filesystem::create_directories(directory);
    Check(sqlite3_open((directory + "/bench.db").c_str(), &db_));
    Execute("PRAGMA journal_mode=WAL");
    Execute("PRAGMA synchronous=FULL");
    Execute("PRAGMA cache_size=-262144");
  }
  ~SqliteSystem() override {
    sqlite3_finalize(look_up_);
    sqlite3_close(db_);
  }
  std::string name() const override { return "sqlite"; }

  void CreateTables() override {
    CreateTable("T");
    Execute(
        "CREATE TABLE S (AT INTEGER NOT NULL, ID INTEGER NOT NULL, V INTEGER, "
        "PRIMARY KEY (AT, ID)) WITHOUT ROWID");
  }

  void LoadRows(int64_t begin, int64_t end) override { LoadInto("T", begin, end); }
  // Of a table without rows of their own every index has the key.
  bool HasKind(IndexKind kind) const override { return kind != IndexKind::kLocal; }
  void CreateIndex(IndexKind kind) override {
    Execute(kind == IndexKind::kCovered ? "CREATE INDEX T_V ON T (V, G)"
                                        : "CREATE INDEX T_V ON T (V)");
  }
  void DropIndex() override { Execute("DROP INDEX T_V"); }
  void LoadIndexed(int64_t end) override {
    CreateTable("TX");
    Execute("CREATE INDEX TX_V ON TX (V, G)");
    LoadInto("TX", 0, end);
  }
  int64_t LookUpByIndex(int64_t count) override {
    sqlite3_stmt* look_up = Prepare("SELECT G FROM T WHERE V = ?");
    int64_t sum = 0;
    for (int64_t n = 0; n < count; ++n) {
      sqlite3_bind_int64(look_up, 1, MakeRow(n).v);
      while (sqlite3_step(look_up) == SQLITE_ROW) sum += sqlite3_column_int64(look_up, 0);
      sqlite3_reset(look_up);
    }
    sqlite3_finalize(look_up);
    return sum;
  }

  void LoadUnique(int64_t end) override {
    Execute("CREATE TABLE U (ID INTEGER PRIMARY KEY, P INTEGER, Q INTEGER, G INTEGER)");
    Execute("CREATE INDEX U_P ON U (P, G)");
    Execute("CREATE INDEX U_Q ON U (Q)");
    sqlite3_stmt* insert = Prepare("INSERT OR REPLACE INTO U VALUES (?, ?, ?, ?)");
    Execute("BEGIN");
    for (int64_t i = 0; i < end; ++i) {
      const UniqueRow row = MakeUniqueRow(i);
      sqlite3_bind_int64(insert, 1, row.id);
      sqlite3_bind_int64(insert, 2, row.p);
      sqlite3_bind_int64(insert, 3, row.q);
      sqlite3_bind_int64(insert, 4, row.g);
      Step(insert);
      if ((i + 1) % kRowsPerBatch == 0) NewTransaction();
    }
    Execute("COMMIT");
    sqlite3_finalize(insert);
    Settle();
  }

  void LookUpOne(OneRowBy way, int64_t end, int64_t count) override {
    sqlite3_stmt* look_up =
        Prepare(way == OneRowBy::kKey            ? "SELECT G FROM U WHERE ID = ?"
                : way == OneRowBy::kCoveredIndex ? "SELECT G FROM U WHERE P = ?"
                                                 : "SELECT G FROM U WHERE Q = ?");
    for (int64_t n = 0; n < count; ++n) {
      const UniqueRow row = MakeUniqueRow(
          static_cast<int64_t>(Mix(static_cast<uint64_t>(n)) % static_cast<uint64_t>(end)));
      sqlite3_bind_int64(look_up, 1,
                         way == OneRowBy::kKey            ? row.id
                         : way == OneRowBy::kCoveredIndex ? row.p
                                                          : row.q);
      if (sqlite3_step(look_up) != SQLITE_ROW || sqlite3_column_int64(look_up, 0) != row.g) {
        std::cerr << "sqlite: row " << row.id << " was not found\n";
        std::exit(1);
      }
      sqlite3_reset(look_up);
    }
    sqlite3_finalize(look_up);
  }

  void LoadSeries() override {
    sqlite3_stmt* insert = Prepare("INSERT OR REPLACE INTO S VALUES (?, ?, ?)");
    Execute("BEGIN");
    for (int64_t i = 0; i < kRows; ++i) {
      sqlite3_bind_int64(insert, 1, kFirstMillis + i * 1000);
      sqlite3_bind_int64(insert, 2, i);
      sqlite3_bind_int64(insert, 3, MakeRow(i).v);
      Step(insert);
      if ((i + 1) % kRowsPerBatch == 0) NewTransaction();
    }
    Execute("COMMIT");
    sqlite3_finalize(insert);
  }

  void Disturb() override {
    sqlite3_stmt* insert = Prepare("INSERT OR REPLACE INTO T VALUES (?, ?, ?, ?, ?, ?, ?)");
    sqlite3_stmt* erase = Prepare("DELETE FROM T WHERE A = ? AND B = ? AND C = ? AND D = ?");
    Execute("BEGIN");
    int64_t changed = 0;
    for (int64_t i = 0; i < kRows; i += 20) {
      BindRow(insert, MakeRow(i), 1);
      const BenchRow row = MakeRow(i + 7);
      BindKey(erase, row);
      Step(erase);
      if (++changed % (kRowsPerBatch / 2) == 0) NewTransaction();
    }
    Execute("COMMIT");
    sqlite3_finalize(insert);
    sqlite3_finalize(erase);
  }

  void Settle() override { Execute("PRAGMA wal_checkpoint(TRUNCATE)"); }

  int64_t Query(const std::string& sql, int64_t* sum) override {
    sqlite3_stmt* statement = Prepare(sql.c_str());
    int64_t rows = 0;
    *sum = 0;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      *sum += sqlite3_column_int64(statement, 0);
      ++rows;
    }
    Check(code == SQLITE_DONE ? SQLITE_OK : code);
    sqlite3_finalize(statement);
    return rows;
  }

  void LookUp(int64_t count) override {
    if (look_up_ == nullptr) {
      look_up_ = Prepare("SELECT V FROM T WHERE A = ? AND B = ? AND C = ? AND D = ?");
    }
    for (int64_t n = 0; n < count; ++n) {
      const BenchRow row = MakeRow(static_cast<int64_t>(Mix(static_cast<uint64_t>(n)) % kRows));
      BindKey(look_up_, row);
      if (sqlite3_step(look_up_) != SQLITE_ROW || sqlite3_column_int64(look_up_, 0) != row.v) {
        std::cerr << "sqlite: row " << row.d << " was not found\n";
        std::exit(1);
      }
      sqlite3_reset(look_up_);
    }
  }

 private:
  void Check(int code) {
    if (code == SQLITE_OK) return;
    std::cerr << "sqlite: " << sqlite3_errmsg(db_) << "\n";
    std::exit(1);
  }
  void CreateTable(const std::string& name) {
    const std::string sql = "CREATE TABLE " + name +
                            " (A INTEGER NOT NULL, B INTEGER NOT NULL, C TEXT NOT NULL, "
                            "D INTEGER NOT NULL, G INTEGER, V INTEGER, W REAL, "
                            "PRIMARY KEY (A, B, C, D)) WITHOUT ROWID";
    Execute(sql.c_str());
  }
  void LoadInto(const std::string& table, int64_t begin, int64_t end) {
    const std::string sql = "INSERT OR REPLACE INTO " + table + " VALUES (?, ?, ?, ?, ?, ?, ?)";
    sqlite3_stmt* insert = Prepare(sql.c_str());
    Execute("BEGIN");
    for (int64_t i = begin; i < end; ++i) {
      BindRow(insert, MakeRow(i), 0);
      if ((i + 1) % kRowsPerBatch == 0) NewTransaction();
    }
    Execute("COMMIT");
    sqlite3_finalize(insert);
  }
  void Execute(const char* sql) { Check(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  void NewTransaction() {
    Execute("COMMIT");
    Execute("BEGIN");
  }
  sqlite3_stmt* Prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    Check(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr));
    return statement;
  }
  void Step(sqlite3_stmt* statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) Check(sqlite3_errcode(db_));
    sqlite3_reset(statement);
  }
  void BindKey(sqlite3_stmt* statement, const BenchRow& row) {
    sqlite3_bind_int64(statement, 1, row.a);
    sqlite3_bind_int64(statement, 2, row.b);
    sqlite3_bind_text(statement, 3, row.c, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(statement, 4, row.d);
  }
  void BindRow(sqlite3_stmt* statement, const BenchRow& row, int64_t more) {
    BindKey(statement, row);
    sqlite3_bind_int64(statement, 5, row.g);
    sqlite3_bind_int64(statement, 6, row.v + more);
    sqlite3_bind_double(statement, 7, row.w);
    Step(statement);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* look_up_ = nullptr;
};

}  // namespace

std::unique_ptr<SystemUnderTest> MakeSqlite(const std::string& directory) {
  return std::make_unique<SqliteSystem>(directory);
}

}  // namespace bennu::bench
