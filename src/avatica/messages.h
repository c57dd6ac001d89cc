// Avatica's messages as one type for requests and one for responses, whatever they were written in.
// Source: phoenix-avatica spec.
#ifndef BENNU_SRC_AVATICA_MESSAGES_H_
#define BENNU_SRC_AVATICA_MESSAGES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "proto/avatica.pb.h"

namespace bennu::avatica {

namespace pb = ::bennu::pb::avatica;

using Request =
    std::variant<pb::OpenConnectionRequest, pb::CloseConnectionRequest, pb::ConnectionSyncRequest,
                 pb::DatabasePropertyRequest, pb::CreateStatementRequest, pb::CloseStatementRequest,
                 pb::PrepareAndExecuteRequest, pb::PrepareRequest, pb::ExecuteRequest,
                 pb::FetchRequest, pb::PrepareAndExecuteBatchRequest, pb::ExecuteBatchRequest,
                 pb::SyncResultsRequest, pb::CommitRequest, pb::RollbackRequest,
                 pb::CatalogsRequest, pb::TableTypesRequest, pb::TypeInfoRequest,
                 pb::SchemasRequest, pb::TablesRequest, pb::ColumnsRequest>;

using Response =
    std::variant<pb::ResultSetResponse, pb::ExecuteResponse, pb::PrepareResponse, pb::FetchResponse,
                 pb::CreateStatementResponse, pb::CloseStatementResponse,
                 pb::OpenConnectionResponse, pb::CloseConnectionResponse,
                 pb::ConnectionSyncResponse, pb::DatabasePropertyResponse, pb::ExecuteBatchResponse,
                 pb::SyncResultsResponse, pb::CommitResponse, pb::RollbackResponse,
                 pb::ErrorResponse>;

// How messages are written. A request tells which one it is by its first byte, and is answered in
// the same.
enum class Form : uint8_t { kProtobuf, kJson };

// ResultSetResponse::update_count of a result with rows.
inline constexpr uint64_t kHasRows = std::numeric_limits<uint64_t>::max();

// What ParseRequest takes for a body at most, in bytes, before it is asked. Untrusted bytes.
size_t ParsedSize(ByteView body);
// InvalidArgument: no message, or none that clients send.
Result<Request> ParseRequest(ByteView body, Form form);
// Rows of frames were written for 'form' (row_writer.h).
std::string WriteResponse(const Response& response, Form form);

// What a body that begins with this byte is written in.
inline Form FormOf(ByteView body) {
  return !body.empty() && body[0] == '{' ? Form::kJson : Form::kProtobuf;
}

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_MESSAGES_H_
