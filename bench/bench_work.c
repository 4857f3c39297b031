// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Work and precision: pawl beside MuJoCo, ODE and Bullet on the same scenes, interleaved, each with its default settings
// and with those of an expert. A setting is a point: the time of a step, and errors that are measured from the poses
// that an engine returns. At the end every point of another engine is listed that no setting of pawl dominates, that is,
// matches in time and in every error.
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pawl/base.h"

// What counts as an error of a scene, beside overlap and open joints.
typedef enum work_kind {
    WORK_MOVES = 0, // nothing else
    WORK_RESTS,     // built at rest: how far anything moved
    WORK_SWINGS     // nothing dissipates: the largest energy error
} work_kind;

typedef struct work_spec {
    bench_scene *(*make)(void);
    double dt, duration; // [s]
    work_kind kind;
    bool in_quick;
} work_spec;

static bench_scene *work_chain(void)
{
    return bench_scene_chain(10);
}
static bench_scene *work_ladder(void)
{
    return bench_scene_ladder(10);
}
static bench_scene *work_stack(void)
{
    return bench_scene_stack(10);
}
static bench_scene *work_wall(void)
{
    return bench_scene_wall(10);
}
static bench_scene *work_cards(void)
{
    return bench_scene_cards(3);
}
static bench_scene *work_arch(void)
{
    return bench_scene_arch(8);
}
static bench_scene *work_heavy(void)
{
    return bench_scene_heavy_stack(10, 1000.0);
}
static bench_scene *work_spheres(void)
{
    return bench_scene_bin(BENCH_SPHERE, 100);
}
static bench_scene *work_boxes(void)
{
    return bench_scene_bin(BENCH_BOX, 100);
}
static bench_scene *work_spheres_1000(void)
{
    return bench_scene_bin(BENCH_SPHERE, 1000);
}
static bench_scene *work_boxes_1000(void)
{
    return bench_scene_bin(BENCH_BOX, 1000);
}

// The humanoid without its servos, which falls and lies.
static bench_scene *work_lying(void)
{
    bench_scene *scene = bench_scene_humanoid();
    snprintf(scene->name, sizeof scene->name, "humanoid falls and lies");
    for (int i = 0; i < scene->joint_count; ++i) {
        scene->joints[i].stiffness = scene->joints[i].damping = 0.0;
    }
    return scene;
}

static const work_spec work_specs[] = {
    {bench_scene_four_bar, 1e-3, 2.0, WORK_SWINGS, true},
    {work_chain, 1e-3, 2.0, WORK_SWINGS, false},
    {work_ladder, 1e-3, 1.0, WORK_SWINGS, false},
    {bench_scene_quadruped, 5e-3, 4.0, WORK_MOVES, false},
    {bench_scene_humanoid, 5e-3, 2.0, WORK_MOVES, false},
    {work_lying, 5e-3, 4.0, WORK_MOVES, false},
    {bench_scene_loop_biped, 2.5e-3, 1.0, WORK_MOVES, false},
    {bench_scene_nunchuk, 1e-3, 2.0, WORK_MOVES, false},
    {bench_scene_nunchuk, 5e-3, 5.0, WORK_MOVES, true},
    {bench_scene_nunchuk, 1e-2, 5.0, WORK_MOVES, false},
    {bench_scene_toss, 1.7e-3, 1.0, WORK_MOVES, true},
    {bench_scene_tumbling, 2e-3, 2.0, WORK_MOVES, false},
    {work_stack, 5e-3, 5.0, WORK_RESTS, true},
    {work_heavy, 5e-3, 5.0, WORK_RESTS, false},
    {work_wall, 5e-3, 2.0, WORK_RESTS, false},
    {work_cards, 5e-3, 2.0, WORK_RESTS, false},
    {work_arch, 5e-3, 5.0, WORK_RESTS, false},
    {work_spheres, 5e-3, 2.0, WORK_MOVES, false},
    {work_boxes, 5e-3, 2.0, WORK_MOVES, false},
    {work_spheres_1000, 5e-3, 0.5, WORK_MOVES, false},
    {work_boxes_1000, 5e-3, 0.5, WORK_MOVES, false},
};
enum { WORK_SPECS = sizeof work_specs / sizeof work_specs[0] };

// ---- points -------------------------------------------------------------------------------------

enum { WORK_ERRORS = 4 };
static const char *const work_titles[WORK_ERRORS] = {"overlap m", "opened m", "moved m", "energy"};

// Errors below these differ by rounding and by how they are measured.
static const double work_floor[WORK_ERRORS] = {1e-9, 1e-9, 1e-9, 1e-6};

typedef struct work_point {
    double time;
    double error[WORK_ERRORS]; // those that do not count are 0
    bool valid;
} work_point;

static work_point work_point_of(const bench_result *r, work_kind kind)
{
    const bench_measure *m = &r->measure;
    // A run that was cut short had other steps than the others.
    work_point p = {.time = r->median,
                    .valid = r->outcome == BENCH_DONE && r->steps > 0 && !r->cut};
    p.error[0] = fmax(m->touch.penetration, 0.0);
    p.error[1] = m->closure;
    p.error[2] = kind == WORK_RESTS ? m->touch.moved_end : 0.0;
    p.error[3] = kind == WORK_SWINGS ? m->energy_error / m->scene->swing : 0.0;
    return p;
}

// Whether a is no slower and in no error worse than b.
static bool work_dominates(const work_point *a, const work_point *b)
{
    bool does = a->valid && a->time <= b->time;
    for (int e = 0; e < WORK_ERRORS; ++e) {
        does = does && a->error[e] <= fmax(b->error[e], work_floor[e]);
    }
    return does;
}

// ---- output -------------------------------------------------------------------------------------

static void work_print_point(const bench_case *run, const bench_list *list, int i, work_kind kind)
{
    const bench_peer *peer = list->peer[i];
    const bench_result *r = &run->result[i];
    printf("  %-8s%-16s", peer->engine, peer->variant);
    if (r->steps == 0) {
        printf("%11s\n", bench_outcome_name(r->outcome));
        return;
    }
    work_point p = work_point_of(r, kind);
    printf("%11.1f", 1e6 * p.time);
    for (int e = 0; e < WORK_ERRORS; ++e) {
        bool counts = e < 2 || (e == 2 && kind == WORK_RESTS) || (e == 3 && kind == WORK_SWINGS);
        if (counts) {
            printf("%11.1e", p.error[e]);
        } else {
            printf("%11s", "");
        }
    }
    printf("%11.1e", r->measure.touch.speed_end);
    if (r->effort.measured > 0) {
        printf("%11.1e", r->effort.residual / r->effort.measured);
    } else {
        printf("%11s", "");
    }
    if (bench_is_pawl(peer)) {
        printf("%7d of %d", r->effort.unsolved, r->steps);
    }
    printf("%s%s\n", r->outcome == BENCH_EXPLODED ? "  exploded" : "", r->cut ? "  (budget)" : "");
}

static void work_print(const bench_case *run, const bench_list *list, work_kind kind)
{
    printf("\n%s, dt %g ms, %g s\n", run->scene->name, 1e3 * run->dt, run->duration);
    printf("  %-8s%-16s%11s", "engine", "setting", "us/step");
    for (int e = 0; e < WORK_ERRORS; ++e) {
        printf("%11s", work_titles[e]);
    }
    printf("%11s%11s  unsolved\n", "speed m/s", "residual");
    for (int i = 0; i < list->count; ++i) {
        if (run->present[i]) {
            work_print_point(run, list, i, kind);
        }
    }
}

// Points of others that pawl does not dominate, of one scene. Returns their number; *seen gets that of all.
static int work_print_open(const bench_case *run, const bench_list *list, work_kind kind, int *seen)
{
    int open = 0;
    for (int i = 0; i < list->count; ++i) {
        work_point peer = work_point_of(&run->result[i], kind);
        if (!run->present[i] || bench_is_pawl(list->peer[i]) || !peer.valid) {
            continue;
        }
        bool met = false;
        double fastest = INFINITY; // of pawl's settings that are no less exact
        for (int j = 0; j < list->count; ++j) {
            work_point own = work_point_of(&run->result[j], kind), same = own;
            same.time = peer.time;
            if (!run->present[j] || !bench_is_pawl(list->peer[j])) {
                continue;
            }
            met = met || work_dominates(&own, &peer);
            fastest = work_dominates(&same, &peer) ? fmin(fastest, own.time) : fastest;
        }
        ++*seen;
        if (!met) {
            ++open;
            printf("  %-26s dt %5.3g ms  %-8s%-14s", run->scene->name, 1e3 * run->dt,
                   list->peer[i]->engine, list->peer[i]->variant);
            if (isfinite(fastest)) {
                printf("pawl at that accuracy: %.2f times its time\n", fastest / peer.time);
            } else {
                printf("no setting of pawl is as exact\n");
            }
        }
    }
    return open;
}

static json_t *work_json(const bench_case *run, const bench_list *list, work_kind kind)
{
    json_t *rows = json_array();
    for (int i = 0; i < list->count; ++i) {
        if (!run->present[i]) {
            continue;
        }
        const bench_result *r = &run->result[i];
        work_point p = work_point_of(r, kind);
        json_t *row = json_pack(
            "{s:s, s:s, s:s, s:o, s:i, s:i}", "engine", list->peer[i]->engine, "setting",
            list->peer[i]->variant, "outcome", bench_outcome_name(r->outcome), "us_per_step",
            bench_number(1e6 * p.time), "steps", r->steps, "unsolved", r->effort.unsolved);
        if (r->effort.measured > 0) {
            json_object_set_new(row, "residual",
                                bench_number(r->effort.residual / r->effort.measured));
        }
        static const char *const keys[WORK_ERRORS] = {"overlap", "opened", "moved", "energy"};
        for (int e = 0; e < WORK_ERRORS; ++e) {
            json_object_set_new(row, keys[e], bench_number(p.error[e]));
        }
        json_array_append_new(rows, row);
    }
    return json_pack("{s:s, s:f, s:f, s:o}", "scene", run->scene->name, "dt", run->dt, "duration",
                     run->duration, "results", rows);
}

static void work_headline(void)
{
    printf("pawl %s beside MuJoCo %s, ODE %s and Bullet %s, one thread\n", pawl_version(),
           bench_mujoco_name(), bench_ode_name(), bench_bullet_name());
    fputs(
        "  us/step   CPU time of a step, median of interleaved repetitions from the same start\n"
        "  overlap   deepest in the run; opened: farthest that a joint came apart; moved: farthest "
        "from a start\n"
        "            at rest, in the end; energy: largest error, relative to the scene's\n"
        "  speed     of the fastest body in the end; unsolved: steps above the tolerance\n"
        "  residual  [m/s] of Coulomb's and Signorini's laws, mean over the steps of the largest "
        "entry of the "
        "natural map\n            of an engine's own contacts and impulses, by pawl's formula\n",
        stdout);
}

int main(int argument_count, char **arguments)
{
    bench_options options =
        bench_parse("bench_work", "time against accuracy beside MuJoCo, ODE and Bullet, in one run",
                    argument_count, arguments);
    // Runs below a second are timed as a whole, longer ones as they are judged: never a part, whose steps are others.
    options.time_budget = options.quick ? options.time_budget : 1.1;
    bench_list list = bench_collect_work(&options);
    static bench_case cases[WORK_SPECS];
    static work_kind kinds[WORK_SPECS];
    int count = 0, done = 0, open = 0, seen = 0;
    work_headline();
    json_t *scenes = json_array();
    for (int k = 0; k < WORK_SPECS; ++k) {
        const work_spec *spec = &work_specs[k];
        bench_scene *scene = spec->make();
        if ((options.quick && !spec->in_quick) || !bench_wanted(&options, scene->name)) {
            bench_scene_destroy(scene);
            continue;
        }
        bench_case *run = &cases[count];
        *run = (bench_case){.scene = scene, .dt = spec->dt, .patience = 1.0, .whole = true};
        run->duration = options.quick ? 0.2 : spec->duration;
        kinds[count++] = spec->kind;
        bench_run_case(run, &list, &options, &done, WORK_SPECS * bench_case_work(&list, &options));
        work_print(run, &list, spec->kind);
        fflush(stdout);
        json_array_append_new(scenes, work_json(run, &list, spec->kind));
    }
    printf("\npoints of other engines that no setting of pawl dominates:\n");
    for (int k = 0; k < count; ++k) {
        open += work_print_open(&cases[k], &list, kinds[k], &seen);
        bench_scene_destroy(cases[k].scene);
    }
    printf("%d of %d\n", open, seen);
    return bench_write_json(&options, scenes) ? 0 : 2;
}
