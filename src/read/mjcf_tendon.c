// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tendons of MJCF. A fixed tendon has the length sum c_i q_i; a spatial one runs through sites and around geoms. A
// tendon that only measures or transmits (no limit, spring, friction or armature of its own) creates nothing here. A
// spatial tendon between two sites with only a spring and a damper is a spring.
//
// A fixed tendon with such properties, or one that an equality or a servo acts on, becomes a chain of small sliders
// along one line in the world, each geared to a joint by its coefficient: the position of the last one is the
// tendon's length. A free joint without rows measures it, and has the tendon's limits, spring, friction and armature.
// A spatial tendon has a span for each of its pieces (mjcf_path.c); one of a single piece is that span, others have a
// chain over their spans.
#include "math/vec.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct mjcf_tendon_law {
    bool limited;
    double range[2], stiffness, damping, friction, armature;
    pawl_softness limit_soft;
    double
        rest[2]; // between these two the spring is slack; -1: the length with joints at springref
} mjcf_tendon_law;

static pawl_status mjcf_tendon_law_read(const mjcf_reader *r, const mjcf_element *e,
                                        mjcf_tendon_law *law)
{
    int n, state;
    double v[5];
    *law = (mjcf_tendon_law){.rest = {-1.0, -1.0}};
    PAWL_TRY(mjcf_numbers(r, e, "range", law->range, 2, &n));
    PAWL_TRY(mjcf_tristate(r, e, "limited", &state));
    law->limited = state == 1 || (state < 0 && n == 2 && e->spec->compiler.auto_limits);
    PAWL_TRY(mjcf_numbers(r, e, "stiffness", v, 5, &n));
    law->stiffness = n > 0 ? v[0] : 0.0;
    PAWL_TRY(mjcf_numbers(r, e, "damping", v, 5, &n));
    law->damping = n > 0 ? v[0] : 0.0;
    PAWL_TRY(mjcf_number(r, e, "frictionloss", &law->friction));
    PAWL_TRY(mjcf_number(r, e, "armature", &law->armature));
    PAWL_TRY(mjcf_numbers(r, e, "springlength", law->rest, 2, &n));
    law->rest[1] = n == 1 ? law->rest[0] : law->rest[1];
    law->limit_soft = pawl_softness_default();
    PAWL_TRY(mjcf_softness(r, e, "solreflimit", "solimplimit", &law->limit_soft));
    law->limited = law->limited && !r->limits_off;
    law->stiffness = r->springs_off ? 0.0 : law->stiffness;
    law->damping = r->dampers_off ? 0.0 : law->damping;
    law->friction = r->friction_off ? 0.0 : law->friction;
    return PAWL_OK;
}

pawl_status mjcf_tendon_bounds(const mjcf_reader *r, const mjcf_tendon *t, double out[2])
{
    mjcf_tendon_law law;
    PAWL_TRY(mjcf_tendon_law_read(r, &t->e, &law));
    out[0] = law.limited ? law.range[0] : -INFINITY;
    out[1] = law.limited ? law.range[1] : INFINITY;
    return PAWL_OK;
}

// The inertia that a joint moves at least: of its own body.
static double mjcf_tendon_inertia(const mjcf_reader *r, const mjcf_joint *j)
{
    const mjcf_mass *m = &MJCF_BODY_AT(r, j->body)->mass;
    return j->type == MJCF_SLIDE ? m->mass : (m->inertia[0] + m->inertia[1] + m->inertia[2]) / 3.0;
}

pawl_status mjcf_tendons_list(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *section)
{
    mjcf_children children, parts;
    PAWL_TRY(mjcf_list(r, section, &children));
    for (int i = 0; i < children.count; ++i) {
        mjcf_tendon t = {.e = {.node = children.nodes[i], .spec = spec, .tag = "tendon"}};
        t.fixed = xml_is(t.e.node, "fixed");
        if (!mjcf_is_here(r, &t.e)) {
            continue;
        }
        if (!t.fixed && !xml_is(t.e.node, "spatial")) {
            return xml_error(r->xml, t.e.node, "<%s> is not expected in <tendon>", t.e.node->name);
        }
        PAWL_TRY(mjcf_class_of(r, spec, t.e.node, "class", 0, &t.e.default_class));
        const char *name = xml_attribute(t.e.node, "name");
        char made[32];
        snprintf(made, sizeof made, "tendon%d", r->tendons.count);
        t.name = mjcf_concat(r, spec->prefix, name != NULL ? name : made, spec->suffix);
        if (t.name == NULL) {
            return PAWL_NO_MEMORY;
        }
        if (name != NULL) {
            PAWL_TRY(mjcf_enter(r, t.e.node, MJCF_TENDON, t.name, r->tendons.count));
        }
        mjcf_tendon *slot = mjcf_push(r, &r->tendons, sizeof *slot);
        if (slot == NULL) {
            return PAWL_NO_MEMORY;
        }
        *slot = t;
        PAWL_TRY(mjcf_list(r, t.e.node, &parts));
        for (int k = 0; t.fixed && k < parts.count; ++k) {
            mjcf_element e = {.node = parts.nodes[k], .spec = spec};
            mjcf_term term = {.coef = 0.0};
            PAWL_TRY(mjcf_refer(r, &e, "joint", MJCF_JOINT, "joint", &term.joint));
            PAWL_TRY(mjcf_number(r, &e, "coef", &term.coef));
            if (term.joint < 0 || MJCF_JOINT_AT(r, term.joint)->type < MJCF_SLIDE) {
                return xml_error(r->xml, e.node, "a fixed tendon couples slides and hinges");
            }
            const mjcf_joint *joint = MJCF_JOINT_AT(r, term.joint);
            term.id = joint->id;
            term.start = joint->ref;
            term.inertia = mjcf_tendon_inertia(r, joint);
            slot->start += term.coef * joint->ref;
            slot->sprung += term.coef * joint->coordinate.rest;
            mjcf_term *where = mjcf_push(r, &slot->terms, sizeof *where);
            if (where == NULL) {
                return PAWL_NO_MEMORY;
            }
            *where = term;
        }
    }
    return PAWL_OK;
}

// Two sites and nothing else, as a spring; *done is false for others.
static pawl_status mjcf_tendon_spring(mjcf_reader *r, const mjcf_tendon *t,
                                      const mjcf_tendon_law *law, bool *done)
{
    mjcf_children parts;
    pawl_spring_def def = pawl_spring_def_default();
    pawl_body_id *body[2] = {&def.body_a, &def.body_b};
    pawl_vec3 *point[2] = {&def.point_a, &def.point_b}, world[2];
    PAWL_TRY(mjcf_list(r, t->e.node, &parts));
    *done = parts.count == 2 && xml_is(parts.nodes[0], "site") && xml_is(parts.nodes[1], "site") &&
            !law->limited && law->friction == 0.0 && law->armature == 0.0 &&
            law->rest[0] == law->rest[1] && (law->rest[0] >= 0.0 || law->rest[0] == -1.0);
    for (int i = 0; *done && i < 2; ++i) {
        mjcf_element e = {.node = parts.nodes[i], .spec = t->e.spec};
        int index;
        PAWL_TRY(mjcf_refer(r, &e, "site", MJCF_SITE, "site", &index));
        if (index < 0) {
            return xml_error(r->xml, e.node, "<site> in a tendon names no site");
        }
        const mjcf_site *site = MJCF_SITE_AT(r, index);
        pawl_pose pose = mjcf_in_carrier(r, site->body, body[i]);
        *point[i] = pawl_pose_apply(pose, site->pose.position);
        world[i] = pawl_pose_apply(mjcf_pose_at(r, site->body, NULL), site->pose.position);
    }
    if (!*done || pawl_body_same(def.body_a, def.body_b)) {
        return PAWL_OK;
    }
    def.name = t->name;
    def.stiffness = law->stiffness;
    def.damping = law->damping;
    def.rest_length = law->rest[0] != -1.0 ? law->rest[0] : v3_norm(v3_sub(world[0], world[1]));
    return xml_refused(r->xml, t->e.node, "tendon", t->name != NULL ? t->name : "",
                       pawl_builder_add_spring(r->builder, &def, NULL));
}

// The mass of sliders. Each moves with its own term and with all before it, by their coefficients: for none of them is it
// more than a millionth of the inertia that moves with the term.
static double mjcf_tendon_mass(const mjcf_tendon *t)
{
    const double little = 1e-6;
    double least = INFINITY;
    for (int k = 0; k < t->terms.count; ++k) {
        const mjcf_term *term = &PAWL_ITEM(t->terms, mjcf_term, k);
        if (term->coef != 0.0) {
            least = fmin(least, term->inertia / (term->coef * term->coef));
        }
    }
    return little * least;
}

// One slider: `at` is where it stands along the line, which grows by coef times the term's coordinate.
static pawl_status mjcf_tendon_slider(mjcf_reader *r, const mjcf_tendon *t, const mjcf_term *term,
                                      int k, double *at, pawl_body_id *end)
{
    pawl_body_def body = pawl_body_def_default();
    pawl_joint_def slide = pawl_joint_def_default();
    pawl_gear_def gear = pawl_gear_def_default();
    char number[32];
    snprintf(number, sizeof number, "::slider%d", k);
    body.name = mjcf_concat(r, t->name, number, "");
    slide.name = body.name;
    gear.name = mjcf_concat(r, t->name, number, "::gear");
    if (body.name == NULL || gear.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    *at += term->coef * term->start;
    body.pose.position = v3(*at, 0.0, 0.0);
    body.mass = mjcf_tendon_mass(t);
    body.gravity_scale = 0.0;
    for (int i = 0; i < 3; ++i) {
        body.inertia[i] = body.mass;
    }
    slide.kind = PAWL_JOINT_PRISMATIC;
    slide.base = *end;
    gear.source_joint = term->id;
    if (term->span != NULL) {
        PAWL_TRY(pawl_builder_add_joint(r->builder, term->span, &gear.source_joint));
    }
    PAWL_TRY(pawl_builder_add_body(r->builder, &body, &slide.follower));
    PAWL_TRY(pawl_builder_add_joint(r->builder, &slide, &gear.joint));
    gear.ratio = term->coef;
    PAWL_TRY(pawl_builder_add_gear(r->builder, &gear, NULL));
    *end = slide.follower;
    return PAWL_OK;
}

// The joint that reads the length: a tendon of one piece is a span, others end in the last slider of their chain.
static pawl_status mjcf_tendon_reader(mjcf_reader *r, mjcf_tendon *t, pawl_joint_def *reads)
{
    const mjcf_term *first = &PAWL_ITEM(t->terms, mjcf_term, 0);
    if (t->terms.count == 1 && first->span != NULL && first->coef == 1.0) {
        *reads = *first->span;
        t->offset = t->constant;
        return PAWL_OK;
    }
    double at = 0.0;
    pawl_body_id end = PAWL_WORLD;
    for (int k = 0; k < t->terms.count; ++k) {
        const mjcf_term *term = &PAWL_ITEM(t->terms, mjcf_term, k);
        if (term->coef != 0.0) {
            PAWL_TRY(xml_refused(r->xml, t->e.node, "tendon", t->name,
                                 mjcf_tendon_slider(r, t, term, k, &at, &end)));
        }
    }
    reads->kind = PAWL_JOINT_FREE;
    reads->follower = end;
    reads->base_frame.position.x = -t->constant;
    return PAWL_OK;
}

static pawl_status mjcf_tendon_chain(mjcf_reader *r, mjcf_tendon *t, const mjcf_tendon_law *law)
{
    pawl_joint_def reads = pawl_joint_def_default();
    bool moves = false;
    for (int k = 0; k < t->terms.count; ++k) {
        moves = moves || PAWL_ITEM(t->terms, mjcf_term, k).coef != 0.0;
    }
    if (!moves) {
        return PAWL_OK; // its length is constant
    }
    PAWL_TRY(mjcf_tendon_reader(r, t, &reads));
    bool taken = pawl_builder_find_joint(r->builder, t->name).index1 != 0;
    reads.name = taken ? mjcf_concat(r, t->name, "::tendon", "") : t->name;
    pawl_coordinate_def *c = &reads.coordinate[0];
    c->lower = law->limited ? law->range[0] - t->offset : -INFINITY;
    c->upper = law->limited ? law->range[1] - t->offset : INFINITY;
    c->limit_soft = law->limit_soft;
    c->stiffness = law->stiffness;
    c->damping = law->damping;
    c->friction = law->friction;
    c->armature = law->armature;
    c->slack = law->rest[1] - law->rest[0];
    c->rest = (law->rest[0] != -1.0 ? law->rest[0] : t->sprung) - t->offset;
    return xml_refused(r->xml, t->e.node, "tendon", t->name,
                       pawl_builder_add_joint(r->builder, &reads, &t->id));
}

pawl_status mjcf_tendon_coordinate(mjcf_reader *r, int index, pawl_joint_id *out)
{
    mjcf_tendon *t = MJCF_TENDON_AT(r, index);
    mjcf_tendon_law law = {.rest = {0.0, 0.0}, .limit_soft = pawl_softness_default()};
    PAWL_TRY(mjcf_path_lay(r, t));
    if (t->id.index1 == 0) {
        PAWL_TRY(mjcf_tendon_chain(r, t, &law));
    }
    *out = t->id;
    return PAWL_OK;
}

pawl_status mjcf_tendons_build(mjcf_reader *r)
{
    for (int i = 0; i < r->tendons.count; ++i) {
        mjcf_tendon *t = MJCF_TENDON_AT(r, i);
        mjcf_tendon_law law;
        bool done = false;
        PAWL_TRY(mjcf_tendon_law_read(r, &t->e, &law));
        if (!law.limited && law.stiffness == 0.0 && law.damping == 0.0 && law.friction == 0.0 &&
            law.armature == 0.0) {
            continue;
        }
        if (!t->fixed) {
            PAWL_TRY(mjcf_tendon_spring(r, t, &law, &done));
        }
        if (!done) {
            PAWL_TRY(mjcf_path_lay(r, t));
            PAWL_TRY(mjcf_tendon_chain(r, t, &law));
        }
    }
    return PAWL_OK;
}
