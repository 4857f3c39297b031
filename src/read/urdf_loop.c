// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints that close loops, which URDF's tree cannot express: <pawl:loop>, and the <loop_joint> of other programs.
#include "math/rotation.h"
#include "read/urdf_parts.h"
#include <string.h>

// <pawl:parent_origin xyz="..." rpy="..."/>, or an attribute with the six numbers.
static pawl_status urdf_loop_origin(const urdf_reader *r, const xmlNode *loop, const char *name,
                                    const char *element, pawl_pose *out, bool *found)
{
    const xmlNode *child;
    const char *text = xml_attribute(loop, name);
    PAWL_TRY(xml_child(r->xml, loop, element, &child));
    *out = pawl_pose_identity();
    *found = text != NULL || child != NULL;
    if (child != NULL) {
        return urdf_frame(r, child, out);
    }
    if (text != NULL) {
        double v[6];
        PAWL_TRY(xml_numbers(r->xml, loop, name, text, XML_ANY, v, 6));
        *out = (pawl_pose){v3(v[0], v[1], v[2]), pawl_quat_from_rpy(v[3], v[4], v[5])};
        PAWL_TRY(xml_warn_turns(r->xml, loop, v + 3, urdf_radians));
    }
    return PAWL_OK;
}

static pawl_status urdf_loop_axis(const urdf_reader *r, const xmlNode *loop, pawl_joint_kind kind,
                                  pawl_vec3 *axis, bool *aimed)
{
    const xmlNode *child;
    *axis = v3(1.0, 0.0, 0.0);
    PAWL_TRY(xml_child(r->xml, loop, "pawl:axis", &child));
    const xmlNode *where = child != NULL ? child : loop;
    PAWL_TRY(urdf_vec3(r, where, child != NULL ? "xyz" : "axis", axis));
    *aimed = urdf_joint_is_aimed(kind, child != NULL || xml_attribute(loop, "axis") != NULL);
    return *aimed ? xml_unit_vector(r->xml, where, "axis", axis) : PAWL_OK;
}

// A joint that closes a loop: two links, the joint's pose on each, and its axis there.
typedef struct urdf_loop {
    const char *name, *type, *ends[2];
    pawl_pose origin[2];
    bool found[2];
    pawl_joint_def def;
    pawl_vec3 axis;
    bool aimed;
} urdf_loop;

static pawl_status urdf_loop_begin(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    out->def = pawl_joint_def_default();
    PAWL_TRY(xml_need_attribute(r->xml, loop, "name", &out->name));
    PAWL_TRY(xml_need_attribute(r->xml, loop, "type", &out->type));
    PAWL_TRY(urdf_enter(r, loop, URDF_JOINTS, "joint", out->name, r->joints.count));
    out->def.name = out->name;
    return urdf_joint_kind(r, loop, out->name, out->type, &out->def.kind);
}

// <pawl:loop>.
static pawl_status urdf_loop_own(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @type @parent @child @parent_origin @child_origin @axis "
                    "pawl:parent_origin pawl:child_origin pawl:axis " EXTENSION_JOINT},
        {XML_TAKEN, NULL}};
    static const char *const end_names[2] = {"parent", "child"};
    static const char *const fields[2] = {"parent_origin", "child_origin"};
    static const char *const elements[2] = {"pawl:parent_origin", "pawl:child_origin"};
    PAWL_TRY(xml_check(r->xml, loop, rules));
    PAWL_TRY(urdf_loop_begin(r, loop, out));
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(xml_need_attribute(r->xml, loop, end_names[i], &out->ends[i]));
        PAWL_TRY(
            urdf_loop_origin(r, loop, fields[i], elements[i], &out->origin[i], &out->found[i]));
    }
    PAWL_TRY(urdf_loop_axis(r, loop, out->def.kind, &out->axis, &out->aimed));
    return extension_read_joint(r->xml, loop, &out->def);
}

// <loop_joint> of Drake and of RigidBodyDynamics.jl: <link1 link="..." xyz="..." rpy="..."/>, <link2 .../>, <axis/>.
static pawl_status urdf_loop_foreign(urdf_reader *r, const xmlNode *loop, urdf_loop *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@name @type link1 link2 axis " EXTENSION_JOINT},
                                     {XML_TAKEN, NULL}};
    static const xml_rule end_rules[] = {{XML_TAKEN, "@link @xyz @rpy"}, {XML_TAKEN, NULL}};
    static const char *const elements[2] = {"link1", "link2"};
    const xmlNode *node;
    PAWL_TRY(xml_check(r->xml, loop, rules));
    PAWL_TRY(urdf_loop_begin(r, loop, out));
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(xml_need_child(r->xml, loop, elements[i], &node));
        PAWL_TRY(xml_check(r->xml, node, end_rules));
        PAWL_TRY(xml_need_attribute(r->xml, node, "link", &out->ends[i]));
        PAWL_TRY(urdf_place(r, node, &out->origin[i]));
        out->found[i] = true;
    }
    PAWL_TRY(xml_child(r->xml, loop, "axis", &node));
    out->axis = v3(1.0, 0.0, 0.0);
    out->aimed = urdf_joint_is_aimed(out->def.kind, node != NULL);
    if (node != NULL) {
        PAWL_TRY(urdf_vec3(r, node, "xyz", &out->axis));
    }
    if (out->aimed) {
        PAWL_TRY(xml_unit_vector(r->xml, node != NULL ? node : loop, "axis", &out->axis));
    }
    return extension_read_joint(r->xml, loop, &out->def);
}

pawl_status urdf_loop_read(urdf_reader *r, const xmlNode *loop)
{
    urdf_loop l;
    PAWL_TRY(xml_is(loop, "loop_joint") ? urdf_loop_foreign(r, loop, &l)
                                        : urdf_loop_own(r, loop, &l));
    const char *name = l.name;
    pawl_body_id body[2];
    pawl_pose frame[2], world[2], *origin = l.origin;
    for (int i = 0; i < 2; ++i) {
        PAWL_TRY(urdf_find_body(r, loop, l.ends[i], &body[i], &frame[i]));
        int index = pawl_name_table_find(&r->names, URDF_LINKS, l.ends[i], strlen(l.ends[i]));
        world[i] = index >= 0 ? URDF_LINK(r, index)->pose : pawl_pose_identity();
    }
    if (pawl_body_is_world(body[1])) {
        return xml_error(r->xml, loop,
                         "loop '%s': the child is the world, a link expected; swap "
                         "parent and child",
                         name);
    }
    if (pawl_body_same(body[0], body[1])) {
        return xml_error(r->xml, loop, "loop '%s' connects '%s' with itself", name, l.ends[1]);
    }
    // Where only one side is stated, the start position gives the other.
    if (l.found[0] != l.found[1]) {
        int known = l.found[0] ? 0 : 1, other = 1 - known;
        origin[other] = pawl_pose_compose(pawl_pose_inverse(world[other]),
                                          pawl_pose_compose(world[known], origin[known]));
    } else if (!l.found[0]) {
        origin[0] = pawl_pose_compose(pawl_pose_inverse(world[0]), world[1]); // at the child
    }
    pawl_pose axes = urdf_joint_axes(l.aimed, l.axis);
    l.def.base = body[0];
    l.def.follower = body[1];
    l.def.base_frame = pawl_pose_compose(pawl_pose_compose(frame[0], origin[0]), axes);
    l.def.follower_frame = pawl_pose_compose(pawl_pose_compose(frame[1], origin[1]), axes);
    r->tied = r->tied ||
              (pawl_body_index(l.def.base) == PAWL_WORLD_INDEX && l.def.kind != PAWL_JOINT_FREE);
    urdf_joint *slot = urdf_push(r, &r->joints, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = (urdf_joint){.node = loop, .name = name, .type = l.type};
    for (int c = 0; c < 6; ++c) {
        slot->effort[c] = INFINITY;
    }
    return xml_refused(r->xml, loop, "loop", name,
                       pawl_builder_add_joint(r->builder, &l.def, &slot->id));
}
