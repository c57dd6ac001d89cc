#include "src/sql/session/present_moment.h"

#include <fmt/format.h>

#include <string>

#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::session {
namespace {

Status NotOfThePresent(std::string_view statement, std::string_view why,
                       const catalog::DdlContext& context, int64_t position) {
  return MakeUncodedSqlError(
      fmt::format("{} on a connection as of SCN {}: {}", statement, context.timestamp, why),
      position, "connect without the SCN (--scn, CurrentSCN)");
}

}  // namespace

Status CheckPresent(std::string_view statement, const catalog::DdlContext& context,
                    int64_t position) {
  if (context.timestamp == kLatestTimestamp) return Status::Ok();
  return NotOfThePresent(statement, "indexes are built and checked as of the present alone",
                         context, position);
}

Status CheckUnchangedSince(std::string_view statement, const parse::QualifiedName& name,
                           catalog::Catalog* catalog, const catalog::DdlContext& context) {
  if (context.timestamp == kLatestTimestamp) return Status::Ok();
  const std::string& schema = name.qualifier.empty() ? context.default_schema : name.qualifier.text;
  const auto as_of = [&](int64_t moment) {
    return catalog->GetTable(schema, name.name.text, name.position(), moment, context.tenant);
  };
  const auto then = as_of(context.timestamp);
  const auto now = as_of(kLatestTimestamp);
  // The statement itself says what is not there.
  if (!then.ok() || !now.ok()) return Status::Ok();
  const std::string full_name = (*now)->FullName();
  if ((*then)->last_ddl_timestamp != (*now)->last_ddl_timestamp ||
      (*then)->sequence_number != (*now)->sequence_number) {
    return NotOfThePresent(statement, full_name + " has changed since", context, name.position());
  }
  ASSIGN_OR_RETURN(const auto views, catalog->IndexedViews(**now));
  if ((*now)->indexes.empty() && views.empty()) return Status::Ok();
  return NotOfThePresent(statement, full_name + " has indexes, which are as of the present alone",
                         context, name.position());
}

}  // namespace bennu::sql::session
