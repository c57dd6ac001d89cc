#include "src/client/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "src/base/env.h"
#include "src/base/hex.h"

namespace bennu::client {

namespace {

// HConstants.RETRY_BACKOFF.
constexpr int kBackoff[] = {1, 2, 3, 5, 10, 20, 40, 100, 100, 100, 100, 200, 200};
// A hundredth of the pause at most, so that clients that failed together do not come back together.
constexpr int64_t kJitterParts = 100;
// Of a row and of a region's name in an error.
constexpr size_t kShownMax = 100;

std::string Shown(ByteView bytes) {
  return ToStringBinary(bytes.substr(0, kShownMax)) + (bytes.size() > kShownMax ? "…" : "");
}

std::chrono::microseconds WithJitter(std::chrono::milliseconds pause) {
  const std::chrono::microseconds exact(pause);
  const int64_t most = exact.count() / kJitterParts;
  const auto random = static_cast<int64_t>(Env::Default()->RandomU64() >> 1);
  return exact + std::chrono::microseconds(random % (most + 1));
}

}  // namespace

Operation::Operation(const ClientOptions& options, std::string subject)
    : options_(options), deadline_(options.operation_timeout), subject_(std::move(subject)) {}

Operation::Operation(const ClientOptions& options, const TableName& table, ByteView row)
    : options_(options), deadline_(options.operation_timeout), table_(&table), row_(row) {}

std::chrono::milliseconds Operation::CallTimeout() const {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_.Left());
  return std::clamp(left, std::chrono::milliseconds(1), options_.call_timeout);
}

void Operation::SetPlace(ByteView region, const Address& server) {
  region_ = region;
  server_ = server;
}

std::chrono::milliseconds Operation::PauseBefore(const ClientOptions& options, uint32_t tries,
                                                 bool overloaded) {
  const auto base = overloaded ? std::max(options.pause, options.pause_overloaded) : options.pause;
  return base * kBackoff[std::min<size_t>(tries, std::size(kBackoff) - 1)];
}

Status Operation::TryAgain(const CallOutcome& failed) {
  if (failed.status.ok() || failed.remedy == rpc::Remedy::kNone) return failed.status;
  const uint32_t tries = tries_++;
  if (tries >= options_.retries_max) {
    return GiveUp(failed.status,
                  fmt::format("hbase.client.retries.number is {}", options_.retries_max));
  }
  std::chrono::microseconds pause = failed.wait;
  if (failed.remedy == rpc::Remedy::kAtOnce) {
    pause = {};
  } else if (pause.count() == 0) {
    pause = WithJitter(PauseBefore(options_, tries, failed.overloaded));
  }
  if (pause >= deadline_.Left()) {
    return GiveUp(failed.status, fmt::format("hbase.client.operation.timeout is {} ms",
                                             options_.operation_timeout.count()));
  }
  Env::Default()->SleepMicros(static_cast<uint64_t>(pause.count()));
  return Status::Ok();
}

Status Operation::NotKnown(const Status& cause) const {
  return cause.Annotate(Subject() + ": it is not known whether the change was made");
}

Status Operation::GiveUp(const Status& cause, const std::string& bound) const {
  return cause.Annotate(
      fmt::format("{}: given up after {} attempts ({})", Subject(), tries_, bound));
}

std::string Operation::Subject() const {
  std::string text = subject_;
  if (table_ != nullptr) text = fmt::format("table {}, row '{}'", table_->ToString(), Shown(row_));
  if (!region_.empty()) text += fmt::format(", region '{}'", Shown(region_));
  if (server_.port != 0) text += fmt::format(" on {}", server_.ToString());
  return text;
}

}  // namespace bennu::client
