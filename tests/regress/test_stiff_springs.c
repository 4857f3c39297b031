// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Springs that no step shows the vibrations of, on bodies that turn: the length of a spring was taken from where its rows
// stood, which left a share (h v)^2 / l of it wrong, times 1e11 N/m. Three bodies on stiff springs and dampers went from
// 4e10 J to 1e17 J in a second. Nothing here gives energy, so whatever is above the start is an error: the verdict must
// not pass it, and it must not grow without bound either. What a spring that stiff does is known: it is a rod.
#include "pawl/verdict.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

static const pawl_stepper_kind stiff_steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                   PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
enum { STIFF_STEPPERS = sizeof stiff_steppers / sizeof *stiff_steppers };

static double stiff_power(uint64_t *seed, double low, double high)
{
    return pow(10.0, random_in(seed, low, high));
}

static pawl_vec3 stiff_vector(uint64_t *seed, double size)
{
    double x = random_in(seed, -size, size), y = random_in(seed, -size, size);
    return v3(x, y, random_in(seed, -size, size));
}

// Bodies in a row that turn, each on the one before by a spring between points off their centres. Where
// `stretched` is 0 the springs are at rest.
static void stiff_row(mechanism *m, uint64_t *seed, int count, double stretched)
{
    pawl_body_id last = PAWL_WORLD;
    pawl_vec3 hook = v3(0, 0, 0), origin = v3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        pawl_body_def body = pawl_body_def_default();
        body.mass = stiff_power(seed, -2.0, 2.0);
        for (int k = 0; k < 3; ++k) {
            body.inertia[k] = body.mass * random_in(seed, 0.05, 0.08);
        }
        body.pose.position = v3(1.0 + i, 0, 0);
        body.twist.angular = stiff_vector(seed, 2.0);
        pawl_body_id index = mechanism_body(m, &body);
        pawl_spring_def spring = pawl_spring_def_default();
        spring.body_a = last;
        spring.body_b = index;
        spring.point_a = hook;
        spring.point_b = random_in(seed, 0.0, 1.0) < 0.3 ? v3(0, 0, 0) : stiff_vector(seed, 0.1);
        pawl_vec3 from = v3_add(origin, hook), to = v3_add(body.pose.position, spring.point_b);
        spring.rest_length = v3_norm(v3_sub(to, from)) + stretched * random_in(seed, -0.3, 0.3);
        spring.stiffness = stiff_power(seed, 0.0, 15.0);
        spring.damping = random_in(seed, 0.0, 1.0) < 0.3 ? 0.0 : stiff_power(seed, -3.0, 12.0);
        mechanism_spring(m, &spring);
        last = index;
        origin = body.pose.position;
        hook = stiff_vector(seed, 0.1);
    }
}

typedef struct stiff_run {
    bool passed;
    double gain;        // above the start, beside what was turned over and stored at the start
    double damper_rise; // likewise
    bool finite;
} stiff_run;

static double stiff_stored(const mechanism *m)
{
    pawl_energy e = mechanism_energy(m);
    return e.kinetic + e.gravity + e.springs;
}

static stiff_run stiff_go(mechanism *m, const pawl_settings *settings, int steps)
{
    mechanism_start(m, settings);
    stiff_run out = {.finite = true};
    double start = stiff_stored(m), highest = start, begin = fabs(start);
    pawl_status status = PAWL_OK;
    for (int i = 0; i < steps && status == PAWL_OK; ++i) {
        status = pawl_sim_step(m->sim, &m->report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&m->verdict, &m->report);
            highest = fmax(highest, stiff_stored(m));
        }
    }
    double time = mechanism_time(m);
    pawl_verdict_end(&m->verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     time);
    pawl_verdict_names names = pawl_model_names(m->model);
    pawl_verdict_list list = pawl_verdict_judge(&m->verdict, settings, &names);
    double turnover = pawl_verdict_turnover(&m->verdict);
    out.passed = status == PAWL_OK && list.judgement != PAWL_FAILED;
    out.finite = status == PAWL_OK && isfinite(highest);
    out.gain = (highest - start) / (begin + fmin(turnover, 1e3 * (begin + 1.0)));
    out.damper_rise =
        turnover > 0.0 ? m->verdict.work_rise[PAWL_DISSIPATOR_DAMPERS] / turnover : 0.0;
    mechanism_end(m);
    return out;
}

// Nothing gives: closed form 0.
TEST(stiff_springs_on_bodies_that_turn_never_explode)
{
    uint64_t seed = 11;
    int passed = 0, untrue = 0, exploded = 0, stopped = 0, gained = 0, multiplied = 0;
    double rise = 0.0, worst = 0.0;
    for (int k = 0; k < 400; ++k) {
        mechanism m;
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        stiff_row(&m, &seed, 1 + k % 3, k % 2);
        pawl_settings settings = mechanism_settings(stiff_power(&seed, -4.0, -1.0),
                                                    stiff_steppers[(k / 2) % STIFF_STEPPERS]);
        bool reduces = settings.stepper != PAWL_STEPPER_RATTLE;
        settings.formulation =
            reduces && (k / 8) % 2 ? PAWL_FORMULATION_REDUCED : PAWL_FORMULATION_MAXIMAL;
        stiff_run run = stiff_go(&m, &settings, 200);
        passed += run.passed;
        untrue += run.passed && run.gain > 0.03;
        // Springs that a step turns by a fifth of a radian or more, but that are not stiff enough to act at its end, can
        // still gain under midpoint rules.
        exploded += settings.stepper == PAWL_STEPPER_EULER && !(run.gain < 1.0);
        gained += !(run.gain < 0.03);
        multiplied += !(run.gain < 1.0);
        stopped += !run.finite;
        rise = fmax(rise, run.damper_rise);
        worst = fmax(worst, run.gain);
    }
    print_message("%d of 400 passed, %d untrue; %d gained, the most %.1e; dampers rose by %.1e\n",
                  passed, untrue, gained, worst, rise);
    CHECK(passed > 140);
    CHECK_INT(untrue, 0);
    CHECK_INT(exploded, 0);
    CHECK(gained <= 40 &&
          multiplied <= 4); // 96 and 57, up to 2.8e7 times, with rows at the middle of every step
    CHECK_INT(stopped, 0);
    CHECK(rise < 1e-9);
}

// A point on a spring of 1e8 to 1e13 N/m is a pendulum on a rod: v^2 = 2 g (z0 - z), and the spring holds next to nothing.
TEST(a_stiff_spring_is_a_rod)
{
    for (int s = 0; s < STIFF_STEPPERS; ++s) {
        for (int k = 8; k <= 13; ++k) {
            mechanism m;
            mechanism_begin(&m);
            pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
            mechanism_solid(&m, 0.5, v3(1, 0, 0), v3(0.1, 0.1, 0.1));
            pawl_spring_def spring = pawl_spring_def_default();
            spring.body_b = pawl_builder_body_at(m.builder, 0);
            spring.rest_length = 1.0;
            spring.stiffness = pow(10.0, k);
            spring.damping = k % 2 ? 1.0 : 0.0;
            mechanism_spring(&m, &spring);
            pawl_settings settings = mechanism_settings(1e-3, stiff_steppers[s]);
            mechanism_start(&m, &settings);
            double worst = 0.0;
            for (int i = 0; i < 500; ++i) {
                mechanism_step(&m);
                pawl_vec3 r = scene_position(&m, pawl_model_body_at(m.model, 0)),
                          v = scene_velocity(&m, pawl_model_body_at(m.model, 0));
                worst = fmax(worst, fabs(v3_dot(v, v) + 2.0 * SCENE_G * r.z));
                CHECK(fabs(v3_norm(r) - 1.0) < 1e-5);
            }
            CHECK(worst < 0.01 * 2.0 * SCENE_G);
            CHECK(mechanism_energy(&m).springs < 0.01 * 0.5 * SCENE_G);
            mechanism_end(&m);
        }
    }
}
