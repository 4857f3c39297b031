// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// lemke on its own problem: a polygon with k corners stands in for the friction disk. Its laws are
// stated here by the polygon's edges and by the most that it can dissipate, not by the multipliers of
// the linear complementarity problem. Boxes that slide have closed forms, with the polygon and, when
// rounds turn it, without.
#include "linalg/dense.h"
#include "math/vec.h"
#include "problem/dense_delassus.h"
#include "solve/solver_ops.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { CASE_ROWS = 40, CASE_SPEEDS = 8 };
static const double lemke_pi = 3.14159265358979323846;

typedef struct polygon_case {
    pawl_problem problem;
    dense_delassus matrix;
    double storage[8 * CASE_ROWS * CASE_ROWS];
    problem_block blocks[CASE_ROWS];
    double v_f[CASE_ROWS], lower[CASE_ROWS], upper[CASE_ROWS], zero[CASE_ROWS], mu[CASE_ROWS];
} polygon_case;

// J with fewer speeds than rows: contacts and limits that depend on each other, as those of a few
// bodies do.
static void polygon_make(polygon_case *c, int bounded, int contacts, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    int n = bounded + 3 * contacts;
    double J[CASE_ROWS][CASE_SPEEDS], u[CASE_SPEEDS];
    for (int i = 0; i < CASE_SPEEDS; ++i) {
        u[i] = random_in(seed, -1.0, 1.0);
        for (int r = 0; r < n; ++r) {
            J[r][i] = random_in(seed, -1.0, 1.0);
        }
    }
    pawl_problem *p = &c->problem;
    p->row_count = n;
    p->block_count = bounded + contacts;
    p->contact_count = contacts;
    for (int r = 0; r < bounded; ++r) {
        c->blocks[r] = (problem_block){r, 1};
        int kind = random_index(seed, 4);
        c->lower[r] = kind == 2 ? -INFINITY : kind == 1 ? -random_in(seed, 0.0, 0.2) : 0.0;
        c->upper[r] = kind == 0 ? INFINITY : kind == 3 ? 0.0 : random_in(seed, 0.0, 0.2);
    }
    for (int k = 0; k < contacts; ++k) {
        c->blocks[bounded + k] = (problem_block){bounded + 3 * k, 3};
        c->mu[k] = k % 5 == 4 ? 0.0 : random_in(seed, 0.0, 1.0);
    }
    pawl_carver mem = {.base = (char *)c->storage, .capacity = sizeof c->storage};
    c->matrix = pawl_dense_delassus_layout(CASE_ROWS, &mem);
    pawl_dense_delassus_bind(&c->matrix, p);
    for (int a = 0; a < n; ++a) {
        c->v_f[a] = pawl_dot(J[a], u, CASE_SPEEDS);
        for (int b = 0; b < n; ++b) {
            c->matrix.matrix[a * n + b] = pawl_dot(J[a], J[b], CASE_SPEEDS);
        }
    }
    p->blocks = c->blocks;
    p->v_f = c->v_f;
    p->lower = c->lower;
    p->upper = c->upper;
    p->compliance = c->zero;
    p->friction = c->mu;
}

// The polygon is what lies within mu N cos(pi/k) along the normals of its edges; slip takes out all
// that one of its points can.
static void polygon_check_contact(const double x[3], const double v[3], double mu, int sides)
{
    const double slack = 1e-9;
    double most = 0.0;
    CHECK(x[2] >= 0.0 && v[2] >= -slack);
    CHECK_NEAR(x[2] * v[2], 0.0, slack);
    for (int i = 0; i < sides; ++i) {
        double corner = 2.0 * lemke_pi * i / sides, edge = corner + lemke_pi / sides;
        CHECK(cos(edge) * x[0] + sin(edge) * x[1] <= mu * x[2] * cos(lemke_pi / sides) + slack);
        most = fmax(most, -mu * x[2] * (cos(corner) * v[0] + sin(corner) * v[1]));
    }
    CHECK_NEAR(-(x[0] * v[0] + x[1] * v[1]), most, slack);
}

TEST(random_problems_obey_the_laws_of_the_polygon_and_the_bounds)
{
    static polygon_case c;
    uint64_t seed = 1;
    for (int trial = 0; trial < 300; ++trial) {
        int bounded = random_index(&seed, 6), contacts = 1 + random_index(&seed, 8);
        polygon_make(&c, bounded, contacts, &seed);
        int sides = 4 + 2 * random_index(&seed, 5);
        pawl_env env = pawl_env_default();
        solver_def def = {.kind = PAWL_SOLVER_LEMKE,
                          .max_rows = c.problem.row_count,
                          .max_bounded = bounded,
                          .max_contacts = contacts,
                          .max_block_dim = 3,
                          .max_blocks = c.problem.block_count,
                          .tolerance = 1e-10,
                          .lemke_sides = sides,
                          .lemke_rounds = 1};
        pawl_solver *solver;
        CHECK_OK(pawl_solver_create(&env, &def, &solver));
        solver_report report;
        double lambda[CASE_ROWS] = {0}, v[CASE_ROWS];
        pawl_solver_solve(solver, &c.problem, pawl_solver_goal(solver), lambda, &report);
        pawl_solver_destroy(solver);
        CHECK_INT(report.outcome, PAWL_CONVERGED);
        int n = c.problem.row_count;
        for (int r = 0; r < n; ++r) {
            v[r] = c.v_f[r] + pawl_dot(c.matrix.matrix + r * n, lambda, n);
        }
        for (int r = 0; r < bounded; ++r) {
            CHECK(lambda[r] >= c.lower[r] && lambda[r] <= c.upper[r]);
            CHECK(v[r] <= 1e-9 || lambda[r] - c.lower[r] <= 1e-15);
            CHECK(v[r] >= -1e-9 || c.upper[r] - lambda[r] <= 1e-15);
        }
        for (int k = 0; k < contacts; ++k) {
            int i = bounded + 3 * k;
            polygon_check_contact(lambda + i, v + i, c.mu[k], sides);
        }
    }
}

// ---- A box that slides --------------------------------------------------------------------------

static const double slide_g = 9.81, slide_mu = 0.3, slide_speed = 0.8, slide_dt = 0.01;

// One step of a box on a plane, thrown along it at an angle.
static void slide_step(mechanism *m, double angle, int sides, int rounds)
{
    mechanism_begin(m);
    pawl_builder_set_gravity(m->builder, v3(0, 0, -slide_g));
    pawl_shape_def shape = pawl_shape_def_default();
    shape.friction = slide_mu;
    shape.kind = PAWL_SHAPE_PLANE;
    CHECK_OK(pawl_builder_add_shape(m->builder, PAWL_WORLD, &shape, NULL));
    pawl_body_def body = pawl_body_def_default();
    body.density = 100.0;
    body.pose.position = v3(0, 0, 0.1);
    body.twist.linear = v3(slide_speed * cos(angle), slide_speed * sin(angle), 0);
    pawl_body_id box = mechanism_body(m, &body);
    shape.kind = PAWL_SHAPE_BOX;
    shape.size = v3(0.2, 0.2, 0.1);
    CHECK_OK(pawl_builder_add_shape(m->builder, box, &shape, NULL));
    pawl_settings settings = mechanism_settings(slide_dt, PAWL_STEPPER_EULER);
    settings.solver.kind = PAWL_SOLVER_LEMKE;
    settings.lemke.sides = sides;
    settings.lemke.rounds = rounds;
    mechanism_start(m, &settings);
    mechanism_step(m);
}

// By hand: the corner that opposes the motion best pushes with mu g h, along itself. The step has
// converged, on the polygon's problem; the judge, who knows Coulomb's law alone, says how far off it is:
// the distance of two points on a disk of radius mu g h (in units of velocity).
TEST(a_sliding_box_is_braked_along_the_nearest_corner)
{
    for (int k = 0; k < 5; ++k) {
        mechanism m;
        double angle = 0.3 * k + 0.05, step = 2.0 * lemke_pi / 8.0;
        slide_step(&m, angle, 8, 1);
        double corner = step * floor((angle + lemke_pi) / step + 0.5);
        double push = slide_mu * slide_g * slide_dt;
        pawl_vec3 v = pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear;
        CHECK_NEAR(v.x, slide_speed * cos(angle) + push * cos(corner), 1e-12);
        CHECK_NEAR(v.y, slide_speed * sin(angle) + push * sin(corner), 1e-12);
        CHECK_NEAR(v.z, 0.0, 1e-12);
        CHECK_INT(m.report.outcome, PAWL_CONVERGED);
        CHECK(m.report.residual.natural_scaled > 1e-4);
        mechanism_end(&m);
    }
}

// By hand: Coulomb's law itself, mu g h against the motion, and the judge agrees.
TEST(rounds_turn_the_corner_against_the_motion)
{
    for (int k = 0; k < 5; ++k) {
        mechanism m;
        double angle = 0.3 * k + 0.05, left = slide_speed - slide_mu * slide_g * slide_dt;
        slide_step(&m, angle, k % 2 == 0 ? 8 : 4, 10);
        pawl_vec3 v = pawl_state_twist(mechanism_state(&m), pawl_model_body_at(m.model, 0)).linear;
        CHECK_NEAR(v.x, left * cos(angle), 1e-8);
        CHECK_NEAR(v.y, left * sin(angle), 1e-8);
        CHECK_INT(m.report.outcome, PAWL_CONVERGED);
        CHECK(m.report.residual.natural_scaled <= pawl_sim_settings(m.sim)->solver.tolerance);
        mechanism_end(&m);
    }
}
