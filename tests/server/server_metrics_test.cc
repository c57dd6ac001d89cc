// Names are those of HBase's beans, and Prometheus's text format.
#include "src/server/status/server_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

namespace bennu::server::status {
namespace {

using testing::HasSubstr;

ServerMetrics Example() {
  ServerMetrics metrics;
  metrics.server_name = "node,16020,5";
  metrics.start_millis = 1500;
  metrics.engine.regions = 2;
  metrics.engine.block_cache_hits = 3;
  metrics.engine.block_cache_misses = 1;
  RegionMetrics region;
  region.name_space = "default";
  region.table = "t";
  region.region = "abc";
  region.reads = 10;
  region.writes = 4;
  region.store_file_bytes = 100;
  region.index_bytes = 30;
  region.bloom_bytes = 40;
  region.largest_store_files = 2;
  region.dated_files = 2;
  region.oldest_file_millis = 1000;
  region.newest_file_millis = 4000;
  region.file_millis_sum = 5000;
  metrics.now_millis = 10'000;
  metrics.regions.push_back(region);
  region.region = "def";
  region.reads = 1;
  region.oldest_file_millis = 2000;
  region.file_millis_sum = 6000;
  metrics.regions.push_back(region);
  metrics.failures["NotServingRegionException"] = 2;
  metrics.failures["RpcThrottlingException"] = 3;
  metrics.failures["IOException"] = 4;
  metrics.failures["DoNotRetryIOException"] = 1;
  hbase::Histogram times;
  times.Add(300);  // microseconds
  times.Add(20'000);
  metrics.total_micros = times.Read();
  metrics.methods.push_back({"ClientService", "Get", 1, times.Read()});
  return metrics;
}

nlohmann::json Bean(const nlohmann::json& all, const std::string& name) {
  for (const auto& bean : all["beans"]) {
    if (bean["name"] == name) return bean;
  }
  ADD_FAILURE() << "no bean " << name;
  return {};
}

TEST(Jmx, BeansAreNamedAsInHBase) {
  const auto all = nlohmann::json::parse(ToJmx(Example(), ""));
  const auto server = Bean(all, "Hadoop:service=HBase,name=RegionServer,sub=Server");
  EXPECT_EQ(server["modelerType"], "RegionServer,sub=Server");
  EXPECT_EQ(server["tag.serverName"], "node,16020,5");
  EXPECT_EQ(server["regionCount"], 2);
  EXPECT_EQ(server["readRequestCount"], 11);
  EXPECT_EQ(server["writeRequestCount"], 8);
  EXPECT_EQ(server["storeFileSize"], 200);
  EXPECT_EQ(server["blockCacheCountHitPercent"], 75.0);
  EXPECT_EQ(server["l1CacheMissRatio"], 25.0);
  EXPECT_EQ(server["staticIndexSize"], 60);
  EXPECT_EQ(server["staticBloomSize"], 80);
  EXPECT_EQ(server["maxStoreFileCount"], 2);
  EXPECT_EQ(server["maxStoreFileAge"], 9000);
  EXPECT_EQ(server["minStoreFileAge"], 6000);
  EXPECT_EQ(server["avgStoreFileAge"], 7250);
  EXPECT_EQ(server["rpcGetRequestCount"], 2);
  EXPECT_EQ(server["rpcScanRequestCount"], 0);
  EXPECT_EQ(server["Get_num_ops"], 2);
  const auto ipc = Bean(all, "Hadoop:service=HBase,name=RegionServer,sub=IPC");
  EXPECT_EQ(ipc["TotalCallTime_num_ops"], 2);
  EXPECT_EQ(ipc["TotalCallTime_max"], 20);  // milliseconds
  EXPECT_EQ(ipc["exceptions.NotServingRegionException"], 2);
  EXPECT_EQ(ipc["exceptions.rpcThrottling"], 3);
  EXPECT_EQ(ipc["exceptions.otherExceptions"], 5);
  EXPECT_EQ(ipc["exceptions.callQueueTooBig"], 0);
  EXPECT_EQ(ipc["exceptions"], 10);
  const auto regions = Bean(all, "Hadoop:service=HBase,name=RegionServer,sub=Regions");
  EXPECT_EQ(regions["Namespace_default_table_t_region_abc_metric_readRequestCount"], 10);
  const auto tables = Bean(all, "Hadoop:service=HBase,name=RegionServer,sub=Tables");
  EXPECT_EQ(tables["Namespace_default_table_t_metric_totalRequestCount"], 19);
  const auto master = Bean(all, "Hadoop:service=HBase,name=Master,sub=Server");
  EXPECT_EQ(master["tag.isActiveMaster"], "true");
  EXPECT_EQ(master["numRegionServers"], 1);
}

TEST(Jmx, AQueryChoosesBeans) {
  const auto names = [](std::string_view query) {
    std::set<std::string> found;
    const auto all = nlohmann::json::parse(ToJmx(Example(), query));
    for (const auto& bean : all["beans"]) {
      found.insert(bean["name"].get<std::string>());
    }
    return found;
  };
  EXPECT_EQ(names("Hadoop:service=HBase,name=Master,sub=Server").size(), 1u);
  EXPECT_EQ(names("Hadoop:service=HBase,name=RegionServer,sub=*").size(), 5u);
  EXPECT_EQ(names("*sub=IP?").size(), 2u);
  EXPECT_TRUE(names("java.lang:type=Memory").empty());
}

// Every line is a comment or a sample, and every family has one type, before its samples.
TEST(Prometheus, TheFormatIsKept) {
  const std::string text = ToPrometheus(Example());
  const std::regex type("# TYPE ([a-z_]+) (counter|gauge|histogram)");
  const std::regex sample(R"re(([a-z_]+)(\{([a-z_]+="[^"]*",?)+\})? [0-9.e+-]+)re");
  std::set<std::string> families;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, type)) {
      EXPECT_TRUE(families.insert(match[1]).second) << line;
    } else if (line.rfind("# HELP ", 0) != 0) {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      const std::string family =
          std::regex_replace(match[1].str(), std::regex("_(bucket|sum|count)$"), "");
      EXPECT_TRUE(families.contains(family) || families.contains(match[1])) << line;
    }
  }
  EXPECT_THAT(text,
              HasSubstr("\nhbase_region_read_requests_total{namespace=\"default\",table=\"t\","
                        "region=\"abc\"} 10\n"));
  EXPECT_THAT(text, HasSubstr("\nhbase_rpc_total_time_seconds_bucket{le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\nhbase_rpc_total_time_seconds_bucket{le=\"+Inf\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("\nhbase_rpc_total_time_seconds_sum 0.0203\n"));
  EXPECT_THAT(
      text, HasSubstr("\nhbase_rpc_exceptions_total{exception=\"NotServingRegionException\"} 2\n"));
}

}  // namespace
}  // namespace bennu::server::status
