// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The path of a spatial tendon: through sites, around balls and cylinders, over pulleys. Each piece from one site to the
// next becomes a span, a joint without rows whose coordinate is the length of the piece; a pulley divides the
// coefficients of the pieces after it. Pieces between parts of one body have a constant length. A ball or cylinder
// must be part of the body of one of the two sites next to it, which is the base of the span.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct path_site {
    int body; // MuJoCo's
    pawl_body_id id;
    pawl_vec3 point; // in the link frame of id
} path_site;

typedef struct path_piece {
    path_site end[2];
    const mjcf_geom *geom; // NULL: straight
    int side;              // site, -1 for none
    const xmlNode *node;
} path_piece;

static path_site path_site_of(const mjcf_reader *r, int index)
{
    const mjcf_site *s = MJCF_SITE_AT(r, index);
    path_site out = {.body = s->body};
    pawl_pose frame = mjcf_in_carrier(r, s->body, &out.id);
    out.point = pawl_pose_apply(frame, s->pose.position);
    return out;
}

static pawl_pose path_carrier(const mjcf_reader *r, int body, bool sprung)
{
    int carrier = MJCF_BODY_AT(r, body)->carrier;
    return sprung ? mjcf_pose_at(r, carrier, NULL) : MJCF_BODY_AT(r, carrier)->world;
}

// The ball or cylinder of a piece, in the link frame of the base.
static pawl_status path_wrap(const mjcf_reader *r, const mjcf_tendon *t, path_piece *p,
                             pawl_wrap *out)
{
    pawl_body_id id;
    pawl_pose frame = pawl_pose_compose(mjcf_in_carrier(r, p->geom->body, &id), p->geom->pose);
    *out = (pawl_wrap){.frame = frame, .radius = p->geom->shape.size.x};
    out->kind = p->geom->shape.kind == PAWL_SHAPE_SPHERE ? PAWL_WRAP_SPHERE : PAWL_WRAP_CYLINDER;
    if (p->geom->shape.kind != PAWL_SHAPE_SPHERE && p->geom->shape.kind != PAWL_SHAPE_CYLINDER) {
        return xml_error(r->xml, p->node, "a tendon runs around spheres and cylinders only");
    }
    if (!pawl_body_same(id, p->end[0].id)) { // the base is the end that has the geom
        path_site swap = p->end[0];
        p->end[0] = p->end[1];
        p->end[1] = swap;
    }
    if (!pawl_body_same(id, p->end[0].id)) {
        return xml_unsupported(
            r->xml, p->node,
            "tendon '%s' runs around a geom of body '%s', but neither site next to it is part of "
            "that body: not supported",
            t->name, MJCF_BODY_AT(r, p->geom->body)->name);
    }
    if (p->side >= 0) {
        path_site side = path_site_of(r, p->side);
        if (!pawl_body_same(side.id, id)) {
            return xml_unsupported(r->xml, p->node,
                                   "tendon '%s': a sidesite of another body than its geom is not "
                                   "supported",
                                   t->name);
        }
        out->sided = true;
        out->side = side.point;
    }
    return PAWL_OK;
}

static double path_least_mass(const mjcf_reader *r, const path_piece *p)
{
    double least = INFINITY;
    for (int i = 0; i < 2; ++i) {
        const mjcf_body *b = MJCF_BODY_AT(r, MJCF_BODY_AT(r, p->end[i].body)->carrier);
        least =
            b->mass.mass > 0.0 && !pawl_body_is_world(b->id) ? fmin(least, b->mass.mass) : least;
    }
    return isfinite(least) ? least : 1.0;
}

// The follower of a joint is never the world: a body that stands still takes its place.
static pawl_status path_world_body(mjcf_reader *r, const mjcf_tendon *t, pawl_body_id *out)
{
    pawl_body_def def = pawl_body_def_default();
    char number[32];
    snprintf(number, sizeof number, "::world%d", t->terms.count);
    def.name = mjcf_concat(r, t->name, number, "");
    def.kind = PAWL_BODY_KINEMATIC;
    return def.name == NULL ? PAWL_NO_MEMORY
                            : xml_refused(r->xml, t->e.node, "tendon", t->name,
                                          pawl_builder_add_body(r->builder, &def, out));
}

// One piece as a span, or as a part of the constant length.
static pawl_status path_add_piece(mjcf_reader *r, mjcf_tendon *t, path_piece *p, double divisor)
{
    mjcf_term term = {.joint = -1, .coef = 1.0 / divisor};
    pawl_joint_def *def = xml_alloc(r->xml, sizeof *def);
    char number[32];
    snprintf(number, sizeof number, "::piece%d", t->terms.count);
    const char *name = mjcf_concat(r, t->name, number, "");
    if (def == NULL || name == NULL) {
        return PAWL_NO_MEMORY;
    }
    *def = pawl_joint_def_default();
    def->name = name;
    def->kind = PAWL_JOINT_SPAN;
    if (p->geom != NULL) {
        PAWL_TRY(path_wrap(r, t, p, &def->wrap));
    } else if (pawl_body_is_world(p->end[1].id)) {
        path_site swap = p->end[0];
        p->end[0] = p->end[1];
        p->end[1] = swap;
    }
    double length[2]; // in the configuration of the file, and with joints at their springref
    for (int i = 0; i < 2; ++i) {
        pawl_pose base = path_carrier(r, p->end[0].body, i == 1);
        pawl_vec3 far = pawl_pose_apply(path_carrier(r, p->end[1].body, i == 1), p->end[1].point);
        length[i] = pawl_wrap_length(&def->wrap, p->end[0].point,
                                     pawl_pose_apply(pawl_pose_inverse(base), far));
    }
    term.start = length[0];
    if (pawl_body_same(p->end[0].id, p->end[1].id)) {
        t->constant += term.start / divisor;
        t->sprung += term.start / divisor;
        return PAWL_OK;
    }
    t->sprung += length[1] / divisor;
    def->base = p->end[0].id;
    def->follower = p->end[1].id;
    def->base_frame.position = p->end[0].point;
    def->follower_frame.position = p->end[1].point;
    if (pawl_body_is_world(def->follower)) {
        PAWL_TRY(path_world_body(r, t, &def->follower));
    }
    term.span = def;
    for (int i = 0; i < 2; ++i) {
        term.carrier[i] = MJCF_BODY_AT(r, p->end[i].body)->carrier;
    }
    term.inertia = path_least_mass(r, p);
    mjcf_term *slot = mjcf_push(r, &t->terms, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = term;
    return PAWL_OK;
}

double mjcf_path_length(const mjcf_reader *r, const mjcf_tendon *t, const double *way)
{
    double length = t->constant;
    for (int i = 0; i < t->terms.count; ++i) {
        const mjcf_term *term = &PAWL_ITEM(t->terms, mjcf_term, i);
        if (t->fixed) {
            length += term->coef * (MJCF_JOINT_AT(r, term->joint)->ref + way[term->joint]);
            continue;
        }
        pawl_pose base = mjcf_pose_at(r, term->carrier[0], way);
        pawl_pose follower = mjcf_pose_at(r, term->carrier[1], way);
        pawl_vec3 far = pawl_pose_apply(follower, term->span->follower_frame.position);
        length += term->coef * pawl_wrap_length(&term->span->wrap, term->span->base_frame.position,
                                                pawl_pose_apply(pawl_pose_inverse(base), far));
    }
    return length;
}

void mjcf_path_pull(const mjcf_reader *r, const mjcf_term *term, pawl_vec3 *point,
                    pawl_vec3 *direction)
{
    const pawl_joint_def *span = term->span;
    pawl_pose base = MJCF_BODY_AT(r, term->carrier[0])->world;
    *point =
        pawl_pose_apply(MJCF_BODY_AT(r, term->carrier[1])->world, span->follower_frame.position);
    pawl_vec3 far = pawl_pose_apply(pawl_pose_inverse(base), *point), slope = {0};
    for (int i = 0; i < 3; ++i) { // differences, which a path around a geom needs, too
        pawl_vec3 step = {0};
        v3_set(&step, i, 1e-6 * max_of(fabs(term->start), 1e-3));
        pawl_vec3 from = span->base_frame.position;
        double longer = pawl_wrap_length(&span->wrap, from, v3_add(far, step));
        double shorter = pawl_wrap_length(&span->wrap, from, v3_sub(far, step));
        v3_set(&slope, i, (longer - shorter) / (2.0 * v3_get(step, i)));
    }
    *direction = pawl_quat_rotate(base.orientation, slope);
}

// What one <site>, <geom> or <pulley> adds; `open` says whether a piece has begun.
static pawl_status path_part(mjcf_reader *r, mjcf_tendon *t, const mjcf_element *e, path_piece *p,
                             bool *open, double *divisor)
{
    int index;
    if (xml_is(e->node, "pulley")) {
        PAWL_TRY(mjcf_number(r, e, "divisor", divisor));
        *open = false;
        p->geom = NULL;
        return *divisor > 0.0
                   ? PAWL_OK
                   : xml_error(r->xml, e->node, "divisor: got %g, expected above 0", *divisor);
    }
    if (xml_is(e->node, "geom")) {
        PAWL_TRY(mjcf_refer(r, e, "geom", MJCF_GEOM, "geom", &index));
        PAWL_TRY(mjcf_refer(r, e, "sidesite", MJCF_SITE, "site", &p->side));
        if (index < 0 || !*open || p->geom != NULL) {
            return xml_error(r->xml, e->node, "a <geom> of a tendon stands between two sites");
        }
        p->geom = MJCF_GEOM_AT(r, index);
        p->node = e->node;
        return PAWL_OK;
    }
    PAWL_TRY(mjcf_refer(r, e, "site", MJCF_SITE, "site", &index));
    if (index < 0) {
        return xml_error(r->xml, e->node, "<%s> is not expected in <spatial>", e->node->name);
    }
    path_site here = path_site_of(r, index);
    if (*open) {
        p->end[1] = here;
        PAWL_TRY(path_add_piece(r, t, p, *divisor));
    }
    *p = (path_piece){.side = -1, .node = e->node};
    p->end[0] = here;
    *open = true;
    return PAWL_OK;
}

pawl_status mjcf_path_lay(mjcf_reader *r, mjcf_tendon *t)
{
    mjcf_children parts;
    path_piece piece = {.side = -1};
    double divisor = 1.0;
    bool open = false;
    if (t->laid || t->fixed) {
        return PAWL_OK;
    }
    t->laid = true;
    PAWL_TRY(mjcf_list(r, t->e.node, &parts));
    for (int i = 0; i < parts.count; ++i) {
        mjcf_element e = {.node = parts.nodes[i], .spec = t->e.spec};
        PAWL_TRY(path_part(r, t, &e, &piece, &open, &divisor));
    }
    t->start = t->constant;
    for (int i = 0; i < t->terms.count; ++i) {
        const mjcf_term *term = &PAWL_ITEM(t->terms, mjcf_term, i);
        t->start += term->coef * term->start;
    }
    return PAWL_OK;
}
