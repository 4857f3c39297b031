// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two shafts with a universal joint between them in one housing: three rows of 14 repeat others, and which, changes as
// they turn. The housing and both shafts have a foot each and fall onto a floor. Behind an impact nothing is left of
// the residual but what repeated rows disagree by, and conjugate residuals took that for a motion: impulses of 1e11 N s,
// and joints open by up to 0.75 m/s in a step that has no contact.
#include "support/linkage_motion.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>

enum { SHAFT_DRAWS = 12 };

static void shafts_foot(linkage *l, int body, pawl_vec3 at, double restitution)
{
    linkage_body *b = &l->bodies[body];
    b->foot = 0.03;
    b->foot_point = pawl_pose_apply(pawl_pose_inverse(b->pose), at);
    b->foot_restitution = restitution;
}

static double shafts_lowest(const linkage *l)
{
    double lowest = INFINITY;
    for (int i = 0; i < l->body_count; ++i) {
        const linkage_body *b = &l->bodies[i];
        lowest = fmin(lowest, pawl_pose_apply(b->pose, b->foot_point).z - b->foot);
    }
    return lowest;
}

static void shafts_make(linkage *l, uint64_t seed, double restitution)
{
    linkage_begin(l, "shafts");
    pawl_vec3 first, second;
    do { // shafts that meet at an angle
        first = pawl_quat_rotate(random_quat(&seed), v3(1, 0, 0));
        second = pawl_quat_rotate(random_quat(&seed), v3(1, 0, 0));
    } while (!(v3_dot(first, second) > 0.5 && v3_dot(first, second) < 0.95));
    pawl_vec3 across = v3_cross(first, second);
    pawl_quat turn = pawl_quat_from_axis_angle(first, random_in(&seed, 0.0, 3.0));
    pawl_vec3 pin = pawl_quat_rotate(turn, v3_scale(1.0 / v3_norm(across), across)),
              other = v3_cross(second, pin);
    int housing = linkage_add_body(l), a = linkage_add_body(l), b = linkage_add_body(l);
    pawl_vec3 from = v3_scale(-0.5, first), to = v3_scale(0.6, second);
    linkage_add_joint(l, PAWL_JOINT_REVOLUTE, housing, a, from, first);
    linkage_add_joint(l, PAWL_JOINT_REVOLUTE, housing, b, to, second);
    int cross = linkage_add_joint(l, PAWL_JOINT_UNIVERSAL, a, b, v3(0, 0, 0), pin);
    l->joints[cross].axis2 = v3_scale(1.0 / v3_norm(other), other);
    linkage_finish(l, &seed);
    shafts_foot(l, housing, from, restitution);
    shafts_foot(l, a, v3(0, 0, 0), restitution);
    shafts_foot(l, b, to, restitution);
    linkage_place(l, random_pose(&seed, 0.5));
    linkage_place(l, (pawl_pose){v3(0, 0, 0.2 - shafts_lowest(l)), {1, 0, 0, 0}});
    linkage_spin(l, random_vec(&seed, 2.0), random_vec(&seed, 6.0));
    l->floor = true;
    l->gravity = v3(0, 0, -9.81);
}

static void shafts_fall(pawl_stepper_kind stepper, int digits)
{
    pawl_settings settings = mechanism_settings(2e-3, stepper);
    double worst = 0.0;
    int touched = 0;
    for (int k = 0; k < SHAFT_DRAWS; ++k) {
        linkage l;
        shafts_make(&l, 31 + (uint64_t)k, 0.5 * (k % 3));
        linkage_motion m = linkage_run(&l, digits, &settings, 0.6, 0.1);
        CHECK_OK(m.status);
        touched += m.verdict.contacts_max > 0 || m.verdict.events[PAWL_EVENT_COLLISION] > 0;
        worst = fmax(worst, m.verdict.own_residual);
        CHECK(m.verdict.own_residual <= settings.solver.tolerance);
        linkage_motion_end(&m);
    }
    print_message("%s, %d digits: %d fell onto the floor, largest residual %.1e m/s\n",
                  pawl_stepper_name((int)stepper), digits, touched, worst);
    CHECK(touched > SHAFT_DRAWS / 2);
}

TEST(loops_that_repeat_rows_are_solved_behind_impacts)
{
    shafts_fall(PAWL_STEPPER_LIT, LINKAGE_EXACT);
    shafts_fall(PAWL_STEPPER_LIT, 6);
    shafts_fall(PAWL_STEPPER_MOREAU, LINKAGE_EXACT);
}
