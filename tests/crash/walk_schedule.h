// The fixed schedule of the walk: what is done to a store, call by call, and what each call means.
#ifndef BENNU_TESTS_CRASH_WALK_SCHEDULE_H_
#define BENNU_TESTS_CRASH_WALK_SCHEDULE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/base/env.h"
#include "src/engine/open.h"
#include "tests/crash/walk_model.h"
#include "tests/support/mirror_observer.h"

namespace bennu::walk {

// A store that the calls are made on. An observer mirrors its table o in table om. Beside
// DIRECTORY, DIRECTORY.load is the folder of a bulk load and DIRECTORY.backup the target of a
// backup.
class Run {
 public:
  // 'env' outlives this.
  explicit Run(std::string directory, Env* env = Env::Default())
      : directory_(std::move(directory)), env_(env) {}

  Status Open();
  Status Close();
  bool is_open() const { return engine_ != nullptr; }
  engine::Engine* engine() { return engine_.get(); }
  Admin* admin() { return engine_->admin(); }
  const std::string& directory() const { return directory_; }

 private:
  const std::string directory_;
  Env* const env_;
  MirrorSource observers_{{"default", "o"}, {"default", "om"}};  // outlives the engine
  std::unique_ptr<engine::Engine> engine_;
};

using Effect = std::function<void(State*)>;

// One call. It happens or not; 'partials' are what it may leave besides when it is cut off, as
// effects on what was before.
struct Step {
  std::string name;
  std::function<Status(Run*)> call;
  Effect effect;
  std::vector<Effect> partials = {};
};

// Calls that follow each other in one process. The walk stops at each change of the file system
// between the beginning of the first and the end of the last one.
struct Act {
  std::string name;
  std::vector<Step> steps;
  bool starts_closed = false;                   // the first step opens the store
  bool ends_closed = false;                     // the last one closes it
  std::function<void(Run*)> prepare = nullptr;  // files that the steps want; the store is not open
};

std::vector<Act> MakeSchedule();

}  // namespace bennu::walk

#endif  // BENNU_TESTS_CRASH_WALK_SCHEDULE_H_
