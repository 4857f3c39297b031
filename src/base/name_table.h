// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Maps names to indices, each name within a scope: the time to read a file grows linearly with the number of its
// names, not quadratically. Keeps pointers to the names, not copies.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct name_entry {
    const char *name; // NULL: empty
    int scope, index;
} name_entry;
typedef struct name_table {
    name_entry *entries;
    int count, capacity; // a power of two
} name_table;

// The index entered under that name (of `length` bytes) in that scope, or -1.
int pawl_name_table_find(const name_table *table, int scope, const char *name, size_t length);
// Zeroed memory from an owner that frees all it gave when its own life ends, or NULL.
typedef void *name_table_alloc(void *owner, size_t size);
// The caller has made sure that the name is not there yet. False when memory is out.
bool pawl_name_table_add(name_table *table, name_table_alloc *alloc, void *owner, int scope,
                         const char *name, int index);
