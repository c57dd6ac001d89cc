#include "src/sql/index/index_build.h"

#include <atomic>
#include <utility>
#include <vector>

#include "src/api/store_tools.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/base/thread_pool.h"

namespace bennu::sql::index {
namespace {

// More pieces than threads, so that none is idle for long at the end.
constexpr size_t kPiecesPerThread = 4;

}  // namespace

Result<int64_t> ForEachRowToIndex(Connection* connection, const plan::IndexDefinition& definition,
                                  const std::map<Bytes, std::set<Bytes>>& columns,
                                  const std::shared_ptr<const Snapshot>& snapshot,
                                  size_t rows_at_once,
                                  const std::function<std::unique_ptr<RowSink>()>& make_sink,
                                  const IndexKeeper::Progress& progress) {
  ASSIGN_OR_RETURN(const auto data, connection->OpenTable(definition.table->physical));
  ThreadPool* const pool = StoreTools::QueryPool(connection);
  std::vector<RowRange> pieces;
  for (const RowRange& range : plan::RowsToIndex(definition)) {
    ASSIGN_OR_RETURN(const std::vector<RowRange> parts,
                     data->SplitRange(range, ThreadCount(pool) * kPiecesPerThread));
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }
  std::atomic<int64_t> rows_done{0};
  Mutex mu;
  Status first_error;
  std::atomic<bool> failed{false};
  std::vector<std::unique_ptr<RowSink>> idle_sinks;
  const auto take_sink = [&]() -> std::unique_ptr<RowSink> {
    MutexLock lock(&mu);
    if (idle_sinks.empty()) return make_sink();
    std::unique_ptr<RowSink> sink = std::move(idle_sinks.back());
    idle_sinks.pop_back();
    return sink;
  };
  const auto read = [&](const RowRange& piece, RowSink* sink) -> Status {
    Scan scan;
    scan.range = piece;
    scan.columns = columns;
    scan.snapshot = snapshot;
    ASSIGN_OR_RETURN(const auto scanner, data->OpenScanner(scan));
    CellBatch found;
    while (!failed.load()) {
      RETURN_IF_ERROR(scanner->Next(rows_at_once, &found));
      if (found.row_count() == 0) return sink->Finish();
      RETURN_IF_ERROR(sink->Add(found));
      rows_done.fetch_add(static_cast<int64_t>(found.row_count()));
      RETURN_IF_ERROR(progress(found.row_count()));
    }
    return Status::Ok();
  };
  ParallelFor(pool, pieces.size(), [&](size_t i) {
    if (failed.load()) return;
    std::unique_ptr<RowSink> sink = take_sink();
    const Status status = read(pieces[i], sink.get());
    MutexLock lock(&mu);
    if (status.ok()) {
      idle_sinks.push_back(std::move(sink));
      return;
    }
    if (first_error.ok()) first_error = status;
    failed.store(true);
  });
  RETURN_IF_ERROR(first_error);
  return rows_done.load();
}

}  // namespace bennu::sql::index
