// One bit flipped anywhere in any file of a store: an opening and a read give what was written or
// an error that names the file, and a check names it too, unless nothing depends on that bit.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "src/api/descriptor_pb.h"
#include "src/base/checksum_field.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/alteration_mark.h"
#include "src/engine/directory/restore_mark.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/region/bulk_load_journal.h"
#include "src/hfile/format.h"
#include "src/wal/wal_format.h"
#include "src/wal/wal_writer.h"
#include "tests/check/store_fixture.h"

namespace bennu::check {
namespace {

namespace fs = std::filesystem;

// Table -> its rows; and what is said of snapshots.
using World = std::map<std::string, Content>;

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What a file is: the tests flip so many bits of each kind.
std::string KindOf(const std::string& path) {
  const std::string name = BaseName(path);
  if (name == ".bennu.lock") return "lock";
  if (path.starts_with("WALs/")) return "log";
  if (path.starts_with("oldWALs/")) return "old log";
  if (path.find("/recovered.edits/") != std::string::npos) return "recovered.edits";
  if (path.starts_with("archive/")) return "archived store file";
  if (name.starts_with(".tableinfo.")) return ".tableinfo";
  if (path.starts_with(".hbase-snapshot/") && name == ".bennu.checksum") return "snapshot checksum";
  if (path.find("/hbase/meta/") != std::string::npos && name == ".regioninfo") {
    return ".regioninfo of hbase:meta";
  }
  if (name.starts_with('.') || name.starts_with("hbase.") || name == "data.manifest") return name;
  if (path.find("/.tmp/bulkload/") != std::string::npos) return "file being loaded";
  if (path.find("/hbase/meta/") != std::string::npos) return "store file of hbase:meta";
  const size_t family = path.rfind('/', path.rfind('/') - 1);
  const std::string store = path.substr(family + 1, path.rfind('/') - family - 1);
  return (name.find('.') == 32 ? "reference" : "store file of family " + store);
}

class BitFlipTest : public StoreFixture {
 protected:
  static constexpr size_t kSmall = 96;  // files of so many bytes are flipped at each

  // As its process left it when it was killed, with work half done of each sort.
  void MakeStore() {
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    Admin* admin = engine->admin();
    ASSERT_NO_FATAL_FAILURE(CreateTable(engine.get(), "t", {"a", "b", "c", "d", "e"}, {"m"}));
    for (const char* prefix : {"a", "n"}) Fill(engine.get(), "t", prefix, 40);
    ASSERT_TRUE(engine->Close().ok());  // flushes hbase:meta
    engine = Open();
    ASSERT_NE(engine, nullptr);
    admin = engine->admin();
    ASSERT_TRUE(admin->SnapshotTable("snap", {"default", "t"}, {}).ok());
    for (const char* prefix : {"b", "o"}) Fill(engine.get(), "t", prefix, 10);
    // Leaves files of the snapshot to the archive.
    ASSERT_TRUE(admin->Compact({"default", "t"}, /*major=*/true).ok());
    ASSERT_NO_FATAL_FAILURE(CreateTable(engine.get(), "s", {"f"}, {}));
    Fill(engine.get(), "s", "k", 40);
    ASSERT_TRUE(admin->Flush({"default", "s"}).ok());
    parent_ = "data/default/s/" +
              engine->OpenTable({"default", "s"}).value()->regions().front().EncodedName();
    ASSERT_TRUE(admin->SplitTable({"default", "s"}, Bytes("k020")).ok());
    Fill(engine.get(), "t", "c", 8);
    const auto regions = engine->OpenTable({"default", "t"}).value()->regions();
    low_region_ = "data/default/t/" + regions.front().EncodedName();
    const std::string copy = base_ + "/copy";
    fs::copy(root_, copy, fs::copy_options::recursive);
    engine.reset();
    fs::remove_all(root_);
    fs::rename(copy, root_);
    ASSERT_NO_FATAL_FAILURE(AddWorkHalfDone());
    origin_ = base_ + "/origin";
    fs::rename(root_, origin_);
    MakeCopy("", "");
    const Report report = Check();
    ASSERT_EQ(report.faults(), 0u) << Text(report.findings);
    quiet_ = Text(report.findings);
    const Status status = ReadAll(&world_);
    ASSERT_TRUE(status.ok()) << status.ToString();
    ASSERT_EQ(world_["t"].size(), 112u);
    ASSERT_EQ(world_["s"].size(), 40u);
    ASSERT_EQ(world_["snap"].size(), 80u);
  }

  void AddWorkHalfDone() {
    Env* const env = Env::Default();
    const engine::RootLayout layout(root_);
    const auto logs = Find("WALs/");
    ASSERT_FALSE(logs.empty());
    const std::string log = *std::max_element(
        logs.begin(), logs.end(),
        [&](auto& left, auto& right) { return ReadFile(left).size() < ReadFile(right).size(); });
    WriteFile("oldWALs/" + BaseName(log), ReadFile(log));
    // A bulk load that was decided: of cells that are there already.
    const std::string& region = low_region_;
    std::vector<std::string> files = Find(region + "/a/");
    std::erase_if(files, [](const std::string& path) { return path.find("/.") != path.npos; });
    ASSERT_FALSE(files.empty());
    const Bytes content = ReadFile(files.front());
    WriteFile(region + "/.tmp/bulkload/0001", content);
    ASSERT_TRUE(engine::WriteBulkLoadJournal(env, root_ + "/" + region,
                                             {{"a", ".tmp/bulkload/0001",
                                               std::string(32, 'b') + "_SeqId_9_", content.size()}})
                    .ok());
    // The marks of a restore that was not decided, and of edits that HBase would have split off.
    const auto descriptor = engine::ReadTableInfo(env, layout.TableDirectory({"default", "s"}));
    ASSERT_TRUE(descriptor.ok());
    ASSERT_TRUE(engine::WriteRestoreMark(env, layout, *descriptor, {}).ok());
    // Of an alteration that took a family out and died before it had removed all of it.
    fs::create_directories(root_ + "/" + region + "/gone");
    ASSERT_TRUE(engine::WriteAlterationMark(env, layout, {"default", "t"}, {"gone"}).ok());
    const std::string edits = root_ + "/" + region + "/recovered.edits";
    fs::create_directories(edits);
    auto writer = wal::WalFileWriter::Create(env, edits + "/0000000000000100000");
    ASSERT_TRUE(writer.ok());
    wal::WalKeyFields key;
    key.encoded_region = BaseName(region);
    key.table = "t";
    key.write_time_ms = 1;
    for (int i = 0; i < 2; ++i) {
      key.sequence_id = 100000 + i;
      MutationBatch batch;
      batch.StartRow("d" + std::to_string(i));
      batch.AddCell("a", "q", 5, CellType::kPut, "split off");
      batch.StartRow("e" + std::to_string(i));
      batch.AddCell("b", "q", 5, CellType::kPut, "split off, too");
      Bytes entry;
      wal::AppendWalEntry(&entry, key, batch.buffer(), 2);
      ASSERT_TRUE((*writer)->Append(entry).ok());
    }
    ASSERT_TRUE((*writer)->Close().ok());
  }

  // A copy of the store in root_, in which one file has other content. What is not changed is
  // linked: no file is changed in place but that of the lock.
  void MakeCopy(const std::string& changed, ByteView content) {
    fs::remove_all(root_);
    for (const auto& entry : fs::recursive_directory_iterator(origin_)) {
      const std::string path = entry.path().string().substr(origin_.size() + 1);
      if (entry.is_directory()) {
        fs::create_directories(root_ + "/" + path);
      } else if (path != changed && BaseName(path) != ".bennu.lock") {
        fs::create_directories(fs::path(root_ + "/" + path).parent_path());
        fs::create_hard_link(entry.path(), root_ + "/" + path);
      }
    }
    if (!changed.empty()) WriteFile(changed, content);
  }

  Status ReadAll(World* world) {
    ASSIGN_OR_RETURN(const auto engine, engine::OpenEngine(root_, Options()));
    for (const char* table : {"t", "s"}) {
      RETURN_IF_ERROR(Read(engine.get(), table, &(*world)[table]));
    }
    ASSIGN_OR_RETURN(const SnapshotContents snap, engine->admin()->DescribeSnapshot("snap"));
    (*world)["snapshot"]["ttl"] = std::to_string(snap.description.ttl_seconds);
    (*world)["snapshot"]["created"] = std::to_string(snap.description.creation_millis);
    RETURN_IF_ERROR(engine->admin()->CloneSnapshot("snap", {"default", "snap"}));
    RETURN_IF_ERROR(Read(engine.get(), "snap", &(*world)["snap"]));
    return engine->Close();
  }

  // Whether nothing depends on the byte, so that it may change without a word.
  static bool IsIdle(const std::string& kind, size_t at, const Bytes& original,
                     const Bytes& changed) {
    // Bennu's lock holds the pid of a holder for messages; the id of a cluster is for clients.
    if (kind == "lock" || kind == "hbase.id") return true;
    // What bounds a region is its own keys; a half says nothing more.
    if (kind == "reference") return true;
    // Whose the checksum is does not matter while it fits.
    if (kind == ".bennu.checksum") return at < original.rfind(' ');
    if (kind == "snapshot checksum") {
      const size_t line = at == 0 ? 0 : original.rfind('\n', at - 1) + 1;
      return at > original.find(' ', original.find(' ', line) + 1) && original[at] != '\n';
    }
    // The trailer has a fixed size, most of which is padding.
    const bool is_hfile = kind.find("store file") != std::string::npos;
    if (is_hfile || kind == "file being loaded") {
      return at >= original.size() - hfile::kTrailerSize;
    }
    if (kind == ".regioninfo" || kind == ".regioninfo of hbase:meta") {
      return SameMeaning(original, changed);
    }
    // Of a region that was split only the files count.
    if (kind == ".regioninfo of a parent") return true;
    // The trailer of a log that nobody needs.
    if (kind == "old log" && at + wal::kTrailerTailSize >= original.size()) return true;
    // The header's checksum under another name: the entries have their own.
    const size_t tag = original.find(kChecksumTag);
    return (kind == "log" || kind == "old log" || kind == "recovered.edits") && at >= tag &&
           at < tag + kChecksumTag.size();
  }

  std::string Kind(const std::string& path) const {
    return KindOf(path) + (path == parent_ + "/.regioninfo" ? " of a parent" : "");
  }

  // A field with a default came under a number that is no one's.
  static bool SameMeaning(const Bytes& left, const Bytes& right) {
    const auto before = api::DecodeRegionInfoFile(left);
    const auto after = api::DecodeRegionInfoFile(right);
    return before.ok() && after.ok() && *before == *after;
  }

  // An entry cut short at the end of a log that was not closed is what a death leaves: told, but no
  // fault.
  bool IsTornTail(const Report& report, const std::string& path, const World& world) const {
    if (!Tells(report.findings, path, "ends within an entry")) return false;
    for (const auto& [table, rows] : world) {
      const Content& whole = world_.at(table);
      if (rows.size() + 1 < whole.size()) return false;
      for (const auto& [row, cells] : rows) {
        if (!whole.contains(row) || whole.at(row) != cells) return false;
      }
    }
    return true;
  }

  void FlipAndRead(const std::string& path, const Bytes& original, size_t at, int bit) {
    const std::string kind = Kind(path);
    SCOPED_TRACE(kind + ": " + path + " of " + std::to_string(original.size()) + " bytes, byte " +
                 std::to_string(at) + " bit " + std::to_string(bit));
    Bytes content = original;
    content[at] = static_cast<char>(content[at] ^ (1 << bit));
    MakeCopy(path, content);
    const Report report = Check();
    const bool is_told =
        Text(report.findings) != quiet_ && Tells(report.findings, BaseName(path), "");
    World world;
    const Status status = ReadAll(&world);
    ++flips_[kind];
    if (is_told) ++told_[kind];
    if (!status.ok()) {
      ++refused_[kind];
      EXPECT_TRUE(is_told) << "refused, yet not told: " << status.ToString() << "\n"
                           << Text(report.findings);
      // A file of a bulk load has its name in the store by then.
      EXPECT_THAT(
          status.message(),
          ::testing::AnyOf(
              ::testing::HasSubstr(BaseName(path)),
              ::testing::HasSubstr(kind == "file being loaded" ? "_SeqId_9_" : BaseName(path))));
      return;
    }
    const bool is_right = world == world_;
    EXPECT_TRUE(is_right || IsTornTail(report, path, world)) << Text(report.findings);
    EXPECT_TRUE(is_told || IsIdle(kind, at, original, content)) << Text(report.findings);
  }

  std::string origin_;
  std::string parent_;      // directory of the region that was split
  std::string low_region_;  // directory of the first of t
  std::string quiet_;       // findings of the store without damage
  World world_;
  std::map<std::string, int> flips_, told_, refused_;
};

TEST_F(BitFlipTest, EveryKindOfFile) {
  ASSERT_NO_FATAL_FAILURE(MakeStore());
  const char* const text = std::getenv("BENNU_BIT_FLIPS");
  const size_t budget = text != nullptr ? static_cast<size_t>(std::atoi(text)) : 12;
  const char* const only = std::getenv("BENNU_BIT_FLIPS_OF");
  std::map<std::string, std::vector<std::string>> kinds;
  for (const auto& entry : fs::recursive_directory_iterator(origin_)) {
    const std::string path = entry.path().string().substr(origin_.size() + 1);
    if (entry.is_regular_file() && entry.file_size() > 0) kinds[Kind(path)].push_back(path);
  }
  std::mt19937_64 random(20240711);
  for (auto& [kind, paths] : kinds) {
    if (only != nullptr && kind.find(only) == std::string::npos) continue;
    std::sort(paths.begin(), paths.end());
    std::vector<std::pair<std::string, size_t>> places;
    const Bytes first = Env::Default()->ReadFile(origin_ + "/" + paths.front()).value();
    if (first.size() <= kSmall) {
      for (size_t at = 0; at < first.size(); ++at) places.emplace_back(paths.front(), at);
    }
    while (places.size() < budget) {
      const std::string& path = paths[random() % paths.size()];
      const size_t size = fs::file_size(origin_ + "/" + path);
      // Of a trailer, mostly padding, few.
      const bool fair = size <= hfile::kTrailerSize || random() % 4 == 0;
      places.emplace_back(path, random() % (fair ? size : size - hfile::kTrailerSize));
    }
    for (const auto& [path, at] : places) {
      const Bytes content = Env::Default()->ReadFile(origin_ + "/" + path).value();
      FlipAndRead(path, content, at, static_cast<int>(random() % 8));
      if (HasFatalFailure()) return;
    }
  }
  for (const auto& [kind, flips] : flips_) {
    std::printf("%-28s %4d flips, %4d told, %4d refused\n", kind.c_str(), flips, told_[kind],
                refused_[kind]);
  }
  if (only != nullptr) return;
  for (const char* kind : {"hbase.version",
                           "hbase.id",
                           ".bennu.clock",
                           ".bennu.lock",
                           ".tableinfo",
                           ".regioninfo",
                           ".store-files",
                           ".bulkload",
                           ".restoring",
                           ".altering",
                           ".snapshotinfo",
                           "data.manifest",
                           "reference",
                           "log",
                           "old log",
                           "recovered.edits",
                           "archived store file",
                           "store file of hbase:meta",
                           "store file of family a",
                           "store file of family e",
                           "file being loaded"}) {
    const std::string name = std::string_view(kind) == ".bennu.lock" ? "lock" : kind;
    EXPECT_GT(flips_[name], 0) << "the store has no " << kind;
  }
}

}  // namespace
}  // namespace bennu::check
