# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# What libpawl-io is linked with. Used by pawl's own build and, installed beside pawlConfig.cmake, by
# projects that link a static libpawl-io.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PAWL_XML REQUIRED IMPORTED_TARGET libxml-2.0)
pkg_check_modules(PAWL_JSON REQUIRED IMPORTED_TARGET jansson)
# Debian names the serial build apart, because plain hdf5 may be the MPI one there.
pkg_search_module(PAWL_HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
# Reads Collada and other meshes; STL, OBJ and MuJoCo's msh do without.
option(PAWL_ASSIMP "Read Collada meshes with assimp, where it is installed" ON)
if(PAWL_ASSIMP)
  pkg_check_modules(PAWL_ASSIMP_LIBRARY QUIET IMPORTED_TARGET assimp)
endif()
# Reads images as height maps.
option(PAWL_PNG "Read images as height maps with libpng, where it is installed" ON)
if(PAWL_PNG)
  pkg_check_modules(PAWL_PNG_LIBRARY QUIET IMPORTED_TARGET libpng)
endif()
# The server of `pawl view`.
option(PAWL_VIEW "Build the live viewer, where libwebsockets is installed" ON)
if(PAWL_VIEW)
  pkg_check_modules(PAWL_LIBWEBSOCKETS QUIET IMPORTED_TARGET libwebsockets)
endif()
