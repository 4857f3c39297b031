// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The condensed matrix through the bodies that contacts act on, of random trees of hinges, against one solve a row.
#include "coordinates/delassus.h"
#include "linalg/dense.h"
#include "problem/eliminate.h"
#include "support/mechanism.h"
#include "support/random.h"

#include <math.h>
#include <string.h>

enum { TREE_BODIES = 8, TREE_CONTACTS = 12, TREE_ROWS = 5 * TREE_BODIES + 3 * TREE_CONTACTS };

typedef struct tree_case {
    mechanism m;
    pawl_assembly *a;
    pawl_delassus *d;
    pawl_state *s;
} tree_case;

// Each body hangs on an earlier one or on the world; a kinematic one is among them.
static void tree_case_begin(tree_case *c, pawl_delassus_kind kind, uint64_t *seed)
{
    mechanism_begin(&c->m);
    for (int i = 0; i < TREE_BODIES; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.1, 10.0);
        def.pose = random_pose(seed, 1.0);
        random_inertia(seed, def.mass, 0.3, def.inertia);
        def.kind = i == 0 ? PAWL_BODY_KINEMATIC : PAWL_BODY_RIGID;
        mechanism_body(&c->m, &def);
    }
    for (int i = 1; i < TREE_BODIES; ++i) {
        int parent = random_index(seed, i + 1) - 1;
        pawl_joint_def joint = mechanism_joint_def(
            &c->m, PAWL_JOINT_REVOLUTE,
            parent < 0 ? PAWL_WORLD : pawl_builder_body_at(c->m.builder, parent),
            pawl_builder_body_at(c->m.builder, i), random_vec(seed, 1.0), random_vec(seed, 1.0));
        mechanism_joint(&c->m, &joint);
    }
    mechanism_compile(&c->m);
    const pawl_env *env = &c->m.t.env;
    CHECK_OK(pawl_assembly_create(env, c->m.model, TREE_CONTACTS, &c->a));
    CHECK_OK(pawl_delassus_create(env, c->a, kind, &c->d));
    CHECK_OK(pawl_state_create(env, c->m.model, &c->s));
    c->a->problem.delassus = c->d;
}

static void tree_case_end(tree_case *c)
{
    pawl_state_destroy(c->s);
    pawl_delassus_destroy(c->d);
    pawl_assembly_destroy(c->a);
    mechanism_end(&c->m);
}

// Contacts of `bodies` with the world, with each other and with the one that is kinematic.
static void tree_case_touch(tree_case *c, const int *bodies, int body_count, uint64_t *seed)
{
    pawl_contact contacts[TREE_CONTACTS];
    double u_free[6 * TREE_BODIES] = {0};
    for (int k = 0; k < TREE_CONTACTS; ++k) {
        int b = bodies[k % body_count], a = bodies[random_index(seed, body_count)];
        a = a == b ? random_index(seed, 2) - 1 : a;
        pawl_vec3 n = random_vec(seed, 1.0);
        contacts[k] = (pawl_contact){.body_a = a,
                                     .body_b = b,
                                     .position = random_vec(seed, 1.0),
                                     .normal = v3_scale(1.0 / v3_norm(n), n),
                                     .friction = 0.5,
                                     .id = k};
    }
    step_weights w = {
        .h = 0.01, .reach = 0.01, .theta = 1.0, .ahead = 1.0, .contact_correction_speed = 1.0};
    pawl_assembly_place(c->a, c->s->bodies, c->s->coordinates, 0.0, 0.01);
    pawl_assembly_set_contacts(c->a, contacts, TREE_CONTACTS);
    pawl_assembly_build_problem(c->a, c->s->bodies, u_free, &w, false);
}

// S e_b: velocities of the bounded rows when b gets a unit impulse and the free rows keep still.
static void tree_case_column(tree_case *c, int b, double *column)
{
    const pawl_problem *p = &c->a->problem;
    int n = p->free_row_count;
    double x[TREE_ROWS] = {0}, y[TREE_ROWS];
    x[n + b] = 1.0;
    c->d->ops->apply(c->d, x, y);
    for (int i = 0; i < n; ++i) {
        x[i] = -y[i];
    }
    c->d->ops->solve(c->d, x);
    c->d->ops->apply(c->d, x, y);
    memcpy(column, y + n, (size_t)(p->row_count - n) * sizeof *column);
    column[b] += p->compliance[n + b];
}

static void tree_case_compare(tree_case *c, bool factored)
{
    static double room[TREE_ROWS * TREE_ROWS], S[TREE_ROWS * TREE_ROWS], Y[TREE_ROWS * TREE_ROWS];
    problem_block runs[TREE_ROWS];
    const pawl_problem *p = &c->a->problem;
    int m = p->row_count - p->free_row_count;
    pawl_eliminate_factor(p, 0.0);
    int rank = -1;
    CHECK(c->d->ops->condense_bodies(c->d, 1e-11, room, TREE_ROWS * TREE_ROWS, runs, S,
                                     factored ? Y : NULL, &rank));
    CHECK((rank >= 0) == factored);
    for (int b = 0; b < m; ++b) {
        double column[TREE_ROWS];
        tree_case_column(c, b, column);
        for (int i = 0; i < m; ++i) {
            // Rows that the joints hold still but for 1e-11 of their D count as still, in all of their entries.
            bool still = S[i * m + i] == 0.0 || S[b * m + b] == 0.0;
            CHECK_NEAR(S[i * m + b], column[i], (still ? 1e-4 : 1e-9) * (1.0 + column[b]));
            CHECK(S[i * m + b] == S[b * m + i]);
            if (factored) {
                CHECK_NEAR(pawl_dot(Y + i * rank, Y + b * rank, rank), S[i * m + b],
                           1e-12 * (1.0 + column[b]));
            }
        }
    }
}

TEST(six_columns_a_body_condense_what_one_solve_a_row_does)
{
    static const pawl_delassus_kind kinds[] = {PAWL_DELASSUS_AUTO, PAWL_DELASSUS_DENSE,
                                               PAWL_DELASSUS_SPARSE};
    uint64_t seed = 31;
    for (int round = 0; round < 60; ++round) {
        tree_case c;
        tree_case_begin(&c, kinds[round % 3], &seed);
        int bodies[3], count = 1 + round % 3;
        for (int i = 0; i < count; ++i) {
            bodies[i] = 1 + (random_index(&seed, 2) + 2 * i) % (TREE_BODIES - 1);
        }
        tree_case_touch(&c, bodies, count, &seed);
        tree_case_compare(&c, false);
        tree_case_compare(&c, true);
        tree_case_end(&c);
    }
}

// The eliminator keeps half solves of what it condensed: velocities of bounded rows without impulses of their own are
// those of one solve over all rows, and free rows, given the impulses of the bounded ones, stand still.
static void tree_case_halves(tree_case *c, uint64_t *seed)
{
    static char memory[1 << 20];
    double S[TREE_ROWS * TREE_ROWS], v[TREE_ROWS], x[TREE_ROWS], y[TREE_ROWS];
    const pawl_problem *p = &c->a->problem;
    int n = p->free_row_count, rows = p->row_count, m = rows - n;
    pawl_carver mem = {.base = memory, .capacity = sizeof memory};
    eliminator e = pawl_eliminator_layout(TREE_ROWS, 3 * TREE_CONTACTS, &mem);
    pawl_eliminate_factor(p, 0.0);
    pawl_eliminate_condense(&e, p, x, S, v);
    for (int round = 0; round < 3; ++round) { // what is kept serves for other velocities
        for (int i = 0; i < rows; ++i) {
            c->a->v_f[i] = random_in(seed, -1.0, 1.0);
        }
        pawl_eliminate_velocity(&e, p, x, v);
        double at[TREE_ROWS] = {0};
        for (int i = 0; i < n; ++i) {
            at[i] = -p->v_f[i];
        }
        c->d->ops->solve(c->d, at);
        c->d->ops->apply(c->d, at, y);
        for (int i = 0; i < m; ++i) {
            CHECK_NEAR(v[i], p->v_f[n + i] + y[n + i], 1e-9);
        }
        for (int i = n; i < rows; ++i) {
            at[i] = random_in(seed, -0.1, 0.1);
        }
        CHECK(pawl_eliminate_complete(&e, p, 1e-12, at) >= 1);
        c->d->ops->apply(c->d, at, y);
        for (int i = 0; i < n; ++i) {
            CHECK_NEAR(p->v_f[i] + y[i], 0.0, 1e-11);
        }
    }
    // A problem of free rows alone has no velocities to be found: what the last one left is not used.
    c->a->problem.row_count = n;
    double alone[TREE_ROWS];
    pawl_eliminate_complete(&e, p, 1e-12, alone);
    c->d->ops->solve(c->d, memcpy(y, p->v_f, (size_t)n * sizeof *y));
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(alone[i], -y[i], 1e-9 * (1.0 + fabs(y[i])));
    }
}

TEST(half_solves_serve_velocities_and_impulses_of_the_free_rows)
{
    static const pawl_delassus_kind kinds[] = {PAWL_DELASSUS_AUTO, PAWL_DELASSUS_DENSE,
                                               PAWL_DELASSUS_SPARSE};
    uint64_t seed = 77;
    for (int round = 0; round < 60; ++round) {
        tree_case c;
        tree_case_begin(&c, kinds[round % 3], &seed);
        int bodies[TREE_BODIES - 1], count = round % 2 == 0 ? 1 + round % 3 : TREE_BODIES - 1;
        for (int i = 0; i < count; ++i) { // few bodies: by bodies; many: row by row
            bodies[i] =
                count < 4 ? 1 + (random_index(&seed, 2) + 2 * i) % (TREE_BODIES - 1) : 1 + i;
        }
        tree_case_touch(&c, bodies, count, &seed);
        tree_case_halves(&c, &seed);
        tree_case_end(&c);
    }
}

// Few contacts on many bodies have fewer columns of their own.
TEST(bodies_that_carry_little_are_left_to_their_rows)
{
    static const int bodies[] = {1, 2, 3, 4, 5, 6, 7};
    uint64_t seed = 5;
    double room[1] = {0}, S[1];
    problem_block runs[TREE_ROWS];
    tree_case c;
    tree_case_begin(&c, PAWL_DELASSUS_AUTO, &seed);
    tree_case_touch(&c, bodies, 7, &seed);
    pawl_eliminate_factor(&c.a->problem, 0.0);
    CHECK(!c.d->ops->condense_bodies(c.d, 1e-11, room, TREE_ROWS * TREE_ROWS, runs, S, NULL, NULL));
    const int one[] = {7};
    tree_case_touch(&c, one, 1, &seed);
    CHECK(!c.d->ops->condense_bodies(c.d, 1e-11, room, 1, runs, S, NULL, NULL)); // no room
    tree_case_end(&c);
}
