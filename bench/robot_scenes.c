// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Two standing robots for the counts of instructions (bench_step): a humanoid, a tree of 22 bodies and 27 degrees of
// freedom, and a biped whose legs are closed linkages, 31 bodies and 36 hinges of which six close loops. Servos keep
// the pose of the start.
#include "scene_build.h"

#include <math.h>

static const pawl_vec3 robot_x = {1.0, 0.0, 0.0};
static const pawl_vec3 robot_y = {0.0, 1.0, 0.0};
static const pawl_vec3 robot_z = {0.0, 0.0, 1.0};

static void robot_servo(bench_scene *scene, int base, int follower, pawl_vec3 point, pawl_vec3 axis,
                        double stiffness)
{
    bench_joint *joint = bench_add_joint(scene, BENCH_HINGE, base, follower, point, axis);
    joint->stiffness = stiffness;
    joint->damping = 0.02 * stiffness;
}

static void robot_hinge(bench_scene *scene, int base, int follower, pawl_vec3 point)
{
    bench_add_joint(scene, BENCH_HINGE, base, follower, point, robot_y);
}

static int robot_block(bench_scene *scene, double x, double y, double z, double half, double mass)
{
    return bench_add_block(scene, (pawl_vec3){x, y, z}, (pawl_vec3){half, half, half}, mass);
}

static void robot_sole(bench_scene *scene, int foot, pawl_vec3 half)
{
    bench_add_shape(scene, (bench_shape){.kind = BENCH_BOX, .body = foot, .size = half});
}

// --- the humanoid ----------------------------------------------------------------------------------

// A foot of half height `sole` stands on the ground; the ankle is above it.
static const pawl_vec3 robot_foot = {0.1, 0.05, 0.02};
static const double robot_ankle = 0.08;

static void humanoid_leg(bench_scene *scene, int pelvis, double y, double hip)
{
    const double bend = 0.25;
    double length = 0.5 * (hip - robot_ankle) / cos(bend);
    pawl_vec3 at = {0.0, y, hip}, knee = {length * sin(bend), y, 0.5 * (hip + robot_ankle)};
    pawl_vec3 ankle = {0.0, y, robot_ankle};
    int yaw = robot_block(scene, 0.0, y, hip + 0.06, 0.03, 0.8);
    int roll = robot_block(scene, 0.0, y, hip, 0.03, 0.8);
    int thigh = bench_add_rod(scene, at, knee, 4.0, 0.1);
    int shank = bench_add_rod(scene, knee, ankle, 2.5, 0.08);
    int joint = robot_block(scene, 0.0, y, robot_ankle, 0.03, 0.5);
    int foot = bench_add_block(scene, (pawl_vec3){0.02, y, robot_foot.z}, robot_foot, 1.0);
    robot_servo(scene, pelvis, yaw, (pawl_vec3){0.0, y, hip + 0.09}, robot_z, 300.0);
    robot_servo(scene, yaw, roll, at, robot_x, 600.0);
    robot_servo(scene, roll, thigh, at, robot_y, 600.0);
    robot_servo(scene, thigh, shank, knee, robot_y, 600.0);
    robot_servo(scene, shank, joint, ankle, robot_y, 300.0);
    robot_servo(scene, joint, foot, ankle, robot_x, 300.0);
    robot_sole(scene, foot, robot_foot);
}

static void humanoid_arm(bench_scene *scene, int torso, double side, double shoulder)
{
    double y = 0.22 * side;
    pawl_vec3 top = {0.0, y, shoulder}, elbow = {0.0, y, shoulder - 0.28};
    pawl_vec3 hand = {0.12, y, shoulder - 0.5};
    int block = robot_block(scene, 0.0, 0.18 * side, shoulder, 0.04, 0.8);
    int upper = bench_add_rod(scene, top, elbow, 1.5, 0.06);
    int lower = bench_add_rod(scene, elbow, hand, 1.0, 0.05);
    robot_servo(scene, torso, block, (pawl_vec3){0.0, 0.15 * side, shoulder}, robot_y, 100.0);
    robot_servo(scene, block, upper, top, robot_x, 100.0);
    robot_servo(scene, upper, lower, elbow, robot_y, 60.0);
}

bench_scene *bench_scene_humanoid(void)
{
    const double hip = 0.8;
    bench_scene *scene = bench_scene_create(22, 21, 2, "S12 humanoid");
    int pelvis = bench_add_block(scene, (pawl_vec3){0.0, 0.0, hip + 0.12},
                                 (pawl_vec3){0.08, 0.12, 0.06}, 6.0);
    humanoid_leg(scene, pelvis, 0.1, hip);
    humanoid_leg(scene, pelvis, -0.1, hip);
    int waist = robot_block(scene, 0.0, 0.0, hip + 0.22, 0.05, 2.0);
    int torso = bench_add_block(scene, (pawl_vec3){0.0, 0.0, hip + 0.45},
                                (pawl_vec3){0.1, 0.14, 0.2}, 14.0);
    int head = robot_block(scene, 0.0, 0.0, hip + 0.78, 0.1, 3.0);
    robot_servo(scene, pelvis, waist, (pawl_vec3){0.0, 0.0, hip + 0.18}, robot_z, 300.0);
    robot_servo(scene, waist, torso, (pawl_vec3){0.0, 0.0, hip + 0.26}, robot_y, 600.0);
    robot_servo(scene, torso, head, (pawl_vec3){0.0, 0.0, hip + 0.66}, robot_z, 30.0);
    humanoid_arm(scene, torso, 1.0, hip + 0.58);
    humanoid_arm(scene, torso, -1.0, hip + 0.58);
    return bench_scene_on_floor(scene, 0.8, 2.0);
}

// --- the biped of closed linkages ------------------------------------------------------------------

// A parallelogram of two rods from `top` of `above` by `along`, with a plate below. Returns the plate; `driven` is the
// first rod.
static int biped_window(bench_scene *scene, int above, pawl_vec3 top, pawl_vec3 along, double mass,
                        int *driven)
{
    const double width = 0.03; // half of it, between the rods
    pawl_vec3 front = {top.x + width, top.y, top.z}, rear = {top.x - width, top.y, top.z};
    pawl_vec3 end = {front.x + along.x, front.y, front.z + along.z};
    pawl_vec3 rear_end = {rear.x + along.x, rear.y, rear.z + along.z};
    int first = bench_add_rod(scene, front, end, mass, 0.03);
    int second = bench_add_rod(scene, rear, rear_end, mass, 0.03);
    int plate = robot_block(scene, top.x + along.x, top.y, end.z, 0.04, 0.6);
    robot_hinge(scene, above, first, front);
    robot_hinge(scene, above, second, rear);
    robot_hinge(scene, first, plate, end);
    robot_hinge(scene, second, plate, rear_end); // closes the loop
    *driven = first;
    return plate;
}

static void biped_leg(bench_scene *scene, int pelvis, double y, double hip)
{
    const double bend = 0.3;
    double drop = 0.5 * (hip - robot_ankle), lean = drop * tan(bend);
    int yaw = robot_block(scene, 0.0, y, hip + 0.08, 0.03, 0.5);
    int roll = robot_block(scene, 0.0, y, hip, 0.04, 0.8);
    robot_servo(scene, pelvis, yaw, (pawl_vec3){0.0, y, hip + 0.11}, robot_z, 300.0);
    robot_servo(scene, yaw, roll, (pawl_vec3){0.0, y, hip + 0.05}, robot_x, 600.0);
    int thigh, shank;
    int knee = biped_window(scene, roll, (pawl_vec3){0.0, y, hip}, (pawl_vec3){lean, 0.0, -drop},
                            1.0, &thigh);
    int plate = biped_window(scene, knee, (pawl_vec3){lean, y, hip - drop},
                             (pawl_vec3){-lean, 0.0, -drop}, 0.7, &shank);
    // The crank that moves the thigh, parallel to it, and its coupler: the third loop.
    pawl_vec3 pivot = {-0.1, y, hip}, pin = {-0.1 + 0.4 * lean, y, hip - 0.4 * drop};
    pawl_vec3 lug = {0.03 + 0.4 * lean, y, hip - 0.4 * drop};
    int crank = bench_add_rod(scene, pivot, pin, 0.4, 0.03);
    int coupler = bench_add_rod(scene, pin, lug, 0.2, 0.02);
    robot_servo(scene, roll, crank, pivot, robot_y, 600.0);
    robot_hinge(scene, crank, coupler, pin);
    robot_hinge(scene, coupler, thigh, lug);
    scene->joints[scene->joint_count - 7].stiffness = 600.0; // of the shank's first rod
    scene->joints[scene->joint_count - 7].damping = 12.0;
    pawl_vec3 ankle = {0.0, y, robot_ankle};
    int block = robot_block(scene, 0.0, y, robot_ankle - 0.02, 0.02, 0.3);
    int foot = bench_add_block(scene, (pawl_vec3){0.02, y, robot_foot.z}, robot_foot, 1.0);
    pawl_vec3 tip = {0.12, y, robot_foot.z};
    int toe = robot_block(scene, 0.14, y, robot_foot.z + 0.01, 0.015, 0.1);
    robot_servo(scene, plate, block, ankle, robot_y, 300.0);
    robot_servo(scene, block, foot, (pawl_vec3){0.0, y, robot_ankle - 0.02}, robot_x, 300.0);
    robot_servo(scene, foot, toe, tip, robot_y, 2.0);
    robot_sole(scene, foot, robot_foot);
}

static void biped_arm(bench_scene *scene, int pelvis, double side, double height)
{
    double y = 0.2 * side;
    pawl_vec3 top = {0.0, y, height}, elbow = {0.0, y, height - 0.25};
    int upper = bench_add_rod(scene, top, elbow, 0.8, 0.05);
    int lower = bench_add_rod(scene, elbow, (pawl_vec3){0.1, y, height - 0.45}, 0.5, 0.04);
    robot_servo(scene, pelvis, upper, top, robot_y, 40.0);
    robot_servo(scene, upper, lower, elbow, robot_y, 40.0);
}

bench_scene *bench_scene_loop_biped(void)
{
    const double hip = 0.6;
    bench_scene *scene = bench_scene_create(31, 36, 2, "S13 loop biped");
    int pelvis = bench_add_block(scene, (pawl_vec3){0.0, 0.0, hip + 0.2},
                                 (pawl_vec3){0.1, 0.16, 0.09}, 10.0);
    for (int leg = 0; leg < 2; ++leg) {
        double side = leg == 0 ? 1.0 : -1.0;
        biped_leg(scene, pelvis, 0.1 * side, hip);
        biped_arm(scene, pelvis, side, hip + 0.25);
    }
    return bench_scene_on_floor(scene, 0.8, 2.0);
}
