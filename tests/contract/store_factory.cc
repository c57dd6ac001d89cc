#include "tests/contract/store_factory.h"

#include <filesystem>
#include <utility>

#include "src/base/check.h"
#include "src/base/env.h"
#include "src/engine/open.h"
#include "tests/support/memory_store.h"
#include "tests/support/served_store.h"

namespace bennu::testing {

namespace {

class MemoryUnderTest final : public StoreUnderTest {
 public:
  Connection* connection() override { return &store_; }
  bool Reopen() override { return false; }

 private:
  MemoryStore store_;
};

class EngineUnderTest final : public StoreUnderTest {
 public:
  explicit EngineUnderTest(const engine::EngineOptions& options) : options_(options) {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_contract_" + std::to_string(Env::Default()->RandomU64()));
    Open();
  }
  ~EngineUnderTest() override {
    engine_.reset();
    std::filesystem::remove_all(path_);
  }
  Connection* connection() override { return engine_.get(); }
  bool Reopen() override {
    engine_.reset();
    Open();
    return true;
  }

 private:
  void Open() {
    auto engine = engine::OpenEngine(path_, options_);
    if (!engine.ok()) std::fprintf(stderr, "%s\n", engine.status().ToString().c_str());
    BENNU_CHECK(engine.ok());
    engine_ = std::move(engine).value();
  }

  const engine::EngineOptions options_;
  std::string path_;
  std::unique_ptr<engine::Engine> engine_;
};

// An engine whose files are in memory; they go with it.
class EngineInMemoryUnderTest final : public StoreUnderTest {
 public:
  explicit EngineInMemoryUnderTest(const engine::EngineOptions& options)
      : engine_(engine::OpenEngine(std::string(engine::kMemoryStore), options).value()) {}
  Connection* connection() override { return engine_.get(); }
  bool Reopen() override { return false; }

 private:
  const std::unique_ptr<engine::Engine> engine_;
};

// An engine behind a server, as a client sees it.
class ServedUnderTest final : public StoreUnderTest {
 public:
  explicit ServedUnderTest(const engine::EngineOptions& options) : store_(options) {}
  Connection* connection() override { return store_.connection(); }
  bool HasSnapshots() const override { return false; }
  bool Reopen() override {
    store_.Reopen();
    return true;
  }

 private:
  ServedStore store_;
};

std::unique_ptr<StoreUnderTest> MakeServed() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  return std::make_unique<ServedUnderTest>(options);
}

std::unique_ptr<StoreUnderTest> MakeMemory() { return std::make_unique<MemoryUnderTest>(); }

std::unique_ptr<StoreUnderTest> MakeEngine() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;  // these tests are not about the machine's death
  return std::make_unique<EngineUnderTest>(options);
}

// Memstores so small that nearly every batch is flushed, a reopening that finds only a log.
std::unique_ptr<StoreUnderTest> MakeHostileEngine() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  options.memstore_flush_bytes = 2000;
  options.memstore_total_bytes = 1 << 20;
  options.block_cache_bytes = 1 << 16;
  options.wal_roll_bytes = 4096;
  options.flush_on_close = false;
  return std::make_unique<EngineUnderTest>(options);
}

// Memstores so small that files in memory are written, merged and removed all the time.
std::unique_ptr<StoreUnderTest> MakeEngineInMemory() {
  engine::EngineOptions options;
  options.memstore_flush_bytes = 4000;
  options.block_cache_bytes = 1 << 16;
  options.wal_roll_bytes = 4096;
  return std::make_unique<EngineInMemoryUnderTest>(options);
}

// Files read through mappings: small ones, merged and deleted while scanners hold them.
std::unique_ptr<StoreUnderTest> MakeMappedEngine() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  options.memstore_flush_bytes = 4000;
  options.block_cache_bytes = 1 << 16;
  options.archive_keep_millis = 0;
  options.configuration = {{"bennu.storefile.mmap", "true"}, {"hbase.hstore.compaction.min", "2"}};
  return std::make_unique<EngineUnderTest>(options);
}

// Files that are merged at nearly every occasion, and cut by time.
std::unique_ptr<StoreUnderTest> MakeDateTieredEngine() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  options.memstore_flush_bytes = 4000;
  options.configuration = {
      {"hbase.hstore.engine.class", "DateTieredStoreEngine"},
      {"hbase.hstore.compaction.min", "2"},
      {"hbase.hstore.compaction.date.tiered.incoming.window.min", "2"},
      {"hbase.hstore.compaction.date.tiered.base.window.millis", "50"},
      {"hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction", "false"}};
  return std::make_unique<EngineUnderTest>(options);
}

// Likewise, cut by rows: stripes begin with the first flush and are split soon.
std::unique_ptr<StoreUnderTest> MakeStripedEngine() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  options.memstore_flush_bytes = 4000;
  options.flush_on_close = false;
  options.configuration = {{"hbase.hstore.engine.class", "StripeStoreEngine"},
                           {"hbase.store.stripe.initialStripeCount", "2"},
                           {"hbase.store.stripe.compaction.minFiles", "2"},
                           {"hbase.store.stripe.sizeToSplit", "6000"}};
  return std::make_unique<EngineUnderTest>(options);
}

// Every few cells the memstore goes into the pipeline.
engine::EngineOptions InMemoryCompaction(const std::string& policy) {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  options.flush_on_close = false;
  options.configuration = {{"hbase.hregion.compacting.memstore.type", policy},
                           {"hbase.memstore.inmemoryflush.threshold.factor", "0.000002"}};
  return options;
}

std::unique_ptr<StoreUnderTest> MakeBasicInMemoryEngine() {
  return std::make_unique<EngineUnderTest>(InMemoryCompaction("BASIC"));
}

std::unique_ptr<StoreUnderTest> MakeEagerInMemoryEngine() {
  return std::make_unique<EngineUnderTest>(InMemoryCompaction("EAGER"));
}

}  // namespace

std::vector<StoreFactory> AllStores() {
  return {{"memory", &MakeMemory},
          {"engine", &MakeEngine},
          {"hostile_engine", &MakeHostileEngine},
          {"engine_in_memory", &MakeEngineInMemory},
          {"mapped_engine", &MakeMappedEngine},
          {"date_tiered_engine", &MakeDateTieredEngine},
          {"striped_engine", &MakeStripedEngine},
          {"basic_in_memory_engine", &MakeBasicInMemoryEngine},
          {"eager_in_memory_engine", &MakeEagerInMemoryEngine},
          {"served", &MakeServed}};
}

}  // namespace bennu::testing
