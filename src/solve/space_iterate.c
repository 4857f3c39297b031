// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Velocities v = Y YT lambda + R lambda + v_f and the natural map of an iterate, in one pass over the rows.
#include "solve/space_iterate.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

space_iterate pawl_space_iterate_layout(int max_rows, pawl_carver *mem)
{
    return (space_iterate){.lambda = PAWL_CARVE(mem, double, max_rows),
                           .v = PAWL_CARVE(mem, double, max_rows)};
}

void pawl_space_iterate_copy(const space_problem *q, const space_iterate *from, space_iterate *to)
{
    size_t bytes = (size_t)q->p->row_count * sizeof *to->lambda;
    memcpy(to->lambda, from->lambda, bytes);
    memcpy(to->v, from->v, bytes);
    to->natural = from->natural;
    to->merit = from->merit;
}

// natural [m/s] is the largest entry of the natural map, by which solvers stop. merit is its Euclidean norm, which
// line searches lower, because a largest entry says nothing about the others.
static void space_measure(const space_problem *q, space_iterate *x)
{
    const pawl_problem *p = q->p;
    double worst = 0.0, sum = 0.0;
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = 0; i < contacts; ++i) {
        double f = i < p->free_row_count ? fabs(x->v[i])
                                         : pawl_natural_bounded(x->lambda[i], x->v[i], p->lower[i],
                                                                p->upper[i], q->weight[i]);
        worst = worst_of(worst, f);
        sum += f * f;
    }
    for (int k = 0, i = contacts; k < p->contact_count; ++k, i += 3) {
        double f[3];
        pawl_natural_contact_map(x->lambda + i, x->v + i, p->friction[k], q->weight[i], f);
        worst = worst_of(worst, worst_of(fabs(f[0]), worst_of(fabs(f[1]), fabs(f[2]))));
        sum += f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    }
    x->natural = worst;
    x->merit = sqrt(sum);
}

void pawl_space_evaluate(const space_problem *q, space_iterate *x)
{
    const pawl_problem *p = q->p;
    double *w = pawl_space_vector(q->space, 0);
    pawl_space_gather(q->space, p, x->lambda, w);
    pawl_space_scatter(q->space, p, w, x->v);
    for (int i = 0; i < p->row_count; ++i) {
        x->v[i] += p->v_f[i] + p->compliance[i] * x->lambda[i];
    }
    space_measure(q, x);
}

// Not the projection on the cone: a normal impulse stays as it is and the tangents are cut back to the disk, so
// that loads of a warm start are kept.
void pawl_space_admit(const pawl_problem *p, double *lambda)
{
    int contacts = pawl_problem_contact_row(p, 0);
    for (int i = p->free_row_count; i < contacts; ++i) {
        lambda[i] = clamp_to(lambda[i], p->lower[i], p->upper[i]);
    }
    for (int k = 0; k < p->contact_count; ++k) {
        double *x = lambda + contacts + 3 * k;
        x[2] = x[2] > 0.0 ? x[2] : 0.0;
        double most = p->friction[k] * x[2], t = sqrt(x[0] * x[0] + x[1] * x[1]);
        if (x[2] == 0.0 || t > most) {
            double s = x[2] > 0.0 && t > 0.0 ? most / t : 0.0;
            x[0] *= s;
            x[1] *= s;
        }
    }
}
