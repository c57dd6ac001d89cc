// The files of the console's page, as the build compiled them into the program.
#ifndef BENNU_SRC_SERVER_CONSOLE_PAGE_H_
#define BENNU_SRC_SERVER_CONSOLE_PAGE_H_

#include <span>
#include <string_view>

namespace bennu::server::console {

struct PageFile {
  std::string_view name;  // "app.js"
  std::string_view type;  // of the HTTP answer
  std::string_view etag;  // of its bytes, in quotes
  std::string_view bytes;
};

// Null: there is no such file.
const PageFile* FindPageFile(std::string_view name);

// All of them; made by page_files.cmake from console/dist.
std::span<const PageFile> PageFiles();

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_PAGE_H_
