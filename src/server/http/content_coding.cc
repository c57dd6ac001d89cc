#include "src/server/http/content_coding.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace bennu::server::http {

namespace {

// Smaller bodies fit into a packet anyway.
constexpr size_t kWorthwhile = 1024;
constexpr int kGzipWindow = 15 + 16;
constexpr int kGzipOrZlibWindow = 15 + 32;
constexpr size_t kStep = 64 * 1024;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool IsWord(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  });
}

bool Gzip(const std::string& in, std::string* out) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    return false;
  }
  out->resize(deflateBound(&stream, in.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out->data());
  stream.avail_out = static_cast<uInt>(out->size());
  const bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out->resize(out->size() - stream.avail_out);
  deflateEnd(&stream);
  return done;
}

enum class Inflated { kDone, kDamaged, kTooLarge, kNoRoom };

Inflated Inflate(const std::string& in, size_t bytes_max, net::WireCharge* charge,
                 std::string* out) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipOrZlibWindow) != Z_OK) return Inflated::kDamaged;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
  stream.avail_in = static_cast<uInt>(in.size());
  int result = Z_OK;
  bool room = true;
  while (result == Z_OK && out->size() <= bytes_max && room) {
    const size_t before = out->size();
    out->resize(before + kStep);
    stream.next_out = reinterpret_cast<Bytef*>(out->data() + before);
    stream.avail_out = kStep;
    result = inflate(&stream, Z_NO_FLUSH);
    out->resize(out->size() - stream.avail_out);
    room = charge->TrySet(out->capacity());
  }
  const bool all = stream.avail_in == 0;
  inflateEnd(&stream);
  if (out->size() > bytes_max) return Inflated::kTooLarge;
  if (!room) return Inflated::kNoRoom;
  return result == Z_STREAM_END && all ? Inflated::kDone : Inflated::kDamaged;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), item.size() + 1));
    const size_t semicolon = item.find(';');
    const std::string_view name = Trimmed(item.substr(0, semicolon));
    std::string_view weight;
    if (semicolon != std::string_view::npos) weight = Trimmed(item.substr(semicolon + 1));
    const bool wanted = !(weight.starts_with("q=") || weight.starts_with("Q=")) ||
                        std::strtod(std::string(weight.substr(2)).c_str(), nullptr) > 0;
    if (IsWord(name, "gzip") || IsWord(name, "x-gzip")) return wanted;
    if (name == "*") any = wanted;
  }
  return any;
}

void CompressIfWorthwhile(Response* response) {
  if (response->body.size() < kWorthwhile) return;
  for (const auto& [name, value] : response->headers) {
    if (name == "Content-Encoding") return;
  }
  std::string smaller;
  if (!Gzip(response->body, &smaller) || smaller.size() >= response->body.size()) return;
  response->body = std::move(smaller);
  response->headers.emplace_back("Content-Encoding", "gzip");
  response->headers.emplace_back("Vary", "Accept-Encoding");
}

std::optional<Response> Uncompress(std::string_view coding, size_t bytes_max,
                                   net::WireCharge* charge, std::string* body) {
  coding = Trimmed(coding);
  if (coding.empty() || IsWord(coding, "identity")) return std::nullopt;
  if (!IsWord(coding, "gzip") && !IsWord(coding, "x-gzip") && !IsWord(coding, "deflate")) {
    Response refused = Refused(415, "the request's Content-Encoding is neither gzip nor deflate");
    refused.headers = {{"Accept-Encoding", "gzip, deflate"}};
    return refused;
  }
  std::string whole;
  switch (Inflate(*body, bytes_max, charge, &whole)) {
    case Inflated::kDone: *body = std::move(whole); return std::nullopt;
    case Inflated::kTooLarge:
      return Refused(413, "the request is larger than hbase.ipc.max.request.size allows");
    case Inflated::kNoRoom:
      return Refused(503, "the memory for messages is used up; try again later");
    case Inflated::kDamaged: break;
  }
  return Refused(400, "the request's body is no whole gzip stream");
}

}  // namespace bennu::server::http
