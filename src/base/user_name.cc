#include "src/base/user_name.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

namespace bennu {

std::string EffectiveUserName() {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> texts;
  const uid_t user = geteuid();
  if (getpwuid_r(user, &entry, texts.data(), texts.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return std::to_string(user);
}

}  // namespace bennu
