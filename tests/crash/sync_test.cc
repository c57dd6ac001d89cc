// Whether the system was really told to make a write durable before it was acknowledged: the calls
// of a writing process, watched by strace. Where strace is not there or not allowed, the test says
// so and counts the syncs of an Env instead.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/fault_env.h"
#include "src/engine/open.h"

namespace bennu::testing {
namespace {

constexpr int kRows = 50;

class SyncTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() /
            ("bennu_sync_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(base_);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  std::string base_;
};

bool StraceWorks() {
  return std::system("strace -o /dev/null -e trace=none true >/dev/null 2>&1") == 0;
}

// Between two acknowledgements: the row goes into the log (a write that holds it), then a sync
// ends well, then the acknowledgement.
void CheckTrace(const std::string& path) {
  std::ifstream in(path);
  int next = 0;
  bool written = false;
  bool synced = false;
  for (std::string line; std::getline(in, line);) {
    if (line.find("\"acknowledged " + std::to_string(next) + "\\n\"") != std::string::npos) {
      ASSERT_TRUE(written) << "row " << next << " was not in the log: " << line;
      ASSERT_TRUE(synced) << "row " << next << " was not synced: " << line;
      ++next;
      written = synced = false;
    } else if (line.find("the value of row " + std::to_string(next)) != std::string::npos) {
      written = true;
      synced = false;
    } else if (line.find("fdatasync") != std::string::npos &&
               line.find("= 0") != std::string::npos) {
      synced = written;
    }
  }
  EXPECT_EQ(next, kRows) << "acknowledgements were seen";
}

void CheckCounts(const std::string& directory) {
  FaultInjectionEnv env(Env::Default());
  engine::EngineOptions options;
  options.env = &env;
  auto engine = engine::OpenEngine(directory, options);
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE((*engine)->admin()->CreateTable(descriptor, {}).ok());
  auto table = (*engine)->OpenTable(descriptor.name);
  ASSERT_TRUE(table.ok());
  for (int i = 0; i < kRows; ++i) {
    const uint64_t before = env.sync_count();
    MutationBatch batch;
    batch.StartRow("row" + std::to_string(i));
    batch.Put("f", "q", "v");
    ASSERT_TRUE((*table)->Write(&batch).ok());
    ASSERT_GT(env.sync_count(), before) << "row " << i << " was not synced";
  }
}

TEST_F(SyncTest, BeforeEveryAcknowledgement) {
  if (!StraceWorks()) {
    std::printf("strace is missing or not allowed here: counting the calls of an Env instead\n");
    CheckCounts(base_ + "/store");
    return;
  }
  const std::string trace = base_ + "/trace";
  // The leak sanitizer cannot look at a process that is traced.
  const char* const inherited = std::getenv("ASAN_OPTIONS");
  const std::string options = (inherited == nullptr ? std::string() : inherited + std::string(":"));
  setenv("ASAN_OPTIONS", (options + "detect_leaks=0").c_str(), 1);
  const std::string command = "strace -f -s 4096 -e trace=write,fdatasync -o " + trace + " " +
                              BENNU_SYNC_WRITER + " " + base_ + "/store " + std::to_string(kRows) +
                              " > " + base_ + "/out";
  ASSERT_EQ(std::system(command.c_str()), 0);
  CheckTrace(trace);
}

}  // namespace
}  // namespace bennu::testing
