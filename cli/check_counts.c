// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Counts that characterize a machine. Groups of bodies are found by joining the two sides of every joint; a group that
// the world or a body with a prescribed motion belongs to is fixed, the others are free bases. A joint without rows
// does not connect: its body is as free as one without the joint (MJCF's freejoint), and its coordinates are those of
// the free base.
#include "check_counts.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

// The representative of a body's group; paths are halved on the way.
static int counts_root(int *group, int i)
{
    while (group[i] != i) {
        group[i] = group[group[i]];
        i = group[i];
    }
    return i;
}

// Index 0 is the world, the others are bodies in the model's order.
static int counts_index(pawl_body_id body)
{
    return pawl_body_is_world(body) ? 0 : pawl_body_index(body) + 1;
}

static int counts_free_bases(const pawl_model *model)
{
    int bodies = pawl_model_body_count(model);
    int *group = malloc(((size_t)bodies + 1) * sizeof *group);
    if (group == NULL) {
        return 0;
    }
    for (int i = 0; i <= bodies; ++i) {
        group[i] = i;
    }
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        pawl_joint_info joint = pawl_model_joint(model, pawl_model_joint_at(model, j));
        if (joint.kind == PAWL_JOINT_FREE) {
            continue;
        }
        int base = counts_root(group, counts_index(joint.base));
        int follower = counts_root(group, counts_index(joint.follower));
        group[base < follower ? follower : base] = base < follower ? base : follower;
    }
    for (int i = 1; i <= bodies; ++i) {
        if (pawl_model_body(model, pawl_model_body_at(model, i - 1)).kind == PAWL_BODY_KINEMATIC) {
            group[counts_root(group, i)] = 0;
        }
    }
    int free_bases = 0;
    for (int i = 1; i <= bodies; ++i) {
        free_bases += group[i] == i;
    }
    free(group);
    return free_bases;
}

static int counts_actuated(const pawl_model *model)
{
    int count = pawl_model_actuator_count(model), actuated = 0;
    for (int i = 0; i < count; ++i) {
        pawl_actuator_def one = pawl_model_actuator(model, pawl_model_actuator_at(model, i));
        bool seen = false;
        for (int k = 0; k < i && !seen; ++k) {
            pawl_actuator_def other = pawl_model_actuator(model, pawl_model_actuator_at(model, k));
            seen = pawl_joint_same(one.joint, other.joint) && one.coordinate == other.coordinate;
        }
        actuated += !seen;
    }
    return actuated;
}

check_counts check_counts_make(const pawl_model *model)
{
    check_counts counts = {.free_bases = counts_free_bases(model),
                           .actuated = counts_actuated(model)};
    counts.coordinates = 6 * counts.free_bases;
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        pawl_joint_info joint = pawl_model_joint(model, pawl_model_joint_at(model, j));
        counts.coordinates += joint.kind != PAWL_JOINT_FREE ? joint.coordinate_count : 0;
    }
    double heaviest = 0.0, lightest = INFINITY;
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        double mass = pawl_model_body(model, pawl_model_body_at(model, i)).mass;
        if (mass > 0.0) {
            heaviest = mass > heaviest ? mass : heaviest;
            lightest = mass < lightest ? mass : lightest;
        }
    }
    counts.mass_ratio = heaviest > 0.0 ? heaviest / lightest : 1.0;
    return counts;
}
