// A directory of its own for a test, removed with all that is in it at the end.
#ifndef BENNU_TESTS_BASE_TEMP_DIRECTORY_H_
#define BENNU_TESTS_BASE_TEMP_DIRECTORY_H_

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "src/base/env.h"

namespace bennu {

class TempDirectory {
 public:
  TempDirectory() : path_(testing::TempDir() + "bennu-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no directory at " << path_;
  }
  ~TempDirectory() { EXPECT_TRUE(Env::Default()->RemoveTree(path_).ok()); }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string Join(std::string_view name) const { return JoinPath(path_, name); }

 private:
  std::string path_;
};

}  // namespace bennu

#endif  // BENNU_TESTS_BASE_TEMP_DIRECTORY_H_
