// Attributes of operations by which HBase's clients say more than the messages can.
#ifndef BENNU_SRC_RPC_OPERATION_ATTRIBUTES_H_
#define BENNU_SRC_RPC_OPERATION_ATTRIBUTES_H_

namespace bennu::rpc {

inline constexpr char kRawAttribute[] = "_raw_";
inline constexpr char kIsolationAttribute[] = "_isolationlevel_";
inline constexpr char kTtlAttribute[] = "_ttl";
inline constexpr char kReturnResultsAttribute[] = "_rr_";
// The value of kIsolationAttribute that stands for reads of what is not committed.
inline constexpr char kReadUncommitted = 1;

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_OPERATION_ATTRIBUTES_H_
