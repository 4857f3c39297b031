// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A crank-rocker: three bars, four hinges, one loop. Built, released, simulated for 4 s, judged.
#include <math.h>
#include <pawl/pawl.h>
#include <stdio.h>
#include <stdlib.h>

static void hello_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

static void hello_need(pawl_status status) // the log has said what is wrong
{
    if (status != PAWL_OK) {
        exit(1);
    }
}

// A square bar of aluminium from p to q, in the plane y = 0. Returns its id.
static pawl_body_id hello_bar(pawl_builder *b, const char *name, pawl_vec3 p, pawl_vec3 q)
{
    pawl_vec3 along = {q.x - p.x, 0, q.z - p.z};
    pawl_body_def body = pawl_body_def_default();
    body.name = name;
    body.pose.position = (pawl_vec3){(p.x + q.x) / 2, 0, (p.z + q.z) / 2};
    body.pose.orientation = pawl_quat_from_axes(along, (pawl_vec3){0, 1, 0});
    body.density = 2700; // mass and inertia come from the shape
    pawl_shape_def box = pawl_shape_def_default();
    box.kind = PAWL_SHAPE_BOX;
    box.size = (pawl_vec3){hypot(along.x, along.z) / 2, 0.01, 0.01};
    pawl_body_id bar;
    hello_need(pawl_builder_add_body(b, &body, &bar));
    hello_need(pawl_builder_add_shape(b, bar, &box, NULL));
    return bar;
}

static void hello_hinge(pawl_builder *b, const char *name, pawl_body_id base, pawl_body_id follower,
                        pawl_vec3 at)
{
    pawl_joint_def hinge = pawl_joint_def_default();
    hinge.name = name;
    hinge.kind = PAWL_JOINT_REVOLUTE;
    hinge.base = base;
    hinge.follower = follower;
    pawl_builder_place_joint(b, &hinge, at, (pawl_vec3){0, 1, 0}, (pawl_vec3){0, 0, 0});
    hello_need(pawl_builder_add_joint(b, &hinge, NULL));
}

int main(void)
{
    pawl_env env = pawl_env_default();
    env.log = hello_log; // without it the library is silent
    pawl_vec3 A = {0, 0, 0}, B = {0.1, 0, 0}, C = {0.4, 0, 0.4}, D = {0.7, 0, 0};
    pawl_builder *b;
    hello_need(pawl_builder_create(&env, "crank-rocker", &b));
    pawl_body_id crank = hello_bar(b, "crank", A, B);
    pawl_body_id coupler = hello_bar(b, "coupler", B, C);
    pawl_body_id rocker = hello_bar(b, "rocker", D, C);
    hello_hinge(b, "A", PAWL_WORLD, crank, A);
    hello_hinge(b, "B", crank, coupler, B);
    hello_hinge(b, "D", PAWL_WORLD, rocker, D);
    hello_hinge(b, "C", coupler, rocker, C); // closes the loop
    pawl_model *model;
    hello_need(pawl_builder_compile(b, &model));

    pawl_settings settings = pawl_settings_default(); // 1 ms, solver auto, project on
    settings.stepper = PAWL_STEPPER_MOREAU;
    pawl_sim *sim;
    hello_need(pawl_sim_create(&env, model, &settings, &sim));
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    for (int step = 0; step < 4000; ++step) {
        pawl_step_report report;
        hello_need(pawl_sim_step(sim, &report));
        pawl_verdict_add(&verdict, &report);
    }
    double angle, rate;
    pawl_state_joint(pawl_sim_state(sim), pawl_model_find_joint(model, "A"), &angle, &rate);
    printf("after %g s the crank is at %.4f rad and turns at %.4f rad/s\n",
           pawl_state_time(pawl_sim_state(sim)), angle, rate);
    printf("joints closed to %.1e m, energy kept to %.1e\n", verdict.closure.position,
           pawl_verdict_energy_error(&verdict));
    pawl_sim_destroy(sim);
    pawl_model_destroy(model);
    pawl_builder_destroy(b);
    bool good = verdict.not_converged == 0 && verdict.closure.position < 1e-10 &&
                pawl_verdict_energy_error(&verdict) < 1e-4;
    return good ? 0 : 1;
}
