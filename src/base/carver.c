// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hands out aligned parts of one block, or only counts their bytes. Layout functions run on both
// kinds of carver, so that the counted size and the used size agree by construction.
#include "base/carver.h"

enum { CARVER_ALIGNMENT = 64 };

void *pawl_carve(pawl_carver *mem, size_t size, size_t count)
{
    size_t start = (mem->used + CARVER_ALIGNMENT - 1) & ~(size_t)(CARVER_ALIGNMENT - 1);
    mem->used = start + size * count;
    if (mem->base == NULL) {
        return NULL;
    }
    PAWL_ASSERT(mem->used <= mem->capacity); // the two passes disagreed: our bug
    return mem->base + start;
}
