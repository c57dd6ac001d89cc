#include "src/cli/input_stream.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu::cli {

namespace {

class StandardInput : public InputStream {
 public:
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = std::fread(buffer, 1, size, stdin);
    if (count == 0 && std::ferror(stdin) != 0) {
      return IoError(std::string("standard input: ") + std::strerror(errno));
    }
    consumed_ += count;
    return count;
  }
  uint64_t consumed_bytes() const override { return consumed_; }
  uint64_t total_bytes() const override { return 0; }

 private:
  uint64_t consumed_ = 0;
};

class PlainFile : public InputStream {
 public:
  explicit PlainFile(std::unique_ptr<RandomAccessFile> file) : file_(std::move(file)) {}
  Result<size_t> Read(char* buffer, size_t size) override {
    const size_t count = static_cast<size_t>(std::min<uint64_t>(size, file_->size() - offset_));
    if (count > 0) RETURN_IF_ERROR(file_->ReadExact(offset_, count, buffer));
    offset_ += count;
    return count;
  }
  uint64_t consumed_bytes() const override { return offset_; }
  uint64_t total_bytes() const override { return file_->size(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  uint64_t offset_ = 0;
};

// A stream whose first bytes can be looked at before they are read, also where it cannot go back.
class PeekedInput : public InputStream {
 public:
  PeekedInput(std::string name, std::unique_ptr<InputStream> input)
      : name_(std::move(name)), input_(std::move(input)) {}

  // The first bytes, at most 'count'; fewer only when the stream is shorter. Once, before Read.
  Result<ByteView> Peek(size_t count) {
    head_.resize(count);
    size_t size = 0;
    while (size < count) {
      ASSIGN_OR_RETURN(const size_t more, input_->Read(head_.data() + size, count - size));
      if (more == 0) break;
      size += more;
    }
    head_.resize(size);
    return ByteView(head_);
  }

  Result<size_t> Read(char* buffer, size_t size) override {
    if (taken_ == head_.size()) return input_->Read(buffer, size);
    const size_t count = std::min(size, head_.size() - taken_);
    std::memcpy(buffer, head_.data() + taken_, count);
    taken_ += count;
    return count;
  }
  uint64_t consumed_bytes() const override {
    return input_->consumed_bytes() - (head_.size() - taken_);
  }
  uint64_t total_bytes() const override { return input_->total_bytes(); }
  const std::string& name() const { return name_; }  // for messages

 private:
  const std::string name_;
  const std::unique_ptr<InputStream> input_;
  std::string head_;
  size_t taken_ = 0;  // bytes of 'head_' that were read
};

// What the two compressed forms share: a buffer of compressed bytes.
class CompressedFile : public InputStream {
 public:
  explicit CompressedFile(std::unique_ptr<PeekedInput> file)
      : file_(std::move(file)), compressed_(256 * 1024) {}
  uint64_t consumed_bytes() const override { return file_->consumed_bytes(); }
  uint64_t total_bytes() const override { return file_->total_bytes(); }

 protected:
  // Reads more compressed bytes; false at the end of the file.
  Result<bool> Fill() {
    ASSIGN_OR_RETURN(available_, file_->Read(compressed_.data(), compressed_.size()));
    next_ = compressed_.data();
    return available_ > 0;
  }
  Status Damaged(const std::string& what) const {
    return Corruption(file_->name() + ": " + what + " near byte " +
                      std::to_string(file_->consumed_bytes() - available_) +
                      "; fetch the file again");
  }

  const std::unique_ptr<PeekedInput> file_;
  std::vector<char> compressed_;
  const char* next_ = nullptr;
  size_t available_ = 0;
};

class GzipFile : public CompressedFile {
 public:
  explicit GzipFile(std::unique_ptr<PeekedInput> file) : CompressedFile(std::move(file)) {
    inflateInit2(&stream_, 15 + 16);  // a gzip header
  }
  ~GzipFile() override { inflateEnd(&stream_); }
  std::string_view compression() const override { return "gzip"; }

  Result<size_t> Read(char* buffer, size_t size) override {
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out == size) {
      if (available_ == 0) {
        ASSIGN_OR_RETURN(const bool more, Fill());
        if (!more)
          return in_member_ ? Result<size_t>(Damaged("gzip data is cut short")) : size_t{0};
      }
      if (!in_member_) {
        inflateReset(&stream_);  // files may be several gzip members one after another
        in_member_ = true;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(next_));
      stream_.avail_in = static_cast<uInt>(available_);
      const int code = inflate(&stream_, Z_NO_FLUSH);
      next_ += available_ - stream_.avail_in;
      available_ = stream_.avail_in;
      if (code == Z_STREAM_END) {
        in_member_ = false;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return Damaged("gzip data is damaged");
      }
    }
    return size - stream_.avail_out;
  }

 private:
  z_stream stream_ = {};
  bool in_member_ = false;
};

class ZstdFile : public CompressedFile {
 public:
  explicit ZstdFile(std::unique_ptr<PeekedInput> file)
      : CompressedFile(std::move(file)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {}
  std::string_view compression() const override { return "zstd"; }

  Result<size_t> Read(char* buffer, size_t size) override {
    ZSTD_outBuffer out = {buffer, size, 0};
    while (out.pos == 0) {
      if (available_ == 0) {
        ASSIGN_OR_RETURN(const bool more, Fill());
        if (!more) return in_frame_ ? Result<size_t>(Damaged("zstd data is cut short")) : size_t{0};
      }
      ZSTD_inBuffer in = {next_, available_, 0};
      const size_t code = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(code) != 0) {
        return Damaged(std::string("zstd data is damaged (") + ZSTD_getErrorName(code) + ")");
      }
      in_frame_ = code != 0;
      next_ += in.pos;
      available_ -= in.pos;
    }
    return out.pos;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context_;
  bool in_frame_ = false;
};

// What a file is that begins with these bytes, and the program that makes text of it.
struct OtherFormat {
  std::string_view begin;
  std::string_view name;
  std::string_view command;
};
constexpr OtherFormat kOtherFormats[] = {
    {"BZh", "a file compressed with bzip2", "bzcat"},
    {std::string_view("\xfd\x37zXZ\0", 6), "a file compressed with xz", "xzcat"},
    {"PK\x03\x04", "a zip archive", "unzip -p"},
    {"\xff\xfe", "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
    {"\xfe\xff", "text in UTF-16", "iconv -f UTF-16 -t UTF-8"},
};
constexpr size_t kPeekBytes = 10;

// bzip2 begins like a word; what makes it sure stands behind the size of its blocks.
bool IsFormat(const OtherFormat& format, ByteView head) {
  if (!head.starts_with(format.begin)) return false;
  return format.begin != "BZh" || head.substr(4) == "1AY&SY";
}

Status CheckIsText(const PeekedInput& input, ByteView head, const std::string& path) {
  for (const OtherFormat& format : kOtherFormats) {
    if (!IsFormat(format, head)) continue;
    return InvalidArgument(
        fmt::format("{} is {}, and bennu load reads text in UTF-8, gzip and zstd; give it the text "
                    "by a pipe: {} {} | bennu load DIR TABLE -",
                    input.name(), format.name, format.command, path == "-" ? "FILE" : path));
  }
  return Status();
}

Result<std::unique_ptr<InputStream>> OpenRaw(const std::string& path) {
  if (path == "-") return std::unique_ptr<InputStream>(std::make_unique<StandardInput>());
  ASSIGN_OR_RETURN(auto file, Env::Default()->OpenForRead(path));
  return std::unique_ptr<InputStream>(std::make_unique<PlainFile>(std::move(file)));
}

}  // namespace

Result<std::unique_ptr<InputStream>> InputStream::Open(const std::string& path) {
  ASSIGN_OR_RETURN(auto raw, OpenRaw(path));
  auto input = std::make_unique<PeekedInput>(path == "-" ? "standard input" : path, std::move(raw));
  // What the bytes say counts, not the name; text begins with none of these.
  constexpr ByteView kGzipMagic("\x1f\x8b", 2);
  constexpr ByteView kZstdMagic("\x28\xb5\x2f\xfd", 4);
  ASSIGN_OR_RETURN(const ByteView head, input->Peek(kPeekBytes));
  if (head.starts_with(kGzipMagic)) {
    return std::unique_ptr<InputStream>(std::make_unique<GzipFile>(std::move(input)));
  }
  if (head.starts_with(kZstdMagic)) {
    return std::unique_ptr<InputStream>(std::make_unique<ZstdFile>(std::move(input)));
  }
  RETURN_IF_ERROR(CheckIsText(*input, head, path));
  return std::unique_ptr<InputStream>(std::move(input));
}

}  // namespace bennu::cli
