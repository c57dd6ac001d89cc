# Installs the library into an empty directory, then builds and runs examples/embed against it as a
# user would. Fails unless the program ends well and prints what its comments promise.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P embed.cmake

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

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
