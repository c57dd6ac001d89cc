#include "tests/golden/avatica_messages.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <gtest/gtest.h>

#include <fstream>

#include "proto/avatica.pb.h"

namespace bennu::golden {

namespace pb = google::protobuf;

namespace {

constexpr char kUrl[] = "type.googleapis.com";
constexpr char kPackage[] = "bennu.pb.avatica.";
constexpr char kJavaClass[] = "org.apache.calcite.avatica.proto.";

// What the elements of Frame.rows are.
constexpr char kRowMessages[] = R"(
  message_type {
    name: "ColumnValue"
    field { name: "value" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE
            type_name: ".bennu.pb.avatica.TypedValue" }
    field { name: "array_value" number: 2 label: LABEL_REPEATED type: TYPE_MESSAGE
            type_name: ".bennu.pb.avatica.TypedValue" }
    field { name: "has_array_value" number: 3 label: LABEL_OPTIONAL type: TYPE_BOOL }
    field { name: "scalar_value" number: 4 label: LABEL_OPTIONAL type: TYPE_MESSAGE
            type_name: ".bennu.pb.avatica.TypedValue" }
  }
  message_type {
    name: "Row"
    field { name: "value" number: 1 label: LABEL_REPEATED type: TYPE_MESSAGE
            type_name: ".bennu.pb.avatica.ColumnValue" }
  })";

void AddRows(pb::FileDescriptorProto* file) {
  EXPECT_TRUE(pb::TextFormat::MergeFromString(kRowMessages, file));
  for (pb::DescriptorProto& message : *file->mutable_message_type()) {
    if (message.name() != "Frame") continue;
    for (pb::FieldDescriptorProto& field : *message.mutable_field()) {
      if (field.name() != "rows") continue;
      field.set_type(pb::FieldDescriptorProto::TYPE_MESSAGE);
      field.set_type_name(".bennu.pb.avatica.Row");
    }
  }
}

std::string UrlOf(const std::string& name) { return std::string(kUrl) + "/" + kPackage + name; }

}  // namespace

AvaticaMessages::AvaticaMessages() {
  std::ifstream in(BENNU_DESCRIPTOR_SET, std::ios::binary);
  pb::FileDescriptorSet files;
  EXPECT_TRUE(files.ParseFromIstream(&in)) << BENNU_DESCRIPTOR_SET;
  for (pb::FileDescriptorProto& file : *files.mutable_file()) {
    if (!file.name().ends_with("avatica.proto")) continue;
    AddRows(&file);
    EXPECT_NE(nullptr, pool_.BuildFile(file)) << file.name();
  }
  resolver_.reset(pb::util::NewTypeResolverForDescriptorPool(kUrl, &pool_));
}

Bytes AvaticaMessages::ToBody(const std::string& name, const nlohmann::json& fields) const {
  bennu::pb::avatica::WireMessage wire;
  wire.set_name(std::string(kJavaClass) + "Requests$" + name);
  const auto status = pb::util::JsonToBinaryString(resolver_.get(), UrlOf(name), fields.dump(),
                                                   wire.mutable_wrapped_message());
  EXPECT_TRUE(status.ok()) << name << ": " << status.ToString();
  return wire.SerializeAsString();
}

nlohmann::json AvaticaMessages::FromBody(const Bytes& body, std::string* name) const {
  bennu::pb::avatica::WireMessage wire;
  EXPECT_TRUE(wire.ParseFromString(body));
  const std::string prefix = std::string(kJavaClass) + "Responses$";
  EXPECT_TRUE(wire.name().starts_with(prefix)) << wire.name();
  *name = wire.name().substr(std::min(prefix.size(), wire.name().size()));
  std::string text;
  const auto status =
      pb::util::BinaryToJsonString(resolver_.get(), UrlOf(*name), wire.wrapped_message(), &text);
  EXPECT_TRUE(status.ok()) << *name << ": " << status.ToString();
  return nlohmann::json::parse(text);
}

}  // namespace bennu::golden
