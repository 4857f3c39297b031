// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of the writer of MJCF: write_mjcf.c (the tree), write_mjcf_geom.c (shapes and contact pairs),
// write_mjcf_rest.c (constraints, tendons, actuators).
#pragma once
#include "write/model_writer.h"

enum { MJCF_NAME = 320, MJCF_MOST_CLASSES = 31 };

typedef struct mjcf_mark { // a site, or a geom that a tendon runs around
    char name[MJCF_NAME];
    int body; // -1: the world
    pawl_pose pose;
    pawl_wrap_kind wrap; // PAWL_WRAP_NONE: a site
    double radius;
} mjcf_mark;

typedef struct mjcf_touch_class { // shapes that touch the same others
    uint32_t group, mask;
    int family;
    uint32_t affinity;
} mjcf_touch_class;

typedef struct mjcf_writer {
    model_writer *w;
    const pawl_state *start;
    pawl_array marks; // mjcf_mark
    int class_count;
    mjcf_touch_class classes[MJCF_MOST_CLASSES];
} mjcf_writer;

void mjcf_write_pose(mjcf_writer *m, pawl_pose pose); // attributes pos and quat
pawl_pose mjcf_start_pose(const mjcf_writer *m, pawl_body_id body);
// The attributes solref and solimp, with `end` behind their names; nothing for hard constraints.
void mjcf_write_soft(mjcf_writer *m, const pawl_softness *soft, const char *end);

// --- write_mjcf_geom.c
void mjcf_find_classes(mjcf_writer *m);
void mjcf_write_assets(mjcf_writer *m);
void mjcf_write_geoms(mjcf_writer *m, int body); // -1: the world
void mjcf_write_marks(mjcf_writer *m, int body);

// --- write_mjcf.c
// Range, spring, damping, friction and armature as attributes. `rest` NULL: a spring without one (a ball joint, whose range
// begins at 0).
void mjcf_write_laws(mjcf_writer *m, const pawl_coordinate_def *c, double lowest, const char *rest);
// Hinges and slides of a joint of the tree: which coordinates they are, and their axes in the world.
typedef struct mjcf_axis {
    int coordinate;
    bool slides;
    pawl_vec3 axis;
} mjcf_axis;
int mjcf_list_axes(const mjcf_writer *m, const pawl_joint_info *joint, mjcf_axis out[3]);
// How a coordinate is called in the file; false where it is none of a hinge, a slide or a tendon.
bool mjcf_coordinate(const mjcf_writer *m, pawl_joint_id joint, int coordinate,
                     char name[MJCF_NAME], bool *tendon);

// --- write_mjcf_rest.c
pawl_status mjcf_plan_marks(mjcf_writer *m); // before the tree is written
void mjcf_write_rest(mjcf_writer *m);
