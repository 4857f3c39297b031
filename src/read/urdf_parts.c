// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Small elements of URDF (numbers, vectors, origins) and the names of its links and joints.
#include "read/urdf_parts.h"
#include "math/rotation.h"
#include <string.h>

void *urdf_push(urdf_reader *r, pawl_array *array, size_t size)
{
    void *item = pawl_array_push(r->xml->env, array, size);
    if (item == NULL) {
        pawl_log(r->xml->env, PAWL_LOG_ERROR, "no memory for the robot's links and joints");
    }
    return item;
}

// --- small elements ------------------------------------------------------------------------------

pawl_status urdf_vec3(const urdf_reader *r, const xmlNode *node, const char *name, pawl_vec3 *out)
{
    const char *text = xml_attribute(node, name);
    double v[3];
    if (text != NULL) {
        PAWL_TRY(xml_numbers(r->xml, node, name, text, XML_ANY, v, 3));
        *out = v3(v[0], v[1], v[2]);
    }
    return PAWL_OK;
}

const char *const urdf_radians = "roll, pitch and yaw are in radians in URDF";

// The attributes xyz and rpy, of an element that may have others.
pawl_status urdf_place(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    pawl_vec3 rpy = {0};
    *out = pawl_pose_identity();
    PAWL_TRY(urdf_vec3(r, node, "xyz", &out->position));
    PAWL_TRY(urdf_vec3(r, node, "rpy", &rpy));
    out->orientation = pawl_quat_from_rpy(rpy.x, rpy.y, rpy.z);
    return xml_warn_turns(r->xml, node, (const double[]){rpy.x, rpy.y, rpy.z}, urdf_radians);
}

pawl_status urdf_frame(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    static const xml_rule rules[] = {{XML_TAKEN, "@xyz @rpy"}, {XML_TAKEN, NULL}};
    PAWL_TRY(xml_check(r->xml, node, rules));
    return urdf_place(r, node, out);
}

pawl_status urdf_origin(const urdf_reader *r, const xmlNode *node, pawl_pose *out)
{
    const xmlNode *origin;
    *out = pawl_pose_identity();
    PAWL_TRY(xml_child(r->xml, node, "origin", &origin));
    return origin == NULL ? PAWL_OK : urdf_frame(r, origin, out);
}

pawl_status urdf_need_number(const urdf_reader *r, const xmlNode *node, const char *name,
                             xml_range range, double *out)
{
    const char *text;
    PAWL_TRY(xml_need_attribute(r->xml, node, name, &text));
    return xml_numbers(r->xml, node, name, text, range, out, 1);
}

// --- finding names -------------------------------------------------------------------------------

pawl_status urdf_find(const urdf_reader *r, const xmlNode *where, int scope, const char *name,
                      int *index)
{
    *index = pawl_name_table_find(&r->names, scope, name, strlen(name));
    if (*index >= 0) {
        return PAWL_OK;
    }
    char hint[XML_HINT_SIZE];
    xml_nearest nearest = xml_nearest_begin(name);
    int count = scope == URDF_LINKS ? r->links.count : r->joints.count;
    for (int i = 0; i < count; ++i) {
        xml_nearest_offer(&nearest,
                          scope == URDF_LINKS ? URDF_LINK(r, i)->name : URDF_JOINT(r, i)->name);
    }
    return xml_error(r->xml, where, "<%s>: no %s is called '%s'%s", where->name,
                     scope == URDF_LINKS ? "link" : "joint", name,
                     xml_nearest_hint(&nearest, hint));
}

pawl_status urdf_enter(urdf_reader *r, const xmlNode *node, int scope, const char *what,
                       const char *name, int index)
{
    PAWL_TRY(xml_name_check(r->xml, node, name));
    int other = pawl_name_table_find(&r->names, scope, name, strlen(name));
    if (other >= 0) {
        const xmlNode *first =
            scope == URDF_LINKS ? URDF_LINK(r, other)->node : URDF_JOINT(r, other)->node;
        return xml_error(r->xml, node, "a second %s is called '%s'; the first is at line %ld", what,
                         name, xmlGetLineNo(first));
    }
    return xml_add_name(r->xml, &r->names, scope, name, index);
}

// For the pawl: elements. The pose is that of the link in the body that carries it.
pawl_status urdf_find_body(void *user, const xmlNode *where, const char *name, pawl_body_id *body,
                           pawl_pose *frame)
{
    const urdf_reader *r = user;
    int index;
    *frame = pawl_pose_identity();
    if (strcmp(name, "world") == 0 &&
        pawl_name_table_find(&r->names, URDF_LINKS, name, strlen(name)) < 0) {
        *body = PAWL_WORLD;
        return PAWL_OK;
    }
    PAWL_TRY(urdf_find(r, where, URDF_LINKS, name, &index));
    const urdf_link *link = URDF_LINK(r, index);
    if (link->carrier == URDF_WORLD) {
        *body = PAWL_WORLD;
        *frame = link->pose;
    } else {
        const urdf_link *carrier = URDF_LINK(r, link->carrier);
        *body = carrier->body;
        *frame = pawl_pose_compose(pawl_pose_inverse(carrier->pose), link->pose);
    }
    return PAWL_OK;
}

pawl_status urdf_find_joint(void *user, const xmlNode *where, const char *name,
                            extension_joint *joint)
{
    const urdf_reader *r = user;
    int index;
    PAWL_TRY(urdf_find(r, where, URDF_JOINTS, name, &index));
    const urdf_joint *j = URDF_JOINT(r, index);
    if (j->id.index1 == 0) {
        return xml_error(r->xml, where,
                         "joint '%s' is fixed and was merged away with a link without mass", name);
    }
    *joint = (extension_joint){.id = j->id, .effort = j->effort};
    return PAWL_OK;
}
