// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies, joints and shapes of the benchmarks' scenes. Without memory a benchmark has no result, so it ends.
#include "scene_build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void *scene_build_allocate(int count, size_t size)
{
    void *block = calloc((size_t)(count > 0 ? count : 1), size);
    if (block == NULL) {
        fprintf(stderr, "bench: out of memory for %d items of %zu bytes\n", count, size);
        exit(1);
    }
    return block;
}

bench_scene *bench_scene_create(int max_bodies, int max_joints, int max_shapes, const char *name,
                                ...)
{
    bench_scene *scene = scene_build_allocate(1, sizeof *scene);
    scene->gravity = (pawl_vec3){0.0, 0.0, -BENCH_GRAVITY};
    scene->bodies = scene_build_allocate(max_bodies, sizeof *scene->bodies);
    scene->joints = scene_build_allocate(max_joints, sizeof *scene->joints);
    scene->shapes = scene_build_allocate(max_shapes, sizeof *scene->shapes);
    va_list arguments;
    va_start(arguments, name);
    vsnprintf(scene->name, sizeof scene->name, name, arguments);
    va_end(arguments);
    return scene;
}

void bench_scene_destroy(bench_scene *scene)
{
    if (scene != NULL) {
        free(scene->bodies);
        free(scene->joints);
        free(scene->shapes);
        free(scene);
    }
}

static int scene_build_body(bench_scene *scene, bench_body body, double edge)
{
    if (scene->body_count == 0 || edge < scene->shortest) {
        scene->shortest = edge;
    }
    scene->bodies[scene->body_count] = body;
    return scene->body_count++;
}

int bench_add_rod(bench_scene *scene, pawl_vec3 p, pawl_vec3 q, double mass, double thickness)
{
    double dx = q.x - p.x;
    double dz = q.z - p.z;
    double squared = dx * dx + dz * dz;
    double along = thickness > 0.0 ? thickness : 0.04;
    double across = mass * (squared + thickness * thickness) / 12.0;
    bench_body body = {
        .pose.position = {0.5 * (p.x + q.x), p.y, 0.5 * (p.z + q.z)},
        .pose.orientation = pawl_quat_from_axis_angle((pawl_vec3){0.0, 1.0, 0.0}, -atan2(dz, dx)),
        .mass = mass,
        .inertia = {mass * along * along / 6.0, across, across},
    };
    return scene_build_body(scene, body, sqrt(squared));
}

int bench_add_block(bench_scene *scene, pawl_vec3 centre, pawl_vec3 half, double mass)
{
    pawl_vec3 squared = {half.x * half.x, half.y * half.y, half.z * half.z};
    bench_body body = {
        .pose = {centre, {1.0, 0.0, 0.0, 0.0}},
        .mass = mass,
        .inertia = {mass * (squared.y + squared.z) / 3.0, mass * (squared.x + squared.z) / 3.0,
                    mass * (squared.x + squared.y) / 3.0},
    };
    return scene_build_body(scene, body, 2.0 * fmin(half.x, fmin(half.y, half.z)));
}

int bench_add_box(bench_scene *scene, pawl_vec3 centre, pawl_vec3 half, double mass)
{
    int body = bench_add_block(scene, centre, half, mass);
    bench_add_shape(scene, (bench_shape){.kind = BENCH_BOX, .body = body, .size = half});
    return body;
}

int bench_add_ball(bench_scene *scene, pawl_vec3 centre, double radius, double mass)
{
    double moment = 0.4 * mass * radius * radius;
    bench_body ball = {
        .pose = {centre, {1.0, 0.0, 0.0, 0.0}}, .mass = mass, .inertia = {moment, moment, moment}};
    int body = scene_build_body(scene, ball, 2.0 * radius);
    bench_add_shape(scene,
                    (bench_shape){.kind = BENCH_SPHERE, .body = body, .size = {radius, 0.0, 0.0}});
    return body;
}

void bench_add_shape(bench_scene *scene, bench_shape shape)
{
    scene->shapes[scene->shape_count++] = shape;
}

static pawl_vec3 scene_build_local(const bench_scene *scene, int body, pawl_vec3 point)
{
    if (body == BENCH_WORLD) {
        return point;
    }
    return pawl_pose_apply(pawl_pose_inverse(scene->bodies[body].pose), point);
}

bench_joint *bench_add_joint(bench_scene *scene, bench_joint_kind kind, int base, int follower,
                             pawl_vec3 point, pawl_vec3 axis)
{
    bench_joint *joint = &scene->joints[scene->joint_count++];
    *joint = (bench_joint){
        .kind = kind,
        .base = base,
        .follower = follower,
        .point = point,
        .axis = axis,
        .base_point = scene_build_local(scene, base, point),
        .follower_point = scene_build_local(scene, follower, point),
    };
    return joint;
}

bench_scene *bench_scene_on_floor(bench_scene *scene, double friction, double settle)
{
    scene->floor = true;
    scene->settle = settle;
    scene->friction = friction;
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        pawl_vec3 v = body->twist.linear;
        scene->swing += body->mass * (BENCH_GRAVITY + 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z));
    }
    return scene;
}
