// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Scenes at rest for their whole 10 s, without a limit of computing time: stacks, the wall of bricks and heavy bodies
// on light ones. tests/references asserts the parts that take seconds.
#include "trial.h"

#include <stdio.h>

#define STANDING_SUNK 1e-5 ///< overlap that is asked for at most [m]

typedef struct standing_spec {
    bench_scene *(*make)(void);
    double dt; // [s]
    bool in_quick;
} standing_spec;

static bench_scene *standing_stack(void)
{
    return bench_scene_stack(10);
}

static bench_scene *standing_wall(void)
{
    return bench_scene_wall(10);
}

static bench_scene *standing_heavy(void)
{
    return bench_scene_heavy_stack(2, 1000.0);
}

static bench_scene *standing_heavy_ten(void)
{
    return bench_scene_heavy_stack(10, 1000.0);
}

static const standing_spec standing_specs[] = {
    {standing_stack, 1e-3, true},      {standing_stack, 5e-3, false},
    {standing_stack, 1e-2, false},     {standing_heavy, 1e-3, true},
    {standing_heavy, 1e-2, false},     {standing_heavy_ten, 1e-3, false},
    {standing_heavy_ten, 1e-2, false}, {standing_wall, 1e-2, true},
    {standing_wall, 1e-3, false},
};
enum { STANDING_SPECS = sizeof standing_specs / sizeof standing_specs[0] };

static bool standing_fell(const bench_scene *scene, const bench_trial *trial)
{
    return trial->failed || trial->measure.touch.moved > 0.5 * scene->shortest;
}

static void standing_headline(double duration)
{
    printf("pawl %s, defaults, one thread: what must stand, %g s\n", pawl_version(), duration);
    printf("  stands     no body went further from its start than half its edge\n"
           "  sunk       deepest overlap, found anew from the poses; at most %g m are asked for\n"
           "  moved      farthest any body was from its start, and in the end\n"
           "  speed, spin of the fastest body in the end\n"
           "  iter, most, open  solver iterations a step, most of them, steps above the tolerance\n"
           "  us/step    CPU time of the mean step, and what each phase has of it\n\n",
           STANDING_SUNK);
    printf("%-30s%6s%8s%9s%9s%9s%9s%9s%7s%6s%6s%10s", "scene", "dt ms", "stands", "sunk m",
           "moved m", "in end", "speed", "spin", "iter", "most", "open", "us/step");
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%9s", pawl_phase_name((pawl_phase)p));
    }
    printf("\n");
}

static void standing_print(const bench_scene *scene, const bench_trial *trial)
{
    const pawl_verdict *v = &trial->verdict;
    const bench_touch *touch = &trial->measure.touch;
    printf("%-30s%6g%8s%9.1e%9.1e%9.1e%9.1e%9.1e%7.1f%6d%6d%10.1f", scene->name, 1e3 * trial->dt,
           standing_fell(scene, trial) ? "NO" : "yes", touch->penetration, touch->moved,
           touch->moved_end, touch->speed_end, touch->spin_end,
           (double)v->iterations_sum / (double)(v->steps > 0 ? v->steps : 1), v->iterations_max,
           (int)v->not_converged, 1e6 * trial->seconds);
    for (int p = 0; p < PAWL_PHASE_COUNT; ++p) {
        printf("%9.1f", 1e6 * trial->phases[p]);
    }
    printf("%s\n", touch->penetration > STANDING_SUNK ? "  sunk too far" : "");
    fflush(stdout);
}

int main(int argument_count, char **arguments)
{
    bench_options options = bench_parse("bench_standing", "stacks and walls that pawl must hold up",
                                        argument_count, arguments);
    double duration = options.quick ? 0.2 : 10.0;
    int status = 0;
    json_t *rows = json_array();
    standing_headline(duration);
    for (int i = 0; i < STANDING_SPECS; ++i) {
        const standing_spec *spec = &standing_specs[i];
        bench_scene *scene = spec->make();
        if ((spec->in_quick || !options.quick) && bench_wanted(&options, scene->name)) {
            pawl_settings settings = pawl_settings_default();
            settings.dt = spec->dt;
            bench_trial trial = bench_try(scene, &settings, duration, i, STANDING_SPECS);
            bench_progress(1, 1, "", "");
            standing_print(scene, &trial);
            json_t *row = bench_trial_json(scene, &trial);
            json_object_set_new(row, "stands", json_boolean(!standing_fell(scene, &trial)));
            json_array_append_new(rows, row);
            status = standing_fell(scene, &trial) ? 1 : status;
        }
        bench_scene_destroy(scene);
    }
    json_t *root =
        json_pack("{s:s, s:f, s:o}", "pawl", pawl_version(), "duration", duration, "scenes", rows);
    return bench_write_json(&options, root) ? status : 2;
}
