// A directory, and short ways to write to and read from an engine over it.
#ifndef BENNU_TESTS_ENGINE_ROOT_ENGINE_FIXTURE_H_
#define BENNU_TESTS_ENGINE_ROOT_ENGINE_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/engine/open.h"

namespace bennu::engine {

class EngineFixture : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() /
            ("bennu_engine_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(base_);
    root_ = base_ + "/store";
  }
  void TearDown() override {
    engine_.reset();
    std::filesystem::remove_all(base_);
  }

  Status TryOpen(const EngineOptions& options = {}) {
    engine_.reset();
    auto engine = OpenEngine(root_, options);
    if (!engine.ok()) return engine.status();
    engine_ = std::move(engine).value();
    return Status::Ok();
  }
  void Open(const EngineOptions& options = {}) {
    const Status status = TryOpen(options);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::shared_ptr<Table> CreateTable(const std::string& name = "t") {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    const Status status = engine_->admin()->CreateTable(descriptor, {});
    EXPECT_TRUE(status.ok()) << status.ToString();
    return OpenTable(name);
  }
  std::shared_ptr<Table> OpenTable(const std::string& name = "t") {
    auto table = engine_->OpenTable({"default", name});
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    return table.ok() ? *table : nullptr;
  }
  // Waits for what the background does by itself, up to ten seconds.
  template <typename Condition>
  static bool Eventually(Condition condition) {
    for (int i = 0; i < 400; ++i) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  static Status Put(Table* table, ByteView row, ByteView value = "v",
                    Durability durability = Durability::kUseDefault) {
    MutationBatch batch;
    batch.durability = durability;
    batch.StartRow(row);
    batch.Put("f", "q", value);
    return table->Write(&batch);
  }
  static std::vector<std::string> Rows(Table* table) {
    std::vector<std::string> rows;
    auto scanner = table->OpenScanner({});
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return rows;
    CellBatch batch;
    do {
      const Status status = (*scanner)->Next(1000, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
      for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
    } while (batch.row_count() > 0);
    return rows;
  }
  // Paths below the store whose names match.
  std::vector<std::string> Find(const std::string& part) {
    std::vector<std::string> found;
    std::error_code gone;  // what the background removes meanwhile
    std::filesystem::recursive_directory_iterator it(root_, gone);
    for (; it != std::filesystem::end(it); it.increment(gone)) {
      const std::string path = it->path();
      if (it->is_regular_file(gone) && path.find(part) != std::string::npos) found.push_back(path);
    }
    return found;
  }

  std::string base_;
  std::string root_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace bennu::engine

#endif  // BENNU_TESTS_ENGINE_ROOT_ENGINE_FIXTURE_H_
