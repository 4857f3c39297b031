// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// See hinge_pairs.h. Three rows of a hinge are along axes and have six numbers each; the last two are turns, without linear
// part, which is left out here: 102 products for 150.
#include "coordinates/hinge_pairs.h"
#include "math/lanes.h"
#include "rows/hinge_lanes.h"

enum { PAIR_NUMBERS = 6 * HINGE_ROWS, PAIR_STRIDE = 8, PAIR_LINEAR_ROWS = 3 };

// All numbers of four sides but the linear parts of turns.
PAWL_KERNEL_PART void hinge_pairs_load(const double *const from[4], lanes x[PAIR_NUMBERS])
{
    static const int begin[] = {0, 4, 8, 12, 16, 20, 26};
    PAWL_UNROLL
    for (int t = 0; t < (int)(sizeof begin / sizeof *begin); ++t) {
        lanes tile[4] = {LANES_LOAD(from[0] + begin[t]), LANES_LOAD(from[1] + begin[t]),
                         LANES_LOAD(from[2] + begin[t]), LANES_LOAD(from[3] + begin[t])};
        lanes_transpose(tile);
        PAWL_UNROLL
        for (int i = 0; i < 4; ++i) {
            x[begin[t] + i] = tile[i];
        }
    }
}

// A row of the four blocks. Entries behind its end are 0.
PAWL_KERNEL_PART void hinge_pairs_store(const lanes entry[HINGE_ROWS], double *const to[4])
{
    lanes zero = LANES_ALL(0.0);
    lanes head[4] = {entry[0], entry[1], entry[2], entry[3]},
          tail[4] = {entry[4], zero, zero, zero};
    lanes_transpose(head);
    lanes_transpose(tail);
    for (int k = 0; k < 4; ++k) {
        LANES_STORE(to[k], head[k]);
        LANES_STORE(to[k] + 4, tail[k]);
    }
}

PAWL_KERNEL static void hinge_pairs_run(const hinge_pairs *group, int count, double *values)
{
    for (const hinge_pairs *end = group + count; group < end; ++group) {
        const double *row_side[4], *column_side[4];
        double spare[PAIR_STRIDE * HINGE_ROWS], *to[4];
        lanes j[PAIR_NUMBERS], m[PAIR_NUMBERS];
        for (int k = 0; k < 4; ++k) {
            const hinge_pair *pair = &group->pair[k];
            row_side[k] = pair->row_side;
            column_side[k] = pair->column_side;
            to[k] = k < group->count ? values + pair->offset : spare;
        }
        hinge_pairs_load(row_side, j);
        hinge_pairs_load(column_side, m);
        PAWL_UNROLL
        for (int r = 0; r < HINGE_ROWS; ++r) {
            const lanes *a = j + 6 * r;
            lanes entry[HINGE_ROWS];
            PAWL_UNROLL
            for (int c = 0; c < HINGE_ROWS; ++c) {
                const lanes *b = m + 6 * c;
                entry[c] = a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
                if (r < PAIR_LINEAR_ROWS && c < PAIR_LINEAR_ROWS) {
                    entry[c] = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + entry[c];
                }
            }
            hinge_pairs_store(entry, to);
            for (int k = 0; k < 4; ++k) {
                to[k] += PAIR_STRIDE;
            }
        }
    }
}

void pawl_hinge_pairs_form(const hinge_pairs *group, int count, double *values)
{
    hinge_pairs_run(group, count, values);
}
