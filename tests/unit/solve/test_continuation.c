// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Newton's path on problems that have directions in which impulses move nothing: feet of a robot
// whose legs do not give sideways. One has an answer by hand; the others are judged by the natural map.
#include "problem/natural.h"
#include "solve/continuation.h"
#include "support/contract_case.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

typedef struct path_case {
    test_env t;
    contract_case c;
    double lambda[CASE_ROWS], v[CASE_ROWS], weight[CASE_ROWS];
    int iterations;
} path_case;

static void path_case_begin(path_case *x, int contacts, int bounded, int speeds)
{
    memset(x, 0, sizeof *x);
    test_env_init(&x->t);
    contract_case *c = &x->c;
    c->rows = bounded + 3 * contacts;
    c->speeds = speeds;
    for (int r = 0; r < c->rows; ++r) {
        c->lower[r] = r < bounded ? 0.0 : -INFINITY;
        c->upper[r] = INFINITY;
    }
    for (int b = 0; b < bounded + contacts; ++b) {
        int row = b < bounded ? b : bounded + 3 * (b - bounded);
        c->blocks[b] = (problem_block){row, b < bounded ? 1 : 3};
    }
    for (int i = 0; i < speeds; ++i) {
        c->W[i] = 1.0;
    }
    c->problem.block_count = bounded + contacts;
    c->problem.contact_count = contacts;
}

// Runs the path from zero; returns the scaled natural map of what came out.
static double path_case_solve(path_case *x, double goal, bool *converged)
{
    contract_case *c = &x->c;
    contract_pose(c, false);
    pawl_problem_weights(&c->problem, x->weight);
    solver_def def = {.max_rows = CASE_ROWS};
    pawl_carver need = {0};
    (void)pawl_continuation_layout(&def, &need);
    char *memory = pawl_alloc(&x->t.env, need.used);
    pawl_carver mem = {.base = memory, .capacity = need.used};
    continuation_part part = pawl_continuation_layout(&def, &mem);
    *converged =
        pawl_continuation_run(&part, &c->problem, x->weight, goal, 400, x->lambda, &x->iterations);
    pawl_free(&x->t.env, memory, need.used);
    contract_velocity(c, x->lambda, x->v);
    return pawl_problem_natural(&c->problem, x->lambda, x->v, x->weight);
}

static void path_case_end(path_case *x)
{
    CHECK_NO_LEAK(&x->t);
}

// D = diag(1, 0, 1): what creeps along the second tangent cannot be stopped, so friction opposes it
// in full, however slow it is.
TEST(what_no_impulse_can_stop_is_opposed_by_all_of_friction)
{
    const double creep[] = {1e-3, -1e-6, 1e-9};
    for (size_t i = 0; i < sizeof creep / sizeof creep[0]; ++i) {
        path_case x;
        path_case_begin(&x, 1, 0, 2);
        x.c.J[0] = x.c.J[2 * 2 + 1] = 1.0;
        x.c.friction[0] = 0.5;
        x.c.v_f[1] = creep[i];
        x.c.v_f[2] = -2.0;
        bool converged;
        CHECK(path_case_solve(&x, 1e-11, &converged) <= 1e-11);
        CHECK(converged);
        CHECK_NEAR(x.lambda[0], 0.0, 1e-9);
        CHECK_NEAR(x.lambda[1], creep[i] > 0.0 ? -1.0 : 1.0, 1e-9);
        CHECK_NEAR(x.lambda[2], 2.0, 1e-9);
        path_case_end(&x);
    }
}

// Feet that share two speeds sideways (shift and yaw) and have two each of their own, with a mismatch
// that the shared ones cannot take up, and some limits.
static void path_case_robot(path_case *x, uint64_t *seed)
{
    int feet = 2 + random_index(seed, 4), bounded = random_index(seed, 3);
    path_case_begin(x, feet, bounded, 2 + 2 * feet + 2);
    contract_case *c = &x->c;
    double mismatch = 1e-5 * random_in(seed, 0.0, 1.0) * random_in(seed, 0.0, 1.0);
    for (int b = 0; b < bounded; ++b) {
        for (int i = 0; i < c->speeds; ++i) {
            c->J[b * c->speeds + i] = random_in(seed, -0.3, 0.3);
        }
        c->v_f[b] = random_in(seed, -0.2, 0.2);
    }
    for (int k = 0; k < feet; ++k) {
        int row = bounded + 3 * k;
        double *along = c->J + row * c->speeds, *across = along + c->speeds;
        double *up = across + c->speeds, place = random_in(seed, -1.0, 1.0);
        along[2 + 2 * k] = 1.0;
        up[2 + 2 * k + 1] = 0.4;
        up[c->speeds - 1] = 0.3;
        up[c->speeds - 2] = 0.3 * place;
        along[c->speeds - 1] = random_in(seed, -0.1, 0.1);
        across[0] = 0.2;
        across[1] = 0.2 * place;
        c->friction[k] = random_in(seed, 0.2, 1.0);
        c->v_f[row] = random_in(seed, -0.2, 0.2);
        c->v_f[row + 1] = random_in(seed, -mismatch, mismatch);
        c->v_f[row + 2] = random_in(seed, -0.3, 0.05);
    }
}

TEST(robots_on_stiff_legs_are_solved_in_few_steps)
{
    uint64_t seed = 20;
    int lost = 0;
    for (int i = 0; i < 2000; ++i) {
        path_case x;
        path_case_robot(&x, &seed);
        bool converged;
        double natural = path_case_solve(&x, 1e-10, &converged);
        CHECK(converged == (natural <= 1e-10));
        lost += converged ? 0 : 1;
        CHECK(x.iterations <= 100);
        path_case_end(&x);
    }
    CHECK_INT(lost, 0);
}

// A problem that asks for nothing, and one too large, are left alone.
TEST(what_is_not_for_the_path_is_left_as_it_was)
{
    path_case x;
    path_case_begin(&x, 2, 0, 6);
    for (int r = 0; r < 6; ++r) {
        x.c.J[r * 6 + r] = 1.0;
    }
    bool converged;
    CHECK(path_case_solve(&x, 1e-10, &converged) == 0.0);
    CHECK(!converged && x.iterations == 0);
    for (int r = 0; r < 6; ++r) {
        CHECK(x.lambda[r] == 0.0);
    }
    path_case_end(&x);
}
