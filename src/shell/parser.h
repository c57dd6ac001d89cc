// The shell's language: text to expressions.
//
// It is what people type into HBase's shell, a small part of Ruby:
//   statement  := [name '='] expression, ended by a line's end or ';'
//   expression := term {'+' term}
//   term       := literal | name | CONSTANT | call | '[' … ']' | '{' key '=>' value, … '}' | '(' …
//   ')' call       := [receiver '.'] name arguments, with or without parentheses; pairs at the end
//   of
//                 the arguments are one hash
// A statement goes on in the next line while a bracket or a string is open, or after ',', '=>',
// '=',
// '+', '.' or a backslash.
#ifndef BENNU_SRC_SHELL_PARSER_H_
#define BENNU_SRC_SHELL_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/shell/value.h"

namespace bennu::shell {

struct Expression {
  enum class Kind {
    kLiteral,   // 'value'
    kArray,     // 'parts'
    kHash,      // 'parts': key, value, key, value …
    kConstant,  // 'name'
    kName,      // 'name': a variable, or a command without arguments
    kCall,      // 'name', 'receiver' or null, 'parts'
    kAssign,    // 'name', one part
    kAdd,       // two parts
    kNegate,    // one part
  };

  Kind kind = Kind::kLiteral;
  Value value;
  std::string name;
  std::unique_ptr<Expression> receiver;
  std::vector<std::unique_ptr<Expression>> parts;
};

using ExpressionPtr = std::unique_ptr<Expression>;

struct Parsed {
  std::vector<ExpressionPtr> statements;
  bool complete = true;  // false: more lines are wanted, and 'statements' is empty
  char open_quote = 0;   // of the string that the text ends in
  size_t depth = 0;      // brackets that are open
};

// InvalidArgument: the text is not of the language, whatever may follow it.
Result<Parsed> Parse(std::string_view text);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_PARSER_H_
