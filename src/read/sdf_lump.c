// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Links of SDFormat on fixed joints, which become part of their parent link unless the options keep them: masses are added,
// shapes are moved to the parent, and the name becomes that of a frame. Links with more than a mass and shapes (gravity,
// kinematic, pawl: elements, self_collide, a mass from their shapes) stay bodies, and so do links on the world and on
// joints with a sensor, because a lumped joint has no force to measure.
#include "read/lumped_mass.h"
#include "read/sdf_parts.h"
#include <string.h>

static bool lump_has_own(const xmlNode *node)
{
    static const char *const own[] = {"gravity", "kinematic", "self_collide", "velocity_decay"};
    XML_EACH (child, node) {
        bool ours = child->ns != NULL || strncmp((const char *)child->name, "pawl:", 5) == 0;
        for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
            ours = ours || xml_is(child, own[i]);
        }
        if (ours) {
            return true;
        }
    }
    return false;
}

static bool lump_is_measured(const xmlNode *joint)
{
    XML_EACH (child, joint) {
        if (xml_is(child, "sensor")) {
            return true;
        }
    }
    return false;
}

// Whether an item is a link with a given mass and inertia that may move.
static pawl_status lump_is_plain(const sdf_reader *r, int index, bool *out)
{
    const sdf_item *link = SDF_ITEM(&r->tree, index);
    const xmlNode *inertial = NULL, *mass = NULL, *inertia = NULL;
    bool touches = false;
    *out = link->kind == SDF_LINK && !SDF_ITEM(&r->tree, link->scope)->is_static &&
           !lump_has_own(link->node);
    if (!*out) {
        return PAWL_OK;
    }
    PAWL_TRY(
        xml_child_bool(r->xml, SDF_ITEM(&r->tree, link->scope)->node, "self_collide", &touches));
    PAWL_TRY(xml_child(r->xml, link->node, "inertial", &inertial));
    if (inertial != NULL) {
        PAWL_TRY(xml_child(r->xml, inertial, "mass", &mass));
        PAWL_TRY(xml_child(r->xml, inertial, "inertia", &inertia));
    }
    *out = !touches && mass != NULL && inertia != NULL && xml_attribute(inertial, "auto") == NULL;
    return PAWL_OK;
}

static int lump_carrier(const sdf_reader *r, int link)
{
    while (SDF_ITEM(&r->tree, link)->carrier > 0) {
        link = SDF_ITEM(&r->tree, link)->carrier;
    }
    return link;
}

pawl_status sdf_lump_links(sdf_reader *r)
{
    for (int i = 0; i < r->tree.items.count && !r->xml->keep_fixed; ++i) {
        const sdf_item *joint = SDF_ITEM(&r->tree, i);
        const char *type = joint->kind == SDF_JOINT ? xml_attribute(joint->node, "type") : NULL;
        sdf_joint ends = {.def = pawl_joint_def_default()};
        bool base, follower;
        if (type == NULL || strcmp(type, "fixed") != 0 || lump_has_own(joint->node) ||
            lump_is_measured(joint->node)) {
            continue;
        }
        PAWL_TRY(sdf_joint_ends(r, joint, &ends));
        PAWL_TRY(lump_is_plain(r, ends.parent_link, &base));
        PAWL_TRY(lump_is_plain(r, ends.child_link, &follower));
        int above = lump_carrier(r, ends.parent_link), below = lump_carrier(r, ends.child_link);
        if (!base || !follower || above == below) {
            continue;
        }
        SDF_ITEM(&r->tree, below)->carrier = above;
        PAWL_TRY(xml_tally(
            r->xml, PAWL_LOG_NOTE, joint->node,
            "a link on a fixed joint is part of the link that carries it; --keep-fixed keeps it",
            SDF_ITEM(&r->tree, below)->full_name));
    }
    for (int i = 0; i < r->tree.items.count; ++i) { // straight to the bodies
        int carrier = lump_carrier(r, i);
        SDF_ITEM(&r->tree, i)->carrier = carrier != i ? carrier : 0;
    }
    return PAWL_OK;
}

pawl_status sdf_lump_masses(const sdf_reader *r, int index, pawl_body_def *def)
{
    lumped_mass sum = {.mass = def->mass, .com = def->com};
    memcpy(sum.inertia, def->inertia, sizeof sum.inertia);
    pawl_pose back = pawl_pose_inverse(SDF_ITEM(&r->tree, index)->pose);
    bool any = false;
    for (int i = 0; i < r->tree.items.count; ++i) {
        const sdf_item *part = SDF_ITEM(&r->tree, i);
        if (part->carrier != index) {
            continue;
        }
        pawl_body_def own = pawl_body_def_default();
        own.name = part->full_name;
        PAWL_TRY(sdf_link_mass(r, part->node, &own));
        lumped_mass more = {.mass = own.mass, .com = own.com};
        memcpy(more.inertia, own.inertia, sizeof more.inertia);
        sum = lumped_mass_add(sum, lumped_mass_moved(more, pawl_pose_compose(back, part->pose)));
        any = true;
    }
    if (any) {
        def->mass = sum.mass;
        def->com = sum.com;
        memcpy(def->inertia, sum.inertia, sizeof sum.inertia);
    }
    return PAWL_OK;
}

pawl_status sdf_lump_part(sdf_reader *r, int index)
{
    sdf_item *item = SDF_ITEM(&r->tree, index);
    const sdf_item *carrier = SDF_ITEM(&r->tree, item->carrier);
    item->body = carrier->body;
    item->body_pose = carrier->pose;
    pawl_frame frame = {item->full_name, item->body,
                        pawl_pose_compose(pawl_pose_inverse(carrier->pose), item->pose)};
    PAWL_TRY(xml_refused(r->xml, item->node, "link", item->full_name,
                         pawl_builder_add_frame(r->builder, &frame)));
    return sdf_shapes_read(r, item, index, false);
}
