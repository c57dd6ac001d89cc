// What a writer refuses, and what it keeps to.
#include "src/hfile/writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/base/fault_env.h"
#include "src/base/status_macros.h"
#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

OwnedCell MakeCell(ByteView row, ByteView family, ByteView qualifier, int64_t timestamp,
                   ByteView tags = "") {
  OwnedCell cell;
  cell::AppendFlatKey(&cell.key, row, family, qualifier, timestamp, CellType::kPut);
  cell.value = "v";
  cell.tags = Bytes(tags);
  return cell;
}

Status AppendAll(const WriterOptions& options, const std::vector<OwnedCell>& cells) {
  const TemporaryFile file("writer");
  auto writer = Writer::Create(Env::Default(), file.path(), options);
  if (!writer.ok()) return writer.status();
  for (const OwnedCell& cell : cells) RETURN_IF_ERROR((*writer)->Append(cell.view()));
  return (*writer)->Finish().status();
}

TEST(Writer, RefusesDisorder) {
  const OwnedCell a = MakeCell("a", "f", "q", 5);
  const OwnedCell b = MakeCell("b", "f", "q", 5);
  EXPECT_TRUE(AppendAll({}, {a, b}).ok());
  EXPECT_TRUE(AppendAll({}, {a, a, b}).ok());  // equal keys are fine
  const Status status = AppendAll({}, {b, a});
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("'a'"), std::string::npos) << status.ToString();
  // The newer version comes first.
  EXPECT_FALSE(AppendAll({}, {a, MakeCell("a", "f", "q", 6)}).ok());
}

TEST(Writer, RefusesBadCells) {
  OwnedCell cut = MakeCell("a", "f", "q", 5);
  cut.key.pop_back();
  EXPECT_EQ(AppendAll({}, {cut}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(AppendAll({}, {MakeCell("a", "f", "q", -1)}).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(AppendAll({}, {MakeCell("", "f", "q", 1)}).code(), StatusCode::kInvalidArgument);
  WriterOptions with_tags;
  with_tags.include_tags = true;
  const OwnedCell bad_tags = MakeCell("a", "f", "q", 5, ByteView("\0\7x", 3));
  EXPECT_EQ(AppendAll(with_tags, {bad_tags}).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(AppendAll({}, {bad_tags}).ok());  // dropped
}

// The encodings of differences take the family as the same in all cells.
TEST(Writer, RefusesSecondFamilyWhereItWouldBeLost) {
  const std::vector<OwnedCell> cells = {MakeCell("a", "f", "q", 5), MakeCell("a", "g", "q", 5)};
  for (const DataBlockEncoding encoding :
       {DataBlockEncoding::kPrefix, DataBlockEncoding::kDiff, DataBlockEncoding::kFastDiff}) {
    WriterOptions options;
    options.encoding = encoding;
    EXPECT_EQ(AppendAll(options, cells).code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(AppendAll({}, cells).ok());
}

TEST(Writer, RefusesOptionsThatCanNotBe) {
  WriterOptions options;
  options.compression = Compression::kLzo;
  EXPECT_EQ(AppendAll(options, {}).code(), StatusCode::kNotSupported);
  options = {};
  options.bloom = BloomType::kRowPrefixFixedLength;
  EXPECT_EQ(AppendAll(options, {}).code(), StatusCode::kInvalidArgument);
  options = {};
  options.block_size_bytes = 0;
  EXPECT_EQ(AppendAll(options, {}).code(), StatusCode::kInvalidArgument);
  options = {};
  options.bytes_per_checksum = 32;
  EXPECT_EQ(AppendAll(options, {}).code(), StatusCode::kInvalidArgument);
}

TEST(Writer, RefusesAnExistingFile) {
  const TemporaryFile file("existing");
  ASSERT_TRUE(WriteFile(file.path(), {}, {}).ok());
  EXPECT_EQ(Writer::Create(Env::Default(), file.path(), {}).status().code(),
            StatusCode::kAlreadyExists);
}

TEST(Writer, KeepsInfoAndMetaBlocks) {
  const TemporaryFile file("info");
  auto writer = Writer::Create(Env::Default(), file.path(), {});
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE((*writer)->AppendFileInfo("mine", "value").ok());
  EXPECT_EQ((*writer)->AppendFileInfo("mine", "again").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ((*writer)->AppendFileInfo("hfile.MINE", "x").code(), StatusCode::kInvalidArgument);
  (*writer)->AppendMetaBlock("zeta", "z");
  (*writer)->AppendMetaBlock("alpha", "a");
  ASSERT_TRUE((*writer)->Finish().ok());
  const auto reader = Reader::Open(Env::Default(), file.path(), nullptr);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ((*reader)->Info("mine"), ByteView("value"));
  EXPECT_EQ((*reader)->ReadMetaBlock("zeta").value(), "z");
  EXPECT_EQ((*reader)->ReadMetaBlock("alpha").value(), "a");
  EXPECT_EQ((*reader)->ReadMetaBlock("beta").status().code(), StatusCode::kNotFound);
}

// A file whose bytes may not all be there is never reported as written.
TEST(Writer, ReportsFaults) {
  const std::vector<OwnedCell> cells = CellMaker(5).Make(200);
  WriterOptions options;
  options.block_size_bytes = 2000;
  const auto write = [&](FaultInjectionEnv* env) -> Status {
    const TemporaryFile file("faults");
    ASSIGN_OR_RETURN(auto writer, Writer::Create(env, file.path(), options));
    for (const OwnedCell& cell : cells) RETURN_IF_ERROR(writer->Append(cell.view()));
    return writer->Finish().status();
  };
  FaultInjectionEnv env(Env::Default());
  ASSERT_TRUE(write(&env).ok());
  const uint64_t writes = env.write_count();
  ASSERT_GT(writes, 5u);
  EXPECT_GE(env.sync_count(), 1u);
  for (uint64_t n = 1; n <= writes; ++n) {
    env.FailWrites(n);
    EXPECT_EQ(write(&env).code(), StatusCode::kIoError) << "write " << n;
    env.ClearFaults();
  }
  env.FailSyncs(1);
  EXPECT_EQ(write(&env).code(), StatusCode::kIoError);
  env.ClearFaults();
  env.SetFreeSpace(5000);
  EXPECT_EQ(write(&env).code(), StatusCode::kNoSpace);
}

// Equal keys stay in one block, however many, so that a seek finds the newest first.
TEST(Writer, NeverSplitsEqualKeys) {
  std::vector<OwnedCell> cells;
  for (uint64_t i = 0; i < 200; ++i) {
    cells.push_back(MakeCell("row", "f", "q", 5));
    cells.back().sequence_id = 1000 - i;
  }
  cells.push_back(MakeCell("row", "f", "r", 5));
  WriterOptions options;
  options.block_size_bytes = 100;
  const TemporaryFile file("equal");
  ASSERT_TRUE(WriteFile(file.path(), options, cells).ok());
  const auto reader = Reader::Open(Env::Default(), file.path(), nullptr);
  ASSERT_TRUE(reader.ok());
  Cursor cursor(*reader);
  ASSERT_TRUE(cursor.SeekTo(cells[0].key).ok());
  EXPECT_EQ(cursor.block()->cell_count(), 200u);
  EXPECT_EQ(cursor.cell().sequence_id, 1000u);
}

// Timestamps as HBase's TimeRangeTracker sees them: markers that hide all older cells reach to 0.
TEST(Writer, TracksTimes) {
  const auto range_of = [](CellType type) {
    OwnedCell cell;
    cell::AppendFlatKey(&cell.key, "r", "f", "q", 50, type);
    const TemporaryFile file("times");
    const FileFacts facts = WriteFile(file.path(), {}, {cell}).value();
    return std::pair(facts.min_timestamp, facts.max_timestamp);
  };
  EXPECT_EQ(range_of(CellType::kPut), std::pair(int64_t{50}, int64_t{50}));
  EXPECT_EQ(range_of(CellType::kDelete), std::pair(int64_t{50}, int64_t{50}));
  EXPECT_EQ(range_of(CellType::kDeleteColumn), std::pair(int64_t{0}, int64_t{50}));
  EXPECT_EQ(range_of(CellType::kDeleteFamily), std::pair(int64_t{0}, int64_t{50}));
}

// Regions of one table whose start keys sort before a comma come first in bytes, and last in the
// catalog: each is found by its filter, in a chunk of many as in the only one.
TEST(Writer, FiltersOfTheCatalogKnowItsRows) {
  std::vector<std::string> rows = {"M,,1795464208621.0123.", "M,\x01,1795464208622.4567.",
                                   "M,\x02,1795464208623.89ab."};
  for (int i = 0; i < 2000; ++i) {
    rows.push_back("N," + std::string(1, static_cast<char>(i / 100 + 1)) + std::to_string(i) +
                   ",1.x.");
  }
  std::sort(rows.begin(), rows.end(), [](const std::string& left, const std::string& right) {
    return cell::CompareMetaRows(left, right) < 0;
  });
  for (const BloomType type : {BloomType::kRow, BloomType::kRowCol}) {
    for (const size_t chunk_bytes : {128, 128 << 10}) {
      WriterOptions options;
      options.meta_order = true;
      options.bloom = type;
      options.bloom_chunk_size_bytes = chunk_bytes;
      const TemporaryFile file("meta");
      auto writer = Writer::Create(Env::Default(), file.path(), options).value();
      for (const std::string& row : rows) {
        ASSERT_TRUE(writer->Append(MakeCell(row, "info", "state", 5).view()).ok());
      }
      ASSERT_TRUE(writer->Finish().ok());
      const auto reader = Reader::Open(Env::Default(), file.path(), nullptr).value();
      for (const std::string& row : rows) {
        EXPECT_TRUE(reader->MayContainRow(row).value()) << row;
        EXPECT_TRUE(reader->MayContainRowCol(row, "state").value()) << row;
      }
    }
  }
}

}  // namespace
}  // namespace bennu::hfile
