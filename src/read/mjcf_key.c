// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Keyframes of MJCF as named starts: --start NAME begins at the positions of the key of that name.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <stdio.h>
#include <string.h>

static pawl_status mjcf_key_joint(mjcf_reader *r, const mjcf_joint *j, const double *q)
{
    double position[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double *quat = j->type == MJCF_FREE ? q + 3 : q;
    if (j->type >= MJCF_SLIDE) {
        position[0] = q[0];
        return pawl_builder_set_start(r->builder, j->id, position);
    }
    pawl_quat turn = {quat[0], quat[1], quat[2], quat[3]};
    if (!(quat_norm2(turn) > 1e-20)) {
        turn = (pawl_quat){1.0, 0.0, 0.0, 0.0};
    }
    pawl_vec3 v = quat_log(pawl_quat_normalize(turn));
    double *out = position;
    if (j->type == MJCF_FREE) {
        memcpy(position, q, 3 * sizeof *q);
        out += 3;
    }
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    return pawl_builder_set_start(r->builder, j->id, position);
}

static pawl_status mjcf_key_apply(mjcf_reader *r, const xmlNode *node)
{
    static const int sizes[] = {7, 4, 1, 1}; // of positions, by the type of the joint
    const char *text = xml_attribute(node, "qpos");
    double *q;
    int count, at = 0, need = 0;
    for (int i = 0; i < r->joints.count; ++i) {
        need += sizes[MJCF_JOINT_AT(r, i)->type];
    }
    if (xml_attribute(node, "qvel") != NULL) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, node,
                           "qvel of a key is ignored: a start is at rest", NULL));
    }
    if (text == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_number_list(r->xml, node, "qpos", text, &q, &count));
    if (count != need) {
        return xml_error(r->xml, node, "qpos: got %d numbers, expected %d", count, need);
    }
    for (int i = 0; i < r->joints.count; ++i) {
        const mjcf_joint *j = MJCF_JOINT_AT(r, i);
        PAWL_TRY(
            xml_refused(r->xml, node, "start of joint", j->name, mjcf_key_joint(r, j, q + at)));
        at += sizes[j->type];
    }
    return PAWL_OK;
}

pawl_status mjcf_keys_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children;
    if (spec != r->specs || r->xml->start_key == NULL || r->xml->start_found) {
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        const char *name = xml_attribute(children.nodes[i], "name");
        char number[16];
        snprintf(number, sizeof number, "key%d", i);
        if (xml_is(children.nodes[i], "key") &&
            strcmp(name != NULL ? name : number, r->xml->start_key) == 0) {
            r->xml->start_found = true;
            return mjcf_key_apply(r, children.nodes[i]);
        }
    }
    return PAWL_OK;
}
