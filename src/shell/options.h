// Options: the hash of a command's named arguments, {LIMIT => 5, COLUMNS => ['f:a']}.
#ifndef BENNU_SRC_SHELL_OPTIONS_H_
#define BENNU_SRC_SHELL_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/shell/value.h"

namespace bennu::shell {

// What a value says, or InvalidArgument naming 'what' it is.
Result<int64_t> IntegerOf(std::string_view what, const Value& value);  // also of digits in quotes
Result<bool> BooleanOf(std::string_view what, const Value& value);     // also "true" and "false"

// Keys are strings; symbols count as such. Asking for a key takes note of it, so that at the end
// CheckAllKnown names a key that nobody asked for. Views the hash, which must outlive it.
class Options {
 public:
  // nil: none. InvalidArgument: not a hash.
  static Result<Options> Of(const Value& value);
  static Result<Options> Of(Value&& value) = delete;  // would be gone at once

  // Null when the key is missing or nil.
  const Value* Find(std::string_view key);
  bool Has(std::string_view key) { return Find(key) != nullptr; }
  Result<int64_t> Integer(std::string_view key, int64_t missing);
  Result<bool> Boolean(std::string_view key, bool missing);
  std::optional<Bytes> Text(std::string_view key);
  // One text or an array of them. InvalidArgument: something else.
  Result<std::vector<Bytes>> Texts(std::string_view key);

  // Keys that nobody asked for, in the order written.
  std::vector<std::string> UnknownKeys() const;
  // InvalidArgument: there is such a key.
  Status CheckAllKnown() const;

 private:
  explicit Options(const Value::Hash* hash) : hash_(hash) {}

  const Value::Hash* hash_;  // null: empty
  std::set<std::string, std::less<>> asked_;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_OPTIONS_H_
