# SPDX-License-Identifier: MIT
# Part of pawl, a rigid multibody dynamics engine.
#
# Compiler flags for everything below the folder that includes this. A project that adds pawl as a
# subfolder keeps its own.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
# POSIX 2008 beside C17, which -std=c17 alone hides.
add_compile_definitions(_XOPEN_SOURCE=700)

# The same bits on every machine need operations that are rounded one by one. -fno-math-errno only
# lets sqrt become one instruction. Never -ffast-math or what it stands for.
add_compile_options(-ffp-contract=off -fno-math-errno)
# Messages and debug information name files as the repository does, not as this machine does.
add_compile_options(-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>)
# Only the compilers that the tests run with: others know other warnings, and a user's first build
# must not stop at one.
if(PAWL_WERROR)
  if("${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 14)\\.")
    add_compile_options(-Werror)
  else()
    message(STATUS "PAWL_WERROR: left out for ${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION}")
  endif()
endif()
if(PAWL_ASSERT_IDS)
  add_compile_definitions(PAWL_ASSERT_IDS)
endif()
if(PAWL_NATIVE)
  add_compile_options(-march=native)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i.86)$")
    # The vectorizer of GCC 12 makes vfmaddsub of a product and a sum even with -ffp-contract=off,
    # which rounds once instead of twice: tests/golden would then see other bits.
    add_compile_options(-mno-fma)
  endif()
endif()

if(PAWL_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(LANGUAGES C)
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

if(PAWL_SANITIZE)
  add_compile_options(-fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PAWL_SANITIZE})
endif()
if(PAWL_BUILD_FUZZ)
  if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "PAWL_BUILD_FUZZ needs clang, which brings libFuzzer; "
      "the compiler is ${CMAKE_C_COMPILER_ID}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
