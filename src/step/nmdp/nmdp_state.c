// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From a state to coordinates and back. Besides poses and twists a step uses the weights of the contact points, beta,
// and the rates of the bodies' centres and axes, which are the momentum of pbd: the state contains them, so that a
// resumed run has the same bits.
#include "step/nmdp/nmdp.h"
#include "wrench/wrench_set.h"
#include <string.h>

// Coordinates, centres and axes of all links where they are placed.
void pawl_nmdp_read_place(nmdp *s, nmdp_moment *out)
{
    memcpy(out->theta, s->config.theta, (size_t)s->n * sizeof *out->theta);
    for (int i = 0; i < s->links; ++i) {
        out->bodies[i] = (nmdp_body){s->motion->position[i], s->motion->rotation[i]};
    }
}

// Rates in space of a motion that nothing is remembered of: as if a step before had led here. The tangent
// would lack half of the Coriolis forces of the first step, which are second differences in space.
static void state_begin_rates(nmdp *s, double time)
{
    double h = s->settings->dt;
    for (int k = 0; k < s->n; ++k) {
        s->config.theta[k] = s->begin.theta[k] - h * s->begin_rate.theta[k];
    }
    pawl_reduced_place(s->motion, &s->config, time - h);
    pawl_nmdp_read_place(s, &s->now);
    for (int i = s->n; i < s->numbers; ++i) {
        s->begin_rate.theta[i] = (s->begin.theta[i] - s->now.theta[i]) / h;
    }
    memcpy(s->config.theta, s->begin.theta, (size_t)s->n * sizeof(double));
    pawl_reduced_place(s->motion, &s->config, time);
}

void pawl_nmdp_begin(nmdp *s, const double *theta, const double *rate, double time)
{
    memcpy(s->config.theta, theta, (size_t)s->n * sizeof *theta);
    pawl_reduced_place(s->motion, &s->config, time);
    pawl_nmdp_read_place(s, &s->begin);
    memcpy(s->begin_rate.theta, rate, (size_t)s->n * sizeof *rate);
    state_begin_rates(s, time);
}

// NULL: no forces yet.
void pawl_nmdp_keep_spent(nmdp *s, const double *w)
{
    for (int i = 0; i < s->points; ++i) {
        nmdp_point *p = &s->point[i];
        p->spent = 0.0;
        for (int k = 0; k < p->vertex_count && w != NULL; ++k) {
            p->spent += w[p->first_weight + k];
        }
    }
}

// The state has room for the weights of the ground's points; with those of bodies there may be more, and then those
// that are not zero are kept with their places, as many as there is room for. Both ends know which it is.
static void state_read_weights(const nmdp *s, const state_memory *m, double *w)
{
    memset(w, 0, (size_t)s->weights * sizeof *w);
    if (s->weights <= m->weight_count) {
        memcpy(w, m->weights, (size_t)s->weights * sizeof *w);
        return;
    }
    for (int i = 0; i + 1 < m->weight_count; i += 2) {
        double place = m->weights[i] - 1.0;
        if (!(place >= 0.0 && place < (double)s->weights)) {
            return;
        }
        w[(int)place] = m->weights[i + 1];
    }
}

static void state_write_weights(const nmdp *s, const state_memory *m)
{
    if (s->weights <= m->weight_count) {
        memcpy(m->weights, s->w, (size_t)s->weights * sizeof *s->w);
        return;
    }
    int used = 0;
    for (int k = 0; k < s->weights && used + 1 < m->weight_count; ++k) {
        if (s->w[k] != 0.0) {
            m->weights[used++] = (double)(k + 1);
            m->weights[used++] = s->w[k];
        }
    }
    memset(m->weights + used, 0, (size_t)(m->weight_count - used) * sizeof *m->weights);
}

// beta = 0 marks a state without memory. Weights then start at 0, and rates in space are guessed.
void pawl_nmdp_read_state(nmdp *s, const pawl_state *state)
{
    pawl_wrench_set_follow(s->set, s->model); // an input may have changed friction
    const state_memory m = pawl_state_memory(state);
    pawl_reduced_config_from(s->tree, state->bodies, state->coordinates, &s->config);
    pawl_reduced_place(s->motion, &s->config, state->time);
    pawl_nmdp_read_place(s, &s->begin);
    pawl_reduced_rate_from(s->motion, state->bodies, s->begin_rate.theta);
    pawl_reduced_move(s->motion, s->begin_rate.theta);
    s->kinetic = pawl_nmdp_kinetic(s, s->begin_rate.theta);
    bool known = *m.beta > 0.0;
    if (!known) {
        state_begin_rates(s, state->time);
    }
    s->beta = known ? *m.beta : s->settings->nmdp.beta_min;
    s->beta = fmax(s->beta, s->settings->nmdp.beta_min);
    memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
    if (known) {
        state_read_weights(s, &m, s->w);
    }
    pawl_nmdp_keep_spent(s, s->w);
    if (s->settings->solver.warm_start == PAWL_WARM_OFF) {
        memset(s->w, 0, (size_t)s->weights * sizeof *s->w);
    }
    for (int i = 0; i < s->links && known; ++i) {
        memcpy(&s->begin_rate.bodies[i], m.rates + 12 * s->tree->links[i].body,
               12 * sizeof(double));
    }
}

// Twists are those of the rates in coordinates; the rates in space go to the memory.
void pawl_nmdp_write_state(const nmdp *s, pawl_state *state)
{
    state_memory m = pawl_state_memory(state);
    pawl_reduced_move(s->motion, s->begin_rate.theta);
    pawl_reduced_write_bodies(s->motion, true, state->bodies);
    *m.beta = s->beta;
    state_write_weights(s, &m);
    for (int i = 0; i < s->links; ++i) {
        memcpy(m.rates + 12 * s->tree->links[i].body, &s->begin_rate.bodies[i],
               12 * sizeof(double));
    }
}
