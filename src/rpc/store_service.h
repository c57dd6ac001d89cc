// What Bennu's servers can be told about their store as a whole, beyond HBase's calls: the service
// that MasterService.ExecMasterService is asked for (proto/store_service.proto).
#ifndef BENNU_SRC_RPC_STORE_SERVICE_H_
#define BENNU_SRC_RPC_STORE_SERVICE_H_

namespace bennu::rpc {

inline constexpr char kStoreService[] = "bennu.StoreService";
inline constexpr char kBackupMethod[] = "Backup";
inline constexpr char kExportSnapshotMethod[] = "ExportSnapshot";
inline constexpr char kAbilitiesMethod[] = "Abilities";

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_STORE_SERVICE_H_
