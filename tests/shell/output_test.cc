// How the shell prints: columns, cells, times, descriptors. The texts are those of HBase's
// shell 2.5.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>
#include <vector>

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
    EXPECT_FALSE(IsClusterCommand(command.name));
  }
  EXPECT_EQ(FindCommand("desc"), FindCommand("describe"));
  EXPECT_EQ(FindCommand("nothing"), nullptr);
  EXPECT_TRUE(IsClusterCommand("balancer"));
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
