#include "src/avatica/running_statement.h"

#include <fmt/format.h>

#include <utility>

#include "src/avatica/json_value.h"
#include "src/base/json_text.h"
#include "src/base/utf8.h"

namespace bennu::avatica {

namespace {

int64_t NumberAt(const JsonValue& object, std::string_view name) {
  const JsonValue* const member = object.Find(name);
  const int64_t* const number = member == nullptr ? nullptr : member->number();
  return number == nullptr ? 0 : *number;
}

// A count of a server's is never negative.
uint64_t CountAt(const JsonValue& object, std::string_view name) {
  const int64_t number = NumberAt(object, name);
  return number < 0 ? 0 : static_cast<uint64_t>(number);
}

}  // namespace

std::string WriteRunning(const std::optional<RunningStatement>& statement) {
  if (!statement.has_value()) return "{}\n";
  std::string shown;
  AppendValidUtf8(std::string_view(statement->text).substr(0, kRunningTextMax), &shown);
  std::string text;
  AppendJsonString(shown, &text);
  return fmt::format(
      "{{\"id\": {}, \"text\": {}, \"start_ms\": {}, \"rows_read\": {}, \"rows_returned\": {}, "
      "\"parts\": {}, \"parts_done\": {}, \"memory_bytes\": {}}}\n",
      statement->id, text, statement->start_millis, statement->rows_read, statement->rows_returned,
      statement->parts, statement->parts_done, statement->memory_bytes);
}

bool ParseRunning(std::string_view text, std::optional<RunningStatement>* statement) {
  statement->reset();
  const std::optional<JsonValue> document = ParseJson(text);
  if (!document.has_value() || document->object() == nullptr) return false;
  if (document->object()->empty()) return true;
  RunningStatement told;
  told.id = NumberAt(*document, "id");
  if (told.id <= 0) return false;
  const JsonValue* const sql = document->Find("text");
  if (sql != nullptr && sql->text() != nullptr) told.text = *sql->text();
  told.start_millis = NumberAt(*document, "start_ms");
  told.rows_read = CountAt(*document, "rows_read");
  told.rows_returned = CountAt(*document, "rows_returned");
  told.parts = CountAt(*document, "parts");
  told.parts_done = CountAt(*document, "parts_done");
  told.memory_bytes = NumberAt(*document, "memory_bytes");
  *statement = std::move(told);
  return true;
}

}  // namespace bennu::avatica
