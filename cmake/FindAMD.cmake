# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Finds AMD, SuiteSparse's fill-reducing ordering: target AMD::AMD. SuiteSparse ships no CMake
# package in the versions that distributions still carry.
include(FindPackageHandleStandardArgs)
find_path(AMD_INCLUDE_DIR suitesparse/amd.h)
find_library(AMD_LIBRARY amd)
find_package_handle_standard_args(AMD REQUIRED_VARS AMD_LIBRARY AMD_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install SuiteSparse's development files (Debian: libsuitesparse-dev)")
mark_as_advanced(AMD_INCLUDE_DIR AMD_LIBRARY)
if(AMD_FOUND AND NOT TARGET AMD::AMD)
  add_library(AMD::AMD UNKNOWN IMPORTED)
  set_target_properties(AMD::AMD PROPERTIES
    IMPORTED_LOCATION ${AMD_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${AMD_INCLUDE_DIR})
endif()
