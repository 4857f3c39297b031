// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// K, what contact forces are to make small. The kinetic energy of everything is the wrong thing to
// minimize together with implicit controllers: contacts would then brake the robot instead of holding its
// feet. So K is that of unit masses at the contact points,
//   K = 1/2 sum |x - x^|^2/h^2,
// x a material point of contact and x^ where the stage has it come from; of all points, or (penetrating)
// of those alone that are in the ground when no contact pushes, frozen for the stage. Gauss-Newton's
// second derivative. `total`: 1/2 int rho |X - X^|^2/h^2 (NMDP eq. 12).
#include "step/nmdp/nmdp.h"
#include <string.h>

// The point of contact on the ball of a point, and for wrenches three more around it.
static void energy_witnesses(nmdp *s, int i)
{
    const nmdp_point *p = &s->point[i];
    const nmdp_body *from = &s->stage.place.bodies[p->link];
    pawl_vec3 at = v3_add(from->r, m3_mul(&from->R, p->anchor)), normal = v3(0.0, 0.0, 0.0);
    double gap = pawl_wrench_set_gap(s->set, i, at, &normal);
    pawl_vec3 contact = v3_axpy(p->anchor, -p->radius, m3_tmul(&from->R, normal));
    double arm = p->radius > 0.0 ? p->radius : 0.02;
    double depth = isfinite(gap) && gap < 0.0 ? -gap : 0.0;
    pawl_vec3 push = v3_scale(s->settings->nmdp.push_out * depth, normal);
    for (int k = 0; k < NMDP_WITNESSES; ++k) {
        pawl_vec3 local = contact;
        if (k > 0) {
            local = v3_add(p->anchor, v3_scale(arm, m3_column(&p->axes, k - 1)));
        }
        s->witness[i][k].local = local;
        s->witness[i][k].from = v3_add(v3_add(from->r, m3_mul(&from->R, local)), push);
    }
}

void pawl_nmdp_aim(nmdp *s)
{
    for (int i = 0; i < s->points; ++i) {
        energy_witnesses(s, i);
    }
}

// One pass over the witnesses: forces (gradient) or slopes (curvature).
static double energy_of_points(nmdp *s, bool curvature)
{
    double scale = 1.0 / (s->stage.h * s->stage.h), energy = 0.0;
    double slope[6][6] = {{0.0}};
    slope[0][0] = slope[1][1] = slope[2][2] = scale;
    pawl_vec3 none = v3(0.0, 0.0, 0.0);
    for (int i = 0; i < s->points; ++i) {
        const nmdp_point *p = &s->point[i];
        int count = p->turns ? NMDP_WITNESSES : 1;
        for (int k = 0; k < count && p->counted; ++k) {
            const nmdp_witness *w = &s->witness[i][k];
            pawl_vec3 x = v3_add(s->motion->position[p->link],
                                 m3_mul(&s->motion->rotation[p->link], w->local));
            pawl_vec3 off = v3_sub(x, w->from);
            energy += 0.5 * scale * v3_dot(off, off);
            pawl_tree_load_add(&s->load, p->link, x, curvature ? none : v3_scale(scale, off), none,
                               curvature ? slope : NULL);
        }
    }
    return energy;
}

static double energy_pass(nmdp *s, bool curvature)
{
    pawl_tree_load_clear(&s->load);
    return s->settings->nmdp.energy == PAWL_NMDP_ENERGY_TOTAL
               ? pawl_nmdp_add_body_energy(s, curvature)
               : energy_of_points(s, curvature);
}

double pawl_nmdp_energy(nmdp *s, double *gradient, double *hessian)
{
    double energy = energy_pass(s, false);
    if (gradient != NULL) {
        memset(gradient, 0, (size_t)s->n * sizeof *gradient);
        pawl_tree_load_gather(&s->load, gradient, NULL);
    }
    if (hessian != NULL) {
        memset(hessian, 0, (size_t)s->n * (size_t)s->n * sizeof *hessian);
        energy_pass(s, true);
        pawl_tree_load_gather(&s->load, s->step, hessian); // the loads themselves are zero
    }
    return energy;
}
