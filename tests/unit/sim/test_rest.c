// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Rest is rest, and what begins inside something else is pushed out without explosion. Expected are
// the poses and velocities of statics, and energies that follow from the fastest push.
#include "support/scene.h"

#include <math.h>

typedef void (*rest_builder)(mechanism *m);

static pawl_body_id rest_solid(mechanism *m, pawl_shape_kind kind, pawl_vec3 size, double height,
                               pawl_quat turn)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.01;
    def.pose.position = v3(0.1, 0.2, height);
    def.pose.orientation = turn;
    pawl_body_id body = mechanism_body(m, &def);
    scene_shape(m, body, kind, size, v3(0, 0, 0), 0.5, 0.0);
    return body;
}

static const double REST_RIGHT = 1.5707963267948966;

static void rest_box(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_BOX, v3(0.1, 0.15, 0.2), 0.2, pawl_quat_from_rpy(0, 0, 0.4));
}

static void rest_sphere(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_SPHERE, v3(0.1, 0, 0), 0.1, pawl_quat_from_rpy(0.2, 0.3, 0.4));
}

static void rest_capsule(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_CAPSULE, v3(0.1, 0, 0.2), 0.1, pawl_quat_from_rpy(REST_RIGHT, 0, 0.3));
}

static void rest_cylinder(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_CYLINDER, v3(0.1, 0, 0.2), 0.2, pawl_quat_from_rpy(0, 0, 0.3));
}

static void rest_roller(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_CYLINDER, v3(0.1, 0, 0.2), 0.1,
               pawl_quat_from_rpy(REST_RIGHT, 0, 0.3));
}

static void rest_ellipsoid(mechanism *m)
{
    rest_solid(m, PAWL_SHAPE_ELLIPSOID, v3(0.1, 0.1, 0.05), 0.05, pawl_quat_from_rpy(0, 0, 0.3));
}

static void rest_stack(mechanism *m)
{
    for (int k = 0; k < 3; ++k) {
        scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(0, 0, 0.1 + 0.2 * k), 0.5);
    }
}

static void rest_offset(mechanism *m)
{
    scene_box(m, 1.0, v3(0.2, 0.2, 0.2), 0.5);
    scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(0.05, 0.03, 0.3), 0.5);
}

static void rest_bridge(mechanism *m)
{
    scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(-0.11, 0, 0.1), 0.5);
    scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(0.11, 0, 0.1), 0.5);
    scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), v3(0, 0, 0.3), 0.5);
}

static const struct rest_row {
    const char *what;
    rest_builder build;
    bool alone; // one body: rest needs no more than the settings' own tolerance
} rest_rows[] = {{"box", rest_box, true},
                 {"sphere", rest_sphere, true},
                 {"capsule on its side", rest_capsule, true},
                 {"cylinder upright", rest_cylinder, true},
                 {"cylinder on its side", rest_roller, true},
                 {"ellipsoid", rest_ellipsoid, true},
                 {"three boxes in a stack", rest_stack, false},
                 {"box off the middle of a box", rest_offset, false},
                 {"box on two boxes", rest_bridge, false}};

typedef struct rest_motion {
    double moved, turned; // [m], [rad]
} rest_motion;

// The largest of any body since `start`.
static rest_motion rest_drift(const mechanism *m, const pawl_state *start)
{
    rest_motion drift = {0.0, 0.0};
    for (int k = 0; k < pawl_model_body_count(m->model); ++k) {
        pawl_pose a = pawl_state_pose(start, pawl_model_body_at(pawl_state_model(start), k)),
                  b = pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, k));
        pawl_quat turn = quat_mul(b.orientation, quat_conj(a.orientation));
        drift.moved = fmax(drift.moved, v3_norm(v3_sub(b.position, a.position)));
        drift.turned = fmax(drift.turned, 2.0 * v3_norm(v3(turn.x, turn.y, turn.z)));
    }
    return drift;
}

// Single bodies at the settings' own tolerance. In stacks a solver that stops at a residual of 1e-8
// m/s leaves some 1e-10 m/s: at 1e-12 m/s they stay, too.
TEST(what_rests_stays_where_it_is)
{
    for (size_t k = 0; k < sizeof rest_rows / sizeof rest_rows[0]; ++k) {
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        rest_rows[k].build(&m);
        pawl_settings settings = scene_settings(1e-3);
        settings.solver.tolerance = rest_rows[k].alone ? settings.solver.tolerance : 1e-12;
        mechanism_start(&m, &settings);
        scene_run(&m, 0.1); // the first solutions begin from nothing
        pawl_state *start;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
        pawl_state_copy(start, mechanism_state(&m));
        scene_run(&m, 10.1);
        rest_motion drift = rest_drift(&m, start);
        print_message("%s: %.1e m, %.1e rad off after 10 s, %.1e m/s\n", rest_rows[k].what,
                      drift.moved, drift.turned, scene_top_speed(&m));
        CHECK(drift.moved < 1e-12);
        CHECK(drift.turned < 2e-12);
        CHECK(scene_top_speed(&m) < 1e-10);
        CHECK_INT(m.verdict.not_converged, 0);
        CHECK_INT(m.verdict.tunnelled, 0);
        pawl_state_destroy(start);
        mechanism_end(&m);
    }
}

// --- large penetrations --------------------------------------------------------------------------

static void rest_two_deep(mechanism *m)
{
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0, 0, 0.5), 0.5);
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0.1, 0.05, 1.0), 0.5);
}

static void rest_coincident(mechanism *m)
{
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0, 0, 0.5), 0.5);
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0, 0, 0.5), 0.5);
}

static void rest_swallowed(mechanism *m)
{
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0, 0, 0.5), 0.5);
    scene_sphere(m, 1.0, 0.1, v3(0.05, 0.1, 0.6), v3(0, 0, 0), 0.5, 0.0);
}

static void rest_heavy(mechanism *m)
{
    scene_box_at(m, 1.0, v3(1, 1, 1), v3(0, 0, 0.5), 0.5);
    scene_box_at(m, 1000.0, v3(1, 1, 1), v3(0.1, 0.05, 1.0), 0.5);
}

// Without weight: two bodies part at no more than max_push at the deepest of their points, so the
// kinetic energy of one push is at most that of their reduced mass, as levers only make it less. They
// may turn meanwhile and be pushed along another normal, too: twice that at most.
TEST(bodies_inside_each_other_are_pushed_apart_gently)
{
    static const struct {
        const char *what;
        rest_builder build;
        double reduced_mass;
    } rows[] = {{"boxes half in each other", rest_two_deep, 0.5},
                {"boxes in the same place", rest_coincident, 0.5},
                {"sphere inside a box", rest_swallowed, 0.5},
                {"a heavy box half in a light one", rest_heavy, 1000.0 / 1001.0}};
    for (size_t run = 0; run < 2 * sizeof rows / sizeof rows[0]; ++run) {
        size_t k = run / 2;
        mechanism m;
        mechanism_begin(&m);
        rows[k].build(&m);
        pawl_settings settings = scene_settings(run % 2 ? 1e-2 : 1e-3);
        mechanism_start(&m, &settings);
        double most = 0.0,
               bound = rows[k].reduced_mass * settings.contact.max_push * settings.contact.max_push;
        while (mechanism_time(&m) < 2.0 - 1e-9) {
            scene_step(&m);
            most = fmax(most, mechanism_energy(&m).kinetic);
        }
        print_message("%s at %g s: at most %.4f J, bound %.4f J; at the end %.1e m deep\n",
                      rows[k].what, settings.dt, most, bound, m.report.penetration);
        CHECK(most > 0.0);
        CHECK(m.report.penetration < 1e-6);
        CHECK_INT(m.verdict.tunnelled, 0);
        CHECK(most <= bound);
        mechanism_end(&m);
    }
}

// Ten boxes, each 30 % in the one below and the lowest in the ground: each interface parts at no more
// than max_push, so box k (from 0) rises at no more than k + 1 times that.
TEST(a_stack_built_with_overlap_does_not_explode)
{
    enum { COUNT = 10 };
    for (int run = 0; run < 2; ++run) {
        mechanism m;
        scene_floor(&m, 0.5, 0.0, 0.0);
        double bound = 0.0;
        pawl_settings settings = scene_settings(run ? 1e-2 : 1e-3);
        for (int k = 0; k < COUNT; ++k) {
            scene_box_at(&m, 1.0, v3(1, 1, 1), v3(0, 0, 0.2 + 0.7 * k), 0.5);
            bound +=
                0.5 * (k + 1) * (k + 1) * settings.contact.max_push * settings.contact.max_push;
        }
        mechanism_start(&m, &settings);
        double most = 0.0;
        scene_step(&m);
        while (m.report.penetration > 1e-3) {
            most = fmax(most, mechanism_energy(&m).kinetic);
            CHECK(mechanism_time(&m) < 1.0);
            scene_step(&m);
        }
        print_message("stack with 30 %% overlap at %g s: at most %.2f J while it is pushed out, "
                      "bound %.2f J; out after %.3f s\n",
                      settings.dt, most, bound, mechanism_time(&m));
        CHECK(most <= bound * (1.0 + 1e-6));
        scene_run(&m, 4.0);
        CHECK(scene_top_speed(&m) < 1e-6);
        CHECK(m.report.penetration < 1e-8);
        CHECK_INT(m.verdict.tunnelled, 0);
        for (int k = 0; k < COUNT; ++k) { // it stands again, each on the one below
            CHECK_NEAR3(scene_position(&m, pawl_model_body_at(m.model, k)), v3(0, 0, 0.5 + k),
                        1e-6);
        }
        mechanism_end(&m);
    }
}
