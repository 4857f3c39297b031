// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Which stepper should be the default: all of them over smooth references, the suite and the classics of contact, at
// 1, 5 and 10 ms. For each case and step: the error of a point of each body against a converged motion, the cost of a
// step, and failures. Then one summary for each step size. docs/accuracy.md has the conclusions. Run it in the source
// folder.
//
// The converged motion is rattle's of order four for smooth models and lit's with located events for models that
// touch, both at 0.1 ms; the tests compare those two with closed forms and published answers. For bodies that should
// be at rest the error is their creep.
#include "pawl_world.h"
#include "runner.h"
#include "scene_build.h"
#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum default_kind { DEFAULT_SMOOTH = 0, DEFAULT_TOUCH, DEFAULT_REST } default_kind;
static const char *const default_kinds[] = {"smooth", "touch", "rest"};

typedef struct default_case {
    const char *name;
    default_kind kind;
    double time; // a multiple of DEFAULT_SAMPLE, short enough for the motion to be predictable [s]
    bench_scene *(*scene)(void); // NULL: the file models/<name>.sdf
} default_case;

// What is compared of a body: a point off its origin, so that turns count, too.
static const pawl_vec3 default_point = {0.1, 0.1, 0.1};
static const double DEFAULT_SAMPLE = 0.01; // motions are compared this often [s]
static const double DEFAULT_FINE = 1e-4;   // step of the converged motion [s]

// ---- Scenes that no file has -------------------------------------------------------------------

static void default_floor(bench_scene *scene, double friction)
{
    scene->floor = true;
    scene->friction = friction;
    scene->settle = 0.2;
}

static pawl_quat default_tilt(double angle) // about y
{
    return (pawl_quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
}

// A slender block that is let go on its edge and rocks from edge to edge.
static bench_scene *default_rocking_block(void)
{
    const double a = 0.1, b = 0.5, tilt = 0.15;
    bench_scene *scene = bench_scene_create(1, 0, 1, "rocking block");
    double x = a * cos(tilt) - b * sin(tilt), z = a * sin(tilt) + b * cos(tilt);
    bench_add_box(scene, (pawl_vec3){x, 0.0, z}, (pawl_vec3){a, 0.2, b}, 10.0);
    scene->bodies[0].pose.orientation = default_tilt(-tilt);
    default_floor(scene, 0.8);
    return scene;
}

// Two cards that lean against each other.
static bench_scene *default_cards(void)
{
    const double half = 0.05, thin = 0.001, lean = 0.3;
    bench_scene *scene = bench_scene_create(2, 0, 2, "two cards");
    double z = half * cos(lean) + thin * sin(lean), x = half * sin(lean) + thin * cos(lean);
    for (int side = -1; side <= 1; side += 2) {
        int card = bench_add_box(scene, (pawl_vec3){side * x, 0.0, z},
                                 (pawl_vec3){thin, 0.03, half}, 0.01);
        scene->bodies[card].pose.orientation = default_tilt(-side * lean);
    }
    default_floor(scene, 0.6);
    return scene;
}

static bench_scene *default_stack(void)
{
    return bench_scene_stack(10);
}

static const default_case default_cases[] = {
    {"classics/A01-pendulum", DEFAULT_SMOOTH, 2.0, NULL},
    {"classics/A02-N2", DEFAULT_SMOOTH, 1.0, NULL},
    {"classics/A02-N10", DEFAULT_SMOOTH, 1.0, NULL},
    {"classics/A04-bricard", DEFAULT_SMOOTH, 1.0, NULL},
    {"classics/A05-governor", DEFAULT_SMOOTH, 0.5, NULL},
    {"classics/C1-slider-crank", DEFAULT_SMOOTH, 0.5, NULL},
    {"classics/C2-car-axis", DEFAULT_SMOOTH, 0.5, NULL},
    {"classics/D1-dzhanibekov", DEFAULT_SMOOTH, 2.0, NULL},
    {"classics/D2-heavy-top", DEFAULT_SMOOTH, 0.3, NULL},
    {"classics/D3-furuta", DEFAULT_SMOOTH, 0.5, NULL},
    {"classics/S4-fourbar", DEFAULT_SMOOTH, 1.0, NULL},
    {"classics/chain-10", DEFAULT_SMOOTH, 0.5, NULL},
    {"quickstart", DEFAULT_SMOOTH, 1.0, NULL},
    {"primitives/fourbar-fixed", DEFAULT_SMOOTH, 1.0, NULL},
    {"primitives/fourbar-free", DEFAULT_SMOOTH, 1.0, NULL},
    {"lit/fourbar-passive", DEFAULT_SMOOTH, 1.0, NULL},
    {"joints/spherical", DEFAULT_SMOOTH, 0.5, NULL},
    {"joints/universal", DEFAULT_SMOOTH, 0.5, NULL},
    {"joints/gear", DEFAULT_SMOOTH, 0.5, NULL},
    {"joints/screw", DEFAULT_SMOOTH, 0.5, NULL},
    {"primitives/boxes-fixed", DEFAULT_TOUCH, 0.5, NULL},
    {"primitives/fourbar-dropped", DEFAULT_TOUCH, 0.4, NULL},
    {"primitives/hulls", DEFAULT_TOUCH, 0.4, NULL},
    {"primitives/nunchuk", DEFAULT_TOUCH, 0.4, NULL},
    {"classics/D4-incline-30", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D5-slide-to-roll", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D6-back-spin", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D7-sphere-incline", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D8-bouncing-ball", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D10-rod-impact", DEFAULT_TOUCH, 0.3, NULL},
    {"classics/D13-sphere-off-sphere", DEFAULT_TOUCH, 0.5, NULL},
    {"classics/D14-dry-friction", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/D15-euler-disk", DEFAULT_TOUCH, 0.3, NULL},
    {"classics/E1-slide", DEFAULT_TOUCH, 1.0, NULL},
    {"classics/E1-spin", DEFAULT_TOUCH, 0.5, NULL},
    {"classics/E3-topple", DEFAULT_TOUCH, 0.3, NULL},
    {"classics/S10-spinning-box", DEFAULT_TOUCH, 0.6, NULL},
    {"rocking block", DEFAULT_TOUCH, 1.0, default_rocking_block},
    {"primitives/box-on-plane", DEFAULT_REST, 1.0, NULL},
    {"classics/D4-incline-26", DEFAULT_REST, 1.0, NULL},
    {"classics/D12-stack-10", DEFAULT_REST, 1.0, NULL},
    {"classics/D12-stack-1000", DEFAULT_REST, 1.0, NULL},
    {"classics/E2-table", DEFAULT_REST, 1.0, NULL},
    {"ten cubes", DEFAULT_REST, 1.0, default_stack},
    {"two cards", DEFAULT_REST, 1.0, default_cards},
    {"quadruped", DEFAULT_REST, 1.0, bench_scene_quadruped},
};
enum { DEFAULT_CASES = sizeof default_cases / sizeof default_cases[0] };

typedef struct default_method {
    const char *name;
    pawl_stepper_kind stepper;
    pawl_lit_variant variant;
} default_method;

static const default_method default_methods[] = {
    {"euler", PAWL_STEPPER_EULER, PAWL_LIT_MIDPOINT},
    {"moreau", PAWL_STEPPER_MOREAU, PAWL_LIT_MIDPOINT},
    {"rattle", PAWL_STEPPER_RATTLE, PAWL_LIT_MIDPOINT},
    {"lit", PAWL_STEPPER_LIT, PAWL_LIT_MIDPOINT},
    {"paper", PAWL_STEPPER_LIT, PAWL_LIT_PAPER},
    {"sdirk2", PAWL_STEPPER_LIT, PAWL_LIT_SDIRK2},
};
enum { DEFAULT_METHODS = sizeof default_methods / sizeof default_methods[0] };

static const double default_steps[] = {1e-3, 5e-3, 1e-2};
enum { DEFAULT_STEPS = sizeof default_steps / sizeof default_steps[0] };

// ---- One run -----------------------------------------------------------------------------------

typedef struct default_run {
    bool done;
    int samples, bodies;
    pawl_vec3 *at;      // (samples x bodies)
    double cost;        // CPU time a step [s]
    double gain;        // largest unexplained energy above 0, of the largest energy seen
    double penetration; // [m]
    long unsolved, tunnelled;
} default_run;

static bench_world *default_load(const default_case *x, const pawl_settings *settings)
{
    if (x->scene != NULL) {
        bench_scene *scene = x->scene();
        bench_world *world = bench_world_create(scene, settings);
        bench_scene_destroy(scene);
        return world;
    }
    char path[100];
    snprintf(path, sizeof path, "models/%s.sdf", x->name);
    bench_world *world = calloc(1, sizeof *world);
    if (world != NULL) {
        world->env = reference_env();
        world->model = reference_load_model(&world->env, path);
        if (world->model == NULL ||
            pawl_sim_create(&world->env, world->model, settings, &world->sim) != PAWL_OK) {
            bench_world_destroy(world);
            return NULL;
        }
    }
    return world;
}

static void default_look(const bench_world *world, default_run *run, double *scale)
{
    const pawl_state *s = pawl_sim_state(world->sim);
    for (int i = 0; i < run->bodies; ++i) {
        pawl_pose pose = pawl_state_pose(s, pawl_model_body_at(pawl_state_model(s), i));
        pawl_vec3 p = pawl_quat_rotate(pose.orientation, default_point);
        run->at[run->samples * run->bodies + i] =
            (pawl_vec3){pose.position.x + p.x, pose.position.y + p.y, pose.position.z + p.z};
    }
    ++run->samples;
    pawl_energy e = pawl_state_energy(s);
    *scale = fmax(*scale, fmax(e.kinetic, fabs(e.kinetic + e.gravity + e.springs)));
    run->gain = fmax(run->gain, e.balance);
}

static default_run default_measure(const default_case *x, const pawl_settings *settings)
{
    default_run run = {0};
    bench_world *world = default_load(x, settings);
    if (world == NULL) {
        return run;
    }
    int steps = (int)lround(x->time / settings->dt);
    int stride = (int)lround(DEFAULT_SAMPLE / settings->dt);
    run.bodies = pawl_model_body_count(world->model);
    run.at = calloc((size_t)(steps / stride + 1) * (size_t)run.bodies, sizeof *run.at);
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(world->sim));
    double scale = 0.0;
    run.done = run.at != NULL;
    for (int k = 0; k < steps && run.done; ++k) {
        pawl_step_report report;
        double begin = bench_cpu_time();
        run.done = pawl_sim_step(world->sim, &report) == PAWL_OK;
        run.cost += (bench_cpu_time() - begin) / steps;
        pawl_verdict_add(&verdict, &report);
        if (run.done && (k + 1) % stride == 0) {
            default_look(world, &run, &scale);
        }
    }
    run.gain = scale > 0.0 ? run.gain / scale : 0.0;
    run.unsolved = (long)verdict.not_converged;
    run.tunnelled = (long)verdict.tunnelled;
    run.penetration = verdict.penetration;
    bench_world_destroy(world);
    return run;
}

// Largest distance of a body's point from where it should be; of what should rest, from where it was after a fifth of
// the time.
static double default_error(const default_case *x, const default_run *run, const default_run *fine)
{
    if (!run->done) {
        return INFINITY;
    }
    double worst = 0.0;
    int first = x->kind == DEFAULT_REST ? run->samples / 5 : 0;
    for (int k = first; k < run->samples; ++k) {
        for (int i = 0; i < run->bodies; ++i) {
            int from = x->kind == DEFAULT_REST ? first : k;
            const pawl_vec3 *is = &run->at[k * run->bodies + i],
                            *should =
                                &(x->kind == DEFAULT_REST ? run : fine)->at[from * run->bodies + i];
            double d = hypot(hypot(is->x - should->x, is->y - should->y), is->z - should->z);
            worst = !(d <= worst) ? d : worst; // NaN wins
        }
    }
    return isfinite(worst) ? worst : INFINITY;
}

// ---- Tables ------------------------------------------------------------------------------------

typedef struct default_sum { // of one method at one step
    double error[3];         // sums of log10(error / euler's), by kind
    int count[3];
    double cost; // sum of log10(cost / euler's)
    int costs, best;
    long unsolved, tunnelled;
    int failed, gains;
    double penetration;
} default_sum;

static const double default_equal = 1e-9; // smaller errors are none [m]

static void default_add(default_sum *sum, const default_case *x, const default_run *run,
                        double error, double euler_error, double euler_cost, double best)
{
    if (isfinite(error) && isfinite(euler_error)) {
        sum->error[x->kind] += log10(fmax(error, default_equal) / fmax(euler_error, default_equal));
        ++sum->count[x->kind];
    }
    if (run->done && euler_cost > 0.0) {
        sum->cost += log10(run->cost / euler_cost);
        ++sum->costs;
    }
    sum->best += error <= 1.1 * fmax(best, default_equal) ? 1 : 0;
    sum->failed += run->done ? 0 : 1;
    sum->unsolved += run->unsolved;
    sum->tunnelled += run->tunnelled;
    sum->gains += run->gain > 0.01 ? 1 : 0;
    sum->penetration = fmax(sum->penetration, run->penetration);
}

static void default_row(const default_case *x, double dt, const default_run *fine,
                        default_sum sums[DEFAULT_METHODS], json_t *rows)
{
    default_run runs[DEFAULT_METHODS];
    double error[DEFAULT_METHODS], best = INFINITY;
    json_t *errors = json_array(), *costs = json_array();
    printf("%-30s %-6s %2.0f ms", x->name, default_kinds[x->kind], 1e3 * dt);
    for (int i = 0; i < DEFAULT_METHODS; ++i) {
        pawl_settings settings = pawl_settings_default();
        settings.dt = dt;
        settings.stepper = default_methods[i].stepper;
        settings.lit.variant = default_methods[i].variant;
        runs[i] = default_measure(x, &settings);
        error[i] = default_error(x, &runs[i], fine);
        best = fmin(best, error[i]);
        printf("  %7.1e %6.1f%c%c%c", error[i], 1e6 * runs[i].cost,
               runs[i].unsolved > 0 ? 'u' : ' ', runs[i].gain > 0.01 ? 'g' : ' ',
               runs[i].tunnelled > 0 ? 't' : ' ');
        json_array_append_new(errors, bench_number(error[i]));
        json_array_append_new(costs, bench_number(1e6 * runs[i].cost));
    }
    printf("\n");
    fflush(stdout);
    for (int i = 0; i < DEFAULT_METHODS; ++i) {
        default_add(&sums[i], x, &runs[i], error[i], error[0], runs[0].cost, best);
        free(runs[i].at);
    }
    json_array_append_new(rows, json_pack("{s:s, s:f, s:o, s:o}", "case", x->name, "dt", dt,
                                          "errors", errors, "us", costs));
}

static double default_mean(double sum, int count)
{
    return count > 0 ? pow(10.0, sum / count) : NAN;
}

static void default_print_sums(double dt, const default_sum sums[DEFAULT_METHODS], int cases)
{
    printf("%5.0f ms", 1e3 * dt);
    for (int i = 0; i < DEFAULT_METHODS; ++i) {
        const default_sum *s = &sums[i];
        printf("%s  %-7s %8.2g %8.2g %8.2g %8.2f %4d/%d %8ld %6d %6ld %8.1e %6d\n",
               i > 0 ? "        " : "", default_methods[i].name,
               default_mean(s->error[0], s->count[0]), default_mean(s->error[1], s->count[1]),
               default_mean(s->error[2], s->count[2]), default_mean(s->cost, s->costs), s->best,
               cases, s->unsolved, s->gains, s->tunnelled, s->penetration, s->failed);
    }
}

static default_run default_converged(const default_case *x)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = DEFAULT_FINE;
    settings.stepper = x->kind == DEFAULT_SMOOTH ? PAWL_STEPPER_RATTLE : PAWL_STEPPER_LIT;
    settings.rattle.order = 4;
    return default_measure(x, &settings);
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_default", "every stepper on everything, to choose the default",
                    argument_count, arguments);
    static default_sum sums[DEFAULT_STEPS][DEFAULT_METHODS];
    json_t *rows = json_array();
    int cases = 0, failed = 0;
    printf("largest error of a point of a body [m], CPU time a step [us]; u: unsolved steps, g: "
           "energy from nowhere (1 %%), t: passed through\n%-30s %-6s %5s",
           "case", "kind", "dt");
    for (int i = 0; i < DEFAULT_METHODS; ++i) {
        printf("  %-17s", default_methods[i].name);
    }
    printf("\n");
    for (int k = 0; k < DEFAULT_CASES; ++k) {
        const default_case *x = &default_cases[k];
        if (!bench_wanted(&options, x->name) || (options.quick && k % 8 != 0)) {
            continue;
        }
        default_run fine = {.done = true};
        if (x->kind != DEFAULT_REST) {
            fine = default_converged(x);
        }
        failed += fine.done ? 0 : 1;
        for (int d = options.quick ? 1 : 0; d < DEFAULT_STEPS && fine.done; ++d) {
            default_row(x, default_steps[d], &fine, sums[d], rows);
        }
        cases += fine.done ? 1 : 0;
        free(fine.at);
    }
    printf("\nsummary: geometric means of error and time beside euler's; best: within 10 %% of the "
           "best error\n   dt     %-7s %8s %8s %8s %8s %7s %8s %6s %6s %8s %6s\n",
           "stepper", "smooth", "touch", "rest", "time", "best", "unsolved", "gains", "passed",
           "overlap", "failed");
    for (int d = options.quick ? 1 : 0; d < DEFAULT_STEPS && cases > 0; ++d) {
        default_print_sums(default_steps[d], sums[d], cases);
        for (int i = 0; i < DEFAULT_METHODS; ++i) {
            failed += sums[d][i].failed;
        }
    }
    json_t *root = json_pack("{s:s, s:o}", "pawl", pawl_version(), "cases", rows);
    return !bench_write_json(&options, root) ? 2 : failed == 0 ? 0 : 1;
}
