// Regions and their files: list_regions, split, merge_region, flush, compact …
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/descriptor_text.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

// What a command's argument names.
struct Target {
  TableName table;
  std::string region;  // its encoded name; empty: the whole table
  Bytes start_key;     // of the region
};

// An encoded name, or a region's whole name, which holds it between its last two dots.
std::string EncodedNameIn(ByteView text) {
  constexpr size_t kEncodedSize = 32;
  if (text.size() > kEncodedSize + 1 && text.back() == '.') {
    text.remove_suffix(1);
    text.remove_prefix(text.rfind('.') + 1);
  }
  const bool hex = text.find_first_not_of("0123456789abcdef") == ByteView::npos;
  return hex && text.size() == kEncodedSize ? std::string(text) : std::string();
}

Result<std::optional<Target>> FindRegion(const Environment& environment,
                                         const std::string& encoded) {
  ASSIGN_OR_RETURN(const auto tables, environment.admin()->ListTables());
  for (const TableName& name : tables) {
    const auto table = environment.connection->OpenTable(name);
    if (!table.ok()) continue;
    for (const RegionInfo& region : (*table)->regions()) {
      if (region.EncodedName() == encoded) {
        return std::optional<Target>({name, encoded, region.start_key});
      }
    }
  }
  return std::optional<Target>();
}

// A table's name or a region's.
Result<Target> FindTarget(const Environment& environment, const Value& value) {
  if (const std::string encoded = EncodedNameIn(value.ToText()); !encoded.empty()) {
    ASSIGN_OR_RETURN(const auto region, FindRegion(environment, encoded));
    if (region.has_value()) return *region;
  }
  auto name = ParseTableName(value);
  if (name.ok()) {
    ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(*name));
    if (exists) return Target{std::move(*name), "", ""};
  }
  return NotFound(fmt::format("Unknown table {}!", ToStringBinary(value.ToText())));
}

// The argument behind a table's or region's name; empty: all families.
Result<Bytes> FamilyArgument(const Arguments& arguments) {
  const Value& family = ArgumentAt(arguments, 1);
  if (family.is_nil()) return Bytes();
  if (family.As<Bytes>() == nullptr || family.As<Bytes>()->empty()) {
    return InvalidArgument("a family's name in quotes is wanted, not " + family.Inspect());
  }
  return *family.As<Bytes>();
}

Result<Value> RunFlush(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(environment, arguments[0]));
  ASSIGN_OR_RETURN(const Bytes family, FamilyArgument(arguments));
  Admin* const admin = environment.admin();
  RETURN_IF_ERROR(!target.region.empty() ? admin->FlushRegion(target.region, family)
                  : family.empty()       ? admin->Flush(target.table)
                                         : admin->FlushFamily(target.table, family));
  return Value();
}

Result<Value> Compact(const Environment& environment, const Arguments& arguments, bool major) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(environment, arguments[0]));
  ASSIGN_OR_RETURN(const Bytes family, FamilyArgument(arguments));
  Admin* const admin = environment.admin();
  RETURN_IF_ERROR(!target.region.empty() ? admin->CompactRegion(target.region, family, major)
                  : family.empty()       ? admin->Compact(target.table, major)
                                         : admin->CompactFamily(target.table, family, major));
  return Value();
}

Result<Value> RunCompact(const Environment& environment, const Arguments& arguments) {
  return Compact(environment, arguments, false);
}

Result<Value> RunMajorCompact(const Environment& environment, const Arguments& arguments) {
  return Compact(environment, arguments, true);
}

// As HBase's shell prints it.
std::string NameOf(CompactionState state) {
  switch (state) {
    case CompactionState::kNone: return "NONE";
    case CompactionState::kMinor: return "MINOR";
    case CompactionState::kMajor: return "MAJOR";
    case CompactionState::kMajorAndMinor: break;
  }
  return "MAJOR_AND_MINOR";
}

Result<Value> RunCompactionState(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(environment, arguments[0]));
  Admin* const admin = environment.admin();
  const auto state = target.region.empty() ? admin->GetTableCompactionState(target.table)
                                           : admin->GetCompactionState(target.region);
  RETURN_IF_ERROR(state.status());
  const std::string name = NameOf(*state);
  environment.printer->Line(name);
  return Value::String(name);
}

Result<Value> RunSplit(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(environment, arguments[0]));
  std::optional<Bytes> row;
  if (const Value& key = ArgumentAt(arguments, 1); !key.is_nil()) row = key.ToText();
  // HBase compares with the first key of the region; the master takes an empty row for none.
  if (row.has_value() && row->empty() && target.start_key.empty()) {
    return InvalidArgument(
        "should not give a splitkey which equals to startkey! Name a row inside the region, or "
        "none for its middle");
  }
  if (row.has_value() && row->empty()) row.reset();
  RETURN_IF_ERROR(target.region.empty() ? environment.admin()->SplitTable(target.table, row)
                                        : environment.admin()->SplitRegion(target.region, row));
  return Value();
}

// 'REGION', 'REGION' … or one array of them; a last true or false (HBase's "force") says nothing.
Result<Value> RunMergeRegion(const Environment& environment, const Arguments& arguments) {
  std::vector<std::string> names;
  for (const Value& argument : arguments) {
    const auto* const array = argument.As<Value::Array>();
    for (const Value& each : array != nullptr ? *array : Value::Array{argument}) {
      if (each.As<bool>() != nullptr) continue;
      const std::string encoded = EncodedNameIn(each.ToText());
      if (encoded.empty()) {
        return NotFound("Can't invoke merge on unknown region " + ToStringBinary(each.ToText()));
      }
      names.push_back(encoded);
    }
  }
  if (names.size() < 2) return InvalidArgument("There should be at least two regions to merge");
  RETURN_IF_ERROR(environment.admin()->MergeRegions(names));
  return Value();
}

Result<Value> RunGetSplits(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  std::vector<std::string> splits;
  for (const RegionInfo& region : table->regions()) {
    if (!region.start_key.empty()) splits.push_back(ToStringBinary(region.start_key));
  }
  environment.printer->Line(fmt::format("Total number of splits = {}", splits.size() + 1));
  for (const std::string& split : splits) environment.printer->Line(split);
  return Value::Strings(splits);
}

// Where regions are and what servers tell of them, by region name; empty on a directory.
struct ServedRegion {
  std::string server;  // "host,port,startcode"
  api::ClusterControl::RegionLoad load;
};
using ServedRegions = std::map<std::string, ServedRegion>;

Result<ServedRegions> ReadServed(const Environment& environment, const TableName& table) {
  ServedRegions served;
  if (environment.cluster == nullptr) return served;
  ASSIGN_OR_RETURN(const auto state, environment.cluster->ReadState());
  for (const auto& server : state.servers) {
    for (const auto& load : server.regions) served[load.name] = {server.name, load};
  }
  ASSIGN_OR_RETURN(const auto servers, environment.cluster->ServersOfRegions(table));
  for (const auto& [region, server] : servers) served[region].server = server;
  return served;
}

// "host,port,startcode" as "host:port".
std::string HostAndPort(std::string server) {
  const size_t comma = server.find(',');
  if (comma == std::string::npos) return server;
  server[comma] = ':';
  return server.substr(0, server.find(','));
}

Result<Value> RunLocateRegion(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  const Bytes row = arguments[1].ToText();
  ASSIGN_OR_RETURN(const ServedRegions served, ReadServed(environment, table->name()));
  environment.printer->Header("HOST", "REGION");
  for (const RegionInfo& region : table->regions()) {
    if (!region.Contains(row)) continue;
    const auto found = served.find(region.RegionName());
    environment.printer->Row(
        found == served.end() ? environment.target : HostAndPort(found->second.server),
        RegionText(region));
  }
  environment.printer->Footer(1);
  return Value();
}

constexpr int64_t kMegabyte = int64_t{1} << 20;

// A region, what its server tells of it (null on a directory), and where it is.
struct ListedRegion {
  const RegionStatus& status;
  const ServedRegion* served;
  const std::string& target;
};

struct RegionColumn {
  std::string_view name;
  size_t width_min;
  std::string (*text)(const ListedRegion&);
};

constexpr std::array<RegionColumn, 7> kRegionColumns = {{
    {"SERVER_NAME", 12,
     [](const ListedRegion& r) { return r.served == nullptr ? r.target : r.served->server; }},
    {"REGION_NAME", 12,
     [](const ListedRegion& r) { return ToStringBinary(r.status.info.RegionName()); }},
    {"START_KEY", 10,
     [](const ListedRegion& r) { return ToStringBinary(r.status.info.start_key); }},
    {"END_KEY", 10, [](const ListedRegion& r) { return ToStringBinary(r.status.info.end_key); }},
    {"SIZE", 5,
     [](const ListedRegion& r) {
       const auto bytes = static_cast<int64_t>(r.status.file_bytes);
       return std::to_string((bytes + kMegabyte - 1) / kMegabyte);
     }},
    {"REQ", 5,
     [](const ListedRegion& r) {
       return std::to_string(r.served == nullptr ? 0
                                                 : r.served->load.reads + r.served->load.writes);
     }},
    {"LOCALITY", 10,
     [](const ListedRegion& r) { return std::string(r.status.file_bytes > 0 ? "1.0" : "0.0"); }},
}};

// Names do not tell upper from lower case.
bool SameName(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) ==
           std::toupper(static_cast<unsigned char>(b));
  });
}

// Which regions are listed: the second argument, a server's name or {SERVER_NAME =>,
// LOCALITY_THRESHOLD =>}. The name is a beginning.
struct RegionChoice {
  std::string server;
  double locality_max = 1.0;
};

Result<RegionChoice> ChosenRegions(const Value& value) {
  RegionChoice choice;
  if (const auto* const name = value.As<Bytes>()) {
    choice.server = *name;
    return choice;
  }
  ASSIGN_OR_RETURN(Options options, Options::Of(value));
  if (const auto server = options.Text("SERVER_NAME"); server.has_value()) choice.server = *server;
  if (const Value* const threshold = options.Find("LOCALITY_THRESHOLD"); threshold != nullptr) {
    const auto* const number = threshold->As<double>();
    if (number == nullptr) return InvalidArgument("LOCALITY_THRESHOLD must be a float value");
    if (*number < 0 || *number > 1) {
      return InvalidArgument("LOCALITY_THRESHOLD must be between 0 and 1.0, inclusive");
    }
    choice.locality_max = *number;
  }
  RETURN_IF_ERROR(options.CheckAllKnown());
  return choice;
}

Result<std::vector<RegionColumn>> ChosenColumns(const Value& value) {
  std::vector<RegionColumn> chosen(kRegionColumns.begin(), kRegionColumns.end());
  if (value.is_nil()) return chosen;
  const auto* const names = value.As<Value::Array>();
  if (names == nullptr) return InvalidArgument("the columns must be an array of strings");
  chosen.clear();
  for (const Value& name : *names) {
    const auto at =
        std::find_if(kRegionColumns.begin(), kRegionColumns.end(),
                     [&](const auto& column) { return SameName(column.name, name.ToText()); });
    if (at == kRegionColumns.end()) {
      return InvalidArgument(
          name.ToText() +
          " is not a valid column. Possible values are SERVER_NAME, REGION_NAME, START_KEY, "
          "END_KEY, SIZE, REQ, LOCALITY.");
    }
    chosen.push_back(*at);
  }
  return chosen;
}

Result<Value> RunListRegions(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Target target, FindTarget(environment, arguments[0]));
  ASSIGN_OR_RETURN(const bool enabled, environment.admin()->IsTableEnabled(target.table));
  if (!enabled) {
    return FailedPrecondition(fmt::format("Table {} must be enabled.", target.table.ToString()));
  }
  ASSIGN_OR_RETURN(const RegionChoice choice, ChosenRegions(ArgumentAt(arguments, 1)));
  ASSIGN_OR_RETURN(const auto columns, ChosenColumns(ArgumentAt(arguments, 2)));
  ASSIGN_OR_RETURN(const ServedRegions served, ReadServed(environment, target.table));
  ASSIGN_OR_RETURN(const auto regions, environment.admin()->ListRegions(target.table));
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
  for (const RegionColumn& column : columns) widths.push_back(column.width_min);
  for (const RegionStatus& region : regions) {
    const auto found = served.find(region.info.RegionName());
    const ListedRegion listed = {region, found == served.end() ? nullptr : &found->second,
                                 environment.target};
    if (!std::string_view(kRegionColumns[0].text(listed)).starts_with(choice.server)) continue;
    if ((region.file_bytes > 0 ? 1.0 : 0.0) > choice.locality_max) continue;
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < columns.size(); ++i) {
      row.push_back(columns[i].text(listed));
      widths[i] = std::max(widths[i], row.back().size());
    }
  }
  const auto line = [&](const auto& text_at) {
    std::string line;
    for (size_t i = 0; i < columns.size(); ++i) {
      line += fmt::format(" {:>{}} |", text_at(i), widths[i]);
    }
    environment.printer->Line(line);
  };
  line([&](size_t i) { return columns[i].name; });
  line([&](size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : rows) line([&](size_t i) { return row[i]; });
  environment.printer->Line(fmt::format(" {} rows", rows.size()));
  return Value();
}

}  // namespace

std::vector<Command> RegionCommands() {
  return {
      {"list_regions", "ddl", 1, 3, RunListRegions, true},
      {"locate_region", "ddl", 2, 2, RunLocateRegion, true},
      {"get_splits", "dml", 1, 1, RunGetSplits, true},
      {"split", "tools", 1, 2, RunSplit, true},
      {"merge_region", "tools", 1, Command::kAnyCount, RunMergeRegion, false},
      {"flush", "tools", 1, 2, RunFlush, true},
      {"compact", "tools", 1, 4, RunCompact, true},
      {"major_compact", "tools", 1, 4, RunMajorCompact, true},
      {"compaction_state", "tools", 1, 1, RunCompactionState, true},
  };
}

}  // namespace bennu::shell
