// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The stepper rattle: reversal, energy and momentum over long times, the four-bar against an
// integration of its own equation of motion, and what it hands over to moreau.
#include "math/rotation.h"
#include "model/state.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/reference.h"
#include <math.h>
#include <string.h>

static pawl_settings rattle_settings(double dt, int order)
{
    pawl_settings settings = mechanism_settings(dt, PAWL_STEPPER_RATTLE);
    settings.rattle.order = order;
    return settings;
}

typedef struct rattle_scene {
    pawl_env env;
    pawl_model *model;
    pawl_sim *sim;
} rattle_scene;

static void rattle_begin(rattle_scene *x, const char *path, const pawl_settings *settings)
{
    x->env = reference_env();
    x->model = reference_load_model(&x->env, path);
    CHECK(x->model != NULL);
    CHECK_OK(pawl_sim_create(&x->env, x->model, settings, &x->sim));
}

static void rattle_run(rattle_scene *x, int steps)
{
    for (int k = 0; k < steps; ++k) {
        pawl_step_report report;
        CHECK_OK(pawl_sim_step(x->sim, &report));
        CHECK(report.outcome == PAWL_CONVERGED && !report.fell_back);
    }
}

static void rattle_end(rattle_scene *x)
{
    pawl_sim_destroy(x->sim);
    pawl_model_destroy(x->model);
}

static void rattle_turn_back(rattle_scene *x)
{
    pawl_state *s = NULL;
    CHECK_OK(pawl_state_create(&x->env, x->model, &s));
    pawl_state_copy(s, pawl_sim_state(x->sim));
    for (int i = 0; i < x->model->body_count; ++i) {
        s->bodies[i].v = v3_scale(-1.0, s->bodies[i].v);
        s->bodies[i].w = v3_scale(-1.0, s->bodies[i].w);
    }
    CHECK_OK(pawl_sim_set_state(x->sim, s));
    pawl_state_destroy(s);
}

// Definition of reversibility: with all velocities reversed the same steps lead back.
TEST(with_velocities_reversed_it_comes_back)
{
    static const struct {
        const char *path;
        double dt;
        int steps;
    } runs[] = {
        {"models/classics/A01-pendulum.sdf", 5e-3, 1000},
        {"models/classics/A04-bricard.sdf", 5e-3, 400},
        {"models/classics/D1-dzhanibekov.sdf", 1e-2, 500},
        {"models/classics/D2-heavy-top.sdf", 5e-4, 1000},
        {"models/classics/chain-10.sdf", 2e-3, 200},
        {"models/lit/fourbar-passive.sdf", 2.5e-3, 1000},
        {"models/quickstart.sdf", 2e-3, 300},
    };
    for (size_t k = 0; k < 2 * sizeof runs / sizeof runs[0]; ++k) {
        pawl_settings settings = rattle_settings(runs[k / 2].dt, k % 2 ? 4 : 2);
        rattle_scene x;
        rattle_begin(&x, runs[k / 2].path, &settings);
        int n = x.model->body_count;
        body_state *start = test_malloc((size_t)n * sizeof *start);
        memcpy(start, pawl_sim_state(x.sim)->bodies, (size_t)n * sizeof *start);
        rattle_run(&x, runs[k / 2].steps);
        double away = 0.0, left = 0.0;
        const body_state *end = pawl_sim_state(x.sim)->bodies;
        for (int i = 0; i < n; ++i) {
            away = fmax(away, v3_max_abs(v3_sub(end[i].r, start[i].r)));
            away = fmax(away, v3_norm(quat_log(quat_mul(end[i].q, quat_conj(start[i].q)))));
        }
        rattle_turn_back(&x);
        rattle_run(&x, runs[k / 2].steps);
        end = pawl_sim_state(x.sim)->bodies;
        for (int i = 0; i < n; ++i) {
            left = fmax(left, v3_max_abs(v3_sub(end[i].r, start[i].r)));
            left = fmax(left, v3_max_abs(v3_add(end[i].v, start[i].v)));
            left = fmax(left, v3_max_abs(v3_add(end[i].w, start[i].w)));
            left = fmax(left, v3_norm(quat_log(quat_mul(end[i].q, quat_conj(start[i].q)))));
        }
        print_message("%-36s order %d: was %.2g away, comes back to %.1e\n", runs[k / 2].path,
                      settings.rattle.order, away, left);
        CHECK(away > 1e-2);
        CHECK(left <= 1e-9);
        test_free(start);
        rattle_end(&x);
    }
}

// Energy swings with the motion but has no trend: its mean over the last tenth of 100 s is that over the
// first tenth, up to a small part of the swing.
TEST(energy_does_not_drift_in_a_hundred_seconds)
{
    static const struct {
        const char *path;
        double dt;
        int order;
    } runs[] = {{"models/lit/fourbar-passive.sdf", 2.5e-3, 2},
                {"models/lit/fourbar-passive.sdf", 5e-3, 4},
                {"models/classics/A01-pendulum.sdf", 1e-2, 2},
                {"models/classics/A04-bricard.sdf", 1e-2, 2}};
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; ++k) {
        pawl_settings settings = rattle_settings(runs[k].dt, runs[k].order);
        rattle_scene x;
        rattle_begin(&x, runs[k].path, &settings);
        int tenth = (int)lround(10.0 / runs[k].dt);
        double mean[10], swing = 0.0;
        for (int n = 0; n < 10; ++n) {
            mean[n] = 0.0;
            for (int i = 0; i < tenth; ++i) {
                pawl_step_report report;
                CHECK_OK(pawl_sim_step(x.sim, &report));
                swing = fmax(swing, fabs(report.energy.balance));
                mean[n] += report.energy.balance / tenth;
            }
        }
        double energy_error = mean[9] - mean[0];
        print_message("%s, order %d: energy swings by %.1e J, drifts by %.1e J in 100 s\n",
                      runs[k].path, runs[k].order, swing, energy_error);
        CHECK(fabs(energy_error) <= 0.1 * swing + 1e-12);
        rattle_end(&x);
    }
}

// Noether: no torque about z acts on the top, none at all on a free linkage about its centre of mass.
TEST(angular_momentum_stays_to_the_last_digit)
{
    pawl_settings settings = rattle_settings(5e-4, 2);
    rattle_scene x;
    rattle_begin(&x, "models/classics/D2-heavy-top.sdf", &settings);
    mechanism m = {.model = x.model, .sim = x.sim};
    double L = mechanism_angular_momentum(&m).z;
    rattle_run(&x, 4000);
    CHECK_NEAR(mechanism_angular_momentum(&m).z, L, 1e-11 * fabs(L));
    rattle_end(&x);

    settings = rattle_settings(2e-3, 4);
    rattle_begin(&x, "models/primitives/fourbar-free.sdf", &settings);
    m = (mechanism){.model = x.model, .sim = x.sim};
    pawl_vec3 about[2];
    for (int k = 0; k < 2; ++k) {
        pawl_vec3 centre = {0};
        const pawl_state *s = pawl_sim_state(x.sim);
        for (int i = 0; i < x.model->body_count; ++i) {
            double fraction = x.model->bodies[i].mass / x.model->total_mass;
            centre = v3_axpy(centre, fraction, s->bodies[i].r);
        }
        about[k] = v3_sub(mechanism_angular_momentum(&m), v3_cross(centre, mechanism_momentum(&m)));
        for (int i = 0, fell_back = 0; i < 1000 && k == 0; ++i) { // it is flat once
            pawl_step_report report;
            CHECK_OK(pawl_sim_step(x.sim, &report));
            fell_back += report.fell_back ? 1 : 0;
            CHECK(report.outcome == PAWL_CONVERGED && fell_back <= 2);
        }
    }
    CHECK(v3_norm(about[0]) > 0.1);
    CHECK_NEAR3(about[1], about[0], 1e-11);
    rattle_end(&x);
}

// Noether again: two bodies on a joint, with a spring, in free flight. Every impulse comes in equal and
// opposite pairs, at both ends of a step, so both momenta stay for any joint and any inertia.
TEST(a_floating_pair_keeps_both_momenta_for_any_joint)
{
    uint64_t seed = 4;
    for (int kind = 0; kind < PAWL_JOINT_GEAR; ++kind) {
        for (int order = 2; order <= 4; order += 2) {
            mechanism m;
            mechanism_begin(&m);
            pawl_body_id body[2];
            for (int k = 0; k < 2; ++k) {
                pawl_body_def def = pawl_body_def_default();
                def.mass = 1.0 + k;
                random_inertia(&seed, 1.0, 0.3, def.inertia);
                def.pose = random_pose(&seed, 0.5);
                def.twist.linear = random_vec(&seed, 1.0);
                def.twist.angular = random_vec(&seed, 3.0);
                body[k] = mechanism_body(&m, &def);
            }
            pawl_joint_def joint = mechanism_joint_def(&m, (pawl_joint_kind)kind, body[0], body[1],
                                                       v3(0.1, 0.2, 0.3), v3(0.2, 1, 0.1));
            joint.pitch = 0.1;
            if (kind == PAWL_JOINT_DISTANCE) {
                joint.follower_frame.position.x += 0.5;
            }
            if (pawl_joint_kind_coordinates((pawl_joint_kind)kind) > 0) {
                joint.coordinate[0].stiffness = 3.0;
                joint.coordinate[0].rest = 0.2;
            }
            mechanism_joint(&m, &joint);
            pawl_settings settings = rattle_settings(2e-3, order);
            mechanism_start(&m, &settings);
            pawl_vec3 p = mechanism_momentum(&m), L = mechanism_angular_momentum(&m);
            mechanism_run(&m, 500);
            CHECK_INT(m.verdict.fell_back, 0);
            CHECK_NEAR3(mechanism_momentum(&m), p, 2e-12);
            CHECK_NEAR3(mechanism_angular_momentum(&m), L, 1e-11);
            mechanism_end(&m);
        }
    }
}

// --- the passive four-bar by its own equation of motion --------------------------------------------

// Inertia seen at the crank and potential energy at crank angle a, from the lengths and masses of
// models/lit/fourbar-passive.sdf alone: C is where the circles about B and D meet, and rates follow
// from B' + w (C - B)^ = v (C - D)^ with x^ = (-x.z, x.x).
static void fourbar_at(double a, double *inertia, double *potential)
{
    const double ground = 0.3, crank = 0.1, coupler = 0.3, rocker = 0.25, g = 9.81;
    const double mass[3] = {0.2, 0.6, 0.5}, length[3] = {crank, coupler, rocker};
    double bx = crank * cos(a), bz = crank * sin(a);
    double dx = ground - bx, dz = -bz, d = sqrt(dx * dx + dz * dz);
    double along = (coupler * coupler - rocker * rocker + d * d) / (2.0 * d);
    double up = sqrt(coupler * coupler - along * along);
    double cx = bx + (along * dx - up * dz) / d, cz = bz + (along * dz + up * dx) / d;
    double px = cx - bx, pz = cz - bz, qx = cx - ground, qz = cz; // coupler and rocker
    // (-bz, bx) + w (-pz, px) = v (-qz, qx), by Cramer's rule
    double det = pz * qx - px * qz;
    double w = (-bz * qx + bx * qz) / det, v = (-bz * px + bx * pz) / det;
    double mx = -bz - 0.5 * w * pz, mz = bx + 0.5 * w * px; // rate of the coupler's centre
    const double rate[3] = {1.0, w, v};
    *inertia = 0.25 * mass[0] * crank * crank + mass[1] * (mx * mx + mz * mz) +
               0.25 * mass[2] * rocker * rocker * v * v;
    for (int k = 0; k < 3; ++k) {
        *inertia += mass[k] * length[k] * length[k] / 12.0 * rate[k] * rate[k];
    }
    *potential = g * (0.5 * mass[0] * bz + 0.5 * mass[1] * (bz + cz) + 0.5 * mass[2] * cz);
}

// I a'' + I' a'^2 / 2 + V' = 0, derivatives by central differences of order four.
static double fourbar_acceleration(double a, double rate)
{
    const double e = 1e-3, weight[4] = {1.0, -8.0, 8.0, -1.0}, at[4] = {-2, -1, 1, 2};
    double inertia, potential, slope[2] = {0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        fourbar_at(a + at[k] * e, &inertia, &potential);
        slope[0] += weight[k] * inertia / (12.0 * e);
        slope[1] += weight[k] * potential / (12.0 * e);
    }
    fourbar_at(a, &inertia, &potential);
    return -(0.5 * slope[0] * rate * rate + slope[1]) / inertia;
}

// Crank angle after t from rest at -20 degrees, by Runge and Kutta's method.
static double fourbar_angle(double t, int steps)
{
    double h = t / steps, a = -M_PI / 9.0, r = 0.0;
    for (int i = 0; i < steps; ++i) {
        double k1 = fourbar_acceleration(a, r), r2 = r + 0.5 * h * k1;
        double k2 = fourbar_acceleration(a + 0.5 * h * r, r2), r3 = r + 0.5 * h * k2;
        double k3 = fourbar_acceleration(a + 0.5 * h * r2, r3), r4 = r + h * k3;
        double k4 = fourbar_acceleration(a + h * r3, r4);
        a += h * (r + 2.0 * r2 + 2.0 * r3 + r4) / 6.0;
        r += h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0;
    }
    return a;
}

// How far the crank has turned from its start, about -y as the angle above.
static double fourbar_run(double t, double dt, int order)
{
    pawl_settings settings = rattle_settings(dt, order);
    rattle_scene x;
    rattle_begin(&x, "models/lit/fourbar-passive.sdf", &settings);
    rattle_run(&x, (int)lround(t / dt));
    double q[6];
    pawl_state_joint(pawl_sim_state(x.sim), pawl_model_find_joint(x.model, "A"), q, NULL);
    rattle_end(&x);
    return -q[0];
}

TEST(the_passive_fourbar_follows_its_equation_of_motion)
{
    const double t = 5.0, start = -M_PI / 9.0;
    double exact = fourbar_angle(t, 40000) - start, converged = fourbar_run(t, 2.5e-3 / 16, 4);
    CHECK_NEAR(converged, exact, 1e-8);
    for (int order = 2; order <= 4; order += 2) {
        double error[3];
        for (int k = 0; k < 3; ++k) {
            error[k] = fabs(fourbar_run(t, 2.5e-3 / (1 << k), order) - converged);
        }
        double rate = reference_order(error[1], error[2]);
        print_message("four-bar, 5 s at 2.5 ms, order %d: crank angle off by %.2e %.2e %.2e rad, "
                      "order %.2f\n",
                      order, error[0], error[1], error[2], rate);
        CHECK_NEAR(rate, order, 0.3);
        CHECK(error[0] <= (order == 2 ? 5e-4 : 1e-7));
    }
}

// --- what is left to moreau -----------------------------------------------------------------------

static void rattle_pendulum(mechanism *m, double damping, double lower)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -9.81));
    pawl_body_id body = mechanism_solid(m, 1.0, v3(0.5, 0, 0), v3(0.01, 0.02, 0.03));
    pawl_joint_def def =
        mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, PAWL_WORLD, body, v3(0, 0, 0), v3(0, -1, 0));
    def.coordinate[0].damping = damping;
    def.coordinate[0].lower = lower;
    mechanism_joint(m, &def);
}

TEST(dampers_make_it_moreau_bit_by_bit)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; ++k) {
        mechanism m;
        rattle_pendulum(&m, 0.1, -INFINITY);
        pawl_settings settings = rattle_settings(1e-3, 4);
        settings.stepper = k == 0 ? PAWL_STEPPER_RATTLE : PAWL_STEPPER_MOREAU;
        mechanism_start(&m, &settings);
        mechanism_run(&m, 100);
        CHECK_INT(m.verdict.fell_back, k == 0 ? 100 : 0);
        hash[k] = pawl_state_hash(mechanism_state(&m));
        mechanism_end(&m);
    }
    CHECK(hash[0] == hash[1]);
}

// The pendulum falls from the horizontal; only where its limit is near is it moreau's.
TEST(limits_make_it_moreau_where_they_are_near)
{
    mechanism m;
    rattle_pendulum(&m, 0.0, -1.2);
    pawl_settings settings = rattle_settings(1e-3, 4);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 2000);
    print_message("pendulum against a limit: %d of 2000 steps fell back\n",
                  (int)m.verdict.fell_back);
    CHECK(m.verdict.fell_back > 100 && m.verdict.fell_back < 1900);
    CHECK_NEAR(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0), -1.2, 1e-3);
    CHECK(m.verdict.closure.limit <= 1e-4);
    mechanism_end(&m);
}

// Free fall to a floor: the height before it is exact, since f is constant; then contact.
TEST(contacts_make_it_moreau_where_they_are_near)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -10));
    pawl_body_id ball = mechanism_solid(&m, 1.0, v3(0, 0, 1.1), v3(0.004, 0.004, 0.004));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.kind = PAWL_SHAPE_SPHERE;
    shape.size = v3(0.1, 0, 0);
    CHECK_OK(pawl_builder_add_shape(m.builder, ball, &shape, NULL));
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m.builder, PAWL_WORLD, &shape, NULL));
    pawl_settings settings = rattle_settings(1e-2, 4);
    mechanism_start(&m, &settings);
    mechanism_run(&m, 40);
    CHECK_INT(m.verdict.fell_back, 0);
    CHECK_NEAR(pawl_state_pose(mechanism_state(&m), ball).position.z, 1.1 - 0.8, 1e-13);
    mechanism_run(&m, 60);
    CHECK(m.verdict.fell_back >= 50);
    CHECK_NEAR(pawl_state_pose(mechanism_state(&m), ball).position.z, 0.1, 1e-3);
    mechanism_end(&m);
}

// A spring is explicit up to h w = 1; beyond, the step is implicit and stays bounded.
TEST(stiff_springs_make_it_moreau)
{
    for (int stiff = 0; stiff < 2; ++stiff) {
        mechanism m;
        mechanism_begin(&m);
        pawl_body_id body = mechanism_solid(&m, 1.0, v3(0.1, 0, 0), v3(0.01, 0.01, 0.01));
        pawl_joint_def def = mechanism_joint_def(&m, PAWL_JOINT_PRISMATIC, PAWL_WORLD, body,
                                                 v3(0.1, 0, 0), v3(1, 0, 0));
        def.coordinate[0].stiffness = stiff ? 1.01e4 : 0.99e4;
        def.coordinate[0].rest = -0.1;
        mechanism_joint(&m, &def);
        pawl_settings settings = rattle_settings(1e-2, 2);
        mechanism_start(&m, &settings);
        mechanism_run(&m, 1000);
        CHECK_INT(m.verdict.fell_back, stiff ? 1000 : 0);
        CHECK(fabs(mechanism_position(&m, pawl_model_joint_at(m.model, 0), 0) + 0.1) <= 0.101);
        mechanism_end(&m);
    }
}

TEST(without_projection_it_is_refused_with_a_reason)
{
    mechanism m;
    rattle_pendulum(&m, 0.0, -INFINITY);
    mechanism_compile(&m);
    pawl_settings settings = rattle_settings(1e-3, 2);
    settings.project = false;
    pawl_sim *sim = NULL;
    CHECK_STATUS(pawl_sim_create(&m.t.env, m.model, &settings, &sim), PAWL_BAD_ARGUMENT);
    CHECK(sim == NULL);
    CHECK(strstr(m.t.last_message, "project=off") != NULL);
    mechanism_end(&m);
}

// Closed form: a constant force does work F (x - x0), the books of which are exact to rounding with a
// trapezoidal rule, and a motor's at order two and four otherwise.
TEST(the_energy_of_a_driven_crank_balances_with_the_order_of_the_step)
{
    for (int order = 2; order <= 4; order += 2) {
        double off[2];
        for (int k = 0; k < 2; ++k) {
            pawl_settings settings = rattle_settings(1e-3 / (1 << k), order);
            rattle_scene x;
            rattle_begin(&x, "models/classics/C1-slider-crank.sdf", &settings);
            off[k] = 0.0;
            for (int i = 0; i < 500 << k; ++i) {
                pawl_step_report report;
                CHECK_OK(pawl_sim_step(x.sim, &report));
                off[k] = fmax(off[k], fabs(report.energy.balance));
            }
            rattle_end(&x);
        }
        print_message("slider-crank, order %d: books off by %.1e J, %.1e J at half the step\n",
                      order, off[0], off[1]);
        CHECK_NEAR(reference_order(off[0], off[1]), order, 0.3);
    }
}
