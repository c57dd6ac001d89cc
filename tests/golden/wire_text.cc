#include "tests/golden/wire_text.h"

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <vector>

namespace bennu::golden {

namespace pb = google::protobuf;

WireSchema::WireSchema() : factory_(&pool_) {
  std::ifstream in(BENNU_DESCRIPTOR_SET, std::ios::binary);
  pb::FileDescriptorSet files;
  EXPECT_TRUE(files.ParseFromIstream(&in)) << BENNU_DESCRIPTOR_SET;
  for (const pb::FileDescriptorProto& file : files.file()) {
    EXPECT_NE(nullptr, pool_.BuildFile(file)) << file.name();
  }
}

std::unique_ptr<pb::Message> WireSchema::Parse(const std::string& name, ByteView bytes) {
  const pb::Descriptor* const type = pool_.FindMessageTypeByName("bennu.pb." + name);
  EXPECT_NE(nullptr, type) << "no message " << name;
  if (type == nullptr) return nullptr;
  std::unique_ptr<pb::Message> message(factory_.GetPrototype(type)->New());
  EXPECT_TRUE(message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) << name;
  return message;
}

namespace {

// Methods are called as their messages begin, but for these.
std::string MessageStem(const std::string& method) {
  if (method == "ExecService") return "CoprocessorService";
  std::string stem = method;
  stem[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(stem[0])));
  return stem;
}

}  // namespace

std::string WireSchema::RequestOf(const std::string& method) {
  return MessageStem(method) + "Request";
}

std::string WireSchema::ResponseOf(const std::string& method) {
  return MessageStem(method) + "Response";
}

void VisitFields(pb::Message* message, const FieldVisitor& use) {
  const pb::Reflection* const reflection = message->GetReflection();
  std::vector<const pb::FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const pb::FieldDescriptor* field : fields) {
    const bool is_message = field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
    if (!field->is_repeated()) {
      if (use(message, field, -1) && is_message && reflection->HasField(*message, field)) {
        VisitFields(reflection->MutableMessage(message, field), use);
      }
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
      if (use(message, field, i) && is_message) {
        VisitFields(reflection->MutableRepeatedMessage(message, field, i), use);
      }
    }
  }
}

Bytes GetBytes(const pb::Message& message, const pb::FieldDescriptor* field, int index) {
  const pb::Reflection* const reflection = message.GetReflection();
  return index < 0 ? reflection->GetString(message, field)
                   : reflection->GetRepeatedString(message, field, index);
}

void SetBytes(pb::Message* message, const pb::FieldDescriptor* field, int index, Bytes value) {
  const pb::Reflection* const reflection = message->GetReflection();
  if (index < 0) {
    reflection->SetString(message, field, std::move(value));
  } else {
    reflection->SetRepeatedString(message, field, index, std::move(value));
  }
}

bool SortField(pb::Message* message, const std::string& name) {
  bool occurs = false;
  VisitFields(message, [&](pb::Message* part, const pb::FieldDescriptor* field, int index) {
    if (index != 0 || field->containing_type()->name() + "." + field->name() != name) return true;
    occurs = true;
    const pb::Reflection* const reflection = part->GetReflection();
    const int count = reflection->FieldSize(*part, field);
    for (int i = 0; i < count; ++i) {  // few: by selection, as entries can only be swapped
      for (int j = i + 1; j < count; ++j) {
        if (ToText(reflection->GetRepeatedMessage(*part, field, j)) <
            ToText(reflection->GetRepeatedMessage(*part, field, i))) {
          reflection->SwapElements(part, field, i, j);
        }
      }
    }
    return true;
  });
  return occurs;
}

std::string ToText(const pb::Message& message) {
  std::string text;
  pb::TextFormat::PrintToString(message, &text);
  return text;
}

}  // namespace bennu::golden
