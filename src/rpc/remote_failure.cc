#include "src/rpc/remote_failure.h"

#include <fmt/format.h>

namespace bennu::rpc {

namespace {

struct KnownClass {
  std::string_view name;  // without the package
  StatusCode code;
  Remedy remedy = Remedy::kNone;
};

constexpr KnownClass kKnown[] = {
    // ---- where the region is
    {"NotServingRegionException", StatusCode::kAborted, Remedy::kRelocate},
    {"RegionMovedException", StatusCode::kAborted, Remedy::kRelocate},
    {"RegionOpeningException", StatusCode::kAborted, Remedy::kRelocate},
    {"WrongRegionException", StatusCode::kAborted, Remedy::kRelocate},
    {"RegionServerStoppedException", StatusCode::kAborted, Remedy::kRelocate},
    {"RegionServerAbortedException", StatusCode::kAborted, Remedy::kRelocate},
    {"ServerNotRunningYetException", StatusCode::kAborted, Remedy::kRelocate},
    {"MasterNotRunningException", StatusCode::kAborted, Remedy::kRelocate},
    {"PleaseHoldException", StatusCode::kAborted, Remedy::kWait},
    // ---- what passes
    {"RegionTooBusyException", StatusCode::kResourceExhausted, Remedy::kWait},
    {"CallQueueTooBigException", StatusCode::kResourceExhausted, Remedy::kWait},
    {"RpcThrottlingException", StatusCode::kResourceExhausted, Remedy::kWait},
    {"RequestTooBigException", StatusCode::kResourceExhausted},
    {"RowTooBigException", StatusCode::kResourceExhausted},
    {"TimeoutIOException", StatusCode::kTimedOut},
    {"CallTimeoutException", StatusCode::kTimedOut},
    // ---- what is not there, or is
    {"TableNotFoundException", StatusCode::kNotFound},
    {"FileNotFoundException", StatusCode::kNotFound},
    {"NamespaceNotFoundException", StatusCode::kNotFound},
    {"UnknownRegionException", StatusCode::kNotFound},
    {"SnapshotDoesNotExistException", StatusCode::kNotFound},
    {"UnknownSnapshotException", StatusCode::kNotFound},
    {"UnknownScannerException", StatusCode::kNotFound},
    {"TableExistsException", StatusCode::kAlreadyExists},
    {"NamespaceExistException", StatusCode::kAlreadyExists},
    {"SnapshotExistsException", StatusCode::kAlreadyExists},
    // ---- what cannot be
    {"TableNotEnabledException", StatusCode::kFailedPrecondition},
    {"TableNotDisabledException", StatusCode::kFailedPrecondition},
    {"ConstraintException", StatusCode::kFailedPrecondition},
    {"MergeRegionException", StatusCode::kFailedPrecondition},
    {"NoSuchColumnFamilyException", StatusCode::kInvalidArgument},
    {"FailedSanityCheckException", StatusCode::kInvalidArgument},
    {"InvalidFamilyOperationException", StatusCode::kInvalidArgument},
    {"IllegalArgumentException", StatusCode::kInvalidArgument},
    {"DoNotRetryIOException", StatusCode::kInvalidArgument},
    {"UnsupportedOperationException", StatusCode::kNotSupported},
    {"UnknownProtocolException", StatusCode::kNotSupported},
    {"AccessDeniedException", StatusCode::kFailedPrecondition},
    {"CorruptHFileException", StatusCode::kCorruption},
};

// Without the class in front of it and the stack behind it.
std::string_view MessageIn(std::string_view text, std::string_view java_class) {
  text = text.substr(0, text.find("\n\tat "));
  if (text.starts_with(java_class)) {
    text.remove_prefix(java_class.size());
    if (text.starts_with(": ")) text.remove_prefix(2);
  }
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

}  // namespace

RemoteFailure FailureOf(std::string_view java_class, std::string_view text) {
  const std::string_view name = java_class.substr(java_class.find_last_of(".$") + 1);
  std::string message(MessageIn(text, java_class));
  if (message.empty()) message = name;
  for (const KnownClass& known : kKnown) {
    if (known.name == name) return {Status(known.code, std::move(message)), known.remedy};
  }
  return {IoError(fmt::format("{}: {}", name, message)), Remedy::kNone};
}

RemoteFailure FailureOf(const pb::ExceptionResponse& exception) {
  return FailureOf(exception.exception_class_name(), exception.stack_trace());
}

RemoteFailure FailureOf(const pb::NameBytesPair& exception) {
  return FailureOf(exception.name(), exception.value());
}

RemoteFailure FailureOf(const pb::ForeignExceptionMessage& exception) {
  const pb::GenericExceptionMessage& generic = exception.generic_exception();
  return FailureOf(generic.class_name(), generic.message());
}

}  // namespace bennu::rpc
