#include "src/engine/table_transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/coding.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/engine/file_series.h"
#include "src/engine/region/region_scanner.h"
#include "src/engine/root_directory.h"

namespace bennu::engine {

namespace {

constexpr size_t kRowsPerStep = 512;

// A moment that stays readable.
class ReadPoint {
 public:
  explicit ReadPoint(ReadPoints* points) : points_(points), value_(points->Register()) {}
  ~ReadPoint() { points_->Unregister(value_); }
  ReadPoint(const ReadPoint&) = delete;
  ReadPoint& operator=(const ReadPoint&) = delete;
  uint64_t value() const { return value_; }

 private:
  ReadPoints* const points_;
  const uint64_t value_;
};

bool HasTags(const Region& region, ByteView family) {
  const auto set = region.stores();
  const int index = set->Find(family);
  if (index < 0) return false;
  const auto view = set->entries[static_cast<size_t>(index)].store->view();
  return std::any_of(view->memstores.begin(), view->memstores.end(),
                     [](const auto& memstore) { return memstore->has_tags(); }) ||
         std::any_of(view->files.begin(), view->files.end(),
                     [](const auto& file) { return file->reader()->includes_tags(); });
}

bool Overlaps(const RowRange& rows, const RegionInfo& region) {
  return (rows.stop.empty() || region.start_key.empty() || region.start_key < rows.stop ||
          (rows.stop_inclusive && region.start_key == rows.stop)) &&
         (region.end_key.empty() || rows.start.empty() || rows.start < region.end_key);
}

class Exporter {
 public:
  Exporter(EngineCore* core, std::shared_ptr<TableEntry> table, const std::string& folder,
           const ExportOptions& options)
      : core_(core),
        table_(std::move(table)),
        folder_(folder),
        options_(options),
        moment_(&core->read_points),
        now_millis_(core->clock.NowMillis()) {}

  Result<ExportResult> Run() {
    RETURN_IF_ERROR(table_->CheckUsable());
    // After the read point: then all that it shows is in these regions.
    const auto all = table_->regions();
    for (const auto& region : *all) {
      if (Overlaps(options_.rows, region->info())) regions_.push_back(region);
    }
    const TableDescriptor descriptor = table_->descriptor();
    RETURN_IF_ERROR(CheckFolder());
    Status status = core_->OpenRegions(regions_);
    for (const auto& family : descriptor.families) {
      if (status.ok()) status = WriteFamily(family);
    }
    // Last: a folder that has it is complete.
    if (status.ok()) status = WriteTableInfo(core_->env, folder_, descriptor);
    if (status.ok()) status = core_->env->SyncDirectory(folder_);
    if (status.ok()) return result_;
    RETURN_IF_ERROR(RemoveWritten(descriptor).Annotate("cleaning up after: " + status.ToString()));
    return status.Annotate("exporting table " + table_->name().ToString() + " to " + folder_);
  }

 private:
  Status CheckFolder() const {
    RETURN_IF_ERROR(core_->env->CreateDurableDirectories(folder_));
    ASSIGN_OR_RETURN(const auto present, core_->env->ListDirectory(folder_));
    if (present.empty()) return Status::Ok();
    return FailedPrecondition("folder " + folder_ +
                              " is not empty; export to a new or an empty one");
  }

  Status RemoveWritten(const TableDescriptor& descriptor) const {
    for (const auto& family : descriptor.families) {
      RETURN_IF_ERROR(core_->env->RemoveTree(JoinPath(folder_, family.name)));
    }
    return core_->env->RemoveTree(JoinPath(folder_, ".tabledesc"));
  }

  FileSeries::Options SeriesOptions(const ColumnFamilyDescriptor& family) const {
    FileSeries::Options series;
    series.family = family.name;
    series.directory = JoinPath(folder_, family.name);
    series.writer = WriterOptionsOf(family, core_->env->NowMillis());
    series.writer.include_mvcc = false;
    series.writer.include_tags =
        std::any_of(regions_.begin(), regions_.end(),
                    [&](const auto& region) { return HasTags(*region, family.name); });
    series.facts.major_compaction = !options_.raw;
    // As HBase's HFileOutputFormat2.
    AppendBE64(&series.info[Bytes(hfile::kInfoBulkLoadTime)], static_cast<uint64_t>(now_millis_));
    series.info[Bytes(hfile::kInfoBulkLoadTask)] = "bennu export of " + table_->name().ToString();
    return series;
  }

  Status WriteFamily(const ColumnFamilyDescriptor& family) {
    FileSeries series(core_->env, SeriesOptions(family));
    RETURN_IF_ERROR(core_->env->CreateDirectories(JoinPath(folder_, family.name)));
    Scan scan;
    scan.range = options_.rows;
    scan.time_range = options_.time_range;
    scan.columns[family.name];
    scan.max_versions = options_.max_versions;
    scan.raw = options_.raw;
    scan.cache_blocks = false;
    for (const auto& region : regions_) RETURN_IF_ERROR(WriteRegion(region, scan, &series));
    RETURN_IF_ERROR(series.EndFile());
    for (const LoadFile& file : series.files()) {
      ++result_.files;
      result_.bytes += file.size_bytes;
    }
    return core_->env->SyncDirectory(JoinPath(folder_, family.name));
  }

  Status WriteRegion(const std::shared_ptr<Region>& region, const Scan& scan, FileSeries* series) {
    ASSIGN_OR_RETURN(auto scanner,
                     RegionScanner::Open(region, &scan, nullptr, moment_.value(), now_millis_));
    CellBatch batch;
    for (bool done = false; !done;) {
      batch.Clear();
      scanner->Unpin();
      RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
      for (size_t row = 0; row < batch.row_count(); ++row) {
        if (series->estimated_size() >= options_.file_bytes_max) {
          RETURN_IF_ERROR(series->EndFile());
        }
        for (uint32_t i = batch.row_starts[row]; i < batch.row_end(row); ++i) {
          RETURN_IF_ERROR(series->Append(batch.cells[i]));
        }
      }
      result_.cells += batch.cells.size();
      if (options_.progress) {
        options_.progress(result_.cells, result_.bytes + series->estimated_size());
      }
    }
    return Status::Ok();
  }

  EngineCore* const core_;
  const std::shared_ptr<TableEntry> table_;
  const std::string folder_;
  const ExportOptions& options_;
  const ReadPoint moment_;
  const int64_t now_millis_;
  RegionList regions_;
  ExportResult result_;
};

// Without a descriptor: a family is written as its first file is.
Result<ColumnFamilyDescriptor> DescribeFamily(Env* env, const LoadFile& file) {
  ASSIGN_OR_RETURN(const auto reader, hfile::Reader::Open(env, file.path, nullptr));
  ColumnFamilyDescriptor family;
  family.name = file.family;
  family.attributes["COMPRESSION"] =
      CompressionName(static_cast<Compression>(reader->trailer().compression));
  family.attributes["DATA_BLOCK_ENCODING"] = DataBlockEncodingName(reader->encoding());
  const BloomType bloom = reader->bloom_type();
  if (bloom == BloomType::kRow || bloom == BloomType::kRowCol) {
    family.attributes["BLOOMFILTER"] = BloomTypeName(bloom);
  }
  return family;
}

}  // namespace

Result<ExportResult> ExportTable(EngineCore* core, const std::shared_ptr<TableEntry>& table,
                                 const std::string& folder, const ExportOptions& options) {
  return Exporter(core, table, folder, options).Run();
}

Result<TableDescriptor> DescribeFolder(Env* env, const std::string& folder,
                                       const std::optional<TableName>& name,
                                       const std::vector<LoadFile>& files) {
  auto written = ReadTableInfo(env, folder);
  if (written.ok()) {
    if (name.has_value()) written->name = *name;
    return written;
  }
  if (written.status().code() != StatusCode::kNotFound) return written;
  if (!name.has_value()) {
    return InvalidArgument("folder " + folder +
                           " has no .tabledesc that would name a table; name one");
  }
  TableDescriptor descriptor;
  descriptor.name = *name;
  std::set<Bytes> families;
  for (const LoadFile& file : files) {
    if (!families.insert(file.family).second) continue;
    ASSIGN_OR_RETURN(ColumnFamilyDescriptor family, DescribeFamily(env, file));
    descriptor.families.push_back(std::move(family));
  }
  return descriptor;
}

}  // namespace bennu::engine
