// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The effect of impulses along rows on the bodies: M^-1 JT in maximal coordinates, where bodies move independently;
// coordinates that satisfy joints have a different one (coordinates/).
#pragma once
#include "rows/row_family.h"

typedef struct row_metric row_metric;
typedef struct row_metric_ops {
    // At the poses where the rows are being placed, before any block is scaled; may be NULL.
    void (*place)(row_metric *metric, const body_state *bodies, const double *reference, double t,
                  double damping_time);
    // The effect of a unit impulse along each row of a block, from its Jacobian.
    void (*scale_block)(row_metric *metric, pawl_assembly *a, const row_block *b);
    // The entry of D on the diagonal of row r of a block.
    double (*diagonal)(const row_metric *metric, const pawl_assembly *a, const row_block *b, int r);
    // Compliances of rows from first_row on that nothing can move; may be NULL.
    void (*complete)(const row_metric *metric, pawl_assembly *a, int first_row);
    // u (6 x bodies) += the twists that impulses lambda of all rows give.
    void (*add_impulses)(row_metric *metric, const pawl_assembly *a, const double *lambda,
                         double *u);
    // Rows `row` and `row` + 1, a block each, become c x + s y and c y - s x.
    void (*turn_pair)(row_metric *metric, pawl_assembly *a, int row, double c, double s);
} row_metric_ops;

struct row_metric { // every metric embeds this as its first member
    const row_metric_ops *ops;
};

// That of bodies that move for themselves. It has no memory but the assembly's.
extern row_metric pawl_body_metric;
