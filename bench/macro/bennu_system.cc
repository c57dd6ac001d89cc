#include <cstdlib>
#include <iostream>

#include "bench/macro/must.h"
#include "bench/macro/system_under_test.h"
#include "bennu/admin.h"
#include "bennu/database.h"

namespace bennu::bench {

namespace {

class BennuSystem : public SystemUnderTest {
 public:
  explicit BennuSystem(const std::string& directory) {
    DatabaseOptions options;
    options.background_compaction = false;  // the number of files of S is part of the benchmark
    database_ = Take(Database::Open(directory, options));
    sql_ = Take(database_->Connect());
  }
  std::string name() const override { return "bennu"; }

  void CreateTables() override {
    CreateTable("T");
    Execute(
        "CREATE TABLE S (AT DATE NOT NULL, ID BIGINT NOT NULL, V BIGINT "
        "CONSTRAINT PK PRIMARY KEY (AT ROW_TIMESTAMP, ID))");
  }

  void LoadRows(int64_t begin, int64_t end) override { LoadInto("T", begin, end); }
  bool HasKind(IndexKind /*kind*/) const override { return true; }
  void CreateIndex(IndexKind kind) override {
    const char* word = kind == IndexKind::kLocal       ? "LOCAL "
                       : kind == IndexKind::kUncovered ? "UNCOVERED "
                                                       : "";
    Execute("CREATE " + std::string(word) + "INDEX T_V ON T (V)" +
            (kind == IndexKind::kUncovered ? "" : " INCLUDE (G)"));
  }
  void DropIndex() override { Execute("DROP INDEX T_V ON T"); }
  void LoadIndexed(int64_t end) override {
    CreateTable("TX");
    Execute("CREATE INDEX TX_V ON TX (V) INCLUDE (G)");
    LoadInto("TX", 0, end);
  }
  int64_t LookUpByIndex(int64_t count) override {
    if (look_up_by_index_ == nullptr) {
      look_up_by_index_ = Take(sql_->Prepare("SELECT G FROM T WHERE V = ?"));
    }
    int64_t sum = 0;
    for (int64_t n = 0; n < count; ++n) {
      Check(look_up_by_index_->Bind(0, MakeRow(n).v));
      auto result = Take(look_up_by_index_->Execute());
      while (Take(result->Next())) sum += Take(result->GetInt64(0));
    }
    return sum;
  }

  void LoadUnique(int64_t end) override {
    Execute("CREATE TABLE U (ID BIGINT PRIMARY KEY, P BIGINT, Q BIGINT, G INTEGER)");
    Execute("CREATE INDEX U_P ON U (P) INCLUDE (G)");
    Execute("CREATE UNCOVERED INDEX U_Q ON U (Q)");
    Check(sql_->SetAutocommit(false));
    auto upsert = Take(sql_->Prepare("UPSERT INTO U VALUES (?, ?, ?, ?)"));
    for (int64_t i = 0; i < end; ++i) {
      const UniqueRow row = MakeUniqueRow(i);
      Check(upsert->Bind(0, row.id));
      Check(upsert->Bind(1, row.p));
      Check(upsert->Bind(2, row.q));
      Check(upsert->Bind(3, row.g));
      Take(upsert->Execute());
      if ((i + 1) % kRowsPerBatch == 0) Check(sql_->Commit());
    }
    Check(sql_->Commit());
    Check(sql_->SetAutocommit(true));
    for (const char* table : {"U", "U_P", "U_Q"}) {
      Flush(table);
      Check(database_->store()->admin()->Compact(Take(TableName::Parse(table)), true));
    }
  }

  void LookUpOne(OneRowBy way, int64_t end, int64_t count) override {
    const char* column = way == OneRowBy::kKey ? "ID" : way == OneRowBy::kCoveredIndex ? "P" : "Q";
    auto look_up = Take(sql_->Prepare("SELECT G FROM U WHERE " + std::string(column) + " = ?"));
    for (int64_t n = 0; n < count; ++n) {
      const UniqueRow row = MakeUniqueRow(
          static_cast<int64_t>(Mix(static_cast<uint64_t>(n)) % static_cast<uint64_t>(end)));
      Check(look_up->Bind(0, way == OneRowBy::kKey            ? row.id
                             : way == OneRowBy::kCoveredIndex ? row.p
                                                              : row.q));
      auto result = Take(look_up->Execute());
      if (!Take(result->Next()) || Take(result->GetInt64(0)) != row.g || Take(result->Next())) {
        std::cerr << "bennu: row " << row.id << " was not found by " << column << "\n";
        std::exit(1);
      }
    }
  }

  void LoadSeries() override {
    Check(sql_->SetAutocommit(false));
    auto upsert = Take(sql_->Prepare("UPSERT INTO S VALUES (?, ?, ?)"));
    for (int64_t i = 0; i < kRows; ++i) {
      const BenchRow row = MakeRow(i);
      Check(upsert->Bind(0, Datum::Moment{kFirstMillis + i * 1000, 0}));
      Check(upsert->Bind(1, i));
      Check(upsert->Bind(2, row.v));
      Take(upsert->Execute());
      if ((i + 1) % kRowsPerBatch == 0) Check(sql_->Commit());
      if ((i + 1) % (kRows / kTimeFiles) == 0) Flush("S");
    }
    Check(sql_->SetAutocommit(true));
  }

  void Disturb() override {
    Check(sql_->SetAutocommit(false));
    auto upsert = Take(sql_->Prepare("UPSERT INTO T VALUES (?, ?, ?, ?, ?, ?, ?)"));
    auto erase = Take(sql_->Prepare("DELETE FROM T WHERE A = ? AND B = ? AND C = ? AND D = ?"));
    int64_t changed = 0;
    for (int64_t i = 0; i < kRows; i += 20) {
      BindRow(upsert.get(), MakeRow(i), 1);
      const BenchRow row = MakeRow(i + 7);
      BindKey(erase.get(), row);
      Take(erase->Execute());
      if (++changed % (kRowsPerBatch / 2) == 0) Check(sql_->Commit());
    }
    Check(sql_->Commit());
    Check(sql_->SetAutocommit(true));
  }

  void Settle() override {
    Flush("T");
    Check(database_->store()->admin()->Compact(Take(TableName::Parse("T")), true));
  }

  int64_t Query(const std::string& sql, int64_t* sum) override {
    auto result = Take(sql_->Execute(sql));
    int64_t rows = 0;
    *sum = 0;
    while (Take(result->Next())) {
      *sum += Take(result->GetInt64(0));
      ++rows;
    }
    return rows;
  }

  void LookUp(int64_t count) override {
    if (look_up_ == nullptr) {
      look_up_ = Take(sql_->Prepare("SELECT V FROM T WHERE A = ? AND B = ? AND C = ? AND D = ?"));
    }
    for (int64_t n = 0; n < count; ++n) {
      const BenchRow row = MakeRow(static_cast<int64_t>(Mix(static_cast<uint64_t>(n)) % kRows));
      BindKey(look_up_.get(), row);
      auto result = Take(look_up_->Execute());
      if (!Take(result->Next()) || Take(result->GetInt64(0)) != row.v) {
        std::cerr << "bennu: row " << row.d << " was not found\n";
        std::exit(1);
      }
    }
  }

 private:
  void CreateTable(const std::string& name) {
    Execute("CREATE TABLE " + name +
            " (A INTEGER NOT NULL, B INTEGER NOT NULL, C VARCHAR NOT NULL, "
            "D BIGINT NOT NULL, G INTEGER, V BIGINT, W DOUBLE "
            "CONSTRAINT PK PRIMARY KEY (A, B, C, D))");
  }
  void LoadInto(const std::string& table, int64_t begin, int64_t end) {
    Check(sql_->SetAutocommit(false));
    auto upsert = Take(sql_->Prepare("UPSERT INTO " + table + " VALUES (?, ?, ?, ?, ?, ?, ?)"));
    for (int64_t i = begin; i < end; ++i) {
      BindRow(upsert.get(), MakeRow(i), 0);
      if ((i + 1) % kRowsPerBatch == 0) Check(sql_->Commit());
    }
    Check(sql_->Commit());
    Check(sql_->SetAutocommit(true));
  }
  void Execute(const std::string& sql) { Take(sql_->Execute(sql)); }
  void Flush(const char* table) {
    Check(database_->store()->admin()->Flush(Take(TableName::Parse(table))));
  }
  static void BindKey(PreparedStatement* statement, const BenchRow& row) {
    Check(statement->Bind(0, row.a));
    Check(statement->Bind(1, row.b));
    Check(statement->Bind(2, row.c));
    Check(statement->Bind(3, row.d));
  }
  static void BindRow(PreparedStatement* statement, const BenchRow& row, int64_t more) {
    BindKey(statement, row);
    Check(statement->Bind(4, row.g));
    Check(statement->Bind(5, row.v + more));
    Check(statement->Bind(6, row.w));
    Take(statement->Execute());
  }

  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> sql_;
  std::unique_ptr<PreparedStatement> look_up_;
  std::unique_ptr<PreparedStatement> look_up_by_index_;
};

}  // namespace

std::unique_ptr<SystemUnderTest> MakeBennu(const std::string& directory) {
  return std::make_unique<BennuSystem>(directory);
}

}  // namespace bennu::bench
