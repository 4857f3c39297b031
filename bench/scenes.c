// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenes S4, S5 and S8 of the comparison with other engines: mechanisms without contact. All move
// in the plane y = 0 and turn about y, so that engines that close loops softly or at points can take part.
#include "scene_build.h"

#include <math.h>

static void scenes_add_hinge(bench_scene *scene, int base, int follower, pawl_vec3 point)
{
    bench_add_joint(scene, BENCH_HINGE, base, follower, point, (pawl_vec3){0.0, 1.0, 0.0});
}

bench_scene *bench_scene_four_bar(void)
{
    const pawl_vec3 a = {0.0, 0.0, 0.0};
    const pawl_vec3 b = {-0.15, 0.0, 0.15 * sqrt(3.0)};
    const pawl_vec3 c = {1.0, 0.0, 0.6};
    const pawl_vec3 d = {1.0, 0.0, 0.0};
    const double section = 0.04;
    bench_scene *scene = bench_scene_create(3, 4, 0, "S4 four-bar");
    double bc_mass = hypot(c.x - b.x, c.z - b.z); // 1 kg/m, as the other two
    int ab = bench_add_rod(scene, a, b, 0.3, section);
    int bc = bench_add_rod(scene, b, c, bc_mass, section);
    int dc = bench_add_rod(scene, d, c, 0.6, section);
    scenes_add_hinge(scene, BENCH_WORLD, ab, a);
    scenes_add_hinge(scene, BENCH_WORLD, dc, d);
    scenes_add_hinge(scene, ab, bc, b);
    scenes_add_hinge(scene, bc, dc, c);
    scene->swing = 0.0;
    for (int i = 0; i < scene->body_count; ++i) {
        const bench_body *body = &scene->bodies[i];
        scene->swing += body->mass * BENCH_GRAVITY * body->pose.position.z;
    }
    return scene;
}

bench_scene *bench_scene_chain(int links)
{
    const double length = 0.1;
    const double mass = 0.1;
    const double section = 0.02;
    bench_scene *scene = bench_scene_create(links, links, 0, "S5 chain %d", links);
    for (int i = 0; i < links; ++i) {
        pawl_vec3 p = {length * i, 0.0, 0.0};
        pawl_vec3 q = {length * (i + 1), 0.0, 0.0};
        int link = bench_add_rod(scene, p, q, mass, section);
        scenes_add_hinge(scene, link == 0 ? BENCH_WORLD : link - 1, link, p);
    }
    scene->swing = 0.5 * BENCH_GRAVITY * mass * length * links * links; // until it hangs straight
    return scene;
}

bench_scene *bench_scene_ladder(int windows)
{
    const pawl_twist turning = {.linear = {0.5, 0.0, 0.0}, .angular = {0.0, 1.0, 0.0}};
    const pawl_twist gliding = {.linear = {1.0, 0.0, 0.0}};
    bench_scene *scene =
        bench_scene_create(2 * windows + 1, 3 * windows + 1, 0, "S8 ladder %d", windows);
    int previous = BENCH_WORLD;
    for (int i = 0; i <= windows; ++i) {
        pawl_vec3 foot = {i, 0.0, 0.0};
        pawl_vec3 top = {i, 0.0, 1.0};
        int upright = bench_add_rod(scene, foot, top, 1.0, 0.0);
        scene->bodies[upright].twist = turning;
        scenes_add_hinge(scene, BENCH_WORLD, upright, foot);
        if (i > 0) {
            pawl_vec3 top_before = {i - 1, 0.0, 1.0};
            int coupler = bench_add_rod(scene, top_before, top, 1.0, 0.0);
            scene->bodies[coupler].twist = gliding;
            scenes_add_hinge(scene, previous, coupler, top_before);
            scenes_add_hinge(scene, coupler, upright, top);
        }
        previous = upright;
    }
    scene->swing = BENCH_GRAVITY * ((windows + 1) * 1.0 + windows * 2.0); // upright to hanging
    return scene;
}
