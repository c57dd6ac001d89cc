// Tables whose rows are derived from others' (api/write_observer.h), while tables change as a
// whole.
#ifndef BENNU_SRC_ENGINE_ADMIN_DERIVED_ROWS_H_
#define BENNU_SRC_ENGINE_ADMIN_DERIVED_ROWS_H_

#include <functional>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/engine/core/engine_core.h"

namespace bennu::engine {

// Runs 'replace', by which the table gets other rows in one step; what is derived from them is not
// in use meanwhile, and is derived anew afterwards. Without the catalog's lock, which 'replace'
// takes.
using ReplaceRows = std::function<Status(const api::WriteObserverSource::Replacement&)>;
Status WhileRowsAreReplaced(EngineCore* core, const TableName& table, const ReplaceRows& replace);

// Runs 'alter', by which the table's descriptor becomes 'after'; what is derived from its rows is
// treated likewise if they show other cells then. Without the catalog's lock, which 'alter' takes.
Status WhileFamiliesAreAltered(EngineCore* core, const TableDescriptor& before,
                               const TableDescriptor& after, const std::function<Status()>& alter);

// Before the table goes, or gets other rows, in case that its own rows are derived from another's.
// Without the catalog's lock.
Status LetGoOfDerivedRows(EngineCore* core, const TableName& table);

// Empties the tables in one step, those of them that are there.
Status EmptyDerivedTables(EngineCore* core, const std::vector<TableName>& names)
    REQUIRES(core->ddl_mu);

// What a snapshot restores, with the families of derived rows as 'now' has them; sorted.
TableDescriptor WithDerivedFamilies(const std::vector<std::string>& families,
                                    const TableDescriptor& now, TableDescriptor restored);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_DERIVED_ROWS_H_
