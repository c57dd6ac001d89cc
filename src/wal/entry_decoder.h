// Decodes the entries of one log, one after the other. Used by WalReader.
#ifndef BENNU_SRC_WAL_ENTRY_DECODER_H_
#define BENNU_SRC_WAL_ENTRY_DECODER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/wal/dictionary.h"
#include "src/wal/wal_entry.h"
#include "src/wal/wal_reader.h"

namespace bennu::wal {

enum class DecodeResult {
  kEntry,
  kShort,  // an entry as far as it goes, but the bytes end before it does
  kBad,    // no entry, whatever follows
  kWrong,  // an entry by its structure, and not what its checksum says
};

// One thread only. A compressed log's dictionaries change with each entry, so its entries must be
// decoded in order, each once, and nothing can be decoded after a failure.
class EntryDecoder {
 public:
  // 'recovered_edits': the file is one of a region's recovered.edits, where the dictionaries of
  // regions and tables have one place each.
  EntryDecoder(const WalHeader& header, bool recovered_edits);

  // Decodes the entry at the front of 'data'. For kEntry sets *entry (but its offsets) and *size;
  // entry->cells points into 'data', or into this when the log is compressed. Else sets *problem,
  // for kWrong *size as well.
  DecodeResult Decode(ByteView data, WalEntry* entry, size_t* size, std::string* problem);

  // Whether a readable entry begins at the front of 'data', for finding the place to go on behind
  // damage. Of a compressed log only the key can be judged. Changes nothing.
  bool LooksLikeEntry(ByteView data) const;

 private:
  struct Dictionaries {
    explicit Dictionaries(bool recovered_edits);
    Dictionary region;
    Dictionary table;
    Dictionary row;
    Dictionary family;
    Dictionary qualifier;
    Dictionary tags;
  };

  bool IsRight(ByteView message, std::optional<uint32_t> checksum, ByteView cells) const;
  bool ExpandKey(WalKeyFields* key, std::string* problem);
  DecodeResult DecodePlainCells(ByteView data, WalEntry* entry, size_t* size,
                                std::string* problem) const;
  DecodeResult DecodeCompressedCell(ByteView* in, std::string* problem);
  DecodeResult DecodeCompressedTags(ByteView* in, uint32_t size, Bytes* tags, std::string* problem);
  DecodeResult DecodeValue(ByteView* in, uint32_t size, ByteView* value, std::string* problem);

  const WalHeader header_;
  std::unique_ptr<Dictionaries> dictionaries_;  // null for plain logs
  Bytes cells_;                                 // of the entry being decoded, when compressed
  Bytes value_;
};

// Decodes a WALKey message. False when it is none (fields missing, or malformed). In a compressed
// log region, table and families are still dictionary elements.
// *checksum, if asked for: Bennu's, when the message ends with one.
bool DecodeWalKey(ByteView message, WalKeyFields* key, uint32_t* cell_count,
                  std::optional<uint32_t>* checksum = nullptr);

}  // namespace bennu::wal

#endif  // BENNU_SRC_WAL_ENTRY_DECODER_H_
