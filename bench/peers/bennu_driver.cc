#include <fmt/format.h>

#include <set>

#include "bench/macro/must.h"
#include "bench/peers/driver.h"
#include "bennu/admin.h"
#include "bennu/database.h"

namespace bennu::bench {

namespace {

Datum DatumOf(const std::string& text, char type) {
  if (text.empty()) return {};
  switch (type) {
    case 'i': return Datum(static_cast<int64_t>(std::stoll(text)));
    case 'd': return Datum(std::stod(text));
    case 't': return Datum(Datum::Moment{std::stoll(text), 0});
    default: return Datum(text);
  }
}

std::string TextOf(const Datum& value) {
  struct Visitor {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(bool value) const { return value ? "1" : "0"; }
    std::string operator()(int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const Datum::Number& value) const { return value.digits; }
    std::string operator()(const Datum::Moment& value) const {
      return fmt::format("{}", value.millis);
    }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Datum::Binary&) const { return "binary"; }
    std::string operator()(const Datum::Array&) const { return "array"; }
  };
  return std::visit(Visitor(), value.variant());
}

class BennuStatement : public DrivenStatement {
 public:
  BennuStatement(std::unique_ptr<PreparedStatement> statement, std::string types)
      : statement_(std::move(statement)), types_(std::move(types)) {}

  void Prepare(const std::vector<TextRow>& rows) override {
    values_.clear();
    values_.reserve(rows.size() * types_.size());
    for (const TextRow& row : rows) {
      for (size_t i = 0; i < types_.size(); ++i) values_.push_back(DatumOf(row[i], types_[i]));
    }
  }

  int64_t Execute(size_t index, int64_t* sum) override {
    for (size_t i = 0; i < types_.size(); ++i) {
      Check(statement_->Bind(i, values_[index * types_.size() + i]));
    }
    auto result = Take(statement_->Execute());
    int64_t rows = 0;
    if (!result->columns().empty()) {
      for (; Take(result->Next()); ++rows) *sum += Take(result->GetInt64(0));
    }
    return rows;
  }

 private:
  std::unique_ptr<PreparedStatement> statement_;
  const std::string types_;
  std::vector<Datum> values_;
};

class BennuDriver : public Driver {
 public:
  explicit BennuDriver(const std::string& directory)
      : database_(Take(Database::Open(directory))), sql_(Take(database_->Connect())) {}

  void Execute(const std::string& sql) override { Take(sql_->Execute(sql)); }
  void Begin() override { Check(sql_->SetAutocommit(false)); }
  void Commit() override { Check(sql_->Commit()); }
  void End() override { Check(sql_->SetAutocommit(true)); }

  // Everything flushed, one file for each family of each region.
  void Settle() override {
    for (const TableName& table : Take(database_->store()->admin()->ListTables())) {
      if (table.ToString().find("SYSTEM") != std::string::npos) continue;
      Check(database_->store()->admin()->Flush(table));
      Check(database_->store()->admin()->Compact(table, true));
    }
  }

  std::unique_ptr<DrivenStatement> Prepare(const std::string& sql,
                                           const std::string& types) override {
    return std::make_unique<BennuStatement>(Take(sql_->Prepare(sql)), types);
  }

  int64_t Query(const std::string& sql, const std::function<void(const TextRow&)>& write) override {
    const auto result = Take(sql_->Execute(sql));
    const size_t columns = result->columns().size();
    TextRow row(columns);
    int64_t rows = 0;
    for (; Take(result->Next()); ++rows) {
      for (size_t i = 0; i < columns; ++i) {
        const Datum value = result->Get(i);
        if (write) row[i] = TextOf(value);
      }
      if (write) write(row);
    }
    return rows;
  }

 private:
  const std::unique_ptr<Database> database_;
  const std::unique_ptr<SqlConnection> sql_;
};

}  // namespace

std::unique_ptr<Driver> DriveBennu(const std::string& directory) {
  return std::make_unique<BennuDriver>(directory);
}

}  // namespace bennu::bench
