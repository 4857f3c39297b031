// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// What slides and sticks, against closed forms that pawl did not compute: D4, D14 and E1 of
// tests/references/data, the scenes S1 and S10 of the comparison with other engines.
//
// The stepper's velocities are exact where forces are constant, and its positions lag behind by
// half a step: a body that starts with the acceleration a has x = a t (t + dt) / 2. So velocities
// are compared at the solver's tolerance, positions at what half a step makes of them, and halving
// dt must halve the error. Sticking begins at the end of a step, up to dt late.
#include "support/reference.h"
#include "support/reference_data.h"
#include "support/scene.h"

#include <math.h>
#include <string.h>

// --- D4, S9: a block on a slope ------------------------------------------------------------------

static double slide_d4_x(const pawl_settings *settings)
{
    mechanism m;
    scene_floor(&m, 0.5, 45.0 * SCENE_DEGREE, 0.0);
    pawl_body_id block = scene_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
    mechanism_start(&m, settings);
    scene_run(&m, 1.0);
    double x = scene_position(&m, block).x;
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
        double angle = reference_data_number(row, "angle_deg", -1) * SCENE_DEGREE;
        double expected = reference_data_number(row, "acceleration", -1);
        bool sticks = json_is_true(json_object_get(row, "sticks"));
        static const pawl_solver_kind solvers[] = {PAWL_SOLVER_ADMM_NCP, PAWL_SOLVER_PGS_NCP};
        for (int k = 0; k < 2; ++k) {
            mechanism m;
            scene_floor(&m, 0.5, angle, 0.0);
            pawl_body_id block = scene_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
            pawl_settings settings = scene_settings(1e-3);
            settings.solver.kind = solvers[k];
            settings.solver.tolerance = 1e-10;
            mechanism_start(&m, &settings);
            scene_run(&m, 0.5);
            double half = scene_velocity(&m, block).x;
            scene_run(&m, 1.0);
            double a = (scene_velocity(&m, block).x - half) / 0.5;
            double x = scene_position(&m, block).x;
            pawl_vec3 force = scene_force(&m, PAWL_WORLD, block);
            print_message("D4 %s %4.1f deg: a %.9f, error %.1e; v %.1e after 1 s\n",
                          pawl_solver_name((int)solvers[k]), angle / SCENE_DEGREE, a, a - expected,
                          scene_speed(&m, block));
            CHECK_NEAR(a, expected, 1e-6 * fmax(expected, 1e-4));
            double lag = 0.5 * expected * settings.dt; // a t dt / 2
            CHECK_NEAR(x - lag, reference_data_number(row, "x_at_1s", -1), 1e-8);
            CHECK_NEAR(force.z, reference_data_number(row, "normal_per_kg", -1), 1e-6);
            CHECK_NEAR(-force.x, reference_data_number(row, "friction_force_per_kg", -1), 1e-6);
            if (sticks) {
                scene_run(&m, 10.0);
                CHECK(v3_norm(v3_sub(scene_position(&m, block), v3(0, 0, 0.05))) < 1e-8);
                CHECK(scene_speed(&m, block) < 1e-10);
            }
            mechanism_end(&m);
        }
    }
    json_decref(data);
    scene_check_order("D4, 45 degrees, x after 1 s [m]", slide_d4_x, 4e-3, 1.7341793808600077,
                      0.05);
}

// A tenth of a degree from the threshold, in the worst directions for a friction pyramid, too, at
// the settings' own tolerance and at a finer one.
TEST(d4_there_is_no_creep_in_any_direction)
{
    json_t *data = reference_data_load("D4_block_incline.json");
    double threshold = reference_data_scalar(data, "threshold_deg") * SCENE_DEGREE;
    json_decref(data);
    CHECK_NEAR(threshold, atan(0.5), 1e-14);
    double creep[2] = {0.0, 0.0}, off[2] = {0.0, 0.0};
    for (int run = 0; run < 20; ++run) {
        double azimuth = 22.5 * (run / 4) * SCENE_DEGREE;
        bool above = run % 2 == 1;
        int fine = run / 2 % 2;
        mechanism m;
        double angle = threshold + (above ? 0.1 : -0.1) * SCENE_DEGREE;
        scene_floor(&m, 0.5, angle, azimuth);
        pawl_body_id block = scene_box(&m, 1.0, v3(0.4, 0.2, 0.1), 0.5);
        pawl_settings settings = scene_settings(1e-3);
        settings.solver.tolerance = fine ? 1e-12 : settings.solver.tolerance;
        mechanism_start(&m, &settings);
        scene_run(&m, 2.0);
        pawl_vec3 v = scene_velocity(&m, block);
        if (above) {
            double slide = SCENE_G * (sin(angle) - 0.5 * cos(angle)) * 2.0;
            pawl_vec3 expected = v3_scale(slide, v3(cos(azimuth), sin(azimuth), 0.0));
            off[fine] = fmax(off[fine], v3_norm(v3_sub(v, expected)) / slide);
            CHECK_NEAR3(v, expected, 1e-6 * slide);
        } else {
            creep[fine] = fmax(creep[fine], v3_norm(v));
            CHECK(v3_norm(v) < 1e-10);
        }
        mechanism_end(&m);
    }
    print_message("D4, 0.1 degree from the threshold, at tolerances 1e-8 and 1e-12: creep %.1e and "
                  "%.1e m/s, velocity when sliding %.1e and %.1e off, relative\n",
                  creep[0], creep[1], off[0], off[1]);
}

// The model files have a slope that is tilted itself.
TEST(d4_a_tilted_plane_is_as_good_as_tilted_gravity)
{
    pawl_settings settings = scene_settings(1e-3);
    mechanism m;
    scene_load(&m, CLASSIC("D4-incline-26"), &settings);
    pawl_vec3 start = scene_position(&m, pawl_model_body_at(m.model, 0));
    scene_run(&m, 2.0);
    CHECK(v3_norm(v3_sub(scene_position(&m, pawl_model_body_at(m.model, 0)), start)) < 1e-9);
    mechanism_end(&m);
    scene_load(&m, CLASSIC("D4-incline-30"), &settings);
    scene_run(&m, 1.0);
    CHECK_NEAR(v3_norm(scene_velocity(&m, pawl_model_body_at(m.model, 0))), 0.6571453944373277,
               1e-6);
    mechanism_end(&m);
}

// --- D14: dry friction ---------------------------------------------------------------------------

enum { SLIDE_TURNS = 7 };
typedef struct slide_swings {
    double at[SLIDE_TURNS], time[SLIDE_TURNS]; // turning points
    int count;
    double stop, speed; // after 3 s
} slide_swings;

static slide_swings slide_d14(const pawl_settings *settings)
{
    slide_swings out = {.count = 1};
    double before = 0.0;
    mechanism m;
    scene_load(&m, CLASSIC("D14-dry-friction"), settings);
    while (mechanism_time(&m) < 3.0 - 1e-9) {
        scene_step(&m);
        double v = scene_velocity(&m, pawl_model_body_at(m.model, 0)).x;
        bool rests = fabs(v) < 1e-9;
        if (out.count < SLIDE_TURNS && before != 0.0 && (v * before < 0.0 || rests)) {
            out.time[out.count] = mechanism_time(&m);
            out.at[out.count++] = scene_position(&m, pawl_model_body_at(m.model, 0)).x;
        }
        before = rests ? 0.0 : v;
    }
    out.stop = scene_position(&m, pawl_model_body_at(m.model, 0)).x;
    out.speed = scene_speed(&m, pawl_model_body_at(m.model, 0));
    mechanism_end(&m);
    return out;
}

// Springs are implicit: euler damps an oscillation by w^2 dt / 2, which takes pi w dt / 2 of the
// amplitude in a half swing. That adds up to the sum of all swings; moreau has no such damping.
TEST(d14_dry_friction_takes_the_same_from_each_swing)
{
    json_t *data = reference_data_load("D14_dry_friction_oscillator.json");
    const double w = sqrt(100.0);
    double damping = 0.0, half = reference_data_scalar(data, "half_period");
    for (int k = 0; k < SLIDE_TURNS - 1; ++k) {
        damping += 0.5 * w * w * half * fabs(reference_data_item(data, "turning_points", k));
    }
    for (int stepper = 0; stepper < MECHANISM_STEPPERS; ++stepper) {
        double errors[3];
        for (int level = 0; level < 3; ++level) {
            pawl_settings settings = scene_settings(1e-3 / (double)(1 << level));
            settings.stepper = (pawl_stepper_kind)stepper;
            slide_swings got = slide_d14(&settings);
            double worst = 0.0, late = 0.0;
            CHECK_INT(got.count, SLIDE_TURNS);
            for (int k = 1; k < SLIDE_TURNS; ++k) {
                double expected = reference_data_item(data, "turning_points", k);
                worst = fmax(worst, fabs(got.at[k] - expected));
                late = fmax(late, fabs(got.time[k] - k * half) / k);
            }
            double stop = got.stop - reference_data_scalar(data, "stop_position");
            double time = got.time[SLIDE_TURNS - 1] - reference_data_scalar(data, "stop_time");
            print_message(
                "D14 %s at %g s: turns %.2e m off and %.2e s late each; stops %.2e m, %.2e s "
                "off, %.1e m/s\n",
                pawl_stepper_name(stepper), settings.dt, worst, late, stop, time, got.speed);
            CHECK(got.speed < 1e-9);
            errors[level] = worst;
            CHECK(worst <= damping * settings.dt);
            CHECK(fabs(stop) <= damping * settings.dt);
            CHECK(late <= settings.dt); // a turn ends with a step, and those after it wait for it
        }
        if (stepper == PAWL_STEPPER_EULER) {
            scene_check_falls("D14, worst turning point [m]", errors, 0.1);
        }
    }
    json_decref(data);
}

// --- E1, S1, S10: sliding boxes ------------------------------------------------------------------

static double slide_e1_x(const pawl_settings *settings)
{
    mechanism m;
    scene_load(&m, CLASSIC("E1-slide"), settings);
    scene_run(&m, 1.0);
    double x = scene_position(&m, pawl_model_body_at(m.model, 0)).x;
    mechanism_end(&m);
    return x;
}

static double slide_e1_yaw(const pawl_settings *settings)
{
    mechanism m;
    scene_load(&m, CLASSIC("E1-spin"), settings);
    double yaw = 0.0;
    while (mechanism_time(&m) < 0.5 - 1e-9) {
        scene_step(&m);
        yaw = scene_yaw(&m, pawl_model_body_at(m.model, 0), yaw);
    }
    mechanism_end(&m);
    return yaw;
}

TEST(e1_a_box_on_four_corners_stops)
{
    json_t *data = reference_data_load("E1_box_four_corner_stop.json");
    mechanism m;
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, CLASSIC("E1-slide"), &settings);
    scene_run(&m, 0.3);
    CHECK_NEAR(scene_velocity(&m, pawl_model_body_at(m.model, 0)).x, 2.0 - 0.3 * SCENE_G * 0.3,
               1e-8);
    double front = 0.0, back = 0.0;
    for (int k = 0; k < pawl_sim_contact_count(m.sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m.sim, k);
        *(c.position.x > scene_position(&m, pawl_model_body_at(m.model, 0)).x ? &front : &back) +=
            c.force.z;
    }
    CHECK_NEAR(front, reference_data_item(data, "a_pair_forces_front_back", 0), 1e-5);
    CHECK_NEAR(back, reference_data_item(data, "a_pair_forces_front_back", 1), 1e-5);
    while (scene_velocity(&m, pawl_model_body_at(m.model, 0)).x > 1e-6) {
        scene_step(&m);
    }
    CHECK_NEAR(mechanism_time(&m), reference_data_scalar(data, "a_time"), settings.dt);
    mechanism_end(&m);
    scene_check_order("E1, stop [m]", slide_e1_x, 4e-3, reference_data_scalar(data, "a_distance"),
                      0.1);
    scene_load(&m, CLASSIC("E1-spin"), &settings);
    scene_run(&m, 0.2);
    CHECK_NEAR(scene_spin(&m, pawl_model_body_at(m.model, 0)).z,
               10.0 - 0.3 * 2.0 * SCENE_G * 0.25 / (1.0 / 24.0) * 0.2, 1e-7);
    while (scene_spin(&m, pawl_model_body_at(m.model, 0)).z > 1e-6) {
        scene_step(&m);
    }
    CHECK_NEAR(mechanism_time(&m), reference_data_scalar(data, "b_time"), settings.dt);
    CHECK_NEAR3(scene_position(&m, pawl_model_body_at(m.model, 0)), v3(0, 0, 0.1), 1e-9);
    mechanism_end(&m);
    scene_check_order("E1, angle [rad]", slide_e1_yaw, 2e-3, reference_data_scalar(data, "b_angle"),
                      0.2);
    json_decref(data);
}

// moreau moves by the mean velocity of a step, which is exact for a constant force: what is left is
// the one step in which sliding ends, of order dt^2.
TEST(moreau_is_more_accurate_where_it_slides)
{
    static const struct {
        const char *what;
        double (*measure)(const pawl_settings *settings);
        double expected;
        double rate; // acceleration that ends somewhere in a step
    } rows[] = {{"D4, 45 degrees, x [m]", slide_d4_x, 1.7341793808600077, 0.0},
                {"E1, stop [m]", slide_e1_x, 0.6795786612300374, 0.3 * 9.81},
                {"E1, angle [rad]", slide_e1_yaw, 1.4157888775625775, 10.0 / 0.28315777551251553}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        for (int level = 0; level < 2; ++level) {
            pawl_settings settings = scene_settings(4e-3 / (double)(1 << level));
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
    pawl_settings settings = scene_settings(1e-3);
    scene_load(&m, PRIMITIVE("box-on-plane"), &settings);
    CHECK_INT(pawl_model_body_count(m.model), 1);
    CHECK_INT(pawl_model_joint_count(m.model), 0);
    CHECK_INT(pawl_model_velocity_count(m.model), 6);
    scene_run(&m, 1.0);
    // Exactly half a step of the speed at the start is missing.
    CHECK_NEAR(scene_position(&m, pawl_model_body_at(m.model, 0)).x, 4.0 / SCENE_G - settings.dt,
               1e-6);
    scene_run(&m, 5.0);
    CHECK(scene_speed(&m, pawl_model_body_at(m.model, 0)) < 1e-10);
    CHECK(m.verdict.penetration < 1e-10);
    mechanism_end(&m);
}

// S10 as a plane problem, by itself: the four corners share the weight like equal springs do, which
// is the split of least norm, and slide with Coulomb's friction. Small steps of a second-order rule.
typedef struct slide_s10 {
    double x, y, yaw;
} slide_s10;

static void slide_s10_forces(double r[4][2], const double u[3], double out[3])
{
    const double height = 0.02, weight = SCENE_G, mu = 0.5;
    double A[3][4], f[4][2], M[3][4]; // balance of force and of two moments; M = (A AT | weight)
    for (int k = 0; k < 4; ++k) {
        double vx = u[0] - u[2] * r[k][1], vy = u[1] + u[2] * r[k][0];
        double fraction = -mu / fmax(sqrt(vx * vx + vy * vy), 1e-4);
        f[k][0] = fraction * vx, f[k][1] = fraction * vy;
        A[0][k] = 1.0;
        A[1][k] = r[k][1] + height * f[k][1];
        A[2][k] = -r[k][0] - height * f[k][0];
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            M[i][j] = 0.0;
            for (int k = 0; k < 4; ++k) {
                M[i][j] += A[i][k] * A[j][k];
            }
        }
        M[i][3] = i == 0 ? weight : 0.0;
    }
    for (int i = 0; i < 3; ++i) { // Gauss and Jordan; the diagonal dominates
        for (int j = 0; j < 3; ++j) {
            double fraction = M[j][i] / M[i][i];
            for (int k = i; k < 4 && j != i; ++k) {
                M[j][k] -= fraction * M[i][k];
            }
        }
    }
    out[0] = out[1] = out[2] = 0.0;
    for (int k = 0; k < 4; ++k) {
        double N = 0.0;
        for (int i = 0; i < 3; ++i) {
            N += A[i][k] * M[i][3] / M[i][i];
        }
        out[0] += f[k][0] * N;
        out[1] += f[k][1] * N;
        out[2] += (r[k][0] * f[k][1] - r[k][1] * f[k][0]) * N;
    }
}

static slide_s10 slide_s10_least_norm(void)
{
    const double dt = 2e-5, inertia = 0.08 / 12.0;
    slide_s10 p = {0.0, 0.0, 0.0};
    double u[3] = {3.0, 0.0, 10.0};
    while (fabs(u[0]) + fabs(u[1]) + 0.1 * fabs(u[2]) > 1e-3) {
        double r[4][2], push[3];
        double c = cos(p.yaw + 0.5 * dt * u[2]), s = sin(p.yaw + 0.5 * dt * u[2]);
        for (int k = 0; k < 4; ++k) {
            double a = k / 2 ? -0.1 : 0.1, b = k % 2 ? -0.1 : 0.1;
            r[k][0] = c * a - s * b, r[k][1] = s * a + c * b;
        }
        slide_s10_forces(r, u, push);
        double next[3] = {u[0] + dt * push[0], u[1] + dt * push[1], u[2] + dt * push[2] / inertia};
        p.x += 0.5 * dt * (u[0] + next[0]);
        p.y += 0.5 * dt * (u[1] + next[1]);
        p.yaw += 0.5 * dt * (u[2] + next[2]);
        memcpy(u, next, sizeof u);
    }
    return p;
}

// What the corners bear beyond the split of least norm: (N1 - N2 - N3 + N4) / (4 mg / 4).
static double slide_twist_fraction(const mechanism *m)
{
    pawl_pose pose = pawl_state_pose(mechanism_state(m), pawl_model_body_at(m->model, 0));
    double sum = 0.0, twist = 0.0;
    for (int k = 0; k < pawl_sim_contact_count(m->sim); ++k) {
        pawl_contact_info c = pawl_sim_contact(m->sim, k);
        pawl_vec3 at =
            pawl_quat_rotate(quat_conj(pose.orientation), v3_sub(c.position, pose.position));
        sum += c.force.z;
        twist += at.x * at.y > 0.0 ? c.force.z : -c.force.z;
    }
    return twist / sum;
}

// The yaw depends on how the four corners share the weight, which Coulomb's law leaves open: equal
// springs give 2.473 rad.
TEST(s10_a_spinning_box_does_not_lift_off)
{
    slide_s10 even = slide_s10_least_norm();
    print_message("S10 by equal springs: x %.4f m, y %.4f m, yaw %.4f rad\n", even.x, even.y,
                  even.yaw);
    CHECK_NEAR(even.x, 0.952, 5e-4);
    CHECK_NEAR(even.yaw, 2.473, 1e-3);
    static const double steps[3] = {10e-3, 5e-3, 1e-3};
    for (int run = 0; run < 6; ++run) {
        mechanism m;
        pawl_settings settings = scene_settings(steps[run % 3]);
        settings.stepper = run / 3 == 0 ? PAWL_STEPPER_EULER : PAWL_STEPPER_MOREAU;
        scene_load(&m, CLASSIC("S10-spinning-box"), &settings);
        double gap = 0.0, yaw = 0.0, twist = 0.0;
        while (mechanism_time(&m) < 1.5 - 1e-9) {
            scene_step(&m);
            gap =
                fmax(gap, scene_bottom_gap(&m, pawl_model_body_at(m.model, 0), v3(0.1, 0.1, 0.02)));
            yaw = scene_yaw(&m, pawl_model_body_at(m.model, 0), yaw);
            twist = mechanism_time(&m) < 0.6 ? fmax(twist, fabs(slide_twist_fraction(&m))) : twist;
        }
        pawl_vec3 stop = scene_position(&m, pawl_model_body_at(m.model, 0));
        print_message("S10 %s at %g s: stops at x %.4f m, y %.4f m, yaw %.4f rad; gap at most %.1e "
                      "m; %.1e m/s at the end; twist %.3f\n",
                      pawl_stepper_name((int)settings.stepper), settings.dt, stop.x, stop.y, yaw,
                      gap, scene_speed(&m, pawl_model_body_at(m.model, 0)), twist);
        bool euler = settings.stepper == PAWL_STEPPER_EULER;
        double lag = euler ? 0.5 * 3.0 * settings.dt : 0.0; // half a step of the first velocity
        CHECK_NEAR(stop.x + lag, even.x, 1e-3 * even.x);
        if (!euler || settings.dt <= 1e-3) {
            CHECK_NEAR(stop.x, 0.952, 0.01 * 0.952);
        }
        CHECK_NEAR(yaw, 2.473, 0.05 * 2.473);
        CHECK(gap < 1e-9);
        CHECK(scene_speed(&m, pawl_model_body_at(m.model, 0)) < 1e-9);
        mechanism_end(&m);
    }
}
