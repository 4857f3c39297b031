// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// With constant loads and the impulses lambda* that balance them, a warm start lambda has the residual
//   v = J u- + D (lambda - lambda*):
// the velocity before the step and the error of the impulses. If the warm start is accepted, the first part persists
// and the second part is added to u in every step, until a step must stop that motion. The impulses of this step then
// differ from lambda* by the stopped motion, so that the next warm start has the same error again, for any tolerance
// (docs/solvers/auto.md, "At rest"). Therefore a warm start whose residual is far above the speeds of the bodies is
// rejected, however small the residual is. Solved from a state with almost no velocity, the impulses are lambda* to
// rounding.
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
