// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies, joints and shapes of the model from the tree of MJCF.
//
// A body without a joint is welded to its parent: its mass and its shapes are part of the body that it is welded to
// (`carrier`). A body with several joints has them in a chain, in the order of the file, with an auxiliary body
// between each two. In MuJoCo there is no mass between such joints; here the auxiliary bodies have a millionth of the
// body's mass and inertia, which changes the motion by about as much.
//
// The file's configuration has all coordinates at their `ref`. Joint frames are chosen so that coordinates have
// MuJoCo's values.
#include "math/principal.h"
#include "math/rotation.h"
#include "read/inertia_mend.h"
#include "read/mjcf_parts.h"
#include <stdio.h>
#include <string.h>

static const double mjcf_auxiliary =
    1e-6; // mass of an auxiliary body, as a part of the one it leads to
static const double mjcf_least_turn =
    1e-8; // its inertia, of that by which joints turn the body's mass

pawl_pose mjcf_in_carrier(const mjcf_reader *r, int body, pawl_body_id *id)
{
    const mjcf_body *b = MJCF_BODY_AT(r, body), *carrier = MJCF_BODY_AT(r, b->carrier);
    *id = carrier->id;
    return pawl_pose_compose(pawl_pose_inverse(carrier->world), b->world);
}

// A body's joints act one after the other, each in the frame that those before it moved. Balls and free joints have no
// springref.
pawl_pose mjcf_pose_at(const mjcf_reader *r, int body, const double *way_of)
{
    const mjcf_body *b = MJCF_BODY_AT(r, body);
    if (body == MJCF_WORLD) {
        return b->world;
    }
    pawl_pose from_parent =
        pawl_pose_compose(pawl_pose_inverse(MJCF_BODY_AT(r, b->parent)->world), b->world);
    pawl_pose pose = pawl_pose_compose(mjcf_pose_at(r, b->parent, way_of), from_parent);
    for (int k = 0; k < b->joint_count; ++k) {
        const mjcf_joint *j = MJCF_JOINT_AT(r, b->first_joint + k);
        double way = way_of != NULL          ? way_of[b->first_joint + k]
                     : j->type >= MJCF_SLIDE ? j->coordinate.rest - j->ref
                                             : 0.0;
        pawl_vec3 axis = v3_scale(way / max_of(v3_norm(j->axis), 1e-300), j->axis);
        pawl_pose move = {.orientation = {1.0, 0.0, 0.0, 0.0}, .position = axis};
        if (j->type == MJCF_HINGE) {
            move.orientation = quat_exp(axis);
            move.position = v3_sub(j->pos, pawl_quat_rotate(move.orientation, j->pos));
        }
        pose = pawl_pose_compose(pose, move);
    }
    return pose;
}

static void mjcf_find_carriers(mjcf_reader *r)
{
    for (int i = 1; i < r->bodies.count; ++i) { // parents come before their children
        mjcf_body *b = MJCF_BODY_AT(r, i);
        b->carrier = b->joint_count > 0 || b->mocap ? i : MJCF_BODY_AT(r, b->parent)->carrier;
    }
}

// --- bodies --------------------------------------------------------------------------------------

static pawl_status mjcf_add_body(mjcf_reader *r, int index)
{
    mjcf_body *b = MJCF_BODY_AT(r, index);
    pawl_body_def def = pawl_body_def_default();
    double drag = 0.0; // of a viscous medium [N s/m]
    def.name = b->name;
    def.pose = b->world;
    def.kind = b->joint_count == 0 ? PAWL_BODY_KINEMATIC : PAWL_BODY_RIGID;
    def.mass = b->mass.mass;
    def.com = b->mass.com;
    memcpy(def.inertia, b->mass.inertia, sizeof def.inertia);
    def.gravity_scale = r->gravity_off ? 0.0 : 1.0 - b->gravcomp;
    if (def.kind == PAWL_BODY_RIGID && !(def.mass > 0.0)) {
        return xml_error(r->xml, b->e.node,
                         "body '%s' can move but has no mass: give it a geom with a mass, or an "
                         "<inertial>",
                         b->name);
    }
    if (def.kind == PAWL_BODY_RIGID) {
        PAWL_TRY(inertia_mend(r->xml, b->e.node, b->name, def.inertia));
    }
    if (r->viscosity > 0.0 && def.kind == PAWL_BODY_RIGID) {
        // MuJoCo's drag of a ball as large as the box that has the body's inertia: 6 pi eta r v, 8 pi eta r^3 w.
        const double pi = 3.14159265358979323846;
        pawl_mat3 tensor = m3_from_six(def.inertia);
        principal_axes p = pawl_principal_axes(&tensor);
        double side = 0.0;
        for (int i = 0; i < 3; ++i) {
            double sum = p.moment[(i + 1) % 3] + p.moment[(i + 2) % 3] - p.moment[i];
            side += sqrt(max_of(sum, 1e-15) / def.mass * 6.0);
        }
        double radius = side / 3.0 / 2.0;
        drag = def.linear_damping = 6.0 * pi * r->viscosity * radius;
        def.angular_damping = 8.0 * pi * r->viscosity * radius * radius * radius;
    }
    if (b->joint_count > 0) {
        const mjcf_joint *first = MJCF_JOINT_AT(r, b->first_joint);
        if (first->type == MJCF_FREE) {
            def.linear_damping += first->coordinate.damping;
            def.angular_damping += first->coordinate.damping;
            for (int k = 0; k < 3; ++k) {
                def.inertia[k] += first->coordinate.armature;
            }
        }
    }
    PAWL_TRY(xml_refused(r->xml, b->e.node, "body", b->name,
                         pawl_builder_add_body(r->builder, &def, &b->id)));
    if (!(drag > 0.0) || v3_max_abs(r->wind) == 0.0) {
        return PAWL_OK;
    }
    // The drag -c (v - wind) of the medium is the body's damping and a constant force.
    pawl_force_def force = pawl_force_def_default();
    force.body = b->id;
    force.point = def.com;
    for (int i = 0; i < 3; ++i) {
        force.force[i] = pawl_signal_constant(drag * v3_get(r->wind, i));
    }
    return xml_refused(r->xml, b->e.node, "wind on body", b->name,
                       pawl_builder_add_force(r->builder, &force, NULL));
}

// The carrier's gravity acts on all that it carries with the carrier's gravcomp. The difference for a welded body is
// a constant force at its own centre, m (gravcomp of the carrier - its own) g.
static pawl_status mjcf_add_gravcomp(mjcf_reader *r, const mjcf_body *b)
{
    const mjcf_body *carrier = MJCF_BODY_AT(r, b->carrier);
    double part = b->mass.mass * (carrier->gravcomp - b->gravcomp);
    if (b->carrier == MJCF_WORLD || carrier->joint_count == 0 || r->gravity_off || part == 0.0) {
        return PAWL_OK;
    }
    pawl_pose pose = pawl_pose_compose(pawl_pose_inverse(carrier->world), b->world);
    pawl_force_def force = pawl_force_def_default();
    force.body = carrier->id;
    force.point = pawl_pose_apply(pose, b->mass.com);
    for (int i = 0; i < 3; ++i) {
        force.force[i] = pawl_signal_constant(part * v3_get(r->gravity, i));
    }
    return xml_refused(r->xml, b->e.node, "gravcomp of body", b->name,
                       pawl_builder_add_force(r->builder, &force, NULL));
}

static pawl_status mjcf_add_bodies(mjcf_reader *r)
{
    for (int i = r->bodies.count - 1; i > 0; --i) { // masses go up to the carriers
        mjcf_body *b = MJCF_BODY_AT(r, i);
        if (b->carrier != i && b->carrier != MJCF_WORLD) {
            mjcf_body *c = MJCF_BODY_AT(r, b->carrier);
            pawl_pose pose = pawl_pose_compose(pawl_pose_inverse(c->world), b->world);
            c->mass = lumped_mass_add(c->mass, lumped_mass_moved(b->mass, pose));
        }
    }
    for (int i = 1; i < r->bodies.count; ++i) {
        const mjcf_body *b = MJCF_BODY_AT(r, i);
        if (b->carrier == i) {
            PAWL_TRY(mjcf_add_body(r, i));
            continue;
        }
        pawl_frame frame = {.name = b->name};
        frame.pose = mjcf_in_carrier(r, i, &frame.body);
        PAWL_TRY(xml_refused(r->xml, b->e.node, "body", b->name,
                             pawl_builder_add_frame(r->builder, &frame)));
        PAWL_TRY(mjcf_add_gravcomp(r, b));
    }
    return PAWL_OK;
}

// --- joints --------------------------------------------------------------------------------------

// A body between two joints of `b`, where b is.
static pawl_status mjcf_add_auxiliary(mjcf_reader *r, const mjcf_body *b, const char *joint,
                                      pawl_body_id *out)
{
    pawl_body_def def = pawl_body_def_default();
    def.name = mjcf_concat(r, b->name, "::", joint);
    if (def.name == NULL) {
        return PAWL_NO_MEMORY;
    }
    def.pose = b->world;
    def.com = b->mass.com;
    def.mass = mjcf_auxiliary * b->mass.mass;
    // A mass in a point far from its joints turns with m l^2, against which a millionth of its own inertia is nothing: a
    // double could not hold both.
    double trace = b->mass.inertia[0] + b->mass.inertia[1] + b->mass.inertia[2], lever = 0.0;
    for (int k = 0; k < b->joint_count; ++k) {
        const mjcf_joint *j = MJCF_JOINT_AT(r, b->first_joint + k);
        lever = max_of(lever, v3_norm(v3_sub(j->pos, b->mass.com)));
    }
    for (int i = 0; i < 3; ++i) {
        def.inertia[i] =
            max_of(mjcf_auxiliary * trace / 3.0, mjcf_least_turn * b->mass.mass * lever * lever);
    }
    def.gravity_scale = 0.0;
    return xml_refused(r->xml, b->e.node, "auxiliary body", def.name,
                       pawl_builder_add_body(r->builder, &def, out));
}

// A name that no joint has yet: the file's, or one made from the body's.
static pawl_status mjcf_joint_name(mjcf_reader *r, mjcf_joint *j, int k)
{
    const mjcf_body *b = MJCF_BODY_AT(r, j->body);
    char made[32];
    for (int i = k; j->name == NULL; ++i) {
        snprintf(made, sizeof made, "::joint%d", i);
        made[i == 0 ? 0 : strlen(made)] = '\0'; // the first is called as its body
        const char *name = mjcf_concat(r, b->name, made, "");
        if (name == NULL) {
            return PAWL_NO_MEMORY;
        }
        if (pawl_name_table_find(&r->names, MJCF_JOINT, name, strlen(name)) < 0) {
            j->name = name;
            PAWL_TRY(mjcf_enter(r, j->e.node, MJCF_JOINT, name, (int)(j - MJCF_JOINT_AT(r, 0))));
        }
    }
    return PAWL_OK;
}

static pawl_status mjcf_add_joint(mjcf_reader *r, mjcf_joint *j, pawl_body_id base,
                                  pawl_pose base_world, pawl_body_id follower)
{
    static const pawl_joint_kind kinds[] = {PAWL_JOINT_FREE, PAWL_JOINT_SPHERICAL,
                                            PAWL_JOINT_PRISMATIC, PAWL_JOINT_REVOLUTE};
    const mjcf_body *b = MJCF_BODY_AT(r, j->body);
    pawl_joint_def def = pawl_joint_def_default();
    def.name = j->name;
    def.kind = kinds[j->type];
    def.base = base;
    def.follower = follower;
    if (j->type == MJCF_FREE) {
        for (int c = 0; c < 6; ++c) { // damping is the body's; armature of turns, in its inertia
            def.coordinate[c].armature = c < 3 ? j->coordinate.armature : 0.0;
            def.coordinate[c].stiffness = r->springs_off ? 0.0 : j->coordinate.stiffness;
            def.coordinate[c].friction = r->friction_off ? 0.0 : j->coordinate.friction;
            pawl_vec3 turn = quat_log(b->world.orientation);
            def.coordinate[c].rest = c < 3 ? v3_get(b->world.position, c) : v3_get(turn, c - 3);
        }
        return xml_refused(r->xml, j->e.node, "joint", j->name,
                           pawl_builder_add_joint(r->builder, &def, &j->id));
    }
    bool one = j->type != MJCF_BALL;
    pawl_pose frame = {j->pos, {1.0, 0.0, 0.0, 0.0}}, back = pawl_pose_identity();
    if (one) {
        frame.orientation = pawl_quat_from_axes(j->axis, v3(0.0, 0.0, 0.0));
    }
    if (j->type == MJCF_HINGE) {
        back.orientation = pawl_quat_from_axis_angle(v3(1.0, 0.0, 0.0), -j->ref);
    } else if (j->type == MJCF_SLIDE) {
        back.position = v3(-j->ref, 0.0, 0.0);
    }
    def.follower_frame = frame;
    def.base_frame = pawl_pose_compose(pawl_pose_compose(pawl_pose_inverse(base_world), b->world),
                                       pawl_pose_compose(frame, back));
    pawl_coordinate_def *own = &j->coordinate;
    own->lower = r->limits_off ? -INFINITY : own->lower;
    own->upper = r->limits_off ? INFINITY : own->upper;
    own->friction = r->friction_off ? 0.0 : own->friction;
    own->stiffness = r->springs_off ? 0.0 : own->stiffness;
    own->damping = r->dampers_off ? 0.0 : own->damping;
    for (int c = 0; c < (one ? 1 : 3); ++c) {
        def.coordinate[c] = *own;
    }
    if (!one && j->ranged) {
        PAWL_TRY(xml_tally(r->xml, PAWL_LOG_WARNING, j->e.node,
                           "the limit of a ball joint holds each part of its rotation vector, not "
                           "the angle",
                           j->name));
    }
    return xml_refused(r->xml, j->e.node, "joint", j->name,
                       pawl_builder_add_joint(r->builder, &def, &j->id));
}

static pawl_status mjcf_add_joints(mjcf_reader *r, int index)
{
    const mjcf_body *b = MJCF_BODY_AT(r, index);
    pawl_body_id base;
    mjcf_in_carrier(r, b->parent, &base);
    pawl_body_id parent = base;
    pawl_pose base_world = MJCF_BODY_AT(r, MJCF_BODY_AT(r, b->parent)->carrier)->world;
    for (int k = 0; k < b->joint_count; ++k) {
        mjcf_joint *j = MJCF_JOINT_AT(r, b->first_joint + k);
        pawl_body_id follower = b->id;
        PAWL_TRY(mjcf_joint_name(r, j, k));
        if (k + 1 < b->joint_count) {
            PAWL_TRY(mjcf_add_auxiliary(r, b, j->name, &follower));
        }
        PAWL_TRY(mjcf_add_joint(r, j, base, base_world, follower));
        base = follower;
        base_world = b->world;
    }
    // Parent and child do not touch, unless the parent is the world.
    if (b->joint_count > 1 && !pawl_body_is_world(parent)) {
        return pawl_builder_exclude(r->builder, parent, b->id);
    }
    return PAWL_OK;
}

pawl_status mjcf_build(mjcf_reader *r)
{
    for (int i = 1; i < r->bodies.count; ++i) {
        PAWL_TRY(mjcf_mass_of_body(r, i));
    }
    PAWL_TRY(mjcf_mass_total(r, &r->specs->compiler));
    PAWL_TRY(mjcf_dofs_measure(r));
    mjcf_find_carriers(r);
    PAWL_TRY(mjcf_add_bodies(r));
    for (int i = 1; i < r->bodies.count; ++i) {
        PAWL_TRY(mjcf_add_joints(r, i));
    }
    return mjcf_contacts_build(r);
}
