#include "src/api/descriptor_pb.h"

#include <algorithm>

#include "src/base/coding.h"
#include "src/base/status_macros.h"

namespace bennu::api {

namespace {

// Drops "PBUF" from the front; Corruption when it is not there.
Result<ByteView> AfterMagic(ByteView bytes, std::string_view what) {
  if (bytes.substr(0, kPbMagic.size()) != kPbMagic) {
    return Corruption(std::string(what) + ": does not start with PBUF");
  }
  return bytes.substr(kPbMagic.size());
}

template <typename Message>
Status Parse(ByteView bytes, std::string_view what, Message* message) {
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return Status::Ok();
  return Corruption(std::string(what) + ": " + std::to_string(bytes.size()) +
                    " bytes that are no such message");
}

}  // namespace

void TableNameToPb(const TableName& name, pb::TableNameMessage* message) {
  message->set_namespace_(name.name_space);
  message->set_qualifier(name.qualifier);
}

TableName TableNameFromPb(const pb::TableNameMessage& message) {
  TableName name;
  name.name_space = message.namespace_();
  name.qualifier = message.qualifier();
  return name;
}

void DescriptorToPb(const ColumnFamilyDescriptor& family, pb::ColumnFamilySchema* message) {
  message->set_name(family.name);
  for (const auto& [key, value] : family.attributes) {
    pb::BytesBytesPair* const pair = message->add_attributes();
    pair->set_first(key);
    pair->set_second(value);
  }
}

ColumnFamilyDescriptor DescriptorFromPb(const pb::ColumnFamilySchema& message) {
  ColumnFamilyDescriptor family;
  family.name = message.name();
  for (const auto& pair : message.attributes()) family.attributes[pair.first()] = pair.second();
  for (const auto& pair : message.configuration()) family.attributes[pair.name()] = pair.value();
  return family;
}

void DescriptorToPb(const TableDescriptor& table, pb::TableSchema* message) {
  TableNameToPb(table.name, message->mutable_table_name());
  for (const auto& [key, value] : table.attributes) {
    pb::BytesBytesPair* const pair = message->add_attributes();
    pair->set_first(key);
    pair->set_second(value);
  }
  for (const ColumnFamilyDescriptor& family : table.families) {
    DescriptorToPb(family, message->add_column_families());
  }
}

TableDescriptor DescriptorFromPb(const pb::TableSchema& message) {
  TableDescriptor table;
  table.name = TableNameFromPb(message.table_name());
  for (const auto& pair : message.attributes()) table.attributes[pair.first()] = pair.second();
  for (const auto& pair : message.configuration()) table.attributes[pair.name()] = pair.value();
  for (const auto& family : message.column_families()) {
    table.families.push_back(DescriptorFromPb(family));
  }
  std::sort(table.families.begin(), table.families.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return table;
}

void DescriptorToPb(const NamespaceDescriptor& descriptor, pb::NamespaceDescriptor* message) {
  message->set_name(descriptor.name);
  for (const auto& [key, value] : descriptor.properties) {
    pb::NameStringPair* const pair = message->add_configuration();
    pair->set_name(key);
    pair->set_value(value);
  }
}

NamespaceDescriptor DescriptorFromPb(const pb::NamespaceDescriptor& message) {
  NamespaceDescriptor descriptor;
  descriptor.name = message.name();
  for (const auto& pair : message.configuration()) {
    descriptor.properties[pair.name()] = pair.value();
  }
  return descriptor;
}

void RegionInfoToPb(const RegionInfo& info, pb::RegionInfo* message) {
  message->set_region_id(info.region_id);
  TableNameToPb(info.table, message->mutable_table_name());
  // HBase writes every optional field, defaults too.
  message->set_start_key(info.start_key);
  message->set_end_key(info.end_key);
  message->set_offline(info.offline);
  message->set_split(info.split);
  message->set_replica_id(info.replica_id);
}

RegionInfo RegionInfoFromPb(const pb::RegionInfo& message) {
  RegionInfo info;
  info.table = TableNameFromPb(message.table_name());
  info.region_id = message.region_id();
  info.start_key = message.start_key();
  info.end_key = message.end_key();
  info.offline = message.offline();
  info.split = message.split();
  info.replica_id = message.replica_id();
  return info;
}

Bytes EncodeTableInfo(const TableDescriptor& table) {
  pb::TableSchema message;
  DescriptorToPb(table, &message);
  return Bytes(kPbMagic) + message.SerializeAsString();
}

Result<TableDescriptor> DecodeTableInfo(ByteView bytes) {
  ASSIGN_OR_RETURN(const ByteView body, AfterMagic(bytes, "table descriptor"));
  pb::TableSchema message;
  RETURN_IF_ERROR(Parse(body, "table descriptor", &message));
  return DescriptorFromPb(message);
}

Bytes EncodeRegionInfo(const RegionInfo& info) {
  pb::RegionInfo message;
  RegionInfoToPb(info, &message);
  return Bytes(kPbMagic) + message.SerializeAsString();
}

Result<RegionInfo> DecodeRegionInfo(ByteView bytes) {
  ASSIGN_OR_RETURN(const ByteView body, AfterMagic(bytes, "region info"));
  pb::RegionInfo message;
  RETURN_IF_ERROR(Parse(body, "region info", &message));
  return RegionInfoFromPb(message);
}

Bytes EncodeRegionInfoFile(const RegionInfo& info) {
  pb::RegionInfo message;
  RegionInfoToPb(info, &message);
  const std::string body = message.SerializeAsString();
  Bytes bytes(kPbMagic);
  AppendVarint(&bytes, body.size());
  return bytes + body;
}

Result<RegionInfo> DecodeRegionInfoFile(ByteView bytes) {
  ASSIGN_OR_RETURN(ByteView body, AfterMagic(bytes, "region info"));
  uint32_t length = 0;
  if (!ConsumeVarint32(&body, &length) || length > body.size()) {
    return Corruption("region info: the length after PBUF does not fit the file");
  }
  pb::RegionInfo message;
  RETURN_IF_ERROR(Parse(body.substr(0, length), "region info", &message));
  return RegionInfoFromPb(message);
}

}  // namespace bennu::api
