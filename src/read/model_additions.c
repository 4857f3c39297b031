// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// URDF files of robots have no ground: here the base is moved, fixed, or turned onto a slope, and a plane below the
// lowest point of the shapes, or the ground of another file, is added.
#include "read/model_additions.h"
#include "base/guard.h"
#include "math/rotation.h"
#include "pawl/sim.h"
#include "pawl/wrench.h"

#include <stdio.h>

static pawl_status additions_compile(const pawl_builder *builder, pawl_model **model)
{
    pawl_model_destroy(*model);
    *model = NULL;
    return pawl_builder_compile(builder, model);
}

// The turn of ground that rises along x.
static pawl_quat additions_turn(const xml_reader *reader)
{
    bool flat = !reader->ground.put || reader->ground.file != NULL;
    double slope = flat ? 0.0 : reader->ground.slope;
    return quat_exp(v3(0.0, -slope, 0.0));
}

// Whether no joint has this body as its follower.
static bool additions_is_root(const pawl_model *model, int body)
{
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        pawl_joint_info joint = pawl_model_joint(model, pawl_model_joint_at(model, j));
        if (pawl_body_index(joint.follower) == body && joint.kind != PAWL_JOINT_FREE) {
            return false;
        }
    }
    return pawl_model_body(model, pawl_model_body_at(model, body)).kind != PAWL_BODY_KINEMATIC;
}

static pawl_status additions_hold_roots(const pawl_env *env, const pawl_model *model,
                                        pawl_builder *builder)
{
    pawl_state *state;
    PAWL_TRY(pawl_state_create(env, model, &state));
    pawl_status status = PAWL_OK;
    for (int b = 0; b < pawl_model_body_count(model) && status == PAWL_OK; ++b) {
        if (additions_is_root(model, b)) {
            pawl_joint_def def = pawl_joint_def_default();
            def.kind = PAWL_JOINT_FIXED;
            def.base = PAWL_WORLD;
            def.follower = pawl_builder_body_at(builder, b);
            def.base_frame = pawl_state_pose(state, pawl_model_body_at(model, b));
            status = pawl_builder_add_joint(builder, &def, NULL);
        }
    }
    pawl_state_destroy(state);
    return status;
}

pawl_status model_place_base(const xml_reader *reader, pawl_builder *builder, pawl_model **model)
{
    const pawl_vec3 *p = &reader->place.position;
    pawl_quat slope = additions_turn(reader), own = reader->place.orientation;
    bool stays = p->x == 0.0 && p->y == 0.0 && p->z == 0.0 && own.w == 1.0 && slope.w == 1.0;
    if (!stays) {
        pawl_pose turn = {v3(0.0, 0.0, 0.0), slope};
        PAWL_TRY(pawl_builder_move_floating(builder, pawl_pose_compose(turn, reader->place)));
        PAWL_TRY(additions_compile(builder, model));
    }
    if (reader->fixed_base) {
        PAWL_TRY(additions_hold_roots(reader->env, *model, builder));
        PAWL_TRY(additions_compile(builder, model));
    }
    return PAWL_OK;
}

// --- starts --------------------------------------------------------------------------------------

// Joints that begin beyond a limit begin at it: their coordinates are those of the state that the model begins with.
pawl_status model_clamp_starts(const xml_reader *reader, pawl_builder *builder, pawl_model **model)
{
    pawl_state *state;
    int moved = 0;
    char first[128] = "";
    PAWL_TRY(pawl_state_create(reader->env, *model, &state));
    pawl_status status = PAWL_OK;
    for (int j = 0; j < pawl_model_joint_count(*model) && status == PAWL_OK; ++j) {
        pawl_joint_id id = pawl_model_joint_at(*model, j);
        pawl_joint_info joint = pawl_model_joint(*model, id);
        double q[6], inside[6];
        bool beyond = false;
        if (joint.kind == PAWL_JOINT_SPAN || joint.kind == PAWL_JOINT_FREE) {
            continue; // they measure what other joints do
        }
        status = pawl_state_joint(state, id, q, NULL);
        for (int c = 0; status == PAWL_OK && c < joint.coordinate_count; ++c) {
            const pawl_coordinate_def *d = &joint.coordinate[c];
            inside[c] = fmin(fmax(q[c], d->lower), d->upper);
            beyond = beyond || inside[c] != q[c];
        }
        if (beyond && status == PAWL_OK) {
            if (moved++ == 0) {
                snprintf(first, sizeof first, "%s", joint.name);
            }
            status = pawl_builder_set_start(builder, pawl_builder_joint_at(builder, j), inside);
        }
    }
    pawl_state_destroy(state);
    PAWL_TRY(status);
    if (moved == 0) {
        return PAWL_OK;
    }
    pawl_log(reader->env, PAWL_LOG_NOTE, "%d joint%s beyond their limits begin%s at them: %s%s",
             moved, moved == 1 ? "" : "s", moved == 1 ? "s" : "", first, moved > 1 ? ", ..." : "");
    return additions_compile(builder, model);
}

// --- the ground ------------------------------------------------------------------------------------

// How far a shape reaches from the origin of its frame along a direction of its axes, beyond size 0 and sign by d.
static double additions_reach(const pawl_shape_def *def, pawl_vec3 d)
{
    double across = hypot(d.x, d.y), far = -INFINITY;
    switch (def->kind) {
    case PAWL_SHAPE_SPHERE:
        return def->size.x;
    case PAWL_SHAPE_BOX:
        return def->size.x * fabs(d.x) + def->size.y * fabs(d.y) + def->size.z * fabs(d.z);
    case PAWL_SHAPE_CYLINDER:
        return def->size.x * across + def->size.z * fabs(d.z);
    case PAWL_SHAPE_CAPSULE:
        return def->size.x + def->size.z * fabs(d.z);
    case PAWL_SHAPE_ELLIPSOID:
        return v3_norm(v3(def->size.x * d.x, def->size.y * d.y, def->size.z * d.z));
    case PAWL_SHAPE_MESH:
    case PAWL_SHAPE_HULL:
        for (int i = 0; i < def->point_count; ++i) {
            far = fmax(far, v3_dot(def->points[i], d));
        }
        return far;
    default:
        return far; // planes and heightfields do not move
    }
}

// How far down, along -n, shapes of moving bodies reach; -inf without any.
static double additions_lowest(const pawl_model *model, const pawl_state *state, pawl_vec3 n)
{
    double far = -INFINITY;
    for (int s = 0; s < pawl_model_shape_count(model); ++s) {
        pawl_shape_info shape = pawl_model_shape(model, pawl_model_shape_at(model, s));
        if (shape.def.visual_only || pawl_body_is_world(shape.body) ||
            pawl_model_body(model, shape.body).kind == PAWL_BODY_KINEMATIC) {
            continue;
        }
        pawl_pose pose = pawl_pose_compose(pawl_state_pose(state, shape.body), shape.def.frame);
        pawl_vec3 down = v3_scale(-1.0, n);
        pawl_vec3 own = pawl_quat_rotate(quat_conj(pose.orientation), down);
        far = fmax(far, v3_dot(pose.position, down) + additions_reach(&shape.def, own));
    }
    return far;
}

// The start of the model, with joints that begin elsewhere than the poses of their bodies say.
static pawl_status additions_depth(const pawl_env *env, const pawl_model *model, pawl_vec3 n,
                                   double *out)
{
    pawl_env quiet = *env; // what is wrong with the start is said when the simulation begins
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim = NULL;
    quiet.log = NULL;
    if (pawl_sim_create(&quiet, model, &settings, &sim) == PAWL_OK) {
        *out = additions_lowest(model, pawl_sim_state(sim), n);
        pawl_sim_destroy(sim);
        return PAWL_OK;
    }
    pawl_state *state;
    PAWL_TRY(pawl_state_create(env, model, &state));
    *out = additions_lowest(model, state, n);
    pawl_state_destroy(state);
    return PAWL_OK;
}

// Fixed shapes of one model, for another one. Heightfields bring their shapes along.
static pawl_status additions_copy_ground(const pawl_env *env, const pawl_model *from,
                                         pawl_builder *builder)
{
    int count = 0;
    for (int h = 0; h < pawl_model_heightfield_count(from); ++h, ++count) {
        pawl_heightfield_def def = pawl_model_heightfield(from, h);
        PAWL_TRY(pawl_builder_add_heightfield(builder, &def, NULL));
    }
    for (int s = 0; s < pawl_model_shape_count(from); ++s) {
        pawl_shape_info shape = pawl_model_shape(from, pawl_model_shape_at(from, s));
        bool fixed = pawl_body_is_world(shape.body);
        if (fixed && shape.def.kind != PAWL_SHAPE_HEIGHTFIELD) {
            PAWL_TRY(pawl_builder_add_shape(builder, PAWL_WORLD, &shape.def, NULL));
            count += shape.def.visual_only ? 0 : 1;
        }
    }
    return count > 0 ? PAWL_OK
                     : PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                                 "the file of the ground has no fixed collision shape, expected a "
                                 "static model or a heightfield");
}

static pawl_status additions_read_ground(const xml_reader *reader, pawl_builder *builder)
{
    pawl_load_options options = pawl_load_options_default();
    options.lenient = reader->lenient;
    options.search_path = reader->search_path;
    options.mesh_contact = PAWL_MESH_TRIANGLES; // the hull of terrain would be a block
    options.drawing = reader->drawing;
    pawl_model *from;
    PAWL_TRY(pawl_model_load(reader->env, reader->ground.file, &options, &from));
    pawl_status status = additions_copy_ground(reader->env, from, builder);
    pawl_model_destroy(from);
    return status;
}

pawl_status model_put_ground(const xml_reader *reader, pawl_builder *builder, pawl_model **model)
{
    const pawl_ground_option *ground = &reader->ground;
    if (!ground->put) {
        return PAWL_OK;
    }
    if (ground->file != NULL) {
        PAWL_TRY(additions_read_ground(reader, builder));
        return additions_compile(builder, model);
    }
    pawl_shape_def plane = pawl_shape_def_default();
    plane.name = "ground";
    plane.kind = PAWL_SHAPE_PLANE;
    plane.friction = ground->friction;
    plane.frame.orientation = additions_turn(reader);
    pawl_vec3 n = pawl_quat_rotate(plane.frame.orientation, v3(0.0, 0.0, 1.0));
    plane.frame.position = v3(0.0, 0.0, ground->height);
    if (ground->under) {
        double depth;
        PAWL_TRY(additions_depth(reader->env, *model, n, &depth));
        if (!isfinite(depth)) {
            return PAWL_FAIL(reader->env, PAWL_BAD_ARGUMENT,
                             "ground under the model: no body that can move has a collision shape");
        }
        plane.frame.position = v3_scale(-depth, n);
    }
    PAWL_TRY(pawl_builder_add_shape(builder, PAWL_WORLD, &plane, NULL));
    return additions_compile(builder, model);
}
