// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Chains of geared joints: a rotor's inertia on every hinge, which turns with the relative angle. The answer is that of
// Lagrange's equations for a planar chain, integrated by the classical Runge-Kutta method with a tenth of the step:
//   sum_j (c_ij cos(p_i - p_j) + A_ij) p_j'' + c_ij sin(p_i - p_j) p_j'^2 = -g w_i sin p_i,
// with p the angles of the rods from hanging down and A the armatures' matrix. Corrections of positions and velocities
// used to leave the armatures out of their metric, which is another mechanics: energy drifted at a rate that no step size
// changed.
#include "pawl/io.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHAIN_LINKS = 3, CHAIN_TEXT = 8192 };
static const double chain_g = 9.81;

typedef struct armature_chain {
    double length, mass[CHAIN_LINKS], armature[CHAIN_LINKS],
        angle[CHAIN_LINKS]; // from hanging down
} armature_chain;

static armature_chain random_chain(uint64_t *seed)
{
    armature_chain c = {.length = random_in(seed, 0.2, 1.0)};
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        c.mass[i] = random_in(seed, 0.3, 3.0);
        c.armature[i] = random_in(seed, 0.05, 1.0) * c.mass[i] * c.length * c.length;
        c.angle[i] = random_in(seed, -1.5, 1.5);
    }
    return c;
}

// ---- The answer ----------------------------------------------------------------------------------

static double chain_coefficient(const armature_chain *c, int i, int j)
{
    int last = i > j ? i : j;
    double square = c->length * c->length, sum = 0.0;
    for (int k = last + 1; k < CHAIN_LINKS; ++k) {
        sum += c->mass[k] * square;
    }
    // Slender rods: m L^2 / 4 + m L^2 / 12 of its own.
    return sum + c->mass[last] * square * (i == j ? 1.0 / 3.0 : 0.5);
}

static double chain_armature(const armature_chain *c, int i, int j)
{
    double next = (i > j ? i : j) + 1 < CHAIN_LINKS ? c->armature[(i > j ? i : j) + 1] : 0.0;
    return i == j                     ? c->armature[i] + next
           : i - j == 1 || j - i == 1 ? -c->armature[i > j ? i : j]
                                      : 0.0;
}

static void chain_accelerations(const armature_chain *c, const double *p, const double *w,
                                double *out)
{
    double M[CHAIN_LINKS][CHAIN_LINKS + 1];
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        double lever = 0.5 * c->mass[i] * c->length;
        for (int k = i + 1; k < CHAIN_LINKS; ++k) {
            lever += c->mass[k] * c->length;
        }
        M[i][CHAIN_LINKS] = -chain_g * lever * sin(p[i]);
        for (int j = 0; j < CHAIN_LINKS; ++j) {
            M[i][j] = chain_coefficient(c, i, j) * cos(p[i] - p[j]) + chain_armature(c, i, j);
            M[i][CHAIN_LINKS] -= chain_coefficient(c, i, j) * sin(p[i] - p[j]) * w[j] * w[j];
        }
    }
    for (int k = 0; k < CHAIN_LINKS; ++k) { // positive definite: no pivoting
        for (int i = k + 1; i < CHAIN_LINKS; ++i) {
            double factor = M[i][k] / M[k][k];
            for (int j = k; j <= CHAIN_LINKS; ++j) {
                M[i][j] -= factor * M[k][j];
            }
        }
    }
    for (int i = CHAIN_LINKS - 1; i >= 0; --i) {
        out[i] = M[i][CHAIN_LINKS];
        for (int j = i + 1; j < CHAIN_LINKS; ++j) {
            out[i] -= M[i][j] * out[j];
        }
        out[i] /= M[i][i];
    }
}

static void chain_answer(const armature_chain *c, double end, double h, double *p)
{
    double w[CHAIN_LINKS] = {0.0};
    memcpy(p, c->angle, sizeof c->angle);
    for (int step = 0, steps = (int)(end / h + 0.5); step < steps; ++step) {
        double kp[4][CHAIN_LINKS], kw[4][CHAIN_LINKS];
        static const double at[] = {0.0, 0.5, 0.5, 1.0};
        for (int stage = 0; stage < 4; ++stage) {
            double q[CHAIN_LINKS], v[CHAIN_LINKS];
            for (int i = 0; i < CHAIN_LINKS; ++i) {
                q[i] = p[i] + (stage > 0 ? h * at[stage] * kp[stage - 1][i] : 0.0);
                v[i] = w[i] + (stage > 0 ? h * at[stage] * kw[stage - 1][i] : 0.0);
            }
            memcpy(kp[stage], v, sizeof v);
            chain_accelerations(c, q, v, kw[stage]);
        }
        for (int i = 0; i < CHAIN_LINKS; ++i) {
            p[i] += h / 6.0 * (kp[0][i] + 2.0 * kp[1][i] + 2.0 * kp[2][i] + kp[3][i]);
            w[i] += h / 6.0 * (kw[0][i] + 2.0 * kw[1][i] + 2.0 * kw[2][i] + kw[3][i]);
        }
    }
}

// ---- The same by pawl ------------------------------------------------------------------------------

static void chain_text(const armature_chain *c, char *text)
{
    int used = snprintf(text, CHAIN_TEXT,
                        "<sdf version='1.10' xmlns:pawl='urn:pawl:sdf'><world name='w'>"
                        "<gravity>0 0 -9.81</gravity><model name='chain'>");
    double x = 0.0, z = 0.0, L = c->length;
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        // The rod hangs along -z at angle 0 and turns about y; its frame is at its upper end.
        double across = c->mass[i] * L * L / 12.0;
        used += snprintf(text + used, (size_t)(CHAIN_TEXT - used),
                         "<link name='l%d'><pose>%.17g 0 %.17g 0 %.17g 0</pose><inertial>"
                         "<pose>0 0 %.17g 0 0 0</pose><mass>%.17g</mass><inertia><ixx>%.17g</ixx>"
                         "<iyy>%.17g</iyy><izz>%.17g</izz></inertia></inertial></link>",
                         i, x, z, c->angle[i], -0.5 * L, c->mass[i], across, across, 0.1 * across);
        char parent[8] = "world";
        if (i > 0) {
            snprintf(parent, sizeof parent, "l%d", i - 1);
        }
        used +=
            snprintf(text + used, (size_t)(CHAIN_TEXT - used),
                     "<joint name='j%d' type='revolute'><parent>%s</parent><child>l%d</child>"
                     "<axis><xyz>0 1 0</xyz></axis><pawl:armature>%.17g</pawl:armature></joint>",
                     i, parent, i, c->armature[i]);
        x -= L * sin(c->angle[i]);
        z -= L * cos(c->angle[i]);
    }
    snprintf(text + used, (size_t)(CHAIN_TEXT - used), "</model></world></sdf>");
}

// The largest distance of an angle from the answer, and of the energy from what it was.
static double chain_error(const armature_chain *c, pawl_stepper_kind stepper,
                          pawl_formulation formulation, double dt, double end, double *energy)
{
    test_env t;
    test_env_init(&t);
    char text[CHAIN_TEXT];
    chain_text(c, text);
    pawl_model *model = NULL;
    CHECK_OK(pawl_model_parse(&t.env, "chain.sdf", text, strlen(text), NULL, &model));
    pawl_settings settings = mechanism_settings(dt, stepper);
    settings.formulation = formulation;
    pawl_sim *sim = NULL;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    for (int k = 0, steps = (int)(end / dt + 0.5); k < steps; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    double answer[CHAIN_LINKS], error = 0.0, sum = 0.0;
    chain_answer(c, end, 0.1 * dt, answer);
    for (int i = 0; i < CHAIN_LINKS; ++i) {
        double turned = 0.0; // relative, from the start
        CHECK_OK(
            pawl_state_joint(pawl_sim_state(sim), pawl_model_joint_at(model, i), &turned, NULL));
        sum += turned;
        error = fmax(error, fabs(c->angle[i] + sum - answer[i]));
    }
    pawl_energy e = pawl_state_energy(pawl_sim_state(sim));
    *energy = fabs(e.balance);
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return error;
}

// Second order in the step, with every stepper and in both formulations, for random chains.
TEST(chains_of_geared_joints_follow_lagrange)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_MOREAU, PAWL_STEPPER_LIT};
    static const pawl_formulation formulations[] = {PAWL_FORMULATION_MAXIMAL,
                                                    PAWL_FORMULATION_REDUCED};
    uint64_t seed = 20;
    for (int k = 0; k < 6; ++k) {
        armature_chain c = random_chain(&seed);
        for (size_t s = 0; s < sizeof steppers / sizeof steppers[0]; ++s) {
            for (size_t f = 0; f < sizeof formulations / sizeof formulations[0]; ++f) {
                double energy, finer;
                double coarse_error =
                    chain_error(&c, steppers[s], formulations[f], 2e-3, 0.5, &energy);
                double error = chain_error(&c, steppers[s], formulations[f], 1e-3, 0.5, &finer);
                CHECK(error < 1e-4);
                // A quarter at half the step, where rounding does not blur it.
                CHECK(error < 0.35 * coarse_error || error < 1e-9);
                CHECK(finer < 1e-4 * c.mass[0] * chain_g * c.length);
            }
        }
    }
}

// First order, and no rate of its own: half the step, half the error.
TEST(euler_follows_lagrange_to_first_order)
{
    uint64_t seed = 21;
    for (int k = 0; k < 4; ++k) {
        armature_chain c = random_chain(&seed);
        double energy;
        double coarse_error =
            chain_error(&c, PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL, 2e-3, 0.5, &energy);
        double error =
            chain_error(&c, PAWL_STEPPER_EULER, PAWL_FORMULATION_MAXIMAL, 1e-3, 0.5, &energy);
        CHECK(error < 0.6 * coarse_error || error < 1e-6);
    }
}

// ---- A slider on a turning arm -------------------------------------------------------------------

// Its coordinate's rate changes while no twist does, as the arm turns: rows of armatures used to leave that out, and a
// public model of this kind gained energy without bound, at any step size. Lagrange's equations of the arm's angle p, about
// y, and the distance r of the slider from the axis, with armatures b and a:
//   (m + a) r'' = m r p'^2 - k (q - rest) - m g sin p,   d/dt ((I + b + m r^2) p') = -g (m r + M c) cos p,
// the arm along x at p = 0 and lifted by p > 0.
typedef struct armature_arm {
    double M, c, I, m, J, k, rest, a, b, r, rate; // J the slider's own inertia
} armature_arm;

static armature_arm random_arm(uint64_t *seed)
{
    armature_arm x = {.M = random_in(seed, 0.2, 2.0),
                      .c = random_in(seed, 0.1, 0.5),
                      .m = random_in(seed, 0.2, 2.0),
                      .J = random_in(seed, 1e-3, 1e-2),
                      .k = random_in(seed, 20.0, 100.0),
                      .r = random_in(seed, 0.5, 1.0),
                      .rest = random_in(seed, -0.2, 0.2), // of the coordinate
                      .a = random_in(seed, 0.1, 5.0),
                      .b = random_in(seed, 0.0, 0.5)};
    x.I = random_in(seed, 0.01, 0.1);
    return x;
}

static void arm_rates(const armature_arm *x, const double *y, double *out)
{
    double p = y[0], r = y[1], w = y[2], v = y[3];
    out[0] = w;
    out[1] = v;
    out[2] = (-chain_g * (x->m * r + x->M * x->c) * cos(p) - 2.0 * x->m * r * v * w) /
             (x->I + x->J + x->M * x->c * x->c + x->b + x->m * r * r);
    out[3] =
        (x->m * r * w * w - x->k * (r - x->r - x->rest) - x->m * chain_g * sin(p)) / (x->m + x->a);
}

static void arm_answer(const armature_arm *x, double end, double h, double *y)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    memcpy(y, (const double[4]){0.0, x->r, 0.0, 0.0}, 4 * sizeof *y);
    for (int k = 0, steps = (int)(end / h + 0.5); k < steps; ++k) {
        double rate[4][4];
        for (int stage = 0; stage < 4; ++stage) {
            double z[4];
            for (int i = 0; i < 4; ++i) {
                z[i] = y[i] + (stage > 0 ? h * at[stage] * rate[stage - 1][i] : 0.0);
            }
            arm_rates(x, z, rate[stage]);
        }
        for (int i = 0; i < 4; ++i) {
            y[i] += h / 6.0 * (rate[0][i] + 2.0 * rate[1][i] + 2.0 * rate[2][i] + rate[3][i]);
        }
    }
}

static void arm_text(const armature_arm *x, char *text)
{
    snprintf(text, CHAIN_TEXT,
             "<mujoco><worldbody><body name='arm'>"
             "<inertial pos='%.17g 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
             "<joint name='p' axis='0 -1 0' armature='%.17g'/>"
             "<body name='slider' pos='%.17g 0 0'>"
             "<inertial pos='0 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
             "<joint name='r' type='slide' axis='1 0 0' stiffness='%.17g' springref='%.17g' "
             "armature='%.17g'/></body></body></worldbody></mujoco>",
             x->c, x->M, x->I, x->I, x->I, x->b, x->r, x->m, x->J, x->J, x->J, x->k, x->rest, x->a);
}

typedef struct arm_way {
    pawl_stepper_kind stepper;
    pawl_lit_variant variant;
    pawl_formulation formulation;
    bool project;
    double
        order; // error of half the step, of that of the whole: 1/4 or, with terms of second order beside, 1/2
} arm_way;

// The distance of angle and slider from the answer.
static double arm_error(const armature_arm *x, const arm_way *way, double dt, double end)
{
    test_env t;
    test_env_init(&t);
    char text[CHAIN_TEXT];
    arm_text(x, text);
    pawl_model *model = NULL;
    CHECK_OK(pawl_model_parse(&t.env, "arm.xml", text, strlen(text), NULL, &model));
    pawl_settings settings = mechanism_settings(dt, way->stepper);
    settings.formulation = way->formulation;
    settings.lit.variant = way->variant;
    settings.project = way->project;
    pawl_sim *sim = NULL;
    CHECK_OK(pawl_sim_create(&t.env, model, &settings, &sim));
    for (int k = 0, steps = (int)(end / dt + 0.5); k < steps; ++k) {
        CHECK_OK(pawl_sim_step(sim, NULL));
    }
    double y[4], value[2] = {0.0, 0.0};
    arm_answer(x, end, 1e-4, y);
    for (int i = 0; i < 2; ++i) {
        CHECK_OK(
            pawl_state_joint(pawl_sim_state(sim), pawl_model_joint_at(model, i), &value[i], NULL));
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    CHECK_NO_LEAK(&t);
    return fmax(fabs(value[0] - y[0]), fabs(value[1] - (y[1] - x->r)));
}

TEST(a_geared_slider_on_an_arm_follows_lagrange)
{
    static const arm_way ways[] = {
        {PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_MAXIMAL, true, 0.3},
        {PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_REDUCED, true, 0.3},
        {PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_MAXIMAL, true, 0.3},
        {PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_REDUCED, true, 0.3},
        {PAWL_STEPPER_LIT, PAWL_LIT_SDIRK2, PAWL_FORMULATION_MAXIMAL, true, 0.3},
        {PAWL_STEPPER_LIT, PAWL_LIT_PAPER, PAWL_FORMULATION_MAXIMAL, true, 0.65},
        {PAWL_STEPPER_EULER, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_MAXIMAL, true, 0.65},
        {PAWL_STEPPER_EULER, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_REDUCED, true, 0.65},
        {PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_MAXIMAL, false, 0.65},
        {PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT, PAWL_FORMULATION_MAXIMAL, false, 0.65},
    };
    uint64_t seed = 22;
    for (int k = 0; k < 3; ++k) {
        armature_arm x = random_arm(&seed);
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
            double coarse_error = arm_error(&x, &ways[i], 2e-3, 0.5);
            double error = arm_error(&x, &ways[i], 1e-3, 0.5);
            CHECK(error < (ways[i].order < 0.5 ? 1e-4 : 1e-2));
            CHECK(error < ways[i].order * coarse_error);
        }
    }
}
