// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Linkages that pass through their flat positions: rows of parallelograms with cranks of equal length, flat twice
// a turn, where another branch (the antiparallelogram) begins and the joints' rows are dependent. Their motion
// is that of one angle, whose equation the test integrates by itself. rattle used to come out of such a position
// centimetres off and to say that its tolerance was met.
#include "support/scene.h"

#include <math.h>

// `loops` parallelograms side by side in the plane of x and z: loops + 1 cranks of length l on pins at distance w
// on the ground, their tips joined by `loops` rods.
typedef struct parallel_row {
    int loops;
    double l, w;        // [m]
    double crank, rod;  // masses [kg]
    double angle, rate; // of all cranks at the start, from x towards z [rad, rad/s]
    pawl_vec3 turn;     // the plane is turned by this rotation vector
} parallel_row;

// The angle's acceleration: cranks are slender rods on their pins, rods move without turning.
static double parallel_acceleration(const parallel_row *p, double angle)
{
    double cranks = p->crank * (p->loops + 1), rods = p->rod * p->loops;
    return -SCENE_G * (0.5 * cranks + rods) * cos(angle) / (p->l * (cranks / 3.0 + rods));
}

// By Runge and Kutta's method of fourth order in steps of at most 0.1 ms.
static double parallel_answer(const parallel_row *p, double from_time, double to_time, double y[2])
{
    int steps = (int)ceil((to_time - from_time) / 1e-4);
    double h = (to_time - from_time) / steps;
    for (int k = 0; k < steps; ++k) {
        double a[2] = {y[1], parallel_acceleration(p, y[0])};
        double b[2] = {y[1] + 0.5 * h * a[1], parallel_acceleration(p, y[0] + 0.5 * h * a[0])};
        double c[2] = {y[1] + 0.5 * h * b[1], parallel_acceleration(p, y[0] + 0.5 * h * b[0])};
        double d[2] = {y[1] + h * c[1], parallel_acceleration(p, y[0] + h * c[0])};
        for (int i = 0; i < 2; ++i) {
            y[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]);
        }
    }
    return y[0];
}

// A slender rod along its own x from a to b, moving with these velocities of its ends.
static pawl_body_id parallel_rod(mechanism *m, double mass, pawl_quat turn, pawl_vec3 a,
                                 pawl_vec3 b, pawl_vec3 va, double rate)
{
    pawl_vec3 along = v3_sub(b, a);
    double l = v3_norm(along), i = mass * l * l / 12.0;
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.inertia[0] = 0.01 * i;
    def.inertia[1] = def.inertia[2] = i;
    pawl_quat own = quat_exp(v3(0, -atan2(along.z, along.x), 0));
    def.pose.position = pawl_quat_rotate(turn, v3_scale(0.5, v3_add(a, b)));
    def.pose.orientation = quat_mul(turn, own);
    pawl_vec3 w = v3(0, -rate, 0), v = v3_add(va, v3_cross(w, v3_scale(0.5, along)));
    def.twist = (pawl_twist){pawl_quat_rotate(turn, v), pawl_quat_rotate(turn, w)};
    return mechanism_body(m, &def);
}

static void parallel_pin(mechanism *m, pawl_body_id base, pawl_body_id follower, pawl_quat turn,
                         pawl_vec3 at)
{
    pawl_joint_def def =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, base, follower, pawl_quat_rotate(turn, at),
                            pawl_quat_rotate(turn, v3(0, 1, 0)));
    mechanism_joint(m, &def);
}

// Builds and starts it. Returns the first crank.
static pawl_body_id parallel_begin(mechanism *m, const parallel_row *p,
                                   const pawl_settings *settings)
{
    pawl_quat turn = quat_exp(p->turn);
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, pawl_quat_rotate(turn, v3(0, 0, -SCENE_G)));
    pawl_vec3 reach = v3(p->l * cos(p->angle), 0, p->l * sin(p->angle)), none = v3(0, 0, 0);
    pawl_vec3 speed = v3_cross(v3(0, -p->rate, 0), reach);
    pawl_body_id last = {0, 0}, first = {0, 0};
    for (int k = 0; k <= p->loops; ++k) {
        pawl_vec3 pin = v3(k * p->w, 0, 0), tip = v3_add(pin, reach);
        pawl_body_id crank = parallel_rod(m, p->crank, turn, pin, tip, none, p->rate);
        parallel_pin(m, PAWL_WORLD, crank, turn, pin);
        if (k > 0) {
            pawl_vec3 before = v3_sub(tip, v3(p->w, 0, 0));
            pawl_body_id rod = parallel_rod(m, p->rod, turn, before, tip, speed, 0.0);
            parallel_pin(m, last, rod, turn, before);
            parallel_pin(m, crank, rod, turn, tip);
        }
        first = k == 0 ? crank : first;
        last = crank;
    }
    mechanism_start(m, settings);
    return first;
}

// Largest distance of the first crank's tip from where it should be.
static double parallel_error(const parallel_row *p, const pawl_settings *settings, double time,
                             int *fell_back)
{
    mechanism m;
    pawl_body_id crank = parallel_begin(&m, p, settings);
    pawl_quat turn = quat_exp(p->turn);
    double y[2] = {p->angle, p->rate}, worst = 0.0;
    int steps = (int)lround(time / settings->dt);
    for (int k = 0; k < steps; ++k) {
        scene_step(&m);
        *fell_back += m.report.fell_back ? 1 : 0;
        double angle = parallel_answer(p, k * settings->dt, (k + 1) * settings->dt, y);
        pawl_pose pose = pawl_state_pose(mechanism_state(&m), crank);
        pawl_vec3 tip =
            v3_add(pose.position, pawl_quat_rotate(pose.orientation, v3(0.5 * p->l, 0, 0)));
        pawl_vec3 at = pawl_quat_rotate(turn, v3(p->l * cos(angle), 0, p->l * sin(angle)));
        worst = fmax(worst, v3_norm(v3_sub(tip, at)));
    }
    mechanism_end(&m);
    return worst;
}

TEST(rattle_passes_flat_positions_as_well_as_moreau)
{
    static const parallel_row rows[] = {
        {2, 1.0, 1.0, 1.0, 1.0, 1.5707963267948966, -1.0, {0, 0, 0}},
        {10, 1.0, 1.0, 1.0, 1.0, 1.5707963267948966, -1.0, {0, 0, 0}},
        {1, 0.5, 1.3, 2.0, 0.5, 1.2, 0.0, {0.3, 0.2, 0.7}},
        {3, 0.4, 0.7, 1.0, 3.0, 2.0, 5.0, {-0.4, 0.9, 0.1}},
        {5, 1.2, 0.3, 0.2, 2.0, -0.3, 4.0, {0.0, 0.5, 1.1}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        double error[2][3];
        int fell_back[2][3] = {{0}};
        for (int i = 0; i < 6; ++i) {
            int run = i / 3, method = i % 3; // moreau, rattle, rattle of order four
            pawl_settings settings = mechanism_settings(
                run == 0 ? 2e-3 : 1e-3, method == 0 ? PAWL_STEPPER_MOREAU : PAWL_STEPPER_RATTLE);
            settings.rattle.order = method == 2 ? 4 : 2;
            error[run][method] = parallel_error(&rows[k], &settings, 4.0, &fell_back[run][method]);
        }
        for (int run = 0; run < 2; ++run) {
            print_message("%d loops, dt %d ms: moreau %.1e m, rattle %.1e m (%d fell back), order "
                          "four %.1e m (%d fell back)\n",
                          rows[k].loops, 2 - run, error[run][0], error[run][1], fell_back[run][1],
                          error[run][2], fell_back[run][2]);
            CHECK(error[run][2] <= 1e-7);
            CHECK(fell_back[run][1] <= 40 && fell_back[run][2] <= 40);
        }
        CHECK(error[0][0] <= 4.5 * error[1][0]);
        CHECK(error[0][1] <= 4.5 * error[1][1]);
        CHECK(error[1][1] <= 20.0 * error[1][0]);
    }
}
