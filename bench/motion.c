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
    for (int i = 0; i < scene->hinge_count; ++i) {
        const bench_hinge *hinge = &scene->hinges[i];
        pawl_vec3 a = motion_anchor(poses, hinge->base, hinge->base_point);
        pawl_vec3 b = motion_anchor(poses, hinge->follower, hinge->follower_point);
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

static double motion_energy(const bench_body *body, pawl_vec3 gravity, pawl_pose pose,
                            pawl_twist twist)
{
    pawl_vec3 r = pose.position;
    pawl_vec3 v = twist.linear;
    pawl_quat q = pose.orientation;
    pawl_vec3 w = pawl_quat_rotate((pawl_quat){q.w, -q.x, -q.y, -q.z}, twist.angular);
    pawl_vec3 inertia = body->inertia;
    double moving = body->mass * (v.x * v.x + v.y * v.y + v.z * v.z);
    double turning = inertia.x * w.x * w.x + inertia.y * w.y * w.y + inertia.z * w.z * w.z;
    double height = gravity.x * r.x + gravity.y * r.y + gravity.z * r.z;
    return 0.5 * (moving + turning) - body->mass * height;
}

bench_measure bench_measure_begin(const bench_scene *scene)
{
    bench_measure measure = {.scene = scene};
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        measure.energy_start += motion_energy(body, scene->gravity, body->pose, body->twist);
    }
    measure.energy_end = measure.energy_start;
    measure.energy_scale = fabs(measure.energy_start);
    return measure;
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
    measure->energy_drift = fmax(measure->energy_drift, fabs(energy - measure->energy_start));
    measure->energy_scale = fmax(measure->energy_scale, fabs(energy));
    measure->closure = fmax(measure->closure, closure);
}
