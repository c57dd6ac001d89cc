# `make package`: Debian packages of the program and of the library, by CPack.
install(FILES ${CMAKE_SOURCE_DIR}/packaging/bennu.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  COMPONENT program)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/bennu.bash RENAME bennu
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/_bennu
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT program)
# An example: who serves a store decides about its user, folder and limits.
install(FILES ${CMAKE_SOURCE_DIR}/packaging/bennu.service
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bennu/examples COMPONENT program)
# Of the packages in the console's page.
install(FILES ${CMAKE_SOURCE_DIR}/console/dist/licenses.txt RENAME console-licenses.txt
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/bennu COMPONENT program)
foreach(part program library)
  set(package bennu)
  if(part STREQUAL "library")
    set(package libbennu-dev)
  endif()
  install(FILES ${CMAKE_SOURCE_DIR}/LICENSE RENAME copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${part})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the Bennu developers <bennu@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bennu)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS less)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "Apache HBase and Apache Phoenix in one small program
 Opens a directory in HBase's formats and runs Phoenix SQL over it, or serves it
 to HBase's clients.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libbennu-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
# What bennuConfig.cmake looks for.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "libfmt-dev, zlib1g-dev, libssl-dev, libhowardhinnant-date-dev, libprotobuf-dev, libsnappy-dev, liblz4-dev, libzstd-dev, libpcre2-dev, libexpat1-dev, libzookeeper-mt-dev, pkg-config")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "Apache HBase's data model and Phoenix SQL as a C++ library
 Headers, the static library, and what find_package(bennu) needs.")
include(CPack)
