// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Worst figures over a run.
#include "assemble/measure.h"
#include "pawl/sim.h"

pawl_verdict pawl_verdict_begin(const pawl_state *state)
{
    pawl_energy e = pawl_state_energy(state);
    pawl_verdict v = {.closure = pawl_state_closure(state),
                      .worst_shape_a = -1,
                      .worst_shape_b = -1,
                      .tunnel_shape_a = -1,
                      .tunnel_shape_b = -1};
    v.energy_initial = v.energy_final = pawl_energy_stored(&e);
    v.energy_scale = fmax(fabs(v.energy_initial), e.kinetic);
    return v;
}

static void verdict_max(double *worst, double value)
{
    *worst = fmax(*worst, value);
}

void pawl_verdict_add(pawl_verdict *v, const pawl_step_report *r)
{
    ++v->steps;
    v->not_converged += r->outcome != PAWL_CONVERGED;
    v->iterations_sum += r->iterations;
    v->iterations_max = r->iterations > v->iterations_max ? r->iterations : v->iterations_max;
    v->factorizations_sum += r->factorizations;
    v->factorizations_max =
        r->factorizations > v->factorizations_max ? r->factorizations : v->factorizations_max;
    ++v->methods[r->method];
    v->islands_sum += r->islands;
    v->islands_max = r->islands > v->islands_max ? r->islands : v->islands_max;
    verdict_max(&v->residual.primal, r->residual.primal);
    verdict_max(&v->residual.dual, r->residual.dual);
    verdict_max(&v->residual.complementarity, r->residual.complementarity);
    verdict_max(&v->residual.natural, r->residual.natural);
    verdict_max(&v->residual.natural_scaled, r->residual.natural_scaled);
    if (fmax(r->closure.position, r->closure.rotation) >
        fmax(v->closure.position, v->closure.rotation)) {
        v->closure.worst_joint = r->closure.worst_joint;
    }
    verdict_max(&v->closure.position, r->closure.position);
    verdict_max(&v->closure.rotation, r->closure.rotation);
    if (r->closure.limit > v->closure.limit) {
        v->closure.limit = r->closure.limit;
        v->closure.worst_limit = r->closure.worst_limit;
    }
    v->contacts_max = r->contacts > v->contacts_max ? r->contacts : v->contacts_max;
    v->contacts_sum += r->contacts;
    v->fell_back += r->fell_back ? 1 : 0;
    if (r->penetration > v->penetration) {
        v->penetration = r->penetration;
        v->worst_shape_a = r->worst_shape_a;
        v->worst_shape_b = r->worst_shape_b;
    }
    if (v->tunnelled == 0 && r->tunnelled > 0) {
        v->tunnel_step = v->steps;
        v->tunnel_shape_a = r->tunnel_shape_a;
        v->tunnel_shape_b = r->tunnel_shape_b;
    }
    v->tunnelled += r->tunnelled;
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        v->events[k] += r->events[k];
    }
    v->energy_final = pawl_energy_stored(&r->energy);
    verdict_max(&v->energy_scale, fmax(fabs(v->energy_final), r->energy.kinetic));
    verdict_max(&v->balance_max, fabs(r->energy.balance));
}

const char *pawl_method_name(pawl_method method)
{
    static const char *const names[PAWL_METHOD_COUNT] = {"none", "direct", "sweeps", "admm",
                                                         "newton"};
    return (int)method >= 0 && method < PAWL_METHOD_COUNT ? names[method] : NULL;
}

double pawl_verdict_drift(const pawl_verdict *v)
{
    return v->energy_scale > 0.0  ? v->balance_max / v->energy_scale
           : v->balance_max > 0.0 ? INFINITY
                                  : 0.0;
}
