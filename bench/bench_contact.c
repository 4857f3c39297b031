// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// pawl beside other engines on scenes with contact: time per step, with collision detection, as a ratio to MuJoCo's
// defaults in the same run, and errors against the known solution of each scene: the stopping distance of a box,
// sinking, lift-off, creep, joint errors, and whether stacks remain standing.
#include "session.h"

#include <math.h>
#include <stdio.h>

#include "pawl/base.h"

enum { CONTACT_MAX_COLUMNS = 6, CONTACT_MAX_STEPS = 3 };

typedef struct contact_spec contact_spec;

// A figure of a finished run. All figures are in the JSON; a scene's table has those that matter.
typedef struct contact_figure {
    const char *key;   // in the JSON, in SI units
    const char *title; // in the table
    double scale;      // of the table's unit
    const char *format;
    double (*get)(const contact_spec *spec, const bench_case *run, const bench_result *result);
} contact_figure;

struct contact_spec {
    bench_scene *(*make)(void);
    double duration;                 // [s]
    double steps[CONTACT_MAX_STEPS]; // dt [s], ended by 0
    bool in_quick;
    double exact_x;   // where the first body stops [m], NaN where nobody knows
    double exact_yaw; // and how far it turned until then [rad]
    bool stands;      // no body may leave its place
    const contact_figure *columns[CONTACT_MAX_COLUMNS];
};

typedef struct contact_case {
    bench_case run;
    const contact_spec *spec;
} contact_case;

// ---- figures ------------------------------------------------------------------------------------

#define CONTACT_FIGURE(name, key, title, scale, format, expression)                                \
    static double contact_get_##name(const contact_spec *spec, const bench_case *run,              \
                                     const bench_result *result)                                   \
    {                                                                                              \
        const bench_touch *touch = &result->measure.touch;                                         \
        (void)spec;                                                                                \
        (void)run;                                                                                 \
        (void)touch;                                                                               \
        return (expression);                                                                       \
    }                                                                                              \
    static const contact_figure contact_##name = {key, title, scale, format, contact_get_##name}

// Acceleration of a box on the scene's incline; negative where it must stick.
static double contact_acceleration(const bench_scene *scene)
{
    return hypot(scene->gravity.x, scene->gravity.y) + scene->friction * scene->gravity.z;
}

static double contact_slide_error(const bench_case *run, const bench_result *result)
{
    double exact = contact_acceleration(run->scene) * result->simulated;
    pawl_vec3 v = result->measure.touch.velocity_end;
    pawl_vec3 g = run->scene->gravity;
    double down = (v.x * g.x + v.y * g.y) / hypot(g.x, g.y);
    return exact > 0.0 ? down / exact - 1.0 : NAN;
}

static double contact_speed_aside(const bench_case *run, const bench_result *result)
{
    pawl_vec3 v = result->measure.touch.velocity_end;
    pawl_vec3 g = run->scene->gravity;
    return fabs(v.x * g.y - v.y * g.x) / hypot(g.x, g.y);
}

CONTACT_FIGURE(stop, "stop_error", "stop mm", 1e3, "%+11.3f", touch->travel.x - spec->exact_x);
CONTACT_FIGURE(aside, "travel_y", "aside mm", 1e3, "%+11.3f", touch->travel.y);
CONTACT_FIGURE(yaw, "yaw", "yaw rad", 1.0, "%11.4f", touch->yaw);
CONTACT_FIGURE(yaw_error, "yaw_error", "yaw error", 1.0, "%+11.4f", touch->yaw - spec->exact_yaw);
CONTACT_FIGURE(lift, "lift", "lift m", 1.0, "%11.1e", touch->lift);
CONTACT_FIGURE(sunk, "penetration", "sunk m", 1.0, "%11.1e", touch->penetration);
CONTACT_FIGURE(sunk_end, "penetration_end", "at end m", 1.0, "%11.1e", touch->penetration_end);
CONTACT_FIGURE(joint, "joint_error", "joint m", 1.0, "%11.1e", result->measure.closure);
CONTACT_FIGURE(twisted, "joint_rotation_error", "joint rad", 1.0, "%11.1e",
               result->measure.twisted);
CONTACT_FIGURE(drift, "drift", "way m", 1.0, "%11.1e", hypot(touch->travel.x, touch->travel.y));
CONTACT_FIGURE(creep, "creep", "creep m/s", 1.0, "%11.1e", touch->creep);
CONTACT_FIGURE(settled_drift, "drift_settled", "drift m", 1.0, "%11.1e",
               touch->creep * touch->time_left);
CONTACT_FIGURE(moved, "moved", "moved m", 1.0, "%11.1e", touch->moved);
CONTACT_FIGURE(speed, "speed_end", "speed m/s", 1.0, "%11.1e", touch->speed_end);
CONTACT_FIGURE(spin, "spin_end", "spin rad/s", 1.0, "%11.1e", touch->spin_end);
CONTACT_FIGURE(slide, "slide_error", "slide err", 1.0, "%+11.1e", contact_slide_error(run, result));
CONTACT_FIGURE(sideways, "sideways", "aside m/s", 1.0, "%11.1e", contact_speed_aside(run, result));

static const contact_figure *const contact_figures[] = {
    &contact_stop,  &contact_aside,         &contact_yaw,   &contact_yaw_error, &contact_lift,
    &contact_sunk,  &contact_sunk_end,      &contact_joint, &contact_twisted,   &contact_drift,
    &contact_creep, &contact_settled_drift, &contact_moved, &contact_speed,     &contact_spin,
    &contact_slide, &contact_sideways,
};
enum { CONTACT_FIGURES = sizeof contact_figures / sizeof contact_figures[0] };

// ---- scenes -------------------------------------------------------------------------------------

static bench_scene *contact_fixed(void)
{
    return bench_scene_fixed(0.0);
}

static bench_scene *contact_fixed_offset(void)
{
    return bench_scene_fixed(0.05);
}

static bench_scene *contact_stack(void)
{
    return bench_scene_stack(10);
}

static bench_scene *contact_wall(void)
{
    return bench_scene_wall(10);
}

static bench_scene *contact_sticking(void)
{
    return bench_scene_incline(0.49, false);
}

static bench_scene *contact_sticking_diagonal(void)
{
    return bench_scene_incline(0.49, true);
}

static bench_scene *contact_sliding(void)
{
    return bench_scene_incline(0.60, false);
}

static bench_scene *contact_sliding_diagonal(void)
{
    return bench_scene_incline(0.60, true);
}

// The reference of S10 is Coulomb friction with the weight spread over the four corners as equally
// compliant ones would.
static const contact_spec contact_specs[] = {
    {.make = bench_scene_sliding_box,
     .duration = 1.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = 2.0 * 2.0 / (2.0 * 0.5 * 9.81),
     .exact_yaw = 0.0,
     .columns = {&contact_stop, &contact_sunk, &contact_sunk_end, &contact_lift, &contact_creep}},
    {.make = contact_fixed,
     .duration = 5.0,
     .steps = {1e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_joint, &contact_twisted, &contact_sunk, &contact_drift, &contact_speed}},
    {.make = contact_fixed_offset,
     .duration = 5.0,
     .steps = {1e-3, 1e-2},
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_joint, &contact_twisted, &contact_sunk, &contact_drift, &contact_speed}},
    {.make = bench_scene_nunchuk,
     .duration = 5.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_joint, &contact_sunk, &contact_sunk_end, &contact_speed, &contact_spin}},
    {.make = bench_scene_quadruped,
     .duration = 8.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_settled_drift, &contact_drift, &contact_joint, &contact_sunk,
                 &contact_speed}},
    {.make = contact_stack,
     .duration = 10.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .stands = true,
     .columns = {&contact_sunk, &contact_sunk_end, &contact_moved, &contact_speed}},
    {.make = contact_wall,
     .duration = 10.0,
     .steps = {1e-3, 1e-2},
     .exact_x = NAN,
     .exact_yaw = NAN,
     .stands = true,
     .columns = {&contact_sunk, &contact_sunk_end, &contact_moved, &contact_speed}},
    {.make = contact_sticking,
     .duration = 2.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_creep, &contact_drift, &contact_sunk}},
    {.make = contact_sticking_diagonal,
     .duration = 2.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_creep, &contact_drift, &contact_sunk}},
    {.make = contact_sliding,
     .duration = 2.0,
     .steps = {1e-3, 1e-2},
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_slide, &contact_sideways, &contact_sunk, &contact_lift}},
    {.make = contact_sliding_diagonal,
     .duration = 2.0,
     .steps = {1e-3, 1e-2},
     .in_quick = true,
     .exact_x = NAN,
     .exact_yaw = NAN,
     .columns = {&contact_slide, &contact_sideways, &contact_sunk, &contact_lift}},
    {.make = bench_scene_spinning_box,
     .duration = 2.0,
     .steps = {1e-3, 5e-3, 1e-2},
     .in_quick = true,
     .exact_x = 0.952,
     .exact_yaw = 2.473,
     .columns = {&contact_stop, &contact_aside, &contact_yaw, &contact_lift, &contact_sunk}},
};
enum {
    CONTACT_SPECS = sizeof contact_specs / sizeof contact_specs[0],
    CONTACT_MAX_CASES = CONTACT_SPECS * CONTACT_MAX_STEPS
};

// A quick run is for the code, not for the figures: the shortest of everything.
static int contact_select(const bench_options *options, contact_case *cases)
{
    int count = 0;
    for (int i = 0; i < CONTACT_SPECS; ++i) {
        const contact_spec *spec = &contact_specs[i];
        for (int k = 0; k < CONTACT_MAX_STEPS && spec->steps[k] > 0.0; ++k) {
            bench_scene *scene = spec->make();
            bool wanted = (!options->quick || (spec->in_quick && k == 0)) &&
                          bench_wanted(options, scene->name);
            if (!wanted) {
                bench_scene_destroy(scene);
                continue;
            }
            cases[count++] = (contact_case){
                .run = {.scene = scene,
                        .dt = spec->steps[k],
                        .duration = options->quick ? fmin(spec->duration, 0.2) : spec->duration,
                        .patience = 1.0,
                        .whole = true},
                .spec = spec,
            };
        }
    }
    return count;
}

// ---- the table ----------------------------------------------------------------------------------

static bool contact_fell(const contact_spec *spec, const bench_result *result)
{
    const bench_measure *measure = &result->measure;
    return spec->stands && measure->touch.moved > 0.5 * measure->scene->shortest;
}

static bool contact_torn(const bench_result *result)
{
    return result->measure.closure > result->measure.scene->shortest;
}

static bool contact_held(const contact_case *c, const bench_list *list)
{
    for (int i = 0; i < list->count; ++i) {
        const bench_result *result = &c->run.result[i];
        if (c->run.present[i] && bench_is_pawl(list->peer[i]) &&
            (result->outcome != BENCH_DONE || contact_fell(c->spec, result) ||
             contact_torn(result))) {
            return false;
        }
    }
    return true;
}

static void contact_print_row(const contact_case *c, const bench_list *list, int i)
{
    const bench_result *result = &c->run.result[i];
    printf("  %-8s%-15s", list->peer[i]->engine, list->peer[i]->variant);
    if (result->steps == 0) {
        printf("%10s\n", bench_outcome_name(result->outcome));
        return;
    }
    double ratio = bench_ratio(&c->run, list, i);
    printf("%10.2f", 1e6 * result->median);
    if (isfinite(ratio)) {
        printf("%8.2f", ratio);
    } else {
        printf("%8s", "-");
    }
    for (int k = 0; k < CONTACT_MAX_COLUMNS && c->spec->columns[k] != NULL; ++k) {
        const contact_figure *figure = c->spec->columns[k];
        double value = figure->get(c->spec, &c->run, result);
        if (isfinite(value)) {
            printf(figure->format, figure->scale * value);
        } else {
            printf("%11s", "-");
        }
    }
    const bench_effort *effort = &result->effort;
    if (list->peer[i]->effort != NULL) {
        printf("%8.1f%6d%6d", (double)effort->iterations / result->steps, effort->most,
               effort->unsolved);
    } else {
        printf("%8s%6s%6s", "-", "-", "-");
    }
    if (result->outcome == BENCH_EXPLODED) {
        printf("  exploded at %.2f s", result->simulated);
    } else if (contact_torn(result)) {
        printf("  torn apart");
    } else if (contact_fell(c->spec, result)) {
        printf("  fell");
    } else if (c->spec->stands) {
        printf("  stands");
    }
    if (result->cut) {
        printf("  (budget: %.2f s)", result->simulated);
    }
    printf("\n");
}

static void contact_print(const contact_case *c, const bench_list *list)
{
    const bench_case *run = &c->run;
    printf("\n%s: %d bodies, %d joints, dt %g ms, %g s\n", run->scene->name, run->scene->body_count,
           run->scene->joint_count, 1e3 * run->dt, run->duration);
    printf("  %-8s%-15s%10s%8s", "engine", "variant", "us/step", "ratio");
    for (int k = 0; k < CONTACT_MAX_COLUMNS && c->spec->columns[k] != NULL; ++k) {
        printf("%11s", c->spec->columns[k]->title);
    }
    printf("%8s%6s%6s\n", "iter", "most", "open");
    for (int i = 0; i < list->count; ++i) {
        if (run->present[i]) {
            contact_print_row(c, list, i);
        }
    }
    fflush(stdout);
}

static json_t *contact_json(const contact_case *c, const bench_list *list)
{
    const bench_case *run = &c->run;
    json_t *rows = json_array();
    for (int i = 0; i < list->count; ++i) {
        if (!run->present[i]) {
            continue;
        }
        const bench_result *result = &run->result[i];
        json_t *row = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:i, s:f, s:b}", "engine",
                                list->peer[i]->engine, "variant", list->peer[i]->variant, "outcome",
                                bench_outcome_name(result->outcome), "us_per_step",
                                bench_number(1e6 * result->median), "us_per_step_repeats",
                                bench_seconds(result), "ratio_to_mujoco",
                                bench_number(bench_ratio(run, list, i)), "steps", result->steps,
                                "simulated", result->simulated, "cut_by_budget", (int)result->cut);
        for (int k = 0; k < CONTACT_FIGURES; ++k) {
            double value = result->steps > 0 ? contact_figures[k]->get(c->spec, run, result) : NAN;
            json_object_set_new(row, contact_figures[k]->key, bench_number(value));
        }
        if (c->spec->stands) {
            json_object_set_new(row, "stands", json_boolean(!contact_fell(c->spec, result)));
        }
        if (list->peer[i]->effort != NULL) {
            const bench_effort *effort = &result->effort;
            json_object_set_new(row, "solver",
                                json_pack("{s:I, s:i, s:i, s:i}", "iterations",
                                          (json_int_t)effort->iterations, "iterations_max",
                                          effort->most, "unsolved_steps", effort->unsolved,
                                          "contacts_max", effort->contacts));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:o}", "scene", run->scene->name, "bodies",
                     run->scene->body_count, "joints", run->scene->joint_count, "dt", run->dt,
                     "duration", run->duration, "friction", run->scene->friction, "results", rows);
}

static void contact_headline(void)
{
    printf("pawl %s beside MuJoCo %s and ODE %s, one thread, scenes with contact\n", pawl_version(),
           bench_mujoco_name(), bench_ode_name());
    fputs(
        "  us/step    CPU time with collision detection: median of the repetitions, or the mean of "
        "a\n"
        "             run of more than a second\n"
        "  ratio      to MuJoCo's defaults in this run: below 1 is faster\n"
        "  stop mm    how far beyond the exact place the body stopped; yaw: 2.473 rad is expected\n"
        "  sunk, lift deepest overlap of two shapes and highest gap under the lowest one, over the "
        "run\n"
        "  joint      largest distance between a joint's two anchors, largest forbidden rotation\n"
        "  way        horizontally of the first body from its start; drift and creep: how far and "
        "how\n"
        "             fast it goes when it should rest\n"
        "  slide err  relative error of the speed down the incline; aside: speed across it\n"
        "  moved      farthest any body was from its start; half the smallest edge: fell\n"
        "  iter, most, open  solver iterations a step, most of them, steps above the tolerance "
        "(pawl)\n"
        "  (budget)   the engine's CPU time for the scene ran out\n"
        "All but the last three come from the poses and twists each engine returns, by the same "
        "code,\n"
        "after every step. MuJoCo ell10: elliptic cone, impratio 10, implicit; acc: elliptic, "
        "impratio\n"
        "100, solref 2 dt. ODE: erp 0.2. pawl: euler, project, but for erp (0.1).\n",
        stdout);
}

int main(int argument_count, char **arguments)
{
    bench_options options = bench_parse(
        "bench_contact", "pawl beside MuJoCo and ODE on the same scenes with contact, in one run",
        argument_count, arguments);
    bench_list list = bench_collect_contacts(&options);
    static contact_case cases[CONTACT_MAX_CASES];
    int count = contact_select(&options, cases);
    int total = count * bench_case_work(&list, &options);
    int done = 0;
    int status = 0;
    json_t *scenes = json_array();
    contact_headline();
    for (int i = 0; i < count; ++i) {
        bench_run_case(&cases[i].run, &list, &options, &done, total);
        bench_progress(total, total, "", "");
        contact_print(&cases[i], &list);
        if (!contact_held(&cases[i], &list)) {
            status = 1;
        }
        json_array_append_new(scenes, contact_json(&cases[i], &list));
        bench_scene_destroy(cases[i].run.scene);
    }
    json_t *root = json_pack("{s:s, s:s, s:s, s:o}", "pawl", pawl_version(), "mujoco",
                             bench_mujoco_name(), "ode", bench_ode_name(), "scenes", scenes);
    return bench_write_json(&options, root) ? status : 2;
}
