// A store as the tests against a real HBase need it: made, changed, and told in the same words as
// roots/Roots.java tells HBase's.
//   peers_store make DIR          tables of every kind; leaves acknowledged writes in the log
//   peers_store extend DIR        the same in a directory of HBase's, and changes to its tables
//   peers_store shapes DIR TEMP   tables whose files lie in every way, and snapshots of them
//   peers_store clones DIR SPACE  each snapshot becomes a table of that namespace, of its name
//   peers_store restores DIR      each snapshot is put back
//   peers_store dump DIR OUT      OUT/catalog and OUT/NAMESPACE.TABLE.cells
// A step is a pure function of the directory; exit status 1 and a line of text after an error.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/base/status_macros.h"
#include "src/engine/open.h"
#include "tests/peers/store_steps.h"

namespace bennu::peers {
namespace {

// ---- tables of every kind

TableName Made(const std::string& name) { return TableName{"made", name}; }

// A family for each way to compress; block sizes that make several blocks and index levels.
TableDescriptor Codings(DataBlockEncoding encoding) {
  constexpr BloomType kBlooms[] = {BloomType::kNone, BloomType::kRow, BloomType::kRowCol,
                                   BloomType::kRowPrefixFixedLength};
  TableDescriptor table;
  table.name = Made(std::string(DataBlockEncodingName(encoding)));
  size_t i = static_cast<size_t>(encoding);
  for (const Compression compression : {Compression::kNone, Compression::kGz, Compression::kSnappy,
                                        Compression::kLz4, Compression::kZstd}) {
    const std::string name(CompressionName(compression));
    const BloomType bloom = kBlooms[i++ % 4];
    ColumnFamilyDescriptor family =
        Family("in_" + name, {{"COMPRESSION", name},
                              {"DATA_BLOCK_ENCODING", std::string(DataBlockEncodingName(encoding))},
                              {"BLOOMFILTER", std::string(BloomTypeName(bloom))},
                              {"BLOCKSIZE", "2048"},
                              {"VERSIONS", "3"}});
    if (bloom == BloomType::kRowPrefixFixedLength) {
      family.attributes["RowPrefixBloomFilter.prefix_length"] = "4";
    }
    table.families.push_back(std::move(family));
  }
  return table;
}

constexpr DataBlockEncoding kEncodings[] = {DataBlockEncoding::kNone, DataBlockEncoding::kPrefix,
                                            DataBlockEncoding::kDiff, DataBlockEncoding::kFastDiff,
                                            DataBlockEncoding::kRowIndexV1};

// Deletes of each kind, cells with a time to live of their own, odd names, a counter.
Status MakeOddCells(Connection* store, const TableName& name) {
  ASSIGN_OR_RETURN(const auto table, store->OpenTable(name));
  const Bytes family = table->descriptor().families.front().name;
  MutationBatch batch;
  for (int r = 0; r < 50; r += 5) {
    batch.StartRow(Row(r));
    batch.DeleteFamily(family, kOld + 2000);
    batch.StartRow(Row(r + 1));
    batch.DeleteColumn(family, "q0", kOld + 2000);
    batch.StartRow(Row(r + 2));
    batch.DeleteVersion(family, "q1", kOld + ((r + 2) * 37 + 1) % 1000);
    batch.StartRow(Row(r + 3));
    batch.DeleteFamilyVersion(family, kOld + ((r + 3) * 37) % 1000);
    batch.StartRow(Row(r + 4));
    batch.SetTtlMillis(20 * kDayMillis);
    batch.Put(family, "lasting", "twenty days");
  }
  batch.StartRow(Bytes(1, '\0'));
  batch.Put(family, "", "no qualifier", kOld);
  batch.Put(family, Bytes("\0\xff", 2), "", kOld);
  batch.Put(family, "big", Bytes(5000, '\0'), kOld);
  RETURN_IF_ERROR(table->Write(&batch));
  return table->Increment("counter", family, "n", 42).status();
}

Status Make(Connection* store) {
  Admin* const admin = store->admin();
  RETURN_IF_ERROR(admin->CreateNamespace("made"));
  for (const DataBlockEncoding encoding : kEncodings) {
    const TableDescriptor table = Codings(encoding);
    RETURN_IF_ERROR(admin->CreateTable(table, {Row(100), Row(200)}));
    RETURN_IF_ERROR(Fill(store, table.name, 0, 300, kOld));
    RETURN_IF_ERROR(MakeOddCells(store, table.name));
    RETURN_IF_ERROR(admin->Flush(table.name));
    RETURN_IF_ERROR(Fill(store, table.name, 50, 50, kOld + kDayMillis));
    RETURN_IF_ERROR(admin->Flush(table.name));
  }
  for (const std::string name : {"split", "merged", "off", "таблица"}) {
    TableDescriptor table;
    table.name = Made(name);
    table.attributes["MY_OWN"] = "value";
    table.families = {Family("f", {{"VERSIONS", "2"}})};
    RETURN_IF_ERROR(admin->CreateTable(
        table, name == "merged" ? std::vector<Bytes>{Row(100), Row(200)} : std::vector<Bytes>()));
    RETURN_IF_ERROR(Fill(store, table.name, 0, 300, kOld));
    RETURN_IF_ERROR(admin->Flush(table.name));
  }
  RETURN_IF_ERROR(admin->SplitTable(Made("split"), Row(150)));
  ASSIGN_OR_RETURN(const auto merged, store->OpenTable(Made("merged")));
  const auto regions = merged->regions();
  RETURN_IF_ERROR(admin->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()}));
  RETURN_IF_ERROR(admin->DisableTable(Made("off")));
  // In the log alone.
  for (const DataBlockEncoding encoding : kEncodings) {
    RETURN_IF_ERROR(Fill(store, Codings(encoding).name, 400, 20, kOld));
  }
  return Fill(store, Made("split"), 140, 20, kOld + kDayMillis);
}

// What Roots.java made: more rows and markers, another split, a change of the descriptor.
Status ChangeForeign(Connection* store) {
  Admin* const admin = store->admin();
  for (const DataBlockEncoding encoding : kEncodings) {
    const TableName name{"codings", std::string(DataBlockEncodingName(encoding))};
    RETURN_IF_ERROR(Fill(store, name, 600, 30, kOld));
    ASSIGN_OR_RETURN(const auto table, store->OpenTable(name));
    MutationBatch batch;
    batch.DeleteRow(Row(3));
    RETURN_IF_ERROR(table->Write(&batch));
    RETURN_IF_ERROR(admin->Flush(name));
  }
  RETURN_IF_ERROR(admin->SplitTable({"default", "shot"}, Row(120)));
  ASSIGN_OR_RETURN(const auto versions, store->OpenTable({"default", "versions"}));
  TableDescriptor descriptor = versions->descriptor();
  descriptor.attributes["MY_OWN"] = "changed";
  RETURN_IF_ERROR(admin->AlterTable(descriptor));
  return admin->EnableTable({"default", "off"});
}

}  // namespace
}  // namespace bennu::peers

int main(int argc, char** argv) {
  const std::string step = argc > 1 ? argv[1] : "";
  const auto run = [&]() -> bennu::Status {
    if (argc < 3) return bennu::InvalidArgument("usage: peers_store STEP DIR [ARGUMENT]");
    bennu::engine::EngineOptions options;
    options.background_compaction = false;
    options.background_split = false;
    options.create_if_missing = step == "make" || step == "shapes";
    ASSIGN_OR_RETURN(const auto store, bennu::engine::OpenEngine(argv[2], options));
    if (step == "dump" && argc > 3) {
      RETURN_IF_ERROR(bennu::peers::Dump(store.get(), argv[3]));
    } else if (step == "make") {
      RETURN_IF_ERROR(bennu::peers::Make(store.get()));
      std::_Exit(0);  // as if killed
    } else if (step == "extend") {
      RETURN_IF_ERROR(bennu::peers::Make(store.get()));
      RETURN_IF_ERROR(bennu::peers::ChangeForeign(store.get()));
    } else if (step == "shapes" && argc > 3) {
      RETURN_IF_ERROR(bennu::peers::MakeShapes(store.get(), argv[3]));
    } else if (step == "clones" && argc > 3) {
      RETURN_IF_ERROR(bennu::peers::CloneSnapshots(store.get(), argv[3]));
    } else if (step == "restores") {
      RETURN_IF_ERROR(bennu::peers::RestoreSnapshots(store.get()));
    } else {
      return bennu::InvalidArgument("no such step: " + step);
    }
    return store->Close();
  };
  const bennu::Status status = run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "peers_store %s: %s\n", step.c_str(), status.ToString().c_str());
  return 1;
}
