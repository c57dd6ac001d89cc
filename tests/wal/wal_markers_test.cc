#include <gtest/gtest.h>

#include "bennu/mutation.h"
#include "src/base/hex.h"
#include "src/wal/markers.h"

namespace bennu::wal {
namespace {

MarkerRegion Region() {
  return {"waltest", "4e0294ab7d4711fe08f6893c20633d9b",
          "waltest,,1795200050515.4e0294ab7d4711fe08f6893c20633d9b.", ""};
}

Cell CellOf(const Bytes& bytes) {
  Cell cell;
  EXPECT_EQ(bytes.size(), CellAt(bytes, 0, &cell));
  return cell;
}

// The value that a recorded server wrote for the first opening of a region.
TEST(MarkersTest, RegionOpenIsHBases) {
  RegionEvent event;
  event.region = Region();
  event.sequence_id = 2;
  event.stores = {{"cf", {}}, {"g", {}}};
  event.server_name = "node1.example,16120,1795198532752";
  const Bytes bytes = EncodeMarker(event, 1795200050829);
  const Cell cell = CellOf(bytes);
  EXPECT_EQ("00", HexEncode(cell.row()));
  EXPECT_EQ("METAFAMILY", cell.family());
  EXPECT_EQ("HBASE::REGION_EVENT::REGION_OPEN", cell.qualifier());
  EXPECT_EQ(1795200050829, cell.timestamp());
  EXPECT_EQ(
      "0800120777616c746573741a20346530323934616237643437313166653038663638393363323036333364396220"
      "022a080a026366120263662a060a016712016732190a0d6e6f6465312e6578616d706c6510f87d1890f9aed19f34"
      "3a3877616c746573742c2c313739353230303035303531352e346530323934616237643437313166653038663638"
      "39336332303633336439622e",
      HexEncode(cell.value_view()));
  const auto back = DecodeRegionEvent(cell);
  ASSERT_TRUE(back.ok() && back->has_value());
  EXPECT_TRUE((*back)->open);
  EXPECT_EQ(2u, (*back)->stores.size());
  EXPECT_EQ(event.server_name, (*back)->server_name);
  EXPECT_EQ("", (*back)->region.start_key);
  EXPECT_FALSE(DecodeFlushEvent(cell)->has_value());
}

// The value of a recorded commit of a flush.
TEST(MarkersTest, FlushCommitIsHBases) {
  FlushEvent event;
  event.action = FlushEvent::Action::kCommit;
  event.region = Region();
  event.region.start_key = "m";
  event.flush_sequence_id = 23;
  event.stores = {{"cf", {"2b19017871f9427ebce9830bb9a9e42f"}}, {"g", {}}};
  const Bytes bytes = EncodeMarker(event, 1);
  const Cell cell = CellOf(bytes);
  EXPECT_EQ("m", cell.row());
  EXPECT_EQ(
      "0801120777616c746573741a20346530323934616237643437313166653038663638393363323036333364396220"
      "172a2a0a026366120263661a2032623139303137383731663934323765626365393833306262396139653432662a"
      "060a0167120167323877616c746573742c2c313739353230303035303531352e3465303239346162376434373131"
      "66653038663638393363323036333364396"
      "22e",
      HexEncode(cell.value_view()));
  const auto back = DecodeFlushEvent(cell);
  ASSERT_TRUE(back.ok() && back->has_value());
  EXPECT_EQ(FlushEvent::Action::kCommit, (*back)->action);
  EXPECT_EQ(23u, (*back)->flush_sequence_id);
  EXPECT_EQ(event.stores[0].files, (*back)->stores[0].files);
}

TEST(MarkersTest, CompactionReadsBack) {
  CompactionEvent event;
  event.region = Region();
  event.family = "cf";
  event.inputs = {"a", "b"};
  event.outputs = {"c"};
  const Bytes bytes = EncodeMarker(event, 1);
  const Cell cell = CellOf(bytes);
  EXPECT_EQ("HBASE::COMPACTION", cell.qualifier());
  const auto back = DecodeCompactionEvent(cell);
  ASSERT_TRUE(back.ok() && back->has_value());
  EXPECT_EQ(event.inputs, (*back)->inputs);
  EXPECT_EQ(event.outputs, (*back)->outputs);
  EXPECT_EQ("cf", (*back)->family);
}

// A damaged value is an error, not a marker of nothing; other cells are no markers.
TEST(MarkersTest, DamageAndOtherCells) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("METAFAMILY", "HBASE::FLUSH", "\xff");
  batch.Put("cf", "HBASE::FLUSH", "x");
  Cell cell;
  const size_t next = CellAt(batch.buffer(), 0, &cell);
  EXPECT_EQ(StatusCode::kCorruption, DecodeFlushEvent(cell).status().code());
  EXPECT_EQ("", MarkerText(cell));
  CellAt(batch.buffer(), next, &cell);
  EXPECT_FALSE(IsMarker(cell));
  EXPECT_FALSE(DecodeFlushEvent(cell)->has_value());
}

}  // namespace
}  // namespace bennu::wal
