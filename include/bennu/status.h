// Status and Result<T>: how every call that can fail says so.
//
// Both are [[nodiscard]], so a dropped error does not compile. Codes are few; what happened, to
// which file, table or row, and what to do about it stands in the message. Context is added on the
// way up with Status::Annotate. Failed SQL statements also carry an SqlError (Phoenix's code, the
// place in the text, a hint). Thread rule: a Status is a value; copies are independent.
#ifndef BENNU_STATUS_H_
#define BENNU_STATUS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace bennu {

enum class StatusCode : uint8_t {
  kOk = 0,
  kInvalidArgument,  // the caller asked for something that can never work
  kNotFound,         // table, family, file or row is not there
  kAlreadyExists,
  kCorruption,          // bytes on disk or on the wire are not what they must be
  kIoError,             // the operating system refused; errno is in the message
  kNoSpace,             // disk full
  kNotSupported,        // meant to work one day or elsewhere, and does not here
  kFailedPrecondition,  // the store or table is in the wrong state (read-only, closed, disabled)
  kHeld,                // another process holds the directory
  kAborted,             // a concurrent change won; may be tried again
  kCancelled,
  kTimedOut,
  kResourceExhausted,  // a stated bound was reached (memory, row size, queue)
  kSql,                // a statement was refused; see sql_error()
  kInternal,           // a fault of Bennu
};

// Returns the name without the 'k', such as "Corruption".
std::string_view StatusCodeName(StatusCode code);

// Phoenix's description of a refused statement.
struct SqlError {
  int code = 0;           // Phoenix's vendor code, such as 504; 0 where Phoenix has none
  std::string sqlstate;   // five characters, such as "42703"; empty when code is 0
  int64_t position = -1;  // byte offset into the statement's text, -1 when no place is known
  std::string hint;       // what to try instead; empty when there is nothing to say
};

// Success, or an error's code and message.
class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(StatusCode code, std::string message);
  Status(const Status& other);
  Status& operator=(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;

  static Status Ok() { return Status(); }
  // An SQL refusal. 'message' is the text after "ERROR code (state): ".
  static Status Sql(SqlError error, std::string message);

  bool ok() const { return rep_ == nullptr; }
  StatusCode code() const { return rep_ == nullptr ? StatusCode::kOk : rep_->code; }
  const std::string& message() const;
  // Set for kSql only, else nullptr. Lives as long as this Status.
  const SqlError* sql_error() const;

  // Returns this error with "context: " before its message; OK stays OK.
  Status Annotate(std::string_view context) const;

  // "OK", or "Corruption: …"; for SQL "ERROR 504 (42703): …".
  std::string ToString() const;

 private:
  struct Rep {
    StatusCode code;
    std::string message;
    std::optional<SqlError> sql;
  };
  std::unique_ptr<Rep> rep_;  // null means OK, so success costs one word
};

Status InvalidArgument(std::string message);
Status NotFound(std::string message);
Status AlreadyExists(std::string message);
Status Corruption(std::string message);
Status IoError(std::string message);
Status NotSupported(std::string message);
Status FailedPrecondition(std::string message);
Status ResourceExhausted(std::string message);
Status Cancelled(std::string message);
Status Internal(std::string message);

namespace internal {
[[noreturn]] void DieOnBadAccess(const Status& status);
}  // namespace internal

// A T or the reason why there is none. value() on an error ends the process: check ok() first.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;
  Result(T value) : value_(std::move(value)) {}         // NOLINT(google-explicit-constructor)
  Result(Status status) : status_(std::move(status)) {  // NOLINT(google-explicit-constructor)
    if (status_.ok()) internal::DieOnBadAccess(status_);
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const& { return status_; }
  Status status() && { return std::move(status_); }

  T& value() & {
    if (!ok()) internal::DieOnBadAccess(status_);
    return *value_;
  }
  const T& value() const& {
    if (!ok()) internal::DieOnBadAccess(status_);
    return *value_;
  }
  T&& value() && {
    if (!ok()) internal::DieOnBadAccess(status_);
    return *std::move(value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace bennu

#define BENNU_CONCAT_INNER_(a, b) a##b
#define BENNU_CONCAT_(a, b) BENNU_CONCAT_INNER_(a, b)

// Returns from the enclosing function when 'expr' (a Status) is an error.
#define BENNU_RETURN_IF_ERROR(expr)                \
  do {                                             \
    ::bennu::Status bennu_status_ = (expr);        \
    if (!bennu_status_.ok()) return bennu_status_; \
  } while (false)

// BENNU_ASSIGN_OR_RETURN(auto x, MakeX()): unwraps a Result or returns its error.
#define BENNU_ASSIGN_OR_RETURN(lhs, expr) \
  BENNU_ASSIGN_OR_RETURN_(BENNU_CONCAT_(bennu_result_, __COUNTER__), lhs, expr)
#define BENNU_ASSIGN_OR_RETURN_(result, lhs, expr)     \
  auto result = (expr);                                \
  if (!result.ok()) return std::move(result).status(); \
  lhs = std::move(result).value()

#endif  // BENNU_STATUS_H_
