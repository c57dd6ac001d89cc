// Time zones of the tz database, read from the system's files.
#ifndef BENNU_SRC_SQL_FUNCTIONS_TIME_ZONE_H_
#define BENNU_SRC_SQL_FUNCTIONS_TIME_ZONE_H_

#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace date {
class time_zone;
}

namespace bennu::sql {

// Immutable, cheap to copy; lives as long as the process.
class TimeZone {
 public:
  // "Europe/Berlin", "UTC", "GMT+2", "+02:00". Error 201: no such zone.
  static Result<TimeZone> Find(ByteView id);

  // As java.util.TimeZone.getTimeZone: "PST" too, but of offsets only "GMT+2" and its like.
  static Result<TimeZone> FindAsJava(ByteView id);

  // What the zone's clocks are ahead of UTC at an instant, in milliseconds.
  int64_t OffsetAt(int64_t utc_millis) const;
  // The instant at which the zone's clocks show 'local_millis': the first of two; where they skip
  // that time, as if they had not yet.
  int64_t UtcOf(int64_t local_millis) const;

 private:
  int64_t fixed_millis_ = 0;
  const date::time_zone* zone_ = nullptr;  // null: always fixed_millis_
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_TIME_ZONE_H_
