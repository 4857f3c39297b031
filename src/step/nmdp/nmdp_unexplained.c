// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The energy of a part that no work explains, and that contacts give. Implicit Euler in coordinates takes the masses H(theta)
// from the end of the part alone: of theta'^T H theta'/2 it leaves out terms of the order of the square of the angle that
// links turn by. On a slender body that falls over its edge they feed a spin about its long axis, the corners of the edge
// see-saw from step to step, and contacts that push where a corner is at the end of the part give energy: a tower of 0.55
// kg had 0.69 J more than its 0.98 J after a fall with steps of 20 ms, and every part of it was at a minimum of K. Such
// parts are divided (nmdp.part_energy). The verdict judges the sums of both errors over the run.
#include "step/nmdp/nmdp.h"

// Of the size of the model: the energy that lifts it by so much is the least that errors are compared with.
static const double unexplained_lift = 0.02;
static const double unexplained_contacts =
    10.0; // what they may give, over the limit of what no work explains

// theta'^T H theta'/2 where the links are placed and moved, with the rotors of coordinates.
double pawl_nmdp_kinetic(const nmdp *s, const double *rate)
{
    double energy = 0.0;
    for (int i = 0; i < s->links; ++i) {
        if (!s->tree->links[i].driven) {
            spatial momentum = si_mul(&s->motion->inertia[i], s->motion->V[i]);
            energy += 0.5 * sp_dot(momentum, s->motion->V[i]);
        }
    }
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        energy += d != NULL ? 0.5 * d->armature * rate[k] * rate[k] : 0.0;
    }
    return energy;
}

// From begin to now, of gravity and springs.
static double unexplained_potential(const nmdp *s)
{
    double rise = 0.0;
    for (int i = 0; i < s->links; ++i) {
        const model_body *b = &s->model->bodies[s->tree->links[i].body];
        if (!s->tree->links[i].driven) {
            pawl_vec3 path = v3_sub(s->now.bodies[i].r, s->begin.bodies[i].r);
            rise -= b->mass * b->gravity_scale * v3_dot(s->model->gravity, path);
        }
    }
    for (int k = 0; k < s->n; ++k) {
        const pawl_coordinate_def *d = pawl_nmdp_coordinate(s, k);
        if (d != NULL) {
            double from = s->begin.theta[k] - d->rest, to = s->now.theta[k] - d->rest;
            rise += 0.5 * d->stiffness * (to * to - from * from);
        }
    }
    return rise + pawl_nmdp_spring_rise(s) + pawl_nmdp_loop_rise(s);
}

// What contacts may give where they push out what is too deep, at the rate nmdp.push_out [J].
static double unexplained_push(const nmdp *s, double weight)
{
    double deepest = 0.0;
    for (int i = 0; i < s->points; ++i) {
        if (s->point[i].touching) {
            nmdp_view view = pawl_nmdp_view_in(s, i, s->begin.bodies);
            deepest = fmax(deepest, -pawl_wrench_set_touch(s->set, i, &view.frame).gap);
        }
    }
    return weight * s->settings->nmdp.push_out * s->stage.h * deepest;
}

bool pawl_nmdp_explains(const nmdp *s, double before)
{
    double after = pawl_nmdp_kinetic(s, s->now_rate.theta), rise = unexplained_potential(s);
    double weight = pawl_nmdp_mass(s) * v3_norm(s->model->gravity);
    double kinetic = fmax(fmax(before, after), unexplained_lift * weight * s->model->size);
    double limit = s->settings->nmdp.part_energy, work = 0.0, given = 0.0, taken = 0.0;
    for (int k = 0; k < WORK_COUNT; ++k) {
        work += s->work[k];
        given += fmax(s->work[k], 0.0);
        taken -= fmin(s->work[k], 0.0);
    }
    double turned = fmax(fmax(kinetic, fabs(rise)), fmax(given, taken));
    double left = fabs(after - before + rise - work);
    return left <= limit * turned &&
           s->work[WORK_CONTACTS] <=
               unexplained_contacts * limit * kinetic + unexplained_push(s, weight);
}
