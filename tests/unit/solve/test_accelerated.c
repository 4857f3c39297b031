// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Accelerated gradients and proximal points on random contact problems of one dense node. Answers are checked by
// Signorini's and Coulomb's laws themselves, written out here.
#include "solve/accelerated.h"
#include "solve/proximal.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { CONTACTS = 6, ROWS = 3 * CONTACTS, WIDTH = 12 };

typedef struct accelerated_case {
    double Y[ROWS * WIDTH], YT[ROWS * WIDTH], weighed[ROWS * WIDTH], v_f[ROWS], compliance[ROWS],
        friction[CONTACTS], weight[ROWS];
    double vectors[SPACE_VECTORS * WIDTH], dense[WIDTH * WIDTH], inverse[WIDTH];
    int pivot[WIDTH];
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
        c->Y[i] = c->YT[i % WIDTH * ROWS + i / WIDTH] = random_in(seed, -1.0, 1.0);
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
    c->space.dense = c->dense;
    c->space.dense_Y = c->Y;
    c->space.dense_YT = c->YT;
    c->space.weighed = c->weighed;
    c->space.inverse = c->inverse;
    c->space.pivot = c->pivot;
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
    double next[ROWS], previous[ROWS], step[ROWS], lambda[2][ROWS], v[2][ROWS];
    for (int k = 0; k < 40; ++k) {
        accelerated_case c;
        case_make(&c, &seed);
        space_problem q = {&c.problem, &c.space, c.weight};
        accelerated_part s = {.at = {.lambda = lambda[0], .v = v[0]}, .next = next};
        s.previous = previous;
        s.step = step;
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

// From an answer of three digits to the last ones, with more rows than velocities.
TEST(proximal_points_reach_coulombs_law)
{
    enum { ROOM = 16384 };
    static double room[ROOM];
    uint64_t seed = 77;
    solver_def def = {.max_rows = ROWS, .max_contacts = CONTACTS};
    pawl_carver mem = {.base = (char *)room, .capacity = sizeof room};
    accelerated_part gradients = pawl_accelerated_layout(&def, &mem);
    curnier_part newton = pawl_curnier_layout(&def, &mem);
    proximal_part s = pawl_proximal_layout(&def, &mem);
    space_iterate x = pawl_space_iterate_layout(ROWS, &mem);
    for (int k = 0; k < 40; ++k) {
        accelerated_case c;
        case_make(&c, &seed);
        space_problem q = {&c.problem, &c.space, c.weight};
        solver_report report = {0};
        for (int i = 0; i < ROWS; ++i) {
            x.lambda[i] = 0.0;
        }
        pawl_accelerated_begin(&gradients, &q);
        pawl_accelerated_run(&gradients, &q, 1e-3, 20000, &x, &report);
        double before = x.natural;
        report = (solver_report){0};
        pawl_proximal_run(&s, &newton, &q, (proximal_goal){1e-11, 1e-9, 200}, &x, &report);
        CHECK(x.natural <= before);
        CHECK(report.factorizations <= 200);
        CHECK(case_violation(&c, x.lambda) <= 1e-8);
    }
}

// A limit of factorizations holds, and an answer is never given up for a worse one.
TEST(proximal_points_keep_to_their_limit)
{
    enum { ROOM = 16384 };
    static double room[ROOM];
    uint64_t seed = 5;
    solver_def def = {.max_rows = ROWS, .max_contacts = CONTACTS};
    pawl_carver mem = {.base = (char *)room, .capacity = sizeof room};
    curnier_part newton = pawl_curnier_layout(&def, &mem);
    proximal_part s = pawl_proximal_layout(&def, &mem);
    space_iterate x = pawl_space_iterate_layout(ROWS, &mem);
    for (int most = 0; most < 12; ++most) {
        accelerated_case c;
        case_make(&c, &seed);
        space_problem q = {&c.problem, &c.space, c.weight};
        solver_report report = {0};
        for (int i = 0; i < ROWS; ++i) {
            x.lambda[i] = 0.0;
        }
        pawl_space_evaluate(&q, &x);
        double before = x.natural;
        pawl_proximal_run(&s, &newton, &q, (proximal_goal){1e-11, 1e-9, most}, &x, &report);
        CHECK(report.factorizations <= most);
        CHECK(x.natural <= before);
    }
}
