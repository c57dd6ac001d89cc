// Descriptors as protobuf messages, and the forms that HBase keeps in files and in hbase:meta
// (hbase-hfile spec sections 13 and 15). Pure functions. Decoding: Corruption when the bytes are
// not such a message.
#ifndef BENNU_SRC_API_DESCRIPTOR_PB_H_
#define BENNU_SRC_API_DESCRIPTOR_PB_H_

#include "bennu/admin.h"
#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "proto/hbase.pb.h"

namespace bennu::api {

inline constexpr ByteView kPbMagic = "PBUF";

void TableNameToPb(const TableName& name, pb::TableNameMessage* message);
TableName TableNameFromPb(const pb::TableNameMessage& message);

// Configuration entries of a message read become attributes, as HBase treats them.
void DescriptorToPb(const ColumnFamilyDescriptor& family, pb::ColumnFamilySchema* message);
ColumnFamilyDescriptor DescriptorFromPb(const pb::ColumnFamilySchema& message);
void DescriptorToPb(const TableDescriptor& table, pb::TableSchema* message);
TableDescriptor DescriptorFromPb(const pb::TableSchema& message);  // families sorted by name

void DescriptorToPb(const NamespaceDescriptor& descriptor, pb::NamespaceDescriptor* message);
NamespaceDescriptor DescriptorFromPb(const pb::NamespaceDescriptor& message);

void RegionInfoToPb(const RegionInfo& info, pb::RegionInfo* message);
RegionInfo RegionInfoFromPb(const pb::RegionInfo& message);

// "PBUF" and the message: .tableinfo.
Bytes EncodeTableInfo(const TableDescriptor& table);
Result<TableDescriptor> DecodeTableInfo(ByteView bytes);

// "PBUF" and the message: info:regioninfo of hbase:meta.
Bytes EncodeRegionInfo(const RegionInfo& info);
Result<RegionInfo> DecodeRegionInfo(ByteView bytes);

// The same with the message's length as a varint before it: .regioninfo.
Bytes EncodeRegionInfoFile(const RegionInfo& info);
Result<RegionInfo> DecodeRegionInfoFile(ByteView bytes);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_DESCRIPTOR_PB_H_
