// EngineProperties: the one place that knows which of HBase's properties are options of the engine,
// and which are looked up by the stores, regions and tables of it (EngineOptions::configuration).
// The library, the commands and the server all read them here.
#ifndef BENNU_SRC_ENGINE_CORE_ENGINE_PROPERTIES_H_
#define BENNU_SRC_ENGINE_CORE_ENGINE_PROPERTIES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/engine/core/engine_options.h"

namespace bennu::engine {

// The least that bennu.memory may be: a cache of some blocks, and memstores of some rows.
inline constexpr uint64_t kMemoryMin = 1 << 20;

inline constexpr char kMemoryProperty[] = "bennu.memory";
inline constexpr char kCacheShareProperty[] = "hfile.block.cache.size";
inline constexpr char kMemstoreShareProperty[] = "hbase.regionserver.global.memstore.size";

// Properties as they come together, from a file or a command line. One thread at a time.
class EngineProperties {
 public:
  // Those that are options of the engine, sorted. api::StorePropertyNames has the others.
  static const std::vector<std::string_view>& OptionNames();
  // Whether it is one of either kind.
  static bool Reads(std::string_view name);

  // Adds a property, which must be one that is read. InvalidArgument, NotSupported: a value that
  // cannot be; the message begins with the name.
  Status Add(const std::string& name, const std::string& value);

  // Changes 'options' as all that were added say, and leaves alone what none speaks of. Shares of
  // memory are of bennu.memory, or else of a quarter of what the process may have.
  // InvalidArgument: the shares are too much together.
  Status ApplyTo(EngineOptions* options) const;

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_ENGINE_PROPERTIES_H_
