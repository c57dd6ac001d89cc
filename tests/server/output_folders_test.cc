// Where clients may have a server write.
#include "src/server/hbase/output_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/base/env.h"

namespace bennu::server::hbase {
namespace {

using ::testing::HasSubstr;

class OutputFoldersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
            ("bennu_folders_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(root_ / "backups");
    std::filesystem::create_directories(root_ / "other");
    std::filesystem::create_directory_symlink(root_ / "other", root_ / "backups" / "way_out");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::filesystem::path root_;
};

TEST_F(OutputFoldersTest, AnywhereForUsersOfTheMachine) {
  const OutputFolders folders;
  EXPECT_EQ(folders.Check(root_ / "a" / ".." / "b").value(), root_ / "b");
  EXPECT_THAT(folders.Check("relative").status().message(), HasSubstr("not an absolute path"));
  EXPECT_FALSE(folders.Check("").ok());
}

TEST_F(OutputFoldersTest, NowhereForOthers) {
  const OutputFolders folders{"", /*clients_are_local=*/false};
  EXPECT_THAT(folders.Check(root_ / "x").status().message(), HasSubstr("bennu.backup.root"));
}

TEST_F(OutputFoldersTest, OnlyBelowTheRoot) {
  for (const bool local : {false, true}) {
    const OutputFolders folders{root_ / "backups", local};
    EXPECT_EQ(folders.Check(root_ / "backups" / "today").value(), root_ / "backups" / "today");
    EXPECT_EQ(folders.Check(root_ / "other" / ".." / "backups" / "x").value(),
              root_ / "backups" / "x");
    for (const std::filesystem::path& outside :
         {root_ / "backups", root_ / "backups_2" / "x", root_ / "other" / "x",
          root_ / "backups" / ".." / "other" / "x", root_ / "backups" / "way_out" / "x"}) {
      EXPECT_EQ(folders.Check(outside).status().code(), StatusCode::kInvalidArgument) << outside;
    }
  }
}

}  // namespace
}  // namespace bennu::server::hbase
