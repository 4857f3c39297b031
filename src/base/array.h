// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A growable array of one type for build-time data (builders, readers): never used in a step.
#pragma once
#include "base/env.h"

typedef struct pawl_array {
    void *data;
    int count, capacity;
    size_t item_size;
} pawl_array;

// Room for one more item, zeroed, or NULL when memory is out: then nothing changed.
void *pawl_array_push(const pawl_env *env, pawl_array *array, size_t item_size);
void pawl_array_free(const pawl_env *env, pawl_array *array);
// A copy of text that pawl_text_free() gives back; NULL when memory is out.
char *pawl_text_copy(const pawl_env *env, const char *text);
void pawl_text_free(const pawl_env *env, char *text);
#define PAWL_ITEM(array, type, index) (((type *)(array).data)[index])
