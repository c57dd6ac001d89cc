// Dialogues recorded between the real client and the real server: what both sent must be read, and
// cell blocks written anew must be the same bytes. Laid out as tests/golden/README.md tells.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "proto/client.pb.h"
#include "src/base/coding.h"
#include "src/base/hex.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/frame.h"
#include "src/rpc/requests.h"
#include "tests/golden/golden_tsv.h"
#include "tests/golden/rpc_dialogue.h"

namespace bennu::golden {
namespace {

// What dialogues without a connection header of their own were recorded with.
rpc::CellCodec CodecOf(const std::filesystem::path& path) {
  return path.stem() == "codec_none" ? rpc::CellCodec::kNone : rpc::CellCodec::kKeyValue;
}

void ExpectSameBlock(rpc::CellCodec codec, ByteView block) {
  rpc::CellBlockReader reader(codec, block);
  Bytes again;
  while (!reader.AtEnd()) {
    Cell cell;
    const Status status = reader.Next(&cell);
    ASSERT_TRUE(status.ok()) << status.ToString();
    rpc::AppendCell(codec, cell, &again);
  }
  EXPECT_EQ(HexEncode(block), HexEncode(again));
}

// The request in terms of the data API; every one of these was answered by the real server.
void ExpectReadable(const pb::RequestHeader& header, const rpc::RequestParts& parts,
                    rpc::CellCodec codec) {
  const Bytes parameter(parts.parameter);
  if (header.method_name() == "Get") {
    pb::GetRequest request;
    ASSERT_TRUE(request.ParseFromString(parameter));
    Get get;
    EXPECT_TRUE(rpc::ReadGet(request.get(), &get).ok());
    EXPECT_EQ(request.get().row(), get.row);
  } else if (header.method_name() == "Scan") {
    pb::ScanRequest request;
    ASSERT_TRUE(request.ParseFromString(parameter));
    Scan scan;
    EXPECT_TRUE(rpc::ReadScan(request.scan(), &scan).ok());
    EXPECT_EQ(request.scan().start_row(), scan.range.start);
  } else if (header.method_name() == "Mutate") {
    pb::MutateRequest request;
    ASSERT_TRUE(request.ParseFromString(parameter));
    MutationBatch batch;
    rpc::CellBlockReader cells(codec, parts.cells);
    const Status status = rpc::ReadMutation(request.mutation(), &cells, &batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_EQ(1u, batch.row_count());
    EXPECT_TRUE(cells.AtEnd());
  } else if (header.method_name() == "Multi") {
    pb::MultiRequest request;
    ASSERT_TRUE(request.ParseFromString(parameter));
    MutationBatch batch;
    size_t mutations = 0;
    rpc::CellBlockReader cells(codec, parts.cells);
    for (const pb::RegionAction& region : request.regionaction()) {
      for (const pb::Action& action : region.action()) {
        if (!action.has_mutation()) continue;
        ++mutations;
        const Status status = rpc::ReadMutation(action.mutation(), &cells, &batch);
        ASSERT_TRUE(status.ok()) << status.ToString();
      }
    }
    EXPECT_EQ(mutations, batch.row_count());
    EXPECT_TRUE(cells.AtEnd());
  }
}

TEST(Golden, RpcFrames) {
  size_t requests = 0;
  size_t blocks = 0;
  for (const std::filesystem::path& path : ListFiles("rpc", ".hex")) {
    SCOPED_TRACE(path.filename().string());
    if (path.stem() == "cellblock_gzip") continue;  // its blocks are compressed
    std::map<std::string, rpc::CellCodec> codecs;
    for (const RecordedFrame& frame : ReadDialogue(path)) {
      const auto codec = codecs.try_emplace(frame.connection, CodecOf(path)).first;
      if (frame.kind == "connection_header") {
        pb::ConnectionHeader header;
        ASSERT_TRUE(header.ParseFromString(frame.bytes.substr(rpc::kFrameLengthSize)));
        const auto named = rpc::CellCodecOfClass(header.cell_block_codec_class());
        ASSERT_TRUE(named.ok()) << named.status().ToString();
        codec->second = *named;
      }
      const ByteView body =
          ByteView(frame.bytes).substr(std::min(frame.bytes.size(), rpc::kFrameLengthSize));
      if (frame.kind == "request") {
        ASSERT_EQ(body.size(), LoadBE32(frame.bytes.data()));
        pb::RequestHeader header;
        rpc::RequestParts parts;
        const Status status = rpc::ParseRequest(body, &header, &parts);
        ASSERT_TRUE(status.ok()) << status.ToString();
        ++requests;
        if (!parts.cells.empty()) {
          ExpectSameBlock(codec->second, parts.cells);
          ++blocks;
        }
        ExpectReadable(header, parts, codec->second);
      } else if (frame.kind == "response") {
        ByteView rest = body;
        uint64_t length = 0;
        ASSERT_TRUE(ConsumeVarint64(&rest, &length) && length <= rest.size());
        pb::ResponseHeader header;
        ASSERT_TRUE(header.ParseFromArray(rest.data(), static_cast<int>(length)));
        if (!header.has_cell_block_meta()) continue;
        ExpectSameBlock(codec->second,
                        rest.substr(rest.size() - header.cell_block_meta().length()));
        ++blocks;
      }
    }
  }
  EXPECT_GT(requests, 0u);
  EXPECT_GT(blocks, 0u);
}

}  // namespace
}  // namespace bennu::golden
