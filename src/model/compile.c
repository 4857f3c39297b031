// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// From defs to the immutable model: masses from shapes, anchors from centres of mass, and the
// checks that need the whole. One block of memory, laid out by one function that runs twice.
#include "base/carver.h"
#include "base/guard.h"
#include "base/hash.h"
#include "base/sort.h"
#include "model/builder.h"
#include "model/cord_path.h"
#include "model/joint_move.h"
#include "model/muscle.h"
#include "model/softness.h"
#include <string.h>

// Texts of the defs belong to the caller: the model keeps copies in its own block. In the measuring
// pass only the length counts.
char *pawl_compile_text(pawl_carver *mem, const char *text)
{
    char *copy = PAWL_CARVE(mem, char, strlen(text) + 1);
    if (copy != NULL) {
        strcpy(copy, text);
    }
    return copy;
}

// Copies a table, after which the signal points into the model.
static void compile_signal(pawl_carver *mem, pawl_signal *signal)
{
    if (signal->count == 0) {
        return;
    }
    double *times = PAWL_CARVE(mem, double, signal->count);
    double *values = PAWL_CARVE(mem, double, signal->count);
    if (times != NULL) {
        memcpy(times, signal->times, (size_t)signal->count * sizeof *times);
        memcpy(values, signal->values, (size_t)signal->count * sizeof *values);
        signal->times = times;
        signal->values = values;
    }
}

// Smallest eigenvalue test without eigenvalues: all leading minors of a symmetric matrix.
static bool compile_positive_definite(const pawl_mat3 *a)
{
    double second = a->m[0][0] * a->m[1][1] - a->m[0][1] * a->m[0][1];
    return a->m[0][0] > 0.0 && second > 0.0 && m3_det(a) > 0.0;
}

bool pawl_body_has_inertia(const pawl_body_def *def)
{
    bool has = def->kind == PAWL_BODY_POINT; // which needs none
    for (int i = 0; i < 6; ++i) {
        has = has || def->inertia[i] != 0.0;
    }
    return has;
}

// The model has everything at the centre of mass: poses, twists and anchors of the def, which are
// at the body's frame, are shifted here. A point mass has no rotation, so its frame's velocity is
// not shifted. A kinematic body has no mass; its inverse mass and inertia stay 0, which is how rows
// treat it.
static pawl_status compile_body(const pawl_builder *b, int index, const pawl_shape_info *shapes,
                                int shape_count, model_body *body)
{
    const pawl_body_def *def = &PAWL_ITEM(b->bodies, pawl_body_def, index);
    const pawl_env *env = &b->env;
    mass_properties props = {def->mass, def->com, m3_from_six(def->inertia)};
    // Where both are given the mass counts; without an inertia the shapes give that, scaled to the mass.
    bool weighed = !(def->mass > 0.0) || !pawl_body_has_inertia(def);
    if (def->density > 0.0 && def->kind != PAWL_BODY_KINEMATIC && weighed) {
        props = (mass_properties){0};
        for (int s = 0; s < shape_count; ++s) {
            if (!shapes[s].def.visual_only) {
                mass_properties part;
                PAWL_TRY(pawl_mass_of_any(env, &shapes[s].def, def->density, &part));
                props = pawl_mass_add(props, part);
            }
        }
        if (!(props.mass > 0.0)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "body '%s' has a density but no shape with volume", def->name);
        }
        if (def->mass > 0.0) {
            double scale = def->mass / props.mass;
            props.mass = def->mass;
            for (int i = 0; i < 9; ++i) {
                props.inertia.m[i / 3][i % 3] *= scale;
            }
        }
    }
    body->kind = def->kind;
    body->com = props.com;
    body->gravity_scale = def->gravity_scale;
    body->family = def->family;
    body->linear_damping = def->linear_damping;
    body->angular_damping = def->angular_damping;
    memcpy(body->motion, def->motion, sizeof body->motion);
    pawl_vec3 arm = pawl_quat_rotate(def->pose.orientation, props.com);
    body->start_pose = (pawl_pose){v3_add(def->pose.position, arm), def->pose.orientation};
    body->start_twist = def->twist;
    body->start_twist.linear = v3_add(def->twist.linear, v3_cross(def->twist.angular, arm));
    if (def->kind == PAWL_BODY_KINEMATIC) {
        return PAWL_OK;
    }
    body->mass = props.mass;
    body->inverse_mass = 1.0 / props.mass;
    if (def->kind == PAWL_BODY_POINT) {
        body->start_twist.angular = v3(0.0, 0.0, 0.0);
        body->start_twist.linear = def->twist.linear;
        return PAWL_OK;
    }
    if (!compile_positive_definite(&props.inertia)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "body '%s': inertia (%g %g %g, %g %g %g) is not positive definite",
                         def->name, props.inertia.m[0][0], props.inertia.m[1][1],
                         props.inertia.m[2][2], props.inertia.m[0][1], props.inertia.m[0][2],
                         props.inertia.m[1][2]);
    }
    body->inertia = props.inertia;
    body->inverse_inertia = m3_inverse(&props.inertia);
    body->principal = pawl_principal_axes(&props.inertia);
    double i0 = props.inertia.m[0][0];
    body->isotropic = props.inertia.m[1][1] == i0 && props.inertia.m[2][2] == i0 &&
                      props.inertia.m[0][1] == 0.0 && props.inertia.m[0][2] == 0.0 &&
                      props.inertia.m[1][2] == 0.0;
    return PAWL_OK;
}

// Joint kinds whose rows leave the orientation of both bodies alone.
//
// A point mass has no orientation that rows could act on.
static bool compile_moves_points(pawl_joint_kind kind)
{
    return kind == PAWL_JOINT_SPHERICAL || kind == PAWL_JOINT_DISTANCE ||
           kind == PAWL_JOINT_POINT_ON_LINE || kind == PAWL_JOINT_POINT_ON_PLANE ||
           kind == PAWL_JOINT_FREE || kind == PAWL_JOINT_SPAN;
}

static pawl_status compile_point_anchor(const pawl_env *env, const model_joint *j,
                                        const model_body *body, pawl_vec3 anchor, bool is_base)
{
    if (body->kind != PAWL_BODY_POINT) {
        return PAWL_OK;
    }
    // Lines and planes turn with the base, which a point cannot.
    bool fits = compile_moves_points(j->kind) &&
                (!is_base || j->kind == PAWL_JOINT_SPHERICAL || j->kind == PAWL_JOINT_DISTANCE ||
                 j->kind == PAWL_JOINT_SPAN);
    if (!fits) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s': a %s joint turns its %s, but '%s' is a point mass, which has "
                         "no orientation",
                         j->name, pawl_joint_kind_name(j->kind), is_base ? "base" : "follower",
                         body->name);
    }
    if (v3_max_abs(anchor) > 1e-12) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                         "joint '%s' is anchored %g m off the centre of point mass '%s'", j->name,
                         v3_norm(anchor), body->name);
    }
    return PAWL_OK;
}

static bool compile_can_move(const pawl_model *m, int body)
{
    return body >= 0 && m->bodies[body].inverse_mass > 0.0;
}

// `anchor` is from the centre of mass in body axes, or a point of the world.
static pawl_vec3 compile_world_point(const pawl_model *m, int body, pawl_vec3 anchor)
{
    return body < 0 ? anchor : pawl_pose_apply(m->bodies[body].start_pose, anchor);
}

// The first of three components of the rotation vector that have one spring to 0, one damper and one armature; -1: none.
// They then act equally about all axes: a torque -k rho - d w - a w' at any attitude. With rho' in place of w they
// would not be isotropic.
static int compile_isotropic(const model_joint *j)
{
    int c = j->kind == PAWL_JOINT_SPHERICAL ? 0 : j->kind == PAWL_JOINT_FREE ? 3 : -1;
    const pawl_coordinate_def *d = &j->coordinate[c < 0 ? 0 : c];
    bool same = c >= 0 && (d->damping > 0.0 || d->armature > 0.0) && d->slack == 0.0;
    for (int k = 0; k < 3 && same; ++k) {
        same = d[k].damping == d->damping && d[k].stiffness == d->stiffness &&
               (d->stiffness == 0.0 || d[k].rest == 0.0) && d[k].armature == d->armature &&
               d[k].slack == 0.0;
    }
    return same ? c : -1;
}

// Anchors [m] are from the centre of mass of each body, in its axes. Coordinates and rows are
// counted up in the model as joints are compiled. keeps_turns: the angles count full turns;
// needs_turn: rows or coordinates need the relative quaternion.
static pawl_status compile_joint(const pawl_builder *b, int index, pawl_model *m, model_joint *j)
{
    const pawl_joint_def *def = &PAWL_ITEM(b->joints, pawl_joint_def, index);
    const pawl_env *env = &b->env;
    j->kind = def->kind;
    j->base = pawl_body_index(def->base);
    j->follower = pawl_body_index(def->follower);
    j->base_frame = def->base_frame;
    j->follower_frame = def->follower_frame;
    pawl_vec3 base_com = j->base < 0 ? v3(0, 0, 0) : m->bodies[j->base].com;
    j->base_anchor = v3_sub(def->base_frame.position, base_com);
    j->follower_anchor = v3_sub(def->follower_frame.position, m->bodies[j->follower].com);
    j->base_turn = def->base_frame.orientation;
    j->follower_turn = def->follower_frame.orientation;
    j->base_axes = quat_matrix(j->base_turn);
    j->follower_axes = quat_matrix(j->follower_turn);
    j->pitch = def->pitch;
    if (def->kind == PAWL_JOINT_SPAN) {
        j->wrap = pawl_wrap_in_joint(&def->wrap, def->base_frame);
    }
    j->row_count = pawl_joint_kind_rows(j->kind);
    j->coordinate_count = pawl_joint_kind_coordinates(j->kind);
    j->first_coordinate = m->coordinate_count;
    j->keeps_turns = j->kind == PAWL_JOINT_REVOLUTE || j->kind == PAWL_JOINT_CYLINDRICAL ||
                     j->kind == PAWL_JOINT_UNIVERSAL || j->kind == PAWL_JOINT_PLANAR ||
                     j->kind == PAWL_JOINT_GIMBAL || j->kind == PAWL_JOINT_SCREW;
    j->needs_turn = j->kind == PAWL_JOINT_FIXED || j->kind == PAWL_JOINT_PRISMATIC ||
                    j->kind == PAWL_JOINT_CARTESIAN || j->kind == PAWL_JOINT_SPHERICAL ||
                    j->kind == PAWL_JOINT_GIMBAL || j->kind == PAWL_JOINT_FREE;
    memcpy(j->coordinate, def->coordinate, sizeof j->coordinate);
    j->isotropic_from = compile_isotropic(j);
    for (int c = 0; c < 6; ++c) {
        pawl_softness *own = &j->coordinate[c].limit_soft;
        *own = *pawl_softness_choose(own, &b->soft[PAWL_SOFT_LIMITS]);
    }
    j->soft = *pawl_softness_choose(&def->soft, &b->soft[PAWL_SOFT_JOINTS]);
    j->erp = def->erp;
    j->gear = PAWL_ITEM(b->gears, pawl_gear_def, index);
    m->coordinate_count += j->coordinate_count;
    m->row_count += j->row_count;
    if (j->kind == PAWL_JOINT_GEAR) {
        return PAWL_OK;
    }
    if (!compile_can_move(m, j->base) && !compile_can_move(m, j->follower)) {
        return PAWL_FAIL(env, PAWL_BAD_ARGUMENT, "joint '%s' connects two bodies that cannot move",
                         j->name);
    }
    if (j->base >= 0) {
        PAWL_TRY(compile_point_anchor(env, j, &m->bodies[j->base], j->base_anchor, true));
    }
    PAWL_TRY(compile_point_anchor(env, j, &m->bodies[j->follower], j->follower_anchor, false));
    if (j->kind == PAWL_JOINT_DISTANCE) {
        pawl_vec3 a = compile_world_point(m, j->base, j->base_anchor);
        pawl_vec3 c = compile_world_point(m, j->follower, j->follower_anchor);
        j->length = def->length > 0.0 ? def->length : v3_norm(v3_sub(c, a));
        if (!(j->length > 0.0)) {
            return PAWL_FAIL(env, PAWL_BAD_ARGUMENT,
                             "joint '%s': its anchors coincide at the start and no length is given",
                             j->name);
        }
    }
    return PAWL_OK;
}

// A coordinate that is an angle of a point mass does not exist.
static pawl_status compile_check_use(const pawl_model *m, const char *what, const char *name,
                                     int joint, int coordinate)
{
    const model_joint *j = &m->joints[joint];
    bool point = m->bodies[j->follower].kind == PAWL_BODY_POINT ||
                 (j->base >= 0 && m->bodies[j->base].kind == PAWL_BODY_POINT);
    if (point && pawl_joint_kind_is_angle(j->kind, coordinate)) {
        return PAWL_FAIL(&m->env, PAWL_BAD_ARGUMENT,
                         "%s '%s' acts on an angle of joint '%s', which connects a point mass",
                         what, name, j->name);
    }
    return PAWL_OK;
}

// What needs the bodies of joints, which a builder may not know yet when the use is added.
static pawl_status compile_check_uses(const pawl_model *m)
{
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        if (j->kind == PAWL_JOINT_GEAR) {
            const pawl_gear_def *g = &j->gear;
            PAWL_TRY(
                compile_check_use(m, "gear", j->name, pawl_joint_index(g->joint), g->coordinate));
            PAWL_TRY(compile_check_use(m, "gear", j->name, pawl_joint_index(g->source_joint),
                                       g->source_coordinate));
        }
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            if (d->stiffness > 0.0 || d->damping > 0.0 || d->armature > 0.0 || d->friction > 0.0 ||
                isfinite(d->lower) || isfinite(d->upper)) {
                PAWL_TRY(compile_check_use(m, "joint", j->name, i, c));
            }
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *a = &m->actuators[i];
        if (a->kind == PAWL_ACTUATOR_ADHESION) {
            continue; // whatever the body touches may move
        }
        PAWL_TRY(
            compile_check_use(m, "actuator", a->name, pawl_joint_index(a->joint), a->coordinate));
    }
    for (int i = 0; i < m->motion_count; ++i) {
        const pawl_motion_def *a = &m->motions[i];
        PAWL_TRY(
            compile_check_use(m, "motion", a->name, pawl_joint_index(a->joint), a->coordinate));
    }
    for (int i = 0; i < m->spring_count; ++i) {
        const pawl_spring_def *s = &m->springs[i];
        if (!compile_can_move(m, pawl_body_index(s->body_a)) &&
            !compile_can_move(m, pawl_body_index(s->body_b))) {
            return PAWL_FAIL(&m->env, PAWL_BAD_ARGUMENT,
                             "spring '%s' connects two bodies that cannot move", s->name);
        }
    }
    return PAWL_OK;
}

// Joints between one pair of bodies share six freedoms: hundreds of them are a slip (a loop in a program
// that went on), and solving them takes a time that grows with the cube of their number.
enum { COMPILE_PAIR_JOINTS = 256 };

// Sorted keys of pairs: too many equal ones are COMPILE_PAIR_JOINTS places apart.
static pawl_status compile_check_pairs(const pawl_model *m)
{
    if (m->joint_count <= COMPILE_PAIR_JOINTS) {
        return PAWL_OK;
    }
    size_t size = (size_t)m->joint_count * 2 * sizeof(uint64_t);
    uint64_t *keys = pawl_alloc(&m->env, size);
    if (keys == NULL) {
        return PAWL_FAIL(&m->env, PAWL_NO_MEMORY, "model '%s' needs %zu bytes", m->name, size);
    }
    int count = 0;
    for (int i = 0; i < m->joint_count; ++i) {
        if (m->joints[i].kind != PAWL_JOINT_GEAR) {
            keys[count++] = pawl_exclusion_key(m->joints[i].base, m->joints[i].follower);
        }
    }
    pawl_sort_keys(keys, keys + m->joint_count, count);
    pawl_status status = PAWL_OK;
    for (int i = COMPILE_PAIR_JOINTS; i < count && status == PAWL_OK; ++i) {
        if (keys[i] == keys[i - COMPILE_PAIR_JOINTS]) {
            exclusion_pair pair = pawl_exclusion_pair(keys[i]);
            status = PAWL_FAIL(&m->env, PAWL_UNSUPPORTED,
                               "'%s' and '%s' are connected by more than %d joints",
                               pair.a < 0 ? "world" : m->bodies[pair.a].name,
                               m->bodies[pair.b].name, COMPILE_PAIR_JOINTS);
        }
    }
    pawl_free(&m->env, keys, size);
    return status;
}

// Shapes in the order of their bodies, the world's first; order of adding within a body.
static void compile_sort_shapes(const pawl_builder *b, pawl_shape_info *out, uint32_t *tags,
                                uint32_t *numbers)
{
    // Files give shapes with their bodies, so insertion is linear in practice.
    for (int s = 0; s < b->shapes.count; ++s) {
        pawl_shape_info info = PAWL_ITEM(b->shapes, pawl_shape_info, s);
        int k = s;
        for (; k > 0 && pawl_body_index(out[k - 1].body) > pawl_body_index(info.body); --k) {
            out[k] = out[k - 1];
            tags[k] = tags[k - 1];
            numbers[k] = numbers[k - 1];
        }
        info.def.soft = *pawl_softness_choose(&info.def.soft, &b->soft[PAWL_SOFT_CONTACTS]);
        out[k] = info;
        tags[k] = PAWL_ITEM(b->tags[ID_SHAPE], uint32_t, s);
        numbers[k] = (uint32_t)s;
    }
}

// The names and points of all shapes, in one array each: the two passes meet the shapes in different
// orders, and arrays of their own would leave different gaps.
static void compile_shapes(const pawl_builder *b, pawl_carver *mem, pawl_shape_info *sorted)
{
    size_t letters = 0, point_count = 0, corner_count = 0;
    for (int i = 0; i < b->shapes.count; ++i) {
        const pawl_shape_def *def = &PAWL_ITEM(b->shapes, pawl_shape_info, i).def;
        letters += strlen(def->name) + 1;
        point_count += (size_t)def->point_count;
        corner_count += 3 * (size_t)def->triangle_count;
    }
    char *text = PAWL_CARVE(mem, char, letters);
    pawl_vec3 *points = PAWL_CARVE(mem, pawl_vec3, point_count);
    int *corners = PAWL_CARVE(mem, int, corner_count);
    for (int i = 0; sorted != NULL && i < b->shapes.count; ++i) {
        pawl_shape_def *def = &sorted[i].def;
        def->name = strcpy(text, def->name);
        text += strlen(text) + 1;
        if (def->point_count > 0) {
            def->points = memcpy(points, def->points, (size_t)def->point_count * sizeof *points);
            points += def->point_count;
        }
        if (def->triangle_count > 0) {
            size_t count = 3 * (size_t)def->triangle_count;
            def->triangles = memcpy(corners, def->triangles, count * sizeof *corners);
            corners += count;
        }
    }
}

// Whatever the order in which they were given, and however often: the same list, the same hash.
static pawl_status compile_exclusions(const pawl_builder *b, pawl_model *m)
{
    size_t size = (size_t)b->excluded.count * 2 * sizeof(uint64_t);
    if (size == 0) {
        return PAWL_OK;
    }
    uint64_t *keys = pawl_alloc(&b->env, size);
    if (keys == NULL) {
        return PAWL_FAIL(&b->env, PAWL_NO_MEMORY, "model '%s' needs %zu bytes", b->name, size);
    }
    memcpy(keys, b->excluded.data, size / 2);
    pawl_sort_keys(keys, keys + b->excluded.count, b->excluded.count);
    for (int i = 0; i < b->excluded.count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            exclusion_pair pair = pawl_exclusion_pair(keys[i]);
            m->exclusions[m->exclusion_count++] =
                (pawl_body_pair){model_body_id(m, pair.a), model_body_id(m, pair.b)};
        }
    }
    pawl_free(&b->env, keys, size);
    return PAWL_OK;
}

static void compile_frames(const pawl_builder *b, pawl_carver *mem, pawl_model *m)
{
    pawl_frame *frames = PAWL_CARVE(mem, pawl_frame, b->frames.count);
    for (int i = 0; i < b->frames.count; ++i) {
        pawl_frame frame = PAWL_ITEM(b->frames, pawl_frame, i);
        frame.name = pawl_compile_text(mem, frame.name);
        if (frames != NULL) {
            frames[i] = frame;
        }
    }
    if (m != NULL) {
        m->frame_count = b->frames.count;
        m->frames = frames;
    }
}

static void compile_warnings(const pawl_builder *b, pawl_carver *mem, pawl_model *m)
{
    pawl_warning *warnings = PAWL_CARVE(mem, pawl_warning, b->warnings.count);
    for (int i = 0; i < b->warnings.count; ++i) {
        pawl_warning warning = PAWL_ITEM(b->warnings, pawl_warning, i);
        warning.where = pawl_compile_text(mem, warning.where);
        warning.text = pawl_compile_text(mem, warning.text);
        warning.advice = pawl_compile_text(mem, warning.advice);
        if (warnings != NULL) {
            warnings[i] = warning;
        }
    }
    if (m != NULL) {
        m->warning_count = b->warnings.count;
        m->warnings = warnings;
    }
}

// Kept as given: they are applied when a state is made, with the joints of the whole model known.
static void compile_starts(const pawl_builder *b, pawl_carver *mem, pawl_model *m)
{
    pawl_joint_start *starts = PAWL_CARVE(mem, pawl_joint_start, b->starts.count);
    if (m != NULL) {
        m->start_count = b->starts.count;
        m->starts = starts;
        for (int i = 0; i < b->starts.count; ++i) {
            starts[i] = PAWL_ITEM(b->starts, pawl_joint_start, i);
        }
    }
}

static void compile_ids(const pawl_builder *b, pawl_carver *mem, pawl_model *m,
                        pawl_shape_info *shapes)
{
    for (int kind = 0; kind < ID_KINDS; ++kind) {
        id_table table = pawl_builder_ids(b, (id_kind)kind);
        uint32_t *tags = PAWL_CARVE(mem, uint32_t, table.count);
        uint32_t *numbers = kind == ID_SHAPE ? PAWL_CARVE(mem, uint32_t, table.count) : NULL;
        if (m == NULL) {
            continue;
        }
        if (kind == ID_SHAPE) {
            compile_sort_shapes(b, shapes, tags, numbers);
        } else if (table.count > 0) {
            memcpy(tags, table.tags, (size_t)table.count * sizeof *tags);
        }
        m->ids[kind] = (id_table){table.what, tags, numbers, table.count};
    }
}

// Runs twice: with mem->base NULL it only counts.
//
// Both passes must carve in the same order and with the same sizes, hence one function with `fill`.
static pawl_model *compile_layout(const pawl_builder *b, pawl_carver *mem)
{
    pawl_model *m = PAWL_CARVE(mem, pawl_model, 1);
    model_body *bodies = PAWL_CARVE(mem, model_body, b->bodies.count);
    model_joint *joints = PAWL_CARVE(mem, model_joint, b->joints.count);
    pawl_shape_info *shapes = PAWL_CARVE(mem, pawl_shape_info, b->shapes.count);
    pawl_actuator_def *actuators = PAWL_CARVE(mem, pawl_actuator_def, b->actuators.count);
    pawl_motion_def *motions = PAWL_CARVE(mem, pawl_motion_def, b->motions.count);
    pawl_force_def *forces = PAWL_CARVE(mem, pawl_force_def, b->forces.count);
    pawl_spring_def *springs = PAWL_CARVE(mem, pawl_spring_def, b->springs.count);
    pawl_body_pair *exclusions = PAWL_CARVE(mem, pawl_body_pair, b->excluded.count);
    char *name = pawl_compile_text(mem, b->name);
    bool fill = m != NULL;
    if (fill) {
        *m = (pawl_model){.env = b->env,
                          .name = name,
                          .gravity = b->gravity,
                          .medium = b->medium,
                          .friction_scale = 1.0,
                          .body_count = b->bodies.count,
                          .joint_count = b->joints.count,
                          .shape_count = b->shapes.count,
                          .actuator_count = b->actuators.count,
                          .motion_count = b->motions.count,
                          .force_count = b->forces.count,
                          .spring_count = b->springs.count,
                          .bodies = bodies,
                          .joints = joints,
                          .shapes = shapes,
                          .actuators = actuators,
                          .motions = motions,
                          .forces = forces,
                          .springs = springs,
                          .exclusions = exclusions};
    }
    compile_ids(b, mem, m, shapes);
    for (int i = 0; i < b->bodies.count; ++i) {
        pawl_body_def def = PAWL_ITEM(b->bodies, pawl_body_def, i);
        char *text = pawl_compile_text(mem, def.name);
        for (int k = 0; k < 6; ++k) {
            compile_signal(mem, &def.motion[k]);
        }
        if (fill) {
            bodies[i].name = text;
            memcpy(bodies[i].motion, def.motion, sizeof def.motion);
        }
    }
    for (int i = 0; i < b->joints.count; ++i) {
        char *text = pawl_compile_text(mem, PAWL_ITEM(b->joints, pawl_joint_def, i).name);
        if (fill) {
            joints[i].name = text;
        }
    }
    compile_shapes(b, mem, shapes);
    for (int i = 0; i < b->actuators.count; ++i) {
        pawl_actuator_def def = PAWL_ITEM(b->actuators, pawl_actuator_def, i);
        def.name = pawl_compile_text(mem, def.name);
        compile_signal(mem, &def.target);
        if (fill) {
            actuators[i] = def;
        }
    }
    for (int i = 0; i < b->motions.count; ++i) {
        pawl_motion_def def = PAWL_ITEM(b->motions, pawl_motion_def, i);
        def.name = pawl_compile_text(mem, def.name);
        compile_signal(mem, &def.target);
        if (fill) {
            motions[i] = def;
        }
    }
    for (int i = 0; i < b->forces.count; ++i) {
        pawl_force_def def = PAWL_ITEM(b->forces, pawl_force_def, i);
        def.name = pawl_compile_text(mem, def.name);
        for (int k = 0; k < 3; ++k) {
            compile_signal(mem, &def.force[k]);
            compile_signal(mem, &def.torque[k]);
        }
        if (fill) {
            forces[i] = def;
        }
    }
    for (int i = 0; i < b->springs.count; ++i) {
        pawl_spring_def def = PAWL_ITEM(b->springs, pawl_spring_def, i);
        def.name = pawl_compile_text(mem, def.name);
        if (fill) {
            springs[i] = def;
        }
    }
    pawl_compile_wrench_layout(b, mem, m);
    compile_starts(b, mem, m);
    compile_warnings(b, mem, m);
    compile_frames(b, mem, m);
    return m;
}

// A callback adds only its kind, because its values cannot be hashed.
static uint64_t compile_hash_signal(uint64_t h, const pawl_signal *s)
{
    const double numbers[] = {(double)s->kind, s->value, s->amplitude,
                              s->frequency,    s->phase, (double)s->interpolation,
                              (double)s->count};
    h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
    if (s->period > 0.0) { // what does not repeat adds nothing
        h = pawl_hash_doubles(h, &s->period, 1);
    }
    h = pawl_hash_doubles(h, s->times, (size_t)s->count);
    return pawl_hash_doubles(h, s->values, (size_t)s->count);
}

uint64_t pawl_compile_hash_pose(uint64_t h, pawl_pose p)
{
    const double numbers[] = {p.position.x,    p.position.y,    p.position.z,   p.orientation.w,
                              p.orientation.x, p.orientation.y, p.orientation.z};
    return pawl_hash_doubles(h, numbers, 7);
}

// What is not soft and has no erp of its own adds nothing.
static uint64_t compile_hash_soft(uint64_t h, const pawl_softness *s, double erp)
{
    if (s->time_constant != 0.0) {
        h = pawl_hash_doubles(h, &s->time_constant, sizeof *s / sizeof(double));
    }
    return erp != 0.0 ? pawl_hash_doubles(h, &erp, 1) : h;
}

// Field by field: padding bytes and pointers must not count.
//
// The hash identifies the physics: a saved state is accepted only by a model with the same one. Newer
// fields are added only where they differ from their defaults, so that old models keep their hashes.
static uint64_t compile_hash(const pawl_model *m)
{
    uint64_t h = pawl_hash_text(PAWL_HASH_SEED, m->name);
    const double world[] = {m->gravity.x, m->gravity.y, m->gravity.z};
    h = pawl_hash_doubles(h, world, 3);
    if (m->medium.density > 0.0) {
        const double medium[] = {m->medium.density, m->medium.wind.x, m->medium.wind.y,
                                 m->medium.wind.z};
        h = pawl_hash_doubles(h, medium, 4);
    }
    for (int i = 0; i < m->body_count; ++i) {
        const model_body *b = &m->bodies[i];
        const double numbers[] = {(double)b->kind,
                                  b->mass,
                                  b->gravity_scale,
                                  b->linear_damping,
                                  b->angular_damping,
                                  b->com.x,
                                  b->com.y,
                                  b->com.z,
                                  b->start_twist.linear.x,
                                  b->start_twist.linear.y,
                                  b->start_twist.linear.z,
                                  b->start_twist.angular.x,
                                  b->start_twist.angular.y,
                                  b->start_twist.angular.z};
        h = pawl_hash_text(h, b->name);
        h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
        if (b->family != 0) {
            const double family = b->family;
            h = pawl_hash_doubles(h, &family, 1);
        }
        h = pawl_hash_doubles(h, &b->inertia.m[0][0], 9);
        h = pawl_compile_hash_pose(h, b->start_pose);
        for (int k = 0; k < 6; ++k) {
            h = compile_hash_signal(h, &b->motion[k]);
        }
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const model_joint *j = &m->joints[i];
        const double numbers[] = {(double)j->kind,
                                  (double)j->base,
                                  (double)j->follower,
                                  j->pitch,
                                  j->length,
                                  (double)pawl_joint_index(j->gear.joint),
                                  (double)j->gear.coordinate,
                                  (double)pawl_joint_index(j->gear.source_joint),
                                  (double)j->gear.source_coordinate,
                                  j->gear.ratio,
                                  j->gear.offset};
        h = pawl_hash_text(h, j->name);
        h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
        h = pawl_compile_hash_pose(h, j->base_frame);
        h = pawl_compile_hash_pose(h, j->follower_frame);
        for (int c = 0; c < j->coordinate_count; ++c) {
            const pawl_coordinate_def *d = &j->coordinate[c];
            h = pawl_hash_doubles(h, &d->lower,
                                  offsetof(pawl_coordinate_def, limit_erp) / sizeof(double));
            h = d->slack != 0.0 ? pawl_hash_doubles(h, &d->slack, 1) : h;
            h = compile_hash_soft(h, &d->limit_soft, d->limit_erp);
        }
        h = compile_hash_soft(h, &j->soft, j->erp);
        if (j->wrap.kind != PAWL_WRAP_NONE) {
            const model_wrap *w = &j->wrap;
            const double wrap[] = {(double)w->kind, w->radius,   w->centre.x,
                                   w->centre.y,     w->centre.z, (double)w->sided,
                                   w->side.x,       w->side.y,   w->side.z};
            h = pawl_hash_doubles(h, wrap, sizeof wrap / sizeof wrap[0]);
            h = pawl_hash_doubles(h, &w->axes.m[0][0], 9);
        }
        if (j->gear.curve[0] != 0.0 || j->gear.curve[1] != 0.0 || j->gear.curve[2] != 0.0) {
            h = pawl_hash_doubles(h, j->gear.curve, 3);
        }
    }
    for (int i = 0; i < m->actuator_count; ++i) {
        const pawl_actuator_def *a = &m->actuators[i];
        const double numbers[] = {(double)a->kind,
                                  (double)pawl_joint_index(a->joint),
                                  (double)a->coordinate,
                                  a->stiffness,
                                  a->damping,
                                  a->effort};
        h = pawl_hash_doubles(h, numbers, 6);
        if (a->muscle.peak > 0.0) {
            double muscle[MUSCLE_NUMBERS];
            pawl_muscle_numbers(&a->muscle, muscle);
            h = pawl_hash_doubles(h, muscle, MUSCLE_NUMBERS);
        }
        h = compile_hash_signal(h, &a->target);
    }
    for (int i = 0; i < m->motion_count; ++i) {
        const pawl_motion_def *a = &m->motions[i];
        const double numbers[] = {(double)pawl_joint_index(a->joint), (double)a->coordinate};
        h = pawl_hash_doubles(h, numbers, 2);
        h = compile_hash_signal(h, &a->target);
    }
    for (int i = 0; i < m->force_count; ++i) {
        const pawl_force_def *f = &m->forces[i];
        const double numbers[] = {(double)pawl_body_index(f->body), f->point.x, f->point.y,
                                  f->point.z, f->in_body_axes ? 1.0 : 0.0};
        h = pawl_hash_doubles(h, numbers, 5);
        for (int k = 0; k < 3; ++k) {
            h = compile_hash_signal(h, &f->force[k]);
            h = compile_hash_signal(h, &f->torque[k]);
        }
    }
    for (int i = 0; i < m->shape_count; ++i) {
        const pawl_shape_info *s = &m->shapes[i];
        if (s->def.visual_only) {
            continue; // only drawn
        }
        const double numbers[] = {(double)pawl_body_index(s->body),
                                  (double)s->def.kind,
                                  s->def.size.x,
                                  s->def.size.y,
                                  s->def.size.z,
                                  s->def.friction,
                                  s->def.restitution,
                                  (double)s->def.group,
                                  (double)s->def.mask,
                                  (double)s->def.point_count,
                                  s->def.torsional_friction,
                                  s->def.rolling_friction};
        h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
        if (s->def.impact_friction >= 0.0) {
            h = pawl_hash_doubles(h, &s->def.impact_friction, 1);
        }
        h = pawl_compile_hash_pose(h, s->def.frame);
        h = compile_hash_soft(h, &s->def.soft, s->def.erp);
        for (int k = 0; k < s->def.point_count; ++k) {
            const pawl_vec3 *v = &s->def.points[k];
            h = pawl_hash_doubles(h, (const double[]){v->x, v->y, v->z}, 3);
        }
        for (int k = 0; k < 3 * s->def.triangle_count; ++k) {
            h = pawl_hash_doubles(h, (const double[]){(double)s->def.triangles[k]}, 1);
        }
    }
    for (int i = 0; i < m->spring_count; ++i) {
        const pawl_spring_def *s = &m->springs[i];
        const double numbers[] = {(double)pawl_body_index(s->body_a),
                                  (double)pawl_body_index(s->body_b),
                                  s->point_a.x,
                                  s->point_a.y,
                                  s->point_a.z,
                                  s->point_b.x,
                                  s->point_b.y,
                                  s->point_b.z,
                                  s->stiffness,
                                  s->rest_length,
                                  s->damping};
        h = pawl_hash_doubles(h, numbers, sizeof numbers / sizeof numbers[0]);
    }
    for (int i = 0; i < m->exclusion_count; ++i) {
        const double numbers[] = {pawl_body_index(m->exclusions[i].a),
                                  pawl_body_index(m->exclusions[i].b)};
        h = pawl_hash_doubles(h, numbers, 2);
    }
    return pawl_compile_wrench_hash(h, m);
}

// Bodies before joints, which need centres of mass; sizes and hash last, which need all.
static pawl_status compile_fill(const pawl_builder *b, pawl_model *m)
{
    int shape = 0;
    while (shape < m->shape_count && pawl_body_index(m->shapes[shape].body) < 0) {
        ++shape;
    }
    for (int i = 0; i < m->body_count; ++i) {
        model_body *body = &m->bodies[i];
        const char *name = body->name;
        pawl_signal motion[6];
        memcpy(motion, body->motion, sizeof motion);
        int first = shape;
        while (shape < m->shape_count && pawl_body_index(m->shapes[shape].body) == i) {
            ++shape;
        }
        *body = (model_body){.name = name, .first_shape = first, .shape_count = shape - first};
        PAWL_TRY(compile_body(b, i, m->shapes + first, shape - first, body));
        memcpy(body->motion, motion, sizeof motion); // the model's own copies of the tables
        m->total_mass += body->mass;
        m->velocity_count += body->kind == PAWL_BODY_RIGID   ? 6
                             : body->kind == PAWL_BODY_POINT ? 3
                                                             : 0;
    }
    for (int i = 0; i < m->joint_count; ++i) {
        const char *name = m->joints[i].name;
        m->joints[i] = (model_joint){.name = name};
        PAWL_TRY(compile_joint(b, i, m, &m->joints[i]));
    }
    for (int i = 0; i < m->shape_count; ++i) {
        const pawl_shape_def *d = &m->shapes[i].def;
        bool spin = d->torsional_friction > 0.0 || d->rolling_friction > 0.0;
        m->spin_friction = m->spin_friction || (spin && !d->visual_only);
    }
    m->row_count += m->motion_count;
    PAWL_TRY(compile_check_uses(m));
    PAWL_TRY(compile_check_pairs(m));
    PAWL_TRY(compile_exclusions(b, m));
    for (int i = 0; i < m->start_count; ++i) {
        PAWL_TRY(pawl_joint_can_move(&b->env, m, pawl_joint_index(m->starts[i].joint)));
    }
    pawl_model_measure(m);
    m->hash = compile_hash(m);
    return PAWL_OK;
}

// The builder stays as it is and can be compiled again. On failure *out is NULL.
pawl_status pawl_builder_compile(const pawl_builder *b, pawl_model **out)
{
    PAWL_NEED(NULL, b);
    PAWL_NEED(&b->env, out);
    *out = NULL;
    if (!v3_finite(b->gravity)) {
        return PAWL_FAIL(&b->env, PAWL_BAD_ARGUMENT, "model '%s': gravity is not finite", b->name);
    }
    pawl_carver need = {0};
    compile_layout(b, &need);
    char *block = pawl_alloc(&b->env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(&b->env, PAWL_NO_MEMORY, "model '%s' needs %zu bytes", b->name, need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_model *m = compile_layout(b, &mem);
    m->bytes = need.used;
    pawl_status status = compile_fill(b, m);
    if (status != PAWL_OK) {
        pawl_free(&b->env, block, need.used);
        return status;
    }
    *out = m;
    return PAWL_OK;
}

void pawl_model_destroy(pawl_model *model)
{
    if (model != NULL) {
        pawl_env env = model->env;
        pawl_free(&env, model, model->bytes);
    }
}
