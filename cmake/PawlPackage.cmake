# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# `cpack -G DEB` in a build folder: one Debian package with all that is installed. What the command
# needs to run is found by dpkg-shlibdeps; what a program that uses the libraries needs to be built is
# recommended.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pawl)
set(CPACK_PACKAGE_VENDOR "the pawl authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rigid multibody dynamics with loops, contact and friction")
set(CPACK_PACKAGE_DESCRIPTION "pawl simulates machines of rigid bodies, with any closed loops, hard
contact and dry friction, and says how far the numbers can be trusted. This package holds the command,
the libraries with their headers, models, documentation and samples.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the pawl authors <pawl@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
  "pkgconf, libxml2-dev, libhdf5-dev, libjansson-dev, libassimp-dev, libpng-dev, libsuitesparse-dev")
include(CPack)
