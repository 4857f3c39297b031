// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With loads that stay as they are and impulses lambda* that hold them, matched impulses lambda leave the residual
//   v = J u- + D (lambda - lambda*):
// what bodies had before the step, and what the impulses are off by. Accepted, the first part goes on as it is. The
// second part is added to u in every step, until a step has to stop it: its impulses are off by just that motion, so
// that the next start is off again, at whatever tolerance (docs/solvers/auto.md, "At rest"). So a start whose residual
// is far beyond the speeds that bodies have is not an answer, however small it is. Solved from next to no velocity,
// impulses are lambda* to rounding.
#include "step/common/trusted_start.h"
#include "step/common/twist.h"

static const double trusted_share = 10.0;  // of the fastest body's speed
static const double trusted_floor = 1e-14; // [m/s] rounding of a sum of impulses

double pawl_trusted_start(const row_set *rows, const double *twists)
{
    double fastest = 0.0;
    for (int i = 0; i < rows->body_count; ++i) {
        const model_body *b = pawl_row_set_model(rows, i);
        const double *u = twists + 6 * pawl_row_set_body(rows, i);
        double speed = v3_norm(twist_linear(u)) + b->size * v3_norm(twist_angular(u));
        fastest = max_of(fastest, speed);
    }
    return max_of(trusted_floor, trusted_share * fastest);
}
