#include "bench/macro/key_value_system.h"
#include "bench/macro/must.h"
#include "bennu/admin.h"
#include "bennu/database.h"

namespace bennu::bench {

namespace {

constexpr std::string_view kFamily = "f";
constexpr std::string_view kQualifier = "q";
constexpr size_t kRowsPerFetch = 1000;

class BennuKeyValue : public KeyValueSystem {
 public:
  BennuKeyValue(const KeyValueOptions& options, bool mapped) : mapped_(mapped) {
    DatabaseOptions open;
    if (mapped) open.configuration["bennu.storefile.mmap"] = "true";
    open.block_cache_bytes = options.cache_bytes;
    database_ = Take(Database::Open(options.directory, open));
    TableDescriptor descriptor;
    descriptor.name = Take(TableName::Parse("bench"));
    descriptor.families.resize(1);
    descriptor.families[0].name = kFamily;
    Admin* const admin = database_->store()->admin();
    if (!Take(admin->TableExists(descriptor.name))) Check(admin->CreateTable(descriptor, {}));
    table_ = Take(database_->store()->OpenTable(descriptor.name));
  }
  std::string name() const override { return mapped_ ? "bennu-mmap" : "bennu"; }

  void Put(std::string_view key, std::string_view value, bool sync) override {
    thread_local MutationBatch batch;
    batch.Clear();
    batch.durability = sync ? Durability::kFsyncWal : Durability::kSyncWal;
    batch.StartRow(key);
    batch.Put(kFamily, kQualifier, value);
    Check(table_->Write(&batch));
  }

  bool Get(std::string_view key, std::string* value) override {
    thread_local bennu::Get get;
    get.row = key;
    bool found = false;
    Check(table_->GetCells(get, [&](const Cell* cells, size_t count) {
      found = count > 0;
      if (found) value->assign(cells[0].value_view());
    }));
    return found;
  }

  uint64_t Seek(std::string_view key, size_t rows) override {
    thread_local CellBatch batch;
    Scan scan;
    scan.range.start = key;
    scan.row_limit = static_cast<int64_t>(rows);
    const auto scanner = Take(table_->OpenScanner(scan));
    uint64_t bytes = 0;
    do {
      Check(scanner->Next(rows, &batch));
      for (const Cell& cell : batch.cells) bytes += cell.value_length;
    } while (batch.row_count() > 0);
    return bytes;
  }

  uint64_t ScanAll() override {
    CellBatch batch;
    const auto scanner = Take(table_->OpenScanner(Scan()));
    uint64_t rows = 0;
    do {
      Check(scanner->Next(kRowsPerFetch, &batch));
      rows += batch.row_count();
    } while (batch.row_count() > 0);
    return rows;
  }

  void Flush() override { Check(database_->store()->admin()->Flush(table_->name())); }
  void Compact() override {
    Check(database_->store()->admin()->Compact(table_->name(), /*major=*/true));
  }

 private:
  const bool mapped_;
  std::unique_ptr<Database> database_;
  std::shared_ptr<Table> table_;
};

}  // namespace

std::unique_ptr<KeyValueSystem> MakeBennuKeyValue(const KeyValueOptions& options, bool mapped) {
  return std::make_unique<BennuKeyValue>(options, mapped);
}

}  // namespace bennu::bench
