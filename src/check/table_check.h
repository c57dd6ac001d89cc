// The directories of tables, as they are on disk: descriptors, regions, store files, references.
#ifndef BENNU_SRC_CHECK_TABLE_CHECK_H_
#define BENNU_SRC_CHECK_TABLE_CHECK_H_

#include <map>
#include <optional>
#include <set>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/check/check_run.h"

namespace bennu::check {

struct RegionOnDisk {
  std::optional<RegionInfo> info;  // of .regioninfo, when it is there and right
  bool has_files = false;          // store files of its own, links or recovered edits
  bool has_data = false;           // the same without links
  bool has_references = false;
  std::set<std::string> families;    // directories
  std::set<std::string> files;       // "family/name" of store files
  std::set<std::string> refers_to;   // encoded names of other regions
  std::set<std::string> references;  // "region/family/name" of their files
};

struct TableOnDisk {
  std::optional<TableDescriptor> descriptor;
  std::optional<Finding> descriptor_fault;      // when there is none; of no interest if all goes
  bool dropping = false;                        // its drop was begun
  bool cloning = false;                         // likewise its creation from a snapshot
  bool has_foreign_files = false;               // looked for where no store file is
  std::set<std::string> altering;               // families that an alteration adds or removes
  std::map<std::string, RegionOnDisk> regions;  // by encoded name
};

// Whether a region has store files, references, links or recovered edits.
bool HoldsFiles(const TableOnDisk& table);

struct Inventory {
  // Directories below data/, and whether one holds something that can be no table.
  std::map<std::string, bool> namespaces;
  std::map<TableName, TableOnDisk> tables;
};

// Lists what there is; reads descriptors, region infos and references, but no store file.
Result<Inventory> TakeInventory(CheckRun* run);

// The stores of a region: every file, and the list beside them. 'descriptor' may be null (then no
// family is too many), 'info' too (then every row is the region's). 'altering': see TableOnDisk.
Status CheckRegionFiles(CheckRun* run, const TableName& table, const std::string& encoded,
                        const RegionOnDisk& region, const TableDescriptor* descriptor,
                        const RegionInfo* info, const std::set<std::string>& altering);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_TABLE_CHECK_H_
