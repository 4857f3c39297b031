// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collects defs, checks each one, and keeps copies. compile.c checks what needs the whole model (masses from shapes,
// point masses in joints).
//
// A refused def leaves the builder unchanged except for unused copies in its pool. Every text, table and point list
// is copied, so that callers may free theirs at once.
#include "model/builder.h"
#include "base/guard.h"
#include "base/hash.h"
#include "model/hull.h"
#include "model/muscle.h"
#include "model/softness.h"
#include "model/tri_mesh.h"
#include <stdio.h>
#include <string.h>

typedef struct builder_block {
    void *data;
    size_t size;
} builder_block;

// Impact friction below 0 means that of sliding. Every shape collides with every other: group 1,
// all bits in the mask.
pawl_shape_def pawl_shape_def_default(void)
{
    return (pawl_shape_def){.frame = pawl_pose_identity(),
                            .size = {0.1, 0.1, 0.1},
                            .rgba = {0.6f, 0.65f, 0.7f, 1.0f},
                            .friction = 0.5,
                            .impact_friction = -1.0,
                            .group = 1,
                            .mask = UINT32_MAX,
                            .soft = pawl_softness_default(),
                            .heightfield = -1,
                            .stamp = PAWL_STAMP_SHAPE};
}

pawl_body_def pawl_body_def_default(void)
{
    return (pawl_body_def){
        .pose = pawl_pose_identity(), .gravity_scale = 1.0, .stamp = PAWL_STAMP_BODY};
}

// Limits are infinite. A length below 0 means the distance at the start.
pawl_joint_def pawl_joint_def_default(void)
{
    pawl_joint_def def = {.base = PAWL_WORLD,
                          .follower = PAWL_WORLD,
                          .base_frame = pawl_pose_identity(),
                          .follower_frame = pawl_pose_identity(),
                          .length = -1.0,
                          .soft = pawl_softness_default(),
                          .stamp = PAWL_STAMP_JOINT};
    for (int c = 0; c < 6; ++c) {
        def.coordinate[c].limit_soft = pawl_softness_default();
        def.coordinate[c].lower = -INFINITY;
        def.coordinate[c].upper = INFINITY;
    }
    return def;
}

pawl_gear_def pawl_gear_def_default(void)
{
    return (pawl_gear_def){.ratio = 1.0, .stamp = PAWL_STAMP_GEAR};
}

pawl_actuator_def pawl_actuator_def_default(void)
{
    return (pawl_actuator_def){.effort = INFINITY, .stamp = PAWL_STAMP_ACTUATOR};
}

pawl_motion_def pawl_motion_def_default(void)
{
    return (pawl_motion_def){.stamp = PAWL_STAMP_MOTION};
}

pawl_force_def pawl_force_def_default(void)
{
    return (pawl_force_def){.body = PAWL_WORLD, .stamp = PAWL_STAMP_FORCE};
}

pawl_spring_def pawl_spring_def_default(void)
{
    return (pawl_spring_def){
        .body_a = PAWL_WORLD, .body_b = PAWL_WORLD, .stamp = PAWL_STAMP_SPRING};
}

// data NULL: a block of zeros. All blocks live until the builder is destroyed.
void *pawl_builder_keep(pawl_builder *b, const void *data, size_t size)
{
    builder_block *slot = pawl_array_push(&b->env, &b->pool, sizeof *slot);
    if (slot == NULL) {
        return NULL;
    }
    void *copy = pawl_alloc(&b->env, size);
    if (copy == NULL) {
        --b->pool.count;
        return NULL;
    }
    if (data != NULL) {
        memcpy(copy, data, size);
    }
    *slot = (builder_block){copy, size};
    return copy;
}

pawl_status pawl_builder_no_memory(const pawl_builder *b)
{
    return PAWL_FAIL(&b->env, PAWL_NO_MEMORY, "no memory while building model '%s'", b->name);
}

// Without a name, "body3" and the like is made: the first number from `index` on that is not taken.
pawl_status pawl_builder_keep_name(pawl_builder *b, const char **name, const char *what, int index,
                                   int (*find)(const pawl_builder *b, const char *name))
{
    char made[64];
    if (*name == NULL || **name == '\0') {
        do {
            snprintf(made, sizeof made, "%s%d", what, index++);
        } while (find != NULL && find(b, made) >= 0);
        *name = made;
    }
    *name = pawl_builder_keep(b, *name, strlen(*name) + 1);
    return *name != NULL ? PAWL_OK : pawl_builder_no_memory(b);
}

// Checks a signal and copies its table. `owner` is for messages.
static pawl_status builder_keep_signal(pawl_builder *b, pawl_signal *s, const char *owner)
{
    if ((int)s->kind < 0 || s->kind > PAWL_SIGNAL_CALLBACK) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s: no signal of kind %d", owner,
                         (int)s->kind);
    }
    if (!isfinite(s->value) || !isfinite(s->amplitude) || !isfinite(s->frequency) ||
        !isfinite(s->phase)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s: a signal has a non-finite number", owner);
    }
    if (s->kind == PAWL_SIGNAL_CALLBACK && s->callback == NULL) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s: a callback signal without callback",
                         owner);
    }
    if (s->kind != PAWL_SIGNAL_TABLE) {
        s->count = 0;
        s->period = 0.0;
        s->times = s->values = NULL;
        return PAWL_OK;
    }
    if ((int)s->interpolation < 0 || s->interpolation > PAWL_SMOOTH) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s: a table has no interpolation of kind %d",
                         owner, (int)s->interpolation);
    }
    if (s->count < 2 || s->times == NULL || s->values == NULL) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "%s: a table has %d points, at least 2 are needed", owner, s->count);
    }
    for (int i = 0; i < s->count; ++i) {
        if (!isfinite(s->times[i]) || !isfinite(s->values[i]) ||
            (i > 0 && s->times[i] <= s->times[i - 1])) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "%s: table point %d is (%g, %g); times must increase and all numbers "
                             "be finite",
                             owner, i, s->times[i], s->values[i]);
        }
    }
    double length = s->times[s->count - 1] - s->times[0];
    if (!(s->period >= 0.0 && s->period <= length)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "%s: a table of %g s cannot repeat its last %g s", owner, length,
                         s->period);
    }
    size_t size = (size_t)s->count * sizeof(double);
    s->times = pawl_builder_keep(b, s->times, size);
    s->values = pawl_builder_keep(b, s->values, size);
    return s->times != NULL && s->values != NULL ? PAWL_OK : pawl_builder_no_memory(b);
}

pawl_status pawl_builder_push(pawl_builder *b, pawl_array *array, const void *item, size_t size,
                              int *out)
{
    void *slot = pawl_array_push(&b->env, array, size);
    if (slot == NULL) {
        return pawl_builder_no_memory(b);
    }
    memcpy(slot, item, size);
    if (out != NULL) {
        *out = array->count - 1;
    }
    return PAWL_OK;
}

static const char *const builder_kinds[ID_KINDS] = {"body",   "joint", "shape", "actuator",
                                                    "motion", "force", "spring"};

// The tag of an id is a hash of all that was added before, so that an id of another model, or of
// another version of this one, is recognised as such.
static pawl_status builder_push_tagged(pawl_builder *b, pawl_array *array, const void *item,
                                       size_t size, tag_source source, any_id *out)
{
    uint64_t hash =
        pawl_hash_text(pawl_hash_text(source.hash, builder_kinds[source.kind]), source.name);
    uint32_t tag = (uint32_t)(hash ^ hash >> 32);
    tag = tag != 0 ? tag : 1; // 0 is that of ids without a model
    PAWL_TRY(pawl_builder_push(b, &b->tags[source.kind], &tag, sizeof tag, NULL));
    pawl_status status = pawl_builder_push(b, array, item, size, NULL);
    if (status != PAWL_OK) {
        --b->tags[source.kind].count;
        return status;
    }
    b->tag = hash;
    *out = (any_id){(uint32_t)array->count, tag};
    return PAWL_OK;
}

id_table pawl_builder_ids(const pawl_builder *b, id_kind kind)
{
    return (id_table){
        .what = builder_kinds[kind], .tags = b->tags[kind].data, .count = b->tags[kind].count};
}

int pawl_builder_index(const pawl_builder *b, const char *function, id_kind kind, uint32_t index1,
                       uint32_t tag)
{
    id_table table = pawl_builder_ids(b, kind);
    return pawl_id_index(&b->env, function, &table, index1, tag);
}

// Ids count from 1, because an id of zeros is none.
static any_id builder_id_at(const pawl_builder *b, id_kind kind, int i)
{
    if (b == NULL || i < 0 || i >= b->tags[kind].count) {
        return (any_id){0, 0};
    }
    return (any_id){(uint32_t)i + 1, PAWL_ITEM(b->tags[kind], uint32_t, i)};
}

pawl_body_id pawl_builder_body_at(const pawl_builder *b, int i)
{
    any_id id = builder_id_at(b, ID_BODY, i);
    return (pawl_body_id){id.index1, id.tag};
}

pawl_joint_id pawl_builder_joint_at(const pawl_builder *b, int i)
{
    any_id id = builder_id_at(b, ID_JOINT, i);
    return (pawl_joint_id){id.index1, id.tag};
}

pawl_actuator_id pawl_builder_actuator_at(const pawl_builder *b, int i)
{
    any_id id = builder_id_at(b, ID_ACTUATOR, i);
    return (pawl_actuator_id){id.index1, id.tag};
}

// Gravity is 9.81 m/s^2 along -z until it is set.
pawl_status pawl_builder_create(const pawl_env *env, const char *model_name, pawl_builder **out)
{
    PAWL_NEED_ENV(env);
    PAWL_NEED(env, out);
    *out = NULL;
    pawl_builder *b = pawl_alloc(env, sizeof *b);
    if (b == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a model builder");
    }
    b->env = *env;
    b->name = "model";
    b->tag = pawl_hash_text(PAWL_HASH_SEED, model_name);
    b->gravity = v3(0.0, 0.0, -9.81);
    for (int k = 0; k < PAWL_SOFT_KIND_COUNT; ++k) {
        b->soft[k] = pawl_softness_default();
    }
    if (model_name != NULL) {
        const char *name = pawl_builder_keep(b, model_name, strlen(model_name) + 1);
        if (name == NULL) {
            pawl_builder_destroy(b);
            return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a model builder");
        }
        b->name = name;
    }
    *out = b;
    return PAWL_OK;
}

void pawl_builder_destroy(pawl_builder *b)
{
    if (b == NULL) {
        return;
    }
    pawl_env env = b->env;
    for (int i = 0; i < b->pool.count; ++i) {
        builder_block block = PAWL_ITEM(b->pool, builder_block, i);
        pawl_free(&env, block.data, block.size);
    }
    pawl_array *all[] = {&b->bodies,    &b->shapes,        &b->joints,         &b->gears,
                         &b->actuators, &b->motions,       &b->forces,         &b->springs,
                         &b->excluded,  &b->wrench_models, &b->contact_points, &b->heightfields,
                         &b->warnings,  &b->pool,          &b->starts,         &b->frames};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        pawl_array_free(&env, all[i]);
    }
    for (int k = 0; k < ID_KINDS; ++k) {
        pawl_array_free(&env, &b->tags[k]);
    }
    pawl_free(&env, b, sizeof *b);
}

// A name that is set later is no part of the tags: ids given out before stay valid.
void pawl_builder_set_name(pawl_builder *b, const char *model_name)
{
    if (b == NULL || model_name == NULL) {
        return;
    }
    const char *name = pawl_builder_keep(b, model_name, strlen(model_name) + 1);
    if (name != NULL) {
        b->name = name;
    }
}

// A softness of zeros means none, so its other numbers do not matter.
static pawl_status builder_check_soft(const pawl_builder *b, const char *what, const char *name,
                                      const pawl_softness *s, double erp)
{
    if (s->time_constant != 0.0 && !pawl_softness_is_good(s)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "%s '%s': soft with time constant %g s, damping ratio %g, d0 %g, dw %g, "
                         "width %g, midpoint %g, power %g; expected finite numbers, the ratio "
                         "above 0, d0, dw and the midpoint between 0 and 1, width 0 or more, power "
                         "1 or more",
                         what, name, s->time_constant, s->damping_ratio, s->d0, s->dw, s->width,
                         s->midpoint, s->power);
    }
    if (!(erp <= 1.0)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s '%s': erp is %g, must not exceed 1", what,
                         name, erp);
    }
    return PAWL_OK;
}

pawl_status pawl_builder_set_softness(pawl_builder *b, pawl_soft_kind kind,
                                      const pawl_softness *soft)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, soft);
    static const char *const words[PAWL_SOFT_KIND_COUNT] = {"joints", "limits", "contacts"};
    if ((int)kind < 0 || kind >= PAWL_SOFT_KIND_COUNT) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "no kind %d of soft constraints", (int)kind);
    }
    PAWL_TRY(builder_check_soft(b, "all", words[kind], soft, 0.0));
    b->soft[kind] = *soft;
    b->tag = pawl_tag_softness(b->tag + (uint64_t)kind, soft);
    return PAWL_OK;
}

pawl_status pawl_builder_set_medium(pawl_builder *b, pawl_medium medium)
{
    PAWL_NEED(NULL, b);
    if (!(medium.density >= 0.0) || !isfinite(medium.density) || !v3_finite(medium.wind)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "medium: density %g kg/m^3 and wind must be finite and the density 0 or "
                         "more",
                         medium.density);
    }
    b->medium = medium;
    return PAWL_OK;
}

void pawl_builder_set_gravity(pawl_builder *b, pawl_vec3 gravity)
{
    if (b == NULL) {
        return;
    }
    b->gravity = gravity;
    b->tag = pawl_hash_doubles(b->tag, (const double[]){gravity.x, gravity.y, gravity.z}, 3);
}

enum { BUILDER_BODIES, BUILDER_JOINTS }; // scopes of names

static int builder_find(const pawl_builder *b, int scope, const char *name)
{
    return pawl_name_table_find(&b->names, scope, name, strlen(name));
}

static int builder_find_body(const pawl_builder *b, const char *name)
{
    return builder_find(b, BUILDER_BODIES, name);
}

static int builder_find_joint(const pawl_builder *b, const char *name)
{
    return builder_find(b, BUILDER_JOINTS, name);
}

pawl_body_id pawl_builder_find_body(const pawl_builder *b, const char *name)
{
    return pawl_builder_body_at(b, b == NULL || name == NULL ? -1 : builder_find_body(b, name));
}

pawl_joint_id pawl_builder_find_joint(const pawl_builder *b, const char *name)
{
    return pawl_builder_joint_at(b, b == NULL || name == NULL ? -1 : builder_find_joint(b, name));
}

static void *builder_alloc(void *owner, size_t size)
{
    return pawl_builder_keep(owner, NULL, size);
}

// Pushes an item under its name.
// All or nothing: a failure after the item was pushed takes it, its tag and the running hash back.
static pawl_status builder_push_named(pawl_builder *b, pawl_array *array, const void *item,
                                      size_t size, int scope, tag_source source, any_id *out)
{
    uint64_t before = b->tag;
    PAWL_TRY(builder_push_tagged(b, array, item, size, source, out));
    if (!pawl_name_table_add(&b->names, builder_alloc, b, scope, source.name, array->count - 1)) {
        --array->count;
        --b->tags[source.kind].count;
        b->tag = before;
        return pawl_builder_no_memory(b);
    }
    return PAWL_OK;
}

// Normalizes the quaternion in place; false where that is impossible.
bool pawl_builder_pose_good(pawl_pose *pose)
{
    if (!v3_finite(pose->position) || !quat_finite(pose->orientation) ||
        quat_norm2(pose->orientation) < 1e-12) {
        return false;
    }
    pose->orientation = pawl_quat_normalize(pose->orientation);
    return true;
}

static pawl_status builder_warn_two_masses(pawl_builder *b, const pawl_body_def *body)
{
    char where[256], text[256];
    snprintf(where, sizeof where, "body '%s'", body->name);
    snprintf(text, sizeof text, "a mass of %g kg beside a density of %g kg/m^3: the mass is used%s",
             body->mass, body->density,
             pawl_body_has_inertia(body) ? "" : ", and the shapes give the inertia alone");
    return pawl_builder_add_warning(
        b, &(pawl_warning){PAWL_WARNING_TWO_MASSES, where, text, "give only one of the two"});
}

// A mass may be missing only where a density gives it, or for a kinematic body. Whether shapes then
// give a positive mass is known at compilation only.
pawl_status pawl_builder_add_body(pawl_builder *b, const pawl_body_def *def, pawl_body_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_BODY, "pawl_body_def_default");
    pawl_body_def body = *def;
    int index = b->bodies.count;
    PAWL_TRY(pawl_builder_keep_name(b, &body.name, "body", index, builder_find_body));
    const char *name = body.name;
    const pawl_env *env = &b->env;
    if (builder_find_body(b, name) >= 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s' exists already", name);
    }
    if ((int)body.kind < 0 || body.kind > PAWL_BODY_KINEMATIC) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s': no kind %d", name, (int)body.kind);
    }
    if (!pawl_builder_pose_good(&body.pose) || !v3_finite(body.twist.linear) ||
        !v3_finite(body.twist.angular) || !v3_finite(body.com)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "body '%s': pose, twist and centre of mass must be finite and the "
                         "quaternion not zero",
                         name);
    }
    bool given = body.kind != PAWL_BODY_KINEMATIC && !(body.density > 0.0);
    if (given && !(isfinite(body.mass) && body.mass > 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s': mass is %g kg, must be above 0", name,
                         body.mass);
    }
    if (!isfinite(body.density) || body.density < 0.0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s': density is %g, must be 0 or more",
                         name, body.density);
    }
    if (!isfinite(body.mass) || body.mass < 0.0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s': mass is %g kg, must be 0 or more",
                         name, body.mass);
    }
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(body.inertia[i])) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "body '%s': inertia is not finite", name);
        }
        PAWL_TRY(builder_keep_signal(b, &body.motion[i], name));
    }
    if (!isfinite(body.gravity_scale) || !(body.linear_damping >= 0.0) ||
        !(body.angular_damping >= 0.0) || !isfinite(body.linear_damping) ||
        !isfinite(body.angular_damping)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "body '%s': gravity scale %g must be finite, damping %g and %g 0 or more",
                         name, body.gravity_scale, body.linear_damping, body.angular_damping);
    }
    int warnings = b->warnings.count;
    if (body.kind != PAWL_BODY_KINEMATIC && body.density > 0.0 && body.mass > 0.0) {
        PAWL_TRY(builder_warn_two_masses(b, &body));
    }
    tag_source source = {ID_BODY, name, pawl_tag_body(b->tag, &body)};
    any_id id = {0, 0};
    pawl_status status =
        builder_push_named(b, &b->bodies, &body, sizeof body, BUILDER_BODIES, source, &id);
    b->warnings.count = status == PAWL_OK ? b->warnings.count : warnings;
    if (status == PAWL_OK) {
        PAWL_GIVE(out, id);
    }
    return status;
}

// Only triangles that make a surface. One that is only drawn need not: it has to have its corners.
static pawl_status builder_keep_mesh(pawl_builder *b, pawl_shape_def *def)
{
    if (def->visual_only) {
        PAWL_TRY(pawl_tri_mesh_check(&b->env, def->name, def->points, def->point_count,
                                     def->triangles, def->triangle_count));
    } else {
        tri_mesh *mesh;
        PAWL_TRY(pawl_tri_mesh_create(&b->env, def->name, def->points, def->point_count,
                                      def->triangles, def->triangle_count, &mesh));
        pawl_tri_mesh_destroy(&b->env, mesh);
    }
    size_t size = (size_t)def->triangle_count * 3 * sizeof *def->triangles;
    def->points = pawl_builder_keep(b, def->points, (size_t)def->point_count * sizeof *def->points);
    def->triangles = def->points != NULL ? pawl_builder_keep(b, def->triangles, size) : NULL;
    return def->triangles != NULL ? PAWL_OK : pawl_builder_no_memory(b);
}

// Points are kept for hulls and meshes alone, and only those that make one.
static pawl_status builder_keep_points(pawl_builder *b, pawl_shape_def *def)
{
    if (def->kind == PAWL_SHAPE_MESH) {
        return builder_keep_mesh(b, def);
    }
    def->triangles = NULL;
    def->triangle_count = 0;
    if (def->kind != PAWL_SHAPE_HULL) {
        def->points = NULL;
        def->point_count = 0;
        return PAWL_OK;
    }
    convex_hull *hull;
    PAWL_TRY(pawl_hull_create(&b->env, def->name, def->points, def->point_count, &hull));
    pawl_hull_destroy(&b->env, hull);
    def->points = pawl_builder_keep(b, def->points, (size_t)def->point_count * sizeof *def->points);
    return def->points != NULL ? PAWL_OK : pawl_builder_no_memory(b);
}

pawl_status pawl_builder_add_shape(pawl_builder *b, pawl_body_id body, const pawl_shape_def *def,
                                   pawl_shape_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_SHAPE, "pawl_shape_def_default");
    if (def->kind == PAWL_SHAPE_HEIGHTFIELD) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "a shape of kind heightfield comes from pawl_builder_add_heightfield()");
    }
    return pawl_builder_push_shape(b, body, def, out);
}

// used_sizes has one bit per component of `size` that the kind uses; the others are not checked.
pawl_status pawl_builder_push_shape(pawl_builder *b, pawl_body_id body, const pawl_shape_def *def,
                                    pawl_shape_id *out)
{
    pawl_shape_info info = {body, *def};
    const pawl_env *env = &b->env;
    int index = BUILDER_QUIET_OR_WORLD(b, body);
    if (index < PAWL_WORLD_INDEX) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "a shape names no body of this model");
    }
    PAWL_TRY(pawl_builder_keep_name(b, &info.def.name, "shape", b->shapes.count, NULL));
    if ((int)def->kind < 0 || def->kind >= PAWL_SHAPE_COUNT) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "shape '%s': no kind %d", info.def.name,
                         (int)def->kind);
    }
    static const unsigned used_sizes[PAWL_SHAPE_COUNT] = {
        [PAWL_SHAPE_SPHERE] = 1,  [PAWL_SHAPE_BOX] = 7,         [PAWL_SHAPE_CYLINDER] = 5,
        [PAWL_SHAPE_CAPSULE] = 5, [PAWL_SHAPE_ELLIPSOID] = 7,   [PAWL_SHAPE_PLANE] = 0,
        [PAWL_SHAPE_HULL] = 0,    [PAWL_SHAPE_HEIGHTFIELD] = 0, [PAWL_SHAPE_MESH] = 0};
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    for (int i = 0; i < 3; ++i) {
        if ((used_sizes[def->kind] >> i & 1u) != 0 && !(isfinite(size[i]) && size[i] > 0.0)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "shape '%s': size %d is %g m, must be above 0",
                             info.def.name, i, size[i]);
        }
    }
    if (!(isfinite(def->friction) && def->friction >= 0.0) ||
        !(def->restitution >= 0.0 && def->restitution <= 1.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "shape '%s': friction %g must be 0 or more, restitution %g from 0 to 1",
                         info.def.name, def->friction, def->restitution);
    }
    if (!isfinite(def->impact_friction)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "shape '%s': impact friction %g is not finite",
                         info.def.name, def->impact_friction);
    }
    if (!(isfinite(def->torsional_friction) && def->torsional_friction >= 0.0) ||
        !(isfinite(def->rolling_friction) && def->rolling_friction >= 0.0)) {
        return PAWL_FAIL(
            env, PAWL_BAD_ARGUMENT,
            "shape '%s': torsional friction %g m and rolling friction %g m must be 0 or "
            "more",
            info.def.name, def->torsional_friction, def->rolling_friction);
    }
    if (!pawl_builder_pose_good(&info.def.frame)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "shape '%s': its frame is not finite",
                         info.def.name);
    }
    PAWL_TRY(builder_check_soft(b, "shape", info.def.name, &def->soft, def->erp));
    PAWL_TRY(builder_keep_points(b, &info.def));
    tag_source source = {ID_SHAPE, info.def.name, pawl_tag_shape(b->tag, &info)};
    any_id id;
    PAWL_TRY(builder_push_tagged(b, &b->shapes, &info, sizeof info, source, &id));
    PAWL_GIVE(out, id);
    return PAWL_OK;
}

// Units of a coordinate: m or rad; stiffness [N/m or N m/rad], damping [N s/m or N m s/rad],
// armature [kg or kg m^2], friction [N or N m].
static pawl_status builder_check_coordinate(const pawl_builder *b, const char *name, int c,
                                            const pawl_coordinate_def *d)
{
    if (isnan(d->lower) || isnan(d->upper) || d->lower > d->upper || d->lower == INFINITY ||
        d->upper == -INFINITY) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "joint '%s': limits of coordinate %d are %g and %g; lower must not exceed "
                         "upper",
                         name, c, d->lower, d->upper);
    }
    const double values[] = {d->stiffness, d->damping, d->armature, d->friction};
    static const char *const words[] = {"stiffness", "damping", "armature", "friction"};
    for (int i = 0; i < 4; ++i) {
        if (!(isfinite(values[i]) && values[i] >= 0.0)) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "joint '%s': %s of coordinate %d is %g, must be finite and 0 or more",
                             name, words[i], c, values[i]);
        }
    }
    if (!isfinite(d->rest)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "joint '%s': rest of coordinate %d is %g",
                         name, c, d->rest);
    }
    if (!(isfinite(d->slack) && d->slack >= 0.0)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "joint '%s': slack of coordinate %d is %g, must be finite and 0 or more",
                         name, c, d->slack);
    }
    return builder_check_soft(b, "limits of joint", name, &d->limit_soft, d->limit_erp);
}

// gears has one entry per joint, an empty one for joints that are none, so that indices agree.
pawl_status pawl_builder_add_joint(pawl_builder *b, const pawl_joint_def *def, pawl_joint_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_JOINT, "pawl_joint_def_default");
    pawl_joint_def joint = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &joint.name, "joint", b->joints.count, builder_find_joint));
    const char *name = joint.name;
    if (builder_find_joint(b, name) >= 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s' exists already", name);
    }
    if ((int)joint.kind < 0 || joint.kind == PAWL_JOINT_GEAR ||
        joint.kind >= PAWL_JOINT_KIND_COUNT) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s': no kind %d (gears have their own def)", name,
                         (int)joint.kind);
    }
    int base = BUILDER_QUIET_OR_WORLD(b, joint.base);
    int follower = BUILDER_QUIET_OR_WORLD(b, joint.follower);
    if (base < PAWL_WORLD_INDEX || follower < 0 || base == follower) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s': base and follower must be two different bodies, and only the "
                         "base may be the world",
                         name);
    }
    if (!pawl_builder_pose_good(&joint.base_frame) ||
        !pawl_builder_pose_good(&joint.follower_frame)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s': its frames are not finite", name);
    }
    if (joint.kind == PAWL_JOINT_SCREW && !isfinite(joint.pitch)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s': pitch is %g", name, joint.pitch);
    }
    if (joint.kind == PAWL_JOINT_DISTANCE &&
        (isnan(joint.length) || joint.length == 0.0 || joint.length == INFINITY)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s': length is %g m; expected above 0, or below 0 for the "
                         "distance at the start (for a length of 0 use a spherical joint)",
                         name, joint.length);
    }
    pawl_wrap *wrap = &joint.wrap;
    if (joint.kind == PAWL_JOINT_SPAN && wrap->kind != PAWL_WRAP_NONE &&
        ((int)wrap->kind < 0 || wrap->kind > PAWL_WRAP_CRANK || !(wrap->radius > 0.0) ||
         !isfinite(wrap->radius) || !pawl_builder_pose_good(&wrap->frame) ||
         (wrap->sided && !v3_finite(wrap->side)))) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s': got a wrap of kind %d and radius %g, expected a ball or a "
                         "cylinder, a radius above 0 and a finite place",
                         name, (int)wrap->kind, wrap->radius);
    }
    PAWL_TRY(builder_check_soft(b, "joint", name, &joint.soft, joint.erp));
    for (int c = 0; c < pawl_joint_kind_coordinates(joint.kind); ++c) {
        PAWL_TRY(builder_check_coordinate(b, name, c, &joint.coordinate[c]));
    }
    pawl_gear_def none = pawl_gear_def_default();
    PAWL_TRY(pawl_builder_push(b, &b->gears, &none, sizeof none, NULL));
    tag_source source = {ID_JOINT, name, pawl_tag_joint(b->tag, &joint)};
    any_id id = {0, 0};
    pawl_status status =
        builder_push_named(b, &b->joints, &joint, sizeof joint, BUILDER_JOINTS, source, &id);
    b->gears.count = b->joints.count;
    if (status == PAWL_OK) {
        PAWL_GIVE(out, id);
    }
    return status;
}

static pawl_status builder_check_joint(const pawl_builder *b, const char *what, const char *name,
                                       pawl_joint_id joint)
{
    return BUILDER_QUIET(b, ID_JOINT, joint) >= 0
               ? PAWL_OK
               : PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "%s '%s' names a joint that is not there",
                           what, name);
}

// Whether joint and coordinate name a free direction of a joint that is there already.
static pawl_status builder_check_target(const pawl_builder *b, const char *what, const char *name,
                                        pawl_joint_id joint, int coordinate)
{
    PAWL_TRY(builder_check_joint(b, what, name, joint));
    const pawl_joint_def *j =
        &PAWL_ITEM(b->joints, pawl_joint_def, BUILDER_QUIET(b, ID_JOINT, joint));
    int count = pawl_joint_kind_coordinates(j->kind);
    if (coordinate < 0 || coordinate >= count) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "%s '%s' names coordinate %d of joint '%s', a %s joint, which has %d",
                         what, name, coordinate, j->name, pawl_joint_kind_name(j->kind), count);
    }
    return PAWL_OK;
}

// A gear is a joint without frames: it takes the bodies of the joint that it drives.
pawl_status pawl_builder_add_gear(pawl_builder *b, const pawl_gear_def *def, pawl_joint_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_GEAR, "pawl_gear_def_default");
    pawl_gear_def gear = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &gear.name, "gear", b->joints.count, builder_find_joint));
    if (builder_find_joint(b, gear.name) >= 0) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s' exists already", gear.name);
    }
    PAWL_TRY(builder_check_target(b, "gear", gear.name, gear.joint, gear.coordinate));
    PAWL_TRY(builder_check_target(b, "gear", gear.name, gear.source_joint, gear.source_coordinate));
    int driven = pawl_joint_index(gear.joint), source = pawl_joint_index(gear.source_joint);
    if (driven == source && gear.coordinate == gear.source_coordinate) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "gear '%s' couples a coordinate with itself",
                         gear.name);
    }
    if (!isfinite(gear.ratio) || !isfinite(gear.offset) || !isfinite(gear.curve[0]) ||
        !isfinite(gear.curve[1]) || !isfinite(gear.curve[2])) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "gear '%s': ratio %g, offset %g and curve %g %g %g must be finite",
                         gear.name, gear.ratio, gear.offset, gear.curve[0], gear.curve[1],
                         gear.curve[2]);
    }
    pawl_joint_def joint = pawl_joint_def_default();
    joint.name = gear.name;
    joint.kind = PAWL_JOINT_GEAR;
    joint.base = PAWL_ITEM(b->joints, pawl_joint_def, driven).base;
    joint.follower = PAWL_ITEM(b->joints, pawl_joint_def, driven).follower;
    PAWL_TRY(pawl_builder_push(b, &b->gears, &gear, sizeof gear, NULL));
    tag_source tag = {ID_JOINT, gear.name, pawl_tag_gear(b->tag, &gear)};
    any_id id = {0, 0};
    pawl_status status =
        builder_push_named(b, &b->joints, &joint, sizeof joint, BUILDER_JOINTS, tag, &id);
    b->gears.count = b->joints.count;
    if (status == PAWL_OK) {
        PAWL_GIVE(out, id);
    }
    return status;
}

// An infinite damping makes a velocity actuator a hard row (docs/math.md section 3).
pawl_status pawl_builder_add_actuator(pawl_builder *b, const pawl_actuator_def *def,
                                      pawl_actuator_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_ACTUATOR, "pawl_actuator_def_default");
    pawl_actuator_def a = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &a.name, "actuator", b->actuators.count, NULL));
    if ((int)a.kind < 0 || a.kind >= PAWL_ACTUATOR_KIND_COUNT) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "actuator '%s': no kind %d", a.name, (int)a.kind);
    }
    if (a.kind == PAWL_ACTUATOR_ADHESION) { // acts on a body, whatever coordinates the joint has
        a.coordinate = 0;
        PAWL_TRY(builder_check_joint(b, "actuator", a.name, a.joint));
    } else {
        PAWL_TRY(builder_check_target(b, "actuator", a.name, a.joint, a.coordinate));
    }
    PAWL_TRY(builder_keep_signal(b, &a.target, a.name));
    bool exact = a.kind == PAWL_ACTUATOR_VELOCITY; // there an infinite damping has a meaning
    if (!(a.stiffness >= 0.0) || isinf(a.stiffness) || !(a.damping >= 0.0) ||
        (isinf(a.damping) && !exact) || !(a.effort >= 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "actuator '%s': stiffness %g, damping %g and effort %g must be 0 or more",
                         a.name, a.stiffness, a.damping, a.effort);
    }
    const char *fault = pawl_muscle_fault(&a);
    if (fault != NULL) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "muscle '%s': %s expected", a.name, fault);
    }
    tag_source source = {ID_ACTUATOR, a.name, pawl_tag_actuator(b->tag, &a)};
    any_id id;
    PAWL_TRY(builder_push_tagged(b, &b->actuators, &a, sizeof a, source, &id));
    PAWL_GIVE(out, id);
    return PAWL_OK;
}

pawl_status pawl_builder_set_target(pawl_builder *b, pawl_actuator_id actuator,
                                    const pawl_signal *target)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, target);
    int index = BUILDER_INDEX(b, ID_ACTUATOR, actuator);
    if (index < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    pawl_actuator_def *a = &PAWL_ITEM(b->actuators, pawl_actuator_def, index);
    pawl_signal kept = *target;
    PAWL_TRY(builder_keep_signal(b, &kept, a->name));
    a->target = kept;
    b->tag = pawl_tag_signal(b->tag, &kept);
    return PAWL_OK;
}

// Two motions of one coordinate would be two equal rows with different targets.
pawl_status pawl_builder_add_motion(pawl_builder *b, const pawl_motion_def *def,
                                    pawl_motion_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_MOTION, "pawl_motion_def_default");
    pawl_motion_def m = *def;
    PAWL_TRY(pawl_builder_keep_name(b, &m.name, "motion", b->motions.count, NULL));
    PAWL_TRY(builder_check_target(b, "motion", m.name, m.joint, m.coordinate));
    PAWL_TRY(builder_keep_signal(b, &m.target, m.name));
    for (int i = 0; i < b->motions.count; ++i) {
        const pawl_motion_def *other = &PAWL_ITEM(b->motions, pawl_motion_def, i);
        if (pawl_joint_same(other->joint, m.joint) && other->coordinate == m.coordinate) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "motion '%s' drives the same coordinate as motion '%s'", m.name,
                             other->name);
        }
    }
    tag_source source = {ID_MOTION, m.name, pawl_tag_motion(b->tag, &m)};
    any_id id;
    PAWL_TRY(builder_push_tagged(b, &b->motions, &m, sizeof m, source, &id));
    PAWL_GIVE(out, id);
    return PAWL_OK;
}

// The point is fixed in the body; components are functions of time, in world or in body axes.
pawl_status pawl_builder_add_force(pawl_builder *b, const pawl_force_def *def, pawl_force_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_FORCE, "pawl_force_def_default");
    pawl_force_def f = *def;
    PAWL_TRY(pawl_builder_keep_name(b, &f.name, "force", b->forces.count, NULL));
    if (BUILDER_QUIET(b, ID_BODY, f.body) < 0 || !v3_finite(f.point)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "force '%s' names no body of this model, or a point that is not finite",
                         f.name);
    }
    for (int i = 0; i < 3; ++i) {
        PAWL_TRY(builder_keep_signal(b, &f.force[i], f.name));
        PAWL_TRY(builder_keep_signal(b, &f.torque[i], f.name));
    }
    tag_source source = {ID_FORCE, f.name, pawl_tag_force(b->tag, &f)};
    any_id id;
    PAWL_TRY(builder_push_tagged(b, &b->forces, &f, sizeof f, source, &id));
    PAWL_GIVE(out, id);
    return PAWL_OK;
}

// A rest length of 0 makes the spring act in all three directions (docs/math.md section 3).
pawl_status pawl_builder_add_spring(pawl_builder *b, const pawl_spring_def *def,
                                    pawl_spring_id *out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    PAWL_NEED_STAMP(&b->env, def, PAWL_STAMP_SPRING, "pawl_spring_def_default");
    pawl_spring_def s = *def;
    const pawl_env *env = &b->env;
    PAWL_TRY(pawl_builder_keep_name(b, &s.name, "spring", b->springs.count, NULL));
    int first = BUILDER_QUIET_OR_WORLD(b, s.body_a), second = BUILDER_QUIET_OR_WORLD(b, s.body_b);
    if (first < PAWL_WORLD_INDEX || second < PAWL_WORLD_INDEX || first == second ||
        !v3_finite(s.point_a) || !v3_finite(s.point_b)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "spring '%s': two different bodies of this model (one may be the world) "
                         "and finite points are needed",
                         s.name);
    }
    if (!(isfinite(s.stiffness) && s.stiffness >= 0.0) ||
        !(isfinite(s.damping) && s.damping >= 0.0) ||
        !(isfinite(s.rest_length) && s.rest_length >= 0.0)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "spring '%s': stiffness %g, damping %g and rest length %g must be 0 or "
                         "more",
                         s.name, s.stiffness, s.damping, s.rest_length);
    }
    tag_source source = {ID_SPRING, s.name, pawl_tag_spring(b->tag, &s)};
    any_id id;
    PAWL_TRY(builder_push_tagged(b, &b->springs, &s, sizeof s, source, &id));
    PAWL_GIVE(out, id);
    return PAWL_OK;
}

// The order of the two bodies does not matter, and pairs may repeat.
pawl_status pawl_builder_exclude(pawl_builder *b, pawl_body_id body_a, pawl_body_id body_b)
{
    PAWL_NEED(NULL, b);
    int first = BUILDER_QUIET_OR_WORLD(b, body_a), second = BUILDER_QUIET_OR_WORLD(b, body_b);
    if (first < PAWL_WORLD_INDEX || second < PAWL_WORLD_INDEX || first == second) {
        return PAWL_FAIL(
            &b->env, PAWL_BAD_ARGUMENT,
            "the contact of these bodies cannot be excluded: two different bodies of this model "
            "(one may be the world) are needed");
    }
    uint64_t key = pawl_exclusion_key(first, second);
    PAWL_TRY(pawl_builder_push(b, &b->excluded, &key, sizeof key, NULL));
    b->tag = pawl_hash_bytes(b->tag, &key, sizeof key);
    return PAWL_OK;
}

int pawl_builder_joint_coordinates(const pawl_builder *b, pawl_joint_id joint)
{
    int index = b == NULL ? -1 : BUILDER_INDEX(b, ID_JOINT, joint);
    if (index < 0) {
        return 0;
    }
    return pawl_joint_kind_coordinates(PAWL_ITEM(b->joints, pawl_joint_def, index).kind);
}

// The last start given for a joint counts.
pawl_status pawl_builder_set_start(pawl_builder *b, pawl_joint_id joint, const double *position)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, position);
    int index = BUILDER_INDEX(b, ID_JOINT, joint);
    if (index < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    const pawl_joint_def *def = &PAWL_ITEM(b->joints, pawl_joint_def, index);
    pawl_joint_start start = {.joint = joint};
    for (int c = 0; c < pawl_joint_kind_coordinates(def->kind); ++c) {
        if (!isfinite(position[c])) {
            return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                             "start of joint '%s', coordinate %d: got %g, expected a finite number",
                             def->name, c, position[c]);
        }
        start.position[c] = position[c];
    }
    for (int i = 0; i < b->starts.count; ++i) {
        if (pawl_joint_same(PAWL_ITEM(b->starts, pawl_joint_start, i).joint, joint)) {
            PAWL_ITEM(b->starts, pawl_joint_start, i) = start;
            return PAWL_OK;
        }
    }
    return pawl_builder_push(b, &b->starts, &start, sizeof start, NULL);
}

pawl_status pawl_builder_add_warning(pawl_builder *b, const pawl_warning *warning)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, warning);
    if ((unsigned)warning->kind >= PAWL_WARNING_KIND_COUNT) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "no warning of kind %d", (int)warning->kind);
    }
    pawl_warning copy = {.kind = warning->kind};
    const char *const given[3] = {warning->where, warning->text, warning->advice};
    const char **const kept[3] = {&copy.where, &copy.text, &copy.advice};
    for (int i = 0; i < 3; ++i) {
        const char *text = given[i] != NULL ? given[i] : "";
        *kept[i] = pawl_builder_keep(b, text, strlen(text) + 1);
        if (*kept[i] == NULL) {
            return pawl_builder_no_memory(b);
        }
    }
    return pawl_builder_push(b, &b->warnings, &copy, sizeof copy, NULL);
}

pawl_status pawl_builder_add_frame(pawl_builder *b, const pawl_frame *frame)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, frame);
    PAWL_NEED(&b->env, frame->name);
    if (!pawl_body_is_world(frame->body) && BUILDER_INDEX(b, ID_BODY, frame->body) < 0) {
        return PAWL_BAD_ARGUMENT;
    }
    pawl_frame copy = *frame;
    if (!pawl_builder_pose_good(&copy.pose)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "frame '%s': its pose must be finite, its quaternion not zero",
                         frame->name);
    }
    copy.name = pawl_builder_keep(b, frame->name, strlen(frame->name) + 1);
    return copy.name == NULL ? pawl_builder_no_memory(b)
                             : pawl_builder_push(b, &b->frames, &copy, sizeof copy, NULL);
}

// Both frames are placed where the joint is in the world at the start: x along the axis, y towards
// the hint.
pawl_status pawl_builder_place_joint(const pawl_builder *b, pawl_joint_def *def,
                                     pawl_vec3 world_point, pawl_vec3 world_axis, pawl_vec3 y_hint)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, def);
    int base = BUILDER_QUIET_OR_WORLD(b, def->base);
    int follower = BUILDER_QUIET_OR_WORLD(b, def->follower);
    if (base < PAWL_WORLD_INDEX || follower < PAWL_WORLD_INDEX || !v3_finite(world_point) ||
        !v3_finite(world_axis) || !v3_finite(y_hint) || !(v3_max_abs(world_axis) > 0.0)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT,
                         "a joint between two bodies of this model (or the world) cannot be placed "
                         "at (%g %g %g) along (%g %g %g)",
                         world_point.x, world_point.y, world_point.z, world_axis.x, world_axis.y,
                         world_axis.z);
    }
    pawl_pose joint = {world_point, pawl_quat_from_axes(world_axis, y_hint)};
    const int body[2] = {base, follower};
    pawl_pose *frame[2] = {&def->base_frame, &def->follower_frame};
    for (int i = 0; i < 2; ++i) {
        *frame[i] =
            body[i] < 0
                ? joint
                : pawl_pose_compose(
                      pawl_pose_inverse(PAWL_ITEM(b->bodies, pawl_body_def, body[i]).pose), joint);
    }
    return PAWL_OK;
}
