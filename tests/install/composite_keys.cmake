# Installs the library into an empty directory, then builds and runs examples/composite_keys against
# it as a user would. Fails unless it prints the rows in the order of their keys' fields.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P composite_keys.cmake

include(${CMAKE_CURRENT_LIST_DIR}/example.cmake)

build_example()
run(${SCRATCH}/build/composite_keys)

# The time descends, and a probe that is missing is null. The key: 34 and the text, which 00 ends;
# 2C for an int64 and 80 00 … 05, all inverted; no byte for the null at the end.
string(CONCAT expected
  "cellar minute 10 probe 1: 11.75\n"
  "cellar minute 10 probe 2: 11.25\n"
  "cellar minute 5 probe 1: 11.5\n"
  "attic minute 5 probe null: 31\n"
  "key of attic at 5: 4attic\\x00\\xD3\\x7F\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFA\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example printed\n${output}and not\n${expected}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
