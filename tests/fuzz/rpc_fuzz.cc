// Frames, messages and cell blocks of HBase's RPC, from a client that may send anything.
#include <cstddef>
#include <cstdint>

#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/frame.h"
#include "src/rpc/requests.h"

namespace {

using bennu::ByteView;
namespace pb = bennu::pb;
namespace rpc = bennu::rpc;

constexpr rpc::CellCodec kCodecs[] = {
    rpc::CellCodec::kNone, rpc::CellCodec::kKeyValue,     rpc::CellCodec::kKeyValueWithTags,
    rpc::CellCodec::kCell, rpc::CellCodec::kCellWithTags, rpc::CellCodec::kMessage};

template <typename Message>
bool Parse(ByteView bytes, Message* message) {
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void TryGet(ByteView parameter) {
  pb::GetRequest request;
  bennu::Get get;
  if (Parse(parameter, &request)) (void)rpc::ReadGet(request.get(), &get).ok();
}

void TryScan(ByteView parameter) {
  pb::ScanRequest request;
  bennu::Scan scan;
  if (Parse(parameter, &request)) (void)rpc::ReadScan(request.scan(), &scan).ok();
}

void TryMutate(ByteView parameter, ByteView block, rpc::CellCodec codec) {
  pb::MutateRequest request;
  if (!Parse(parameter, &request)) return;
  bennu::MutationBatch batch;
  rpc::CellBlockReader cells(codec, block);
  (void)rpc::ReadMutation(request.mutation(), &cells, &batch).ok();
  (void)batch.Check().ok();
  bennu::Table::Condition condition;
  (void)rpc::ReadCondition(request.condition(), &condition).ok();
}

// What was read is written, read again and must be the same.
void TryBlock(ByteView block, rpc::CellCodec codec) {
  rpc::CellBlockReader reader(codec, block);
  bennu::Bytes again;
  bennu::Cell cell;
  size_t count = 0;
  while (!reader.AtEnd() && reader.Next(&cell).ok()) {
    rpc::AppendCell(codec, cell, &again);
    ++count;
  }
  rpc::CellBlockReader second(codec, again);
  size_t count_again = 0;
  while (!second.AtEnd() && second.Next(&cell).ok()) ++count_again;
  if (count != count_again) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const rpc::CellCodec codec = kCodecs[data[0] % std::size(kCodecs)];
  const ByteView bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  TryBlock(bytes, codec);
  pb::RequestHeader header;
  rpc::RequestParts parts;
  if (!rpc::ParseRequest(bytes, &header, &parts).ok()) return 0;
  TryGet(parts.parameter);
  TryScan(parts.parameter);
  TryMutate(parts.parameter, parts.cells, codec);
  return 0;
}
