// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// A check as JSON. All keys are always present; missing values are null.
#include "check_counts.h"
#include "check_out.h"
#include "pawl/sim.h"
#include "warnings_out.h"

enum { CHECK_JSON_FORMAT = 2 }; // 1, without this number, had warnings as texts

static json_t *check_json_closure(const pawl_model *model, const pawl_closure *closure)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}",                                     //
                     "position", json_out_number(closure->position),                  //
                     "rotation", json_out_number(closure->rotation),                  //
                     "worst_joint", json_out_joint_name(model, closure->worst_joint), //
                     "limit", json_out_number(closure->limit),                        //
                     "worst_limit", json_out_joint_name(model, closure->worst_limit));
}

static json_t *check_json_bodies(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_body_info info = pawl_model_body(model, pawl_model_body_at(model, i));
        json_t *inertia = json_array();
        for (int k = 0; k < 6; ++k) {
            json_array_append_new(inertia, json_out_number(info.inertia[k]));
        }
        json_array_append_new(array, json_pack("{s:o, s:s, s:o, s:o, s:o}",        //
                                               "name", json_out_text(info.name),   //
                                               "kind", check_body_kind(info.kind), //
                                               "mass", json_out_number(info.mass), //
                                               "com", json_out_vec3(info.com),     //
                                               "inertia", inertia));
    }
    return array;
}

static json_t *check_json_frames(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_frame_count(model); ++i) {
        pawl_frame frame = pawl_model_frame(model, i);
        const double q[4] = {frame.pose.orientation.w, frame.pose.orientation.x,
                             frame.pose.orientation.y, frame.pose.orientation.z};
        json_t *quaternion = json_array();
        for (int k = 0; k < 4; ++k) {
            json_array_append_new(quaternion, json_out_number(q[k]));
        }
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:o}", "name", json_out_text(frame.name), "body",
                             json_out_text(check_body_name(model, frame.body)), "position",
                             json_out_vec3(frame.pose.position), "quaternion", quaternion));
    }
    return array;
}

static json_t *check_json_joints(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_joint_count(model); ++i) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, i));
        json_array_append_new(array,
                              json_pack("{s:o, s:s, s:o, s:o, s:i, s:i}",                         //
                                        "name", json_out_text(info.name),                         //
                                        "kind", pawl_joint_kind_name(info.kind),                  //
                                        "base", json_out_text(check_body_name(model, info.base)), //
                                        "follower",
                                        json_out_text(check_body_name(model, info.follower)), //
                                        "rows", info.row_count,                               //
                                        "coordinates", info.coordinate_count));
    }
    return array;
}

static json_t *check_json_points(const pawl_model *model)
{
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_contact_point_count(model); ++i) {
        pawl_contact_point_def point = pawl_model_contact_point(model, i);
        pawl_wrench_model_def wrench = pawl_model_wrench_model(model, point.wrench_model);
        json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}",  //
                                               "name", json_out_text(point.name), //
                                               "body",
                                               json_out_text(check_body_name(model, point.body)), //
                                               "model", json_out_text(wrench.name),               //
                                               "kind", pawl_wrench_kind_name(wrench.kind),        //
                                               "position", json_out_vec3(point.frame.position),   //
                                               "radius", json_out_number(point.radius)));
    }
    return array;
}

// What formulation=auto chooses with default settings.
static json_t *check_json_formulation(const console *con, const pawl_model *model)
{
    pawl_settings settings = pawl_settings_default();
    pawl_formulation kind;
    char reason[256];
    if (pawl_choose_formulation(&con->env, model, &settings, &kind, reason, sizeof reason) !=
        PAWL_OK) {
        return json_null();
    }
    return json_pack("{s:s, s:o}", "auto", pawl_formulation_name((int)kind), "reason",
                     json_out_text(reason));
}

json_t *check_json(const console *con, const pawl_model *model, const pawl_check *check,
                   bool assembled)
{
    check_counts counts = check_counts_make(model);
    json_t *redundant = json_array();
    json_t *loops = json_array();
    for (int i = 0; assembled && i < check->redundant_count; ++i) {
        const pawl_redundant_row *row = &check->redundant[i];
        json_array_append_new(redundant,
                              json_pack("{s:o, s:i, s:o}",                               //
                                        "joint", json_out_joint_name(model, row->joint), //
                                        "row", row->row,                                 //
                                        "what", json_out_text(row->what)));
    }
    for (int i = 0; assembled && i < check->loop_joint_count; ++i) {
        json_array_append_new(loops, json_out_joint_name(model, check->loop_joints[i]));
    }
    json_t *end = assembled ? check_json_closure(model, &check->assembled) : json_null();
    json_t *assembly = json_pack("{s:o, s:o}",                                      //
                                 "start", check_json_closure(model, &check->start), //
                                 "assembled", end);
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:f, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o}",                                                                 //
                     "format", CHECK_JSON_FORMAT,                                                 //
                     "model", json_out_model(model, assembled ? check : NULL),                    //
                     "mass", json_out_number(pawl_model_mass(model)),                             //
                     "com", assembled ? json_out_vec3(check->com) : json_null(),                  //
                     "mobility", assembled ? json_integer(check->mobility) : json_null(),         //
                     "velocities", pawl_model_velocity_count(model),                              //
                     "free_bases", counts.free_bases,                                             //
                     "coordinates", counts.coordinates,                                           //
                     "actuated", counts.actuated,                                                 //
                     "mass_ratio", counts.mass_ratio,                                             //
                     "redundant", redundant,                                                      //
                     "loop_joints", loops,                                                        //
                     "singular", assembled ? json_boolean(check->singular) : json_null(),         //
                     "generic_rank", assembled ? json_integer(check->generic_rank) : json_null(), //
                     "smallest_ratio",
                     assembled ? json_out_number(check->smallest_ratio) : json_null(), //
                     "weak", assembled ? json_out_number(check->weak) : json_null(),   //
                     "misfit",
                     assembled ? check_json_closure(model, &check->misfit) : json_null(), //
                     "assembly", assembly,                                                //
                     "formulation", check_json_formulation(con, model),                   //
                     "warnings", warnings_out_json(con, check),                           //
                     "bodies", check_json_bodies(model),                                  //
                     "frames", check_json_frames(model),                                  //
                     "joints", check_json_joints(model),                                  //
                     "contact_points", check_json_points(model));
}
