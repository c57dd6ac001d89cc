// What stands in a store in place of a file or directory, as findings.
#ifndef BENNU_SRC_CHECK_SHAPE_CHECK_H_
#define BENNU_SRC_CHECK_SHAPE_CHECK_H_

#include <map>
#include <string>

#include "src/check/check_run.h"
#include "src/check/shape_env.h"

namespace bennu::check {

// 'odd': what the checks so far came upon. Says so in their findings, and tells what they did not.
// Where something may not be read the repairs are taken out of all findings: what is seen is not
// the whole store.
void TellOddShapes(const std::map<std::string, OddShape>& odd, CheckRun* run);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_SHAPE_CHECK_H_
