// Admin is an interface without bodies: the compiler shows what an implementation lacks.
#include "bennu/admin.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace bennu {
namespace {

// Tables and namespaces, but neither regions, files nor snapshots.
class AdminOfTablesOnly : public Admin {
 public:
  Status CreateTable(const TableDescriptor&, const std::vector<Bytes>&) override { return {}; }
  Status DropTable(const TableName&) override { return {}; }
  Status AlterTable(const TableDescriptor&) override { return {}; }
  Status DisableTable(const TableName&) override { return {}; }
  Status EnableTable(const TableName&) override { return {}; }
  Result<bool> IsTableEnabled(const TableName&) override { return true; }
  Result<bool> TableExists(const TableName&) override { return true; }
  Result<std::vector<TableName>> ListTables() override { return std::vector<TableName>(); }
  Status CreateNamespace(const std::string&) override { return {}; }
  Status DropNamespace(const std::string&) override { return {}; }
  Result<std::vector<std::string>> ListNamespaces() override { return std::vector<std::string>(); }
  Status Flush(const TableName&) override { return {}; }
  Status Compact(const TableName&, bool) override { return {}; }
};

TEST(AdminTest, WhatIsMissingDoesNotCompile) {
  static_assert(std::is_abstract_v<AdminOfTablesOnly>);
}

}  // namespace
}  // namespace bennu
