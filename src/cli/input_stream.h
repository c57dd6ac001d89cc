// Bytes of a file to be loaded: plain, .gz or .zst, or standard input. One thread at a time.
#ifndef BENNU_SRC_CLI_INPUT_STREAM_H_
#define BENNU_SRC_CLI_INPUT_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bennu/status.h"

namespace bennu::cli {

class InputStream {
 public:
  virtual ~InputStream() = default;

  // Opens by the name's ending; "-" is standard input, as it comes. NotFound, IoError.
  static Result<std::unique_ptr<InputStream>> Open(const std::string& path);

  // Fills up to 'size' bytes; returns how many, 0 only at the end. Corruption: the compressed data
  // is damaged or cut short.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;

  // For progress: bytes of the file taken so far, and its size (0 when not known).
  virtual uint64_t consumed_bytes() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_INPUT_STREAM_H_
