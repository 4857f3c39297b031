// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Setting joints and closing loops from there.
#include "math/vec.h"
#include "pawl/pawl.h"
#include "support/mechanism.h"
#include "support/random.h"
#include <math.h>
#include <stdlib.h>

// A chain of bodies by joints of every kind that has a whole pose, its base floating or on the world; every second
// joint has its base farther out, so that the tree runs against it.
static const pawl_joint_kind set_kinds[] = {
    PAWL_JOINT_REVOLUTE,  PAWL_JOINT_PRISMATIC, PAWL_JOINT_CYLINDRICAL, PAWL_JOINT_UNIVERSAL,
    PAWL_JOINT_SPHERICAL, PAWL_JOINT_PLANAR,    PAWL_JOINT_CARTESIAN,   PAWL_JOINT_GIMBAL,
    PAWL_JOINT_SCREW,     PAWL_JOINT_FREE};
enum { SET_KINDS = sizeof set_kinds / sizeof set_kinds[0] };

static void set_chain(mechanism *m, uint64_t *r, bool floating, pawl_joint_id *joints)
{
    mechanism_begin(m);
    pawl_body_id before = PAWL_WORLD;
    for (int i = 0; i < SET_KINDS; ++i) {
        pawl_body_def d = pawl_body_def_default();
        d.mass = 1.0;
        d.inertia[0] = d.inertia[1] = d.inertia[2] = 0.1;
        d.com = v3_scale(0.2, random_vec(r, 1.0));
        d.pose.position = random_vec(r, 1.0);
        d.pose.orientation = pawl_quat_from_axis_angle(random_vec(r, 1.0), 1.3);
        d.twist = (pawl_twist){random_vec(r, 1.0), random_vec(r, 1.0)};
        pawl_body_id body = mechanism_body(m, &d);
        if (i == 0 && floating) {
            before = body;
            d.pose.position = random_vec(r, 1.0);
            body = mechanism_body(m, &d);
        }
        bool turned = i % 2 == 1 && !pawl_body_is_world(before);
        pawl_joint_def j =
            mechanism_joint_def(m, set_kinds[i], turned ? body : before, turned ? before : body,
                                random_vec(r, 1.0), random_vec(r, 1.0));
        j.pitch = 0.3;
        joints[i] = mechanism_joint(m, &j);
        before = body;
    }
    mechanism_compile(m);
}

// Reading back what was set, for all joints at once: each leaves the others alone. pawl_state_joint() measures the
// poses and twists of the bodies, by other formulas than those that set them.
TEST(joints_that_are_set_are_read_back_and_leave_the_others_alone)
{
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        uint64_t r = seed;
        mechanism m;
        pawl_joint_id joints[SET_KINDS];
        double q[SET_KINDS][6], rate[SET_KINDS][6];
        set_chain(&m, &r, seed % 2 == 0, joints);
        pawl_state *s;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < SET_KINDS; ++i) {
                for (int c = 0; c < pawl_joint_kind_coordinates(set_kinds[i]); ++c) {
                    q[i][c] = random_in(&r, -1.0, 1.0);
                    rate[i][c] = random_in(&r, -2.0, 2.0);
                }
                CHECK_OK(pawl_state_set_joint(s, joints[i], q[i], rate[i]));
            }
        }
        for (int i = 0; i < SET_KINDS; ++i) {
            double p[6], u[6];
            CHECK_OK(pawl_state_joint(s, joints[i], p, u));
            for (int c = 0; c < pawl_joint_kind_coordinates(set_kinds[i]); ++c) {
                CHECK_NEAR(p[c], q[i][c], 1e-11);
                CHECK_NEAR(u[c], rate[i][c], 1e-10);
            }
        }
        CHECK_NEAR(pawl_state_closure(s).position, 0.0, 1e-12);
        CHECK_NEAR(pawl_state_closure(s).rotation, 0.0, 1e-12);
        pawl_state_destroy(s);
        mechanism_end(&m);
    }
}

TEST(turns_count_from_where_a_joint_was_set)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0.5, 0, 0), v3(0.1, 0.1, 0.1));
    pawl_joint_id hinge =
        mechanism_world_joint(&m, PAWL_JOINT_REVOLUTE, body, v3(0, 0, 0), v3(0, 1, 0));
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism_start(&m, &settings);
    double q = 20.0, rate = 3.0;
    CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(m.sim), hinge, &q, &rate));
    mechanism_run(&m, 100);
    CHECK_NEAR(mechanism_position(&m, hinge, 0), 20.3, 1e-6); // the order of moreau: h^2 w^3 t
    mechanism_end(&m);
}

// ---- loops ----------------------------------------------------------------------------------------

// A four-bar with ground 0.7, crank 0.2, coupler 0.6 and rocker 0.5 in the plane y = 0.
typedef struct set_four_bar {
    pawl_body_id crank, coupler, rocker;
    pawl_joint_id A, B, C, D;
} set_four_bar;
static pawl_body_id set_bar(mechanism *m, pawl_vec3 p, pawl_vec3 q, double mass)
{
    pawl_body_def d = pawl_body_def_default();
    pawl_vec3 along = v3_sub(q, p);
    double l = v3_norm(along);
    d.mass = mass;
    d.inertia[0] = d.inertia[1] = d.inertia[2] = mass * l * l / 12.0;
    d.pose = (pawl_pose){v3_scale(0.5, v3_add(p, q)), pawl_quat_from_axes(along, v3(0, 1, 0))};
    return mechanism_body(m, &d);
}
static set_four_bar set_build_four_bar(mechanism *m)
{
    set_four_bar f;
    const pawl_vec3 axis = {0, 1, 0}, A = {0, 0, 0}, B = {0, 0, 0.2}, D = {0.7, 0, 0};
    // C where circles of radius 0.6 about B and 0.5 about D meet, above.
    double d = sqrt(0.7 * 0.7 + 0.2 * 0.2), a = (0.36 - 0.25 + d * d) / (2.0 * d);
    double h = sqrt(0.36 - a * a);
    pawl_vec3 e = v3_scale(1.0 / d, v3_sub(D, B)),
              C = v3_axpy(v3_axpy(B, a, e), h, v3(-e.z, 0, e.x));
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    f.crank = set_bar(m, A, B, 0.05);
    f.coupler = set_bar(m, B, C, 2.0);
    f.rocker = set_bar(m, D, C, 1.0);
    f.A = mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, f.crank, A, axis);
    pawl_joint_def j = mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, f.crank, f.coupler, B, axis);
    f.B = mechanism_joint(m, &j);
    f.D = mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, f.rocker, D, axis);
    j = mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, f.coupler, f.rocker, C, axis);
    f.C = mechanism_joint(m, &j);
    return f;
}

// Freudenstein: |B C| stays 0.6 with the rocker's tip at 0.5 from D, whatever the crank's angle.
static void set_check_four_bar(const mechanism *m, const set_four_bar *f, double crank)
{
    double q = mechanism_position(m, f->A, 0);
    CHECK_NEAR(q, crank, 1e-9);
    pawl_vec3 B = v3(0.2 * sin(crank), 0, 0.2 * cos(crank));
    pawl_pose rocker = pawl_state_pose(mechanism_state(m), f->rocker);
    pawl_vec3 C = pawl_pose_apply(rocker, v3(0.25, 0, 0));
    CHECK_NEAR(v3_norm(v3_sub(C, B)), 0.6, 1e-9);
    CHECK_NEAR(v3_norm(v3_sub(C, v3(0.7, 0, 0))), 0.5, 1e-9);
    CHECK_NEAR(pawl_state_closure(mechanism_state(m)).position, 0.0, 1e-9);
}

TEST(loops_are_closed_around_joints_that_are_set)
{
    for (int k = -6; k <= 6; ++k) {
        double q = 0.5 * k;
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        mechanism m;
        set_four_bar f = set_build_four_bar(&m);
        mechanism_start(&m, &settings);
        pawl_joint_start start = {f.A, {q}};
        CHECK_OK(pawl_sim_set_joints(m.sim, &start, 1));
        set_check_four_bar(&m, &f, q);
        mechanism_run(&m, 200);
        CHECK_NEAR(pawl_state_closure(mechanism_state(&m)).position, 0.0, 1e-10);
        CHECK_NEAR(pawl_verdict_energy_error(&m.verdict), 0.0, 1e-3);
        mechanism_end(&m);
    }
}

// The same by the model, in maximal and in reduced coordinates.
TEST(a_model_begins_where_its_joints_are_said_to_start)
{
    for (int form = 0; form < 2; ++form) {
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        settings.formulation = (pawl_formulation)form;
        mechanism m;
        set_four_bar f = set_build_four_bar(&m);
        double q = 1.4;
        CHECK_INT(pawl_builder_joint_coordinates(m.builder, f.A), 1);
        CHECK_OK(pawl_builder_set_start(m.builder, f.A, &(double){-2.0}));
        CHECK_OK(pawl_builder_set_start(m.builder, f.A, &q)); // the last one counts
        mechanism_start(&m, &settings);
        set_check_four_bar(&m, &f, q);
        pawl_check *check;
        CHECK_OK(pawl_check_model(&m.t.env, m.model, &check));
        CHECK_INT(check->mobility, 1);
        pawl_check_destroy(check);
        mechanism_end(&m);
    }
}

// Least change: nothing that is closed is moved, and what was opened by 0.1 rad closes within about that.
TEST(assembling_closes_loops_near_where_bodies_are)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism m;
    set_four_bar f = set_build_four_bar(&m);
    mechanism_start(&m, &settings);
    pawl_pose before = pawl_state_pose(mechanism_state(&m), f.rocker);
    double q = 0.1;
    pawl_closure open, closed;
    CHECK_OK(pawl_state_set_joint(pawl_sim_edit_state(m.sim), f.A, &q, NULL));
    CHECK_OK(pawl_sim_assemble(m.sim, &open, &closed));
    CHECK(open.position > 1e-3);
    CHECK_NEAR(closed.position, 0.0, 1e-9);
    pawl_pose after = pawl_state_pose(mechanism_state(&m), f.rocker);
    CHECK(v3_norm(v3_sub(after.position, before.position)) < 0.05);
    CHECK_NEAR(mechanism_energy(&m).balance, 0.0, 1e-12);
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    CHECK_OK(pawl_sim_assemble(m.sim, NULL, NULL)); // already closed
    CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
    mechanism_end(&m);
}

// The rocker cannot turn by 3 rad here: crank and coupler together reach no more than 0.8 m.
TEST(what_loops_do_not_allow_is_refused_with_the_joint_that_stays_open)
{
    pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
    mechanism m;
    set_four_bar f = set_build_four_bar(&m);
    mechanism_start(&m, &settings);
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    pawl_joint_start start = {f.D, {mechanism_position(&m, f.D, 0) + 3.0}};
    CHECK_STATUS(pawl_sim_set_joints(m.sim, &start, 1), PAWL_NOT_ASSEMBLED);
    CHECK_MESSAGE(&m.t, "joint '");
    CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
    double q = 0.2;
    CHECK_STATUS(pawl_state_set_joint(pawl_sim_edit_state(m.sim), f.C, &q, NULL),
                 PAWL_BAD_ARGUMENT);
    CHECK_MESSAGE(&m.t, "closes a loop");
    CHECK(pawl_state_hash(mechanism_state(&m)) == hash);
    CHECK_OK(pawl_builder_set_start(m.builder, f.C, &q));
    pawl_model *none;
    CHECK_STATUS(pawl_builder_compile(m.builder, &none), PAWL_BAD_ARGUMENT);
    mechanism_run(&m, 10);
    mechanism_end(&m);
}
