// What the steps of peers_store have in common: tables as tests want them, filled by rule.
#ifndef BENNU_TESTS_PEERS_STORE_STEPS_H_
#define BENNU_TESTS_PEERS_STORE_STEPS_H_

#include <cstdint>
#include <map>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::peers {

inline constexpr int64_t kOld = 1'000'000'000'000;  // in 2001
inline constexpr int64_t kDayMillis = 86'400'000;

ColumnFamilyDescriptor Family(Bytes name, std::map<std::string, std::string> attributes = {});
std::string Row(int number);  // of nine bytes
// Three columns in each family of each row; the bytes follow from the numbers.
Status Fill(Connection* store, const TableName& name, int first, int rows, int64_t time);

// DIRECTORY/catalog: namespaces, tables with their descriptors and regions. And for each enabled
// table NAMESPACE.TABLE.cells: a line per cell, as readers see the table, and once more raw.
Status Dump(Connection* store, const std::string& directory);

// Tables whose files lie in every way that the engine has, and snapshots of them (namespace
// "shapes"). 'scratch': a folder that may be written; it is not removed.
Status MakeShapes(Connection* store, const std::string& scratch);
// Each snapshot becomes a table of the namespace, called like the snapshot.
Status CloneSnapshots(Connection* store, const std::string& name_space);
// Each snapshot but "merged_shot" is put back into its table, in the order of their names.
Status RestoreSnapshots(Connection* store);

}  // namespace bennu::peers

#endif  // BENNU_TESTS_PEERS_STORE_STEPS_H_
