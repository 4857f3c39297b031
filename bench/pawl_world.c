// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From a scene's neutral data to pawl's model, through the public interface alone.
#include "pawl_world.h"

#include <stdio.h>
#include <stdlib.h>

static void world_log(void *user, pawl_log_level level, const char *message)
{
    (void)user;
    if (level == PAWL_LOG_ERROR) {
        fprintf(stderr, "bench: pawl: %s\n", message);
    }
}

static pawl_status world_join(pawl_builder *builder, const bench_joint *joint)
{
    static const pawl_joint_kind kinds[] = {[BENCH_HINGE] = PAWL_JOINT_REVOLUTE,
                                            [BENCH_BALL] = PAWL_JOINT_SPHERICAL,
                                            [BENCH_FIXED] = PAWL_JOINT_FIXED};
    pawl_joint_def def = pawl_joint_def_default();
    pawl_vec3 axis = joint->kind == BENCH_HINGE ? joint->axis : (pawl_vec3){1.0, 0.0, 0.0};
    pawl_joint_id index = {0, 0};
    def.kind = kinds[joint->kind];
    def.base = joint->base == BENCH_WORLD ? PAWL_WORLD : pawl_builder_body_at(builder, joint->base);
    def.follower = pawl_builder_body_at(builder, joint->follower);
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

// A half space of the world below `at`, seen along `up`.
static pawl_status world_plane(pawl_builder *builder, const bench_scene *scene, pawl_vec3 at,
                               pawl_vec3 up)
{
    pawl_vec3 across = up.z != 0.0 ? (pawl_vec3){1.0, 0.0, 0.0} : (pawl_vec3){0.0, 0.0, 1.0};
    pawl_vec3 third = {up.y * across.z - up.z * across.y, up.z * across.x - up.x * across.z,
                       up.x * across.y - up.y * across.x};
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_PLANE;
    def.friction = scene->friction;
    def.frame = (pawl_pose){at, pawl_quat_from_axes(across, third)}; // x and y make z = up
    return pawl_builder_add_shape(builder, PAWL_WORLD, &def, NULL);
}

static pawl_status world_build(pawl_builder *builder, const bench_scene *scene)
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
        status = world_join(builder, &scene->joints[i]);
    }
    if (scene->floor && status == PAWL_OK) {
        status = world_plane(builder, scene, (pawl_vec3){0}, (pawl_vec3){0.0, 0.0, 1.0});
    }
    for (int i = 0; i < 4 && scene->bin > 0.0 && status == PAWL_OK; ++i) {
        double side = i % 2 == 0 ? 1.0 : -1.0;
        pawl_vec3 out = i < 2 ? (pawl_vec3){side, 0.0, 0.0} : (pawl_vec3){0.0, side, 0.0};
        pawl_vec3 at = {scene->bin * out.x, scene->bin * out.y, 0.0};
        status = world_plane(builder, scene, at, (pawl_vec3){-out.x, -out.y, 0.0});
    }
    for (int i = 0; i < scene->shape_count && status == PAWL_OK; ++i) {
        const bench_shape *shape = &scene->shapes[i];
        pawl_shape_def def = pawl_shape_def_default();
        def.kind = shape->kind == BENCH_BOX ? PAWL_SHAPE_BOX : PAWL_SHAPE_SPHERE;
        def.frame.position = shape->offset;
        def.size = shape->size;
        def.friction = scene->friction;
        status =
            pawl_builder_add_shape(builder, pawl_builder_body_at(builder, shape->body), &def, NULL);
    }
    return status;
}

static pawl_status world_create(bench_world *world, const bench_scene *scene,
                                const pawl_settings *settings)
{
    pawl_builder *builder = NULL;
    pawl_status status = pawl_builder_create(&world->env, scene->name, &builder);
    if (status == PAWL_OK) {
        status = world_build(builder, scene);
    }
    if (status == PAWL_OK) {
        status = pawl_builder_compile(builder, &world->model);
    }
    if (status == PAWL_OK) {
        status = pawl_sim_create(&world->env, world->model, settings, &world->sim);
    }
    pawl_builder_destroy(builder);
    return status;
}

bench_world *bench_world_create(const bench_scene *scene, const pawl_settings *settings)
{
    bench_world *world = calloc(1, sizeof *world);
    if (world == NULL) {
        fprintf(stderr, "bench: out of memory for pawl\n");
        return NULL;
    }
    world->env = pawl_env_default();
    world->env.log = world_log;
    pawl_status status = world_create(world, scene, settings);
    if (status != PAWL_OK) {
        fprintf(stderr, "bench: pawl refuses %s: %s\n", scene->name, pawl_status_name(status));
        bench_world_destroy(world);
        return NULL;
    }
    return world;
}

void bench_world_destroy(bench_world *world)
{
    if (world != NULL) {
        pawl_sim_destroy(world->sim);
        pawl_model_destroy(world->model);
        free(world);
    }
}

void bench_world_read(const bench_world *world, pawl_pose *poses, pawl_twist *twists)
{
    const pawl_state *state = pawl_sim_state(world->sim);
    int count = pawl_model_body_count(world->model);
    for (int i = 0; i < count; ++i) { // link frames sit at the centres of mass
        poses[i] = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), i));
        twists[i] = pawl_state_twist(state, pawl_model_body_at(pawl_state_model(state), i));
    }
}
