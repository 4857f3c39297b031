// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The text that ends every run: figures with their units and places, then the verdict's criteria.
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>

#include "run_result.h"

double run_result_phase(const run_result *result, pawl_phase phase)
{
    int64_t count = result->steps.count;
    return count > 0 ? result->phases[phase] / (double)count : NAN;
}

void run_result_shape_text(const run_result *result, pawl_shape_id shape, char *text, size_t size)
{
    pawl_verdict_names names = pawl_model_names(result->model);
    names.shape(names.user, shape, text, size);
}

static const char *run_result_plural(int64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

// A joint with lengths and angles does not say which of them was violated.
static const char *run_result_limit_unit(const pawl_model *model, pawl_joint_id joint)
{
    pawl_joint_info info = pawl_model_joint(model, joint);
    int angles = 0;
    for (int c = 0; c < info.coordinate_count; ++c) {
        angles += pawl_joint_kind_is_angle(info.kind, c) ? 1 : 0;
    }
    return angles == 0 ? "m" : angles == info.coordinate_count ? "rad" : "m or rad";
}

static bool run_result_has_limits(const pawl_model *model)
{
    for (int j = 0; j < pawl_model_joint_count(model); ++j) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, j));
        for (int c = 0; c < info.coordinate_count; ++c) {
            if (isfinite(info.coordinate[c].lower) || isfinite(info.coordinate[c].upper)) {
                return true;
            }
        }
    }
    return false;
}

// mdp and nmdp have coordinates, a way to solve and a damping of their own.
static bool run_result_is_in_trees(const run_result *result)
{
    return pawl_stepper_has_tree((int)pawl_sim_settings(result->sim)->stepper);
}

static void run_result_print_header(const run_result *result, FILE *to)
{
    const pawl_model *model = result->model;
    const pawl_settings *settings = pawl_sim_settings(result->sim);
    const pawl_check *check = result->check;
    int bodies = pawl_model_body_count(model);
    int joints = pawl_model_joint_count(model);
    fprintf(to, "%s: %d %s, %d %s, %d rows of rank %d, mobility %d\n", pawl_model_name(model),
            bodies, run_result_plural(bodies, "body", "bodies"), joints,
            run_result_plural(joints, "joint", "joints"), check->rows, check->rank,
            check->mobility);
    int64_t steps = result->verdict.steps;
    fprintf(to, "%.9g s in %" PRId64 " %s of %g s, stepper %s, ",
            pawl_state_time(pawl_sim_state(result->sim)), steps,
            run_result_plural(steps, "step", "steps"), settings->dt,
            pawl_stepper_name((int)settings->stepper));
    if (run_result_is_in_trees(result)) {
        fprintf(to, "%s coordinates\n", pawl_formulation_name(PAWL_FORMULATION_REDUCED));
    } else {
        fprintf(to, "solver %s, %s coordinates%s\n", pawl_solver_name((int)settings->solver.kind),
                pawl_formulation_name((int)settings->formulation),
                settings->project ? ", projected" : "");
    }
    const char *reason = pawl_sim_formulation_reason(result->sim);
    if (reason[0] != '\0') {
        fprintf(to, "formulation=auto: %s\n", reason);
    }
    if (result->resumed_steps > 0) {
        fprintf(to, "resumed after %" PRId64 " %s\n", result->resumed_steps,
                run_result_plural(result->resumed_steps, "step", "steps"));
    }
}

// One line of the table: what, figure, unit, remark.
static void run_result_row(FILE *to, const char *label, const char *figure, const char *unit,
                           const char *remark, ...) __attribute__((format(printf, 5, 6)));
static void run_result_row(FILE *to, const char *label, const char *figure, const char *unit,
                           const char *remark, ...)
{
    fprintf(to, "  %-10s %13s %-7s ", label, figure, unit);
    va_list list;
    va_start(list, remark);
    vfprintf(to, remark, list);
    va_end(list);
    fputc('\n', to);
}

// Small figures of which the size matters, as text.
typedef struct run_result_figure {
    char text[24];
} run_result_figure;

static run_result_figure run_result_small(double value)
{
    run_result_figure figure;
    snprintf(figure.text, sizeof figure.text, value == 0.0 ? "0" : "%.2e", value);
    return figure;
}

static run_result_figure run_result_plain(double value)
{
    run_result_figure figure;
    snprintf(figure.text, sizeof figure.text, "%.6g", value);
    return figure;
}

static void run_result_print_closure(const run_result *result, FILE *to)
{
    const pawl_closure *closure = &result->verdict.closure;
    if (!pawl_joint_is_none(closure->worst_joint)) {
        run_result_row(to, "closure", run_result_small(closure->position).text, "m",
                       "position; worst joint '%s'",
                       pawl_model_joint(result->model, closure->worst_joint).name);
        run_result_row(to, "", run_result_small(closure->rotation).text, "rad", "rotation");
    } else {
        run_result_row(to, "closure", "-", "", "no joints");
    }
    if (!run_result_has_limits(result->model)) {
        run_result_row(to, "limits", "-", "", "none in the model");
    } else if (!pawl_joint_is_none(closure->worst_limit) && closure->limit > 0.0) {
        run_result_row(to, "limits", run_result_small(closure->limit).text,
                       run_result_limit_unit(result->model, closure->worst_limit),
                       "beyond the limit, worst at joint '%s'",
                       pawl_model_joint(result->model, closure->worst_limit).name);
    } else {
        run_result_row(to, "limits", "0", "", "never exceeded");
    }
}

static void run_result_print_contacts(const run_result *result, FILE *to)
{
    const pawl_verdict *v = &result->verdict;
    double steps = v->steps > 0 ? (double)v->steps : 1.0;
    if (v->contacts_max == 0 && v->tunnelled == 0) {
        run_result_row(to, "contacts", "-", "", "none");
        return;
    }
    run_result_row(to, "contacts", run_result_plain((double)v->contacts_sum / steps).text, "",
                   "a step, at most %d", v->contacts_max);
    char a[160], b[160];
    if (pawl_shape_is_none(v->worst_shape_a)) {
        run_result_row(to, "", run_result_small(v->penetration).text, "m", "penetration");
    } else {
        run_result_shape_text(result, v->worst_shape_a, a, sizeof a);
        run_result_shape_text(result, v->worst_shape_b, b, sizeof b);
        run_result_row(to, "", run_result_small(v->penetration).text, "m",
                       "penetration; worst of %s and %s", a, b);
    }
    if (v->tunnelled > 0) {
        run_result_shape_text(result, v->tunnel_shape_a, a, sizeof a);
        run_result_shape_text(result, v->tunnel_shape_b, b, sizeof b);
        run_result_row(to, "", run_result_plain((double)v->tunnelled).text, "",
                       "times a shape passed through another; first %s and %s in step %" PRId64, a,
                       b, v->tunnel_step);
    }
}

// How much of what happened within the steps; nothing where nothing did.
static void run_result_print_events(const run_result *result, FILE *to)
{
    const char *label = "events";
    for (int k = 0; k < PAWL_EVENT_KIND_COUNT; ++k) {
        int64_t count = result->verdict.events[k];
        if (count > 0) {
            run_result_row(to, label, run_result_plain((double)count).text, "", "%s",
                           pawl_event_kind_name((pawl_event_kind)k));
            label = "";
        }
    }
}

static void run_result_print_residual(const pawl_residual *r, FILE *to)
{
    run_result_row(to, "residual", run_result_small(r->natural_scaled).text, "m/s",
                   "natural map, scaled; of contacts by Coulomb's law");
    run_result_row(to, "", run_result_small(r->primal).text, "N s", "primal");
    run_result_row(to, "", run_result_small(r->dual).text, "m/s", "dual");
    run_result_row(to, "", run_result_small(r->complementarity).text, "J", "complementarity");
}

static void run_result_print_solver(const run_result *result, FILE *to)
{
    const pawl_verdict *v = &result->verdict;
    const pawl_residual *r = &v->residual;
    double steps = v->steps > 0 ? (double)v->steps : 1.0;
    if (run_result_is_in_trees(result)) {
        run_result_row(to, "residual", "-", "", "see the criterion: %s solves a different problem",
                       pawl_stepper_name((int)pawl_sim_settings(result->sim)->stepper));
    } else {
        run_result_print_residual(r, to);
    }
    run_result_row(to, "solver", run_result_plain((double)v->iterations_sum / steps).text, "",
                   "iterations a step, at most %d", v->iterations_max);
    if (v->factorizations_max > 0) {
        run_result_row(to, "", run_result_plain((double)v->factorizations_sum / steps).text, "",
                       "factorizations a step, at most %d", v->factorizations_max);
    }
    if (v->islands_max > 1) {
        run_result_row(to, "", run_result_plain((double)v->islands_sum / steps).text, "",
                       "islands a step, at most %d", v->islands_max);
    }
    if (v->asleep_max > 0) {
        run_result_row(to, "", run_result_plain((double)v->asleep_sum / steps).text, "",
                       "bodies asleep a step, at most %d", v->asleep_max);
    }
    if (v->fell_back > 0) {
        run_result_row(to, "", run_result_plain((double)v->fell_back).text, "",
                       "steps of rattle computed by moreau: contact, limits, dissipation or "
                       "singular positions");
    }
    for (int m = PAWL_METHOD_SWEEPS; m < PAWL_METHOD_COUNT; ++m) {
        if (v->methods[m] > 0) {
            run_result_row(to, "", run_result_plain((double)v->methods[m]).text, "",
                           "steps solved by %s in the end", pawl_method_name((pawl_method)m));
        }
    }
    run_result_row(to, "", run_result_plain((double)v->not_converged).text, "",
                   "steps that missed the tolerance");
}

static void run_result_print_energy(const run_result *result, FILE *to)
{
    const pawl_verdict *v = &result->verdict;
    pawl_energy e = pawl_state_energy(pawl_sim_state(result->sim));
    run_result_row(to, "energy", run_result_plain(v->energy_initial).text, "J", "at the start");
    run_result_row(to, "", run_result_plain(v->energy_final).text, "J", "at the end, of which");
    run_result_row(to, "", run_result_plain(e.kinetic).text, "J", "  kinetic");
    run_result_row(to, "", run_result_plain(e.gravity).text, "J", "  potential, of gravity");
    run_result_row(to, "", run_result_plain(e.springs).text, "J", "  in springs");
    bool damped = run_result_is_in_trees(result);
    const char *dampers = damped ? "dampers and numerical damping" : "dampers";
    const struct {
        const char *name;
        double value;
    } works[] = {
        {"actuators", e.work_actuators},   {dampers, e.work_dampers},
        {"friction", e.work_friction},     {"prescribed motion", e.work_motion},
        {"applied forces", e.work_forces}, {"limits", e.work_limits},
        {"contacts", e.work_contacts},
    };
    bool worked = false;
    for (size_t i = 0; i < sizeof works / sizeof works[0]; ++i) {
        if (works[i].value != 0.0) {
            run_result_row(to, "", run_result_plain(works[i].value).text, "J", "work of %s",
                           works[i].name);
            worked = true;
        }
    }
    if (!worked) {
        run_result_row(to, "", "0", "J",
                       "work of actuators, dampers, friction, motion, forces, "
                       "limits, contacts");
    }
    run_result_row(to, "", run_result_small(v->balance_max).text, "J",
                   "that no work explains, at most");
}

static void run_result_print_time(const run_result *result, FILE *to)
{
    const timing *steps = &result->steps;
    if (steps->count == 0) {
        return;
    }
    double simulated = (double)steps->count * pawl_sim_settings(result->sim)->dt;
    char figure[32];
    snprintf(figure, sizeof figure, "%.4g", 1e6 * timing_quantile(steps, 0.5));
    run_result_row(to, "speed", figure, "us", "a step (median; mean %.4g, 99 %% below %.4g)",
                   1e6 * timing_mean(steps), 1e6 * timing_quantile(steps, 0.99));
    char parts[160] = "";
    for (int p = 0, used = 0; p < PAWL_PHASE_COUNT; ++p) {
        used +=
            snprintf(parts + used, sizeof parts - (size_t)used, "%s%s %.3g", p > 0 ? ", " : "",
                     pawl_phase_name((pawl_phase)p), 1e6 * run_result_phase(result, (pawl_phase)p));
    }
    run_result_row(to, "", "", "us", "of the mean: %s", parts);
    snprintf(figure, sizeof figure, "%.3g", result->wall);
    run_result_row(to, "", figure, "s", "in all, %.3g times as fast as real time",
                   result->wall > 0.0 ? simulated / result->wall : 0.0);
}

// One criterion: title, value, limit, judgement, and where or why.
static void run_result_print_criterion(const pawl_criterion *c, FILE *to)
{
    char value[40] = "-", limit[48] = "";
    if (!isnan(c->limit)) {
        snprintf(value, sizeof value, c->value == 0.0 ? "0" : "%.2e", c->value);
        snprintf(limit, sizeof limit, isinf(c->limit) ? "no limit" : "limit %.3g", c->limit);
    }
    bool judged = c->judgement != PAWL_NOT_JUDGED;
    const char *remark = c->where[0] != '\0' ? c->where : judged ? "" : c->advice;
    char line[PAWL_WHERE_SIZE + 200];
    int length =
        snprintf(line, sizeof line, "  %-33s %9s %-8s %-12s %-10s %s", c->title, value,
                 isnan(c->limit) ? "" : c->unit, limit, pawl_judgement_name(c->judgement), remark);
    while (length > 0 && length < (int)sizeof line && line[length - 1] == ' ') {
        line[--length] = '\0';
    }
    fprintf(to, "%s\n", line);
}

static void run_result_print_verdict(const run_result *result, FILE *to)
{
    const pawl_verdict_list *list = &result->list;
    for (int k = 0; k < list->count; ++k) {
        run_result_print_criterion(&list->criteria[k], to);
    }
    char sentence[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(list, sentence, sizeof sentence);
    fprintf(to, "\nverdict: %s\n", sentence);
}

void run_result_print(const run_result *result, FILE *to)
{
    run_result_print_header(result, to);
    fputc('\n', to);
    run_result_print_closure(result, to);
    run_result_print_contacts(result, to);
    run_result_print_events(result, to);
    run_result_print_solver(result, to);
    run_result_print_energy(result, to);
    run_result_print_time(result, to);
    fputc('\n', to);
    run_result_print_verdict(result, to);
}
