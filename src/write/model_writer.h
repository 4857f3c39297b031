// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of the writers of SDFormat, URDF and MJCF and their common data.
#pragma once
#include "math/rotation.h"
#include "pawl/state.h"
#include "pawl/wrench.h"
#include "pawl/write.h"
#include "write/xml_text.h"

// A tree over the joints of a model, as URDF and MJCF have it. Joints that are not in it close loops.
typedef struct write_tree {
    int *joint;     // that leads to each body; -1: a root, free or kinematic (bodies)
    int *parent;    // body at the other end of that joint; -1: the world (bodies)
    bool *reversed; // the body is the base of that joint (bodies)
    bool *inside;   // whether a joint is in the tree (joints)
    int *order;     // bodies, parents first (bodies)
} write_tree;

typedef struct model_writer {
    const pawl_env *env;
    const pawl_model *model;
    pawl_file_format format;
    xml_text xml;
    pawl_write_report *report;
    int body_count, joint_count, frame_count;
    char **body_names, **joint_names, **frame_names; // unique in the file
    pawl_pose *link;   // the written link frame of each body in its own
    pawl_state *start; // where the run begins
    write_tree tree;
    void *block; // of the arrays above
    size_t bytes;
} model_writer;

// --- model_writer.c

// Something that is not kept; `what` is one sentence, the same for all of its kind.
void write_lose(model_writer *w, bool motion, const char *what, const char *name);
const char *write_body_name(const model_writer *w, pawl_body_id body); // "world" for the world
const char *write_joint_name(const model_writer *w, pawl_joint_id joint);
pawl_body_info write_body(const model_writer *w, int body);
pawl_joint_info write_joint(const model_writer *w, int joint);
// In the written link frame of a body, or in the world.
pawl_vec3 write_point(const model_writer *w, pawl_body_id body, pawl_vec3 point);
pawl_pose write_frame(const model_writer *w, pawl_body_id body, pawl_pose frame);
// Roll, pitch and yaw to the last digits also where the pitch is a right angle.
void write_rpy(pawl_quat q, double rpy[3]);
bool write_is_soft(const pawl_softness *soft);            // or hard by its own word
bool write_coordinate_acts(const pawl_coordinate_def *c); // limits, springs, friction, armature
bool write_signal_is_constant(const pawl_signal *s);
double write_signal_start(const pawl_signal *s); // its value at time 0

// --- write_tree.c

// Which joints may be in the tree, cheap ones first; below 0: never.
typedef int write_cost(const model_writer *w, const pawl_joint_info *joint, int index);
pawl_status write_tree_make(model_writer *w, write_cost *cost, bool may_reverse);

// --- write_extension.c: what SDFormat and URDF say in pawl: elements

void write_soft(model_writer *w, const pawl_softness *soft);
void write_signal(model_writer *w, const pawl_signal *s);
// Kind, twist, damping and motion of a link.
void write_link_extension(model_writer *w, const pawl_body_info *body, pawl_twist twist);
// Friction, groups and softness of a collision; `surface` says that friction and restitution are written elsewhere.
void write_collision_extension(model_writer *w, const pawl_shape_def *shape, bool surface);
// Coordinates, pitch, length, wrap and softness; `taken` are laws of coordinate i that are written elsewhere.
enum { WRITE_LIMITS = 1, WRITE_DAMPING = 2, WRITE_SPRING = 4 };
void write_joint_extension(model_writer *w, const pawl_joint_info *joint, int taken);
// Whether bodies with shapes are all of one family; *mixed: they are of several.
bool write_family(const model_writer *w, bool *mixed);
// Gears, springs, actuators, motions, forces, exclusions, starts, contact points, height fields.
void write_model_extension(model_writer *w);

// --- the formats

pawl_status write_sdf(model_writer *w);
pawl_status write_urdf(model_writer *w);
pawl_status write_mjcf(model_writer *w);
