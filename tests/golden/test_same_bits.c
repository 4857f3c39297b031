// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The same bits with contacts: the same scene twice, resumed in the middle of a run from a saved
// state, and built from elements in another order. The first two must agree in every bit. In another
// order contacts come in another order, too, sums are rounded differently, and solvers stop at other
// points within their tolerance: there the trajectories must agree as far as the tolerance lets them.
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- a scene whose elements can be given in any order --------------------------------------------

enum { SAME_BODIES = 6 };

typedef struct same_scene {
    mechanism m;
    pawl_body_id body[SAME_BODIES]; // the k-th
} same_scene;

typedef struct same_order {
    const char *what;
    int body[SAME_BODIES]; // which is added first, second, ...
    bool floor_last;
    bool joints_swapped;
    bool same_bits; // as the first order has
} same_order;

static const same_order same_orders[] = {
    {"as it is", {0, 1, 2, 3, 4, 5}, false, false, true},
    {"floor last", {0, 1, 2, 3, 4, 5}, true, false, true},
    {"joints swapped", {0, 1, 2, 3, 4, 5}, false, true, false},
    {"bodies reversed", {5, 4, 3, 2, 1, 0}, false, false, false},
    {"bodies mixed", {2, 5, 0, 3, 1, 4}, true, true, false},
};
enum { SAME_ORDERS = sizeof same_orders / sizeof same_orders[0] };

static void same_add_floor(mechanism *m)
{
    scene_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), 0.5, 0.0);
}

// A chain of three boxes on ball joints that falls on the floor; two boxes in a stack; a cylinder.
static void same_add_body(same_scene *s, int k)
{
    static const pawl_vec3 at[SAME_BODIES] = {{-0.5, 0, 0.4}, {-0.1, 0, 0.45},   {0.3, 0, 0.4},
                                              {2, 0, 0.1},    {2.02, 0.01, 0.3}, {4, 0, 0.15}};
    mechanism *m = &s->m;
    if (k < 3) {
        s->body[k] = scene_box_at(m, 1.0 + k, v3(0.3, 0.1, 0.08), at[k], 0.5);
    } else if (k < 5) {
        s->body[k] = scene_box_at(m, 1.0, v3(0.2, 0.2, 0.2), at[k], 0.5);
    } else {
        s->body[k] = mechanism_solid(m, 1.0, at[k], v3(0.01, 0.01, 0.02));
        scene_shape(m, s->body[k], PAWL_SHAPE_CYLINDER, v3(0.1, 0, 0.05), v3(0, 0, 0), 0.5, 0.0);
    }
}

static void same_add_joint(same_scene *s, int k)
{
    pawl_joint_def def =
        mechanism_joint_def(&s->m, PAWL_JOINT_SPHERICAL, s->body[k], s->body[k + 1],
                            v3(k == 0 ? -0.3 : 0.1, 0, 0.42), v3(1, 0, 0));
    mechanism_joint(&s->m, &def);
}

static void same_begin(same_scene *s, const same_order *order, const pawl_settings *settings)
{
    mechanism_begin(&s->m);
    pawl_builder_set_gravity(s->m.builder, v3(0, 0, -SCENE_G));
    if (!order->floor_last) {
        same_add_floor(&s->m);
    }
    for (int k = 0; k < SAME_BODIES; ++k) {
        same_add_body(s, order->body[k]);
    }
    if (order->floor_last) {
        same_add_floor(&s->m);
    }
    for (int k = 0; k < 2; ++k) {
        same_add_joint(s, order->joints_swapped ? 1 - k : k);
    }
    mechanism_start(&s->m, settings);
}

// Whether all poses and twists are the same, bit by bit.
static bool same_bits(const same_scene *a, const same_scene *b)
{
    for (int k = 0; k < SAME_BODIES; ++k) {
        pawl_pose p = pawl_state_pose(mechanism_state(&a->m), a->body[k]);
        pawl_pose q = pawl_state_pose(mechanism_state(&b->m), b->body[k]);
        pawl_twist u = pawl_state_twist(mechanism_state(&a->m), a->body[k]);
        pawl_twist v = pawl_state_twist(mechanism_state(&b->m), b->body[k]);
        if (memcmp(&p, &q, sizeof p) != 0 || memcmp(&u, &v, sizeof u) != 0) {
            return false;
        }
    }
    return true;
}

static double same_apart(const same_scene *a, const same_scene *b)
{
    double apart = 0.0;
    for (int k = 0; k < SAME_BODIES; ++k) {
        pawl_pose p = pawl_state_pose(mechanism_state(&a->m), a->body[k]);
        pawl_pose q = pawl_state_pose(mechanism_state(&b->m), b->body[k]);
        pawl_quat turn = quat_mul(q.orientation, quat_conj(p.orientation));
        apart = fmax(apart, v3_norm(v3_sub(p.position, q.position)));
        apart = fmax(apart, 2.0 * v3_norm(v3(turn.x, turn.y, turn.z)));
    }
    return apart;
}

// The chain is on the floor after 0.3 s. Velocities that are off by the tolerance for 0.4 s are what
// the poses may be off by; later, links that topple make more of it, whatever it was.
TEST(in_another_order_of_elements_the_motion_agrees_within_the_tolerance)
{
    const double horizon = 0.4;
    for (int run = 0; run < 4; ++run) {
        pawl_settings settings = scene_settings(1e-3);
        settings.solver.kind = run % 2 ? PAWL_SOLVER_PGS_NCP : PAWL_SOLVER_ADMM_NCP;
        settings.solver.tolerance = run / 2 ? 1e-11 : settings.solver.tolerance;
        same_scene first;
        same_begin(&first, &same_orders[0], &settings);
        scene_run(&first.m, horizon);
        CHECK(pawl_sim_contact_count(first.m.sim) > 10);
        for (int k = 1; k < SAME_ORDERS; ++k) {
            same_scene other;
            same_begin(&other, &same_orders[k], &settings);
            scene_run(&other.m, horizon);
            double apart = same_apart(&first, &other);
            print_message("%s, tolerance %g m/s, %s: %.1e m or rad apart after %g s\n",
                          pawl_solver_name((int)settings.solver.kind), settings.solver.tolerance,
                          same_orders[k].what, apart, horizon);
            CHECK(apart <= settings.solver.tolerance * horizon);
            CHECK(!same_orders[k].same_bits || same_bits(&first, &other));
            mechanism_end(&other.m);
        }
        mechanism_end(&first.m);
    }
}

// --- twice, and resumed --------------------------------------------------------------------------

static const char *const same_models[] = {PRIMITIVE("nunchuk"), CLASSIC("D12-stack-1000"),
                                          CLASSIC("S10-spinning-box"), CLASSIC("D8-bouncing-ball")};
enum { SAME_MODELS = sizeof same_models / sizeof same_models[0], SAME_STEPS = 150 };

// Hash after SAME_STEPS; on the way, at `save`, a state is taken over by a simulation of its own,
// through bytes as a file has them. 0: none is.
static uint64_t same_run(const char *model, const pawl_settings *settings, int save)
{
    mechanism m;
    scene_load(&m, model, settings);
    int contacts = 0;
    for (int k = 0; k < SAME_STEPS; ++k) {
        if (k == save && save > 0) {
            mechanism_resume(&m, settings);
        }
        scene_step(&m);
        contacts += m.report.contacts;
    }
    CHECK(contacts > 0);
    uint64_t hash = pawl_state_hash(mechanism_state(&m));
    mechanism_end(&m);
    return hash;
}

TEST(a_scene_with_contacts_ends_in_the_same_bits_again_and_when_it_is_resumed)
{
    for (int run = 0; run < 4 * SAME_MODELS; ++run) {
        pawl_settings settings = scene_settings(4e-3);
        settings.stepper = run % 2 ? PAWL_STEPPER_MOREAU : PAWL_STEPPER_EULER;
        settings.solver.kind = run / 2 % 2 ? PAWL_SOLVER_PGS_NCP : PAWL_SOLVER_ADMM_NCP;
        const char *model = same_models[run / 4];
        uint64_t hash = same_run(model, &settings, 0);
        CHECK(same_run(model, &settings, 0) == hash);
        CHECK(same_run(model, &settings, 125) == hash);
    }
}
