// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Public robots from the zero position of their files: the largest speed after 1 and 10 steps compared with free
// fall, which shows whether limits, loops or overlaps accelerate a body, and the energy error; in the air, and above
// a floor 0.1 m below the lowest body. Missing files are skipped.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pawl/io.h"
#include "pawl/verdict.h"

static const char *const robot_files[] = {
    "Gepetto+example-robot-data/robots/cassie_description/robots/cassie.sdf",
    "RobotLocomotion+drake/multibody/benchmarking/cassie_v2.urdf",
    "Gepetto+example-robot-data/robots/go2_description/urdf/go2.urdf",
    "Gepetto+example-robot-data/robots/solo_description/robots/solo.urdf",
    "bulletphysics+bullet3/examples/pybullet/gym/pybullet_data/laikago/laikago.urdf",
    "bulletphysics+bullet3/data/quadruped/minitaur.urdf",
    "rdeits+StrandbeestRobot.jl/data/Strandbeest.urdf",
};

static double robot_speed(const pawl_sim *sim, const pawl_model *model)
{
    double speed = 0.0;
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        pawl_vec3 v =
            pawl_state_twist(pawl_sim_state(sim), pawl_model_body_at(pawl_sim_model(sim), i))
                .linear;
        speed = fmax(speed, sqrt(v.x * v.x + v.y * v.y + v.z * v.z));
    }
    return speed;
}

static void robot_run(const pawl_env *env, const pawl_model *model, double duration)
{
    pawl_settings settings = pawl_settings_default();
    pawl_sim *sim;
    if (pawl_sim_create(env, model, &settings, &sim) != PAWL_OK) {
        printf("  cannot be assembled\n");
        return;
    }
    pawl_verdict verdict = pawl_verdict_begin(pawl_sim_state(sim));
    int steps = (int)(duration / settings.dt + 0.5), done = 0;
    double first = 0.0, tenth = 0.0;
    pawl_status status = PAWL_OK;
    while (done < steps && status == PAWL_OK) {
        pawl_step_report report;
        status = pawl_sim_step(sim, &report);
        if (status == PAWL_OK) {
            pawl_verdict_add(&verdict, &report);
            ++done;
        }
        first = done == 1 ? robot_speed(sim, model) : first;
        tenth = done == 10 ? robot_speed(sim, model) : tenth;
    }
    double time = pawl_state_time(pawl_sim_state(sim)), given = 0.0;
    for (int k = 0; k < PAWL_DISSIPATOR_COUNT; ++k) {
        given += verdict.work_gain[k];
    }
    pawl_verdict_end(&verdict, done == steps ? PAWL_RUN_DONE : PAWL_RUN_STEP_FAILED, time,
                     duration);
    pawl_verdict_names names = pawl_model_names(model);
    pawl_verdict_list list = pawl_verdict_judge(&verdict, &settings, &names);
    char text[PAWL_SENTENCE_SIZE];
    pawl_verdict_sentence(&list, text, sizeof text);
    printf("  fastest body after 1 step %.3g m/s (free fall %.3g), after 10 %.3g (%.3g)\n", first,
           9.81 * settings.dt, tenth, 98.1 * settings.dt);
    printf("  %.3g s: energy %.6g -> %.6g J, given by what dissipates %.2g J, unexplained %.2g\n",
           time, verdict.energy_initial, verdict.energy_final, given,
           pawl_verdict_energy_error(&verdict));
    printf("  %.250s\n", text);
    pawl_sim_destroy(sim);
}

static double robot_lowest(const pawl_env *env, const pawl_model *model)
{
    pawl_state *start;
    double z = INFINITY;
    if (pawl_state_create(env, model, &start) != PAWL_OK) {
        return 0.0;
    }
    for (int i = 0; i < pawl_model_body_count(model); ++i) {
        z = fmin(z,
                 pawl_state_pose(start, pawl_model_body_at(pawl_state_model(start), i)).position.z);
    }
    pawl_state_destroy(start);
    return z;
}

// The text of a file with a flat floor in it; NULL where it cannot be read. The caller frees it.
static char *robot_with_floor(const char *path, double z)
{
    static const char *const ends[] = {"</robot>", "</model>"};
    FILE *file = fopen(path, "rb");
    size_t most = 1 << 22, room = 512;
    char *text = malloc(most), *out = malloc(most + room);
    size_t size = file != NULL && text != NULL ? fread(text, 1, most - 1, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    if (size == 0 || out == NULL) {
        free(text);
        free(out);
        return NULL;
    }
    text[size] = '\0';
    char *end = NULL;
    for (int k = 0; k < 2 && end == NULL; ++k) {
        for (char *next = strstr(text, ends[k]); next != NULL; next = strstr(next + 1, ends[k])) {
            end = next;
        }
    }
    if (end == NULL) {
        free(text);
        free(out);
        return NULL;
    }
    int head = (int)(end - text);
    snprintf(
        out, most + room,
        "%.*s<pawl:heightfield xmlns:pawl=\"urn:pawl:sdf\" name=\"floor\" position=\"-50 -50 %g\" "
        "x_count=\"2\" y_count=\"2\" dx=\"100\" dy=\"100\"><pawl:heights>0 0 0 "
        "0</pawl:heights></pawl:heightfield>%s",
        head, text, z, end);
    free(text);
    return out;
}

static void robot_run_above_floor(const pawl_env *env, const char *path, double z, double duration)
{
    pawl_load_options options = pawl_load_options_default();
    options.lenient = true;
    char *text = robot_with_floor(path, z);
    pawl_model *model = NULL;
    if (text != NULL &&
        pawl_model_parse(env, path, text, strlen(text), &options, &model) == PAWL_OK) {
        printf(" above a floor\n");
        robot_run(env, model, duration);
    } else {
        printf("  no floor could be put under it\n");
    }
    pawl_model_destroy(model);
    free(text);
}

int main(int count, char **arguments)
{
    const char *folder = count > 1 ? arguments[1] : "../shared/robots";
    double duration = count > 2 ? atof(arguments[2]) : 5.0;
    pawl_env env = pawl_env_default();
    env.log = NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (size_t i = 0; i < sizeof robot_files / sizeof robot_files[0]; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, robot_files[i]);
        printf("%s\n", robot_files[i]);
        if (access(path, R_OK) != 0) {
            printf("  skipped: not in %s\n", folder);
            continue;
        }
        pawl_load_options options = pawl_load_options_default();
        options.lenient = true;
        pawl_model *model;
        if (pawl_model_load(&env, path, &options, &model) != PAWL_OK) {
            printf("  cannot be read; pawl check --lenient says why\n");
            continue;
        }
        robot_run(&env, model, duration);
        double z = robot_lowest(&env, model) - 0.1;
        pawl_model_destroy(model);
        robot_run_above_floor(&env, path, z, duration);
    }
    return 0;
}
