// The files of a bulk load, before they are a table's: found, checked, cut at region borders,
// copied. Functions of files alone; they know no store. Thread-safe.
#ifndef BENNU_SRC_ENGINE_TRANSFER_LOAD_FILES_H_
#define BENNU_SRC_ENGINE_TRANSFER_LOAD_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::engine {

struct LoadFile {
  Bytes family;
  std::string path;
  bool is_ours = false;  // made by the load, so it may be moved
  bool is_link = false;  // a symbolic link to a file, which is read and copied, never moved
  uint64_t size_bytes = 0;
  uint64_t cells = 0;  // 0: nothing of what follows
  Bytes first_row;
  Bytes last_row;
};

// FOLDER/FAMILY/FILE, by family and name; only family, path and is_link are set. Left alone are
// files whose names begin with '.' or '_', folders with '.', and folders within those with '_'.
// InvalidArgument: something lies where it should not, or is no file (a FIFO, a link that leads
// nowhere). NotFound: no folder, or no files. Source: BulkLoadHFilesTool of HBase 2.5.
Result<std::vector<LoadFile>> ListLoadFiles(Env* env, const std::string& folder);

// Sets what trailer and index tell: sizes, cells, first and last row. For InferBorders; believed,
// not checked.
Status ReadLoadFileRows(Env* env, std::vector<LoadFile>* files);

// Reads the whole file and sets what ListLoadFiles left open. Corruption: damaged; InvalidArgument:
// cells out of order or of another family, hbase:meta's file; NotSupported: it insists on sequence
// ids of its own. Messages name file, offset and remedy.
Status CheckLoadFile(Env* env, LoadFile* file);

// Writes the file's cells to files of 'directory', cut at 'borders' (ascending; the first row of
// each part but the first), as the family is written now; what its info says of it goes along.
// Parts without a cell are left out.
Result<std::vector<LoadFile>> CutLoadFile(Env* env, const LoadFile& file,
                                          const std::vector<Bytes>& borders,
                                          const ColumnFamilyDescriptor& family,
                                          const std::string& directory);

// A synced copy of another name in 'directory'.
Result<LoadFile> CopyLoadFile(Env* env, const LoadFile& file, const std::string& directory);

// Borders of regions that cut as few of the files as can be, and that leave each region about
// 'region_bytes_min' at least. HBase's LoadIncrementalHFiles.inferBoundaries, thinned out.
std::vector<Bytes> InferBorders(const std::vector<LoadFile>& files, uint64_t region_bytes_min);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_TRANSFER_LOAD_FILES_H_
