// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Open addressing with linear probing, at most half full.
#include "base/name_table.h"
#include "base/hash.h"
#include <string.h>

static name_entry *name_table_slot(const name_table *table, int scope, const char *name,
                                   size_t length)
{
    size_t mask = (size_t)table->capacity - 1;
    size_t at = (size_t)pawl_hash_bytes(PAWL_HASH_SEED + (uint64_t)scope, name, length) & mask;
    for (;; at = (at + 1) & mask) {
        name_entry *e = &table->entries[at];
        if (e->name == NULL ||
            (e->scope == scope && strncmp(e->name, name, length) == 0 && e->name[length] == '\0')) {
            return e;
        }
    }
}

int pawl_name_table_find(const name_table *table, int scope, const char *name, size_t length)
{
    if (table->capacity == 0) {
        return -1;
    }
    const name_entry *e = name_table_slot(table, scope, name, length);
    return e->name != NULL ? e->index : -1;
}

bool pawl_name_table_add(name_table *table, name_table_alloc *alloc, void *owner, int scope,
                         const char *name, int index)
{
    if (2 * (table->count + 1) > table->capacity) {
        name_table larger = {.capacity = table->capacity == 0 ? 64 : 2 * table->capacity};
        larger.entries = alloc(owner, (size_t)larger.capacity * sizeof *larger.entries);
        if (larger.entries == NULL) {
            return false;
        }
        for (int i = 0; i < table->capacity; ++i) {
            const name_entry *e = &table->entries[i];
            if (e->name != NULL) {
                *name_table_slot(&larger, e->scope, e->name, strlen(e->name)) = *e;
            }
        }
        larger.count = table->count;
        *table = larger;
    }
    *name_table_slot(table, scope, name, strlen(name)) = (name_entry){name, scope, index};
    table->count += 1;
    return true;
}
