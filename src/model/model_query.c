// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Read access to a compiled model from outside: counts, names and properties of bodies, joints,
// shapes and actuators. Every index is checked.
#include "base/guard.h"
#include "model/model.h"
#include <string.h>

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

pawl_body_info pawl_model_body(const pawl_model *model, int body)
{
    if (model == NULL || !PAWL_HAS(&model->env, "body", body, model->body_count)) {
        return (pawl_body_info){.name = "", .mass = NAN, .com = {NAN, NAN, NAN}};
    }
    const model_body *b = &model->bodies[body];
    const pawl_mat3 *i = &b->inertia;
    return (pawl_body_info){
        .name = b->name,
        .kind = b->kind,
        .mass = b->mass,
        .com = b->com,
        .inertia = {i->m[0][0], i->m[1][1], i->m[2][2], i->m[0][1], i->m[0][2], i->m[1][2]},
        .first_shape = b->first_shape,
        .shape_count = b->shape_count};
}

pawl_joint_info pawl_model_joint(const pawl_model *model, int joint)
{
    if (model == NULL || !PAWL_HAS(&model->env, "joint", joint, model->joint_count)) {
        return (pawl_joint_info){.name = "", .base = PAWL_NO_BODY, .follower = PAWL_NO_BODY};
    }
    const model_joint *j = &model->joints[joint];
    pawl_joint_info info = {.name = j->name,
                            .kind = j->kind,
                            .base = j->base,
                            .follower = j->follower,
                            .base_frame = j->base_frame,
                            .follower_frame = j->follower_frame,
                            .row_count = j->row_count,
                            .coordinate_count = j->coordinate_count,
                            .soft = j->soft,
                            .erp = j->erp};
    memcpy(info.coordinate, j->coordinate, sizeof info.coordinate);
    return info;
}

const char *pawl_shape_kind_name(pawl_shape_kind kind)
{
    static const char *const names[PAWL_SHAPE_COUNT] = {
        "sphere", "box", "cylinder", "capsule", "ellipsoid", "plane", "hull", "heightfield"};
    return kind >= 0 && kind < PAWL_SHAPE_COUNT ? names[kind] : NULL;
}

pawl_shape_info pawl_model_shape(const pawl_model *model, int shape)
{
    if (model == NULL || !PAWL_HAS(&model->env, "shape", shape, model->shape_count)) {
        return (pawl_shape_info){.body = PAWL_NO_BODY, .def = {.name = ""}};
    }
    return model->shapes[shape];
}

pawl_actuator_def pawl_model_actuator(const pawl_model *model, int actuator)
{
    if (model == NULL || !PAWL_HAS(&model->env, "actuator", actuator, model->actuator_count)) {
        return (pawl_actuator_def){.name = "", .joint = -1};
    }
    return model->actuators[actuator];
}

pawl_spring_def pawl_model_spring(const pawl_model *model, int spring)
{
    if (model == NULL || !PAWL_HAS(&model->env, "spring", spring, model->spring_count)) {
        return (pawl_spring_def){.name = "", .body_a = PAWL_NO_BODY, .body_b = PAWL_NO_BODY};
    }
    return model->springs[spring];
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
        return (pawl_body_pair){PAWL_NO_BODY, PAWL_NO_BODY};
    }
    return model->exclusions[exclusion];
}

int pawl_model_find_body(const pawl_model *model, const char *name)
{
    if (model == NULL || name == NULL) {
        return PAWL_NO_BODY;
    }
    for (int i = 0; i < model->body_count; ++i) {
        if (strcmp(model->bodies[i].name, name) == 0) {
            return i;
        }
    }
    return -2;
}

int pawl_model_find_joint(const pawl_model *model, const char *name)
{
    if (model == NULL || name == NULL) {
        return -1;
    }
    for (int i = 0; i < model->joint_count; ++i) {
        if (strcmp(model->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
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
        return (pawl_contact_point_def){.name = "", .body = PAWL_NO_BODY, .wrench_model = -1};
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
