// Requests and responses in both forms. What must hold stands in the phoenix-avatica spec, sections
// 2 and 5.
#include "src/avatica/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace bennu::avatica {
namespace {

using ::testing::HasSubstr;

template <typename Message>
Message Parse(const std::string& body) {
  const auto request = ParseRequest(body, FormOf(body));
  EXPECT_TRUE(request.ok()) << request.status().ToString();
  const Message* const message = request.ok() ? std::get_if<Message>(&*request) : nullptr;
  EXPECT_NE(message, nullptr) << body;
  return message == nullptr ? Message() : *message;
}

Status WrongRequest(const std::string& body) { return ParseRequest(body, FormOf(body)).status(); }

TEST(MessagesTest, ProtobufByItsName) {
  pb::PrepareAndExecuteRequest request;
  request.set_connection_id("c");
  request.set_sql("SELECT 1");
  pb::WireMessage wire;
  wire.set_name("org.apache.calcite.avatica.proto.Requests$PrepareAndExecuteRequest");
  wire.set_wrapped_message(request.SerializeAsString());
  EXPECT_EQ(Parse<pb::PrepareAndExecuteRequest>(wire.SerializeAsString()).sql(), "SELECT 1");
  wire.set_name("org.apache.calcite.avatica.proto.Requests$NoSuchRequest");
  EXPECT_THAT(WrongRequest(wire.SerializeAsString()).message(), HasSubstr("NoSuchRequest"));
  EXPECT_FALSE(WrongRequest("\x0a\xff").ok());
  EXPECT_FALSE(WrongRequest("").ok());
}

TEST(MessagesTest, ProtobufAnswersHaveTheNamesThatClientsCheck) {
  pb::CreateStatementResponse response;
  response.set_statement_id(7);
  pb::WireMessage wire;
  ASSERT_TRUE(wire.ParseFromString(WriteResponse(Response(response), Form::kProtobuf)));
  EXPECT_EQ(wire.name(), "org.apache.calcite.avatica.proto.Responses$CreateStatementResponse");
  pb::CreateStatementResponse parsed;
  ASSERT_TRUE(parsed.ParseFromString(wire.wrapped_message()));
  EXPECT_EQ(parsed.statement_id(), 7u);
}

TEST(MessagesTest, JsonOfEachRequest) {
  const auto open = Parse<pb::OpenConnectionRequest>(
      R"({"request":"openConnection","connectionId":"c","info":{"TenantId":"t","CurrentSCN":"5"}})");
  EXPECT_EQ(open.info().at("TenantId"), "t");
  const auto sync = Parse<pb::ConnectionSyncRequest>(
      R"({"request":"connectionSync","connectionId":"c","connProps":{"connProps":"connPropsImpl",)"
      R"("autoCommit":true,"readOnly":null,"transactionIsolation":2,"schema":"S","dirty":true}})");
  EXPECT_TRUE(sync.conn_props().has_auto_commit());
  EXPECT_TRUE(sync.conn_props().auto_commit());
  EXPECT_FALSE(sync.conn_props().has_read_only());
  EXPECT_EQ(sync.conn_props().schema(), "S");
  const auto run = Parse<pb::PrepareAndExecuteRequest>(
      R"({"request":"prepareAndExecute","connectionId":"c","statementId":3,"sql":"S",)"
      R"("maxRowsInFirstFrame":50,"maxRowCount":-1})");
  EXPECT_EQ(run.statement_id(), 3u);
  EXPECT_EQ(run.first_frame_max_size(), 50);
  EXPECT_EQ(run.max_rows_total(), -1);
  const auto fetch = Parse<pb::FetchRequest>(
      R"({"request":"fetch","connectionId":"c","statementId":3,"offset":100,)"
      R"("fetchMaxRowCount":20})");
  EXPECT_EQ(fetch.offset(), 100u);
  EXPECT_EQ(fetch.frame_max_size(), 20);
  const auto results = Parse<pb::SyncResultsRequest>(
      R"({"request":"syncResults","connectionId":"c","statementId":3,"offset":0,"state":)"
      R"({"type":"METADATA","sql":null,"metaDataOperation":"GET_PRIMARY_KEYS",)"
      R"("operationArgs":[null,"S","T",true,["X"]]}})");
  EXPECT_EQ(results.state().op(), pb::GET_PRIMARY_KEYS);
  ASSERT_EQ(results.state().args_size(), 5);
  EXPECT_EQ(results.state().args(0).type(), pb::MetaDataOperationArgument::NULL_);
  EXPECT_EQ(results.state().args(2).string_value(), "T");
  EXPECT_TRUE(results.state().args(3).bool_value());
  EXPECT_EQ(results.state().args(4).string_array_values(0), "X");
  const auto tables = Parse<pb::TablesRequest>(
      R"({"request":"getTables","connectionId":"c","catalog":null,"schemaPattern":"",)"
      R"("tableNamePattern":"T%","typeList":["TABLE"]})");
  EXPECT_FALSE(tables.has_catalog());
  EXPECT_TRUE(tables.has_schema_pattern());
  EXPECT_EQ(tables.type_list(0), "TABLE");
}

TEST(MessagesTest, JsonValues) {
  const auto run = Parse<pb::ExecuteRequest>(
      R"({"request":"execute","statementHandle":{"connectionId":"c","id":2,"signature":null},)"
      R"("parameterValues":[{"type":"STRING","value":"a"},{"type":"LONG","value":-5},)"
      R"({"type":"DOUBLE","value":1.5},{"type":"BOOLEAN","value":true},)"
      R"({"type":"BIG_DECIMAL","value":12345678901234567890123.50},{"type":"BYTE_STRING","value":"AP8="},)"
      R"({"type":"OBJECT","value":null},null,)"
      R"({"type":"ARRAY","componentType":"INTEGER","value":[1,2]}],"maxRowCount":100})");
  ASSERT_EQ(run.parameter_values_size(), 9);
  EXPECT_EQ(run.statement_handle().id(), 2u);
  EXPECT_EQ(run.parameter_values(0).string_value(), "a");
  EXPECT_EQ(run.parameter_values(1).number_value(), -5);
  EXPECT_EQ(run.parameter_values(2).double_value(), 1.5);
  EXPECT_TRUE(run.parameter_values(3).bool_value());
  EXPECT_EQ(run.parameter_values(4).string_value(), "12345678901234567890123.50");
  EXPECT_EQ(run.parameter_values(5).string_value(), "AP8=");
  EXPECT_TRUE(run.parameter_values(6).null());
  EXPECT_TRUE(run.parameter_values(7).implicitly_null());
  ASSERT_EQ(run.parameter_values(8).array_value_size(), 2);
  EXPECT_EQ(run.parameter_values(8).array_value(1).number_value(), 2);
}

TEST(MessagesTest, JsonThatIsWrongNamesTheField) {
  EXPECT_FALSE(WrongRequest("{").ok());
  EXPECT_FALSE(WrongRequest(R"({"request":"noSuch"})").ok());
  EXPECT_THAT(WrongRequest(R"({"request":"fetch","connectionId":5})").message(),
              HasSubstr("connectionId"));
  EXPECT_THAT(WrongRequest(R"({"request":"prepare","connectionId":"c","sql":["S"]})").message(),
              HasSubstr("sql"));
  EXPECT_THAT(WrongRequest(R"({"request":"execute","connectionId":"c"})").message(),
              HasSubstr("statementHandle"));
  EXPECT_FALSE(WrongRequest(std::string(100'000, '{')).ok());
  EXPECT_FALSE(WrongRequest(R"({"request":"fetch","x":)" + std::string(100'000, '[')).ok());
}

TEST(MessagesTest, JsonAnswers) {
  pb::ErrorResponse error;
  error.set_error_message("a \"b\"");
  error.set_error_code(0xffffffff);
  error.set_sql_state("00000");
  error.set_severity(pb::ERROR_SEVERITY);
  error.mutable_metadata()->set_server_address("h:1");
  EXPECT_EQ(WriteResponse(Response(error), Form::kJson),
            "{\"response\":\"error\",\"exceptions\":[],\"errorMessage\":\"a \\\"b\\\"\","
            "\"errorCode\":-1,\"sqlState\":\"00000\",\"severity\":\"ERROR\",\"rpcMetadata\":"
            "{\"response\":\"rpcMetadata\",\"serverAddress\":\"h:1\"}}\n");
  pb::FetchResponse fetch;
  fetch.mutable_frame()->set_offset(2);
  fetch.mutable_frame()->set_done(true);
  fetch.mutable_frame()->add_rows("[1]");
  fetch.mutable_frame()->add_rows("[2]");
  EXPECT_THAT(WriteResponse(Response(fetch), Form::kJson),
              HasSubstr(R"("frame":{"offset":2,"done":true,"rows":[[1],[2]]})"));
  EXPECT_EQ(WriteResponse(Response(pb::CommitResponse()), Form::kJson),
            "{\"response\":\"commit\"}\n");
}

}  // namespace
}  // namespace bennu::avatica
