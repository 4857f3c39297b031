// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The JSON documents of the viewer: the machine, its settings with ranges and help, its actuators, and the state of
// the run. They are built with jansson, except for the machine, which pawl_scene_json() writes.
#include "serve/view_document.h"
#include "base/env.h"
#include "pawl/page.h"
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// JSON knows no infinity.
static json_t *document_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *document_text(const char *text)
{
    json_t *string = json_string(text);
    return string != NULL ? string : json_string("?"); // not UTF-8
}

static void document_head(view_bytes *out, unsigned kind)
{
    view_put_u32(out, kind | VIEW_VERSION << 8);
    view_put_u32(out, 0); // of a document: its number
}

// Appends the object, whose reference is taken over, and before its end `tail`, a text of JSON.
static pawl_status document_finish(const pawl_env *env, json_t *root, const char *key,
                                   const pawl_string *tail, view_bytes *out)
{
    char *text = root != NULL ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (text == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a message to the viewer");
    }
    if (tail == NULL) {
        view_put_text(out, text, strlen(text));
    } else {
        view_put_text(out, text, strlen(text) - 1);
        view_put_text(out, ",\"", 2);
        view_put_text(out, key, strlen(key));
        view_put_text(out, "\":", 2);
        view_put_text(out, tail->data, tail->size);
        view_put_text(out, "}", 1);
    }
    free(text);
    return out->failed ? PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory for a message to the viewer")
                       : PAWL_OK;
}

static json_t *document_names(const char *(*name)(int), const char *(*summary)(int))
{
    json_t *list = json_array();
    for (int i = 0; name(i) != NULL; ++i) {
        json_array_append_new(list, json_pack("{s:s,s:s}", "name", name(i), "summary", summary(i)));
    }
    return list;
}

static json_t *document_settings(const pawl_settings *settings)
{
    json_t *list = json_array();
    for (int i = 0; i < pawl_setting_count(); ++i) {
        pawl_setting_info info = pawl_setting(i);
        char value[128] = "";
        (void)pawl_settings_get(settings, i, value, sizeof value);
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s}", "key", info.key, "value",
                                              value, "unit", info.unit != NULL ? info.unit : "",
                                              "range", info.range != NULL ? info.range : "", "help",
                                              info.help != NULL ? info.help : ""));
    }
    return list;
}

// A range for the slider of a target: the limits of the coordinate, the largest force, or what its kind suggests.
static void document_target_range(const pawl_actuator_def *a, const pawl_joint_info *joint,
                                  double range[2])
{
    const pawl_coordinate_def *c = &joint->coordinate[a->coordinate];
    bool angle = pawl_joint_kind_is_angle(joint->kind, a->coordinate);
    bool force = a->kind == PAWL_ACTUATOR_FORCE || a->kind == PAWL_ACTUATOR_ADHESION;
    double size = force                               ? (isfinite(a->effort) ? a->effort : 100.0)
                  : a->kind == PAWL_ACTUATOR_POSITION ? (angle ? 3.141592653589793 : 1.0)
                                                      : (angle ? 10.0 : 2.0);
    range[0] = -size, range[1] = size;
    if (a->kind == PAWL_ACTUATOR_POSITION && isfinite(c->lower) && isfinite(c->upper) &&
        c->upper > c->lower) {
        range[0] = c->lower, range[1] = c->upper;
    }
}

static json_t *document_actuators(const pawl_model *model)
{
    json_t *list = json_array();
    for (int i = 0; i < pawl_model_actuator_count(model); ++i) {
        pawl_actuator_def a = pawl_model_actuator(model, pawl_model_actuator_at(model, i));
        pawl_joint_info joint = pawl_model_joint(model, a.joint);
        bool angle = pawl_joint_kind_is_angle(joint.kind, a.coordinate);
        static const char *const units[][2] = {
            {"N", "N m"}, {"m", "rad"}, {"m/s", "rad/s"}, {"N", "N"}};
        double range[2];
        document_target_range(&a, &joint, range);
        json_t *row = json_pack("{s:o,s:s,s:s,s:o,s:o,s:f,s:f}", "name",
                                document_text(a.name != NULL ? a.name : joint.name), "kind",
                                pawl_actuator_kind_name(a.kind), "unit", units[a.kind][angle],
                                "stiffness", document_number(a.stiffness), "damping",
                                document_number(a.damping), "low", range[0], "high", range[1]);
        json_array_append_new(list, row);
    }
    return list;
}

pawl_status view_document_model(const pawl_env *env, const pawl_model *model,
                                const pawl_settings *settings, view_bytes *out)
{
    pawl_string scene = {0};
    PAWL_TRY(pawl_scene_json(env, model, &scene));
    pawl_vec3 g = pawl_model_gravity(model);
    bool touches = false; // a world shape and a body, or two bodies
    for (int k = 0; k < pawl_model_shape_count(model); ++k) {
        pawl_shape_def shape = pawl_model_shape(model, pawl_model_shape_at(model, k)).def;
        touches = touches || (!shape.visual_only && shape.friction > 0.0);
    }
    json_t *root =
        json_pack("{s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:[fff],s:b}", "format", VIEW_VERSION, "show",
                  "model", "settings", document_settings(settings), "steppers",
                  document_names(pawl_stepper_name, pawl_stepper_summary), "solvers",
                  document_names(pawl_solver_name, pawl_solver_summary), "formulations",
                  document_names(pawl_formulation_name, pawl_formulation_summary), "actuators",
                  document_actuators(model), "gravity", g.x, g.y, g.z, "friction", touches);
    document_head(out, VIEW_DOCUMENT);
    pawl_status status = document_finish(env, root, "scene", &scene, out);
    pawl_string_free(env, &scene);
    return status;
}

pawl_status view_document_gallery(const pawl_env *env, const char *const *names, int count,
                                  view_bytes *out)
{
    json_t *list = json_array();
    for (int i = 0; i < count; ++i) {
        json_array_append_new(list, document_text(names[i]));
    }
    document_head(out, VIEW_DOCUMENT);
    json_t *root =
        json_pack("{s:i,s:s,s:o}", "format", VIEW_VERSION, "show", "gallery", "models", list);
    return document_finish(env, root, NULL, NULL, out);
}

static json_t *document_pane(const view_pane *pane)
{
    json_t *settings = json_object();
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char value[128] = "";
        (void)pawl_settings_get(&pane->settings, i, value, sizeof value);
        json_object_set_new(settings, pawl_setting(i).key, json_string(value));
    }
    return json_pack("{s:o}", "settings", settings);
}

static json_t *document_targets(const view_condition *c)
{
    json_t *list = json_array();
    for (int a = 0; c->pane_count > 0 && a < c->inputs->actuator_count; ++a) {
        const view_pane *pane = &c->panes[0];
        const struct view_actuator *input = &c->inputs->actuators[a];
        const pawl_state *state = pawl_sim_state(pane->sim);
        pawl_actuator_id id = pawl_model_actuator_at(pane->model, a);
        pawl_gains gains = pawl_state_gains(state, id);
        json_array_append_new(list, json_pack("{s:o,s:b,s:o,s:o}", "target",
                                              document_number(pawl_state_target(state, id)), "set",
                                              input->target_set, "stiffness",
                                              document_number(gains.stiffness), "damping",
                                              document_number(gains.damping)));
    }
    return list;
}

pawl_status view_document_state(const pawl_env *env, const view_condition *c, view_bytes *out)
{
    json_t *panes = json_array();
    for (int p = 0; p < c->pane_count; ++p) {
        json_array_append_new(panes, document_pane(&c->panes[p]));
    }
    pawl_vec3 g = c->inputs->gravity;
    if (c->pane_count > 0) {
        g = pawl_state_gravity(pawl_sim_state(c->panes[0].sim));
    }
    json_t *root = json_pack("{s:b,s:b,s:f,s:o,s:f,s:[fff],s:o,s:o,s:i,s:o}", "running", c->running,
                             "open", c->model_open, "speed", c->speed, "panes", panes, "friction",
                             c->inputs->friction, "gravity", g.x, g.y, g.z, "targets",
                             document_targets(c), "note", document_text(c->note), "noteNumber",
                             (int)c->note_number, "recording", document_text(c->recording));
    document_head(out, VIEW_STATE);
    return document_finish(env, root, NULL, NULL, out);
}
