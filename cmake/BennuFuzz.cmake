# bennu_fuzzer(NAME SOURCES x_fuzz.cc DEPS bennu_x …): a program around LLVMFuzzerTestOneInput and the
# ctest test fuzz.NAME, label fuzz. The inputs in tests/fuzz/corpus/NAME are its seeds and its
# regression tests; there must be some.
#
# Without BENNU_BUILD_FUZZERS the test replays the corpus. With it (clang) the program is libFuzzer's,
# and the test searches for BENNU_FUZZ_SECONDS; what it finds lies in the build directory below
# fuzz/NAME and belongs into the corpus once it is mended.

set(BENNU_FUZZ_SECONDS 10 CACHE STRING "How long each fuzz test searches")

if(BENNU_BUILD_FUZZERS AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "BENNU_BUILD_FUZZERS needs clang: use the preset fuzz")
endif()

add_custom_target(fuzzers)

function(bennu_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  add_executable(fuzz_${name} ${ARG_SOURCES})
  target_link_libraries(fuzz_${name} PRIVATE bennu_options bennu_base ${ARG_DEPS})
  add_dependencies(fuzzers fuzz_${name})

  if(BENNU_BUILD_FUZZERS)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(findings ${CMAKE_BINARY_DIR}/fuzz/${name})
    file(MAKE_DIRECTORY ${findings}/corpus)
    add_test(NAME fuzz.${name}
      COMMAND fuzz_${name} -max_total_time=${BENNU_FUZZ_SECONDS} -timeout=10 -rss_limit_mb=2048
        -print_final_stats=1 -artifact_prefix=${findings}/ ${findings}/corpus ${corpus})
  else()
    target_sources(fuzz_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/replay_main.cc)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${corpus})
  endif()
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 600 LABELS fuzz)
endfunction()
