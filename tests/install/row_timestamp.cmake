# Installs the library into an empty directory, then builds and runs examples/row_timestamp against it
# as a user would. Fails unless it prints the sums of the days that each query may see.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P row_timestamp.cmake

include(${CMAKE_CURRENT_LIST_DIR}/example.cmake)

build_example()
run(${SCRATCH}/build/row_timestamp)

# The days 0 to n - 1 sum to n (n - 1) / 2: 21, 1770, and 45 for the ten days before January 11.
string(CONCAT expected
  "the first week:\n"
  "  attic: 7 days, total 21\n"
  "  cellar: 7 days, total 21\n"
  "all days:\n"
  "  attic: 60 days, total 1770\n"
  "  cellar: 60 days, total 1770\n"
  "all days, as of January 11:\n"
  "  attic: 10 days, total 45\n"
  "  cellar: 10 days, total 45\n"
  "the newest is of day 59\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example printed\n${output}and not\n${expected}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
