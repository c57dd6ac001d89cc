// Users and the salted hashes of their passwords, from a file that `bennu passwd` and Apache's
// `htpasswd -B` write: a line for each user, name:hash, the hash as crypt(5) has it. Lines that
// begin with '#' and empty ones say nothing.
#ifndef BENNU_SRC_BASE_PASSWORD_FILE_H_
#define BENNU_SRC_BASE_PASSWORD_FILE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/mutex.h"

namespace bennu {

// Thread-safe.
class PasswordFile {
 public:
  // 'env' outlives this. InvalidArgument: a line that is none of a user, or has a hash that is
  // unknown or too weak; it names the file and the line. NotFound, IoError.
  static Result<std::unique_ptr<PasswordFile>> Open(Env* env, std::string path);

  // Reads the file again. With an error the users stay as they were.
  Status Reload();

  // Whether there is such a user with such a password. A hash takes tens of milliseconds by design,
  // one at a time, whether there is the user or not; a password that was right before is known at
  // once.
  bool Check(const std::string& user, const std::string& password);

  size_t user_count();

 private:
  using Digest = std::array<uint8_t, 32>;
  using Users = std::map<std::string, std::string>;  // to their hashes

  PasswordFile(Env* env, std::string path);
  Digest DigestOf(const std::string& user, const std::string& hash,
                  const std::string& password) const;

  Env* const env_;
  const std::string path_;
  const Digest key_;  // of digests, this process's own
  Mutex mu_;
  Users users_ GUARDED_BY(mu_);
  std::map<std::string, Digest> known_ GUARDED_BY(mu_);  // of what was right last, for each user
  Mutex hashing_mu_;
};

// Adds the user to the file, or gives it another password, and leaves the other lines as they are.
// The file is made if it is not there, for its owner and group alone. InvalidArgument: a name that
// cannot stand in the file, or an empty password.
Status SetPassword(Env* env, const std::string& path, std::string_view user,
                   const std::string& password);

// NotFound: there is no such user.
Status RemoveUser(Env* env, const std::string& path, std::string_view user);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_PASSWORD_FILE_H_
