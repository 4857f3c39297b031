// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The compiled model as the engine reads it: anchors relative to centres of mass, rows counted,
// signals with their tables. Immutable; one block of memory.
#pragma once
#include "base/guard.h"
#include "math/principal.h"
#include "math/rotation.h"
#include "pawl/model.h"
#include "pawl/wrench.h"

typedef struct model_body {
    const char *name;
    pawl_body_kind kind;
    double mass;         // 0 for kinematic bodies
    double inverse_mass; // 0 for kinematic bodies
    pawl_vec3 com;       // in the link frame
    pawl_mat3 inertia;   // about the centre of mass, body axes; 0 for points and kinematic bodies
    pawl_mat3 inverse_inertia;
    bool isotropic;           // inertia is a multiple of 1: no gyroscopic torque
    principal_axes principal; // of the inertia
    double gravity_scale, linear_damping, angular_damping;
    int family;             // of bodies that never touch each other; 0: none
    pawl_pose start_pose;   // of the centre of mass
    pawl_twist start_twist; // of the centre of mass
    pawl_signal motion[6];
    int first_shape, shape_count;
    double size; // how large it is, see body_size.c [m]
} model_body;

typedef struct model_wrap { // in the base's joint frame
    pawl_wrap_kind kind;
    double radius;
    pawl_vec3 centre;
    pawl_mat3 axes; // columns
    bool sided;
    pawl_vec3 side; // in its own frame
} model_wrap;

typedef struct model_joint {
    const char *name;
    pawl_joint_kind kind;
    int base, follower;
    pawl_vec3 base_anchor, follower_anchor; // from the centres of mass, body axes
    pawl_mat3 base_axes, follower_axes;     // joint frame axes in body axes
    pawl_quat base_turn, follower_turn;     // the same as quaternions
    double pitch, length;
    int row_count;
    int first_coordinate, coordinate_count; // into the model's flat list of coordinates
    bool keeps_turns;                       // has angles that count full turns
    bool needs_turn;                        // its rows or coordinates use the relative quaternion
    int isotropic_from; // the first of three components of the rotation vector with one spring, damper and armature; -1: none
    pawl_coordinate_def coordinate[6];
    pawl_softness soft;
    double erp;
    pawl_pose base_frame, follower_frame; // as given, for queries
    pawl_gear_def gear;                   // PAWL_JOINT_GEAR only
    model_wrap wrap;                      // PAWL_JOINT_SPAN only
    double size;                          // of the smaller of its bodies [m]
} model_joint;

// Kinds of things that have ids; see pawl/id.h.
typedef enum id_kind {
    ID_BODY,
    ID_JOINT,
    ID_SHAPE,
    ID_ACTUATOR,
    ID_MOTION,
    ID_FORCE,
    ID_SPRING,
    ID_KINDS
} id_kind;

struct pawl_model {
    pawl_env env;
    size_t bytes;
    const char *name;
    uint64_t hash;
    pawl_vec3 gravity;
    pawl_medium medium;
    double friction_scale; // of all friction: 1, but for live models (live_model.h)
    double total_mass;
    double size; // of the largest body that can move, see body_size.c [m]
    int body_count, joint_count, shape_count, actuator_count, motion_count, force_count,
        spring_count, exclusion_count, coordinate_count;
    int row_count;      // joint rows and motion rows
    int velocity_count; // of bodies that can move
    bool spin_friction; // some shape that can touch has torsional or rolling friction
    model_body *bodies;
    model_joint *joints;
    pawl_shape_info *shapes; // in the order of their bodies
    pawl_actuator_def *actuators;
    pawl_motion_def *motions;
    pawl_force_def *forces;
    pawl_spring_def *springs;
    pawl_body_pair *exclusions; // ascending, each once
    int wrench_model_count, contact_point_count, heightfield_count;
    pawl_wrench_model_def *wrench_models;
    pawl_contact_point_def *contact_points;
    pawl_heightfield_def *heightfields;
    int start_count;
    pawl_joint_start *starts; // joints that begin elsewhere than the poses of the bodies say
    int warning_count;
    pawl_warning *warnings; // of its source
    int frame_count;
    pawl_frame *frames; // names of places on bodies
    id_table ids[ID_KINDS];
};

// Ids of this model by index; what is in no array has no id, and the world its own.
static inline pawl_body_id model_body_id(const pawl_model *m, int i)
{
    return i >= 0                  ? (pawl_body_id){(uint32_t)i + 1, m->ids[ID_BODY].tags[i]}
           : i == PAWL_WORLD_INDEX ? PAWL_WORLD
                                   : (pawl_body_id){0, 0};
}
static inline pawl_joint_id model_joint_id(const pawl_model *m, int i)
{
    return i >= 0 ? (pawl_joint_id){(uint32_t)i + 1, m->ids[ID_JOINT].tags[i]}
                  : (pawl_joint_id){0, 0};
}
static inline pawl_shape_id model_shape_id(const pawl_model *m, int i)
{
    return i >= 0 ? (pawl_shape_id){(uint32_t)i + 1, m->ids[ID_SHAPE].tags[i]}
                  : (pawl_shape_id){0, 0};
}

// The index that an id has in this model, else below 0 and a line in the log.
#define MODEL_INDEX(model, kind, id) PAWL_INDEX(&(model)->env, &(model)->ids[kind], id)
#define MODEL_INDEX_OR_WORLD(model, id)                                                            \
    PAWL_INDEX_OR_WORLD(&(model)->env, &(model)->ids[ID_BODY], id)

// The driven coordinate of a gear by the driving one, and its derivative.
static inline double gear_value(const pawl_gear_def *g, double s)
{
    return g->offset + s * (g->ratio + s * (g->curve[0] + s * (g->curve[1] + s * g->curve[2])));
}
static inline double gear_slope(const pawl_gear_def *g, double s)
{
    return g->ratio + s * (2.0 * g->curve[0] + s * (3.0 * g->curve[1] + s * 4.0 * g->curve[2]));
}

double pawl_signal_value(const pawl_signal *signal, double t);
double pawl_signal_rate(const pawl_signal *signal, double t);

// What is wrong with the numbers of a built-in wrench model, or NULL; its table is not looked at.
const char *pawl_wrench_model_fault(const pawl_wrench_model_def *def);

// Sets the sizes of bodies and joints; everything else must be there.
void pawl_model_measure(pawl_model *model);

// Mass, centre and inertia of solids of one density, in the link frame.
typedef struct mass_properties {
    double mass;
    pawl_vec3 com;
    pawl_mat3 inertia; // about com
} mass_properties;
// Not for hulls and meshes, which need memory for a moment: the next function.
mass_properties pawl_mass_of_shape(const pawl_shape_def *shape, double density);
// An open mesh has no mass: refused.
pawl_status pawl_mass_of_any(const pawl_env *env, const pawl_shape_def *shape, double density,
                             mass_properties *out);
mass_properties pawl_mass_add(mass_properties a, mass_properties b);

// Pose of the centre of mass of a kinematic body at time t, and its twist then.
pawl_pose pawl_kinematic_pose(const model_body *body, double t);
pawl_twist pawl_kinematic_twist(const model_body *body, double t);
