// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// <equality> of MJCF: connect is a spherical joint, weld a fixed one, joint a gear between two coordinates or a
// constant coordinate. MuJoCo's are soft; these are hard.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <string.h>

// Two frames that a constraint brings together, each in the pawl body that carries it.
typedef struct mjcf_ends {
    pawl_body_id body[2];
    pawl_pose frame[2];
    int index[2]; // bodies of the file
    bool sites;
} mjcf_ends;

static pawl_status mjcf_equality_ends(const mjcf_reader *r, const mjcf_element *e, mjcf_ends *out)
{
    static const char *const bodies[2] = {"body1", "body2"}, *const sites[2] = {"site1", "site2"};
    out->sites = mjcf_get(e, "site1") != NULL;
    for (int i = 0; i < 2; ++i) {
        int index;
        pawl_pose own = pawl_pose_identity();
        if (out->sites) {
            PAWL_TRY(mjcf_refer(r, e, sites[i], MJCF_SITE, "site", &index));
            if (index < 0) {
                return xml_error(r->xml, e->node, "<%s> has no %s", e->node->name, sites[i]);
            }
            own = MJCF_SITE_AT(r, index)->pose;
            index = MJCF_SITE_AT(r, index)->body;
        } else {
            PAWL_TRY(mjcf_refer(r, e, bodies[i], MJCF_BODY, "body", &index));
            if (index < 0 && i == 0) {
                return xml_error(r->xml, e->node, "<%s> has no body1 and no site1", e->node->name);
            }
            index = index < 0 ? MJCF_WORLD : index;
        }
        out->index[i] = index;
        out->frame[i] = pawl_pose_compose(mjcf_in_carrier(r, index, &out->body[i]), own);
    }
    return PAWL_OK;
}

// The second frame where the first is at the start.
static void mjcf_equality_meet(const mjcf_reader *r, mjcf_ends *x)
{
    pawl_pose carrier[2];
    for (int i = 0; i < 2; ++i) {
        carrier[i] = MJCF_BODY_AT(r, MJCF_BODY_AT(r, x->index[i])->carrier)->world;
    }
    x->frame[1] = pawl_pose_compose(pawl_pose_inverse(carrier[1]),
                                    pawl_pose_compose(carrier[0], x->frame[0]));
}

static pawl_status mjcf_equality_anchor(const mjcf_reader *r, const mjcf_element *e, bool weld,
                                        mjcf_ends *x)
{
    pawl_vec3 anchor = {0.0, 0.0, 0.0};
    double v[7];
    int n = 0;
    if (x->sites) {
        return PAWL_OK;
    }
    if (!weld) {
        PAWL_TRY(mjcf_vec3(r, e, "anchor", &anchor));
        x->frame[0].position = pawl_pose_apply(x->frame[0], anchor);
        mjcf_equality_meet(r, x);
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_numbers(r, e, "relpose", v, 7, &n));
    pawl_quat q = {n == 7 ? v[3] : 0.0, n == 7 ? v[4] : 0.0, n == 7 ? v[5] : 0.0,
                   n == 7 ? v[6] : 0.0};
    if (n == 7 && quat_norm2(q) > 1e-20) { // a quaternion of zeros: as they are at the start
        pawl_pose relative = {{v[0], v[1], v[2]}, pawl_quat_normalize(q)};
        x->frame[0] = pawl_pose_compose(x->frame[0], relative);
    } else {
        mjcf_equality_meet(r, x);
    }
    return PAWL_OK;
}

static const char *mjcf_equality_name(mjcf_reader *r, const mjcf_element *e)
{
    const char *name = xml_attribute(e->node, "name");
    if (name == NULL) {
        return NULL;
    }
    name = mjcf_concat(r, e->spec->prefix, name, e->spec->suffix);
    bool taken = name != NULL && pawl_builder_find_joint(r->builder, name).index1 != 0;
    return taken ? mjcf_concat(r, name, "::equality", "") : name;
}

static pawl_status mjcf_equality_bodies(mjcf_reader *r, const mjcf_element *e, bool weld)
{
    mjcf_ends x;
    pawl_joint_def def = pawl_joint_def_default();
    PAWL_TRY(mjcf_equality_ends(r, e, &x));
    PAWL_TRY(mjcf_equality_anchor(r, e, weld, &x));
    def.name = mjcf_equality_name(r, e);
    def.kind = weld ? PAWL_JOINT_FIXED : PAWL_JOINT_SPHERICAL;
    PAWL_TRY(mjcf_softness(r, e, "solref", "solimp", &def.soft));
    if (pawl_body_same(x.body[0], x.body[1])) {
        return xml_tally(r->xml, PAWL_LOG_WARNING, e->node,
                         "a constraint between parts of one rigid body is left out", def.name);
    }
    int base = pawl_body_is_world(x.body[1]) ? 1 : 0; // the follower is never the world
    def.base = x.body[base];
    def.follower = x.body[1 - base];
    def.base_frame = x.frame[base];
    def.follower_frame = x.frame[1 - base];
    return xml_refused(r->xml, e->node, (const char *)e->node->name,
                       def.name != NULL ? def.name : "",
                       pawl_builder_add_joint(r->builder, &def, NULL));
}

// y - y0 = c0 + c1 (x - x0) + c2 (x - x0)^2 + ..., as a polynomial of x: Taylor's shift by synthetic division.
static void mjcf_equality_curve(const double c[5], double y0, double x0, pawl_gear_def *def)
{
    double p[5];
    memcpy(p, c, sizeof p);
    for (int i = 0; i < 4; ++i) {
        for (int k = 3; k >= i; --k) {
            p[k] -= x0 * p[k + 1];
        }
    }
    def->offset = y0 + p[0];
    def->ratio = p[1];
    memcpy(def->curve, p + 2, sizeof def->curve);
}

// Between slides and hinges.
static pawl_status mjcf_equality_joints(mjcf_reader *r, const mjcf_element *e)
{
    double c[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    int a, b, n;
    PAWL_TRY(mjcf_refer(r, e, "joint1", MJCF_JOINT, "joint", &a));
    PAWL_TRY(mjcf_refer(r, e, "joint2", MJCF_JOINT, "joint", &b));
    PAWL_TRY(mjcf_numbers(r, e, "polycoef", c, 5, &n));
    if (a < 0) {
        return xml_error(r->xml, e->node, "<joint> in <equality> has no joint1");
    }
    const mjcf_joint *first = MJCF_JOINT_AT(r, a), *second = b >= 0 ? MJCF_JOINT_AT(r, b) : NULL;
    if (first->type < MJCF_SLIDE || (second != NULL && second->type < MJCF_SLIDE)) {
        return xml_error(r->xml, e->node, "<joint> in <equality> couples slides and hinges");
    }
    if (second == NULL || (c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0)) {
        pawl_motion_def def = pawl_motion_def_default();
        def.joint = first->id;
        def.target = pawl_signal_constant(first->ref + c[0]);
        return xml_refused(r->xml, e->node, "equality of joint", first->name,
                           pawl_builder_add_motion(r->builder, &def, NULL));
    }
    pawl_gear_def def = pawl_gear_def_default();
    def.name = mjcf_equality_name(r, e);
    def.joint = first->id;
    def.source_joint = second->id;
    mjcf_equality_curve(c, first->ref, second->ref, &def);
    return xml_refused(r->xml, e->node, "equality of joint", first->name,
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

// L1 - L1(start) = c0 + c1 (L2 - L2(start)) + ... of two tendons.
static pawl_status mjcf_equality_tendons(mjcf_reader *r, const mjcf_element *e)
{
    double c[5] = {0.0, 1.0, 0.0, 0.0, 0.0}, start[2] = {0.0, 0.0};
    int index[2], n;
    pawl_joint_id id[2];
    PAWL_TRY(mjcf_refer(r, e, "tendon1", MJCF_TENDON, "tendon", &index[0]));
    PAWL_TRY(mjcf_refer(r, e, "tendon2", MJCF_TENDON, "tendon", &index[1]));
    PAWL_TRY(mjcf_numbers(r, e, "polycoef", c, 5, &n));
    if (index[0] < 0) {
        return xml_error(r->xml, e->node, "<tendon> in <equality> has no tendon1");
    }
    for (int i = 0; i < 2 && index[i] >= 0; ++i) {
        PAWL_TRY(mjcf_tendon_coordinate(r, index[i], &id[i]));
        start[i] = MJCF_TENDON_AT(r, index[i])->start - MJCF_TENDON_AT(r, index[i])->offset;
        if (id[i].index1 == 0) {
            return xml_error(r->xml, e->node, "a tendon in <equality> has no joint");
        }
    }
    if (index[1] < 0 || (c[1] == 0.0 && c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0)) {
        pawl_motion_def def = pawl_motion_def_default();
        def.joint = id[0];
        def.target = pawl_signal_constant(start[0] + c[0]);
        return xml_refused(r->xml, e->node, "equality", "of a tendon",
                           pawl_builder_add_motion(r->builder, &def, NULL));
    }
    pawl_gear_def def = pawl_gear_def_default();
    def.name = mjcf_equality_name(r, e);
    def.joint = id[0];
    def.source_joint = id[1];
    mjcf_equality_curve(c, start[0], start[1], &def);
    return xml_refused(r->xml, e->node, "equality", "of tendons",
                       pawl_builder_add_gear(r->builder, &def, NULL));
}

pawl_status mjcf_equality_read(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children;
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        mjcf_element e = {.node = children.nodes[i], .spec = spec, .tag = "equality"};
        bool active = true;
        if (!mjcf_is_here(r, &e)) {
            continue;
        }
        PAWL_TRY(mjcf_class_of(r, spec, e.node, "class", 0, &e.default_class));
        PAWL_TRY(mjcf_flag(r, &e, "active", &active));
        if (!active) {
            PAWL_TRY(xml_tally(r->xml, PAWL_LOG_NOTE, e.node,
                               "an <equality> with active=\"false\" is left out",
                               xml_attribute(e.node, "name")));
        } else if (xml_is(e.node, "connect") || xml_is(e.node, "weld")) {
            PAWL_TRY(mjcf_equality_bodies(r, &e, xml_is(e.node, "weld")));
        } else if (xml_is(e.node, "joint")) {
            PAWL_TRY(mjcf_equality_joints(r, &e));
        } else if (xml_is(e.node, "tendon")) {
            PAWL_TRY(mjcf_equality_tendons(r, &e));
        } else {
            PAWL_TRY(xml_unsupported(r->xml, e.node, "<%s> in <equality> is not supported",
                                     e.node->name));
        }
    }
    return PAWL_OK;
}
