#include "tests/client/scripted_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "proto/endpoints.pb.h"
#include "proto/master.pb.h"
#include "proto/registry.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/cell/comparator.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/greeting.h"
#include "tests/client/test_cell.h"

namespace bennu::client {

namespace {

void AppendCellTo(Bytes* block, ByteView row, ByteView family, ByteView qualifier, ByteView value) {
  Bytes memory;
  rpc::AppendCell(rpc::kGreetingCodec, TestCell(row, family, qualifier, value, &memory), block);
}

// Whether the row is in what is asked for.
bool IsIn(const pb::Scan& scan, ByteView row, int (*compare)(ByteView, ByteView)) {
  const int direction = scan.reversed() ? -1 : 1;
  if (!scan.start_row().empty()) {
    const int order = direction * compare(row, scan.start_row());
    if (order < 0 || (order == 0 && !scan.include_start_row())) return false;
  }
  if (!scan.stop_row().empty()) {
    const int order = direction * compare(row, scan.stop_row());
    if (order > 0 || (order == 0 && !scan.include_stop_row())) return false;
  }
  return true;
}

int ComparePlainRows(ByteView left, ByteView right) { return cell::CompareRows(left, right); }
int CompareRowsOfMeta(ByteView left, ByteView right) { return cell::CompareMetaRows(left, right); }

}  // namespace

const TableName& TestTable() {
  static const TableName name = {"default", "t"};
  return name;
}

ScriptedCluster::ScriptedCluster(size_t servers, const std::vector<Bytes>& split_keys) {
  {
    MutexLock lock(&mu_);
    Bytes start;
    for (const Bytes& key : split_keys) {
      regions_[start] = {NewRegion(start, key), 0};
      start = key;
    }
    regions_[start] = {NewRegion(start, ""), 0};
  }
  for (size_t i = 0; i < servers; ++i) {
    servers_.push_back(std::make_unique<ScriptedServer>(
        [this, i](const Received& received) { return Answer(i, received); }));
  }
}

ScriptedCluster::~ScriptedCluster() { connection_.reset(); }

RegionInfo ScriptedCluster::NewRegion(const Bytes& start, const Bytes& end) {
  RegionInfo info;
  info.table = TestTable();
  info.region_id = ++last_id_;
  info.start_key = start;
  info.end_key = end;
  return info;
}

ClientOptions ScriptedCluster::options() const {
  ClientOptions options;
  options.registry = {{"127.0.0.1", servers_[0]->port()}};
  options.user = "test";
  options.pause = std::chrono::milliseconds(1);
  return options;
}

std::shared_ptr<Table> ScriptedCluster::Open(const ClientOptions& options) {
  auto connection = Connect(options);
  BENNU_CHECK(connection.ok());
  connection_ = std::move(connection).value();
  auto table = connection_->OpenTable(TestTable());
  BENNU_CHECK(table.ok());
  return *table;
}

void ScriptedCluster::Put(const Bytes& row, const Bytes& qualifier) {
  MutexLock lock(&mu_);
  rows_[row].insert(qualifier);
}

std::vector<std::string> ScriptedCluster::Cells() const {
  MutexLock lock(&mu_);
  std::vector<std::string> cells;
  for (const auto& [row, qualifiers] : rows_) {
    for (const Bytes& qualifier : qualifiers) cells.push_back(row + "/" + qualifier);
  }
  return cells;
}

const ScriptedCluster::Region& ScriptedCluster::At(const Bytes& row) const {
  return std::prev(regions_.upper_bound(row))->second;
}

void ScriptedCluster::Move(const Bytes& row, size_t server) {
  MutexLock lock(&mu_);
  Region& region = regions_[At(row).info.start_key];
  region.server = server;
  moved_[region.info.RegionName()] = server;
}

void ScriptedCluster::Split(const Bytes& key) {
  MutexLock lock(&mu_);
  const Region parent = At(key);
  if (parent.info.start_key == key) return;
  regions_[parent.info.start_key] = {NewRegion(parent.info.start_key, key), parent.server};
  regions_[key] = {NewRegion(key, parent.info.end_key), parent.server};
}

void ScriptedCluster::Merge(const Bytes& row) {
  MutexLock lock(&mu_);
  const Region first = At(row);
  if (first.info.end_key.empty()) return;
  const Region second = At(first.info.end_key);
  regions_.erase(second.info.start_key);
  regions_[first.info.start_key] = {NewRegion(first.info.start_key, second.info.end_key),
                                    first.server};
}

size_t ScriptedCluster::ServerOf(const Bytes& row) const {
  MutexLock lock(&mu_);
  return At(row).server;
}

void ScriptedCluster::SetReplicas(size_t count) {
  MutexLock lock(&mu_);
  replicas_ = count;
}

Bytes ScriptedCluster::NameOf(const Region& region, size_t replica) const {
  RegionInfo info = region.info;
  info.replica_id = static_cast<int32_t>(replica);
  return info.RegionName();
}

void ScriptedCluster::SetHook(Hook hook) {
  MutexLock lock(&mu_);
  hook_ = std::move(hook);
}

void ScriptedCluster::SetCounts(bool counts) {
  MutexLock lock(&mu_);
  counts_ = counts;
}

void ScriptedCluster::SetCellsMax(CellsMax cells_max) {
  MutexLock lock(&mu_);
  cells_max_ = std::move(cells_max);
}

void ScriptedCluster::SetReferences(int answers) {
  MutexLock lock(&mu_);
  references_ = answers;
}

void ScriptedCluster::ForgetScanners() {
  MutexLock lock(&mu_);
  scans_.clear();
}

int ScriptedCluster::Count(const std::string& method) const {
  MutexLock lock(&mu_);
  const auto found = calls_.find(method);
  return found == calls_.end() ? 0 : found->second;
}

int ScriptedCluster::closes() const {
  MutexLock lock(&mu_);
  return closes_;
}

int ScriptedCluster::meta_scans() const {
  MutexLock lock(&mu_);
  return meta_scans_;
}

size_t ScriptedCluster::open_scanners() const {
  MutexLock lock(&mu_);
  return scans_.size();
}

std::vector<uint64_t> ScriptedCluster::nonces() const {
  MutexLock lock(&mu_);
  return nonces_;
}

bool ScriptedCluster::AwaitCalls(const std::string& method, int count) const {
  MutexLock lock(&mu_);
  for (int i = 0; i < 600; ++i) {
    const auto found = calls_.find(method);
    if (found != calls_.end() && found->second >= count) return true;
    called_.WaitFor(&mu_, std::chrono::milliseconds(100));
  }
  return false;
}

Reply ScriptedCluster::Answer(size_t server, const Received& received) {
  if (received.service != "ClientService") {
    MutexLock lock(&mu_);
    ++calls_[received.method];
    if (received.method != "GetRegionInfo") return AnswerMaster(received);
    return AnswerRegionInfo(server, received.Parse<pb::GetRegionInfoRequest>());
  }
  pb::ScanRequest scan;
  Bytes region;
  if (received.method == "Scan") {
    scan = received.Parse<pb::ScanRequest>();
    region = scan.region().value();
  } else if (received.method == "Get") {
    region = received.Parse<pb::GetRequest>().region().value();
  }
  if (region.starts_with("hbase:meta")) return AnswerMeta(received);
  Hook hook;
  {
    MutexLock lock(&mu_);
    ++calls_[received.method];
    if (received.method == "Scan" && scan.close_scanner()) ++closes_;
    called_.SignalAll();
    hook = hook_;
  }
  if (hook != nullptr) {
    if (auto reply = hook({server, received}); reply.has_value()) return *std::move(reply);
  }
  MutexLock lock(&mu_);
  if (received.method == "Scan") return AnswerScan(server, scan);
  if (received.method == "Get") return AnswerGet(server, received.Parse<pb::GetRequest>());
  if (received.method == "Multi") return AnswerMulti(server, received);
  if (received.method == "ExecService") {
    return AnswerCount(server, received.Parse<pb::CoprocessorServiceRequest>());
  }
  return Reply::Exception("java.lang.UnsupportedOperationException", received.method);
}

Reply ScriptedCluster::AnswerMaster(const Received& received) const {
  pb::ServerName name;
  name.set_host_name("127.0.0.1");
  name.set_port(servers_[0]->port());
  name.set_start_code(1);
  if (received.method == "GetActiveMaster") {
    pb::GetActiveMasterResponse response;
    *response.mutable_server_name() = name;
    return Reply::Of(response);
  }
  if (received.method == "GetMetaRegionLocations") {
    pb::GetMetaRegionLocationsResponse response;
    pb::RegionLocation* const location = response.add_meta_locations();
    RegionInfo info;
    info.table = {"hbase", "meta"};
    info.region_id = 1;
    api::RegionInfoToPb(info, location->mutable_region_info());
    *location->mutable_server_name() = name;
    location->set_seq_num(-1);
    return Reply::Of(response);
  }
  BENNU_CHECK(received.method == "GetTableDescriptors");
  TableDescriptor descriptor;
  descriptor.name = TestTable();
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  const auto request = received.Parse<pb::GetTableDescriptorsRequest>();
  pb::GetTableDescriptorsResponse response;
  if (request.table_names(0).qualifier() == TestTable().qualifier) {
    api::DescriptorToPb(descriptor, response.add_table_schema());
  }
  return Reply::Of(response);
}

Reply ScriptedCluster::AnswerMeta(const Received& received) {
  if (received.method == "Get") {
    pb::TableState state;
    state.set_state(pb::TableState::ENABLED);
    Bytes block;
    AppendCellTo(&block, "t", "table", "state", state.SerializeAsString());
    pb::GetResponse response;
    response.mutable_result()->set_associated_cell_count(1);
    return Reply::Of(response, block);
  }
  MutexLock lock(&mu_);
  ++meta_scans_;
  return ScanMeta(received.Parse<pb::ScanRequest>());
}

Bytes ScriptedCluster::MetaCells(const Region& region) const {
  Bytes block;
  const Bytes row = region.info.RegionName();
  AppendCellTo(&block, row, "info", "regioninfo", api::EncodeRegionInfo(region.info));
  for (size_t i = 0; i <= replicas_; ++i) {
    const size_t server = (region.server + i) % servers_.size();
    AppendCellTo(&block, row, "info", i == 0 ? "server" : fmt::format("server_{:04X}", i),
                 "127.0.0.1:" + std::to_string(servers_[server]->port()));
  }
  Bytes start_code;
  AppendBE64(&start_code, kStartCode + region.server);
  AppendCellTo(&block, row, "info", "serverstartcode", start_code);
  return block;
}

Reply ScriptedCluster::ScanMeta(const pb::ScanRequest& request) {
  std::vector<const Region*> regions;
  for (const auto& [start, region] : regions_) {
    if (IsIn(request.scan(), region.info.RegionName(), CompareRowsOfMeta)) {
      regions.push_back(&region);
    }
  }
  if (request.scan().reversed()) std::reverse(regions.begin(), regions.end());
  pb::ScanResponse response;
  Bytes block;
  for (const Region* region : regions) {
    if (response.cells_per_result_size() == static_cast<int>(request.number_of_rows())) break;
    block += MetaCells(*region);
    response.add_cells_per_result(static_cast<uint32_t>(3 + replicas_));
    response.add_partial_flag_per_result(false);
  }
  response.set_more_results(true);
  response.set_more_results_in_region(response.cells_per_result_size() <
                                      static_cast<int>(regions.size()));
  return Reply::Of(response, block);
}

std::optional<Reply> ScriptedCluster::NotThere(size_t server, const Bytes& region,
                                               const Region** found) const {
  for (const auto& [start, known] : regions_) {
    for (size_t i = 1; i <= replicas_; ++i) {
      *found = &known;
      const bool here = (known.server + i) % servers_.size() == server;
      if (here && NameOf(known, i) == region) return {};
    }
    if (known.info.RegionName() != region) continue;
    *found = &known;
    if (known.server == server) return {};
    if (!moved_.contains(region)) break;
    return Reply::Exception(std::string(kHBase) + "exceptions.RegionMovedException",
                            "Region moved to: hostname=127.0.0.1 port=" +
                                std::to_string(servers_[known.server]->port()) +
                                " startCode=1. As of locationSeqNum=2.");
  }
  return Reply::Exception(std::string(kHBase) + "NotServingRegionException");
}

void ScriptedCluster::OpenScanOf(const Region& region, const pb::ScanRequest& request,
                                 OpenScan* scan) const {
  scan->scan = request.scan();
  const auto add = [&](const auto& row) {
    if (!region.info.Contains(row.first) || !IsIn(request.scan(), row.first, ComparePlainRows)) {
      return;
    }
    for (const Bytes& qualifier : row.second) scan->cells.emplace_back(row.first, qualifier);
  };
  if (request.scan().reversed()) {
    std::for_each(rows_.rbegin(), rows_.rend(), add);
  } else {
    std::for_each(rows_.begin(), rows_.end(), add);
  }
}

Reply ScriptedCluster::AnswerScan(size_t server, const pb::ScanRequest& request) {
  if (request.close_scanner()) {
    scans_.erase(request.scanner_id());
    return Reply::Of(pb::ScanResponse());
  }
  pb::ScanResponse response;
  if (!request.has_scanner_id()) {
    const Region* region = nullptr;
    if (auto reply = NotThere(server, request.region().value(), &region)) return *std::move(reply);
    const uint64_t id = ++last_id_;
    OpenScanOf(*region, request, &scans_[id]);
    scans_[id].region = request.region().value();
    response.set_scanner_id(id);
    return FillScan(&scans_[id], request, &response);
  }
  const auto found = scans_.find(request.scanner_id());
  if (found == scans_.end()) {
    return Reply::Exception(std::string(kHBase) + "UnknownScannerException");
  }
  response.set_scanner_id(request.scanner_id());
  const Region* region = nullptr;
  if (auto reply = NotThere(server, found->second.region, &region)) {
    scans_.erase(found);
    return *std::move(reply);
  }
  if (request.next_call_seq() != found->second.next_call++) {
    return Reply::Exception(std::string(kHBase) + "exceptions.OutOfOrderScannerNextException");
  }
  return FillScan(&found->second, request, &response);
}

Reply ScriptedCluster::FillScan(OpenScan* scan, const pb::ScanRequest& request,
                                pb::ScanResponse* response) {
  size_t left = cells_max_ == nullptr ? std::numeric_limits<size_t>::max() : cells_max_();
  const size_t batch = scan->scan.batch_size() > 0 ? scan->scan.batch_size() : left;
  Bytes block;
  uint32_t whole_rows = 0;
  const auto& known = regions_;
  response->set_stale(std::none_of(known.begin(), known.end(), [scan](const auto& entry) {
    return entry.second.info.RegionName() == scan->region;
  }));
  auto* const cells = &scan->cells;
  response->set_heartbeat_message(left == 0);
  response->set_more_results(true);
  while (!cells->empty() && left > 0 &&
         response->cells_per_result_size() < static_cast<int>(request.number_of_rows())) {
    const Bytes row = cells->front().first;
    const size_t in_row =
        static_cast<size_t>(std::find_if(cells->begin(), cells->end(),
                                         [&row](const auto& cell) { return cell.first != row; }) -
                            cells->begin());
    const size_t count = std::min({in_row, left, batch});
    for (size_t i = 0; i < count; ++i) {
      AppendCellTo(&block, row, "f", (*cells)[i].second, "value");
    }
    cells->erase(cells->begin(), cells->begin() + static_cast<ptrdiff_t>(count));
    left -= count;
    response->add_cells_per_result(static_cast<uint32_t>(count));
    response->add_partial_flag_per_result(count < in_row);
    if (count == in_row) ++whole_rows;
    if (request.limit_of_rows() > 0 && whole_rows >= request.limit_of_rows()) {
      response->set_more_results(false);
      break;
    }
  }
  response->set_more_results_in_region(!cells->empty());
  if (!response->more_results() || !response->more_results_in_region()) {
    scans_.erase(response->scanner_id());
  }
  return Reply::Of(*response, block);
}

Reply ScriptedCluster::AnswerGet(size_t server, const pb::GetRequest& request) {
  const Region* region = nullptr;
  if (auto reply = NotThere(server, request.region().value(), &region)) return *std::move(reply);
  Bytes block;
  pb::GetResponse response;
  const auto found = rows_.find(request.get().row());
  const size_t count = found == rows_.end() ? 0 : found->second.size();
  response.mutable_result()->set_associated_cell_count(static_cast<int32_t>(count));
  response.mutable_result()->set_stale(request.region().value() != region->info.RegionName());
  if (count > 0) {
    for (const Bytes& qualifier : found->second) {
      AppendCellTo(&block, found->first, "f", qualifier, "value");
    }
  }
  return Reply::Of(response, block);
}

Reply ScriptedCluster::AnswerRegionInfo(size_t server, const pb::GetRegionInfoRequest& request) {
  const Region* region = nullptr;
  if (auto reply = NotThere(server, request.region().value(), &region)) return *std::move(reply);
  pb::GetRegionInfoResponse response;
  api::RegionInfoToPb(region->info, response.mutable_region_info());
  response.set_mergeable(references_ == 0);
  if (references_ > 0) --references_;
  return Reply::Of(response);
}

Reply ScriptedCluster::AnswerCount(size_t server, const pb::CoprocessorServiceRequest& request) {
  const Region* region = nullptr;
  if (auto reply = NotThere(server, request.region().value(), &region)) return *std::move(reply);
  const std::string called = request.call().service_name() + "." + request.call().method_name();
  if (!counts_ || called != "AggregateService.GetRowNum") {
    return Reply::Exception(std::string(kHBase) + "exceptions.UnknownProtocolException",
                            "No registered coprocessor service found for " + called);
  }
  pb::AggregateRequest asked;
  asked.ParseFromString(request.call().request());
  const Bytes start = std::max(region->info.start_key, asked.scan().start_row());
  uint64_t count = 0;
  for (auto row = rows_.lower_bound(start); row != rows_.end(); ++row) {
    const auto ends = [&](const Bytes& stop) { return !stop.empty() && row->first >= stop; };
    if (ends(region->info.end_key) || ends(asked.scan().stop_row())) break;
    ++count;
  }
  pb::AggregateResponse answer;
  AppendBE64(answer.add_first_part(), count);
  pb::CoprocessorServiceResponse response;
  *response.mutable_region() = request.region();
  response.mutable_value()->set_name("");
  response.mutable_value()->set_value(answer.SerializeAsString());
  return Reply::Of(response);
}

Reply ScriptedCluster::AnswerMulti(size_t server, const Received& received) {
  const auto request = received.Parse<pb::MultiRequest>();
  rpc::CellBlockReader cells(rpc::kGreetingCodec, received.cells);
  pb::MultiResponse response;
  for (const pb::RegionAction& action : request.regionaction()) {
    pb::RegionActionResult* const result = response.add_regionactionresult();
    const Region* region = nullptr;
    if (auto reply = NotThere(server, action.region().value(), &region)) {
      result->mutable_exception()->set_name(reply->exception);
      result->mutable_exception()->set_value(reply->exception + ": " + reply->text);
    }
    for (const pb::Action& one : action.action()) {
      const pb::MutationProto& mutation = one.mutation();
      for (int i = 0; i < mutation.associated_cell_count(); ++i) {
        Cell cell;
        BENNU_CHECK(cells.Next(&cell).ok());
        if (!result->has_exception()) rows_[Bytes(cell.row())].insert(Bytes(cell.qualifier()));
      }
      if (result->has_exception()) continue;
      if (mutation.nonce() != 0) nonces_.push_back(mutation.nonce());
      pb::ResultOrException* const told = result->add_resultorexception();
      told->set_index(one.index());
      told->mutable_result();
    }
    if (!result->has_exception() && action.atomic()) result->set_processed(true);
  }
  return Reply::Of(response);
}

}  // namespace bennu::client
