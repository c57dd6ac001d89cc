// Errors by the names of Java's classes, which clients act upon.
// Source: hbase-rpc spec section 3.
#ifndef BENNU_SRC_RPC_EXCEPTIONS_H_
#define BENNU_SRC_RPC_EXCEPTIONS_H_

#include <string>
#include <string_view>
#include <utility>

#include "bennu/status.h"
#include "proto/region.pb.h"
#include "proto/rpc.pb.h"

namespace bennu::rpc {

// One class; the constants below are all there are.
struct ExceptionClass {
  std::string_view name;      // in full
  bool do_not_retry = false;  // is a DoNotRetryIOException
  bool overloaded = false;    // asks clients to wait longer before they try again
};

namespace exceptions {
#define BENNU_EXCEPTION(constant, ...) inline constexpr ExceptionClass constant = {__VA_ARGS__}
BENNU_EXCEPTION(kIo, "java.io.IOException");
BENNU_EXCEPTION(kFileNotFound, "java.io.FileNotFoundException");
BENNU_EXCEPTION(kDoNotRetry, "org.apache.hadoop.hbase.DoNotRetryIOException", true);
// ---- the connection
BENNU_EXCEPTION(kFatalConnection, "org.apache.hadoop.hbase.ipc.FatalConnectionException", true);
BENNU_EXCEPTION(kWrongVersion, "org.apache.hadoop.hbase.ipc.WrongVersionException", true);
BENNU_EXCEPTION(kBadAuth, "org.apache.hadoop.hbase.ipc.BadAuthException", true);
BENNU_EXCEPTION(kRequestTooBig, "org.apache.hadoop.hbase.exceptions.RequestTooBigException", true);
BENNU_EXCEPTION(kCallQueueTooBig, "org.apache.hadoop.hbase.CallQueueTooBigException", false, true);
BENNU_EXCEPTION(kMultiActionResultTooLarge, "org.apache.hadoop.hbase.MultiActionResultTooLarge");
BENNU_EXCEPTION(kSecurityNotEnabled, "org.apache.hadoop.hbase.security.SecurityNotEnabledException",
                true);
BENNU_EXCEPTION(kUnknownProtocol, "org.apache.hadoop.hbase.exceptions.UnknownProtocolException",
                true);
BENNU_EXCEPTION(kServerStopped,
                "org.apache.hadoop.hbase.regionserver.RegionServerStoppedException");
BENNU_EXCEPTION(kTimeout, "org.apache.hadoop.hbase.exceptions.TimeoutIOException");
// ---- regions and rows
BENNU_EXCEPTION(kNotServingRegion, "org.apache.hadoop.hbase.NotServingRegionException");
BENNU_EXCEPTION(kWrongRegion, "org.apache.hadoop.hbase.regionserver.WrongRegionException");
BENNU_EXCEPTION(kRegionTooBusy, "org.apache.hadoop.hbase.RegionTooBusyException");
BENNU_EXCEPTION(kNoSuchColumnFamily,
                "org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException", true);
BENNU_EXCEPTION(kFailedSanityCheck, "org.apache.hadoop.hbase.exceptions.FailedSanityCheckException",
                true);
BENNU_EXCEPTION(kCorruptHFile, "org.apache.hadoop.hbase.io.hfile.CorruptHFileException", true);
BENNU_EXCEPTION(kSpaceLimiting, "org.apache.hadoop.hbase.quotas.SpaceLimitingException", true);
BENNU_EXCEPTION(kQuotaExceeded, "org.apache.hadoop.hbase.quotas.QuotaExceededException", true);
BENNU_EXCEPTION(kAccessDenied, "org.apache.hadoop.hbase.security.AccessDeniedException", true);
BENNU_EXCEPTION(kRpcThrottling, "org.apache.hadoop.hbase.quotas.RpcThrottlingException");
// ---- scanners
BENNU_EXCEPTION(kUnknownScanner, "org.apache.hadoop.hbase.UnknownScannerException", true);
BENNU_EXCEPTION(kOutOfOrderScannerNext,
                "org.apache.hadoop.hbase.exceptions.OutOfOrderScannerNextException", true);
// ---- tables and namespaces
BENNU_EXCEPTION(kTableNotFound, "org.apache.hadoop.hbase.TableNotFoundException", true);
BENNU_EXCEPTION(kTableExists, "org.apache.hadoop.hbase.TableExistsException", true);
BENNU_EXCEPTION(kTableNotEnabled, "org.apache.hadoop.hbase.TableNotEnabledException", true);
BENNU_EXCEPTION(kTableNotDisabled, "org.apache.hadoop.hbase.TableNotDisabledException", true);
BENNU_EXCEPTION(kNamespaceNotFound, "org.apache.hadoop.hbase.NamespaceNotFoundException", true);
BENNU_EXCEPTION(kNamespaceExists, "org.apache.hadoop.hbase.NamespaceExistException", true);
BENNU_EXCEPTION(kInvalidFamilyOperation, "org.apache.hadoop.hbase.InvalidFamilyOperationException",
                true);
BENNU_EXCEPTION(kUnknownRegion, "org.apache.hadoop.hbase.UnknownRegionException", true);
BENNU_EXCEPTION(kConstraint, "org.apache.hadoop.hbase.constraint.ConstraintException", true);
BENNU_EXCEPTION(kMergeRegion, "org.apache.hadoop.hbase.exceptions.MergeRegionException", true);
// ---- snapshots
BENNU_EXCEPTION(kSnapshotExists, "org.apache.hadoop.hbase.snapshot.SnapshotExistsException", true);
BENNU_EXCEPTION(kSnapshotDoesNotExist,
                "org.apache.hadoop.hbase.snapshot.SnapshotDoesNotExistException", true);
BENNU_EXCEPTION(kUnknownSnapshot, "org.apache.hadoop.hbase.snapshot.UnknownSnapshotException",
                true);
BENNU_EXCEPTION(kSnapshotCreation, "org.apache.hadoop.hbase.snapshot.SnapshotCreationException",
                true);
BENNU_EXCEPTION(kSnapshotExpired, "org.apache.hadoop.hbase.snapshot.SnapshotTTLExpiredException",
                true);
BENNU_EXCEPTION(kCorruptedSnapshot, "org.apache.hadoop.hbase.snapshot.CorruptedSnapshotException",
                true);
#undef BENNU_EXCEPTION
}  // namespace exceptions

// What went wrong with a call, for the client. A value.
class RemoteError {
 public:
  RemoteError(const ExceptionClass& type, std::string message)
      : type_(&type), message_(std::move(message)) {}
  // By the status's code, where nothing better is known of the circumstances.
  explicit RemoteError(const Status& status);

  const ExceptionClass& type() const { return *type_; }
  const std::string& message() const { return message_; }
  // "class: message", the first line of Java's text.
  std::string ToString() const;

  void ToPb(pb::ExceptionResponse* response) const;
  void ToPb(pb::NameBytesPair* pair) const;

 private:
  const ExceptionClass* type_;
  std::string message_;
};

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_EXCEPTIONS_H_
