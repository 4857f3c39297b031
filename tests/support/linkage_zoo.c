// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Overconstrained mechanisms of the textbooks.
#include "support/linkage_zoo.h"
#include "support/random.h"

#include <string.h>

static const double zoo_pi = 3.14159265358979323846;

void linkage_turn(linkage *l)
{
    pawl_quat q = pawl_quat_from_rpy(0.3718, -0.7353, 1.1937);
    linkage_place(l, (pawl_pose){{0.0, 0.0, 0.0}, q});
    l->gravity = pawl_quat_rotate(q, l->gravity);
}

void linkage_tilt(linkage *l)
{
    uint64_t seed = 5;
    for (int i = 0; i < l->body_count; ++i) {
        linkage_body *b = &l->bodies[i];
        pawl_vec3 shift = random_vec(&seed, 0.1); // in the link's axes
        pawl_vec3 moved = pawl_quat_rotate(b->pose.orientation, shift);
        b->pose.position = v3_add(b->pose.position, moved);
        b->com = v3_sub(b->com, shift);
        b->foot_point = v3_sub(b->foot_point, shift);
        b->twist.linear = v3_add(b->twist.linear, v3_cross(b->twist.angular, moved));
    }
    linkage_turn(l);
}

static int zoo_hinge(linkage *l, int base, int follower, pawl_vec3 point, pawl_vec3 axis)
{
    return linkage_add_joint(l, PAWL_JOINT_REVOLUTE, base, follower, point, axis);
}

// ---- four-bars -----------------------------------------------------------------------------------

static void zoo_four_bar_links(linkage *l, int ground)
{
    // crank 20 degrees below the line of the ground, joint of coupler and rocker above it
    pawl_vec3 y = {0.0, 1.0, 0.0}, a = {0.0, 0.0, 0.0}, d = {0.3, 0.0, 0.0};
    double angle = 20.0 * zoo_pi / 180.0;
    pawl_vec3 b = {0.1 * cos(angle), 0.0, -0.1 * sin(angle)};
    // c: 0.3 m from b, 0.25 m from d
    pawl_vec3 bd = v3_sub(d, b);
    double s = v3_norm(bd), along = (0.09 - 0.0625 + s * s) / (2.0 * s);
    double across = sqrt(0.09 - along * along);
    pawl_vec3 e = v3_scale(1.0 / s, bd), up = v3_cross(e, y);
    pawl_vec3 c =
        v3_add(b, v3_add(v3_scale(along, e), v3_scale(up.z > 0.0 ? across : -across, up)));
    int crank = linkage_add_rod(l, a, b, y, 0.2, 0.015);
    int coupler = linkage_add_rod(l, b, c, y, 0.6, 0.015);
    int rocker = linkage_add_rod(l, d, c, y, 0.5, 0.015);
    zoo_hinge(l, ground, crank, a, y);
    zoo_hinge(l, crank, coupler, b, y);
    zoo_hinge(l, ground, rocker, d, y);
    zoo_hinge(l, coupler, rocker, c, y);
    l->redundant = 3;
}

void zoo_four_bar(linkage *l)
{
    linkage_begin(l, "tilted-four-bar");
    zoo_four_bar_links(l, PAWL_WORLD_INDEX);
    l->mobility = 1;
    linkage_turn(l); // bars of round lengths: their joints' points keep them with any digits
}

void zoo_floating_four_bar(linkage *l)
{
    linkage_begin(l, "floating-four-bar");
    int ground =
        linkage_add_rod(l, v3(0.0, 0.0, 0.0), v3(0.3, 0.0, 0.0), v3(0.0, 1.0, 0.0), 0.8, 0.02);
    zoo_four_bar_links(l, ground);
    l->mobility = 7;
    l->gravity = v3(0.0, 0.0, 0.0);
    linkage_spin(l, v3(0.7, -1.1, 2.3), v3(1.5, 3.0, -2.0));
    linkage_tilt(l);
}

// ---- doors ---------------------------------------------------------------------------------------

static int zoo_leaf(linkage *l)
{
    int leaf = linkage_add_body(l);
    linkage_body *b = &l->bodies[leaf];
    b->mass = 1.0;
    b->com = v3(0.5, 0.0, 0.0);
    b->inertia[0] = 0.08, b->inertia[1] = 0.09, b->inertia[2] = 0.1;
    l->mobility = 1;
    return leaf;
}

void zoo_pendulum(linkage *l)
{
    linkage_begin(l, "door-1");
    zoo_hinge(l, PAWL_WORLD_INDEX, zoo_leaf(l), v3(0.0, 0.0, 0.0), v3(0.0, 1.0, 0.0));
}

void zoo_door(linkage *l, int hinges, zoo_flaw flaw, double size)
{
    linkage_begin(l, "door");
    int leaf = zoo_leaf(l);
    for (int k = 0; k < hinges; ++k) {
        bool last = k == hinges - 1;
        pawl_vec3 at = {last && flaw == ZOO_OFFSET ? size : 0.0, 0.4 * k, 0.0};
        pawl_vec3 axis = {last && flaw == ZOO_TILT ? size : 0.0, 1.0, 0.0};
        int hinge = zoo_hinge(l, PAWL_WORLD_INDEX, leaf, at, axis);
        if (last && flaw == ZOO_GAP) {
            l->joints[hinge].gap = v3(0.0, 0.0, size);
        }
    }
    l->redundant = 5 * (hinges - 1);
}

// ---- spatial loops -------------------------------------------------------------------------------

void zoo_bennett_axes(double a, double alpha, double beta, double t, pawl_vec3 point[4],
                      pawl_vec3 axis[4])
{
    // tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)
    double b = a * sin(beta) / sin(alpha);
    double t2 = 2.0 * atan(sin(0.5 * (beta + alpha)) / sin(0.5 * (beta - alpha)) / tan(0.5 * t));
    const double angle[4] = {t, t2, -t, -t2};
    pawl_pose frame = pawl_pose_identity();
    for (int k = 0; k < 4; ++k) {
        point[k] = frame.position;
        axis[k] = pawl_quat_rotate(frame.orientation, v3(0.0, 0.0, 1.0));
        pawl_pose turn = {{0, 0, 0}, pawl_quat_from_axis_angle(v3(0, 0, 1), angle[k])};
        pawl_pose bar = {v3(k % 2 == 0 ? a : b, 0.0, 0.0),
                         pawl_quat_from_axis_angle(v3(1, 0, 0), k % 2 == 0 ? alpha : beta)};
        frame = pawl_pose_compose(pawl_pose_compose(frame, turn), bar);
    }
}

void zoo_bennett(linkage *l)
{
    linkage_begin(l, "bennett");
    pawl_vec3 point[4], axis[4];
    zoo_bennett_axes(0.5, 0.6, 1.2, 1.1, point, axis);
    int before = PAWL_WORLD_INDEX;
    for (int k = 0; k < 3; ++k) {
        int rod = linkage_add_rod(l, point[k], point[k + 1], axis[k], 1.0, 0.05);
        zoo_hinge(l, before, rod, point[k], axis[k]);
        before = rod;
    }
    zoo_hinge(l, PAWL_WORLD_INDEX, before, point[3], axis[3]);
    l->mobility = 1;
    l->redundant = 3;
    linkage_tilt(l);
}

void zoo_bricard(linkage *l)
{
    linkage_begin(l, "bricard");
    const pawl_vec3 point[6] = {{0, 0, 0},   {1, 0, 0},   {1, 0, -1},
                                {1, -1, -1}, {0, -1, -1}, {0, -1, 0}};
    const pawl_vec3 axis[6] = {{0, 0, 1}, {0, -1, 0}, {1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {1, 0, 0}};
    int before = PAWL_WORLD_INDEX;
    for (int k = 0; k < 5; ++k) {
        int rod = linkage_add_rod(l, point[k], point[k + 1], axis[k], 1.0, 0.1);
        double thick = 0.1 * 0.1 / 12.0;
        l->bodies[rod].inertia[1] += thick, l->bodies[rod].inertia[2] += thick;
        zoo_hinge(l, before, rod, point[k], axis[k]);
        before = rod;
    }
    zoo_hinge(l, PAWL_WORLD_INDEX, before, point[5], axis[5]);
    l->mobility = 1;
    l->redundant = 1;
    linkage_tilt(l);
}

void zoo_sarrus(linkage *l)
{
    linkage_begin(l, "sarrus");
    double half = 0.2, length = 0.5, height = 0.7;
    int platform = linkage_add_body(l);
    l->bodies[platform].mass = 2.0;
    l->bodies[platform].pose.position = v3(0.0, 0.0, height);
    l->bodies[platform].inertia[0] = l->bodies[platform].inertia[1] = 0.03;
    l->bodies[platform].inertia[2] = 0.06;
    for (int k = 0; k < 2; ++k) {
        pawl_vec3 out = k == 0 ? v3(1.0, 0.0, 0.0) : v3(0.0, 1.0, 0.0), up = {0.0, 0.0, 1.0},
                  u = v3_cross(up, out);
        double reach = half + sqrt(length * length - 0.25 * height * height);
        pawl_vec3 low = v3_scale(half, out), high = v3_add(low, v3_scale(height, up)),
                  elbow = v3_add(v3_scale(reach, out), v3_scale(0.5 * height, up));
        int lower = linkage_add_rod(l, low, elbow, u, 0.5, 0.05),
            upper = linkage_add_rod(l, elbow, high, u, 0.5, 0.05);
        zoo_hinge(l, PAWL_WORLD_INDEX, lower, low, u);
        zoo_hinge(l, lower, upper, elbow, u);
        zoo_hinge(l, upper, platform, high, u);
    }
    l->mobility = 1;
    l->redundant = 1;
    linkage_tilt(l);
}

// ---- parallel machines ---------------------------------------------------------------------------

void zoo_delta(linkage *l)
{
    linkage_begin(l, "delta");
    double base = 0.3, small = 0.1, arm = 0.35, half = 0.08, drop = 0.6, angle = 0.25;
    int platform = linkage_add_body(l);
    l->bodies[platform].mass = 0.5;
    l->bodies[platform].pose.position = v3(0.0, 0.0, -drop);
    l->bodies[platform].inertia[0] = l->bodies[platform].inertia[1] = 1.5e-3;
    l->bodies[platform].inertia[2] = 2.5e-3;
    for (int k = 0; k < 3; ++k) {
        double at = 2.0 * zoo_pi * k / 3.0 + 0.1 * k;
        pawl_vec3 out = {cos(at), sin(at), 0.0}, u = {-out.y, out.x, 0.0}, up = {0.0, 0.0, 1.0};
        pawl_vec3 shoulder = v3_scale(base, out);
        pawl_vec3 elbow = v3_add(
            shoulder, v3_add(v3_scale(arm * cos(angle), out), v3_scale(-arm * sin(angle), up)));
        pawl_vec3 wrist = v3_add(v3_scale(small, out), v3_scale(-drop, up));
        pawl_vec3 n = v3_cross(u, v3_sub(wrist, elbow)), side = v3_scale(half, u);
        pawl_vec3 top[2] = {v3_add(elbow, side), v3_sub(elbow, side)};
        pawl_vec3 low[2] = {v3_add(wrist, side), v3_sub(wrist, side)};
        int upper = linkage_add_rod(l, shoulder, elbow, u, 0.4, 0.03),
            bar = linkage_add_rod(l, top[0], top[1], n, 0.1, 0.02),
            left = linkage_add_rod(l, top[0], low[0], n, 0.15, 0.02),
            right = linkage_add_rod(l, top[1], low[1], n, 0.15, 0.02),
            foot = linkage_add_rod(l, low[0], low[1], n, 0.1, 0.02);
        zoo_hinge(l, PAWL_WORLD_INDEX, upper, shoulder, u);
        zoo_hinge(l, upper, bar, elbow, u);
        zoo_hinge(l, bar, left, top[0], n);
        zoo_hinge(l, bar, right, top[1], n);
        zoo_hinge(l, left, foot, low[0], n);
        zoo_hinge(l, right, foot, low[1], n);
        zoo_hinge(l, foot, platform, wrist, u);
    }
    l->mobility = 3;
    l->redundant = 12;
    linkage_tilt(l);
}

void zoo_ladder(linkage *l, int count)
{
    linkage_begin(l, "ladder");
    pawl_vec3 y = {0.0, 1.0, 0.0};
    int crank = -1;
    for (int k = 0; k <= count; ++k) {
        pawl_vec3 foot = {k, 0.0, 0.0}, head = {k, 0.0, 1.0}, last = {k - 1.0, 0.0, 1.0};
        int before = crank;
        crank = linkage_add_rod(l, foot, head, y, 1.0, 0.04);
        l->bodies[crank].twist.angular = y;
        zoo_hinge(l, PAWL_WORLD_INDEX, crank, foot, y);
        if (k > 0) {
            int coupler = linkage_add_rod(l, last, head, y, 1.0, 0.04);
            l->bodies[coupler].twist.linear = v3(1.0, 0.0, 0.0);
            zoo_hinge(l, before, coupler, last, y);
            zoo_hinge(l, coupler, crank, head, y);
        }
    }
    l->mobility = 1;
    l->redundant = 3 * count;
    linkage_tilt(l);
}

void zoo_stewart(linkage *l)
{
    linkage_begin(l, "stewart");
    int platform = linkage_add_body(l);
    l->bodies[platform].mass = 3.0;
    l->bodies[platform].pose.position = v3(0.0, 0.0, 0.7);
    l->bodies[platform].inertia[0] = l->bodies[platform].inertia[1] = 0.1;
    l->bodies[platform].inertia[2] = 0.2;
    for (int k = 0; k < 6; ++k) {
        double pair = 2.0 * zoo_pi * (k / 2) / 3.0, side = k % 2 == 0 ? -1.0 : 1.0;
        double low_at = pair + 0.2 * side, high_at = pair + (zoo_pi / 3.0 - 0.25) * side;
        pawl_vec3 low = {0.5 * cos(low_at), 0.5 * sin(low_at), 0.0};
        pawl_vec3 high = {0.3 * cos(high_at), 0.3 * sin(high_at), 0.7};
        pawl_vec3 middle = v3_scale(0.5, v3_add(low, high)), along = v3_sub(high, low);
        pawl_vec3 across = v3_cross(along, v3(cos(pair), sin(pair), 0.0));
        int lower = linkage_add_rod(l, low, middle, across, 0.4, 0.03),
            upper = linkage_add_rod(l, middle, high, across, 0.3, 0.02);
        int joint =
            linkage_add_joint(l, PAWL_JOINT_UNIVERSAL, PAWL_WORLD_INDEX, lower, low, across);
        pawl_vec3 second = v3_cross(along, across);
        l->joints[joint].axis2 = v3_scale(1.0 / v3_norm(second), second);
        linkage_add_joint(l, PAWL_JOINT_PRISMATIC, lower, upper, middle, along);
        linkage_add_joint(l, PAWL_JOINT_SPHERICAL, upper, platform, high, along);
    }
    l->mobility = 6;
    linkage_tilt(l);
}

// ---- a walking machine ---------------------------------------------------------------------------

static void zoo_leg(linkage *l, int torso, double x, double y, double foot_radius)
{
    pawl_vec3 ex = {1.0, 0.0, 0.0}, ey = {0.0, y > 0.0 ? 1.0 : -1.0, 0.0};
    double bend = 0.35; // of the thigh, forwards
    pawl_vec3 hip = {x, y, 0.9}, outer = v3_add(hip, v3_scale(0.08, ey));
    pawl_vec3 rear = v3_add(outer, v3_scale(-0.08, ex));
    pawl_vec3 thigh = {0.4 * sin(bend), 0.0, -0.4 * cos(bend)};
    pawl_vec3 knee_front = v3_add(outer, thigh), knee_rear = v3_add(rear, thigh);
    pawl_vec3 knee = v3_add(knee_front, v3(0.0, 0.0, -0.06));
    pawl_vec3 ankle = v3_add(knee, v3(-0.25, 0.0, 0.0));
    ankle.z = foot_radius;
    pawl_vec3 lever = v3_add(knee, v3(-0.07, 0.0, 0.03));
    pawl_vec3 pin = v3_add(outer, v3_scale(0.05, ey)), tip = v3_add(pin, v3(-0.03, 0.0, -0.07));
    int hip_block = linkage_add_rod(l, hip, outer, ex, 0.8, 0.05),
        front = linkage_add_rod(l, outer, knee_front, ey, 0.5, 0.03),
        back = linkage_add_rod(l, rear, knee_rear, ey, 0.3, 0.02),
        plate = linkage_add_rod(l, knee_rear, knee, ey, 0.3, 0.03),
        shank = linkage_add_rod(l, knee, ankle, ey, 0.5, 0.03),
        crank = linkage_add_rod(l, pin, tip, ey, 0.2, 0.02),
        rod = linkage_add_rod(l, tip, lever, ey, 0.1, 0.01);
    l->bodies[shank].foot = foot_radius;
    l->bodies[shank].foot_point = v3(v3_norm(v3_sub(ankle, knee)), 0.0, 0.0);
    zoo_hinge(l, torso, hip_block, hip, ex);
    zoo_hinge(l, hip_block, front, outer, ey);
    zoo_hinge(l, hip_block, back, rear, ey);
    zoo_hinge(l, front, plate, knee_front, ey);
    zoo_hinge(l, back, plate, knee_rear, ey);
    zoo_hinge(l, plate, shank, knee, ey);
    zoo_hinge(l, hip_block, crank, pin, ey);
    int universal = linkage_add_joint(l, PAWL_JOINT_UNIVERSAL, crank, rod, tip, ey);
    pawl_vec3 across = v3_cross(v3_sub(lever, tip), ey);
    l->joints[universal].axis2 = v3_scale(1.0 / v3_norm(across), across);
    linkage_add_joint(l, PAWL_JOINT_SPHERICAL, rod, shank, lever, ex);
    l->redundant += 3;
}

void zoo_walker(linkage *l)
{
    linkage_begin(l, "walker");
    int torso =
        linkage_add_rod(l, v3(-0.35, 0.0, 0.9), v3(0.35, 0.0, 0.9), v3(0.0, 1.0, 0.0), 8.0, 0.2);
    for (int k = 0; k < 2; ++k) { // a head and a tail
        pawl_vec3 at = {k == 0 ? 0.35 : -0.35, 0.0, 0.9};
        pawl_vec3 end = v3_add(at, v3(k == 0 ? 0.15 : -0.2, 0.0, 0.1));
        int part = linkage_add_rod(l, at, end, v3(0.0, 1.0, 0.0), 0.7, 0.06);
        linkage_add_joint(l, PAWL_JOINT_FIXED, torso, part, at, v3(1.0, 0.0, 0.0));
    }
    for (int k = 0; k < 4; ++k) {
        zoo_leg(l, torso, k < 2 ? 0.3 : -0.3, k % 2 == 0 ? 0.15 : -0.15, 0.03);
    }
    l->floor = true;
    l->mobility = 18;
}

// ---- by name -------------------------------------------------------------------------------------

static void zoo_ladder_10(linkage *l)
{
    zoo_ladder(l, 10);
}

static void zoo_door_2(linkage *l)
{
    zoo_door(l, 2, ZOO_OFFSET, 1e-6);
}

bool zoo_find(linkage *l, const char *name)
{
    static const struct {
        const char *name;
        void (*make)(linkage *l);
    } rows[] = {{"four-bar", zoo_four_bar}, {"floating-four-bar", zoo_floating_four_bar},
                {"door", zoo_door_2},       {"bennett", zoo_bennett},
                {"bricard", zoo_bricard},   {"delta", zoo_delta},
                {"sarrus", zoo_sarrus},     {"ladder", zoo_ladder_10},
                {"stewart", zoo_stewart},   {"walker", zoo_walker}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        if (strcmp(rows[k].name, name) == 0) {
            rows[k].make(l);
            return true;
        }
    }
    return false;
}
