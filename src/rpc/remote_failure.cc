#include "src/rpc/remote_failure.h"

#include <fmt/format.h>

#include <charconv>

namespace bennu::rpc {

namespace {

struct KnownClass {
  std::string_view name;  // without the package
  StatusCode code;
  Remedy remedy = Remedy::kNone;
  bool overloaded = false;
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
    {"CallQueueTooBigException", StatusCode::kResourceExhausted, Remedy::kWait, true},
    {"CallDroppedException", StatusCode::kResourceExhausted, Remedy::kWait, true},
    {"MultiActionResultTooLarge", StatusCode::kResourceExhausted, Remedy::kAtOnce},
    {"RpcThrottlingException", StatusCode::kResourceExhausted, Remedy::kWait},
    {"RequestTooBigException", StatusCode::kResourceExhausted},
    {"RowTooBigException", StatusCode::kResourceExhausted},
    {"TimeoutIOException", StatusCode::kTimedOut, Remedy::kWait},
    {"CallTimeoutException", StatusCode::kTimedOut, Remedy::kWait},
    // ---- what is not there, or is
    {"TableNotFoundException", StatusCode::kNotFound},
    {"FileNotFoundException", StatusCode::kNotFound},
    {"NamespaceNotFoundException", StatusCode::kNotFound},
    {"UnknownRegionException", StatusCode::kNotFound},
    {"SnapshotDoesNotExistException", StatusCode::kNotFound},
    {"UnknownSnapshotException", StatusCode::kNotFound},
    // ---- a scanner that the server has no more
    {"UnknownScannerException", StatusCode::kNotFound, Remedy::kReopen},
    {"OutOfOrderScannerNextException", StatusCode::kAborted, Remedy::kReopen},
    {"ScannerResetException", StatusCode::kAborted, Remedy::kReopen},
    {"LeaseException", StatusCode::kAborted, Remedy::kReopen},
    // ---- what is there
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
    // ---- what a server will not do, now or later
    {"CorruptedSnapshotException", StatusCode::kCorruption},
    {"CoprocessorException", StatusCode::kInvalidArgument},
    {"DoNotRetryRegionException", StatusCode::kFailedPrecondition},
    {"ExportSnapshotException", StatusCode::kFailedPrecondition},
    {"FatalConnectionException", StatusCode::kInvalidArgument},
    {"HBaseSnapshotException", StatusCode::kFailedPrecondition},
    {"InvalidQuotaSettingsException", StatusCode::kInvalidArgument},
    {"LockTimeoutException", StatusCode::kTimedOut},
    {"NoSuchProcedureException", StatusCode::kNotFound},
    {"QuotaExceededException", StatusCode::kResourceExhausted},
    {"RegionAlreadyInTransitionException", StatusCode::kFailedPrecondition},
    {"ReplicationException", StatusCode::kFailedPrecondition},
    {"RestoreSnapshotException", StatusCode::kFailedPrecondition},
    {"SnapshotCreationException", StatusCode::kFailedPrecondition},
    {"SnapshotTTLExpiredException", StatusCode::kFailedPrecondition},
    {"SpaceLimitingException", StatusCode::kResourceExhausted},
    {"TablePartiallyOpenException", StatusCode::kFailedPrecondition},
    {"UnsupportedCompressionCodecException", StatusCode::kInvalidArgument},
    {"UnknownServiceException", StatusCode::kNotSupported},
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

constexpr std::string_view kRegionMoved = "RegionMovedException";
constexpr std::string_view kThrottling = "RpcThrottlingException";

// A host name has at most 255 characters (RFC 1035).
constexpr size_t kHostMax = 255;

std::optional<Place> PlaceOf(std::string_view host, int64_t port) {
  if (host.empty() || host.size() > kHostMax || port < 1 || port > UINT16_MAX) return {};
  return Place{std::string(host), static_cast<uint16_t>(port)};
}

// In "Region moved to: hostname=H port=P startCode=S. As of …".
std::optional<Place> PlaceIn(std::string_view text) {
  constexpr std::string_view kHost = "hostname=";
  constexpr std::string_view kPort = " port=";
  const size_t host = text.find(kHost);
  if (host == std::string_view::npos) return {};
  text.remove_prefix(host + kHost.size());
  const size_t end = text.find(kPort);
  if (end == std::string_view::npos) return {};
  int64_t port = 0;
  const char* const digits = text.data() + end + kPort.size();
  const auto parsed = std::from_chars(digits, text.data() + text.size(), port);
  if (parsed.ec != std::errc()) return {};
  return PlaceOf(text.substr(0, end), port);
}

// The time at the end of "… - wait 1hr, 2mins, 3sec, 4ms", of which any part may be left out. 0:
// there is none. Source: RpcThrottlingException.
std::chrono::milliseconds WaitIn(std::string_view text) {
  constexpr std::string_view kWait = "- wait ";
  struct Unit {
    std::string_view name;
    int64_t millis;
  };
  // A name that begins another one comes behind it.
  constexpr Unit kUnits[] = {{"hrs", 3'600'000}, {"hr", 3'600'000}, {"mins", 60'000},
                             {"min", 60'000},    {"sec", 1'000},    {"ms", 1}};
  constexpr int64_t kNumberMax = 1'000'000;
  const size_t begin = text.rfind(kWait);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + kWait.size());
  int64_t millis = 0;
  while (true) {
    int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || number < 0 || number > kNumberMax) break;
    text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
    bool known = false;
    for (const Unit& unit : kUnits) {
      if (!text.starts_with(unit.name)) continue;
      millis += number * unit.millis;
      text.remove_prefix(unit.name.size());
      known = true;
      break;
    }
    if (!known || !text.starts_with(", ")) break;
    text.remove_prefix(2);
  }
  return std::chrono::milliseconds(millis);
}

}  // namespace

RemoteFailure FailureOf(std::string_view java_class, std::string_view text) {
  const std::string_view name = java_class.substr(java_class.find_last_of(".$") + 1);
  std::string message(MessageIn(text, java_class));
  if (message.empty()) message = name;
  for (const KnownClass& known : kKnown) {
    if (known.name != name) continue;
    RemoteFailure failure = {Status(known.code, message), known.remedy, known.overloaded};
    failure.in_doubt = known.code == StatusCode::kTimedOut;
    if (name == kRegionMoved) failure.moved_to = PlaceIn(message);
    if (name == kThrottling) failure.wait = WaitIn(message);
    return failure;
  }
  RemoteFailure unknown = {IoError(fmt::format("{}: {}", name, message)), Remedy::kRelocate};
  unknown.in_doubt = true;
  return unknown;
}

RemoteFailure FailureOf(const pb::ExceptionResponse& exception) {
  RemoteFailure failure = FailureOf(exception.exception_class_name(), exception.stack_trace());
  if (exception.server_overloaded()) failure.overloaded = true;
  // A scanner that is gone is none of the calls that may not be sent again: another one is opened.
  if (exception.do_not_retry() && failure.remedy != Remedy::kReopen) {
    failure.remedy = Remedy::kNone;
    failure.in_doubt = false;
  }
  if (exception.has_hostname()) failure.moved_to = PlaceOf(exception.hostname(), exception.port());
  return failure;
}

RemoteFailure FailureOf(const pb::NameBytesPair& exception) {
  return FailureOf(exception.name(), exception.value());
}

RemoteFailure FailureOf(const pb::ForeignExceptionMessage& exception) {
  const pb::GenericExceptionMessage& generic = exception.generic_exception();
  RemoteFailure failure = FailureOf(generic.class_name(), generic.message());
  failure.remedy = Remedy::kNone;
  failure.in_doubt = false;
  return failure;
}

}  // namespace bennu::rpc
