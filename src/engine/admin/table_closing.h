// The regions of a table that is disabled: closed as in HBase, so that they hold no memory and none
// of the files that the process may have open.
#ifndef BENNU_SRC_ENGINE_ADMIN_TABLE_CLOSING_H_
#define BENNU_SRC_ENGINE_ADMIN_TABLE_CLOSING_H_

#include "bennu/status.h"
#include "src/engine/core/engine_core.h"

namespace bennu::engine {

// Flushes and closes the open regions of a table that has just been disabled; the next use of one
// opens it again. Returns when no write is under way in them. Who still reads goes on, on the files
// as they are. To be called under ddl_mu. After an error those regions that could not be flushed
// are open as before, and all others closed.
Status CloseRegionsOf(EngineCore* core, TableEntry* table);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_TABLE_CLOSING_H_
