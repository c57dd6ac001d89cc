// A file in a table's directory that names the families that an alteration adds or removes, while
// it goes on: whoever opens the store after a death knows which directories are its leftovers.
#ifndef BENNU_SRC_ENGINE_DIRECTORY_ALTERATION_MARK_H_
#define BENNU_SRC_ENGINE_DIRECTORY_ALTERATION_MARK_H_

#include <set>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::engine {

// The families that the mark names; none when there is no mark. Corruption: it is damaged; names
// it.
Result<std::set<std::string>> ReadAlterationMark(Env* env, const RootLayout& layout,
                                                 const TableName& table);
std::string AlterationMarkPath(const RootLayout& layout, const TableName& table);

// Durable when it returns. Those that an earlier mark names, which could not be finished, stay.
Status WriteAlterationMark(Env* env, const RootLayout& layout, const TableName& table,
                           std::set<std::string> families);
// Archives what regions hold of the mark's families that the descriptor does not have, and removes
// the mark. There may be none. Of a damaged one nothing is known: it goes, and what it was for
// stays.
Status FinishAlteration(Env* env, const RootLayout& layout, const TableDescriptor& descriptor,
                        const std::vector<std::string>& encoded_regions);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_DIRECTORY_ALTERATION_MARK_H_
