// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Closure and energy of a state that any engine returned. Twists are of the centre of mass.
#include "motion.h"

#include <math.h>

static pawl_vec3 motion_anchor(const pawl_pose *poses, int body, pawl_vec3 local)
{
    return body == BENCH_WORLD ? local : pawl_pose_apply(poses[body], local);
}

static double motion_closure(const bench_scene *scene, const pawl_pose *poses)
{
    double worst = 0.0;
    for (int i = 0; i < scene->joint_count; ++i) {
        const bench_joint *joint = &scene->joints[i];
        pawl_vec3 a = motion_anchor(poses, joint->base, joint->base_point);
        pawl_vec3 b = motion_anchor(poses, joint->follower, joint->follower_point);
        double dx = b.x - a.x;
        double dy = b.y - a.y;
        double dz = b.z - a.z;
        double gap = sqrt(dx * dx + dy * dy + dz * dz);
        if (!(gap <= worst)) { // also keeps a NaN, which every comparison would drop
            worst = gap;
        }
    }
    return worst;
}

static pawl_quat motion_conjugate(pawl_quat q)
{
    return (pawl_quat){q.w, -q.x, -q.y, -q.z};
}

// How a body has turned since the start, in world axes.
static pawl_quat motion_turn(const bench_scene *scene, const pawl_pose *poses, int body)
{
    if (body == BENCH_WORLD) {
        return (pawl_quat){1.0, 0.0, 0.0, 0.0};
    }
    return pawl_quat_multiply(poses[body].orientation,
                              motion_conjugate(scene->bodies[body].pose.orientation));
}

static double motion_twisted(const bench_scene *scene, const pawl_pose *poses)
{
    double worst = 0.0;
    for (int i = 0; i < scene->joint_count; ++i) {
        const bench_joint *joint = &scene->joints[i];
        // What the follower turned more than the base, in the axes of the start.
        pawl_quat q = pawl_quat_multiply(motion_conjugate(motion_turn(scene, poses, joint->base)),
                                         motion_turn(scene, poses, joint->follower));
        double sine = 0.0; // of half the angle
        if (joint->kind == BENCH_FIXED) {
            sine = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
        } else if (joint->kind == BENCH_HINGE) {
            pawl_vec3 a = joint->axis;
            pawl_vec3 b = pawl_quat_rotate(q, a);
            pawl_vec3 d = {b.x - a.x, b.y - a.y, b.z - a.z};
            sine = 0.5 * sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        }
        worst = fmax(worst, 2.0 * asin(fmin(sine, 1.0)));
    }
    return worst;
}

static double motion_energy(const bench_body *body, pawl_vec3 gravity, pawl_pose pose,
                            pawl_twist twist)
{
    pawl_vec3 r = pose.position;
    pawl_vec3 v = twist.linear;
    pawl_quat q = pose.orientation;
    pawl_vec3 w = pawl_quat_rotate(motion_conjugate(q), twist.angular);
    pawl_vec3 inertia = body->inertia;
    double moving = body->mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    double turning = inertia.x * w.x * w.x + inertia.y * w.y * w.y + inertia.z * w.z * w.z;
    double height = gravity.x * r.x + gravity.y * r.y + gravity.z * r.z;
    return 0.5 * (moving + turning) - body->mass * height;
}

bench_measure bench_measure_begin(const bench_scene *scene)
{
    bench_measure measure = {.scene = scene, .touch = bench_touch_begin(scene)};
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        measure.energy_start += motion_energy(body, scene->gravity, body->pose, body->twist);
    }
    measure.energy_end = measure.energy_start;
    measure.energy_scale = fabs(measure.energy_start);
    return measure;
}

void bench_measure_mark(bench_measure *measure, double time_left)
{
    bench_touch_mark(&measure->touch, time_left);
}

void bench_measure_add(bench_measure *measure, const pawl_pose *poses, const pawl_twist *twists)
{
    const bench_scene *scene = measure->scene;
    double closure = motion_closure(scene, poses);
    double energy = 0.0;
    for (int i = 0; i < scene->body_count; ++i) {
        energy += motion_energy(&scene->bodies[i], scene->gravity, poses[i], twists[i]);
    }
    if (!isfinite(energy) || !isfinite(closure) || energy - measure->energy_start > scene->swing) {
        measure->exploded = true;
        return; // the worst figures before it are the meaningful ones
    }
    measure->energy_end = energy;
    measure->energy_error = fmax(measure->energy_error, fabs(energy - measure->energy_start));
    measure->energy_scale = fmax(measure->energy_scale, fabs(energy));
    measure->closure = fmax(measure->closure, closure);
    if (scene->shape_count > 0) {
        measure->twisted = fmax(measure->twisted, motion_twisted(scene, poses));
        bench_touch_add(&measure->touch, scene, poses, twists);
    }
}
