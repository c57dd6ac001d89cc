// What cannot be done on a connection as of an earlier moment (CurrentSCN).
//
// Indexes are kept up, built and checked as they and their tables are now, and the states of an
// index count as they were written last. A statement that looked at older definitions would leave
// an index that nobody uses, or the rest of one; a table that has changed since would have parts
// of two definitions.
#ifndef BENNU_SRC_SQL_SESSION_PRESENT_MOMENT_H_
#define BENNU_SRC_SQL_SESSION_PRESENT_MOMENT_H_

#include <cstdint>
#include <string_view>

#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::session {

// An error where the connection is not of the present. 'statement': CREATE INDEX and its kin.
Status CheckPresent(std::string_view statement, const catalog::DdlContext& context,
                    int64_t position);

// The same for a change of a table or view that has indexes, or has changed since the connection's
// moment.
Status CheckUnchangedSince(std::string_view statement, const parse::QualifiedName& name,
                           catalog::Catalog* catalog, const catalog::DdlContext& context);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_PRESENT_MOMENT_H_
