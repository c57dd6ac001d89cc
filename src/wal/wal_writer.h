// Writes one write-ahead log file, and encodes its entries.
//
//   magic        "PWAL"
//   header       varint length | WALHeader
//   entry ×n     varint length | WALKey | cells: int32 length | KeyValue each
//                header and keys end with a checksum, which HBase skips (docs/formats/wal.md)
//   trailer      WALTrailer (0 bytes) | int32 its length | "LAWP"       -- on a clean close only
//
// Source: hbase-wal spec section 2; HBase 2.5 ProtobufLogWriter.
#ifndef BENNU_SRC_WAL_WAL_WRITER_H_
#define BENNU_SRC_WAL_WAL_WRITER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/write_back.h"
#include "src/wal/wal_entry.h"

namespace bennu::wal {

// Appends one entry to *out. 'cells' holds 'cell_count' cells in the layout of MutationBatch; they
// are copied as they are.
void AppendWalEntry(Bytes* out, const WalKeyFields& key, ByteView cells, uint32_t cell_count);

// The same in parts, for the log itself: what never changes for a region is encoded once.
struct EntryParts {
  ByteView region_fields;  // by EncodeRegionFields
  uint64_t sequence_id = 0;
  uint64_t write_time_ms = 0;
  uint64_t nonce_group = 0;
  uint64_t nonce = 0;
  std::span<const FamilyScope> scopes;
  ByteView attributes;              // by EncodeAttribute; usually none
  std::span<const ByteView> cells;  // pieces of a MutationBatch's buffer, in order
  uint32_t cell_count = 0;
  uint32_t cells_checksum = 0;  // by CellsChecksum
};
uint32_t CellsChecksum(std::span<const ByteView> cells);
Bytes EncodeRegionFields(ByteView encoded_region, ByteView table);
// An attribute of the key.
Bytes EncodeAttribute(ByteView name, ByteView value);
void AppendWalEntry(Bytes* out, const EntryParts& parts);

// One thread at a time.
class WalFileWriter {
 public:
  // Creates 'path' (AlreadyExists if it is there) and writes magic and header, unsynced; the
  // directory is synced, so that the file itself outlives a crash.
  static Result<std::unique_ptr<WalFileWriter>> Create(Env* env, const std::string& path);

  // Writes bytes made by AppendWalEntry: any number of whole entries.
  Status Append(ByteView entries);
  Status Sync();
  // Writes the trailer, syncs and closes. Without it the file reads as that of a crash.
  Status Close();

  uint64_t size() const { return file_->size(); }
  const std::string& path() const { return file_->path(); }

 private:
  explicit WalFileWriter(std::unique_ptr<WritableFile> file)
      : file_(std::move(file)), write_back_(file_.get()) {}

  const std::unique_ptr<WritableFile> file_;
  WriteBack write_back_;  // of entries that nobody has synced; the roll of the log does
};

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_WAL_WRITER_H_
