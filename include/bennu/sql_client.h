// SQL over the network: the same connection as Database::Connect gives, over `bennu serve` or
// Apache's Phoenix Query Server.
//
//   BENNU_ASSIGN_OR_RETURN(auto sql, bennu::SqlClient::Connect("http://localhost:8765"));
//   BENNU_ASSIGN_OR_RETURN(auto rows, sql->Execute("SELECT COUNT(*) FROM flights"));
#ifndef BENNU_SQL_CLIENT_H_
#define BENNU_SQL_CLIENT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bennu/database.h"
#include "bennu/status.h"

namespace bennu {

// How SqlClient::Connect makes a connection.
struct SqlClientOptions {
  ConnectOptions connection;  // as for a connection in the process
  // Of BASIC authentication; an empty user: the URL's, if it has one.
  std::string user;
  std::string password;
  // Further properties of Phoenix's connections, by their names.
  std::map<std::string, std::string> properties;
  int64_t connect_timeout_millis = 10'000;
  // Of https: a file of certificates (PEM or PKCS12) that the server's must lead to.
  std::string truststore;
  std::string truststore_password;
  std::string truststore_type;  // "PEM" or "PKCS12"; empty: by the end of the file's name
};

// Where connections over a server come from.
class SqlClient {
 public:
  // 'url': "http://host:8765", "https://host:8765"; "http://user:password@host:8765".
  // InvalidArgument: it is none, or the trust store cannot be used. IoError: no server answers
  // there, with what to do. Corruption: what answers is no query server.
  //
  // The connection is used by one thread at a time, like one in the process. What differs: the
  // server closes it when nobody uses it for some minutes; it is opened again without a word,
  // unless changes that were not committed were lost, which is FailedPrecondition. An IoError in
  // the middle of a statement leaves open whether it was done. PreparedStatement::Bind finds only
  // values of wrong types that no column takes.
  static Result<std::unique_ptr<SqlConnection>> Connect(const std::string& url,
                                                        const SqlClientOptions& options);
  static Result<std::unique_ptr<SqlConnection>> Connect(const std::string& url) {
    return Connect(url, SqlClientOptions());
  }
};

}  // namespace bennu

#endif  // BENNU_SQL_CLIENT_H_
