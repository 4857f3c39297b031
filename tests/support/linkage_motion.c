// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The measuring of linkages.
#include "support/linkage_motion.h"
#include "math/vec.h"
#include "pawl/io.h"
#include "pawl/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void motion_log(void *user, pawl_log_level level, const char *message)
{
    linkage_motion *m = user;
    if (level != PAWL_LOG_NOTE) {
        snprintf(m->message, sizeof m->message, "%s", message);
    }
}

static pawl_vec3 motion_centre(const pawl_model *model, const pawl_state *state, pawl_body_id body)
{
    return pawl_pose_apply(pawl_state_pose(state, body), pawl_model_body(model, body).com);
}

// Of joints with one; 0 else.
static double motion_coordinate(const pawl_model *model, const pawl_state *state,
                                pawl_joint_id joint)
{
    double q[6] = {0.0};
    if (pawl_model_joint(model, joint).coordinate_count == 1) {
        pawl_state_joint(state, joint, q, NULL);
    }
    return q[0];
}

static void motion_sample(linkage_motion *m, const pawl_model *model, const pawl_state *state)
{
    pawl_vec3 *row = m->centre + (size_t)m->samples * (size_t)m->bodies;
    for (int i = 0; i < m->bodies; ++i) {
        row[i] = motion_centre(model, state, pawl_model_body_at(model, i));
    }
    m->angle[m->samples++] = motion_coordinate(model, state, pawl_model_joint_at(model, 0));
}

static void motion_momentum(const pawl_model *model, const pawl_state *state, pawl_vec3 *linear,
                            pawl_vec3 *angular)
{
    *linear = *angular = v3(0.0, 0.0, 0.0);
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_body_info b = pawl_model_body(model, pawl_model_body_at(model, i));
        pawl_pose pose = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), i));
        pawl_twist t = pawl_state_twist(state, pawl_model_body_at(pawl_state_model(state), i));
        pawl_vec3 arm = pawl_quat_rotate(pose.orientation, b.com);
        pawl_vec3 p = v3_scale(b.mass, v3_add(t.linear, v3_cross(t.angular, arm)));
        pawl_mat3 inertia = m3_from_six(b.inertia);
        pawl_quat back = {pose.orientation.w, -pose.orientation.x, -pose.orientation.y,
                          -pose.orientation.z};
        pawl_vec3 own =
            pawl_quat_rotate(pose.orientation, m3_mul(&inertia, pawl_quat_rotate(back, t.angular)));
        *linear = v3_add(*linear, p);
        *angular = v3_add(*angular, v3_add(own, v3_cross(v3_add(pose.position, arm), p)));
    }
}

static void motion_step_figures(linkage_motion *m, const pawl_sim *sim,
                                const pawl_step_report *report, double *force)
{
    const pawl_model *model = pawl_sim_model(sim);
    const pawl_state *state = pawl_sim_state(sim);
    pawl_verdict_add(&m->verdict, report);
    m->kinetic_max = fmax(m->kinetic_max, report->energy.kinetic);
    m->gain = fmax(m->gain, report->energy.balance);
    m->loss = fmax(m->loss, -report->energy.balance);
    *force = 0.0;
    for (int k = 0; k < pawl_model_joint_count(model); ++k) {
        pawl_vec3 f, moment;
        m->travel =
            fmax(m->travel, fabs(motion_coordinate(model, state, pawl_model_joint_at(model, k)) -
                                 m->start[k]));
        pawl_sim_joint_reaction(sim, pawl_model_joint_at(pawl_sim_model(sim), k), &f, &moment);
        *force = fmax(*force, v3_norm(f));
    }
    m->force_max = fmax(m->force_max, *force);
    motion_momentum(model, state, &m->momentum[1], &m->spin[1]);
    m->momentum_change = fmax(m->momentum_change, v3_norm(v3_sub(m->momentum[1], m->momentum[0])));
    m->spin_change = fmax(m->spin_change, v3_norm(v3_sub(m->spin[1], m->spin[0])));
}

static int motion_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static void motion_steps(linkage_motion *m, pawl_sim *sim, double time, double interval)
{
    double dt = pawl_sim_settings(sim)->dt;
    int steps = (int)lround(time / dt), every = (int)lround(interval / dt);
    const pawl_model *model = pawl_sim_model(sim);
    m->bodies = pawl_model_body_count(model);
    m->centre = calloc((size_t)(steps / every + 1) * (size_t)m->bodies, sizeof *m->centre);
    m->angle = calloc((size_t)(steps / every + 1), sizeof *m->angle);
    double *force = calloc((size_t)steps + 1, sizeof *force);
    if (m->centre == NULL || m->angle == NULL || force == NULL) {
        abort();
    }
    m->verdict = pawl_verdict_begin(pawl_sim_state(sim));
    motion_sample(m, model, pawl_sim_state(sim));
    motion_momentum(model, pawl_sim_state(sim), &m->momentum[0], &m->spin[0]);
    for (int k = 0; k < pawl_model_joint_count(model); ++k) {
        m->start[k] = motion_coordinate(model, pawl_sim_state(sim), pawl_model_joint_at(model, k));
    }
    for (int k = 0; k < steps && m->status == PAWL_OK; ++k) {
        pawl_step_report report;
        m->status = pawl_sim_step(sim, &report);
        if (m->status == PAWL_OK) {
            motion_step_figures(m, sim, &report, &force[k]);
            if ((k + 1) % every == 0) {
                motion_sample(m, model, pawl_sim_state(sim));
            }
        }
    }
    qsort(force, (size_t)steps, sizeof *force, motion_compare);
    m->force_median = force[steps / 2];
    free(force);
    pawl_verdict_end(&m->verdict, m->status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED,
                     pawl_state_time(pawl_sim_state(sim)), time);
    pawl_verdict_names names = pawl_model_names(model);
    pawl_verdict_list list = pawl_verdict_judge(&m->verdict, pawl_sim_settings(sim), &names);
    m->fine = list.judgement != PAWL_FAILED;
    for (int k = 0; k < list.count && !m->fine; ++k) {
        const pawl_criterion *c = &list.criteria[k];
        if (c->judgement == PAWL_FAILED) {
            snprintf(m->message, sizeof m->message, "%s %.2g, limit %.2g", c->name, c->value,
                     c->limit);
        }
    }
}

linkage_motion linkage_run_text(const char *text, const pawl_settings *settings, double time,
                                double interval)
{
    linkage_motion m = {0};
    pawl_env env = pawl_env_default();
    env.log = motion_log;
    env.user = &m;
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model = NULL;
    pawl_sim *sim = NULL;
    m.status = pawl_model_parse(&env, "linkage.sdf", text, strlen(text), &options, &model);
    if (m.status == PAWL_OK) {
        m.status = pawl_sim_create(&env, model, settings, &sim);
    }
    if (m.status == PAWL_OK) {
        motion_steps(&m, sim, time, interval);
    }
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    return m;
}

linkage_motion linkage_run(const linkage *l, int digits, const pawl_settings *settings, double time,
                           double interval)
{
    char *text = linkage_sdf(l, digits);
    linkage_motion m = linkage_run_text(text, settings, time, interval);
    free(text);
    return m;
}

void linkage_motion_end(linkage_motion *m)
{
    free(m->centre);
    free(m->angle);
    m->centre = NULL;
    m->angle = NULL;
}

double linkage_distance(const linkage_motion *a, const linkage_motion *b, int last)
{
    if (a->status != PAWL_OK || b->status != PAWL_OK || a->bodies != b->bodies) {
        return INFINITY;
    }
    int samples = a->samples < b->samples ? a->samples : b->samples;
    samples = last + 1 < samples ? last + 1 : samples;
    double worst = 0.0;
    for (int i = 0; i < samples * a->bodies; ++i) {
        worst = fmax(worst, v3_norm(v3_sub(a->centre[i], b->centre[i])));
    }
    return worst;
}

double linkage_angle_distance(const linkage_motion *a, const linkage_motion *b)
{
    if (a->status != PAWL_OK || b->status != PAWL_OK) {
        return INFINITY;
    }
    double worst = 0.0;
    for (int i = 0; i < a->samples && i < b->samples; ++i) {
        worst = fmax(worst, fabs(a->angle[i] - b->angle[i]));
    }
    return worst;
}

bool linkage_frozen(const linkage_motion *m, const linkage_motion *exact)
{
    return m->status == PAWL_OK && m->travel < 0.2 * exact->travel;
}

bool linkage_exploded(const linkage_motion *m, const linkage_motion *exact)
{
    return m->status != PAWL_OK || !(m->gain <= 2.0 * exact->gain + 0.05 * exact->kinetic_max);
}

bool linkage_lost(const linkage_motion *m, const linkage_motion *exact)
{
    return m->status == PAWL_OK && !(m->loss <= 2.0 * exact->loss + 0.05 * exact->kinetic_max);
}
