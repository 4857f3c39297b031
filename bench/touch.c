// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overlap with the floor and with the walls of a bin by how far a shape reaches; of two spheres by
// their distance; of two boxes by the separating axis test, in which the smallest overlap over the 15
// axes is the depth. The scenes have no contact of a sphere with a box, so this pair is not tested.
#include "touch.h"

#include <math.h>

// A hundred boxes are looked at every tenth state: the judge must not take longer than the judged.
enum { TOUCH_MANY_SHAPES = 20, TOUCH_SELDOM = 10 };

typedef struct touch_box {
    pawl_vec3 centre;
    pawl_vec3 axis[3];
    double half[3];
} touch_box;

static double touch_dot(pawl_vec3 a, pawl_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static pawl_vec3 touch_difference(pawl_vec3 a, pawl_vec3 b)
{
    return (pawl_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double touch_norm(pawl_vec3 a)
{
    return sqrt(touch_dot(a, a));
}

static touch_box touch_place(const bench_shape *shape, const pawl_pose *poses)
{
    pawl_pose pose = poses[shape->body];
    return (touch_box){
        .centre = pawl_pose_apply(pose, shape->offset),
        .axis = {pawl_quat_rotate(pose.orientation, (pawl_vec3){1.0, 0.0, 0.0}),
                 pawl_quat_rotate(pose.orientation, (pawl_vec3){0.0, 1.0, 0.0}),
                 pawl_quat_rotate(pose.orientation, (pawl_vec3){0.0, 0.0, 1.0})},
        .half = {shape->size.x, shape->size.y, shape->size.z},
    };
}

static double touch_extent(const touch_box *box, pawl_vec3 direction)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        sum += box->half[i] * fabs(touch_dot(box->axis[i], direction));
    }
    return sum;
}

static double touch_overlap(const touch_box *a, const touch_box *b, pawl_vec3 direction)
{
    double distance = fabs(touch_dot(touch_difference(b->centre, a->centre), direction));
    return touch_extent(a, direction) + touch_extent(b, direction) - distance;
}

// Depth of two boxes, negative when they are apart.
static double touch_boxes(const touch_box *a, const touch_box *b)
{
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        least = fmin(least, touch_overlap(a, b, a->axis[i]));
        least = fmin(least, touch_overlap(a, b, b->axis[i]));
    }
    for (int i = 0; i < 3 && least > 0.0; ++i) {
        for (int j = 0; j < 3; ++j) {
            pawl_vec3 p = a->axis[i];
            pawl_vec3 q = b->axis[j];
            pawl_vec3 n = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
            double length = touch_norm(n);
            if (length > 1e-6) { // parallel edges separate nothing that faces do not
                pawl_vec3 unit = {n.x / length, n.y / length, n.z / length};
                least = fmin(least, touch_overlap(a, b, unit));
            }
        }
    }
    return least;
}

static bool touch_joined(const bench_scene *scene, int a, int b)
{
    for (int i = 0; i < scene->joint_count; ++i) {
        const bench_joint *joint = &scene->joints[i];
        if ((joint->base == a && joint->follower == b) ||
            (joint->base == b && joint->follower == a)) {
            return true;
        }
    }
    return false;
}

// Deepest overlap of any two shapes that may collide.
static double touch_pairs(const bench_scene *scene, const pawl_pose *poses)
{
    double deepest = 0.0;
    for (int i = 0; i < scene->shape_count; ++i) {
        const bench_shape *first = &scene->shapes[i];
        touch_box a = touch_place(first, poses);
        for (int j = i + 1; j < scene->shape_count; ++j) {
            const bench_shape *second = &scene->shapes[j];
            pawl_vec3 centre = pawl_pose_apply(poses[second->body], second->offset);
            double reach = touch_norm(first->size) + touch_norm(second->size);
            double distance = touch_norm(touch_difference(centre, a.centre));
            if (second->kind != first->kind || distance > reach ||
                touch_joined(scene, first->body, second->body)) {
                continue;
            }
            if (first->kind == BENCH_SPHERE) {
                deepest = fmax(deepest, reach - distance);
            } else {
                touch_box b = touch_place(second, poses);
                deepest = fmax(deepest, touch_boxes(&a, &b));
            }
        }
    }
    return deepest;
}

static double touch_reach(const bench_shape *shape, const touch_box *box, pawl_vec3 direction)
{
    double around = shape->kind == BENCH_SPHERE ? shape->size.x : touch_extent(box, direction);
    return touch_dot(box->centre, direction) + around;
}

// How far shapes stick out of the bin.
static double touch_walls(const bench_scene *scene, const pawl_pose *poses)
{
    double deepest = 0.0;
    for (int i = 0; i < scene->shape_count && scene->bin > 0.0; ++i) {
        touch_box box = touch_place(&scene->shapes[i], poses);
        for (int side = -1; side <= 1; side += 2) {
            double x = touch_reach(&scene->shapes[i], &box, (pawl_vec3){side, 0.0, 0.0});
            double y = touch_reach(&scene->shapes[i], &box, (pawl_vec3){0.0, side, 0.0});
            deepest = fmax(deepest, fmax(x, y) - scene->bin);
        }
    }
    return deepest;
}

// Height of the scene's lowest point above the floor.
static double touch_lowest(const bench_scene *scene, const pawl_pose *poses)
{
    double lowest = INFINITY;
    for (int i = 0; i < scene->shape_count; ++i) {
        touch_box box = touch_place(&scene->shapes[i], poses);
        lowest = fmin(lowest, -touch_reach(&scene->shapes[i], &box, (pawl_vec3){0.0, 0.0, -1.0}));
    }
    return lowest;
}

static double touch_heading(pawl_quat q)
{
    pawl_vec3 x = pawl_quat_rotate(q, (pawl_vec3){1.0, 0.0, 0.0});
    return atan2(x.y, x.x);
}

bench_touch bench_touch_begin(const bench_scene *scene)
{
    return (bench_touch){.creep = NAN, .heading = touch_heading(scene->bodies[0].pose.orientation)};
}

void bench_touch_mark(bench_touch *touch, double time_left)
{
    touch->marked = touch->travel;
    touch->time_left = time_left;
}

void bench_touch_add(bench_touch *touch, const bench_scene *scene, const pawl_pose *poses,
                     const pawl_twist *twists)
{
    double lowest = touch_lowest(scene, poses);
    double depth = fmax(0.0, -lowest);
    if (scene->shape_count <= TOUCH_MANY_SHAPES || touch->states % TOUCH_SELDOM == 0) {
        depth = fmax(depth, fmax(touch_pairs(scene, poses), touch_walls(scene, poses)));
        touch->penetration_end = depth;
    }
    ++touch->states;
    touch->penetration = fmax(touch->penetration, depth);
    touch->lift = fmax(touch->lift, lowest);
    touch->moved_end = 0.0;
    touch->speed_end = 0.0;
    touch->spin_end = 0.0;
    for (int i = 0; i < scene->body_count; ++i) {
        pawl_vec3 gone = touch_difference(poses[i].position, scene->bodies[i].pose.position);
        touch->moved_end = fmax(touch->moved_end, touch_norm(gone));
        touch->speed_end = fmax(touch->speed_end, touch_norm(twists[i].linear));
        touch->spin_end = fmax(touch->spin_end, touch_norm(twists[i].angular));
    }
    touch->moved = fmax(touch->moved, touch->moved_end);
    double heading = touch_heading(poses[0].orientation);
    touch->yaw += remainder(heading - touch->heading, 2.0 * acos(-1.0));
    touch->heading = heading;
    touch->travel = touch_difference(poses[0].position, scene->bodies[0].pose.position);
    touch->velocity_end = twists[0].linear;
    if (touch->time_left > 0.0) {
        touch->creep = touch_norm(touch_difference(touch->travel, touch->marked)) /
                       touch->time_left; // that of the whole rest once the last state is in
    }
}
