// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The sparse block factorization on random graphs against dense Gaussian elimination.
#include "linalg/block_ldl.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

enum { LDL_NODES = 12, LDL_EDGES = 60, LDL_ROWS = 6 * LDL_NODES, LDL_COLUMNS = 2 * LDL_ROWS };

typedef struct ldl_case {
    int nodes, edge_count, rows;
    int dim[LDL_NODES], first[LDL_NODES];
    block_edge edges[LDL_EDGES];
    double A[LDL_ROWS * LDL_ROWS];
} ldl_case;

static bool ldl_case_linked(const ldl_case *c, int a, int b)
{
    bool linked = a == b;
    for (int e = 0; e < c->edge_count; ++e) {
        linked = linked || (c->edges[e].a == a && c->edges[e].b == b) ||
                 (c->edges[e].a == b && c->edges[e].b == a);
    }
    return linked;
}

// A random graph, some edges listed twice; a matrix on it made definite by a strong diagonal.
static void ldl_case_make(ldl_case *c, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    c->nodes = 1 + random_index(seed, LDL_NODES);
    for (int k = 0; k < c->nodes; ++k) {
        c->dim[k] = 1 + random_index(seed, 6);
        c->first[k] = c->rows;
        c->rows += c->dim[k];
    }
    int wanted = c->nodes > 1 ? random_index(seed, LDL_EDGES) : 0;
    for (int e = 0; e < wanted; ++e) {
        block_edge edge = {random_index(seed, c->nodes), random_index(seed, c->nodes)};
        if (edge.a != edge.b) {
            c->edges[c->edge_count++] = edge;
        }
    }
    for (int a = 0; a < c->nodes; ++a) {
        for (int b = 0; b <= a; ++b) {
            for (int r = 0; r < c->dim[a] && ldl_case_linked(c, a, b); ++r) {
                for (int s = 0; s < c->dim[b]; ++s) {
                    double x = random_in(seed, -1.0, 1.0);
                    int i = c->first[a] + r, j = c->first[b] + s;
                    c->A[i * c->rows + j] = c->A[j * c->rows + i] = x;
                }
            }
        }
    }
    for (int i = 0; i < c->rows; ++i) {
        double sum = 0.5; // more than the rest of its row: definite, condition below 1e3
        for (int j = 0; j < c->rows; ++j) {
            sum += i != j ? fabs(c->A[i * c->rows + j]) : 0.0;
        }
        c->A[i * c->rows + i] = sum;
    }
}

static void ldl_case_write(const ldl_case *c, block_ldl *ldl)
{
    double *values = pawl_block_ldl_values(ldl);
    memset(values, 0, pawl_block_ldl_value_count(ldl) * sizeof *values);
    for (int a = 0; a < c->nodes; ++a) {
        for (int b = 0; b < c->nodes; ++b) {
            if (!ldl_case_linked(c, a, b)) {
                continue;
            }
            block_slot slot = pawl_block_ldl_slot(ldl, a, b);
            for (int r = 0; r < c->dim[a]; ++r) {
                for (int s = 0; s < c->dim[b]; ++s) {
                    int at = slot.transposed ? s * slot.stride + r : r * slot.stride + s;
                    values[slot.offset + at] = c->A[(c->first[a] + r) * c->rows + c->first[b] + s];
                }
            }
        }
    }
}

// Factors c and solves with it as Gaussian elimination does.
static void ldl_case_check(const ldl_case *c, block_ldl *ldl, uint64_t *seed)
{
    double x[LDL_ROWS], b[LDL_ROWS], y[LDL_ROWS];
    for (int i = 0; i < c->rows; ++i) {
        x[i] = b[i] = random_in(seed, -1.0, 1.0);
    }
    ldl_case_write(c, ldl);
    CHECK_INT(pawl_block_ldl_factor(ldl, 1e-13), 0);
    pawl_block_ldl_solve(ldl, x);
    dense_solve(c->A, c->rows, b, y);
    for (int i = 0; i < c->rows; ++i) {
        CHECK_NEAR(x[i], y[i], 1e-13);
    }
}

// Dense Gaussian elimination. Factoring twice from fresh values shows that nothing is left over,
// and the environment that neither factoring nor solving allocates.
TEST(random_block_graphs_are_solved_as_by_gaussian_elimination)
{
    uint64_t seed = 1;
    static ldl_case c;
    for (int trial = 0; trial < 300; ++trial) {
        ldl_case_make(&c, &seed);
        test_env t;
        test_env_init(&t);
        block_ldl *ldl;
        CHECK_OK(pawl_block_ldl_create(&t.env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
        int64_t calls = t.calls;
        for (int repeat = 0; repeat < 2; ++repeat) {
            ldl_case_check(&c, ldl, &seed);
        }
        CHECK_INT(t.calls, calls);
        pawl_block_ldl_destroy(ldl);
        CHECK_NO_LEAK(&t);
    }
}

// Rows at the end of nodes whose diagonal entries are beyond all others: the same answers, whether they are eliminated
// or not, and again when they take part.
TEST(loose_rows_take_no_part)
{
    const double beyond = 1e30;
    uint64_t seed = 11;
    static ldl_case c, firm;
    for (int trial = 0; trial < 200; ++trial) {
        ldl_case_make(&c, &seed);
        firm = c;
        int loose[LDL_NODES], none[LDL_NODES] = {0};
        double x[LDL_ROWS], b[LDL_ROWS], y[LDL_ROWS];
        for (int i = 0; i < c.rows; ++i) {
            x[i] = b[i] = random_in(&seed, -1.0, 1.0);
        }
        for (int k = 0; k < c.nodes; ++k) {
            loose[k] = random_index(&seed, c.dim[k] + 1);
            for (int r = c.dim[k] - loose[k]; r < c.dim[k]; ++r) {
                int i = c.first[k] + r;
                c.A[i * c.rows + i] += beyond;
                x[i] = b[i] = 0.0;
            }
        }
        test_env t;
        test_env_init(&t);
        block_ldl *ldl;
        CHECK_OK(pawl_block_ldl_create(&t.env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
        ldl_case_write(&c, ldl);
        for (int part = 0; part < pawl_block_ldl_part_count(ldl); ++part) {
            pawl_block_ldl_loosen(ldl, part, loose);
            CHECK_INT(pawl_block_ldl_factor_part(ldl, part, 1e-13), 0);
        }
        pawl_block_ldl_solve(ldl, x);
        dense_solve(c.A, c.rows, b, y);
        for (int i = 0; i < c.rows; ++i) {
            CHECK_NEAR(x[i], y[i], 1e-13);
        }
        for (int part = 0; part < pawl_block_ldl_part_count(ldl); ++part) {
            pawl_block_ldl_loosen(ldl, part, none);
        }
        ldl_case_check(&firm, ldl, &seed);
        pawl_block_ldl_destroy(ldl);
        CHECK_NO_LEAK(&t);
    }
}

// out = A + A_L (A_LL)^-1 A_LT between all nodes but L: eliminating node L from it leaves A between these.
static void ldl_case_add_led(const ldl_case *c, int led, double *out)
{
    memcpy(out, c->A, (size_t)(c->rows * c->rows) * sizeof *out);
    double own[LDL_ROWS * LDL_ROWS], column[LDL_ROWS], answer[LDL_ROWS];
    int n = c->dim[led], first = c->first[led];
    for (int i = 0; i < n * n; ++i) {
        own[i] = c->A[(first + i / n) * c->rows + first + i % n];
    }
    for (int j = 0; j < c->rows; ++j) {
        for (int k = 0; k < n; ++k) {
            column[k] = c->A[(first + k) * c->rows + j];
        }
        dense_solve(own, n, column, answer);
        for (int i = 0; i < c->rows; ++i) {
            bool other = (i < first || i >= first + n) && (j < first || j >= first + n);
            for (int k = 0; k < n && other; ++k) {
                out[i * c->rows + j] += c->A[i * c->rows + first + k] * answer[k];
            }
        }
    }
}

// Dense Gaussian elimination of the matrix of which a leading node leaves the one that is written.
TEST(nodes_that_lead_take_from_others_what_was_left_out_of_them)
{
    uint64_t seed = 3;
    static ldl_case c;
    static double whole[LDL_ROWS * LDL_ROWS];
    for (int trial = 0; trial < 200; ++trial) {
        ldl_case_make(&c, &seed);
        int led = random_index(&seed, c.nodes);
        bool leads[LDL_NODES] = {false};
        leads[led] = c.nodes > 1;
        test_env t;
        test_env_init(&t);
        block_ldl *ldl;
        CHECK_OK(
            pawl_block_ldl_create_led(&t.env, c.nodes, c.dim, c.edges, c.edge_count, leads, &ldl));
        ldl_case_write(&c, ldl);
        CHECK_INT(pawl_block_ldl_factor(ldl, 1e-13), 0);
        ldl_case_add_led(&c, led, whole);
        double x[LDL_ROWS], b[LDL_ROWS], y[LDL_ROWS];
        for (int i = 0; i < c.rows; ++i) {
            x[i] = b[i] = random_in(&seed, -1.0, 1.0);
        }
        pawl_block_ldl_solve(ldl, x);
        dense_solve(c.nodes > 1 ? whole : c.A, c.rows, b, y);
        for (int i = 0; i < c.rows; ++i) {
            CHECK_NEAR(x[i], y[i], 1e-12);
        }
        // a vector that is zero but at the leading node, along its path and in all rows
        double marked[LDL_ROWS] = {0}, all[LDL_ROWS] = {0};
        for (int i = c.first[led]; i < c.first[led] + c.dim[led] && c.nodes > 1; ++i) {
            marked[i] = all[i] = random_in(&seed, -1.0, 1.0);
        }
        pawl_block_ldl_mark(ldl, led);
        for (int part = 0; part < pawl_block_ldl_part_count(ldl) && c.nodes > 1; ++part) {
            block_run runs[LDL_NODES];
            pawl_block_ldl_half_marked(ldl, part, true, 1, marked, LDL_ROWS, runs);
        }
        pawl_block_ldl_half_solve(ldl, all);
        for (int i = 0; i < c.rows; ++i) {
            CHECK_NEAR(marked[i], all[i], 1e-14);
        }
        pawl_block_ldl_destroy(ldl);
        CHECK_NO_LEAK(&t);
    }
}

// The half solve of all rows: vectors that are zero but in marked nodes have the same answers, which are zero outside of
// the runs.
TEST(half_solves_along_paths_are_those_of_all_rows)
{
    enum { VECTORS = 3 };
    uint64_t seed = 7;
    static ldl_case c;
    for (int trial = 0; trial < 200; ++trial) {
        ldl_case_make(&c, &seed);
        test_env t;
        test_env_init(&t);
        block_ldl *ldl;
        CHECK_OK(pawl_block_ldl_create(&t.env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
        ldl_case_write(&c, ldl);
        pawl_block_ldl_factor(ldl, 1e-13);
        double x[VECTORS * LDL_ROWS] = {0}, y[VECTORS * LDL_ROWS];
        for (int marks = random_index(&seed, 3); marks >= 0 && c.nodes > 1; --marks) {
            int node = random_index(&seed, c.nodes);
            pawl_block_ldl_mark(ldl, node);
            for (int i = 0; i < VECTORS * c.dim[node]; ++i) {
                x[i / c.dim[node] * LDL_ROWS + c.first[node] + i % c.dim[node]] =
                    random_in(&seed, -1.0, 1.0);
            }
        }
        memcpy(y, x, sizeof y);
        bool inside[LDL_ROWS] = {false};
        for (int part = 0; part < pawl_block_ldl_part_count(ldl) && c.nodes > 1; ++part) {
            block_run runs[LDL_NODES];
            int count = pawl_block_ldl_half_marked(ldl, part, true, VECTORS, x, LDL_ROWS, runs);
            for (int k = 0; k < count; ++k) {
                for (int i = 0; i < runs[k].count; ++i) {
                    inside[runs[k].first + i] = true;
                }
            }
        }
        for (int v = 0; v < VECTORS && c.nodes > 1; ++v) {
            pawl_block_ldl_half_solve(ldl, y + v * LDL_ROWS);
            for (int i = 0; i < c.rows; ++i) {
                CHECK_NEAR(x[v * LDL_ROWS + i], y[v * LDL_ROWS + i], 1e-14);
                CHECK(inside[i] || x[v * LDL_ROWS + i] == 0.0);
            }
        }
        pawl_block_ldl_destroy(ldl);
        CHECK_NO_LEAK(&t);
    }
}

// Nodes that a search over the edges reaches from each other are of one part, others are not; and each
// part alone solves to the bit as the whole does.
TEST(parts_are_what_edges_connect_and_solve_as_the_whole)
{
    uint64_t seed = 6;
    static ldl_case c;
    int several = 0;
    for (int trial = 0; trial < 200; ++trial) {
        ldl_case_make(&c, &seed);
        c.edge_count =
            c.edge_count > trial % 12 ? trial % 12 : c.edge_count; // sparse enough to part
        pawl_env env = pawl_env_default();
        block_ldl *ldl;
        CHECK_OK(pawl_block_ldl_create(&env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
        int label[LDL_NODES];
        for (int k = 0; k < c.nodes; ++k) {
            label[k] = k;
        }
        for (int pass = 0; pass < c.nodes; ++pass) {
            for (int e = 0; e < c.edge_count; ++e) {
                int *a = &label[c.edges[e].a], *b = &label[c.edges[e].b];
                *a = *b = *a < *b ? *a : *b;
            }
        }
        int rows[LDL_NODES] = {0};
        for (int k = 0; k < c.nodes; ++k) {
            for (int j = 0; j < k; ++j) {
                CHECK((label[j] == label[k]) ==
                      (pawl_block_ldl_part(ldl, j) == pawl_block_ldl_part(ldl, k)));
            }
            int *row = &rows[pawl_block_ldl_part(ldl, k)];
            CHECK_INT(pawl_block_ldl_part_row(ldl, k), *row);
            *row += c.dim[k];
        }
        double whole[LDL_ROWS], half[LDL_ROWS], x[LDL_ROWS], y[LDL_ROWS];
        for (int i = 0; i < c.rows; ++i) {
            whole[i] = half[i] = random_in(&seed, -1.0, 1.0);
        }
        for (int part = 0; part < pawl_block_ldl_part_count(ldl); ++part) {
            double b[LDL_ROWS];
            for (int k = 0; k < c.nodes; ++k) {
                if (pawl_block_ldl_part(ldl, k) == part) {
                    memcpy(b + pawl_block_ldl_part_row(ldl, k), whole + c.first[k],
                           (size_t)c.dim[k] * sizeof *b);
                }
            }
            ldl_case_write(&c, ldl);
            CHECK_INT(pawl_block_ldl_factor_part(ldl, part, 1e-13), 0);
            pawl_block_ldl_solve_part(ldl, part, b);
            for (int k = 0; k < c.nodes; ++k) {
                if (pawl_block_ldl_part(ldl, k) == part) {
                    memcpy(x + c.first[k], b + pawl_block_ldl_part_row(ldl, k),
                           (size_t)c.dim[k] * sizeof *b);
                    memcpy(b + pawl_block_ldl_part_row(ldl, k), half + c.first[k],
                           (size_t)c.dim[k] * sizeof *b);
                }
            }
            pawl_block_ldl_half_solve_part(ldl, part, b);
            for (int k = 0; k < c.nodes; ++k) {
                if (pawl_block_ldl_part(ldl, k) == part) {
                    memcpy(y + c.first[k], b + pawl_block_ldl_part_row(ldl, k),
                           (size_t)c.dim[k] * sizeof *b);
                }
            }
        }
        several += pawl_block_ldl_part_count(ldl) > 1;
        ldl_case_write(&c, ldl);
        CHECK_INT(pawl_block_ldl_factor(ldl, 1e-13), 0);
        pawl_block_ldl_solve(ldl, whole);
        pawl_block_ldl_half_solve(ldl, half);
        for (int i = 0; i < c.rows; ++i) {
            CHECK(x[i] == whole[i]);
            CHECK(y[i] == half[i]);
        }
        pawl_block_ldl_destroy(ldl);
    }
    CHECK(several > 50);
}

// Dense Gaussian elimination, and counted: graphs of all sizes one after another in one object. The
// second time round, all of them are known to fit.
TEST(another_graph_of_a_size_seen_before_is_planned_without_memory)
{
    static ldl_case c;
    test_env t;
    test_env_init(&t);
    block_ldl *ldl = NULL;
    int64_t calls = 0;
    for (int pass = 0; pass < 2; ++pass) {
        uint64_t seed = 4;
        calls = t.calls;
        for (int trial = 0; trial < 100; ++trial) {
            ldl_case_make(&c, &seed);
            if (ldl == NULL) {
                CHECK_OK(
                    pawl_block_ldl_create(&t.env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
            } else {
                CHECK_OK(pawl_block_ldl_plan(ldl, c.nodes, c.dim, c.edges, c.edge_count));
            }
            ldl_case_check(&c, ldl, &seed);
        }
    }
    CHECK_INT(t.calls, calls);
    pawl_block_ldl_destroy(ldl);
    CHECK_NO_LEAK(&t);
}

// By construction: A = B BT, B of full column rank with fewer columns than rows. As many pivots
// vanish as ranks are missing, wherever in the graph they fall: this is how many rows are
// redundant.
TEST(dropped_pivots_count_the_missing_ranks)
{
    uint64_t seed = 2;
    static double B[LDL_ROWS * LDL_COLUMNS];
    static ldl_case c;
    for (int trial = 0; trial < 100; ++trial) {
        memset(&c, 0, sizeof c);
        c.nodes = 2 + random_index(&seed, 5);
        for (int k = 0; k < c.nodes; ++k) {
            c.dim[k] = 1 + random_index(&seed, 5);
            c.first[k] = c.rows;
            c.rows += c.dim[k];
            for (int j = 0; j < k; ++j) {
                c.edges[c.edge_count++] = (block_edge){k, j};
            }
        }
        int rank = 1 + random_index(&seed, c.rows - 1);
        for (int i = 0; i < c.rows * rank; ++i) {
            B[i] = random_in(&seed, -1.0, 1.0);
        }
        for (int i = 0; i < c.rows; ++i) {
            for (int j = 0; j < c.rows; ++j) {
                for (int k = 0; k < rank; ++k) {
                    c.A[i * c.rows + j] += B[i * rank + k] * B[j * rank + k];
                }
            }
        }
        pawl_env env = pawl_env_default();
        block_ldl *ldl;
        CHECK_OK(pawl_block_ldl_create(&env, c.nodes, c.dim, c.edges, c.edge_count, &ldl));
        ldl_case_write(&c, ldl);
        CHECK_INT(pawl_block_ldl_factor(ldl, 1e-10), c.rows - rank);
        pawl_block_ldl_destroy(ldl);
    }
}

static pawl_status ldl_make(const pawl_env *env, void *argument)
{
    const ldl_case *c = argument;
    block_ldl *ldl;
    pawl_status status = pawl_block_ldl_create(env, 1, c->dim, NULL, 0, &ldl);
    if (status == PAWL_OK) {
        status = pawl_block_ldl_plan(ldl, c->nodes, c->dim, c->edges, c->edge_count);
    }
    pawl_block_ldl_destroy(ldl);
    return status;
}

TEST(creation_survives_each_failing_request_for_memory)
{
    uint64_t seed = 3;
    static ldl_case c;
    do {
        ldl_case_make(&c, &seed);
    } while (c.edge_count < 20);
    CHECK(CHECK_SURVIVES_NO_MEMORY(ldl_make, &c) >= 3);
}
