// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// One block, many arrays: a layout function runs twice over a carver, first to count bytes, then
// to hand out pointers, so the two cannot drift apart.
#pragma once
#include "base/env.h"

typedef struct pawl_carver {
    char *base;      // NULL in the measuring pass
    size_t used;     // bytes so far
    size_t capacity; // bytes at base
} pawl_carver;

// Arrays start on cache lines, so that two never share one.
void *pawl_carve(pawl_carver *mem, size_t size, size_t count);
#define PAWL_CARVE(mem, type, count) ((type *)pawl_carve((mem), sizeof(type), (size_t)(count)))
