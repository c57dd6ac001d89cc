#include "src/engine/transfer/table_transfer.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/region/region_scanner.h"
#include "src/engine/transfer/table_export.h"

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

// All families as of one moment.
class RegionsSource final : public ExportSource {
 public:
  RegionsSource(EngineCore* core, std::shared_ptr<TableEntry> table, const RowRange& rows)
      : core_(core),
        table_(std::move(table)),
        rows_(rows),
        moment_(&core->read_points),
        now_millis_(core->clock.NowMillis()) {}

  Status Open() override {
    // After the read point: then all that it shows is in these regions.
    const auto all = table_->regions();
    for (const auto& region : *all) {
      if (Overlaps(rows_, region->info())) regions_.push_back(region);
    }
    return core_->OpenRegions(regions_);
  }

  bool MayHaveTags(ByteView family) const override {
    return std::any_of(regions_.begin(), regions_.end(),
                       [&](const auto& region) { return HasTags(*region, family); });
  }

  Status Read(const Scan& scan, const std::function<Status(const CellBatch&)>& use) override {
    for (const auto& region : regions_) {
      ASSIGN_OR_RETURN(auto scanner,
                       region->OpenScanner(&scan, nullptr, moment_.value(), now_millis_));
      CellBatch batch;
      for (bool done = false; !done;) {
        batch.Clear();
        scanner->Unpin();
        RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
        RETURN_IF_ERROR(use(batch));
      }
    }
    return Status::Ok();
  }

  int64_t now_millis() const { return now_millis_; }

 private:
  EngineCore* const core_;
  const std::shared_ptr<TableEntry> table_;
  const RowRange& rows_;
  const ReadPoint moment_;
  const int64_t now_millis_;
  RegionList regions_;
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
  RETURN_IF_ERROR(table->CheckUsable());
  RegionsSource source(core, table, options.rows);
  const TableDescriptor descriptor = table->descriptor();
  return WriteExport(core->env, descriptor, source.now_millis(), &source, folder, options);
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
                           " has no .tabledesc that would name the table; give the table's name");
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
