// The arguments of create and alter made into descriptors.
#ifndef BENNU_SRC_SHELL_DESCRIPTOR_ARGUMENTS_H_
#define BENNU_SRC_SHELL_DESCRIPTOR_ARGUMENTS_H_

#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

struct CreateRequest {
  TableDescriptor table;
  std::vector<Bytes> splits;
  std::vector<std::string> notes;  // to be shown: arguments that were left out, and the like
};

// create 't', 'f1', {NAME => 'f2', VERSIONS => 5}, SPLITS => ['a', 'b'], …
Result<CreateRequest> ReadCreate(const Arguments& arguments);

// alter 't', … : applies arguments[1…] to *table. 'runs_classes': there are servers that may load
// coprocessors; otherwise those are refused.
Status ReadAlter(const Arguments& arguments, bool runs_classes, TableDescriptor* table,
                 std::vector<std::string>* notes);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_DESCRIPTOR_ARGUMENTS_H_
