#include "src/sql/index/phoenix_local_build.h"

#include <atomic>
#include <vector>

#include "src/api/store_tools.h"
#include "src/base/coding.h"
#include "src/base/parallel_work.h"
#include "src/base/status_macros.h"
#include "src/sql/index/index_maintainer.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

using Attributes = std::map<std::string, Bytes>;

// COUNT(1), as an aggregate that is never NULL.
constexpr ByteView kCountOfRows("\x01\x01\x18\x01\x03\x05\x80\x00\x00\x01\x06\x03", 12);
constexpr ByteView kAnswerName = "s";  // family and qualifier of the count
constexpr size_t kCountBytes = 8;
constexpr uint64_t kPageMillis = 10'000;

Result<Attributes> AttributesOf(const std::shared_ptr<const plan::IndexDefinition>& index,
                                int32_t version) {
  const catalog::TableMeta& table = *index->table;
  Attributes attributes;
  ASSIGN_OR_RETURN(attributes["_LocalIndexBuild"], DescribeIndexes(table, {index}, version));
  attributes[kPhoenixVersionAttribute] = PhoenixClientVersion();
  attributes["_UngroupedAgg"] = Bytes(1, '\1');
  attributes["_Aggs"] = Bytes(kCountOfRows);
  attributes["_QualifierEncodingScheme"] = Bytes(1, static_cast<char>(table.encoding_bytes));
  attributes["_ImmutableStorageEncodingScheme"] = Bytes(1, static_cast<char>(table.storage_scheme));
  // So that no answer takes too long, and a scan that is cut off goes on where it was.
  AppendBE64(&attributes["_ServerPageSizeMs"], kPageMillis);
  attributes["_ScanServerValidRowKey"] = Bytes(1, '\xff');
  return attributes;
}

// An answer without a count says that the server is still at it.
int64_t RowsBuilt(const CellBatch& answer) {
  int64_t rows = 0;
  for (const Cell& cell : answer.cells) {
    if (cell.family() != kAnswerName || cell.qualifier() != kAnswerName) continue;
    const ByteView count = cell.value_view().substr(0, kCountBytes);
    const auto value = Decode(count, {TypeId::kBigint}, SortOrder::kAsc);
    if (value.ok() && !value->is_null()) rows += value->int64();
  }
  return rows;
}

}  // namespace

bool CanServersBuild(const plan::IndexDefinition& index) {
  return index.condition == nullptr && !index.has_longer_key;
}

Result<int64_t> BuildLocalIndexByServers(Connection* connection,
                                         const OpenAttributedScanner& open_scanner, int32_t version,
                                         const std::shared_ptr<const plan::IndexDefinition>& index,
                                         const IndexKeeper::Progress& progress) {
  if (!CanServersBuild(*index)) {
    return MakeUncodedSqlError("local index " + index->index->FullName() +
                               " has some of its table's rows, and Phoenix's servers would give it "
                               "all of them; make a global one");
  }
  ASSIGN_OR_RETURN(const Attributes attributes, AttributesOf(index, version));
  ASSIGN_OR_RETURN(const auto table, connection->OpenTable(index->table->physical));
  Scan all;
  plan::AddReadColumns(*index, &all.columns);
  const std::vector<RegionInfo> regions = table->regions();
  std::atomic<int64_t> rows{0};
  const auto build = [&](const RegionInfo& region) -> Status {
    Scan scan = all;
    scan.range.start = region.start_key;
    scan.range.stop = region.end_key;
    ASSIGN_OR_RETURN(const auto scanner, open_scanner(table->name(), scan, attributes));
    CellBatch found;
    for (;;) {
      RETURN_IF_ERROR(scanner->Next(1, &found));
      if (found.row_count() == 0) return Status::Ok();
      const int64_t built = RowsBuilt(found);
      rows.fetch_add(built);
      RETURN_IF_ERROR(progress(static_cast<size_t>(built)));
    }
  };
  RETURN_IF_ERROR(ParallelForAll(StoreTools::QueryPool(connection), regions.size(),
                                 [&](size_t i) { return build(regions[i]); }));
  return rows.load();
}

}  // namespace bennu::sql::index
