// Write-ahead logs: any bytes are refused at opening, or give entries up to an end or to damage.
// Skipping damage always comes to an end, and loses no entry that plain reading had.
#include "src/wal/wal_reader.h"

#include "src/base/check.h"
#include "src/base/log.h"
#include "tests/fuzz/memory_file_env.h"

namespace bennu::wal {
namespace {

// Returns the entries read before an end or an error.
size_t ReadAll(Env* env, bool skip_damage) {
  WalReadOptions options;
  options.skip_damage = skip_damage;
  auto reader = WalReader::Open(env, "fuzz.wal", options);
  if (!reader.ok()) return 0;
  size_t entries = 0;
  WalEntry entry;
  uint64_t valid_size = reader.value()->header_end_offset();
  for (;;) {
    const Result<bool> more = reader.value()->Next(&entry);
    if (!more.ok() || !more.value()) break;
    BENNU_CHECK(reader.value()->valid_size() > valid_size);  // so the loop ends
    valid_size = reader.value()->valid_size();
    ++entries;
  }
  return entries;
}

}  // namespace
}  // namespace bennu::wal

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bennu::SetLogLevel(bennu::LogLevel::kOff);
  bennu::MemoryFileEnv env(bennu::ByteView(reinterpret_cast<const char*>(data), size));
  const size_t plain = bennu::wal::ReadAll(&env, false);
  BENNU_CHECK(bennu::wal::ReadAll(&env, true) >= plain);
  return 0;
}
