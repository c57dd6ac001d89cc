// The process that the crash test kills: writes, flushes, compacts and changes tables as fast as it
// can, noting in a journal what was acknowledged.
//
//   crash_writer DIRECTORY JOURNAL SEED ROUNDS [loads]
//
// "loads": instead of changing tables it loads files in bulk and makes backups.
// Exit: 0 when that many rounds of them are made, however long they take; 2 (with the reason on
// standard error) when a call failed.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string_view>
#include <thread>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/cell/flat_key.h"
#include "src/engine/open.h"
#include "src/hfile/writer.h"
#include "tests/crash/journal.h"

namespace bennu::testing {
namespace {

// Standard error, and out at once: the threads of a failed writer are of no interest.
void Must(const Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  std::_Exit(2);
}

engine::EngineOptions Options() {
  engine::EngineOptions options;
  options.memstore_flush_bytes = 32 << 10;
  options.wal_roll_bytes = 32 << 10;
  options.wal_files_max = 4;
  options.old_wal_files_max = 1;
  // What is killed is the process, not the machine, so the page cache is as good as the disk.
  options.wal_sync = engine::WalSync::kOs;
  options.eager_regions_max = 0;
  options.archive_keep_millis = 50;
  return options;
}

TableDescriptor Describe(const std::string& name) {
  TableDescriptor table;
  table.name.qualifier = name;
  table.families.resize(2);
  table.families[0].name = "f";
  table.families[1].name = "g";
  // One family is striped: its flushes and compactions put several files in place.
  table.families[1].attributes = {{"hbase.hstore.engine.class", "StripeStoreEngine"},
                                  {"hbase.store.stripe.initialStripeCount", "3"},
                                  {"hbase.store.stripe.compaction.minFiles", "2"},
                                  {"hbase.store.stripe.sizeToSplit", "1000000"}};
  return table;
}

class Writer {
 public:
  Writer(std::string directory, Connection* connection, JournalWriter* journal,
         const JournalState& state, uint64_t seed, int rounds, bool loads)
      : directory_(std::move(directory)),
        loads_(loads),
        connection_(connection),
        journal_(journal),
        next_(state.next),
        seed_(seed),
        rounds_(rounds) {}

  void Run() {
    const TableName name = {"default", "t"};
    if (!connection_->admin()->TableExists(name).value()) {
      Must(connection_->admin()->CreateTable(Describe("t"), {kSplits[0], kSplits[1]}), "create t");
    }
    auto table = connection_->OpenTable(name);
    Must(table.status(), "open t");
    table_ = std::move(table).value();
    std::thread first([this] { WriteBatches(seed_ + 1); });
    std::thread second([this] { WriteBatches(seed_ + 2); });
    std::thread counter([this] { Count(); });
    loads_ ? LoadAndBackUp() : ChangeThings();
    rounds_are_made_ = true;
    first.join();
    second.join();
    counter.join();
  }

 private:
  void WriteBatches(uint64_t seed) {
    std::mt19937_64 random(seed);
    MutationBatch batch;
    std::vector<int64_t> written;
    while (!rounds_are_made_) {
      const int64_t number = next_.fetch_add(1);
      batch.Clear();
      for (const char prefix : kPrefixes) {
        for (int i = 0; i < RowsPerRegion(number); ++i) {
          batch.StartRow(RowKey(prefix, number, i));
          batch.Put("f", "a", CellValue(number));
          batch.Put("f", "b", CellValue(number));
          batch.Put("g", "c", CellValue(number));
        }
      }
      journal_->Note('B', number);
      Must(table_->Write(&batch), "write");
      journal_->Note('b', number);
      written.push_back(number);
      if (random() % 3 != 0) continue;
      const size_t victim = random() % written.size();
      DeleteBatch(written[victim], &batch);
      written.erase(written.begin() + static_cast<ptrdiff_t>(victim));
    }
  }

  void DeleteBatch(int64_t number, MutationBatch* batch) {
    batch->Clear();
    for (const char prefix : kPrefixes) {
      for (int i = 0; i < RowsPerRegion(number); ++i) {
        batch->StartRow(RowKey(prefix, number, i));
        batch->DeleteFamily("f");
        batch->DeleteFamily("g");
      }
    }
    journal_->Note('D', number);
    Must(table_->Write(batch), "delete");
    journal_->Note('d', number);
  }

  void Count() {
    while (!rounds_are_made_) {
      journal_->Note('I', 0);
      const auto value = table_->Increment("counter", "f", "n", 1);
      Must(value.status(), "increment");
      journal_->Note('i', *value);
    }
  }

  // Borders lie between the prefixes, so that the rows of a batch with the same prefix stay
  // together.
  void ChangeRegions(std::mt19937_64* random) {
    static constexpr const char* kBorders[] = {"c", "d", "e", "g", "j", "m", "n", "o"};
    Admin* const admin = connection_->admin();
    const auto check = [](const Status& status, const char* what) {
      // There is such a border already, or the background was quicker.
      if (status.code() == StatusCode::kInvalidArgument) return;
      if (status.code() == StatusCode::kFailedPrecondition) return;
      if (status.code() == StatusCode::kNotFound) return;
      Must(status, what);
    };
    const std::vector<RegionInfo> regions = table_->regions();
    if (regions.size() < 5) {
      check(admin->SplitTable(table_->name(), kBorders[(*random)() % std::size(kBorders)]),
            "split");
    }
    if (regions.size() > 2) {
      const size_t first = (*random)() % (regions.size() - 1);
      check(admin->MergeRegions({regions[first].EncodedName(), regions[first + 1].EncodedName()}),
            "merge");
    }
  }

  // Takes a snapshot of the table, clones it, changes the table and puts it back.
  void UseSnapshots(Table* table, int64_t number, int round) {
    Admin* const admin = connection_->admin();
    const std::string snapshot = "snap_" + std::to_string(number);
    const TableName clone = {"default", "clone_" + std::to_string(number)};
    journal_->Note('S', number);
    Must(admin->SnapshotTable(snapshot, table->name(), {}), "snapshot");
    journal_->Note('s', number);
    journal_->Note('L', number);
    Must(admin->CloneSnapshot(snapshot, clone), "clone");
    journal_->Note('l', number);
    MutationBatch batch;
    batch.StartRow("extra");
    batch.Put("f", "q", "v");
    journal_->Note('X', number);
    Must(table->Write(&batch), "write extra");
    journal_->Note('x', number);
    Must(admin->DisableTable(table->name()), "disable");
    journal_->Note('O', number);
    Must(admin->RestoreSnapshot(snapshot), "restore");
    journal_->Note('o', number);
    Must(admin->EnableTable(table->name()), "enable");
    if (round % 3 == 1) return;
    journal_->Note('E', number);
    Must(admin->DeleteSnapshot(snapshot), "delete snapshot");
    journal_->Note('e', number);
    if (round % 3 == 2) {
      Must(admin->DisableTable(clone), "disable clone");
      journal_->Note('T', number);
      Must(admin->TruncateTable(clone, /*preserve_splits=*/true), "truncate");
      journal_->Note('t', number);
      return;
    }
    journal_->Note('K', number);
    Must(admin->DropTable(clone), "drop clone");
    journal_->Note('k', number);
  }

  void ChangeThings() {
    Admin* const admin = connection_->admin();
    std::mt19937_64 random(seed_ + 3);
    for (int round = 0; round < rounds_; ++round) {
      ChangeRegions(&random);
      Must(admin->Flush(table_->name()), "flush");
      Must(admin->Compact(table_->name(), round % 2 == 0), "compact");
      const int64_t number = next_.fetch_add(1);
      TableDescriptor descriptor = Describe("ddl_" + std::to_string(number));
      journal_->Note('C', number);
      Must(admin->CreateTable(descriptor, {"m"}), "create");
      journal_->Note('c', number);
      descriptor.families.resize(3);
      descriptor.families[2].name = "h";
      Must(admin->AlterTable(descriptor), "alter");
      MutationBatch batch;
      for (const char* row : {"a", "z"}) {
        batch.StartRow(row);
        batch.Put("f", "q", "v");
        batch.Put("h", "q", "v");
      }
      auto table = connection_->OpenTable(descriptor.name);
      Must(table.status(), "open");
      Must((*table)->Write(&batch), "write ddl");
      descriptor.families.resize(2);
      Must(admin->AlterTable(descriptor), "alter back");
      UseSnapshots(table->get(), number, round);
      if (round % 3 != 2) {
        journal_->Note('R', number);
        Must(admin->DropTable(descriptor.name), "drop");
        journal_->Note('r', number);
      }
      const std::string name_space = "ns" + std::to_string(number);
      Must(admin->CreateNamespace(name_space), "create namespace");
      Must(admin->DropNamespace(name_space), "drop namespace");
    }
  }

  // One HFile of cells of the batch's rows with these prefixes.
  void WriteHFile(const std::string& family, const std::vector<Bytes>& qualifiers, int64_t number,
                  std::string_view prefixes) {
    const std::string directory = LoadFolder(directory_, number) + "/" + family;
    std::filesystem::create_directories(directory);
    auto writer = hfile::Writer::Create(Env::Default(), directory + "/" + std::string(prefixes),
                                        hfile::WriterOptions());
    Must(writer.status(), "create a file");
    const std::string value = CellValue(number);
    for (const char prefix : prefixes) {
      for (int i = 0; i < RowsPerRegion(number); ++i) {
        for (const Bytes& qualifier : qualifiers) {
          Bytes key;
          cell::AppendFlatKey(&key, RowKey(prefix, number, i), family, qualifier,
                              Env::Default()->NowMillis(), CellType::kPut);
          Cell cell;
          cell.key = key.data();
          cell.key_length = static_cast<uint32_t>(key.size());
          cell.value = value.data();
          cell.value_length = static_cast<uint32_t>(value.size());
          Must((*writer)->Append(cell), "append to a file");
        }
      }
    }
    Must((*writer)->Finish().status(), "finish a file");
  }

  // A batch as files: of one family a file across all regions, which must be cut, of the other one
  // for each. 'copy': the folder stays as it is.
  void Load(bool copy) {
    const int64_t number = next_.fetch_add(1);
    const std::string_view prefixes(kPrefixes, std::size(kPrefixes));
    // One that died before it noted the number has begun to write them.
    std::filesystem::remove_all(LoadFolder(directory_, number));
    WriteHFile("f", {"a", "b"}, number, prefixes);
    for (size_t i = 0; i < prefixes.size(); ++i) {
      WriteHFile("g", {"c"}, number, prefixes.substr(i, 1));
    }
    BulkLoadOptions options;
    options.copy = copy;
    journal_->Note('B', number);
    Must(connection_->admin()
             ->BulkLoad(table_->name(), LoadFolder(directory_, number), options)
             .status(),
         "bulk load");
    journal_->Note('b', number);
    std::filesystem::remove_all(LoadFolder(directory_, number));
  }

  void LoadAndBackUp() {
    Admin* const admin = connection_->admin();
    std::mt19937_64 random(seed_ + 3);
    for (int round = 0; round < rounds_; ++round) {
      Load(/*copy=*/round % 2 == 0);
      Load(/*copy=*/round % 2 == 1);
      const int64_t number = next_.fetch_add(1);
      journal_->Note('P', number);
      Must(admin->Backup(BackupDirectory(directory_, number)), "backup");
      journal_->Note('p', number);
      ChangeRegions(&random);
      Must(admin->Compact(table_->name(), round % 2 == 0), "compact");
    }
  }

  const std::string directory_;
  const bool loads_;
  Connection* const connection_;
  JournalWriter* const journal_;
  std::atomic<int64_t> next_;
  const uint64_t seed_;
  const int rounds_;
  std::atomic<bool> rounds_are_made_ = false;
  std::shared_ptr<Table> table_;
};

}  // namespace
}  // namespace bennu::testing

int main(int argc, char** argv) {
  namespace testing = bennu::testing;
  if (argc != 5 && argc != 6) return 2;
  testing::Must(bennu::ArmFailpointsFromEnvironment(), "failpoints");
  const testing::JournalState state = testing::JournalState::Read(argv[2]);
  testing::JournalWriter journal(argv[2]);
  auto engine = bennu::engine::OpenEngine(argv[1], testing::Options());
  testing::Must(engine.status(), "open");
  const bool loads = argc == 6 && std::string_view(argv[5]) == "loads";
  testing::Writer writer(argv[1], engine->get(), &journal, state,
                         std::strtoull(argv[3], nullptr, 10), std::atoi(argv[4]), loads);
  writer.Run();
  testing::Must((*engine)->Close(), "close");
  return 0;
}
