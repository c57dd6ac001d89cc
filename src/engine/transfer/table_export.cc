#include "src/engine/transfer/table_export.h"

#include <memory>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/store/store_file.h"
#include "src/engine/transfer/file_series.h"

namespace bennu::engine {

namespace {

constexpr size_t kRowsAtATime = 1000;

class FolderWriter {
 public:
  FolderWriter(Env* env, const TableDescriptor& descriptor, int64_t now_millis,
               ExportSource* source, const std::string& folder, const ExportOptions& options)
      : env_(env),
        descriptor_(descriptor),
        now_millis_(now_millis),
        source_(source),
        folder_(folder),
        options_(options) {}

  Result<ExportResult> Run() {
    RETURN_IF_ERROR(CheckFolder());
    Status status = source_->Open();
    for (const auto& family : descriptor_.families) {
      if (status.ok()) status = WriteFamily(family);
    }
    // Last: a folder that has it is complete.
    if (status.ok()) status = WriteTableInfo(env_, folder_, descriptor_);
    if (status.ok()) status = env_->SyncDirectory(folder_);
    if (status.ok()) return result_;
    RETURN_IF_ERROR(RemoveWritten().Annotate("cleaning up after: " + status.ToString()));
    return status.Annotate("exporting table " + descriptor_.name.ToString() + " to " + folder_);
  }

 private:
  Status CheckFolder() const {
    RETURN_IF_ERROR(env_->CreateDurableDirectories(folder_));
    ASSIGN_OR_RETURN(const auto present, env_->ListDirectory(folder_));
    if (present.empty()) return Status::Ok();
    return FailedPrecondition("folder " + folder_ +
                              " is not empty; export to a new or an empty one");
  }

  Status RemoveWritten() const {
    for (const auto& family : descriptor_.families) {
      RETURN_IF_ERROR(env_->RemoveTree(JoinPath(folder_, family.name)));
    }
    return env_->RemoveTree(JoinPath(folder_, ".tabledesc"));
  }

  FileSeries::Options SeriesOptions(const ColumnFamilyDescriptor& family) const {
    FileSeries::Options series;
    series.family = family.name;
    series.directory = JoinPath(folder_, family.name);
    series.writer = WriterOptionsOf(family, env_->NowMillis());
    series.writer.include_mvcc = false;
    series.writer.include_tags = source_->MayHaveTags(family.name);
    series.facts.major_compaction = !options_.raw;
    // As HBase's HFileOutputFormat2.
    AppendBE64(&series.info[Bytes(hfile::kInfoBulkLoadTime)], static_cast<uint64_t>(now_millis_));
    series.info[Bytes(hfile::kInfoBulkLoadTask)] = "bennu export of " + descriptor_.name.ToString();
    return series;
  }

  Status WriteFamily(const ColumnFamilyDescriptor& family) {
    RETURN_IF_ERROR(env_->CreateDirectories(JoinPath(folder_, family.name)));
    FileSeries series(env_, SeriesOptions(family));
    Scan scan;
    scan.range = options_.rows;
    scan.time_range = options_.time_range;
    scan.columns[family.name];
    scan.max_versions = options_.max_versions;
    scan.raw = options_.raw;
    scan.cache_blocks = false;
    RETURN_IF_ERROR(
        source_->Read(scan, [&](const CellBatch& batch) { return WriteRows(batch, &series); }));
    RETURN_IF_ERROR(series.EndFile());
    for (const LoadFile& file : series.files()) {
      ++result_.files;
      result_.bytes += file.size_bytes;
    }
    return env_->SyncDirectory(JoinPath(folder_, family.name));
  }

  Status WriteRows(const CellBatch& batch, FileSeries* series) {
    for (size_t row = 0; row < batch.row_count(); ++row) {
      if (series->estimated_size() >= options_.file_bytes_max) RETURN_IF_ERROR(series->EndFile());
      for (uint32_t i = batch.row_starts[row]; i < batch.row_end(row); ++i) {
        RETURN_IF_ERROR(series->Append(batch.cells[i]));
      }
    }
    result_.cells += batch.cells.size();
    if (options_.progress) {
      options_.progress(result_.cells, result_.bytes + series->estimated_size());
    }
    return Status::Ok();
  }

  Env* const env_;
  const TableDescriptor& descriptor_;
  const int64_t now_millis_;
  ExportSource* const source_;
  const std::string& folder_;
  const ExportOptions& options_;
  ExportResult result_;
};

class TableSource final : public ExportSource {
 public:
  explicit TableSource(std::shared_ptr<Table> table) : table_(std::move(table)) {}

  bool MayHaveTags(ByteView) const override { return true; }

  Status Read(const Scan& scan, const std::function<Status(const CellBatch&)>& use) override {
    ASSIGN_OR_RETURN(const auto scanner, table_->OpenScanner(scan));
    CellBatch batch;
    do {
      RETURN_IF_ERROR(scanner->Next(kRowsAtATime, &batch));
      RETURN_IF_ERROR(use(batch));
    } while (batch.row_count() > 0);
    return Status::Ok();
  }

 private:
  const std::shared_ptr<Table> table_;
};

}  // namespace

Result<ExportResult> WriteExport(Env* env, const TableDescriptor& descriptor, int64_t now_millis,
                                 ExportSource* source, const std::string& folder,
                                 const ExportOptions& options) {
  return FolderWriter(env, descriptor, now_millis, source, folder, options).Run();
}

Result<ExportResult> ExportByScans(Env* env, Connection* connection, const TableName& name,
                                   const std::string& folder, const ExportOptions& options) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, connection->OpenTable(name));
  const TableDescriptor descriptor = table->descriptor();
  TableSource source(table);
  return WriteExport(env, descriptor, connection->NowMillis(), &source, folder, options);
}

}  // namespace bennu::engine
