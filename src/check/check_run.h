// What the parts of one check share: where they look, and where they tell.
#ifndef BENNU_SRC_CHECK_CHECK_RUN_H_
#define BENNU_SRC_CHECK_CHECK_RUN_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/check/finding.h"
#include "src/engine/directory/root_layout.h"

namespace bennu::check {

// A log entry of hbase:meta or hbase:namespace, copied.
struct CatalogEdit {
  Bytes encoded_region;
  Bytes cells;
  uint32_t cell_count = 0;
  uint64_t sequence_id = 0;
};

struct CheckRun {
  CheckRun(Env* env_given, const std::string& root) : env(env_given), layout(root) {}

  // "data/default/t" of "<root>/data/default/t".
  std::string Relative(const std::string& path) const {
    return path.size() > layout.root().size() ? path.substr(layout.root().size() + 1) : "";
  }
  std::string Absolute(const std::string& relative) const {
    return JoinPath(layout.root(), relative);
  }

  void Add(Level level, const std::string& path, std::string what, Repair repair = {},
           std::string remedy = {}, std::optional<uint64_t> offset = std::nullopt) {
    findings.push_back(
        {level, Relative(path), offset, std::move(what), std::move(repair), std::move(remedy)});
  }
  void Fault(const std::string& path, std::string what, Repair repair = {},
             std::string remedy = {}) {
    Add(Level::kFault, path, std::move(what), std::move(repair), std::move(remedy));
  }
  void Warn(const std::string& path, std::string what, Repair repair = {},
            std::string remedy = {}) {
    Add(Level::kWarning, path, std::move(what), std::move(repair), std::move(remedy));
  }
  // Nothing that a store puts there, and in nobody's way: a repair does not touch it.
  void LeaveAlone(const std::string& path, std::string what) {
    Warn(path, std::move(what) + "; it is left alone");
  }
  // The usual case: in the way, and of no use where it is.
  void MoveAway(Level level, const std::string& path, std::string what) {
    Add(level, path, std::move(what), Repair(RepairKind::kMoveAway), "move it to corrupt/");
  }

  void CountFile(uint64_t size) {
    ++files;
    bytes += size;
    if (progress) progress(files, bytes);
  }

  Env* const env;
  const engine::RootLayout layout;
  std::function<void(uint64_t files, uint64_t bytes)> progress;

  std::vector<Finding> findings;
  uint64_t files = 0;
  uint64_t bytes = 0;
  // HFiles that an earlier round found sound, with their sizes; they do not change.
  std::map<std::string, uint64_t>* sound_files = nullptr;

  std::vector<CatalogEdit> catalog_edits;  // in the logs
  uint64_t max_logged_sequence_id = 0;
};

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_CHECK_RUN_H_
