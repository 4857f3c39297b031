// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The equations that a stage of nmdp solves, on a tree with one of everything: derivatives against central
// differences, the position-based inertia against sums over mass points, and Algorithm 1's two promises,
// K that never rises and |G| at its tolerance, over random states for all four variants.
#include "step/nmdp/nmdp.h"
#include "support/contact_tree.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { COLUMNS = 24 };

static nmdp *balance_create(mechanism *m, const pawl_settings *settings)
{
    nmdp *s;
    CHECK_OK(pawl_nmdp_create(&m->t.env, m->model, settings, &s));
    CHECK(s->n <= COLUMNS);
    return s;
}

// A stage from a random place with random rates, and theta near its beginning.
static void balance_random_stage(nmdp *s, uint64_t *seed, double h, double *theta)
{
    pawl_state *state;
    CHECK_OK(pawl_state_create(&s->env, s->model, &state));
    pawl_nmdp_read_state(s, state);
    pawl_state_destroy(state);
    s->stage.h = h;
    s->stage.end = s->stage.target_time = 0.0;
    memcpy(s->stage.place.theta, s->begin.theta, (size_t)s->numbers * sizeof(double));
    for (int i = 0; i < s->numbers; ++i) {
        s->stage.rate.theta[i] = random_in(seed, -1.0, 1.0);
    }
    for (int k = 0; k < s->n; ++k) {
        theta[k] = s->begin.theta[k] + random_in(seed, -0.3, 0.3);
    }
    theta[2] = s->begin.theta[2] - random_in(seed, 0.0, 0.1);
    for (int i = 0; i < s->weights; ++i) {
        s->w[i] = random_in(seed, 0.0, 0.15);
    }
    for (int i = 0; i < s->points; ++i) {
        s->point[i].counted = true;
    }
    pawl_nmdp_aim(s);
}

static double balance_size(const double *x, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; ++i) {
        size = fmax(size, fabs(x[i]));
    }
    return size;
}

// Central differences of G, and of K for its gradient.
TEST(derivatives_of_the_balance_are_those_of_differences)
{
    uint64_t seed = 4;
    mechanism m;
    contact_tree_build(&m, &seed);
    for (int trial = 0; trial < 12; ++trial) {
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_NMDP);
        settings.nmdp.dynamics = trial % 2 == 0 ? PAWL_NMDP_NE : PAWL_NMDP_PBD;
        settings.nmdp.energy = trial % 3 == 0 ? PAWL_NMDP_ENERGY_TOTAL : PAWL_NMDP_ENERGY_CONTACT;
        settings.nmdp.stiffness = 1e5;
        nmdp *s = balance_create(&m, &settings);
        double theta[COLUMNS], G[2][COLUMNS], matrix[COLUMNS * COLUMNS], gradient[COLUMNS];
        balance_random_stage(s, &seed, 0.05, theta);
        CHECK(isfinite(pawl_nmdp_balance(s, theta, s->w, G[0], matrix)));
        pawl_nmdp_energy(s, theta, gradient, NULL);
        double size = balance_size(matrix, s->n * s->n), energy[2];
        for (int j = 0; j < s->n; ++j) {
            const double d = 1e-5;
            double at = theta[j];
            for (int side = 0; side < 2; ++side) {
                theta[j] = at + (side == 0 ? d : -d);
                pawl_nmdp_balance(s, theta, s->w, G[side], NULL);
                energy[side] = pawl_nmdp_energy(s, theta, NULL, NULL);
            }
            theta[j] = at;
            for (int i = 0; i < s->n; ++i) {
                CHECK_NEAR((G[0][i] - G[1][i]) / (2 * d), matrix[i * s->n + j], 1e-7 * size);
            }
            CHECK_NEAR((energy[0] - energy[1]) / (2 * d), gradient[j],
                       1e-7 * balance_size(gradient, s->n));
        }
        pawl_nmdp_destroy(s);
    }
    mechanism_end(&m);
}

// dG/dw by differences, exact because G is linear in w.
TEST(columns_of_the_weights_are_those_of_differences)
{
    uint64_t seed = 9;
    mechanism m;
    contact_tree_build(&m, &seed);
    pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_NMDP);
    nmdp *s = balance_create(&m, &settings);
    double theta[COLUMNS], G[2][COLUMNS];
    balance_random_stage(s, &seed, 0.05, theta);
    pawl_nmdp_balance(s, theta, s->w, G[0], NULL);
    pawl_nmdp_columns(s);
    CHECK(s->used_count > 0 && s->used_count < s->weights);
    for (int i = 0; i < s->used_count; ++i) {
        s->w[s->used[i]] += 1.0;
        pawl_nmdp_balance(s, theta, s->w, G[1], NULL);
        s->w[s->used[i]] -= 1.0;
        for (int k = 0; k < s->n; ++k) {
            CHECK_NEAR(s->B[k * s->used_count + i], G[1][k] - G[0][k],
                       1e-9 * (1.0 + balance_size(G[0], s->n)));
        }
    }
    pawl_nmdp_destroy(s);
    mechanism_end(&m);
}

// Both forms of the inertia become the same as h goes to 0: on a smooth motion the difference of G falls
// like h.
TEST(position_based_inertia_goes_to_that_of_newton_and_euler)
{
    uint64_t seed = 21;
    mechanism m;
    contact_tree_build(&m, &seed);
    double last = 0.0;
    for (int k = 0; k < 3; ++k) {
        double h = 1e-3 / (double)(1 << k), G[2][COLUMNS], theta[COLUMNS];
        for (int pbd = 0; pbd < 2; ++pbd) {
            uint64_t same = 77;
            pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_NMDP);
            settings.nmdp.dynamics = pbd ? PAWL_NMDP_PBD : PAWL_NMDP_NE;
            nmdp *s = balance_create(&m, &settings);
            balance_random_stage(s, &same, h, theta);
            memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
            double rate[COLUMNS];
            for (int i = 0; i < s->n; ++i) {
                rate[i] = random_in(&same, -1.0, 1.0);
                theta[i] = s->begin.theta[i] + h * rate[i] + h * h * random_in(&same, -5.0, 5.0);
                s->stage.rate.theta[i] = rate[i];
            }
            // V^ in space is what a step before with the same rate has left.
            for (int i = 0; i < s->n; ++i) {
                s->config.theta[i] = s->begin.theta[i] - h * rate[i];
            }
            pawl_reduced_place(s->motion, &s->config, 0.0);
            pawl_nmdp_read_place(s, &s->now);
            for (int i = s->n; i < s->numbers; ++i) {
                s->stage.rate.theta[i] = (s->begin.theta[i] - s->now.theta[i]) / h;
            }
            pawl_nmdp_balance(s, theta, s->w, G[pbd], NULL);
            pawl_nmdp_destroy(s);
        }
        double difference = 0.0;
        for (int i = 0; i < COLUMNS && i < 14; ++i) {
            difference = fmax(difference, fabs(G[0][i] - G[1][i]));
        }
        CHECK(k == 0 || (difference < 0.6 * last && difference > 0.4 * last));
        last = difference;
    }
    mechanism_end(&m);
}

TEST(energy_never_rises_and_forces_balance_in_all_variants)
{
    uint64_t seed = 33;
    mechanism m;
    contact_tree_build(&m, &seed);
    int outer = 0;
    for (int trial = 0; trial < 48; ++trial) {
        pawl_settings settings = mechanism_settings(1e-2, PAWL_STEPPER_NMDP);
        settings.nmdp.dynamics = trial % 2 == 0 ? PAWL_NMDP_NE : PAWL_NMDP_PBD;
        settings.nmdp.gradient = trial / 2 % 2 == 0 ? PAWL_NMDP_FIRST : PAWL_NMDP_ZEROTH;
        settings.nmdp.energy = (pawl_nmdp_energy_kind)(trial / 4 % PAWL_NMDP_ENERGY_COUNT);
        settings.nmdp.stiffness = 1e6;
        nmdp *s = balance_create(&m, &settings);
        const double steps[] = {1e-3, 5e-3, 2e-2};
        balance_random_stage(s, &seed, steps[trial / 12 % 3], s->theta);
        memcpy(s->theta, s->begin.theta, (size_t)s->n * sizeof *s->theta);
        s->beta = settings.nmdp.beta_min;
        for (int i = 0; i < s->weights; ++i) {
            s->w[i] = trial % 5 == 0 ? 0.0 : s->w[i];
        }
        s->counts = (nmdp_counts){0};
        nmdp_outcome outcome = pawl_nmdp_descend(s);
        CHECK(outcome == NMDP_CONVERGED || settings.nmdp.gradient == PAWL_NMDP_ZEROTH);
        CHECK(s->counts.energy_rise <= 0.0);
        if (outcome == NMDP_CONVERGED) {
            double G[COLUMNS], matrix[COLUMNS * COLUMNS];
            double size = pawl_nmdp_balance(s, s->theta, s->w, G, matrix);
            CHECK(size <= pawl_nmdp_tolerance(s, matrix, s->theta));
            for (int i = 0; i < s->points; ++i) {
                double sum = 0.0;
                for (int k = 0; k < s->point[i].vertex_count; ++k) {
                    CHECK(s->w[s->point[i].first_weight + k] >= 0.0);
                    sum += s->w[s->point[i].first_weight + k];
                }
                CHECK(sum <= 1.0 + 1e-14);
            }
        }
        outer += s->counts.outer;
        pawl_nmdp_destroy(s);
    }
    CHECK(outer > 24); // contacts did have something to decide
    mechanism_end(&m);
}
