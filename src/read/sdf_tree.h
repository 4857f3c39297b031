// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The named elements of an SDFormat file and of its includes: worlds, models, links, joints and frames, each with its
// scope and, once resolved, its pose in the world.
#pragma once
#include "base/array.h"
#include "read/xml_reader.h"

typedef enum sdf_kind { SDF_WORLD = 0, SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME } sdf_kind;

typedef struct sdf_item {
    sdf_kind kind;
    const xmlNode *node;   // NULL for the world of a file that has none
    const char *name;      // within its scope
    const char *full_name; // as the built model calls it; of a model, the prefix of its names
    int scope;             // the model or world it stands in; the world stands in itself
    const char *holder;    // what a frame is attached to, a joint's child, a canonical link
    const xmlNode *pose_node;
    const char *relative_to; // NULL for the default
    pawl_pose given;         // as the file has it
    pawl_pose pose;          // in the world
    int pose_base, mark;     // used while resolving
    int first_link;          // of a model; -1 for none
    const xmlNode *lone;     // of a world: its one model, static ones aside, or NULL
    bool is_static;          // of a model
    bool still;              // of a link: a body that forces do not move
    bool jointed;            // of a link: a joint ends at it
    int touching;            // of an outermost model: its links with a collision
    bool is_child;           // of a link: a joint that is no gearbox ends at it as its child
    pawl_body_id body;       // of a link: in the builder, or PAWL_WORLD
    pawl_pose body_pose;     // of a link that is a body or part of one: of that body
    int carrier;             // of a link: the link that it is part of; 0: none
    pawl_joint_id joint;     // of a joint: in the builder, none while it is not there
    double effort[6];        // of a joint's coordinates, inf for no limit
    double start[2];         // of a joint: initial_position of its axes
    bool starts;             // whether it has one
    const char *placement; // of a model: the frame in it that its pose is given for; NULL: its own
} sdf_item;

typedef struct sdf_tree {
    xml_reader *reader;
    pawl_array items;   // sdf_item; the world is the first
    name_table names;   // of items by the item that is their scope
    const char *merged; // while a model is merged: the frame that stands for its own
} sdf_tree;

#define SDF_ITEM(tree, index) (&PAWL_ITEM((tree)->items, sdf_item, (index)))

// Reads the structure: every named thing, not yet what it holds. `tree` is freed by the caller,
// after a failure too.
pawl_status sdf_tree_build(sdf_tree *tree, xml_reader *reader, const xmlNode *root);
void sdf_tree_free(sdf_tree *tree);
// Fills in the poses of all items.
pawl_status sdf_tree_resolve(sdf_tree *tree);
// What a name in a scope stands for ("a::b" goes into nested models). Names that stand for nothing
// are reported, with the nearest that does.
pawl_status sdf_tree_find(const sdf_tree *tree, const xmlNode *where, int scope, const char *name,
                          int *item);
// The link that an item is part of or attached to, or the world.
pawl_status sdf_tree_link_of(const sdf_tree *tree, int item, int *link);
// A <pose> that belongs to something in `scope`, as a pose in the world. `base` is the item it is
// relative to by default. `node` may be NULL.
pawl_status sdf_tree_pose(const sdf_tree *tree, const xmlNode *node, int scope, int base,
                          pawl_pose *out);
// The six or seven numbers of a <pose>.
pawl_status sdf_read_pose(xml_reader *reader, const xmlNode *node, pawl_pose *out);

// sdf_foreign.c: the <model> that an included URDF or MJCF file makes, as SDFormat.
pawl_status sdf_foreign_open(xml_reader *reader, const xmlNode *where, const xmlNode *root,
                             const xmlNode **out);
