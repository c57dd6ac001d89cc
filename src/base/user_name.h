// Who runs this process.
#ifndef BENNU_SRC_BASE_USER_NAME_H_
#define BENNU_SRC_BASE_USER_NAME_H_

#include <string>

namespace bennu {

// The name of the effective user, or its number where it has no name. Thread-safe.
std::string EffectiveUserName();

}  // namespace bennu

#endif  // BENNU_SRC_BASE_USER_NAME_H_
