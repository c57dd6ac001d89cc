// How the shell prints: columns, cells, times, descriptors. The texts are those of HBase's
// shell 2.5.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

#include "bennu/mutation.h"
#include "src/api/descriptor_pb.h"
#include "src/base/hex.h"
#include "src/shell/cell_text.h"
#include "src/shell/command.h"
#include "src/shell/descriptor_text.h"
#include "src/shell/help.h"
#include "src/shell/parser.h"
#include "src/shell/printer.h"
#include "src/shell/read_options.h"
#include "src/shell/split_points.h"

namespace bennu::shell {
namespace {

using ::testing::EndsWith;

std::string Printed(size_t width, const std::function<void(Printer*)>& print) {
  std::string text;
  Printer printer([&](std::string_view part) { text += part; }, [width] { return width; });
  print(&printer);
  return text;
}

TEST(Columns, PlainWithoutATerminal) {
  EXPECT_EQ(Printed(0,
                    [](Printer* printer) {
                      printer->Header("ROW", "COLUMN+CELL");
                      printer->Row("r1", "column=f:a, value=v");
                      printer->Footer(1);
                    }),
            "ROW  COLUMN+CELL\n r1 column=f:a, value=v\n1 row(s)\n");
}

// A quarter of the width for the first column; what is longer goes on in the next line.
TEST(Columns, FoldedOnATerminal) {
  EXPECT_EQ(Printed(20,
                    [](Printer* printer) {
                      printer->Header("ROW", "COLUMN+CELL");
                      printer->Row("row-long", "column=f:a, value=v");
                    }),
            "ROW    COLUMN+CELL\n row-l column=f:a, v\n ong   alue=v\n");
  EXPECT_EQ(Printed(4,
                    [](Printer* printer) {
                      printer->Header("TABLE");
                      printer->Row("abcdef");
                    }),
            "TABLE\nabcd\nef\n");
}

TEST(Columns, ATerminalTooNarrow) {
  const std::string text = Printed(1, [](Printer* printer) {
    printer->Header("A", "B");
    printer->Row("xy", "zw");
  });
  EXPECT_EQ(text, "A  B\n x z\n y w\n");
}

TEST(Timestamps, SecondsOnlyWhereThereAreAny) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(TimestampText(0), "1970-01-01T00:00");
  EXPECT_EQ(TimestampText(1000), "1970-01-01T00:00:01");
  EXPECT_EQ(TimestampText(3500), "1970-01-01T00:00:03.500");
  EXPECT_EQ(TimestampText(1704067200123), "2024-01-01T00:00:00.123");
  EXPECT_EQ(TimestampText(-1), "1969-12-31T23:59:59.999");
  EXPECT_EQ(TimestampText(9223372036854775806), "+292278994-08-17T07:12:55.806");
}

TEST(Formatters, OfBytes) {
  EXPECT_EQ(*FormatBytes(std::string("\x00\x00\x01\x00", 4), "toInt"), "256");
  EXPECT_EQ(*FormatBytes("\xff\xfe", "toShort"), "-2");
  EXPECT_EQ(*FormatBytes(std::string(8, '\xff'), "c(org.apache.hadoop.hbase.util.Bytes).toLong"),
            "-1");
  EXPECT_EQ(*FormatBytes(std::string("\x3f\xc0\x00\x00", 4), "toFloat"), "1.5");
  EXPECT_EQ(*FormatBytes(std::string("\x00\x00\x00\x02\x04\xd2", 6), "toBigDecimal"), "12.34");
  EXPECT_EQ(*FormatBytes("caf\xc3\xa9", "toString"), "caf\xc3\xa9");
  EXPECT_EQ(*FormatBytes("caf\xc3\xa9", "toStringBinary"), "caf\\xC3\\xA9");
  EXPECT_FALSE(FormatBytes("abc", "toInt").ok());
  EXPECT_FALSE(FormatBytes("", "toBoolean").ok());
  EXPECT_FALSE(FormatBytes("abc", "toNothing").ok());
  EXPECT_FALSE(FormatBytes("abcd", "c(other.Class).toInt").ok());
}

std::string TextIn(const TableName& table, const std::string& qualifier, const Bytes& value) {
  CellFormat format;
  format.set_epoch_timestamps(true);
  format.set_table(table);
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("info", qualifier, value, 5);
  Cell cell;
  CellAt(batch.buffer(), 0, &cell);
  return format.Text(cell).value();
}

std::string MetaText(const std::string& qualifier, const Bytes& value) {
  return TextIn({"hbase", "meta"}, qualifier, value);
}

// As HBase's shell shows them, whose texts these are.
TEST(CellsOfMeta, TellWhatTheyMean) {
  RegionInfo region{TableName{"default", "t"}, 1700000000000, "a", Bytes("\x80\x00", 2)};
  const std::string name = region.EncodedName();
  EXPECT_EQ(MetaText("regioninfo", api::EncodeRegionInfo(region)),
            "timestamp=5, value={ENCODED => " + name + ", NAME => 't,a,1700000000000." + name +
                ".', STARTKEY => 'a', ENDKEY => '\\x80\\x00'}");
  region.offline = region.split = true;
  region.replica_id = 2;
  EXPECT_THAT(MetaText("splitA", api::EncodeRegionInfo(region)),
              EndsWith(", OFFLINE => true, SPLIT => true, REPLICA_ID => 2}"));
  EXPECT_EQ(MetaText("merge0000", "no region"), "timestamp=5, value=");
  EXPECT_EQ(MetaText("serverstartcode", Bytes("\0\0\1\x8b\xcf\xe5h\0", 8)),
            "timestamp=5, value=1700000000000");
  EXPECT_EQ(MetaText("serverstartcode", ""), "timestamp=5, value=");
  EXPECT_EQ(MetaText("state", "OPEN"), "timestamp=5, value=OPEN");
  EXPECT_EQ(TextIn({"default", "meta"}, "regioninfo", "x"), "timestamp=5, value=x");
}

// The bytes follow docs/formats/ordered_bytes.md, as those of tests/golden/ordered_bytes.tsv do.
TEST(Formatters, OfOrderedBytes) {
  const auto format = [](std::string_view hex, std::string_view formatter) {
    const auto text = FormatBytes(HexDecode(hex).value(), formatter);
    return text.ok() ? *text : text.status().message();
  };
  EXPECT_EQ(format("2981", "toOrderedInt8"), "1");
  EXPECT_EQ(format("d67e", "toOrderedInt8"), "1");  // descending: all bits inverted
  EXPECT_EQ(format("2a7fff", "toOrderedInt16"), "-1");
  EXPECT_EQ(format("2b80000005", "toOrderedInt32"), "5");
  EXPECT_EQ(format("2c8000000000000005", "toOrderedInt64"), "5");
  EXPECT_EQ(format("d37ffffffffffffffa", "toOrderedInt64"), "5");
  EXPECT_EQ(format("30bfc00000", "toOrderedFloat32"), "1.5");
  EXPECT_EQ(format("31c01c000000000000", "toOrderedFloat64"), "7.0");
  EXPECT_EQ(format("1802", "toOrderedNumeric"), "1");
  EXPECT_EQ(format("05", "toOrderedNumeric"), "null");
  EXPECT_EQ(format("26", "toOrderedNumeric"), "NaN");
  EXPECT_EQ(format("23", "toOrderedNumeric"), "Infinity");
  EXPECT_EQ(format("34636166c3a900", "toOrderedString"), "caf\xc3\xa9");
  EXPECT_EQ(format("380061", "toOrderedBlob"), "\\x00a");
  EXPECT_EQ(format("faff", "toOrderedBlob"), "null");
  EXPECT_EQ(format("378040", "toOrderedBlobVar"), "\\x01");
  EXPECT_EQ(format("3461747469630005d37ffffffffffffffa", "toOrdered"), "\"attic\", null, 5");
  EXPECT_EQ(format("2981faff", "toOrdered"), "1, null");
  EXPECT_EQ(format("", "toOrdered"), "");

  EXPECT_THAT(format("2981", "toOrderedInt16"), testing::HasSubstr("toOrderedInt16: "));
  EXPECT_EQ(format("298105", "toOrderedInt8"),
            "toOrderedInt8: 1 bytes are left behind it: )\\x81\\x05");
  EXPECT_THAT(format("34616263", "toOrderedString"), testing::HasSubstr("4abc"));
  EXPECT_THAT(format("2981ff", "toOrdered"), testing::HasSubstr("no value begins at byte 2"));
  EXPECT_THAT(format("2981", "toOrderedInt7"), testing::HasSubstr("no formatter"));
  EXPECT_THAT(format("2981", "toOrderedInt7"), testing::HasSubstr("toOrderedBlobVar"));
}

TEST(Columns, AsTheyAreTyped) {
  EXPECT_FALSE(ParseColumnSpec("f").qualifier.has_value());
  EXPECT_EQ(ParseColumnSpec("f:").qualifier, "");
  const ColumnSpec spec = ParseColumnSpec("f:q:toLong");
  EXPECT_EQ(spec.family, "f");
  EXPECT_EQ(spec.qualifier, "q");
  EXPECT_EQ(spec.formatter, "toLong");
}

TEST(Descriptors, SpokenValues) {
  EXPECT_EQ(TtlText(kTtlForever), "FOREVER");
  EXPECT_EQ(TtlText(59), "59 SECONDS");
  EXPECT_EQ(TtlText(100), "100 SECONDS (1 MINUTE 40 SECOND)");
  EXPECT_EQ(TtlText(7325), "7325 SECONDS (2 HOURS 2 MINUTES 5 SECONDS)");
  EXPECT_EQ(TtlText(86400), "86400 SECONDS (1 DAY)");
  EXPECT_EQ(TtlText(183845), "183845 SECONDS (2 DAYS 3 HOURS 4 MINUTES 5 SECONDS)");
  EXPECT_EQ(ByteSizeText(65536), "65536 B (64KB)");
  EXPECT_EQ(ByteSizeText(200000000), "200000000 B (190MB 752KB 512B)");
}

TEST(Prefixes, EndBeforeTheNextOne) {
  EXPECT_EQ(PrefixRange("ab").stop, "ac");
  EXPECT_EQ(PrefixRange("a\xff").stop, "b");
  EXPECT_EQ(PrefixRange("\xff\xff").stop, "");
}

TEST(Splits, OfHBasesAlgorithms) {
  EXPECT_EQ(
      *SplitPoints("HexStringSplit", 7),
      (std::vector<Bytes>{"24924924", "49249248", "6db6db6c", "92492490", "b6db6db4", "db6db6d8"}));
  EXPECT_EQ(*SplitPoints("DecimalStringSplit", 4),
            (std::vector<Bytes>{"25000000", "50000000", "75000000"}));
  EXPECT_EQ((*SplitPoints("UniformSplit", 7))[5], "\xDBm\xB6\xDBm\xB6\xDBl");
  EXPECT_EQ((*SplitPoints("UniformSplit", 2))[0], std::string("\x80\0\0\0\0\0\0\0", 8));
  EXPECT_FALSE(SplitPoints("HexStringSplit", 1).ok());
  EXPECT_FALSE(SplitPoints("Other", 4).ok());
  EXPECT_FALSE(SplitPoints("HexStringSplit", int64_t{1} << 40).ok());
}

// Each command can be found, belongs to a group and has a text; none is there twice.
TEST(CommandTable, IsWhole) {
  std::string before;
  for (const Command& command : Commands()) {
    EXPECT_LT(before, command.name);
    before = command.name;
    EXPECT_EQ(FindCommand(command.name), &command);
    EXPECT_LE(command.arguments_min, command.arguments_max) << command.name;
    EXPECT_EQ(HelpOf(command.name).substr(0, command.name.size()), command.name);
    bool grouped = false;
    for (const CommandGroup& group : CommandGroups()) grouped |= group.name == command.group;
    EXPECT_TRUE(grouped) << command.name;
    EXPECT_EQ(WhyMissing(command.name), "");
  }
  EXPECT_EQ(FindCommand("desc"), FindCommand("describe"));
  EXPECT_EQ(FindCommand("nothing"), nullptr);
  EXPECT_EQ(WhyMissing("nothing"), "");
  EXPECT_EQ(WhyMissing("balancer balance_switch"), "");
  EXPECT_EQ(WhyMissing(""), "");
}

// What the shell of HBase 2.5 lists under `help`, group by group.
TEST(CommandTable, EveryCommandOfHBaseIsThereOrRefusedWithTheReason) {
  std::istringstream names(
      "processlist status table_help version whoami alter alter_async alter_status "
      "clone_table_schema create describe disable disable_all drop drop_all enable enable_all "
      "exists get_table is_disabled is_enabled list list_regions locate_region show_filters "
      "alter_namespace create_namespace describe_namespace drop_namespace list_namespace "
      "list_namespace_tables append count delete deleteall get get_counter get_splits incr put "
      "scan truncate truncate_preserve assign balance_switch balancer balancer_enabled "
      "catalogjanitor_enabled catalogjanitor_run catalogjanitor_switch cleaner_chore_enabled "
      "cleaner_chore_run cleaner_chore_switch clear_block_cache clear_compaction_queues "
      "clear_deadservers clear_slowlog_responses close_region compact compact_rs compaction_state "
      "compaction_switch decommission_regionservers flush get_balancer_decisions "
      "get_balancer_rejections get_largelog_responses get_slowlog_responses hbck_chore_run "
      "is_in_maintenance_mode list_deadservers list_decommissioned_regionservers list_liveservers "
      "list_unknownservers major_compact merge_region move normalize normalizer_enabled "
      "normalizer_switch recommission_regionserver regioninfo rit snapshot_cleanup_enabled "
      "snapshot_cleanup_switch split splitormerge_enabled splitormerge_switch stop_master "
      "stop_regionserver trace unassign wal_roll zk_dump add_peer append_peer_exclude_namespaces "
      "append_peer_exclude_tableCFs append_peer_namespaces append_peer_tableCFs disable_peer "
      "disable_table_replication enable_peer enable_table_replication get_peer_config "
      "list_peer_configs list_peers list_replicated_tables remove_peer "
      "remove_peer_exclude_namespaces remove_peer_exclude_tableCFs remove_peer_namespaces "
      "remove_peer_tableCFs set_peer_bandwidth set_peer_exclude_namespaces "
      "set_peer_exclude_tableCFs set_peer_namespaces set_peer_replicate_all set_peer_serial "
      "set_peer_tableCFs show_peer_tableCFs update_peer_config clone_snapshot delete_all_snapshot "
      "delete_snapshot delete_table_snapshots list_snapshots list_table_snapshots "
      "restore_snapshot snapshot update_all_config update_config disable_exceed_throttle_quota "
      "disable_rpc_throttle enable_exceed_throttle_quota enable_rpc_throttle list_quota_snapshots "
      "list_quota_table_sizes list_quotas list_snapshot_sizes set_quota grant "
      "list_security_capabilities revoke user_permission list_locks list_procedures add_labels "
      "clear_auths get_auths list_labels set_auths set_visibility add_rsgroup "
      "alter_rsgroup_config balance_rsgroup get_namespace_rsgroup get_rsgroup get_server_rsgroup "
      "get_table_rsgroup list_rsgroups move_namespaces_rsgroup move_servers_namespaces_rsgroup "
      "move_servers_rsgroup move_servers_tables_rsgroup move_tables_rsgroup remove_rsgroup "
      "remove_servers_rsgroup rename_rsgroup show_rsgroup_config change_sft change_sft_all ");
  for (std::string name; names >> name;) {
    const bool refused = WhyMissing(name).starts_with(name + " is not here: it is about ");
    EXPECT_NE(FindCommand(name) != nullptr, refused) << name;
  }
}

// What help shows as an example can be typed.
TEST(Help, ExamplesAreOfTheLanguage) {
  size_t examples = 0;
  for (const Command& command : Commands()) {
    std::istringstream text{std::string(HelpOf(command.name))};
    std::string line;
    while (std::getline(text, line)) {
      if (line.rfind("  " + std::string(command.name) + " ", 0) != 0) continue;
      ++examples;
      const auto parsed = Parse(line + "\n");
      ASSERT_TRUE(parsed.ok()) << line << ": " << parsed.status().ToString();
      EXPECT_TRUE(parsed->complete) << line;
    }
  }
  EXPECT_GT(examples, 40U);
}

}  // namespace
}  // namespace bennu::shell
