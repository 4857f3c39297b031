// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts and other ends of a contact, against closed forms that pawl did not compute: D8, D9, D10,
// D11 and D13 of tests/references/data.
//
// Impacts are Newton's: the normal velocity after is -e times that before, with Coulomb's law for the
// impulse of the same step, for all contacts of the step at once (D9, D10). They fall on steps, so
// that one impact is off by up to a step; where a figure is not smooth in dt for that reason, its
// mean over phases of the impact between two steps is what must fall like dt.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- D8, D9, D10: impacts ------------------------------------------------------------------------

enum { IMPACT_BOUNCES = 12, IMPACT_PHASES = 31 };
typedef struct impact_bounces {
    int count;
    double time[IMPACT_BOUNCES], speed[IMPACT_BOUNCES], apex[IMPACT_BOUNCES]; // apex after it
    double rest;                                                              // since when [s]
} impact_bounces;

// The ball of the model file, from `scale` squared of its height.
static impact_bounces impact_d8(double scale, const pawl_settings *settings, double weight)
{
    mechanism m;
    impact_bounces out = {.rest = 0.0};
    scene_load(&m, CLASSIC("D8-bouncing-ball"), settings);
    pawl_state *start;
    CHECK_OK(pawl_state_create(&m.t.env, m.model, &start));
    pawl_pose pose = pawl_state_pose(start, pawl_model_body_at(pawl_state_model(start), 0));
    pose.position.z = 0.1 + scale * scale * (pose.position.z - 0.1);
    pawl_state_set_pose(start, pawl_model_body_at(pawl_state_model(start), 0), pose);
    CHECK_OK(pawl_sim_set_state(m.sim, start));
    pawl_state_destroy(start);
    double before = 0.0;
    while (mechanism_time(&m) < 4.5 - 1e-9) {
        scene_step(&m);
        double v = scene_velocity(&m, pawl_model_body_at(m.model, 0)).z,
               z = scene_position(&m, pawl_model_body_at(m.model, 0)).z - 0.1;
        CHECK(z > -1e-9);
        if (v > 0.0 && before < 0.0 && out.count < IMPACT_BOUNCES) {
            out.time[out.count] = mechanism_time(&m);
            out.speed[out.count++] = v;
        } else if (out.count > 0 && v <= 0.0 && before > 0.0) {
            out.apex[out.count - 1] = fmax(out.apex[out.count - 1], z);
        }
        out.rest = fabs(v) > 1e-9 ? mechanism_time(&m) : out.rest;
        before = v;
    }
    CHECK(scene_speed(&m, pawl_model_body_at(m.model, 0)) < 1e-9);
    CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).z, 0.1, 1e-9);
    CHECK_NEAR(scene_force(&m, PAWL_WORLD, pawl_model_body_at(m.model, 0)).z, weight, 1e-6);
    mechanism_end(&m);
    return out;
}

// Adds one of several errors to their root mean square over all phases.
static void impact_add_square(double *mean, double error, int errors_a_phase)
{
    *mean = sqrt(*mean * *mean + error * error / (IMPACT_PHASES * errors_a_phase));
}

// A ball that left with w from a gap z returns after k steps with w - k g dt to a gap z', where
// 0 <= z, z' < dt times the speed there: its speed is off by -1 to 1/e times g dt, and e of that is
// handed on. So speeds are off by at most (1 + e + e^2 + ...) g dt = 5 g dt, the height of an apex by
// that times the speed and a step's motion, dt w / e.
TEST(d8_a_ball_bounces_as_newton_says_and_comes_to_rest)
{
    json_t *data = reference_data_load("D8_bouncing_ball.json");
    double weight = reference_data_scalar(data, "contact_force_after");
    double time[3], speed[3], apex[3], rest[3];
    for (int level = 0; level < 3; ++level) {
        pawl_settings settings = scene_settings(1e-3 / (double)(1 << level));
        time[level] = speed[level] = apex[level] = rest[level] = 0.0;
        for (int phase = 0; phase < IMPACT_PHASES; ++phase) {
            // The first impact comes `phase` parts of the longest step later.
            double first = reference_data_item(data, "impact_times", 0);
            double scale = 1.0 + phase * 1e-3 / IMPACT_PHASES / first;
            impact_bounces got = impact_d8(scale, &settings, weight);
            CHECK_INT(got.count, IMPACT_BOUNCES);
            for (int k = 0; k < IMPACT_BOUNCES; ++k) {
                double t = scale * reference_data_item(data, "impact_times", k);
                double v = scale * reference_data_item(data, "post_impact_speeds", k);
                double h = scale * scale * reference_data_item(data, "apex_heights", k);
                CHECK_NEAR(got.speed[k], v, 5.0 * SCENE_G * settings.dt);
                CHECK_NEAR(got.apex[k], h, (5.0 + 1.0 / 0.8) * v * settings.dt);
                impact_add_square(&time[level], got.time[k] - t, IMPACT_BOUNCES);
                impact_add_square(&speed[level], got.speed[k] - v, IMPACT_BOUNCES);
                impact_add_square(&apex[level], got.apex[k] - h, IMPACT_BOUNCES);
            }
            double end = scale * reference_data_scalar(data, "t_zeno");
            impact_add_square(&rest[level], got.rest - end, 1);
        }
    }
    scene_check_falls("D8, times of 12 impacts [s]", time, 0.15);
    scene_check_falls("D8, speeds after them [m/s]", speed, 0.15);
    scene_check_falls("D8, heights between them [m]", apex, 0.15);
    // Infinitely many bounces come to an end where they are slower than the restitution's threshold, from
    // which on they would take 2 v / (g (1 - e)), or than g dt: the beginning of rest is no smooth figure.
    print_message("D8, beginning of rest [s]: errors %.2e %.2e %.2e\n", rest[0], rest[1], rest[2]);
    for (int level = 0; level < 3; ++level) {
        CHECK(rest[level] < 2.0 * 1e-2 / (SCENE_G * 0.2));
    }
    json_decref(data);
}

// Balls in a row without weight, the first at 1 m/s, until `until`.
static void impact_cradle(mechanism *m, int count, double gap, double restitution, double until)
{
    mechanism_begin(m);
    for (int k = 0; k < count; ++k) {
        scene_sphere(m, 1.0, 0.1, v3(k * (0.2 + gap), 0, 0), v3(k == 0 ? 1.0 : 0.0, 0, 0), 0.0,
                     restitution);
    }
    pawl_settings settings = scene_settings(1e-3);
    mechanism_start(m, &settings);
    scene_run(m, until);
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
        impact_cradle(&m, count, 0.01, 1.0, 0.011 * count);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, k)).x,
                       reference_data_number(row, "separate_gaps_final", k), 1e-8);
        }
        CHECK_NEAR(mechanism_energy(&m).kinetic, 0.5, 1e-7);
        CHECK_NEAR(mechanism_momentum(&m).x, 1.0, 1e-12);
        mechanism_end(&m);
        impact_cradle(&m, count, 0.0, 1.0, 1e-3);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, k)).x,
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
        impact_cradle(&m, count, 0.0, 0.0, 1e-2);
        for (int k = 0; k < count; ++k) {
            CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, k)).x,
                       reference_data_number(row, "all_move_at", -1), 1e-7);
        }
        mechanism_end(&m);
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D9-cradle"), &settings);
    scene_run(&m, 0.3);
    for (int k = 0; k < 5; ++k) {
        CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, k)).x, k == 4 ? 1.0 : 0.0, 1e-8);
    }
    mechanism_end(&m);
}

static double impact_kinetic(const mechanism *m)
{
    return mechanism_energy(m).kinetic;
}

// No weight, one step: what is left is the impact alone. The tip is round, with 1e-7 m: that is how
// far the lever of friction is off.
TEST(d10_a_rod_hits_the_floor_with_its_end)
{
    json_t *data = reference_data_load("D10_rod_end_impact.json");
    const json_t *row;
    size_t index;
    double worst = 0.0;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        double theta = reference_data_number(row, "theta_deg", -1) * SCENE_DEGREE;
        const double v[2] = {reference_data_number(row, "v", 0),
                             reference_data_number(row, "v", 1)};
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id rod =
            scene_rod(&m, 0.5, theta, v, reference_data_number(row, "omega", -1),
                      reference_data_number(row, "mu", -1), reference_data_number(row, "e", -1));
        pawl_settings settings = scene_settings(1e-6);
        settings.solver.tolerance = 1e-10;
        mechanism_start(&m, &settings);
        double energy = impact_kinetic(&m);
        scene_step(&m);
        pawl_vec3 after = scene_velocity(&m, rod);
        pawl_vec3 impulse = v3_scale(settings.dt, scene_force(&m, PAWL_WORLD, rod));
        pawl_vec3 lever = v3(reference_data_number(row, "r_contact", 0), 0.0,
                             reference_data_number(row, "r_contact", 1));
        pawl_vec3 tip = v3_add(after, v3_cross(scene_spin(&m, rod), lever));
        const double got[] = {after.x,   after.z, -scene_spin(&m, rod).y,      impulse.z,
                              impulse.x, tip.z,   energy - impact_kinetic(&m), tip.x};
        const double expected[] = {reference_data_number(row, "v_plus", 0),
                                   reference_data_number(row, "v_plus", 1),
                                   reference_data_number(row, "omega_plus", -1),
                                   reference_data_number(row, "Pn", -1),
                                   reference_data_number(row, "Pt", -1),
                                   reference_data_number(row, "gamma_plus", 0),
                                   reference_data_number(row, "kinetic_loss", -1),
                                   reference_data_number(row, "gamma_plus", 1)};
        for (size_t k = 0; k < sizeof got / sizeof got[0]; ++k) {
            worst = fmax(worst, fabs(got[k] - expected[k]));
            CHECK_NEAR(got[k], expected[k], 1e-6 * fmax(1.0, fabs(expected[k])));
        }
        CHECK_INT(m.verdict.not_converged, 0);
        mechanism_end(&m);
    }
    print_message("D10: velocities, impulses and energies at most %.1e off\n", worst);

    // The model file has the fourth case, with a tip that touches exactly at the rod's end.
    row = json_array_get(reference_data_rows(data, "cases"), 3);
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D10-rod-impact"), &settings);
    CHECK_NEAR(impact_kinetic(&m), 6.5, 1e-12);
    scene_run(&m, 0.1);
    CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x,
               reference_data_number(row, "v_plus", 0), 1e-8);
    CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).z,
               reference_data_number(row, "v_plus", 1), 1e-8);
    CHECK_NEAR(-scene_spin(&m, pawl_model_body_at(m.model, 0)).y,
               reference_data_number(row, "omega_plus", -1), 1e-7);
    mechanism_end(&m);
    json_decref(data);
}

// --- D11: Painleve's rod -------------------------------------------------------------------------

typedef struct impact_rod {
    mechanism m;
    pawl_body_id rod;
    double theta, energy; // at the start
} impact_rod;

// The tip slides along x at 1 m/s and stays on the floor.
static void impact_d11_begin(impact_rod *r, const json_t *row, double dt)
{
    r->theta = reference_data_number(row, "theta_deg", -1) * SCENE_DEGREE;
    double omega = reference_data_number(row, "omega", -1);
    double slip = reference_data_number(row, "slip_sign", -1);
    const double v[2] = {slip - omega * sin(r->theta), omega * cos(r->theta)};
    mechanism_begin(&r->m);
    pawl_builder_set_gravity(r->m.builder, v3(0, 0, -SCENE_G));
    r->rod = scene_rod(&r->m, 1.0, r->theta, v, omega, reference_data_number(row, "mu", -1), 0.0);
    pawl_settings settings = scene_settings(dt);
    settings.solver.tolerance = 1e-11;
    mechanism_start(&r->m, &settings);
    r->energy = scene_stored(&r->m);
}

// Energy never grows; every step has a solution.
static void impact_d11_step(impact_rod *r)
{
    double before = scene_stored(&r->m);
    scene_step(&r->m);
    CHECK(scene_stored(&r->m) <= before + 1e-9);
    CHECK_INT(r->m.report.outcome, PAWL_CONVERGED);
}

// Largest of the errors of accelerations and normal force, over a few steps from the start. Forces
// are those of the configuration some steps later: an error in proportion to dt.
static double impact_d11_error(const json_t *row, double dt)
{
    impact_rod r;
    enum { FIRST = 2, LAST = 6 }; // the turning of the lever shows from the second step on
    impact_d11_begin(&r, row, dt);
    pawl_vec3 v = {0}, w = {0};
    for (int k = 0; k < LAST; ++k) {
        if (k == FIRST) {
            v = scene_velocity(&r.m, r.rod);
            w = scene_spin(&r.m, r.rod);
        }
        impact_d11_step(&r);
    }
    double t = (LAST - FIRST) * dt, worst;
    pawl_vec3 a = v3_scale(1.0 / t, v3_sub(scene_velocity(&r.m, r.rod), v));
    double alpha = -(scene_spin(&r.m, r.rod).y - w.y) / t;
    worst = fabs(scene_force(&r.m, PAWL_WORLD, r.rod).z - reference_data_number(row, "N", -1));
    if (json_object_get(row, "com_acc") != NULL) {
        worst = fmax(worst, fabs(a.x - reference_data_number(row, "com_acc", 0)));
        worst = fmax(worst, fabs(a.z - reference_data_number(row, "com_acc", 1)));
        worst = fmax(worst, fabs(alpha - reference_data_number(row, "alpha", -1)));
    }
    mechanism_end(&r.m);
    return worst;
}

// Where no force is consistent with sliding, an impact without collision ends it at once.
static void impact_d11_paradox(const json_t *row)
{
    impact_rod r;
    impact_d11_begin(&r, row, 1e-4);
    double tip[2];
    for (int k = 0; k < 500; ++k) {
        impact_d11_step(&r);
        pawl_pose pose = pawl_state_pose(mechanism_state(&r.m), r.rod);
        pawl_vec3 lever = pawl_quat_rotate(pose.orientation, v3(-1, 0, 0));
        pawl_vec3 v = v3_add(scene_velocity(&r.m, r.rod), v3_cross(scene_spin(&r.m, r.rod), lever));
        tip[k == 0 ? 0 : 1] = v3_norm(v);
    }
    print_message("D11 theta %.1f, mu %.1f, paradox: tip at %.1e m/s after the first step, %.1e "
                  "after 0.05 s, centre at %.2f m/s; energy changed by %.3f J of %.3f J\n",
                  r.theta / SCENE_DEGREE, reference_data_number(row, "mu", -1), tip[0], tip[1],
                  v3_norm(scene_velocity(&r.m, r.rod)), scene_stored(&r.m) - r.energy, r.energy);
    CHECK(tip[0] < 1e-3);
    mechanism_end(&r.m);
}

TEST(d11_painleves_rod_has_a_solution_in_every_step)
{
    json_t *data = reference_data_load("D11_painleve_rod.json");
    CHECK_NEAR(reference_data_scalar(data, "mu_critical"), 4.0 / 3.0, 1e-12);
    const json_t *row;
    size_t index;
    json_array_foreach(reference_data_rows(data, "cases"), index, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "regime")), "unique") != 0) {
            impact_d11_paradox(row);
            continue;
        }
        double error[3];
        for (int level = 0; level < 3; ++level) {
            error[level] = impact_d11_error(row, 4e-4 / (double)(1 << level));
        }
        char text[80];
        snprintf(text, sizeof text, "D11 theta %.1f, mu %.1f, omega %g, slip %+g [N and m/s^2]",
                 reference_data_number(row, "theta_deg", -1), reference_data_number(row, "mu", -1),
                 reference_data_number(row, "omega", -1),
                 reference_data_number(row, "slip_sign", -1));
        double first = reference_order(error[0], error[1]);
        double second = reference_order(error[1], error[2]);
        print_message("%s: %.2e %.2e %.2e, order %.2f\n", text, error[0], error[1], error[2],
                      second);
        CHECK(first > 0.95 && second > 0.95); // two where omega is 0: nothing changes at first
    }
    json_decref(data);
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("D11-painleve-rod"), &settings);
    scene_run(&m, 1.0);
    CHECK_INT(m.verdict.not_converged, 0);
    mechanism_end(&m);
}

// --- D13: a contact that ends --------------------------------------------------------------------

typedef struct impact_leaving {
    double time, theta, speed, height;
} impact_leaving;

static impact_leaving impact_d13_now(const mechanism *m)
{
    pawl_vec3 p = scene_position(m, pawl_model_body_at(m->model, 0));
    return (impact_leaving){mechanism_time(m), atan2(p.x, p.z) / SCENE_DEGREE,
                            v3_norm(scene_velocity(m, pawl_model_body_at(m->model, 0))), p.z};
}

// The contact ends where its force, on a line through its last two values, comes to nothing. That is
// smooth in dt, which the number of the step in which it happens is not.
static impact_leaving impact_d13(const pawl_settings *settings)
{
    mechanism m;
    scene_load(&m, CLASSIC("D13-sphere-off-sphere"), settings);
    impact_leaving now = impact_d13_now(&m), last = now;
    double force = 0.0, before = 0.0;
    for (;;) {
        scene_step(&m);
        CHECK(mechanism_time(&m) < 2.0);
        double f = v3_norm(scene_force(&m, PAWL_WORLD, pawl_model_body_at(m.model, 0)));
        if (f == 0.0) {
            break;
        }
        before = force;
        force = f;
        last = now;
        now = impact_d13_now(&m);
    }
    mechanism_end(&m);
    double more = force / (before - force); // steps from `now` on
    return (impact_leaving){now.time + more * (now.time - last.time),
                            now.theta + more * (now.theta - last.theta),
                            now.speed + more * (now.speed - last.speed),
                            now.height + more * (now.height - last.height)};
}

TEST(d13_a_sphere_leaves_a_sphere)
{
    json_t *data = reference_data_load("D13_sphere_off_sphere.json");
    double time[3], theta[3], speed[3], height[3];
    for (int level = 0; level < 3; ++level) {
        pawl_settings settings = scene_settings(2e-3 / (double)(1 << level));
        impact_leaving got = impact_d13(&settings);
        time[level] = fabs(got.time - reference_data_scalar(data, "t_leave"));
        theta[level] = fabs(got.theta - reference_data_scalar(data, "theta_leave_deg"));
        speed[level] = fabs(got.speed - reference_data_scalar(data, "speed_at_leave"));
        height[level] = fabs(got.height - reference_data_scalar(data, "height_of_centre_at_leave"));
    }
    scene_check_falls("D13, time [s]", time, 0.05);
    scene_check_falls("D13, angle [deg]", theta, 0.05);
    scene_check_falls("D13, speed [m/s]", speed, 0.05);
    scene_check_falls("D13, height [m]", height, 0.05);
    json_decref(data);
}
