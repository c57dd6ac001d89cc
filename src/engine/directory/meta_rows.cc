#include "src/engine/directory/meta_rows.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/api/namespace_name.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_scanner.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kInfo = "info";
constexpr std::string_view kTable = "table";

ColumnFamilyDescriptor CatalogFamily(const char* name, const char* versions) {
  ColumnFamilyDescriptor family;
  family.name = name;
  family.attributes = {{"VERSIONS", versions},
                       {"IN_MEMORY", "true"},
                       {"BLOCKSIZE", "8192"},
                       {"DATA_BLOCK_ENCODING", "ROW_INDEX_V1"},
                       {"BLOOMFILTER", "ROWCOL"}};
  return family;
}

Status ForEachRow(const std::shared_ptr<Region>& region, uint64_t read_point, int64_t now_millis,
                  const std::function<Status(const Cell* cells, size_t count)>& body) {
  const Scan scan;
  ASSIGN_OR_RETURN(auto scanner, region->OpenScanner(&scan, nullptr, read_point, now_millis));
  CellBatch batch;
  bool done = false;
  while (!done) {
    batch.Clear();
    scanner->Unpin();
    RETURN_IF_ERROR(scanner->NextRows(256, &batch, &done));
    for (size_t i = 0; i < batch.row_count(); ++i) {
      const uint32_t begin = batch.row_starts[i];
      RETURN_IF_ERROR(body(&batch.cells[begin], batch.row_end(i) - begin));
    }
  }
  return Status::Ok();
}

// What the info family of a region's row says.
struct RegionRow {
  std::optional<RegionInfo> info;
  std::vector<RegionInfo> split_children;
  std::vector<RegionInfo> merge_parents;
};

Status AddRegionCell(const Cell& cell, RegionRow* region, MetaContents* contents) {
  const ByteView qualifier = cell.qualifier();
  if (qualifier == "sn") contents->servers.insert(std::string(cell.value_view()));
  if (qualifier == "serverstartcode" && cell.value_view().size() == 8) {
    contents->fingerprint += LoadBE64(cell.value) * (uint64_t{Crc32(cell.row())} * 2 + 1);
    return Status::Ok();
  }
  const bool split = qualifier == "splitA" || qualifier == "splitB";
  const bool merge = qualifier.starts_with("merge");
  if (!split && !merge && qualifier != "regioninfo") return Status::Ok();
  if (cell.value_view().empty()) return Status::Ok();
  ASSIGN_OR_RETURN(RegionInfo info, api::DecodeRegionInfo(cell.value_view()));
  if (split) {
    region->split_children.push_back(std::move(info));
  } else if (merge) {
    region->merge_parents.push_back(std::move(info));
  } else {
    region->info = std::move(info);
  }
  return Status::Ok();
}

void AddRegion(RegionRow region, MetaContents* contents) {
  if (!region.info.has_value() || region.info->replica_id != 0) return;
  RegionInfo info = *std::move(region.info);
  if (!region.merge_parents.empty()) {
    contents->replaced.push_back({true, std::move(region.merge_parents), {info}});
  }
  if (!info.split) {
    contents->tables[info.table].push_back(std::move(info));
    return;
  }
  // A parent holds nothing that is not in its successors.
  contents->replaced.push_back({false, {std::move(info)}, std::move(region.split_children)});
}

Status AddTableState(const Cell& cell, MetaContents* contents) {
  ASSIGN_OR_RETURN(const TableName name, TableName::Parse(cell.row()));
  pb::TableState state;
  if (!state.ParseFromArray(cell.value, static_cast<int>(cell.value_length))) {
    return Corruption("the value is no TableState");
  }
  contents->tables[name];
  contents->with_state.insert(name);
  if (state.state() == pb::TableState::DISABLED) contents->disabled.insert(name);
  return Status::Ok();
}

Status AddMetaCell(const Cell& cell, RegionRow* region, MetaContents* contents) {
  if (cell.family() == kTable && cell.qualifier() == "state") return AddTableState(cell, contents);
  if (cell.family() == kInfo) return AddRegionCell(cell, region, contents);
  return Status::Ok();
}

std::string CellText(const Cell& cell) {
  return "row '" + ToStringBinary(cell.row()) + "', " + Bytes(cell.family()) + ":" +
         ToStringBinary(cell.qualifier());
}

Status AddMetaRow(const Cell* cells, size_t count, MetaContents* contents,
                  std::vector<BadMetaCell>* bad) {
  RegionRow region;
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    const Status added = AddMetaCell(cell, &region, contents);
    if (added.ok()) continue;
    if (bad == nullptr) {
      return Corruption("hbase:meta, " + CellText(cell) + ": " + added.message() +
                        "; `bennu check --repair` takes the cell out");
    }
    bad->push_back({Bytes(cell.row()), Bytes(cell.family()), Bytes(cell.qualifier()),
                    cell.timestamp(), added.message()});
  }
  AddRegion(std::move(region), contents);
  return Status::Ok();
}

// A row of hbase:namespace is a namespace of that name.
Status CheckNamespaceCell(const Cell& cell) {
  RETURN_IF_ERROR(api::CheckNamespaceName(cell.row()));
  if (cell.family() != kInfo || cell.qualifier() != "d") return Status::Ok();
  pb::NamespaceDescriptor descriptor;
  if (!descriptor.ParseFromArray(cell.value, static_cast<int>(cell.value_length)) ||
      ByteView(descriptor.name()) != cell.row()) {
    return InvalidArgument("the value is no NamespaceDescriptor of that name");
  }
  return Status::Ok();
}

Status CheckMetaCell(const Cell& cell) {
  MetaContents contents;
  RegionRow region;
  return AddMetaCell(cell, &region, &contents);
}

// What the store reads when it opens. An Increment or Append of it makes something else.
bool IsRead(const TableName& table, const Cell& cell) {
  const ByteView qualifier = cell.qualifier();
  if (table == NamespaceTableName()) return cell.family() == kInfo && qualifier == "d";
  if (cell.family() == kTable) return qualifier == "state";
  return cell.family() == kInfo && (qualifier == "regioninfo" || qualifier.starts_with("split") ||
                                    qualifier.starts_with("merge"));
}

}  // namespace

TableName MetaTableName() { return TableName{"hbase", "meta"}; }
TableName NamespaceTableName() { return TableName{"hbase", "namespace"}; }

RegionInfo MetaRegionInfo() {
  RegionInfo info;
  info.table = MetaTableName();
  info.region_id = 1;
  return info;
}

TableDescriptor MetaDescriptor() {
  TableDescriptor table;
  table.name = MetaTableName();
  table.attributes = {{"IS_META", "true"},
                      {"coprocessor$1",
                       "|org.apache.hadoop.hbase.coprocessor.MultiRowMutationEndpoint|536870911|"}};
  table.families = {CatalogFamily("info", "3"), CatalogFamily("rep_barrier", "2147483647"),
                    CatalogFamily("table", "3")};
  return table;
}

TableDescriptor NamespaceDescriptorTable() {
  TableDescriptor table;
  table.name = NamespaceTableName();
  ColumnFamilyDescriptor family;
  family.name = kInfo;
  family.attributes = {{"VERSIONS", "10"}, {"IN_MEMORY", "true"}, {"BLOCKSIZE", "8192"}};
  table.families = {family};
  return table;
}

void PutRegionRow(MutationBatch* batch, const RegionInfo& info, const std::string& server_name,
                  uint64_t open_sequence_id) {
  const size_t first = server_name.find(',');
  const size_t second = server_name.find(',', first + 1);
  const std::string address =
      server_name.substr(0, first) + ":" + server_name.substr(first + 1, second - first - 1);
  Bytes start_code;
  AppendBE64(&start_code,
             static_cast<uint64_t>(api::ParseInteger(server_name.substr(second + 1)).value_or(0)));
  Bytes sequence_id;
  AppendBE64(&sequence_id, open_sequence_id);
  batch->StartRow(info.RegionName());
  batch->Put(kInfo, "regioninfo", api::EncodeRegionInfo(info));
  batch->Put(kInfo, "seqnumDuringOpen", sequence_id);
  batch->Put(kInfo, "server", address);
  batch->Put(kInfo, "serverstartcode", start_code);
  batch->Put(kInfo, "sn", server_name);
  batch->Put(kInfo, "state", "OPEN");
}

void PutClosedRegion(MutationBatch* batch, const RegionInfo& info) {
  batch->StartRow(info.RegionName());
  batch->Put(kInfo, "state", "CLOSED");
}

void PutNewClosedRegion(MutationBatch* batch, const RegionInfo& info) {
  PutClosedRegion(batch, info);
  batch->Put(kInfo, "regioninfo", api::EncodeRegionInfo(info));
}

void DeleteRegionRow(MutationBatch* batch, const RegionInfo& info) {
  batch->StartRow(info.RegionName());
  batch->DeleteFamily(kInfo);
}

void PutSplitParent(MutationBatch* batch, const RegionInfo& parent, const RegionInfo& low,
                    const RegionInfo& high) {
  RegionInfo info = parent;
  info.offline = true;
  info.split = true;
  batch->StartRow(info.RegionName());
  batch->Put(kInfo, "regioninfo", api::EncodeRegionInfo(info));
  batch->Put(kInfo, "splitA", api::EncodeRegionInfo(low));
  batch->Put(kInfo, "splitB", api::EncodeRegionInfo(high));
  batch->Put(kInfo, "state", "SPLIT");
}

namespace {

std::string MergeQualifier(size_t index) {
  std::string digits = std::to_string(index);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return "merge" + digits;
}

}  // namespace

void PutMergeParents(MutationBatch* batch, const std::vector<RegionInfo>& parents) {
  for (size_t i = 0; i < parents.size(); ++i) {
    batch->Put(kInfo, MergeQualifier(i), api::EncodeRegionInfo(parents[i]));
  }
}

void DeleteMergeParents(MutationBatch* batch, const RegionInfo& merged, size_t parent_count) {
  batch->StartRow(merged.RegionName());
  for (size_t i = 0; i < parent_count; ++i) batch->DeleteColumn(kInfo, MergeQualifier(i));
}

void PutTableState(MutationBatch* batch, const TableName& name, bool enabled) {
  pb::TableState state;
  state.set_state(enabled ? pb::TableState::ENABLED : pb::TableState::DISABLED);
  batch->StartRow(name.ToString());
  batch->Put(kTable, "state", state.SerializeAsString());
}

void DeleteTableState(MutationBatch* batch, const TableName& name) {
  batch->StartRow(name.ToString());
  batch->DeleteFamily(kTable);
}

void PutNamespace(MutationBatch* batch, const NamespaceDescriptor& descriptor) {
  pb::NamespaceDescriptor message;
  api::DescriptorToPb(descriptor, &message);
  batch->StartRow(descriptor.name);
  batch->Put(kInfo, "d", message.SerializeAsString());
}

void DeleteNamespace(MutationBatch* batch, const std::string& name) {
  batch->StartRow(name);
  batch->DeleteFamily(kInfo);
}

Status CheckCatalogBatch(const TableName& table, const MutationBatch& batch) {
  if (table.name_space != "hbase") return Status::Ok();
  const bool is_meta = table == MetaTableName();
  if (!is_meta && table != NamespaceTableName()) return Status::Ok();
  Cell cell;
  for (const MutationBatch::Row& row : batch.rows()) {
    const bool adds = row.kind == MutationKind::kIncrement || row.kind == MutationKind::kAppend;
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      offset = CellAt(batch.buffer(), offset, &cell);
      if (cell.type() != CellType::kPut) continue;
      Status status = is_meta ? CheckMetaCell(cell) : CheckNamespaceCell(cell);
      if (adds && IsRead(table, cell)) status = InvalidArgument("it can only be put as a whole");
      if (status.ok()) continue;
      return InvalidArgument("table " + table.ToString() + ", " + CellText(cell) + ": " +
                             status.message() + "; the store could not be opened with it");
    }
  }
  return Status::Ok();
}

Result<MetaContents> ReadMeta(const std::shared_ptr<Region>& meta, uint64_t read_point,
                              int64_t now_millis, std::vector<BadMetaCell>* bad) {
  MetaContents contents;
  RETURN_IF_ERROR(ForEachRow(meta, read_point, now_millis, [&](const Cell* cells, size_t count) {
                    return AddMetaRow(cells, count, &contents, bad);
                  }).Annotate("reading hbase:meta"));
  for (auto& [name, regions] : contents.tables) {
    std::sort(regions.begin(), regions.end(),
              [](const auto& left, const auto& right) { return left.start_key < right.start_key; });
  }
  contents.fingerprint = (contents.fingerprint >> 1) | 1;
  const auto age = [](const ReplacedRegions& replaced) {
    return replaced.merge ? replaced.children.front().region_id
                          : replaced.parents.front().region_id;
  };
  std::stable_sort(contents.replaced.begin(), contents.replaced.end(),
                   [&](const auto& left, const auto& right) { return age(left) < age(right); });
  return contents;
}

Result<std::vector<std::string>> ReadNamespaces(const std::shared_ptr<Region>& region,
                                                uint64_t read_point, int64_t now_millis) {
  std::vector<std::string> names;
  RETURN_IF_ERROR(ForEachRow(region, read_point, now_millis, [&](const Cell* cells, size_t) {
    names.emplace_back(cells[0].row());
    return Status::Ok();
  }));
  return names;
}

Result<NamespaceDescriptor> ReadNamespace(const std::shared_ptr<Region>& region,
                                          uint64_t read_point, int64_t now_millis,
                                          const std::string& name) {
  NamespaceDescriptor descriptor;
  const auto take = [&](const Cell* cells, size_t count) -> Status {
    if (cells[0].row() != name) return Status::Ok();
    descriptor.name = name;
    for (size_t i = 0; i < count; ++i) {
      const Cell& cell = cells[i];
      if (cell.family() != kInfo || cell.qualifier() != "d") continue;
      pb::NamespaceDescriptor message;
      if (!message.ParseFromArray(cell.value, static_cast<int>(cell.value_length))) {
        return Corruption("hbase:namespace, " + CellText(cell) +
                          ": the value is no NamespaceDescriptor");
      }
      descriptor.properties = api::DescriptorFromPb(message).properties;
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(ForEachRow(region, read_point, now_millis, take));
  if (descriptor.name.empty()) return NotFound("there is no namespace " + name);
  return descriptor;
}

}  // namespace bennu::engine
