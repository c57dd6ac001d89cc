#include "src/shell/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/shell/constants.h"
#include "src/shell/help.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

using Kind = Expression::Kind;

// A statement of more than this is no statement but a file that lacks a quote.
constexpr size_t kStatementBytesMax = 16 << 20;

std::string ArgumentCountText(const Command& command, size_t given) {
  std::string expected = std::to_string(command.arguments_min);
  if (command.arguments_max == Command::kAnyCount) {
    expected += "+";
  } else if (command.arguments_max > command.arguments_min) {
    expected += ".." + std::to_string(command.arguments_max);
  }
  return fmt::format("wrong number of arguments (given {}, expected {})", given, expected);
}

Result<Value> Add(const Value& left, const Value& right) {
  if (left.As<Bytes>() != nullptr && right.As<Bytes>() != nullptr) {
    return Value::String(*left.As<Bytes>() + *right.As<Bytes>());
  }
  if (left.As<int64_t>() != nullptr && right.As<int64_t>() != nullptr) {
    int64_t sum = 0;
    if (__builtin_add_overflow(*left.As<int64_t>(), *right.As<int64_t>(), &sum)) {
      return InvalidArgument("the sum is beyond 64 bits");
    }
    return Value::Integer(sum);
  }
  if (left.As<Value::Array>() != nullptr && right.As<Value::Array>() != nullptr) {
    Value::Array both = *left.As<Value::Array>();
    both.insert(both.end(), right.As<Value::Array>()->begin(), right.As<Value::Array>()->end());
    return Value(Value::Variant(std::move(both)));
  }
  return InvalidArgument(
      fmt::format("{} and {} cannot be added", left.TypeName(), right.TypeName()));
}

Result<Value> Negate(const Value& value) {
  if (const auto* number = value.As<int64_t>()) return Value::Integer(-*number);
  if (const auto* number = value.As<double>()) return Value(Value::Variant(-*number));
  return InvalidArgument(fmt::format("{} has no negative", value.TypeName()));
}

}  // namespace

std::string Session::Prompt() const {
  char end = '>';
  if (wants_more()) end = open_.open_quote != 0 ? open_.open_quote : '*';
  return fmt::format("{}:{:03}:{}{} ", environment_.program, line_number_,
                     wants_more() ? open_.depth : 0, end);
}

void Session::Clear() {
  text_.clear();
  open_ = Parsed();
}

void Session::Take(std::string_view line) {
  ++line_number_;
  text_ += line;
  text_ += '\n';
  if (text_.size() > kStatementBytesMax) {
    Clear();
    return Fail(InvalidArgument("syntax error, a statement that does not end"));
  }
  auto parsed = Parse(text_);
  if (!parsed.ok()) {
    Clear();
    return Fail(parsed.status());
  }
  if (!parsed->complete) {
    open_ = std::move(*parsed);
    return;
  }
  Clear();
  Value last;
  for (const ExpressionPtr& statement : parsed->statements) {
    auto value = Evaluate(*statement);
    if (!value.ok()) return Fail(value.status());
    if (ended_) return;
    last = std::move(*value);
  }
  if (!last.is_nil()) environment_.printer->Line("=> " + last.Inspect());
}

void Session::Finish() {
  if (!wants_more()) return;
  Clear();
  Fail(InvalidArgument("syntax error, the input ends within a statement"));
}

void Session::Fail(const Status& status) {
  error_ = status;
  if (stop_on_error_) {
    ended_ = true;
  } else {
    environment_.printer->Line("ERROR: " + status.message());
  }
}

Result<Value> Session::Evaluate(const Expression& expression) {
  switch (expression.kind) {
    case Kind::kLiteral: return expression.value;
    case Kind::kName: return EvaluateName(expression);
    case Kind::kCall: return EvaluateCall(expression);
    case Kind::kConstant: {
      auto constant = FindConstant(expression.name);
      if (constant.has_value()) return std::move(*constant);
      return InvalidArgument(
          fmt::format("uninitialized constant {}; other names stand in quotes", expression.name));
    }
    case Kind::kAssign: {
      ASSIGN_OR_RETURN(Value value, Evaluate(*expression.parts[0]));
      variables_[expression.name] = value;
      return value;
    }
    case Kind::kArray: {
      Value::Array array;
      for (const ExpressionPtr& part : expression.parts) {
        ASSIGN_OR_RETURN(Value element, Evaluate(*part));
        array.push_back(std::move(element));
      }
      return Value(Value::Variant(std::move(array)));
    }
    case Kind::kHash: {
      Value::Hash hash;
      for (size_t i = 0; i + 1 < expression.parts.size(); i += 2) {
        ASSIGN_OR_RETURN(Value key, Evaluate(*expression.parts[i]));
        ASSIGN_OR_RETURN(Value value, Evaluate(*expression.parts[i + 1]));
        hash.emplace_back(std::move(key), std::move(value));
      }
      return Value(Value::Variant(std::move(hash)));
    }
    case Kind::kAdd: {
      ASSIGN_OR_RETURN(const Value left, Evaluate(*expression.parts[0]));
      ASSIGN_OR_RETURN(const Value right, Evaluate(*expression.parts[1]));
      return Add(left, right);
    }
    case Kind::kNegate: {
      ASSIGN_OR_RETURN(const Value value, Evaluate(*expression.parts[0]));
      return Negate(value);
    }
  }
  return Value();
}

Result<Value> Session::EvaluateName(const Expression& expression) {
  const auto variable = variables_.find(expression.name);
  if (variable != variables_.end()) return variable->second;
  return Call(expression.name, {});
}

Result<Value> Session::EvaluateCall(const Expression& expression) {
  if (expression.receiver != nullptr) {
    ASSIGN_OR_RETURN(const Value receiver, Evaluate(*expression.receiver));
    return CallOn(receiver, expression);
  }
  Arguments arguments;
  for (const ExpressionPtr& part : expression.parts) {
    ASSIGN_OR_RETURN(Value argument, Evaluate(*part));
    arguments.push_back(std::move(argument));
  }
  return Call(expression.name, arguments);
}

Result<Value> Session::CallOn(const Value& receiver, const Expression& expression) {
  Arguments arguments;
  for (const ExpressionPtr& part : expression.parts) {
    ASSIGN_OR_RETURN(Value argument, Evaluate(*part));
    arguments.push_back(std::move(argument));
  }
  const auto* const table = receiver.As<Value::TableReference>();
  if (table == nullptr) {
    return InvalidArgument(
        fmt::format("undefined method '{}' for {}: only a table's commands can be called with a "
                    "point, see table_help",
                    expression.name, receiver.TypeName()));
  }
  if (expression.name == "name") return Value::String(table->name);
  if (expression.name == "help") {
    if (arguments.empty()) arguments.push_back(Value::String("table_help"));
    RETURN_IF_ERROR(Help(arguments));
    return Value();
  }
  const Command* const command = FindCommand(expression.name);
  if (command == nullptr || !command->of_table) {
    return InvalidArgument(fmt::format("'{}' is no command of a table", expression.name));
  }
  arguments.insert(arguments.begin(), Value::String(table->name));
  return Run(*command, arguments);
}

Result<Value> Session::Call(std::string_view name, const Arguments& arguments) {
  if (name == "exit" || name == "quit") {
    if (!arguments.empty()) {
      ASSIGN_OR_RETURN(const int64_t code, IntegerOf("the exit code", arguments[0]));
      exit_argument_ = static_cast<int>(code & 0xff);
    }
    ended_ = true;
    return Value();
  }
  if (name == "help") {
    RETURN_IF_ERROR(Help(arguments));
    return Value();
  }
  if (const Command* const command = FindCommand(name)) return Run(*command, arguments);
  if (std::string why = WhyMissing(name); !why.empty()) return NotSupported(std::move(why));
  return InvalidArgument(fmt::format("undefined command '{}'; help lists what there is", name));
}

Result<Value> Session::Run(const Command& command, const Arguments& arguments) {
  const uint64_t start = environment_.monotonic_nanos();
  Result<Value> value = Value();
  if (arguments.size() < command.arguments_min || arguments.size() > command.arguments_max) {
    value = InvalidArgument(ArgumentCountText(command, arguments.size()));
  } else {
    value = command.handler(environment_, arguments);
  }
  if (!value.ok()) {
    if (stop_on_error_) return value;
    error_ = value.status();
    environment_.printer->Line(fmt::format("\nERROR: {}\n\nFor usage try 'help \"{}\"'\n",
                                           value.status().message(), command.name));
    value = Value();  // the statements after it are run, as in HBase
  }
  const auto nanos = static_cast<double>(environment_.monotonic_nanos() - start);
  environment_.printer->Line(fmt::format("Took {:.4f} seconds", nanos / 1e9));
  return value;
}

Status Session::Help(const Arguments& arguments) {
  if (arguments.size() > 1) return InvalidArgument("help takes one name in quotes");
  ShowHelp(environment_, arguments.empty() ? "" : arguments[0].ToText());
  return Status::Ok();
}

std::vector<std::string> Session::Complete(std::string_view prefix) const {
  std::vector<std::string> found;
  const auto offer = [&](std::string_view name) {
    if (name.substr(0, prefix.size()) == prefix) found.emplace_back(name);
  };
  for (const Command& command : Commands()) offer(command.name);
  for (const std::string_view name : {"desc", "exit", "help", "quit"}) offer(name);
  for (const std::string_view name : ConstantNames()) offer(name);
  for (const auto& [name, value] : variables_) offer(name);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> Session::CompleteQuoted(std::string_view prefix) const {
  std::vector<std::string> found;
  const auto tables = environment_.admin()->ListTables();
  if (!tables.ok()) return found;
  for (const TableName& table : *tables) {
    std::string name = table.ToString();
    if (name.compare(0, prefix.size(), prefix) == 0) found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace bennu::shell
