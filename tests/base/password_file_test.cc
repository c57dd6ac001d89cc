// What must hold: crypt(5) for the hashes, and that nobody is let in who should not be. The foreign
// hashes were made with OpenSSL's passwd and with crypt(3).
#include "src/base/password_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "src/base/memory_env.h"

namespace bennu {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class PasswordFileTest : public testing::Test {
 protected:
  PasswordFileTest() { EXPECT_TRUE(env_.CreateDirectories("/memory").ok()); }
  std::unique_ptr<PasswordFile> Open() { return PasswordFile::Open(&env_, kPath).value(); }
  Status Read(const std::string& text) {
    EXPECT_TRUE(env_.WriteFileAtomically(kPath, text).ok());
    return PasswordFile::Open(&env_, kPath).status();
  }

  static constexpr const char* kPath = "/memory/users";
  MemoryEnv env_{Env::Default(), "/memory"};
};

TEST_F(PasswordFileTest, AddsChangesAndRemovesUsers) {
  ASSERT_TRUE(SetPassword(&env_, kPath, "ann", "one").ok());
  ASSERT_TRUE(SetPassword(&env_, kPath, "bob", "two").ok());
  const auto file = Open();
  EXPECT_EQ(file->user_count(), 2u);
  for (int i = 0; i < 2; ++i) {  // by the hash, and as known
    EXPECT_TRUE(file->Check("ann", "one"));
    EXPECT_TRUE(file->Check("bob", "two"));
    EXPECT_FALSE(file->Check("ann", "two"));
    EXPECT_FALSE(file->Check("ann", ""));
    EXPECT_FALSE(file->Check("ann", std::string("one\0", 4)));
    EXPECT_FALSE(file->Check("an", "one"));
    EXPECT_FALSE(file->Check("", ""));
  }
  ASSERT_TRUE(SetPassword(&env_, kPath, "ann", "three").ok());
  EXPECT_TRUE(file->Check("ann", "one"));  // not read again yet
  ASSERT_TRUE(file->Reload().ok());
  EXPECT_FALSE(file->Check("ann", "one"));
  EXPECT_TRUE(file->Check("ann", "three"));
  ASSERT_TRUE(RemoveUser(&env_, kPath, "ann").ok());
  ASSERT_TRUE(file->Reload().ok());
  EXPECT_FALSE(file->Check("ann", "three"));
  EXPECT_TRUE(file->Check("bob", "two"));
  EXPECT_EQ(RemoveUser(&env_, kPath, "ann").code(), StatusCode::kNotFound);
}

TEST_F(PasswordFileTest, LeavesOtherLinesAsTheyAre) {
  ASSERT_TRUE(env_.WriteFileAtomically(kPath, "# who may\n\nanna:$6$x\n").ok());
  ASSERT_TRUE(SetPassword(&env_, kPath, "ann", "p").ok());
  EXPECT_THAT(env_.ReadFile(kPath).value(),
              MatchesRegex("# who may\n\nanna:\\$6\\$x\nann:\\$y\\$[^\n]*\n"));
}

TEST_F(PasswordFileTest, TwoOfOnePasswordHaveHashesOfTheirOwn) {
  ASSERT_TRUE(SetPassword(&env_, kPath, "ann", "same").ok());
  ASSERT_TRUE(SetPassword(&env_, kPath, "bob", "same").ok());
  const std::string text = env_.ReadFile(kPath).value();
  const size_t end = text.find('\n');
  EXPECT_NE(text.substr(4, end - 4), text.substr(end + 5, end - 4));
  EXPECT_EQ(text.find("same"), std::string::npos);
}

TEST_F(PasswordFileTest, TakesHashesThatOtherToolsMade) {
  ASSERT_TRUE(Read("sha512:$6$saltsalt$qFmFH.bQmmtXzyBY0s9v7Oicd2z4XSIecDzlB5KiA2/"
                   "jctKu9YterLp8wwnSq.qc.eoxqOmSuNp2xS0ktL3nh/\n"
                   "bcrypt:$2y$05$c4WoMPo3SXsafkva.HHa6uXQZWr7oboPiC2bT/r7q1BB8I2s0BRqC\r\n")
                  .ok());
  const auto file = Open();
  EXPECT_TRUE(file->Check("sha512", "password"));
  EXPECT_FALSE(file->Check("sha512", "Password"));
  EXPECT_TRUE(file->Check("bcrypt", "myPassword"));
  EXPECT_FALSE(file->Check("bcrypt", "password"));
}

TEST_F(PasswordFileTest, WeakHashesAndDamagedLinesAreRefused) {
  for (const char* line :
       {"ann:secret", "ann:$1$abcdefgh$xDBP/FPZLzXhRRQJ6TYmB0", "ann:$apr1$x$y",
        "ann:{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "ann:", "ann", ":$6$x$y", "ann:$9$x"}) {
    const Status status = Read(std::string("# one\n") + line + "\n");
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << line;
    EXPECT_THAT(status.message(), HasSubstr("/memory/users:2: ")) << line;
    EXPECT_THAT(status.message(), HasSubstr("bennu passwd")) << line;
  }
  EXPECT_FALSE(Read("a:$6$x$y\na:$6$x$y\n").ok());
  EXPECT_EQ(PasswordFile::Open(&env_, "/memory/none").status().code(), StatusCode::kNotFound);
}

TEST_F(PasswordFileTest, AFileThatCannotBeReadLeavesTheUsersAsTheyWere) {
  ASSERT_TRUE(SetPassword(&env_, kPath, "ann", "one").ok());
  const auto file = Open();
  ASSERT_TRUE(env_.WriteFileAtomically(kPath, "ann:plain\n").ok());
  EXPECT_FALSE(file->Reload().ok());
  EXPECT_TRUE(file->Check("ann", "one"));
}

TEST_F(PasswordFileTest, NamesAndPasswordsThatCannotStandInTheFileAreRefused) {
  for (const char* name : {"", "a:b", "a\nb", "#a", "a\x7f"}) {
    EXPECT_FALSE(SetPassword(&env_, kPath, name, "p").ok()) << name;
  }
  EXPECT_FALSE(SetPassword(&env_, kPath, "a", "").ok());
  EXPECT_FALSE(SetPassword(&env_, kPath, "a", std::string(600, 'p')).ok());
  EXPECT_FALSE(env_.Exists(kPath).value());
}

}  // namespace
}  // namespace bennu
