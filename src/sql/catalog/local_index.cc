#include "src/sql/catalog/local_index.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "src/api/known_tables.h"
#include "src/api/region_scans.h"
#include "src/api/scan_of_get.h"
#include "src/api/store_tools.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/parallel_work.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"
#include "src/sql/catalog/local_index_scanner.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

// How often a scan looks again at regions that are replaced while it begins.
constexpr int kOpeningsMax = 100;
// Before it looks again, where regions are replaced by others.
constexpr uint64_t kPauseMicros = 100'000;

// Asks about keys without their prefix.
class PrefixedNavigator : public RowNavigator {
 public:
  PrefixedNavigator(Bytes prefix, std::unique_ptr<RowNavigator> inner)
      : prefix_(std::move(prefix)), inner_(std::move(inner)) {}

  Decision Navigate(ByteView row, Bytes* seek_row) override {
    const Decision decision = inner_->Navigate(row.substr(prefix_.size()), seek_row);
    if (decision == Decision::kSeek) seek_row->insert(0, prefix_);
    return decision;
  }
  ByteView IncludedUpTo() const override {
    const ByteView up_to = inner_->IncludedUpTo();
    if (up_to.empty()) return up_to;
    included_.assign(prefix_).append(up_to);
    return included_;
  }
  std::unique_ptr<RowNavigator> Clone() const override {
    return std::make_unique<PrefixedNavigator>(prefix_, inner_->Clone());
  }

 private:
  const Bytes prefix_;
  const std::unique_ptr<RowNavigator> inner_;
  mutable Bytes included_;
};

// 'range' is one of keys without the prefix.
RowRange WithPrefix(const RowRange& range, const Bytes& prefix, const RegionInfo& region,
                    bool reversed) {
  RowRange result;
  const Bytes& low = reversed ? range.stop : range.start;
  const Bytes& high = reversed ? range.start : range.stop;
  Bytes first = prefix + low;
  Bytes last = high.empty() ? BehindPrefix(prefix) : prefix + high;
  if (last.empty()) last = region.end_key;
  bool first_inclusive = low.empty() || (reversed ? range.stop_inclusive : range.start_inclusive);
  bool last_inclusive = !high.empty() && (reversed ? range.start_inclusive : range.stop_inclusive);
  if (reversed) {
    std::swap(first, last);
    std::swap(first_inclusive, last_inclusive);
  }
  result.start = std::move(first);
  result.start_inclusive = first_inclusive;
  result.stop = std::move(last);
  result.stop_inclusive = last_inclusive;
  return result;
}

// Whether the regions are all that a table has.
bool AreWhole(const std::vector<RegionInfo>& regions) {
  ByteView border;
  for (const RegionInfo& region : regions) {
    const bool is_first = &region == &regions.front();
    if (region.start_key != border || (!is_first && border.empty())) return false;
    border = region.end_key;
  }
  return !regions.empty() && border.empty();
}

// What it takes to begin a scan in all regions.
struct Opening {
  Connection* connection;
  Table* data;
  api::RegionScans* region_scans;  // null: a scanner sees one moment, and its regions stay for it
  const TableMeta& index;

  // One scanner for each of these regions.
  Result<std::vector<LocalIndexSource>> OpenAll(const std::vector<RegionInfo>& regions,
                                                const Scan& scan) const {
    std::vector<LocalIndexSource> sources(regions.size());
    RETURN_IF_ERROR(ParallelForAll(
        region_scans == nullptr ? nullptr : StoreTools::QueryPool(connection), regions.size(),
        [&](size_t i) -> Status {
          const Bytes prefix = LocalPrefix(index, regions[i]);
          Scan seen = scan;
          seen.range = WithPrefix(scan.range, prefix, regions[i], scan.reversed);
          if (scan.navigator != nullptr) {
            seen.navigator = std::make_shared<PrefixedNavigator>(prefix, scan.navigator->Clone());
          }
          if (region_scans == nullptr) {
            ASSIGN_OR_RETURN(sources[i].scanner, data->OpenScanner(seen));
          } else {
            RETURN_IF_ERROR(region_scans->WaitForCompaction(regions[i]));
            ASSIGN_OR_RETURN(sources[i].scanner, region_scans->OpenRegionScanner(regions[i], seen));
          }
          sources[i].prefix_size = prefix.size();
          return Status::Ok();
        }));
    return sources;
  }

  // A region that is replaced while the scanners are opened may be seen by some of them only. In
  // one process all scanners have the regions that are the same before and behind, and keep them
  // to the end. Over a cluster each scanner knows whether its own region is still there.
  Result<std::vector<LocalIndexSource>> Open(const Scan& scan) const {
    for (int i = 0; i < kOpeningsMax; ++i) {
      if (i > 0 && region_scans != nullptr) Env::Default()->SleepMicros(kPauseMicros);
      const std::vector<RegionInfo> regions =
          i == 0 && region_scans != nullptr ? region_scans->KnownRegions() : data->regions();
      if (region_scans == nullptr) {
        ASSIGN_OR_RETURN(auto sources, OpenAll(regions, scan));
        if (data->regions() == regions) return sources;
      } else if (AreWhole(regions)) {
        auto sources = OpenAll(regions, scan);
        if (sources.status().code() != StatusCode::kNotFound) return sources;
      }
    }
    return Status(StatusCode::kAborted,
                  "reading index " + index.FullName() +
                      ": the regions of its table are replaced all the time; try again");
  }
};

class LocalIndexTable : public Table {
 public:
  LocalIndexTable(Connection* connection, std::shared_ptr<Table> data, const TableMeta& index)
      : connection_(connection),
        data_(std::move(data)),
        region_scans_(dynamic_cast<api::RegionScans*>(data_.get())),
        index_(index) {}

  const TableName& name() const override { return data_->name(); }
  TableDescriptor descriptor() const override { return data_->descriptor(); }
  std::vector<RegionInfo> regions() const override { return data_->regions(); }

  Status Write(MutationBatch* /*batch*/) override { return ReadOnly(); }
  Status Mutate(MutationBatch* /*batch*/, std::vector<Row>* /*results*/) override {
    return ReadOnly();
  }
  Status MutateAtomically(MutationBatch* /*batch*/, std::vector<Row>* /*results*/) override {
    return ReadOnly();
  }
  Status MutateEach(MutationBatch* /*batch*/, std::vector<Outcome>* /*outcomes*/) override {
    return ReadOnly();
  }
  void WriteAsync(MutationBatch* /*batch*/, std::function<void(Status)> done) override {
    done(ReadOnly());
  }
  Result<bool> CheckAndWrite(const Condition& /*condition*/, MutationBatch* /*batch*/) override {
    return ReadOnly();
  }
  Result<CheckedResult> CheckAndMutate(const Condition& /*condition*/,
                                       MutationBatch* /*batch*/) override {
    return ReadOnly();
  }

  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override {
    if (scan.filter != nullptr && region_scans_ == nullptr) {
      return NotSupported("rows of local indexes are not read through a filter");
    }
    Scan seen = scan;
    if (seen.snapshot == nullptr) seen.snapshot = connection_->TakeSnapshot();
    // A secondary replica can have files of former regions for longer than its primary.
    seen.consistency = Consistency::kStrong;
    if (seen.columns.empty()) {
      seen.columns[index_.empty_family];
      for (const std::string& family : index_.families) seen.columns[family];
    }
    auto scanner = std::make_unique<LocalIndexScanner>(
        scan.reversed, scan.row_limit,
        [connection = connection_, data = data_, regions = region_scans_, index = index_,
         seen = std::move(seen)](const Bytes* behind, int64_t row_limit) mutable {
          seen.row_limit = row_limit;
          if (behind != nullptr) {
            seen.range.start = *behind;
            seen.range.start_inclusive = false;
          }
          const Opening opening = {connection, data.get(), regions, index};
          return opening.Open(seen);
        });
    RETURN_IF_ERROR(scanner->OpenSources());
    return std::unique_ptr<Scanner>(std::move(scanner));
  }

  Result<Row> GetRow(const Get& get) override {
    Row row;
    RETURN_IF_ERROR(GetCells(
        get, [&row](const Cell* cells, size_t count) { row = cell::CopyRow(cells, count); }));
    return row;
  }

  Status GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) override {
    Scan scan;
    MakeScanOf(get, &scan);
    scan.filter = get.filter;
    scan.snapshot = get.snapshot;
    scan.row_limit = 1;
    ASSIGN_OR_RETURN(const auto scanner, OpenScanner(scan));
    CellBatch batch;
    do {
      RETURN_IF_ERROR(scanner->Next(1, &batch));
    } while (batch.row_count() > 0 && batch.cells.front().row() != get.row);
    use(batch.cells.data(), batch.cells.size());
    return Status::Ok();
  }

  // The regions' rows are merged, so that no border divides them.
  Result<std::vector<RowRange>> SplitRange(const RowRange& range, size_t /*count*/) override {
    return std::vector<RowRange>{range};
  }

 private:
  Status ReadOnly() const {
    return NotSupported("rows of the local index " + index_.FullName() +
                        " are written with those of its table alone");
  }

  Connection* const connection_;
  const std::shared_ptr<Table> data_;
  api::RegionScans* const region_scans_;  // of data_; null: it has none
  const TableMeta index_;
};

}  // namespace

bool HasLocalFamilies(const TableDescriptor& descriptor) {
  return std::any_of(descriptor.families.begin(), descriptor.families.end(),
                     [](const auto& family) { return IsLocalFamily(family.name); });
}

std::map<Bytes, std::set<Bytes>> FamiliesOfTable(const TableDescriptor& descriptor) {
  std::map<Bytes, std::set<Bytes>> families;
  if (!HasLocalFamilies(descriptor)) return families;
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    if (!IsLocalFamily(family.name)) families[family.name];
  }
  return families;
}

Bytes BehindPrefix(Bytes prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

Bytes IndexIdBytes(const TableMeta& index) {
  const DataType type{index.view_index_id_type};
  Bytes id;
  // A number that was given out fits its type.
  static_cast<void>(Encode(Value::Int(type, *index.view_index_id), type, SortOrder::kAsc, &id));
  return id;
}

Bytes LocalPrefix(const RegionInfo& region) {
  return region.start_key.empty() ? Bytes(region.end_key.size(), '\0') : region.start_key;
}

Bytes LocalPrefix(const TableMeta& index, const RegionInfo& region) {
  return LocalPrefix(region) + IndexIdBytes(index);
}

RowRange LocalRows(const TableMeta& index, const RegionInfo& region) {
  RowRange range;
  range.start = LocalPrefix(index, region);
  range.stop = BehindPrefix(range.start);
  if (range.stop.empty()) range.stop = region.end_key;
  return range;
}

Status CheckLocalRowsFit(const TableMeta& index, const RegionInfo& region) {
  const Bytes prefix = LocalPrefix(index, region);
  const Bytes& end = region.end_key;
  if (end.empty() || (prefix < end && !end.starts_with(prefix))) return Status::Ok();
  return FailedPrecondition("a region of table " + region.table.ToString() + " from '" +
                            ToStringBinary(region.start_key) + "' to '" + ToStringBinary(end) +
                            "' cannot hold rows of the local index " + index.FullName() +
                            ", since their keys begin with '" + ToStringBinary(prefix) +
                            "'; another border must be chosen");
}

Result<bool> IsLocalIndexReadable(Connection* connection, const TableMeta& index) {
  ASSIGN_OR_RETURN(const auto data, api::OpenKnownTable(connection, index.physical));
  auto* const region_scans = dynamic_cast<api::RegionScans*>(data.get());
  if (region_scans == nullptr) return true;
  const std::vector<RegionInfo> regions = data->regions();
  std::atomic<bool> readable = true;
  RETURN_IF_ERROR(
      ParallelForAll(StoreTools::QueryPool(connection), regions.size(), [&](size_t i) -> Status {
        const auto has_references = region_scans->HasReferences(regions[i]);
        // Whoever takes the place of a region that is gone was just made.
        const bool is_gone = has_references.status().code() == StatusCode::kNotFound;
        if (!is_gone) RETURN_IF_ERROR(has_references.status());
        if (is_gone || *has_references) readable = false;
        return Status::Ok();
      }));
  return readable.load();
}

Result<std::shared_ptr<Table>> OpenRows(Connection* connection, const TableMeta& table) {
  ASSIGN_OR_RETURN(auto data, api::OpenKnownTable(connection, table.physical));
  if (!table.is_local_index()) return data;
  return std::shared_ptr<Table>(
      std::make_shared<LocalIndexTable>(connection, std::move(data), table));
}

}  // namespace bennu::sql::catalog
