// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A program of someone who installed pawl: it builds a pendulum, lets it swing and reads a model
// file, with nothing but the installed headers and libraries. See tests/consumer/run.
#include <math.h>
#include <pawl/io.h>
#include <pawl/pawl.h>
#include <stdio.h>
#include <string.h>

static void consumer_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", message);
}

static pawl_status consumer_build(const pawl_env *env, pawl_model **model)
{
    pawl_builder *builder;
    pawl_status status = pawl_builder_create(env, "pendulum", &builder);
    if (status != PAWL_OK) {
        return status;
    }
    pawl_body_def bob = pawl_body_def_default();
    bob.name = "bob";
    bob.mass = 1.0;
    bob.inertia[0] = bob.inertia[1] = bob.inertia[2] = 1e-2;
    bob.pose.position = (pawl_vec3){1.0, 0.0, 0.0};
    pawl_body_id body = {0, 0};
    status = pawl_builder_add_body(builder, &bob, &body);
    if (status == PAWL_OK) {
        pawl_joint_def hinge = pawl_joint_def_default();
        hinge.name = "hinge";
        hinge.kind = PAWL_JOINT_REVOLUTE;
        hinge.base = PAWL_WORLD;
        hinge.follower = body;
        pawl_builder_place_joint(builder, &hinge, (pawl_vec3){0}, (pawl_vec3){0, 1, 0},
                                 (pawl_vec3){0});
        status = pawl_builder_add_joint(builder, &hinge, NULL);
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(builder, model);
    }
    pawl_builder_destroy(builder);
    return status;
}

// Released level, the bob passes below the hinge after a quarter of a period. There energy gives
// its speed: (m l^2 + I) w^2 / 2 = m g l.
static int consumer_swing(const pawl_env *env, const pawl_model *model)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = 1e-4;
    settings.project = true;
    pawl_sim *sim;
    if (pawl_sim_create(env, model, &settings, &sim) != PAWL_OK) {
        return 1;
    }
    double fastest = 0.0;
    pawl_body_id bob = pawl_model_body_at(model, 0);
    while (pawl_state_time(pawl_sim_state(sim)) < 1.0) {
        if (pawl_sim_step(sim, NULL) != PAWL_OK) {
            pawl_sim_destroy(sim);
            return 1;
        }
        fastest = fmax(fastest, fabs(pawl_state_twist(pawl_sim_state(sim), bob).angular.y));
    }
    pawl_sim_destroy(sim);
    double expected = sqrt(2.0 * 9.81 / 1.01);
    if (!(fabs(fastest - expected) < 1e-3 * expected)) {
        fprintf(stderr, "the pendulum reaches %.6f rad/s, expected %.6f\n", fastest, expected);
        return 1;
    }
    return 0;
}

static int consumer_read(const pawl_env *env)
{
    static const char text[] = "<sdf version='1.10'><model name='one'><link name='body'>"
                               "<inertial><mass>2</mass></inertial></link></model></sdf>";
    pawl_load_options options = pawl_load_options_default();
    pawl_model *model;
    if (pawl_model_parse(env, "text", text, strlen(text), &options, &model) != PAWL_OK) {
        return 1;
    }
    int failed = pawl_model_body_count(model) != 1 || pawl_model_mass(model) != 2.0;
    pawl_model_destroy(model);
    return failed;
}

int main(void)
{
    pawl_env env = pawl_env_default();
    env.log = consumer_log;
    pawl_model *model = NULL;
    if (consumer_build(&env, &model) != PAWL_OK) {
        return 1;
    }
    int failed = consumer_swing(&env, model) != 0 || consumer_read(&env) != 0;
    pawl_model_destroy(model);
    printf("consumer of pawl %s: %s\n", pawl_version(), failed ? "failed" : "all is well");
    return failed;
}
