// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mistakes that a caller of the public interface can make, for tests/contract/test_public_abuse*.c: indices out of
// range, ids that no model gave, numbers that are not finite.
#pragma once
#include "pawl/id.h"
#include "support/test.h"
#include <limits.h>
#include <math.h>

static const int abuse_ids[] = {-1, -2, INT_MIN, INT_MAX, 1000000};
#define EACH_ID(id)                                                                                \
    for (size_t k_ = 0; k_ < sizeof abuse_ids / sizeof abuse_ids[0]; ++k_)                         \
        for (int id = abuse_ids[k_], once_ = 1; once_; once_ = 0)

// An id that no model gave: none, or an index beyond all with a tag of its own. A build in which such an id stops the
// program is asked with none alone; test_public_abuse_ids.c checks that it stops.
#ifdef PAWL_ASSERT_IDS
enum { ABUSE_ID_BITS = 0 };
#else
enum { ABUSE_ID_BITS = 0x7fffffff };
#endif
#define BAD_ID(kind)                                                                               \
    static inline pawl_##kind##_id bad_##kind(int id)                                              \
    {                                                                                              \
        uint32_t index1 = (uint32_t)id & (uint32_t)ABUSE_ID_BITS;                                  \
        return (pawl_##kind##_id){index1, index1 == 0 ? 0 : (uint32_t)id};                         \
    }
BAD_ID(body)
BAD_ID(joint)
BAD_ID(shape)
BAD_ID(actuator)
BAD_ID(spring)
#undef BAD_ID

static const double abuse_numbers[] = {NAN, INFINITY, -INFINITY};
#define EACH_NUMBER(x)                                                                             \
    for (int n_ = 0; n_ < 3; ++n_)                                                                 \
        for (double x = abuse_numbers[n_], once_ = 1.0; once_ > 0.0; once_ = 0.0)
#define CHECK_BAD(call) CHECK_STATUS((call), PAWL_BAD_ARGUMENT)
#define CHECK_NAN(value) CHECK(isnan(value))
