// Coprocessors of a table's descriptor, as HBase's shell sets and removes them.
// Source: TableDescriptorBuilder of HBase.
#ifndef BENNU_SRC_SHELL_COPROCESSOR_SPEC_H_
#define BENNU_SRC_SHELL_COPROCESSOR_SPEC_H_

#include <map>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::shell {

// Adds an attribute coprocessor$N for 'spec', which is path|class|priority|arguments: the path of a
// jar may be empty, and what follows the class may be left out. InvalidArgument: it is none.
// AlreadyExists: the table has the class.
Status AddCoprocessor(std::string_view spec, std::map<std::string, std::string>* attributes);

// NotFound: the table does not have the class.
Status RemoveCoprocessor(std::string_view class_name,
                         std::map<std::string, std::string>* attributes);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_COPROCESSOR_SPEC_H_
