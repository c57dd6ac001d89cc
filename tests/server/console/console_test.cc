// The console's JSON API over a store in memory: what it answers, what it refuses, and who may ask.
// Keys and their parts are those of phoenix-keys, worked out by hand.
#include "src/server/console/console.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/server/console/page.h"
#include "src/server/console/store_view.h"

namespace bennu::server::console {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class ConsoleTest : public ::testing::Test {
 protected:
  ConsoleTest() {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    store_ = front::OpenedStore::Open(std::string(engine::kMemoryStore), options).value();
    Restart({});
  }
  ~ConsoleTest() override { console_.reset(); }

  void Restart(const WorkbenchBounds& bounds) {
    StoreSources sources;
    sources.store = store_.get();
    sources.version = "1.2.3";
    sources.directory = engine::kMemoryStore;
    sources.metrics = [this] {
      status::ServerMetrics metrics;
      metrics.engine = store_->engine()->GetStatus();
      status::RegionMetrics& region = metrics.regions.emplace_back();
      region.name_space = "default";
      region.table = "T";
      region.store_file_bytes = 1000;
      region.reads = 7;
      return metrics;
    };
    sources.slow_calls = [] {
      hbase::SlowCall call;
      call.method = "Scan";
      return std::vector<hbase::SlowCall>{call};
    };
    sources.phoenix_connections = [] { return size_t{3}; };
    console_.reset();
    console_ = std::make_unique<Console>(store_->sql_host(),
                                         std::make_unique<StoreView>(std::move(sources)), bounds);
  }

  http::Response Send(const std::string& method, const std::string& path,
                      const std::string& body = "", bool with_token = true) {
    http::Request request;
    request.user = user_;
    request.method = method;
    request.path = path;
    request.body = body;
    if (with_token) request.headers = {{"x-bennu-token", console_->token()}};
    return console_->Handle(request);
  }
  Json Get(const std::string& call) {
    const http::Response response = Send("GET", "/api/v1/" + call, "", false);
    EXPECT_EQ(response.status, 200u) << response.body;
    return Json::parse(response.body);
  }
  Json Post(const std::string& call, const Json& body, unsigned status = 200) {
    const http::Response response = Send("POST", "/api/v1/" + call, body.dump());
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body);
  }
  Json Sql(const std::string& text) {
    Json body = {{"sql", text}};
    if (!session_.empty()) body["session"] = session_;
    Json answer = Post("sql", body);
    session_ = answer["session"];
    return answer;
  }
  // What went well.
  Json Run(const std::string& text) {
    Json answer = Sql(text);
    EXPECT_FALSE(answer.contains("error")) << answer.dump();
    return answer;
  }
  // "kind name value hex" of each part, what is not there left out.
  std::vector<std::string> PartsOf(const Json& body) {
    const Json answer = Post("rowkey", body);
    std::vector<std::string> parts;
    size_t position = 0;
    for (const Json& part : answer["key"]["parts"]) {
      EXPECT_EQ(part["from"], position) << answer.dump();  // they lie side by side
      position = part["to"];
      std::string text = part["kind"];
      if (part.contains("name")) text += " " + part["name"].get<std::string>();
      if (part.contains("value")) {
        text += part["value"].is_null() ? " NULL" : " " + part["value"].get<std::string>();
      }
      if (part.contains("error")) text += " !";
      parts.push_back(text + " " + part["hex"].get<std::string>());
    }
    EXPECT_EQ(position, answer["key"]["bytes"]);
    return parts;
  }

  std::unique_ptr<front::OpenedStore> store_;
  std::unique_ptr<Console> console_;
  std::string session_;
  std::string user_;
};

TEST_F(ConsoleTest, PageHasTokenAndForbidsForeignScripts) {
  const http::Response page = Send("GET", "/", "", false);
  EXPECT_EQ(page.status, 200u);
  EXPECT_THAT(page.type, HasSubstr("text/html"));
  EXPECT_THAT(page.body, HasSubstr("content=\"" + console_->token() + "\""));
  EXPECT_THAT(page.body, Not(HasSubstr("{{")));
  EXPECT_THAT(page.body, Not(HasSubstr("://")));  // nothing comes from elsewhere
  std::string policy;
  for (const auto& [name, value] : page.headers) {
    if (name == "Content-Security-Policy") policy = value;
  }
  EXPECT_THAT(policy, HasSubstr("default-src 'none'; script-src 'self';"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
}

// A browser keeps the files and asks whether they changed; the index has a token and is never kept.
TEST_F(ConsoleTest, FilesHaveTags) {
  ASSERT_NE(FindPageFile("app.js"), nullptr);
  http::Request request;
  request.method = "GET";
  request.path = "/console/app.js";
  const http::Response first = console_->Handle(request);
  EXPECT_EQ(first.status, 200u);
  EXPECT_EQ(first.body.size(), FindPageFile("app.js")->bytes.size());
  request.headers = {{"If-None-Match", std::string(FindPageFile("app.js")->etag)}};
  const http::Response again = console_->Handle(request);
  EXPECT_EQ(again.status, 304u);
  EXPECT_EQ(again.body, "");
  request.path = "/console/index.html";
  EXPECT_EQ(console_->Handle(request).status, 404u);
  request.path = "/console/../secret";
  EXPECT_EQ(console_->Handle(request).status, 404u);
}

TEST_F(ConsoleTest, WhatActsWantsTheToken) {
  for (const char* call : {"sql", "sql/next", "sql/cancel", "sql/close", "sql/complete", "rowkey",
                           "statements/cancel"}) {
    const http::Response refusal = Send("POST", std::string("/api/v1/") + call, "{}", false);
    EXPECT_EQ(refusal.status, 403u) << call;
  }
  http::Request request;
  request.method = "POST";
  request.path = "/api/v1/sql";
  request.body = Json{{"sql", "CREATE TABLE X (K INTEGER PRIMARY KEY)"}}.dump();
  request.headers = {{"X-Bennu-Token", std::string(console_->token().size(), '0')}};
  EXPECT_EQ(console_->Handle(request).status, 403u);
  EXPECT_EQ(Run("SELECT TABLE_NAME FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'X'")["rows"].size(), 0u);
}

TEST_F(ConsoleTest, RefusesWhatIsNoCall) {
  EXPECT_EQ(Send("GET", "/api/v1/nothing").status, 404u);
  EXPECT_EQ(Send("GET", "/api/v2/overview").status, 404u);
  EXPECT_EQ(Send("POST", "/api/v1/overview", "{}").status, 405u);
  EXPECT_EQ(Send("DELETE", "/api/v1/tables").status, 405u);
  const http::Response wrong = Send("GET", "/api/v1/sql");
  EXPECT_EQ(wrong.status, 405u);
  EXPECT_THAT(wrong.headers, Contains(std::make_pair("Allow", "POST")));
  const http::Response broken = Send("POST", "/api/v1/sql", R"({"sql": )");
  EXPECT_EQ(broken.status, 400u);
  EXPECT_THAT(Json::parse(broken.body)["error"]["message"].get<std::string>(), HasSubstr("byte 9"));
  EXPECT_EQ(Send("POST", "/api/v1/sql", "[1]").status, 400u);
  EXPECT_EQ(Send("POST", "/api/v1/sql", R"({"sql": 1})").status, 400u);
  EXPECT_EQ(Send("POST", "/api/v1/sql", R"({"sql": "SELECT 1", "rows": 0})").status, 400u);
  EXPECT_EQ(Send("POST", "/api/v1/sql", R"({"sql": "SELECT 1", "session": "x"})").status, 404u);
  EXPECT_EQ(Send("GET", "/api/v1/tables/NONE").status, 404u);
  EXPECT_EQ(Send("GET", "/api/v1/tables/a%20b").status, 400u);
  EXPECT_EQ(Send("POST", "/api/v1/statements/cancel", "{}").status, 400u);
}

TEST_F(ConsoleTest, ShowsTheStore) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, F.V INTEGER) SALT_BUCKETS = 4");
  const Json overview = Get("overview");
  EXPECT_EQ(overview["version"], "1.2.3");
  EXPECT_EQ(overview["connections"]["phoenix"], 3);
  EXPECT_EQ(overview["connections"]["console"], 1);
  EXPECT_GT(overview["memory"]["resident_bytes"], 0);
  EXPECT_EQ(overview["store_files"]["bytes"], 1000);

  Json table;
  const Json tables = Get("tables");
  for (const Json& each : tables["tables"]) {
    if (each["name"] == "T") table = each;
  }
  EXPECT_EQ(table["sql_name"], "T");
  EXPECT_EQ(table["sql_type"], "table");
  EXPECT_EQ(table["salt_buckets"], 4);
  EXPECT_EQ(table["families"], Json::array({"F"}));
  EXPECT_EQ(table["reads"], 7);

  const Json one = Get("tables/T");
  EXPECT_EQ(one["regions"].size(), 4u);
  EXPECT_EQ(one["regions"][1]["start_key"], "\\x01");
  EXPECT_EQ(one["families"][0]["name"], "F");
}

// Percentiles are the page's work: it gets counts by buckets, which only grow.
TEST_F(ConsoleTest, CountsStatements) {
  const uint64_t before = Get("metrics")["statements"]["count"];
  Run("SELECT 1");
  const Json after = Get("metrics")["statements"];
  EXPECT_EQ(after["count"], before + 1);
  uint64_t in_buckets = 0;
  for (const Json& bucket : after["buckets"]) in_buckets += bucket[1].get<uint64_t>();
  EXPECT_EQ(in_buckets, before + 1);
}

// Rows count while their statement runs, so that a long one does not show at its end alone.
TEST_F(ConsoleTest, CountsRowsOfStatements) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Run("UPSERT INTO T VALUES (1), (2), (3)");
  const Json before = Get("metrics");
  const auto read = [&](const char* name) {
    return Get("metrics")[name].get<uint64_t>() - before[name].get<uint64_t>();
  };
  const Json first = Post("sql", {{"sql", "SELECT K FROM T"}, {"rows", 1}});
  EXPECT_EQ(first["done"], false);
  EXPECT_GE(read("sql_rows_read"), 1u);
  Post("sql/close", {{"session", first["session"]}});
  EXPECT_EQ(read("sql_rows_read"), 3u);
}

TEST_F(ConsoleTest, RunsStatementsAndPagesThroughRows) {
  EXPECT_FALSE(
      Run("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, B VARBINARY)").contains("columns"));
  EXPECT_EQ(Run("UPSERT INTO T VALUES (1, 'a\tb', X'00ff')")["update_count"], 1);
  Run("UPSERT INTO T (K) VALUES (2)");
  Run("UPSERT INTO T VALUES (3, 'c')");
  const Json all = Run("SELECT * FROM T ORDER BY K");
  EXPECT_EQ(all["columns"][0], Json({{"name", "K"}, {"type", "INTEGER"}, {"number", true}}));
  EXPECT_EQ(all["columns"][1]["type"], "VARCHAR");
  EXPECT_EQ(all["rows"],
            Json::parse(R"([["1", "a\tb", "00ff"], ["2", null, null], ["3", "c", null]])"));
  EXPECT_EQ(all["done"], true);
  EXPECT_GE(all["elapsed_ms"], 0);

  Json page = Post("sql", {{"sql", "SELECT K FROM T"}, {"session", session_}, {"rows", 2}});
  EXPECT_EQ(page["rows"].size(), 2u);
  EXPECT_EQ(page["done"], false);
  page = Post("sql/next", {{"session", session_}, {"rows", 2}});
  EXPECT_EQ(page["rows"], Json::parse(R"([["3"]])"));
  EXPECT_EQ(page["done"], true);
  EXPECT_EQ(Post("sql/next", {{"session", session_}})["rows"].size(), 0u);
}

// A statement that fails is an answer: the request was right.
TEST_F(ConsoleTest, TellsWhereAStatementIsWrong) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  const Json answer = Sql("SELECT K,\n  'ä', KK\nFROM T");
  const Json& error = answer["error"];
  EXPECT_EQ(error["code"], 504);
  EXPECT_EQ(error["sqlstate"], "42703");
  EXPECT_EQ(error["position"], Json({{"offset", 18}, {"line", 2}, {"column", 8}}));
  EXPECT_EQ(answer["session"], session_);
  EXPECT_EQ(Sql("SELEC 1")["error"]["position"]["column"], 1);
}

TEST_F(ConsoleTest, DrawsWhatAStatementDid) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY, V INTEGER)");
  for (int k = 0; k < 5; ++k) {
    Run("UPSERT INTO T VALUES (" + std::to_string(k) + ", " + std::to_string(k % 2) + ")");
  }
  const Json plan =
      Run("EXPLAIN ANALYZE SELECT V, COUNT(*) FROM T WHERE K > 1 AND V >= 0 GROUP BY V LIMIT 7")
          ["plan"];
  std::vector<std::string> names;
  Json node = plan["nodes"][0];
  while (true) {
    names.push_back(node["name"].get<std::string>() + " " +
                    (node.contains("rows") ? node["rows"].dump() : "-"));
    if (node["children"].empty()) break;
    node = Json(node["children"][0]);
  }
  EXPECT_THAT(names, ElementsAre("Limit 2", "Aggregate 2", "Filter 3", "Range scan 3"));
  EXPECT_EQ(plan["totals"]["rows"], 2);
  EXPECT_EQ(node["detail"], "T");
  EXPECT_THAT(node["notes"][0].get<std::string>(), HasSubstr("[2] - [*]"));

  const Json change = Run("EXPLAIN ANALYZE DELETE FROM T WHERE V = 1")["plan"]["nodes"][0];
  EXPECT_EQ(change["name"], "Write");
  EXPECT_EQ(change["rows"], 2);
  EXPECT_EQ(change["children"].size(), 1u);
  const Json join =
      Run("EXPLAIN ANALYZE SELECT A.K FROM T A JOIN T B ON A.V = B.K")["plan"]["nodes"][0];
  EXPECT_EQ(join["name"], "Hash join");
  EXPECT_THAT(join["detail"].get<std::string>(), HasSubstr("inner: "));
  EXPECT_EQ(join["children"][1]["name"], "Build");
  EXPECT_FALSE(Run("EXPLAIN SELECT * FROM T").contains("plan"));
}

TEST_F(ConsoleTest, Completes) {
  EXPECT_EQ(Post("sql/complete", {{"before", ""}, {"word", "sele"}})["words"], Json({"select"}));
  Run("CREATE TABLE S.ORDERS (ID INTEGER PRIMARY KEY, PRICE DECIMAL)");
  EXPECT_EQ(Post("sql/complete",
                 {{"before", "SELECT "}, {"word", "pri"}, {"after", " FROM S.ORDERS"}})["words"],
            Json({"price", "primary"}));
  EXPECT_EQ(Post("sql/complete", {{"before", "SELECT * FROM "}, {"word", "S.O"}})["words"],
            Json({"S.ORDERS"}));
  EXPECT_THAT(
      Post("sql/complete", {{"before", "SELECT * FROM S.ORDERS o WHERE "}, {"word", "o."}})["words"]
          .get<std::vector<std::string>>(),
      ElementsAre("o.ID", "o.PRICE"));
}

TEST_F(ConsoleTest, SessionsAreBoundedAndEnd) {
  Restart({.sessions_max = 2, .idle_max = std::chrono::seconds(0)});
  const std::string first = Post("sql", {{"sql", "SELECT 1"}})["session"];
  const std::string second = Post("sql", {{"sql", "SELECT 1"}})["session"];
  Post("sql", {{"sql", "SELECT 1"}}, 429);
  Post("sql/close", {{"session", first}});
  Post("sql", {{"sql", "SELECT 1"}, {"session", first}}, 404);
  Post("sql", {{"sql", "SELECT 1"}, {"session", second}});
  console_->CloseIdle();
  Post("sql", {{"sql", "SELECT 1"}, {"session", second}}, 404);
  console_->Stop();
  Post("sql", {{"sql", "SELECT 1"}}, 409);
}

TEST_F(ConsoleTest, SessionsBelongToTheirUsers) {
  user_ = "ann";
  Run("SELECT 1");
  user_ = "bob";
  Post("sql", {{"sql", "SELECT 1"}, {"session", session_}}, 404);
  Post("sql/cancel", {{"session", session_}}, 404);
  user_ = "ann";
  Run("SELECT 1");
}

// A table of 'rows' numbers; a join of it with itself takes long.
TEST_F(ConsoleTest, CancelsWhatRuns) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Run("UPSERT INTO T VALUES (0)");
  for (int rows = 1; rows < 8192; rows *= 2) {
    Run("UPSERT INTO T SELECT K + " + std::to_string(rows) + " FROM T");
  }
  const std::string slow =
      "SELECT COUNT(*) FROM T A, T B, T C WHERE A.K + B.K + C.K < 0 AND RAND() < 2";
  const auto cancel_by = [&](const auto& cancel) {
    Json answer;
    std::thread runner([&] { answer = Sql(slow); });
    while (!cancel()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    runner.join();
    EXPECT_EQ(answer["error"]["status"], "Cancelled") << answer.dump();
  };
  const std::string session = session_;
  cancel_by([&] {
    const Json running = Get("statements")["statements"];
    if (running.empty()) return false;
    EXPECT_EQ(running[0]["text"], slow);
    // Another statement of the same session has to wait for its end.
    Post("sql", {{"sql", "SELECT 1"}, {"session", session}}, 409);
    return Post("sql/cancel", {{"session", session}})["cancelled"].get<bool>();
  });
  cancel_by([&] {
    const Json running = Get("statements")["statements"];
    return !running.empty() &&
           Post("statements/cancel", {{"id", running[0]["id"]}})["cancelled"].get<bool>();
  });
  EXPECT_EQ(Post("sql/cancel", {{"session", session_}})["cancelled"], false);
  EXPECT_EQ(Get("statements")["statements"].size(), 0u);
}

TEST_F(ConsoleTest, TellsOfFlushes) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Run("UPSERT INTO T VALUES (1)");
  ASSERT_TRUE(store_->engine()->admin()->Flush(TableName::Parse("T").value()).ok());
  const Json maintenance = Get("maintenance");
  EXPECT_GE(maintenance["flushes"], 1);
  EXPECT_EQ(maintenance["running"].size(), 0u);
  EXPECT_EQ(maintenance["ended"][0]["kind"], "flush");
  EXPECT_EQ(maintenance["ended"][0]["table"], "T");
  EXPECT_EQ(Get("slow")["calls"][0]["method"], "Scan");
}

// Members and their types, of all elements that the page shows.
void ExpectShape(const Json& shown, const Json& answered, const std::string& place) {
  if (shown.is_number() && answered.is_number()) return;
  ASSERT_EQ(shown.type_name(), std::string(answered.type_name())) << place;
  if (shown.is_object()) {
    for (const auto& [name, value] : shown.items()) {
      ASSERT_TRUE(answered.contains(name)) << place << "." << name << " in " << answered.dump();
      ExpectShape(value, answered[name], place + "." + name);
    }
    // An example may leave attributes out, which are the table's own.
    if (!place.ends_with("attributes")) {
      EXPECT_EQ(shown.size(), answered.size()) << place;
    }
  } else if (shown.is_array() && !answered.empty()) {
    // How many buckets have something in them depends on how long everything took.
    const bool by_time = place.ends_with(".buckets");
    const size_t count = by_time ? std::min(shown.size(), answered.size()) : shown.size();
    ASSERT_LE(count, answered.size()) << place;
    for (size_t i = 0; i < count; ++i) {
      ExpectShape(shown[i], answered[i], place + "[" + std::to_string(i) + "]");
    }
  }
}

// Each request of docs/console.md is answered as the page shows it: with the same members, and the
// same values where they do not depend on the moment.
TEST_F(ConsoleTest, ExamplesOfThePageHold) {
  Run("CREATE TABLE SHOP.ORDERS (REGION VARCHAR NOT NULL, ID INTEGER NOT NULL, "
      "AMOUNT DECIMAL(10,2), CONSTRAINT PK PRIMARY KEY (REGION, ID DESC)) SALT_BUCKETS = 4");
  for (const char* row : {"'north', 1, 10.5", "'north', 2, 7.25", "'south', 3, NULL"}) {
    Run(std::string("UPSERT INTO SHOP.ORDERS VALUES (") + row + ")");
  }
  ASSERT_TRUE(store_->engine()->admin()->Flush(TableName::Parse("SHOP.ORDERS").value()).ok());
  const Bytes page = Env::Default()->ReadFile(BENNU_SOURCE_DIR "/docs/console.md").value();
  size_t examples = 0;
  for (size_t at = 0; (at = page.find("```http\n", at)) != Bytes::npos; ++examples) {
    at += std::string_view("```http\n").size();
    const size_t line_end = page.find('\n', at);
    const std::string line = page.substr(at, line_end - at);
    const size_t end = page.find("```", line_end);
    const std::string body = page.substr(line_end, end - line_end);
    const size_t begin = page.find("```json\n", end) + std::string_view("```json\n").size();
    const Json shown = Json::parse(page.substr(begin, page.find("```", begin) - begin));
    const std::string method = line.substr(0, line.find(' '));
    const std::string path = line.substr(line.find(' ') + 1);
    Json asked = method == "POST" ? Json::parse(body) : Json();
    if (asked.contains("session")) asked["session"] = session_;
    const http::Response response = Send(method, path, asked.dump());
    ASSERT_EQ(response.status, 200u) << line << ": " << response.body;
    const Json answered = Json::parse(response.body);
    if (path == "/api/v1/tables") {  // the tables of SQL's catalog are not shown
      ExpectShape(shown["tables"][0], answered["tables"][0], line);
    } else {
      ExpectShape(shown, answered, line);
    }
    for (const char* exact : {"rows", "columns", "error", "words", "key", "cancelled", "done"}) {
      const bool has_times = exact == std::string_view("rows") && shown.contains("plan");
      if (shown.contains(exact) && !has_times) {
        EXPECT_EQ(shown[exact], answered[exact]) << line;
      }
    }
    at = end;
  }
  EXPECT_EQ(examples, 16u);
}

TEST(StatementLogTest, KeepsTheSlowOnes) {
  StatementLog log(1000);
  const auto text = std::make_shared<const std::string>("SELECT 1");
  log.StatementEnded({text, "", 5, 999, {}});
  log.StatementEnded({text, "", 6, 1000, {.rows_read = 9}});
  EXPECT_EQ(log.micros().count, 2u);
  ASSERT_EQ(log.Slow().size(), 1u);
  EXPECT_EQ(log.Slow()[0].start_millis, 6);
  EXPECT_EQ(log.Slow()[0].rows_read, 9u);
  for (size_t i = 0; i < 2 * StatementLog::kKeptMax; ++i)
    log.StatementEnded({text, "", 7, 2000, {}});
  EXPECT_EQ(log.Slow().size(), StatementLog::kKeptMax);
}

// ---- row keys

TEST_F(ConsoleTest, CutsFixedAndVariableColumns) {
  Run("CREATE TABLE T (A INTEGER NOT NULL, B VARCHAR NOT NULL, C VARCHAR, D VARCHAR "
      "CONSTRAINT PK PRIMARY KEY (A, B, C, D))");
  // 5 has its sign bit flipped; texts end with 00 when another column follows.
  const std::vector<std::string> parts = {"column A 5 80000005", "column B x 78", "separator 00",
                                          "column C NULL ",      "separator 00",  "column D y 79"};
  EXPECT_EQ(PartsOf({{"table", "T"}, {"values", {"5", "x", nullptr, "y"}}}), parts);
  EXPECT_EQ(PartsOf({{"table", "t"}, {"hex", "8000000578000079"}}), parts);
  // Trailing NULLs have no bytes.
  EXPECT_EQ(PartsOf({{"table", "T"}, {"values", {"5", "x"}}}),
            (std::vector<std::string>{"column A 5 80000005", "column B x 78", "column C NULL ",
                                      "column D NULL "}));
  const Json described = Post("rowkey", {{"table", "T"}});
  EXPECT_FALSE(described.contains("key"));
  EXPECT_EQ(described["columns"][1],
            Json({{"name", "B"}, {"type", "VARCHAR"}, {"order", "ASC"}, {"nullable", false}}));
}

TEST_F(ConsoleTest, CutsDescendingColumns) {
  Run("CREATE TABLE T (A VARCHAR NOT NULL, B INTEGER NOT NULL, C VARCHAR, "
      "CONSTRAINT PK PRIMARY KEY (A DESC, B DESC, C DESC))");
  // All bytes inverted; descending texts end with ff, the last one as well.
  const std::vector<std::string> parts = {"column A a 9e", "terminator ff", "column B 1 7ffffffe",
                                          "column C b 9d", "terminator ff"};
  EXPECT_EQ(PartsOf({{"table", "T"}, {"values", {"a", "1", "b"}}}), parts);
  EXPECT_EQ(PartsOf({{"table", "T"}, {"hex", "9eff7ffffffe9dff"}}), parts);
}

TEST_F(ConsoleTest, TellsTheSalt) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY) SALT_BUCKETS = 8");
  // Phoenix's hash of the byte 61 begins with 1: 31 * 1 + 97 = 128, which leaves 0.
  EXPECT_EQ(PartsOf({{"table", "T"}, {"values", {"a"}}}),
            (std::vector<std::string>{"salt bucket 0 of 8 00", "column K a 61"}));
  // A key in the wrong bucket is told of.
  EXPECT_EQ(PartsOf({{"table", "T"}, {"hex", "0361"}}),
            (std::vector<std::string>{"salt bucket 3 of 8 ! 03", "column K a 61"}));
}

TEST_F(ConsoleTest, CutsVarbinaryEncoded) {
  Run("CREATE TABLE T (A VARBINARY_ENCODED NOT NULL, B VARBINARY_ENCODED NOT NULL, C INTEGER NOT "
      "NULL "
      "CONSTRAINT PK PRIMARY KEY (A, B DESC, C))");
  // 00 within a value is 00 ff, its end 00 01; descending all that inverted, with the end ff fe.
  const std::vector<std::string> parts = {"column A 0100ff 0100ffff", "separator 0001",
                                          "column B 00aa ff0055", "terminator fffe",
                                          "column C 7 80000007"};
  EXPECT_EQ(PartsOf({{"table", "T"}, {"values", {"0100ff", "00aa", "7"}}}), parts);
  EXPECT_EQ(PartsOf({{"table", "T"}, {"hex", "0100ffff0001ff0055fffe80000007"}}), parts);
}

// Any bytes get an answer that covers them all.
TEST_F(ConsoleTest, CutsWhatIsNoKey) {
  Run("CREATE TABLE T (A INTEGER NOT NULL, B SMALLINT NOT NULL CONSTRAINT PK PRIMARY KEY (A, B))");
  EXPECT_EQ(PartsOf({{"table", "T"}, {"hex", "800000058003ffee"}}),
            (std::vector<std::string>{"column A 5 80000005", "column B 3 8003", "rest ffee"}));
  EXPECT_EQ(PartsOf({{"table", "T"}, {"hex", "8000"}}),
            (std::vector<std::string>{"column A NULL ! 8000", "column B NULL "}));
  const Json answer = Post("rowkey", {{"table", "T"}, {"hex", "8000"}});
  EXPECT_THAT(answer["key"]["error"].get<std::string>(), HasSubstr("too few bytes"));
  // Somebody is still writing: that is an answer. The columns come with it.
  const auto error_of = [&](const Json& body) {
    const Json answer = Post("rowkey", body);
    EXPECT_FALSE(answer.contains("key"));
    EXPECT_EQ(answer.contains("columns"), body["table"] == "T");
    return answer["error"]["message"].get<std::string>();
  };
  EXPECT_THAT(error_of({{"table", "T"}, {"hex", "800"}}), HasSubstr("two digits per byte"));
  EXPECT_THAT(error_of({{"table", "T"}, {"values", {"1", "2", "3"}}}), HasSubstr("3 values"));
  EXPECT_THAT(error_of({{"table", "T"}, {"values", {"x", "1"}}}), HasSubstr("column A"));
  EXPECT_THAT(error_of({{"table", "T"}, {"values", {"1", nullptr}}}), HasSubstr("T.B"));
  EXPECT_THAT(error_of({{"table", "NONE"}}), HasSubstr("Table undefined"));
  Post("rowkey", {{"table", "T"}, {"values", Json::array({1})}}, 400);
  Post("rowkey", {{"table", "T"}, {"values", "x"}}, 400);
}

}  // namespace
}  // namespace bennu::server::console
