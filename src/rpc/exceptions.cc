#include "src/rpc/exceptions.h"

#include <fmt/format.h>

namespace bennu::rpc {

namespace {

// Of what is short, the one thing that does not come back by waiting; its message names the limit.
constexpr ExceptionClass kRowTooBig = {"org.apache.hadoop.hbase.client.RowTooBigException", true};
constexpr std::string_view kRowLimit = "hbase.table.max.rowsize";

const ExceptionClass& ClassOf(const Status& status) {
  if (status.code() == StatusCode::kResourceExhausted &&
      status.message().find(kRowLimit) != std::string::npos) {
    return kRowTooBig;
  }
  switch (status.code()) {
    case StatusCode::kNotFound: return exceptions::kTableNotFound;
    case StatusCode::kCorruption: return exceptions::kCorruptHFile;
    case StatusCode::kResourceExhausted: return exceptions::kRegionTooBusy;
    case StatusCode::kTimedOut: return exceptions::kTimeout;
    case StatusCode::kInvalidArgument:
    case StatusCode::kAlreadyExists:
    case StatusCode::kNotSupported:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kCancelled: return exceptions::kDoNotRetry;
    default: return exceptions::kIo;
  }
}

}  // namespace

RemoteError::RemoteError(const Status& status) : RemoteError(ClassOf(status), status.message()) {}

std::string RemoteError::ToString() const { return fmt::format("{}: {}", type_->name, message_); }

void RemoteError::ToPb(pb::ExceptionResponse* response) const {
  response->set_exception_class_name(std::string(type_->name));
  response->set_stack_trace(ToString());
  response->set_do_not_retry(type_->do_not_retry);
  if (type_->overloaded) response->set_server_overloaded(true);
}

void RemoteError::ToPb(pb::NameBytesPair* pair) const {
  pair->set_name(std::string(type_->name));
  pair->set_value(ToString());
}

}  // namespace bennu::rpc
