#include "src/wal/wal_reader.h"

#include <gtest/gtest.h>

#include "src/base/hex.h"
#include "tests/wal/wal_test_support.h"

namespace bennu::wal {
namespace {

// Cut at every byte, a log gives exactly the entries that are whole, and is never called damaged:
// that is what a crash leaves behind.
TEST(WalReaderTest, CutAtEveryByte) {
  const TestDirectory directory;
  const LogBytes log = MakeLog(directory, 4, true);
  const size_t header_end = log.offsets[0];
  for (size_t size = 0; size <= log.bytes.size(); ++size) {
    SCOPED_TRACE(size);
    const ReadOutcome outcome = ReadBytes(directory, ByteView(log.bytes).substr(0, size));
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    uint64_t whole = 0;
    bool border = size == header_end;
    for (uint64_t i = 1; i < log.offsets.size(); ++i) {
      if (log.offsets[i] <= size) whole = i;
      border = border || log.offsets[i] == size;
    }
    EXPECT_EQ(Count(1, whole), outcome.sequence_ids);
    EXPECT_EQ(size == log.bytes.size() ? WalEnd::kTrailer
              : border                 ? WalEnd::kEntryBorder
                                       : WalEnd::kTornTail,
              outcome.end);
  }
}

// Some file systems leave zero bytes behind what was written, also within an entry.
TEST(WalReaderTest, ZeroPaddingIsATornTail) {
  const TestDirectory directory;
  const LogBytes log = MakeLog(directory, 3, false);
  for (const size_t cut : {log.bytes.size(), log.offsets[2] + 7, log.offsets[2] + 1}) {
    SCOPED_TRACE(cut);
    const Bytes padded = log.bytes.substr(0, cut) + Bytes(5000, '\0');
    const ReadOutcome outcome = ReadBytes(directory, padded);
    ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
    EXPECT_EQ(Count(1, cut == log.bytes.size() ? 3 : 2), outcome.sequence_ids);
    EXPECT_EQ(WalEnd::kTornTail, outcome.end);
  }
  EXPECT_EQ(WalEnd::kTornTail, ReadBytes(directory, Bytes(100, '\0')).end);
}

// Garbage with entries behind it is refused, naming file, offset and remedy; with skip_damage what
// is behind it is read.
TEST(WalReaderTest, DamageInTheMiddleIsRefused) {
  const TestDirectory directory;
  for (const bool closed : {false, true}) {
    const LogBytes log = MakeLog(directory, 5, closed);
    // The whole of the third entry, its key's length, its key, and its cell's length.
    const size_t begin = log.offsets[2];
    const size_t end = log.offsets[3];
    const std::vector<std::pair<size_t, size_t>> stretches = {
        {begin, end}, {begin, begin + 1}, {begin + 3, begin + 9}, {end - 30 - 20, end - 40}};
    for (const auto& [from, to] : stretches) {
      SCOPED_TRACE(fmt::format("closed {}, bytes {} to {}", closed, from, to));
      Bytes bytes = log.bytes;
      for (size_t i = from; i < to; ++i) bytes[i] = '\xee';
      const ReadOutcome outcome = ReadBytes(directory, bytes);
      EXPECT_EQ(StatusCode::kCorruption, outcome.status.code());
      EXPECT_EQ(Count(1, 2), outcome.sequence_ids);
      EXPECT_NE(std::string::npos, outcome.status.message().find(directory.File("read")));
      EXPECT_NE(std::string::npos, outcome.status.message().find(fmt::format("offset {}", begin)));
      EXPECT_NE(std::string::npos, outcome.status.message().find("--skip-damage"));

      const ReadOutcome skipped = ReadBytes(directory, bytes, true);
      ASSERT_TRUE(skipped.status.ok()) << skipped.status.ToString();
      EXPECT_EQ((std::vector<uint64_t>{1, 2, 4, 5}), skipped.sequence_ids);
      EXPECT_EQ(end - begin, skipped.skipped_bytes);
    }
  }
}

// One flipped byte of any entry is told. Only where a log was not closed, and the structure of its
// last entry is hit, this looks like a write that died.
TEST(WalReaderTest, EachFlippedByteIsTold) {
  const TestDirectory directory;
  for (const bool closed : {true, false}) {
    const LogBytes log = MakeLog(directory, 3, closed);
    const size_t entries_end = log.offsets.back();
    for (size_t i = 0; i < entries_end; ++i) {
      for (const char flip : {'\x01', '\x80', '\xff'}) {
        SCOPED_TRACE(fmt::format("byte {} flip {:02x}", i, static_cast<uint8_t>(flip)));
        Bytes bytes = log.bytes;
        bytes[i] = static_cast<char>(bytes[i] ^ flip);
        const ReadOutcome outcome = ReadBytes(directory, bytes);
        if (!outcome.status.ok()) {
          EXPECT_EQ(StatusCode::kCorruption, outcome.status.code());
          EXPECT_NE(std::string::npos, outcome.status.message().find(directory.File("read")));
        } else if (i < log.offsets[0]) {
          // The header's checksum is not known as one any more: the entries are what they were.
          EXPECT_EQ(Count(1, 3), outcome.sequence_ids);
        } else {
          EXPECT_FALSE(closed);
          EXPECT_GE(i, log.offsets[2]);
          EXPECT_EQ(Count(1, 2), outcome.sequence_ids);
          EXPECT_EQ(WalEnd::kTornTail, outcome.end);
        }
      }
    }
  }
}

// A value of the last entry, which is whole: no death of a process or machine leaves that.
TEST(WalReaderTest, ChangedLastEntryIsTold) {
  const TestDirectory directory;
  const LogBytes log = MakeLog(directory, 3, false);
  Bytes bytes = log.bytes;
  bytes.back() = static_cast<char>(bytes.back() ^ 4);
  const ReadOutcome outcome = ReadBytes(directory, bytes);
  EXPECT_EQ(StatusCode::kCorruption, outcome.status.code());
  EXPECT_EQ(Count(1, 2), outcome.sequence_ids);
  // Its last sector was never written: the machine died.
  const std::string path = directory.File("long");
  auto writer = WalFileWriter::Create(Env::Default(), path);
  Bytes entry;
  AppendWalEntry(&entry, MakeKey(1), MakeBatch(1, 3000).buffer(), 1);
  ASSERT_TRUE(writer.ok() && (*writer)->Append(entry).ok());
  bytes = Env::Default()->ReadFile(path).value();
  for (size_t i = bytes.size() / 512 * 512; i < bytes.size(); ++i) bytes[i] = 0;
  const ReadOutcome torn = ReadBytes(directory, bytes);
  EXPECT_TRUE(torn.status.ok()) << torn.status.ToString();
  EXPECT_EQ(WalEnd::kTornTail, torn.end);
}

// A trailer promises that all entries are whole: a closed log with a bad end is damaged.
TEST(WalReaderTest, ClosedLogWithABadLastEntryIsRefused) {
  const TestDirectory directory;
  const LogBytes log = MakeLog(directory, 2, true);
  Bytes bytes = log.bytes;
  bytes[log.offsets[1]] = '\xff';
  bytes[log.offsets[1] + 1] = '\xff';
  const ReadOutcome outcome = ReadBytes(directory, bytes);
  EXPECT_EQ(StatusCode::kCorruption, outcome.status.code());
  const ReadOutcome skipped = ReadBytes(directory, bytes, true);
  EXPECT_TRUE(skipped.status.ok());
  EXPECT_EQ(Count(1, 1), skipped.sequence_ids);
}

TEST(WalReaderTest, RefusesOtherFiles) {
  const TestDirectory directory;
  EXPECT_EQ(StatusCode::kCorruption, ReadBytes(directory, "not a log at all").status.code());
  EXPECT_EQ(StatusCode::kNotFound,
            ReadLog(Env::Default(), directory.File("missing")).status.code());
  // A writer that HBase's readers refuse too: header {4: "Other"}.
  EXPECT_EQ(StatusCode::kNotSupported,
            ReadBytes(directory, ByteView("PWAL\x07\x22\x05Other", 12)).status.code());
  // An encrypted log: header {2: "k"}.
  EXPECT_EQ(StatusCode::kNotSupported,
            ReadBytes(directory, ByteView("PWAL\x03\x12\x01k", 8)).status.code());
}

// Entries larger than the reader's window, and many of them.
TEST(WalReaderTest, ReadsEntriesOfEverySize) {
  const TestDirectory directory;
  const std::string path = directory.File("log");
  auto writer = WalFileWriter::Create(Env::Default(), path);
  ASSERT_TRUE(writer.ok());
  uint64_t number = 0;
  for (const size_t size : {0ul, 10ul, 5000000ul, 1048576ul, 3ul, 1048000ul, 700000ul, 1ul}) {
    Bytes entry;
    ++number;
    AppendWalEntry(&entry, MakeKey(number), MakeBatch(number, size).buffer(), 1);
    ASSERT_TRUE((*writer)->Append(entry).ok());
  }
  Bytes empty;
  AppendWalEntry(&empty, MakeKey(++number), {}, 0);  // an entry may have no cells
  ASSERT_TRUE((*writer)->Append(empty).ok());
  ASSERT_TRUE((*writer)->Close().ok());
  const ReadOutcome outcome = ReadLog(Env::Default(), path);
  ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
  EXPECT_EQ(Count(1, number), outcome.sequence_ids);
  EXPECT_EQ(WalEnd::kTrailer, outcome.end);
}

}  // namespace
}  // namespace bennu::wal
