# Installs the library into an empty directory, then builds and runs examples/composite_keys against
# it as a user would. Fails unless it prints the rows in the order of their keys' fields.
#   cmake -DBUILD=… -DSOURCE=… -DSCRATCH=… -DCOMPILER=… -P composite_keys.cmake

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${SCRATCH}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
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
