// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The factor of a sparse matrix against dense Gaussian elimination.
#include "linalg/sparse_ldl.h"
#include "support/dense_reference.h"
#include "support/random.h"
#include "support/test.h"

enum { SPARSE_ROWS = 60 };

typedef struct sparse_case {
    int rows;
    double A[SPARSE_ROWS * SPARSE_ROWS];
    int start[SPARSE_ROWS + 1], column[SPARSE_ROWS * SPARSE_ROWS];
    double value[SPARSE_ROWS * SPARSE_ROWS];
} sparse_case;

// Groups of rows that are linked or not as a whole, so that many rows have the same neighbours, and
// some single links between them.
static void sparse_case_make(sparse_case *c, uint64_t *seed, double links)
{
    *c = (sparse_case){.rows = 1 + random_index(seed, SPARSE_ROWS)};
    int n = c->rows, groups = 1 + random_index(seed, n), group[SPARSE_ROWS];
    for (int i = 0; i < n; ++i) {
        group[i] = random_index(seed, groups);
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < i; ++j) {
            uint64_t pair =
                (uint64_t)(group[i] < group[j] ? group[i] * n + group[j] : group[j] * n + group[i]);
            bool linked = random_in(&pair, 0.0, 1.0) < links || random_in(seed, 0.0, 1.0) < 0.02;
            double x = linked ? random_in(seed, -1.0, 1.0) : 0.0;
            c->A[i * n + j] = c->A[j * n + i] = x;
        }
    }
    for (int i = 0, at = 0; i < n; ++i) {
        double sum = 0.1; // more than the rest of its row: definite
        for (int j = 0; j < n; ++j) {
            sum += fabs(c->A[i * n + j]);
        }
        c->A[i * n + i] = sum;
        for (int j = 0; j < n; ++j) {
            if (c->A[i * n + j] != 0.0) {
                c->column[at] = j;
                c->value[at++] = c->A[i * n + j];
            }
        }
        c->start[i + 1] = at;
    }
}

TEST(solutions_agree_with_dense_elimination)
{
    uint64_t seed = 5;
    static sparse_case c;
    for (int round = 0; round < 200; ++round) {
        test_env t;
        test_env_init(&t);
        sparse_case_make(&c, &seed, round % 4 == 0 ? 1.0 : 0.15);
        sparse_ldl *ldl;
        CHECK_OK(pawl_sparse_ldl_create(&t.env, c.rows, c.start, c.column, &ldl));
        double b[SPARSE_ROWS], x[SPARSE_ROWS], expected[SPARSE_ROWS];
        for (int again = 0; again < 2; ++again) { // the second factor finds the first one's remains
            for (int i = 0; i < c.rows; ++i) {
                x[i] = b[i] = random_in(&seed, -1.0, 1.0);
            }
            CHECK_INT(pawl_sparse_ldl_factor(ldl, c.value, 1e-15), 0);
            pawl_sparse_ldl_solve(ldl, x);
            CHECK(dense_solve(c.A, c.rows, b, expected) > 0.0);
            for (int i = 0; i < c.rows; ++i) {
                CHECK_NEAR(x[i], expected[i], 1e-11);
            }
        }
        pawl_sparse_ldl_destroy(ldl);
        CHECK_NO_LEAK(&t);
    }
}

static pawl_status sparse_make(const pawl_env *env, void *argument)
{
    const sparse_case *c = argument;
    sparse_ldl *ldl;
    pawl_status status = pawl_sparse_ldl_create(env, c->rows, c->start, c->column, &ldl);
    pawl_sparse_ldl_destroy(ldl);
    return status;
}

TEST(creation_survives_a_lack_of_memory)
{
    uint64_t seed = 8;
    static sparse_case c;
    do {
        sparse_case_make(&c, &seed, 0.15);
    } while (c.rows < 30);
    CHECK(CHECK_SURVIVES_NO_MEMORY(sparse_make, &c) > 3);
}
