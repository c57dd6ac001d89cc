// A Java regular expression that whole names are held against, as calls of HBase's masters carry
// it.
#ifndef BENNU_SRC_SERVER_HBASE_JAVA_PATTERN_H_
#define BENNU_SRC_SERVER_HBASE_JAVA_PATTERN_H_

#include <string>
#include <utility>

#include "bennu/filter.h"
#include "src/base/status_macros.h"

namespace bennu::server::hbase {

class JavaPattern {
 public:
  // Null: every name matches. An empty pattern matches no name, as in HBase. InvalidArgument: it is
  // not a regular expression.
  static Result<JavaPattern> Make(const std::string* pattern) {
    JavaPattern made;
    if (pattern != nullptr) {
      ASSIGN_OR_RETURN(made.regex_, NewRegexComparator("^(?:" + *pattern + ")$"));
    }
    return made;
  }

  bool Matches(const std::string& name) {
    if (regex_ == nullptr) return true;
    Status error;
    return regex_->Compare(name, &error) == 0 && error.ok();
  }

 private:
  JavaPattern() = default;

  ComparatorPtr regex_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_JAVA_PATTERN_H_
