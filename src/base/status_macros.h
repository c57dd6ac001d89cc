// The macros of bennu/status.h by short names, for sources of our own: the public headers take no
// name that is not prefixed.
#ifndef BENNU_SRC_BASE_STATUS_MACROS_H_
#define BENNU_SRC_BASE_STATUS_MACROS_H_

#include "bennu/status.h"

#define RETURN_IF_ERROR BENNU_RETURN_IF_ERROR
#define ASSIGN_OR_RETURN BENNU_ASSIGN_OR_RETURN

#endif  // BENNU_SRC_BASE_STATUS_MACROS_H_
