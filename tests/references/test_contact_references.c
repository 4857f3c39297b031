// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Contact problems with known answers (tests/references/data D4-D15, E1-E3, and the scenes S1-S3,
// S10 of the comparison with other engines), all of them closed forms that pawl did not compute.
//
// The stepper's velocities are exact where forces are constant, and its positions lag behind by
// half a step: a body that starts with the acceleration a has x = a t (t + dt) / 2. So velocities
// are compared at the solver's tolerance, positions at tolerances in proportion to dt, and where
// the motion is smooth, halving dt must halve the error. Impacts and transitions between sticking
// and slipping fall on the end of a step, up to dt late: their errors are bounded by dt alone.
#include "math/rotation.h"
#include "pawl/io.h"
#include "support/mechanism.h"
#include "support/reference.h"
#include "support/reference_data.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CLASSIC(name) "models/classics/" name ".sdf"
#define PRIMITIVE(name) "models/primitives/" name ".sdf"

static const double CONTACT_G = 9.81;
static const double CONTACT_DEGREE = 0.017453292519943295;

// --- scenes --------------------------------------------------------------------------------------

static pawl_settings contact_settings(double dt)
{
    return mechanism_settings(dt, PAWL_STEPPER_EULER);
}

// For what must come to rest below 1e-8 m/s: a tenth of that a step.
static pawl_settings contact_rest_settings(double dt)
{
    pawl_settings settings = contact_settings(dt);
    settings.tolerance = 1e-9;
    return settings;
}

static void contact_load(mechanism *m, const char *path, const pawl_settings *settings)
{
    mechanism_begin(m);
    pawl_load_options options = pawl_load_options_default();
    CHECK_OK(pawl_model_load(&m->t.env, path, &options, &m->model));
    mechanism_start(m, settings);
}

static void contact_step(mechanism *m)
{
    CHECK_OK(pawl_sim_step(m->sim, &m->report));
    pawl_verdict_add(&m->verdict, &m->report);
}

static void contact_run(mechanism *m, double until)
{
    while (mechanism_time(m) < until - 1e-9) {
        contact_step(m);
    }
}

static pawl_vec3 contact_position(const mechanism *m, int body)
{
    return pawl_state_pose(mechanism_state(m), body).position;
}

static pawl_vec3 contact_velocity(const mechanism *m, int body)
{
    return pawl_state_twist(mechanism_state(m), body).linear;
}

static pawl_vec3 contact_spin(const mechanism *m, int body)
{
    return pawl_state_twist(mechanism_state(m), body).angular;
}

static double contact_speed(const mechanism *m, int body)
{
    return v3_norm(contact_velocity(m, body)) + v3_norm(contact_spin(m, body));
}

// Force on `body` from `other` in the last step.
static pawl_vec3 contact_force(const mechanism *m, int other, int body)
{
    pawl_vec3 sum = {0};
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        if (c.body_a == other && c.body_b == body) {
            sum = v3_add(sum, c.force);
        } else if (c.body_a == body && c.body_b == other) {
            sum = v3_sub(sum, c.force);
        }
    }
    return sum;
}

static int contact_shape(mechanism *m, int body, pawl_shape_kind kind, pawl_vec3 size, pawl_vec3 at,
                         double friction, double restitution)
{
    pawl_shape_def def = pawl_shape_def_default();
    int index;
    def.kind = kind;
    def.size = size;
    def.frame.position = at;
    def.friction = friction;
    def.restitution = restitution;
    CHECK_OK(pawl_builder_add_shape(m->builder, body, &def, &index));
    return index;
}

// A horizontal floor, under gravity that is tilted instead: downhill is x turned by `azimuth`.
static void contact_floor(mechanism *m, double friction, double slope, double azimuth)
{
    mechanism_begin(m);
    contact_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), friction, 0.0);
    double along = CONTACT_G * sin(slope);
    pawl_builder_set_gravity(
        m->builder, v3(along * cos(azimuth), along * sin(azimuth), -CONTACT_G * cos(slope)));
}

static int contact_box(mechanism *m, double mass, pawl_vec3 size, double friction)
{
    double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z, s = mass / 12.0;
    int body =
        mechanism_solid(m, mass, v3(0, 0, 0.5 * size.z), v3(s * (y + z), s * (x + z), s * (x + y)));
    contact_shape(m, body, PAWL_SHAPE_BOX, v3_scale(0.5, size), v3(0, 0, 0), friction, 0.0);
    return body;
}

static int contact_sphere(mechanism *m, double mass, double radius, pawl_vec3 at,
                          pawl_vec3 velocity, double friction, double restitution)
{
    pawl_body_def def = pawl_body_def_default();
    def.mass = mass;
    def.pose.position = at;
    def.twist.linear = velocity;
    def.inertia[0] = def.inertia[1] = def.inertia[2] = 0.4 * mass * radius * radius;
    int body = mechanism_body(m, &def);
    contact_shape(m, body, PAWL_SHAPE_SPHERE, v3(radius, 0, 0), v3(0, 0, 0), friction, restitution);
    return body;
}

// Largest distance of the bottom corners of a box from the floor z = 0, up or down.
static double contact_bottom_gap(const mechanism *m, int body, pawl_vec3 half)
{
    pawl_pose pose = pawl_state_pose(mechanism_state(m), body);
    double worst = 0.0;
    for (int k = 0; k < 4; ++k) {
        pawl_vec3 corner = v3(k % 2 ? half.x : -half.x, k / 2 ? half.y : -half.y, -half.z);
        worst = fmax(worst, fabs(pawl_pose_apply(pose, corner).z));
    }
    return worst;
}

// Runs `measure` at dt, dt / 2 and dt / 4; the errors must fall like dt.
static void contact_check_order(const char *what, double (*measure)(const pawl_settings *settings),
                                double dt, double expected, double slack)
{
    double error[3];
    for (int k = 0; k < 3; ++k) {
        pawl_settings settings = contact_settings(dt / (double)(1 << k));
        error[k] = fabs(measure(&settings) - expected);
    }
    double order = reference_order(error[1], error[2]);
    print_message("%s: errors %.2e %.2e %.2e, order %.2f\n", what, error[0], error[1], error[2],
                  order);
    CHECK_NEAR(reference_order(error[0], error[1]), 1.0, slack);
    CHECK_NEAR(order, 1.0, slack);
}

// --- D4, S9: a block on a slope ------------------------------------------------------------------

static double contact_d4_x(const pawl_settings *settings)
{
    mechanism m;
    contact_floor(&m, 0.5, 45.0 * CONTACT_DEGREE, 0.0);
    int block = contact_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
    mechanism_start(&m, settings);
    contact_run(&m, 1.0);
    double x = contact_position(&m, block).x;
    mechanism_end(&m);
    return x;
}

TEST(d4_a_block_sticks_or_slides_as_the_slope_says)
{
    json_t *data = reference_data_load("D4_block_incline.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double angle = reference_data_number(row, "angle_deg", -1) * CONTACT_DEGREE;
        double expected = reference_data_number(row, "acceleration", -1);
        bool sticks = json_is_true(json_object_get(row, "sticks"));
        static const pawl_solver_kind solvers[] = {PAWL_SOLVER_ADMM_NCP, PAWL_SOLVER_PGS_NCP};
        for (int k = 0; k < 2; ++k) {
            mechanism m;
            contact_floor(&m, 0.5, angle, 0.0);
            int block = contact_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
            pawl_settings settings = contact_settings(1e-3);
            settings.solver = solvers[k];
            settings.tolerance = 1e-10;
            mechanism_start(&m, &settings);
            contact_run(&m, 0.5);
            double half = contact_velocity(&m, block).x;
            contact_run(&m, 1.0);
            double a = (contact_velocity(&m, block).x - half) / 0.5;
            pawl_vec3 force = contact_force(&m, PAWL_WORLD, block);
            print_message("D4 %s %4.1f deg: a %.9f, error %.1e; v %.1e after 1 s\n",
                          pawl_solver_name((int)solvers[k]), angle / CONTACT_DEGREE, a,
                          a - expected, contact_speed(&m, block));
            CHECK_NEAR(a, expected, 1e-6 * fmax(expected, 1e-4));
            CHECK_NEAR(force.z, reference_data_number(row, "normal_per_kg", -1), 1e-6);
            CHECK_NEAR(-force.x, reference_data_number(row, "friction_force_per_kg", -1), 1e-6);
            if (sticks) {
                contact_run(&m, 10.0);
                CHECK(v3_norm(v3_sub(contact_position(&m, block), v3(0, 0, 0.05))) < 1e-8);
                CHECK(contact_speed(&m, block) < 1e-10);
            }
            mechanism_end(&m);
        }
    }
    json_decref(data);
    contact_check_order("D4, 45 degrees, x after 1 s [m]", contact_d4_x, 4e-3, 1.7341793808600077,
                        0.05);
}

// A tenth of a degree below the threshold, in the worst directions for a friction pyramid, too.
TEST(d4_there_is_no_creep_in_any_direction)
{
    double threshold = atan(0.5);
    for (int k = 0; k <= 4; ++k) {
        double azimuth = 22.5 * k * CONTACT_DEGREE;
        for (int side = 0; side < 2; ++side) {
            mechanism m;
            double angle = threshold + (side == 0 ? -0.1 : 0.1) * CONTACT_DEGREE;
            contact_floor(&m, 0.5, angle, azimuth);
            int block = contact_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
            pawl_settings settings = contact_settings(1e-3);
            settings.tolerance = 1e-12;
            mechanism_start(&m, &settings);
            contact_run(&m, 2.0);
            double speed = v3_norm(contact_velocity(&m, block));
            double slide = CONTACT_G * (sin(angle) - 0.5 * cos(angle)) * 2.0;
            print_message("D4 %+.1f deg, downhill %4.1f deg from x: %.2e m/s after 2 s%s\n",
                          side == 0 ? -0.1 : 0.1, azimuth / CONTACT_DEGREE, speed,
                          m.verdict.not_converged > 0 ? " (not all converged)" : "");
            if (side == 0) {
                CHECK(speed < 1e-10);
            } else {
                CHECK_NEAR(speed, slide, 1e-6 * slide);
            }
            mechanism_end(&m);
        }
    }
}

// The model files have a slope that is tilted itself.
TEST(d4_a_tilted_plane_is_as_good_as_tilted_gravity)
{
    pawl_settings settings = contact_settings(1e-3);
    mechanism m;
    contact_load(&m, CLASSIC("D4-incline-26"), &settings);
    pawl_vec3 start = contact_position(&m, 0);
    contact_run(&m, 2.0);
    CHECK(v3_norm(v3_sub(contact_position(&m, 0), start)) < 1e-9);
    mechanism_end(&m);
    contact_load(&m, CLASSIC("D4-incline-30"), &settings);
    contact_run(&m, 1.0);
    CHECK_NEAR(v3_norm(contact_velocity(&m, 0)), 0.6571453944373277, 1e-6);
    mechanism_end(&m);
}

// --- D5, D6, D7: spheres that slide and roll -----------------------------------------------------

static double contact_d5_x(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("D5-slide-to-roll"), settings);
    contact_run(&m, 1.0);
    double x = contact_position(&m, 0).x;
    mechanism_end(&m);
    return x;
}

TEST(d5_a_sliding_sphere_comes_to_roll)
{
    json_t *data = reference_data_load("D5_sphere_slide_to_roll.json");
    const json_t *series = reference_data_find(data, "v(t)");
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("D5-slide-to-roll"), &settings);
    double start = mechanism_energy(&m).kinetic;
    for (int k = 0; k < (int)json_array_size(json_object_get(series, "t")); ++k) {
        double t = reference_data_number(series, "t", k);
        if (fabs(t / settings.dt - round(t / settings.dt)) > 1e-9) {
            continue; // the transition itself falls between two steps
        }
        contact_run(&m, t);
        CHECK_NEAR(contact_velocity(&m, 0).x, reference_data_number(series, "values", k), 1e-9);
    }
    CHECK_NEAR(contact_velocity(&m, 0).x, reference_data_scalar(data, "v_final"), 1e-9);
    CHECK_NEAR(contact_spin(&m, 0).y, reference_data_scalar(data, "omega_final"), 1e-8);
    CHECK_NEAR(1.0 - mechanism_energy(&m).kinetic / start,
               reference_data_scalar(data, "energy_loss_fraction"), 1e-9);
    CHECK_NEAR(contact_position(&m, 0).z, 0.1, 1e-12);
    CHECK_INT(m.verdict.not_converged, 0);
    mechanism_end(&m);
    double after =
        reference_data_scalar(data, "x_roll") +
        reference_data_scalar(data, "v_final") * (1.0 - reference_data_scalar(data, "t_roll"));
    contact_check_order("D5, x after 1 s [m]", contact_d5_x, 4e-3, after, 0.1);
    json_decref(data);
}

static double contact_d6_x(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("D6-back-spin"), settings);
    contact_run(&m, 2.0);
    double x = contact_position(&m, 0).x;
    mechanism_end(&m);
    return x;
}

TEST(d6_a_sphere_with_back_spin_returns)
{
    json_t *data = reference_data_load("D6_sphere_backspin_return.json");
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("D6-back-spin"), &settings);
    double most = 0.0;
    while (mechanism_time(&m) < 2.0 - 1e-9) {
        contact_step(&m);
        most = fmax(most, contact_position(&m, 0).x);
    }
    // Positions lag by up to v dt / 2.
    CHECK_NEAR(most, reference_data_scalar(data, "x_max"), 2.0 * settings.dt);
    CHECK_NEAR(contact_velocity(&m, 0).x, reference_data_scalar(data, "v_final"), 1e-9);
    mechanism_end(&m);
    double after =
        reference_data_scalar(data, "x_at_roll") +
        reference_data_scalar(data, "v_final") * (2.0 - reference_data_scalar(data, "t_roll"));
    contact_check_order("D6, x after 2 s [m]", contact_d6_x, 4e-3, after, 0.1);
    json_decref(data);
}

TEST(d7_a_sphere_rolls_down_a_slope_or_slips)
{
    json_t *data = reference_data_load("D7_sphere_incline.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double angle = reference_data_number(row, "angle_deg", -1) * CONTACT_DEGREE;
        double friction = reference_data_number(row, "mu", -1);
        for (int k = 0; k < 2; ++k) { // along x and along the diagonal
            mechanism m;
            contact_floor(&m, friction, angle, 0.5 * k * acos(0.0));
            int ball = contact_sphere(&m, 1.0, 0.1, v3(0, 0, 0.1), v3(0, 0, 0), friction, 0.0);
            pawl_settings settings = contact_settings(1e-3);
            mechanism_start(&m, &settings);
            contact_run(&m, 1.0);
            CHECK_NEAR(v3_norm(contact_velocity(&m, ball)), reference_data_number(row, "a", -1),
                       1e-8);
            CHECK_NEAR(0.1 * v3_norm(contact_spin(&m, ball)),
                       reference_data_number(row, "alpha_r", -1), 1e-8);
            CHECK_NEAR(contact_position(&m, ball).z, 0.1, 1e-12);
            if (json_is_true(json_object_get(row, "rolls"))) {
                CHECK_NEAR(mechanism_energy(&m).work_contacts, 0.0, 1e-8);
            }
            mechanism_end(&m);
        }
    }
    json_decref(data);
    pawl_settings settings = contact_settings(1e-3);
    mechanism m;
    contact_load(&m, CLASSIC("D7-sphere-incline"), &settings);
    contact_run(&m, 1.0);
    CHECK_NEAR(v3_norm(contact_velocity(&m, 0)), 3.503571428571428, 1e-8);
    mechanism_end(&m);
}

// --- D8, D9, D10: impacts ------------------------------------------------------------------------

// Newton's law acts at the end of the step in which the gap would close. Each impact is up to dt
// off, so its speed is up to g dt off, and those errors add up from bounce to bounce.
TEST(d8_a_ball_bounces_as_newton_says_and_comes_to_rest)
{
    json_t *data = reference_data_load("D8_bouncing_ball.json");
    enum { BOUNCES = 6 };
    for (int level = 0; level < 3; ++level) {
        double dt = 1e-3 / (double)(1 << level), speed = 0.0, apex = 0.0;
        double worst_time = 0.0, worst_speed = 0.0, worst_apex = 0.0;
        int bounce = 0;
        mechanism m;
        pawl_settings settings = contact_settings(dt);
        contact_load(&m, CLASSIC("D8-bouncing-ball"), &settings);
        while (mechanism_time(&m) < 6.0 - 1e-9) {
            contact_step(&m);
            double v = contact_velocity(&m, 0).z;
            apex = fmax(apex, contact_position(&m, 0).z - 0.1);
            CHECK(contact_position(&m, 0).z > 0.1 - 1e-9);
            if (v > 0.0 && speed < 0.0 && bounce < BOUNCES) {
                if (bounce > 0) {
                    double expected = reference_data_item(data, "apex_heights", bounce - 1);
                    worst_apex = fmax(worst_apex, fabs(apex - expected));
                }
                double t = reference_data_item(data, "impact_times", bounce);
                double out = reference_data_item(data, "post_impact_speeds", bounce);
                worst_time = fmax(worst_time, fabs(mechanism_time(&m) - t));
                worst_speed = fmax(worst_speed, fabs(v - out));
                apex = 0.0;
                ++bounce;
            }
            speed = v;
        }
        print_message("D8 at %g s, %d bounces: impacts %.1e s off, speeds %.1e m/s, apexes %.1e m; "
                      "at the end %.1e m/s, %.1e m\n",
                      dt, bounce, worst_time, worst_speed, worst_apex, contact_speed(&m, 0),
                      contact_position(&m, 0).z - 0.1);
        CHECK_INT(bounce, BOUNCES);
        CHECK(worst_time <= 10.0 * dt);
        CHECK(worst_speed <= 2.0 * CONTACT_G * dt);
        CHECK(worst_apex <= 10.0 * dt);
        CHECK(contact_speed(&m, 0) < 1e-9);
        CHECK_NEAR(contact_position(&m, 0).z, 0.1, 1e-9);
        CHECK_NEAR(contact_force(&m, PAWL_WORLD, 0).z,
                   reference_data_scalar(data, "contact_force_after"), 1e-6);
        mechanism_end(&m);
    }
    json_decref(data);
}

// Balls in a row without weight, the first at 1 m/s, until `until`.
static void contact_cradle(mechanism *m, int count, double gap, double restitution, double until)
{
    mechanism_begin(m);
    for (int k = 0; k < count; ++k) {
        contact_sphere(m, 1.0, 0.1, v3(k * (0.2 + gap), 0, 0), v3(k == 0 ? 1.0 : 0.0, 0, 0), 0.0,
                       restitution);
    }
    pawl_settings settings = contact_settings(1e-3);
    mechanism_start(m, &settings);
    contact_run(m, until);
}

TEST(d9_a_cradle_keeps_to_newtons_law_at_once_or_one_by_one)
{
    json_t *data = reference_data_load("D9_newton_cradle.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        int count = (int)reference_data_number(row, "n", -1);
        mechanism m;
        contact_cradle(&m, count, 0.01, 1.0, 0.011 * count);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(contact_velocity(&m, k).x,
                       reference_data_number(row, "separate_gaps_final", k), 1e-8);
        }
        mechanism_end(&m);
        contact_cradle(&m, count, 0.0, 1.0, 1e-3);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(contact_velocity(&m, k).x,
                       reference_data_number(row, "touching_newton_moreau_e1", k), 1e-7);
        }
        CHECK_NEAR(mechanism_energy(&m).kinetic, 0.5, 1e-7);
        CHECK_NEAR(mechanism_momentum(&m).x, 1.0, 1e-12);
        mechanism_end(&m);
    }
    json_array_foreach(reference_data_rows(data, "plastic_e0"), index, row)
    {
        int count = (int)reference_data_number(row, "n", -1);
        mechanism m;
        contact_cradle(&m, count, 0.0, 0.0, 1e-2);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(contact_velocity(&m, k).x, reference_data_number(row, "all_move_at", -1),
                       1e-7);
        }
        mechanism_end(&m);
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("D9-cradle"), &settings);
    contact_run(&m, 0.3);
    for (int k = 0; k < 5; ++k) {
        CHECK_NEAR(contact_velocity(&m, k).x, k == 4 ? 1.0 : 0.0, 1e-8);
    }
    mechanism_end(&m);
}

// A slender rod of half length `half` whose lower tip touches the floor, leaning at `theta`. The
// references' plane (x, y up) is (x, z) here, and their turns are about -y.
static int contact_rod(mechanism *m, double half, double theta, const double v[2], double omega,
                       double friction, double restitution)
{
    const double tip = 1e-7; // radius: friction acts that far off the axis
    contact_shape(m, PAWL_WORLD, PAWL_SHAPE_PLANE, v3(0, 0, 0), v3(0, 0, 0), friction, restitution);
    pawl_body_def def = pawl_body_def_default();
    def.mass = 1.0;
    def.inertia[0] = 1e-6;
    def.inertia[1] = def.inertia[2] = half * half / 3.0;
    def.pose.position = v3(half * cos(theta), 0, half * sin(theta) + tip);
    def.pose.orientation = pawl_quat_from_rpy(0.0, -theta, 0.0);
    def.twist = (pawl_twist){v3(v[0], 0, v[1]), v3(0, -omega, 0)};
    int rod = mechanism_body(m, &def);
    contact_shape(m, rod, PAWL_SHAPE_SPHERE, v3(tip, 0, 0), v3(-half, 0, 0), friction, restitution);
    return rod;
}

// No weight, one step: what is left is the impact alone.
TEST(d10_a_rod_hits_the_floor_with_its_end)
{
    json_t *data = reference_data_load("D10_rod_end_impact.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double theta = reference_data_number(row, "theta_deg", -1) * CONTACT_DEGREE;
        const double v[2] = {reference_data_number(row, "v", 0),
                             reference_data_number(row, "v", 1)};
        mechanism m;
        mechanism_begin(&m);
        int rod =
            contact_rod(&m, 0.5, theta, v, reference_data_number(row, "omega", -1),
                        reference_data_number(row, "mu", -1), reference_data_number(row, "e", -1));
        pawl_settings settings = contact_settings(1e-6);
        mechanism_start(&m, &settings);
        contact_step(&m);
        CHECK_NEAR(contact_velocity(&m, rod).x, reference_data_number(row, "v_plus", 0), 2e-6);
        CHECK_NEAR(contact_velocity(&m, rod).z, reference_data_number(row, "v_plus", 1), 2e-6);
        CHECK_NEAR(-contact_spin(&m, rod).y, reference_data_number(row, "omega_plus", -1), 1e-5);
        mechanism_end(&m);
    }
    json_decref(data);
}

// --- D11: Painleve's rod -------------------------------------------------------------------------

TEST(d11_painleves_rod_has_a_solution_in_every_step)
{
    json_t *data = reference_data_load("D11_painleve_rod.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double theta = reference_data_number(row, "theta_deg", -1) * CONTACT_DEGREE;
        double omega = reference_data_number(row, "omega", -1);
        double slip = reference_data_number(row, "slip_sign", -1); // [m/s]
        // The tip slides along x and stays on the floor.
        const double v[2] = {slip - omega * sin(theta), omega * cos(theta)};
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -CONTACT_G));
        int rod = contact_rod(&m, 1.0, theta, v, omega, reference_data_number(row, "mu", -1), 0.0);
        bool unique = strcmp(json_string_value(json_object_get(row, "regime")), "unique") == 0;
        pawl_settings settings = contact_settings(unique ? 1e-5 : 1e-4);
        mechanism_start(&m, &settings);
        double energy = mechanism_energy(&m).kinetic + mechanism_energy(&m).gravity;
        if (unique) {
            // The turning of the lever shows from the second step on.
            contact_run(&m, 4 * settings.dt);
            pawl_vec3 v0 = contact_velocity(&m, rod), w0 = contact_spin(&m, rod);
            contact_run(&m, 24 * settings.dt);
            double t = 20 * settings.dt;
            pawl_vec3 a = v3_scale(1.0 / t, v3_sub(contact_velocity(&m, rod), v0));
            double alpha = -(contact_spin(&m, rod).y - w0.y) / t;
            if (json_object_get(row, "com_acc") != NULL) {
                CHECK_NEAR(a.x, reference_data_number(row, "com_acc", 0), 0.02);
                CHECK_NEAR(a.z, reference_data_number(row, "com_acc", 1), 0.02);
                CHECK_NEAR(alpha, reference_data_number(row, "alpha", -1), 0.02);
            }
            CHECK_NEAR(contact_force(&m, PAWL_WORLD, rod).z, reference_data_number(row, "N", -1),
                       0.02);
        } else {
            contact_run(&m, 0.05);
            double left = v3_norm(contact_velocity(&m, rod));
            print_message("D11 theta %.1f, mu %.1f, paradox: speed %.2e m/s after 0.05 s\n",
                          theta / CONTACT_DEGREE, reference_data_number(row, "mu", -1), left);
            CHECK(left < 2.0);
        }
        double after = mechanism_energy(&m).kinetic + mechanism_energy(&m).gravity;
        CHECK(after <= energy + 1e-3);
        CHECK_INT(m.verdict.not_converged, 0);
        mechanism_end(&m);
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("D11-painleve-rod"), &settings);
    contact_run(&m, 1.0);
    CHECK_INT(m.verdict.not_converged, 0);
    mechanism_end(&m);
}

// --- D12: stacks ---------------------------------------------------------------------------------

TEST(d12_stacks_stand_still_whatever_the_masses)
{
    json_t *data = reference_data_load("D12_stacks_mass_ratio.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "two_boxes"), index, row)
    {
        double ratio = reference_data_number(row, "ratio", -1);
        double between = reference_data_number(row, "N_between", -1);
        double ground = reference_data_number(row, "N_ground", -1);
        mechanism m;
        contact_floor(&m, 0.5, 0.0, 0.0);
        int lower = contact_box(&m, 1.0, v3(1, 1, 1), 0.5);
        pawl_body_def def = pawl_body_def_default();
        def.mass = reference_data_number(row, "m_top", -1);
        def.pose.position = v3(0, 0, 1.5);
        def.inertia[0] = def.inertia[1] = def.inertia[2] = def.mass / 6.0;
        int upper = mechanism_body(&m, &def);
        contact_shape(&m, upper, PAWL_SHAPE_BOX, v3(0.5, 0.5, 0.5), v3(0, 0, 0), 0.5, 0.0);
        pawl_settings settings = contact_rest_settings(1e-3);
        mechanism_start(&m, &settings);
        contact_run(&m, 10.0);
        double met_between = contact_force(&m, lower, upper).z;
        double met_ground = contact_force(&m, PAWL_WORLD, lower).z;
        double drift = v3_norm(v3_sub(contact_position(&m, upper), def.pose.position));
        print_message("D12 ratio %5g: drift %.1e m, speed %.1e m/s, penetration %.1e m, forces off "
                      "by %.1e, %.1e; %d of 10000 steps not converged, worst residual %.1e\n",
                      ratio, drift, contact_speed(&m, upper), m.verdict.penetration,
                      met_between / between - 1.0, met_ground / ground - 1.0,
                      (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
        CHECK(drift < 1e-6);
        CHECK(contact_speed(&m, upper) < 1e-8);
        CHECK(m.verdict.penetration <= 1e-5);
        CHECK_NEAR(met_between / between, 1.0, 1e-6);
        CHECK_NEAR(met_ground / ground, 1.0, 1e-6);
        mechanism_end(&m);
    }
    mechanism m;
    pawl_settings settings = contact_rest_settings(1e-3);
    settings.tolerance = 1e-10; // errors of ten interfaces add up
    contact_load(&m, CLASSIC("D12-stack-10"), &settings);
    contact_run(&m, 10.0);
    double speed = 0.0, drift = 0.0;
    for (int k = 0; k < 10; ++k) {
        speed = fmax(speed, contact_speed(&m, k));
        drift = fmax(drift, v3_norm(v3_sub(contact_position(&m, k), v3(0, 0, 0.5 + k))));
    }
    print_message("D12 ten boxes: drift %.1e m, speed %.1e m/s; %d of 10000 steps not converged\n",
                  drift, speed, (int)m.verdict.not_converged);
    CHECK(drift < 1e-6);
    CHECK(speed < 1e-8);
    json_array_foreach(reference_data_rows(data, "ten_boxes"), index, row)
    {
        int k = (int)reference_data_number(row, "k", -1);
        double expected = reference_data_number(row, "N", -1);
        CHECK_NEAR(contact_force(&m, k - 1, k).z / expected, 1.0, 1e-6);
    }
    mechanism_end(&m);
    json_decref(data);
}

// --- D13, D14, D15 -------------------------------------------------------------------------------

typedef struct contact_leaving {
    double time, theta, speed, height;
} contact_leaving;

static contact_leaving contact_d13(double dt)
{
    mechanism m;
    pawl_settings settings = contact_settings(dt);
    contact_load(&m, CLASSIC("D13-sphere-off-sphere"), &settings);
    do {
        contact_step(&m);
        CHECK(mechanism_time(&m) < 2.0);
    } while (v3_norm(contact_force(&m, PAWL_WORLD, 0)) > 0.0);
    pawl_vec3 p = contact_position(&m, 0);
    contact_leaving out = {mechanism_time(&m), atan2(p.x, p.z) / CONTACT_DEGREE,
                           v3_norm(contact_velocity(&m, 0)), p.z};
    mechanism_end(&m);
    return out;
}

TEST(d13_a_sphere_leaves_a_sphere)
{
    json_t *data = reference_data_load("D13_sphere_off_sphere.json");
    for (int level = 0; level < 3; ++level) {
        double dt = 2e-3 / (double)(1 << level);
        contact_leaving met = contact_d13(dt);
        double t = met.time - reference_data_scalar(data, "t_leave");
        double theta = met.theta - reference_data_scalar(data, "theta_leave_deg");
        double speed = met.speed - reference_data_scalar(data, "speed_at_leave");
        double height = met.height - reference_data_scalar(data, "height_of_centre_at_leave");
        print_message("D13 at %g s: leaves %.1e s, %.1e deg, %.1e m/s, %.1e m off\n", dt, t, theta,
                      speed, height);
        CHECK(fabs(t) <= 10.0 * dt);
        CHECK(fabs(theta) <= 1500.0 * dt);
        CHECK(fabs(speed) <= 20.0 * dt);
        CHECK(fabs(height) <= 20.0 * dt);
    }
    json_decref(data);
}

TEST(d14_dry_friction_takes_the_same_from_each_swing)
{
    json_t *data = reference_data_load("D14_dry_friction_oscillator.json");
    enum { TURNS = 7 };
    double errors[3];
    for (int level = 0; level < 3; ++level) {
        double dt = 1e-3 / (double)(1 << level), before = 0.0, worst = 0.0;
        int turn = 1;
        mechanism m;
        pawl_settings settings = contact_settings(dt);
        contact_load(&m, CLASSIC("D14-dry-friction"), &settings);
        while (mechanism_time(&m) < 3.0 - 1e-9) {
            contact_step(&m);
            double v = contact_velocity(&m, 0).x;
            if (turn < TURNS && before != 0.0 && (v * before < 0.0 || fabs(v) < 1e-9)) {
                double expected = reference_data_item(data, "turning_points", turn);
                worst = fmax(worst, fabs(contact_position(&m, 0).x - expected));
                ++turn;
            }
            before = fabs(v) < 1e-9 ? 0.0 : v;
        }
        double stop = contact_position(&m, 0).x - reference_data_scalar(data, "stop_position");
        print_message("D14 at %g s: %d turns, worst %.2e m off; stops %.2e m off, %.1e m/s\n", dt,
                      turn, worst, stop, contact_speed(&m, 0));
        CHECK_INT(turn, TURNS);
        CHECK(worst <= 20.0 * dt);
        CHECK(contact_speed(&m, 0) < 1e-9);
        errors[level] = worst;
        mechanism_end(&m);
    }
    CHECK_NEAR(reference_order(errors[0], errors[1]), 1.0, 0.3);
    CHECK_NEAR(reference_order(errors[1], errors[2]), 1.0, 0.3);
    json_decref(data);
}

static double contact_d15_height(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("D15-euler-disk"), settings);
    double most = 0.0, start = contact_position(&m, 0).z;
    while (mechanism_time(&m) < 0.2 - 1e-9) {
        contact_step(&m);
        most = fmax(most, fabs(contact_position(&m, 0).z - start));
    }
    mechanism_end(&m);
    return most;
}

// Azimuth of the spin, counted in turns, after 0.2 s: 39.6 rad/s of precession.
static double contact_d15_precession(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("D15-euler-disk"), settings);
    double turn = 4.0 * acos(0.0), azimuth = 0.0;
    while (mechanism_time(&m) < 0.2 - 1e-9) {
        contact_step(&m);
        pawl_vec3 w = contact_spin(&m, 0);
        double now = atan2(w.y, w.x);
        azimuth = now + turn * round((azimuth - now) / turn);
    }
    mechanism_end(&m);
    return azimuth;
}

TEST(d15_eulers_disk_rolls_steadily)
{
    json_t *data = reference_data_load("D15_euler_disk_steady.json");
    const json_t *row = json_array_get(reference_data_rows(data, "cases"), 3);
    CHECK_NEAR(reference_data_number(row, "alpha_deg", -1), 30.0, 0.0);
    contact_check_order("D15, height of the centre [m]", contact_d15_height, 4e-4, 0.0, 0.2);
    contact_check_order("D15, precession in 0.2 s [rad]", contact_d15_precession, 4e-4,
                        0.2 * reference_data_number(row, "precession", -1), 0.2);
    json_decref(data);
}

// --- E1, S1, S10: sliding boxes ------------------------------------------------------------------

static double contact_e1_x(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("E1-slide"), settings);
    contact_run(&m, 1.0);
    double x = contact_position(&m, 0).x;
    mechanism_end(&m);
    return x;
}

static double contact_yaw(const mechanism *m, int body, double before)
{
    pawl_vec3 x =
        pawl_quat_rotate(pawl_state_pose(mechanism_state(m), body).orientation, v3(1, 0, 0));
    double yaw = atan2(x.y, x.x), turn = 4.0 * acos(0.0);
    return yaw + turn * round((before - yaw) / turn); // counts turns
}

static double contact_e1_yaw(const pawl_settings *settings)
{
    mechanism m;
    contact_load(&m, CLASSIC("E1-spin"), settings);
    double yaw = 0.0;
    while (mechanism_time(&m) < 0.5 - 1e-9) {
        contact_step(&m);
        yaw = contact_yaw(&m, 0, yaw);
    }
    mechanism_end(&m);
    return yaw;
}

TEST(e1_a_box_on_four_corners_stops)
{
    json_t *data = reference_data_load("E1_box_four_corner_stop.json");
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("E1-slide"), &settings);
    contact_run(&m, 0.3);
    CHECK_NEAR(contact_velocity(&m, 0).x, 2.0 - 0.3 * CONTACT_G * 0.3, 1e-8);
    double front = 0.0, back = 0.0;
    for (int k = 0; k < pawl_sim_contact_count(m.sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m.sim, k);
        *(c.position.x > contact_position(&m, 0).x ? &front : &back) += c.force.z;
    }
    CHECK_NEAR(front, reference_data_item(data, "a_pair_forces_front_back", 0), 1e-5);
    CHECK_NEAR(back, reference_data_item(data, "a_pair_forces_front_back", 1), 1e-5);
    while (contact_velocity(&m, 0).x > 1e-6) {
        contact_step(&m);
    }
    CHECK_NEAR(mechanism_time(&m), reference_data_scalar(data, "a_time"), settings.dt);
    mechanism_end(&m);
    contact_check_order("E1, stop [m]", contact_e1_x, 4e-3,
                        reference_data_scalar(data, "a_distance"), 0.1);
    contact_load(&m, CLASSIC("E1-spin"), &settings);
    contact_run(&m, 0.2);
    CHECK_NEAR(contact_spin(&m, 0).z, 10.0 - 0.3 * 2.0 * CONTACT_G * 0.25 / (1.0 / 24.0) * 0.2,
               1e-7);
    while (contact_spin(&m, 0).z > 1e-6) {
        contact_step(&m);
    }
    CHECK_NEAR(mechanism_time(&m), reference_data_scalar(data, "b_time"), settings.dt);
    CHECK_NEAR3(contact_position(&m, 0), v3(0, 0, 0.1), 1e-9);
    mechanism_end(&m);
    contact_check_order("E1, angle [rad]", contact_e1_yaw, 2e-3,
                        reference_data_scalar(data, "b_angle"), 0.2);
    json_decref(data);
}

// moreau moves by the mean velocity of a step, which is exact for a constant force: what is left is
// the one step in which sliding ends, of order dt^2.
TEST(moreau_is_more_accurate_where_it_slides_and_rolls)
{
    static const struct {
        const char *what;
        double (*measure)(const pawl_settings *settings);
        double expected;
        double rate; // acceleration that ends somewhere in a step
    } rows[] = {
        {"D4, 45 degrees, x [m]", contact_d4_x, 1.7341793808600077, 0.0},
        {"D5, x [m]", contact_d5_x, 0.4992822817200274 + (1.0 - 0.29124799767001597) / 0.7,
         0.2 * 9.81},
        {"E1, stop [m]", contact_e1_x, 0.6795786612300374, 0.3 * 9.81},
        {"E1, angle [rad]", contact_e1_yaw, 1.4157888775625775, 10.0 / 0.28315777551251553}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        for (int level = 0; level < 2; ++level) {
            pawl_settings settings = contact_settings(4e-3 / (double)(1 << level));
            settings.stepper = PAWL_STEPPER_MOREAU;
            double error = rows[k].measure(&settings) - rows[k].expected;
            print_message("%s with moreau at %g s: error %.1e\n", rows[k].what, settings.dt, error);
            CHECK_NEAR(error, 0.0, 0.5 * rows[k].rate * settings.dt * settings.dt + 1e-9);
        }
    }
}

TEST(s1_a_box_on_a_plane_stops_where_it_must)
{
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, PRIMITIVE("box-on-plane"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 1);
    CHECK_INT(pawl_model_joint_count(m.model), 0);
    CHECK_INT(pawl_model_velocity_count(m.model), 6);
    contact_run(&m, 1.0);
    // Exactly half a step of the speed at the start is missing.
    CHECK_NEAR(contact_position(&m, 0).x, 4.0 / CONTACT_G - settings.dt, 1e-6);
    contact_run(&m, 5.0);
    CHECK(contact_speed(&m, 0) < 1e-10);
    CHECK(m.verdict.penetration < 1e-10);
    mechanism_end(&m);
}

// The yaw depends on how the four corners share the weight, which Coulomb's law leaves open: equal
// compliance gives 2.473 rad.
TEST(s10_a_spinning_box_does_not_lift_off)
{
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    contact_load(&m, CLASSIC("S10-spinning-box"), &settings);
    double gap = 0.0, yaw = 0.0;
    while (mechanism_time(&m) < 1.5 - 1e-9) {
        contact_step(&m);
        gap = fmax(gap, contact_bottom_gap(&m, 0, v3(0.1, 0.1, 0.02)));
        yaw = contact_yaw(&m, 0, yaw);
    }
    pawl_vec3 stop = contact_position(&m, 0);
    print_message(
        "S10: stops at x %.4f m (0.952), y %.4f m, yaw %.4f rad (2.473); gap at most %.1e "
        "m; %.1e m/s at the end\n",
        stop.x, stop.y, yaw, gap, contact_speed(&m, 0));
    CHECK_NEAR(stop.x, 0.952, 0.01 * 0.952);
    CHECK(gap < 1e-9);
    CHECK(contact_speed(&m, 0) < 1e-9);
    mechanism_end(&m);
}

// --- E2, E3: standing, tipping, sliding ----------------------------------------------------------

TEST(e2_a_table_stands_on_four_legs)
{
    json_t *data = reference_data_load("E2_four_leg_table.json");
    static const double leg[4][2] = {{0.5, 0.3}, {0.5, -0.3}, {-0.5, 0.3}, {-0.5, -0.3}};
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double cx = reference_data_number(row, "com_xy", 0);
        double cy = reference_data_number(row, "com_xy", 1);
        mechanism m;
        contact_floor(&m, 0.5, 0.0, 0.0);
        int table = mechanism_solid(&m, 20.0, v3(cx, cy, 0.5), v3(1, 2, 2.5));
        for (int k = 0; k < 4; ++k) {
            contact_shape(&m, table, PAWL_SHAPE_SPHERE, v3(0.02, 0, 0),
                          v3(leg[k][0] - cx, leg[k][1] - cy, 0.02 - 0.5), 0.5, 0.0);
        }
        pawl_settings settings = contact_settings(1e-3);
        settings.tolerance = 1e-10; // 1e-10 m/s of 20 kg in 1 ms are 2e-6 N
        mechanism_start(&m, &settings);
        contact_run(&m, 2.0);
        double sum = 0.0, mx = 0.0, my = 0.0, split = 0.0;
        CHECK_INT(pawl_sim_contact_count(m.sim), 4);
        for (int k = 0; k < 4; ++k) {
            pawl_contact_info c = pawl_sim_contact(m.sim, k);
            CHECK(c.force.z >= 0.0);
            sum += c.force.z;
            mx += c.force.z * c.position.x;
            my += c.force.z * c.position.y;
            for (int i = 0; i < 4; ++i) {
                if (fabs(c.position.x - leg[i][0]) + fabs(c.position.y - leg[i][1]) < 0.1) {
                    double even = reference_data_number(row, "least_norm_N", i);
                    split = fmax(split, fabs(c.force.z - even));
                }
            }
        }
        print_message("E2 centre (%g, %g): least-norm split missed by %.1e N of %g N\n", cx, cy,
                      split, sum);
        CHECK_NEAR(sum, reference_data_number(row, "sum", -1), 1e-5);
        CHECK_NEAR(mx, reference_data_number(row, "moment_about_origin", 0), 1e-5);
        CHECK_NEAR(my, reference_data_number(row, "moment_about_origin", 1), 1e-5);
        CHECK_NEAR3(contact_position(&m, table), v3(cx, cy, 0.5), 1e-9);
        CHECK(contact_speed(&m, table) < 1e-9);
        mechanism_end(&m);
    }
    json_decref(data);
}

TEST(e3_a_box_on_a_slope_stands_slides_or_topples)
{
    json_t *data = reference_data_load("E3_topple_or_slide.json");
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double angle = reference_data_number(row, "angle_deg", -1) * CONTACT_DEGREE;
        double friction = reference_data_number(row, "mu", -1);
        double w = reference_data_number(row, "w", -1), h = reference_data_number(row, "h", -1);
        mechanism m;
        contact_floor(&m, friction, angle, 0.0);
        int box = contact_box(&m, 1.0, v3(w, 0.2, h), friction);
        pawl_settings settings = contact_rest_settings(1e-3);
        mechanism_start(&m, &settings);
        contact_run(&m, 0.3);
        pawl_vec3 up =
            pawl_quat_rotate(pawl_state_pose(mechanism_state(&m), box).orientation, v3(0, 0, 1));
        double tilt = acos(fmin(up.z, 1.0)), speed = contact_velocity(&m, box).x;
        if (json_is_true(json_object_get(row, "rest"))) {
            CHECK_NEAR3(contact_position(&m, box), v3(0, 0, 0.5 * h), 1e-6);
            CHECK(contact_speed(&m, box) < 1e-8);
        } else if (json_is_true(json_object_get(row, "slides"))) {
            double a = CONTACT_G * (sin(angle) - friction * cos(angle));
            CHECK_NEAR(speed, 0.3 * a, 1e-6 * a);
            CHECK(tilt < 1e-6);
        } else {
            CHECK(json_is_true(json_object_get(row, "topples")));
            CHECK(tilt > 0.5 * CONTACT_DEGREE);
            // It turns about its lower edge, which stays where it is.
            pawl_vec3 edge = pawl_pose_apply(pawl_state_pose(mechanism_state(&m), box),
                                             v3(0.5 * w, 0, -0.5 * h));
            CHECK_NEAR3(edge, v3(0.5 * w, 0, 0), 1e-4);
        }
        mechanism_end(&m);
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = contact_rest_settings(1e-3);
    contact_load(&m, CLASSIC("E3-topple"), &settings);
    contact_run(&m, 3.0);
    pawl_vec3 up =
        pawl_quat_rotate(pawl_state_pose(mechanism_state(&m), 0).orientation, v3(0, 0, 1));
    CHECK(up.x > 0.5); // it lies on its side, downhill
    mechanism_end(&m);
}

// --- S2, S3: joints and contacts together --------------------------------------------------------

TEST(s2_a_thousand_kilograms_stand_on_one_by_a_fixed_joint)
{
    mechanism m;
    pawl_settings settings = contact_rest_settings(1e-3);
    contact_load(&m, PRIMITIVE("boxes-fixed"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 2);
    CHECK_INT(pawl_model_joint_count(m.model), 1);
    CHECK_INT(pawl_model_row_count(m.model), 6);
    contact_run(&m, 5.0);
    print_message("S2: joint error %.1e m %.1e rad, speed %.1e m/s, penetration %.1e m\n",
                  m.verdict.closure.position, m.verdict.closure.rotation, contact_speed(&m, 1),
                  m.verdict.penetration);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(contact_speed(&m, 1) < 1e-8);
    CHECK(m.verdict.penetration <= 1e-6);
    CHECK_NEAR(contact_force(&m, PAWL_WORLD, 0).z / (1001.0 * CONTACT_G), 1.0, 1e-6);
    mechanism_end(&m);
}

TEST(s3_a_nunchuk_falls_and_comes_to_rest)
{
    mechanism m;
    pawl_settings settings = contact_rest_settings(1e-3);
    contact_load(&m, PRIMITIVE("nunchuk"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 3);
    CHECK_INT(pawl_model_joint_count(m.model), 2);
    CHECK_INT(pawl_model_row_count(m.model), 6);
    contact_run(&m, 5.0);
    double speed = 0.0;
    for (int k = 0; k < 3; ++k) {
        speed = fmax(speed, contact_speed(&m, k));
    }
    print_message("S3: joint error %.1e m, penetration %.1e m, speed %.1e after 5 s, %d steps not "
                  "converged, worst residual %.1e m/s\n",
                  m.verdict.closure.position, m.verdict.penetration, speed,
                  (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(speed < 1e-8);
    mechanism_end(&m);
}

TEST(a_dropped_four_bar_comes_to_rest)
{
    mechanism m;
    pawl_settings settings = contact_settings(1e-3);
    settings.tolerance = 1e-11;
    contact_load(&m, PRIMITIVE("fourbar-dropped"), &settings);
    contact_run(&m, 4.0);
    double speed = 0.0;
    for (int k = 0; k < 4; ++k) {
        speed = fmax(speed, contact_speed(&m, k));
    }
    print_message("dropped four-bar: joint error %.1e m, penetration %.1e m, speed %.1e after 4 s, "
                  "%d steps not converged, worst residual %.1e m/s\n",
                  m.verdict.closure.position, m.verdict.penetration, speed,
                  (int)m.verdict.not_converged, m.verdict.residual.natural_scaled);
    CHECK(m.verdict.closure.position <= 1e-9);
    CHECK(speed < 1e-9);
    mechanism_end(&m);
}
