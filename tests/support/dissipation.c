// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Mechanisms of everything that dissipates, and what their accounts say.
#include "support/dissipation.h"

#include "support/random.h"

double dissipation_power(uint64_t *seed, double low, double high)
{
    return pow(10.0, random_in(seed, low, high));
}

const pawl_stepper_kind dissipation_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                  PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};

// Bodies in a row, each on the one before by a spring.
static void dissipation_springs(mechanism *m, uint64_t *seed, int count)
{
    pawl_body_id last = PAWL_WORLD;
    for (int i = 0; i < count; ++i) {
        double mass = dissipation_power(seed, -6.0, 6.0), inertia = 0.1 * mass;
        pawl_body_id body =
            mechanism_solid(m, mass, v3(1.0 + i, 0, 0), v3(inertia, inertia, inertia));
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_a = last;
        spring.body_b = body;
        spring.point_b = v3(0, random_in(seed, 0.0, 1.0) < 0.5 ? 0.0 : 0.1, 0);
        spring.stiffness = dissipation_power(seed, -3.0, 15.0);
        spring.damping = dissipation_power(seed, -3.0, 12.0);
        spring.rest_length = random_in(seed, 0.5, 1.1);
        mechanism_spring(m, &spring);
        last = body;
    }
}

// A pendulum of hinges with everything that dissipates.
void dissipation_hinges(mechanism *m, uint64_t *seed, int count)
{
    pawl_body_id last = PAWL_WORLD;
    for (int i = 0; i < count; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.mass = dissipation_power(seed, -6.0, 6.0);
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.1 * body.mass;
        body.pose.position = v3(1.0 + i, 0, 0);
        if (random_in(seed, 0.0, 1.0) < 0.3) {
            body.linear_damping = body.angular_damping = dissipation_power(seed, -3.0, 9.0);
        }
        pawl_body_id index = mechanism_body(m, &body);
        pawl_joint_def joint = mechanism_joint_def(m, PAWL_JOINT_REVOLUTE, last, index,
                                                   v3(0.5 + i, 0, 0), v3(0, 1, 0.1 * i));
        pawl_coordinate_def *q = &joint.coordinate[0];
        q->damping = dissipation_power(seed, -6.0, 12.0);
        q->friction = random_in(seed, 0.0, 1.0) < 0.5 ? dissipation_power(seed, -6.0, 4.0) : 0.0;
        if (random_in(seed, 0.0, 1.0) < 0.5) {
            q->lower = random_in(seed, -0.5, 0.2);
            q->upper = random_in(seed, 0.2, 0.5);
        }
        mechanism_joint(m, &joint);
        last = index;
    }
}

// Largest rise of an account above its lowest value, beside what was turned over.
double dissipation_rise(const pawl_verdict *v, pawl_dissipator kind)
{
    double turnover = pawl_verdict_turnover(v);
    return turnover > 0.0 ? v->work_rise[kind] / turnover : 0.0;
}

// One mechanism of 100 steps: hinges for even k, else springs.
static void dissipation_run_one(dissipation_count *count, uint64_t *seed, int k)
{
    mechanism m;
    mechanism_begin(&m);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
    if (k % 2) {
        dissipation_springs(&m, seed, 1 + k % 3);
    } else {
        dissipation_hinges(&m, seed, 1 + k % 3);
    }
    pawl_settings settings =
        mechanism_settings(dissipation_power(seed, -6.0, 0.0), dissipation_steppers[(k / 2) % 4]);
    mechanism_start(&m, &settings);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < 100 && status == PAWL_OK; ++i) {
        status = pawl_sim_step(m.sim, &m.report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&m.verdict, &m.report);
        }
    }
    double time = mechanism_time(&m);
    pawl_verdict_end(&m.verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     time);
    pawl_verdict_names names = pawl_model_names(m.model);
    pawl_verdict_list list = pawl_verdict_judge(&m.verdict, &settings, &names);
    bool fine = status == PAWL_OK && list.judgement != PAWL_FAILED;
    count->untrue += fine && pawl_verdict_energy_error(&m.verdict) > 0.1;
    count->passed += fine;
    count->stopped += status != PAWL_OK;
    for (int kind = 0; kind < DISSIPATION_KINDS; ++kind) {
        double rise = dissipation_rise(&m.verdict, (pawl_dissipator)kind);
        count->worst[kind] = fmax(count->worst[kind], rise);
    }
    mechanism_end(&m);
}

void dissipation_run(dissipation_count *count, uint64_t seed)
{
    for (int k = 0; k < DISSIPATION_RUNS; ++k) {
        dissipation_run_one(count, &seed, k);
    }
}

// Passed or not: what is left is the rounding of balance_net_dissipation(), of what was taken in a step.
void dissipation_check(const dissipation_count *count)
{
    print_message("%d passed, %d stopped; largest rise of dampers %.1e, friction %.1e, limits "
                  "%.1e of what was turned over\n",
                  count->passed, count->stopped, count->worst[PAWL_DISSIPATOR_DAMPERS],
                  count->worst[PAWL_DISSIPATOR_FRICTION], count->worst[PAWL_DISSIPATOR_LIMITS]);
    for (int kind = 0; kind < DISSIPATION_KINDS; ++kind) {
        CHECK(count->worst[kind] < 1e-9);
    }
    CHECK_INT(count->untrue, 0);
}
