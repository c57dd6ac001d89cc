#include "bench/server/requests.h"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "proto/client.pb.h"
#include "proto/comparator.pb.h"
#include "src/base/coding.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/frame.h"
#include "src/rpc/greeting.h"

namespace bennu::bench {

namespace {

// So many different requests are made beforehand and sent round and round, where that is the same
// work for the server: the generator shares the machine with it.
constexpr size_t kPool = 20'000;
constexpr uint64_t kCounters = 100;
constexpr uint64_t kSeed = 4711;
constexpr uint32_t kTimeoutMillis = 60'000;

void AppendCall(const std::string& method, const google::protobuf::MessageLite& parameter,
                ByteView cells, std::string* out) {
  pb::RequestHeader header;
  header.set_call_id(1);
  header.set_method_name(method);
  header.set_priority(0);
  header.set_timeout(kTimeoutMillis);
  rpc::AppendRequest(&header, parameter, cells, out);
}

NextFrame Pool(size_t size, const NextFrame& make) {
  auto frames = std::make_shared<std::vector<std::string>>(size);
  for (std::string& frame : *frames) make(&frame);
  return [frames, next = size_t{0}](std::string* out) mutable {
    out->append((*frames)[next]);
    next = next + 1 == frames->size() ? 0 : next + 1;
  };
}

template <typename Message>
void SetRegion(const std::string& name, Message* message) {
  message->mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  message->mutable_region()->set_value(name);
}

// A mutation with one cell within the message, as single ones are sent.
void SetMutation(pb::MutationProto::MutationType type, std::string row,
                 const std::string& qualifier, std::string value, pb::MutationProto* mutation) {
  mutation->set_row(std::move(row));
  mutation->set_mutate_type(type);
  mutation->set_durability(pb::MutationProto::USE_DEFAULT);
  auto* const family = mutation->add_column_value();
  family->set_family(Requests::kFamily);
  auto* const column = family->add_qualifier_value();
  column->set_qualifier(qualifier);
  column->set_value(std::move(value));
  if (type == pb::MutationProto::PUT)
    column->set_timestamp(static_cast<uint64_t>(kLatestTimestamp));
}

std::string BigEndian(uint64_t number) {
  std::string bytes;
  AppendBE64(&bytes, number);
  return bytes;
}

}  // namespace

std::string Requests::RowKey(const char* prefix, uint64_t number) {
  return fmt::format("{}{:010}", prefix, number);
}

std::string Requests::Value(uint64_t number) {
  std::string value;
  std::mt19937_64 random(number + 1);
  while (value.size() < kValueBytes) AppendBE64(&value, random());
  value.resize(kValueBytes);
  return value;
}

NextFrame Requests::Gets() const {
  pb::GetRequest request;
  SetRegion(region_name_, &request);
  request.mutable_get()->set_max_versions(1);
  auto* const column = request.mutable_get()->add_column();
  column->set_family(kFamily);
  return Pool(kPool, [request, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    request.mutable_get()->set_row(RowKey("row", random() % kRows));
    AppendCall("Get", request, {}, out);
  });
}

NextFrame Requests::Puts(size_t value_bytes) const {
  pb::MutateRequest request;
  SetRegion(region_name_, &request);
  const auto make = [=, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    const uint64_t number = random() % kRows;
    request.clear_mutation();
    SetMutation(pb::MutationProto::PUT, RowKey("put", number), kQualifier,
                Value(number).substr(0, value_bytes), request.mutable_mutation());
    AppendCall("Mutate", request, {}, out);
  };
  return Pool(kPool, make);
}

NextFrame Requests::Increments() const {
  pb::MutateRequest request;
  SetRegion(region_name_, &request);
  request.set_nonce_group(kSeed);
  return [=, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    request.clear_mutation();
    SetMutation(pb::MutationProto::INCREMENT, RowKey("counter", random() % kCounters), "count",
                BigEndian(1), request.mutable_mutation());
    request.mutable_mutation()->set_nonce(random());
    AppendCall("Mutate", request, {}, out);
  };
}

NextFrame Requests::ChecksAndPuts() const {
  pb::MutateRequest request;
  SetRegion(region_name_, &request);
  const auto make = [=, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    const uint64_t number = random() % kRows;
    request.clear_mutation();
    SetMutation(pb::MutationProto::PUT, RowKey("row", number), kQualifier, Value(number),
                request.mutable_mutation());
    pb::Condition* const condition = request.mutable_condition();
    condition->set_row(RowKey("row", number));
    condition->set_family(kFamily);
    condition->set_qualifier(kQualifier);
    condition->set_compare_type(pb::EQUAL);
    pb::BinaryComparator comparator;
    comparator.mutable_comparable()->set_value(Value(number));
    condition->mutable_comparator()->set_name("org.apache.hadoop.hbase.filter.BinaryComparator");
    condition->mutable_comparator()->set_serialized_comparator(comparator.SerializeAsString());
    AppendCall("Mutate", request, {}, out);
  };
  return Pool(kPool, make);
}

NextFrame Requests::MultiGets(int rows) const {
  const auto make = [=, this, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    pb::MultiRequest request;
    pb::RegionAction* const region = request.add_regionaction();
    SetRegion(region_name_, region);
    for (int i = 0; i < rows; ++i) {
      pb::Action* const action = region->add_action();
      action->set_index(static_cast<uint32_t>(i));
      action->mutable_get()->set_row(RowKey("row", random() % kRows));
      action->mutable_get()->add_column()->set_family(kFamily);
    }
    AppendCall("Multi", request, {}, out);
  };
  return Pool(kPool / static_cast<size_t>(rows), make);
}

NextFrame Requests::BulkPuts(int rows) const {
  const auto make = [=, this, next = uint64_t{0}](std::string* out) mutable {
    pb::MultiRequest request;
    Bytes cells;
    Bytes memory;
    pb::RegionAction* const region = request.add_regionaction();
    SetRegion(region_name_, region);
    for (int i = 0; i < rows; ++i, ++next) {
      pb::Action* const action = region->add_action();
      action->set_index(static_cast<uint32_t>(i));
      pb::MutationProto* const mutation = action->mutable_mutation();
      const std::string row = RowKey("put", next);
      const std::string value = Value(next);
      mutation->set_row(row);
      mutation->set_mutate_type(pb::MutationProto::PUT);
      mutation->set_durability(pb::MutationProto::USE_DEFAULT);
      mutation->set_associated_cell_count(1);
      rpc::CellParts parts;
      parts.row = row;
      parts.family = kFamily;
      parts.qualifier = kQualifier;
      parts.value = value;
      Cell cell;
      if (rpc::MakeCell(parts, &memory, &cell).ok()) {
        rpc::AppendCell(rpc::kGreetingCodec, cell, &cells);
      }
    }
    AppendCall("Multi", request, cells, out);
  };
  return Pool(kPool / static_cast<size_t>(rows), make);
}

NextFrame Requests::Scans(int rows) const {
  pb::ScanRequest request;
  SetRegion(region_name_, &request);
  request.set_number_of_rows(static_cast<uint32_t>(rows));
  request.set_close_scanner(true);
  request.set_client_handles_partials(true);
  request.set_client_handles_heartbeats(true);
  request.mutable_scan()->add_column()->set_family(kFamily);
  request.mutable_scan()->set_stop_row("rox");
  request.mutable_scan()->set_max_result_size(uint64_t{2} << 20);
  const uint64_t starts = kRows - static_cast<uint64_t>(rows);
  return Pool(kPool, [=, random = std::mt19937_64(kSeed)](std::string* out) mutable {
    request.mutable_scan()->set_start_row(RowKey("row", random() % starts));
    AppendCall("Scan", request, {}, out);
  });
}

}  // namespace bennu::bench
