#include "src/server/hbase/namespace_quota.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>

#include "bennu/admin.h"
#include "src/base/status_macros.h"

namespace bennu::server::hbase {

namespace {

constexpr size_t kUnbounded = std::numeric_limits<size_t>::max();

struct Bounds {
  size_t tables = kUnbounded;
  size_t regions = kUnbounded;
};

struct Held {
  size_t tables = 0;
  size_t regions = 0;
};

size_t BoundOf(const NamespaceDescriptor& descriptor, const char* property) {
  const auto found = descriptor.properties.find(property);
  if (found == descriptor.properties.end()) return kUnbounded;
  const std::string& text = found->second;
  size_t value = kUnbounded;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A namespace that is not there bounds nothing; what is asked for fails by itself.
Bounds BoundsOf(Connection* store, const std::string& name) {
  const auto descriptor = store->admin()->DescribeNamespace(name);
  if (!descriptor.ok()) return {};
  return {BoundOf(*descriptor, "hbase.namespace.quota.maxtables"),
          BoundOf(*descriptor, "hbase.namespace.quota.maxregions")};
}

Result<Held> Count(Connection* store, const std::string& name) {
  Held held;
  ASSIGN_OR_RETURN(const auto tables, store->admin()->ListTables());
  for (const TableName& table : tables) {
    if (table.name_space != name) continue;
    ++held.tables;
    const auto opened = store->OpenTable(table);
    if (opened.ok()) held.regions += (*opened)->regions().size();
  }
  return held;
}

CallError Check(Connection* store, const TableName& table, size_t tables, size_t regions) {
  const Bounds bounds = BoundsOf(store, table.name_space);
  if (bounds.tables == kUnbounded && bounds.regions == kUnbounded) return std::nullopt;
  const auto held = Count(store, table.name_space);
  if (!held.ok()) return rpc::RemoteError(held.status());
  if (bounds.tables != kUnbounded && held->tables + tables > bounds.tables) {
    return rpc::RemoteError(
        rpc::exceptions::kQuotaExceeded,
        fmt::format("table {}: namespace {} may have {} tables, and has {}", table.ToString(),
                    table.name_space, bounds.tables, held->tables));
  }
  if (bounds.regions != kUnbounded && held->regions + regions > bounds.regions) {
    return rpc::RemoteError(
        rpc::exceptions::kQuotaExceeded,
        fmt::format("table {}: {} regions more in namespace {}, which may have {} and has {}",
                    table.ToString(), regions, table.name_space, bounds.regions, held->regions));
  }
  return std::nullopt;
}

}  // namespace

CallError CheckQuotaForTable(Connection* store, const TableName& table, size_t regions) {
  return Check(store, table, 1, regions);
}

CallError CheckQuotaForSplit(Connection* store, const TableName& table) {
  return Check(store, table, 0, 1);
}

}  // namespace bennu::server::hbase
