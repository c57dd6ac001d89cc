#include "bennu/status.h"

#include <cstdio>
#include <cstdlib>

namespace bennu {

std::string_view StatusCodeName(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "OK";
    case StatusCode::kInvalidArgument: return "InvalidArgument";
    case StatusCode::kNotFound: return "NotFound";
    case StatusCode::kAlreadyExists: return "AlreadyExists";
    case StatusCode::kCorruption: return "Corruption";
    case StatusCode::kIoError: return "IoError";
    case StatusCode::kNoSpace: return "NoSpace";
    case StatusCode::kNotSupported: return "NotSupported";
    case StatusCode::kFailedPrecondition: return "FailedPrecondition";
    case StatusCode::kHeld: return "Held";
    case StatusCode::kAborted: return "Aborted";
    case StatusCode::kCancelled: return "Cancelled";
    case StatusCode::kTimedOut: return "TimedOut";
    case StatusCode::kResourceExhausted: return "ResourceExhausted";
    case StatusCode::kSql: return "Sql";
    case StatusCode::kInternal: return "Internal";
  }
  return "Unknown";
}

Status::Status(StatusCode code, std::string message) {
  if (code != StatusCode::kOk) {
    rep_ = std::make_unique<Rep>(Rep{code, std::move(message), std::nullopt});
  }
}

Status::Status(const Status& other)
    : rep_(other.rep_ == nullptr ? nullptr : std::make_unique<Rep>(*other.rep_)) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) {
    rep_ = other.rep_ == nullptr ? nullptr : std::make_unique<Rep>(*other.rep_);
  }
  return *this;
}

Status Status::Sql(SqlError error, std::string message) {
  Status status(StatusCode::kSql, std::move(message));
  status.rep_->sql = std::move(error);
  return status;
}

const std::string& Status::message() const {
  static const std::string empty;
  return rep_ == nullptr ? empty : rep_->message;
}

const SqlError* Status::sql_error() const {
  return rep_ == nullptr || !rep_->sql.has_value() ? nullptr : &*rep_->sql;
}

Status Status::Annotate(std::string_view context) const {
  if (ok()) return *this;
  Status annotated(*this);
  annotated.rep_->message = std::string(context) + ": " + rep_->message;
  return annotated;
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  if (const SqlError* sql = sql_error(); sql != nullptr && sql->code != 0) {
    return "ERROR " + std::to_string(sql->code) + " (" + sql->sqlstate + "): " + message();
  }
  return std::string(StatusCodeName(code())) + ": " + message();
}

Status InvalidArgument(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}
Status NotFound(std::string message) { return Status(StatusCode::kNotFound, std::move(message)); }
Status AlreadyExists(std::string message) {
  return Status(StatusCode::kAlreadyExists, std::move(message));
}
Status Corruption(std::string message) {
  return Status(StatusCode::kCorruption, std::move(message));
}
Status IoError(std::string message) { return Status(StatusCode::kIoError, std::move(message)); }
Status NotSupported(std::string message) {
  return Status(StatusCode::kNotSupported, std::move(message));
}
Status FailedPrecondition(std::string message) {
  return Status(StatusCode::kFailedPrecondition, std::move(message));
}
Status ResourceExhausted(std::string message) {
  return Status(StatusCode::kResourceExhausted, std::move(message));
}
Status Cancelled(std::string message) { return Status(StatusCode::kCancelled, std::move(message)); }
Status Internal(std::string message) { return Status(StatusCode::kInternal, std::move(message)); }

namespace internal {
void DieOnBadAccess(const Status& status) {
  std::fprintf(stderr, "bennu: value taken from a failed Result (%s)\n", status.ToString().c_str());
  std::abort();
}
}  // namespace internal

}  // namespace bennu
