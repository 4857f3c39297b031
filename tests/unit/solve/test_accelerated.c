// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Accelerated gradients on random contact problems of one dense node. Answers are checked by Signorini's and Coulomb's
// laws themselves, written out here.
#include "solve/accelerated.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { CONTACTS = 6, ROWS = 3 * CONTACTS, WIDTH = 12 };

typedef struct accelerated_case {
    double Y[ROWS * WIDTH], v_f[ROWS], compliance[ROWS], friction[CONTACTS], weight[ROWS];
    double vectors[SPACE_VECTORS * WIDTH];
    problem_block blocks[CONTACTS];
    int first_side[CONTACTS + 1], side_node[CONTACTS];
    const double *side_Y[CONTACTS];
    velocity_space space;
    pawl_problem problem;
} accelerated_case;

// More rows than velocities: impulses are not unique, as under four corners of a face.
static void case_make(accelerated_case *c, uint64_t *seed)
{
    *c = (accelerated_case){0};
    for (int i = 0; i < ROWS * WIDTH; ++i) {
        c->Y[i] = random_in(seed, -1.0, 1.0);
    }
    for (int k = 0; k < CONTACTS; ++k) {
        c->friction[k] = random_in(seed, 0.1, 0.8);
        c->blocks[k] = (problem_block){3 * k, 3};
        c->first_side[k + 1] = k + 1;
        c->side_Y[k] = c->Y + 3 * WIDTH * k;
        double mean = 0.0;
        for (int r = 3 * k; r < 3 * k + 3; ++r) {
            c->v_f[r] = r % 3 == 2 ? random_in(seed, -1.0, 0.3) : random_in(seed, -1.0, 1.0);
            for (int j = 0; j < WIDTH; ++j) {
                mean += c->Y[WIDTH * r + j] * c->Y[WIDTH * r + j] / 3.0;
            }
        }
        c->weight[3 * k] = c->weight[3 * k + 1] = c->weight[3 * k + 2] = mean;
    }
    c->space = (velocity_space){.width = WIDTH, .node_count = 1, .first_side = c->first_side};
    c->space.side_node = c->side_node;
    c->space.side_Y = c->side_Y;
    c->space.vectors = c->vectors;
    c->problem = (pawl_problem){.row_count = ROWS, .block_count = CONTACTS, .blocks = c->blocks};
    c->problem.contact_count = CONTACTS;
    c->problem.v_f = c->v_f;
    c->problem.compliance = c->compliance;
    c->problem.friction = c->friction;
}

// The largest violation of the laws by impulses x: cones, complementarity of the normals, and slip against friction.
static double case_violation(const accelerated_case *c, const double *x)
{
    double worst = 0.0, w[WIDTH] = {0};
    for (int i = 0; i < ROWS; ++i) {
        for (int j = 0; j < WIDTH; ++j) {
            w[j] += c->Y[WIDTH * i + j] * x[i];
        }
    }
    for (int k = 0; k < CONTACTS; ++k) {
        double v[3], mu = c->friction[k];
        const double *f = x + 3 * k;
        for (int r = 0; r < 3; ++r) {
            v[r] = c->v_f[3 * k + r];
            for (int j = 0; j < WIDTH; ++j) {
                v[r] += c->Y[WIDTH * (3 * k + r) + j] * w[j];
            }
        }
        double slip = hypot(v[0], v[1]), force = hypot(f[0], f[1]);
        worst = fmax(worst, fmax(-v[2], fmax(-f[2], force - mu * f[2])));
        worst = fmax(worst, fabs(v[2] * f[2]));
        // friction does all the work that it can: v_T . f_T = -mu f_N |v_T|
        worst = fmax(worst, fabs(v[0] * f[0] + v[1] * f[1] + mu * f[2] * slip));
    }
    return worst;
}

TEST(accelerated_gradients_reach_coulombs_law)
{
    uint64_t seed = 20261;
    double next[ROWS], previous[ROWS], lambda[2][ROWS], v[2][ROWS];
    for (int k = 0; k < 40; ++k) {
        accelerated_case c;
        case_make(&c, &seed);
        space_problem q = {&c.problem, &c.space, c.weight};
        accelerated_part s = {.at = {.lambda = lambda[0], .v = v[0]}, .next = next};
        s.previous = previous;
        space_iterate x = {.lambda = lambda[1], .v = v[1]};
        for (int i = 0; i < ROWS; ++i) {
            x.lambda[i] = 0.0;
        }
        solver_report report = {0};
        pawl_accelerated_begin(&s, &q);
        pawl_accelerated_run(&s, &q, 1e-11, 20000, &x, &report);
        CHECK(report.iterations < 20000);
        CHECK(case_violation(&c, x.lambda) <= 1e-8);
    }
}
