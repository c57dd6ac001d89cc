// Text from files: UTF-8, or told.
#ifndef BENNU_SRC_CLI_UTF8_INPUT_H_
#define BENNU_SRC_CLI_UTF8_INPUT_H_

#include <string_view>

#include "bennu/status.h"

namespace bennu::cli {

// Takes the byte order mark (EF BB BF) away with which some editors and spreadsheets begin a file.
void DropByteOrderMark(std::string_view* start_of_file);

// An error of SQL without a code, with the place, that names the first byte of 'text' that is not
// UTF-8, its number from 1, and the remedy; OK when all of it is. 'what' is what holds the text,
// such as "the script".
Status CheckUtf8(std::string_view text, std::string_view what);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_UTF8_INPUT_H_
