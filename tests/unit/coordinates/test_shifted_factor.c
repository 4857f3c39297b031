// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// (D + diag(sigma))^-1 of each kind of operator (by way of the bodies, written out, by conjugate
// gradients) against Gaussian elimination of D + diag(sigma), with D from the operator's products.
#include "coordinates/delassus.h"
#include "problem/velocity_space.h"
#include "support/dense_reference.h"
#include "support/mechanism.h"
#include "support/random.h"
#include "support/test.h"

#include <float.h>
#include <string.h>

enum { SHIFTED_BODIES = 6, SHIFTED_CONTACTS = 12 };

// A chain of two joints, two free bodies, a point mass and a kinematic body.
static void shifted_build(mechanism *m, uint64_t *seed)
{
    mechanism_begin(m);
    for (int i = 0; i < 4; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.1, 10.0);
        def.pose = random_pose(seed, 1.0);
        random_inertia(seed, def.mass, 0.3, def.inertia);
        def.angular_damping = i == 1 ? 0.5 : 0.0;
        mechanism_body(m, &def);
    }
    pawl_body_def point = pawl_body_def_default();
    point.kind = PAWL_BODY_POINT;
    point.mass = 0.7;
    point.pose.position = random_vec(seed, 1.0);
    mechanism_body(m, &point);
    pawl_body_def stage = pawl_body_def_default();
    stage.kind = PAWL_BODY_KINEMATIC;
    mechanism_body(m, &stage);
    mechanism_world_joint(m, PAWL_JOINT_SPHERICAL, pawl_builder_body_at(m->builder, 0),
                          random_vec(seed, 1.0), v3(0, 0, 1));
    pawl_joint_def hinge = mechanism_joint_def(
        m, PAWL_JOINT_REVOLUTE, pawl_builder_body_at(m->builder, 0),
        pawl_builder_body_at(m->builder, 1), random_vec(seed, 1.0), random_vec(seed, 1.0));
    hinge.coordinate[0].lower = 0.0; // at its limit
    hinge.coordinate[0].upper = 1.0;
    mechanism_joint(m, &hinge);
    mechanism_compile(m);
}

static void shifted_contacts(uint64_t *seed, pawl_contact *contacts)
{
    for (int k = 0; k < SHIFTED_CONTACTS; ++k) {
        pawl_vec3 n = random_vec(seed, 1.0);
        int a = random_index(seed, SHIFTED_BODIES + 1) - 1;
        int b = random_index(seed, 5);
        a = a == b ? PAWL_WORLD_INDEX : a; // b can move, a may be anything else
        contacts[k] = (pawl_contact){.body_a = a,
                                     .body_b = b,
                                     .position = random_vec(seed, 1.0),
                                     .normal = v3_scale(1.0 / v3_norm(n), n),
                                     .gap = random_in(seed, -1e-3, 1e-3),
                                     .friction = 0.5,
                                     .id = k};
    }
}

// D column by column through the operator's products.
static int shifted_dense(const pawl_problem *p, double *D)
{
    int n = p->row_count;
    CHECK(n <= DENSE_MAX);
    double x[DENSE_MAX] = {0}, y[DENSE_MAX];
    for (int c = 0; c < n; ++c) {
        x[c] = 1.0;
        p->delassus->ops->apply(p->delassus, x, y);
        for (int r = 0; r < n; ++r) {
            D[r * n + c] = y[r];
        }
        x[c] = 0.0;
    }
    return n;
}

// A random symmetric 3 x 3 block whose eigenvalues are at least 10^low, added to D at row i.
static void shifted_block(double *D, int n, int i, double low, double high, uint64_t *seed,
                          double block[9])
{
    double a[9];
    for (int k = 0; k < 9; ++k) {
        a[k] = sqrt(pow(10.0, random_in(seed, low, high)) / 3.0) * random_in(seed, -1.0, 1.0);
    }
    for (int k = 0; k < 9; ++k) {
        int r = 3 * (k / 3), c = 3 * (k % 3);
        block[k] = a[r] * a[c] + a[r + 1] * a[c + 1] + a[r + 2] * a[c + 2] +
                   (r == c ? pow(10.0, low) : 0.0);
        D[(i + k / 3) * n + i + k % 3] += block[k];
    }
}

static void shifted_check(const pawl_problem *p, pawl_delassus_kind kind, double low, double high,
                          bool blocks, uint64_t *seed)
{
    static double D[DENSE_MAX * DENSE_MAX];
    double sigma[DENSE_MAX], x[DENSE_MAX], b[DENSE_MAX], expected[DENSE_MAX];
    double size = 0.0, trace = 0.0;
    int n = shifted_dense(p, D), first = pawl_problem_contact_row(p, 0);
    double contacts[9 * SHIFTED_CONTACTS];
    for (int i = 0; i < n; ++i) {
        sigma[i] = pow(10.0, random_in(seed, low, high));
        D[i * n + i] += blocks && i >= first ? 0.0 : sigma[i];
        x[i] = b[i] = random_in(seed, -1.0, 1.0);
    }
    for (int k = 0; blocks && k < p->contact_count; ++k) {
        shifted_block(D, n, first + 3 * k, low, high, seed, contacts + 9 * k);
    }
    for (int i = 0; i < n; ++i) {
        trace += D[i * n + i];
    }
    CHECK(p->delassus->ops->factor_shifted(p->delassus, sigma, blocks ? contacts : NULL));
    p->delassus->ops->solve_shifted(p->delassus, x);
    CHECK(dense_solve(D, n, b, expected) > 0.0);
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(expected[i]));
    }
    // Rounding times the condition, of which the trace over the least shift is a bound. What conjugate
    // gradients can attain falls with the number of their iterations, some n, as well.
    double slack = (kind == PAWL_DELASSUS_MATRIX_FREE ? n : 2.0) * DBL_EPSILON;
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(x[i], expected[i], slack * trace / pow(10.0, low) * size);
    }
}

// Random laws S, which need not be symmetric: x = (1 + S D)^-1 b by way of the velocities, x = b - S Y dw.
static void shifted_check_space(const pawl_problem *p, bool symmetric, uint64_t *seed)
{
    static double D[DENSE_MAX * DENSE_MAX], A[DENSE_MAX * DENSE_MAX], S[DENSE_MAX * DENSE_MAX];
    double rows[DENSE_MAX], contacts[9 * SHIFTED_CONTACTS], b[DENSE_MAX], v[DENSE_MAX];
    double expected[DENSE_MAX];
    int n = shifted_dense(p, D), first = pawl_problem_contact_row(p, 0);
    memset(S, 0, sizeof S);
    for (int i = 0; i < n; ++i) {
        rows[i] = random_in(seed, 0.0, 2.0);
        b[i] = random_in(seed, -1.0, 1.0);
        S[i * n + i] = i < first ? rows[i] : 0.0;
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *own = contacts + 9 * k;
        for (int i = 0; i < 9; ++i) {
            own[i] = random_in(seed, -0.2, 0.2) + (i % 4 == 0 ? 1.0 : 0.0);
            own[i] = symmetric && i / 3 > i % 3 ? own[3 * (i % 3) + i / 3] : own[i];
            own[i] = k % 4 == 3 ? 0.0 : own[i]; // open
            S[(first + 3 * k + i / 3) * n + first + 3 * k + i % 3] = own[i];
        }
    }
    velocity_space *space = p->delassus->ops->space(p->delassus);
    CHECK(space != NULL);
    double *w = pawl_space_vector(space, 0);
    pawl_space_gather(space, p, b, w);
    pawl_space_scatter(space, p, w, v);
    dense_product(D, b, n, n, 1, expected);
    for (int i = 0; i < n; ++i) { // Y YT = D
        CHECK_NEAR(v[i], expected[i], 1e-12);
    }
    CHECK(pawl_space_factor(space, p, rows, contacts, symmetric));
    pawl_space_gather(space, p, b, w);
    pawl_space_solve(space, w);
    pawl_space_scatter(space, p, w, v);
    double Sv[DENSE_MAX];
    dense_product(S, v, n, n, 1, Sv);
    dense_product(S, D, n, n, n, A);
    for (int i = 0; i < n; ++i) {
        A[i * n + i] += 1.0;
    }
    CHECK(dense_solve(A, n, b, expected) > 0.0);
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(b[i] - Sv[i], expected[i], 1e-10);
    }
}

// Columns against products with unit impulses, and half solves against whole ones.
static void shifted_check_halves(const pawl_problem *p, uint64_t *seed)
{
    static double D[DENSE_MAX * DENSE_MAX], columns[6 * DENSE_MAX];
    int n = shifted_dense(p, D), free_rows = p->free_row_count;
    for (int k = p->free_block_count; k < p->block_count; ++k) {
        problem_block b = p->blocks[k];
        p->delassus->ops->columns(p->delassus, k, columns);
        for (int c = 0; c < b.dim; ++c) {
            for (int r = 0; r < n; ++r) {
                CHECK_NEAR(columns[c * n + r], D[r * n + b.first_row + c], 1e-12);
            }
        }
    }
    double x[DENSE_MAX], y[DENSE_MAX], half[DENSE_MAX], whole = 0.0, halves = 0.0, size = 0.0;
    for (int i = 0; i < free_rows; ++i) {
        x[i] = half[i] = random_in(seed, -1.0, 1.0);
        y[i] = random_in(seed, -1.0, 1.0);
    }
    p->delassus->ops->factor(p->delassus, p->compliance, 1e-6); // loops need the shift
    p->delassus->ops->solve(p->delassus, x);
    for (int i = 0; i < free_rows; ++i) {
        whole += x[i] * y[i];
        size += fabs(x[i] * y[i]);
    }
    p->delassus->ops->half_solve(p->delassus, half);
    p->delassus->ops->half_solve(p->delassus, y);
    for (int i = 0; i < free_rows; ++i) {
        halves += half[i] * y[i];
    }
    CHECK_NEAR(halves, whole, 1e-9 * size);
}

TEST(every_operator_agrees_with_gaussian_elimination)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < 40; ++trial) {
        mechanism m;
        pawl_assembly *a;
        pawl_delassus *d;
        pawl_state *s;
        shifted_build(&m, &seed);
        CHECK_OK(pawl_assembly_create(&m.t.env, m.model, SHIFTED_CONTACTS, &a));
        pawl_delassus_kind kind = (pawl_delassus_kind)(trial % PAWL_DELASSUS_COUNT);
        CHECK_OK(pawl_delassus_create(&m.t.env, a, kind, &d));
        CHECK_OK(pawl_state_create(&m.t.env, m.model, &s));
        a->problem.delassus = d;
        pawl_contact contacts[SHIFTED_CONTACTS];
        double u_free[6 * SHIFTED_BODIES] = {0};
        step_weights w = {
            .h = 0.01, .reach = 0.01, .theta = 1.0, .ahead = 1.0, .contact_correction_speed = 1.0};
        const int counts[] = {SHIFTED_CONTACTS, 3, 0, 7}; // structures that come and go
        for (int k = 0; k < 4; ++k) {
            shifted_contacts(&seed, contacts);
            pawl_assembly_place(a, s->bodies, s->coordinates, 0.0, 0.01);
            pawl_assembly_set_contacts(a, contacts, counts[k]);
            pawl_assembly_build_problem(a, s->bodies, u_free, &w, false);
            CHECK_INT(a->problem.contact_count, counts[k]);
            if (d->halves && a->problem.free_row_count > 0) {
                shifted_check_halves(&a->problem, &seed);
            }
            if (d->ops->space(d) != NULL) {
                shifted_check_space(&a->problem, true, &seed);
                shifted_check_space(&a->problem, false, &seed);
            }
            for (int blocks = 0; blocks < 2; ++blocks) {
                shifted_check(&a->problem, kind, -1.0, 1.0, blocks == 1, &seed);
                shifted_check(&a->problem, kind, -4.0, -2.0, blocks == 1, &seed);
            }
        }
        pawl_state_destroy(s);
        pawl_delassus_destroy(d);
        pawl_assembly_destroy(a);
        mechanism_end(&m);
    }
}
