// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The JSON of a run. Its keys are an interface (docs/cli.md): all are always present, with null if a figure has no
// meaning, so that a program need not test which exist.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "json_out.h"
#include "run_result.h"

// Settings come as text from the library's table; numbers and switches get their own JSON type.
static json_t *run_result_json_setting(const char *text)
{
    double number;
    if (args_number(text, &number)) {
        bool whole = strpbrk(text, ".eExX") == NULL && fabs(number) < 1e15;
        return whole ? json_integer((json_int_t)number) : json_real(number);
    }
    if (strcmp(text, "on") == 0 || strcmp(text, "true") == 0) {
        return json_true();
    }
    if (strcmp(text, "off") == 0 || strcmp(text, "false") == 0) {
        return json_false();
    }
    return json_out_text(text);
}

static json_t *run_result_json_settings(const run_result *result)
{
    const pawl_settings *settings = pawl_sim_settings(result->sim);
    json_t *object = json_object();
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char text[128];
        pawl_settings_get(settings, i, text, sizeof text);
        json_object_set_new(object, pawl_setting(i).key, run_result_json_setting(text));
    }
    // The flags of the command, from the struct itself: full precision whatever the table prints.
    json_object_set_new(object, "dt", json_out_number(settings->dt));
    json_object_set_new(object, "stepper",
                        json_out_text(pawl_stepper_name((int)settings->stepper)));
    json_object_set_new(object, "solver",
                        json_out_text(pawl_solver_name((int)settings->solver.kind)));
    json_object_set_new(object, "time", json_out_number(result->requested_time));
    const char *reason = pawl_sim_formulation_reason(result->sim);
    if (reason[0] != '\0') {
        json_object_set_new(object, "formulation_reason", json_out_text(reason));
    }
    return object;
}

static json_t *run_result_json_bodies(const run_result *result)
{
    const pawl_state *state = pawl_sim_state(result->sim);
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_body_count(result->model); ++i) {
        pawl_pose pose = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), i));
        pawl_twist twist = pawl_state_twist(state, pawl_model_body_at(pawl_state_model(state), i));
        pawl_quat q = pose.orientation;
        json_t *quaternion = json_pack("[o, o, o, o]", json_out_number(q.w), json_out_number(q.x),
                                       json_out_number(q.y), json_out_number(q.z));
        json_array_append_new(
            array,
            json_pack(
                "{s:o, s:o, s:o, s:o, s:o}", //
                "name",
                json_out_text(
                    pawl_model_body(result->model, pawl_model_body_at(result->model, i)).name), //
                "position", json_out_vec3(pose.position),                                       //
                "quaternion", quaternion,                                                       //
                "linear", json_out_vec3(twist.linear),                                          //
                "angular", json_out_vec3(twist.angular)));
    }
    return array;
}

static json_t *run_result_json_joints(const run_result *result)
{
    const pawl_state *state = pawl_sim_state(result->sim);
    json_t *array = json_array();
    for (int i = 0; i < pawl_model_joint_count(result->model); ++i) {
        pawl_joint_info info =
            pawl_model_joint(result->model, pawl_model_joint_at(result->model, i));
        double position[6] = {0};
        double rate[6] = {0};
        pawl_state_joint(state, pawl_model_joint_at(pawl_state_model(state), i), position, rate);
        json_t *positions = json_array();
        json_t *rates = json_array();
        for (int c = 0; c < info.coordinate_count; ++c) {
            json_array_append_new(positions, json_out_number(position[c]));
            json_array_append_new(rates, json_out_number(rate[c]));
        }
        json_array_append_new(array, json_pack("{s:o, s:o, s:o}", "name", json_out_text(info.name),
                                               "position", positions, "velocity", rates));
    }
    return array;
}

static json_t *run_result_json_event(const run_result *result, const pawl_event *event)
{
    json_t *where = NULL;
    if (!pawl_shape_is_none(event->shape_a)) {
        char a[160], b[160], pair[340];
        run_result_shape_text(result, event->shape_a, a, sizeof a);
        run_result_shape_text(result, event->shape_b, b, sizeof b);
        snprintf(pair, sizeof pair, "%s and %s", a, b);
        where = json_out_text(pair);
    } else {
        where = json_out_joint_name(result->model, event->joint);
    }
    return json_pack("{s:o, s:s, s:o, s:o}",                    //
                     "time", json_out_number(event->time),      //
                     "kind", pawl_event_kind_name(event->kind), //
                     "where", where,                            //
                     "figure", json_out_number(event->figure));
}

static json_t *run_result_json_events(const run_result *result)
{
    const pawl_verdict *v = &result->verdict;
    json_t *array = json_array();
    if (v->tunnel_step > 0 && v->tunnel_step <= result->resumed_steps) {
        // From before this command: the verdict alone remembers it.
        double time = (double)v->tunnel_step * pawl_sim_settings(result->sim)->dt;
        const pawl_event first = {.time = time,
                                  .kind = PAWL_EVENT_TUNNELLED,
                                  .shape_a = v->tunnel_shape_a,
                                  .shape_b = v->tunnel_shape_b,
                                  .figure = 1.0};
        json_array_append_new(array, run_result_json_event(result, &first));
    }
    for (int i = 0; i < result->event_count; ++i) {
        json_array_append_new(array, run_result_json_event(result, &result->events[i]));
    }
    pawl_run_end end = v->end;
    if (end != PAWL_RUN_DONE) {
        bool failed = end != PAWL_RUN_INTERRUPTED;
        bool text = failed && result->failure_text != NULL;
        json_array_append_new(
            array, json_pack("{s:o, s:s, s:o, s:n}",                                            //
                             "time", json_out_number(v->time),                                  //
                             "kind", failed ? "failed" : "interrupted",                         //
                             "where", text ? json_out_text(result->failure_text) : json_null(), //
                             "figure"));
    }
    return array;
}

static json_t *run_result_json_event_counts(const run_result *result)
{
    json_t *object = json_object();
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        json_object_set_new(object, pawl_event_kind_name((pawl_event_kind)k),
                            json_integer((json_int_t)result->verdict.events[k]));
    }
    return object;
}

// The criteria as they were judged; null where a figure was not measured, and `met` null where it was
// not judged.
static json_t *run_result_json_verdict(const run_result *result)
{
    const pawl_verdict_list *list = &result->list;
    json_t *criteria = json_array();
    for (int k = 0; k < list->count; ++k) {
        const pawl_criterion *c = &list->criteria[k];
        bool judged = c->judgement != PAWL_NOT_JUDGED;
        json_array_append_new(
            criteria,
            json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s}",                              //
                      "name", c->name,                                                         //
                      "title", c->title,                                                       //
                      "unit", c->unit,                                                         //
                      "value", json_out_number(c->value),                                      //
                      "limit", json_out_number(c->limit),                                      //
                      "met", judged ? json_boolean(c->judgement == PAWL_PASSED) : json_null(), //
                      "where", c->where[0] != '\0' ? json_out_text(c->where) : json_null(),    //
                      "what_to_do", c->advice));
    }
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(list, sentence, sizeof sentence);
    return json_pack("{s:b, s:i, s:i, s:o, s:o}",              //
                     "passed", list->judgement == PAWL_PASSED, //
                     "criteria_passed", list->passed,          //
                     "criteria_failed", list->failed,          //
                     "sentence", json_out_text(sentence),      //
                     "criteria", criteria);
}

json_t *run_result_json(const run_result *result)
{
    const pawl_state *state = pawl_sim_state(result->sim);
    const pawl_verdict *v = &result->verdict;
    const timing *steps = &result->steps;
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, pawl_state_hash(state));
    json_t *us_per_step = json_pack("{s:o, s:o, s:o}",                                            //
                                    "median", json_out_number(1e6 * timing_quantile(steps, 0.5)), //
                                    "mean", json_out_number(1e6 * timing_mean(steps)),            //
                                    "p99", json_out_number(1e6 * timing_quantile(steps, 0.99)));
    json_t *phases_us = json_object();
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        json_object_set_new(phases_us, pawl_phase_name((pawl_phase)p),
                            json_out_number(1e6 * run_result_phase(result, (pawl_phase)p)));
    }
    double mean_iterations = v->steps > 0 ? (double)v->iterations_sum / (double)v->steps : NAN;
    json_t *iterations =
        json_pack("{s:o, s:i}", "mean", json_out_number(mean_iterations), "max", v->iterations_max);
    double mean_factors = v->steps > 0 ? (double)v->factorizations_sum / (double)v->steps : NAN;
    json_t *factorizations = json_pack("{s:o, s:i}", "mean", json_out_number(mean_factors), "max",
                                       v->factorizations_max);
    double mean_islands = v->steps > 0 ? (double)v->islands_sum / (double)v->steps : NAN;
    json_t *islands =
        json_pack("{s:o, s:i}", "mean", json_out_number(mean_islands), "max", v->islands_max);
    double mean_asleep = v->steps > 0 ? (double)v->asleep_sum / (double)v->steps : NAN;
    json_t *asleep =
        json_pack("{s:o, s:i}", "mean", json_out_number(mean_asleep), "max", v->asleep_max);
    json_t *methods = json_object();
    for (int m = 0; m < PAWL_METHOD_COUNT; ++m) {
        json_object_set_new(methods, pawl_method_name((pawl_method)m), json_integer(v->methods[m]));
    }
    json_t *residual = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}",                                //
                                 "primal", json_out_number(v->residual.primal),                   //
                                 "dual", json_out_number(v->residual.dual),                       //
                                 "complementarity", json_out_number(v->residual.complementarity), //
                                 "natural", json_out_number(v->residual.natural),                 //
                                 "natural_scaled", json_out_number(v->residual.natural_scaled),   //
                                 "own", json_out_number(v->own_residual));
    json_t *closure =
        json_pack("{s:o, s:o, s:o}",                                //
                  "position", json_out_number(v->closure.position), //
                  "rotation", json_out_number(v->closure.rotation), //
                  "worst_joint", json_out_joint_name(result->model, v->closure.worst_joint));
    json_t *energy = json_pack("{s:o, s:o, s:o, s:o}",                                   //
                               "initial", json_out_number(v->energy_initial),            //
                               "final", json_out_number(v->energy_final),                //
                               "turned_over", json_out_number(pawl_verdict_turnover(v)), //
                               "unexplained", json_out_number(v->balance_max));
    json_t *final = json_pack("{s:o, s:o}", "bodies", run_result_json_bodies(result), "joints",
                              run_result_json_joints(result));
    double mean_contacts = v->steps > 0 ? (double)v->contacts_sum / (double)v->steps : 0.0;
    json_t *contacts =
        json_pack("{s:i, s:o}", "max", v->contacts_max, "mean", json_out_number(mean_contacts));
    // Without contacts there is nothing that could penetrate.
    json_t *penetration = json_out_number(v->contacts_max > 0 ? v->penetration : NAN);
    const struct {
        const char *key;
        json_t *value;
    } parts[] = {
        {"format", json_integer(RUN_RESULT_FORMAT)},
        {"verdict", run_result_json_verdict(result)},
        {"model", json_out_model(result->model, result->check)},
        {"settings", run_result_json_settings(result)},
        {"steps", json_integer((json_int_t)v->steps)},
        {"time", json_out_number(pawl_state_time(state))},
        {"wall_s", json_out_number(result->wall)},
        {"us_per_step", us_per_step},
        {"phases_us", phases_us},
        {"iterations", iterations},
        {"factorizations", factorizations},
        {"methods", methods},
        {"islands", islands},
        {"asleep", asleep},
        {"not_converged", json_integer((json_int_t)v->not_converged)},
        {"residual", residual},
        {"closure", closure},
        {"penetration", penetration},
        {"energy", energy},
        {"contacts", contacts},
        {"events", run_result_json_events(result)},
        {"event_counts", run_result_json_event_counts(result)},
        {"final", final},
        {"hash", json_string(hash)},
    };
    json_t *root = json_object();
    bool whole = true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        whole = json_object_set_new(root, parts[i].key, parts[i].value) == 0 && whole;
    }
    if (!whole) {
        json_decref(root);
        return NULL;
    }
    return root;
}
