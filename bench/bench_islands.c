// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Independent copies of a mechanism: the cost of one more copy, solved by islands or all together, and the gain by a
// second thread.
#include "runner.h"
#include "scene_build.h"
#include "trial.h"

#include <stdio.h>
#include <time.h>

static const double islands_dt = 2e-3; // [s]

typedef struct islands_spec {
    bench_scene *(*make)(void);
    const char *name;
    double apart; // [m]
} islands_spec;

static const islands_spec islands_specs[] = {
    {bench_scene_nunchuk, "nunchuks", 2.0},
    {bench_scene_quadruped, "quadrupeds", 2.0},
};
enum { ISLANDS_SPECS = sizeof islands_specs / sizeof islands_specs[0] };

typedef struct islands_run {
    bool failed;
    double wall;  // of a step [s]
    double cpu;   // of a step, of all threads [s]
    double solve; // CPU time of its solver alone [s]
    pawl_verdict verdict;
    uint64_t hash;
} islands_run;

static double islands_cpu_time(void *user)
{
    (void)user;
    return bench_cpu_time();
}

static double islands_wall_time(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// `count` copies of a scene in a square.
static bench_scene *islands_copies(const islands_spec *spec, int count)
{
    bench_scene *one = spec->make();
    bench_scene *scene = bench_scene_create(count * one->body_count, count * one->joint_count,
                                            count * one->shape_count, "%d %s", count, spec->name);
    int side = 1;
    while (side * side < count) {
        ++side;
    }
    for (int k = 0; k < count; ++k) {
        pawl_vec3 shift = {spec->apart * (k % side), spec->apart * (k / side), 0.0};
        int first = scene->body_count;
        for (int i = 0; i < one->body_count; ++i) {
            bench_body *body = &scene->bodies[scene->body_count++];
            *body = one->bodies[i];
            body->pose.position.x += shift.x;
            body->pose.position.y += shift.y;
        }
        for (int i = 0; i < one->joint_count; ++i) {
            bench_joint *joint = &scene->joints[scene->joint_count++];
            *joint = one->joints[i];
            joint->base += joint->base == BENCH_WORLD ? 0 : first;
            joint->follower += first;
            joint->point.x += shift.x;
            joint->point.y += shift.y;
        }
        for (int i = 0; i < one->shape_count; ++i) {
            bench_shape *shape = &scene->shapes[scene->shape_count++];
            *shape = one->shapes[i];
            shape->body += first;
        }
    }
    scene->gravity = one->gravity;
    scene->floor = one->floor;
    scene->friction = one->friction;
    scene->settle = one->settle;
    scene->shortest = one->shortest;
    scene->swing = count * one->swing;
    bench_scene_destroy(one);
    return scene;
}

static islands_run islands_try(const bench_scene *scene, bool islands, int threads, int steps)
{
    pawl_settings settings = pawl_settings_default();
    settings.dt = islands_dt;
    settings.solver.islands = islands;
    settings.threads = threads;
    bench_world *world = bench_world_create(scene, &settings);
    islands_run run = {.failed = world == NULL};
    if (world == NULL) {
        return run;
    }
    pawl_sim_set_clock(world->sim, islands_cpu_time, NULL);
    run.verdict = pawl_verdict_begin(pawl_sim_state(world->sim));
    double wall = islands_wall_time(), cpu = bench_cpu_time();
    for (int k = 0; k < steps && !run.failed; ++k) {
        pawl_step_report report;
        run.failed = pawl_sim_step(world->sim, &report) != PAWL_OK;
        if (!run.failed) {
            pawl_verdict_add(&run.verdict, &report);
            run.solve += report.seconds[PAWL_PHASE_SOLVE] / steps;
        }
    }
    run.wall = (islands_wall_time() - wall) / steps;
    run.cpu = (bench_cpu_time() - cpu) / steps;
    run.hash = pawl_state_hash(pawl_sim_state(world->sim));
    bench_world_destroy(world);
    return run;
}

static void islands_print(const char *what, const islands_run *run, int count)
{
    double steps = run->verdict.steps > 0 ? (double)run->verdict.steps : 1.0;
    printf("  %-20s%12.1f%12.1f%12.2f%12.2f%9.1f%8.1f%7d%7d\n", what, 1e6 * run->wall,
           1e6 * run->cpu, 1e6 * run->cpu / count, 1e6 * run->solve / count,
           (double)run->verdict.islands_sum / steps, (double)run->verdict.iterations_sum / steps,
           run->verdict.iterations_max, (int)run->verdict.not_converged);
    fflush(stdout);
}

static json_t *islands_json(const islands_run *run, int count)
{
    return json_pack("{s:o, s:o, s:o, s:I}", "us_wall", bench_number(1e6 * run->wall),
                     "us_per_mechanism", bench_number(1e6 * run->cpu / count),
                     "us_solve_per_mechanism", bench_number(1e6 * run->solve / count),
                     "not_converged", (json_int_t)run->verdict.not_converged);
}

// What all of it together is spared: it grows with the square of the copies or worse.
static bool islands_too_many(int count, bool islands)
{
    return !islands && count > 10;
}

static int islands_case(const islands_spec *spec, int count, int steps, json_t *rows)
{
    bench_scene *scene = islands_copies(spec, count);
    printf("%s\n", scene->name);
    islands_run one = islands_try(scene, true, 1, steps);
    islands_print("islands", &one, count);
    json_t *row =
        json_pack("{s:s, s:o}", "scene", scene->name, "islands", islands_json(&one, count));
    if (!islands_too_many(count, false)) {
        islands_run whole = islands_try(scene, false, 1, steps);
        islands_print("all together", &whole, count);
        json_object_set_new(row, "together", islands_json(&whole, count));
    }
    islands_run two = islands_try(scene, true, 2, steps);
    islands_print("islands, 2 threads", &two, count);
    json_object_set_new(row, "two_threads", islands_json(&two, count));
    bool same = one.hash == two.hash && !one.failed && !two.failed;
    if (!same) {
        printf("  NOT THE SAME BITS with two threads\n");
    }
    json_array_append_new(rows, row);
    bench_scene_destroy(scene);
    return same ? 0 : 1;
}

int main(int argument_count, char **arguments)
{
    bench_options options = bench_parse("bench_islands", "what one more separate mechanism costs",
                                        argument_count, arguments);
    const int counts[] = {1, 10, 100};
    int status = 0, steps = options.quick ? 10 : 500;
    json_t *rows = json_array();
    printf("pawl %s, defaults, %g ms, %d steps: copies that stay apart\n"
           "  us wall, CPU  of the mean step; CPU time for each copy, and of that in the solver\n"
           "  islands, iter, most, open  a step; steps above the tolerance\n"
           "  all together is solver.islands=off, and left out for 100 copies\n\n",
           pawl_version(), 1e3 * islands_dt, steps);
    printf("  %-20s%12s%12s%12s%12s%9s%8s%7s%7s\n", "", "us wall", "us CPU", "a copy", "solving",
           "islands", "iter", "most", "open");
    for (int i = 0; i < ISLANDS_SPECS; ++i) {
        if (!bench_wanted(&options, islands_specs[i].name)) {
            continue;
        }
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; ++k) {
            if (!(options.quick && counts[k] > 10)) {
                status = islands_case(&islands_specs[i], counts[k], steps, rows) != 0 ? 1 : status;
            }
        }
    }
    json_t *root =
        json_pack("{s:s, s:i, s:o}", "pawl", pawl_version(), "steps", steps, "scenes", rows);
    return bench_write_json(&options, root) ? status : 2;
}
