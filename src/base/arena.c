// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A stack of arrays in one block. Arrays start on cache lines, like those of the carver. In sanitized builds a
// poisoned line separates them, so that an overrun of an array is detected.
#include "base/arena.h"

enum { ARENA_LINE = 64 };

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_POISONS 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ARENA_POISONS 1
#endif

#ifdef ARENA_POISONS
void __asan_poison_memory_region(void const volatile *start, size_t size);
void __asan_unpoison_memory_region(void const volatile *start, size_t size);
enum { ARENA_GAP = ARENA_LINE };
static void arena_close(char *start, size_t size)
{
    __asan_poison_memory_region(start, size);
}
static void arena_open(char *start, size_t size)
{
    __asan_unpoison_memory_region(start, size);
}
#else
enum { ARENA_GAP = 0 };
static void arena_close(char *start, size_t size)
{
    (void)start, (void)size;
}
static void arena_open(char *start, size_t size)
{
    (void)start, (void)size;
}
#endif

size_t pawl_arena_bytes(size_t bytes)
{
    return ((bytes + ARENA_LINE - 1) & ~(size_t)(ARENA_LINE - 1)) + ARENA_GAP;
}

void pawl_arena_begin(pawl_arena *arena, char *block, size_t capacity)
{
    *arena = (pawl_arena){.base = block, .capacity = capacity};
    arena_close(block, capacity);
}

void pawl_arena_end(pawl_arena *arena)
{
    if (arena->base != NULL) {
        arena_open(arena->base, arena->capacity);
    }
    *arena = (pawl_arena){0};
}

void *pawl_arena_take(pawl_arena *arena, size_t bytes)
{
    char *start = arena->base + arena->used;
    arena->used += pawl_arena_bytes(bytes);
    PAWL_ASSERT(arena->used <= arena->capacity); // the bound is too small: our bug
    arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    arena_open(start, bytes);
    return start;
}

void pawl_arena_release(pawl_arena *arena, size_t mark)
{
    PAWL_ASSERT(mark <= arena->used);
    arena_close(arena->base + mark, arena->used - mark);
    arena->used = mark;
}
