// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Islands of random models against a search over all pairs of bodies, their operators against that of all
// rows, and motions solved by islands against those solved together.
#include "coordinates/delassus.h"
#include "support/dense_reference.h"
#include "support/many_things.h"
#include "support/random.h"

#include <float.h>
#include <string.h>

enum { ISLAND_BODIES = 10, ISLAND_CONTACTS = 6 };

typedef struct island_case {
    mechanism m;
    pawl_assembly *a;
    pawl_delassus *whole, *part;
    pawl_state *s;
    island_list *list;
    pawl_contact contacts[ISLAND_CONTACTS];
} island_case;

// Bodies of all kinds, some joined to each other or to the world, one of them driven.
static void island_case_build(mechanism *m, uint64_t *seed)
{
    mechanism_begin(m);
    for (int i = 0; i < ISLAND_BODIES; ++i) {
        pawl_body_def def = pawl_body_def_default();
        def.mass = random_in(seed, 0.1, 10.0);
        def.pose = random_pose(seed, 1.0);
        random_inertia(seed, def.mass, 0.3, def.inertia);
        def.kind = i == 3 ? PAWL_BODY_KINEMATIC : i == 7 ? PAWL_BODY_POINT : PAWL_BODY_RIGID;
        mechanism_body(m, &def);
    }
    for (int k = random_index(seed, 6); k > 0; --k) {
        int b = random_index(seed, ISLAND_BODIES);
        int a = random_index(seed, b + 1) - 1;
        if (a == 7 || b == 7 || (a < 0 && b == 3)) {
            continue; // a point mass has no hinges, and one side must move
        }
        pawl_joint_def joint = mechanism_joint_def(
            m, PAWL_JOINT_REVOLUTE, a < 0 ? PAWL_WORLD : pawl_builder_body_at(m->builder, a),
            pawl_builder_body_at(m->builder, b), random_vec(seed, 1.0), random_vec(seed, 1.0));
        joint.coordinate[0].friction = 1.0;
        mechanism_joint(m, &joint);
    }
    mechanism_compile(m);
}

static void island_case_begin(island_case *c, pawl_delassus_kind kind, uint64_t *seed)
{
    island_case_build(&c->m, seed);
    const pawl_env *env = &c->m.t.env;
    CHECK_OK(pawl_assembly_create(env, c->m.model, ISLAND_CONTACTS, &c->a));
    CHECK_OK(pawl_delassus_create(env, c->a, kind, &c->whole));
    CHECK_OK(pawl_delassus_create_part(env, c->whole, &c->part));
    CHECK_OK(pawl_island_list_create(env, c->a, pawl_delassus_free_factor(c->whole), &c->list));
    CHECK_OK(pawl_state_create(env, c->m.model, &c->s));
    c->a->problem.delassus = c->whole;
}

static void island_case_pose(island_case *c, uint64_t *seed)
{
    double u_free[6 * ISLAND_BODIES];
    for (int i = 0; i < 6 * ISLAND_BODIES; ++i) {
        u_free[i] = random_in(seed, -1.0, 1.0);
    }
    int count = random_index(seed, ISLAND_CONTACTS + 1);
    for (int k = 0; k < count; ++k) {
        pawl_vec3 n = random_vec(seed, 1.0);
        int b = random_index(seed, ISLAND_BODIES), a = random_index(seed, b + 1) - 1;
        c->contacts[k] = (pawl_contact){.body_a = a,
                                        .body_b = b,
                                        .position = random_vec(seed, 1.0),
                                        .normal = v3_scale(1.0 / v3_norm(n), n),
                                        .friction = random_in(seed, 0.0, 1.0),
                                        .id = k};
    }
    step_weights w = {
        .h = 0.01, .reach = 0.01, .theta = 1.0, .ahead = 1.0, .contact_correction_speed = 1.0};
    pawl_assembly_place(c->a, c->s->bodies, c->s->coordinates, 0.0, 0.01);
    pawl_assembly_set_contacts(c->a, c->contacts, count);
    pawl_assembly_build_problem(c->a, c->s->bodies, u_free, &w, false);
}

static void island_case_end(island_case *c)
{
    pawl_state_destroy(c->s);
    pawl_island_list_destroy(c->list);
    pawl_delassus_destroy(c->part);
    pawl_delassus_destroy(c->whole);
    pawl_assembly_destroy(c->a);
    mechanism_end(&c->m);
}

static bool island_case_moves(const island_case *c, int body)
{
    return c->m.model->bodies[body].inverse_mass > 0.0;
}

// label: the lowest body that paths of rows lead to, found by passing it on until nothing changes. Rows
// that move nothing get ISLAND_BODIES.
static int island_case_label(const island_case *c, int block, const int *label)
{
    const row_block *b = &c->a->blocks[block];
    int lowest = ISLAND_BODIES;
    for (int s = 0; s < b->body_count; ++s) {
        if (island_case_moves(c, b->body[s]) && label[b->body[s]] < lowest) {
            lowest = label[b->body[s]];
        }
    }
    return lowest;
}

static void island_case_search(const island_case *c, int *label)
{
    for (int i = 0; i < ISLAND_BODIES; ++i) {
        label[i] = i;
    }
    for (int pass = 0; pass < ISLAND_BODIES; ++pass) {
        for (int k = 0; k < c->a->problem.block_count; ++k) {
            int lowest = island_case_label(c, k, label);
            const row_block *b = &c->a->blocks[k];
            for (int s = 0; s < b->body_count; ++s) {
                if (island_case_moves(c, b->body[s])) {
                    label[b->body[s]] = lowest;
                }
            }
        }
    }
}

// Rows of the whole with this label, free ones first; returns their number.
static int island_case_rows(const island_case *c, const int *label, int wanted, int *rows)
{
    int count = 0;
    for (int k = 0; k < c->a->problem.block_count; ++k) {
        problem_block b = c->a->problem.blocks[k];
        for (int r = 0; r < b.dim && island_case_label(c, k, label) == wanted; ++r) {
            rows[count++] = b.first_row + r;
        }
    }
    return count;
}

// The problem of an island has the rows of the whole: told by v_f, which no two have in common.
static void island_case_match(const island_case *c, const island *own, int *rows, int count)
{
    const pawl_problem *p = &c->a->problem, *q = &own->problem;
    CHECK_INT(q->row_count, count);
    int sorted[DENSE_MAX];
    for (int i = 0; i < count; ++i) {
        int found = -1;
        for (int j = 0; j < count; ++j) {
            found = p->v_f[rows[j]] == q->v_f[i] ? rows[j] : found;
        }
        CHECK(found >= 0);
        sorted[i] = found;
        CHECK(q->lower[i] == p->lower[found] && q->upper[i] == p->upper[found]);
        CHECK(q->compliance[i] == p->compliance[found]);
        CHECK((i < q->free_row_count) == (found < p->free_row_count));
    }
    int first = pawl_problem_contact_row(q, 0), whole = pawl_problem_contact_row(p, 0);
    for (int k = 0; k < q->contact_count; ++k) {
        CHECK((sorted[first + 3 * k] - whole) % 3 == 0);
        CHECK(q->friction[k] == p->friction[(sorted[first + 3 * k] - whole) / 3]);
    }
    memcpy(rows, sorted, (size_t)count * sizeof *rows);
}

static void island_case_products(const island_case *c, const island *own, const int *rows,
                                 uint64_t *seed)
{
    const pawl_problem *q = &own->problem;
    double X[DENSE_MAX] = {0}, Y[DENSE_MAX], x[DENSE_MAX], y[DENSE_MAX], diagonal[DENSE_MAX];
    for (int i = 0; i < q->row_count; ++i) {
        X[rows[i]] = x[i] = random_in(seed, -1.0, 1.0);
    }
    c->whole->ops->apply(c->whole, X, Y);
    q->delassus->ops->apply(q->delassus, x, y);
    for (int i = 0; i < q->row_count; ++i) {
        CHECK_NEAR(y[i], Y[rows[i]], 1e-12);
    }
    c->whole->ops->diagonal(c->whole, 0, Y);
    q->delassus->ops->diagonal(q->delassus, 0, diagonal);
    q->delassus->ops->sweep_begin(q->delassus, x);
    for (int k = 0; k < q->block_count; ++k) {
        double v[6];
        problem_block b = q->blocks[k];
        q->delassus->ops->sweep_velocity(q->delassus, k, v);
        for (int r = 0; r < b.dim; ++r) {
            CHECK_NEAR(diagonal[b.first_row + r], Y[rows[b.first_row + r]], 1e-12);
            CHECK_NEAR(v[r], y[b.first_row + r], 1e-12);
        }
    }
}

// With the island's own factor, then with that of all rows: to the bit what the whole gives.
static void island_case_solves(const island_case *c, const island *own, const int *rows,
                               uint64_t *seed)
{
    const pawl_problem *q = &own->problem;
    double X[DENSE_MAX] = {0}, x[2][DENSE_MAX];
    for (int i = 0; i < q->free_row_count; ++i) {
        X[rows[i]] = x[0][i] = x[1][i] = random_in(seed, -1.0, 1.0);
    }
    pawl_delassus_prepare_parts(c->whole, 0);
    q->delassus->ops->factor(q->delassus, q->compliance, 1e-8);
    q->delassus->ops->solve(q->delassus, x[0]);
    c->whole->ops->factor(c->whole, c->a->problem.compliance, 1e-8);
    c->whole->factored = c->a->problem.factor_key;
    c->whole->ops->solve(c->whole, X);
    q->delassus->ops->factor(q->delassus, q->compliance, 1e-8);
    q->delassus->ops->solve(q->delassus, x[1]);
    for (int i = 0; i < q->free_row_count; ++i) {
        CHECK(x[0][i] == X[rows[i]]);
        CHECK(x[1][i] == X[rows[i]]);
    }
}

static void island_case_shifted(const island *own, uint64_t *seed)
{
    static double D[DENSE_MAX * DENSE_MAX];
    pawl_delassus *d = own->problem.delassus;
    int n = own->problem.row_count;
    double x[DENSE_MAX] = {0}, y[DENSE_MAX], b[DENSE_MAX], sigma[DENSE_MAX];
    double trace = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        x[i] = 1.0;
        d->ops->apply(d, x, y);
        x[i] = 0.0;
        sigma[i] = random_in(seed, 0.1, 1.0);
        for (int r = 0; r < n; ++r) {
            D[r * n + i] = y[r] + (r == i ? sigma[i] : 0.0);
        }
        trace += D[i * n + i];
    }
    for (int i = 0; i < n; ++i) {
        x[i] = b[i] = random_in(seed, -1.0, 1.0);
    }
    CHECK(d->ops->factor_shifted(d, sigma, NULL));
    d->ops->solve_shifted(d, x);
    CHECK(dense_solve(D, n, b, y) > 0.0);
    for (int i = 0; i < n; ++i) {
        size = fmax(size, fabs(y[i]));
    }
    for (int i = 0; i < n; ++i) {
        CHECK_NEAR(x[i], y[i], 2 * n * DBL_EPSILON * trace / 0.1 * size);
    }
}

TEST(islands_are_what_a_search_finds_and_their_operators_are_parts_of_the_whole)
{
    uint64_t seed = 1;
    int most = 0;
    for (int trial = 0; trial < 80; ++trial) {
        static island_case c;
        pawl_delassus_kind kind = (pawl_delassus_kind)(trial % PAWL_DELASSUS_COUNT);
        island_case_begin(&c, kind, &seed);
        for (int round = 0; round < 4; ++round) {
            int label[ISLAND_BODIES], rows[DENSE_MAX], seen = 0;
            double lambda[DENSE_MAX], back[DENSE_MAX] = {0};
            island_case_pose(&c, &seed);
            island_case_search(&c, label);
            for (int i = 0; i < c.a->problem.row_count; ++i) {
                lambda[i] = random_in(&seed, -1.0, 1.0);
            }
            int count = pawl_island_list_find(c.list);
            pawl_island_list_split(c.list, lambda);
            pawl_island_list_collect(c.list, back);
            for (int i = 0; i < c.a->problem.row_count; ++i) {
                CHECK(back[i] == lambda[i]);
            }
            // What is written out is one matrix: there all joints are of one island.
            for (int wanted = 0; wanted <= ISLAND_BODIES && kind != PAWL_DELASSUS_DENSE; ++wanted) {
                int row_count = island_case_rows(&c, label, wanted, rows);
                if (row_count == 0) {
                    continue;
                }
                CHECK(seen < count);
                island *own = pawl_island_list_item(c.list, seen++);
                pawl_delassus_bind(c.part, own);
                island_case_match(&c, own, rows, row_count);
                island_case_products(&c, own, rows, &seed);
                if (kind != PAWL_DELASSUS_MATRIX_FREE) {
                    island_case_solves(&c, own, rows, &seed);
                }
                island_case_shifted(own, &seed);
            }
            CHECK(kind == PAWL_DELASSUS_DENSE || seen == count);
            most = count > most ? count : most;
        }
        island_case_end(&c);
    }
    CHECK(most >= 5);
}

// Chains of three links each, some with friction in their joints: no contacts, so that every answer is
// exact but for rounding, whether it is found for all of them or for each.
TEST(mechanisms_move_alike_alone_and_together)
{
    enum { CHAINS = 5, LINKS = 3 };
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -9.81));
    for (int i = 0; i < CHAINS * LINKS; ++i) {
        int link = i % LINKS;
        pawl_vec3 at = v3(0.2 * link + 0.1, 2.0 * (i / LINKS), 0.0);
        pawl_body_id body = mechanism_solid(&m, 1.0 + 0.1 * i, at, v3(1e-3, 4e-3, 4e-3));
        pawl_joint_def joint = mechanism_joint_def(
            &m, PAWL_JOINT_REVOLUTE,
            link == 0 ? PAWL_WORLD : pawl_builder_body_at(m.builder, pawl_body_index(body) - 1),
            body, v3(0.2 * link, at.y, 0.0), v3(0, 1, 0));
        joint.coordinate[0].friction = i % 2 == 0 ? 0.1 : 0.0;
        mechanism_joint(&m, &joint);
    }
    pawl_pose together[CHAINS * LINKS];
    for (int variant = 0; variant < 2; ++variant) {
        pawl_settings settings = mechanism_settings(1e-3, PAWL_STEPPER_MOREAU);
        settings.solver.islands = variant == 1;
        mechanism_restart(&m, &settings);
        mechanism_run(&m, 200);
        CHECK_INT(m.report.islands, variant == 1 ? CHAINS : 1);
        for (int i = 0; i < CHAINS * LINKS; ++i) {
            pawl_pose pose = pawl_state_pose(mechanism_state(&m), pawl_model_body_at(m.model, i));
            if (variant == 1) {
                CHECK_NEAR3(pose.position, together[i].position, 1e-10);
            }
            together[i] = pose;
        }
    }
    mechanism_end(&m);
}

// The judge sees the problem of all rows, whoever solved it in which pieces.
TEST(a_problem_of_islands_is_solved_as_a_whole)
{
    mechanism m;
    many_things_build(&m);
    pawl_settings settings = scene_settings(2e-3);
    settings.solver.max_iterations = 20000;
    mechanism_start(&m, &settings);
    mechanism_run(&m, 20); // all must converge
    CHECK(m.report.islands >= MANY_STACKS);
    CHECK(m.verdict.residual.natural_scaled <= settings.solver.tolerance);
    mechanism_end(&m);
}
