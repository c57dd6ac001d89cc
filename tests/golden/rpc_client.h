// A client of HBase's RPC that sends and receives frames, one at a time.
#ifndef BENNU_TESTS_GOLDEN_RPC_CLIENT_H_
#define BENNU_TESTS_GOLDEN_RPC_CLIENT_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "bennu/bytes.h"
#include "proto/rpc.pb.h"
#include "src/base/coding.h"
#include "src/rpc/block_codec.h"
#include "src/rpc/cell_codec.h"
#include "src/rpc/frame.h"

namespace bennu::golden {

class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)));
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void Greet(const std::string& service) {
    Send(Bytes("HBas\0\x50", 6));
    pb::ConnectionHeader header;
    header.mutable_user_info()->set_effective_user("test");
    header.set_service_name(service);
    Bytes frame;
    AppendBE32(&frame, static_cast<uint32_t>(header.ByteSizeLong()));
    header.AppendToString(&frame);
    Send(frame);
  }
  void Send(ByteView bytes) {
    ASSERT_EQ(static_cast<ssize_t>(bytes.size()),
              send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  // One frame without its length.
  Bytes Receive() {
    const Bytes length = Read(rpc::kFrameLengthSize);
    return length.size() < rpc::kFrameLengthSize ? Bytes() : Read(LoadBE32(length.data()));
  }

  rpc::CellCodec codec = rpc::CellCodec::kNone;
  rpc::BlockCompression compression = rpc::BlockCompression::kNone;

 private:
  Bytes Read(size_t size) {
    Bytes bytes(size, '\0');
    EXPECT_EQ(static_cast<ssize_t>(size), recv(socket_, bytes.data(), size, MSG_WAITALL));
    return bytes;
  }
  const int socket_;
};

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_RPC_CLIENT_H_
