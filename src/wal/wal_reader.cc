// How the end of a log is judged. Let O be where no entry could be decoded, E the end of the file
// (or of the entries, when a trailer follows):
//   O == E                                        a clean end
//   only zero bytes from O to E, and no trailer   space that was allocated, not written: torn tail
//   a readable entry begins somewhere in (O, E)   damage: entries between are lost
//   a trailer follows                             damage: a closed log is whole
//   an entry that ends at E and is not what its
//   checksum says, no sector of it all zero        damage: a write that died leaves no such thing
//   else                                          torn tail
// The special case: a compressed log cannot be read from the middle, so there only the keys of
// later entries are looked for, and skip_damage ends with the damage.
#include "src/wal/wal_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "proto/wal.pb.h"
#include "src/base/checksum_field.h"
#include "src/base/coding.h"
#include "src/base/crc32.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/hfile/codec.h"
#include "src/hfile/format.h"
#include "src/wal/entry_decoder.h"
#include "src/wal/wal_format.h"

namespace bennu::wal {

namespace {

constexpr uint64_t kWindowSize = 1 << 20;
constexpr uint64_t kSectorSize = 512;
constexpr ByteView kAdvice = "`bennu wal FILE --skip-damage` shows what can still be read";

// "…Foo" of "a.b.Foo", as HBase compares class names.
ByteView SimpleName(ByteView class_name) {
  const size_t dot = class_name.find_last_of(".$");
  return dot == ByteView::npos ? class_name : class_name.substr(dot + 1);
}

Status CheckHeader(const std::string& path, const pb::WALHeader& header) {
  const ByteView writer = SimpleName(header.writer_cls_name());
  if (header.has_encryption_key() || writer.starts_with("Secure")) {
    return NotSupported(fmt::format("write-ahead log {} is encrypted", path));
  }
  if (header.has_writer_cls_name() && writer != kWriterClass && writer != kAsyncWriterClass) {
    return NotSupported(fmt::format("write-ahead log {} was written by '{}', which is not known",
                                    path, header.writer_cls_name()));
  }
  const ByteView codec = SimpleName(header.cell_codec_cls_name());
  if (!codec.empty() && codec != SimpleName(kCellCodecClass) &&
      codec != SimpleName(kIndexedCellCodecClass)) {
    return NotSupported(
        fmt::format("write-ahead log {} has the cell codec '{}', which is not known", path,
                    header.cell_codec_cls_name()));
  }
  const auto compression = static_cast<Compression>(header.value_compression_algorithm());
  if (header.has_value_compression() &&
      (compression == Compression::kNone || !hfile::CheckCompression(compression).ok())) {
    return NotSupported(fmt::format(
        "write-ahead log {} has values compressed by {} (algorithm {}), which cannot be read; GZ, "
        "SNAPPY, LZ4 and ZSTD can. Stop HBase cleanly, so that its logs are not needed, or set "
        "hbase.regionserver.wal.value.compression.type to one of them",
        path, hfile::CompressionText(compression), header.value_compression_algorithm()));
  }
  return Status::Ok();
}

WalHeader ToHeader(const pb::WALHeader& message) {
  WalHeader header;
  header.writer_class = message.writer_cls_name();
  header.cell_codec_class = message.cell_codec_cls_name();
  header.has_compression = message.has_compression();
  header.has_tag_compression = message.has_tag_compression();
  header.has_value_compression = message.has_value_compression();
  header.value_compression = message.value_compression_algorithm();
  header.has_checksums = message.has_bennu_checksum();
  return header;
}

bool IsRight(const pb::WALHeader& header, ByteView message) {
  if (!header.has_bennu_checksum()) return true;
  if (message.size() < kChecksumFieldSize) return false;
  message.remove_suffix(kChecksumFieldSize);
  return header.bennu_checksum() == Crc32c(message);
}

// Of a log whose header cannot be read, so that either form may be.
bool HoldsEntries(ByteView bytes) {
  WalHeader compressed;
  compressed.has_compression = true;
  for (const WalHeader& header : {WalHeader(), compressed}) {
    const EntryDecoder decoder(header, false);
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (decoder.LooksLikeEntry(bytes.substr(i))) return true;
    }
  }
  return false;
}

bool AllZero(ByteView bytes) { return bytes.find_first_not_of('\0') == ByteView::npos; }

class WalReaderImpl final : public WalReader {
 public:
  WalReaderImpl(std::unique_ptr<RandomAccessFile> file, const WalReadOptions& options)
      : file_(std::move(file)), options_(options), limit_(file_->size()) {}

  Status ReadHeader();
  Result<bool> Next(WalEntry* entry) override;

  const WalHeader& header() const override { return header_; }
  WalEnd end() const override { return end_; }
  uint64_t header_end_offset() const override { return header_end_; }
  uint64_t valid_size() const override { return valid_size_; }
  uint64_t skipped_bytes() const override { return skipped_bytes_; }

 private:
  // What of the file is in memory from position_ on.
  ByteView Available() const { return ByteView(window_).substr(position_ - window_begin_); }
  bool WindowReachesLimit() const { return window_begin_ + window_.size() == limit_; }
  Status GrowWindow();
  Status LoadRest();
  Status FindTrailer();
  void EndAt(WalEnd end) { end_ = end; }
  bool MayBeUnwritten(uint64_t size) const;
  Result<bool> HandleFault(const std::string& problem, bool is_whole);
  uint64_t FindNextEntry() const;

  std::unique_ptr<RandomAccessFile> file_;
  const WalReadOptions options_;
  WalHeader header_;
  std::unique_ptr<EntryDecoder> decoder_;
  Bytes window_;
  uint64_t window_begin_ = 0;
  uint64_t position_ = 0;
  uint64_t limit_;  // where the entries end at the latest: the trailer, or the file's end
  bool has_trailer_ = false;
  uint64_t header_end_ = 0;
  uint64_t valid_size_ = 0;
  uint64_t skipped_bytes_ = 0;
  WalEnd end_ = WalEnd::kNotYet;
};

// Makes the window begin at position_ and hold more than now: twice as much, or a first piece.
Status WalReaderImpl::GrowWindow() {
  const uint64_t size =
      std::min(limit_ - position_, std::max<uint64_t>(2 * Available().size(), kWindowSize));
  Bytes next(Available());
  const uint64_t have = next.size();
  next.resize(size);
  RETURN_IF_ERROR(file_->ReadExact(position_ + have, size - have, next.data() + have));
  window_ = std::move(next);
  window_begin_ = position_;
  return Status::Ok();
}

Status WalReaderImpl::LoadRest() {
  while (!WindowReachesLimit()) RETURN_IF_ERROR(GrowWindow());
  return Status::Ok();
}

Status WalReaderImpl::ReadHeader() {
  RETURN_IF_ERROR(GrowWindow());
  const ByteView data = Available();
  const ByteView magic = data.substr(0, kMagic.size());
  if (magic != kMagic.substr(0, magic.size())) {
    if (AllZero(data) && WindowReachesLimit()) {
      EndAt(WalEnd::kTornTail);
      return Status::Ok();
    }
    return Corruption(
        fmt::format("{} is not a write-ahead log: it does not begin with \"PWAL\"", file_->path()));
  }
  ByteView rest = data.substr(magic.size());
  uint64_t length = 0;
  const bool has_length = ConsumeVarint64(&rest, &length);
  if (has_length && length > kHeaderSizeMax) {
    return Corruption(fmt::format("write-ahead log {} has a header of {} bytes: it is damaged",
                                  file_->path(), length));
  }
  if (!has_length || rest.size() < length) {
    RETURN_IF_ERROR(LoadRest());
    if (HoldsEntries(Available())) {
      return Corruption(
          fmt::format("write-ahead log {} has entries and no whole header before them: "
                      "it is damaged",
                      file_->path()));
    }
    EndAt(WalEnd::kTornTail);  // the process died while it made the file
    return Status::Ok();
  }
  pb::WALHeader message;
  if (!message.ParseFromArray(rest.data(), static_cast<int>(length))) {
    if (WindowReachesLimit() && AllZero(rest)) {
      EndAt(WalEnd::kTornTail);
      return Status::Ok();
    }
    return Corruption(
        fmt::format("write-ahead log {} has a header that cannot be read", file_->path()));
  }
  if (!IsRight(message, rest.substr(0, length))) {
    return Corruption(fmt::format(
        "write-ahead log {} has a header that is not what its checksum says", file_->path()));
  }
  RETURN_IF_ERROR(CheckHeader(file_->path(), message));
  header_ = ToHeader(message);
  position_ = valid_size_ = header_end_ = data.size() - rest.size() + length;
  RETURN_IF_ERROR(FindTrailer());
  const bool recovered_edits = file_->path().find("/recovered.edits/") != std::string::npos;
  decoder_ = std::make_unique<EntryDecoder>(header_, recovered_edits);
  // Decoding a compressed entry twice is not possible, so nothing may be missing in the first try.
  if (header_.has_compression) RETURN_IF_ERROR(LoadRest());
  return Status::Ok();
}

Status WalReaderImpl::FindTrailer() {
  if (limit_ < header_end_ + kTrailerTailSize) return Status::Ok();
  char tail[kTrailerTailSize];
  RETURN_IF_ERROR(file_->ReadExact(limit_ - kTrailerTailSize, kTrailerTailSize, tail));
  const uint64_t length = LoadBE32(tail);
  if (ByteView(tail + 4, 4) != kTrailerMagic || length > limit_ - header_end_ - kTrailerTailSize) {
    return Status::Ok();
  }
  has_trailer_ = true;
  limit_ -= kTrailerTailSize + length;
  if (window_begin_ + window_.size() > limit_) window_.resize(limit_ - window_begin_);
  return Status::Ok();
}

Result<bool> WalReaderImpl::Next(WalEntry* entry) {
  while (end_ == WalEnd::kNotYet) {
    if (position_ == limit_) {
      EndAt(has_trailer_ ? WalEnd::kTrailer : WalEnd::kEntryBorder);
      break;
    }
    size_t size = 0;
    std::string problem;
    DecodeResult result = decoder_->Decode(Available(), entry, &size, &problem);
    while (result == DecodeResult::kShort && !WindowReachesLimit()) {
      RETURN_IF_ERROR(GrowWindow());
      result = decoder_->Decode(Available(), entry, &size, &problem);
    }
    if (result == DecodeResult::kEntry) {
      entry->offset = position_;
      position_ += size;
      entry->end_offset = valid_size_ = position_;
      return true;
    }
    const bool is_whole =
        result == DecodeResult::kWrong && position_ + size == limit_ && !MayBeUnwritten(size);
    ASSIGN_OR_RETURN(const bool go_on, HandleFault(problem, is_whole));
    if (!go_on) break;
  }
  return false;
}

// Whether the machine may have died before all of the 'size' bytes at position_ were on disk: a
// sector of them is all zero.
bool WalReaderImpl::MayBeUnwritten(uint64_t size) const {
  ByteView rest = Available().substr(0, size);
  for (uint64_t at = position_; !rest.empty();) {
    const size_t length = std::min<uint64_t>(rest.size(), kSectorSize - at % kSectorSize);
    if (AllZero(rest.substr(0, length))) return true;
    rest.remove_prefix(length);
    at += length;
  }
  return false;
}

// Judges the bytes at position_, which are no entry, or ('is_whole') one that was written whole and
// has changed. Returns whether reading can go on at the new
// position_; an error is damage that must not be skipped.
Result<bool> WalReaderImpl::HandleFault(const std::string& problem, bool is_whole) {
  RETURN_IF_ERROR(LoadRest());
  if (!has_trailer_ && AllZero(Available())) {
    EndAt(WalEnd::kTornTail);
    return false;
  }
  const uint64_t next = FindNextEntry();
  if (next == limit_ && !has_trailer_ && !is_whole) {
    EndAt(WalEnd::kTornTail);
    return false;
  }
  const std::string what =
      next == limit_ && is_whole
          ? fmt::format("its {} bytes are all there and have changed", limit_ - position_)
      : next == limit_
          ? fmt::format(
                "the log was closed in order (its trailer is there), yet {} bytes at its end "
                "cannot be read",
                limit_ - position_)
          : fmt::format("a readable entry follows at offset {}, so {} bytes between are damaged",
                        next, next - position_);
  if (!options_.skip_damage) {
    EndAt(WalEnd::kTornTail);
    return Corruption(fmt::format("write-ahead log {}, offset {}: {}; {}; {}", file_->path(),
                                  position_, problem, what, kAdvice));
  }
  LogWarning("write-ahead log {}, offset {}: {}; {}; left out", file_->path(), position_, problem,
             what);
  // The dictionaries of a compressed log are lost with the damage.
  const uint64_t resume = header_.has_compression ? limit_ : next;
  skipped_bytes_ += resume - position_;
  position_ = resume;
  if (resume == limit_ && header_.has_compression) {
    EndAt(WalEnd::kTornTail);
    return false;
  }
  return true;
}

// Returns the offset of the next readable entry behind position_, limit_ when there is none.
uint64_t WalReaderImpl::FindNextEntry() const {
  const ByteView rest = Available();
  for (size_t i = 1; i < rest.size(); ++i) {
    if (decoder_->LooksLikeEntry(rest.substr(i))) return position_ + i;
  }
  return limit_;
}

}  // namespace

Result<std::unique_ptr<WalReader>> WalReader::Open(Env* env, const std::string& path,
                                                   const WalReadOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, env->OpenForRead(path));
  auto reader = std::make_unique<WalReaderImpl>(std::move(file), options);
  RETURN_IF_ERROR(reader->ReadHeader());
  return std::unique_ptr<WalReader>(std::move(reader));
}

}  // namespace bennu::wal
