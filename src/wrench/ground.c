// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The ground of a model: its world's shapes and heightfields. The distance is that of the nearest
// piece, so it is exact outside all of them, and inside one that overlaps no other.
#include "wrench/ground.h"
#include "base/guard.h"
#include <string.h>

// Heightfields are pieces of their own: contact points touch splines, not the shape's triangles.
static bool ground_is_solid(const pawl_shape_info *s)
{
    return pawl_body_index(s->body) == PAWL_WORLD_INDEX && !s->def.visual_only &&
           s->def.kind != PAWL_SHAPE_HEIGHTFIELD;
}

// Runs twice: with mem->base NULL it only counts.
static pawl_ground *ground_layout(const pawl_model *model, pawl_carver *mem)
{
    int solid = 0;
    for (int i = 0; i < model->shape_count; ++i) {
        solid += ground_is_solid(&model->shapes[i]) ? 1 : 0;
    }
    pawl_ground *g = PAWL_CARVE(mem, pawl_ground, 1);
    int count = solid + model->heightfield_count;
    ground_piece *pieces = PAWL_CARVE(mem, ground_piece, count);
    spline_field *fields = PAWL_CARVE(mem, spline_field, model->heightfield_count);
    for (int i = 0; i < model->heightfield_count; ++i) {
        pawl_spline_field_layout(&model->heightfields[i], mem, fields != NULL ? &fields[i] : NULL);
    }
    if (g != NULL) {
        *g = (pawl_ground){.piece_count = count, .pieces = pieces, .fields = fields};
    }
    return g;
}

// Axes with z against gravity; the world's where there is none.
static pawl_mat3 ground_upright(const pawl_model *model)
{
    pawl_vec3 z = v3_unit_or(v3_scale(-1.0, model->gravity), v3(0.0, 0.0, 1.0)), x, y;
    pawl_tangents(z, &x, &y);
    return (pawl_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

// Tangents of anisotropic friction refer to the shape's own axes here.
static pawl_status ground_fill_shape(const pawl_env *env, const pawl_shape_def *def, int index,
                                     ground_piece *piece)
{
    PAWL_TRY(pawl_shape_build(env, def, def->frame, index, &piece->shape));
    piece->position = def->frame.position;
    piece->axes = piece->tangent_axes = quat_matrix(def->frame.orientation);
    return PAWL_OK;
}

// Pieces: solid shapes in their order, then heightfields. Tangents of solids that are no planes follow gravity, so
// that friction axes do not depend on how a stone was turned when it was placed.
static pawl_status ground_fill(const pawl_env *env, const pawl_model *model, pawl_ground *g)
{
    ground_piece *piece = g->pieces;
    pawl_mat3 upright = ground_upright(model);
    for (int i = 0; i < model->shape_count; ++i) {
        const pawl_shape_def *def = &model->shapes[i].def;
        if (!ground_is_solid(&model->shapes[i])) {
            continue;
        }
        PAWL_TRY(ground_fill_shape(env, def, i, piece));
        piece->tangent_axes = def->kind == PAWL_SHAPE_PLANE ? piece->axes : upright;
        ++piece;
    }
    for (int i = 0; i < model->heightfield_count; ++i, ++piece) {
        const pawl_heightfield_def *def = &model->heightfields[i];
        pawl_spline_field_fit(def, &g->fields[i]);
        piece->field = &g->fields[i];
        piece->position = def->frame.position;
        piece->axes = piece->tangent_axes = quat_matrix(def->frame.orientation);
    }
    return PAWL_OK;
}

pawl_status pawl_ground_create(const pawl_env *env, const pawl_model *model, pawl_ground **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_carver need = {0};
    ground_layout(model, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the ground of model '%s' needs %zu bytes",
                         model->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_ground *g = ground_layout(model, &mem);
    g->env = *env;
    g->bytes = need.used;
    pawl_status status = ground_fill(env, model, g);
    if (status != PAWL_OK) {
        pawl_ground_destroy(g);
        return status;
    }
    *out = g;
    return PAWL_OK;
}

// A ground of one piece, in the link frame of the shape's body: def.frame is relative to that.
pawl_status pawl_ground_of_shape(const pawl_env *env, const pawl_model *model, int shape,
                                 pawl_ground **out)
{
    size_t bytes = sizeof(pawl_ground) + sizeof(ground_piece);
    *out = NULL;
    pawl_ground *g = pawl_alloc(env, bytes);
    if (g == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "the surface of shape %d needs %zu bytes", shape,
                         bytes);
    }
    ground_piece *piece = (ground_piece *)(void *)(g + 1);
    *piece = (ground_piece){.field = NULL};
    *g = (pawl_ground){.env = *env, .bytes = bytes, .piece_count = 1, .pieces = piece};
    pawl_status status = ground_fill_shape(env, &model->shapes[shape].def, shape, piece);
    if (status != PAWL_OK) {
        pawl_ground_destroy(g);
        return status;
    }
    *out = g;
    return PAWL_OK;
}

void pawl_ground_destroy(pawl_ground *g)
{
    if (g == NULL) {
        return;
    }
    pawl_env env = g->env;
    for (int i = 0; i < g->piece_count; ++i) {
        pawl_shape_unbuild(&env, &g->pieces[i].shape);
    }
    pawl_free(&env, g, g->bytes);
}

// `point` is in the ground's frame; the result is in the axes of the piece.
static surface_distance ground_piece_distance(const ground_piece *piece, pawl_vec3 point)
{
    pawl_vec3 local = m3_tmul(&piece->axes, v3_sub(point, piece->position));
    return piece->field != NULL ? pawl_spline_field_distance(piece->field, local)
                                : pawl_surface_of_shape(&piece->shape, local);
}

// value [m] is negative inside; normal is its gradient, hessian (3 x 3) its second derivative [1/m]. Ties go to
// the first piece. Without pieces the distance is infinite; piece is -1 and normal zero.
void pawl_ground_distance(const pawl_ground *g, pawl_vec3 point, pawl_distance *out)
{
    if (out == NULL) {
        return;
    }
    *out = (pawl_distance){.value = INFINITY, .piece = -1};
    if (g == NULL || !v3_finite(point)) {
        // A point that is not finite has no distance, and must not look as if it were far away.
        out->value = NAN;
        out->normal = v3(NAN, NAN, NAN);
        return;
    }
    surface_distance best = {.value = INFINITY};
    for (int i = 0; i < g->piece_count; ++i) {
        surface_distance d = ground_piece_distance(&g->pieces[i], point);
        if (d.value < best.value) {
            best = d;
            out->piece = i;
        }
    }
    if (out->piece >= 0) {
        const pawl_mat3 *axes = &g->pieces[out->piece].axes;
        pawl_mat3 hessian = m3_congruence(axes, &best.hessian);
        out->value = best.value;
        out->normal = m3_mul(axes, best.normal);
        memcpy(out->hessian, hessian.m, sizeof out->hessian);
    }
}

void pawl_ground_tangent_frame(const pawl_ground *g, const pawl_distance *distance,
                               tangent_frame *out)
{
    if (distance->piece < 0) {
        *out = (tangent_frame){0};
        return;
    }
    pawl_tangent_frame(&g->pieces[distance->piece].tangent_axes, distance->normal, out);
}

// dt (2 x 3 x 3): derivative of each tangent by the position, dt/dn times the Hessian of the distance.
void pawl_ground_tangents(const pawl_ground *g, const pawl_distance *distance, pawl_vec3 t[2],
                          double dt[2][3][3])
{
    if (g == NULL || distance == NULL || t == NULL || distance->piece >= g->piece_count) {
        return;
    }
    tangent_frame frame;
    pawl_ground_tangent_frame(g, distance, &frame);
    pawl_mat3 H;
    memcpy(H.m, distance->hessian, sizeof H.m);
    for (int a = 0; a < 2; ++a) {
        t[a] = frame.t[a];
        if (dt != NULL) {
            pawl_mat3 rate = m3_product(&frame.dn[a], &H);
            memcpy(dt[a], rate.m, sizeof rate.m);
        }
    }
}
