// Filters against recordings of HBase 2.5: single steps of the fuzzy rule, walks over rows, the
// filter language. The scans of cases.jsonl are run by filter_scans_test.cc.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bennu/filter.h"
#include "src/cell/flat_key.h"
#include "src/filter/fuzzy_rule.h"
#include "tests/golden/filter_cases.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {
namespace {

using nlohmann::json;

// fuzzy_next.tsv: does a row satisfy a pattern, and which row is next.
TEST(FuzzyRuleGoldenTest, Steps) {
  for (const auto& fields : ReadTsv("filters/fuzzy_next.tsv", 6)) {
    SCOPED_TRACE(fields[0] + " " + fields[1] + " " + fields[2] + " " + fields[3]);
    const bool reversed = fields[0] == "true";
    const Bytes row = FromHex(fields[1]);
    const auto rule = filter::FuzzyRule::FromUserMask(FromHex(fields[2]), FromHex(fields[3]));
    EXPECT_EQ(fields[4] == "YES", filter::Satisfies(rule, row));
    Bytes next;
    const bool exists = filter::NextForRule(rule, row, reversed, &next);
    if (fields[5].starts_with("ERROR:")) {
      // HBase reads behind the end of a row that is shorter than the pattern. Here there is an
      // answer, which must lie ahead.
      EXPECT_LT(row.size(), rule.key.size());
      if (exists && !reversed) {
        EXPECT_GT(next, row);
      }
    } else if (fields[5] == "null") {
      EXPECT_FALSE(exists) << ToStringBinary(next);
    } else {
      EXPECT_TRUE(exists);
      EXPECT_EQ(ToStringBinary(FromHex(fields[5])), ToStringBinary(next));
    }
  }
}

FilterPtr Decode(const std::string& hex) {
  auto filter = DecodeFilter(FromHex(hex));
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return filter.ok() ? std::move(filter).value() : nullptr;
}

Cell FirstCell(ByteView row, Bytes* memory) {
  memory->clear();
  cell::AppendFlatKey(memory, row, "f", "q", 1, CellType::kPut);
  Cell cell;
  cell.key = memory->data();
  cell.key_length = static_cast<uint32_t>(memory->size());
  return cell;
}

std::string RowOfHint(const Bytes& flat_key) {
  Cell cell;
  cell.key = flat_key.data();
  cell.key_length = static_cast<uint32_t>(flat_key.size());
  return ToStringBinary(cell.row());
}

// fuzzy_jumps.jsonl: the filter walks over the rows of a table; at each row it stops at, its code
// and its hint.
TEST(FuzzyRowFilterGoldenTest, Jumps) {
  for (const json& walk : ReadJsonLines("filters/fuzzy_jumps.jsonl")) {
    SCOPED_TRACE(walk["masks"].dump() + (walk["reversed"] ? " reversed" : ""));
    const FilterPtr filter = Decode(walk["filter_pb"]);
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(FromHex(walk["filter_pb"].get<std::string>()), EncodeFilter(*filter));
    filter->SetReversed(walk["reversed"]);
    Bytes memory;
    Bytes hint;
    const json& steps = walk["steps"];
    for (size_t i = 0; i < steps.size(); ++i) {
      const json& step = steps[i];
      const Cell cell = FirstCell(FromStringBinary(step["row"]), &memory);
      SCOPED_TRACE(step["row"]);
      filter->Reset();
      EXPECT_FALSE(filter->FilterRowKey(cell.row()));
      const Filter::Code code = filter->FilterCell(cell);
      if (step["code"] == "INCLUDE") {
        EXPECT_EQ(code, Filter::Code::kInclude);
        continue;
      }
      ASSERT_EQ(step["code"], "SEEK_NEXT_USING_HINT");
      EXPECT_EQ(code, Filter::Code::kSeekUsingHint);
      const bool has_hint = filter->NextCellHint(cell, &hint);
      // The last step of a walk that never ends is kept to show where it turns.
      if (walk.value("hang", false) && i + 1 == steps.size()) break;
      if (step.contains("hint") && !step["hint"].is_null()) {
        ASSERT_TRUE(has_hint);
        EXPECT_EQ(step["hint"], RowOfHint(hint));
      } else {
        EXPECT_FALSE(has_hint);
        EXPECT_TRUE(filter->FilterAllRemaining());
      }
    }
  }
}

// parsefilter.jsonl: texts of the filter language; parsefilter_texts.jsonl: many more, made up of
// its parts, right and wrong (tests/peers/FilterTexts.java recorded them).
TEST(ParseFilterGoldenTest, Texts) {
  std::vector<json> lines = ReadJsonLines("filters/parsefilter.jsonl");
  for (json& line : ReadJsonLines("filters/parsefilter_texts.jsonl")) {
    lines.push_back(std::move(line));
  }
  for (const json& line : lines) {
    SCOPED_TRACE(line["text"].get<std::string>());
    const auto filter = ParseFilter(line["text"].get<std::string>());
    if (line.contains("error")) {
      EXPECT_EQ(filter.status().code(), StatusCode::kInvalidArgument);
      continue;
    }
    EXPECT_TRUE(filter.ok()) << filter.status().ToString();
    if (!filter.ok()) continue;
    EXPECT_EQ(line["pb"].get<std::string>(), HexEncode(EncodeFilter(**filter)));
  }
}

// parsefilter_stacked.jsonl: HBase's parser fails where several operators wait for a closing
// parenthesis. Here they are taken, and mean what they would mean without it
// (docs/compatibility.md).
TEST(ParseFilterGoldenTest, OperatorsBeforeAClosingParenthesis) {
  for (const json& line : ReadJsonLines("filters/parsefilter_stacked.jsonl")) {
    SCOPED_TRACE(line["text"].get<std::string>());
    EXPECT_TRUE(line.contains("error"));
    EXPECT_TRUE(ParseFilter(line["text"].get<std::string>()).ok());
  }
  const auto inside = ParseFilter("(PageFilter(1) AND SKIP PrefixFilter('r'))");
  const auto outside = ParseFilter("PageFilter(1) AND SKIP PrefixFilter('r')");
  ASSERT_TRUE(inside.ok() && outside.ok());
  EXPECT_EQ(EncodeFilter(**inside), EncodeFilter(**outside));
}

// Every recorded filter is understood, and written as it was read.
TEST(FilterMessagesGoldenTest, RoundTrip) {
  for (const json& test_case : ReadJsonLines("filters/cases.jsonl")) {
    SCOPED_TRACE(test_case["id"]);
    if (test_case.contains("filter_pb")) {
      const std::string hex = test_case["filter_pb"];
      const FilterPtr filter = Decode(hex);
      if (filter == nullptr) continue;
      EXPECT_EQ(hex, HexEncode(EncodeFilter(*filter)));
      EXPECT_EQ(hex, HexEncode(EncodeFilter(*filter->Clone())));
    }
    if (test_case.contains("shell")) {
      const auto parsed = ParseFilter(test_case["shell"].get<std::string>());
      ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
      EXPECT_EQ(test_case.contains("shell_pb") ? test_case["shell_pb"] : test_case["filter_pb"],
                HexEncode(EncodeFilter(**parsed)));
    }
  }
}

}  // namespace
}  // namespace bennu::golden
