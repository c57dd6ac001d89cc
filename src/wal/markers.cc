#include "src/wal/markers.h"

#include <charconv>

#include "bennu/mutation.h"
#include "proto/wal.pb.h"
#include "src/base/status_macros.h"
#include "src/wal/wal_entry.h"

namespace bennu::wal {

namespace {

constexpr ByteView kRegionEventQualifier = "HBASE::REGION_EVENT";  // before 2.3: nothing behind it
constexpr ByteView kRegionOpenQualifier = "HBASE::REGION_EVENT::REGION_OPEN";
constexpr ByteView kRegionCloseQualifier = "HBASE::REGION_EVENT::REGION_CLOSE";
constexpr ByteView kFlushQualifier = "HBASE::FLUSH";
constexpr ByteView kCompactionQualifier = "HBASE::COMPACTION";
constexpr ByteView kBulkLoadQualifier = "HBASE::BULK_LOAD";
// Row of the markers of a region without a first key: a row cannot be empty.
constexpr ByteView kEmptyStartKeyRow("\0", 1);

Bytes MarkerCell(const MarkerRegion& region, ByteView qualifier, int64_t timestamp_ms,
                 const google::protobuf::MessageLite& message) {
  MutationBatch batch;
  batch.StartRow(region.start_key.empty() ? kEmptyStartKeyRow : ByteView(region.start_key));
  batch.AddCell(kMetaFamily, qualifier, timestamp_ms, CellType::kPut,
                message.SerializePartialAsString());
  return std::move(*batch.mutable_buffer());
}

template <typename Message>
void SetRegion(const MarkerRegion& region, Message* message) {
  message->set_table_name(region.table);
  message->set_encoded_region_name(region.encoded_region);
  message->set_region_name(region.region_name);
}

template <typename Message>
MarkerRegion GetRegion(const Cell& cell, const Message& message) {
  MarkerRegion region;
  region.table = message.table_name();
  region.encoded_region = message.encoded_region_name();
  region.region_name = message.region_name();
  if (cell.row() != kEmptyStartKeyRow) region.start_key = Bytes(cell.row());
  return region;
}

template <typename Repeated>
std::vector<std::string> Copy(const Repeated& names) {
  return std::vector<std::string>(names.begin(), names.end());
}

// Takes "host,port,startcode" apart; leaves out what is not there.
void SetServer(const std::string& name, pb::ServerName* server) {
  const size_t first = name.find(',');
  const size_t second = name.find(',', first == std::string::npos ? first : first + 1);
  server->set_host_name(name.substr(0, first));
  if (second == std::string::npos) return;
  uint32_t port = 0;
  uint64_t start_code = 0;
  std::from_chars(name.data() + first + 1, name.data() + second, port);
  std::from_chars(name.data() + second + 1, name.data() + name.size(), start_code);
  server->set_port(port);
  server->set_start_code(start_code);
}

bool HasQualifier(const Cell& cell, ByteView qualifier) {
  return IsMarker(cell) && cell.qualifier() == qualifier;
}

bool IsRegionEvent(const Cell& cell) {
  return IsMarker(cell) && cell.qualifier().starts_with(kRegionEventQualifier);
}

template <typename Message>
Status Parse(const Cell& cell, Message* message) {
  if (message->ParseFromArray(cell.value, static_cast<int>(cell.value_length))) return Status::Ok();
  return Corruption("a marker with the qualifier " + std::string(cell.qualifier()) +
                    " has a value that is not its message");
}

}  // namespace

bool IsMarker(const Cell& cell) { return cell.family() == kMetaFamily; }

Bytes EncodeMarker(const RegionEvent& event, int64_t timestamp_ms) {
  pb::RegionEventDescriptor message;
  message.set_event_type(event.open ? pb::RegionEventDescriptor::REGION_OPEN
                                    : pb::RegionEventDescriptor::REGION_CLOSE);
  SetRegion(event.region, &message);
  message.set_log_sequence_number(event.sequence_id);
  for (const RegionEvent::Store& store : event.stores) {
    pb::StoreDescriptor* descriptor = message.add_stores();
    descriptor->set_family_name(store.family);
    descriptor->set_store_home_dir(store.family);
    for (const std::string& file : store.files) descriptor->add_store_file(file);
  }
  SetServer(event.server_name, message.mutable_server());
  return MarkerCell(event.region, event.open ? kRegionOpenQualifier : kRegionCloseQualifier,
                    timestamp_ms, message);
}

Bytes EncodeMarker(const FlushEvent& event, int64_t timestamp_ms) {
  pb::FlushDescriptor message;
  message.set_action(static_cast<pb::FlushDescriptor::FlushAction>(event.action));
  SetRegion(event.region, &message);
  message.set_flush_sequence_number(event.flush_sequence_id);
  for (const FlushEvent::Store& store : event.stores) {
    pb::FlushDescriptor::StoreFlushDescriptor* descriptor = message.add_store_flushes();
    descriptor->set_family_name(store.family);
    descriptor->set_store_home_dir(store.family);
    for (const std::string& file : store.files) descriptor->add_flush_output(file);
  }
  return MarkerCell(event.region, kFlushQualifier, timestamp_ms, message);
}

Bytes EncodeMarker(const CompactionEvent& event, int64_t timestamp_ms) {
  pb::CompactionDescriptor message;
  SetRegion(event.region, &message);
  message.set_family_name(event.family);
  message.set_store_home_dir(event.family);
  for (const std::string& file : event.inputs) message.add_compaction_input(file);
  for (const std::string& file : event.outputs) message.add_compaction_output(file);
  return MarkerCell(event.region, kCompactionQualifier, timestamp_ms, message);
}

Bytes EncodeMarker(const BulkLoadEvent& event, int64_t timestamp_ms) {
  pb::BulkLoadDescriptor message;
  const size_t colon = event.region.table.find(':');
  const bool has_namespace = colon != Bytes::npos;
  message.mutable_table_name()->set_namespace_(has_namespace ? event.region.table.substr(0, colon)
                                                             : Bytes("default"));
  message.mutable_table_name()->set_qualifier(has_namespace ? event.region.table.substr(colon + 1)
                                                            : event.region.table);
  message.set_encoded_region_name(event.region.encoded_region);
  for (const BulkLoadEvent::Store& store : event.stores) {
    pb::StoreDescriptor* descriptor = message.add_stores();
    descriptor->set_family_name(store.family);
    descriptor->set_store_home_dir(store.family);
    for (const std::string& file : store.files) descriptor->add_store_file(file);
    descriptor->set_store_file_size_bytes(store.size_bytes);
  }
  message.set_bulkload_seq_num(static_cast<int64_t>(event.sequence_id));
  message.set_replicate(true);
  return MarkerCell(event.region, kBulkLoadQualifier, timestamp_ms, message);
}

bool IsBulkLoadMarker(const Cell& cell) {
  return IsMarker(cell) && cell.qualifier() == kBulkLoadQualifier;
}

Result<std::optional<RegionEvent>> DecodeRegionEvent(const Cell& cell) {
  if (!IsRegionEvent(cell)) return std::optional<RegionEvent>();
  pb::RegionEventDescriptor message;
  RETURN_IF_ERROR(Parse(cell, &message));
  RegionEvent event;
  event.open = message.event_type() == pb::RegionEventDescriptor::REGION_OPEN;
  event.region = GetRegion(cell, message);
  event.sequence_id = message.log_sequence_number();
  for (const pb::StoreDescriptor& store : message.stores()) {
    event.stores.push_back({store.family_name(), Copy(store.store_file())});
  }
  if (message.has_server()) {
    event.server_name = message.server().host_name() + "," +
                        std::to_string(message.server().port()) + "," +
                        std::to_string(message.server().start_code());
  }
  return std::optional<RegionEvent>(std::move(event));
}

Result<std::optional<FlushEvent>> DecodeFlushEvent(const Cell& cell) {
  if (!HasQualifier(cell, kFlushQualifier)) return std::optional<FlushEvent>();
  pb::FlushDescriptor message;
  RETURN_IF_ERROR(Parse(cell, &message));
  FlushEvent event;
  event.action = static_cast<FlushEvent::Action>(message.action());
  event.region = GetRegion(cell, message);
  event.flush_sequence_id = message.flush_sequence_number();
  for (const auto& store : message.store_flushes()) {
    event.stores.push_back({store.family_name(), Copy(store.flush_output())});
  }
  return std::optional<FlushEvent>(std::move(event));
}

Result<std::optional<CompactionEvent>> DecodeCompactionEvent(const Cell& cell) {
  if (!HasQualifier(cell, kCompactionQualifier)) return std::optional<CompactionEvent>();
  pb::CompactionDescriptor message;
  RETURN_IF_ERROR(Parse(cell, &message));
  CompactionEvent event;
  event.region = GetRegion(cell, message);
  event.family = message.family_name();
  event.inputs = Copy(message.compaction_input());
  event.outputs = Copy(message.compaction_output());
  return std::optional<CompactionEvent>(std::move(event));
}

}  // namespace bennu::wal
