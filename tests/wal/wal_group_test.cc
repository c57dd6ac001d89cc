// Groups of entries: they are in a log whole, or whoever applies the log sees nothing of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#include "src/wal/wal.h"
#include "src/wal/wal_group.h"
#include "tests/wal/wal_test_support.h"

namespace bennu::wal {
namespace {

Bytes EntryOf(uint64_t id, std::optional<GroupPlace> place) {
  WalKeyFields key = MakeKey(id);
  if (place.has_value()) {
    key.extended_attributes = {{std::string(kGroupAttribute), EncodeGroupPlace(*place)}};
  }
  Bytes entry;
  AppendWalEntry(&entry, key, MakeBatch(id).buffer(), 1);
  return entry;
}

class WalGroupTest : public ::testing::Test {
 protected:
  // The ids of what is to be applied of a log with these entries.
  std::vector<uint64_t> WholeOf(ByteView entries, uint64_t* left_out = nullptr) {
    const std::string path = directory_.File("log");
    static_cast<void>(Env::Default()->RemoveFile(path));
    {
      auto writer = WalFileWriter::Create(Env::Default(), path);
      EXPECT_TRUE(writer.ok() && (*writer)->Append(entries).ok());
    }
    auto reader = WalReader::Open(Env::Default(), path);
    EXPECT_TRUE(reader.ok());
    WholeGroups groups(reader->get());
    std::vector<uint64_t> ids;
    WalEntry entry;
    while (true) {
      const auto more = groups.Next(&entry);
      EXPECT_TRUE(more.ok()) << more.status().ToString();
      if (!more.ok() || !*more) break;
      ids.push_back(entry.key.sequence_id);
      // The cells are those of the entry, though others were read before it was given out.
      EXPECT_EQ(Bytes(entry.cells), MakeBatch(entry.key.sequence_id).buffer());
    }
    if (left_out != nullptr) *left_out = groups.left_out();
    return ids;
  }

  TestDirectory directory_;
};

TEST_F(WalGroupTest, ThePlaceIsReadBack) {
  WalKeyFields key = MakeKey(1);
  EXPECT_FALSE(GroupPlaceOf(key).has_value());
  key.extended_attributes = {{"other", "x"},
                             {std::string(kGroupAttribute), EncodeGroupPlace({300, 200})}};
  const auto place = GroupPlaceOf(key);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(300u, place->count);
  EXPECT_EQ(200u, place->place);
  for (const Bytes& value :
       {Bytes(), Bytes("\x02"), EncodeGroupPlace({2, 2}), Bytes("\x02\x01x")}) {
    key.extended_attributes = {{std::string(kGroupAttribute), value}};
    EXPECT_FALSE(GroupPlaceOf(key).has_value());
  }
}

TEST_F(WalGroupTest, EntriesOfWholeGroupsAreGivenOut) {
  const Bytes log = EntryOf(1, {}) + EntryOf(2, GroupPlace{3, 0}) + EntryOf(3, GroupPlace{3, 1}) +
                    EntryOf(4, GroupPlace{3, 2}) + EntryOf(5, GroupPlace{1, 0}) +
                    EntryOf(6, GroupPlace{2, 0}) + EntryOf(7, GroupPlace{2, 1}) + EntryOf(8, {});
  uint64_t left_out = 9;
  EXPECT_EQ(Count(1, 8), WholeOf(log, &left_out));
  EXPECT_EQ(0u, left_out);
}

// Each end that a crash may give the file.
TEST_F(WalGroupTest, AGroupCutShortIsLeftOut) {
  const Bytes before = EntryOf(1, {});
  const Bytes group =
      EntryOf(2, GroupPlace{3, 0}) + EntryOf(3, GroupPlace{3, 1}) + EntryOf(4, GroupPlace{3, 2});
  for (size_t size = 0; size <= group.size(); ++size) {
    const std::vector<uint64_t> expected = size == group.size() ? Count(1, 4) : Count(1, 1);
    EXPECT_EQ(expected, WholeOf(before + group.substr(0, size))) << size;
  }
}

// As after a salvage, which leaves damaged entries out.
TEST_F(WalGroupTest, AGroupWithAHoleIsLeftOut) {
  uint64_t left_out = 0;
  EXPECT_EQ((std::vector<uint64_t>{5, 6, 9}),
            WholeOf(EntryOf(1, GroupPlace{3, 1}) + EntryOf(2, GroupPlace{3, 2}) +
                        EntryOf(3, GroupPlace{3, 0}) + EntryOf(5, GroupPlace{2, 0}) +
                        EntryOf(6, GroupPlace{2, 1}) + EntryOf(7, GroupPlace{3, 0}) +
                        EntryOf(8, GroupPlace{3, 1}) + EntryOf(9, {}),
                    &left_out));
  EXPECT_EQ(5u, left_out);
}

// What several threads append at once stays together in the file, with ids that follow each other.
TEST_F(WalGroupTest, TheLogKeepsGroupsTogether) {
  WalOptions options;
  options.env = Env::Default();
  options.wal_root = directory_.path();
  options.server_name = "localhost,16020,1700000000000";
  auto wal = Wal::Open(options);
  ASSERT_TRUE(wal.ok());
  constexpr uint32_t kThreads = 3;
  constexpr uint64_t kEach = 100;
  std::vector<uint64_t> told;  // guarded by the log's own lock, in whose shelter it is called
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      WalRegion* const regions[] = {(*wal)->RegisterRegion(kRegionName, "t"),
                                    (*wal)->RegisterRegion(fmt::format("{:032x}", t), "m"),
                                    (*wal)->RegisterRegion(kRegionName, "t")};
      for (uint64_t i = 0; i < kEach; ++i) {
        const MutationBatch batch = MakeBatch(i);
        const ByteView cells[] = {batch.buffer()};
        std::vector<AppendRequest> group;
        for (uint64_t entry = 0; entry <= (i + t) % 3; ++entry) {
          AppendRequest& request = group.emplace_back();
          request.region = regions[entry];
          request.cells = cells;
          request.cell_count = 1;
          request.write_time_ms = 1500000000000;
          request.on_sequence_id = [](void* context, uint64_t sequence_id) {
            static_cast<std::vector<uint64_t>*>(context)->push_back(sequence_id);
          };
          request.context = &told;
        }
        uint64_t last_id = 0;
        const auto ticket = (*wal)->AppendGroup(group, &last_id);
        ASSERT_TRUE(ticket.ok());
        ASSERT_TRUE((*wal)->WaitSynced(*ticket, SyncLevel::kWrite).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(kThreads * kEach, told.size());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), (*wal)->last_sequence_id());
  const std::string path = (*wal)->files().front().path;
  ASSERT_TRUE((*wal)->Close().ok());

  auto reader = WalReader::Open(Env::Default(), path);
  ASSERT_TRUE(reader.ok());
  WalEntry entry;
  uint64_t id = 0;
  uint32_t expected_place = 0;
  uint64_t units = 0;
  while ((*reader)->Next(&entry).value()) {
    EXPECT_EQ(++id, entry.key.sequence_id);
    const auto place = GroupPlaceOf(entry.key).value_or(GroupPlace{1, 0});
    EXPECT_EQ(expected_place, place.place);
    expected_place = place.place + 1 == place.count ? 0 : place.place + 1;
    if (expected_place == 0) {
      EXPECT_EQ(told[units], id);
      ++units;
    }
  }
  EXPECT_EQ(kThreads * kEach, units);
  EXPECT_EQ(WalEnd::kTrailer, (*reader)->end());
}

}  // namespace
}  // namespace bennu::wal
