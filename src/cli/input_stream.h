// Bytes of a file to be loaded, or of standard input: plain, or compressed with gzip or zstd. One
// thread at a time.
#ifndef BENNU_SRC_CLI_INPUT_STREAM_H_
#define BENNU_SRC_CLI_INPUT_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::cli {

class InputStream {
 public:
  virtual ~InputStream() = default;

  // "-" is standard input. The first bytes tell how it is compressed, whatever its name is.
  // NotFound, IoError; InvalidArgument: another compression or UTF-16, with what unpacks it.
  static Result<std::unique_ptr<InputStream>> Open(const std::string& path);

  // Fills up to 'size' bytes; returns how many, 0 only at the end. Corruption: the compressed data
  // is damaged or cut short.
  virtual Result<size_t> Read(char* buffer, size_t size) = 0;

  // "gzip" or "zstd"; empty: it is as it was written.
  virtual std::string_view compression() const { return ""; }

  // For progress: bytes of the file taken so far, and its size (0 when not known).
  virtual uint64_t consumed_bytes() const = 0;
  virtual uint64_t total_bytes() const = 0;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_INPUT_STREAM_H_
