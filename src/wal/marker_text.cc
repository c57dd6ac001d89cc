// The text form of marker messages. Written out by hand: Bennu links protobuf's lite library, which
// knows no field names.
#include <fmt/format.h>

#include "proto/wal.pb.h"
#include "src/wal/markers.h"

namespace bennu::wal {

namespace {

// As protobuf for Java escapes strings and bytes: C escapes, else three octal digits.
std::string Quote(ByteView bytes) {
  std::string out = "\"";
  for (const char c : bytes) {
    switch (c) {
      case '\a': out += "\\a"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '\v': out += "\\v"; break;
      case '\\': out += "\\\\"; break;
      case '\'': out += "\\'"; break;
      case '"': out += "\\\""; break;
      default:
        if (c >= 0x20 && c < 0x7f) {
          out.push_back(c);
        } else {
          out += fmt::format("\\{:03o}", static_cast<uint8_t>(c));
        }
    }
  }
  return out + "\"";
}

// Fields one after the other, each " name: value".
class Line {
 public:
  explicit Line(std::string name) : text_(std::move(name)) {}

  Line& Plain(const char* name, const std::string& value) {
    text_ += fmt::format(" {}: {}", name, value);
    return *this;
  }
  Line& Quoted(const char* name, ByteView value) { return Plain(name, Quote(value)); }
  template <typename T>
  Line& Number(const char* name, T value) {
    return Plain(name, std::to_string(value));
  }
  template <typename Repeated>
  Line& EachQuoted(const char* name, const Repeated& values) {
    for (const auto& value : values) Quoted(name, value);
    return *this;
  }
  Line& Open(const char* name) {
    text_ += fmt::format(" {} {{", name);
    return *this;
  }
  Line& Close() {
    text_ += " }";
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddStore(const pb::StoreDescriptor& store, Line* line) {
  line->Open("stores").Quoted("family_name", store.family_name());
  line->Quoted("store_home_dir", store.store_home_dir());
  line->EachQuoted("store_file", store.store_file());
  if (store.has_store_file_size_bytes()) {
    line->Number("store_file_size_bytes", store.store_file_size_bytes());
  }
  line->Close();
}

std::string Text(const pb::RegionEventDescriptor& message) {
  Line line("RegionEventDescriptor");
  line.Plain("event_type", message.event_type() == pb::RegionEventDescriptor::REGION_OPEN
                               ? "REGION_OPEN"
                               : "REGION_CLOSE");
  line.Quoted("table_name", message.table_name());
  line.Quoted("encoded_region_name", message.encoded_region_name());
  if (message.has_log_sequence_number()) {
    line.Number("log_sequence_number", message.log_sequence_number());
  }
  for (const pb::StoreDescriptor& store : message.stores()) AddStore(store, &line);
  if (message.has_server()) {
    const pb::ServerName& server = message.server();
    line.Open("server").Quoted("host_name", server.host_name());
    if (server.has_port()) line.Number("port", server.port());
    if (server.has_start_code()) line.Number("start_code", server.start_code());
    line.Close();
  }
  if (message.has_region_name()) line.Quoted("region_name", message.region_name());
  return line.Take();
}

std::string Text(const pb::FlushDescriptor& message) {
  static constexpr const char* kActions[] = {"START_FLUSH", "COMMIT_FLUSH", "ABORT_FLUSH",
                                             "CANNOT_FLUSH"};
  Line line("FlushDescriptor");
  line.Plain("action", kActions[message.action()]);
  line.Quoted("table_name", message.table_name());
  line.Quoted("encoded_region_name", message.encoded_region_name());
  if (message.has_flush_sequence_number()) {
    line.Number("flush_sequence_number", message.flush_sequence_number());
  }
  for (const auto& store : message.store_flushes()) {
    line.Open("store_flushes").Quoted("family_name", store.family_name());
    line.Quoted("store_home_dir", store.store_home_dir());
    line.EachQuoted("flush_output", store.flush_output()).Close();
  }
  if (message.has_region_name()) line.Quoted("region_name", message.region_name());
  return line.Take();
}

std::string Text(const pb::CompactionDescriptor& message) {
  Line line("CompactionDescriptor");
  line.Quoted("table_name", message.table_name());
  line.Quoted("encoded_region_name", message.encoded_region_name());
  line.Quoted("family_name", message.family_name());
  line.EachQuoted("compaction_input", message.compaction_input());
  line.EachQuoted("compaction_output", message.compaction_output());
  line.Quoted("store_home_dir", message.store_home_dir());
  if (message.has_region_name()) line.Quoted("region_name", message.region_name());
  return line.Take();
}

std::string Text(const pb::BulkLoadDescriptor& message) {
  Line line("BulkLoadDescriptor");
  line.Open("table_name").Quoted("namespace", message.table_name().namespace_());
  line.Quoted("qualifier", message.table_name().qualifier()).Close();
  line.Quoted("encoded_region_name", message.encoded_region_name());
  for (const pb::StoreDescriptor& store : message.stores()) AddStore(store, &line);
  line.Number("bulkload_seq_num", message.bulkload_seq_num());
  line.EachQuoted("cluster_ids", message.cluster_ids());
  if (message.has_replicate()) line.Plain("replicate", message.replicate() ? "true" : "false");
  return line.Take();
}

template <typename Message>
std::string ParsedText(const Cell& cell) {
  Message message;
  if (!message.ParseFromArray(cell.value, static_cast<int>(cell.value_length))) return {};
  return Text(message);
}

}  // namespace

std::string MarkerText(const Cell& cell) {
  if (!IsMarker(cell)) return {};
  const ByteView qualifier = cell.qualifier();
  if (qualifier.starts_with("HBASE::REGION_EVENT")) {
    return ParsedText<pb::RegionEventDescriptor>(cell);
  }
  if (qualifier == "HBASE::FLUSH") return ParsedText<pb::FlushDescriptor>(cell);
  if (qualifier == "HBASE::COMPACTION") return ParsedText<pb::CompactionDescriptor>(cell);
  if (qualifier == "HBASE::BULK_LOAD") return ParsedText<pb::BulkLoadDescriptor>(cell);
  return {};
}

}  // namespace bennu::wal
