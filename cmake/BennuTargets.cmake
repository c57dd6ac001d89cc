# One target per folder, with its sources and dependencies listed, so that the arrows of
# docs/architecture.md are the linker's too.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(Protobuf REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(date REQUIRED)
find_package(EXPAT REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(SNAPPY REQUIRED IMPORTED_TARGET snappy)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)

# A folder's sources are compiled several at a time: parsing the headers of each alone takes longer than
# all the rest. Tools that look at single sources want them by themselves: -DBENNU_UNITY=OFF.
option(BENNU_UNITY "Compile the sources of a library or test several at a time" ON)
set(BENNU_UNITY_BATCH 12 CACHE STRING "How many")

add_library(bennu_options INTERFACE)
target_include_directories(bennu_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)
target_compile_options(bennu_options INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Warns of "text" + std::to_string(n) for no reason (GCC bug 105651, fixed in 13).
  target_compile_options(bennu_options INTERFACE -Wno-restrict)
endif()
if(BENNU_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Classes of one source may well have fields of types of that source.
  target_compile_options(bennu_options INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(bennu_options INTERFACE -Wthread-safety -Werror=thread-safety)
endif()
# What makes an overrun of a buffer end the process instead of running what it brought; the sanitizers
# find more, and do not go together with it.
if(NOT BENNU_SANITIZE AND NOT BENNU_BUILD_FUZZERS)
  target_compile_options(bennu_options INTERFACE -fstack-protector-strong
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()
if(BENNU_SANITIZE)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The instrumentation hides initialisations from the warning's analysis.
    target_compile_options(bennu_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_compile_options(bennu_options INTERFACE -fsanitize=${BENNU_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(bennu_options INTERFACE -fsanitize=${BENNU_SANITIZE})
  if(BENNU_SANITIZE MATCHES thread)
    # ThreadSanitizer knows no fences; where Asio has them, its locks order everything as well.
    target_compile_definitions(bennu_options INTERFACE BOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
endif()
if(BENNU_BUILD_FUZZERS)
  target_compile_options(bennu_options INTERFACE
    -fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(bennu_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined)
endif()

# mold or lld link several times faster than the default linker; either will do.
find_program(BENNU_MOLD mold)
find_program(BENNU_LLD ld.lld)
if(BENNU_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(BENNU_LLD)
  add_link_options(-fuse-ld=lld)
endif()

# bennu_library(NAME SOURCES a.cc … DEPS bennu_base … )
function(bennu_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC bennu_options ${ARG_DEPS})
  bennu_unity(${name})
endfunction()

function(bennu_unity name)
  set_target_properties(${name} PROPERTIES
    UNITY_BUILD ${BENNU_UNITY} UNITY_BUILD_BATCH_SIZE ${BENNU_UNITY_BATCH})
endfunction()

# bennu_test(NAME SOURCES a_test.cc … DEPS bennu_base … [LABELS long …] [PREFIX golden.]): a
# GoogleTest program and a ctest test named PREFIXNAME. Its folder below tests/ is a label of it, and
# the target tests_FOLDER builds all programs of that folder.
function(bennu_test name)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE bennu_options bennu_test_main ${ARG_DEPS})
  bennu_unity(${name})
  add_test(NAME ${ARG_PREFIX}${name} COMMAND ${name})
  bennu_test_folder(folder)
  set_tests_properties(${ARG_PREFIX}${name} PROPERTIES TIMEOUT 600 LABELS "${folder};${ARG_LABELS}")
  if(NOT TARGET tests_${folder})
    add_custom_target(tests_${folder})
  endif()
  add_dependencies(tests_${folder} ${name})
endfunction()

# Sets 'variable' to the first folder below tests/ that the current list file is in.
function(bennu_test_folder variable)
  file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
  string(REGEX REPLACE "/.*" "" path "${path}")
  set(${variable} ${path} PARENT_SCOPE)
endfunction()
