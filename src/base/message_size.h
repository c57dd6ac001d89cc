// What a message that came over the wire takes once it is parsed, before it is: protobuf makes
// objects of a hundred bytes from two.
#ifndef BENNU_SRC_BASE_MESSAGE_SIZE_H_
#define BENNU_SRC_BASE_MESSAGE_SIZE_H_

#include <cstddef>

#include "bennu/bytes.h"

namespace bennu {

// An estimate from above, in bytes, whatever the message's type: its own bytes, and an object for
// each field that it may have. Bytes that could be a message are taken for one, and those that lie
// very deep for the smallest fields. Untrusted bytes.
size_t ParsedSize(ByteView message);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_MESSAGE_SIZE_H_
