#include "tests/crash/walk_model.h"

#include <limits>

#include "src/base/status_macros.h"

namespace bennu::walk {

namespace {

constexpr const char* kProbe = "probe_of_the_walk";
constexpr std::string_view kFailsafePrefix = "hbase-failsafe-";

Status ReadCells(Table* table, const std::string& prefix, State* state) {
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner({}));
  CellBatch batch;
  do {
    RETURN_IF_ERROR(scanner->Next(50, &batch));
    for (const Cell& cell : batch.cells) {
      (*state)[prefix + "cell " + Bytes(cell.row()) + " " + Bytes(cell.family()) + ":" +
               Bytes(cell.qualifier())] = Bytes(cell.value_view());
    }
  } while (batch.row_count() > 0);
  return Status::Ok();
}

// Families, borders and cells.
Status ReadContents(Table* table, const std::string& prefix, State* state) {
  std::string families;
  for (const ColumnFamilyDescriptor& family : table->descriptor().families) {
    families += family.name + " ";
  }
  (*state)[prefix + "families"] = families;
  std::string borders;
  Bytes end;
  for (const RegionInfo& region : table->regions()) {
    if (region.start_key != end) return Corruption("a hole before region " + region.start_key);
    end = region.end_key;
    borders += region.start_key + "|";
  }
  if (!end.empty()) return Corruption("no region holds the last rows");
  (*state)[prefix + "borders"] = borders;
  return Status::Ok();
}

Status ReadTable(Connection* connection, const TableName& name, bool deep, State* state) {
  const std::string prefix = TableLine(name.qualifier);
  ASSIGN_OR_RETURN(const bool enabled, connection->admin()->IsTableEnabled(name));
  (*state)[prefix + "enabled"] = enabled ? "yes" : "no";
  if (!enabled && !deep) return Status::Ok();
  if (!enabled) RETURN_IF_ERROR(connection->admin()->EnableTable(name));
  ASSIGN_OR_RETURN(const auto table, connection->OpenTable(name));
  RETURN_IF_ERROR(ReadContents(table.get(), prefix, state));
  return ReadCells(table.get(), prefix, state);
}

Status ReadSnapshot(Connection* connection, const std::string& name, State* state) {
  Admin* const admin = connection->admin();
  const TableName probe{"default", kProbe};
  RETURN_IF_ERROR(admin->CloneSnapshot(name, probe));
  ASSIGN_OR_RETURN(const auto table, connection->OpenTable(probe));
  const std::string prefix = SnapshotLine(name);
  RETURN_IF_ERROR(ReadContents(table.get(), prefix, state));
  RETURN_IF_ERROR(ReadCells(table.get(), prefix, state));
  return admin->DropTable(probe);
}

}  // namespace

std::string Difference(const State& found, const State& expected) {
  std::string text;
  for (const auto& [line, value] : found) {
    const auto other = expected.find(line);
    if (other == expected.end()) {
      text.append("  not expected: ").append(line).append(" = ").append(value).append("\n");
    } else if (other->second != value) {
      text.append("  ").append(line).append(" = ").append(value);
      text.append(", expected ").append(other->second).append("\n");
    }
  }
  for (const auto& [line, value] : expected) {
    if (found.contains(line)) continue;
    text.append("  missing: ").append(line).append(" = ").append(value).append("\n");
  }
  return text;
}

Result<State> ReadState(Connection* connection, bool deep) {
  State state;
  Admin* const admin = connection->admin();
  ASSIGN_OR_RETURN(const auto snapshots, admin->ListSnapshots());
  ASSIGN_OR_RETURN(const auto tables, admin->ListTables());
  for (const TableName& table : tables) {
    if (table.name_space != "default") continue;
    RETURN_IF_ERROR(ReadTable(connection, table, deep, &state).Annotate(table.qualifier));
  }
  for (const SnapshotDescription& snapshot : snapshots) {
    if (snapshot.name.starts_with(kFailsafePrefix)) continue;
    state[SnapshotLine(snapshot.name)] = "there";
    if (deep) RETURN_IF_ERROR(ReadSnapshot(connection, snapshot.name, &state));
  }
  ASSIGN_OR_RETURN(const auto namespaces, admin->ListNamespaces());
  for (const std::string& name : namespaces) state["namespace " + name] = "there";
  return state;
}

State Shallow(const State& state) {
  State shallow;
  for (const auto& [line, value] : state) {
    const std::string prefix = line.substr(0, line.find(": ") + 2);
    if (line == "backup") continue;  // another store
    if (line.starts_with("snapshot ") && line != prefix) continue;
    if (line.starts_with("table ") && state.contains(prefix + "enabled") &&
        state.at(prefix + "enabled") == "no" && line != prefix + "enabled") {
      continue;
    }
    shallow[line] = value;
  }
  return shallow;
}

}  // namespace bennu::walk
