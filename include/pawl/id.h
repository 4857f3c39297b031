// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
/// @file
/// Ids of bodies, joints, shapes and other elements. Each kind has its own type, so that code that passes a joint where
/// a body is expected does not compile.
///
/// A builder returns ids, which are valid in every model compiled from it. Zeros mean none. An id has a tag computed from
/// all names and numbers that were added up to it: a model refuses ids of another model, unless the descriptions of both
/// are equal up to that element, and then the ids mean the same element. Tags are not random and depend on no address or clock. The elements of a model
/// are ordered, as in files: pawl_model_body_at() returns the id of the i-th, pawl_body_index() its index in arrays.
///
/// Results (reports, verdicts, events, contacts, checks) contain ids, too; files contain indices. The verdict that a recording
/// returns with a state has the ids of that state's model.
///
/// **Threads.** Ids are plain values.
#pragma once
#include "pawl/base.h"

PAWL_EXTERN_C_BEGIN

/// Each kind has a type, a test for none, a comparison, and the index of an id, from 0 (-1: none).
#define PAWL_ID_TYPE(kind)                                                                         \
    typedef struct pawl_##kind##_id {                                                              \
        uint32_t index1; /* index + 1; 0: none */                                                  \
        uint32_t tag;    /* whose it is */                                                         \
    } pawl_##kind##_id;                                                                            \
    static inline bool pawl_##kind##_is_none(pawl_##kind##_id id)                                  \
    {                                                                                              \
        return id.index1 == 0;                                                                     \
    }                                                                                              \
    static inline bool pawl_##kind##_same(pawl_##kind##_id a, pawl_##kind##_id b)                  \
    {                                                                                              \
        return a.index1 == b.index1 && a.tag == b.tag;                                             \
    }
#define PAWL_ID_INDEX(kind)                                                                        \
    static inline int pawl_##kind##_index(pawl_##kind##_id id)                                     \
    {                                                                                              \
        return (int)id.index1 - 1;                                                                 \
    }
PAWL_ID_TYPE(body)
PAWL_ID_TYPE(joint) ///< gears are joints, too
PAWL_ID_TYPE(shape)
PAWL_ID_TYPE(actuator)
PAWL_ID_TYPE(motion)
PAWL_ID_TYPE(force)
PAWL_ID_TYPE(spring)
PAWL_ID_INDEX(joint)
PAWL_ID_INDEX(shape)
PAWL_ID_INDEX(actuator)
PAWL_ID_INDEX(motion)
PAWL_ID_INDEX(force)
PAWL_ID_INDEX(spring)
#undef PAWL_ID_TYPE
#undef PAWL_ID_INDEX

/// The world: a body id that is valid in every builder and model.
#ifdef __cplusplus
#define PAWL_WORLD (pawl_body_id{UINT32_MAX, 0})
#else
#define PAWL_WORLD ((pawl_body_id){UINT32_MAX, 0})
#endif
/// Indices of the world and of no body, which are in no array. Recordings use them, too.
enum { PAWL_WORLD_INDEX = -1, PAWL_NO_BODY_INDEX = -2 };

static inline bool pawl_body_is_world(pawl_body_id id)
{
    return id.index1 == UINT32_MAX;
}
/// From 0; PAWL_WORLD_INDEX or PAWL_NO_BODY_INDEX.
static inline int pawl_body_index(pawl_body_id id)
{
    return pawl_body_is_world(id) ? PAWL_WORLD_INDEX
           : id.index1 == 0       ? PAWL_NO_BODY_INDEX
                                  : (int)(id.index1 - 1);
}

PAWL_EXTERN_C_END
