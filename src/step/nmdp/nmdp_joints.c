// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Dry friction of joints and coordinates whose motion is prescribed.
//
// Dry friction of a coordinate is modelled as a contact without a position: its forces are the polytope between -F
// and F, two vertices with weights of their own, and maximal dissipation chooses them as it does at contacts. K's
// gradient by such a weight is F times the coordinate's motion (docs/wrench-contact.md, section 10), so that friction
// stops it if possible and otherwise has its full value.
//
// A prescribed coordinate is not an unknown: its equation becomes theta_k = s(t) at the end of the stage, and its
// original equation gives the effort that the motion needs. Contacts do not move it.
#include "step/nmdp/nmdp.h"
#include <string.h>

static double joints_friction(const nmdp *s, int i)
{
    return pawl_nmdp_coordinate(s, s->friction_column[i])->friction;
}

// The force along the coordinate is F (w0 - w1).
void pawl_nmdp_add_friction(const nmdp *s, const double *w, double *G)
{
    for (int i = 0; i < s->friction_count; ++i) {
        const double *own = w + s->first_friction + 2 * i;
        G[s->friction_column[i]] -= joints_friction(s, i) * (own[0] - own[1]);
    }
}

void pawl_nmdp_friction_columns(nmdp *s, int first)
{
    for (int i = 0; i < s->friction_count; ++i) {
        size_t row = (size_t)s->friction_column[i] * (size_t)s->used_count;
        double force = joints_friction(s, i);
        s->B[row + (size_t)(first + 2 * i)] = -force;
        s->B[row + (size_t)(first + 2 * i + 1)] = force;
    }
}

double pawl_nmdp_friction_work(const nmdp *s)
{
    double work = 0.0;
    for (int i = 0; i < s->friction_count; ++i) {
        int k = s->friction_column[i];
        const double *own = s->w + s->first_friction + 2 * i;
        work +=
            joints_friction(s, i) * (own[0] - own[1]) * (s->now.theta[k] - s->stage.place.theta[k]);
    }
    return work;
}

double pawl_nmdp_prescribed(const nmdp *s, int column)
{
    const pawl_motion_def *d = &s->model->motions[s->motion_of[column]];
    return pawl_signal_value(&d->target, s->stage.end);
}

// The new equation is scaled by the old diagonal entry where the derivative was last computed, so that the tolerance of
// G means a similar distance for all rows. Its original entry of G is the effort of the drive.
void pawl_nmdp_prescribe(nmdp *s, const double *theta, double *G, double *matrix)
{
    size_t n = (size_t)s->n;
    for (int k = 0; k < s->n && s->model->motion_count > 0; ++k) {
        if (s->motion_of[k] < 0) {
            continue;
        }
        double *row = matrix != NULL ? matrix + (size_t)k * n : NULL;
        s->motion_effort[k] = G[k];
        if (row != NULL) {
            s->motion_scale[k] = row[k] > 0.0 ? row[k] : 1.0;
            memset(row, 0, n * sizeof *row);
            row[k] = s->motion_scale[k];
        }
        G[k] = s->motion_scale[k] * (theta[k] - pawl_nmdp_prescribed(s, k));
    }
}

double pawl_nmdp_motion_work(const nmdp *s)
{
    double work = 0.0;
    for (int k = 0; k < s->n && s->model->motion_count > 0; ++k) {
        if (s->motion_of[k] >= 0) {
            work += s->motion_effort[k] * (s->now.theta[k] - s->stage.place.theta[k]);
        }
    }
    return work;
}
