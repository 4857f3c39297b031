// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenes S4, S5 and S8 of the comparison with other engines. All move in the plane y = 0 and turn
// about y, which lets engines that treat loops softly or by points take part without tricks.
#include "scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SCENES_GRAVITY 9.81

static void *scenes_allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fprintf(stderr, "bench: out of memory for %zu items of %zu bytes\n", count, size);
        exit(1);
    }
    return block;
}

static bench_scene *scenes_create(int max_bodies, int max_hinges)
{
    bench_scene *scene = scenes_allocate(1, sizeof *scene);
    scene->gravity = (pawl_vec3){0.0, 0.0, -SCENES_GRAVITY};
    scene->bodies = scenes_allocate((size_t)max_bodies, sizeof *scene->bodies);
    scene->hinges = scenes_allocate((size_t)max_hinges, sizeof *scene->hinges);
    return scene;
}

void bench_scene_destroy(bench_scene *scene)
{
    if (scene != NULL) {
        free(scene->bodies);
        free(scene->hinges);
        free(scene);
    }
}

// A uniform rod from p to q, in the plane, x along it. `thickness` is the side of its square
// section; 0 makes it slender: the moments across are m L^2 / 12 exactly, as the IFToMM benchmark
// has them, and the moment along, which no planar motion excites, is that of a 0.04 m section so
// that every engine accepts the inertia.
static int scenes_add_rod(bench_scene *scene, pawl_vec3 p, pawl_vec3 q, double mass,
                          double thickness)
{
    double dx = q.x - p.x;
    double dz = q.z - p.z;
    double squared = dx * dx + dz * dz;
    double along = thickness > 0.0 ? thickness : 0.04;
    double across = mass * (squared + thickness * thickness) / 12.0;
    double length = sqrt(squared);
    if (scene->body_count == 0 || length < scene->shortest) {
        scene->shortest = length;
    }
    bench_body *body = &scene->bodies[scene->body_count];
    *body = (bench_body){
        .pose.position = {0.5 * (p.x + q.x), 0.0, 0.5 * (p.z + q.z)},
        .pose.orientation = pawl_quat_from_axis_angle((pawl_vec3){0.0, 1.0, 0.0}, -atan2(dz, dx)),
        .mass = mass,
        .inertia = {mass * along * along / 6.0, across, across},
    };
    return scene->body_count++;
}

static pawl_vec3 scenes_local(const bench_scene *scene, int body, pawl_vec3 point)
{
    if (body == BENCH_WORLD) {
        return point;
    }
    return pawl_pose_apply(pawl_pose_inverse(scene->bodies[body].pose), point);
}

static void scenes_add_hinge(bench_scene *scene, int base, int follower, pawl_vec3 point)
{
    scene->hinges[scene->hinge_count++] = (bench_hinge){
        .base = base,
        .follower = follower,
        .point = point,
        .axis = {0.0, 1.0, 0.0},
        .base_point = scenes_local(scene, base, point),
        .follower_point = scenes_local(scene, follower, point),
    };
}

bench_scene *bench_scene_four_bar(void)
{
    const pawl_vec3 a = {0.0, 0.0, 0.0};
    const pawl_vec3 b = {-0.15, 0.0, 0.15 * sqrt(3.0)};
    const pawl_vec3 c = {1.0, 0.0, 0.6};
    const pawl_vec3 d = {1.0, 0.0, 0.0};
    const double section = 0.04;
    bench_scene *scene = scenes_create(3, 4);
    snprintf(scene->name, sizeof scene->name, "S4 four-bar");
    double bc_mass = hypot(c.x - b.x, c.z - b.z); // 1 kg/m, as the other two
    int ab = scenes_add_rod(scene, a, b, 0.3, section);
    int bc = scenes_add_rod(scene, b, c, bc_mass, section);
    int dc = scenes_add_rod(scene, d, c, 0.6, section);
    scenes_add_hinge(scene, BENCH_WORLD, ab, a);
    scenes_add_hinge(scene, BENCH_WORLD, dc, d);
    scenes_add_hinge(scene, ab, bc, b);
    scenes_add_hinge(scene, bc, dc, c);
    scene->swing = 0.0;
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        scene->swing += body->mass * SCENES_GRAVITY * body->pose.position.z;
    }
    return scene;
}

bench_scene *bench_scene_chain(int links)
{
    const double length = 0.1;
    const double mass = 0.1;
    const double section = 0.02;
    bench_scene *scene = scenes_create(links, links);
    snprintf(scene->name, sizeof scene->name, "S5 chain %d", links);
    for (int i = 0; i < links; ++i) {
        pawl_vec3 p = {length * i, 0.0, 0.0};
        pawl_vec3 q = {length * (i + 1), 0.0, 0.0};
        int link = scenes_add_rod(scene, p, q, mass, section);
        scenes_add_hinge(scene, link == 0 ? BENCH_WORLD : link - 1, link, p);
    }
    scene->swing = 0.5 * SCENES_GRAVITY * mass * length * links * links; // until it hangs straight
    return scene;
}

bench_scene *bench_scene_ladder(int windows)
{
    const pawl_twist turning = {.linear = {0.5, 0.0, 0.0}, .angular = {0.0, 1.0, 0.0}};
    const pawl_twist gliding = {.linear = {1.0, 0.0, 0.0}};
    bench_scene *scene = scenes_create(2 * windows + 1, 3 * windows + 1);
    snprintf(scene->name, sizeof scene->name, "S8 ladder %d", windows);
    int previous = BENCH_WORLD;
    for (int i = 0; i <= windows; ++i) {
        pawl_vec3 foot = {i, 0.0, 0.0};
        pawl_vec3 top = {i, 0.0, 1.0};
        int upright = scenes_add_rod(scene, foot, top, 1.0, 0.0);
        scene->bodies[upright].twist = turning;
        scenes_add_hinge(scene, BENCH_WORLD, upright, foot);
        if (i > 0) {
            pawl_vec3 top_before = {i - 1, 0.0, 1.0};
            int coupler = scenes_add_rod(scene, top_before, top, 1.0, 0.0);
            scene->bodies[coupler].twist = gliding;
            scenes_add_hinge(scene, previous, coupler, top_before);
            scenes_add_hinge(scene, coupler, upright, top);
        }
        previous = upright;
    }
    scene->swing = SCENES_GRAVITY * ((windows + 1) * 1.0 + windows * 2.0); // upright to hanging
    return scene;
}
