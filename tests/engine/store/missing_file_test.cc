// A store file that vanishes is noticed; no crash, and nothing that HBase does, looks like one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/store.h"
#include "src/engine/store/store_file_list.h"
#include "src/hfile/block_cache.h"
#include "src/hfile/writer.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MissingFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/bennu_missing_" + std::to_string(Env::Default()->RandomU64());
    family_.name = "f";
    Reopen();
  }
  void TearDown() override {
    static_cast<void>(ArmFailpoints("").ok());
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  Status TryOpen(bool read_only = false) {
    store_.reset();
    StoreOptions options;
    options.env = Env::Default();
    options.block_cache = &cache_;
    options.store_directory = root_ + "/store";
    options.temp_directory = root_ + "/tmp";
    options.archive_directory = root_ + "/archive";
    options.read_only = read_only;
    auto store = Store::Open(options, family_);
    if (store.ok()) store_ = std::move(*store);
    return store.status();
  }
  void Reopen() {
    const Status status = TryOpen();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void Add(ByteView row, CellType type = CellType::kPut) {
    Bytes key;
    cell::AppendFlatKey(&key, row, "f", type == CellType::kPut ? "q" : "", 1, type);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    MemStore::InsertHint hint;
    store_->Add(cell, ++sequence_, &hint);
  }
  Status Flush() {
    if (!store_->PrepareFlush(++sequence_)) return Status();
    auto file = store_->WriteFlush(sequence_, 1);
    return file.ok() ? store_->CommitFlush(*file) : file.status();
  }
  Status Compact() {
    const CompactionRequest request = store_->SelectCompaction(true);
    auto file = store_->WriteCompaction(request, sequence_, 1, nullptr);
    return file.ok() ? store_->CommitCompaction(request, *file) : file.status();
  }
  void FlushRows(std::initializer_list<ByteView> rows) {
    for (const ByteView row : rows) Add(row);
    const Status status = Flush();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::vector<std::string> Rows() {
    std::vector<std::string> rows;
    auto scanner = store_->OpenScanner(Scan(), std::numeric_limits<uint64_t>::max(), 1);
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    for (bool done = false; !done;) {
      const Status status = (*scanner)->NextRows(100, &batch, &done);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
    }
    for (const Cell& cell : batch.cells) rows.emplace_back(cell.row());
    return rows;
  }

  std::string PathOf(const std::string& name) const { return root_ + "/store/" + name; }
  std::string ListPath() const { return PathOf(std::string(kStoreFileListName)); }
  void Hide(const std::string& name) { std::filesystem::rename(PathOf(name), root_ + "/" + name); }
  void PutBack(const std::string& name) {
    std::filesystem::rename(root_ + "/" + name, PathOf(name));
  }

  // A file as HBase writes it: without Bennu's own entries. Closes the store.
  void WriteAsHBase(const std::string& name, std::initializer_list<ByteView> rows,
                    const std::vector<std::string>& inputs, uint64_t sequence_id) {
    store_.reset();
    auto writer = hfile::Writer::Create(Env::Default(), PathOf(name), hfile::WriterOptions());
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    for (const ByteView row : rows) {
      Bytes key;
      cell::AppendFlatKey(&key, row, "f", "q", 1, CellType::kPut);
      Cell cell;
      cell.key = key.data();
      cell.key_length = static_cast<uint32_t>(key.size());
      ASSERT_TRUE((*writer)->Append(cell).ok());
    }
    hfile::StoreFileFacts facts;
    facts.max_sequence_id = sequence_id;
    facts.compacted_files = inputs;
    ASSERT_TRUE((*writer)->Finish(facts).ok());
  }

  std::string root_;
  ColumnFamilyDescriptor family_;
  hfile::BlockCache cache_{1 << 20};
  std::unique_ptr<Store> store_;
  uint64_t sequence_ = 0;
};

const char* const kHBaseName = "0123456789abcdef0123456789abcdef";
const char* const kHBaseName2 = "fedcba9876543210fedcba9876543210";

// The only file, or one of several: the error names it, what it held and what to do; with the file
// back, or its loss accepted, the store opens.
TEST_F(MissingFileTest, IsNamed) {
  FlushRows({"a", "b", "c"});
  for (int files = 1; files <= 2; ++files) {
    const std::string victim = store_->file_names().back();
    Hide(victim);
    for (const bool read_only : {true, false}) {
      const Status status = TryOpen(read_only);
      EXPECT_EQ(status.code(), StatusCode::kCorruption);
      EXPECT_THAT(std::string(status.message()), HasSubstr(PathOf(victim)));
      EXPECT_THAT(std::string(status.message()), HasSubstr("3 rows, 3 cells"));
      EXPECT_THAT(std::string(status.message()), HasSubstr("remove " + ListPath()));
    }
    PutBack(victim);
    Reopen();
    FlushRows({"d"});
  }
  EXPECT_THAT(Rows(), ElementsAre("a", "b", "c", "d"));

  const std::string victim = store_->file_names().back();
  Hide(victim);
  std::filesystem::remove(ListPath());
  Reopen();
  EXPECT_THAT(Rows(), ElementsAre("d"));
  Reopen();
}

// A list of the name that HBase does not bear counts as well, until the store is opened to write.
TEST_F(MissingFileTest, ListOfTheOldName) {
  FlushRows({"a"});
  FlushRows({"b"});
  const std::string old_path = PathOf(std::string(kOldStoreFileListName));
  std::filesystem::rename(ListPath(), old_path);
  const std::string victim = store_->file_names().back();
  Hide(victim);
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
  PutBack(victim);
  ASSERT_TRUE(TryOpen(/*read_only=*/true).ok());
  EXPECT_TRUE(std::filesystem::exists(old_path));
  Reopen();
  EXPECT_FALSE(std::filesystem::exists(old_path));
  Hide(victim);
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
}

// HBase takes what lies in a store's directory for a store file unless its name has a hyphen
// (StoreFileInfo.validateStoreFileName), and opens no region with something else in it.
TEST_F(MissingFileTest, NamesThatHBasePassesOver) {
  FlushRows({"a"});
  for (const auto& entry : std::filesystem::directory_iterator(root_ + "/store")) {
    const std::string name = entry.path().filename();
    EXPECT_TRUE(IsStoreFileName(name) || name.find('-') != std::string::npos) << name;
  }
}

// A directory without a list (HBase's, or an older Bennu's) gets one when it is opened to write.
TEST_F(MissingFileTest, ListComesWithTheFirstOpening) {
  FlushRows({"a"});
  std::filesystem::remove(ListPath());
  ASSERT_TRUE(TryOpen(/*read_only=*/true).ok());
  EXPECT_FALSE(std::filesystem::exists(ListPath()));
  Reopen();
  Hide(store_->file_names().front());
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
}

TEST_F(MissingFileTest, DamagedListIsNamed) {
  FlushRows({"a"});
  std::fstream list(ListPath(), std::ios::in | std::ios::out);
  list.seekp(25);
  list.put('X');
  list.close();
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr(ListPath()));
}

// Whatever the moment at which a flush or a compaction ends early, the store opens again and has
// every row that it had.
TEST_F(MissingFileTest, NoMomentOfACrashLooksLikeALoss) {
  FlushRows({"a"});
  Add("b");
  for (const char* point : {"store.flush.before_rename", "store.flush.after_rename"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(Flush().ok());
    ASSERT_TRUE(TryOpen().ok()) << point;
    if (Rows().size() == 1) Add("b");  // as the log would do
  }
  ASSERT_TRUE(ArmFailpoints("").ok());
  FlushRows({"c"});
  EXPECT_THAT(Rows(), ElementsAre("a", "b", "c"));
  for (const char* point : {"store.compaction.before_rename", "store.compaction.after_rename",
                            "store.compaction.after_list", "store.compaction.during_archive"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(Compact().ok()) << point;
    ASSERT_TRUE(TryOpen().ok()) << point;
    EXPECT_THAT(Rows(), ElementsAre("a", "b", "c")) << point;
    FlushRows({"c"});  // something to compact again
    std::filesystem::remove_all(root_ + "/archive");
    ASSERT_TRUE(TryOpen().ok()) << point;
  }
}

// A compaction that leaves nothing takes its inputs off the list.
TEST_F(MissingFileTest, CompactionToNothingIsNoLoss) {
  FlushRows({"a"});
  Add("a", CellType::kDeleteFamily);
  FlushRows({});
  ASSERT_TRUE(Compact().ok());
  EXPECT_EQ(store_->file_names().size(), 1u);  // without cells: it says what was flushed
  Reopen();
  EXPECT_EQ(store_->max_flushed_sequence_id(), sequence_);
  EXPECT_THAT(Rows(), IsEmpty());
}

// HBase merged the files and knows no list: not a loss. Its result is listed from then on.
TEST_F(MissingFileTest, FilesThatHBaseCompactedAreNotMissed) {
  FlushRows({"a"});
  FlushRows({"b"});
  const std::vector<std::string> inputs = store_->file_names();
  // Merged twice over: the second result does not name the first inputs.
  WriteAsHBase(kHBaseName, {"a", "b", "c"}, {kHBaseName2}, sequence_);
  for (const std::string& name : inputs) Hide(name);
  Reopen();
  EXPECT_THAT(Rows(), ElementsAre("a", "b", "c"));
  Hide(kHBaseName);
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
}

// HBase's flushes, and compactions of older files only, do not explain why a file is gone.
TEST_F(MissingFileTest, OtherFilesOfHBaseExcuseNothing) {
  FlushRows({"a"});
  const uint64_t first = sequence_;
  FlushRows({"b"});
  const std::string victim = store_->file_names().front();
  Hide(victim);
  WriteAsHBase(kHBaseName, {"c"}, {}, sequence_ + 5);
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
  WriteAsHBase(kHBaseName2, {"a"}, {"00"}, first);
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(std::string(status.message()), HasSubstr(victim));
}

// A file that is unlinked under an open store is read on, and a compaction saves what it held.
TEST_F(MissingFileTest, UnlinkedWhileOpenIsReadOn) {
  FlushRows({"a"});
  FlushRows({"b"});
  std::filesystem::remove(PathOf(store_->file_names().back()));
  EXPECT_THAT(Rows(), ElementsAre("a", "b"));
  const Status status = Compact();
  EXPECT_TRUE(status.ok()) << status.ToString();
  Reopen();
  EXPECT_THAT(Rows(), ElementsAre("a", "b"));
}

}  // namespace
}  // namespace bennu::engine
