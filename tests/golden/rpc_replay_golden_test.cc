// Recorded requests, played in their order against a server over a new store: our answers are
// compared with the recorded ones, field by field.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "bennu/cell.h"
#include "proto/admin.pb.h"
#include "proto/client.pb.h"
#include "proto/master.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/coding.h"
#include "src/rpc/block_codec.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/frame.h"
#include "src/server/server.h"
#include "tests/base/temp_directory.h"
#include "tests/golden/golden_tsv.h"
#include "tests/golden/rpc_client.h"
#include "tests/golden/rpc_dialogue.h"
#include "tests/golden/rpc_left_out.h"
#include "tests/golden/wire_text.h"

namespace bennu::golden {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string ShortName(const FieldDescriptor* field) {
  return field->containing_type()->name() + "." + field->name();
}

// "table,start,1795200107515.80c8….": the parts that differ from run to run are masked.
Bytes MaskRegionNames(const Bytes& text) {
  static const std::regex name(",[0-9]{10,14}\\.[0-9a-f]{32}\\.");
  return std::regex_replace(text, name, ",ID.HASH.");
}

struct Answer {
  std::unique_ptr<Message> header;
  std::unique_ptr<Message> result;  // null: an exception
  Bytes cells;                      // not compressed
};

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    server::ServerOptions options;
    options.directory = directory_.Join("store");
    options.zookeeper_port.reset();
    options.master_port = 0;
    options.region_server_port = 0;
    options.http_port.reset();
    options.phoenix_port.reset();
    auto server = server::Server::Start(options);
    ASSERT_TRUE(server.ok()) << server.status().ToString();
    server_ = std::move(server).value();
    for (const std::string& endpoint : Split(server_->Endpoints(), ' ')) {
      ports_[endpoint.substr(0, endpoint.find('='))] =
          static_cast<uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
    }
  }

  // ---- what the recordings expect to be there

  template <typename Response, typename Request>
  Response CallOwn(const std::string& peer, const std::string& service, const std::string& method,
                   const Request& request) {
    Client client(ports_[peer]);
    client.Greet(service);
    pb::RequestHeader header;
    header.set_method_name(method);
    Bytes frame;
    rpc::AppendRequest(&header, request, {}, &frame);
    client.Send(frame);
    Response response;
    const Answer answer = ReadAnswer(client.Receive(), method, client);
    EXPECT_NE(nullptr, answer.result) << ToText(*answer.header);
    if (answer.result != nullptr) response.ParseFromString(answer.result->SerializeAsString());
    return response;
  }

  void PrepareFor(const std::string& dialogue) {
    if (dialogue == "error_table_disabled") {
      pb::DisableTableRequest request;
      api::TableNameToPb(TableName{"default", "rpcsplit"}, request.mutable_table_name());
      WaitForProcedure(
          CallOwn<pb::DisableTableResponse>("master", "MasterService", "DisableTable", request)
              .proc_id());
    } else if (dialogue == "exec_service") {
      PrepareAggregates();
    }
  }

  // Five rows whose sum is 100, of which the recorded answers tell.
  void PrepareAggregates() {
    pb::CreateTableRequest create;
    TableDescriptor descriptor;
    descriptor.name = TableName{"default", "rpcagg"};
    descriptor.families.emplace_back().name = "cf";
    api::DescriptorToPb(descriptor, create.mutable_table_schema());
    WaitForProcedure(
        CallOwn<pb::CreateTableResponse>("master", "MasterService", "CreateTable", create)
            .proc_id());
    for (int i = 0; i < 5; ++i) {
      pb::MutateRequest put;
      put.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
      put.mutable_region()->set_value(OurRegionName("rpcagg,,1795200140075.x."));
      pb::MutationProto* const mutation = put.mutable_mutation();
      mutation->set_row("row" + std::to_string(i));
      mutation->set_mutate_type(pb::MutationProto::PUT);
      auto* const family = mutation->add_column_value();
      family->set_family("cf");
      auto* const column = family->add_qualifier_value();
      column->set_qualifier("a");
      AppendBE64(column->mutable_value(), 20);
      CallOwn<pb::MutateResponse>("regionserver", "ClientService", "Mutate", put);
    }
  }

  // ---- names and numbers of ours for recorded ones

  // Of the region with the same table and start key; the recorded name when there is none.
  Bytes OurRegionName(const Bytes& recorded) {
    const Bytes stem = recorded.substr(0, recorded.rfind(',') + 1);
    if (const auto known = regions_.find(stem); known != regions_.end()) return known->second;
    if (stem.empty() || recorded.back() != '.') return recorded;  // hbase:meta
    const auto online = CallOwn<pb::GetOnlineRegionResponse>(
        "regionserver", "AdminService", "GetOnlineRegion", pb::GetOnlineRegionRequest());
    for (const pb::RegionInfo& message : online.region_info()) {
      const Bytes name = api::RegionInfoFromPb(message).RegionName();
      regions_[name.substr(0, name.rfind(',') + 1)] = name;
    }
    const auto found = regions_.find(stem);
    return found != regions_.end() ? found->second : recorded;
  }

  void TranslateRequest(Message* request) {
    VisitFields(request, [this](Message* message, const FieldDescriptor* field, int index) {
      const std::string name = ShortName(field);
      const auto* const reflection = message->GetReflection();
      if (name == "RegionSpecifier.value") {
        const Bytes recorded = GetBytes(*message, field, index);
        // This one is of no table that ever was.
        if (recorded.find("0123456789abcdef") == Bytes::npos) {
          SetBytes(message, field, index, OurRegionName(recorded));
        }
      } else if (field->name() == "scanner_id" || field->name() == "proc_id") {
        const auto known = numbers_.find(reflection->GetUInt64(*message, field));
        if (known != numbers_.end()) reflection->SetUInt64(message, field, known->second);
      }
      return true;
    });
  }

  static uint64_t NumberOf(const Message* result, const char* name) {
    if (result == nullptr) return 0;
    const FieldDescriptor* const field = result->GetDescriptor()->FindFieldByName(name);
    return field == nullptr ? 0 : result->GetReflection()->GetUInt64(*result, field);
  }

  void Learn(const Answer& recorded, const Answer& ours) {
    for (const char* name : {"scanner_id", "proc_id"}) {
      const uint64_t number = NumberOf(recorded.result.get(), name);
      if (number != 0) numbers_[number] = NumberOf(ours.result.get(), name);
    }
    const uint64_t procedure = NumberOf(ours.result.get(), "proc_id");
    if (procedure == 0) return;
    WaitForProcedure(procedure);
    regions_.clear();  // a table that is made anew has other regions
  }

  // A client that was recorded asked on when its procedure had ended. The server tells the number
  // of one that takes long, as on a slow disk, before it ends.
  void WaitForProcedure(uint64_t id) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    pb::GetProcedureResultRequest request;
    request.set_proc_id(id);
    while (CallOwn<pb::GetProcedureResultResponse>("master", "MasterService", "getProcedureResult",
                                                   request)
               .state() == pb::GetProcedureResultResponse::RUNNING) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "procedure " << id;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  // ---- comparing

  static ByteView TakeDelimited(ByteView* frame) {
    uint64_t length = 0;
    EXPECT_TRUE(ConsumeVarint64(frame, &length) && length <= frame->size());
    const ByteView part = frame->substr(0, length);
    frame->remove_prefix(part.size());
    return part;
  }

  Answer ReadAnswer(ByteView frame, const std::string& method, const Client& client) {
    Answer answer;
    answer.header = schema_.Parse("ResponseHeader", TakeDelimited(&frame));
    const auto has = [&answer](const char* field) {
      return answer.header->GetReflection()->HasField(
          *answer.header, answer.header->GetDescriptor()->FindFieldByName(field));
    };
    if (has("exception")) return answer;
    answer.result = schema_.Parse(WireSchema::ResponseOf(method), TakeDelimited(&frame));
    EXPECT_EQ(has("cell_block_meta"), !frame.empty());
    const Status status = rpc::DecompressBlock(client.compression, frame, 1u << 20, &answer.cells);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return answer;
  }

  void Mask(Message* message) {
    MaskFields(message);
    for (const LeftOut& order : kOrders) {
      if (SortField(message, order.name)) seen_.insert(order.name);
    }
  }

  void MaskFields(Message* message) {
    VisitFields(message, [this](Message* part, const FieldDescriptor* field, int index) {
      const std::string name = ShortName(field);
      const bool text = field->cpp_type() == FieldDescriptor::CPPTYPE_STRING;
      for (const LeftOut& left_out : kFields) {
        if (name != left_out.name) continue;
        seen_.insert(name);
        if (name == "ExceptionResponse.stack_trace") {
          SetBytes(part, field, index, FirstLine(GetBytes(*part, field, index)));
        } else if (text) {
          SetBytes(part, field, index, "left out");
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
          part->GetReflection()->MutableMessage(part, field)->Clear();
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
          part->GetReflection()->SetEnumValue(part, field, 1);
        } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_UINT32) {
          part->GetReflection()->SetUInt32(part, field, 1);
        } else {
          part->GetReflection()->SetUInt64(part, field, 1);
        }
        return false;
      }
      if (name == "NameBytesPair.value" && IsException(*part)) {
        SetBytes(part, field, index, FirstLine(GetBytes(*part, field, index)));
      } else if (text) {
        SetBytes(part, field, index, MaskRegionNames(GetBytes(*part, field, index)));
      } else if (name == "Cell.timestamp") {
        const auto time = static_cast<int64_t>(part->GetReflection()->GetUInt64(*part, field));
        if (time > kSomeRecentTime) part->GetReflection()->SetUInt64(part, field, kSomeRecentTime);
      }
      if (name == "Cell.value") SetBytes(part, field, index, MaskedValue(*part, field, index));
      return true;
    });
  }

  static bool IsException(const Message& pair) {
    const Bytes name = GetBytes(pair, pair.GetDescriptor()->FindFieldByName("name"), -1);
    return name.ends_with("Exception");
  }

  // "class: message", or the class alone for those whose messages differ.
  std::string FirstLine(const Bytes& stack) {
    const std::string line = stack.substr(0, stack.find('\n'));
    for (const LeftOut& left_out : kMessages) {
      if (!line.starts_with(left_out.name)) continue;
      seen_.insert(left_out.name);
      return line.substr(0, line.find(':'));
    }
    for (const LeftOut& left_out : kMessagesOf) {
      if (dialogue_ != left_out.name) continue;
      seen_.insert(left_out.name);
      return line.substr(0, line.find(':'));
    }
    return MaskRegionNames(line);
  }

  Bytes MaskedValue(const Message& cell, const FieldDescriptor* value, int index) {
    const auto* const type = cell.GetDescriptor();
    return MaskedValue(GetBytes(cell, type->FindFieldByName("family"), -1),
                       GetBytes(cell, type->FindFieldByName("qualifier"), -1),
                       GetBytes(cell, value, index));
  }

  Bytes MaskedValue(const Bytes& family, const Bytes& qualifier, const Bytes& value) {
    const std::string column = family + ":" + qualifier;
    for (const LeftOut& left_out : kCells) {
      if (column != left_out.name) continue;
      seen_.insert(column);
      return "left out";
    }
    if (column != "info:regioninfo") return value;
    EXPECT_TRUE(value.starts_with(api::kPbMagic));
    const auto info = schema_.Parse("RegionInfo", ByteView(value).substr(api::kPbMagic.size()));
    Mask(info.get());
    return ToText(*info);
  }

  std::string CellsToText(const Client& client, ByteView cells) {
    std::string text;
    rpc::CellBlockReader reader(client.codec, cells);
    while (!reader.AtEnd()) {
      Cell cell;
      const Status status = reader.Next(&cell);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
      text += "cell " + ToStringBinary(MaskRegionNames(Bytes(cell.row()))) + " " +
              ToStringBinary(cell.family()) + ":" + ToStringBinary(cell.qualifier()) + " " +
              (cell.timestamp() > kSomeRecentTime ? "now" : std::to_string(cell.timestamp())) +
              " type " + std::to_string(static_cast<int>(cell.type())) + " " +
              ToStringBinary(MaskedValue(Bytes(cell.family()), Bytes(cell.qualifier()),
                                         Bytes(cell.value_view()))) +
              " tags " + HexEncode(cell.tags_view()) + "\n";
    }
    return text;
  }

  std::string AnswerToText(const Client& client, const Answer& answer) {
    Mask(answer.header.get());
    std::string text = "header " + ToText(*answer.header);
    if (answer.result != nullptr) {
      Mask(answer.result.get());
      text += "result " + ToText(*answer.result) + CellsToText(client, answer.cells);
    }
    return text;
  }

  static uint32_t CallIdOf(ByteView frame) {
    const ByteView bytes = TakeDelimited(&frame);
    pb::ResponseHeader header;
    EXPECT_TRUE(header.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
    return header.call_id();
  }

  // See kMoreInRegion and kPartialFlag.
  void AllowForKnowingMore(const Message& request_message, Answer* recorded, Answer* ours) {
    pb::ScanRequest request;
    pb::ScanResponse real;
    pb::ScanResponse own;
    if (recorded->result == nullptr || ours->result == nullptr) return;
    ASSERT_TRUE(request.ParseFromString(request_message.SerializeAsString()));
    ASSERT_TRUE(real.ParseFromString(recorded->result->SerializeAsString()));
    ASSERT_TRUE(own.ParseFromString(ours->result->SerializeAsString()));
    if (request.scan().reversed() && real.more_results_in_region() &&
        !own.more_results_in_region()) {
      ended_early_.insert(own.scanner_id());
      seen_.insert(kMoreInRegion);
      real.set_more_results_in_region(false);
    } else if (request.close_scanner() && ended_early_.contains(request.scanner_id())) {
      real.clear_more_results();
      real.clear_more_results_in_region();
      real.clear_stale();
    }
    for (int i = 0;
         i < std::min(real.partial_flag_per_result_size(), own.partial_flag_per_result_size());
         ++i) {
      if (!real.partial_flag_per_result(i) || own.partial_flag_per_result(i)) continue;
      seen_.insert(kPartialFlag);
      real.set_partial_flag_per_result(i, false);
    }
    recorded->result = schema_.Parse("ScanResponse", real.SerializeAsString());
  }

  // ---- playing

  Client& ClientOf(const RecordedFrame& frame) {
    auto& client = clients_[frame.connection];
    if (client == nullptr) client = std::make_unique<Client>(ports_[frame.peer]);
    return *client;
  }

  void PlayHeader(const RecordedFrame& frame) {
    pb::ConnectionHeader header;
    ASSERT_TRUE(header.ParseFromString(frame.bytes.substr(rpc::kFrameLengthSize)));
    Client& client = ClientOf(frame);
    const auto codec = rpc::CellCodecOfClass(header.cell_block_codec_class());
    const auto compression = rpc::BlockCompressionOfClass(header.cell_block_compressor_class());
    ASSERT_TRUE(codec.ok() && compression.ok());
    client.codec = *codec;
    client.compression = *compression;
    client.Send(frame.bytes);
  }

  void PlayRequest(const RecordedFrame& frame, const std::vector<RecordedFrame>& dialogue) {
    Client& client = ClientOf(frame);
    pb::RequestHeader header;
    rpc::RequestParts parts;
    ASSERT_TRUE(
        rpc::ParseRequest(ByteView(frame.bytes).substr(rpc::kFrameLengthSize), &header, &parts)
            .ok());
    SCOPED_TRACE("call " + std::to_string(header.call_id()) + " " + header.method_name());
    const std::string& method = header.method_name();
    const auto request = schema_.Parse(WireSchema::RequestOf(method), parts.parameter);
    TranslateRequest(request.get());
    Bytes bytes;
    rpc::AppendRequest(&header, *request, parts.cells, &bytes);
    client.Send(bytes);
    Answer ours = ReadAnswer(client.Receive(), method, client);
    for (const RecordedFrame& other : dialogue) {
      if (other.kind != "response" || other.connection != frame.connection) continue;
      const ByteView recorded_frame = ByteView(other.bytes).substr(rpc::kFrameLengthSize);
      if (CallIdOf(recorded_frame) != header.call_id()) continue;
      Answer recorded = ReadAnswer(recorded_frame, method, client);
      Learn(recorded, ours);
      if (method == "Scan") AllowForKnowingMore(*request, &recorded, &ours);
      EXPECT_EQ(AnswerToText(client, recorded), AnswerToText(client, ours));
      ++compared_;
      return;
    }
    ADD_FAILURE() << "no recorded answer";
  }

  void Play(const std::vector<RecordedFrame>& dialogue) {
    for (const RecordedFrame& frame : dialogue) {
      if (!frame.from_client || frame.peer == "zookeeper") continue;
      if (frame.kind == "preamble") {
        ClientOf(frame).Send(frame.bytes);
      } else if (frame.kind == "connection_header") {
        PlayHeader(frame);
      } else {
        PlayRequest(frame, dialogue);
      }
    }
  }

  const TempDirectory directory_;
  std::unique_ptr<server::Server> server_;
  std::map<std::string, uint16_t> ports_;
  WireSchema schema_;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::map<Bytes, Bytes> regions_;        // ours by "table,start key,"
  std::map<uint64_t, uint64_t> numbers_;  // scanners and procedures: ours by recorded
  std::set<uint64_t> ended_early_;        // scanners of ours; see kMoreInRegion
  std::set<std::string> seen_;            // of what is left out
  std::string dialogue_;
  size_t compared_ = 0;
};

// When a dialogue was recorded: connections are numbered by their beginnings and calls within a
// client, whose first one had several connections.
std::pair<int, uint32_t> PlaceInTime(const std::vector<RecordedFrame>& dialogue) {
  constexpr int kLastOfFirstClient = 8;
  for (const RecordedFrame& frame : dialogue) {
    if (frame.kind != "request") continue;
    pb::RequestHeader header;
    rpc::RequestParts parts;
    EXPECT_TRUE(
        rpc::ParseRequest(ByteView(frame.bytes).substr(rpc::kFrameLengthSize), &header, &parts)
            .ok());
    const int connection = std::stoi(frame.connection);
    return {connection <= kLastOfFirstClient ? 0 : connection, header.call_id()};
  }
  return {0, 0};  // one without calls
}

TEST_F(Replay, AnswersAsTheRealServerDid) {
  struct Dialogue {
    std::string name;
    std::pair<int, uint32_t> place;
    std::vector<RecordedFrame> frames;
  };
  std::vector<Dialogue> dialogues;
  for (const std::filesystem::path& path : ListFiles("rpc", ".hex")) {
    const std::string name = path.stem();
    if (std::any_of(std::begin(kDialogues), std::end(kDialogues),
                    [&name](const LeftOut& left_out) { return name == left_out.name; })) {
      seen_.insert(name);
      continue;
    }
    auto frames = ReadDialogue(path);
    const auto place = PlaceInTime(frames);
    dialogues.push_back({name, place, std::move(frames)});
  }
  std::stable_sort(dialogues.begin(), dialogues.end(),
                   [](const Dialogue& a, const Dialogue& b) { return a.place < b.place; });
  for (const Dialogue& dialogue : dialogues) {
    SCOPED_TRACE(dialogue.name);
    dialogue_ = dialogue.name;
    PrepareFor(dialogue.name);
    Play(dialogue.frames);
  }
  EXPECT_GT(compared_, 0u);
  const auto expect_seen = [this](const auto& left_outs) {
    for (const LeftOut& left_out : left_outs) {
      EXPECT_TRUE(seen_.contains(left_out.name)) << left_out.name << " is left out for nothing";
    }
  };
  expect_seen(kDialogues);
  expect_seen(kFields);
  expect_seen(kCells);
  expect_seen(kMessages);
  expect_seen(kMessagesOf);
  expect_seen(kOrders);
  EXPECT_TRUE(seen_.contains(kMoreInRegion));
  EXPECT_TRUE(seen_.contains(kPartialFlag));
}

}  // namespace
}  // namespace bennu::golden
