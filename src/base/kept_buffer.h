// Buffers that are used again and again.
#ifndef BENNU_SRC_BASE_KEPT_BUFFER_H_
#define BENNU_SRC_BASE_KEPT_BUFFER_H_

#include <cstddef>

#include "bennu/bytes.h"

namespace bennu {

// Empties the buffer for its next use. Its memory is kept up to 'kept_bytes_max', and freed when it
// is larger: one large content must not stay allocated for all small ones.
inline void Recycle(Bytes* buffer, size_t kept_bytes_max) {
  if (buffer->capacity() > kept_bytes_max) {
    Bytes().swap(*buffer);
  } else {
    buffer->clear();
  }
}

}  // namespace bennu

#endif  // BENNU_SRC_BASE_KEPT_BUFFER_H_
