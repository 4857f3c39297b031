// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The first lines of public functions: wrong arguments are refused before they are used. The rule is in pawl/base.h:
// a status, or a defined value that means "none", and a log line if there is an environment. PAWL_ASSERT is only for
// bugs of pawl.
#pragma once
#include "base/env.h"
#include "pawl/id.h"

// An environment that can be used: there, and with memory.
#define PAWL_NEED_ENV(env)                                                                         \
    do {                                                                                           \
        if ((env) == NULL || (env)->resize == NULL) {                                              \
            return PAWL_BAD_ARGUMENT;                                                              \
        }                                                                                          \
    } while (0)

// A pointer that must not be NULL, in a function that returns a status. `env` may be NULL.
#define PAWL_NEED(env, pointer)                                                                    \
    do {                                                                                           \
        if ((pointer) == NULL) {                                                                   \
            return pawl_refuse_null((env), __func__, #pointer);                                    \
        }                                                                                          \
    } while (0)
pawl_status pawl_refuse_null(const pawl_env *env, const char *function, const char *name);

// Whether an index is from 0 to count - 1; if not, the log says so.
#define PAWL_HAS(env, what, index, count) pawl_index_good((env), __func__, (what), (index), (count))
bool pawl_index_good(const pawl_env *env, const char *function, const char *what, int index,
                     int count);

// The table for checking ids of one kind: the tag of each element. `numbers`, where not NULL, is the place that each
// had in the builder, whose ids mean the same.
typedef struct id_table {
    const char *what;
    const uint32_t *tags, *numbers;
    int count;
} id_table;
// The index of an id, or PAWL_NO_BODY_INDEX where the table does not have it. Zeros are none: the log says so. Ids of
// another model are refused likewise, and where PAWL_ASSERT_IDS is on (a build option, for debugging) they stop the
// program. A function of NULL: nothing is logged.
#define PAWL_INDEX(env, table, id) pawl_id_index((env), __func__, (table), (id).index1, (id).tag)
int pawl_id_index(const pawl_env *env, const char *function, const id_table *table, uint32_t index1,
                  uint32_t tag);
// The same for bodies where the world will do: PAWL_WORLD_INDEX.
#define PAWL_INDEX_OR_WORLD(env, table, id)                                                        \
    (pawl_body_is_world(id) ? PAWL_WORLD_INDEX : PAWL_INDEX((env), (table), (id)))

// Defs carry a stamp that their _default() function sets: one that was only zeroed, or never filled, has
// another. Each kind has its own, so that memory of one kind does not pass for another.
typedef enum pawl_stamp {
    PAWL_STAMP_SHAPE = 0x70617700,
    PAWL_STAMP_BODY,
    PAWL_STAMP_JOINT,
    PAWL_STAMP_GEAR,
    PAWL_STAMP_ACTUATOR,
    PAWL_STAMP_MOTION,
    PAWL_STAMP_FORCE,
    PAWL_STAMP_SPRING,
    PAWL_STAMP_HEIGHTFIELD,
    PAWL_STAMP_WRENCH_MODEL,
    PAWL_STAMP_CONTACT_POINT,
    PAWL_STAMP_WRENCH_SET,
    PAWL_STAMP_SETTINGS,
    PAWL_STAMP_LOAD_OPTIONS,
    PAWL_STAMP_RECORDER_OPTIONS,
    PAWL_STAMP_CONTACT_SOLVER,
    PAWL_STAMP_VIEW_OPTIONS
} pawl_stamp;
#define PAWL_NEED_STAMP(env, def, kind, maker)                                                     \
    do {                                                                                           \
        if ((def)->stamp != (uint32_t)(kind)) {                                                    \
            return pawl_refuse_stamp((env), __func__, (maker), (def)->stamp);                      \
        }                                                                                          \
    } while (0)
pawl_status pawl_refuse_stamp(const pawl_env *env, const char *function, const char *maker,
                              uint32_t stamp);
