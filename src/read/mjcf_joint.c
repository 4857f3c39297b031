// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Joints of MJCF: type, pose, range, spring, friction, armature.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <string.h>

static pawl_status mjcf_joint_type_of(const mjcf_reader *r, const mjcf_element *e,
                                      mjcf_joint_type *out)
{
    static const char *const words[] = {"free", "ball", "slide", "hinge"};
    const char *type = mjcf_get(e, "type");
    *out = xml_is(e->node, "freejoint") ? MJCF_FREE : MJCF_HINGE;
    if (*out == MJCF_FREE || type == NULL) {
        return PAWL_OK;
    }
    for (int i = 0; i < 4; ++i) {
        if (strcmp(type, words[i]) == 0) {
            *out = (mjcf_joint_type)i;
            return PAWL_OK;
        }
    }
    return xml_error(r->xml, e->node,
                     "joint type: got '%.40s', expected free, ball, slide or hinge", type);
}

// Whether a range applies: as `limited` says, or else where there is one that rises (MuJoCo's rule: "0 0" is none).
static pawl_status mjcf_range(const mjcf_reader *r, const mjcf_element *e, const char *range,
                              const char *limited, double out[2], bool *applies)
{
    int n, state;
    out[0] = out[1] = 0.0;
    PAWL_TRY(mjcf_numbers(r, e, range, out, 2, &n));
    PAWL_TRY(mjcf_tristate(r, e, limited, &state));
    bool rises = n == 2 && out[0] < out[1];
    *applies = state == 1 || (state < 0 && rises && e->spec->compiler.auto_limits);
    if (*applies && (n != 2 || !(out[0] <= out[1]))) {
        return xml_error(r->xml, e->node, "%s: got %g %g, expected a lower and a higher number",
                         range, out[0], out[1]);
    }
    return PAWL_OK;
}

static pawl_status mjcf_joint_range(const mjcf_reader *r, mjcf_joint *j, double unit)
{
    double range[2];
    PAWL_TRY(mjcf_range(r, &j->e, "range", "limited", range, &j->ranged));
    if (j->ranged && j->type == MJCF_BALL) {
        // The largest angle; the rotation vector's parts are held within it, one by one.
        range[0] = -range[1];
    }
    if (j->ranged) {
        j->coordinate.lower = unit * range[0];
        j->coordinate.upper = unit * range[1];
    }
    bool limited;
    PAWL_TRY(mjcf_range(r, &j->e, "actuatorfrcrange", "actuatorfrclimited", range, &limited));
    j->effort = limited ? max_of(fabs(range[0]), fabs(range[1])) : INFINITY;
    return PAWL_OK;
}

// Stiffness and damping may be polynomials of which only the first number is read.
static pawl_status mjcf_joint_linear(const mjcf_reader *r, const mjcf_element *e, const char *name,
                                     double *out)
{
    double v[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    int n;
    PAWL_TRY(mjcf_numbers(r, e, name, v, 5, &n));
    *out = n > 0 ? v[0] : 0.0;
    for (int i = 1; i < n; ++i) {
        if (v[i] != 0.0) {
            return xml_unsupported(r->xml, e->node,
                                   "%s that depends on the position is not "
                                   "supported",
                                   name);
        }
    }
    return PAWL_OK;
}

static pawl_status mjcf_joint_dynamics(const mjcf_reader *r, mjcf_joint *j, double unit)
{
    const mjcf_element *e = &j->e;
    pawl_coordinate_def *c = &j->coordinate;
    const struct {
        const char *name;
        double *out;
    } rest[] = {{"armature", &c->armature},
                {"frictionloss", &c->friction},
                {"ref", &j->ref},
                {"springref", &c->rest}};
    PAWL_TRY(mjcf_joint_linear(r, e, "stiffness", &c->stiffness));
    PAWL_TRY(mjcf_joint_linear(r, e, "damping", &c->damping));
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; ++i) {
        PAWL_TRY(mjcf_number(r, e, rest[i].name, rest[i].out));
    }
    const double positive[] = {c->stiffness, c->damping, c->armature, c->friction};
    for (int i = 0; i < 4; ++i) {
        if (!(positive[i] >= 0.0)) {
            return xml_unsupported(r->xml, e->node,
                                   "joint '%s': a stiffness, damping, armature or friction loss of "
                                   "%g is not supported, expected 0 or more",
                                   j->name, positive[i]);
        }
    }
    if (mjcf_get(e, "springdamper") != NULL) {
        int n;
        PAWL_TRY(mjcf_numbers(r, e, "springdamper", j->spring_damper, 2, &n));
    }
    if (j->type == MJCF_BALL || j->type == MJCF_FREE) {
        j->ref = c->rest = 0.0; // MuJoCo has none for these
    }
    j->ref *= unit;
    c->rest *= unit;
    return PAWL_OK;
}

pawl_status mjcf_joint_read(mjcf_reader *r, const mjcf_place *place, const xmlNode *node)
{
    static const xml_rule rules[] = {
        {XML_TAKEN, "@name @class @type @pos @axis @range @limited @actuatorfrcrange "
                    "@actuatorfrclimited @stiffness @damping @armature @frictionloss @ref "
                    "@springref @springdamper @solreflimit @solimplimit"},
        {XML_SILENT, "@group @user @margin @solreffriction "
                     "@solimpfriction @align @actuatorgravcomp"},
        {XML_TAKEN, NULL}};
    mjcf_joint j = {.body = place->body,
                    .axis = {0.0, 0.0, 1.0},
                    .coordinate = pawl_joint_def_default().coordinate[0]};
    PAWL_TRY(xml_check(r->xml, node, rules));
    if (place->body == MJCF_WORLD) {
        return xml_error(r->xml, node, "the world has no joints: <%s> belongs in a <body>",
                         node->name);
    }
    PAWL_TRY(mjcf_element_at(r, place, node, &j.e));
    PAWL_TRY(mjcf_name(r, place, node, &j.name));
    PAWL_TRY(mjcf_joint_type_of(r, &j.e, &j.type));
    if (xml_is(node, "freejoint")) {
        j.e.tag = NULL;
    }
    double unit = j.type == MJCF_HINGE || j.type == MJCF_BALL ? mjcf_angle_unit(&j.e) : 1.0;
    PAWL_TRY(mjcf_joint_dynamics(r, &j, unit));
    if (j.type != MJCF_FREE) {
        PAWL_TRY(mjcf_vec3(r, &j.e, "pos", &j.pos));
        PAWL_TRY(mjcf_vec3(r, &j.e, "axis", &j.axis));
        PAWL_TRY(xml_unit_vector(r->xml, node, "axis", &j.axis));
        PAWL_TRY(mjcf_joint_range(r, &j, unit));
        PAWL_TRY(mjcf_softness(r, &j.e, "solreflimit", "solimplimit", &j.coordinate.limit_soft));
    }
    if (j.e.spec->compiler.global && j.type != MJCF_FREE) {
        pawl_pose back = pawl_pose_inverse(MJCF_BODY_AT(r, place->body)->world);
        j.pos = mjcf_get(&j.e, "pos") != NULL ? pawl_pose_apply(back, j.pos) : j.pos;
        j.axis = pawl_quat_rotate(back.orientation, j.axis);
    }
    j.pos = pawl_pose_apply(place->frame, j.pos);
    j.axis = pawl_quat_rotate(place->frame.orientation, j.axis);
    mjcf_body *body = MJCF_BODY_AT(r, place->body);
    if (body->joint_count == 0) {
        body->first_joint = r->joints.count;
    }
    bool alone = j.type == MJCF_FREE;
    if (body->joint_count > 0) {
        alone = alone || MJCF_JOINT_AT(r, body->first_joint)->type == MJCF_FREE;
        if (alone) {
            return xml_error(r->xml, node, "body '%s' has a free joint and another one",
                             body->name);
        }
    }
    if (j.type == MJCF_FREE && body->parent != MJCF_WORLD) {
        return xml_error(r->xml, node, "body '%s' is free but not a child of the world",
                         body->name);
    }
    body->joint_count += 1;
    if (j.name != NULL) {
        PAWL_TRY(mjcf_enter(r, node, MJCF_JOINT, j.name, r->joints.count));
    }
    mjcf_joint *slot = mjcf_push(r, &r->joints, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = j;
    return PAWL_OK;
}
