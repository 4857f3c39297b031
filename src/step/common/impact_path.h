// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Impacts followed along the normal impulse (Routh 1860, Keller 1986): the laws `energetic` and `routh`.
// docs/impacts.md has the mathematics. This file works only with a small dense problem.
#pragma once
#include "base/carver.h"
#include <stdbool.h>

// Units of one group: room at first; room at most, where an impact takes seconds; the most that sweeps without a
// path solve faster than the solver.
enum { PATH_FIRST_UNITS = 32, PATH_MOST_UNITS = 128, PATH_SWEPT_UNITS = 32 };

typedef enum path_restitution {
    PATH_ENERGETIC, // ends when e^2 of the work of compression has been returned (Stronge 1990)
    PATH_KINETIC    // ends when e of the impulse of compression has been returned (Poisson)
} path_restitution;

// One group of limits and contacts that act on each other. A unit is a limit (one row) or a contact (two
// tangents, then the normal); limits come first. v+ = v + S lambda, joints eliminated from S: it holds the
// effective masses through them.
typedef struct impact_path {
    int max_units; // room
    int limits, contacts;
    path_restitution law;
    double *S;       // (rows x rows) symmetric, positive semi-definite
    double *v;       // (rows) before the impact
    double *mu, *e;  // (units)
    double *allowed; // (units) closing speed that is left: a gap that closes within the step [m/s]
    double *lambda, *after; // (rows) impulses, and v after them
    // what the integration works with
    double *rate, *step;            // (rows) velocities at the increment, impulses of a trial
    double *next;                   // (rows) velocities after the trial
    double *kept;                   // (rows) scratch of the last increment
    double *energy, *due;           // (units) stored work [J]; impulse still to return [N s]
    double *energy_peak, *due_peak; // (units) of the last compression
    double *energy_next, *due_next, *mark; // (units) of a trial; event functions
    bool *active;                          // (units) which act
    bool *inside;                          // (units) friction of a trial inside its disk: it sticks
    double *slope;                         // (2 x units) friction of the last increment per p_n
    double *mark_low;                      // (units) at the longest increment without an event
    double *factor;                        // (rows x rows) of the rows that stand still in sweeps
    int *list;                             // (rows) those rows
} impact_path;

impact_path *pawl_impact_path_layout(int max_units, pawl_carver *mem);
static inline int pawl_impact_path_rows(const impact_path *p)
{
    return p->limits + 3 * p->contacts;
}
static inline int pawl_impact_path_normal(const impact_path *p, int unit)
{
    return unit < p->limits ? unit : p->limits + 3 * (unit - p->limits) + 2;
}

// Follows the impact to its end, or returns false where that takes more increments than there may be.
bool pawl_impact_path_follow(impact_path *p);
// Decompression by Poisson's law in one problem: from p->v, every unit gets the normal impulse due[unit] and
// more where it would close otherwise, 0 <= v_n+ _|_ lambda_n - due >= 0, with Coulomb friction at the slip
// after it on all of lambda_n. False: did not converge.
bool pawl_impact_path_return(impact_path *p);
// Work of the impulses on the relative velocities, lambda . (v + after)/2: the change of kinetic energy [J].
double pawl_impact_path_work(const impact_path *p);
