// What the tests of the log share.
#ifndef BENNU_TESTS_WAL_WAL_TEST_SUPPORT_H_
#define BENNU_TESTS_WAL_WAL_TEST_SUPPORT_H_

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bennu/mutation.h"
#include "src/base/env.h"
#include "src/wal/wal_reader.h"
#include "src/wal/wal_writer.h"

namespace bennu::wal {

inline constexpr const char* kRegionName = "f907e0b1d1882b7c40ea156222d2a5e7";

// A folder of its own for each test, removed at the end.
class TestDirectory {
 public:
  TestDirectory()
      : path_(JoinPath(::testing::TempDir(),
                       fmt::format("bennu_wal_{:016x}", Env::Default()->RandomU64()))) {
    EXPECT_TRUE(Env::Default()->CreateDirectories(path_).ok());
  }
  ~TestDirectory() { EXPECT_TRUE(Env::Default()->RemoveTree(path_).ok()); }
  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return JoinPath(path_, name); }

 private:
  const std::string path_;
};

// One cell of a row named after 'number'.
inline MutationBatch MakeBatch(uint64_t number, size_t value_size = 20) {
  MutationBatch batch;
  batch.StartRow(fmt::format("row{}", number));
  batch.AddCell("cf", "q", 1000 + static_cast<int64_t>(number), CellType::kPut,
                std::string(value_size, static_cast<char>('a' + number % 26)));
  return batch;
}

inline WalKeyFields MakeKey(uint64_t sequence_id) {
  WalKeyFields key;
  key.encoded_region = kRegionName;
  key.table = "t";
  key.sequence_id = sequence_id;
  key.write_time_ms = 1500000000000 + sequence_id;
  return key;
}

// The bytes of a log with entries 1 … count, and where each begins; the last offset is the end.
struct LogBytes {
  Bytes bytes;
  std::vector<size_t> offsets;
};
inline LogBytes MakeLog(const TestDirectory& directory, uint64_t count, bool close) {
  const std::string path = directory.File("made");
  auto writer = WalFileWriter::Create(Env::Default(), path);
  EXPECT_TRUE(writer.ok()) << writer.status().ToString();
  LogBytes log;
  for (uint64_t i = 1; i <= count; ++i) {
    log.offsets.push_back((*writer)->size());
    Bytes entry;
    AppendWalEntry(&entry, MakeKey(i), MakeBatch(i).buffer(), 1);
    EXPECT_TRUE((*writer)->Append(entry).ok());
  }
  log.offsets.push_back((*writer)->size());
  if (close) {
    EXPECT_TRUE((*writer)->Close().ok());
  }
  log.bytes = Env::Default()->ReadFile(path).value();
  EXPECT_TRUE(Env::Default()->RemoveFile(path).ok());
  return log;
}

// What a reader made of a log.
struct ReadOutcome {
  Status status;
  std::vector<uint64_t> sequence_ids;
  WalEnd end = WalEnd::kNotYet;
  uint64_t skipped_bytes = 0;
};
inline ReadOutcome ReadLog(Env* env, const std::string& path, bool skip_damage = false) {
  ReadOutcome outcome;
  auto reader = WalReader::Open(env, path, WalReadOptions{skip_damage});
  if (!reader.ok()) {
    outcome.status = reader.status();
    return outcome;
  }
  WalEntry entry;
  while (true) {
    const Result<bool> more = (*reader)->Next(&entry);
    if (!more.ok()) outcome.status = more.status();
    if (!more.ok() || !*more) break;
    outcome.sequence_ids.push_back(entry.key.sequence_id);
  }
  outcome.end = (*reader)->end();
  outcome.skipped_bytes = (*reader)->skipped_bytes();
  return outcome;
}
inline ReadOutcome ReadBytes(const TestDirectory& directory, ByteView bytes,
                             bool skip_damage = false) {
  const std::string path = directory.File("read");
  static_cast<void>(Env::Default()->RemoveFile(path));  // not there the first time
  {
    auto file = Env::Default()->CreateFile(path);
    EXPECT_TRUE(file.ok() && (*file)->Append(bytes).ok() && (*file)->Close().ok());
  }
  return ReadLog(Env::Default(), path, skip_damage);
}

inline std::vector<uint64_t> Count(uint64_t first, uint64_t last) {
  std::vector<uint64_t> numbers;
  for (uint64_t i = first; i <= last; ++i) numbers.push_back(i);
  return numbers;
}

}  // namespace bennu::wal

#endif  // BENNU_TESTS_WAL_WAL_TEST_SUPPORT_H_
