#include "src/client/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "proto/master.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/api/scan_of_get.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"
#include "src/client/aggregate_call.h"
#include "src/client/multi_call.h"
#include "src/client/past_scanner.h"
#include "src/client/replica_get.h"
#include "src/client/table_scanner.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

Result<TableDescriptor> ReadDescriptor(Cluster* cluster, const TableName& name) {
  pb::GetTableDescriptorsRequest request;
  api::TableNameToPb(name, request.add_table_names());
  request.set_include_sys_tables(true);
  pb::GetTableDescriptorsResponse response;
  RETURN_IF_ERROR(cluster->CallMaster("GetTableDescriptors", request, &response));
  if (response.table_schema_size() == 0) {
    return NotFound(fmt::format("table {} does not exist", name.ToString()));
  }
  return api::DescriptorFromPb(response.table_schema(0));
}

ClusterTable::ClusterTable(Cluster* cluster, ThreadPool* pool, TableDescriptor descriptor)
    : cluster_(cluster), pool_(pool), name_(descriptor.name), descriptor_(std::move(descriptor)) {}

TableDescriptor ClusterTable::descriptor() const {
  auto now = ReadDescriptor(cluster_, name_);
  MutexLock lock(&mu_);
  if (now.ok()) descriptor_ = *std::move(now);
  return descriptor_;
}

std::vector<RegionInfo> ClusterTable::regions() const {
  std::vector<RegionInfo> infos;
  const auto regions = cluster_->ReadRegions(name_);
  if (!regions.ok()) return infos;
  for (const RegionLocation& region : *regions) infos.push_back(region.info);
  return infos;
}

std::vector<RegionInfo> ClusterTable::KnownRegions() {
  auto regions = cluster_->KnownRegions(name_);
  return regions.ok() ? *std::move(regions) : std::vector<RegionInfo>();
}

// HBase knows by its nonce an Increment or Append that came once more because its answer was lost,
// and acknowledges it. Where it has the nonce from the log of a server that died, it acknowledges
// it without the cells that were made, since it sees none at the moment that it kept for them:
// none. So they are read, as they are now; others may have changed them since.
Status ClusterTable::ReadUntold(const MutationBatch& batch, size_t mutation, Row* result) {
  const MutationBatch::Row& row = batch.rows()[mutation];
  const bool makes_cells =
      row.kind == MutationKind::kIncrement || row.kind == MutationKind::kAppend;
  if (!makes_cells || !batch.options(mutation).return_results || !result->empty()) {
    return Status::Ok();
  }
  Get get;
  get.row = Bytes(batch.row_key(row));
  Cell cell;
  for (size_t offset = row.cells_begin; offset < row.cells_end;) {
    offset = CellAt(batch.buffer(), offset, &cell);
    get.columns[Bytes(cell.family())].insert(Bytes(cell.qualifier()));
  }
  auto read = GetRow(get);
  if (!read.ok()) {
    return read.status().Annotate("the change is made, and what came of it cannot be read");
  }
  *result = std::move(*read);
  return Status::Ok();
}

Status ClusterTable::ReadUntold(const MutationBatch& batch, std::vector<Row>* results) {
  for (size_t i = 0; results != nullptr && i < results->size(); ++i) {
    RETURN_IF_ERROR(ReadUntold(batch, i, &(*results)[i]));
  }
  return Status::Ok();
}

Status ClusterTable::Mutate(MutationBatch* batch, std::vector<Row>* results) {
  RETURN_IF_ERROR(MultiCall(cluster_, name_, *batch).RunAtomically(false, results));
  return ReadUntold(*batch, results);
}

Status ClusterTable::Write(MutationBatch* batch) { return Mutate(batch, nullptr); }

Status ClusterTable::MutateAtomically(MutationBatch* batch, std::vector<Row>* results) {
  RETURN_IF_ERROR(MultiCall(cluster_, name_, *batch).RunAtomically(true, results));
  return ReadUntold(*batch, results);
}

Status ClusterTable::MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) {
  RETURN_IF_ERROR(MultiCall(cluster_, name_, *batch).RunEach(outcomes));
  for (size_t i = 0; i < outcomes->size(); ++i) {
    Outcome& outcome = (*outcomes)[i];
    if (outcome.status.ok()) RETURN_IF_ERROR(ReadUntold(*batch, i, &outcome.result));
  }
  return Status::Ok();
}

void ClusterTable::WriteAsync(MutationBatch* batch, std::function<void(Status)> done) {
  pool_->Submit([cluster = cluster_, name = name_, batch, done = std::move(done)] {
    done(MultiCall(cluster, name, *batch).RunAtomically(false, nullptr));
  });
}

Result<Table::CheckedResult> ClusterTable::CheckAndMutate(const Condition& condition,
                                                          MutationBatch* batch) {
  return MultiCall(cluster_, name_, *batch).RunChecked(condition);
}

Result<bool> ClusterTable::CheckAndWrite(const Condition& condition, MutationBatch* batch) {
  ASSIGN_OR_RETURN(const CheckedResult checked, CheckAndMutate(condition, batch));
  return checked.success;
}

Result<std::unique_ptr<Scanner>> ClusterTable::OpenScanner(const Scan& scan) {
  return OpenScanner(scan, {});
}

Result<std::unique_ptr<Scanner>> ClusterTable::OpenRegionScanner(const RegionInfo& region,
                                                                 const Scan& scan) {
  return OpenScanner(scan, region.RegionName());
}

Result<std::unique_ptr<Scanner>> ClusterTable::OpenScanner(const Scan& scan, const Bytes& only_in) {
  if (LooksBack(scan.time_range) && scan.raw) {
    Scan every = scan;  // of which markers hide nothing
    every.time_range.markers_max = std::numeric_limits<int64_t>::max();
    return OpenScanner(every, only_in);
  }
  const auto open = [&only_in](auto scanner) -> Result<std::unique_ptr<Scanner>> {
    scanner->StayIn(only_in);
    RETURN_IF_ERROR(scanner->Open());
    return std::unique_ptr<Scanner>(std::move(scanner));
  };
  if (LooksBack(scan.time_range)) {
    return open(std::make_unique<PastScanner>(cluster_, descriptor(), scan));
  }
  return open(std::make_unique<TableScanner>(cluster_, name_, scan));
}

Status ClusterTable::ReadPastRow(const Get& get, const RowUse& use) {
  Scan scan;
  MakeScanOf(get, &scan);
  scan.filter = get.filter;
  ASSIGN_OR_RETURN(const auto scanner, OpenScanner(scan));
  CellBatch batch;
  RETURN_IF_ERROR(scanner->Next(1, &batch));
  use(batch.cells.data(), batch.cells.size(), scanner->metrics().stale);
  return Status::Ok();
}

Status ClusterTable::ReadRow(const Get& get, const RowUse& use) {
  if (LooksBack(get.time_range)) return ReadPastRow(get, use);
  pb::GetRequest request;
  RETURN_IF_ERROR(rpc::WriteGet(get, request.mutable_get()));
  Operation operation(cluster_->options(), name_, get.row);
  return Cluster::Retry(&operation, [&]() -> CallOutcome {
    CallOutcome outcome = ReadsPrimary(get)
                              ? cluster_->CallRow(name_, get.row, "Get", request,
                                                  request.mutable_region(), &operation)
                              : CallReplicas(cluster_, name_, get, &request, &operation);
    if (!outcome.status.ok()) return outcome;
    pb::GetResponse response;
    outcome.status = outcome.answer.Parse(&response);
    if (!outcome.status.ok()) return outcome;
    ResultReader reader(outcome.answer);
    std::vector<Cell> cells;
    outcome.status = reader.Read(response.result(), &cells);
    if (outcome.status.ok()) use(cells.data(), cells.size(), response.result().stale());
    return outcome;
  });
}

Status ClusterTable::GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) {
  return ReadRow(get, [&use](const Cell* cells, size_t count, bool) { use(cells, count); });
}

Result<Row> ClusterTable::GetRow(const Get& get) {
  Row row;
  RETURN_IF_ERROR(ReadRow(get, [&row](const Cell* cells, size_t count, bool stale) {
    row = cell::CopyRow(cells, count);
    row.stale = stale;
  }));
  return row;
}

Result<std::optional<int64_t>> ClusterTable::Aggregate(api::ServerAggregate what,
                                                       const Scan& scan) {
  return AggregateRegions(cluster_, name_, what, scan);
}

Result<std::vector<RowRange>> ClusterTable::SplitRange(const RowRange& range, size_t count) {
  ASSIGN_OR_RETURN(const std::vector<RegionInfo> regions, cluster_->KnownRegions(name_));
  std::vector<Bytes> borders;
  for (const RegionInfo& region : regions) {
    const Bytes& border = region.start_key;
    if (border > range.start && (range.stop.empty() || border < range.stop)) {
      borders.push_back(border);
    }
  }
  std::vector<RowRange> ranges = {range};
  const size_t parts = std::min(std::max<size_t>(count, 1), borders.size() + 1);
  for (size_t i = 1; i < parts; ++i) {
    const Bytes& border = borders[i * (borders.size() + 1) / parts - 1];
    RowRange rest = ranges.back();
    ranges.back().stop = border;
    ranges.back().stop_inclusive = false;
    rest.start = border;
    rest.start_inclusive = true;
    ranges.push_back(std::move(rest));
  }
  return ranges;
}

}  // namespace bennu::client
