# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# What `cmake --install` copies: headers, libraries, the command with its manual page and completions,
# the models, documentation, samples, a CMake package (find_package(pawl), targets pawl::pawl and
# pawl::io) and pkg-config files. `cpack -G DEB` packs the same.

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)

install(TARGETS ${pawl_libraries} EXPORT pawlTargets)
install(DIRECTORY include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(PAWL_BUILD_CLI)
  install(TARGETS pawl_cli)
  if(NOT CMAKE_CROSSCOMPILING) # the command prints its own manual page
    set(manual ${CMAKE_CURRENT_BINARY_DIR}/pawl.1)
    add_custom_command(OUTPUT ${manual} COMMAND pawl_cli __manual > ${manual} DEPENDS pawl_cli
      VERBATIM)
    add_custom_target(pawl_manual ALL DEPENDS ${manual})
    install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  endif()
  install(FILES tools/completions/pawl.bash RENAME pawl
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES tools/completions/_pawl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES tools/completions/pawl.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/pawl)
# As in the source tree, so that the links between the pages work.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs samples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN Doxyfile EXCLUDE)

install(EXPORT pawlTargets NAMESPACE pawl:: DESTINATION ${package_dir})
configure_package_config_file(cmake/pawlConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/pawlConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 each minor version may break the interface.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/pawlConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/pawlConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/pawlConfigVersion.cmake
    cmake/FindAMD.cmake
    cmake/PawlIoDependencies.cmake
  DESTINATION ${package_dir})

# Where only static libraries are installed, `pkg-config --libs` must name their dependencies even
# without --static: nothing else could be linked.
set(pc_libs "")
set(pc_libs_private "-lamd -lm -pthread")
set(pc_requires "")
set(pc_requires_private "libxml-2.0 ${PAWL_HDF5_MODULE_NAME} jansson")
if(PAWL_ASSIMP_LIBRARY_FOUND)
  string(APPEND pc_requires_private " assimp")
endif()
if(PAWL_PNG_LIBRARY_FOUND)
  string(APPEND pc_requires_private " libpng")
endif()
if(NOT BUILD_SHARED_LIBS)
  foreach(kind IN ITEMS libs requires)
    set(pc_${kind} " ${pc_${kind}_private}")
    set(pc_${kind}_private "")
  endforeach()
endif()
# Relative, so that the installed folder can be moved.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
set(pc_modules pawl)
if(PAWL_BUILD_IO)
  list(APPEND pc_modules pawl-io)
endif()
foreach(module IN LISTS pc_modules)
  configure_file(cmake/${module}.pc.in ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${module}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

include(PawlPackage)
