// What a bulk load into a cluster asks of HFiles on this machine. The client knows how to talk to
// servers and not how files are written; who can do both hands it these (cli::MakeLoadTools).
#ifndef BENNU_SRC_CLIENT_LOAD_TOOLS_H_
#define BENNU_SRC_CLIENT_LOAD_TOOLS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"

namespace bennu::client {

struct FileToLoad {
  Bytes family;
  std::string path;
  uint64_t size_bytes = 0;
  uint64_t cells = 0;
  Bytes first_row;
  Bytes last_row;
};

// The table that a folder would make.
struct TableToLoad {
  TableDescriptor descriptor;
  std::vector<Bytes> borders;  // of regions, as the files suggest them
  bool has_files = false;
};

// Thread-safe.
class LoadTools {
 public:
  virtual ~LoadTools() = default;
  // The files of FOLDER/FAMILY/: family and path. InvalidArgument, NotFound: as Admin::BulkLoad.
  virtual Result<std::vector<FileToLoad>> ListFolder(const std::string& folder) = 0;
  // As the folder's .tabledesc has it, without one with the families of the folder, written like
  // its files. 'name' wins over the one that is written there. InvalidArgument, NotFound: as
  // Admin::ImportTable.
  virtual Result<TableToLoad> DescribeTable(const std::string& folder,
                                            const std::optional<TableName>& name) = 0;
  // Reads each of them whole and sets the rest; those without cells are left out.
  // progress(checked) is called by one thread at a time. InvalidArgument, Corruption, as above.
  virtual Status Check(std::vector<FileToLoad>* files,
                       const std::function<void(size_t checked)>& progress) = 0;
  // Writes the file's cells to files of 'directory', which is made, cut at 'borders' (ascending;
  // the first row of each part but the first), as 'family' says.
  virtual Result<std::vector<FileToLoad>> Cut(const FileToLoad& file,
                                              const std::vector<Bytes>& borders,
                                              const ColumnFamilyDescriptor& family,
                                              const std::string& directory) = 0;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_LOAD_TOOLS_H_
