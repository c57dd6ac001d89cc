// Avatica's messages of protobuf as JSON, by their descriptors rather than by generated code: what
// a test compares then has every field. Rows, which proto/avatica.proto keeps as bytes, are read
// too.
#ifndef BENNU_TESTS_GOLDEN_AVATICA_MESSAGES_H_
#define BENNU_TESTS_GOLDEN_AVATICA_MESSAGES_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/type_resolver.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "bennu/bytes.h"

namespace bennu::golden {

// Conversions fail the test when the bytes or the JSON are no such message.
class AvaticaMessages {
 public:
  AvaticaMessages();

  // The body of a request of HTTP: the message "FetchRequest" with these fields in its envelope.
  Bytes ToBody(const std::string& name, const nlohmann::json& fields) const;
  // The fields of the message in an answer's body, in the JSON mapping of protobuf, which leaves
  // out what has its default value. 'name' becomes "FetchResponse".
  nlohmann::json FromBody(const Bytes& body, std::string* name) const;

 private:
  google::protobuf::DescriptorPool pool_;
  std::unique_ptr<google::protobuf::util::TypeResolver> resolver_;
};

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_AVATICA_MESSAGES_H_
