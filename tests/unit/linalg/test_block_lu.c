// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Sparse Cholesky and LU of 6 x 6 blocks on random graphs against dense Gaussian elimination.
#include "linalg/block_lu.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

#include <string.h>

enum { LU_NODES = 12, LU_EDGES = 40, LU_ROWS = 6 * LU_NODES };

typedef struct lu_case {
    int nodes, edge_count;
    block_edge edges[LU_EDGES];
    double A[LU_ROWS * LU_ROWS];
} lu_case;

static int lu_rows(const lu_case *c)
{
    return 6 * c->nodes;
}

// Adds a random block (a, b), and (b, a) as its transpose where the matrix is symmetric.
static void lu_add(lu_case *c, int a, int b, bool symmetric, uint64_t *seed)
{
    int n = lu_rows(c);
    for (int r = 0; r < 6; ++r) {
        for (int s = 0; s < 6; ++s) {
            double x = random_in(seed, -1.0, 1.0), y = random_in(seed, -1.0, 1.0);
            int i = 6 * a + r, j = 6 * b + s;
            if (a != b || i >= j) {
                c->A[i * n + j] = x;
                c->A[j * n + i] = symmetric ? x : y;
            }
        }
    }
}

// A random graph, some edges listed twice and either way round; the diagonal outweighs its row.
static void lu_make(lu_case *c, bool symmetric, uint64_t *seed)
{
    memset(c, 0, sizeof *c);
    c->nodes = 1 + random_index(seed, LU_NODES);
    int wanted = c->nodes > 1 ? random_index(seed, LU_EDGES) : 0;
    for (int e = 0; e < wanted; ++e) {
        block_edge edge = {random_index(seed, c->nodes), random_index(seed, c->nodes)};
        if (edge.a != edge.b) {
            c->edges[c->edge_count++] = edge;
            lu_add(c, edge.a, edge.b, symmetric, seed);
        }
    }
    int n = lu_rows(c);
    for (int a = 0; a < c->nodes; ++a) {
        lu_add(c, a, a, symmetric, seed);
    }
    for (int i = 0; i < n; ++i) {
        double sum = 0.5;
        for (int j = 0; j < n; ++j) {
            sum += j == i ? 0.0 : fabs(c->A[i * n + j]);
        }
        c->A[i * n + i] = sum;
    }
}

static void lu_write(const lu_case *c, block_lu *f, bool symmetric)
{
    int n = lu_rows(c);
    pawl_block_lu_clear(f, symmetric);
    for (int a = 0; a < c->nodes; ++a) {
        double *D = pawl_block_lu_diagonal(f, a);
        for (int k = 0; k < 36; ++k) {
            D[k] = c->A[(6 * a + k / 6) * n + 6 * a + k % 6];
        }
    }
    for (int e = 0; e < c->edge_count;
         ++e) { // of edges that are listed twice the same is written twice
        block_lu_place at = pawl_block_lu_edge(f, e);
        int late = at.swapped ? c->edges[e].b : c->edges[e].a;
        int early = at.swapped ? c->edges[e].a : c->edges[e].b;
        for (int k = 0; k < 36; ++k) {
            at.lower[k] = c->A[(6 * late + k / 6) * n + 6 * early + k % 6];
            if (!symmetric) {
                at.upper[k] = c->A[(6 * early + k % 6) * n + 6 * late + k / 6];
            }
        }
    }
}

static void lu_check(bool symmetric)
{
    uint64_t seed = symmetric ? 11 : 12;
    test_env t;
    test_env_init(&t);
    block_lu *f;
    CHECK_OK(pawl_block_lu_create(&t.env, &f));
    for (int round = 0; round < 200; ++round) {
        static lu_case c;
        double b[LU_ROWS], x[LU_ROWS], expected[LU_ROWS];
        lu_make(&c, symmetric, &seed);
        CHECK(pawl_block_lu_plan(f, c.nodes, c.edges, c.edge_count));
        lu_write(&c, f, symmetric);
        CHECK(pawl_block_lu_factor(f, symmetric, NULL));
        for (int i = 0; i < lu_rows(&c); ++i) {
            b[i] = x[i] = random_in(&seed, -1.0, 1.0);
        }
        pawl_block_lu_solve(f, x);
        dense_solve(c.A, lu_rows(&c), b, expected);
        for (int i = 0; i < lu_rows(&c); ++i) {
            CHECK_NEAR(x[i], expected[i], 1e-12);
        }
    }
    pawl_block_lu_destroy(f);
    CHECK_NO_LEAK(&t);
}

TEST(a_symmetric_matrix_is_solved_as_by_gaussian_elimination)
{
    lu_check(true);
}

TEST(a_matrix_that_is_not_symmetric_is_solved_as_by_gaussian_elimination)
{
    lu_check(false);
}

// Rows of a diagonal block may need exchanging: [0 1; 1 0] has no LU without.
TEST(pivots_are_sought_within_a_diagonal_block)
{
    test_env t;
    test_env_init(&t);
    block_lu *f;
    CHECK_OK(pawl_block_lu_create(&t.env, &f));
    CHECK(pawl_block_lu_plan(f, 1, NULL, 0));
    pawl_block_lu_clear(f, false);
    double *D = pawl_block_lu_diagonal(f, 0), x[6] = {1, 2, 3, 4, 5, 6};
    for (int r = 0; r < 6; ++r) {
        D[6 * r + 5 - r] = 2.0;
    }
    CHECK(pawl_block_lu_factor(f, false, NULL));
    pawl_block_lu_solve(f, x);
    for (int r = 0; r < 6; ++r) {
        CHECK_NEAR(x[r], 0.5 * (6 - r), 1e-15);
    }
    pawl_block_lu_destroy(f);
    CHECK_NO_LEAK(&t);
}

// ---- by several threads ----------------------------------------------------------------------------

enum { TEAM_SIDE = 6, TEAM_NODES = TEAM_SIDE * TEAM_SIDE * TEAM_SIDE, TEAM_EDGES = 4 * TEAM_NODES };

// Bodies of a cube, each with its neighbours along the axes and some others: enough fill for threads. Blocks are random,
// the diagonal outweighs them, but for that of the node
// `singular`, which begins as zero (-1 for none).
static void team_write(block_lu *f, int edge_count, bool symmetric, int singular, uint64_t seed)
{
    pawl_block_lu_clear(f, symmetric);
    for (int e = 0; e < edge_count; ++e) {
        block_lu_place at = pawl_block_lu_edge(f, e);
        for (int k = 0; k < 36; ++k) {
            at.lower[k] = random_in(&seed, -1.0, 1.0);
            if (!symmetric) {
                at.upper[k] = random_in(&seed, -1.0, 1.0);
            }
        }
    }
    for (int a = 0; a < TEAM_NODES; ++a) {
        double *D = pawl_block_lu_diagonal(f, a);
        for (int k = 0; k < 6 && a != singular; ++k) {
            D[7 * k] = 100.0 + random_in(&seed, 0.0, 1.0);
        }
    }
}

static int team_edges(block_edge *edges, uint64_t *seed)
{
    static const int step[] = {1, TEAM_SIDE, TEAM_SIDE * TEAM_SIDE};
    int count = 0;
    for (int a = 0; a < TEAM_NODES; ++a) {
        for (int k = 0; k < 3; ++k) {
            if (a / step[k] % TEAM_SIDE + 1 < TEAM_SIDE) {
                edges[count++] = (block_edge){a, a + step[k]};
            }
        }
        int other = random_index(seed, TEAM_NODES);
        if (other != a) {
            edges[count++] = (block_edge){a, other};
        }
    }
    return count;
}

// What one thread finds, bit by bit, and its failures, whatever the number of threads.
TEST(several_threads_find_the_bits_of_one)
{
    test_env t;
    test_env_init(&t);
    static block_edge edges[TEAM_EDGES];
    static double one[6 * TEAM_NODES], several[6 * TEAM_NODES];
    for (int threads = 2; threads <= 7; threads += threads == 3 ? 4 : 1) {
        thread_pool *team;
        block_lu *f;
        CHECK_OK(pawl_thread_pool_create(&t.env, threads, &team));
        CHECK_OK(pawl_block_lu_create(&t.env, &f));
        uint64_t seed = 3;
        for (int round = 0; round < 2; ++round) {
            bool symmetric = round % 2 == 0;
            int edge_count = team_edges(edges, &seed);
            CHECK(pawl_block_lu_plan(f, TEAM_NODES, edges, edge_count));
            team_write(f, edge_count, symmetric, -1, (uint64_t)round);
            CHECK(pawl_block_lu_factor(f, symmetric, NULL));
            for (int i = 0; i < 6 * TEAM_NODES; ++i) {
                one[i] = several[i] = random_in(&seed, -1.0, 1.0);
            }
            pawl_block_lu_solve(f, one);
            team_write(f, edge_count, symmetric, -1, (uint64_t)round);
            CHECK(pawl_block_lu_factor(f, symmetric, team));
            pawl_block_lu_solve(f, several);
            CHECK(memcmp(one, several, sizeof one) == 0);
            int singular = random_index(&seed, TEAM_NODES);
            team_write(f, edge_count, true, singular, (uint64_t)round);
            bool alone = pawl_block_lu_factor(f, true, NULL);
            team_write(f, edge_count, true, singular, (uint64_t)round);
            CHECK(pawl_block_lu_factor(f, true, team) == alone);
        }
        pawl_block_lu_destroy(f);
        pawl_thread_pool_destroy(team);
    }
    CHECK_NO_LEAK(&t);
}
