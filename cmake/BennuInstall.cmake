# Installs the library: the public headers, one archive, and the files of find_package(bennu).
#
# Each folder of src/ is an archive of its own in the build; what is installed is one, libbennu.a, of
# all objects that the front (src/bennu) needs. Users link bennu::bennu and never see the parts.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Libraries of others that may stand among a part's dependencies, and how an installed bennu finds
# them again. One that is not listed stops the configuration: it would be missing at the user's.
set(BENNU_EXTERNAL_TARGETS
  Threads::Threads fmt::fmt ZLIB::ZLIB OpenSSL::Crypto OpenSSL::SSL date::date-tz protobuf::libprotobuf-lite
  EXPAT::EXPAT ZooKeeper::ZooKeeper PkgConfig::SNAPPY PkgConfig::LZ4 PkgConfig::ZSTD PkgConfig::PCRE2)
# Headers only, and in no public header: nothing is left of them at link time.
set(BENNU_HEADER_ONLY_TARGETS Boost::headers Boost::boost nlohmann_json::nlohmann_json)

# Appends to the list 'parts_name' all archives of ours that 'target' stands on, itself included, and
# to 'externals_name' what these link of others.
function(bennu_collect target parts_name externals_name)
  set(found_parts ${${parts_name}} ${target})
  set(found_externals ${${externals_name}})
  if(NOT TARGET ${target})
    # CMake takes it for a library of the system, and the linker will say that there is none.
    message(WARNING "no target ${target}: the library cannot be linked or installed")
    set(${parts_name} ${found_parts} PARENT_SCOPE)
    return()
  endif()
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(NOT link OR link STREQUAL "bennu_options" OR link IN_LIST BENNU_HEADER_ONLY_TARGETS)
      continue()
    elseif(link IN_LIST BENNU_EXTERNAL_TARGETS)
      list(APPEND found_externals ${link})
    elseif(NOT link MATCHES "^bennu_")
      message(FATAL_ERROR "${target} links ${link}, which cmake/BennuInstall.cmake does not know: "
        "add it there and to cmake/bennuConfig.cmake.in")
    elseif(NOT link IN_LIST found_parts)
      bennu_collect(${link} found_parts found_externals)
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found_externals)
  set(${parts_name} ${found_parts} PARENT_SCOPE)
  set(${externals_name} ${found_externals} PARENT_SCOPE)
endfunction()

function(bennu_install_library)
  get_property(targets DIRECTORY ${CMAKE_SOURCE_DIR}/src/bennu PROPERTY BUILDSYSTEM_TARGETS)
  set(parts "")
  set(externals "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY" AND NOT target IN_LIST parts)
      bennu_collect(${target} parts externals)
    endif()
  endforeach()

  set(objects "")
  foreach(part IN LISTS parts)
    if(TARGET ${part})
      get_target_property(type ${part} TYPE)
      if(type STREQUAL "STATIC_LIBRARY")
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
      endif()
    endif()
  endforeach()
  add_library(bennu_archive STATIC ${objects})
  set_target_properties(bennu_archive PROPERTIES
    OUTPUT_NAME bennu EXPORT_NAME bennu LINKER_LANGUAGE CXX)
  target_include_directories(bennu_archive INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(bennu_archive INTERFACE cxx_std_20)
  target_link_libraries(bennu_archive INTERFACE ${externals})

  set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/bennu)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/bennuConfig.cmake.in
    ${CMAKE_BINARY_DIR}/bennuConfig.cmake INSTALL_DESTINATION ${package_directory})
  # Before 1.0 any minor version may change the interface.
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/bennuConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)

  install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/bennu DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT library FILES_MATCHING PATTERN "*.h")
  install(TARGETS bennu_archive EXPORT bennuTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
  install(EXPORT bennuTargets NAMESPACE bennu:: DESTINATION ${package_directory} COMPONENT library)
  install(FILES ${CMAKE_BINARY_DIR}/bennuConfig.cmake ${CMAKE_BINARY_DIR}/bennuConfigVersion.cmake
      ${CMAKE_SOURCE_DIR}/cmake/FindZooKeeper.cmake
    DESTINATION ${package_directory} COMPONENT library)
endfunction()

if(EXISTS ${CMAKE_SOURCE_DIR}/src/bennu/CMakeLists.txt)
  bennu_install_library()
  if(BENNU_BUILD_TESTS AND NOT BENNU_SANITIZE AND NOT BENNU_BUILD_FUZZERS)
    add_test(NAME install.package
      COMMAND ${CMAKE_SOURCE_DIR}/tests/install/package.sh ${CMAKE_BINARY_DIR}
        ${CMAKE_CXX_COMPILER})
    set_tests_properties(install.package PROPERTIES LABELS install TIMEOUT 300 SKIP_RETURN_CODE 77)
    foreach(example embed composite_keys data_model row_timestamp)
      add_test(NAME install.${example}
        COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR}
          -DSOURCE=${CMAKE_SOURCE_DIR}/examples/${example}
          -DSCRATCH=${CMAKE_BINARY_DIR}/install-${example} -DCOMPILER=${CMAKE_CXX_COMPILER}
          -P ${CMAKE_SOURCE_DIR}/tests/install/${example}.cmake)
      set_tests_properties(install.${example} PROPERTIES TIMEOUT 300 LABELS install)
    endforeach()
  endif()
endif()
