#include "src/rpc/greeting.h"

#include "src/base/coding.h"
#include "src/rpc/frame.h"

namespace bennu::rpc {

namespace {

constexpr char kCodecClass[] = "org.apache.hadoop.hbase.codec.KeyValueCodecWithTags";

// As which release's client servers treat us: one that takes results in cell blocks.
void SetVersion(pb::VersionInfo* version) {
  version->set_version("2.5.0");
  version->set_url("");
  version->set_revision("bennu");
  version->set_user("");
  version->set_date("");
  version->set_src_checksum("");
  version->set_version_major(2);
  version->set_version_minor(5);
}

}  // namespace

Bytes Greeting(const std::string& user, const std::string& service) {
  Bytes bytes(kPreambleMagic);
  bytes.push_back(kPreambleVersion);
  bytes.push_back(kAuthSimple);
  pb::ConnectionHeader header;
  header.mutable_user_info()->set_effective_user(user);
  header.set_service_name(service);
  header.set_cell_block_codec_class(kCodecClass);
  SetVersion(header.mutable_version_info());
  AppendBE32(&bytes, static_cast<uint32_t>(header.ByteSizeLong()));
  header.AppendToString(&bytes);
  return bytes;
}

}  // namespace bennu::rpc
