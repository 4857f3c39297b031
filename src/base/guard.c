// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Checks at the beginning of public functions. A caller's mistake causes a status and one log line with the value
// that the function got and the one it expected: see the rule in pawl/base.h.
#include "base/guard.h"

pawl_status pawl_refuse_null(const pawl_env *env, const char *function, const char *name)
{
    return env == NULL ? PAWL_BAD_ARGUMENT
                       : PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "%s: got NULL for '%s'", function, name);
}

bool pawl_index_good(const pawl_env *env, const char *function, const char *what, int index,
                     int count)
{
    if (index >= 0 && index < count) {
        return true;
    }
    if (env != NULL && count > 0) {
        pawl_log(env, PAWL_LOG_ERROR, "%s: got %s %d, expected 0 to %d", function, what, index,
                 count - 1);
    } else if (env != NULL) {
        pawl_log(env, PAWL_LOG_ERROR, "%s: got %s %d, but there is none", function, what, index);
    }
    return false;
}

// Where the tag stands, or PAWL_NO_BODY_INDEX.
static int id_find(const id_table *table, uint32_t index, uint32_t tag)
{
    if (index < (uint32_t)table->count && table->tags[index] == tag) {
        return (int)index;
    }
    for (int i = 0; table->numbers != NULL && i < table->count; ++i) {
        if (table->numbers[i] == index && table->tags[i] == tag) {
            return i;
        }
    }
    return PAWL_NO_BODY_INDEX;
}

int pawl_id_index(const pawl_env *env, const char *function, const id_table *table, uint32_t index1,
                  uint32_t tag)
{
    int found = index1 == 0 ? PAWL_NO_BODY_INDEX : id_find(table, index1 - 1, tag);
    if (found >= 0) {
        return found;
    }
    bool world = index1 == PAWL_WORLD.index1; // of every model, but in no table
    if (function != NULL && index1 == 0) {
        pawl_log(env, PAWL_LOG_ERROR, "%s: got no %s (an id of zeros)", function, table->what);
    } else if (function != NULL && world) {
        pawl_log(env, PAWL_LOG_ERROR, "%s: got the world, expected a %s of the model", function,
                 table->what);
    } else if (function != NULL) {
        pawl_log(env, PAWL_LOG_ERROR,
                 "%s: got %s id %u (tag %08x), which is not of this model with %d of them",
                 function, table->what, (unsigned)(index1 - 1), (unsigned)tag, table->count);
    }
#ifdef PAWL_ASSERT_IDS
    PAWL_ASSERT(index1 == 0 || world); // of another model, or stale
#endif
    return found;
}

pawl_status pawl_refuse_stamp(const pawl_env *env, const char *function, const char *maker,
                              uint32_t stamp)
{
    return env == NULL ? PAWL_BAD_ARGUMENT
                       : PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                                   "%s: got a struct that was not made by %s() (its stamp is %08x)",
                                   function, maker, (unsigned)stamp);
}
