// A store of keys and values with the few operations that the storage benchmark measures: Bennu's
// engine and RocksDB behind one face.
#ifndef BENNU_BENCH_MACRO_KEY_VALUE_SYSTEM_H_
#define BENNU_BENCH_MACRO_KEY_VALUE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bennu::bench {

// Thread-safe. All methods end the process with a message when something fails.
class KeyValueSystem {
 public:
  virtual ~KeyValueSystem() = default;  // closes the store
  virtual std::string name() const = 0;

  // With 'sync' the write is on the disk when this returns, else it is with the operating system.
  virtual void Put(std::string_view key, std::string_view value, bool sync) = 0;
  // Whether the key is there; *value is set then.
  virtual bool Get(std::string_view key, std::string* value) = 0;
  // Reads up to 'rows' rows from 'key' on; returns the bytes of their values.
  virtual uint64_t Seek(std::string_view key, size_t rows) = 0;
  // Reads everything; returns the number of rows.
  virtual uint64_t ScanAll() = 0;
  // Writes what is in memory to files, and waits for the merges that go on by themselves.
  virtual void Flush() = 0;
  // Merges all files into one sorted run.
  virtual void Compact() = 0;
};

struct KeyValueOptions {
  std::string directory;  // created when missing
  uint64_t cache_bytes = 0;
};

// 'mapped': store files are read through mappings, which is not the default.
std::unique_ptr<KeyValueSystem> MakeBennuKeyValue(const KeyValueOptions& options, bool mapped);
// 'block_bytes' 0: RocksDB's default (4 KiB). All else but the size of the cache is its default
// too.
std::unique_ptr<KeyValueSystem> MakeRocksDb(const KeyValueOptions& options, uint64_t block_bytes);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_KEY_VALUE_SYSTEM_H_
