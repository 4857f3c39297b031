// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scratch memory with the shape of scopes.
#include "base/arena.h"
#include "support/test.h"
#include <string.h>

// By definition: arrays do not overlap, and what is released is taken again.
TEST(arrays_lie_apart_and_come_back_when_released)
{
    static _Alignas(64) char block[1024];
    pawl_arena arena;
    pawl_arena_begin(&arena, block, sizeof block);
    size_t mark = pawl_arena_mark(&arena);
    double *a = PAWL_TAKE(&arena, double, 7), *b = PAWL_TAKE(&arena, double, 3);
    CHECK((char *)b >= (char *)(a + 7));
    CHECK((uintptr_t)b % 64 == 0);
    memset(a, 1, 7 * sizeof *a);
    memset(b, 2, 3 * sizeof *b);
    size_t inner = pawl_arena_mark(&arena);
    char *c = PAWL_TAKE(&arena, char, 100);
    memset(c, 3, 100);
    pawl_arena_release(&arena, inner);
    CHECK(PAWL_TAKE(&arena, char, 1) == c);
    size_t peak = arena.peak;
    CHECK(peak == pawl_arena_bytes(7 * sizeof *a) + pawl_arena_bytes(3 * sizeof *b) +
                      pawl_arena_bytes(100));
    pawl_arena_release(&arena, mark);
    CHECK_INT(arena.used, 0);
    CHECK(PAWL_TAKE(&arena, double, 1) == a);
    CHECK(arena.peak == peak);
    pawl_arena_end(&arena);
    memset(block, 0, sizeof block); // all of it is the caller's again
}
