#include "src/check/shape_check.h"

#include <algorithm>
#include <utility>

namespace bennu::check {

namespace {

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The store works without what is there.
bool IsSpare(const std::string& relative) {
  return relative.starts_with("archive") || relative.starts_with("oldWALs") ||
         relative.starts_with(".tmp") || relative.starts_with("staging");
}

// Whether a finding names it; what it says of the place itself then says what is there, too.
bool IsTold(const std::string& path, const OddShape& odd, CheckRun* run) {
  bool is_told = false;
  for (Finding& finding : run->findings) {
    if (finding.path == run->Relative(path)) {
      if (!Contains(finding.what, odd.what)) finding.what = odd.what + ": " + finding.what;
      // What seems to be missing there may only not be seen.
      const bool is_lost = !odd.is_readable && !IsSpare(finding.path);
      if (is_lost) finding.level = Level::kFault;
      is_told = true;
    }
    is_told = is_told || Contains(finding.what, path + " is " + odd.what);
  }
  return is_told;
}

Finding Tell(const std::string& relative, const OddShape& odd) {
  Finding finding;
  finding.level = IsSpare(relative) ? Level::kWarning : Level::kFault;
  finding.path = relative;
  finding.what = odd.what;
  finding.repair = Repair(RepairKind::kMoveAway);
  finding.remedy = "move it to corrupt/";
  return finding;
}

}  // namespace

void TellOddShapes(const std::map<std::string, OddShape>& odd, CheckRun* run) {
  bool all_readable = true;
  for (const auto& [path, shape] : odd) {
    if (!shape.is_readable) {
      all_readable = false;
      // Of what lies there nothing is known.
      const std::string below = run->Relative(path) + "/";
      std::erase_if(run->findings,
                    [&](const Finding& finding) { return finding.path.starts_with(below); });
    }
    if (IsTold(path, shape, run)) continue;
    // Before what follows from it: repairs go in this order.
    run->findings.insert(run->findings.begin(), Tell(run->Relative(path), shape));
  }
  if (all_readable) return;
  for (Finding& finding : run->findings) {
    finding.repair = Repair();
    finding.remedy.clear();
  }
}

}  // namespace bennu::check
