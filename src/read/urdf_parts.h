// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of the URDF reader, in the order in which urdf_reader.c calls them, and their common data.
#pragma once
#include "base/array.h"
#include "read/extension.h"

enum { URDF_LINKS = 0, URDF_JOINTS, URDF_MATERIALS }; // scopes of the name table
enum { URDF_NONE = -1, URDF_WORLD = -2 };             // beside the indices of links

typedef struct urdf_link {
    const xmlNode *node;
    const char *name;
    int joint;                // to its parent; URDF_NONE for the root
    int first_child, sibling; // links
    int carrier; // the link whose body it is part of: itself, another, URDF_WORLD or URDF_NONE
    bool massless;
    bool rooted;       // without mass, and fixed to the root by others such
    int top;           // the root of its tree
    int floats_with;   // of a root without mass: the first link with one that is fixed to it
    bool lumped;       // with a mass that is part of its carrier's
    double weight;     // mass of it and of all that hangs on it [kg]
    double auxiliary;  // mass of a link without one that stands between joints; 0: none [kg]
    pawl_pose pose;    // in the world, all coordinates zero
    pawl_body_id body; // of a carrier: in the builder
} urdf_link;

typedef struct urdf_joint {
    const xmlNode *node;
    const char *name, *type;
    int parent, child;
    pawl_pose origin;
    bool kept;        // <gazebo> says that links are not lumped over it
    pawl_joint_id id; // in the builder; none when it was merged away
    double effort[6];
} urdf_joint;

typedef struct urdf_reader {
    xml_reader *xml;
    pawl_builder *builder;
    pawl_array links, joints, materials, order; // urdf_link, urdf_joint, const xmlNode *, int
    name_table names;
    int root;
    bool self_collide; // links touch each other
    bool tied;         // something is joined to the world, or moves as a function of time says
} urdf_reader;

#define URDF_LINK(r, i) (&PAWL_ITEM((r)->links, urdf_link, (i)))
#define URDF_JOINT(r, i) (&PAWL_ITEM((r)->joints, urdf_joint, (i)))

// For messages about angles that look like degrees.
extern const char *const urdf_radians;

// Adds an item to an array of the reader; NULL, with a message, without memory.
void *urdf_push(urdf_reader *r, pawl_array *array, size_t size);
// Three numbers of an attribute; the attributes xyz and rpy of an element that may have others, or that has
// these alone; those of the child <origin>.
pawl_status urdf_vec3(const urdf_reader *r, const xmlNode *node, const char *name, pawl_vec3 *out);
pawl_status urdf_place(const urdf_reader *r, const xmlNode *node, pawl_pose *out);
pawl_status urdf_frame(const urdf_reader *r, const xmlNode *node, pawl_pose *out);
pawl_status urdf_origin(const urdf_reader *r, const xmlNode *node, pawl_pose *out);
// A number that must be there.
pawl_status urdf_need_number(const urdf_reader *r, const xmlNode *node, const char *name,
                             xml_range range, double *out);
// The index behind a name in a scope, with the nearest name in the message when there is none; a name for
// an index.
pawl_status urdf_find(const urdf_reader *r, const xmlNode *where, int scope, const char *name,
                      int *index);
pawl_status urdf_enter(urdf_reader *r, const xmlNode *node, int scope, const char *what,
                       const char *name, int index);
// The same for the pawl: elements. The pose is that of the link in the body that carries it.
pawl_status urdf_find_body(void *user, const xmlNode *where, const char *name, pawl_body_id *body,
                           pawl_pose *frame);
pawl_status urdf_find_joint(void *user, const xmlNode *where, const char *name,
                            extension_joint *joint);

// Lists links, joints and materials; finds the poses along the tree; merges links without a mass.
pawl_status urdf_tree_is_weightless(const urdf_reader *r, const xmlNode *link, bool *out);
pawl_status urdf_tree_list(urdf_reader *r, const xmlNode *root);
pawl_status urdf_tree_walk(urdf_reader *r);
pawl_status urdf_tree_merge(urdf_reader *r);

// A link that is a body, and the shapes of any link.
pawl_status urdf_link_read(urdf_reader *r, urdf_link *link);
// Whether the mass and inertia of a link are those of a rigid body. Errors of the file are left to urdf_link_read().
bool urdf_link_stands_alone(urdf_reader *r, const urdf_link *link);
pawl_status urdf_link_read_shapes(urdf_reader *r, const urdf_link *link);

pawl_status urdf_joint_kind(const urdf_reader *r, const xmlNode *node, const char *name,
                            const char *type, pawl_joint_kind *kind);
// Whether the joint frame's x is turned onto the axis, and the frame that is.
bool urdf_joint_is_aimed(pawl_joint_kind kind, bool given);
pawl_pose urdf_joint_axes(bool aimed, pawl_vec3 axis);
pawl_status urdf_joint_read(urdf_reader *r, urdf_joint *joint);
pawl_status urdf_joint_read_mimic(urdf_reader *r, const urdf_joint *joint);

// <pawl:loop> or <loop_joint>.
pawl_status urdf_loop_read(urdf_reader *r, const xmlNode *loop);
