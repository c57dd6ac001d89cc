// Reads one write-ahead log, of ours or of HBase, plain or compressed.
//
//   ASSIGN_OR_RETURN(auto reader, wal::WalReader::Open(env, path));
//   wal::WalEntry entry;
//   while (true) {
//     ASSIGN_OR_RETURN(const bool more, reader->Next(&entry));   // an error is damage
//     if (!more) break;
//     …
//   }
//   if (reader->end() == wal::WalEnd::kTornTail) …               // normal after a crash
//
// Bennu's logs have a checksum in each entry, which HBase skips; of HBase's, which have none,
// damage is told by structure alone. A log that stops inside its last entry (the process or machine
// died while it was written) or that ends in zero bytes is torn: all before is returned, and what
// is cut off was never acknowledged. Bytes that are no entry but have readable entries behind them,
// or a trailer, are damage: an error, since entries are lost. Source: hbase-wal spec; HBase 2.5
// ProtobufLogReader, WALCellCodec.
#ifndef BENNU_SRC_WAL_WAL_READER_H_
#define BENNU_SRC_WAL_WAL_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/wal/wal_entry.h"

namespace bennu::wal {

struct WalReadOptions {
  // Leave damaged stretches out, with a warning in the log, and go on behind them.
  bool skip_damage = false;
};

// How a log ended; known once Next has returned false.
enum class WalEnd {
  kNotYet,
  kTrailer,      // closed in order
  kEntryBorder,  // no trailer, but the last entry is whole
  kTornTail,     // inside an entry or the header, or zero bytes at the end
};

// What the header says.
struct WalHeader {
  std::string writer_class;
  std::string cell_codec_class;
  bool has_compression = false;  // dictionaries
  bool has_tag_compression = false;
  bool has_value_compression = false;
  uint32_t value_compression = 0;  // HBase's Compression ordinal, if has_value_compression
  bool has_checksums = false;      // in every entry: the log is of Bennu's making
};

// One thread at a time.
class WalReader {
 public:
  // Opens 'path' and reads its header. A file that ends within its header (a crash while it was
  // made) is an empty log with a torn tail. Corruption: not a write-ahead log. NotSupported: an
  // encrypted one, or a writer or codec that Bennu does not know.
  static Result<std::unique_ptr<WalReader>> Open(Env* env, const std::string& path,
                                                 const WalReadOptions& options = {});
  virtual ~WalReader() = default;

  // Fills *entry and returns true, or returns false at the end. Corruption: damage; names the file
  // and offset and says how to skip it. After an error the reader is done.
  virtual Result<bool> Next(WalEntry* entry) = 0;

  virtual const WalHeader& header() const = 0;
  virtual WalEnd end() const = 0;
  virtual uint64_t header_end_offset() const = 0;  // where the first entry begins
  virtual uint64_t valid_size() const = 0;     // end of the last entry returned, or of the header
  virtual uint64_t skipped_bytes() const = 0;  // left out with skip_damage
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_READER_H_
