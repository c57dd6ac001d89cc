// HFiles written by HBase 2.5.13: every cell, every line of metadata, every bloom answer and every
// seek as HBase's own reader gave them; and the same cells written by Bennu give the same bytes.
//
// Beside each NAME.hfile lie NAME.cells, .meta, .seeks and, with a bloom filter, .bloom; in this
// folder they are gzipped.
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/flat_key.h"
#include "src/hfile/cursor.h"
#include "src/hfile/inspect.h"
#include "src/hfile/reader.h"
#include "src/hfile/writer.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::hfile {
namespace {

using golden::Split;

std::string ReadText(const std::filesystem::path& path) {
  // gzread takes files that are not compressed as they are.
  std::filesystem::path found = path;
  if (!std::filesystem::exists(found)) found += ".gz";
  gzFile file = gzopen(found.c_str(), "rb");
  EXPECT_NE(file, nullptr) << "cannot read " << path;
  std::string text;
  char buffer[65536];
  for (int size; file != nullptr && (size = gzread(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, static_cast<size_t>(size));
  }
  if (file != nullptr) gzclose(file);
  return text;
}

std::vector<std::string> ReadLines(const std::filesystem::path& path) {
  std::vector<std::string> lines = Split(ReadText(path), '\n');
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// NAME.hfile to NAME.extension.
std::filesystem::path Beside(std::filesystem::path path, const std::string& extension) {
  return path.replace_extension(extension);
}

bool HasBeside(const std::filesystem::path& path, const std::string& extension) {
  return std::filesystem::exists(Beside(path, extension)) ||
         std::filesystem::exists(Beside(path, extension + ".gz"));
}

Bytes FromHex(std::string_view text) {
  Result<Bytes> bytes = bennu::HexDecode(text);
  EXPECT_TRUE(bytes.ok()) << text;
  return bytes.ok() ? *bytes : Bytes();
}

CellType TypeOf(const std::string& name) {
  for (int type = 0; type < 256; ++type) {
    if (CellTypeText(static_cast<CellType>(type)) == name) return static_cast<CellType>(type);
  }
  ADD_FAILURE() << "unknown cell type " << name;
  return CellType::kPut;
}

std::shared_ptr<const Reader> Open(const std::filesystem::path& path, BlockCache* cache = nullptr,
                                   bool mapped = false) {
  ReaderOptions options;
  options.map_file = mapped;
  auto reader = Reader::Open(Env::Default(), path.string(), cache, options);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  return reader.ok() ? *reader : nullptr;
}

// The first line that differs tells more than two files would.
void ExpectSameLines(const std::vector<std::string>& expected,
                     const std::vector<std::string>& actual, const std::string& name) {
  for (size_t i = 0; i < std::min(expected.size(), actual.size()); ++i) {
    ASSERT_EQ(expected[i], actual[i]) << name << " line " << i + 1;
  }
  EXPECT_EQ(expected.size(), actual.size()) << name;
}

// HBase's reader and Bennu's see the same cells in the same order, also through a mapping.
class HFileGoldenCells : public testing::TestWithParam<bool> {};

INSTANTIATE_TEST_SUITE_P(Read, HFileGoldenCells, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Mapped, HFileGoldenCells, testing::Values(true));

TEST_P(HFileGoldenCells, AreThose) {
  for (const auto& path : golden::ListFiles("hfile", ".hfile")) {
    const auto reader = Open(path, nullptr, /*mapped=*/GetParam());
    ASSERT_NE(reader, nullptr);
    std::vector<std::string> lines;
    const Status status =
        FormatCells(reader, [&](std::string_view line) { lines.emplace_back(line); });
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectSameLines(ReadLines(Beside(path, ".cells")), lines, path.filename());
  }
}

// Trailer, file info, blocks, indexes and bloom facts, line by line. "how" tells how the file was
// made and is not in it.
TEST(HFileGolden, Meta) {
  for (const auto& path : golden::ListFiles("hfile", ".hfile")) {
    const auto reader = Open(path);
    ASSERT_NE(reader, nullptr);
    std::vector<std::string> expected = ReadLines(Beside(path, ".meta"));
    std::erase_if(expected, [](const std::string& line) { return line.starts_with("how="); });
    std::vector<std::string> lines;
    const Status status =
        FormatMeta(*reader, [&](std::string_view line) { lines.emplace_back(line); });
    ASSERT_TRUE(status.ok()) << status.ToString();
    ExpectSameLines(expected, lines, path.filename());
  }
}

// The same answers, false positives included: the bits are the same.
TEST(HFileGolden, Bloom) {
  BlockCache cache(1 << 20);
  size_t probes = 0;
  for (const auto& path : golden::ListFiles("hfile", ".hfile")) {
    if (!HasBeside(path, ".bloom")) continue;
    const auto reader = Open(path, &cache);
    ASSERT_NE(reader, nullptr);
    for (const std::string& line : ReadLines(Beside(path, ".bloom"))) {
      if (line.starts_with('#')) continue;
      const std::vector<std::string> fields = Split(line, '\t');
      ASSERT_EQ(fields.size(), 2u) << path << ": " << line;
      Result<bool> answer = false;
      if (reader->bloom_type() == BloomType::kRowCol) {
        const std::vector<std::string> parts = Split(fields[0], ',');
        ASSERT_EQ(parts.size(), 2u) << path << ": " << line;
        answer = reader->MayContainRowCol(FromHex(parts[0]), FromHex(parts[1]));
      } else {
        ASSERT_NE(reader->bloom_type(), BloomType::kNone) << path;
        answer = reader->MayContainRow(FromHex(fields[0]));
      }
      ASSERT_TRUE(answer.ok()) << answer.status().ToString();
      EXPECT_EQ(*answer ? "true" : "false", fields[1]) << path << ": " << line;
      ++probes;
    }
  }
  EXPECT_GT(probes, 0u);
}

// What HBase's seekTo and seekBefore say, in terms of Cursor.
class Seeker {
 public:
  explicit Seeker(std::shared_ptr<const Reader> reader) : reader_(reader), cursor_(reader) {
    int64_t count = 0;
    EXPECT_TRUE(cursor_.SeekToFirst().ok());
    while (cursor_.Valid()) {
      first_cells_[cursor_.block()->file_offset()] = count;
      count += cursor_.block()->cell_count();
      EXPECT_TRUE(cursor_.NextBlock().ok());
    }
    EXPECT_TRUE(reader
                    ->ForEachBlock([this](ByteView key, uint64_t offset, uint32_t) {
                      separators_[offset] = Bytes(key);
                      return true;
                    })
                    .ok());
  }

  std::string SeekTo(ByteView key) {
    Cursor cursor(reader_);
    EXPECT_TRUE(cursor.SeekTo(key).ok());
    EXPECT_TRUE(cursor_.SeekTo(key).ok());  // the same from wherever it stood
    EXPECT_EQ(Number(cursor), Number(cursor_));
    const int64_t at = Number(cursor);
    if (cursor.Valid() && Compare(cursor.cell().flat_key(), key) == 0) return Answer("0", at);
    // Between a block's separator and its first cell: HBase stands on that cell and says -2.
    if (cursor.Valid() && cursor.index() == 0 && at > 0 &&
        Compare(separators_.at(cursor.block()->file_offset()), key) <= 0) {
      return Answer("-2", at);
    }
    // Its ROW_INDEX_V1 seeker says so too between a row's start and its first cell.
    const ByteView row(key.data() + 2, LoadBE16(key.data()));
    if (reader_->encoding() == DataBlockEncoding::kRowIndexV1 && cursor.Valid() &&
        cursor.index() > 0 && cursor.cell().row() == row &&
        cursor.block()->RowStart(cursor.block()->RowOf(cursor.index())) == cursor.index()) {
      return Answer("-2", at);
    }
    EXPECT_TRUE(cursor.SeekBefore(key).ok());
    return cursor.Valid() ? Answer("1", Number(cursor)) : Answer("-1", -1);
  }

  std::string SeekBefore(ByteView key) {
    Cursor cursor(reader_);
    EXPECT_TRUE(cursor.SeekBefore(key).ok());
    EXPECT_TRUE(cursor_.SeekBefore(key).ok());
    EXPECT_EQ(Number(cursor), Number(cursor_));
    if (!cursor.Valid()) return Answer("false", -1);
    // HBase 2.5's ROW_INDEX_V1 seeker stands on the block's first cell when the key's row is the
    // first of the block, though later cells are before the key too. Bennu stands on the last one.
    if (reader_->encoding() == DataBlockEncoding::kRowIndexV1) {
      const ByteView row(key.data() + 2, LoadBE16(key.data()));
      if (cursor.block()->RowAt(0) == row) cursor.set_index(0);
    }
    return Answer("true", Number(cursor));
  }

 private:
  int Compare(ByteView left, ByteView right) const {
    return reader_->meta_order() ? cell::CompareMetaFlatKeys(left, right)
                                 : cell::CompareFlatKeys(left, right);
  }
  int64_t Number(const Cursor& cursor) const {
    return cursor.Valid() ? first_cells_.at(cursor.block()->file_offset()) + cursor.index() : -1;
  }
  static std::string Answer(const std::string& result, int64_t cell) {
    return result + "\t" + std::to_string(cell);
  }

  std::shared_ptr<const Reader> reader_;
  Cursor cursor_;
  std::map<uint64_t, int64_t> first_cells_;  // by block offset
  std::map<uint64_t, Bytes> separators_;
};

TEST(HFileGolden, Seeks) {
  size_t seeks = 0;
  for (const auto& path : golden::ListFiles("hfile", ".hfile")) {
    if (!HasBeside(path, ".seeks")) continue;
    const auto reader = Open(path);
    ASSERT_NE(reader, nullptr);
    Seeker seeker(reader);
    for (const std::string& line : ReadLines(Beside(path, ".seeks"))) {
      if (line.starts_with('#')) continue;
      const std::vector<std::string> fields = Split(line, '\t');
      ASSERT_EQ(fields.size(), 8u) << path << ": " << line;
      Bytes key;
      cell::AppendFlatKey(&key, FromHex(fields[1]), fields[2], FromHex(fields[3]),
                          std::stoll(fields[4]), TypeOf(fields[5]));
      const std::string answer =
          fields[0] == "seekTo" ? seeker.SeekTo(key) : seeker.SeekBefore(key);
      EXPECT_EQ(fields[6] + "\t" + fields[7], answer) << path << ": " << line;
      ++seeks;
    }
  }
  EXPECT_GT(seeks, 0u);
}

// ---- the same file again

// The lines of two files without what compression decides: offsets and sizes on disk.
std::vector<std::string> ShapeOf(const Reader& reader) {
  std::vector<std::string> lines;
  uint64_t offset = 0;
  while (offset < reader.file_size() - kTrailerSize) {
    const auto block = reader.ReadRawBlock(offset, 0);
    EXPECT_TRUE(block.ok()) << block.status().ToString();
    if (!block.ok()) break;
    const BlockType type = block->header.type;
    const bool holds_offsets = type != BlockType::kData && type != BlockType::kEncodedData &&
                               type != BlockType::kBloomChunk && type != BlockType::kMeta &&
                               type != BlockType::kFileInfo;
    lines.push_back(std::string(BlockTypeName(type)) + " " + std::to_string(block->payload.size()) +
                    " " + (holds_offsets ? "" : HexEncode(block->payload)));
    offset += block->header.on_disk_size();
  }
  return lines;
}

// The options with which HBase wrote the file, as far as the file tells; block and chunk sizes are
// tried out by the caller.
WriterOptions OptionsOf(const Reader& reader) {
  WriterOptions options;
  const RawBlock first = std::move(reader.ReadRawBlock(0, 0)).value();
  options.encoding = reader.encoding();
  options.compression = reader.trailer().compression;
  options.checksum = first.header.checksum_type;
  options.bytes_per_checksum = first.header.bytes_per_checksum;
  options.include_mvcc = reader.includes_mvcc();
  options.include_tags = reader.includes_tags();
  options.compress_tags = reader.compresses_tags();
  options.meta_order = reader.meta_order();
  options.bloom = reader.bloom_type();
  options.bloom_prefix_length = reader.bloom_prefix_length();
  options.store_file = reader.Info(kInfoMaxSequenceId).has_value();
  options.create_time_ms = static_cast<int64_t>(LoadBE64(reader.Info(kInfoCreateTime)->data()));
  return options;
}

Status Rewrite(const std::shared_ptr<const Reader>& reader, const WriterOptions& options,
               const std::string& path) {
  std::filesystem::remove(path);
  ASSIGN_OR_RETURN(auto writer, Writer::Create(Env::Default(), path, options));
  for (uint32_t i = 0; i < reader->meta_index().entry_count(); ++i) {
    const ByteView name = reader->meta_index().key(i);
    ASSIGN_OR_RETURN(const Bytes content, reader->ReadMetaBlock(name));
    writer->AppendMetaBlock(name, content);
  }
  if (const auto value = reader->Info("golden.user.key"); value.has_value()) {
    RETURN_IF_ERROR(writer->AppendFileInfo("golden.user.key", *value));
  }
  Cursor cursor(reader);
  RETURN_IF_ERROR(cursor.SeekToFirst());
  while (cursor.Valid()) {
    RETURN_IF_ERROR(writer->Append(cursor.cell()));
    RETURN_IF_ERROR(cursor.Next());
  }
  StoreFileFacts facts;
  facts.max_sequence_id = reader->max_sequence_id();
  facts.major_compaction = reader->is_major_compaction();
  ASSIGN_OR_RETURN(facts.compacted_files, reader->CompactedFiles());
  return writer->Finish(facts).status();
}

// What a cell counts against the block size.
size_t UnencodedSize(const Cell& cell, const Reader& reader) {
  size_t size = 8 + cell.key_length + cell.value_length;
  if (reader.includes_tags()) size += 2 + cell.tags_length;
  if (reader.includes_mvcc()) size += VLongSize(static_cast<int64_t>(cell.sequence_id));
  return size;
}

// Block and chunk sizes are in no file. But every block and index chunk but the last reached the
// size asked for, with the last cell or entry: the least of them will do.
size_t BlockSizeOf(const std::shared_ptr<const Reader>& reader) {
  size_t least = 65536;
  const uint64_t last = static_cast<uint64_t>(reader->trailer().last_data_block_offset);
  Cursor cursor(reader);
  EXPECT_TRUE(cursor.SeekToFirst().ok());
  while (cursor.Valid() && cursor.block()->file_offset() != last) {
    size_t size = 0;
    for (uint32_t i = 0; i < cursor.block()->cell_count(); ++i) {
      size += UnencodedSize(cursor.block()->CellAt(i), *reader);
    }
    // The row index of ROW_INDEX_V1 counts too.
    if (reader->encoding() == DataBlockEncoding::kRowIndexV1) {
      size += 4 * cursor.block()->row_count();
    }
    least = std::min(least, size);
    EXPECT_TRUE(cursor.NextBlock().ok());
  }
  return least;
}

struct BlockSizes {
  std::vector<size_t> leaves;
  std::vector<size_t> intermediates;
  std::vector<size_t> blooms;
};

BlockSizes SizesOf(const Reader& reader) {
  BlockSizes sizes;
  for (uint64_t offset = 0; offset < reader.trailer().load_on_open_offset;) {
    const auto block = reader.ReadRawBlock(offset, 0);
    EXPECT_TRUE(block.ok()) << block.status().ToString();
    if (!block.ok()) break;
    const BlockType type = block->header.type;
    if (type == BlockType::kLeafIndex) sizes.leaves.push_back(block->payload.size());
    if (type == BlockType::kBloomChunk) sizes.blooms.push_back(block->payload.size());
    if (type == BlockType::kIntermediateIndex)
      sizes.intermediates.push_back(LoadBE32(block->payload.data()));
    offset += block->header.on_disk_size();
  }
  return sizes;
}

std::vector<WriterOptions> OptionsToTry(const std::shared_ptr<const Reader>& reader) {
  WriterOptions options = OptionsOf(*reader);
  options.block_size_bytes = BlockSizeOf(reader);
  const BlockSizes sizes = SizesOf(*reader);
  if (sizes.leaves.size() > 1) {
    options.index_chunk_size_bytes =
        *std::min_element(sizes.leaves.begin(), sizes.leaves.end() - 1);
  }
  if (sizes.intermediates.size() > 1) options.index_chunk_entries_min = 2;
  std::vector<WriterOptions> all;
  // A chunk may have been folded up to some times.
  const size_t chunk = sizes.blooms.empty() ? 131072 : sizes.blooms[0];
  for (size_t size = chunk; size <= 131072; size *= 2) {
    options.bloom_chunk_size_bytes = size;
    all.push_back(options);
  }
  return all;
}

// Bennu writes HBase's cells as HBase did: byte for byte, and where a compressor is between, the
// same blocks with the same content.
TEST(HFileGolden, Rewrite) {
  const std::string path = testing::TempDir() + "bennu_hfile_golden_rewrite.hfile";
  for (const auto& original_path : golden::ListFiles("hfile", ".hfile")) {
    const auto original = Open(original_path);
    ASSERT_NE(original, nullptr);
    const std::vector<std::string> shape = ShapeOf(*original);
    bool same = false;
    std::vector<std::string> last;
    for (const WriterOptions& options : OptionsToTry(original)) {
      const Status status = Rewrite(original, options, path);
      ASSERT_TRUE(status.ok()) << original_path << ": " << status.ToString();
      const auto copy = Open(path);
      ASSERT_NE(copy, nullptr);
      last = ShapeOf(*copy);
      if (last != shape) continue;
      same = true;
      if (options.compression == Compression::kNone) {
        EXPECT_EQ(golden::ReadWhole(original_path), golden::ReadWhole(path)) << original_path;
      }
      break;
    }
    if (!same) ExpectSameLines(shape, last, original_path.filename());
    EXPECT_TRUE(same) << original_path;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace bennu::hfile
