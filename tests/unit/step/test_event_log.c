// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The log of a step's events: what does not fit is counted, never written past the end.
#include "step/common/event_log.h"
#include "support/test.h"

TEST(what_does_not_fit_is_counted_and_fits_after_growing)
{
    test_env t;
    test_env_init(&t);
    event_log log = {0};
    CHECK_OK(pawl_event_log_reserve(&t.env, &log, 3));
    for (int i = 0; i < 5; ++i) {
        pawl_event_add(&log, pawl_event_of_pair(PAWL_EVENT_COLLISION, i, 1, 2, 0.5));
    }
    CHECK_INT(log.count, 5);
    CHECK_INT(log.capacity, 3);
    CHECK(log.events[2].time == 2.0);
    CHECK_OK(pawl_event_log_reserve(&t.env, &log, 2 * log.count));
    CHECK_INT(log.count, 0);
    CHECK_INT(log.capacity, 10);
    int64_t calls = t.calls;
    CHECK_OK(pawl_event_log_reserve(&t.env, &log, 4)); // there is room: nothing is asked for
    CHECK_INT(t.calls, calls);
    t.fail_at = calls + 1;
    CHECK_STATUS(pawl_event_log_reserve(&t.env, &log, 100), PAWL_NO_MEMORY);
    CHECK_INT(log.capacity, 10); // as it was
    pawl_event_log_free(&t.env, &log);
    CHECK_NO_LEAK(&t);
}

TEST(an_event_is_about_a_pair_or_a_joint)
{
    step_event pair = pawl_event_of_pair(PAWL_EVENT_SLIP, 0.25, 3, 4, 9.0);
    CHECK_INT(pair.shape_a, 3);
    CHECK_INT(pair.shape_b, 4);
    CHECK_INT(pair.joint, -1);
    CHECK_INT(pair.coordinate, -1);
    step_event joint = pawl_event_of_joint(PAWL_EVENT_LIMIT, 0.5, 7, 1, 2.0);
    CHECK_INT(joint.shape_a, -1);
    CHECK_INT(joint.shape_b, -1);
    CHECK_INT(joint.joint, 7);
    CHECK_INT(joint.coordinate, 1);
    CHECK(joint.time == 0.5 && joint.figure == 2.0);
}

TEST(every_kind_has_a_name_and_a_figure)
{
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        CHECK(pawl_event_kind_name((pawl_event_kind)k) != NULL);
        CHECK(pawl_event_kind_figure((pawl_event_kind)k) != NULL);
    }
    CHECK(pawl_event_kind_name(PAWL_EVENT_KIND_COUNT) == NULL);
    CHECK(pawl_event_kind_figure((pawl_event_kind)-1) == NULL);
}
