// Regions and their files: list_regions, split, merge_region, flush, compact …
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/base/hex.h"
#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

// What a command's argument names.
struct Target {
  TableName table;
  std::string region;  // its encoded name; empty: the whole table
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
      if (region.EncodedName() == encoded) return std::optional<Target>({name, encoded});
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
    if (exists) return Target{std::move(*name), ""};
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
  if (row.has_value() && row->empty()) {
    return InvalidArgument(
        "should not give a splitkey which equals to startkey! Name a row inside the region, or "
        "none for its middle");
  }
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

Result<Value> RunLocateRegion(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto table, OpenTable(environment, arguments[0]));
  const Bytes row = arguments[1].ToText();
  environment.printer->Header("HOST", "REGION");
  for (const RegionInfo& region : table->regions()) {
    if (!region.Contains(row)) continue;
    environment.printer->Row(
        environment.target,
        fmt::format("{{ENCODED => {}, NAME => '{}', STARTKEY => '{}', ENDKEY => '{}'}}",
                    region.EncodedName(), ToStringBinary(region.RegionName()),
                    ToStringBinary(region.start_key), ToStringBinary(region.end_key)));
  }
  environment.printer->Footer(1);
  return Value();
}

constexpr int64_t kMegabyte = int64_t{1} << 20;

struct RegionColumn {
  std::string_view name;
  size_t width_min;
  std::string (*text)(const Environment&, const RegionStatus&);
};

constexpr std::array<RegionColumn, 7> kRegionColumns = {{
    {"SERVER_NAME", 12, [](const Environment& e, const RegionStatus&) { return e.target; }},
    {"REGION_NAME", 12,
     [](const Environment&, const RegionStatus& r) { return ToStringBinary(r.info.RegionName()); }},
    {"START_KEY", 10,
     [](const Environment&, const RegionStatus& r) { return ToStringBinary(r.info.start_key); }},
    {"END_KEY", 10,
     [](const Environment&, const RegionStatus& r) { return ToStringBinary(r.info.end_key); }},
    {"SIZE", 5,
     [](const Environment&, const RegionStatus& r) {
       const auto bytes = static_cast<int64_t>(r.file_bytes);
       return std::to_string((bytes + kMegabyte - 1) / kMegabyte);
     }},
    {"REQ", 5, [](const Environment&, const RegionStatus&) { return std::string("0"); }},
    {"LOCALITY", 10,
     [](const Environment&, const RegionStatus& r) {
       return std::string(r.file_bytes > 0 ? "1.0" : "0.0");
     }},
}};

Result<std::vector<RegionColumn>> ChosenColumns(const Value& value) {
  std::vector<RegionColumn> chosen(kRegionColumns.begin(), kRegionColumns.end());
  if (value.is_nil()) return chosen;
  const auto* const names = value.As<Value::Array>();
  if (names == nullptr) return InvalidArgument("the columns must be an array of strings");
  chosen.clear();
  for (const Value& name : *names) {
    const auto at = std::find_if(kRegionColumns.begin(), kRegionColumns.end(),
                                 [&](const auto& column) { return column.name == name.ToText(); });
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
  ASSIGN_OR_RETURN(const auto columns, ChosenColumns(ArgumentAt(arguments, 2)));
  ASSIGN_OR_RETURN(const auto regions, environment.admin()->ListRegions(target.table));
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> widths;
  for (const RegionColumn& column : columns) widths.push_back(column.width_min);
  for (const RegionStatus& region : regions) {
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < columns.size(); ++i) {
      row.push_back(columns[i].text(environment, region));
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
