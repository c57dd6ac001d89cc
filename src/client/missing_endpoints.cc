#include "src/client/missing_endpoints.h"

#include <chrono>

namespace bennu::client {

namespace {
constexpr std::chrono::minutes kRemembered{1};
}  // namespace

void MissingEndpoints::Note(const TableName& table, const std::string& service) {
  MutexLock lock(&mu_);
  std::erase_if(until_, [](const auto& entry) { return entry.second.Passed(); });
  until_.insert_or_assign({table, service}, Deadline(kRemembered));
}

bool MissingEndpoints::Has(const TableName& table, const std::string& service) {
  MutexLock lock(&mu_);
  const auto found = until_.find({table, service});
  return found != until_.end() && !found->second.Passed();
}

}  // namespace bennu::client
