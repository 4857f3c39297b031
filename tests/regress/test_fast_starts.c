// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Spheres and boxes that start at 1 to 1e4 m/s a little above a plane or a slab: moreau drifts for half a step before it
// looks, and went through all of them at 1000 m/s and 10 ms. Nothing passes, or the verdict says so.
#include "pawl/verdict.h"
#include "support/random.h"
#include "support/scene.h"

#include <math.h>

typedef struct fast_count {
    int runs, behind, untrue;
} fast_count;

static void fast_run(uint64_t *seed, int k, pawl_stepper_kind stepper, fast_count *count)
{
    static const double steps[] = {1e-3, 5e-3, 1e-2};
    mechanism m;
    double radius = random_in(seed, 0.05, 0.5), speed = pow(10.0, random_in(seed, 0.0, 4.0));
    double height = radius * random_in(seed, 1.0, 3.0) + random_in(seed, 0.0, 5.0);
    bool slab = k % 3 == 2;
    if (slab) {
        mechanism_begin(&m);
        pawl_builder_set_gravity(m.builder, v3(0, 0, -SCENE_G));
        scene_shape(&m, PAWL_WORLD, PAWL_SHAPE_BOX, v3(1e3, 1e3, 0.5), v3(0, 0, -0.25), 0.3, 0.0);
    } else {
        scene_floor(&m, 0.3, 0.0, 0.0);
    }
    pawl_vec3 at = v3(0, 0, slab ? height + 0.5 : height);
    pawl_body_def body = pawl_body_def_default();
    body.mass = 1.0;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.4 * radius * radius;
    body.pose.position = at;
    double away = random_in(seed, -0.5, 0.5) * speed;
    body.twist.linear = v3(fmin(away, 100.0), 0, -speed);
    pawl_body_id index = mechanism_body(&m, &body);
    double side = 2.0 * radius / sqrt(3.0); // fits into the sphere
    if (k % 2) {
        scene_shape(&m, index, PAWL_SHAPE_BOX, v3(side, side, side), v3(0, 0, 0), 0.3, 0.0);
    } else {
        scene_shape(&m, index, PAWL_SHAPE_SPHERE, v3(radius, 0, 0), v3(0, 0, 0), 0.3, 0.0);
    }
    pawl_settings settings = mechanism_settings(steps[k % 7 % 3], stepper);
    mechanism_start(&m, &settings);
    double lowest = INFINITY;
    pawl_status status = PAWL_OK;
    for (int i = 0; i < 60 && status == PAWL_OK; ++i) {
        status = pawl_sim_step(m.sim, &m.report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&m.verdict, &m.report);
            lowest = fmin(lowest, scene_position(&m, index).z);
        }
    }
    double time = mechanism_time(&m);
    pawl_verdict_end(&m.verdict, status == PAWL_OK ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     time);
    pawl_verdict_names names = pawl_model_names(m.model);
    pawl_verdict_list list = pawl_verdict_judge(&m.verdict, &settings, &names);
    bool fine = status == PAWL_OK && list.judgement != PAWL_FAILED;
    ++count->runs;
    count->behind += lowest < 0.0;
    count->untrue += lowest < 0.0 && fine;
    mechanism_end(&m);
}

TEST(what_starts_fast_stops_at_what_it_hits)
{
    static const pawl_stepper_kind steppers[] = {PAWL_STEPPER_EULER, PAWL_STEPPER_MOREAU,
                                                 PAWL_STEPPER_LIT, PAWL_STEPPER_RATTLE};
    for (int s = 0; s < 4; ++s) {
        uint64_t seed = 5;
        fast_count count = {0};
        for (int k = 0; k < 126; ++k) {
            fast_run(&seed, k, steppers[s], &count);
        }
        print_message("%s: %d of %d behind, %d of these passed\n",
                      pawl_stepper_name((int)steppers[s]), count.behind, count.runs, count.untrue);
        CHECK_INT(count.untrue, 0);
        CHECK(count.behind <= 2);
    }
}
