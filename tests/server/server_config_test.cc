// Properties have HBase's names and meanings (hbase-default.xml); docs/server.md lists them.
#include "src/server/config/server_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "src/api/store_configuration.h"
#include "src/base/env.h"
#include "src/engine/core/engine_properties.h"

namespace bennu::server::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SiteProperties Properties(std::initializer_list<std::pair<const char*, const char*>> pairs) {
  SiteProperties properties;
  unsigned line = 1;
  for (const auto& [name, value] : pairs) properties[name] = {value, ++line};
  return properties;
}

struct Applied {
  Status status;
  ServerConfig config;
  std::vector<std::string> unread;
};

Applied Of(const SiteProperties& properties) {
  Applied applied;
  applied.status = Apply("site.xml", properties, &applied.config, &applied.unread);
  return applied;
}

TEST(ServerConfig, ReadsWhatHBaseReads) {
  const Applied applied = Of(Properties({{"hbase.rootdir", "file:///var/lib/bennu"},
                                         {"hbase.zookeeper.property.clientPort", "2182"},
                                         {"hbase.master.port", "0"},
                                         {"hbase.regionserver.port", "-1"},
                                         {"hbase.regionserver.ipc.address", "0.0.0.0"},
                                         {"hbase.regionserver.hostname", "node1"},
                                         {"hbase.regionserver.handler.count", "8"},
                                         {"hbase.ipc.server.max.callqueue.length", "80"},
                                         {"hbase.client.scanner.timeout.period", "5000"},
                                         {"hbase.hregion.memstore.flush.size", "64m"},
                                         {"hbase.regionserver.hlog.blocksize", "100"},
                                         {"hbase.wal.hsync", "false"},
                                         {"hbase.regionserver.compaction.enabled", "false"},
                                         {"hbase.hstore.compaction.min", "5"},
                                         {"bennu.allow.unauthenticated", "true"},
                                         {"bennu.log.format", "json"}}));
  ASSERT_TRUE(applied.status.ok()) << applied.status.ToString();
  EXPECT_THAT(applied.unread, IsEmpty());
  const ServerOptions& options = applied.config.options;
  EXPECT_EQ(options.directory, "/var/lib/bennu");
  EXPECT_EQ(options.zookeeper_port, 2182);
  EXPECT_EQ(options.master_port, 0);
  EXPECT_EQ(options.region_server_port, std::nullopt);
  EXPECT_EQ(options.address, "0.0.0.0");
  EXPECT_EQ(options.host, "node1");
  EXPECT_EQ(options.handler_threads, 8u);
  EXPECT_EQ(options.live.queued_calls_max, 80u);
  EXPECT_EQ(options.live.scanner_lease, std::chrono::milliseconds(5000));
  EXPECT_EQ(options.engine.memstore_flush_bytes, 64u << 20);
  EXPECT_EQ(options.engine.wal_roll_bytes, 50u);
  EXPECT_EQ(options.engine.wal_sync, engine::WalSync::kOs);
  EXPECT_FALSE(options.engine.compactions_on);
  EXPECT_EQ(options.engine.configuration.at("hbase.hstore.compaction.min"), "5");
  EXPECT_TRUE(options.allow_unauthenticated);
  EXPECT_EQ(applied.config.log_format, LogFormat::kJson);
}

// What the engine looks up by name is read here as well, whichever part of it does.
TEST(ServerConfig, ReadsAllThatTheEngineReads) {
  const Applied applied =
      Of(Properties({{"bennu.storefile.mmap", "true"},
                     {"hbase.busy.policy.minAge", "1000"},
                     {"hbase.hstore.time.to.purge.deletes", "1"},
                     {"hbase.increasing.policy.initial.size", "1000"},
                     {"hbase.regionserver.region.split.policy", "ConstantSizeRegionSplitPolicy"},
                     {"hbase.server.keyvalue.maxsize", "1000"},
                     {"hbase.table.max.rowsize", "1000"},
                     {"phoenix.max.lookback.age.seconds", "5"},
                     {"wal.sync", "os"}}));
  ASSERT_TRUE(applied.status.ok()) << applied.status.ToString();
  EXPECT_THAT(applied.unread, IsEmpty());
  EXPECT_EQ(applied.config.options.engine.configuration.size(), 8u);
  EXPECT_EQ(applied.config.options.engine.wal_sync, engine::WalSync::kOs);
  EXPECT_THAT(Of(Properties({{"bennu.memory", "10"}})).status.message(),
              HasSubstr("site.xml:2: bennu.memory: '10' is too little"));
  EXPECT_EQ(Of(Properties({{"hbase.busy.policy.minAge", "x"}})).status.message(),
            "site.xml:2: hbase.busy.policy.minAge is 'x'; expected a number from 0 to "
            "9223372036854775807");
}

TEST(ServerConfig, SharesAreOfTheMemory) {
  const Applied applied = Of(Properties({{"bennu.memory", "1000m"},
                                         {"hfile.block.cache.size", "0.5"},
                                         {"hbase.regionserver.global.memstore.size", "0.3"}}));
  ASSERT_TRUE(applied.status.ok()) << applied.status.ToString();
  EXPECT_EQ(applied.config.options.engine.block_cache_bytes, 500u << 20);
  // Writers wait at one and a half times the bound.
  EXPECT_EQ(applied.config.options.engine.memstore_total_bytes, 200u << 20);
}

TEST(ServerConfig, WhatIsNotReadIsNamed) {
  const Applied applied =
      Of(Properties({{"hbase.cluster.distributed", "true"}, {"hbase.regionserver.prot", "1"}}));
  EXPECT_TRUE(applied.status.ok());
  EXPECT_THAT(applied.unread, ElementsAre("hbase.cluster.distributed", "hbase.regionserver.prot"));
}

TEST(ServerConfig, AllErrorsAreNamedWithTheirLines) {
  const Applied applied = Of(Properties({{"hbase.master.port", "70000"},
                                         {"hbase.regionserver.handler.count", "many"},
                                         {"hbase.hstore.compaction.min", "-3"},
                                         {"hbase.hregion.max.filesize", "12x"},
                                         {"hbase.rootdir", "hdfs://cluster/hbase"},
                                         {"hfile.block.cache.size", "40"}}));
  EXPECT_EQ(applied.status.code(), StatusCode::kInvalidArgument);
  const std::string message(applied.status.message());
  EXPECT_THAT(message, HasSubstr("site.xml:2: hbase.master.port: '70000'"));
  EXPECT_THAT(message, HasSubstr("site.xml:3: hbase.regionserver.handler.count: 'many'"));
  EXPECT_THAT(message, HasSubstr("site.xml:4: hbase.hstore.compaction.min"));
  EXPECT_THAT(message, HasSubstr("'12x'"));
  EXPECT_THAT(message, HasSubstr("'hdfs://cluster/hbase'"));
  EXPECT_THAT(message, HasSubstr("'40'"));
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 5);
}

TEST(ServerConfig, SecurityThatIsNotThereIsNotPassedOver) {
  for (const auto& [name, value] :
       {std::pair("hbase.security.authentication", "kerberos"),
        std::pair("hbase.security.authorization", "true"),
        std::pair("hbase.rpc.protection", "privacy"),
        // Without a certificate.
        std::pair("hbase.server.netty.tls.enabled", "true"),
        std::pair("hbase.server.netty.tls.client.auth.mode", "MAYBE")}) {
    EXPECT_FALSE(Of(Properties({{name, value}})).status.ok()) << name;
  }
  EXPECT_TRUE(Of(Properties({{"hbase.security.authentication", "simple"}})).status.ok());
}

TEST(ServerConfig, OneServerHasOneAddress) {
  EXPECT_EQ(Of(Properties({{"hbase.master.ipc.address", "127.0.0.2"}})).config.options.address,
            "127.0.0.2");
  EXPECT_FALSE(Of(Properties({{"hbase.master.ipc.address", "127.0.0.2"},
                              {"hbase.regionserver.ipc.address", "127.0.0.3"}}))
                   .status.ok());
}

TEST(ServerConfig, WhatNeedsARestartIsTold) {
  const SiteProperties before = Properties({{"hbase.master.port", "1"},
                                            {"hbase.rootdir", "/a"},
                                            {"hbase.hstore.compaction.min", "3"},
                                            {"other", "1"}});
  const SiteProperties after = Properties({{"hbase.master.port", "2"},
                                           {"hbase.ipc.max.request.size", "5"},
                                           {"hbase.hstore.compaction.min", "4"},
                                           {"other", "2"}});
  EXPECT_THAT(NeedRestart(before, after),
              ElementsAre("hbase.hstore.compaction.min", "hbase.master.port", "hbase.rootdir"));
  EXPECT_THAT(NeedRestart(before, before), IsEmpty());
}

TEST(ServerConfig, NamesAreSorted) {
  const auto names = PropertyNames();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  const auto& engine = engine::EngineProperties::OptionNames();
  EXPECT_TRUE(std::is_sorted(engine.begin(), engine.end()));
}

// The page for people names every property that is read.
TEST(ServerConfig, AllAreDocumented) {
  const auto page = Env::Default()->ReadFile(BENNU_SOURCE_DIR "/docs/server.md");
  ASSERT_TRUE(page.ok());
  for (const std::string_view name : PropertyNames()) EXPECT_THAT(*page, HasSubstr(name));
  for (const std::string_view name : engine::EngineProperties::OptionNames()) {
    EXPECT_THAT(*page, HasSubstr(name));
  }
}

// So do the pages that it refers to, for the properties that the engine looks up; a page may give a
// row of names by their last parts.
TEST(ServerConfig, PropertiesOfStoresAreDocumented) {
  std::string pages;
  for (const char* const page : {"compaction", "configuration", "data-model", "regions"}) {
    const auto text =
        Env::Default()->ReadFile(std::string(BENNU_SOURCE_DIR "/docs/") + page + ".md");
    ASSERT_TRUE(text.ok()) << page;
    pages += *text;
  }
  for (const std::string_view name : api::StorePropertyNames()) {
    const std::string last = std::string(name.substr(name.rfind('.') + 1)) + "`";
    EXPECT_TRUE(pages.find(name) != std::string::npos || pages.find(last) != std::string::npos)
        << name;
  }
}

TEST(ServerConfig, TheExampleIsRight) {
  const auto properties = ReadSiteFile(BENNU_SOURCE_DIR "/packaging/hbase-site.xml");
  ASSERT_TRUE(properties.ok()) << properties.status().ToString();
  ServerConfig config;
  std::vector<std::string> unread;
  const Status status = Apply("packaging/hbase-site.xml", *properties, &config, &unread);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(unread, IsEmpty());
}

}  // namespace
}  // namespace bennu::server::config
