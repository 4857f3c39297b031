// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Read access to a compiled model from outside: counts, names and properties of bodies, joints,
// shapes and actuators. Every index is checked.
#include "base/guard.h"
#include "model/model.h"
#include <string.h>

// NULL models and bad ids give an empty text, 0 or NaN, never a crash: front ends call these with
// what users typed.
const char *pawl_model_name(const pawl_model *model)
{
    if (model == NULL) {
        return "";
    }
    return model->name;
}

int pawl_model_body_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->body_count;
}

int pawl_model_joint_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->joint_count;
}

int pawl_model_shape_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->shape_count;
}

int pawl_model_actuator_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->actuator_count;
}

int pawl_model_spring_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->spring_count;
}

int pawl_model_row_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->row_count;
}

int pawl_model_velocity_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->velocity_count;
}

pawl_vec3 pawl_model_gravity(const pawl_model *model)
{
    if (model == NULL) {
        return v3(NAN, NAN, NAN);
    }
    return model->gravity;
}

double pawl_model_mass(const pawl_model *model)
{
    if (model == NULL) {
        return NAN;
    }
    return model->total_mass;
}

uint64_t pawl_model_hash(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->hash;
}

pawl_body_info pawl_model_body(const pawl_model *model, pawl_body_id body)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_BODY, body);
    if (index < 0) {
        return (pawl_body_info){.name = "", .mass = NAN, .com = {NAN, NAN, NAN}};
    }
    const model_body *b = &model->bodies[index];
    const pawl_mat3 *i = &b->inertia;
    pawl_body_info info = {
        .name = b->name,
        .kind = b->kind,
        .mass = b->mass,
        .com = b->com,
        .inertia = {i->m[0][0], i->m[1][1], i->m[2][2], i->m[0][1], i->m[0][2], i->m[1][2]},
        .first_shape = b->first_shape,
        .shape_count = b->shape_count,
        .gravity_scale = b->gravity_scale,
        .linear_damping = b->linear_damping,
        .angular_damping = b->angular_damping,
        .family = b->family};
    // The model has the start of the centre of mass.
    pawl_vec3 arm = pawl_quat_rotate(b->start_pose.orientation, b->com);
    info.pose = (pawl_pose){v3_sub(b->start_pose.position, arm), b->start_pose.orientation};
    info.twist = (pawl_twist){v3_sub(b->start_twist.linear, v3_cross(b->start_twist.angular, arm)),
                              b->start_twist.angular};
    memcpy(info.motion, b->motion, sizeof info.motion);
    return info;
}

// The wrap of a span in the base's link frame, as it was given.
static pawl_wrap query_wrap(const model_joint *j)
{
    const model_wrap *w = &j->wrap;
    pawl_wrap out = {.kind = w->kind, .frame = pawl_pose_identity()};
    if (j->kind != PAWL_JOINT_SPAN || w->kind == PAWL_WRAP_NONE) {
        return out;
    }
    pawl_pose own = {w->centre,
                     pawl_quat_from_axes(m3_column(&w->axes, 0), m3_column(&w->axes, 1))};
    out.frame = pawl_pose_compose(j->base_frame, own);
    out.radius = w->radius;
    out.sided = w->sided;
    out.side = pawl_pose_apply(out.frame, w->side);
    return out;
}

pawl_joint_info pawl_model_joint(const pawl_model *model, pawl_joint_id joint)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_JOINT, joint);
    if (index < 0) {
        return (pawl_joint_info){.name = ""};
    }
    const model_joint *j = &model->joints[index];
    pawl_joint_info info = {.name = j->name,
                            .kind = j->kind,
                            .base = model_body_id(model, j->base),
                            .follower = model_body_id(model, j->follower),
                            .base_frame = j->base_frame,
                            .follower_frame = j->follower_frame,
                            .row_count = j->row_count,
                            .coordinate_count = j->coordinate_count,
                            .soft = j->soft,
                            .erp = j->erp,
                            .pitch = j->pitch,
                            .length = j->length,
                            .wrap = query_wrap(j)};
    memcpy(info.coordinate, j->coordinate, sizeof info.coordinate);
    return info;
}

pawl_gear_def pawl_model_gear(const pawl_model *model, pawl_joint_id joint)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_JOINT, joint);
    if (index < 0 || model->joints[index].kind != PAWL_JOINT_GEAR) {
        return (pawl_gear_def){.name = ""};
    }
    return model->joints[index].gear;
}

const char *pawl_shape_kind_name(pawl_shape_kind kind)
{
    static const char *const names[PAWL_SHAPE_COUNT] = {"sphere",  "box",         "cylinder",
                                                        "capsule", "ellipsoid",   "plane",
                                                        "hull",    "heightfield", "mesh"};
    return kind >= 0 && kind < PAWL_SHAPE_COUNT ? names[kind] : NULL;
}

pawl_shape_info pawl_model_shape(const pawl_model *model, pawl_shape_id shape)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_SHAPE, shape);
    if (index < 0) {
        return (pawl_shape_info){.def = {.name = ""}};
    }
    return model->shapes[index];
}

pawl_actuator_def pawl_model_actuator(const pawl_model *model, pawl_actuator_id actuator)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_ACTUATOR, actuator);
    if (index < 0) {
        return (pawl_actuator_def){.name = ""};
    }
    return model->actuators[index];
}

pawl_spring_def pawl_model_spring(const pawl_model *model, pawl_spring_id spring)
{
    int index = model == NULL ? -1 : MODEL_INDEX(model, ID_SPRING, spring);
    if (index < 0) {
        return (pawl_spring_def){.name = ""};
    }
    return model->springs[index];
}

int pawl_model_motion_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->motion_count;
}

pawl_motion_def pawl_model_motion(const pawl_model *model, int motion)
{
    if (model == NULL || !PAWL_HAS(&model->env, "motion", motion, model->motion_count)) {
        return (pawl_motion_def){.name = ""};
    }
    return model->motions[motion];
}

int pawl_model_force_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->force_count;
}

pawl_force_def pawl_model_force(const pawl_model *model, int force)
{
    if (model == NULL || !PAWL_HAS(&model->env, "force", force, model->force_count)) {
        return (pawl_force_def){.name = ""};
    }
    return model->forces[force];
}

pawl_medium pawl_model_medium(const pawl_model *model)
{
    if (model == NULL) {
        return (pawl_medium){.density = NAN};
    }
    return model->medium;
}

int pawl_model_start_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->start_count;
}

pawl_joint_start pawl_model_start(const pawl_model *model, int start)
{
    if (model == NULL || !PAWL_HAS(&model->env, "start", start, model->start_count)) {
        return (pawl_joint_start){.joint = {0, 0}};
    }
    return model->starts[start];
}

int pawl_model_warning_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->warning_count;
}

pawl_warning pawl_model_warning(const pawl_model *model, int warning)
{
    if (model == NULL || !PAWL_HAS(&model->env, "warning", warning, model->warning_count)) {
        return (pawl_warning){
            .kind = PAWL_WARNING_KIND_COUNT, .where = "", .text = "", .advice = ""};
    }
    return model->warnings[warning];
}

int pawl_model_frame_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->frame_count;
}

pawl_frame pawl_model_frame(const pawl_model *model, int frame)
{
    if (model == NULL || !PAWL_HAS(&model->env, "frame", frame, model->frame_count)) {
        return (pawl_frame){.name = NULL, .pose = pawl_pose_identity()};
    }
    return model->frames[frame];
}

int pawl_model_exclusion_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->exclusion_count;
}

pawl_body_pair pawl_model_exclusion(const pawl_model *model, int exclusion)
{
    if (model == NULL || !PAWL_HAS(&model->env, "exclusion", exclusion, model->exclusion_count)) {
        return (pawl_body_pair){{0, 0}, {0, 0}};
    }
    return model->exclusions[exclusion];
}

pawl_body_id pawl_model_body_at(const pawl_model *model, int i)
{
    if (model == NULL || i < 0 || i >= model->body_count) {
        return (pawl_body_id){0, 0};
    }
    return (pawl_body_id){(uint32_t)i + 1, model->ids[ID_BODY].tags[i]};
}

pawl_joint_id pawl_model_joint_at(const pawl_model *model, int i)
{
    if (model == NULL || i < 0 || i >= model->joint_count) {
        return (pawl_joint_id){0, 0};
    }
    return (pawl_joint_id){(uint32_t)i + 1, model->ids[ID_JOINT].tags[i]};
}

pawl_shape_id pawl_model_shape_at(const pawl_model *model, int i)
{
    if (model == NULL || i < 0 || i >= model->shape_count) {
        return (pawl_shape_id){0, 0};
    }
    return (pawl_shape_id){(uint32_t)i + 1, model->ids[ID_SHAPE].tags[i]};
}

pawl_actuator_id pawl_model_actuator_at(const pawl_model *model, int i)
{
    if (model == NULL || i < 0 || i >= model->actuator_count) {
        return (pawl_actuator_id){0, 0};
    }
    return (pawl_actuator_id){(uint32_t)i + 1, model->ids[ID_ACTUATOR].tags[i]};
}

pawl_spring_id pawl_model_spring_at(const pawl_model *model, int i)
{
    if (model == NULL || i < 0 || i >= model->spring_count) {
        return (pawl_spring_id){0, 0};
    }
    return (pawl_spring_id){(uint32_t)i + 1, model->ids[ID_SPRING].tags[i]};
}

pawl_body_id pawl_model_find_body(const pawl_model *model, const char *name)
{
    for (int i = 0; model != NULL && name != NULL && i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) {
            return pawl_model_body_at(model, i);
        }
    }
    return (pawl_body_id){0, 0};
}

pawl_joint_id pawl_model_find_joint(const pawl_model *model, const char *name)
{
    for (int i = 0; model != NULL && name != NULL && i < model->joint_count; ++i) {
        if (strcmp(model->joints[i].name, name) == 0) {
            return pawl_model_joint_at(model, i);
        }
    }
    return (pawl_joint_id){0, 0};
}

pawl_frame pawl_model_find_frame(const pawl_model *model, const char *name)
{
    pawl_frame out = {.name = NULL, .pose = pawl_pose_identity()};
    if (model == NULL || name == NULL) {
        return out;
    }
    out.body = pawl_model_find_body(model, name);
    if (!pawl_body_is_none(out.body)) {
        out.name = model->bodies[pawl_body_index(out.body)].name;
        return out;
    }
    for (int i = 0; i < model->frame_count; ++i) {
        if (strcmp(model->frames[i].name, name) == 0) {
            return model->frames[i];
        }
    }
    return out;
}

pawl_actuator_id pawl_model_find_actuator(const pawl_model *model, const char *name)
{
    for (int i = 0; model != NULL && name != NULL && i < model->actuator_count; ++i) {
        if (strcmp(model->actuators[i].name, name) == 0) {
            return pawl_model_actuator_at(model, i);
        }
    }
    return (pawl_actuator_id){0, 0};
}

int pawl_model_wrench_model_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->wrench_model_count;
}

pawl_wrench_model_def pawl_model_wrench_model(const pawl_model *model, int wrench_model)
{
    if (model == NULL ||
        !PAWL_HAS(&model->env, "wrench model", wrench_model, model->wrench_model_count)) {
        return (pawl_wrench_model_def){.name = ""};
    }
    return model->wrench_models[wrench_model];
}

int pawl_model_contact_point_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->contact_point_count;
}

pawl_contact_point_def pawl_model_contact_point(const pawl_model *model, int point)
{
    if (model == NULL ||
        !PAWL_HAS(&model->env, "contact point", point, model->contact_point_count)) {
        return (pawl_contact_point_def){.name = "", .wrench_model = -1};
    }
    return model->contact_points[point];
}

int pawl_model_heightfield_count(const pawl_model *model)
{
    if (model == NULL) {
        return 0;
    }
    return model->heightfield_count;
}

pawl_heightfield_def pawl_model_heightfield(const pawl_model *model, int heightfield)
{
    if (model == NULL ||
        !PAWL_HAS(&model->env, "heightfield", heightfield, model->heightfield_count)) {
        return (pawl_heightfield_def){.name = ""};
    }
    return model->heightfields[heightfield];
}
