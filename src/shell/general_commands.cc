// status, version, whoami, table_help, show_filters.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/shell/cluster_status.h"
#include "src/shell/command.h"

namespace bennu::shell {

namespace {

constexpr std::string_view kTableHelp =
    R"(A table can be kept in a variable, and commands be called on it:

  t = create 't', 'f'
  t = get_table 't'

  t.put 'r1', 'f:q', 'value'
  t.get 'r1'
  t.scan
  t.count
  t.describe
  t.flush
  t.disable
  t.drop

Every command whose first argument is a table can be called so. t.help 'scan' tells about one.)";

// The names that FILTER texts may hold.
constexpr std::string_view kFilters[] = {"ColumnCountGetFilter",
                                         "ColumnPaginationFilter",
                                         "ColumnPrefixFilter",
                                         "ColumnRangeFilter",
                                         "ColumnValueFilter",
                                         "DependentColumnFilter",
                                         "FamilyFilter",
                                         "FirstKeyOnlyFilter",
                                         "InclusiveStopFilter",
                                         "KeyOnlyFilter",
                                         "MultipleColumnPrefixFilter",
                                         "PageFilter",
                                         "PrefixFilter",
                                         "QualifierFilter",
                                         "RowFilter",
                                         "SingleColumnValueExcludeFilter",
                                         "SingleColumnValueFilter",
                                         "TimestampsFilter",
                                         "ValueFilter"};

struct TableLoad {
  std::string name;
  size_t regions = 0;
  size_t store_files = 0;
  uint64_t file_bytes = 0;
  uint64_t memstore_bytes = 0;
};

Result<std::vector<TableLoad>> Loads(const Environment& environment) {
  std::vector<TableLoad> loads;
  ASSIGN_OR_RETURN(auto tables, environment.admin()->ListTables());
  std::sort(tables.begin(), tables.end());
  for (const TableName& table : tables) {
    TableLoad load;
    load.name = table.ToString();
    ASSIGN_OR_RETURN(const auto regions, environment.admin()->ListRegions(table));
    for (const RegionStatus& region : regions) {
      ++load.regions;
      load.store_files += region.store_files;
      load.file_bytes += region.file_bytes;
      load.memstore_bytes += region.memstore_bytes;
    }
    loads.push_back(std::move(load));
  }
  return loads;
}

// On a directory 'simple' and 'detailed' tell of the store and of its tables.
Result<Value> RunStatus(const Environment& environment, const Arguments& arguments) {
  Printer* const printer = environment.printer;
  const std::string format = arguments.empty() ? "summary" : arguments[0].ToText();
  if (environment.cluster != nullptr) {
    if (format != "summary" && format != "simple" && format != "detailed" &&
        format != "replication") {
      return InvalidArgument(fmt::format(
          "no status '{}'; there are 'summary', 'simple', 'detailed' and 'replication'", format));
    }
    ASSIGN_OR_RETURN(const auto state, environment.cluster->ReadState());
    PrintClusterStatus(state, format, printer);
    return Value();
  }
  if (format != "summary" && format != "simple" && format != "detailed") {
    return InvalidArgument(
        fmt::format("no status '{}'; there are 'summary', 'simple' and 'detailed'", format));
  }
  ASSIGN_OR_RETURN(const auto loads, Loads(environment));
  TableLoad all;
  for (const TableLoad& load : loads) {
    all.regions += load.regions;
    all.store_files += load.store_files;
    all.file_bytes += load.file_bytes;
    all.memstore_bytes += load.memstore_bytes;
  }
  if (format == "summary") {
    printer->Line(
        fmt::format("1 active master, 0 backup masters, 1 servers, 0 dead, {:.4f} average load",
                    static_cast<double>(all.regions)));
    return Value();
  }
  printer->Line("store:  " + environment.target);
  printer->Line(fmt::format(
      "    tables={}, numberOfOnlineRegions={}, numberOfStorefiles={}, storefileSizeMB={}, "
      "memstoreSizeMB={}",
      loads.size(), all.regions, all.store_files, all.file_bytes >> 20, all.memstore_bytes >> 20));
  if (format == "simple") return Value();
  for (const TableLoad& load : loads) {
    printer->Line(fmt::format(
        "        \"{}\": regions={}, numberOfStorefiles={}, storefileSizeMB={}, memstoreSizeMB={}",
        load.name, load.regions, load.store_files, load.file_bytes >> 20,
        load.memstore_bytes >> 20));
  }
  return Value();
}

Result<Value> RunVersion(const Environment& environment, const Arguments& /*arguments*/) {
  environment.printer->Line("Bennu " + environment.version);
  return Value();
}

Result<Value> RunWhoAmI(const Environment& environment, const Arguments& /*arguments*/) {
  environment.printer->Line(environment.user + " (auth:SIMPLE)");
  if (!environment.groups.empty()) environment.printer->Line("    groups: " + environment.groups);
  return Value();
}

Result<Value> RunTableHelp(const Environment& environment, const Arguments& /*arguments*/) {
  environment.printer->Line(kTableHelp);
  return Value();
}

Result<Value> RunShowFilters(const Environment& environment, const Arguments& /*arguments*/) {
  for (const std::string_view filter : kFilters) environment.printer->Line(filter);
  return Value();
}

}  // namespace

std::vector<Command> GeneralCommands() {
  return {
      {"status", "general", 0, 2, RunStatus, false},
      {"version", "general", 0, 0, RunVersion, false},
      {"whoami", "general", 0, 0, RunWhoAmI, false},
      {"table_help", "general", 0, 0, RunTableHelp, false},
      {"show_filters", "ddl", 0, 0, RunShowFilters, false},
  };
}

}  // namespace bennu::shell
