#include "src/hfile/codec.h"

#include <fmt/format.h>
#include <lz4.h>
#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "src/base/coding.h"
#include "src/hfile/format.h"

namespace bennu::hfile {

namespace {

// Hadoop's codecs compress at most their buffer (256 KiB) less the worst expansion at a time.
constexpr size_t kCodecBufferSize = 256 * 1024;
constexpr size_t kSnappyChunkMax = kCodecBufferSize - (kCodecBufferSize / 6 + 32);
constexpr size_t kLz4ChunkMax = kCodecBufferSize - (kCodecBufferSize / 255 + 16);

constexpr ByteView kZstdMagic = "\x28\xb5\x2f\xfd";

Status Damaged(Compression compression) {
  return Corruption(
      fmt::format("the {} payload does not decompress to the size in its block header",
                  CompressionText(compression)));
}

// zlib's state is costly to make, so each thread keeps one.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }
  bool Run(ByteView in, char* out, size_t out_size) {
    if (!ready_ || inflateReset(&stream_) != Z_OK) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(out_size);
    return inflate(&stream_, Z_FINISH) == Z_STREAM_END && stream_.avail_out == 0;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

class Deflater {
 public:
  Deflater() {
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() {
    if (ready_) deflateEnd(&stream_);
  }
  bool Run(ByteView in, Bytes* out) {
    if (!ready_ || deflateReset(&stream_) != Z_OK) return false;
    const size_t start = out->size();
    out->resize(start + deflateBound(&stream_, in.size()));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out->data() + start);
    stream_.avail_out = static_cast<uInt>(out->size() - start);
    const bool done = deflate(&stream_, Z_FINISH) == Z_STREAM_END;
    out->resize(out->size() - stream_.avail_out);
    return done;
  }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

// One raw block of the block stream framing into out[0, out_max). Returns the bytes made, 0 for
// damage.
size_t DecompressRaw(Compression compression, ByteView in, char* out, size_t out_max) {
  switch (compression) {
    case Compression::kSnappy: {
      size_t length;
      if (!snappy::GetUncompressedLength(in.data(), in.size(), &length) || length > out_max ||
          !snappy::RawUncompress(in.data(), in.size(), out)) {
        return 0;
      }
      return length;
    }
    case Compression::kLz4: {
      const int made = LZ4_decompress_safe(in.data(), out, static_cast<int>(in.size()),
                                           static_cast<int>(std::min<size_t>(out_max, INT32_MAX)));
      return made < 0 ? 0 : static_cast<size_t>(made);
    }
    default: {
      const size_t made = ZSTD_decompress(out, out_max, in.data(), in.size());
      return ZSTD_isError(made) ? 0 : made;
    }
  }
}

// A gzip member or a zlib stream.
bool InflateUnsized(ByteView in, size_t size_max, Bytes* out) {
  constexpr int kEitherHeader = 32;
  constexpr size_t kStep = 64 * 1024;
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + kEitherHeader) != Z_OK) return false;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  const size_t begin = out->size();
  int result = Z_OK;
  while (result == Z_OK && out->size() - begin < size_max) {
    const size_t step = std::min(kStep, size_max - (out->size() - begin));
    out->resize(out->size() + step);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + out->size() - step);
    stream.avail_out = static_cast<uInt>(step);
    result = inflate(&stream, Z_NO_FLUSH);
    out->resize(out->size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END;
}

bool DecompressBlockStreamUnsized(Compression compression, ByteView in, size_t size_max,
                                  Bytes* out) {
  const size_t begin = out->size();
  while (!in.empty()) {
    uint32_t raw_length;
    if (!ConsumeBE32(&in, &raw_length) || raw_length > size_max - (out->size() - begin) ||
        raw_length > UncompressedSizeMax(compression, in.size())) {
      return false;
    }
    size_t done = out->size();
    out->resize(done + raw_length);
    while (done < out->size()) {
      uint32_t length;
      ByteView chunk;
      if (!ConsumeBE32(&in, &length) || !ConsumeBytes(&in, length, &chunk)) return false;
      const size_t made = DecompressRaw(compression, chunk, out->data() + done, out->size() - done);
      if (made == 0) return false;
      done += made;
    }
  }
  return true;
}

bool DecompressBlockStream(Compression compression, ByteView in, char* out, size_t out_size) {
  size_t done = 0;
  while (!in.empty()) {
    uint32_t raw_length;
    if (!ConsumeBE32(&in, &raw_length) || raw_length > out_size - done) return false;
    const size_t group_end = done + raw_length;
    while (done < group_end) {
      uint32_t length;
      ByteView chunk;
      if (!ConsumeBE32(&in, &length) || !ConsumeBytes(&in, length, &chunk)) return false;
      const size_t made = DecompressRaw(compression, chunk, out + done, group_end - done);
      if (made == 0) return false;
      done += made;
    }
  }
  return done == out_size;
}

Status CompressBlockStream(Compression compression, ByteView in, Bytes* out) {
  const size_t chunk_max = compression == Compression::kSnappy ? kSnappyChunkMax : kLz4ChunkMax;
  if (in.empty()) return Status();
  AppendBE32(out, static_cast<uint32_t>(in.size()));
  for (size_t start = 0; start < in.size(); start += chunk_max) {
    const ByteView chunk = in.substr(start, chunk_max);
    const size_t length_at = out->size();
    AppendBE32(out, 0);
    const size_t data_at = out->size();
    size_t length = 0;
    if (compression == Compression::kSnappy) {
      out->resize(data_at + snappy::MaxCompressedLength(chunk.size()));
      snappy::RawCompress(chunk.data(), chunk.size(), out->data() + data_at, &length);
    } else {
      const int bound = LZ4_compressBound(static_cast<int>(chunk.size()));
      out->resize(data_at + static_cast<size_t>(bound));
      length = static_cast<size_t>(LZ4_compress_default(chunk.data(), out->data() + data_at,
                                                        static_cast<int>(chunk.size()), bound));
      if (length == 0) return Internal("LZ4 refused to compress a block");
    }
    out->resize(data_at + length);
    StoreBE32(out->data() + length_at, static_cast<uint32_t>(length));
  }
  return Status();
}

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

Status CompressZstd(ByteView in, Bytes* out) {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  const size_t start = out->size();
  out->resize(start + ZSTD_compressBound(in.size()));
  const size_t length = ZSTD_compressCCtx(context.get(), out->data() + start, out->size() - start,
                                          in.data(), in.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(length)) {
    return Internal(fmt::format("ZSTD refused to compress a block: {}", ZSTD_getErrorName(length)));
  }
  out->resize(start + length);
  return Status();
}

}  // namespace

Status CheckCompression(Compression compression) {
  switch (compression) {
    case Compression::kNone:
    case Compression::kGz:
    case Compression::kSnappy:
    case Compression::kLz4:
    case Compression::kZstd: return Status();
    default:
      return NotSupported(fmt::format("compression {}; Bennu knows NONE, GZ, SNAPPY, LZ4 and ZSTD",
                                      CompressionText(compression)));
  }
}

uint64_t UncompressedSizeMax(Compression compression, uint64_t compressed_size) {
  // The densest that each format can be, from its smallest way to say "repeat"; rounded up.
  switch (compression) {
    case Compression::kNone: return compressed_size;
    case Compression::kGz: return 1040 * compressed_size + 1024;
    case Compression::kSnappy: return 64 * compressed_size + 1024;
    case Compression::kLz4: return 256 * compressed_size + 1024;
    default: return 44000 * compressed_size + 1024;
  }
}

Status Decompress(Compression compression, ByteView in, char* out, size_t out_size) {
  bool good = false;
  switch (compression) {
    case Compression::kNone:
      good = in.size() == out_size;
      if (good) std::copy(in.begin(), in.end(), out);
      break;
    case Compression::kGz: {
      thread_local Inflater inflater;
      good = inflater.Run(in, out, out_size);
      break;
    }
    case Compression::kZstd:
      if (in.substr(0, kZstdMagic.size()) == kZstdMagic) {
        good = ZSTD_decompress(out, out_size, in.data(), in.size()) == out_size;
        break;
      }
      [[fallthrough]];
    case Compression::kSnappy:
    case Compression::kLz4: good = DecompressBlockStream(compression, in, out, out_size); break;
    default: return CheckCompression(compression);
  }
  return good ? Status() : Damaged(compression);
}

Status DecompressUnsized(Compression compression, ByteView in, size_t size_max, Bytes* out) {
  bool good = false;
  switch (compression) {
    case Compression::kNone:
      good = in.size() <= size_max;
      if (good) out->append(in);
      break;
    case Compression::kGz: good = InflateUnsized(in, size_max, out); break;
    case Compression::kSnappy:
    case Compression::kLz4:
      good = DecompressBlockStreamUnsized(compression, in, size_max, out);
      break;
    default:
      return NotSupported(fmt::format("{} payloads of unknown size", CompressionText(compression)));
  }
  if (good) return Status();
  return Corruption(fmt::format("a {} payload is damaged, or holds more than {} bytes",
                                CompressionText(compression), size_max));
}

Status Compress(Compression compression, ByteView in, Bytes* out) {
  switch (compression) {
    case Compression::kNone: out->append(in); return Status();
    case Compression::kGz: {
      thread_local Deflater deflater;
      if (!deflater.Run(in, out)) return Internal("zlib refused to compress a block");
      return Status();
    }
    case Compression::kSnappy:
    case Compression::kLz4: return CompressBlockStream(compression, in, out);
    case Compression::kZstd: return CompressZstd(in, out);
    default: return CheckCompression(compression);
  }
}

}  // namespace bennu::hfile
