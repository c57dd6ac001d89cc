// DescriptorWatch: whether tables were altered while a store was read that another process may
// hold.
//
// A table's description is a file of its own, and no write to hbase:meta or log tells of a new one.
// Each has another name than the one before. One thread at a time.
#ifndef BENNU_SRC_ENGINE_CORE_DESCRIPTOR_WATCH_H_
#define BENNU_SRC_ENGINE_CORE_DESCRIPTOR_WATCH_H_

#include <map>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::engine {

class DescriptorWatch {
 public:
  explicit DescriptorWatch(Env* env) : env_(env) {}

  // To be called before the table's description is read.
  Status Note(const std::string& table_directory);
  // Aborted: a description that was noted has changed since. The message names its table.
  Status Check() const;

 private:
  Result<std::vector<std::string>> Names(const std::string& table_directory) const;

  Env* const env_;
  std::map<std::string, std::vector<std::string>> noted_;  // by table directory
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_DESCRIPTOR_WATCH_H_
