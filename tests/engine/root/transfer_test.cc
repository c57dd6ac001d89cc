// Export of a table and its import: the same cells, of one moment; and what a folder without a
// descriptor becomes.
#include <atomic>
#include <thread>

#include "src/engine/transfer/load_files.h"
#include "src/hfile/reader.h"
#include "tests/engine/root/bulk_load_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class TransferTest : public BulkLoadFixture {
 protected:
  const TableName t_ = {"default", "t"};
  const TableName copy_ = {"default", "copy"};

  // Versions, delete markers of each kind, tags; in files and in memory.
  void Fill(Table* table) {
    for (int version = 1; version <= 4; ++version) {
      MutationBatch batch;
      for (int i = 0; i < kRows; ++i) {
        batch.StartRow(Key(i));
        batch.AddCell("f", "q", 1000 * version, CellType::kPut, "v" + std::to_string(version));
        if (i % 3 == 0) batch.AddCell("g", "x", 1000 * version, CellType::kPut, "g");
      }
      ASSERT_TRUE(table->Write(&batch).ok());
      const Status flushed = version == 2 ? admin()->Flush(t_) : Status::Ok();
      ASSERT_TRUE(flushed.ok());
    }
    MutationBatch deletes;
    deletes.StartRow(Key(1));
    deletes.AddCell("f", "", 2500, CellType::kDeleteFamily, "");
    deletes.StartRow(Key(2));
    deletes.AddCell("f", "q", 4000, CellType::kDelete, "");
    deletes.StartRow(Key(3));
    deletes.AddCell("g", "x", 9000, CellType::kDeleteColumn, "");
    ASSERT_TRUE(table->Write(&deletes).ok());
  }
  static Scan AllVersions(bool raw) {
    Scan scan;
    scan.max_versions = 100;
    scan.raw = raw;
    return scan;
  }
  Result<ExportResult> Export(const ExportOptions& options = {}) {
    return admin()->ExportTable(t_, folder_, options);
  }
  Result<BulkLoadResult> Import() { return admin()->ImportTable(folder_, {copy_, {}}); }
  Cells ReadCopy(const Scan& scan) { return Read(OpenTable("copy").get(), scan); }
};

TEST_F(TransferTest, TheSameCellsAndDescriptor) {
  auto table = OpenWithTable();
  Fill(table.get());
  const auto exported = Export();
  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  const Cells cells = Read(table.get(), AllVersions(false));
  EXPECT_EQ(exported->cells, cells.size());
  EXPECT_EQ(exported->files, 2u);
  const auto loaded = Import();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->cells, cells.size());
  EXPECT_EQ(ReadCopy(AllVersions(false)), cells);
  EXPECT_EQ(OpenTable("copy")->descriptor().families, table->descriptor().families);
  // Under its own name, into another store, where the namespace is missing too.
  root_ = base_ + "/other";
  Open(options_);
  const TableName elsewhere = {"far", "away"};
  ASSERT_TRUE(admin()->ImportTable(folder_, {elsewhere, {}}).ok());
  ASSERT_TRUE(admin()->ImportTable(folder_, {}).ok());
  EXPECT_EQ(Read(OpenTable().get(), AllVersions(false)), cells);
  EXPECT_EQ(Read(engine_->OpenTable(elsewhere)->get(), AllVersions(false)), cells);
}

TEST_F(TransferTest, RawKeepsWhatIsDeleted) {
  auto table = OpenWithTable();
  Fill(table.get());
  ExportOptions options;
  options.raw = true;
  ASSERT_TRUE(Export(options).ok());
  ASSERT_TRUE(Import().ok());
  const Cells raw = Read(table.get(), AllVersions(true));
  EXPECT_EQ(ReadCopy(AllVersions(true)), raw);
  EXPECT_EQ(ReadCopy(AllVersions(false)), Read(table.get(), AllVersions(false)));
  int markers = 0;
  for (const auto& [name, value] : raw) {
    markers += std::get<3>(name) != static_cast<int>(CellType::kPut) ? 1 : 0;
  }
  EXPECT_EQ(markers, 3);
}

TEST_F(TransferTest, PartsOfATable) {
  auto table = OpenWithTable();
  Fill(table.get());
  ExportOptions options;
  options.rows.start = "r25";
  options.rows.stop = "r40";
  options.time_range = {2000, 4000};
  options.max_versions = 1;
  ASSERT_TRUE(Export(options).ok());
  ASSERT_TRUE(Import().ok());
  Scan scan;
  scan.range = options.rows;
  scan.time_range = options.time_range;
  const Cells expected = Read(table.get(), scan);
  EXPECT_THAT(expected, SizeIs(15 + 5));
  EXPECT_EQ(ReadCopy(AllVersions(false)), expected);
}

TEST_F(TransferTest, FilesEndBetweenRowsAndMakeRegions) {
  options_.memstore_flush_bytes = 16 << 10;  // the least that an import makes a region for
  auto table = OpenWithTable();
  MutationBatch batch;
  for (int i = 0; i < kRows; ++i) {
    batch.StartRow(Key(i));
    for (int column = 0; column < 10; ++column) {
      batch.Put("f", "q" + std::to_string(column),
                std::string(100, static_cast<char>('a' + i % 26)));
    }
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  ExportOptions options;
  options.file_bytes_max = 20'000;
  const auto exported = Export(options);
  ASSERT_TRUE(exported.ok());
  EXPECT_GE(exported->files, 4u);
  auto files = ListLoadFiles(Env::Default(), folder_);
  ASSERT_TRUE(files.ok() && ReadLoadFileRows(Env::Default(), &*files).ok());
  std::sort(files->begin(), files->end(),
            [](const auto& left, const auto& right) { return left.first_row < right.first_row; });
  for (size_t i = 1; i < files->size(); ++i) {
    EXPECT_LT((*files)[i - 1].last_row, (*files)[i].first_row);
  }
  const auto loaded = Import();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_GT(loaded->regions, 1u);
  EXPECT_EQ(loaded->split_files, 0u) << "regions begin where files do";
  EXPECT_EQ(ReadCopy({}), Read(table.get()));
}

TEST_F(TransferTest, OneMomentWhileOthersWrite) {
  auto table = OpenWithTable();
  std::atomic<bool> stop{false};
  // Row by row the same number in both families and, in order, in all rows.
  std::thread writer([&] {
    for (int round = 1; !stop; ++round) {
      for (int i = 0; i < kRows && !stop; ++i) {
        MutationBatch batch;
        batch.StartRow(Key(i));
        batch.Put("f", "q", std::to_string(round));
        batch.Put("g", "q", std::to_string(round));
        EXPECT_TRUE(table->Write(&batch).ok());
      }
      EXPECT_TRUE(admin()->Flush(t_).ok());
    }
  });
  for (int i = 0; i < 3; ++i) {
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(Export().ok());
    ASSERT_TRUE(i == 0 || admin()->DropTable(copy_).ok());
    ASSERT_TRUE(Import().ok());
    std::string first, previous;
    for (int row = 0; row < kRows; ++row) {
      auto copy = OpenTable("copy");
      const std::string value = Value(copy.get(), Key(row), "f");
      EXPECT_EQ(value, Value(copy.get(), Key(row), "g")) << Key(row);
      if (row == 0) first = previous = value;
      // The rows of the last round, then those of the one before.
      EXPECT_TRUE(value == previous || previous == first) << Key(row);
      previous = value;
    }
  }
  stop = true;
  writer.join();
}

TEST_F(TransferTest, EmptyTablesAndFullFolders) {
  auto table = OpenWithTable();
  auto exported = Export();
  ASSERT_TRUE(exported.ok()) << exported.status().ToString();
  EXPECT_EQ(exported->files, 0u);
  const auto loaded = Import();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_THAT(ReadCopy({}), IsEmpty());
  exported = Export();
  EXPECT_EQ(exported.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(exported.status().ToString(), HasSubstr("not empty"));
  EXPECT_EQ(admin()->ImportTable(base_ + "/nowhere", {}).status().code(), StatusCode::kNotFound);
}

// After an error nothing is left in the way of the next attempt.
TEST_F(TransferTest, AFailedExportLeavesNothing) {
  auto table = OpenWithTable();
  Fill(table.get());
  ASSERT_TRUE(ArmFailpoints("file_series.between_files=error@2").ok());
  EXPECT_FALSE(Export().ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_THAT(FolderFiles(), IsEmpty());
  EXPECT_TRUE(Export().ok());
}

// A table made for files without a descriptor is written as they are.
TEST_F(TransferTest, ATableLikeTheFiles) {
  Open(options_);
  FileSpec spec;
  spec.writer.compression = Compression::kGz;
  spec.writer.encoding = DataBlockEncoding::kFastDiff;
  spec.writer.bloom = BloomType::kRowCol;
  WriteFile(spec);
  EXPECT_EQ(admin()->ImportTable(folder_, {}).status().code(), StatusCode::kInvalidArgument);
  const auto loaded = Import();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  const auto family = OpenTable("copy")->descriptor().families.front();
  EXPECT_EQ(family.name, "f");
  EXPECT_EQ(family.compression(), Compression::kGz);
  EXPECT_EQ(family.data_block_encoding(), DataBlockEncoding::kFastDiff);
  EXPECT_EQ(family.bloom_type(), BloomType::kRowCol);
  EXPECT_THAT(ReadCopy({}), SizeIs(kRows));
}

// Borders go where no file is open, and regions are not smaller than asked.
TEST(InferBordersTest, WhereNoFileIsCut) {
  const auto file = [](const std::string& first, const std::string& last) {
    LoadFile made;
    made.family = "f";
    made.cells = 1;
    made.size_bytes = 10;
    made.first_row = first;
    made.last_row = last;
    return made;
  };
  EXPECT_THAT(InferBorders({}, 0), IsEmpty());
  EXPECT_THAT(InferBorders({file("a", "c")}, 0), IsEmpty());
  EXPECT_THAT(InferBorders({file("a", "c"), file("d", "f"), file("g", "h")}, 0),
              ::testing::ElementsAre("d", "g"));
  EXPECT_THAT(InferBorders({file("a", "c"), file("d", "f"), file("g", "h")}, 15),
              ::testing::ElementsAre("g"));
  EXPECT_THAT(InferBorders({file("a", "d"), file("c", "f"), file("g", "h")}, 0),
              ::testing::ElementsAre("g"));
  EXPECT_THAT(InferBorders({file("a", "c"), file("c", "f")}, 0), IsEmpty());
}

}  // namespace
}  // namespace bennu::engine
