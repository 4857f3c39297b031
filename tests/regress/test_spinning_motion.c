// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies that spin, with lit and its variants: a ball that slides and spins, whose velocities every stepper of
// second order must get to rounding, because forces are constant until it rolls (closed form); and fast tops and
// spatial linkages (RSSP: two cranks and a rod with ball ends), beside moreau and a converged solution of
// rattle of order four. lit used to be 15 to 60 times less accurate than moreau there.
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

typedef struct spinning_method {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_lit_variant variant;
} spinning_method;

static const spinning_method spinning_methods[] = {
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT},
    {"lit", PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT},
    {"lit sdirk2", PAWL_STEPPER_LIT, PAWL_LIT_SDIRK2},
};
enum { SPINNING_METHODS = sizeof spinning_methods / sizeof spinning_methods[0] };

static pawl_settings spinning_settings(const spinning_method *method, double dt)
{
    pawl_settings settings = mechanism_settings(dt, method->stepper);
    settings.lit.variant = method->variant;
    settings.solver.tolerance = 1e-12;
    return settings;
}

// ---- A ball that slides and spins --------------------------------------------------------------

typedef struct spinning_ball {
    double mass, radius, fraction; // share: moment of inertia over m r^2
    double friction;
    pawl_vec3 v, w;
} spinning_ball;

static spinning_ball spinning_random_ball(uint64_t *seed)
{
    spinning_ball b = {.mass = random_in(seed, 0.1, 10.0),
                       .radius = random_in(seed, 0.02, 0.5),
                       .fraction = random_in(seed, 0.2, 0.66),
                       .friction = random_in(seed, 0.05, 0.5)};
    b.v = v3(random_in(seed, -3.0, 3.0), random_in(seed, -3.0, 3.0), 0.0);
    b.w = v3_scale(1.0 / b.radius, random_vec(seed, 4.0));
    return b;
}

// The slip keeps its direction: friction is constant until it has ended, after `rolls` [s].
static void spinning_ball_answer(const spinning_ball *b, double t, pawl_vec3 *v, pawl_vec3 *w,
                                 double *rolls)
{
    pawl_vec3 up = v3(0, 0, 1);
    pawl_vec3 slip = v3_add(b->v, v3_cross(b->w, v3_scale(-b->radius, up)));
    pawl_vec3 along = v3_scale(1.0 / v3_norm(slip), slip);
    double a = b->friction * SCENE_G;
    *rolls = v3_norm(slip) / (a * (1.0 + 1.0 / b->fraction));
    *v = v3_axpy(b->v, -a * t, along);
    *w = v3_axpy(b->w, a * t / (b->fraction * b->radius), v3_cross(up, along));
}

static double spinning_ball_error(const spinning_ball *b, const pawl_settings *settings, int steps)
{
    mechanism m;
    scene_floor(&m, b->friction, 0.0, 0.0);
    pawl_body_def def = pawl_body_def_default();
    def.mass = b->mass;
    def.pose.position = v3(0, 0, b->radius);
    def.twist = (pawl_twist){b->v, b->w};
    def.inertia[0] = def.inertia[1] = def.inertia[2] =
        b->fraction * b->mass * b->radius * b->radius;
    pawl_body_id ball = mechanism_body(&m, &def);
    scene_shape(&m, ball, PAWL_SHAPE_SPHERE, v3(b->radius, 0, 0), v3(0, 0, 0), b->friction, 0.0);
    mechanism_start(&m, settings);
    mechanism_run(&m, steps);
    pawl_vec3 v, w;
    double rolls;
    spinning_ball_answer(b, mechanism_time(&m), &v, &w, &rolls);
    double error = fmax(v3_norm(v3_sub(scene_velocity(&m, ball), v)),
                        b->radius * v3_norm(v3_sub(scene_spin(&m, ball), w)));
    mechanism_end(&m);
    return error;
}

TEST(a_ball_that_slides_and_spins_has_exact_velocities)
{
    uint64_t seed = 15;
    double worst[SPINNING_METHODS] = {0.0};
    for (int run = 0; run < 20; ++run) {
        spinning_ball b = spinning_random_ball(&seed);
        double rolls, dt = run % 2 ? 1e-3 : 5e-3;
        pawl_vec3 v, w;
        spinning_ball_answer(&b, 0.0, &v, &w, &rolls);
        int steps = (int)(0.9 * fmin(rolls, 0.5) / dt);
        for (int k = 0; k < SPINNING_METHODS; ++k) {
            pawl_settings settings = spinning_settings(&spinning_methods[k], dt);
            worst[k] = fmax(worst[k], spinning_ball_error(&b, &settings, steps));
        }
    }
    for (int k = 0; k < SPINNING_METHODS; ++k) {
        print_message("%-11s largest error %.1e m/s\n", spinning_methods[k].name, worst[k]);
        CHECK(worst[k] <= 1e-9);
    }
}

// ---- Tops and linkages --------------------------------------------------------------------------

// A top on a ball joint, its axis leaning, with nutation; moments of inertia about the centre of mass.
static pawl_body_id spinning_top(mechanism *m, uint64_t *seed, double *spin)
{
    double lever = random_in(seed, 0.1, 0.6), across = random_in(seed, 0.05, 0.2),
           along = across * random_in(seed, 0.4, 1.8);
    pawl_body_def def = pawl_body_def_default();
    def.mass = random_in(seed, 1.0, 10.0);
    def.com = v3(0, 0, lever);
    def.inertia[0] = def.inertia[1] = def.mass * across * across;
    def.inertia[2] = def.mass * along * along;
    def.pose.orientation = pawl_quat_from_rpy(random_in(seed, 0.3, 1.4), 0.0, 0.0);
    *spin = random_in(seed, 60.0, 150.0);
    pawl_vec3 w = v3(random_in(seed, -2.0, 2.0), random_in(seed, -2.0, 2.0), *spin);
    def.twist.angular = pawl_quat_rotate(def.pose.orientation, w);
    pawl_body_id body = mechanism_body(m, &def);
    mechanism_world_joint(m, PAWL_JOINT_SPHERICAL, body, v3(0, 0, 0), v3(1, 0, 0));
    return body;
}

static pawl_body_id spinning_rod(mechanism *m, double mass, pawl_vec3 from, pawl_vec3 to,
                                 double spin)
{
    pawl_vec3 along = v3_sub(to, from);
    double length = v3_norm(along);
    pawl_vec3 x = v3_scale(1.0 / length, along);
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.pose.position = v3_scale(0.5, v3_add(from, to));
    pawl_vec3 axis = v3_cross(v3(0, 0, 1), x); // turns z to the rod
    double sine = v3_norm(axis), angle = atan2(sine, x.z);
    def.pose.orientation = quat_exp(v3_scale(sine > 0.0 ? angle / sine : 0.0, axis));
    def.inertia[0] = def.inertia[1] = mass * length * length / 12.0;
    def.inertia[2] = 0.1 * mass * length * length;
    def.twist.angular = v3_scale(spin, x);
    return mechanism_body(m, &def);
}

// RSSP: cranks about skew axes, joined by a rod with ball ends that spins about itself.
static pawl_body_id spinning_linkage(mechanism *m, uint64_t *seed, double *spin)
{
    pawl_vec3 a = v3(0, 0, 0), b = v3(1.0, random_in(seed, 0.2, 0.6), 0.1);
    pawl_vec3 p = v3(random_in(seed, -0.1, 0.1), 0.1, random_in(seed, 0.25, 0.4));
    pawl_vec3 q = v3(1.1, random_in(seed, 0.3, 0.7), random_in(seed, 0.6, 0.9));
    *spin = random_in(seed, 60.0, 150.0);
    pawl_body_id rod = spinning_rod(m, 0.5, p, q, *spin);
    pawl_body_id first = spinning_rod(m, 1.0, a, p, 0.0);
    pawl_body_id last = spinning_rod(m, 1.5, b, q, 0.0);
    mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, first, a, v3(0.2, 1.0, 0.0));
    mechanism_world_joint(m, PAWL_JOINT_REVOLUTE, last, b, v3(1.0, 0.1, 0.2));
    pawl_joint_def def = mechanism_joint_def(m, PAWL_JOINT_SPHERICAL, first, rod, p, v3(1, 0, 0));
    mechanism_joint(m, &def);
    def = mechanism_joint_def(m, PAWL_JOINT_SPHERICAL, rod, last, q, v3(1, 0, 0));
    mechanism_joint(m, &def);
    return rod;
}

// Where the centre of mass of the spinning body is after `time`.
static pawl_vec3 spinning_run(bool linkage, uint64_t seed, const pawl_settings *settings,
                              double time)
{
    mechanism m;
    double spin;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
    pawl_body_id body =
        linkage ? spinning_linkage(&m, &seed, &spin) : spinning_top(&m, &seed, &spin);
    mechanism_start(&m, settings);
    mechanism_run(&m, (int)lround(time / settings->dt));
    pawl_pose pose = pawl_state_pose(mechanism_state(&m), body);
    pawl_vec3 tip = pawl_quat_rotate(pose.orientation, v3(0, 0, 1));
    pawl_vec3 at = v3_add(pose.position, linkage ? v3(0, 0, 0) : tip);
    mechanism_end(&m);
    return at;
}

static void spinning_compare(bool linkage, double dt, double time, const double bound[])
{
    double sum[SPINNING_METHODS] = {0.0};
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        pawl_settings fine = mechanism_settings(dt / 8.0, PAWL_STEPPER_RATTLE);
        fine.rattle.order = 4;
        pawl_vec3 exact = spinning_run(linkage, seed, &fine, time);
        for (int k = 0; k < SPINNING_METHODS; ++k) {
            pawl_settings settings = spinning_settings(&spinning_methods[k], dt);
            pawl_vec3 at = spinning_run(linkage, seed, &settings, time);
            sum[k] += v3_norm(v3_sub(at, exact)) / 8.0;
        }
    }
    for (int k = 0; k < SPINNING_METHODS; ++k) {
        print_message("%s, dt %g, %-11s mean error %.1e m, %.1f times moreau's\n",
                      linkage ? "RSSP" : "tops", dt, spinning_methods[k].name, sum[k],
                      sum[k] / sum[0]);
        CHECK(sum[k] <= bound[k]);
    }
}

TEST(fast_tops_are_followed_about_as_well_as_by_moreau)
{
    static const double bound[SPINNING_METHODS] = {6e-6, 9e-6, 3e-5};
    spinning_compare(false, 4e-4, 0.4, bound);
}

TEST(spatial_linkages_with_a_spinning_rod_are_followed_about_as_well_as_by_moreau)
{
    static const double bound[SPINNING_METHODS] = {4e-7, 4.5e-7, 8e-7};
    spinning_compare(true, 4e-4, 0.4, bound);
}
