// LocalIndexScanner: the rows of a local index in one order, merged from those of its regions.
#ifndef BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_SCANNER_H_
#define BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu::sql::catalog {

// Rows of one region, in order. What their keys begin with, 'prefix_size' bytes, is taken off.
struct LocalIndexSource {
  std::unique_ptr<Scanner> scanner;
  size_t prefix_size = 0;
};

// One thread at a time.
class LocalIndexScanner : public Scanner {
 public:
  // Scanners of all regions, for the rows behind the key 'behind', in the order of the scan; null:
  // for all rows. 'row_limit': the most that are wanted; -1: no limit.
  using Open =
      std::function<Result<std::vector<LocalIndexSource>>(const Bytes* behind, int64_t row_limit)>;

  // A source that returns NotFound has lost its region, since that was split or merged. The rows
  // that were handed out so far are those up to some key, of all regions. So all are opened anew
  // behind that key, and no row is lost or comes twice.
  LocalIndexScanner(bool reversed, int64_t row_limit, Open open);

  // Before Next.
  Status OpenSources();
  Status Next(size_t row_limit, CellBatch* batch) override;
  Metrics metrics() const override;

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

  // Each source that has no row at hand gets more. NotFound: one has lost its region.
  Status Refill(size_t row_limit);
  void TakeRow(Source* source, CellBatch* batch);
  // Gives the cells keys of their own, without the prefixes.
  void WriteKeys(CellBatch* batch);

  const bool reversed_;
  const Open open_;
  int64_t rows_left_;
  uint64_t rows_ = 0;
  Metrics finished_;  // of sources at their ends, or given up
  std::vector<Source> sources_;
  std::vector<Source*> live_;         // a heap of the sources that have a row at hand
  std::vector<size_t> prefix_sizes_;  // by row of the batch
  size_t key_bytes_ = 0;              // of the cells of the batch, without prefixes
  Bytes keys_;
  bool any_ = false;  // a row was handed out
  Bytes last_key_;    // of the last of them
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_LOCAL_INDEX_SCANNER_H_
