#include "src/sql/functions/bson_path.h"

#include <algorithm>
#include <charconv>

#include "src/base/status_macros.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

bool ParseIndex(ByteView digits, int64_t* index) {
  const char* const end = digits.data() + digits.size();
  const auto [ptr, error] = std::from_chars(digits.data(), end, *index);
  return error == std::errc() && ptr == end;
}

Status BadPath(ByteView path, std::string_view why) {
  return MakeUncodedSqlError("Path '" + std::string(path) + "': " + std::string(why));
}

PathStep Named(ByteView name) { return {PathStep::Kind::kName, Bytes(name), 0}; }

// What stands between [ and ] of a JSON path.
Status ParseBracket(ByteView path, ByteView inside, BsonPath* steps) {
  const bool quoted =
      inside.size() >= 2 && (inside[0] == '\'' || inside[0] == '"') && inside.back() == inside[0];
  PathStep step;
  if (quoted) {
    step = Named(inside.substr(1, inside.size() - 2));
  } else if (inside == "*") {
    step.kind = PathStep::Kind::kAny;
  } else {
    step.kind = PathStep::Kind::kIndex;
    if (!ParseIndex(inside, &step.index)) {
      return BadPath(path, "only names in quotes, indexes and * may stand in brackets");
    }
  }
  steps->push_back(std::move(step));
  return Status::Ok();
}

const BsonValue* StepInto(const BsonValue& value, const PathStep& step) {
  if (step.kind == PathStep::Kind::kName) {
    return value.is_document() ? value.Find(step.name) : nullptr;
  }
  if (!value.is_array()) return nullptr;
  const auto size = static_cast<int64_t>(value.fields.size());
  const int64_t index = step.index < 0 ? size + step.index : step.index;
  if (index < 0 || index >= size) return nullptr;
  return &value.fields[static_cast<size_t>(index)].value;
}

void Collect(const BsonValue& value, const BsonPath& path, size_t at, BsonValue* array) {
  if (at == path.size()) {
    array->fields.push_back({Bytes(), value});
    return;
  }
  if (path[at].kind == PathStep::Kind::kAny) {
    for (const BsonField& field : value.fields) Collect(field.value, path, at + 1, array);
    return;
  }
  const BsonValue* const next = StepInto(value, path[at]);
  if (next != nullptr) Collect(*next, path, at + 1, array);
}

}  // namespace

Result<BsonPath> ParseFieldPath(ByteView text) {
  BsonPath path;
  size_t at = std::min(text.find_first_of(".["), text.size());
  path.push_back(Named(text.substr(0, at)));
  while (at < text.size()) {
    if (text[at] == '[') {
      const size_t end = text.find(']', at);
      PathStep step{PathStep::Kind::kIndex, Bytes(), 0};
      if (end == ByteView::npos || !ParseIndex(text.substr(at + 1, end - at - 1), &step.index) ||
          step.index < 0) {
        return BadPath(text, "an index is a number in brackets");
      }
      path.push_back(std::move(step));
      at = end + 1;
      continue;
    }
    if (text[at] != '.') return BadPath(text, "a dot or an index follows an index");
    const size_t end = std::min(text.find_first_of(".[", at + 1), text.size());
    path.push_back(Named(text.substr(at + 1, end - at - 1)));
    at = end;
  }
  return path;
}

Result<BsonPath> ParseJsonPath(ByteView text) {
  BsonPath path;
  Bytes whole;
  if (!text.starts_with('$')) {
    whole = text.starts_with('[') ? "$" : "$.";
    whole += text;
    text = whole;
  }
  size_t at = 1;
  while (at < text.size()) {
    if (text[at] == '[') {
      const size_t quote = at + 1 < text.size() ? at + 1 : at;
      const bool quoted = text[quote] == '\'' || text[quote] == '"';
      size_t end = quoted ? text.find(text[quote], quote + 1) : quote;
      end = end == ByteView::npos ? end : text.find(']', end);
      if (end == ByteView::npos) return BadPath(text, "a bracket does not end");
      RETURN_IF_ERROR(ParseBracket(text, text.substr(at + 1, end - at - 1), &path));
      at = end + 1;
      continue;
    }
    if (text[at] != '.') return BadPath(text, "a dot or a bracket is missing");
    const size_t end = std::min(text.find_first_of(".[", at + 1), text.size());
    const ByteView name = text.substr(at + 1, end - at - 1);
    if (name.empty()) return BadPath(text, "a name is missing; .. is not supported");
    if (name.find(' ') != ByteView::npos) {
      return BadPath(text, "a name with blanks stands in brackets: ['my name']");
    }
    if (name.back() == ')') return BadPath(text, "functions are not supported");
    path.push_back(name == "*" ? PathStep{PathStep::Kind::kAny, Bytes(), 0} : Named(name));
    at = end;
  }
  return path;
}

bool IsIndefinite(const BsonPath& path) {
  return std::any_of(path.begin(), path.end(),
                     [](const PathStep& step) { return step.kind == PathStep::Kind::kAny; });
}

const BsonValue* FindAt(const BsonValue& document, const BsonPath& path) {
  const BsonValue* value = &document;
  for (const PathStep& step : path) {
    value = StepInto(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

BsonValue* FindAt(BsonValue* document, const BsonPath& path) {
  return const_cast<BsonValue*>(FindAt(static_cast<const BsonValue&>(*document), path));
}

BsonValue CollectAt(const BsonValue& document, const BsonPath& path) {
  BsonValue array;
  array.type = BsonType::kArray;
  Collect(document, path, 0, &array);
  return array;
}

bool HasElement(const BsonValue& array, const BsonValue& value) {
  return std::any_of(array.fields.begin(), array.fields.end(),
                     [&](const BsonField& field) { return field.value == value; });
}

Result<const BsonValue*> FindField(const BsonValue& document, ByteView name) {
  if (const BsonValue* const value = document.Find(name); value != nullptr) return value;
  ASSIGN_OR_RETURN(const BsonPath path, ParseFieldPath(name));
  return FindAt(document, path);
}

}  // namespace bennu::sql
