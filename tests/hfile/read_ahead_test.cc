// What the system is told to read before it is asked for: the way of a scan, and nothing of seeks
// here and there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/forwarding_env.h"
#include "src/base/status_macros.h"
#include "src/hfile/cursor.h"
#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

struct Ask {
  uint64_t offset = 0;
  uint64_t length = 0;
  bool is_read = false;  // else it is to be read ahead
};

class NotingFile final : public RandomAccessFile {
 public:
  NotingFile(std::unique_ptr<RandomAccessFile> target, std::vector<Ask>* asks)
      : target_(std::move(target)), asks_(asks) {}
  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    asks_->push_back({offset, length, true});
    return target_->ReadExact(offset, length, out);
  }
  void ReadAhead(uint64_t offset, uint64_t length) const override {
    asks_->push_back({offset, length, false});
    target_->ReadAhead(offset, length);
  }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  const std::unique_ptr<RandomAccessFile> target_;
  std::vector<Ask>* const asks_;
};

// Of one thread.
class NotingEnv final : public ForwardingEnv {
 public:
  NotingEnv() : ForwardingEnv(Env::Default()) {}
  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    ASSIGN_OR_RETURN(auto file, ForwardingEnv::OpenForRead(path));
    return std::unique_ptr<RandomAccessFile>(std::make_unique<NotingFile>(std::move(file), &asks_));
  }
  std::vector<Ask>& asks() { return asks_; }

 private:
  std::vector<Ask> asks_;
};

class ReadAheadTest : public ::testing::Test {
 protected:
  ReadAheadTest() : file_("read_ahead") {
    WriterOptions options;
    options.block_size_bytes = 16 << 10;
    cells_ = CellMaker(5).Make(2000);
    for (size_t i = 0; i < cells_.size(); ++i) {
      cells_[i].tags.clear();
      cells_[i].value = std::string(4000, static_cast<char>('a' + i % 26));
    }
    EXPECT_TRUE(WriteFile(file_.path(), options, cells_).ok());
    auto reader = Reader::Open(&env_, file_.path(), nullptr);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    reader_ = *reader;
    env_.asks().clear();
  }
  void Walk(const CursorOptions& options) {
    Cursor cursor(reader_, options);
    ASSERT_TRUE(cursor.SeekToFirst().ok());
    size_t count = 0;
    for (; cursor.Valid(); ++count) ASSERT_TRUE(cursor.Next().ok());
    ASSERT_EQ(count, cells_.size());
  }
  // How many bytes of data were read before, or without, being announced.
  uint64_t Unannounced() {
    uint64_t announced_end = 0;
    uint64_t bytes = 0;
    for (const Ask& ask : env_.asks()) {
      if (!ask.is_read) {
        announced_end = std::max(announced_end, ask.offset + ask.length);
      } else if (ask.offset + ask.length > announced_end) {
        bytes += ask.length;
      }
    }
    return bytes;
  }
  size_t Announcements() {
    size_t count = 0;
    for (const Ask& ask : env_.asks()) count += ask.is_read ? 0 : 1;
    return count;
  }

  NotingEnv env_;
  TemporaryFile file_;
  std::vector<OwnedCell> cells_;
  std::shared_ptr<const Reader> reader_;
};

// 8 MB: all but the first blocks were announced, in pieces that grow, each once.
TEST_F(ReadAheadTest, OfAScan) {
  Walk({.cache_blocks = true, .sequential = false});
  EXPECT_LE(Unannounced(), 3u * (16 + 8) << 10);
  uint64_t end = 0;
  uint64_t length = 0;
  for (const Ask& ask : env_.asks()) {
    if (ask.is_read) continue;
    EXPECT_GE(ask.offset, end) << "announced twice";
    EXPECT_GE(ask.length, length);
    EXPECT_LE(ask.length, 2u << 20);
    end = ask.offset + ask.length;
    length = ask.length;
  }
  EXPECT_GE(end, 7u << 20);
}

// Who says that it will read everything has not to show it first.
TEST_F(ReadAheadTest, OfACompactionFromItsFirstBlockOn) {
  Walk({.cache_blocks = false, .sequential = true});
  EXPECT_LE(Unannounced(), 1u * (16 + 8) << 10);
  EXPECT_GE(Announcements(), 3u);
}

TEST_F(ReadAheadTest, NotOfSeeksHereAndThere) {
  Cursor cursor(reader_);
  CellMaker maker(7);
  for (int i = 0; i < 200; ++i) {
    // From one half of the file to the other, so that no two blocks follow each other.
    const size_t half = cells_.size() / 2;
    const size_t index = maker.Below(static_cast<uint32_t>(half)) + (i % 2 == 0 ? 0 : half);
    ASSERT_TRUE(cursor.SeekTo(cells_[index].key).ok());
    ASSERT_TRUE(cursor.Valid());
  }
  EXPECT_GE(env_.asks().size(), 150u);
  EXPECT_EQ(Announcements(), 0u);
}

}  // namespace
}  // namespace bennu::hfile
