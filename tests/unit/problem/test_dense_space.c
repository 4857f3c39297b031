// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The velocity space of a matrix: Y YT is the matrix it was made of, and Y has as many columns as that has rank.
#include "problem/dense_space.h"
#include "support/random.h"
#include "support/test.h"

#include <math.h>

enum { SPACE_ROWS = 40, SPACE_RANK = 9 };

// D = B BT with random B of `rank` columns, whose rows are of very different lengths; each seventh row is 0.
static void space_matrix(int n, int rank, uint64_t *seed, double *D)
{
    double B[SPACE_ROWS * SPACE_RANK];
    for (int i = 0; i < n; ++i) {
        double size = i % 7 == 6 ? 0.0 : pow(10.0, random_in(seed, -3.0, 3.0));
        for (int k = 0; k < rank; ++k) {
            B[i * rank + k] = size * random_in(seed, -1.0, 1.0);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            D[i * n + j] = 0.0;
            for (int k = 0; k < rank; ++k) {
                D[i * n + j] += B[i * rank + k] * B[j * rank + k];
            }
        }
    }
}

TEST(a_space_is_a_factor_of_its_matrix_and_no_wider_than_its_rank)
{
    static char memory[1 << 17];
    static double D[SPACE_ROWS * SPACE_ROWS];
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; ++trial) {
        int n = 1 + random_index(&seed, SPACE_ROWS), rank = 1 + random_index(&seed, SPACE_RANK);
        space_matrix(n, rank, &seed, D);
        problem_block blocks[SPACE_ROWS];
        for (int k = 0; k < n; ++k) {
            blocks[k] = (problem_block){k, 1};
        }
        pawl_problem p = {.row_count = n, .block_count = n, .blocks = blocks};
        pawl_carver mem = {.base = memory, .capacity = sizeof memory};
        dense_space d = pawl_dense_space_layout(SPACE_ROWS, &mem);
        const velocity_space *space = pawl_dense_space_find(&d, &p, D);
        int moving = n - n / 7;
        CHECK_INT(space->width, rank < moving ? rank : moving);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double sum = 0.0, scale = sqrt(D[i * n + i] * D[j * n + j]);
                for (int k = 0; k < space->width; ++k) {
                    sum += space->side_Y[i][k] * space->side_Y[j][k];
                }
                CHECK_NEAR(sum, D[i * n + j], 1e-12 * scale);
            }
        }
    }
}
