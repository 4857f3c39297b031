// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The scenes in pawl, through the public interface alone: what a user gets, reports included.
#include "peer.h"

#include "pawl/pawl.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    PEER_PAWL_MOREAU = 1,
    PEER_PAWL_PROJECT = 2,
    PEER_PAWL_DENSE = 4,
    PEER_PAWL_SPARSE = 8,
    PEER_PAWL_SWEEPS = 16, // pgs-ncp instead of the default admm-ncp
    PEER_PAWL_LOOSE = 32   // a tolerance of 1e-6 instead of the default 1e-8
};

typedef struct peer_pawl_run {
    pawl_env env; // the model and the sim keep its address
    pawl_model *model;
    pawl_sim *sim;
    bench_effort effort;
} peer_pawl_run;

static void peer_pawl_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    if (level == PAWL_LOG_ERROR) {
        fprintf(stderr, "bench: pawl: %s\n", message);
    }
}

static void peer_pawl_destroy(void *world)
{
    peer_pawl_run *run = world;
    if (run != NULL) {
        pawl_sim_destroy(run->sim);
        pawl_model_destroy(run->model);
        free(run);
    }
}

static pawl_status peer_pawl_join(pawl_builder *builder, const bench_joint *joint)
{
    static const pawl_joint_kind kinds[] = {[BENCH_HINGE] = PAWL_JOINT_REVOLUTE,
                                            [BENCH_BALL] = PAWL_JOINT_SPHERICAL,
                                            [BENCH_FIXED] = PAWL_JOINT_FIXED};
    pawl_joint_def def = pawl_joint_def_default();
    pawl_vec3 axis = joint->kind == BENCH_HINGE ? joint->axis : (pawl_vec3){1.0, 0.0, 0.0};
    int index = -1;
    def.kind = kinds[joint->kind];
    def.base = joint->base == BENCH_WORLD ? PAWL_WORLD : joint->base;
    def.follower = joint->follower;
    pawl_builder_place_joint(builder, &def, joint->point, axis, (pawl_vec3){0});
    pawl_status status = pawl_builder_add_joint(builder, &def, &index);
    if (status == PAWL_OK && joint->stiffness > 0.0) {
        pawl_actuator_def servo = pawl_actuator_def_default();
        servo.kind = PAWL_ACTUATOR_POSITION;
        servo.joint = index;
        servo.target = pawl_signal_constant(0.0);
        servo.stiffness = joint->stiffness;
        servo.damping = joint->damping;
        status = pawl_builder_add_actuator(builder, &servo, NULL);
    }
    return status;
}

static pawl_status peer_pawl_build(pawl_builder *builder, const bench_scene *scene)
{
    pawl_status status = PAWL_OK;
    pawl_builder_set_gravity(builder, scene->gravity);
    for (int i = 0; i < scene->body_count && status == PAWL_OK; ++i) {
        const bench_body *body = &scene->bodies[i];
        pawl_body_def def = pawl_body_def_default();
        def.pose = body->pose;
        def.twist = body->twist;
        def.mass = body->mass;
        def.inertia[0] = body->inertia.x;
        def.inertia[1] = body->inertia.y;
        def.inertia[2] = body->inertia.z;
        status = pawl_builder_add_body(builder, &def, NULL);
    }
    for (int i = 0; i < scene->joint_count && status == PAWL_OK; ++i) {
        status = peer_pawl_join(builder, &scene->joints[i]);
    }
    if (scene->floor && status == PAWL_OK) {
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = PAWL_SHAPE_PLANE;
        def.friction = scene->friction;
        status = pawl_builder_add_shape(builder, PAWL_WORLD, &def, NULL);
    }
    for (int i = 0; i < scene->shape_count && status == PAWL_OK; ++i) {
        const bench_shape *shape = &scene->shapes[i];
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = shape->kind == BENCH_BOX ? PAWL_SHAPE_BOX : PAWL_SHAPE_SPHERE;
        def.frame.position = shape->offset;
        def.size = shape->size;
        def.friction = scene->friction;
        status = pawl_builder_add_shape(builder, shape->body, &def, NULL);
    }
    return status;
}

static void *peer_pawl_create(const bench_scene *scene, double dt, int option)
{
    peer_pawl_run *run = calloc(1, sizeof *run);
    if (run == NULL) {
        fprintf(stderr, "bench: out of memory for pawl\n");
        return NULL;
    }
    run->env = pawl_env_default();
    run->env.log = peer_pawl_log;
    pawl_settings settings = pawl_settings_default();
    settings.dt = dt;
    settings.stepper = (option & PEER_PAWL_MOREAU) != 0 ? PAWL_STEPPER_MOREAU : PAWL_STEPPER_EULER;
    settings.project = (option & PEER_PAWL_PROJECT) != 0;
    settings.delassus = (option & PEER_PAWL_DENSE) != 0    ? PAWL_DELASSUS_DENSE
                        : (option & PEER_PAWL_SPARSE) != 0 ? PAWL_DELASSUS_SPARSE
                                                           : PAWL_DELASSUS_AUTO;
    if ((option & PEER_PAWL_SWEEPS) != 0) {
        settings.solver = PAWL_SOLVER_PGS_NCP;
    }
    if ((option & PEER_PAWL_LOOSE) != 0) {
        settings.tolerance = 1e-6;
    }
    pawl_builder *builder = NULL;
    pawl_status status = pawl_builder_create(&run->env, scene->name, &builder);
    if (status == PAWL_OK) {
        status = peer_pawl_build(builder, scene);
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(builder, &run->model);
    }
    if (status == PAWL_OK) {
        status = pawl_sim_create(&run->env, run->model, &settings, &run->sim);
    }
    pawl_builder_destroy(builder);
    if (status != PAWL_OK) {
        fprintf(stderr, "bench: pawl refuses %s: %s\n", scene->name, pawl_status_name(status));
        peer_pawl_destroy(run);
        return NULL;
    }
    return run;
}

static bool peer_pawl_step(void *world)
{
    peer_pawl_run *run = world;
    pawl_step_report report; // judged as in any run: its cost belongs to a step
    if (pawl_sim_step(run->sim, &report) != PAWL_OK) {
        return false;
    }
    bench_effort *effort = &run->effort;
    effort->iterations += report.iterations;
    effort->most = report.iterations > effort->most ? report.iterations : effort->most;
    effort->unsolved += report.outcome != PAWL_CONVERGED;
    effort->contacts = report.contacts > effort->contacts ? report.contacts : effort->contacts;
    return true;
}

static bench_effort peer_pawl_effort(void *world)
{
    const peer_pawl_run *run = world;
    return run->effort;
}

static void peer_pawl_read(void *world, pawl_pose *poses, pawl_twist *twists)
{
    const peer_pawl_run *run = world;
    const pawl_state *state = pawl_sim_state(run->sim);
    int count = pawl_model_body_count(run->model);
    for (int i = 0; i < count; ++i) { // link frames sit at the centres of mass
        poses[i] = pawl_state_pose(state, i);
        twists[i] = pawl_state_twist(state, i);
    }
}

#define PEER_PAWL_ROW(name, where, bits)                                                           \
    {                                                                                              \
        .engine = "pawl", .variant = (name), .option = (bits), .scope = (where),                   \
        .create = peer_pawl_create, .step = peer_pawl_step, .read = peer_pawl_read,                \
        .destroy = peer_pawl_destroy, .effort = peer_pawl_effort                                   \
    }
const bench_peer bench_pawl_peers[BENCH_PAWL_PEERS] = {
    PEER_PAWL_ROW("euler", BENCH_EVERYWHERE, 0),
    PEER_PAWL_ROW("euler project", BENCH_EVERYWHERE, PEER_PAWL_PROJECT),
    PEER_PAWL_ROW("moreau project", BENCH_EVERYWHERE, PEER_PAWL_MOREAU | PEER_PAWL_PROJECT),
};
const bench_peer bench_pawl_dense = PEER_PAWL_ROW("euler dense", BENCH_EVERYWHERE, PEER_PAWL_DENSE);
const bench_peer bench_pawl_sparse =
    PEER_PAWL_ROW("euler sparse", BENCH_EVERYWHERE, PEER_PAWL_SPARSE);
const bench_peer bench_pawl_contact_peers[BENCH_PAWL_CONTACT_PEERS] = {
    PEER_PAWL_ROW("admm 1e-6", BENCH_EVERYWHERE, PEER_PAWL_PROJECT | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("admm 1e-8", BENCH_EVERYWHERE, PEER_PAWL_PROJECT),
    PEER_PAWL_ROW("pgs 1e-6", BENCH_EVERYWHERE,
                  PEER_PAWL_PROJECT | PEER_PAWL_SWEEPS | PEER_PAWL_LOOSE),
    PEER_PAWL_ROW("admm 1e-6 erp", BENCH_JOINTS_ONLY, PEER_PAWL_LOOSE),
};
