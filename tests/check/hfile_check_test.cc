// What is told of one HFile: nothing of sound ones, and the place of every kind of damage.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "src/check/hfile_check.h"
#include "src/check/salvage.h"
#include "src/hfile/cursor.h"
#include "tests/fuzz/memory_file_env.h"
#include "tests/hfile/random_cells.h"

namespace bennu::check {
namespace {

using hfile::CellMaker;
using hfile::OwnedCell;
using hfile::TemporaryFile;

std::string Text(const std::vector<Damage>& damages) {
  std::string text;
  for (const Damage& damage : damages) {
    text += (damage.offset ? std::to_string(*damage.offset) : "-") + ": " + damage.what + "\n";
  }
  return text;
}

TEST(HFileCheck, FilesOfHBaseAreSound) {
  const char* const given = std::getenv("BENNU_GOLDEN");
  const std::string golden = given != nullptr ? given : BENNU_GOLDEN_SOURCE;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden + "/hfile")) {
    if (entry.path().extension() != ".hfile") continue;
    ++count;
    const auto damages = CheckHFile(Env::Default(), entry.path(), {}, nullptr);
    EXPECT_TRUE(damages.empty()) << entry.path() << "\n" << Text(damages);
  }
  EXPECT_GT(count, 20);
}

// The files of HBase: a changed byte is told, and reading gives what was there or an error.
TEST(HFileCheck, FlipsInFilesOfHBaseAreTold) {
  const char* const given = std::getenv("BENNU_GOLDEN");
  const std::string golden = given != nullptr ? given : BENNU_GOLDEN_SOURCE;
  std::mt19937_64 random(20240712);
  for (const auto& entry : std::filesystem::directory_iterator(golden + "/hfile")) {
    // Of blocks without checksums only the structure tells.
    if (entry.path().extension() != ".hfile" || entry.path().stem() == "checksum_null") continue;
    const Bytes original = Env::Default()->ReadFile(entry.path()).value();
    MemoryFileEnv sound(original);
    const auto cells = hfile::ReadAll(hfile::Reader::Open(&sound, "sample", nullptr).value());
    ASSERT_TRUE(cells.ok());
    for (int i = 0; i < 12; ++i) {
      const size_t at =
          random() % (i == 0 ? original.size() : original.size() - hfile::kTrailerSize);
      SCOPED_TRACE(entry.path().string() + ", byte " + std::to_string(at));
      Bytes content = original;
      content[at] = static_cast<char>(content[at] ^ (1 << random() % 8));
      MemoryFileEnv env(content);
      if (at < original.size() - hfile::kTrailerSize) {
        EXPECT_FALSE(CheckHFile(&env, "sample", {}, nullptr).empty());
      }
      const auto reader = hfile::Reader::Open(&env, "sample", nullptr);
      if (!reader.ok()) continue;
      const auto read = hfile::ReadAll(*reader);
      if (read.ok()) {
        EXPECT_TRUE(*read == *cells);
      }
    }
  }
}

struct Sample {
  std::vector<OwnedCell> cells;
  std::unique_ptr<TemporaryFile> file;
};

Sample MakeSample(DataBlockEncoding encoding, Compression compression, BloomType bloom) {
  hfile::WriterOptions options;
  options.encoding = encoding;
  options.compression = compression;
  options.bloom = bloom;
  options.bloom_chunk_size_bytes = 256;
  options.include_tags = true;
  options.block_size_bytes = 600;
  options.index_chunk_size_bytes = 200;
  options.index_chunk_entries_min = 2;
  Sample sample;
  sample.cells = CellMaker(5).Make(200);
  sample.file = std::make_unique<TemporaryFile>("sample");
  EXPECT_TRUE(hfile::WriteFile(sample.file->path(), options, sample.cells).ok());
  return sample;
}

class Samples
    : public testing::TestWithParam<std::tuple<DataBlockEncoding, Compression, BloomType>> {
 protected:
  Samples()
      : sample_(
            MakeSample(std::get<0>(GetParam()), std::get<1>(GetParam()), std::get<2>(GetParam()))),
        content_(Env::Default()->ReadFile(sample_.file->path()).value()) {}

  std::vector<Damage> CheckWith(const Bytes& content) {
    MemoryFileEnv env(content);
    return CheckHFile(&env, "sample", {}, nullptr);
  }

  // What a salvage makes of a file of that content.
  std::vector<OwnedCell> Salvage(const Bytes& content, Salvaged* result) {
    std::ofstream(sample_.file->path(), std::ios::binary) << content;
    const TemporaryFile to("salvaged");
    const auto salvaged = SalvageHFile(Env::Default(), sample_.file->path(), to.path(), {});
    EXPECT_TRUE(salvaged.ok()) << salvaged.status().ToString();
    *result = salvaged.value();
    if (!result->has_file) return {};
    EXPECT_TRUE(CheckHFile(Env::Default(), to.path(), {}, nullptr).empty());
    auto reader = hfile::Reader::Open(Env::Default(), to.path(), nullptr);
    return hfile::ReadAll(reader.value()).value();
  }

  const Sample sample_;
  const Bytes content_;
};

TEST_P(Samples, IsSound) { EXPECT_EQ(Text(CheckWith(content_)), ""); }

// Every byte of a block counts; of the trailer only what it says.
TEST_P(Samples, EachChangedByteIsTold) {
  const size_t end = content_.size() - hfile::kTrailerSize;
  for (size_t at = 0; at < end; at += 5 + at % 41) {
    Bytes content = content_;
    content[at] = static_cast<char>(content[at] ^ (at % 2 == 0 ? 1 : 0x80));
    const auto damages = CheckWith(content);
    ASSERT_FALSE(damages.empty()) << "byte " << at;
    ASSERT_TRUE(damages[0].offset.has_value()) << "byte " << at << ": " << damages[0].what;
    EXPECT_LE(*damages[0].offset, at) << damages[0].what;
  }
}

// One damaged block costs its own cells, and which these were is told.
TEST_P(Samples, SalvageKeepsTheOtherBlocks) {
  Bytes content = content_;
  const size_t second = content.find(content.substr(0, 8), 8);
  ASSERT_NE(second, Bytes::npos);
  content[second + 50] = static_cast<char>(content[second + 50] ^ 4);
  ASSERT_FALSE(CheckWith(content).empty());
  Salvaged result;
  const std::vector<OwnedCell> cells = Salvage(content, &result);
  EXPECT_LT(cells.size(), sample_.cells.size());
  EXPECT_GT(cells.size(), sample_.cells.size() * 2 / 3);
  size_t next = 0;
  for (const OwnedCell& cell : cells) {
    while (next < sample_.cells.size() && !(sample_.cells[next] == cell)) ++next;
    ASSERT_LT(next, sample_.cells.size()) << "a cell that was never there";
  }
  ASSERT_EQ(result.lost.size(), 1u);
  const std::string count = "of " + std::to_string(sample_.cells.size()) + " cells";
  EXPECT_NE(result.lost[0].find(count), std::string::npos) << result.lost[0];
}

TEST_P(Samples, SalvageNeedsNoIndexAndNoTrailer) {
  const Bytes content = content_.substr(0, content_.size() - 5000);
  ASSERT_FALSE(CheckWith(content).empty());
  Salvaged result;
  const std::vector<OwnedCell> cells = Salvage(content, &result);
  // What the cut took was behind the data, or a part of it.
  EXPECT_GT(cells.size(), 100u);
  for (size_t i = 0; i < cells.size(); ++i) ASSERT_TRUE(cells[i] == sample_.cells[i]) << i;
}

INSTANTIATE_TEST_SUITE_P(
    All, Samples,
    testing::Values(std::tuple(DataBlockEncoding::kNone, Compression::kNone, BloomType::kRow),
                    std::tuple(DataBlockEncoding::kFastDiff, Compression::kGz, BloomType::kRowCol),
                    std::tuple(DataBlockEncoding::kDiff, Compression::kSnappy, BloomType::kNone),
                    std::tuple(DataBlockEncoding::kPrefix, Compression::kLz4, BloomType::kRow),
                    std::tuple(DataBlockEncoding::kRowIndexV1, Compression::kZstd,
                               BloomType::kRow)));

TEST(HFileCheck, TellsRowsThatAreNotTheRegions) {
  const Sample sample = MakeSample(DataBlockEncoding::kNone, Compression::kNone, BloomType::kRow);
  HFileExpectations expectations;
  expectations.rows.emplace();
  expectations.rows->start = "z";
  const auto damages = CheckHFile(Env::Default(), sample.file->path(), expectations, nullptr);
  ASSERT_EQ(damages.size(), 1u);
  EXPECT_TRUE(damages[0].out_of_range);
}

}  // namespace
}  // namespace bennu::check
