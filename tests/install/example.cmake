# What the tests of examples share; BUILD, SOURCE, SCRATCH and COMPILER are theirs.

# Runs a command; what it printed is in 'output'. Fails unless it ends well.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\nended with ${status}:\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Installs the library into an empty directory, and builds the example against it as a user would.
function(build_example)
  file(REMOVE_RECURSE ${SCRATCH})
  file(MAKE_DIRECTORY ${SCRATCH})
  run(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${SCRATCH}/prefix)
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
  run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
endfunction()
