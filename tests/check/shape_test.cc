// What stands in a store where a file should be, and is none or may not be read: told as damage of
// its kind, with all the rest, and repaired as that.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "src/base/fault_env.h"
#include "src/base/status_macros.h"
#include "src/check/shape_env.h"
#include "tests/check/store_fixture.h"

namespace bennu::check {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

// What a user without rights sees; a test may be run by one who has all.
class RestrictedEnv final : public FaultInjectionEnv {
 public:
  RestrictedEnv() : FaultInjectionEnv(Env::Default()) {}

  std::set<std::string> unreadable;  // paths
  std::set<std::string> failing;     // the disk's fault
  bool read_only = false;

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    if (IsBelow(path)) return IoError("open " + path + ": Permission denied");
    if (failing.contains(path)) return IoError("open " + path + ": Input/output error");
    return Env::Default()->OpenForRead(path);
  }
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
    if (IsBelow(path)) return IoError("list " + path + ": Permission denied");
    return Env::Default()->ListDirectory(path);
  }
  Result<bool> Exists(const std::string& path) override {
    if (IsInside(path)) return IoError("stat " + path + ": Permission denied");
    return Env::Default()->Exists(path);
  }
  Result<bool> IsDirectory(const std::string& path) override {
    if (IsInside(path)) return IoError("stat " + path + ": Permission denied");
    return Env::Default()->IsDirectory(path);
  }
  Result<uint64_t> FileSize(const std::string& path) override {
    if (IsInside(path)) return IoError("stat " + path + ": Permission denied");
    return Env::Default()->FileSize(path);
  }
  Result<PathShape> Shape(const std::string& path) override {
    if (IsInside(path)) return IoError("stat " + path + ": Permission denied");
    ASSIGN_OR_RETURN(PathShape shape, Env::Default()->Shape(path));
    shape.is_readable = !unreadable.contains(path);
    return shape;
  }
  Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string& path) override {
    if (read_only) return IoError("open the lock file " + path + ": Permission denied");
    return Env::Default()->LockFile(path);
  }

 private:
  bool IsInside(const std::string& path) const {
    for (const std::string& one : unreadable) {
      if (path.starts_with(one + "/")) return true;
    }
    return false;
  }
  bool IsBelow(const std::string& path) const {
    return unreadable.contains(path) || IsInside(path);
  }
};

class ShapeTest : public StoreFixture {
 protected:
  // Killed, with a log, store files of a table of two regions, a snapshot and an archive.
  void SetUp() override {
    StoreFixture::SetUp();
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    ASSERT_NO_FATAL_FAILURE(CreateTable(engine.get(), "t", {"f"}, {"m"}));
    Fill(engine.get(), "t", "a", 20);
    Fill(engine.get(), "t", "n", 20);
    ASSERT_TRUE(engine->admin()->SnapshotTable("snap", {"default", "t"}, {}).ok());
    Fill(engine.get(), "t", "b", 5);
    ASSERT_TRUE(engine->admin()->Compact({"default", "t"}, /*major=*/true).ok());
    ASSERT_NO_FATAL_FAILURE(CreateTable(engine.get(), "u", {"f"}, {}));
    Fill(engine.get(), "u", "k", 10);
    const std::string copy = base_ + "/copy";
    ASSERT_TRUE(engine->Close().ok());
    engine = Open();
    Fill(engine.get(), "t", "c", 3);
    t_ = MustRead(engine.get(), "t");
    u_ = MustRead(engine.get(), "u");
    fs::copy(root_, copy, fs::copy_options::recursive);
    engine.reset();
    fs::remove_all(root_);
    fs::rename(copy, root_);
    fs::rename(root_, origin_ = base_ + "/origin");
    Restore();
    ASSERT_EQ(Check().faults(), 0u) << Text(Check().findings);
  }
  void Restore() {
    fs::remove_all(root_);
    fs::copy(origin_, root_, fs::copy_options::recursive);
  }

  void Put(const std::string& shape, const std::string& path) {
    const std::string place = root_ + "/" + path;
    fs::remove_all(place);
    if (shape == "link") fs::create_symlink(base_ + "/nowhere", place);
    if (shape == "circle") fs::create_symlink(place, place);
    if (shape == "directory") fs::create_directory(place);
    if (shape == "fifo") {
      ASSERT_EQ(::mkfifo(place.c_str(), 0600), 0);
    }
  }

  static std::string TextOf(const std::string& shape) {
    if (shape == "directory") return "a directory";
    return shape == "fifo" ? "a FIFO" : "a symbolic link that leads nowhere";
  }

  // Of the archive there are some with the same path behind it.
  std::string StoreFile() {
    std::vector<std::string> files = StoreFiles("t");
    std::erase_if(files, [](const std::string& path) { return path.starts_with("archive/"); });
    EXPECT_FALSE(files.empty());
    return files.empty() ? "none" : files.front();
  }
  std::string First(const std::string& part) {
    const auto found = Find(part);
    EXPECT_FALSE(found.empty()) << part;
    return found.empty() ? part : found.front();
  }

  std::string origin_;
  Content t_, u_;
};

TEST_F(ShapeTest, EveryKindOfFileInEveryShape) {
  const std::string region = fs::path(StoreFile()).parent_path().parent_path();
  struct Place {
    std::string path;
    std::string told;  // where it is told
    bool is_fault = true;
    bool is_repaired = true;
    bool loses = false;
  };
  const std::string log = First("WALs/");
  const std::string checksum = First("snap/.bennu.checksum");
  const std::vector<Place> places = {
      {"hbase.id", "hbase.id"},
      {"hbase.version", "hbase.version"},
      {".bennu.clock", ".bennu.clock"},
      {"data/default/t/.altering", "data/default/t/.altering"},
      {log, log, true, true, /*loses=*/true},
      {First("oldWALs/"), First("oldWALs/"), /*is_fault=*/false},
      {StoreFile(), StoreFile(), true, true, /*loses=*/true},
      {region + "/f/.store-files", region + "/f/.store-files"},
      {region + "/.regioninfo", region + "/.regioninfo"},
      {First("data/default/t/.tabledesc/.tableinfo"), "data/default/t/.tabledesc"},
      {First("data/default/t/.tabledesc/.bennu"), "data/default/t/.tabledesc"},
      // What is moved away would lose a snapshot's files.
      {checksum, ".hbase-snapshot/snap", true, /*is_repaired=*/false},
  };
  for (const Place& place : places) {
    for (const char* const shape : {"link", "circle", "directory", "fifo"}) {
      SCOPED_TRACE(std::string(shape) + " as " + place.path);
      Restore();
      // A second fault, at the end of a run, is told as well.
      const std::string other = First("data/default/u/.tabledesc/.tableinfo");
      ASSERT_NO_FATAL_FAILURE(Put(shape, place.path));
      WriteFile(other, "x");
      const Report found = Check();
      const bool is_directory_in_old_logs =
          std::string_view(shape) == "directory" && place.path.starts_with("oldWALs/");
      if (!is_directory_in_old_logs) {
        EXPECT_TRUE(Tells(found.findings, place.told, TextOf(shape))) << Text(found.findings);
      }
      EXPECT_TRUE(Tells(found.findings, "default/u", "")) << Text(found.findings);
      EXPECT_EQ(found.faults(), place.is_fault ? 2u : 1u) << Text(found.findings);
      const Report repaired = Check(/*repair=*/true);
      EXPECT_EQ(repaired.faults(), place.is_repaired ? 0u : 1u) << Text(repaired.remaining);
      if (!place.is_repaired) continue;
      auto engine = Open();
      ASSERT_NE(engine, nullptr);
      const Content t = MustRead(engine.get(), "t");
      EXPECT_TRUE(place.loses ? t.size() < t_.size() : t == t_) << t.size();
      EXPECT_EQ(MustRead(engine.get(), "u").size(), u_.size());
    }
  }
}

// What is moved away is the link or FIFO itself.
TEST_F(ShapeTest, ItIsMovedToCorrupt) {
  const std::string file = StoreFile();
  ASSERT_NO_FATAL_FAILURE(Put("fifo", file));
  const Report repaired = Check(/*repair=*/true);
  EXPECT_EQ(repaired.faults(), 0u) << Text(repaired.remaining);
  EXPECT_TRUE(fs::is_fifo(root_ + "/corrupt/" + file));
  EXPECT_FALSE(fs::exists(root_ + "/" + file));
}

TEST_F(ShapeTest, FilesInPlaceOfFolders) {
  for (const char* const folder : {"oldWALs", ".hbase-snapshot", "WALs"}) {
    SCOPED_TRACE(folder);
    Restore();
    fs::remove_all(root_ + "/" + folder);
    WriteFile(folder, "x");
    const Report found = Check();
    EXPECT_TRUE(Tells(found.findings, folder, "a file, where a directory is expected"))
        << Text(found.findings);
    const Report repaired = Check(/*repair=*/true);
    EXPECT_EQ(repaired.faults(), 0u) << Text(repaired.remaining);
    EXPECT_TRUE(fs::is_regular_file(root_ + "/corrupt/" + folder));
    EXPECT_NE(Open(), nullptr);
  }
}

TEST_F(ShapeTest, ALinkToAStoreFileIsTold) {
  const std::string file = StoreFile();
  fs::rename(root_ + "/" + file, base_ + "/outside");
  fs::create_symlink(base_ + "/outside", root_ + "/" + file);
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, file, "a symbolic link: the store hangs on a file outside"))
      << Text(report.findings);
}

// An opening does not wait for somebody who writes to it.
TEST_F(ShapeTest, AnOpeningNamesAFifo) {
  ASSERT_NO_FATAL_FAILURE(Put("fifo", ".bennu.clock"));
  const auto engine = engine::OpenEngine(root_, Options());
  ASSERT_FALSE(engine.ok());
  EXPECT_THAT(engine.status().message(), HasSubstr(".bennu.clock: it is a FIFO, not a file"));
}

// It may be sound: told, and nothing is repaired on what is not the whole sight.
TEST_F(ShapeTest, WhatMayNotBeReadIsToldOnly) {
  const std::string file = StoreFile();
  const std::string region = fs::path(file).parent_path().parent_path();
  for (const std::string& path :
       {file, region, region + "/f", region + "/.regioninfo", First("WALs/"),
        std::string("data/default"), std::string("hbase.id"), std::string("oldWALs"),
        std::string("data/default/t/.tabledesc")}) {
    SCOPED_TRACE(path);
    Restore();
    const std::string other = First("data/default/u/.tabledesc/.tableinfo");
    WriteFile(other, "x");
    RestrictedEnv env;
    env.unreadable.insert(root_ + "/" + path);
    for (const bool repair : {false, true}) {
      CheckOptions options;
      options.repair = repair;
      const auto report = CheckStore(&env, root_, options);
      ASSERT_TRUE(report.ok()) << report.status().ToString();
      EXPECT_TRUE(Tells(report->findings, path, "this user may not read"))
          << Text(report->findings);
      if (path != "data/default") {
        EXPECT_TRUE(Tells(report->findings, "default/u", "")) << Text(report->findings);
      }
      EXPECT_TRUE(Tells(report->findings, path == "oldWALs" ? "WARNING  " : "FAULT  ", path))
          << Text(report->findings);
      EXPECT_TRUE(report->actions.empty());
    }
    EXPECT_FALSE(fs::exists(root_ + "/corrupt"));
  }
}

TEST_F(ShapeTest, AFailingDiskEndsTheRun) {
  RestrictedEnv env;
  env.failing.insert(root_ + "/hbase.id");
  const auto report = CheckStore(&env, root_, {});
  EXPECT_EQ(report.status().code(), StatusCode::kIoError);
  EXPECT_THAT(report.status().message(), HasSubstr("Input/output error"));
}

// A directory that may not be written can be checked, beside no holder, and not be repaired.
TEST_F(ShapeTest, ReadOnlyStore) {
  RestrictedEnv env;
  env.read_only = true;
  const auto files = Find("");
  const auto sound = CheckStore(&env, root_, {});
  ASSERT_TRUE(sound.ok()) << sound.status().ToString();
  EXPECT_EQ(sound->faults(), 0u) << Text(sound->findings);
  fs::remove(root_ + "/.bennu.lock");
  EXPECT_TRUE(CheckStore(&env, root_, {}).ok());
  EXPECT_FALSE(fs::exists(root_ + "/.bennu.lock"));
  CheckOptions options;
  options.repair = true;
  EXPECT_EQ(CheckStore(&env, root_, options).status().code(), StatusCode::kIoError);
  const auto engine = Open();
  const auto held = CheckStore(&env, root_, {});
  EXPECT_EQ(held.status().code(), StatusCode::kHeld);
  EXPECT_THAT(held.status().message(), HasSubstr(std::to_string(::getpid())));
}

}  // namespace
}  // namespace bennu::check
