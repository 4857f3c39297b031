// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Growable arrays for data of builders and readers. Capacity doubles, so that n additions cost
// O(n). A step never uses them.
#include "base/array.h"
#include <string.h>

void *pawl_array_push(const pawl_env *env, pawl_array *array, size_t item_size)
{
    if (array->count == array->capacity) {
        int capacity = array->capacity == 0 ? 16 : 2 * array->capacity;
        void *data = env->resize(env->user, array->data, (size_t)array->capacity * item_size,
                                 (size_t)capacity * item_size);
        if (data == NULL) {
            return NULL;
        }
        array->data = data;
        array->capacity = capacity;
        array->item_size = item_size;
    }
    void *item = (char *)array->data + (size_t)array->count * item_size;
    memset(item, 0, item_size);
    ++array->count;
    return item;
}

void pawl_array_free(const pawl_env *env, pawl_array *array)
{
    pawl_free(env, array->data, (size_t)array->capacity * array->item_size);
    *array = (pawl_array){0};
}

char *pawl_text_copy(const pawl_env *env, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = pawl_alloc(env, size);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

void pawl_text_free(const pawl_env *env, char *text)
{
    if (text != NULL) {
        pawl_free(env, text, strlen(text) + 1);
    }
}
