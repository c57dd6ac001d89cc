// A store with a bit of everything in it, closed, for tests that damage it.
#ifndef BENNU_TESTS_CHECK_STORE_FIXTURE_H_
#define BENNU_TESTS_CHECK_STORE_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/check/checker.h"
#include "src/engine/open.h"

namespace bennu::check {

// Row -> its cells as text.
using Content = std::map<std::string, std::string>;

class StoreFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() /
            ("bennu_check_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(base_);
    root_ = base_ + "/store";
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  static engine::EngineOptions Options() {
    engine::EngineOptions options;
    options.background_compaction = false;
    options.background_split = false;
    options.wal_sync = engine::WalSync::kOs;
    return options;
  }

  std::unique_ptr<engine::Engine> Open(engine::EngineOptions options = Options()) {
    auto engine = engine::OpenEngine(root_, options);
    EXPECT_TRUE(engine.ok()) << engine.status().ToString();
    return engine.ok() ? std::move(engine).value() : nullptr;
  }

  static void CreateTable(Connection* connection, const std::string& name,
                          const std::vector<std::string>& families,
                          const std::vector<Bytes>& splits) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    static constexpr const char* kEncodings[] = {"NONE", "FAST_DIFF", "ROW_INDEX_V1", "DIFF",
                                                 "PREFIX"};
    static constexpr const char* kCompressions[] = {"NONE", "GZ", "SNAPPY", "LZ4", "ZSTD"};
    static constexpr const char* kBlooms[] = {"ROW", "ROWCOL", "NONE"};
    for (size_t i = 0; i < families.size(); ++i) {
      ColumnFamilyDescriptor family;
      family.name = families[i];
      family.attributes["DATA_BLOCK_ENCODING"] = kEncodings[i % 5];
      family.attributes["COMPRESSION"] = kCompressions[i % 5];
      family.attributes["BLOOMFILTER"] = kBlooms[i % 3];
      family.attributes["BLOCKSIZE"] = "1024";
      descriptor.families.push_back(family);
    }
    const Status status = connection->admin()->CreateTable(descriptor, splits);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  // Rows "<prefix>000" … of every family.
  static void Fill(Connection* connection, const std::string& table, const std::string& prefix,
                   int rows) {
    auto opened = connection->OpenTable({"default", table});
    ASSERT_TRUE(opened.ok());
    for (int i = 0; i < rows; ++i) {
      MutationBatch batch;
      batch.StartRow(prefix + std::to_string(1000 + i).substr(1));
      for (const ColumnFamilyDescriptor& family : (*opened)->descriptor().families) {
        batch.Put(family.name, "q", "value " + std::to_string(i) + " of " + prefix);
        if (i % 7 == 3) batch.DeleteColumn(family.name, "other");
      }
      ASSERT_TRUE((*opened)->Write(&batch).ok());
    }
  }

  static Status Read(Connection* connection, const std::string& table, Content* content) {
    ASSIGN_OR_RETURN(const auto opened, connection->OpenTable({"default", table}));
    Scan scan;
    ASSIGN_OR_RETURN(const auto scanner, opened->OpenScanner(scan));
    CellBatch batch;
    do {
      RETURN_IF_ERROR(scanner->Next(100, &batch));
      for (const Cell& cell : batch.cells) {
        (*content)[Bytes(cell.row())] += Bytes(cell.family()) + ":" + Bytes(cell.qualifier()) +
                                         "=" + Bytes(cell.value_view()) + "@" +
                                         std::to_string(cell.timestamp()) + ";";
      }
    } while (batch.row_count() > 0);
    return Status::Ok();
  }
  static Content MustRead(Connection* connection, const std::string& table) {
    Content content;
    const Status status = Read(connection, table, &content);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return content;
  }

  Report Check(bool repair = false) {
    CheckOptions options;
    options.repair = repair;
    auto report = CheckStore(Env::Default(), root_, options);
    EXPECT_TRUE(report.ok()) << report.status().ToString();
    return report.ok() ? std::move(report).value() : Report();
  }
  static std::string Text(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& finding : findings) text += FormatFinding(finding) + "\n";
    return text;
  }
  static bool Tells(const std::vector<Finding>& findings, const std::string& path,
                    const std::string& what) {
    for (const Finding& finding : findings) {
      const std::string line = FormatFinding(finding);
      if (line.find(path) != std::string::npos && line.find(what) != std::string::npos) return true;
    }
    return false;
  }

  // Paths of files below the store that contain 'part', relative to the root.
  std::vector<std::string> Find(const std::string& part) const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_)) {
      const std::string path = entry.path().string().substr(root_.size() + 1);
      if (entry.is_regular_file() && path.find(part) != std::string::npos) found.push_back(path);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  // Store files of a table: no dots in their names.
  std::vector<std::string> StoreFiles(const std::string& table) const {
    std::vector<std::string> files = Find("data/default/" + table + "/");
    std::erase_if(files, [](const std::string& path) {
      return path.find("/.") != std::string::npos || path.rfind('.') != std::string::npos;
    });
    return files;
  }
  Bytes ReadFile(const std::string& path) const {
    return Env::Default()->ReadFile(root_ + "/" + path).value();
  }
  void WriteFile(const std::string& path, ByteView content) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + "/" + path).parent_path());
    std::ofstream(root_ + "/" + path, std::ios::binary) << content;
  }
  void Flip(const std::string& path, size_t at) const {
    Bytes content = ReadFile(path);
    content[at] = static_cast<char>(content[at] ^ 0x10);
    WriteFile(path, content);
  }

  std::string base_;
  std::string root_;
};

}  // namespace bennu::check

#endif  // BENNU_TESTS_CHECK_STORE_FIXTURE_H_
