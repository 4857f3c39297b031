# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# The bundle of web/ as a C array, ${pawl_player_source}. Without Node or npm, or with PAWL_WEB off, or where the packages
# of web/package-lock.json cannot be had, the array is empty: everything else builds, and pages say what they lack.

set(pawl_player_source ${CMAKE_CURRENT_BINARY_DIR}/player_bundle.c)
set(pawl_lab_source ${CMAKE_CURRENT_BINARY_DIR}/lab_bundle.c) # the page of pawl bench
set(web_dir ${CMAKE_CURRENT_SOURCE_DIR}/web)
set(web_packages ${CMAKE_CURRENT_BINARY_DIR}/web)
set(pawl_has_web OFF)

if(PAWL_WEB)
  find_program(PAWL_NODE node)
  find_program(PAWL_NPM npm)
  mark_as_advanced(PAWL_NODE PAWL_NPM)
  if(PAWL_NODE AND PAWL_NPM)
    # Packages are installed in the build folder, again only when the lock file changed.
    file(SHA256 ${web_dir}/package-lock.json web_lock)
    set(installed "")
    if(EXISTS ${web_packages}/lock)
      file(READ ${web_packages}/lock installed)
    endif()
    if(NOT installed STREQUAL web_lock)
      message(STATUS "Installing the packages of web/ (npm)")
      file(MAKE_DIRECTORY ${web_packages})
      file(COPY ${web_dir}/package.json ${web_dir}/package-lock.json DESTINATION ${web_packages})
      execute_process(COMMAND ${PAWL_NPM} ci --no-audit --no-fund --ignore-scripts --loglevel=error
        WORKING_DIRECTORY ${web_packages} RESULT_VARIABLE web_failed OUTPUT_QUIET
        ERROR_VARIABLE web_message TIMEOUT 300)
      if(web_failed)
        message(STATUS "web/ is left out, npm failed: ${web_message}")
      else()
        file(WRITE ${web_packages}/lock ${web_lock})
        set(installed ${web_lock})
      endif()
    endif()
    if(installed STREQUAL web_lock)
      set(pawl_has_web ON)
    endif()
  else()
    message(STATUS "web/ is left out: Node and npm are not installed")
  endif()
endif()

if(pawl_has_web)
  file(GLOB web_sources CONFIGURE_DEPENDS ${web_dir}/src/*)
  # The bundler looks for packages beside the sources, so both are in the build folder.
  add_custom_command(OUTPUT ${pawl_player_source}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${web_dir}/src ${web_packages}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${web_dir}/build.mjs ${web_dir}/tsconfig.json ${web_packages}
    COMMAND ${PAWL_NODE} node_modules/typescript/bin/tsc --noEmit
    COMMAND ${PAWL_NODE} build.mjs ${pawl_player_source}
    WORKING_DIRECTORY ${web_packages}
    DEPENDS ${web_sources} ${web_dir}/build.mjs ${web_dir}/tsconfig.json ${web_dir}/package-lock.json
    COMMENT "Bundling web/" VERBATIM)
  add_custom_command(OUTPUT ${pawl_lab_source}
    COMMAND ${CMAKE_COMMAND} -E copy ${web_dir}/build_lab.mjs ${web_packages}
    COMMAND ${PAWL_NODE} build_lab.mjs ${pawl_lab_source}
    WORKING_DIRECTORY ${web_packages}
    DEPENDS ${pawl_player_source} ${web_dir}/build_lab.mjs # which has copied and checked the sources
    COMMENT "Bundling the page of pawl bench" VERBATIM)
else()
  file(CONFIGURE OUTPUT ${pawl_player_source} CONTENT
"#include \"page/player_bundle.h\"
const char pawl_player_bundle[] = \"\";
const size_t pawl_player_bundle_size = 0;
")
  file(CONFIGURE OUTPUT ${pawl_lab_source} CONTENT
"#include \"page/lab_bundle.h\"
const char pawl_lab_bundle[] = \"\";
const size_t pawl_lab_bundle_size = 0;
")
endif()
