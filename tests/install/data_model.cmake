# Installs the library into an empty directory, then builds and runs examples/data_model against it as
# a user would. Fails unless it prints what HBase's rules of versions and conditions make of it.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P data_model.cmake

include(${CMAKE_CURRENT_LIST_DIR}/example.cmake)

build_example()
run(${SCRATCH}/build/data_model)

# Versions come newest first. The condition holds for the first who asks, and not for the second.
string(CONCAT expected
  "ticket-1 is closed, and was: closed at 3000; in work at 2000; open at 1000;\n"
  "open: ticket-2 ticket-4\n"
  "ann takes ticket-2, change 1\n"
  "bob is too late for ticket-2\n"
  "changes of ticket-2: 2\n"
  "ticket-4 is deleted\n")
if(NOT output STREQUAL expected)
  message(FATAL_ERROR "the example printed\n${output}and not\n${expected}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
