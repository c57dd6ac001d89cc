# Compiles the console's page (console/dist, made by console/bundle.mjs) into the program: writes a
# source that has each file as an array of bytes, by the assembler's .incbin, with its type and an ETag.
# Sets BENNU_PAGE_FILES_SOURCE and BENNU_PAGE_FILES.
function(bennu_page_files directory)
  file(GLOB files CONFIGURE_DEPENDS ${directory}/*)
  set(assembler "")
  set(declared "")
  set(listed "")
  set(number 0)
  foreach(file IN LISTS files)
    get_filename_component(name ${file} NAME)
    get_filename_component(extension ${file} LAST_EXT)
    if(extension STREQUAL ".html")
      set(type "text/html; charset=utf-8")
    elseif(extension STREQUAL ".js")
      set(type "text/javascript; charset=utf-8")
    elseif(extension STREQUAL ".css")
      set(type "text/css; charset=utf-8")
    elseif(extension STREQUAL ".svg")
      set(type "image/svg+xml")
    else()
      set(type "text/plain; charset=utf-8")
    endif()
    file(SHA256 ${file} hash)
    string(SUBSTRING ${hash} 0 16 etag)
    set(symbol bennu_page_file_${number})
    string(APPEND assembler
      "__asm__(\".section .rodata\\n\"\n"
      "        \".global ${symbol}\\n${symbol}:\\n.incbin \\\"${file}\\\"\\n\"\n"
      "        \".global ${symbol}_end\\n${symbol}_end:\\n.byte 0\\n.previous\\n\");\n")
    string(APPEND declared "extern const char ${symbol}[], ${symbol}_end[];\n")
    string(APPEND listed
      "      {\"${name}\", \"${type}\", \"\\\"${etag}\\\"\", {${symbol}, static_cast<size_t>(${symbol}_end - ${symbol})}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/console/page_files.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Made by src/server/console/page_files.cmake.
#include <cstddef>

#include \"src/server/console/page.h\"

@assembler@
extern \"C\" {
@declared@}

namespace bennu::server::console {

std::span<const PageFile> PageFiles() {
  static const PageFile files[] = {
@listed@  };
  return files;
}

}  // namespace bennu::server::console
")
  # A new ETag wants a new source.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(BENNU_PAGE_FILES_SOURCE ${source} PARENT_SCOPE)
  set(BENNU_PAGE_FILES ${files} PARENT_SCOPE)
endfunction()
