// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints of URDF: kind, axis, limits and dynamics, and <mimic>, which becomes a gear.
#include "math/rotation.h"
#include "read/joint_words.h"
#include "read/urdf_parts.h"
#include <string.h>

pawl_status urdf_joint_kind(const urdf_reader *r, const xmlNode *node, const char *name,
                            const char *type, pawl_joint_kind *kind)
{
    static const joint_word words[] = {
        {"revolute", PAWL_JOINT_REVOLUTE},   {"continuous", PAWL_JOINT_REVOLUTE},
        {"prismatic", PAWL_JOINT_PRISMATIC}, {"fixed", PAWL_JOINT_FIXED},
        {"floating", PAWL_JOINT_FREE},       {"planar", PAWL_JOINT_PLANAR},
        {"ball", PAWL_JOINT_SPHERICAL},      {"spherical", PAWL_JOINT_SPHERICAL},
    };
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(type);
    if (joint_word_find(words, sizeof words / sizeof words[0], type, &nearest, kind)) {
        return PAWL_OK;
    }
    const char *word = strncmp(type, "pawl:", 5) == 0 ? type + 5 : type;
    bool ours = word != type || xml_is(node, "pawl:loop");
    if (ours && extension_joint_kind(word, kind)) {
        return PAWL_OK;
    }
    return xml_error(r->xml, node,
                     "joint '%s': got type '%s', expected revolute, continuous, prismatic, fixed, "
                     "floating, planar, or pawl: and one of %s%s",
                     name, type, extension_joint_words(), xml_nearest_hint(&nearest, hint));
}

static pawl_status urdf_joint_limits(const urdf_reader *r, urdf_joint *joint, pawl_joint_def *def)
{
    static const xml_rule limit_rules[] = {{XML_TAKEN, "@lower @upper @effort @velocity"},
                                           {XML_TAKEN, NULL}};
    static const xml_rule dynamics_rules[] = {{XML_TAKEN, "@damping @friction"}, {XML_TAKEN, NULL}};
    const xmlNode *limit, *dynamics;
    bool bounded = strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "prismatic") == 0;
    pawl_coordinate_def *c = &def->coordinate[0];
    PAWL_TRY(xml_child(r->xml, joint->node, "limit", &limit));
    bool given = limit != NULL &&
                 (xml_attribute(limit, "lower") != NULL || xml_attribute(limit, "upper") != NULL);
    if (bounded && !given) { // URDF's defaults of 0 would lock it, which nobody means
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, limit != NULL ? limit : joint->node,
                           "a revolute or prismatic joint without lower and upper has no limits",
                           joint->name));
    }
    if (limit != NULL) {
        double lower = 0.0, upper = 0.0, effort = INFINITY; // URDF's defaults of the first two
        PAWL_TRY(xml_check(r->xml, limit, limit_rules));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "lower", XML_MAYBE_INFINITE, &lower));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "upper", XML_MAYBE_INFINITE, &upper));
        PAWL_TRY(xml_attribute_number(r->xml, limit, "effort", XML_MAYBE_INFINITE, &effort));
        if (lower > upper) { // as Bullet has it, whose files say so
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, limit,
                               "a lower limit above the upper one stands for no limits",
                               joint->name));
            lower = -INFINITY;
            upper = INFINITY;
        }
        if (bounded && given) {
            c->lower = lower;
            c->upper = upper;
        } else if (!bounded && given && lower < upper) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, limit,
                               "lower and upper of a joint that has none by its type are ignored",
                               joint->name));
        }
        joint->effort[0] = effort >= 0.0 ? effort : INFINITY; // -1 stands for none
    }
    PAWL_TRY(xml_child(r->xml, joint->node, "dynamics", &dynamics));
    if (dynamics == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_check(r->xml, dynamics, dynamics_rules));
    if (def->kind == PAWL_JOINT_FIXED) { // exporters write it for every joint
        return PAWL_OK;
    }
    if (pawl_joint_kind_coordinates(def->kind) != 1) {
        return xml_tally(r->xml, PAWL_LOG_WARNING, dynamics,
                         "<dynamics> of a joint with several directions is ignored; "
                         "<pawl:coordinate> says which is meant",
                         joint->name);
    }
    PAWL_TRY(xml_attribute_number(r->xml, dynamics, "damping", XML_NOT_NEGATIVE, &c->damping));
    return xml_attribute_number(r->xml, dynamics, "friction", XML_NOT_NEGATIVE, &c->friction);
}

// Whether the joint frame's x is turned onto the axis; otherwise the frame stays as the origin has
// it. Exporters write an axis "0 0 0" where it means nothing.
bool urdf_joint_is_aimed(pawl_joint_kind kind, bool given)
{
    switch (kind) {
    case PAWL_JOINT_FIXED:
    case PAWL_JOINT_FREE:
        return false;
    case PAWL_JOINT_REVOLUTE:
    case PAWL_JOINT_PRISMATIC:
    case PAWL_JOINT_CYLINDRICAL:
    case PAWL_JOINT_SCREW:
        return true;
    default:
        return given;
    }
}

pawl_pose urdf_joint_axes(bool aimed, pawl_vec3 axis)
{
    pawl_pose axes = pawl_pose_identity();
    if (aimed) {
        axes.orientation = pawl_quat_from_axes(axis, v3(0.0, 0.0, 0.0));
    }
    return axes;
}

pawl_status urdf_joint_read(urdf_reader *r, urdf_joint *joint)
{
    static const xml_rule axis_rules[] = {{XML_TAKEN, "@xyz"}, {XML_TAKEN, NULL}};
    const urdf_link *parent = URDF_LINK(r, joint->parent), *child = URDF_LINK(r, joint->child);
    const xmlNode *axis_node;
    pawl_joint_def def = pawl_joint_def_default();
    def.name = joint->name;
    PAWL_TRY(urdf_joint_kind(r, joint->node, joint->name, joint->type, &def.kind));
    pawl_vec3 axis = v3(1.0, 0.0, 0.0);
    PAWL_TRY(xml_child(r->xml, joint->node, "axis", &axis_node));
    bool aimed = urdf_joint_is_aimed(def.kind, axis_node != NULL);
    if (axis_node != NULL) {
        PAWL_TRY(xml_check(r->xml, axis_node, axis_rules));
        PAWL_TRY(urdf_vec3(r, axis_node, "xyz", &axis));
    }
    if (aimed) {
        PAWL_TRY(xml_unit_vector(r->xml, axis_node != NULL ? axis_node : joint->node, joint->name,
                                 &axis));
    }
    PAWL_TRY(urdf_joint_limits(r, joint, &def));
    PAWL_TRY(extension_read_joint(r->xml, joint->node, &def));
    if (parent->carrier == child->carrier) {
        return PAWL_OK; // merged
    }
    pawl_pose frame;
    pawl_pose axes = urdf_joint_axes(aimed, axis);
    PAWL_TRY(urdf_find_body(r, joint->node, parent->name, &def.base, &frame));
    def.base_frame = pawl_pose_compose(pawl_pose_compose(frame, joint->origin), axes);
    PAWL_TRY(urdf_find_body(r, joint->node, child->name, &def.follower, &frame));
    def.follower_frame = pawl_pose_compose(frame, axes);
    r->tied =
        r->tied || (pawl_body_index(def.base) == PAWL_WORLD_INDEX && def.kind != PAWL_JOINT_FREE);
    PAWL_TRY(xml_refused(r->xml, joint->node, "joint", joint->name,
                         pawl_builder_add_joint(r->builder, &def, &joint->id)));
    return xml_note_effort(r->xml, joint->id, joint->effort[0]);
}

// A joint that mimics a fixed one stays at its offset.
static pawl_status urdf_joint_hold(urdf_reader *r, const urdf_joint *joint, const xmlNode *mimic)
{
    double offset = 0.0;
    pawl_motion_def def = pawl_motion_def_default();
    PAWL_TRY(xml_attribute_number(r->xml, mimic, "offset", XML_ANY, &offset));
    def.name = xml_join(r->xml, joint->name, "mimic");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.joint = joint->id;
    def.target = pawl_signal_constant(offset);
    PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, mimic,
                       "<mimic> of a joint that is fixed holds the joint at its offset",
                       joint->name));
    return xml_refused(r->xml, mimic, "mimic of joint", joint->name,
                       pawl_builder_add_motion(r->builder, &def, NULL));
}

pawl_status urdf_joint_read_mimic(urdf_reader *r, const urdf_joint *joint)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@joint @multiplier @offset"}, {XML_TAKEN, NULL}};
    const xmlNode *mimic;
    PAWL_TRY(xml_child(r->xml, joint->node, "mimic", &mimic));
    if (mimic == NULL || joint->id.index1 == 0 || strcmp(joint->type, "fixed") == 0) {
        return PAWL_OK;
    }
    const char *source;
    extension_joint found = {0};
    pawl_gear_def def = pawl_gear_def_default();
    PAWL_TRY(xml_check(r->xml, mimic, rules));
    PAWL_TRY(xml_need_attribute(r->xml, mimic, "joint", &source));
    int index = pawl_name_table_find(&r->names, URDF_JOINTS, source, strlen(source));
    if (index >= 0 && (URDF_JOINT(r, index)->id.index1 == 0 ||
                       strcmp(URDF_JOINT(r, index)->type, "fixed") == 0)) {
        return urdf_joint_hold(r, joint, mimic);
    }
    PAWL_TRY(urdf_find_joint(r, mimic, source, &found));
    PAWL_TRY(xml_attribute_number(r->xml, mimic, "multiplier", XML_ANY, &def.ratio));
    PAWL_TRY(xml_attribute_number(r->xml, mimic, "offset", XML_ANY, &def.offset));
    def.name = xml_join(r->xml, joint->name, "mimic");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.joint = joint->id;
    def.source_joint = found.id;
    return xml_refused(r->xml, mimic, "mimic of joint", joint->name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}
