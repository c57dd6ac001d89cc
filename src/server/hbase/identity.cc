#include "src/server/hbase/identity.h"

namespace bennu::server::hbase {

void VersionToPb(pb::VersionInfo* message) {
  message->set_version(kHBaseVersion);
  message->set_url("");
  message->set_revision("bennu");
  message->set_user("");
  message->set_date("");
  message->set_src_checksum("");
  message->set_version_major(kHBaseVersionMajor);
  message->set_version_minor(kHBaseVersionMinor);
}

}  // namespace bennu::server::hbase
