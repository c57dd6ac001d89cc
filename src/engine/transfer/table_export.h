// Writes a table to a folder of HFiles, as docs/bulk-load.md describes it, from whatever gives its
// rows: regions of this process or a server's.
#ifndef BENNU_SRC_ENGINE_TRANSFER_TABLE_EXPORT_H_
#define BENNU_SRC_ENGINE_TRANSFER_TABLE_EXPORT_H_

#include <functional>
#include <string>

#include "bennu/bulk_load.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/env.h"

namespace bennu::engine {

// Where the cells come from.
class ExportSource {
 public:
  virtual ~ExportSource() = default;
  // Once, when the folder is there and fit.
  virtual Status Open() { return Status::Ok(); }
  // Whether cells of the family may have tags.
  virtual bool MayHaveTags(ByteView family) const = 0;
  // All rows of the scan in order, some at a time.
  virtual Status Read(const Scan& scan, const std::function<Status(const CellBatch&)>& use) = 0;
};

// After an error the folder is as it was before. FailedPrecondition: it is not empty.
// 'now_millis' is told in the files.
Result<ExportResult> WriteExport(Env* env, const TableDescriptor& descriptor, int64_t now_millis,
                                 ExportSource* source, const std::string& folder,
                                 const ExportOptions& options);

// Admin::ExportTable of a table of any connection, by scans. A cluster has no moment over all its
// rows: each family is read on its own, as HBase's Export reads region by region. NotFound: no such
// table.
Result<ExportResult> ExportByScans(Env* env, Connection* connection, const TableName& name,
                                   const std::string& folder, const ExportOptions& options);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TRANSFER_TABLE_EXPORT_H_
