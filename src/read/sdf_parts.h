// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of the SDFormat reader, in the order in which sdf_reader.c calls them.
#pragma once
#include "read/extension.h"
#include "read/sdf_tree.h"

typedef struct sdf_reader {
    xml_reader *xml;
    sdf_tree tree;
    pawl_builder *builder;
} sdf_reader;

// Where the body is that a link belongs to: the world's frame for links that are part of it.
static inline pawl_pose sdf_body_pose(const sdf_item *link)
{
    return pawl_body_is_world(link->body) ? pawl_pose_identity() : link->body_pose;
}

// The item of the body that a link is, or is part of.
static inline int sdf_carrier(const sdf_tree *tree, int link)
{
    return SDF_ITEM(tree, link)->carrier > 0 ? SDF_ITEM(tree, link)->carrier : link;
}

// The collisions and visuals of a link; `weighed` when the link's mass comes from its collisions.
pawl_status sdf_shapes_read(const sdf_reader *r, const sdf_item *link, int link_index,
                            bool weighed);

// A link with its mass and shapes. `index` is its item.
pawl_status sdf_link_read(sdf_reader *r, int index);
// Its mass, centre and inertia; a density where the shapes give these.
pawl_status sdf_link_mass(const sdf_reader *r, const xmlNode *link, pawl_body_def *def);

// sdf_lump.c: finds the carriers of links on fixed joints; adds the masses of the parts of a link; a link that is a part.
pawl_status sdf_lump_links(sdf_reader *r);
pawl_status sdf_lump_masses(const sdf_reader *r, int index, pawl_body_def *def);
pawl_status sdf_lump_part(sdf_reader *r, int index);

typedef struct sdf_joint {
    pawl_joint_def def;
    const xmlNode *axis[2];              // <axis> and <axis2>, NULL for none
    pawl_vec3 direction[2];              // of the axes, in the joint frame; zero for none
    int parent, parent_link, child_link; // items
    bool within;                         // both ends are frames of one link
    bool lumped;                         // both ends are parts of one body
} sdf_joint;
// The direction of an axis in the joint frame; parent, child and the links they belong to; a whole joint.
pawl_status sdf_joint_axis(const sdf_reader *r, const sdf_item *item, const xmlNode *axis,
                           pawl_vec3 *direction);
pawl_status sdf_joint_ends(const sdf_reader *r, const sdf_item *item, sdf_joint *j);
pawl_status sdf_joint_read(sdf_reader *r, int index);

// Which joint a name in a scope stands for.
pawl_status sdf_coupling_find_joint(void *user, const xmlNode *where, int scope, const char *name,
                                    extension_joint *out);
// <mimic> of a joint, or a gearbox.
pawl_status sdf_coupling_read(sdf_reader *r, const sdf_item *item);
