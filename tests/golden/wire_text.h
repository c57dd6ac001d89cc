// HBase's messages as text, by their descriptors rather than by generated code: what a test
// compares then has every field, and none that somebody forgot.
#ifndef BENNU_TESTS_GOLDEN_WIRE_TEXT_H_
#define BENNU_TESTS_GOLDEN_WIRE_TEXT_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "bennu/bytes.h"

namespace bennu::golden {

// The messages of proto/.
class WireSchema {
 public:
  WireSchema();

  // Of "bennu.pb.NAME"; fails the test when there is none, or when 'bytes' are not one.
  std::unique_ptr<google::protobuf::Message> Parse(const std::string& name, ByteView bytes);
  // The names of what a method of HBase's services takes and answers.
  static std::string RequestOf(const std::string& method);
  static std::string ResponseOf(const std::string& method);

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
};

// Calls 'use' for each field that is set, of the message and those within it; for repeated ones
// with each index, else with -1. 'use' may change or clear the field. False: do not look into it.
using FieldVisitor = std::function<bool(google::protobuf::Message* message,
                                        const google::protobuf::FieldDescriptor* field, int index)>;
void VisitFields(google::protobuf::Message* message, const FieldVisitor& use);

// A text field's or a bytes field's value, read and set.
Bytes GetBytes(const google::protobuf::Message& message,
               const google::protobuf::FieldDescriptor* field, int index);
void SetBytes(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
              int index, Bytes value);

// Sorts the entries of the repeated message field "Message.field" by their text, wherever it
// occurs. False: it does not.
bool SortField(google::protobuf::Message* message, const std::string& name);

std::string ToText(const google::protobuf::Message& message);

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_WIRE_TEXT_H_
