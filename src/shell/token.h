// Cuts text of the shell's language into tokens.
#ifndef BENNU_SRC_SHELL_TOKEN_H_
#define BENNU_SRC_SHELL_TOKEN_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/shell/value.h"

namespace bennu::shell {

struct Token {
  enum class Kind {
    kLiteral,   // a string, number or symbol: 'value'
    kName,      // put, my_table
    kConstant,  // VERSIONS
    kLabel,     // the "LIMIT:" of {LIMIT: 5}
    kPunctuation,
    kNewline,  // also ';'
    kEnd,
  };

  bool Is(std::string_view punctuation) const {
    return kind == Kind::kPunctuation && text == punctuation;
  }

  Kind kind = Kind::kEnd;
  std::string text;           // of names, constants, labels and punctuation
  Value value;                // of literals
  bool space_before = false;  // "t [1]" is a call with an argument, "t[1]" is none
};

// The tokens of a text, or how far it is from being whole.
struct TokenList {
  std::vector<Token> tokens;  // the last is kEnd
  char open_quote = 0;        // the text ends within a string that began so
  size_t depth = 0;           // brackets that are still open
};

// InvalidArgument: something that is no part of the language, named with its line.
Result<TokenList> Tokenize(std::string_view text);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_TOKEN_H_
