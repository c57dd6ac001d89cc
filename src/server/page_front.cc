#include "src/server/page_front.h"

#include <chrono>
#include <utility>

namespace bennu::server {

namespace {

// One for each statement that the console may run at a time, and some for what ends them and shows
// the rest.
constexpr size_t kPageHandlers = console::WorkbenchBounds().running_max + 4;
constexpr size_t kPagesQueued = 100;
constexpr std::chrono::seconds kPageIdleMax{60};

}  // namespace

PageFront::PageFront(front::SqlHost* sql, std::unique_ptr<console::View> view,
                     ShowStatus show_status, const Options& options)
    : sql_(sql),
      console_(sql, std::move(view)),
      handlers_(std::make_unique<net::Handlers>(kPageHandlers, kPagesQueued,
                                                options.memory->bytes_max(), "page")) {
  port_.handlers = handlers_.get();
  port_.memory = options.memory;
  port_.host = options.host;
  port_.users = options.users;
  port_.compress = options.compress;
  port_.own_pages = true;
  port_.idle_max = kPageIdleMax;
  port_.answer_at_once = [show_status = std::move(show_status)](
                             const http::Request& request) -> std::optional<http::Response> {
    if (console::Console::IsPageAsked(request)) return std::nullopt;
    return show_status(request);
  };
  // Who watches the server has no password for it, and learns nothing of the data.
  port_.is_open = [](const http::Request& request) { return request.path == "/healthz"; };
  port_.answer = [this](http::Request&& request) { return console_.Handle(request); };
}

status::IndexBuildMetrics PageFront::index_builds() const {
  const sql::session::IndexBuildCounts counts = sql_->index_builds();
  status::IndexBuildMetrics metrics{
      counts.completed, counts.failed, counts.cancelled, counts.rows, {}};
  for (const sql::session::RunningIndexBuild& build : counts.running) {
    metrics.running.push_back({build.table, build.index, build.tenant, build.rows, build.total});
  }
  return metrics;
}

void PageFront::Stop() {
  console_.Stop();
  handlers_.reset();
}

}  // namespace bennu::server
