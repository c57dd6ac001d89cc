#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "bennu/descriptor.h"
#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/api/namespace_name.h"
#include "src/api/table_checks.h"
#include "src/base/hex.h"
#include "src/base/units.h"

namespace bennu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

ColumnFamilyDescriptor Family(std::map<std::string, std::string> attributes) {
  ColumnFamilyDescriptor family;
  family.name = "f";
  family.attributes = std::move(attributes);
  return family;
}

TEST(TableNameTest, Parse) {
  EXPECT_EQ(*TableName::Parse("t"), (TableName{"default", "t"}));
  EXPECT_EQ(*TableName::Parse("ns:T_1.a-b"), (TableName{"ns", "T_1.a-b"}));
  EXPECT_EQ(TableName::Parse("default:t")->ToString(), "t");
  EXPECT_EQ(TableName::Parse("ns:t")->ToString(), "ns:t");
  for (const char* bad : {"", ":t", "ns:", ".t", "-t", "a b", "n-s:t", "a/b", "a:b:c"}) {
    EXPECT_EQ(TableName::Parse(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

// Which characters HBase 2.5.10's TableName takes, on Java 17: letters and digits of any language
// (here Russian, Chinese, Arabic digits, a letter with an accent of its own), as long as they are
// one char of Java's.
TEST(TableNameTest, LettersOfAnyLanguage) {
  for (const char* good : {"таблица", "ню:таблица", "表", "t\xd9\xa3", "é", "ǅ", "ⅷ", "ª"}) {
    EXPECT_TRUE(TableName::Parse(good).ok()) << good;
    EXPECT_EQ(TableName::Parse(good)->ToString(), good);
  }
  for (const char* bad : {"€", "t\u00a0", "a\u2013b", "𝒳", "\xff", "a\xc3",
                          "a\x80"
                          "b",
                          "a\xed\xa0\x80", "①", "ю-ю:t"}) {
    EXPECT_EQ(TableName::Parse(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST(TableNameTest, ZooKeepersOwnName) {
  EXPECT_FALSE(TableName::Parse("zookeeper").ok());
  EXPECT_FALSE(TableName::Parse("ns:zookeeper").ok());
  EXPECT_FALSE(TableName::Parse("zookeeper:t").ok());
  EXPECT_FALSE(api::CheckNamespaceName("zookeeper").ok());
  EXPECT_TRUE(TableName::Parse("Zookeeper").ok());
  EXPECT_TRUE(TableName::Parse("zookeeper2").ok());
}

// Names are directories; a long one is told as what it is, and not at full length.
TEST(TableNameTest, LengthIsADirectorys) {
  EXPECT_TRUE(TableName::Parse(std::string(255, 't')).ok());
  for (const std::string& bad : {std::string(256, 't'), std::string(256, 'n') + ":t"}) {
    const Status status = TableName::Parse(bad).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), AllOf(HasSubstr("256 bytes"), HasSubstr("at most 255")));
    EXPECT_LT(status.message().size(), 200u);
  }
}

TEST(NamespaceTest, NamesAreChecked) {
  EXPECT_TRUE(api::CheckNamespaceName("ns_1").ok());
  for (const std::string& bad : {std::string(), std::string("a.b"), std::string("a:b"),
                                 std::string("n-s"), std::string(256, 'n')}) {
    EXPECT_TRUE(api::CheckNamespaceName(bad).message().starts_with("namespace '")) << bad;
  }
}

// HBase's defaults where nothing is said.
TEST(FamilyTest, Defaults) {
  const ColumnFamilyDescriptor family = Family({});
  EXPECT_EQ(family.max_versions(), 1);
  EXPECT_EQ(family.min_versions(), 0);
  EXPECT_EQ(family.ttl_seconds(), kTtlForever);
  EXPECT_EQ(family.keep_deleted_cells(), KeepDeletedCells::kFalse);
  EXPECT_EQ(family.block_size_bytes(), 65536);
  EXPECT_TRUE(family.block_cache());
  EXPECT_EQ(family.bloom_type(), BloomType::kRow);
  EXPECT_EQ(family.data_block_encoding(), DataBlockEncoding::kNone);
  EXPECT_EQ(family.compression(), Compression::kNone);
  EXPECT_FALSE(family.new_version_behavior());
  EXPECT_TRUE(family.Validate().ok());
}

TEST(FamilyTest, ReadsAttributes) {
  const ColumnFamilyDescriptor family = Family({{"VERSIONS", "3"},
                                                {"TTL", "1 DAY 2 HOURS"},
                                                {"KEEP_DELETED_CELLS", "TTL"},
                                                {"BLOCKCACHE", "false"},
                                                {"BLOOMFILTER", "ROWCOL"},
                                                {"DATA_BLOCK_ENCODING", "FAST_DIFF"},
                                                {"COMPRESSION", "GZ"},
                                                {"anything else", "is kept"}});
  EXPECT_TRUE(family.Validate().ok());
  EXPECT_EQ(family.max_versions(), 3);
  EXPECT_EQ(family.ttl_seconds(), 93600);
  EXPECT_EQ(family.keep_deleted_cells(), KeepDeletedCells::kTtl);
  EXPECT_FALSE(family.block_cache());
  EXPECT_EQ(family.bloom_type(), BloomType::kRowCol);
  EXPECT_EQ(family.data_block_encoding(), DataBlockEncoding::kFastDiff);
  EXPECT_EQ(family.compression(), Compression::kGz);
}

// A known attribute with an impossible value is refused, and the message names both.
TEST(FamilyTest, RefusesBadValues) {
  const std::pair<const char*, const char*> bad[] = {{"VERSIONS", "0"},
                                                     {"VERSIONS", "many"},
                                                     {"MIN_VERSIONS", "-1"},
                                                     {"MIN_VERSIONS", "2"},
                                                     {"TTL", "0"},
                                                     {"TTL", "a while"},
                                                     {"BLOCKSIZE", "7"},
                                                     {"BLOCKCACHE", "yes"},
                                                     {"BLOOMFILTER", "COLUMN"},
                                                     {"COMPRESSION", "RAR"},
                                                     {"KEEP_DELETED_CELLS", "MAYBE"},
                                                     {"DATA_BLOCK_ENCODING", "PREFIX_TREE"},
                                                     {"IN_MEMORY_COMPACTION", "FOO"},
                                                     {"hbase.hstore.blockingWaitTime", "qq"},
                                                     {"hbase.table.sanity.checks", "no"}};
  for (const auto& [key, value] : bad) {
    const Status status = Family({{key, value}}).Validate();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << key << "=" << value;
    EXPECT_THAT(status.message(), HasSubstr(key));
    EXPECT_THAT(status.message(), HasSubstr(value));
  }
}

TEST(FamilyTest, ChecksNumbersOfProperties) {
  const std::pair<const char*, const char*> bad[] = {
      {"hbase.memstore.inmemoryflush.threshold.factor", "zz"},
      {"hbase.hstore.compaction.throughput.higher.bound", "abc"},
      {"hbase.hregion.compacting.memstore.type", "SOMETIMES"}};
  for (const auto& [key, value] : bad) {
    const Status status = Family({{key, value}}).Validate();
    EXPECT_THAT(status.message(), AllOf(HasSubstr(key), HasSubstr(value), HasSubstr("expected")));
  }
  EXPECT_TRUE(Family({{"hbase.memstore.inmemoryflush.threshold.factor", "0.02"},
                      {"hbase.hregion.compacting.memstore.type", "eager"}})
                  .Validate()
                  .ok());
}

// A refusal says what is possible, and nothing that is refused as well.
TEST(FamilyTest, RefusalsNameWhatIsThere) {
  for (const char* value : {"LZO", "BOGUS"}) {
    const Status status = Family({{"COMPRESSION", value}}).Validate();
    EXPECT_THAT(status.message(), HasSubstr("one of NONE, GZ, SNAPPY, LZ4, ZSTD"));
    EXPECT_THAT(status.message(), Not(HasSubstr("BROTLI")));
  }
  EXPECT_THAT(Family({{"hbase.hstore.engine.class", "com.example.Mine"}}).Validate().message(),
              AllOf(HasSubstr("com.example.Mine"), HasSubstr("StripeStoreEngine")));
}

// What would silently do nothing is refused too.
TEST(FamilyTest, RefusesWhatHasNoEffect) {
  const std::pair<const char*, const char*> later[] = {
      {"IS_MOB", "true"}, {"ENCRYPTION", "AES"}, {"COMPRESSION", "LZO"}};
  for (const auto& [key, value] : later) {
    const Status status = Family({{key, value}}).Validate();
    EXPECT_EQ(status.code(), StatusCode::kNotSupported) << key << "=" << value;
    EXPECT_THAT(status.message(), HasSubstr(key));
  }
  EXPECT_TRUE(Family({{"NEW_VERSION_BEHAVIOR", "false"}, {"IS_MOB", "false"}}).Validate().ok());
}

TEST(FamilyTest, RefusesBadNames) {
  for (const char* bad : {"", ".f", "a:b", "a/b", "a\x01", "recovered.edits"}) {
    ColumnFamilyDescriptor family;
    family.name = bad;
    EXPECT_EQ(family.Validate().code(), StatusCode::kInvalidArgument) << bad;
  }
  ColumnFamilyDescriptor family;
  family.name = Bytes(128, 'f');
  EXPECT_EQ(family.Validate().code(), StatusCode::kInvalidArgument);
}

TEST(TableTest, Validate) {
  TableDescriptor table;
  table.name.qualifier = "t";
  EXPECT_EQ(table.Validate().code(), StatusCode::kInvalidArgument);  // no family
  table.families = {Family({}), Family({})};
  EXPECT_THAT(table.Validate().message(), HasSubstr("twice"));
  table.families.pop_back();
  EXPECT_TRUE(table.Validate().ok());
  table.attributes["DURABILITY"] = "SOMETIMES";
  EXPECT_THAT(table.Validate().message(), HasSubstr("DURABILITY"));
  table.attributes = {{"REGION_REPLICATION", "3"}};
  EXPECT_EQ(table.Validate().code(), StatusCode::kNotSupported);
}

TEST(TableTest, ChecksBounds) {
  TableDescriptor table;
  table.name.qualifier = "t";
  table.families = {Family({})};
  EXPECT_TRUE(api::CheckTable(table, {}).ok());
  for (const auto& [key, low, enough] : {std::tuple{"MAX_FILESIZE", "2097151", "2097152"},
                                         {"MEMSTORE_FLUSHSIZE", "1048575", "1048576"}}) {
    table.attributes = {{key, low}};
    EXPECT_THAT(api::CheckTable(table, {}).message(),
                AllOf(HasSubstr(key), HasSubstr(low), HasSubstr(enough)));
    EXPECT_TRUE(api::CheckTable(table, {{"hbase.table.sanity.checks", "false"}}).ok());
    EXPECT_FALSE(api::CheckTable(table, {{"hbase.table.sanity.checks", "true"}}).ok());
    table.attributes["hbase.table.sanity.checks"] = "false";
    EXPECT_TRUE(api::CheckTable(table, {}).ok());
    table.attributes = {{key, enough}};
    EXPECT_TRUE(api::CheckTable(table, {}).ok());
  }
}

TEST(TableTest, ChecksPolicies) {
  TableDescriptor table;
  table.name.qualifier = "t";
  table.families = {Family({})};
  for (const char* key : {"SPLIT_POLICY", "FLUSH_POLICY"}) {
    table.attributes = {{key, "com.example.nonsense"}};
    const Status status = api::CheckTable(table, {{"hbase.table.sanity.checks", "false"}});
    EXPECT_EQ(status.code(), StatusCode::kNotSupported);
    EXPECT_THAT(status.message(), AllOf(HasSubstr(key), HasSubstr("com.example.nonsense")));
  }
  const std::string package = "org.apache.hadoop.hbase.regionserver.";
  table.attributes = {{"SPLIT_POLICY", package + "ConstantSizeRegionSplitPolicy"},
                      {"FLUSH_POLICY", package + "FlushAllLargeStoresPolicy"}};
  EXPECT_TRUE(api::CheckTable(table, {}).ok());
  for (const char* of_phoenix :
       {"schema.MetaDataSplitPolicy", "hbase.index.IndexRegionSplitPolicy"}) {
    table.attributes = {{"SPLIT_POLICY", std::string("org.apache.phoenix.") + of_phoenix}};
    EXPECT_TRUE(api::CheckTable(table, {}).ok());
  }
}

// HBase says in a log that these policies lack something, and goes on without them.
TEST(TableTest, PoliciesHaveWhatTheyNeed) {
  const std::string restriction = "hbase.regionserver.region.split_restriction.";
  const std::map<std::string, std::string> lacking[] = {
      {{"SPLIT_POLICY", "KeyPrefixRegionSplitPolicy"}},
      {{"SPLIT_POLICY", "KeyPrefixRegionSplitPolicy"},
       {"KeyPrefixRegionSplitPolicy.prefix_length", "x"}},
      {{"SPLIT_POLICY", "DelimitedKeyPrefixRegionSplitPolicy"}},
      {{restriction + "type", "KeyPrefix"}},
      {{restriction + "type", "DelimitedKeyPrefix"}}};
  TableDescriptor table;
  table.name.qualifier = "t";
  table.families = {Family({})};
  for (const auto& attributes : lacking) {
    table.attributes = attributes;
    EXPECT_EQ(api::CheckTable(table, {}).code(), StatusCode::kInvalidArgument)
        << attributes.begin()->second;
    table.attributes["KeyPrefixRegionSplitPolicy.prefix_length"] = "2";
    table.attributes["DelimitedKeyPrefixRegionSplitPolicy.delimiter"] = "_";
    table.attributes[restriction + "prefix_length"] = "2";
    table.attributes[restriction + "delimiter"] = "_";
    EXPECT_TRUE(api::CheckTable(table, {}).ok()) << api::CheckTable(table, {}).ToString();
  }
  const std::pair<std::string, const char*> bad[] = {
      {"hbase.busy.policy.minAge", "x"},
      {"hbase.busy.policy.aggWindow", "0"},
      {"hbase.busy.policy.blockedRequests", "1.5"},
      {"hbase.increasing.policy.initial.size", "abc"},
      {restriction + "type", "Foo"},
      {"hbase.regionserver.region.split.policy", "Foo"}};
  for (const auto& [key, value] : bad) {
    table.families = {Family({})};
    table.attributes = {{key, value}};
    EXPECT_THAT(table.Validate().message(), AllOf(HasSubstr(key), HasSubstr(value)));
  }
}

// What a table with these attributes, and a family with those, is told.
Status CheckWith(const api::Attributes& of_table, const api::Attributes& of_family,
                 const api::Attributes& site = {}) {
  TableDescriptor table;
  table.name.qualifier = "t";
  table.attributes = of_table;
  table.families = {Family(of_family)};
  return api::CheckTable(table, site);
}

// HBase reads these of its site file only, whatever a table says.
TEST(TableTest, PropertiesOfTheWholeStoreStayThere) {
  for (const char* const key :
       {"hbase.hstore.blockingWaitTime", "hbase.hstore.compaction.throughput.lower.bound",
        "hbase.server.thread.wakefrequency"}) {
    EXPECT_THAT(CheckWith({{key, "5"}}, {}).message(),
                AllOf(HasSubstr(key), HasSubstr("of the whole store")));
    EXPECT_THAT(CheckWith({}, {{key, "5"}}).message(), AllOf(HasSubstr("family"), HasSubstr(key)));
    EXPECT_TRUE(CheckWith({}, {{key, "5"}}, {{"hbase.table.sanity.checks", "false"}}).ok());
  }
}

// HBase's regions go by their table, whatever a family says.
TEST(TableTest, PropertiesOfATableStayThere) {
  for (const char* const key :
       {"hbase.hregion.memstore.block.multiplier", "hbase.server.keyvalue.maxsize",
        "hbase.increasing.policy.initial.size"}) {
    EXPECT_TRUE(CheckWith({{key, "5"}}, {}).ok());
    EXPECT_THAT(CheckWith({}, {{key, "5"}}).message(),
                AllOf(HasSubstr("family f"), HasSubstr(key), HasSubstr("of a table")));
  }
}

// FIFO needs a TTL, no MIN_VERSIONS, and many blocking files, wherever each of them stands.
TEST(TableTest, ChecksFifo) {
  const char* const policy = "hbase.hstore.defaultengine.compactionpolicy.class";
  const char* const blocking = "hbase.hstore.blockingStoreFiles";
  TableDescriptor table;
  table.name.qualifier = "t";
  const auto check = [&](std::map<std::string, std::string> of_family,
                         const api::Attributes& site = {}) {
    table.families = {Family(std::move(of_family))};
    return api::CheckTable(table, site);
  };
  table.attributes = {{policy, "FIFOCompactionPolicy"}};
  EXPECT_TRUE(check({{"TTL", "60"}, {blocking, "1000"}}).ok());
  EXPECT_TRUE(check({{"TTL", "60"}}, {{blocking, "1000"}}).ok());
  EXPECT_THAT(check({{blocking, "1000"}}).message(), HasSubstr("TTL"));
  EXPECT_THAT(check({{"TTL", "60"}, {"VERSIONS", "2"}, {"MIN_VERSIONS", "1"}, {blocking, "1000"}})
                  .message(),
              HasSubstr("MIN_VERSIONS"));
  EXPECT_THAT(check({{"TTL", "60"}}).message(), HasSubstr(blocking));
  EXPECT_THAT(check({{"TTL", "60"}, {blocking, "999"}}, {{blocking, "1000"}}).message(),
              HasSubstr("999"));
  EXPECT_TRUE(check({{policy, "ExploringCompactionPolicy"}}).ok());
  table.attributes["hbase.table.sanity.checks"] = "false";
  EXPECT_TRUE(check({}).ok());
}

// What HBase's sanityCheck only warns of with hbase.table.sanity.checks=false passes; it is read as
// something that the store can go by. What is no number never passes.
TEST(TableTest, NumbersOfFamiliesWithoutSanityChecks) {
  const std::pair<const char*, const char*> numbers[] = {{"TTL", "0"},
                                                         {"TTL", "-7"},
                                                         {"BLOCKSIZE", "0"},
                                                         {"BLOCKSIZE", "33554432"},
                                                         {"MIN_VERSIONS", "-1"},
                                                         {"MIN_VERSIONS", "5"},
                                                         {"REPLICATION_SCOPE", "7"},
                                                         {"DFS_REPLICATION", "-1"}};
  for (const auto& [key, value] : numbers) {
    TableDescriptor table;
    table.name.qualifier = "t";
    table.families.push_back(Family({{key, value}}));
    EXPECT_FALSE(api::CheckTable(table, {}).ok()) << key;
    EXPECT_TRUE(api::CheckTable(table, {{"hbase.table.sanity.checks", "false"}}).ok()) << key;
    table.attributes["hbase.table.sanity.checks"] = "false";
    EXPECT_TRUE(api::CheckTable(table, {}).ok()) << key << "=" << value;
    EXPECT_TRUE(table.Validate().ok());
    const ColumnFamilyDescriptor& family = table.families.front();
    EXPECT_EQ(family.ttl_seconds(), kTtlForever);
    EXPECT_GE(family.min_versions(), 0);
    EXPECT_GE(family.block_size_bytes(), 1);
    EXPECT_LE(family.block_size_bytes(), 16 << 20);
    table.families[0].attributes[key] = "many";
    EXPECT_FALSE(api::CheckTable(table, {}).ok()) << key;
  }
}

// As HBase's shell prints them; and as its users write them.
TEST(UnitsTest, ReadsSizesAndIntervals) {
  EXPECT_EQ(ParseByteSize("65536"), 65536);
  EXPECT_EQ(ParseByteSize("65536 B (64KB)"), 65536);
  EXPECT_EQ(ParseByteSize("1536 B (1KB 512B)"), 1536);
  EXPECT_EQ(ParseByteSize("128 kb"), 131072);
  EXPECT_EQ(ParseByteSize("10 GB"), 10ll << 30);
  EXPECT_EQ(api::ParseTtlSeconds("86400 SECONDS (1 DAY)"), 86400);
  EXPECT_EQ(api::ParseTtlSeconds("93784 SECONDS (1 DAY 2 HOURS 3 MINUTES 4 SECONDS)"), 93784);
  EXPECT_EQ(api::ParseTtlSeconds("2 hours 1 minute"), 7260);
  EXPECT_EQ(api::ParseTtlSeconds("FOREVER"), kTtlForever);
  for (const char* bad : {"", "KB", "1 KB 2", "65536 B (32KB)", "65536 B (64KB", "64KB) 1", "1 X",
                          "(64KB)", "64 KB (64KB) x", "9000000 TB", "1.5 MB"}) {
    EXPECT_EQ(ParseByteSize(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(api::ParseTtlSeconds("86400 SECONDS (2 DAYS)"), std::nullopt);
}

// Row key and value of a region as HBase wrote them into hbase:meta (recorded file
// meta_table_info.hfile): the name holds the MD5, the value is the message with its magic.
TEST(RegionInfoTest, AsHBaseWritesIt) {
  const Bytes name = "rf_h_flush_none,,1795199133423.1fa29679b5594e29eb9ff67675fa41a5.";
  const Bytes value = *HexDecode(
      "5042554608efcdd3d19f34121a0a0764656661756c74120f72665f685f666c7573685f6e6f6e651a0022002800"
      "30003800");
  const auto info = api::DecodeRegionInfo(value);
  ASSERT_TRUE(info.ok()) << info.status().ToString();
  EXPECT_EQ(info->table.ToString(), "rf_h_flush_none");
  EXPECT_EQ(info->region_id, 1795199133423u);
  EXPECT_EQ(info->RegionName(), name);
  EXPECT_EQ(info->EncodedName(), "1fa29679b5594e29eb9ff67675fa41a5");
  EXPECT_EQ(api::EncodeRegionInfo(*info), value);
  // The name of a region in a recorded log.
  RegionInfo logged;
  logged.table.qualifier = "waltest";
  logged.region_id = 1795200050515;
  EXPECT_EQ(logged.EncodedName(), "4e0294ab7d4711fe08f6893c20633d9b");
}

TEST(RegionInfoTest, Meta) {
  RegionInfo meta;
  meta.table = {"hbase", "meta"};
  meta.region_id = 1;
  EXPECT_EQ(meta.RegionName(), "hbase:meta,,1");
  EXPECT_EQ(meta.EncodedName(), "1588230740");
}

TEST(RegionInfoTest, Contains) {
  RegionInfo info;
  info.start_key = "b";
  info.end_key = "d";
  EXPECT_FALSE(info.Contains("a"));
  EXPECT_TRUE(info.Contains("b"));
  EXPECT_TRUE(info.Contains("czz"));
  EXPECT_FALSE(info.Contains("d"));
  info.end_key.clear();
  EXPECT_TRUE(info.Contains("zzz"));
}

TEST(FilesTest, RoundTrip) {
  TableDescriptor table;
  table.name = {"ns", "t"};
  table.attributes = {{"coprocessor$1", "|org.example.Observer|805306366|"}, {"x", "y"}};
  table.families = {Family({{"VERSIONS", "5"}, {"unknown", "kept"}})};
  const Bytes bytes = api::EncodeTableInfo(table);
  EXPECT_TRUE(bytes.starts_with("PBUF"));
  EXPECT_EQ(*api::DecodeTableInfo(bytes), table);

  RegionInfo info;
  info.table = table.name;
  info.region_id = 7;
  info.start_key = Bytes("\0x", 2);
  EXPECT_EQ(*api::DecodeRegionInfoFile(api::EncodeRegionInfoFile(info)), info);
}

TEST(FilesTest, RefusesDamage) {
  EXPECT_EQ(api::DecodeTableInfo("garbage").status().code(), StatusCode::kCorruption);
  EXPECT_EQ(api::DecodeTableInfo("PBUF\xff\xff").status().code(), StatusCode::kCorruption);
  RegionInfo info;
  info.table.qualifier = "t";
  const Bytes bytes = api::EncodeRegionInfoFile(info);
  for (size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_EQ(api::DecodeRegionInfoFile(ByteView(bytes).substr(0, length)).status().code(),
              StatusCode::kCorruption);
  }
}

}  // namespace
}  // namespace bennu
