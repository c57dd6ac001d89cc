#include "src/sql/catalog/local_index.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "src/api/scan_of_get.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/value.h"

namespace bennu::sql::catalog {
namespace {

// How often a scan looks again at regions that are replaced while it begins.
constexpr int kOpeningsMax = 100;
// Each source of a merge pins the rows that it has at hand, so that they are few.
constexpr size_t kRowsOfSourceMin = 16;

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

// Merges the rows of the regions, each of which has its own in order.
class LocalIndexScanner : public Scanner {
 public:
  LocalIndexScanner(bool reversed, int64_t row_limit)
      : reversed_(reversed), rows_left_(row_limit < 0 ? INT64_MAX : row_limit) {}

  void AddSource(std::unique_ptr<Scanner> scanner, size_t prefix_size) {
    sources_.push_back({std::move(scanner), prefix_size, {}, 0, {}});
  }
  void Clear() { sources_.clear(); }

  Status Next(size_t row_limit, CellBatch* batch) override {
    batch->Clear();
    if (row_limit == 0) return InvalidArgument("a scanner was asked for 0 rows");
    RETURN_IF_ERROR(Refill(row_limit));
    const size_t wanted =
        std::min<uint64_t>(row_limit, static_cast<uint64_t>(std::max<int64_t>(rows_left_, 0)));
    key_bytes_ = 0;
    // Cells of a source stay until it is asked for more, so that the batch ends when one has
    // handed out all that it had at hand.
    bool is_used_up = live_.empty();
    while (!is_used_up && batch->row_count() < wanted) {
      std::pop_heap(live_.begin(), live_.end(), ComesLater{reversed_});
      Source* const first = live_.back();
      TakeRow(first, batch);
      is_used_up = !first->Advance();
      if (is_used_up) {
        live_.pop_back();
      } else {
        std::push_heap(live_.begin(), live_.end(), ComesLater{reversed_});
      }
    }
    rows_left_ -= static_cast<int64_t>(batch->row_count());
    rows_ += batch->row_count();
    WriteKeys(batch);
    return Status::Ok();
  }

  Metrics metrics() const override {
    Metrics sum = finished_;
    for (const Source& source : sources_) {
      if (source.scanner != nullptr) Add(source.scanner->metrics(), &sum);
    }
    sum.rows = rows_;
    return sum;
  }

 private:
  struct Source {
    std::unique_ptr<Scanner> scanner;  // null at the end
    size_t prefix_size = 0;
    CellBatch batch;
    size_t row = 0;
    ByteView key;  // of that row, without the prefix

    // To the next row at hand; false: there is none.
    bool Advance() {
      if (++row >= batch.row_count()) return false;
      SetKey();
      return true;
    }
    void SetKey() { key = batch.cells[batch.row_starts[row]].row().substr(prefix_size); }
  };
  // The order of a heap whose first is the next.
  struct ComesLater {
    bool reversed;
    bool operator()(const Source* left, const Source* right) const {
      return reversed ? left->key < right->key : left->key > right->key;
    }
  };

  static void Add(const Metrics& metrics, Metrics* sum) {
    sum->cells_seen += metrics.cells_seen;
    sum->blocks_read += metrics.blocks_read;
    sum->blocks_cached += metrics.blocks_cached;
    sum->files_opened += metrics.files_opened;
    sum->files_skipped_by_time += metrics.files_skipped_by_time;
    sum->files_skipped_by_bloom += metrics.files_skipped_by_bloom;
    sum->files_skipped_by_key += metrics.files_skipped_by_key;
    sum->seeks += metrics.seeks;
    sum->rows_touched += metrics.rows_touched;
    sum->rows_ending += metrics.rows_ending;
    sum->rows_filtered += metrics.rows_filtered;
    sum->calls += metrics.calls;
  }

  Status Refill(size_t row_limit) {
    const size_t rows_at_once =
        std::max(kRowsOfSourceMin, row_limit / std::max<size_t>(1, sources_.size()));
    live_.clear();
    for (Source& source : sources_) {
      if (source.scanner != nullptr && source.row >= source.batch.row_count()) {
        source.row = 0;
        RETURN_IF_ERROR(source.scanner->Next(rows_at_once, &source.batch));
        if (source.batch.row_count() == 0) {
          Add(source.scanner->metrics(), &finished_);
          source.scanner = nullptr;
        } else {
          source.SetKey();
        }
      }
      if (source.scanner != nullptr) live_.push_back(&source);
    }
    std::make_heap(live_.begin(), live_.end(), ComesLater{reversed_});
    return Status::Ok();
  }

  void TakeRow(Source* source, CellBatch* batch) {
    batch->row_starts.push_back(static_cast<uint32_t>(batch->cells.size()));
    prefix_sizes_.resize(batch->row_starts.size());
    prefix_sizes_.back() = source->prefix_size;
    const CellBatch& from = source->batch;
    for (uint32_t i = from.row_starts[source->row]; i < from.row_end(source->row); ++i) {
      batch->cells.push_back(from.cells[i]);
      key_bytes_ += from.cells[i].key_length - source->prefix_size;
    }
  }

  // Gives the cells keys of their own, without the prefixes.
  void WriteKeys(CellBatch* batch) {
    keys_.resize(key_bytes_);
    char* to = keys_.data();
    for (size_t row = 0; row < batch->row_count(); ++row) {
      const size_t prefix_size = prefix_sizes_[row];
      for (uint32_t i = batch->row_starts[row]; i < batch->row_end(row); ++i) {
        Cell& cell = batch->cells[i];
        const size_t row_length = cell.row_length() - prefix_size;
        const size_t length = cell.key_length - prefix_size;
        to[0] = static_cast<char>(row_length >> 8);
        to[1] = static_cast<char>(row_length);
        std::memcpy(to + 2, cell.key + 2 + prefix_size, length - 2);
        cell.key = to;
        cell.key_length = static_cast<uint32_t>(length);
        to += length;
      }
    }
  }

  const bool reversed_;
  int64_t rows_left_;
  uint64_t rows_ = 0;
  Metrics finished_;  // of sources at their ends
  std::vector<Source> sources_;
  std::vector<Source*> live_;         // a heap of those that have a row at hand
  std::vector<size_t> prefix_sizes_;  // by row of the batch
  size_t key_bytes_ = 0;              // of the cells of the batch, without prefixes
  Bytes keys_;
};

class LocalIndexTable : public Table {
 public:
  LocalIndexTable(Connection* connection, std::shared_ptr<Table> data, const TableMeta& index)
      : connection_(connection), data_(std::move(data)), index_(index) {}

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

  // A region that is replaced while the scanners are opened may be seen by some of them only. Once
  // the regions are the same before and behind, all scanners have them, and keep them to the end.
  Result<std::unique_ptr<Scanner>> OpenScanner(const Scan& scan) override {
    if (scan.filter != nullptr) {
      return NotSupported("rows of local indexes are not read through a filter");
    }
    Scan seen = scan;
    if (seen.snapshot == nullptr) seen.snapshot = connection_->TakeSnapshot();
    if (seen.columns.empty()) {
      seen.columns[index_.empty_family];
      for (const std::string& family : index_.families) seen.columns[family];
    }
    auto scanner = std::make_unique<LocalIndexScanner>(scan.reversed, scan.row_limit);
    for (int i = 0; i < kOpeningsMax; ++i) {
      const std::vector<RegionInfo> regions = data_->regions();
      scanner->Clear();
      for (const RegionInfo& region : regions) {
        const Bytes prefix = LocalPrefix(index_, region);
        seen.range = WithPrefix(scan.range, prefix, region, scan.reversed);
        if (scan.navigator != nullptr) {
          seen.navigator = std::make_shared<PrefixedNavigator>(prefix, scan.navigator->Clone());
        }
        ASSIGN_OR_RETURN(auto source, data_->OpenScanner(seen));
        scanner->AddSource(std::move(source), prefix.size());
      }
      if (data_->regions() == regions) return std::unique_ptr<Scanner>(std::move(scanner));
    }
    return Status(StatusCode::kAborted,
                  "reading index " + index_.FullName() +
                      ": the regions of its table are replaced all the time; try again");
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

  // 'range' is one of keys without the prefix.
  static RowRange WithPrefix(const RowRange& range, const Bytes& prefix, const RegionInfo& region,
                             bool reversed) {
    RowRange result;
    const Bytes& low = reversed ? range.stop : range.start;
    const Bytes& high = reversed ? range.start : range.stop;
    Bytes first = prefix + low;
    Bytes last = high.empty() ? BehindPrefix(prefix) : prefix + high;
    if (last.empty()) last = region.end_key;
    bool first_inclusive = low.empty() || (reversed ? range.stop_inclusive : range.start_inclusive);
    bool last_inclusive =
        !high.empty() && (reversed ? range.start_inclusive : range.stop_inclusive);
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

  Connection* const connection_;
  const std::shared_ptr<Table> data_;
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

Result<std::shared_ptr<Table>> OpenRows(Connection* connection, const TableMeta& table) {
  ASSIGN_OR_RETURN(auto data, connection->OpenTable(table.physical));
  if (!table.is_local_index()) return data;
  return std::shared_ptr<Table>(
      std::make_shared<LocalIndexTable>(connection, std::move(data), table));
}

}  // namespace bennu::sql::catalog
