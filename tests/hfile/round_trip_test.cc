// What was written is read: every encoding with every compression, bloom filter, tags and sequence
// ids, over several index levels.
#include <gtest/gtest.h>

#include <tuple>

#include "src/hfile/format.h"
#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

enum class Tags { kNone, kPlain, kCompressed };

using Combination = std::tuple<DataBlockEncoding, Compression, BloomType, Tags, bool>;

class RoundTrip : public testing::TestWithParam<Combination> {};

WriterOptions OptionsOf(const Combination& combination) {
  const auto [encoding, compression, bloom, tags, mvcc] = combination;
  WriterOptions options;
  options.encoding = encoding;
  options.compression = compression;
  options.bloom = bloom;
  options.bloom_prefix_length = 20;
  options.include_tags = tags != Tags::kNone;
  options.compress_tags = tags == Tags::kCompressed;
  options.include_mvcc = mvcc;
  // Small, so that there are many blocks, chunks and three index levels.
  options.block_size_bytes = 700;
  options.index_chunk_size_bytes = 256;
  options.index_chunk_entries_min = 2;
  options.bloom_chunk_size_bytes = 256;
  options.checksum = mvcc ? ChecksumType::kCrc32c : ChecksumType::kCrc32;
  options.bytes_per_checksum = mvcc ? 16384 : 100;
  return options;
}

TEST_P(RoundTrip, Cells) {
  const WriterOptions options = OptionsOf(GetParam());
  std::vector<OwnedCell> cells = CellMaker(7).Make(700);
  const TemporaryFile file("round_trip");
  StoreFileFacts store;
  store.max_sequence_id = 77;
  store.major_compaction = true;
  store.compacted_files = {"one", "two"};
  const auto facts = WriteFile(file.path(), options, cells, store);
  ASSERT_TRUE(facts.ok()) << facts.status().ToString();
  for (OwnedCell& cell : cells) {
    if (!options.include_tags) cell.tags.clear();
    if (!options.include_mvcc) cell.sequence_id = 0;
  }

  BlockCache cache(8 << 20);
  const auto reader = Reader::Open(Env::Default(), file.path(), &cache);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const Reader& opened = **reader;
  EXPECT_GE(opened.trailer().index_levels, 3u);
  EXPECT_EQ(opened.entry_count(), cells.size());
  EXPECT_EQ(opened.first_key(), cells.front().key);
  EXPECT_EQ(opened.last_key(), cells.back().key);
  EXPECT_EQ(opened.max_sequence_id(), 77u);
  EXPECT_TRUE(opened.is_major_compaction());
  EXPECT_EQ(opened.CompactedFiles().value(), store.compacted_files);
  EXPECT_EQ(opened.encoding(), options.encoding);
  EXPECT_EQ(opened.bloom_type(), options.bloom);
  EXPECT_EQ(facts->entry_count, cells.size());
  EXPECT_EQ(facts->size_bytes, opened.file_size());
  EXPECT_EQ(facts->delete_family_count, opened.delete_family_count());
  ASSERT_TRUE(opened.time_range().has_value());
  EXPECT_EQ(opened.time_range()->min, facts->min_timestamp);
  EXPECT_EQ(opened.time_range()->max, facts->max_timestamp);

  for (int pass = 0; pass < 2; ++pass) {  // from the file, then from the cache
    const auto read = ReadAll(*reader);
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_EQ(read->size(), cells.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      ASSERT_TRUE((*read)[i] == cells[i]) << "cell " << i << " pass " << pass;
    }
  }
}

// A filter never denies what is there, and denies most of what is not.
TEST_P(RoundTrip, Blooms) {
  const WriterOptions options = OptionsOf(GetParam());
  const std::vector<OwnedCell> cells = CellMaker(8).Make(400);
  const TemporaryFile file("bloom");
  ASSERT_TRUE(WriteFile(file.path(), options, cells).ok());
  BlockCache cache(8 << 20);
  const auto opened = Reader::Open(Env::Default(), file.path(), &cache);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  const Reader& reader = **opened;
  for (const OwnedCell& owned : cells) {
    const Cell cell = owned.view();
    EXPECT_TRUE(reader.MayContainRowCol(cell.row(), cell.qualifier()).value());
    if (options.bloom != BloomType::kRowCol) {
      EXPECT_TRUE(reader.MayContainRow(cell.row()).value());
    }
    const CellType type = cell.type();
    if (type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion) {
      EXPECT_TRUE(reader.MayContainDeleteFamily(cell.row()).value());
    }
  }
  int denied = 0;
  int denied_deletes = 0;
  for (int i = 0; i < 1000; ++i) {
    const std::string row = "Row-that-is-not-there" + std::to_string(i) + "-";
    const std::string inside = "row-with-a-prefix-1" + std::to_string(i) + "x";
    denied += !reader.MayContainRowCol(row, "column1").value();
    denied += !reader.MayContainRowCol(inside, "column1").value();
    denied_deletes += !reader.MayContainDeleteFamily(inside).value();
  }
  if (options.bloom == BloomType::kNone) {
    EXPECT_EQ(denied, 0);
  } else if (options.bloom == BloomType::kRowPrefixFixedLength) {
    EXPECT_GT(denied, 900);  // the rows inside share their prefixes with rows that are there
  } else {
    EXPECT_GT(denied, 1900);
  }
  EXPECT_GT(denied_deletes, 900);
}

std::string NameOf(const testing::TestParamInfo<Combination>& info) {
  const auto [encoding, compression, bloom, tags, mvcc] = info.param;
  return std::string(EncodingText(encoding)) + "_" + std::string(CompressionText(compression)) +
         "_" + std::string(BloomTypeText(bloom)) +
         (tags == Tags::kNone    ? ""
          : tags == Tags::kPlain ? "_tags"
                                 : "_ctags") +
         (mvcc ? "" : "_nomvcc");
}

INSTANTIATE_TEST_SUITE_P(
    All, RoundTrip,
    testing::Combine(testing::Values(DataBlockEncoding::kNone, DataBlockEncoding::kPrefix,
                                     DataBlockEncoding::kDiff, DataBlockEncoding::kFastDiff,
                                     DataBlockEncoding::kRowIndexV1),
                     testing::Values(Compression::kNone, Compression::kGz, Compression::kSnappy,
                                     Compression::kLz4, Compression::kZstd),
                     testing::Values(BloomType::kNone, BloomType::kRow, BloomType::kRowCol,
                                     BloomType::kRowPrefixFixedLength),
                     testing::Values(Tags::kNone, Tags::kPlain, Tags::kCompressed),
                     testing::Bool()),
    NameOf);

// Blocks beyond the buffer of Hadoop's codecs, whose stream then has several pieces.
TEST(BigBlocks, EveryCompression) {
  CellMaker maker(3);
  std::vector<OwnedCell> cells;
  for (int i = 0; i < 4; ++i) {
    OwnedCell cell;
    cell::AppendFlatKey(&cell.key, "row" + std::to_string(i), "f", "q", 5, CellType::kPut);
    cell.value = maker.RandomBytes(1);
    cell.value.resize(700000);
    for (size_t at = 0; at < cell.value.size(); at += 3) {
      cell.value[at] = static_cast<char>(maker.Below(256));
    }
    cells.push_back(std::move(cell));
  }
  for (const Compression compression : {Compression::kNone, Compression::kGz, Compression::kSnappy,
                                        Compression::kLz4, Compression::kZstd}) {
    WriterOptions options;
    options.compression = compression;
    options.block_size_bytes = 4 << 20;
    const TemporaryFile file("big");
    ASSERT_TRUE(WriteFile(file.path(), options, cells).ok());
    const auto reader = Reader::Open(Env::Default(), file.path(), nullptr);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    const auto read = ReadAll(*reader);
    ASSERT_TRUE(read.ok()) << CompressionText(compression) << read.status().ToString();
    EXPECT_TRUE(*read == cells) << CompressionText(compression);
  }
}

TEST(EmptyFile, HasNothing) {
  const TemporaryFile file("empty");
  WriterOptions options;
  options.bloom = BloomType::kRow;
  ASSERT_TRUE(WriteFile(file.path(), options, {}).ok());
  const auto opened = Reader::Open(Env::Default(), file.path(), nullptr);
  ASSERT_TRUE(opened.ok()) << opened.status().ToString();
  EXPECT_TRUE((*opened)->empty());
  EXPECT_FALSE((*opened)->MayContainRow("r").value());
  EXPECT_FALSE((*opened)->MayContainDeleteFamily("r").value());
  EXPECT_EQ((*opened)->MidKey().status().code(), StatusCode::kNotFound);
  Cursor cursor(*opened);
  EXPECT_TRUE(cursor.SeekToFirst().ok());
  EXPECT_FALSE(cursor.Valid());
  EXPECT_TRUE(cursor.SeekToRow("r").ok());
  EXPECT_FALSE(cursor.Valid());
  EXPECT_TRUE(cursor.SeekToLast().ok());
  EXPECT_FALSE(cursor.Valid());
  EXPECT_TRUE(cursor.SeekToRowBefore("r").ok());
  EXPECT_FALSE(cursor.Valid());
}

}  // namespace
}  // namespace bennu::hfile
