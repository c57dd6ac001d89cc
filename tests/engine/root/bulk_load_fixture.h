// A table of three regions and two families, folders of HFiles for it, and what is read back.
#ifndef BENNU_TESTS_ENGINE_ROOT_BULK_LOAD_FIXTURE_H_
#define BENNU_TESTS_ENGINE_ROOT_BULK_LOAD_FIXTURE_H_

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bennu/admin.h"
#include "src/base/failpoint.h"
#include "src/cell/flat_key.h"
#include "src/hfile/writer.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {

class BulkLoadFixture : public EngineFixture {
 protected:
  // Row, column, timestamp and type of a cell, and its value.
  using CellName = std::tuple<std::string, std::string, int64_t, int>;
  using Cells = std::map<CellName, std::string>;

  static constexpr int kRows = 90;  // r00 … r89; regions begin at r30 and r60

  void SetUp() override {
    EngineFixture::SetUp();
    options_.background_compaction = false;
    options_.background_split = false;
    options_.wal_sync = WalSync::kOs;
    folder_ = base_ + "/folder";
  }
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }

  static std::string Key(int number) {
    char text[16];
    std::snprintf(text, sizeof(text), "r%02d", number);
    return text;
  }

  std::shared_ptr<Table> OpenWithTable(const std::vector<Bytes>& splits = {"r30", "r60"}) {
    Open(options_);
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[1].name = "g";
    for (auto& family : descriptor.families) family.attributes["VERSIONS"] = "3";
    const Status status = admin()->CreateTable(descriptor, splits);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return OpenTable();
  }
  Admin* admin() { return engine_->admin(); }

  struct FileSpec {
    std::string family = "f";
    int first = 0;
    int last = kRows - 1;
    int64_t timestamp = 1000;
    std::string value = "loaded";
    hfile::WriterOptions writer = {};
    std::string cell_family = {};  // of the cells, when it is another
    std::map<std::string, std::string> info = {};
    uint64_t sequence_id = 0;  // what the cells claim
  };
  // Writes FOLDER/FAMILY/<n> and returns its path. A row has the one column "q".
  std::string WriteFile(const FileSpec& spec) {
    const std::string directory = folder_ + "/" + spec.family;
    std::filesystem::create_directories(directory);
    const std::string path = directory + "/file" + std::to_string(next_file_++);
    auto writer = hfile::Writer::Create(Env::Default(), path, spec.writer);
    EXPECT_TRUE(writer.ok()) << writer.status().ToString();
    for (int i = spec.first; i <= spec.last; ++i) {
      Bytes key;
      cell::AppendFlatKey(&key, Key(i), spec.cell_family.empty() ? spec.family : spec.cell_family,
                          "q", spec.timestamp, CellType::kPut);
      Cell cell;
      cell.key = key.data();
      cell.key_length = static_cast<uint32_t>(key.size());
      cell.value = spec.value.data();
      cell.value_length = static_cast<uint32_t>(spec.value.size());
      cell.sequence_id = spec.sequence_id;
      EXPECT_TRUE((*writer)->Append(cell).ok());
    }
    for (const auto& [name, value] : spec.info) {
      EXPECT_TRUE((*writer)->AppendFileInfo(name, value).ok());
    }
    const auto written = (*writer)->Finish();
    EXPECT_TRUE(written.ok()) << written.status().ToString();
    return path;
  }

  Result<BulkLoadResult> Load(bool copy = true) {
    BulkLoadOptions load;
    load.copy = copy;
    return admin()->BulkLoad({"default", "t"}, folder_, load);
  }
  void MustLoad(bool copy = true) {
    const auto loaded = Load(copy);
    ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  }

  static Cells Read(Table* table, const Scan& scan) {
    Cells cells;
    auto scanner = table->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return cells;
    CellBatch batch;
    do {
      const Status status = (*scanner)->Next(7, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
      for (const Cell& cell : batch.cells) {
        const std::string column = std::string(cell.family()) + ":" + std::string(cell.qualifier());
        cells[{std::string(cell.row()), column, cell.timestamp(), static_cast<int>(cell.type())}] =
            std::string(cell.value_view());
      }
    } while (batch.row_count() > 0);
    return cells;
  }
  static Cells Read(Table* table) { return Read(table, Scan()); }
  // "f:q" of the row, or "-".
  static std::string Value(Table* table, const std::string& row, const std::string& family = "f") {
    Get get;
    get.row = row;
    std::string value = "-";
    const Status status = table->GetCells(get, [&](const Cell* cells, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (cells[i].family() == family) value = std::string(cells[i].value_view());
      }
    });
    EXPECT_TRUE(status.ok()) << status.ToString();
    return value;
  }

  // Names of the regular files below the folder.
  std::vector<std::string> FolderFiles() {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) found.push_back(entry.path().filename());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  EngineOptions options_;
  std::string folder_;
  int next_file_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_TESTS_ENGINE_ROOT_BULK_LOAD_FIXTURE_H_
