// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A 64-bit hash of bytes: for golden results and model identity, not for security.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define PAWL_HASH_SEED UINT64_C(0x9e3779b97f4a7c15)
uint64_t pawl_hash_bytes(uint64_t seed, const void *bytes, size_t size);
uint64_t pawl_hash_text(uint64_t seed, const char *text); // NULL counts as ""
// -0 and +0 differ in their bits but not in what they do; they hash alike.
uint64_t pawl_hash_doubles(uint64_t seed, const double *values, size_t count);
