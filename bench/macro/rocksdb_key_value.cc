#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "bench/macro/key_value_system.h"

namespace bennu::bench {

namespace {

void Check(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::cerr << "rocksdb: " << status.ToString() << "\n";
  std::exit(1);
}

rocksdb::Slice AsSlice(std::string_view text) { return rocksdb::Slice(text.data(), text.size()); }

class RocksDb : public KeyValueSystem {
 public:
  RocksDb(const KeyValueOptions& options, uint64_t block_bytes)
      : name_(block_bytes == 0 ? "rocksdb" : "rocksdb-" + std::to_string(block_bytes >> 10) + "k") {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(options.cache_bytes);
    if (block_bytes != 0) table.block_size = block_bytes;
    rocksdb::Options open;
    open.create_if_missing = true;
    open.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    Check(rocksdb::DB::Open(open, options.directory, &db));
    db_.reset(db);
  }
  std::string name() const override { return name_; }

  void Put(std::string_view key, std::string_view value, bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    Check(db_->Put(options, AsSlice(key), AsSlice(value)));
  }

  bool Get(std::string_view key, std::string* value) override {
    const rocksdb::Status status = db_->Get(rocksdb::ReadOptions(), AsSlice(key), value);
    if (status.IsNotFound()) return false;
    Check(status);
    return true;
  }

  uint64_t Seek(std::string_view key, size_t rows) override {
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
    uint64_t bytes = 0;
    for (it->Seek(AsSlice(key)); rows > 0 && it->Valid(); it->Next(), --rows) {
      bytes += it->value().size();
    }
    Check(it->status());
    return bytes;
  }

  uint64_t ScanAll() override {
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
    uint64_t rows = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) ++rows;
    Check(it->status());
    return rows;
  }

  void Flush() override {
    Check(db_->Flush(rocksdb::FlushOptions()));
    // This version can not be asked to wait.
    while (Property("rocksdb.compaction-pending") + Property("rocksdb.num-running-compactions") >
           0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }

  void Compact() override {
    rocksdb::CompactRangeOptions options;
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    Check(db_->CompactRange(options, nullptr, nullptr));
  }

 private:
  uint64_t Property(const char* name) const {
    uint64_t value = 0;
    if (!db_->GetIntProperty(name, &value)) Check(rocksdb::Status::NotFound(name));
    return value;
  }

  const std::string name_;
  std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace

std::unique_ptr<KeyValueSystem> MakeRocksDb(const KeyValueOptions& options, uint64_t block_bytes) {
  return std::make_unique<RocksDb>(options, block_bytes);
}

}  // namespace bennu::bench
