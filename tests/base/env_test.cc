#include "src/base/env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "src/base/fault_env.h"
#include "src/base/machine_memory.h"
#include "src/base/mapped_file.h"
#include "src/base/memory_env.h"
#include "tests/base/temp_directory.h"

namespace bennu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class EnvKind { kSystem, kFaultInjection, kMemory };

// What every Env promises; run over the system's own, over the one that injects faults, while it
// injects none, and over the one that keeps files in memory.
class EnvTest : public testing::TestWithParam<EnvKind> {
 protected:
  void SetUp() override { ASSERT_TRUE(memory_env_.CreateDirectories(directory_.path()).ok()); }
  Env* ChosenEnv() {
    switch (GetParam()) {
      case EnvKind::kFaultInjection: return &fault_env_;
      case EnvKind::kMemory: return &memory_env_;
      default: return Env::Default();
    }
  }
  // Creates 'name' with 'content' and returns its path.
  std::string Write(const std::string& name, ByteView content) {
    const std::string path = directory_.Join(name);
    auto file = env_->CreateFile(path);
    EXPECT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_TRUE((*file)->Append(content).ok());
    EXPECT_TRUE((*file)->Close().ok());
    return path;
  }

  TempDirectory directory_;
  FaultInjectionEnv fault_env_{Env::Default()};
  MemoryEnv memory_env_{Env::Default(), directory_.path()};
  Env* const env_ = ChosenEnv();
};

// What only files of the system have: links, special files, descriptors, other processes.
class SystemEnvTest : public EnvTest {};

INSTANTIATE_TEST_SUITE_P(Default, EnvTest, testing::Values(EnvKind::kSystem));
INSTANTIATE_TEST_SUITE_P(FaultInjection, EnvTest, testing::Values(EnvKind::kFaultInjection));
INSTANTIATE_TEST_SUITE_P(Memory, EnvTest, testing::Values(EnvKind::kMemory));
INSTANTIATE_TEST_SUITE_P(Default, SystemEnvTest, testing::Values(EnvKind::kSystem));
INSTANTIATE_TEST_SUITE_P(FaultInjection, SystemEnvTest, testing::Values(EnvKind::kFaultInjection));

// Appended bytes are there for a reader at once, with no sync or close between.
TEST_P(EnvTest, AppendIsVisibleAtOnce) {
  auto file = env_->CreateFile(directory_.Join("a")).value();
  ASSERT_TRUE(file->Append("hello ").ok());
  ASSERT_TRUE(file->Append("world").ok());
  EXPECT_EQ(file->size(), 11u);
  EXPECT_EQ(env_->ReadFile(directory_.Join("a")).value(), "hello world");
  EXPECT_TRUE(file->Sync().ok());
  EXPECT_TRUE(file->Close().ok());
  EXPECT_EQ(file->Append("x").code(), StatusCode::kFailedPrecondition);
}

// A second name for the same bytes, which outlives the first.
TEST_P(EnvTest, LinkedFileHasTwoNames) {
  const std::string path = Write("a", "bytes");
  const std::string other = directory_.Join("b");
  ASSERT_TRUE(env_->LinkFile(path, other).ok());
  EXPECT_EQ(env_->LinkFile(path, other).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(env_->LinkFile(directory_.Join("none"), directory_.Join("c")).code(),
            StatusCode::kNotFound);
  ASSERT_TRUE(env_->RemoveFile(path).ok());
  EXPECT_EQ(env_->ReadFile(other).value(), "bytes");
}

// A rename counts as a change: that is what an archived file's age goes by.
TEST_P(EnvTest, ChangeMillisFollowsRenames) {
  const std::string path = Write("a", "x");
  const int64_t written = env_->ChangeMillis(path).value();
  EXPECT_NEAR(static_cast<double>(written), static_cast<double>(env_->NowMillis()), 10'000);
  env_->SleepMicros(30'000);
  ASSERT_TRUE(env_->Rename(path, directory_.Join("b")).ok());
  EXPECT_GT(env_->ChangeMillis(directory_.Join("b")).value(), written);
  EXPECT_EQ(env_->ChangeMillis(path).status().code(), StatusCode::kNotFound);
}

// As rename(2): a file takes the place of a file, and a directory that of an empty one.
TEST_P(EnvTest, RenamesReplaceWhatIsAlike) {
  const std::string path = Write("a", "new");
  const std::string other = Write("b", "old");
  ASSERT_TRUE(env_->Rename(path, other).ok());
  EXPECT_EQ(env_->ReadFile(other).value(), "new");
  EXPECT_FALSE(env_->Exists(path).value());

  ASSERT_TRUE(env_->CreateDirectories(directory_.Join("one/inner")).ok());
  ASSERT_TRUE(env_->CreateDirectories(directory_.Join("two")).ok());
  Write("one/inner/c", "x");
  ASSERT_TRUE(env_->Rename(directory_.Join("one"), directory_.Join("two")).ok());
  EXPECT_EQ(env_->ReadFile(directory_.Join("two/inner/c")).value(), "x");
  EXPECT_FALSE(env_->Exists(directory_.Join("one")).value());
}

TEST_P(EnvTest, RenamesThatAreRefusedChangeNothing) {
  const std::string file = Write("a", "x");
  const std::string directory = directory_.Join("d");
  ASSERT_TRUE(env_->CreateDirectories(directory + "/full").ok());
  ASSERT_TRUE(env_->CreateDirectories(directory_.Join("e")).ok());
  Write("d/full/b", "y");
  EXPECT_FALSE(env_->Rename(file, directory).ok());
  EXPECT_FALSE(env_->Rename(directory, file).ok());
  EXPECT_FALSE(env_->Rename(directory_.Join("e"), directory).ok());  // which is not empty
  EXPECT_FALSE(env_->Rename(directory, directory + "/full/below").ok());
  EXPECT_EQ(env_->Rename(file, directory_.Join("none/a")).code(), StatusCode::kNotFound);
  EXPECT_EQ(env_->ReadFile(file).value(), "x");
  EXPECT_EQ(env_->ReadFile(directory + "/full/b").value(), "y");
  EXPECT_TRUE(env_->IsDirectory(directory_.Join("e")).value());
}

// What was open stays readable when its name goes to another file, or goes away.
TEST_P(EnvTest, OpenFilesOutliveTheirNames) {
  const std::string path = Write("a", "first");
  const auto first = env_->OpenForRead(path).value();
  ASSERT_TRUE(env_->WriteFileAtomically(path, "second").ok());
  const auto second = env_->OpenForRead(path).value();
  ASSERT_TRUE(env_->RemoveFile(path).ok());
  char out[6];
  ASSERT_TRUE(first->ReadExact(0, 5, out).ok());
  EXPECT_EQ(ByteView(out, 5), "first");
  ASSERT_TRUE(second->ReadExact(0, 6, out).ok());
  EXPECT_EQ(ByteView(out, 6), "second");
}

// A file of many pieces, written in steps that do not fit them, by one thread while another reads
// what is there already.
TEST_P(EnvTest, ReadersBesideAWriter) {
  constexpr size_t kStepBytes = 9'973;
  constexpr size_t kSteps = 60;
  const auto byte_at = [](uint64_t offset) { return static_cast<char>(offset * 31 >> 3); };
  const std::string path = directory_.Join("a");
  auto file = env_->CreateFile(path).value();
  std::atomic<size_t> steps_done{0};
  std::thread reader([&] {
    Bytes out;
    for (size_t done = 0; done < kSteps;) {
      done = steps_done.load();
      const auto opened = env_->OpenForRead(path).value();
      out.resize(done * kStepBytes);
      ASSERT_GE(opened->size(), out.size());
      ASSERT_TRUE(opened->ReadExact(0, out.size(), out.data()).ok());
      for (size_t i = 0; i < out.size(); i += 97) ASSERT_EQ(out[i], byte_at(i)) << i;
    }
  });
  Bytes step(kStepBytes, '\0');
  for (size_t i = 0; i < kSteps; ++i) {
    for (size_t j = 0; j < kStepBytes; ++j) step[j] = byte_at(i * kStepBytes + j);
    EXPECT_TRUE(file->Append(step).ok());
    steps_done.store(i + 1);
  }
  reader.join();
  EXPECT_EQ(env_->FileSize(path).value(), kSteps * kStepBytes);
}

TEST_P(EnvTest, CreateDurableDirectoriesMakesParents) {
  const std::string path = directory_.Join("one/two/three");
  ASSERT_TRUE(env_->CreateDurableDirectories(path).ok());
  ASSERT_TRUE(env_->CreateDurableDirectories(path).ok());
  EXPECT_TRUE(env_->IsDirectory(path).value());
}

TEST_P(EnvTest, RemoveEmptyDirectoryKeepsWhatHoldsSomething) {
  const std::string path = directory_.Join("one");
  ASSERT_TRUE(env_->CreateDirectories(path).ok());
  Write("one/a", "x");
  EXPECT_EQ(env_->RemoveEmptyDirectory(path).code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(env_->RemoveFile(path + "/a").ok());
  EXPECT_TRUE(env_->RemoveEmptyDirectory(path).ok());
  EXPECT_EQ(env_->RemoveEmptyDirectory(path).code(), StatusCode::kNotFound);
}

TEST_P(EnvTest, ReadExact) {
  const std::string path = Write("a", "0123456789");
  auto file = env_->OpenForRead(path).value();
  EXPECT_EQ(file->size(), 10u);
  char out[4];
  ASSERT_TRUE(file->ReadExact(3, 4, out).ok());
  EXPECT_EQ(ByteView(out, 4), "3456");
  file->ReadAhead(0, 1 << 20);

  const Status status = file->ReadExact(8, 4, out);
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(path));
  EXPECT_THAT(status.message(), HasSubstr("offset 8"));
  EXPECT_THAT(status.message(), HasSubstr("after 10 bytes"));
}

// A mapped file answers as any other does, also when it got shorter: no signal, the same words.
TEST_P(EnvTest, MappedFileReadsTheSame) {
  Bytes content(100'000, 'a');
  content[70'000] = 'b';
  const std::string path = Write("a", content);
  const auto mapped = OpenMapped(env_, path).value();
  const auto plain = env_->OpenForRead(path).value();
  EXPECT_EQ(mapped->size(), content.size());
  EXPECT_EQ(mapped->path(), path);
  mapped->ReadAhead(0, 1 << 20);
  Bytes out(content.size(), '\0');
  ASSERT_TRUE(mapped->ReadExact(0, out.size(), out.data()).ok());
  EXPECT_EQ(out, content);
  ASSERT_TRUE(mapped->ReadExact(70'000, 1, out.data()).ok());
  EXPECT_EQ(out[0], 'b');
  const auto expect_same = [&](uint64_t offset, size_t length) {
    const Status expected = plain->ReadExact(offset, length, out.data());
    const Status status = mapped->ReadExact(offset, length, out.data());
    EXPECT_EQ(status.code(), expected.code());
    EXPECT_EQ(status.message(), expected.message());
    return status;
  };
  EXPECT_EQ(expect_same(99'999, 2).code(), StatusCode::kCorruption);
  EXPECT_EQ(expect_same(200'000, 2).code(), StatusCode::kCorruption);

  ASSERT_TRUE(env_->TruncateFile(path, 10).ok());
  EXPECT_TRUE(expect_same(0, 10).ok());
  const Status status = expect_same(70'000, 1);
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(path));
  EXPECT_THAT(status.message(), HasSubstr("offset 70000"));
}

TEST_P(EnvTest, MappedFileOutlivesItsName) {
  const std::string path = Write("a", "0123456789");
  const auto mapped = OpenMapped(env_, path).value();
  ASSERT_TRUE(env_->RemoveFile(path).ok());
  char out[4];
  ASSERT_TRUE(mapped->ReadExact(3, 4, out).ok());
  EXPECT_EQ(ByteView(out, 4), "3456");
  EXPECT_EQ(OpenMapped(env_, path).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(OpenMapped(env_, directory_.path()).status().code(), StatusCode::kInvalidArgument);
  const auto empty = OpenMapped(env_, Write("empty", "")).value();
  EXPECT_EQ(empty->size(), 0u);
  EXPECT_EQ(empty->ReadExact(0, 1, out).code(), StatusCode::kCorruption);
}

TEST_P(EnvTest, MissingAndExisting) {
  const std::string missing = directory_.Join("missing");
  EXPECT_EQ(env_->OpenForRead(missing).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(env_->FileSize(missing).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(env_->RemoveFile(missing).code(), StatusCode::kNotFound);
  EXPECT_EQ(env_->ListDirectory(missing).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(env_->Rename(missing, missing + "2").code(), StatusCode::kNotFound);
  EXPECT_THAT(env_->OpenForRead(missing).status().message(), HasSubstr("No such file"));
  EXPECT_TRUE(env_->RemoveTree(missing).ok());
  EXPECT_FALSE(env_->Exists(missing).value());

  const std::string path = Write("a", "x");
  EXPECT_TRUE(env_->Exists(path).value());
  EXPECT_EQ(env_->FileSize(path).value(), 1u);
  EXPECT_EQ(env_->CreateFile(path).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(env_->OpenForRead(directory_.path()).status().code(), StatusCode::kInvalidArgument);
}

// Files of the kernel say that they are empty; the limit of memory of a control group is in such.
TEST(PosixEnvTest, FilesOfTheKernelAreRead) {
  const auto groups = Env::Default()->ReadFile("/proc/self/cgroup");
  ASSERT_TRUE(groups.ok()) << groups.status().ToString();
  EXPECT_THAT(*groups, HasSubstr(":"));
  EXPECT_GT(ResidentMemoryBytes(Env::Default()), 1u << 20);
}

// Files that are open to be read leave the last descriptors to what else the process opens; what is
// written is not refused.
TEST_P(SystemEnvTest, FilesToReadLeaveDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 256;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const std::string path = Write("a", "x");
  std::vector<decltype(env_->OpenForRead(path))> open;
  Status status;
  while (status.ok() && open.size() < 300) {
    auto file = env_->OpenForRead(path);
    status = file.status();
    if (file.ok()) open.push_back(std::move(file));
  }
  EXPECT_EQ(status.code(), StatusCode::kIoError);
  EXPECT_THAT(status.message(), HasSubstr("too many open files: the process may have 256, the "
                                          "last 32 of them"));
  EXPECT_GT(open.size(), 100u);
  EXPECT_LE(open.size(), 224u);
  std::vector<decltype(env_->CreateFile(path))> written;
  for (int i = 0; i < 20; ++i) {
    auto file = env_->CreateFile(directory_.Join("w" + std::to_string(i)));
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    written.push_back(std::move(file));
  }
  open.clear();
  EXPECT_TRUE(env_->OpenForRead(path).ok());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

// What is no regular file is named, and nothing waits for another end of it.
TEST_P(SystemEnvTest, ShapesThatAreNoFiles) {
  using Kind = PathShape::Kind;
  const auto shape = [&](const std::string& name) {
    return env_->Shape(directory_.Join(name)).value();
  };
  const auto open = [&](const std::string& name) {
    return env_->OpenForRead(directory_.Join(name)).status();
  };
  Write("file", "x");
  ASSERT_TRUE(env_->CreateDirectories(directory_.Join("directory")).ok());
  ASSERT_EQ(::mkfifo(directory_.Join("fifo").c_str(), 0600), 0);
  for (const auto& [target, name] :
       {std::pair("file", "to_file"), std::pair("fifo", "to_fifo"), std::pair("circle", "circle"),
        std::pair("none", "dangling"), std::pair("/dev/null", "to_device")}) {
    ASSERT_EQ(::symlink(target, directory_.Join(name).c_str()), 0);
  }
  EXPECT_EQ(shape("none").kind, Kind::kMissing);
  EXPECT_FALSE(shape("none").is_link);
  EXPECT_EQ(shape("file").kind, Kind::kFile);
  EXPECT_FALSE(shape("file").is_link);
  EXPECT_EQ(shape("to_file").kind, Kind::kFile);
  EXPECT_TRUE(shape("to_file").is_link);
  EXPECT_EQ(shape("directory").kind, Kind::kDirectory);
  EXPECT_EQ(shape("file/below").kind, Kind::kMissing);
  EXPECT_EQ(PathShapeText(shape("fifo")), "a FIFO");
  EXPECT_EQ(PathShapeText(shape("to_device")), "a symbolic link to a device");
  for (const char* const name : {"circle", "dangling"}) {
    EXPECT_EQ(PathShapeText(shape(name)), "a symbolic link that leads nowhere");
  }
  for (const char* const name : {"fifo", "to_fifo"}) {
    EXPECT_EQ(open(name).code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(open(name).message(), HasSubstr("it is a FIFO, not a file"));
    EXPECT_EQ(OpenMapped(env_, directory_.Join(name)).status().code(),
              StatusCode::kInvalidArgument);
  }
  EXPECT_THAT(open("to_device").message(), HasSubstr("it is a device, not a file"));
  EXPECT_TRUE(open("to_file").ok());
}

TEST_P(EnvTest, Directories) {
  const std::string deep = directory_.Join("x/y/z");
  ASSERT_TRUE(env_->CreateDirectories(deep).ok());
  ASSERT_TRUE(env_->CreateDirectories(deep).ok());
  EXPECT_TRUE(env_->IsDirectory(deep).value());
  Write("x/b", "1");
  Write("x/a", "1");
  EXPECT_THAT(env_->ListDirectory(directory_.Join("x")).value(), ElementsAre("a", "b", "y"));
  EXPECT_TRUE(env_->SyncDirectory(deep).ok());
  EXPECT_FALSE(env_->CreateDirectories(directory_.Join("x/a/c")).ok());
  ASSERT_TRUE(env_->RemoveTree(directory_.Join("x")).ok());
  EXPECT_FALSE(env_->Exists(deep).value());
}

TEST_P(EnvTest, Truncate) {
  const std::string path = Write("a", "0123456789");
  ASSERT_TRUE(env_->TruncateFile(path, 4).ok());
  EXPECT_EQ(env_->ReadFile(path).value(), "0123");
  ASSERT_TRUE(env_->TruncateFile(path, 6).ok());  // zeros, as truncate(2) has it
  EXPECT_EQ(env_->ReadFile(path).value(), ByteView("0123\0\0", 6));

  const std::string large = Write("b", Bytes(200'000, 'b'));
  ASSERT_TRUE(env_->TruncateFile(large, 70'000).ok());
  EXPECT_EQ(env_->ReadFile(large).value(), Bytes(70'000, 'b'));
}

// The old content gives way as a whole, and no temporary file stays.
TEST_P(EnvTest, WriteFileAtomically) {
  const std::string path = Write("a", "old");
  ASSERT_TRUE(env_->WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(env_->ReadFile(path).value(), "new");
  EXPECT_THAT(env_->ListDirectory(directory_.path()).value(), ElementsAre("a"));

  EXPECT_FALSE(env_->WriteFileAtomically(directory_.Join("missing/a"), "new").ok());
}

// The same process is refused a second time; the message names the directory and the holder.
TEST_P(EnvTest, LockTwiceInOneProcess) {
  const std::string path = directory_.Join("LOCK");
  auto lock = env_->LockFile(path);
  ASSERT_TRUE(lock.ok()) << lock.status().ToString();
  const Status second = env_->LockFile(path).status();
  EXPECT_EQ(second.code(), StatusCode::kHeld);
  EXPECT_THAT(second.message(),
              HasSubstr(directory_.path() + " is in use by process " + std::to_string(::getpid())));
  *lock = nullptr;
  EXPECT_TRUE(env_->LockFile(path).ok());
}

// Who only reads writes nothing, and keeps holders out but not others who read.
TEST_P(EnvTest, LockToRead) {
  const std::string path = directory_.Join("LOCK");
  EXPECT_EQ(env_->LockFileToRead(path).status().code(), StatusCode::kNotFound);
  Write("LOCK", "before");
  {
    const auto one = env_->LockFileToRead(path);
    ASSERT_TRUE(one.ok()) << one.status().ToString();
    EXPECT_TRUE(env_->LockFileToRead(path).ok());
    EXPECT_EQ(env_->LockFile(path).status().code(), StatusCode::kHeld);
  }
  EXPECT_EQ(env_->ReadFile(path).value(), "before");
  const auto holder = env_->LockFile(path);
  ASSERT_TRUE(holder.ok()) << holder.status().ToString();
  EXPECT_EQ(env_->LockFileToRead(path).status().code(), StatusCode::kHeld);
}

// Another process is refused while the lock is held, and not after the holder's sudden death.
TEST_P(SystemEnvTest, LockAcrossProcesses) {
  const std::string path = directory_.Join("LOCK");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto lock = env_->LockFile(path);
    const char answer = lock.ok() ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  const Status held = env_->LockFile(path).status();
  EXPECT_EQ(held.code(), StatusCode::kHeld);
  EXPECT_EQ(held.message(), directory_.path() + " is in use by process " + std::to_string(child));

  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(env_->LockFile(path).ok());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_P(EnvTest, TimeAndRandomness) {
  EXPECT_GT(env_->NowMillis(), 1600000000000);
  const uint64_t before = env_->MonotonicNanos();
  env_->SleepMicros(2000);
  EXPECT_GE(env_->MonotonicNanos() - before, 2000000u);
  std::set<uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(env_->RandomU64());
  std::thread([&] {
    for (int i = 0; i < 100; ++i) seen.insert(env_->RandomU64());
  }).join();
  EXPECT_EQ(seen.size(), 200u);
}

// Files are named by these numbers: a forked child that repeated its parent's would overwrite them.
TEST_P(EnvTest, ForkedProcessesDrawOtherNumbers) {
  static_cast<void>(env_->RandomU64());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const uint64_t drawn = env_->RandomU64();
    ::_exit(::write(ends[1], &drawn, sizeof(drawn)) == sizeof(drawn) ? 0 : 1);
  }
  uint64_t drawn = 0;
  ASSERT_EQ(::read(ends[0], &drawn, sizeof(drawn)), static_cast<ssize_t>(sizeof(drawn)));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_NE(drawn, env_->RandomU64());
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(JoinPathTest, OneSlashBetween) {
  EXPECT_EQ(JoinPath("a", "b"), "a/b");
  EXPECT_EQ(JoinPath("a/", "b"), "a/b");
  EXPECT_EQ(JoinPath("a", "/b"), "a/b");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", ""), "a");
}

// The system would take such a path to end at the zero byte, and remove another tree.
TEST_P(EnvTest, PathsWithAZeroByteAreRefused) {
  const std::string kept = Write("kept", "x");
  const std::string path = kept + std::string("\0y", 2);
  EXPECT_EQ(env_->OpenForRead(path).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(env_->ReadFile(path).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(env_->CreateFile(path).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(env_->Rename(kept, path).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(env_->RemoveFile(path).ok());
  EXPECT_FALSE(env_->RemoveTree(path).ok());
  EXPECT_FALSE(env_->TruncateFile(path, 0).ok());
  EXPECT_EQ(env_->ReadFile(kept).value(), "x");
}

// What is in a store is for its owner and his group.
TEST_P(SystemEnvTest, OthersCanNotReadWhatIsMade) {
  const mode_t before = ::umask(0);
  const std::string file = Write("a", "x");
  ASSERT_TRUE(env_->CreateDirectories(directory_.Join("b/c")).ok());
  ::umask(before);
  struct stat info;
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
  ASSERT_EQ(::stat(directory_.Join("b/c").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0750u);
}

// Whoever may read a lock file may hold it: one of an earlier version is closed to others.
TEST_P(SystemEnvTest, ALockFileIsClosedToOthers) {
  const std::string file = Write("lock", "");
  struct stat info;
  for (const auto& [before, after] : std::map<mode_t, mode_t>{{0644, 0640}, {0600, 0600}}) {
    ASSERT_EQ(::chmod(file.c_str(), before), 0);
    ASSERT_TRUE(env_->LockFile(file).ok());
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, after);
  }
}

}  // namespace
}  // namespace bennu
