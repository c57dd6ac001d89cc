// Phoenix's query server over a store in memory: connections, statements, frames, batches, times.
// What must hold stands in the phoenix-avatica spec, sections 3 and 4.
#include "src/server/phoenix/avatica_service.h"
#include "src/bennu/opened_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "src/server/net/clock.h"

namespace bennu::server::phoenix {
namespace {

using ::testing::HasSubstr;
namespace pb = avatica::pb;

class AvaticaServiceTest : public ::testing::Test {
 protected:
  AvaticaServiceTest() {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    store_ = front::OpenedStore::Open(std::string(engine::kMemoryStore), options).value();
    Restart({});
  }
  ~AvaticaServiceTest() override { service_.reset(); }

  void Restart(const ConnectionBounds& bounds) {
    service_ = std::make_unique<AvaticaService>(store_->sql_host(), "h:8765", bounds);
  }

  // Sends the request and wants this response.
  template <typename Wanted, typename Message>
  Wanted Call(const Message& message) {
    pb::WireMessage answer = Send(message);
    Wanted wanted;
    const std::string type = wanted.GetTypeName();
    const std::string name = type.substr(type.rfind('.') + 1);
    EXPECT_EQ(answer.name(), "org.apache.calcite.avatica.proto.Responses$" + name) << error_;
    EXPECT_TRUE(wanted.ParseFromString(answer.wrapped_message()));
    return wanted;
  }
  template <typename Message>
  pb::ErrorResponse Fail(const Message& message) {
    const auto error = Call<pb::ErrorResponse>(message);
    EXPECT_EQ(http_status_, 500u);
    return error;
  }
  template <typename Message>
  pb::WireMessage Send(const Message& message) {
    const std::string type = message.GetTypeName();
    pb::WireMessage wire;
    wire.set_name("org.apache.calcite.avatica.proto.Requests$" + type.substr(type.rfind('.') + 1));
    wire.set_wrapped_message(message.SerializeAsString());
    const Answer answer = service_->Handle(wire.SerializeAsString(), "");
    http_status_ = answer.http_status;
    pb::WireMessage told;
    EXPECT_TRUE(told.ParseFromString(answer.body));
    pb::ErrorResponse error;
    error_ = told.name().ends_with("ErrorResponse") && error.ParseFromString(told.wrapped_message())
                 ? error.error_message()
                 : "";
    return told;
  }

  void Open(const std::string& id, bool autocommit = true) {
    pb::OpenConnectionRequest open;
    open.set_connection_id(id);
    Call<pb::OpenConnectionResponse>(open);
    pb::ConnectionSyncRequest sync;
    sync.set_connection_id(id);
    sync.mutable_conn_props()->set_has_auto_commit(true);
    sync.mutable_conn_props()->set_auto_commit(autocommit);
    EXPECT_EQ(Call<pb::ConnectionSyncResponse>(sync).conn_props().auto_commit(), autocommit);
  }
  uint32_t NewStatement(const std::string& connection) {
    pb::CreateStatementRequest create;
    create.set_connection_id(connection);
    return Call<pb::CreateStatementResponse>(create).statement_id();
  }
  static pb::PrepareAndExecuteRequest Statement(const std::string& connection, uint32_t id,
                                                const std::string& sql, int32_t rows = -1) {
    pb::PrepareAndExecuteRequest run;
    run.set_connection_id(connection);
    run.set_statement_id(id);
    run.set_sql(sql);
    run.set_max_rows_total(-1);
    run.set_first_frame_max_size(rows);
    return run;
  }
  pb::ResultSetResponse Run(const std::string& connection, uint32_t id, const std::string& sql,
                            int32_t rows = -1) {
    const auto response = Call<pb::ExecuteResponse>(Statement(connection, id, sql, rows));
    EXPECT_EQ(response.results_size(), 1) << sql;
    return response.results_size() == 1 ? response.results(0) : pb::ResultSetResponse();
  }
  pb::FetchResponse Fetch(const std::string& connection, uint32_t id, uint64_t offset,
                          int32_t rows) {
    pb::FetchRequest fetch;
    fetch.set_connection_id(connection);
    fetch.set_statement_id(id);
    fetch.set_offset(offset);
    fetch.set_frame_max_size(rows);
    return Call<pb::FetchResponse>(fetch);
  }
  // A table T of so many rows, with keys from 0 on.
  void MakeTable(int rows) {
    Open("maker");
    const uint32_t id = NewStatement("maker");
    Run("maker", id, "CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)");
    pb::PrepareRequest prepare;
    prepare.set_connection_id("maker");
    prepare.set_sql("UPSERT INTO T VALUES (?, ?)");
    const auto prepared = Call<pb::PrepareResponse>(prepare);
    pb::ExecuteBatchRequest batch;
    batch.set_connection_id("maker");
    batch.set_statement_id(prepared.statement().id());
    for (int k = 0; k < rows; ++k) *batch.add_updates() = Row(k, "v" + std::to_string(k));
    EXPECT_EQ(Call<pb::ExecuteBatchResponse>(batch).update_counts_size(), rows);
  }
  static pb::UpdateBatch Row(int64_t key, const std::string& text) {
    pb::UpdateBatch row;
    pb::TypedValue* const first = row.add_parameter_values();
    first->set_type(pb::INTEGER);
    first->set_number_value(key);
    pb::TypedValue* const second = row.add_parameter_values();
    second->set_type(pb::STRING);
    second->set_string_value(text);
    return row;
  }
  uint64_t CountOf(const std::string& connection, const std::string& where) {
    const auto result =
        Run(connection, NewStatement(connection), "SELECT K FROM T WHERE " + where, 1000);
    EXPECT_TRUE(result.first_frame().done());
    return static_cast<uint64_t>(result.first_frame().rows_size());
  }

  std::unique_ptr<front::OpenedStore> store_;
  std::unique_ptr<AvaticaService> service_;
  unsigned http_status_ = 0;
  std::string error_;
};

TEST_F(AvaticaServiceTest, ResultsComeInFrames) {
  MakeTable(250);
  const uint32_t id = NewStatement("maker");
  const auto result = Run("maker", id, "SELECT K FROM T ORDER BY K");
  EXPECT_EQ(result.update_count(), avatica::kHasRows);
  ASSERT_EQ(result.signature().columns_size(), 1);
  EXPECT_EQ(result.signature().columns(0).label(), "K");
  EXPECT_EQ(result.first_frame().rows_size(), 100);  // for those who do not say how many
  EXPECT_FALSE(result.first_frame().done());
  const auto second = Fetch("maker", id, 100, 60);
  EXPECT_EQ(second.frame().offset(), 100u);
  EXPECT_EQ(second.frame().rows_size(), 60);
  const auto last = Fetch("maker", id, 160, -1);
  EXPECT_EQ(last.frame().rows_size(), 90);
  EXPECT_TRUE(last.frame().done());
}

TEST_F(AvaticaServiceTest, SeveralResultsOfOneConnectionAtATime) {
  MakeTable(20);
  const uint32_t first = NewStatement("maker");
  const uint32_t second = NewStatement("maker");
  Run("maker", first, "SELECT K FROM T ORDER BY K", 5);
  Run("maker", second, "SELECT K FROM T ORDER BY K DESC", 5);
  Run("maker", NewStatement("maker"), "UPSERT INTO T VALUES (100, 'x')");
  EXPECT_EQ(Fetch("maker", first, 5, -1).frame().rows_size(), 15);
  EXPECT_EQ(Fetch("maker", second, 5, -1).frame().rows_size(), 15);
}

// A client that did not get an answer asks again; rows are neither lost nor repeated.
TEST_F(AvaticaServiceTest, RowsThatWereSentAreMissingUntilTheClientSyncs) {
  MakeTable(20);
  const uint32_t id = NewStatement("maker");
  Run("maker", id, "SELECT K FROM T ORDER BY K", 5);
  EXPECT_EQ(Fetch("maker", id, 5, 5).frame().rows_size(), 5);
  EXPECT_TRUE(Fetch("maker", id, 5, 5).missing_results());
  pb::SyncResultsRequest sync;
  sync.set_connection_id("maker");
  sync.set_statement_id(id);
  sync.set_offset(5);
  sync.mutable_state()->set_type(pb::QueryState::SQL);
  sync.mutable_state()->set_sql("SELECT K FROM T ORDER BY K");
  EXPECT_TRUE(Call<pb::SyncResultsResponse>(sync).more_results());
  const auto again = Fetch("maker", id, 5, -1);
  EXPECT_EQ(again.frame().offset(), 5u);
  EXPECT_EQ(again.frame().rows_size(), 15);
}

TEST_F(AvaticaServiceTest, TheMaximumOfRowsCountsOverAllFrames) {
  MakeTable(20);
  auto run = Statement("maker", NewStatement("maker"), "SELECT K FROM T", 5);
  run.set_max_rows_total(7);
  const auto response = Call<pb::ExecuteResponse>(run);
  EXPECT_EQ(response.results(0).first_frame().rows_size(), 5);
  const auto rest = Fetch("maker", run.statement_id(), 5, -1);
  EXPECT_EQ(rest.frame().rows_size(), 2);
  EXPECT_TRUE(rest.frame().done());
}

// Whatever is asked for, an answer holds about as much as fits in memory.
TEST_F(AvaticaServiceTest, AFrameIsBoundedByItsBytes) {
  MakeTable(1);
  const uint32_t id = NewStatement("maker");
  for (int rows = 1; rows <= 16; rows *= 2) {
    Run("maker", id,
        "UPSERT INTO T SELECT K + " + std::to_string(rows) + ", LPAD('x', 300000, 'y') FROM T");
  }
  const auto result = Run("maker", id, "SELECT V FROM T WHERE K > 0", 1'000'000);
  size_t bytes = 0;
  for (const std::string& row : result.first_frame().rows()) bytes += row.size();
  EXPECT_LT(bytes, 2 * kFrameBytesMax);
  EXPECT_GE(bytes, kFrameBytesMax);
  EXPECT_FALSE(result.first_frame().done());
}

TEST_F(AvaticaServiceTest, AStatementIsPreparedWithItsParametersAndColumns) {
  MakeTable(10);
  pb::PrepareRequest prepare;
  prepare.set_connection_id("maker");
  prepare.set_sql("SELECT V FROM T WHERE K = ?");
  const auto prepared = Call<pb::PrepareResponse>(prepare);
  const pb::Signature& signature = prepared.statement().signature();
  EXPECT_EQ(signature.sql(), prepare.sql());
  ASSERT_EQ(signature.parameters_size(), 1);
  EXPECT_EQ(signature.parameters(0).type_name(), "INTEGER");
  ASSERT_EQ(signature.columns_size(), 1);
  pb::ExecuteRequest run;
  *run.mutable_statement_handle() = prepared.statement();
  run.set_first_frame_max_size(10);
  EXPECT_EQ(Fail(run).error_code(), 2004u);  // without a value
  run.set_has_parameter_values(true);
  *run.add_parameter_values() = Row(3, "").parameter_values(0);
  for (int i = 0; i < 2; ++i) {
    const auto response = Call<pb::ExecuteResponse>(run);
    ASSERT_EQ(response.results_size(), 1);
    EXPECT_EQ(response.results(0).first_frame().rows_size(), 1);
    EXPECT_TRUE(response.results(0).first_frame().done());
  }
}

TEST_F(AvaticaServiceTest, ChangesArePendingUntilTheyAreCommitted) {
  MakeTable(1);
  Open("writer", /*autocommit=*/false);
  const uint32_t id = NewStatement("writer");
  EXPECT_EQ(Run("writer", id, "UPSERT INTO T VALUES (50, 'x')").update_count(), 1u);
  EXPECT_EQ(CountOf("maker", "K = 50"), 0u);
  pb::CommitRequest commit;
  commit.set_connection_id("writer");
  Call<pb::CommitResponse>(commit);
  EXPECT_EQ(CountOf("maker", "K = 50"), 1u);
  Run("writer", id, "UPSERT INTO T VALUES (51, 'x')");
  pb::RollbackRequest rollback;
  rollback.set_connection_id("writer");
  Call<pb::RollbackResponse>(rollback);
  Call<pb::CommitResponse>(commit);
  EXPECT_EQ(CountOf("maker", "K = 51"), 0u);
}

// As JDBC has it for a batch of a connection that commits by itself.
TEST_F(AvaticaServiceTest, ABatchIsWrittenWholeOrNotAtAll) {
  MakeTable(1);
  pb::PrepareAndExecuteBatchRequest batch;
  batch.set_connection_id("maker");
  batch.set_statement_id(NewStatement("maker"));
  batch.add_sql_commands("UPSERT INTO T VALUES (60, 'x')");
  batch.add_sql_commands("UPSERT INTO T VALUES (NULL, 'x')");
  EXPECT_EQ(Fail(batch).error_code(), 218u);
  EXPECT_EQ(CountOf("maker", "K = 60"), 0u);
  batch.set_sql_commands(1, "UPSERT INTO T VALUES (61, 'x')");
  const auto response = Call<pb::ExecuteBatchResponse>(batch);
  ASSERT_EQ(response.update_counts_size(), 2);
  EXPECT_EQ(response.update_counts(0), 1u);
  EXPECT_EQ(CountOf("maker", "K >= 60"), 2u);
  Run("maker", NewStatement("maker"), "UPSERT INTO T VALUES (62, 'x')");  // autocommit is on again
  EXPECT_EQ(CountOf("maker", "K = 62"), 1u);
  batch.set_sql_commands(1, "SELECT * FROM T");
  EXPECT_EQ(Fail(batch).error_code(), 1151u);
}

// As in Phoenix, whose connections call their tenant their catalog.
TEST_F(AvaticaServiceTest, AConnectionTellsItsTenant) {
  pb::OpenConnectionRequest open;
  open.set_connection_id("tenant");
  (*open.mutable_info())["TenantId"] = "one";
  Call<pb::OpenConnectionResponse>(open);
  pb::ConnectionSyncRequest sync;
  sync.set_connection_id("tenant");
  EXPECT_EQ(Call<pb::ConnectionSyncResponse>(sync).conn_props().catalog(), "one");
}

TEST_F(AvaticaServiceTest, ErrorsHaveCodeStateAndTheWordsThatClientsLookFor) {
  Open("c");
  const auto error = Fail(Statement("c", NewStatement("c"), "SELECT * FROM NOPE"));
  EXPECT_EQ(error.error_code(), 1012u);
  EXPECT_EQ(error.sql_state(), "42M03");
  EXPECT_EQ(error.severity(), pb::UNKNOWN_SEVERITY);
  // phoenixdb looks for "ERROR n (state): text ->".
  EXPECT_THAT(error.error_message(),
              HasSubstr("ERROR 1012 (42M03): Table undefined. tableName=NOPE ->"));
  EXPECT_EQ(error.metadata().server_address(), "h:8765");
}

TEST_F(AvaticaServiceTest, AConnectionThatIsGoneIsToldFromAStatementThatIsGone) {
  Open("c");
  const auto error = Fail(Statement("other", 1, "SELECT 1"));
  EXPECT_EQ(error.error_code(), 1u);
  EXPECT_THAT(error.error_message(), HasSubstr("Connection not found"));
  EXPECT_TRUE(Call<pb::ExecuteResponse>(Statement("c", 999, "SELECT 1")).missing_statement());
  const auto fetch = Fetch("c", 999, 0, 1);
  EXPECT_TRUE(fetch.missing_statement());
  EXPECT_TRUE(fetch.missing_results());
  pb::CloseConnectionRequest close;
  close.set_connection_id("c");
  Call<pb::CloseConnectionResponse>(close);
  Call<pb::CloseConnectionResponse>(close);  // is not there any longer, which is right
  EXPECT_EQ(Fail(Statement("c", 1, "SELECT 1")).error_code(), 1u);
}

TEST_F(AvaticaServiceTest, ConnectionPropertiesAreThoseOfPhoenix) {
  MakeTable(1);
  pb::OpenConnectionRequest open;
  open.set_connection_id("old");
  (*open.mutable_info())["CurrentSCN"] = "1000";  // before the table was
  Call<pb::OpenConnectionResponse>(open);
  EXPECT_EQ(Fail(Statement("old", NewStatement("old"), "SELECT * FROM T")).error_code(), 1012u);
  open.set_connection_id("wrong");
  (*open.mutable_info())["CurrentSCN"] = "yesterday";
  EXPECT_THAT(Fail(open).error_message(), HasSubstr("CurrentSCN"));
  EXPECT_THAT(Fail([&] {
                open.set_connection_id("old");
                (*open.mutable_info())["CurrentSCN"] = "1000";
                return open;
              }())
                  .error_message(),
              HasSubstr("already exists"));
  pb::ConnectionSyncRequest sync;
  sync.set_connection_id("maker");
  sync.mutable_conn_props()->set_has_read_only(true);
  sync.mutable_conn_props()->set_read_only(true);
  EXPECT_TRUE(Call<pb::ConnectionSyncResponse>(sync).conn_props().read_only());
  EXPECT_EQ(
      Fail(Statement("maker", NewStatement("maker"), "UPSERT INTO T VALUES (9, 'x')")).error_code(),
      518u);
  sync.mutable_conn_props()->set_transaction_isolation(4);
  EXPECT_EQ(Fail(sync).error_code(), 1084u);
}

TEST_F(AvaticaServiceTest, WhatNobodyNamesIsClosedAfterAWhile) {
  ConnectionBounds bounds;
  bounds.connection_idle_max = std::chrono::seconds(0);
  Restart(bounds);
  Open("c");
  EXPECT_EQ(service_->connection_count(), 1u);
  service_->CloseIdle();
  EXPECT_EQ(service_->connection_count(), 0u);
  EXPECT_EQ(Fail(Statement("c", 1, "SELECT 1")).error_code(), 1u);
  bounds = {};
  bounds.statement_idle_max = std::chrono::seconds(0);
  Restart(bounds);
  Open("c");
  EXPECT_TRUE(Fetch("c", NewStatement("c"), 0, 1).missing_statement());
}

TEST_F(AvaticaServiceTest, ConnectionsAndStatementsAreBounded) {
  ConnectionBounds bounds;
  bounds.connections_max = 2;
  bounds.statements_max = 2;
  Restart(bounds);
  Open("a");
  Open("b");
  pb::OpenConnectionRequest open;
  open.set_connection_id("c");
  EXPECT_THAT(Fail(open).error_message(), HasSubstr("avatica.connectioncache.maxcapacity"));
  NewStatement("a");
  const uint32_t last = NewStatement("a");
  pb::CreateStatementRequest create;
  create.set_connection_id("a");
  EXPECT_THAT(Fail(create).error_message(), HasSubstr("avatica.statementcache.maxcapacity"));
  pb::CloseStatementRequest close;
  close.set_connection_id("a");
  close.set_statement_id(last);
  Call<pb::CloseStatementResponse>(close);
  NewStatement("a");
}

TEST_F(AvaticaServiceTest, ClosingEndsWhatRuns) {
  MakeTable(300);
  Open("runner");
  for (const bool whole : {false, true}) {
    const uint32_t id = NewStatement("runner");
    std::string body;
    {
      pb::WireMessage wire;
      wire.set_name("org.apache.calcite.avatica.proto.Requests$PrepareAndExecuteRequest");
      wire.set_wrapped_message(
          Statement("runner", id,
                    "SELECT COUNT(*) FROM T A, T B, T C, T D WHERE A.K + B.K + C.K + D.K < 0")
              .SerializeAsString());
      body = wire.SerializeAsString();
    }
    Answer answer;
    std::thread running([&] { answer = service_->Handle(body, ""); });
    // Until it runs, closing has nothing to end.
    const auto deadline = net::MonotonicNow() + std::chrono::seconds(30);
    while (store_->Sql().value()->statements()->List("").empty() &&
           net::MonotonicNow() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (whole) {
      pb::CloseConnectionRequest close;
      close.set_connection_id("runner");
      Call<pb::CloseConnectionResponse>(close);
    } else {
      pb::CloseStatementRequest close;
      close.set_connection_id("runner");
      close.set_statement_id(id);
      Call<pb::CloseStatementResponse>(close);
    }
    running.join();
    EXPECT_EQ(answer.http_status, 500u);
  }
}

// A client that dies leaves nothing behind: what ran for it ends, what waited for it does not
// begin, and a connection that another socket goes on with is free again.
TEST_F(AvaticaServiceTest, WhatRunsForAClientThatHasLeftEnds) {
  MakeTable(300);
  Open("runner");
  const uint32_t id = NewStatement("runner");
  const auto body_of = [&](const std::string& sql) {
    pb::WireMessage wire;
    wire.set_name("org.apache.calcite.avatica.proto.Requests$PrepareAndExecuteRequest");
    wire.set_wrapped_message(Statement("runner", id, sql).SerializeAsString());
    return wire.SerializeAsString();
  };
  const auto caller = std::make_shared<http::Caller>("client:1");
  Answer answer;
  std::thread running([&] {
    answer = service_->Handle(
        body_of("SELECT COUNT(*) FROM T A, T B, T C, T D WHERE A.K + B.K + C.K + D.K < 0"), "",
        caller);
  });
  const auto statements = [this] { return store_->Sql().value()->statements()->List(""); };
  const auto deadline = net::MonotonicNow() + std::chrono::seconds(30);
  while (statements().empty() && net::MonotonicNow() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // It is seen how far it is, and it goes on while somebody waits.
  const auto seen = service_->Running({"", "runner"});
  ASSERT_TRUE(seen.ok() && seen->has_value());
  EXPECT_THAT((*seen)->text, HasSubstr("FROM T A, T B"));
  service_->CloseIdle();
  EXPECT_FALSE(statements().empty());
  Answer waiting;
  std::thread next(
      [&] { waiting = service_->Handle(body_of("UPSERT INTO T VALUES (900, 'x')"), "", caller); });
  caller->Leave();
  service_->CloseIdle();
  running.join();
  next.join();
  EXPECT_EQ(answer.http_status, 500u);
  EXPECT_EQ(waiting.http_status, 500u);
  EXPECT_TRUE(statements().empty());
  EXPECT_FALSE(service_->Running({"", "runner"}).value().has_value());
  const auto rows = Run("runner", id, "SELECT K FROM T WHERE K >= 299 ORDER BY K");
  EXPECT_EQ(rows.first_frame().rows_size(), 1);  // not the row of the call that waited
}

// A result that nobody reads holds memory until its statement is closed, be there calls or not.
TEST_F(AvaticaServiceTest, IdleStatementsAreClosedWithoutACall) {
  MakeTable(3);
  ConnectionBounds bounds;
  bounds.statement_idle_max = std::chrono::seconds(1);
  Restart(bounds);
  Open("reader");
  const auto running = [this] { return store_->Sql().value()->statements()->List("").size(); };
  Run("reader", NewStatement("reader"), "SELECT K FROM T", 1);
  service_->CloseIdle();
  EXPECT_EQ(running(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  service_->CloseIdle();
  EXPECT_EQ(running(), 0u);
}

TEST_F(AvaticaServiceTest, MetadataIsThatOfTheCatalog) {
  MakeTable(1);
  const uint32_t id = NewStatement("maker");
  Run("maker", id, "CREATE VIEW W (X DATE) AS SELECT * FROM T WHERE K > 5");
  Run("maker", id, "CREATE INDEX I ON T (V DESC)");
  pb::TablesRequest tables;
  tables.set_connection_id("maker");
  tables.set_has_schema_pattern(true);  // "": without a schema
  EXPECT_EQ(Call<pb::ResultSetResponse>(tables).first_frame().rows_size(), 3);
  tables.add_type_list("VIEW");
  EXPECT_EQ(Call<pb::ResultSetResponse>(tables).first_frame().rows_size(), 1);
  Run("maker", id, "CREATE SEQUENCE S");
  tables.add_type_list("SEQUENCE");
  EXPECT_EQ(Call<pb::ResultSetResponse>(tables).first_frame().rows_size(), 2);
  pb::ColumnsRequest columns;
  columns.set_connection_id("maker");
  columns.set_table_name_pattern("W");
  const auto of_view = Call<pb::ResultSetResponse>(columns);
  EXPECT_EQ(of_view.first_frame().rows_size(), 3);  // the table's too
  EXPECT_EQ(of_view.signature().columns_size(), 29);
  columns.set_column_name_pattern("%");
  EXPECT_EQ(Call<pb::ResultSetResponse>(columns).first_frame().rows_size(), 3);
  columns.set_column_name_pattern("_");
  EXPECT_EQ(Call<pb::ResultSetResponse>(columns).first_frame().rows_size(), 3);
  columns.set_column_name_pattern("\\_");
  EXPECT_EQ(Call<pb::ResultSetResponse>(columns).first_frame().rows_size(), 0);
  // The number in front of the keys of a view's index is no column of it.
  Run("maker", id, "CREATE INDEX J ON W (X)");
  for (const auto& [operation, table, rows] :
       {std::tuple(pb::GET_PRIMARY_KEYS, "T", 1), std::tuple(pb::GET_INDEX_INFO, "T", 2),
        std::tuple(pb::GET_INDEX_INFO, "W", 2)}) {
    pb::SyncResultsRequest sync;
    sync.set_connection_id("maker");
    sync.set_statement_id(id);
    sync.mutable_state()->set_type(pb::QueryState::METADATA);
    sync.mutable_state()->set_op(operation);
    for (const char* const argument : {"", "", table}) {
      auto* const added = sync.mutable_state()->add_args();
      added->set_type(*argument == '\0' ? pb::MetaDataOperationArgument::NULL_
                                        : pb::MetaDataOperationArgument::STRING);
      added->set_string_value(argument);
    }
    EXPECT_TRUE(Call<pb::SyncResultsResponse>(sync).more_results());
    EXPECT_EQ(Fetch("maker", id, 0, -1).frame().rows_size(), rows);
  }
}

}  // namespace
}  // namespace bennu::server::phoenix
