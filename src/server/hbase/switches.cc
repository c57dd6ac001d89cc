#include "src/server/hbase/switches.h"

#include <utility>

#include "src/base/log.h"
#include "src/engine/directory/master_files.h"

namespace bennu::server::hbase {

namespace {

// In the file; null: not kept. By the number of the Switch.
constexpr std::array<const char*, kSwitchCount> kKeptNames = {
    "balancer",         "normalizer",   "split", "merge",
    "snapshot-cleanup", "rpc-throttle", nullptr, nullptr};

pb::KeptSwitch* FindKept(const char* name, pb::SwitchesFile* file) {
  for (pb::KeptSwitch& kept : *file->mutable_switches()) {
    if (kept.name() == name) return &kept;
  }
  pb::KeptSwitch* const added = file->add_switches();
  added->set_name(name);
  return added;
}

}  // namespace

Switches::Switches(Env* env, const std::string& root) : env_(env), layout_(root) {
  for (auto& value : values_) value.store(true);
  auto file = engine::ReadSwitches(env_, layout_);
  MutexLock lock(&mu_);
  if (!file.ok()) {
    damage_ = std::move(file).status();
    LogError("all of the master's switches are on: {}", damage_.message());
    return;
  }
  file_ = std::move(file).value();
  for (const pb::KeptSwitch& kept : file_.switches()) {
    for (size_t i = 0; i < kSwitchCount; ++i) {
      if (kKeptNames[i] != nullptr && kept.name() == kKeptNames[i]) values_[i].store(kept.on());
    }
  }
}

CallError Switches::Set(Switch which, bool on, bool* previous) {
  const auto index = static_cast<size_t>(which);
  const char* const name = kKeptNames[index];
  MutexLock lock(&mu_);
  if (name != nullptr) {
    if (!damage_.ok()) return rpc::RemoteError(damage_);
    pb::SwitchesFile changed = file_;
    FindKept(name, &changed)->set_on(on);
    if (Status status = engine::WriteSwitches(env_, layout_, changed); !status.ok()) {
      return rpc::RemoteError(status);
    }
    file_ = std::move(changed);
  }
  const bool before = values_[index].exchange(on);
  if (previous != nullptr) *previous = before;
  return std::nullopt;
}

}  // namespace bennu::server::hbase
