// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scratch memory by scopes: a function marks the state of the arena, takes the arrays it needs, and releases all of
// them when it returns. No function uses the arrays of another one, and nothing is allocated: the block is sized at
// creation by a bound that tests verify with `peak`.
//
// With AddressSanitizer unused memory and the gaps between arrays are poisoned.
#pragma once
#include "base/env.h"

typedef struct pawl_arena {
    char *base;
    size_t used, capacity; // [bytes]
    size_t peak;           // most that was ever taken
} pawl_arena;

// Bytes that an array of so many bytes takes, its alignment and its gap included: for bounds.
size_t pawl_arena_bytes(size_t bytes);
// `block` (capacity bytes) is the caller's. A block that is to be freed, or used by others, is given back first.
void pawl_arena_begin(pawl_arena *arena, char *block, size_t capacity);
void pawl_arena_end(pawl_arena *arena);

static inline size_t pawl_arena_mark(const pawl_arena *arena)
{
    return arena->used;
}
// Not initialized. Taking more than there is, is a bug of the bound.
void *pawl_arena_take(pawl_arena *arena, size_t bytes);
#define PAWL_TAKE(arena, type, count)                                                              \
    ((type *)pawl_arena_take((arena), sizeof(type) * (size_t)(count)))
// Gives back all that was taken since the mark.
void pawl_arena_release(pawl_arena *arena, size_t mark);
