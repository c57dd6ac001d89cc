#include "src/cli/load_tools.h"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/base/thread_pool.h"
#include "src/engine/transfer/load_files.h"
#include "src/engine/transfer/table_transfer.h"

namespace bennu::cli {

namespace {

// A server's hbase.hregion.memstore.flush.size, unless it was told otherwise.
constexpr uint64_t kRegionBytesMin = 128ull << 20;

client::FileToLoad ToClient(engine::LoadFile file) {
  client::FileToLoad result;
  result.family = std::move(file.family);
  result.path = std::move(file.path);
  result.size_bytes = file.size_bytes;
  result.cells = file.cells;
  result.first_row = std::move(file.first_row);
  result.last_row = std::move(file.last_row);
  return result;
}

engine::LoadFile ToEngine(const client::FileToLoad& file) {
  engine::LoadFile result;
  result.family = file.family;
  result.path = file.path;
  result.size_bytes = file.size_bytes;
  result.cells = file.cells;
  result.first_row = file.first_row;
  result.last_row = file.last_row;
  return result;
}

class EngineLoadTools final : public client::LoadTools {
 public:
  Result<std::vector<client::FileToLoad>> ListFolder(const std::string& folder) override {
    ASSIGN_OR_RETURN(std::vector<engine::LoadFile> files,
                     engine::ListLoadFiles(Env::Default(), folder));
    std::vector<client::FileToLoad> found;
    for (engine::LoadFile& file : files) found.push_back(ToClient(std::move(file)));
    return found;
  }

  Result<client::TableToLoad> DescribeTable(const std::string& folder,
                                            const std::optional<TableName>& name) override {
    Env* const env = Env::Default();
    auto listed = engine::ListLoadFiles(env, folder);
    const Status listing = listed.status();
    client::TableToLoad table;
    table.has_files = listing.ok();
    if (!listing.ok() && listing.code() != StatusCode::kNotFound) return listing;
    std::vector<engine::LoadFile> files;
    if (listing.ok()) files = std::move(listed).value();
    auto described = engine::DescribeFolder(env, folder, name, files);
    // A folder without files is worth a table if it tells of one.
    if (!table.has_files && (!described.ok() || described->families.empty())) return listing;
    ASSIGN_OR_RETURN(table.descriptor, std::move(described));
    RETURN_IF_ERROR(engine::ReadLoadFileRows(env, &files));
    table.borders = engine::InferBorders(files, kRegionBytesMin);
    return table;
  }

  Status Check(std::vector<client::FileToLoad>* files,
               const std::function<void(size_t checked)>& progress) override {
    std::vector<Status> outcomes(files->size());
    Mutex mu;
    size_t checked = 0;
    ThreadPool pool("load", std::max<size_t>(std::thread::hardware_concurrency(), 1));
    pool.ParallelFor(files->size(), [&](size_t i) {
      engine::LoadFile file = ToEngine((*files)[i]);
      outcomes[i] = engine::CheckLoadFile(Env::Default(), &file);
      (*files)[i] = ToClient(std::move(file));
      MutexLock lock(&mu);
      progress(++checked);
    });
    for (const Status& outcome : outcomes) RETURN_IF_ERROR(outcome);
    std::erase_if(*files, [](const client::FileToLoad& file) { return file.cells == 0; });
    return Status::Ok();
  }

  Result<std::vector<client::FileToLoad>> Cut(const client::FileToLoad& file,
                                              const std::vector<Bytes>& borders,
                                              const ColumnFamilyDescriptor& family,
                                              const std::string& directory) override {
    ASSIGN_OR_RETURN(auto parts, engine::CutLoadFile(Env::Default(), ToEngine(file), borders,
                                                     family, directory));
    std::vector<client::FileToLoad> found;
    for (engine::LoadFile& part : parts) found.push_back(ToClient(std::move(part)));
    return found;
  }
};

}  // namespace

std::shared_ptr<client::LoadTools> MakeLoadTools() { return std::make_shared<EngineLoadTools>(); }

}  // namespace bennu::cli
