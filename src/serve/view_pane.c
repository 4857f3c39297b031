// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A simulation that pages change while it runs. A changed setting creates a new simulation with the same state, so
// that solver, stepper and step length can be changed at any time; if the new settings are refused, the old
// simulation is kept. A body is pulled by a spring whose force is set as a wrench before each step.
#define _POSIX_C_SOURCE 200809L
#include "serve/view_pane.h"
#include "base/env.h"
#include "pawl/page.h"
#include <math.h>
#include <time.h>

enum { PANE_MOST_CONTACTS = 4000 }; // in a frame

// A joint as frames need it: the model's own description is long.
typedef struct pane_joint {
    pawl_joint_kind kind;
    int base, follower; // below 0: the world
    pawl_pose base_frame, follower_frame;
} pane_joint;

static pawl_status pane_take_model(view_pane *pane)
{
    int bodies = pawl_model_body_count(pane->model), joints = pawl_model_joint_count(pane->model);
    pane->poses = pawl_alloc(pane->env, (size_t)(bodies + 1) * sizeof *pane->poses);
    pane->joints = pawl_alloc(pane->env, (size_t)(joints + 1) * sizeof *pane->joints);
    if (pane->poses == NULL || pane->joints == NULL) {
        return PAWL_FAIL(pane->env, PAWL_NO_MEMORY, "no memory for frames");
    }
    for (int j = 0; j < joints; ++j) {
        pawl_joint_info info = pawl_model_joint(pane->model, pawl_model_joint_at(pane->model, j));
        pane->joints[j] = (pane_joint){.kind = info.kind,
                                       .base = pawl_body_index(info.base),
                                       .follower = pawl_body_index(info.follower),
                                       .base_frame = info.base_frame,
                                       .follower_frame = info.follower_frame};
    }
    return PAWL_OK;
}

static pawl_status pane_take_start(view_pane *pane)
{
    PAWL_TRY(pawl_state_create(pane->env, pane->model, &pane->start));
    return pawl_state_copy(pane->start, pawl_sim_state(pane->sim));
}

pawl_status view_pane_create(const pawl_env *env, const pawl_model *model,
                             const pawl_settings *settings, const view_pane *from, view_pane *out)
{
    view_pane pane = {
        .env = env, .model = model, .settings = from != NULL ? from->settings : *settings};
    pawl_status status = pawl_sim_create(env, model, &pane.settings, &pane.sim);
    if (status == PAWL_OK) {
        status = pane_take_start(&pane);
    }
    if (status == PAWL_OK) {
        status = pane_take_model(&pane);
    }
    if (status == PAWL_OK && from != NULL) {
        status = pawl_sim_set_state(pane.sim, pawl_sim_state(from->sim));
    }
    if (status != PAWL_OK) {
        view_pane_destroy(&pane);
        return status;
    }
    pane.verdict = pawl_verdict_begin(pawl_sim_state(pane.sim));
    *out = pane;
    return PAWL_OK;
}

void view_pane_destroy(view_pane *pane)
{
    (void)view_pane_end_record(pane);
    pawl_state_destroy(pane->start);
    pawl_sim_destroy(pane->sim);
    if (pane->poses != NULL) {
        pawl_free(pane->env, pane->poses,
                  (size_t)(pawl_model_body_count(pane->model) + 1) * sizeof *pane->poses);
    }
    if (pane->joints != NULL) {
        pawl_free(pane->env, pane->joints,
                  (size_t)(pawl_model_joint_count(pane->model) + 1) * sizeof *pane->joints);
    }
    *pane = (view_pane){0};
}

pawl_status view_pane_set(view_pane *pane, const char *key, const char *value)
{
    pawl_settings changed = pane->settings;
    PAWL_TRY(pawl_settings_set(pane->env, &changed, key, value));
    PAWL_TRY(pawl_settings_check(pane->env, &changed));
    pawl_sim *sim = NULL;
    PAWL_TRY(pawl_sim_create(pane->env, pane->model, &changed, &sim));
    pawl_status status = pawl_sim_set_state(sim, pawl_sim_state(pane->sim));
    if (status != PAWL_OK) {
        pawl_sim_destroy(sim);
        return status;
    }
    status = view_pane_end_record(pane); // a recording is of one simulation
    pawl_sim_destroy(pane->sim);
    pane->sim = sim;
    pane->settings = changed;
    pane->has_report = false;
    pane->cpu = 0.0;
    return status;
}

pawl_status view_pane_reset(view_pane *pane, const view_inputs *inputs)
{
    pawl_status status = view_pane_end_record(pane);
    PAWL_TRY(pawl_sim_set_state(pane->sim, pane->start));
    pane->has_report = false;
    PAWL_TRY(view_pane_apply(pane, inputs));
    pane->verdict = pawl_verdict_begin(pawl_sim_state(pane->sim));
    return status;
}

pawl_status view_pane_apply(view_pane *pane, const view_inputs *inputs)
{
    pawl_state *state = pawl_sim_edit_state(pane->sim);
    PAWL_TRY(pawl_state_clear_inputs(state));
    if (inputs->gravity_set) {
        PAWL_TRY(pawl_state_set_gravity(state, inputs->gravity));
    }
    if (inputs->friction != 1.0) {
        PAWL_TRY(pawl_state_set_friction_scale(state, inputs->friction));
    }
    for (int a = 0; a < inputs->actuator_count; ++a) {
        const struct view_actuator *input = &inputs->actuators[a];
        pawl_actuator_id id = pawl_model_actuator_at(pane->model, a);
        if (input->target_set) {
            PAWL_TRY(pawl_state_set_target(state, id, input->target));
        }
        if (input->gains_set) {
            pawl_gains gains = pawl_state_gains(state, id);
            gains.stiffness = input->stiffness;
            gains.damping = isfinite(gains.damping) ? input->damping : gains.damping;
            PAWL_TRY(pawl_state_set_gains(state, id, &gains));
        }
    }
    return PAWL_OK;
}

static pawl_vec3 pane_along(pawl_vec3 a, double s, pawl_vec3 b)
{
    return (pawl_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static double pane_length(pawl_vec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

// The spring's force F = k d - c v at the point that is held, with d the way to the target and v the point's velocity.
// It acts explicitly, so both constants are bounded by the body's own inertia at the point: c h < 0.4 m and k h^2 < 0.1 m
// keep it stable for any constraints of the body. Below that, k moves all of the machine's mass at 4 Hz.
static void pane_pull(view_pane *pane, const view_grip *grip)
{
    pawl_state *state = pawl_sim_edit_state(pane->sim);
    pawl_body_id body = pawl_model_body_at(pane->model, grip->body);
    pawl_body_info info = pawl_model_body(pane->model, body);
    pawl_vec3 none = {0.0, 0.0, 0.0};
    pane->drag = 0.0;
    if (info.kind == PAWL_BODY_KINEMATIC || !(info.mass > 0.0)) {
        return;
    }
    (void)pawl_state_set_wrench(state, body, none, none);
    if (!grip->held) {
        return;
    }
    pawl_pose pose = pawl_state_pose(state, body);
    pawl_twist twist = pawl_state_twist(state, body);
    pawl_vec3 at = pawl_pose_apply(pose, grip->point), arm = pane_along(at, -1.0, pose.position);
    pawl_vec3 w = twist.angular;
    pawl_vec3 v = {twist.linear.x + w.y * arm.z - w.z * arm.y,
                   twist.linear.y + w.z * arm.x - w.x * arm.z,
                   twist.linear.z + w.x * arm.y - w.y * arm.x};
    double lever = pane_length(pane_along(grip->point, -1.0, info.com));
    double inertia = fmin(info.inertia[0], fmin(info.inertia[1], info.inertia[2]));
    double mass = 1.0 / (1.0 / info.mass + (inertia > 0.0 ? lever * lever / inertia : 0.0));
    double h = pane->settings.dt, pi = 3.14159265358979323846, rate = 8.0 * pi;
    double k = fmin(pawl_model_mass(pane->model) * rate * rate, 0.1 * mass / (h * h));
    double c = fmin(2.0 * sqrt(k * info.mass), 0.4 * mass / h);
    pawl_vec3 way = pane_along(grip->target, -1.0, at);
    pawl_vec3 force = {k * way.x - c * v.x, k * way.y - c * v.y, k * way.z - c * v.z};
    pane->drag = pane_length(force);
    (void)pawl_state_add_force(state, body, force, at);
}

static double pane_cpu(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

pawl_status view_pane_step(view_pane *pane, const view_grip *grip)
{
    if (grip->body >= 0) {
        pane_pull(pane, grip);
    }
    double before = pane_cpu();
    PAWL_TRY(pawl_sim_step(pane->sim, &pane->report));
    double passed = pane_cpu() - before;
    pane->cpu = pane->cpu > 0.0 ? 0.98 * pane->cpu + 0.02 * passed : passed;
    pane->has_report = true;
    pawl_verdict_add(&pane->verdict, &pane->report);
    if (pane->recorder != NULL) {
        return pawl_recorder_add(pane->recorder, &pane->report, &pane->verdict);
    }
    return PAWL_OK;
}

pawl_status view_pane_record(view_pane *pane, const char *path, const char *model_path)
{
    PAWL_TRY(view_pane_end_record(pane));
    pawl_recorder_options options = pawl_recorder_options_default();
    options.model_path = model_path;
    const pawl_state *state = pawl_sim_state(pane->sim);
    pane->verdict = pawl_verdict_begin(state);
    PAWL_TRY(pawl_recorder_create(pane->env, path, pane->sim, &options, &pane->recorder));
    pawl_step_report start = {.closure = pawl_state_closure(state),
                              .energy = pawl_state_energy(state)};
    return pawl_recorder_add(pane->recorder, &start, &pane->verdict);
}

pawl_status view_pane_end_record(view_pane *pane)
{
    pawl_recorder *recorder = pane->recorder;
    pane->recorder = NULL;
    return recorder != NULL ? pawl_recorder_close(recorder) : PAWL_OK;
}

// ---- frames ---------------------------------------------------------------------------------------

static void pane_write_figures(const view_pane *pane, double real_time, view_bytes *frame)
{
    const pawl_step_report *r = &pane->report;
    unsigned measured = pane->has_report ? r->measured : 0;
    pawl_energy e = pane->has_report ? r->energy : pawl_state_energy(pawl_sim_state(pane->sim));
    double figures[VIEW_FIGURES] = {
        [VIEW_KINETIC] = e.kinetic,
        [VIEW_POTENTIAL] = e.gravity + e.springs,
        [VIEW_BALANCE] = (measured & PAWL_MEASURED_BALANCE) != 0 ? e.balance : (double)NAN,
        [VIEW_RESIDUAL] = (measured & PAWL_MEASURED_RESIDUAL) != 0 ? r->own_residual : (double)NAN,
        [VIEW_CLOSURE] =
            (measured & PAWL_MEASURED_CLOSURE) != 0 ? r->closure.position : (double)NAN,
        [VIEW_PENETRATION] = (measured & PAWL_MEASURED_DEPTH) != 0 ? r->penetration : (double)NAN,
        [VIEW_ITERATIONS] = pane->has_report ? r->iterations : (double)NAN,
        [VIEW_CONTACTS] = pane->has_report ? r->contacts : (double)NAN,
        [VIEW_STEP_TIME] = pane->cpu,
        [VIEW_REAL_TIME] = real_time,
        [VIEW_DRAG] = pane->drag,
        [VIEW_UNSOLVED] = (double)pane->verdict.not_converged,
    };
    for (int i = 0; i < VIEW_FIGURES; ++i) {
        view_put_f32(frame, figures[i]);
    }
}

static void pane_put_vec3(view_bytes *frame, pawl_vec3 v)
{
    view_put_f32(frame, v.x);
    view_put_f32(frame, v.y);
    view_put_f32(frame, v.z);
}

static void pane_write_joints(const view_pane *pane, view_bytes *frame)
{
    for (int j = 0; j < pawl_model_joint_count(pane->model); ++j) {
        const pane_joint *joint = &pane->joints[j];
        pawl_pose base = joint->base_frame, follower = joint->follower_frame;
        if (joint->base >= 0) {
            base = pawl_pose_compose(pane->poses[joint->base], base);
        }
        if (joint->follower >= 0) {
            follower = pawl_pose_compose(pane->poses[joint->follower], follower);
        }
        float gap = (float)pawl_joint_gap(joint->kind, base, follower);
        view_put_f32s(frame, &gap, 1);
    }
}

// The coefficient of a contact, for its cone.
static double pane_friction(const view_pane *pane, const pawl_contact_info *contact)
{
    if (pawl_shape_is_none(contact->shape_a) || pawl_shape_is_none(contact->shape_b)) {
        return 0.0;
    }
    const pawl_state *state = pawl_sim_state(pane->sim);
    double a = pawl_model_shape(pane->model, contact->shape_a).def.friction *
               pawl_state_shape_friction_scale(state, contact->shape_a);
    double b = pawl_model_shape(pane->model, contact->shape_b).def.friction *
               pawl_state_shape_friction_scale(state, contact->shape_b);
    return pawl_pair_combine(pane->settings.contact.friction_rule, a, b) *
           pawl_state_friction_scale(state);
}

static void pane_write_contacts(const view_pane *pane, int count, view_bytes *frame)
{
    for (int i = 0; i < count; ++i) {
        pawl_contact_info c = pawl_sim_contact(pane->sim, i);
        view_put_u32(frame, (uint32_t)pawl_body_index(c.body_a));
        view_put_u32(frame, (uint32_t)pawl_body_index(c.body_b));
        view_put_u32(frame, (uint32_t)c.mode);
        pane_put_vec3(frame, c.position);
        pane_put_vec3(frame, c.force);
        pane_put_vec3(frame, c.normal);
        view_put_f32(frame, pane_friction(pane, &c));
    }
}

void view_pane_write(const view_pane *pane, double real_time, view_bytes *frame)
{
    const pawl_state *state = pawl_sim_state(pane->sim);
    int contacts = pane->has_report ? pawl_sim_contact_count(pane->sim) : 0;
    contacts = contacts < PANE_MOST_CONTACTS ? contacts : PANE_MOST_CONTACTS;
    view_put_f64(frame, pawl_state_time(state));
    view_put_f64(frame, (double)pawl_state_step(state));
    view_put_u32(frame, (uint32_t)contacts);
    view_put_u32(frame, 0);
    pane_write_figures(pane, real_time, frame);
    int bodies = pawl_model_body_count(pane->model);
    for (int b = 0; b < bodies; ++b) {
        pane->poses[b] = pawl_state_pose(state, pawl_model_body_at(pane->model, b));
    }
    pane_write_joints(pane, frame);
    for (int b = 0; b < bodies; ++b) {
        const pawl_pose *p = &pane->poses[b];
        const float row[7] = {(float)p->position.x,    (float)p->position.y,
                              (float)p->position.z,    (float)p->orientation.w,
                              (float)p->orientation.x, (float)p->orientation.y,
                              (float)p->orientation.z};
        view_put_f32s(frame, row, 7);
    }
    pane_write_contacts(pane, contacts, frame);
}
