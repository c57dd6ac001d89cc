#include "src/base/resolved_path.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

TEST(ResolvedPath, LinksAndDotsAreFollowed) {
  const TempDirectory directory;
  const std::string base = std::filesystem::canonical(directory.path());
  std::filesystem::create_directories(base + "/a/b");
  std::filesystem::create_directory_symlink(base + "/a/b", base + "/link");
  for (const char* way :
       {"/a/b", "/a/b/", "/a/./b", "/a/c/../b", "/link", "/link/../b", "//a//b"}) {
    EXPECT_EQ(ResolvePath(base + way).value(), base + "/a/b") << way;
  }
  EXPECT_EQ(ResolvePath(base + "/link/not/there").value(), base + "/a/b/not/there");
  EXPECT_EQ(ResolvePath("here").value(), std::filesystem::current_path() / "here");
  std::filesystem::create_directory_symlink(base + "/round", base + "/round");
  EXPECT_EQ(ResolvePath(base + "/round/x").status().code(), StatusCode::kIoError);
}

TEST(ResolvedPath, LiesInGoesByWholeNames) {
  EXPECT_TRUE(LiesIn("/a", "/a"));
  EXPECT_TRUE(LiesIn("/a", "/a/b/c"));
  EXPECT_TRUE(LiesIn("/", "/a"));
  EXPECT_FALSE(LiesIn("/a", "/ab"));
  EXPECT_FALSE(LiesIn("/a/b", "/a"));
}

}  // namespace
}  // namespace bennu
