// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Boxes, plates and rods that turn by up to 8 rad a step and hit the floor. A fixed point of the gyroscopic torque that
// does not converge there gave a plate three times its energy. Nothing here gives energy: closed form, the energy at
// the start is the largest.
#include "pawl/verdict.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>
#include <stdlib.h>

typedef struct spin_count {
    int runs, untrue, failed;
    double worst;
} spin_count;

// Returns its mass.
static double spin_body(mechanism *m, uint64_t *seed, double e)
{
    pawl_vec3 size;
    size.x = random_in(seed, 0.05, 0.6);
    size.y = random_in(seed, 0.05, 0.6);
    size.z = random_in(seed, 0.01, 0.2);
    pawl_body_def body = pawl_body_def_default();
    body.mass = pow(10.0, random_in(seed, -1.0, 1.0));
    body.inertia[0] = body.mass * (size.y * size.y + size.z * size.z) / 12.0;
    body.inertia[1] = body.mass * (size.x * size.x + size.z * size.z) / 12.0;
    body.inertia[2] = body.mass * (size.x * size.x + size.y * size.y) / 12.0;
    body.pose.orientation = random_quat(seed);
    body.pose.position = v3(0, 0, 0.5 * v3_norm(size) + random_in(seed, 0.01, 0.3));
    body.twist.linear = random_vec(seed, 5.0);
    body.twist.linear.z = -fabs(body.twist.linear.z);
    body.twist.angular = random_vec(seed, pow(10.0, random_in(seed, 1.0, 2.9)));
    pawl_body_id index = mechanism_body(m, &body);
    scene_shape(m, index, PAWL_SHAPE_BOX, size, v3(0, 0, 0), 0.5, e);
    return body.mass;
}

// A step does not know when in it an impact happens: gravity may have acted for h/2 more or less, which is m g h/2 times
// the change of speed.
static double spin_unknown(const mechanism *m, double h, double weight)
{
    pawl_vec3 v = scene_velocity(m, pawl_model_body_at(m->model, 0));
    pawl_vec3 w = scene_spin(m, pawl_model_body_at(m->model, 0));
    return weight * h * (v3_norm(v) + 0.5 * v3_norm(w));
}

static void spin_run(uint64_t seed, int k, pawl_stepper_kind stepper, pawl_impact_law law,
                     spin_count *count)
{
    mechanism m;
    double e = k % 2 ? random_in(&seed, 0.0, 1.0) : 0.0, gravity = k % 4 < 2 ? 0.0 : SCENE_G;
    scene_floor(&m, 0.5, 0.0, 0.0);
    pawl_builder_set_gravity(m.builder, v3(0, 0, -gravity));
    double weight = gravity * spin_body(&m, &seed, e);
    pawl_settings settings = mechanism_settings(k % 3 ? 1e-2 : 5e-3, stepper);
    settings.contact.impact = law;
    mechanism_start(&m, &settings);
    pawl_energy start = mechanism_energy(&m);
    double unknown = spin_unknown(&m, settings.dt, weight);
    double stored = start.kinetic + start.gravity, highest = stored;
    pawl_status status = PAWL_OK;
    for (int i = 0; i < 60 && status == PAWL_OK; ++i) {
        status = pawl_sim_step(m.sim, &m.report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&m.verdict, &m.report);
            highest = fmax(highest, scene_stored(&m));
        }
    }
    double time = mechanism_time(&m);
    pawl_verdict_end(&m.verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     time);
    pawl_verdict_names names = pawl_model_names(m.model);
    pawl_verdict_list list = pawl_verdict_judge(&m.verdict, &settings, &names);
    bool fine = status == PAWL_OK && list.judgement != PAWL_FAILED;
    double gain = (highest - stored - unknown) / stored;
    ++count->runs;
    count->failed += !fine;
    count->untrue += highest / stored > 1.03 && fine;
    count->worst = fmax(count->worst, gain);
    mechanism_end(&m);
}

// PAWL_SPINS=N draws so many, PAWL_SEED others.
TEST(what_turns_by_radians_a_step_gains_nothing_from_the_floor)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
    static const char *const laws[] = {"poisson", "newton", "energetic", "routh"};
    const char *asked = getenv("PAWL_SPINS"), *given = getenv("PAWL_SEED");
    int draws = asked != NULL ? atoi(asked) : 24;
    uint64_t first = given != NULL ? (uint64_t)atoi(given) : 1;
    for (int s = 0; s < 4; ++s) {
        for (int law = 0; law < PAWL_IMPACT_LAW_COUNT; ++law) {
            spin_count count = {.worst = -INFINITY};
            for (int k = 0; k < draws; ++k) {
                uint64_t seed = UINT64_C(1000003) * (uint64_t)k + first;
                spin_run(seed, k, steppers[s], (pawl_impact_law)law, &count);
            }
            print_message("%s, %s: largest gain %.1e; %d of %d not met, %d untrue\n",
                          pawl_stepper_name((int)steppers[s]), laws[law], count.worst, count.failed,
                          count.runs, count.untrue);
            CHECK_INT(count.untrue, 0);
            CHECK(count.worst < 1e-3);
        }
    }
}

// A torque that was taken again after the rows had answered to another one gave these 6 and 8 % of their energy.
TEST(torques_that_do_not_settle_give_nothing)
{
    static const struct {
        uint64_t seed;
        int draw;
    } runs[] = {{4242, 128}, {12345, 216}};
    for (int i = 0; i < 2; ++i) {
        spin_count count = {.worst = -INFINITY};
        uint64_t seed = UINT64_C(1000003) * (uint64_t)runs[i].draw + runs[i].seed;
        spin_run(seed, runs[i].draw, PAWL_STEPPER_LIT, PAWL_IMPACT_POISSON, &count);
        CHECK(count.worst < 1e-6);
    }
}
