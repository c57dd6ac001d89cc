#include "src/engine/meta_rows.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/base/hex.h"
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
  ASSIGN_OR_RETURN(auto scanner,
                   RegionScanner::Open(region, &scan, nullptr, read_point, now_millis));
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

Status AddMetaRow(const Cell* cells, size_t count, MetaContents* contents) {
  const ByteView row = cells[0].row();
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    if (cell.family() == kTable && cell.qualifier() == "state") {
      auto name = TableName::Parse(row);
      if (!name.ok())
        return Corruption("hbase:meta, row '" + ToStringBinary(row) +
                          "': " + name.status().message());
      contents->tables[*name];
      pb::TableState state;
      if (!state.ParseFromArray(cell.value, static_cast<int>(cell.value_length))) {
        return Corruption("hbase:meta, row '" + ToStringBinary(row) +
                          "': table:state is no TableState");
      }
      if (state.state() == pb::TableState::DISABLED) contents->disabled.insert(*name);
    } else if (cell.family() == kInfo && cell.qualifier() == "regioninfo") {
      auto info = api::DecodeRegionInfo(cell.value_view());
      if (!info.ok()) {
        return info.status().Annotate("hbase:meta, row '" + ToStringBinary(row) + "'");
      }
      // A parent that was split or merged away holds nothing that is not in its successors.
      if (!info->split && info->replica_id == 0) contents->tables[info->table].push_back(*info);
    }
  }
  return Status::Ok();
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

void DeleteRegionRow(MutationBatch* batch, const RegionInfo& info) {
  batch->StartRow(info.RegionName());
  batch->DeleteFamily(kInfo);
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

void PutNamespace(MutationBatch* batch, const std::string& name) {
  pb::NamespaceDescriptor descriptor;
  descriptor.set_name(name);
  batch->StartRow(name);
  batch->Put(kInfo, "d", descriptor.SerializeAsString());
}

void DeleteNamespace(MutationBatch* batch, const std::string& name) {
  batch->StartRow(name);
  batch->DeleteFamily(kInfo);
}

Result<MetaContents> ReadMeta(const std::shared_ptr<Region>& meta, uint64_t read_point,
                              int64_t now_millis) {
  MetaContents contents;
  RETURN_IF_ERROR(ForEachRow(meta, read_point, now_millis, [&](const Cell* cells, size_t count) {
                    return AddMetaRow(cells, count, &contents);
                  }).Annotate("reading hbase:meta"));
  for (auto& [name, regions] : contents.tables) {
    std::sort(regions.begin(), regions.end(),
              [](const auto& left, const auto& right) { return left.start_key < right.start_key; });
  }
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

}  // namespace bennu::engine
