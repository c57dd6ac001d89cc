// Damage of every kind to small files: each byte changed, each length cut, and made-up structures.
// Always a Status that names file and offset, or the right content; never a crash.
#include <gtest/gtest.h>

#include "src/hfile/inspect.h"
#include "tests/fuzz/memory_file_env.h"
#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

constexpr char kPath[] = "damaged.hfile";

struct Outcome {
  Status status;
  std::vector<OwnedCell> cells;
};

// Opens, asks the filters, walks all cells.
Outcome ReadEverything(ByteView content, bool verify) {
  MemoryFileEnv env(content);
  ReaderOptions options;
  options.verify_checksums = verify;
  Outcome outcome;
  auto opened = Reader::Open(&env, kPath, nullptr, options);
  if (!opened.ok()) {
    outcome.status = opened.status();
    return outcome;
  }
  const Reader& reader = **opened;
  for (const char* row : {"row-with-a-prefix-1", "row-with-a-prefix-250", "none"}) {
    for (const Result<bool>& answer :
         {reader.MayContainRow(row), reader.MayContainRowCol(row, "column1"),
          reader.MayContainDeleteFamily(row)}) {
      if (!answer.ok()) outcome.status = answer.status();
    }
  }
  const auto middle = reader.MidKey();
  if (!middle.ok()) outcome.status = middle.status();
  auto cells = ReadAll(*opened);
  if (cells.ok()) {
    outcome.cells = *std::move(cells);
  } else {
    outcome.status = cells.status();
  }
  Cursor cursor(*opened);
  const Status sought = cursor.SeekToRow("row-with-a-prefix-2");
  if (!sought.ok()) outcome.status = sought;
  const Status before = cursor.SeekToRowBefore("row-with-a-prefix-2");
  if (!before.ok()) outcome.status = before;
  return outcome;
}

struct Sample {
  std::vector<OwnedCell> cells;
  Bytes content;
};

Sample MakeSample(DataBlockEncoding encoding, Compression compression, BloomType bloom) {
  WriterOptions options;
  options.encoding = encoding;
  options.compression = compression;
  options.bloom = bloom;
  options.bloom_chunk_size_bytes = 128;
  options.include_tags = true;
  options.compress_tags = true;
  options.block_size_bytes = 500;
  options.index_chunk_size_bytes = 100;
  options.index_chunk_entries_min = 2;
  options.create_time_ms = 1700000000000;
  Sample sample;
  sample.cells = CellMaker(21).Make(40);
  for (OwnedCell& cell : sample.cells) cell.value.resize(std::min<size_t>(cell.value.size(), 30));
  const TemporaryFile file("sample");
  EXPECT_TRUE(WriteFile(file.path(), options, sample.cells).ok());
  sample.content = Env::Default()->ReadFile(file.path()).value();
  return sample;
}

class Damage
    : public testing::TestWithParam<std::tuple<DataBlockEncoding, Compression, BloomType>> {
 protected:
  Damage()
      : sample_(MakeSample(std::get<0>(GetParam()), std::get<1>(GetParam()),
                           std::get<2>(GetParam()))) {}

  void ExpectErrorOrContent(ByteView content, const std::string& what) {
    const Outcome outcome = ReadEverything(content, /*verify=*/true);
    if (outcome.status.ok()) {
      EXPECT_TRUE(outcome.cells == sample_.cells) << what << ": other cells, and no error";
      return;
    }
    const std::string text = outcome.status.ToString();
    EXPECT_NE(text.find(kPath), std::string::npos) << what << ": " << text;
    EXPECT_NE(text.find("offset"), std::string::npos) << what << ": " << text;
  }

  const Sample sample_;
};

TEST_P(Damage, SampleIsSound) {
  const Outcome outcome = ReadEverything(sample_.content, true);
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  EXPECT_TRUE(outcome.cells == sample_.cells);
}

// In blocks every change is seen by a checksum or a check. The trailer has none, and some of its
// fields are for information only.
TEST_P(Damage, EveryByteChanged) {
  Bytes content = sample_.content;
  // Most of the trailer is zeros that mean nothing: a few of those will do.
  const size_t zeros = content.size() - kTrailerSize + 160;
  for (size_t at = 0; at < content.size(); at += at < zeros || at + 20 > content.size() ? 1 : 10) {
    for (const char change : {'\xff', '\x01'}) {
      content[at] = static_cast<char>(content[at] ^ change);
      ExpectErrorOrContent(content, "byte " + std::to_string(at));
      content[at] = sample_.content[at];
      if (HasFailure()) return;
    }
  }
}

// Without checksums a change may go unseen, but still crashes nothing.
TEST_P(Damage, EveryByteChangedUnverified) {
  Bytes content = sample_.content;
  for (size_t at = 0; at + kTrailerSize < content.size(); ++at) {
    content[at] = static_cast<char>(content[at] ^ (at % 2 == 0 ? '\xff' : '\x01'));
    static_cast<void>(ReadEverything(content, /*verify=*/false));
    content[at] = sample_.content[at];
  }
}

TEST_P(Damage, EveryLengthCut) {
  for (size_t length = 0; length < sample_.content.size(); ++length) {
    const Outcome outcome = ReadEverything(ByteView(sample_.content).substr(0, length), true);
    EXPECT_FALSE(outcome.status.ok()) << "cut to " << length;
    EXPECT_NE(outcome.status.message().find(kPath), std::string::npos) << outcome.status.ToString();
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Samples, Damage,
    testing::Values(std::tuple(DataBlockEncoding::kNone, Compression::kNone, BloomType::kRow),
                    std::tuple(DataBlockEncoding::kPrefix, Compression::kLz4, BloomType::kNone),
                    std::tuple(DataBlockEncoding::kDiff, Compression::kNone, BloomType::kRowCol),
                    std::tuple(DataBlockEncoding::kFastDiff, Compression::kSnappy, BloomType::kRow),
                    std::tuple(DataBlockEncoding::kRowIndexV1, Compression::kGz,
                               BloomType::kRowCol),
                    std::tuple(DataBlockEncoding::kFastDiff, Compression::kZstd, BloomType::kRow)));

// ---- particular damage, and what is said of it

Status OpenDamaged(Bytes content) {
  MemoryFileEnv env(content);
  return Reader::Open(&env, kPath, nullptr).status();
}

TEST(DamagedTrailer, IsExplained) {
  const Bytes good =
      MakeSample(DataBlockEncoding::kNone, Compression::kNone, BloomType::kNone).content;
  Bytes content = good;
  content[content.size() - kTrailerSize] = 'X';
  Status status = OpenDamaged(content);
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_NE(status.message().find("no trailer"), std::string::npos) << status.ToString();

  content = good;
  for (const char version : {'\0', '\x10', '\x7f'}) {
    content.back() = version;
    status = OpenDamaged(content);
    EXPECT_EQ(status.code(), StatusCode::kCorruption);
    EXPECT_NE(status.message().find("unknown HFile version"), std::string::npos)
        << status.ToString();
  }

  // Of earlier HBases, and of one that is to come.
  for (const char version : {1, 2, 4, 9}) {
    content.back() = version;
    EXPECT_EQ(OpenDamaged(content).code(), StatusCode::kNotSupported);
  }

  content = good;
  content.replace(content.find("KVComparator"), 2, "XX");
  status = OpenDamaged(content);
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_NE(status.message().find("XXComparator"), std::string::npos) << status.ToString();

  EXPECT_EQ(OpenDamaged("").code(), StatusCode::kCorruption);
  EXPECT_EQ(OpenDamaged("not an HFile").code(), StatusCode::kCorruption);
}

TEST(DamagedBlock, NamesTheChecksum) {
  Sample sample = MakeSample(DataBlockEncoding::kNone, Compression::kNone, BloomType::kNone);
  sample.content[200] = static_cast<char>(sample.content[200] ^ 4);  // in the first data block
  const Outcome outcome = ReadEverything(sample.content, true);
  EXPECT_EQ(outcome.status.code(), StatusCode::kCorruption);
  for (const char* part : {kPath, "offset 0", "CRC32C", "DATA block"}) {
    EXPECT_NE(outcome.status.message().find(part), std::string::npos) << outcome.status.ToString();
  }
}

// Byte 24 of a block's header is the type of its checksums: 0 is none.
TEST(DamagedBlock, DoesNotDoWithoutChecksums) {
  Sample sample = MakeSample(DataBlockEncoding::kNone, Compression::kNone, BloomType::kNone);
  sample.content[24] = 0;
  const Outcome outcome = ReadEverything(sample.content, true);
  EXPECT_EQ(outcome.status.code(), StatusCode::kCorruption);
  EXPECT_NE(outcome.status.message().find("NULL"), std::string::npos) << outcome.status.ToString();
}

TEST(MissingFile, IsNotFound) {
  EXPECT_EQ(
      Reader::Open(Env::Default(), testing::TempDir() + "no_such.hfile", nullptr).status().code(),
      StatusCode::kNotFound);
}

}  // namespace
}  // namespace bennu::hfile
