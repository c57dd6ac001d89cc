// Answers that a client reads, from a server that may send anything: the frame, what failed, rows
// in messages and in cell blocks, and rows of hbase:meta.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "proto/client.pb.h"
#include "src/client/locations.h"
#include "src/client/result_reader.h"
#include "src/client/row_assembler.h"
#include "src/rpc/frame.h"
#include "src/rpc/remote_failure.h"

namespace {

using bennu::Bytes;
using bennu::ByteView;
using bennu::Cell;
namespace client = bennu::client;
namespace pb = bennu::pb;
namespace rpc = bennu::rpc;

// Every byte of what was read lies in memory, and the cells are in order or not: nobody trusts
// them.
void Use(const std::vector<Cell>& cells) {
  size_t bytes = 0;
  for (const Cell& cell : cells) {
    for (const ByteView part :
         {cell.row(), cell.family(), cell.qualifier(), cell.value_view(), cell.tags_view()}) {
      bytes += static_cast<size_t>(std::count(part.begin(), part.end(), 'x'));
    }
  }
  if (bytes == SIZE_MAX) __builtin_trap();
  if (cells.empty()) return;
  const auto location = client::ReadMetaRow(cells.data(), cells.size());
  if (!location.ok() || !location->has_value()) return;
  pb::RegionSpecifier specifier;
  client::SetRegion(**location, &specifier);
  const client::TableRegions regions({**location});
  (void)regions.Find("row");
}

void TryGet(const client::Answer& answer) {
  pb::GetResponse response;
  if (!answer.Parse(&response).ok()) return;
  client::ResultReader reader(answer);
  std::vector<Cell> cells;
  if (reader.Read(response.result(), &cells).ok()) Use(cells);
}

void TryScan(const client::Answer& answer) {
  pb::ScanResponse response;
  if (!answer.Parse(&response).ok()) return;
  client::ResultReader reader(answer);
  std::vector<Cell> cells;
  for (const uint32_t count : response.cells_per_result()) {
    cells.clear();
    if (!reader.ReadBlock(count, &cells).ok()) return;
    Use(cells);
  }
  for (const pb::Result& result : response.results()) {
    cells.clear();
    if (!reader.Read(result, &cells).ok()) return;
    Use(cells);
  }
}

// The same answer twice, as the begin of a scan and after its scanner was lost.
void TryRows(const client::Answer& answer, const bennu::Scan& scan) {
  pb::ScanResponse response;
  if (!answer.Parse(&response).ok()) return;
  client::RowAssembler assembler(scan);
  bennu::CellBatch rows;
  bennu::RowRange range;
  for (int time = 0; time < 2; ++time) {
    client::ResultReader reader(answer);
    for (int i = 0; i < response.cells_per_result_size(); ++i) {
      const size_t begin = rows.cells.size();
      if (!reader.ReadBlock(response.cells_per_result(i), &rows.cells).ok()) return;
      assembler.Add(
          begin, i < response.partial_flag_per_result_size() && response.partial_flag_per_result(i),
          &rows);
    }
    assembler.EndAnswer();
    assembler.GoOn(&range);
  }
  assembler.EndRow(&rows);
  for (size_t row = 0; row < rows.row_count(); ++row) {
    if (rows.row_starts[row] >= rows.row_end(row)) __builtin_trap();
  }
  Use(rows.cells);
}

void TryMulti(const client::Answer& answer) {
  pb::MultiResponse response;
  if (!answer.Parse(&response).ok()) return;
  client::ResultReader reader(answer);
  std::vector<Cell> cells;
  for (const pb::RegionActionResult& region : response.regionactionresult()) {
    (void)rpc::FailureOf(region.exception()).status.ok();
    for (const pb::ResultOrException& one : region.resultorexception()) {
      (void)rpc::FailureOf(one.exception()).status.ok();
      cells.clear();
      if (!reader.Read(one.result(), &cells).ok()) return;
      Use(cells);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto frame = std::make_shared<Bytes>(reinterpret_cast<const char*>(data), size);
  pb::ResponseHeader header;
  rpc::ResponseParts parts;
  if (!rpc::ParseResponse(*frame, &header, &parts).ok()) return 0;
  (void)rpc::FailureOf(header.exception()).status.ok();
  const client::Answer answer = {frame, parts.result, parts.cells};
  TryGet(answer);
  TryScan(answer);
  bennu::Scan scan;
  TryRows(answer, scan);
  scan.batch = 2;
  TryRows(answer, scan);
  scan.allow_partial_results = true;
  TryRows(answer, scan);
  TryMulti(answer);
  return 0;
}
