// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Couplings of two joints of SDFormat: <mimic> and gearboxes, both gears of the model.
#include "math/rotation.h"
#include "read/sdf_parts.h"
#include <string.h>

pawl_status sdf_coupling_find_joint(void *user, const xmlNode *where, int scope, const char *name,
                                    extension_joint *out)
{
    sdf_reader *r = user;
    int index;
    PAWL_TRY(sdf_tree_find(&r->tree, where, scope, name, &index));
    const sdf_item *item = SDF_ITEM(&r->tree, index);
    if (item->kind != SDF_JOINT) {
        return xml_error(r->xml, where, "got '%s', which is not a joint, expected a joint", name);
    }
    if (item->joint.index1 == 0) {
        return xml_error(r->xml, where,
                         "joint '%s' was skipped or is a gearbox, expected another joint", name);
    }
    *out = (extension_joint){.id = item->joint, .effort = item->effort};
    return PAWL_OK;
}

// <mimic joint="source"> in <axis>: q = multiplier (q_source - reference) + offset.
static pawl_status sdf_coupling_mimic(sdf_reader *r, const sdf_item *item, const xmlNode *axis,
                                      int coordinate)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@joint @axis multiplier offset reference"},
                                     {XML_TAKEN, NULL}};
    const xmlNode *mimic;
    PAWL_TRY(xml_child(r->xml, axis, "mimic", &mimic));
    if (mimic == NULL || item->joint.index1 == 0) {
        return PAWL_OK;
    }
    const char *source, *which = xml_attribute(mimic, "axis");
    double multiplier = 1.0, offset = 0.0, reference = 0.0;
    extension_joint found = {0};
    PAWL_TRY(xml_check(r->xml, mimic, rules));
    PAWL_TRY(xml_need_attribute(r->xml, mimic, "joint", &source));
    PAWL_TRY(sdf_coupling_find_joint(r, mimic, item->scope, source, &found));
    PAWL_TRY(xml_child_number(r->xml, mimic, "multiplier", XML_ANY, &multiplier));
    PAWL_TRY(xml_child_number(r->xml, mimic, "offset", XML_ANY, &offset));
    PAWL_TRY(xml_child_number(r->xml, mimic, "reference", XML_ANY, &reference));
    pawl_gear_def def = pawl_gear_def_default();
    def.name = xml_join(r->xml, item->full_name, coordinate == 0 ? "mimic" : "mimic2");
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.joint = item->joint;
    def.coordinate = coordinate;
    def.source_joint = found.id;
    def.source_coordinate = which != NULL && strcmp(which, "axis2") == 0 ? 1 : 0;
    def.ratio = multiplier;
    def.offset = offset - multiplier * reference;
    return xml_refused(r->xml, mimic, "mimic of joint", item->full_name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

// The hinge between the reference body and one wheel of a gearbox: its index, and whether its angle
// counts as the gearbox counts it (+1) or against it (-1).
static pawl_status sdf_coupling_gearbox_hinge(const sdf_reader *r, const sdf_item *gearbox,
                                              int reference, int wheel, pawl_vec3 axis,
                                              pawl_joint_id *joint, double *sign)
{
    const sdf_tree *tree = &r->tree;
    for (int i = 1; i < tree->items.count; ++i) {
        const sdf_item *item = SDF_ITEM(tree, i);
        const char *type = item->kind == SDF_JOINT ? xml_attribute(item->node, "type") : NULL;
        if (item->joint.index1 == 0 || type == NULL ||
            (strcmp(type, "revolute") != 0 && strcmp(type, "continuous") != 0)) {
            continue;
        }
        sdf_joint ends = {.def = pawl_joint_def_default()};
        PAWL_TRY(sdf_joint_ends(r, item, &ends));
        bool forward = ends.parent_link == reference && ends.child_link == wheel;
        bool backward = ends.parent_link == wheel && ends.child_link == reference;
        if (!forward && !backward) {
            continue;
        }
        const xmlNode *node;
        pawl_vec3 own;
        PAWL_TRY(xml_need_child(r->xml, item->node, "axis", &node));
        PAWL_TRY(sdf_joint_axis(r, item, node, &own));
        own = pawl_quat_rotate(item->pose.orientation, own);
        *joint = item->joint;
        *sign = (forward ? 1.0 : -1.0) * (v3_dot(own, axis) >= 0.0 ? 1.0 : -1.0);
        return PAWL_OK;
    }
    return xml_unsupported(r->xml, gearbox->node,
                           "gearbox '%s': no revolute joint joins its reference body '%s' and '%s'",
                           gearbox->full_name, SDF_ITEM(tree, reference)->full_name,
                           SDF_ITEM(tree, wheel)->full_name);
}

static pawl_status sdf_coupling_gearbox(sdf_reader *r, const sdf_item *item)
{
    xml_reader *xml = r->xml;
    const xmlNode *reference_node;
    const char *name;
    int reference;
    pawl_joint_id found[2] = {{0, 0}, {0, 0}};
    double ratio = 1.0, sign[2] = {1.0, 1.0};
    sdf_joint j = {.def = pawl_joint_def_default()};
    PAWL_TRY(sdf_joint_ends(r, item, &j));
    PAWL_TRY(xml_child_number(xml, item->node, "gearbox_ratio", XML_ANY, &ratio));
    PAWL_TRY(xml_need_child(xml, item->node, "gearbox_reference_body", &reference_node));
    PAWL_TRY(xml_text(xml, reference_node, &name));
    PAWL_TRY(sdf_tree_find(&r->tree, reference_node, item->scope, name, &reference));
    PAWL_TRY(sdf_tree_link_of(&r->tree, reference, &reference));
    static const char *const axis_names[2] = {"axis", "axis2"};
    const int wheel[2] = {j.parent_link, j.child_link};
    for (int i = 0; i < 2; ++i) {
        const xmlNode *axis;
        pawl_vec3 direction;
        PAWL_TRY(xml_need_child(xml, item->node, axis_names[i], &axis));
        PAWL_TRY(sdf_joint_axis(r, item, axis, &direction));
        direction = pawl_quat_rotate(item->pose.orientation, direction);
        PAWL_TRY(sdf_coupling_gearbox_hinge(r, item, reference, wheel[i], direction, &found[i],
                                            &sign[i]));
    }
    if (found[0].index1 == 0 || found[1].index1 == 0) {
        return PAWL_OK; // lenient, and warned of
    }
    pawl_gear_def def = pawl_gear_def_default();
    def.name = item->full_name;
    def.joint = found[1];
    def.source_joint = found[0];
    def.ratio = -ratio * sign[0] * sign[1]; // SDFormat: theta_2 = -gearbox_ratio theta_1
    return xml_refused(xml, item->node, "gearbox", item->full_name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

pawl_status sdf_coupling_read(sdf_reader *r, const sdf_item *item)
{
    if (strcmp(xml_attribute(item->node, "type"), "gearbox") == 0) {
        return sdf_coupling_gearbox(r, item);
    }
    static const char *const names[2] = {"axis", "axis2"};
    for (int i = 0; i < 2; ++i) {
        const xmlNode *axis;
        PAWL_TRY(xml_child(r->xml, item->node, names[i], &axis));
        if (axis != NULL) {
            PAWL_TRY(sdf_coupling_mimic(r, item, axis, i));
        }
    }
    return PAWL_OK;
}
