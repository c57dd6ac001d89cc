// EXECUTE UPGRADE over a cluster on which Phoenix was installed after its tables were made.
#ifndef BENNU_SRC_SQL_CATALOG_PHOENIX_UPGRADE_H_
#define BENNU_SRC_SQL_CATALOG_PHOENIX_UPGRADE_H_

#include <cstddef>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/catalog.h"

namespace bennu::sql::catalog {

// Gives Phoenix's coprocessors and split policies to the HBase tables of SQL that lack them, the
// SYSTEM tables among them, as Phoenix would have made them; returns how many that were. The
// catalog's own table comes last: before it, none of Phoenix's clients gets in, and after an error
// the call does the rest when it is made again. Uncoded: the servers cannot load Phoenix's classes.
Result<size_t> AddPhoenixClasses(Connection* connection, Catalog* catalog);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_PHOENIX_UPGRADE_H_
