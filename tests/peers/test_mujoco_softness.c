// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Soft constraints against MuJoCo itself, where it is installed (tests/CMakeLists.txt): the same mass,
// the same solref and solimp, the same step, the same velocities. MuJoCo takes for D_jj an estimate from
// the masses of the bodies at the start, pawl the entry itself: the scenes are such that the two agree,
// but for the last, which shows that this is all that differs.
#include "support/test.h"

#ifndef PAWL_WITH_MUJOCO

TEST(soft_constraints_do_what_those_of_mujoco_do)
{
    print_message("MuJoCo was not found when the tests were built (Debian: libmujoco-dev)\n");
    skip();
}

#else

#include "math/vec.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double peer_h = 1e-3;

typedef struct peer {
    mjModel *model;
    mjData *data;
} peer;

static void peer_begin(peer *p, const char *body, const char *constraints)
{
    char text[4000], message[1000] = "no room in the virtual file system";
    int size = snprintf(text, sizeof text,
                        "<mujoco><compiler autolimits='true'/>"
                        "<option timestep='%g' gravity='0 0 -9.81' cone='elliptic' impratio='1' "
                        "iterations='200' tolerance='1e-15' solver='Newton'/>"
                        "<worldbody>%s</worldbody>%s</mujoco>",
                        peer_h, body, constraints);
    CHECK(size > 0 && (size_t)size < sizeof text);
    mjVFS *vfs = calloc(1, sizeof *vfs); // megabytes: too large for the stack
    CHECK(vfs != NULL);
    mj_defaultVFS(vfs);
    CHECK_INT(mj_makeEmptyFileVFS(vfs, "peer.xml", size), 0);
    memcpy(vfs->filedata[mj_findFileVFS(vfs, "peer.xml")], text, (size_t)size);
    p->model = mj_loadXML("peer.xml", vfs, message, (int)sizeof message);
    mj_deleteVFS(vfs);
    free(vfs);
    if (p->model == NULL) {
        fail_msg("%s", message);
    }
    p->data = mj_makeData(p->model);
}

static void peer_end(peer *p)
{
    mj_deleteData(p->data);
    mj_deleteModel(p->model);
}

// Their attributes; `limit` is the ending that limits of joints want.
static const char *peer_soft(const pawl_softness *s, const char *limit, char *text, size_t size)
{
    snprintf(text, size, "solref%s='%.17g %.17g' solimp%s='%.17g %.17g %.17g %.17g %.17g'", limit,
             s->time_constant, s->damping_ratio, limit, s->d0, s->dw, s->width, s->midpoint,
             s->power);
    return text;
}

static pawl_softness peer_random(uint64_t *seed)
{
    pawl_softness s = {.time_constant = random_in(seed, 0.005, 0.1),
                       .damping_ratio = random_in(seed, 0.3, 2.0),
                       .d0 = random_in(seed, 0.1, 0.99),
                       .dw = random_in(seed, 0.1, 0.99),
                       .width = random_in(seed, 1e-4, 0.05),
                       .midpoint = random_in(seed, 0.1, 0.9),
                       .power = random_in(seed, 1.0, 5.0)};
    return s;
}

static pawl_settings peer_settings(void)
{
    pawl_settings settings = mechanism_settings(peer_h, PAWL_STEPPER_EULER);
    settings.solver.tolerance = 1e-13;
    return settings;
}

// Steps both, and compares where they are and how fast.
static void peer_compare(mechanism *m, peer *p, int steps)
{
    for (int k = 0; k < steps; ++k) {
        mechanism_step(m);
        mj_step(p->model, p->data);
    }
    const mjtNum *v = p->data->qvel, *x = p->data->qpos;
    CHECK_NEAR3(pawl_state_twist(mechanism_state(m), pawl_model_body_at(m->model, 0)).linear,
                v3(v[0], v[1], v[2]), 1e-9);
    CHECK_NEAR3(pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, 0)).position,
                v3(x[0], x[1], x[2]), 1e-9);
}

// connect holds a point, weld a frame; both at the centre of mass, where D_jj is 1/m.
TEST(a_mass_on_a_soft_joint_moves_like_that_of_mujoco)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 40; ++trial) {
        pawl_softness s = peer_random(&seed);
        pawl_vec3 r = random_vec(&seed, 0.05), v = random_vec(&seed, 1.0);
        bool weld = trial % 2 == 1;
        char soft[300], constraint[600];
        snprintf(constraint, sizeof constraint, "<equality><%s body1='ball' %s %s/></equality>",
                 weld ? "weld" : "connect", weld ? "" : "anchor='0 0 0'",
                 peer_soft(&s, "", soft, sizeof soft));
        peer p;
        peer_begin(&p,
                   "<body name='ball'><freejoint/>"
                   "<inertial pos='0 0 0' mass='2' diaginertia='0.01 0.01 0.01'/></body>",
                   constraint);
        const double start[3] = {r.x, r.y, r.z}, speed[3] = {v.x, v.y, v.z};
        memcpy(p.data->qpos, start, sizeof start);
        memcpy(p.data->qvel, speed, sizeof speed);
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_body_def body = pawl_body_def_default();
        body.mass = 2.0;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
        body.pose.position = r;
        body.twist.linear = v;
        pawl_joint_def joint = pawl_joint_def_default();
        joint.kind = weld ? PAWL_JOINT_FIXED : PAWL_JOINT_SPHERICAL;
        joint.follower = mechanism_body(&m, &body);
        joint.soft = s;
        mechanism_joint(&m, &joint);
        pawl_settings settings = peer_settings();
        mechanism_start(&m, &settings);
        peer_compare(&m, &p, 1);
        peer_compare(&m, &p, 200);
        mechanism_end(&m);
        peer_end(&p);
    }
}

TEST(a_soft_limit_slows_down_like_that_of_mujoco)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < 20; ++trial) {
        pawl_softness s = peer_random(&seed);
        double at = random_in(&seed, -0.05, 0.05), speed = random_in(&seed, -1.0, 1.0);
        char soft[300], body_text[900];
        snprintf(body_text, sizeof body_text,
                 "<body><joint type='slide' axis='0 0 1' range='-0.02 0.02' %s/>"
                 "<inertial pos='0 0 0' mass='2' diaginertia='0.01 0.01 0.01'/></body>",
                 peer_soft(&s, "limit", soft, sizeof soft));
        peer p;
        peer_begin(&p, body_text, "");
        p.data->qpos[0] = at;
        p.data->qvel[0] = speed;
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_body_id ball = mechanism_solid(&m, 2.0, v3(0, 0, 0), v3(0.01, 0.01, 0.01));
        pawl_joint_def joint = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, ball,
                                                   v3(0, 0, 0), v3(0, 0, 1));
        joint.coordinate[0].lower = -0.02;
        joint.coordinate[0].upper = 0.02;
        joint.coordinate[0].limit_soft = s;
        pawl_joint_id slide = mechanism_joint(&m, &joint);
        pawl_settings settings = peer_settings();
        mechanism_start(&m, &settings);
        pawl_state *state;
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &state));
        pawl_state_set_pose(state, ball, (pawl_pose){v3(0, 0, at), {1, 0, 0, 0}});
        pawl_state_set_twist(state, ball, (pawl_twist){v3(0, 0, speed), v3(0, 0, 0)});
        CHECK_OK(pawl_sim_set_state(m.sim, state));
        pawl_state_destroy(state);
        for (int k = 0; k < 300; ++k) {
            mechanism_step(&m);
            mj_step(p.model, p.data);
            CHECK_NEAR(mechanism_rate(&m, slide, 0), p.data->qvel[0], 1e-9);
        }
        CHECK_NEAR(mechanism_position(&m, slide, 0), p.data->qpos[0], 1e-9);
        mechanism_end(&m);
        peer_end(&p);
    }
}

// Falls 5 cm, goes in, is thrown out or comes to rest. The two shapes' numbers are mixed.
TEST(a_sphere_on_a_soft_ground_moves_like_that_of_mujoco)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 20; ++trial) {
        pawl_softness a = peer_random(&seed), b = peer_random(&seed);
        char soft_a[300], soft_b[300], bodies[1500];
        snprintf(bodies, sizeof bodies,
                 "<geom type='plane' size='1 1 1' condim='%d' %s/>"
                 "<body pos='0 0 0.15'><freejoint/><geom type='sphere' size='0.1' density='1000' "
                 "condim='1' %s/></body>",
                 trial % 2 == 0 ? 1 : 3, peer_soft(&a, "", soft_a, sizeof soft_a),
                 peer_soft(&b, "", soft_b, sizeof soft_b));
        peer p;
        peer_begin(&p, bodies, "");
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
        pawl_shape_def shape = pawl_shape_def_default();
        shape.kind = PAWL_SHAPE_PLANE;
        shape.soft = a;
        CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
        pawl_body_def body = pawl_body_def_default();
        body.density = 1000.0;
        body.pose.position = v3(0, 0, 0.15);
        pawl_body_id ball = mechanism_body(&m, &body);
        shape.kind = PAWL_SHAPE_SPHERE;
        shape.size = v3(0.1, 0.1, 0.1);
        shape.soft = b;
        CHECK_OK(pawl_builder_add_shape(m.builder, ball, &shape, NULL));
        pawl_settings settings = peer_settings();
        mechanism_start(&m, &settings);
        peer_compare(&m, &p, 110); // it has touched
        peer_compare(&m, &p, 400);
        mechanism_end(&m);
        peer_end(&p);
    }
}

// By hand, for a box pressed flat on four corners: each carries a quarter, so that
//   v+ = v_free + 4 lambda/m,   lambda = -(v_free + bias)/(4/m + R),   R = (1 - d)/d D,
// with D = 1/m in MuJoCo, and with the entry of the matrix in pawl, 1/m + (a^2 + a^2)/I.
TEST(a_box_on_a_soft_ground_differs_by_the_estimate_of_the_diagonal_alone)
{
    pawl_softness s = pawl_softness_default();
    s.time_constant = 0.02;
    const double half = 0.1, depth = 5e-4, mass = 8.0, g = 9.81;
    const double inertia = mass * 2.0 / 3.0 * half * half;
    char soft[300], bodies[1500];
    snprintf(bodies, sizeof bodies,
             "<geom type='plane' size='1 1 1' %s/>"
             "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='0.1 0.1 0.1' density='1000' "
             "%s/></body>",
             peer_soft(&s, "", soft, sizeof soft), half - depth, soft);
    peer p;
    peer_begin(&p, bodies, "");
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -g));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.soft = s;
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
    pawl_body_def body = pawl_body_def_default();
    body.density = 1000.0;
    body.pose.position = v3(0, 0, half - depth);
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(half, half, half);
    CHECK_OK(pawl_builder_add_shape(m.builder, mechanism_body(&m, &body), &shape, NULL));
    pawl_settings settings = peer_settings();
    mechanism_start(&m, &settings);
    mechanism_step(&m);
    mj_step(p.model, p.data);
    double d = 0.925; // half the width: the mean of d0 and dw
    double k = d / (s.dw * s.dw * s.time_constant * s.time_constant);
    double free = -peer_h * g, bias = -peer_h * k * depth;
    const double diagonal[2] = {1.0 / mass, 1.0 / mass + 2.0 * half * half / inertia};
    double expected[2];
    for (int i = 0; i < 2; ++i) {
        double R = (1.0 - d) / d * diagonal[i];
        expected[i] = free - 4.0 / mass * (free + bias) / (4.0 / mass + R);
    }
    CHECK_NEAR(p.data->qvel[2], expected[0], 1e-9);
    CHECK_NEAR(pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear.z,
               expected[1], 1e-9);
    mechanism_end(&m);
    peer_end(&p);
}

#endif
