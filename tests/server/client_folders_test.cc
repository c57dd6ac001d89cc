// Where clients may have a server read and write.
#include "src/server/hbase/client_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "src/base/env.h"

namespace bennu::server::hbase {
namespace {

using ::testing::HasSubstr;

ClientFolders Folders(const std::string& below, bool anywhere) {
  return {"bennu.backup.root", "written", below, anywhere};
}

class ClientFoldersTest : public ::testing::Test {
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

TEST_F(ClientFoldersTest, Anywhere) {
  const ClientFolders folders = Folders("", true);
  EXPECT_EQ(folders.Check(root_ / "a" / ".." / "b").value(), root_ / "b");
  EXPECT_THAT(folders.Check("relative").status().message(), HasSubstr("not an absolute path"));
  EXPECT_FALSE(folders.Check("").ok());
  // The system would take the path to end there.
  EXPECT_FALSE(folders.Check((root_ / "a").string() + std::string("\0b", 2)).ok());
}

TEST_F(ClientFoldersTest, Nowhere) {
  EXPECT_THAT(Folders("", false).Check(root_ / "x").status().message(),
              HasSubstr("bennu.backup.root"));
}

TEST_F(ClientFoldersTest, OnlyBelowTheRoot) {
  for (const bool anywhere : {false, true}) {
    const ClientFolders folders = Folders(root_ / "backups", anywhere);
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

// Outside nobody learns what is there.
TEST_F(ClientFoldersTest, WhatIsOutsideIsNotTold) {
  const ClientFolders folders = Folders(root_ / "backups", false);
  const std::string there = folders.Check(root_ / "other").status().message();
  std::string missing = folders.Check(root_ / "rehto").status().message();
  missing.replace(missing.find("rehto"), 5, "other");
  EXPECT_EQ(there, missing);
}

}  // namespace
}  // namespace bennu::server::hbase
