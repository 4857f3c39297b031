// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The contact points of a model with their ground. Everything that does not depend on poses is computed here once:
// the constants of the friction polytopes and the coefficients of the tables.
#include "wrench/wrench_set.h"
#include "base/carver.h"
#include "base/guard.h"
#include "collide/contact.h"
#include "model/contact_points.h"
#include "wrench/body_pairs.h"
#include "wrench/contact_site.h"
#include "wrench/friction_polytope.h"
#include "wrench/ground.h"
#include "wrench/wrench_table.h"
#include <string.h>

// A model of the force, prepared.
// Vertices: the wrench space of a point is the convex hull of vertex_count wrenches, each of component_count
// numbers (3: a force; 6: force and moment about the point's frame). A stepper chooses weights of the vertices;
// weights of all points lie in one vector, those of point i from first_weight on.
typedef struct set_model {
    pawl_wrench_model_def def;
    polytope_vertex *vertices; // of friction polytopes
    wrench_interpolant table;  // of tables
    int shape, other_shape;    // of derived ones: whose friction it has; -1: none
} set_model;

typedef struct set_point {
    pawl_wrench_point info;
    int model;
    int surface;      // the shape that it touches; -1: the ground
    pawl_vec3 centre; // of a ball that holds that shape, in its body's link frame
    double bound;     // the ball's radius, and the point's own reach
    double reach;     // of the point: its radius and its core
} set_point;

struct pawl_wrench_set {
    pawl_env env;
    size_t bytes;
    pawl_ground *ground;
    int model_count, point_count, weight_count;
    set_model *models;
    set_point *points;
    double derived_friction; // of points of shapes; below 0: the shape's
    bool derived;
    pawl_pair_rule friction_rule;
    int surface_count;
    pawl_ground **surfaces; // (shapes of the model) those of bodies that points touch, else NULL
};

pawl_wrench_set_def pawl_wrench_set_def_default(void)
{
    pawl_wrench_set_def def = {.stamp = PAWL_STAMP_WRENCH_SET,
                               .derive = true,
                               .derived = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB)};
    def.derived.friction = -1.0;
    return def;
}

// Where the points and their models come from: the model, or (without points there) its shapes, in
// which case each shape has a model of its own.
typedef struct set_source {
    const pawl_model *model;
    const pawl_wrench_set_def *def;
    bool derived;
    int own_models; // of shapes, or those that the model declares; those of pairs come behind
    int model_count, point_count;
} set_source;

// Whether groups, masks and exclusions let a shape touch some of the ground.
static bool set_meets_ground(const pawl_model *model, const pawl_shape_info *s)
{
    for (int i = 0; i < model->exclusion_count; ++i) {
        if (pawl_body_index(model->exclusions[i].a) == PAWL_WORLD_INDEX &&
            pawl_body_index(model->exclusions[i].b) == pawl_body_index(s->body)) {
            return false;
        }
    }
    bool has_ground = model->heightfield_count > 0;
    for (int i = 0; i < model->shape_count && !has_ground; ++i) {
        const pawl_shape_info *w = &model->shapes[i];
        has_ground = pawl_body_index(w->body) == PAWL_WORLD_INDEX && !w->def.visual_only &&
                     (s->def.group & w->def.mask) != 0 && (w->def.group & s->def.mask) != 0;
    }
    return has_ground;
}

static bool set_may_touch(const pawl_model *model, int shape)
{
    const pawl_shape_info *s = &model->shapes[shape];
    return pawl_body_index(s->body) >= 0 &&
           model->bodies[pawl_body_index(s->body)].kind == PAWL_BODY_RIGID && !s->def.visual_only &&
           set_meets_ground(model, s);
}

// Counts the pairs of bodies; a pair of shapes has a model of its own, for its friction.
// Must visit the same pairs in the same order as set_derive_pairs and set_declared_points, which fill what is
// counted here.
static pawl_status set_count_pairs(const pawl_env *env, set_source *s)
{
    const pawl_model *m = s->model;
    for (int b = 0; b < m->shape_count && s->def->bodies; ++b) {
        for (int i = 0; i < m->contact_point_count && !s->derived; ++i) {
            bool touch = pawl_body_points_touch(m, pawl_body_index(m->contact_points[i].body), b);
            s->point_count += touch ? 1 : 0;
        }
        for (int a = 0; a < m->shape_count && s->derived; ++a) {
            if (pawl_shape_points_touch(m, a, b)) {
                contact_point_list list;
                PAWL_TRY(pawl_contact_points_of_shape(env, &m->shapes[a].def, &list));
                s->point_count += list.count;
                ++s->model_count;
                pawl_contact_points_free(env, &list);
            }
        }
    }
    return PAWL_OK;
}

// Points of shapes are made and thrown away to be counted, because their number depends on the shape (corners of a
// hull, for example). That is at creation only.
static pawl_status set_source_count(const pawl_env *env, set_source *s)
{
    const pawl_model *m = s->model;
    s->derived = m->contact_point_count == 0 && s->def->derive;
    s->own_models = s->model_count = s->derived ? m->shape_count : m->wrench_model_count;
    s->point_count = s->derived ? 0 : m->contact_point_count;
    for (int i = 0; i < m->shape_count && s->derived; ++i) {
        if (set_may_touch(m, i)) {
            contact_point_list list;
            PAWL_TRY(pawl_contact_points_of_shape(env, &m->shapes[i].def, &list));
            s->point_count += list.count;
            pawl_contact_points_free(env, &list);
        }
    }
    return set_count_pairs(env, s);
}

// Models of shapes are copies of def->derived with the friction of the shape, unless the definition states one (>=
// 0).
static pawl_wrench_model_def set_source_model(const set_source *s, int i)
{
    if (!s->derived) {
        return s->model->wrench_models[i];
    }
    pawl_wrench_model_def def = s->def->derived;
    if (i >= s->own_models) { // its friction is set when the shapes are known
        def.friction = 0.0;
    } else if (def.friction < 0.0) {
        def.friction = s->model->shapes[i].def.friction;
    }
    return def;
}

// Kinds whose vertices come from friction_polytope.c.
static bool set_is_friction(const pawl_wrench_model_def *def)
{
    return def->kind != PAWL_WRENCH_TABLE && def->kind != PAWL_WRENCH_CUSTOM;
}

// Runs twice: with mem->base NULL it only counts.
static pawl_wrench_set *set_layout(const set_source *s, pawl_carver *mem)
{
    pawl_wrench_set *set = PAWL_CARVE(mem, pawl_wrench_set, 1);
    set_model *models = PAWL_CARVE(mem, set_model, s->model_count);
    set_point *points = PAWL_CARVE(mem, set_point, s->point_count);
    int surfaces = s->def->bodies ? s->model->shape_count : 0;
    pawl_ground **surface = PAWL_CARVE(mem, pawl_ground *, surfaces);
    for (int i = 0; i < surfaces && surface != NULL; ++i) {
        surface[i] = NULL;
    }
    for (int i = 0; i < s->model_count; ++i) {
        pawl_wrench_model_def def = set_source_model(s, i);
        polytope_vertex *vertices = NULL;
        if (models != NULL) {
            models[i].def = def;
            models[i].shape = s->derived && i < s->own_models ? i : -1;
            models[i].other_shape = -1;
        }
        if (set_is_friction(&def)) {
            vertices = PAWL_CARVE(mem, polytope_vertex, pawl_friction_vertex_count(&def));
        } else if (def.kind == PAWL_WRENCH_TABLE) {
            pawl_wrench_interpolant_layout(models != NULL ? &models[i].def : &def, mem,
                                           models != NULL ? &models[i].table : NULL);
        }
        if (models != NULL) {
            models[i].vertices = vertices;
        }
    }
    if (set != NULL) {
        *set = (pawl_wrench_set){.model_count = s->model_count,
                                 .point_count = s->point_count,
                                 .derived = s->derived,
                                 .friction_rule = s->def->friction_rule,
                                 .surface_count = surfaces,
                                 .surfaces = surface,
                                 .derived_friction = s->def->derived.friction,
                                 .models = models,
                                 .points = points};
    }
    return set;
}

// Sets the data of the point that its contact model defines.
static void set_add_point(pawl_wrench_set *set, int index, pawl_wrench_point info, int model)
{
    const pawl_wrench_model_def *def = &set->models[model].def;
    info.kind = def->kind;
    info.has_derivatives = true;
    // A bare point has no lever between its frame and the force: three components are enough.
    bool lever = info.radius > 0.0 || v3_norm(info.core) > 0.0;
    info.component_count = lever || def->kind == PAWL_WRENCH_PATCH ? 6 : 3;
    if (def->kind == PAWL_WRENCH_CUSTOM) {
        info.has_derivatives = def->has_derivatives;
        info.component_count = def->component_count;
        info.vertex_count = def->vertex_count;
    } else if (def->kind == PAWL_WRENCH_TABLE) {
        info.component_count = 6;
        info.vertex_count = def->table.vertex_count;
    } else {
        info.vertex_count = pawl_friction_vertex_count(def);
    }
    info.first_weight = set->weight_count;
    set->weight_count += info.vertex_count;
    set->points[index] = (set_point){.info = info, .model = model, .surface = -1};
}

// The same point against a shape of another body.
static pawl_status set_add_pair_point(const pawl_env *env, const pawl_model *m,
                                      pawl_wrench_set *set, int index, pawl_wrench_point info,
                                      int model, int shape)
{
    if (set->surfaces[shape] == NULL) {
        PAWL_TRY(pawl_ground_of_shape(env, m, shape, &set->surfaces[shape]));
    }
    info.other = m->shapes[shape].body;
    set_add_point(set, index, info, model);
    set_point *p = &set->points[index];
    bool always = set->models[model].def.zeta > 0.0; // pushes before it touches
    p->surface = shape;
    p->centre = m->shapes[shape].def.frame.position;
    // Models with zeta > 0 act at any distance and are never skipped.
    p->reach = info.radius + fmax(info.core.x, fmax(info.core.y, info.core.z));
    p->bound = always ? INFINITY : pawl_shape_bound(&m->shapes[shape].def) + p->reach;
    return PAWL_OK;
}

// Friction of two shapes by the rule of the settings, as for contacts of other steppers.
static double set_pair_friction(const pawl_wrench_set *set, const pawl_model *m,
                                const set_model *pair)
{
    return pawl_pair_combine(set->friction_rule, m->shapes[pair->shape].def.friction,
                             m->shapes[pair->other_shape].def.friction);
}

// Friction may change between steps. Vertex constants depend on
// it alone, so they are computed again only where it did. friction_scale multiplies what the model or the
// definition states; a shape's own friction is taken as it is in `model`.
void pawl_wrench_set_follow(pawl_wrench_set *set, const pawl_model *model)
{
    for (int i = 0; i < set->model_count; ++i) {
        set_model *m = &set->models[i];
        if (!set_is_friction(&m->def)) {
            continue;
        }
        if (m->other_shape >= 0) {
            double pair = set_pair_friction(set, model, m);
            if (pair != m->def.friction) {
                m->def.friction = pair;
                pawl_friction_vertices(&m->def, m->vertices);
            }
            continue;
        }
        double own = set->derived ? set->derived_friction : model->wrench_models[i].friction;
        double second = set->derived ? m->def.friction2
                                     : model->friction_scale * model->wrench_models[i].friction2;
        double friction = own < 0.0 ? model->shapes[i].def.friction : model->friction_scale * own;
        if (friction != m->def.friction || second != m->def.friction2) {
            m->def.friction = friction;
            m->def.friction2 = second;
            pawl_friction_vertices(&m->def, m->vertices);
        }
    }
}

// Points of shape i on the ground (b < 0), or on shape b with the model of that pair.
static pawl_status set_derive_points_of(const pawl_env *env, const pawl_model *m, int i, int b,
                                        int model, pawl_wrench_set *set, int *index)
{
    const pawl_shape_def *shape = &m->shapes[i].def;
    contact_point_list list;
    pawl_status status = pawl_contact_points_of_shape(env, shape, &list);
    for (int k = 0; k < list.count && status == PAWL_OK; ++k) {
        pawl_wrench_point info = {.body = m->shapes[i].body,
                                  .frame = {list.points[k].position, shape->frame.orientation},
                                  .radius = list.radius,
                                  .core = list.points[k].core,
                                  .lean = list.points[k].lean,
                                  .other = PAWL_WORLD};
        if (b < 0) {
            set_add_point(set, (*index)++, info, model);
        } else {
            status = set_add_pair_point(env, m, set, (*index)++, info, model, b);
        }
    }
    pawl_contact_points_free(env, &list);
    return status;
}

// Both orders (a, b) and (b, a) are tried: points of either shape against the surface of the other.
static pawl_status set_derive_pairs(const pawl_env *env, const set_source *s, pawl_wrench_set *set,
                                    int index)
{
    const pawl_model *m = s->model;
    int model = s->own_models;
    for (int b = 0; b < m->shape_count && s->def->bodies; ++b) {
        for (int a = 0; a < m->shape_count; ++a) {
            if (!pawl_shape_points_touch(m, a, b)) {
                continue;
            }
            set_model *pair = &set->models[model];
            pair->shape = a;
            pair->other_shape = b;
            pair->def.friction = set_pair_friction(set, m, pair);
            pawl_friction_vertices(&pair->def, pair->vertices);
            PAWL_TRY(set_derive_points_of(env, m, a, b, model++, set, &index));
        }
    }
    return PAWL_OK;
}

static pawl_status set_derive_points(const pawl_env *env, const set_source *s, pawl_wrench_set *set)
{
    int index = 0;
    for (int i = 0; i < s->model->shape_count; ++i) {
        if (set_may_touch(s->model, i)) {
            PAWL_TRY(set_derive_points_of(env, s->model, i, -1, i, set, &index));
        }
    }
    return set_derive_pairs(env, s, set, index);
}

static pawl_wrench_point set_declared(const pawl_contact_point_def *p)
{
    return (pawl_wrench_point){.body = p->body,
                               .frame = p->frame,
                               .radius = p->radius,
                               .core = p->core,
                               .lean = p->lean,
                               .other = PAWL_WORLD};
}

static pawl_status set_declared_points(const pawl_env *env, const set_source *s,
                                       pawl_wrench_set *set)
{
    const pawl_model *m = s->model;
    int index = 0;
    for (int i = 0; i < m->contact_point_count; ++i) {
        set_add_point(set, index++, set_declared(&m->contact_points[i]),
                      m->contact_points[i].wrench_model);
    }
    for (int b = 0; b < m->shape_count && s->def->bodies; ++b) {
        for (int i = 0; i < m->contact_point_count; ++i) {
            const pawl_contact_point_def *p = &m->contact_points[i];
            if (pawl_body_points_touch(m, pawl_body_index(p->body), b)) {
                PAWL_TRY(
                    set_add_pair_point(env, m, set, index++, set_declared(p), p->wrench_model, b));
            }
        }
    }
    return PAWL_OK;
}

static pawl_status set_fill(const pawl_env *env, const set_source *s, pawl_wrench_set *set)
{
    for (int i = 0; i < set->model_count; ++i) {
        set_model *m = &set->models[i];
        if (m->def.kind == PAWL_WRENCH_TABLE) {
            PAWL_TRY(pawl_wrench_interpolant_fit(env, &m->table));
        } else if (set_is_friction(&m->def)) {
            pawl_friction_vertices(&m->def, m->vertices);
        }
    }
    return s->derived ? set_derive_points(env, s, set) : set_declared_points(env, s, set);
}

// Only friction models can be derived from shapes: a table or a callback belongs to one foot.
static pawl_status set_check(const pawl_env *env, const pawl_wrench_set_def *def)
{
    pawl_wrench_model_def derived = def->derived;
    derived.friction = max_of(derived.friction, 0.0); // below 0: the shape's
    const char *fault = !set_is_friction(&derived)
                            ? "its kind must be coulomb, anisotropic or patch"
                            : pawl_wrench_model_fault(&derived);
    if (def->derive && fault != NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "wrench model for the points of shapes: %s",
                         fault);
    }
    return PAWL_OK;
}

// Counts, lays out, fills. The ground is an object of its own because its size depends on splines. After a failure
// the destroy function frees what is there: surfaces that were not reached are NULL.
pawl_status pawl_wrench_set_create(const pawl_env *env, const pawl_model *model,
                                   const pawl_wrench_set_def *def, pawl_wrench_set **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, model);
    PAWL_NEED(env, def);
    PAWL_NEED(env, out);
    PAWL_NEED_STAMP(env, def, PAWL_STAMP_WRENCH_SET, "pawl_wrench_set_def_default");
    *out = NULL;
    PAWL_TRY(set_check(env, def));
    set_source source = {.model = model, .def = def};
    PAWL_TRY(set_source_count(env, &source));
    pawl_carver need = {0};
    set_layout(&source, &need);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "contact points of model '%s' need %zu bytes",
                         model->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_wrench_set *set = set_layout(&source, &mem);
    set->env = *env;
    set->bytes = need.used;
    pawl_status status = pawl_ground_create(env, model, &set->ground);
    if (status == PAWL_OK) {
        status = set_fill(env, &source, set);
    }
    if (status != PAWL_OK) {
        pawl_wrench_set_destroy(set);
        return status;
    }
    *out = set;
    return PAWL_OK;
}

void pawl_wrench_set_destroy(pawl_wrench_set *set)
{
    if (set != NULL) {
        pawl_env env = set->env;
        pawl_ground_destroy(set->ground);
        for (int i = 0; i < set->surface_count; ++i) {
            pawl_ground_destroy(set->surfaces[i]);
        }
        pawl_free(&env, set, set->bytes);
    }
}

const pawl_ground *pawl_wrench_set_ground(const pawl_wrench_set *set)
{
    return set != NULL ? set->ground : NULL;
}

int pawl_wrench_set_point_count(const pawl_wrench_set *set)
{
    return set != NULL ? set->point_count : 0;
}

int pawl_wrench_set_weight_count(const pawl_wrench_set *set)
{
    return set != NULL ? set->weight_count : 0;
}

static bool set_has(const pawl_wrench_set *set, const char *function, int point)
{
    return set != NULL && pawl_index_good(&set->env, function, "point", point, set->point_count);
}

pawl_wrench_point pawl_wrench_set_point(const pawl_wrench_set *set, int point)
{
    if (!set_has(set, __func__, point)) {
        return (pawl_wrench_point){.body = {0, 0}};
    }
    return set->points[point].info;
}

// The frame is that of the point in the world for the ground, and in the link frame of the other body for a pair:
// the surface of a shape is stored in its body's frame.
static pawl_wrench_query set_query(const pawl_wrench_set *set, int point,
                                   const pawl_contact_frame *frame)
{
    const set_point *p = &set->points[point];
    const pawl_wrench_model_def *def = &set->models[p->model].def;
    return (pawl_wrench_query){.parameters = def->parameters,
                               .parameter_count = def->parameter_count,
                               .ground = p->surface < 0 ? set->ground : set->surfaces[p->surface],
                               .frame = *frame,
                               .radius = p->info.radius,
                               .core = p->info.core,
                               .lean = p->info.lean,
                               .vertex_count = p->info.vertex_count,
                               .component_count = p->info.component_count};
}

static size_t set_vertex_numbers(const pawl_wrench_set *set, int point)
{
    const pawl_wrench_point *info = &set->points[point].info;
    return (size_t)info->vertex_count * (size_t)info->component_count;
}

static bool set_frame_is_finite(const pawl_contact_frame *frame)
{
    bool finite = v3_finite(frame->position);
    for (int i = 0; i < 9; ++i) {
        finite = finite && isfinite(frame->rotation[i / 3][i % 3]);
    }
    return finite;
}

// v is (vertex_count x component_count) [N, N m]; dv, where it is not NULL, (vertex_count x component_count x 6):
// derivatives by a translation [m] and a rotation [rad] of the frame, in the axes in which the frame is given.
// Custom models without derivatives leave dv zero, which has_derivatives of the point says.
pawl_status pawl_wrench_set_vertices(const pawl_wrench_set *set, int point,
                                     const pawl_contact_frame *frame, double *v, double *dv)
{
    if (!set_has(set, __func__, point)) {
        return PAWL_BAD_ARGUMENT;
    }
    PAWL_NEED(&set->env, frame);
    PAWL_NEED(&set->env, v);
    if (!set_frame_is_finite(frame)) {
        return PAWL_NOT_FINITE;
    }
    const set_model *m = &set->models[set->points[point].model];
    pawl_wrench_query query = set_query(set, point, frame);
    if (m->def.kind == PAWL_WRENCH_TABLE) {
        pawl_wrench_interpolant_evaluate(&m->table, &query, v, dv);
    } else if (m->def.kind != PAWL_WRENCH_CUSTOM) {
        pawl_friction_evaluate(&m->def, m->vertices, 1.0, &query, v, dv);
    } else {
        if (dv != NULL && !m->def.has_derivatives) {
            memset(dv, 0, set_vertex_numbers(set, point) * 6 * sizeof *dv);
        }
        m->def.vertices(m->def.user, &query, v, m->def.has_derivatives ? dv : NULL);
    }
    return PAWL_OK;
}

bool pawl_wrench_set_push(const pawl_wrench_set *set, int point, const pawl_contact_frame *frame,
                          double *v, double *dv)
{
    const set_model *m = &set->models[set->points[point].model];
    if (!set_frame_is_finite(frame)) {
        return false;
    }
    if (set_is_friction(&m->def)) {
        pawl_wrench_query query = set_query(set, point, frame);
        return pawl_friction_push(&m->def, m->vertices, 1.0, &query, v, dv);
    }
    pawl_wrench_set_vertices(set, point, frame, v, dv);
    size_t numbers = set_vertex_numbers(set, point);
    for (size_t i = 0; i < numbers; ++i) { // exactly zero, not small
        if (v[i] != 0.0) {
            return true;
        }
    }
    return false;
}

// position: of the point's frame, in the link frame of the other body. Points on the ground are never far.
bool pawl_wrench_set_is_far(const pawl_wrench_set *set, int point, pawl_vec3 position)
{
    const set_point *p = &set->points[point];
    if (p->surface < 0 || !(p->bound < INFINITY)) {
        return false;
    }
    pawl_vec3 off = v3_sub(position, p->centre);
    if (v3_dot(off, off) > p->bound * p->bound) {
        return true;
    }
    // Beyond the plane of one face of a hull it is as far from all of it; distances from meshes cost much more.
    const ground_piece *piece = set->surfaces[p->surface]->pieces;
    const convex_hull *hull = piece->shape.hull; // of a mesh, the hull around it
    if (hull == NULL) {
        return false;
    }
    pawl_vec3 local = m3_tmul(&piece->axes, v3_sub(position, piece->position));
    for (int i = 0; i < hull->face_count; ++i) {
        if (v3_dot(hull->normals[i], local) - hull->offsets[i] > p->reach) {
            return true;
        }
    }
    return false;
}

// The gap is negative where the point is inside. lever: from the frame's origin to the point of contact.
pawl_wrench_touch pawl_wrench_set_touch(const pawl_wrench_set *set, int point,
                                        const pawl_contact_frame *frame)
{
    if (!set_has(set, __func__, point) || frame == NULL || !set_frame_is_finite(frame)) {
        return (pawl_wrench_touch){.gap = NAN};
    }
    contact_site site;
    pawl_wrench_query query = set_query(set, point, frame);
    pawl_contact_site(&query, false, &site);
    return (pawl_wrench_touch){-site.depth, site.normal, site.lever};
}

// Derivatives of the vertices (vertex_count x component_count) by one number of the model. False, and zeros, where
// the model does not depend on that number.
bool pawl_wrench_set_sensitivity(const pawl_wrench_set *set, int point,
                                 const pawl_contact_frame *frame, pawl_wrench_number number,
                                 double *dv_dnumber)
{
    if (!set_has(set, __func__, point) || frame == NULL || dv_dnumber == NULL ||
        !set_frame_is_finite(frame)) {
        return false;
    }
    const set_model *m = &set->models[set->points[point].model];
    size_t numbers = set_vertex_numbers(set, point);
    polytope_vertex rates[PAWL_WRENCH_MAX_VERTICES];
    if (number == PAWL_WRENCH_STIFFNESS && m->def.kind != PAWL_WRENCH_CUSTOM) {
        pawl_wrench_set_vertices(set, point, frame, dv_dnumber, NULL);
        for (size_t i = 0; i < numbers; ++i) { // all vertices are k times something
            dv_dnumber[i] /= m->def.stiffness;
        }
        return true;
    }
    if (set_is_friction(&m->def) && pawl_friction_vertex_rates(&m->def, number, rates)) {
        pawl_wrench_query query = set_query(set, point, frame);
        pawl_friction_evaluate(&m->def, rates, 0.0, &query, dv_dnumber, NULL);
        return true;
    }
    memset(dv_dnumber, 0, numbers * sizeof *dv_dnumber);
    return false;
}
