// Requests of Phoenix's clients, in protobuf and in JSON, and the values in them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "src/avatica/messages.h"
#include "src/avatica/types.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace avatica = bennu::avatica;
  const bennu::ByteView body(reinterpret_cast<const char*>(data), size);
  const auto request = avatica::ParseRequest(body, avatica::FormOf(body));
  if (!request.ok()) return 0;
  const auto* const run = std::get_if<avatica::pb::ExecuteRequest>(&*request);
  if (run == nullptr) return 0;
  for (const avatica::pb::TypedValue& value : run->parameter_values()) {
    (void)avatica::ToValue(value, {}).ok();
    (void)avatica::ToValue(value, {bennu::sql::TypeId::kVarcharArray}).ok();
  }
  return 0;
}
