#include "src/sql/functions/bson_condition.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/expr/expr.h"
#include "src/sql/functions/bson_path.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {

struct BsonCondition::Node {
  enum class Kind : uint8_t {
    kAnd,
    kOr,
    kNot,
    kCompare,
    kBetween,
    kIn,
    kExists,
    kNotExists,
    kBeginsWith,
    kContains,
    kFieldType,
    kName,  // a field or a value's name that stands alone
    kSize,  // size(field)
  };
  Kind kind = Kind::kName;
  ComparisonOp op = ComparisonOp::kEqual;
  bool negated = false;
  Bytes text;  // kName, kSize
  std::vector<Node> children;
};

namespace {

using Node = BsonCondition::Node;

// ---------------------------------------------------------------- parsing

constexpr int kDepthMax = 100;

Bytes Lower(ByteView text) {
  Bytes lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 0x20);
  }
  return lower;
}

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

class Parser {
 public:
  explicit Parser(ByteView text) : text_(text) {}

  Result<Node> Run() {
    RETURN_IF_ERROR(Advance());
    ASSIGN_OR_RETURN(Node node, Or(0));
    if (!token_.empty()) return Unexpected();
    return node;
  }

 private:
  Status Unexpected() const {
    return MakeSqlError(601, "Condition '" + std::string(text_) + "': unexpected " +
                                 (token_.empty() ? "end" : "'" + token_ + "'"));
  }

  // token_ becomes the next word or mark; empty at the end.
  Status Advance() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) {
      ++at_;
    }
    token_.clear();
    is_name_ = false;
    if (at_ == text_.size()) return Status::Ok();
    const char c = text_[at_];
    if (c == '\'') return Quoted();
    const bool starts_name =
        IsWordByte(c) || c == ':' || c == '$' || c == '#' || c == '.' || c == '[';
    if (starts_name) {
      is_name_ = true;
      const size_t begin = at_++;
      const bool field = c != ':' && c != '$';
      while (at_ < text_.size() &&
             (IsWordByte(text_[at_]) ||
              (field && ByteView(".[]#").find(text_[at_]) != ByteView::npos))) {
        ++at_;
      }
      token_ = text_.substr(begin, at_ - begin);
      return Status::Ok();
    }
    for (const ByteView mark : {"<=", ">=", "<>", "!=", "<", ">", "=", "(", ")", ","}) {
      if (text_.substr(at_).starts_with(mark)) {
        token_ = mark;
        at_ += mark.size();
        return Status::Ok();
      }
    }
    token_ = c;
    return Unexpected();
  }

  Status Quoted() {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '\'') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      token_ += text_[at_++];
    }
    if (at_ == text_.size()) return Unexpected();
    ++at_;
    is_name_ = true;
    return Status::Ok();
  }

  bool Is(ByteView word) const { return !is_name_ ? token_ == word : Lower(token_) == word; }

  // Takes the token if it is this word.
  Result<bool> Take(ByteView word) {
    if (!Is(word)) return false;
    RETURN_IF_ERROR(Advance());
    return true;
  }

  Status Expect(ByteView word) {
    ASSIGN_OR_RETURN(const bool taken, Take(word));
    return taken ? Status::Ok() : Unexpected();
  }

  Result<Node> Chain(int depth, ByteView word, Node::Kind kind,
                     Result<Node> (Parser::*operand)(int)) {
    if (depth > kDepthMax) return MakeSqlError(601, "Condition is nested too deep");
    ASSIGN_OR_RETURN(Node first, (this->*operand)(depth));
    if (!Is(word)) return first;
    Node chain;
    chain.kind = kind;
    chain.children.push_back(std::move(first));
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, Take(word));
      if (!more) return chain;
      ASSIGN_OR_RETURN(Node next, (this->*operand)(depth));
      chain.children.push_back(std::move(next));
    }
  }

  Result<Node> Or(int depth) { return Chain(depth, "or", Node::Kind::kOr, &Parser::And); }
  Result<Node> And(int depth) { return Chain(depth, "and", Node::Kind::kAnd, &Parser::Not); }

  Result<Node> Not(int depth) {
    ASSIGN_OR_RETURN(const bool negated, Take("not"));
    if (!negated) return Condition(depth);
    Node node;
    node.kind = Node::Kind::kNot;
    ASSIGN_OR_RETURN(Node operand, Condition(depth));
    node.children.push_back(std::move(operand));
    return node;
  }

  struct Call {
    ByteView name;
    Node::Kind kind;
    size_t arguments;
  };
  static constexpr std::array<Call, 9> kCalls = {{
      {"attribute_exists", Node::Kind::kExists, 1},
      {"field_exists", Node::Kind::kExists, 1},
      {"attribute_not_exists", Node::Kind::kNotExists, 1},
      {"field_not_exists", Node::Kind::kNotExists, 1},
      {"begins_with", Node::Kind::kBeginsWith, 2},
      {"contains", Node::Kind::kContains, 2},
      {"field_type", Node::Kind::kFieldType, 2},
      {"attribute_type", Node::Kind::kFieldType, 2},
      {"size", Node::Kind::kSize, 1},
  }};

  Result<Node> Condition(int depth) {
    ASSIGN_OR_RETURN(Node left, Operand(depth));
    constexpr std::array<std::pair<ByteView, ComparisonOp>, 7> kOps = {{
        {"=", ComparisonOp::kEqual},
        {"<>", ComparisonOp::kNotEqual},
        {"!=", ComparisonOp::kNotEqual},
        {"<=", ComparisonOp::kLessOrEqual},
        {">=", ComparisonOp::kGreaterOrEqual},
        {"<", ComparisonOp::kLess},
        {">", ComparisonOp::kGreater},
    }};
    for (const auto& [mark, op] : kOps) {
      if (is_name_ || token_ != mark) continue;
      RETURN_IF_ERROR(Advance());
      ASSIGN_OR_RETURN(Node right, Name());
      Node node;
      node.kind = Node::Kind::kCompare;
      node.op = op;
      node.children.push_back(std::move(left));
      node.children.push_back(std::move(right));
      return node;
    }
    ASSIGN_OR_RETURN(const bool negated, Take("not"));
    Node node;
    node.negated = negated;
    ASSIGN_OR_RETURN(const bool between, Take("between"));
    if (between) {
      node.kind = Node::Kind::kBetween;
      node.children.push_back(std::move(left));
      for (int i = 0; i < 2; ++i) {
        if (i == 1) RETURN_IF_ERROR(Expect("and"));
        ASSIGN_OR_RETURN(Node bound, Name());
        node.children.push_back(std::move(bound));
      }
      return node;
    }
    ASSIGN_OR_RETURN(const bool in, Take("in"));
    if (in) {
      node.kind = Node::Kind::kIn;
      node.children.push_back(std::move(left));
      RETURN_IF_ERROR(Expect("("));
      for (bool more = true; more;) {
        ASSIGN_OR_RETURN(Node value, Name());
        node.children.push_back(std::move(value));
        ASSIGN_OR_RETURN(more, Take(","));
      }
      RETURN_IF_ERROR(Expect(")"));
      return node;
    }
    if (negated || left.kind == Node::Kind::kName || left.kind == Node::Kind::kSize) {
      return Unexpected();
    }
    return left;
  }

  Result<Node> Operand(int depth) {
    if (!is_name_ && token_ == "(") {
      RETURN_IF_ERROR(Advance());
      // A name in parentheses is one too.
      const size_t before = at_;
      const Bytes token = token_;
      if (is_name_) {
        Result<Node> name = Name();
        if (name.ok() && !is_name_ && token_ == ")") {
          RETURN_IF_ERROR(Advance());
          return name;
        }
        at_ = before;
        token_ = token;
        is_name_ = true;
      }
      ASSIGN_OR_RETURN(Node node, Or(depth + 1));
      RETURN_IF_ERROR(Expect(")"));
      return node;
    }
    if (is_name_) {
      const Bytes word = Lower(token_);
      for (const Call& call : kCalls) {
        if (call.name == word) return Function(call);
      }
    }
    return Name();
  }

  Result<Node> Function(const Call& call) {
    RETURN_IF_ERROR(Advance());
    RETURN_IF_ERROR(Expect("("));
    Node node;
    node.kind = call.kind;
    for (size_t i = 0; i < call.arguments; ++i) {
      if (i > 0) RETURN_IF_ERROR(Expect(","));
      ASSIGN_OR_RETURN(Node argument, Name());
      if (call.kind == Node::Kind::kSize) {
        node.text = argument.text;
      } else {
        node.children.push_back(std::move(argument));
      }
    }
    RETURN_IF_ERROR(Expect(")"));
    return node;
  }

  Result<Node> Name() {
    if (!is_name_ || token_.empty()) return Unexpected();
    Node node;
    node.text = token_;
    RETURN_IF_ERROR(Advance());
    return node;
  }

  const ByteView text_;
  size_t at_ = 0;
  Bytes token_;
  bool is_name_ = false;
};

// ---------------------------------------------------------------- values

template <typename T>
bool Decide(ComparisonOp op, const T& a, const T& b) {
  switch (op) {
    case ComparisonOp::kLess: return a < b;
    case ComparisonOp::kLessOrEqual: return a <= b;
    case ComparisonOp::kGreater: return a > b;
    case ComparisonOp::kGreaterOrEqual: return a >= b;
    case ComparisonOp::kEqual: return a == b;
    case ComparisonOp::kNotEqual: return !(a == b);
  }
  return false;
}

// Equality looks at types too; an order there is between texts, numbers, dates, and binaries of one
// kind.
Result<bool> CompareBson(ComparisonOp op, const BsonValue& a, const BsonValue* b) {
  if (op == ComparisonOp::kEqual) return b != nullptr && a == *b;
  if (op == ComparisonOp::kNotEqual) return b == nullptr || !(a == *b);
  if (b == nullptr) return MakeUncodedSqlError("A value of the condition is not there");
  if (a.is_number() && b->is_number()) return Decide(op, a.ToDouble(), b->ToDouble());
  if (a.type != b->type) return false;
  if (a.type == BsonType::kString) return Decide(op, a.bytes, b->bytes);
  if (a.type == BsonType::kDateTime) return Decide(op, a.integer, b->integer);
  if (a.type == BsonType::kBinary && a.subtype == b->subtype) return Decide(op, a.bytes, b->bytes);
  return false;
}

// The array of {"$set": […]}, or null.
const BsonValue* SetOf(const BsonValue& value) {
  if (!value.is_document() || value.fields.size() != 1) return nullptr;
  const BsonValue* const set = value.Find("$set");
  return set != nullptr && set->is_array() ? set : nullptr;
}

bool IsSetOf(const BsonValue& value, bool (*of)(const BsonValue&)) {
  const BsonValue* const set = SetOf(value);
  return set != nullptr && !set->fields.empty() &&
         std::all_of(set->fields.begin(), set->fields.end(),
                     [&](const BsonField& field) { return of(field.value); });
}

Result<bool> IsOfType(const BsonValue& value, ByteView code) {
  if (code == "S") return value.type == BsonType::kString;
  if (code == "N") return value.is_number();
  if (code == "B") return value.type == BsonType::kBinary;
  if (code == "BOOL") return value.type == BsonType::kBoolean;
  if (code == "NULL") return value.type == BsonType::kNull;
  if (code == "L") return value.is_array();
  if (code == "M") return value.is_document();
  if (code == "SS") {
    return IsSetOf(value, [](const BsonValue& v) { return v.type == BsonType::kString; });
  }
  if (code == "NS") return IsSetOf(value, [](const BsonValue& v) { return v.is_number(); });
  if (code == "BS") {
    return IsSetOf(value, [](const BsonValue& v) { return v.type == BsonType::kBinary; });
  }
  return MakeUncodedSqlError("Unsupported type '" + std::string(code) +
                             "' in field_type(): one of S, N, B, BOOL, NULL, L, M, SS, NS, BS");
}

Result<int32_t> SizeOf(const BsonValue& value) {
  if (value.type == BsonType::kString) return static_cast<int32_t>(Utf8Length(value.bytes));
  if (value.type == BsonType::kBinary) return static_cast<int32_t>(value.bytes.size());
  if (const BsonValue* const set = SetOf(value)) return static_cast<int32_t>(set->fields.size());
  if (value.is_array() || value.is_document()) return static_cast<int32_t>(value.fields.size());
  return MakeUncodedSqlError("size() is of texts, binaries, sets, arrays and documents");
}

// ---------------------------------------------------------------- evaluation

class Evaluator {
 public:
  Evaluator(const BsonValue& document, const BsonValue& values, const BsonValue* aliases)
      : document_(document), values_(values) {
    if (aliases == nullptr) return;
    for (const BsonField& field : aliases->fields) aliases_.push_back(&field);
    std::stable_sort(aliases_.begin(), aliases_.end(), [](const BsonField* a, const BsonField* b) {
      return a->name.size() > b->name.size();
    });
  }

  Result<bool> Holds(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::kAnd:
      case Node::Kind::kOr: {
        const bool decisive = node.kind == Node::Kind::kOr;
        for (const Node& child : node.children) {
          ASSIGN_OR_RETURN(const bool holds, Holds(child));
          if (holds == decisive) return decisive;
        }
        return !decisive;
      }
      case Node::Kind::kNot: {
        ASSIGN_OR_RETURN(const bool holds, Holds(node.children[0]));
        return !holds;
      }
      case Node::Kind::kCompare: {
        // Not equal is what equal is not, of a field that is not there too.
        const bool unequal = node.op == ComparisonOp::kNotEqual;
        ASSIGN_OR_RETURN(
            const bool holds,
            Compare(node.children[0], unequal ? ComparisonOp::kEqual : node.op, node.children[1]));
        return holds != unequal;
      }
      case Node::Kind::kBetween: {
        ASSIGN_OR_RETURN(
            bool holds, Compare(node.children[0], ComparisonOp::kGreaterOrEqual, node.children[1]));
        if (holds) {
          ASSIGN_OR_RETURN(holds,
                           Compare(node.children[0], ComparisonOp::kLessOrEqual, node.children[2]));
        }
        return holds != node.negated;
      }
      case Node::Kind::kIn: {
        for (size_t i = 1; i < node.children.size(); ++i) {
          ASSIGN_OR_RETURN(const bool same,
                           Compare(node.children[0], ComparisonOp::kEqual, node.children[i]));
          if (same) return !node.negated;
        }
        return node.negated;
      }
      case Node::Kind::kExists:
      case Node::Kind::kNotExists: {
        ASSIGN_OR_RETURN(const BsonValue* const value, Field(node.children[0].text));
        return (value != nullptr) == (node.kind == Node::Kind::kExists);
      }
      case Node::Kind::kBeginsWith:
      case Node::Kind::kContains:
      case Node::Kind::kFieldType: return Call(node);
      case Node::Kind::kName:
      case Node::Kind::kSize: break;
    }
    return MakeUncodedSqlError("'" + node.text + "' is no condition");
  }

 private:
  Result<const BsonValue*> Field(Bytes name) const {
    for (const BsonField* alias : aliases_) {
      if (alias->name.empty()) continue;
      size_t at = 0;
      while ((at = name.find(alias->name, at)) != Bytes::npos) {
        name.replace(at, alias->name.size(), alias->value.bytes);
        at += alias->value.bytes.size();
      }
    }
    return FindField(document_, name);
  }

  Result<bool> Compare(const Node& left, ComparisonOp op, const Node& right) const {
    const BsonValue* const wanted = values_.Find(right.text);
    if (left.kind != Node::Kind::kName && left.kind != Node::Kind::kSize) {
      return MakeUncodedSqlError("Only fields and size() can be compared");
    }
    ASSIGN_OR_RETURN(const BsonValue* const value, Field(left.text));
    if (left.kind == Node::Kind::kSize) {
      int32_t size = 0;
      if (value != nullptr) {
        ASSIGN_OR_RETURN(size, SizeOf(*value));
      }
      return CompareBson(op, BsonValue::Int32(size), wanted);
    }
    if (value == nullptr) return false;
    return CompareBson(op, *value, wanted);
  }

  Result<bool> Call(const Node& node) const {
    ASSIGN_OR_RETURN(const BsonValue* const value, Field(node.children[0].text));
    const BsonValue* const wanted = values_.Find(node.children[1].text);
    if (value == nullptr) return false;
    if (node.kind == Node::Kind::kFieldType) {
      if (wanted == nullptr) return MakeUncodedSqlError("A type of the condition is not there");
      return IsOfType(*value, wanted->bytes);
    }
    if (wanted == nullptr) return false;
    const bool text = wanted->type == BsonType::kString;
    if (node.kind == Node::Kind::kBeginsWith) {
      if (!text && wanted->type != BsonType::kBinary) {
        return MakeUncodedSqlError("begins_with is of texts and binaries only");
      }
      return value->type == wanted->type && value->bytes.starts_with(wanted->bytes);
    }
    if (value->type == BsonType::kString) {
      return text && value->bytes.find(wanted->bytes) != Bytes::npos;
    }
    if (value->is_array()) return HasElement(*value, *wanted);
    const BsonValue* const set = SetOf(*value);
    return set != nullptr && HasElement(*set, *wanted);
  }

  const BsonValue& document_;
  const BsonValue& values_;
  std::vector<const BsonField*> aliases_;  // longest first
};

// {"field": {"$gt": 5}}, {"$or": […]}, {"$and": […]}
Result<bool> HoldsDocument(const BsonValue& document, const BsonValue& condition) {
  if (!condition.is_document() || condition.fields.size() != 1) {
    return MakeUncodedSqlError("A condition is a document with one field");
  }
  const BsonField& field = condition.fields[0];
  if (field.name.starts_with('$')) {
    const bool any = field.name == "$or";
    if ((!any && field.name != "$and") || !field.value.is_array()) {
      return MakeUncodedSqlError(field.name + " is not a known operator");
    }
    for (const BsonField& part : field.value.fields) {
      ASSIGN_OR_RETURN(const bool holds, HoldsDocument(document, part.value));
      if (holds == any) return any;
    }
    return !any;
  }
  constexpr std::array<std::pair<ByteView, ComparisonOp>, 6> kOps = {{
      {"$eq", ComparisonOp::kEqual},
      {"$ne", ComparisonOp::kNotEqual},
      {"$lt", ComparisonOp::kLess},
      {"$lte", ComparisonOp::kLessOrEqual},
      {"$gt", ComparisonOp::kGreater},
      {"$gte", ComparisonOp::kGreaterOrEqual},
  }};
  ASSIGN_OR_RETURN(const BsonValue* const value, FindField(document, field.name));
  if (const BsonValue* const exists = field.value.Find("$exists")) {
    return (value != nullptr) == (exists->integer != 0);
  }
  for (const auto& [name, op] : kOps) {
    const BsonValue* const wanted = field.value.Find(name);
    if (wanted == nullptr) continue;
    if (value == nullptr) return false;
    return CompareBson(op, *value, wanted);
  }
  return MakeUncodedSqlError("Operator of " + field.name + " is not supported");
}

}  // namespace

Result<BsonCondition> BsonCondition::Make(BsonValue condition) {
  BsonCondition made;
  const BsonValue* const expression = condition.Find("$EXPR");
  const BsonValue* const values = condition.Find("$VAL");
  if (expression != nullptr && values != nullptr) {
    if (expression->type != BsonType::kString || !values->is_document()) {
      return MakeUncodedSqlError("Condition Expression should contain valid expression and values");
    }
    ASSIGN_OR_RETURN(Node root, Parser(expression->bytes).Run());
    made.root_ = std::make_shared<const Node>(std::move(root));
  }
  made.condition_ = std::move(condition);
  return made;
}

Result<bool> BsonCondition::Holds(const BsonValue& document) const {
  if (condition_.fields.empty()) return true;
  if (root_ == nullptr) return HoldsDocument(document, condition_);
  const Evaluator evaluator(document, *condition_.Find("$VAL"), condition_.Find("$KEYS"));
  return evaluator.Holds(*root_);
}

}  // namespace bennu::sql
