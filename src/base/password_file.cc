#include "src/base/password_file.h"

#include <crypt.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"

namespace bennu {

namespace {

constexpr uint64_t kFileMax = 1u << 20;
// crypt's own bound.
constexpr size_t kPasswordMax = 511;

// Yescrypt, scrypt, bcrypt, and SHA-2 with its rounds. What is older can be tried out too fast.
constexpr std::string_view kStrong[] = {"$y$", "$gy$", "$7$", "$2a$", "$2b$", "$2y$", "$5$", "$6$"};

// Costs what a check costs, for users that are not there: yescrypt with crypt's own parameters.
constexpr char kNobodysHash[] =
    "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$X3DX6M94c7o.9agCG9G317fhZg9SqC.5i5rd.RhAtQ7";

struct FreeText {
  void operator()(char* text) const { std::free(text); }
};
using CryptText = std::unique_ptr<char, FreeText>;

// The hash of the password with the salt of 'setting', which may be a whole hash; empty: it cannot
// be made.
std::string Crypt(const std::string& password, const std::string& setting) {
  void* data = nullptr;
  int size = 0;
  const char* const made = crypt_ra(password.c_str(), setting.c_str(), &data, &size);
  std::string hash = made != nullptr ? made : "";
  OPENSSL_cleanse(data, static_cast<size_t>(size));
  std::free(data);
  return hash;
}

bool Equal(const std::string& a, const std::string& b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::array<uint8_t, 32> RandomKey() {
  std::array<uint8_t, 32> key{};
  RAND_bytes(key.data(), static_cast<int>(key.size()));
  return key;
}

Status CheckName(std::string_view user) {
  const bool fits =
      !user.empty() && user.front() != '#' && std::all_of(user.begin(), user.end(), [](char c) {
        return c != ':' && static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
      });
  if (fits) return Status::Ok();
  return InvalidArgument(
      "a user's name has one character at least, no colon and no control characters, and does not "
      "begin with '#'");
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool IsOfUser(std::string_view line, std::string_view user) {
  return line.size() > user.size() && line.starts_with(user) && line[user.size()] == ':';
}

Result<std::string> ReadText(Env* env, const std::string& path) {
  ASSIGN_OR_RETURN(const uint64_t size, env->FileSize(path));
  if (size > kFileMax) {
    return InvalidArgument(
        fmt::format("{} is larger than a file of users may be ({} bytes)", path, kFileMax));
  }
  ASSIGN_OR_RETURN(Bytes text, env->ReadFile(path));
  return std::string(std::move(text));
}

// The file's lines; none when there is no file.
Result<std::vector<std::string>> LinesOf(Env* env, const std::string& path) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const std::string text, ReadText(env, path));
  return Lines(text);
}

Status Write(Env* env, const std::string& path, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return env->WriteFileAtomically(path, text);
}

}  // namespace

PasswordFile::PasswordFile(Env* env, std::string path)
    : env_(env), path_(std::move(path)), key_(RandomKey()) {}

Result<std::unique_ptr<PasswordFile>> PasswordFile::Open(Env* env, std::string path) {
  std::unique_ptr<PasswordFile> file(new PasswordFile(env, std::move(path)));
  RETURN_IF_ERROR(file->Reload());
  return file;
}

Status PasswordFile::Reload() {
  ASSIGN_OR_RETURN(const std::string text, ReadText(env_, path_));
  Users users;
  size_t number = 0;
  for (const std::string& line : Lines(text)) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto complain = [&](std::string_view what) {
      return InvalidArgument(fmt::format("{}:{}: {}; `bennu passwd {} USER` writes such a line",
                                         path_, number, what, path_));
    };
    const size_t colon = line.find(':');
    if (colon == std::string::npos || !CheckName(line.substr(0, colon)).ok()) {
      return complain("a line of this file is USER:HASH");
    }
    const std::string hash = line.substr(colon + 1);
    const bool strong =
        std::any_of(std::begin(kStrong), std::end(kStrong),
                    [&](std::string_view prefix) { return hash.starts_with(prefix); });
    if (!strong || crypt_checksalt(hash.c_str()) != CRYPT_SALT_OK) {
      return complain("the hash is none of yescrypt, scrypt, bcrypt, SHA-256 and SHA-512");
    }
    if (!users.emplace(line.substr(0, colon), hash).second) {
      return complain("the user stands in the file twice");
    }
  }
  MutexLock lock(&mu_);
  users_ = std::move(users);
  known_.clear();
  return Status::Ok();
}

size_t PasswordFile::user_count() {
  MutexLock lock(&mu_);
  return users_.size();
}

PasswordFile::Digest PasswordFile::DigestOf(const std::string& user, const std::string& hash,
                                            const std::string& password) const {
  // No part holds a NUL, so that no two of these are the same text.
  const std::string text = user + '\0' + hash + '\0' + password;
  Digest digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key_.data(), static_cast<int>(key_.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  return digest;
}

bool PasswordFile::Check(const std::string& user, const std::string& password) {
  if (password.size() > kPasswordMax || password.find('\0') != std::string::npos) return false;
  std::optional<std::string> hash;
  {
    MutexLock lock(&mu_);
    const auto found = users_.find(user);
    if (found != users_.end()) {
      hash = found->second;
      const auto known = known_.find(user);
      const Digest digest = DigestOf(user, *hash, password);
      if (known != known_.end() &&
          CRYPTO_memcmp(known->second.data(), digest.data(), digest.size()) == 0) {
        return true;
      }
    }
  }
  std::string made;
  {
    // Strangers who try passwords keep one processor busy, and no more.
    MutexLock lock(&hashing_mu_);
    made = Crypt(password, hash.value_or(kNobodysHash));
  }
  if (!hash.has_value() || made.empty() || !Equal(made, *hash)) return false;
  MutexLock lock(&mu_);
  const auto found = users_.find(user);
  if (found == users_.end() || found->second != *hash) return false;  // changed meanwhile
  known_[user] = DigestOf(user, *hash, password);
  return true;
}

Status SetPassword(Env* env, const std::string& path, std::string_view user,
                   const std::string& password) {
  RETURN_IF_ERROR(CheckName(user));
  if (password.empty()) return InvalidArgument("the password is empty");
  if (password.size() > kPasswordMax || password.find('\0') != std::string::npos) {
    return InvalidArgument(
        fmt::format("a password has at most {} bytes, and no NUL", kPasswordMax));
  }
  const CryptText setting(crypt_gensalt_ra("$y$", 0, nullptr, 0));
  const std::string hash = setting != nullptr ? Crypt(password, setting.get()) : "";
  if (!hash.starts_with("$y$")) {
    return NotSupported("this system's libcrypt does not know yescrypt");
  }
  ASSIGN_OR_RETURN(std::vector<std::string> lines, LinesOf(env, path));
  const std::string line = fmt::format("{}:{}", user, hash);
  const auto found = std::find_if(lines.begin(), lines.end(),
                                  [&](const std::string& one) { return IsOfUser(one, user); });
  if (found != lines.end()) {
    *found = line;
  } else {
    lines.push_back(line);
  }
  return Write(env, path, lines);
}

Status RemoveUser(Env* env, const std::string& path, std::string_view user) {
  ASSIGN_OR_RETURN(std::vector<std::string> lines, LinesOf(env, path));
  if (std::erase_if(lines, [&](const std::string& one) { return IsOfUser(one, user); }) == 0) {
    return NotFound(fmt::format("{} has no user {}", path, user));
  }
  return Write(env, path, lines);
}

}  // namespace bennu
