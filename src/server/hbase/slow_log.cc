#include "src/server/hbase/slow_log.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>
#include <utility>

#include "src/base/json_text.h"
#include "src/base/log.h"

namespace bennu::server::hbase {

std::string DescribeSlowCall(const SlowCall& call) {
  std::string text = "{";
  const auto name = [&text](std::string_view key) {
    if (text.size() > 1) text.push_back(',');
    AppendJsonString(key, &text);
    text.push_back(':');
  };
  const auto add_text = [&](std::string_view key, const std::string& value) {
    if (value.empty()) return;
    name(key);
    AppendJsonString(value, &text);
  };
  const auto add_number = [&](std::string_view key, auto value) {
    name(key);
    fmt::format_to(std::back_inserter(text), "{}", value);
  };
  add_text("method", call.method);
  add_number("callid", call.call_id);
  add_text("traceid", call.trace_id);
  add_number("starttimems", call.start_millis);
  add_number("queuetimems", call.queue_millis);
  add_number("processingtimems", call.processing_millis);
  add_number("responsesize", call.response_bytes);
  add_text("client", call.client);
  add_text("user", call.user);
  add_text("class", call.service);
  add_text("table", call.table);
  add_text("region", call.region);
  add_text("param", call.rows);
  if (call.gets > 0) add_number("multi.gets", call.gets);
  if (call.mutations > 0) add_number("multi.mutations", call.mutations);
  if (call.service_calls > 0) add_number("multi.servicecalls", call.service_calls);
  text.push_back('}');
  return text;
}

void SlowLog::SetBounds(const Bounds& bounds) {
  millis_.store(bounds.millis, std::memory_order_relaxed);
  bytes_.store(bounds.bytes, std::memory_order_relaxed);
  MutexLock lock(&mu_);
  keep_ = bounds.keep;
  kept_max_ = bounds.kept_max;
  while (calls_.size() > (keep_ ? kept_max_ : 0)) calls_.pop_back();
}

void SlowLog::Add(SlowCall call) {
  if (call.slow) slow_count_.fetch_add(1, std::memory_order_relaxed);
  if (call.large) large_count_.fetch_add(1, std::memory_order_relaxed);
  LogWarning("({}): {}", call.slow ? "responseTooSlow" : "responseTooLarge",
             DescribeSlowCall(call));
  MutexLock lock(&mu_);
  if (!keep_ || kept_max_ == 0) return;
  if (calls_.size() >= kept_max_) calls_.pop_back();
  calls_.push_front(std::move(call));
}

std::vector<SlowCall> SlowLog::List() const {
  MutexLock lock(&mu_);
  return {calls_.begin(), calls_.end()};
}

bool SlowLog::Clear() {
  MutexLock lock(&mu_);
  calls_.clear();
  return keep_;
}

}  // namespace bennu::server::hbase
