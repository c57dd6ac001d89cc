# Installs the library into an empty directory, then builds and runs examples/embed against it as a
# user would. Fails unless the program ends well and prints what its comments promise.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P embed.cmake

include(${CMAKE_CURRENT_LIST_DIR}/example.cmake)

build_example()

# Twice: the second run finds what the first one left.
foreach(expected_visit 1 2)
  run(${SCRATCH}/build/embed ${SCRATCH}/data)
  foreach(expected "JFK 2 flights" "LGA 1 flights" "UA1545 was 11 minutes late"
      "visit ${expected_visit}")
    string(FIND "${output}" "${expected}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "run ${expected_visit} of the example did not print '${expected}':\n${output}")
    endif()
  endforeach()
endforeach()
file(REMOVE_RECURSE ${SCRATCH})
