// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The elements with the prefix pawl:, which mean the same in SDFormat and in URDF files: what a
// link, collision or joint has beyond the formats, and gears, springs, actuators, motions, forces
// and pairs that never touch.
// docs/model-files.md describes them.
#pragma once
#include "pawl/model.h"
#include "read/xml_reader.h"

// For the rules of the readers.
#define EXTENSION_LINK                                                                             \
    "pawl:kind pawl:twist pawl:gravity_scale pawl:linear_damping pawl:angular_damping "            \
    "pawl:density pawl:kinematic"
#define EXTENSION_COLLISION                                                                        \
    "pawl:friction pawl:restitution pawl:impact_friction pawl:torsional_friction "                 \
    "pawl:rolling_friction pawl:group "                                                            \
    "pawl:mask pawl:soft pawl:erp"
#define EXTENSION_JOINT                                                                            \
    "pawl:coordinate pawl:armature pawl:length pawl:pitch pawl:wrap pawl:soft pawl:erp"
#define EXTENSION_MODEL                                                                            \
    "pawl:gear pawl:spring pawl:actuator pawl:motion pawl:force pawl:exclude pawl:soft "           \
    "pawl:start pawl:medium "                                                                      \
    "pawl:wrench_model pawl:contact_point pawl:contact_points pawl:heightfield"

// How the reader of a file finds what its names stand for. A name that stands for nothing is
// reported by these functions.
typedef struct extension_joint {
    pawl_joint_id id;     // in the builder
    const double *effort; // (6) limits of the joint's coordinates, inf for none
} extension_joint;
typedef struct extension_context {
    xml_reader *reader;
    pawl_builder *builder;
    const char *prefix; // before the names of what is made, "" for none
    void *user;
    // The body, and the pose in its link frame of the frame that was named.
    pawl_status (*find_body)(void *user, const xmlNode *where, const char *name, pawl_body_id *body,
                             pawl_pose *frame);
    pawl_status (*find_joint)(void *user, const xmlNode *where, const char *name,
                              extension_joint *joint);
} extension_context;

// A pawl: element inside <link>, into the def. Fields that are not in the file keep their value.
pawl_status extension_read_link(xml_reader *reader, const xmlNode *link, pawl_body_def *def);
// Those inside <collision>: what the shape is made of, and what it touches.
pawl_status extension_read_collision(xml_reader *reader, const xmlNode *collision,
                                     pawl_shape_def *def);
// <pawl:hull> inside <geometry>; its points live as long as the reader.
pawl_status extension_read_hull(xml_reader *reader, const xmlNode *hull, pawl_shape_def *def);
// Those inside <joint>; def->kind is set already.
pawl_status extension_read_joint(xml_reader *reader, const xmlNode *joint, pawl_joint_def *def);
// Files give the inertia in the axes of the inertial frame, the model wants it in link axes.
void extension_turn_inertia(pawl_quat turn, double inertia[6]);
// The joint kind that the word stands for ("cylindrical", "point-on-line", ...); false for none.
bool extension_joint_kind(const char *word, pawl_joint_kind *kind);
// " a, b, c": all words extension_joint_kind() knows, for messages.
const char *extension_joint_words(void);
// An element of EXTENSION_MODEL; *done tells whether it was one.
pawl_status extension_read_model(const extension_context *context, const xmlNode *node, bool *done);
// The field `name` with the prefix before it, or NULL: the builder then makes one up.
pawl_status extension_name(const extension_context *x, const xmlNode *node, const char **name);
