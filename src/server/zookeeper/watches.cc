#include "src/server/zookeeper/watches.h"

#include <algorithm>
#include <functional>

namespace bennu::server::zookeeper {

namespace {

// Of one session's paths, with what each costs besides.
constexpr size_t kBytesMax = 256u << 10;
constexpr size_t kWatchBytes = 100;

}  // namespace

Watches::Fingerprint Watches::Now(Of what, const std::string& path, ZnodesView* view) {
  Bytes content;
  if (what == Of::kNode) {
    auto data = view->Data(path);
    if (!data.has_value()) return kMissing;
    content = std::move(*data);
  } else {
    const auto children = view->Children(path);
    if (!children.has_value()) return kMissing;
    for (const std::string& child : *children) content.append(child).push_back('/');
  }
  const Fingerprint hash = std::hash<std::string_view>()(content);
  return hash <= kOutdated ? hash + 2 : hash;
}

bool Watches::Set(Of what, const std::string& path, Fingerprint known) {
  const auto [at, added] = watched_.try_emplace({path, what}, known);
  if (!added) return true;
  quiet_.reset();
  const size_t bytes = charge_.bytes() + path.size() + kWatchBytes;
  if (bytes <= kBytesMax && charge_.TrySet(bytes)) return true;
  watched_.erase(at);
  return false;
}

bool Watches::Add(Of what, const std::string& path, ZnodesView* view) {
  return znodes_->IsConstant(path) || Set(what, path, Now(what, path, view));
}

bool Watches::Restore(Of what, const std::string& path, bool existed, bool since_start) {
  if (znodes_->IsConstant(path) && since_start) return true;
  return Set(what, path, existed ? kOutdated : kMissing);
}

std::vector<Watches::Event> Watches::TakeFired(ZnodesView* view) {
  std::vector<Event> events;
  if (watched_.empty()) return events;
  const uint64_t all = view->Fingerprint();
  if (all == quiet_) return events;
  quiet_ = all;
  for (auto at = watched_.begin(); at != watched_.end();) {
    const auto& [path, what] = at->first;
    const Fingerprint known = at->second;
    const Fingerprint now = Now(what, path, view);
    if (now == known) {
      ++at;
      continue;
    }
    EventType type = what == Of::kNode ? EventType::kData : EventType::kChildren;
    if (now == kMissing) type = EventType::kDeleted;
    if (known == kMissing) type = EventType::kCreated;
    events.push_back({type, path});
    charge_.Set(charge_.bytes() - path.size() - kWatchBytes);
    at = watched_.erase(at);
  }
  // A node that is gone is told once, whatever of it was watched.
  std::sort(events.begin(), events.end());
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

}  // namespace bennu::server::zookeeper
