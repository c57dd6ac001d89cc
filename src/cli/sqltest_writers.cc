#include "src/cli/sqltest_writers.h"

#include <fmt/format.h>

#include <barrier>
#include <map>
#include <utility>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu::cli {

namespace {

constexpr int kWriters = 4;
constexpr int kRowsOfWriter = 1000;  // keys of writer w: w * 1000 …
constexpr int kKeys = 50;            // of these so many are in use
constexpr uint64_t kPauseMicros = 1000;
const char kTable[] = "BENNU_NEIGHBOUR";

Status Wrong(int writer, int64_t step, const std::string& what) {
  return Corruption(fmt::format("neighbour {} at its step {}: {}", writer, step, what));
}

// The rows of one writer, as they must be.
class Neighbour {
 public:
  Neighbour(Database* database, int writer, std::atomic<int64_t>* increments)
      : database_(database), writer_(writer), increments_(increments) {}

  Status Open() {
    ASSIGN_OR_RETURN(connection_, database_->Connect());
    const std::string table = kTable;
    ASSIGN_OR_RETURN(upsert_, connection_->Prepare("UPSERT INTO " + table + " VALUES (?, ?)"));
    ASSIGN_OR_RETURN(get_, connection_->Prepare("SELECT v FROM " + table + " WHERE k = ?"));
    ASSIGN_OR_RETURN(remove_, connection_->Prepare("DELETE FROM " + table + " WHERE k = ?"));
    ASSIGN_OR_RETURN(sum_, connection_->Prepare("SELECT COUNT(*), SUM(v) FROM " + table +
                                                " WHERE k >= ? AND k < ?"));
    return Status::Ok();
  }

  Status Step() {
    ++step_;
    const int64_t key = writer_ * kRowsOfWriter + step_ % kKeys;
    RETURN_IF_ERROR(Run(upsert_.get(), {key, step_}));
    rows_[key] = step_;
    RETURN_IF_ERROR(CheckRow(key));
    RETURN_IF_ERROR(connection_
                        ->Execute(fmt::format("UPSERT INTO {} VALUES (-1, 1) "
                                              "ON DUPLICATE KEY UPDATE v = v + 1",
                                              kTable))
                        .status());
    increments_->fetch_add(1);
    if (step_ % 7 == 0) {
      RETURN_IF_ERROR(Run(remove_.get(), {key}));
      rows_.erase(key);
      RETURN_IF_ERROR(CheckRow(key));
    }
    if (step_ % 5 == 0) RETURN_IF_ERROR(CheckSum());
    return Disturb();
  }

 private:
  static Status Run(PreparedStatement* statement, const std::vector<int64_t>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      RETURN_IF_ERROR(statement->Bind(i, Datum(values[i])));
    }
    return statement->Execute().status();
  }

  Status CheckRow(int64_t key) {
    RETURN_IF_ERROR(get_->Bind(0, Datum(key)));
    ASSIGN_OR_RETURN(const auto result, get_->Execute());
    ASSIGN_OR_RETURN(const bool found, result->Next());
    const auto expected = rows_.find(key);
    if (found != (expected != rows_.end())) {
      return Wrong(writer_, step_, fmt::format("row {} is {}", key, found ? "back" : "missing"));
    }
    if (!found) return Status::Ok();
    ASSIGN_OR_RETURN(const int64_t value, result->GetInt64(0));
    if (value == expected->second) return Status::Ok();
    return Wrong(writer_, step_,
                 fmt::format("row {} holds {} in place of {}", key, value, expected->second));
  }

  Status CheckSum() {
    const int64_t begin = writer_ * kRowsOfWriter;
    RETURN_IF_ERROR(sum_->Bind(0, Datum(begin)));
    RETURN_IF_ERROR(sum_->Bind(1, Datum(begin + kRowsOfWriter)));
    ASSIGN_OR_RETURN(const auto result, sum_->Execute());
    ASSIGN_OR_RETURN(const bool found, result->Next());
    int64_t sum = 0;
    for (const auto& [key, value] : rows_) sum += value;
    const auto count = static_cast<int64_t>(rows_.size());
    if (!found) return Wrong(writer_, step_, "the sum of the rows came without a row");
    ASSIGN_OR_RETURN(const int64_t found_count, result->GetInt64(0));
    int64_t found_sum = 0;  // SUM is NULL where there are no rows
    if (!result->IsNull(1)) {
      ASSIGN_OR_RETURN(found_sum, result->GetInt64(1));
    }
    if (found_count == count && found_sum == sum) return Status::Ok();
    return Wrong(
        writer_, step_,
        fmt::format("{} rows of sum {} in place of {} of {}", found_count, found_sum, count, sum));
  }

  // Each at its own steps, so that they meet in many ways.
  Status Disturb() {
    Admin* const admin = database_->store()->admin();
    const TableName table{"default", kTable};
    if (step_ % (23 + writer_) == 0) RETURN_IF_ERROR(admin->Flush(table));
    if (step_ % (97 + writer_) == 0) RETURN_IF_ERROR(admin->Compact(table, writer_ == 0));
    return Status::Ok();
  }

  Database* const database_;
  const int writer_;
  std::atomic<int64_t>* const increments_;
  std::unique_ptr<SqlConnection> connection_;  // before the statements: they need it
  std::unique_ptr<PreparedStatement> upsert_;
  std::unique_ptr<PreparedStatement> get_;
  std::unique_ptr<PreparedStatement> remove_;
  std::unique_ptr<PreparedStatement> sum_;
  std::map<int64_t, int64_t> rows_;
  int64_t step_ = 0;
};

}  // namespace

void AtTheSameTime(size_t count, const std::function<void(size_t)>& body) {
  std::barrier start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Result<std::unique_ptr<SqlTestNeighbours>> SqlTestNeighbours::Start(Database* database) {
  ASSIGN_OR_RETURN(const auto connection, database->Connect());
  RETURN_IF_ERROR(connection
                      ->Execute(fmt::format("CREATE TABLE {} (k INTEGER PRIMARY KEY, v BIGINT) "
                                            "SPLIT ON (1000, 2020)",
                                            kTable))
                      .status());
  std::unique_ptr<SqlTestNeighbours> neighbours(new SqlTestNeighbours(database));
  for (int i = 0; i < kWriters; ++i) {
    neighbours->threads_.emplace_back([ours = neighbours.get(), i] { ours->Work(i); });
  }
  return neighbours;
}

SqlTestNeighbours::~SqlTestNeighbours() { Join(); }

void SqlTestNeighbours::Work(int writer) {
  Neighbour neighbour(database_, writer, &increments_);
  Status status = neighbour.Open();
  while (status.ok() && !stopping_.load()) {
    status = neighbour.Step();
    Env::Default()->SleepMicros(kPauseMicros);
  }
  MutexLock lock(&mu_);
  if (first_fault_.ok()) first_fault_ = status;
}

void SqlTestNeighbours::Join() {
  stopping_.store(true);
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

Status SqlTestNeighbours::Stop() {
  Join();
  {
    MutexLock lock(&mu_);
    RETURN_IF_ERROR(first_fault_);
  }
  ASSIGN_OR_RETURN(const auto connection, database_->Connect());
  ASSIGN_OR_RETURN(const auto result,
                   connection->Execute(fmt::format("SELECT v FROM {} WHERE k = -1", kTable)));
  ASSIGN_OR_RETURN(const bool found, result->Next());
  int64_t counted = 0;
  if (found) {
    ASSIGN_OR_RETURN(counted, result->GetInt64(0));
  }
  if (counted == increments_.load()) return Status::Ok();
  return Corruption(
      fmt::format("the neighbours counted to {} in {} steps", counted, increments_.load()));
}

}  // namespace bennu::cli
