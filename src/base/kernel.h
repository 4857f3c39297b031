// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Inner loops in two versions, with vectors of four numbers (AVX2) and portable; the version for the machine is
// chosen when the program is loaded. Neither contracts products and sums nor changes the order of sums
// (-ffp-contract=off, no fast-math), so both give the same bits. Only for static functions: for others the dispatcher
// of GCC would be a public symbol of the shared library.
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) &&       \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PAWL_KERNEL __attribute__((target_clones("avx2", "default")))
#else
#define PAWL_KERNEL
#endif
// A part of such loops: it must be compiled with each version.
#if defined(__GNUC__)
#define PAWL_KERNEL_PART static inline __attribute__((always_inline))
#else
#define PAWL_KERNEL_PART static inline
#endif
// Before a loop of few passes, whose number the compiler knows: written out one after the other.
#if defined(__GNUC__) && !defined(__clang__)
#define PAWL_UNROLL _Pragma("GCC unroll 8")
#else
#define PAWL_UNROLL
#endif
