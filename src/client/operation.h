// Operation: one thing that somebody asks of a cluster, with all attempts at it.
// Source: RpcRetryingCallerImpl, ConnectionUtils.getPauseTime and HConstants.RETRY_BACKOFF of
// HBase.
#ifndef BENNU_SRC_CLIENT_OPERATION_H_
#define BENNU_SRC_CLIENT_OPERATION_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "src/client/channel.h"
#include "src/client/deadline.h"
#include "src/client/options.h"

namespace bennu::client {

// Counts attempts and time, pauses between attempts, and says in the end what failed where. It ends
// with hbase.client.operation.timeout or hbase.client.retries.number, whichever comes first. One
// thread at a time.
class Operation {
 public:
  // What is asked for, in words, for the error. 'options' must outlive this.
  Operation(const ClientOptions& options, std::string subject);
  // Of a row, which must outlive this like 'table'.
  Operation(const ClientOptions& options, const TableName& table, ByteView row);

  // How long a call that begins now may take: hbase.rpc.timeout, or what is left if that is less;
  // never nothing.
  std::chrono::milliseconds CallTimeout() const;
  std::chrono::microseconds Left() const { return deadline_.Left(); }

  // Another row of the table, which must outlive this.
  void SetRow(ByteView row) { row_ = row; }
  // Where the present attempt went, for the error: a region's name and its server.
  void SetPlace(ByteView region, const Address& server);

  // After an attempt that failed. OK: pauses, and another attempt is due. Otherwise the error that
  // ends the operation: the outcome's own when trying again cannot help.
  Status TryAgain(const CallOutcome& failed);

  // The error of an attempt that may have been carried out, and must not be tried again for that.
  Status NotKnown(const Status& cause) const;

  // The pause before attempt 'tries' + 2 without its jitter: 1, 2, 3, 5, 10, 20, 40, 100 (five
  // times) and 200 times hbase.client.pause, or hbase.client.pause.server.overloaded.
  static std::chrono::milliseconds PauseBefore(const ClientOptions& options, uint32_t tries,
                                               bool overloaded);

 private:
  Status GiveUp(const Status& cause, const std::string& bound) const;
  std::string Subject() const;

  const ClientOptions& options_;
  const Deadline deadline_;
  const std::string subject_;  // empty: the row of the table
  const TableName* const table_ = nullptr;
  ByteView row_;
  Bytes region_;
  Address server_;
  uint32_t tries_ = 0;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_OPERATION_H_
