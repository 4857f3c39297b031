// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The script of the benchmark's page, from web/src/lab.ts; empty if web/ was not built.
#pragma once
#include <stddef.h>

extern const char pawl_lab_bundle[];
extern const size_t pawl_lab_bundle_size;
