// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Checks at the beginning of public functions. A caller's mistake becomes one line in the log with
// what the function got and expected, and a status: see the rule in pawl/base.h.
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

pawl_status pawl_refuse_stamp(const pawl_env *env, const char *function, const char *maker,
                              uint32_t stamp)
{
    return env == NULL ? PAWL_BAD_ARGUMENT
                       : PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                                   "%s: got a struct that was not made by %s() (its stamp is %08x)",
                                   function, maker, (unsigned)stamp);
}
