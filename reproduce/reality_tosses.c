// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tosses of a real cube (ContactNets, Pfrommer, Halm and Posa 2020) against pawl's steppers and laws of impact. Parameters
// are fitted on one half of the tosses and judged on the other. The floor is the error at the end of a toss caused by
// tracking noise at its start. The recording is not part of pawl: PAWL_REALITY names it, otherwise it is searched
// beside the project.
#include "experiment.h"
#include "reality_cube.h"
#include "reality_math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOSS_LAWS = PAWL_IMPACT_LAW_COUNT, TOSS_STEPPERS = 3, TOSS_SAMPLES = 4096 };
static const char *const toss_steppers[TOSS_STEPPERS] = {"euler", "moreau", "lit"};
static const char *const toss_laws[TOSS_LAWS] = {"poisson", "newton", "energetic", "routh"};
static const int toss_fitted = 0, toss_judged = 1; // the first toss of each half, which take turns

// Noise of tracking, as measured on the recording (its README): first sample, and after a fit of the flight.
static const double toss_noise[2][4] = {
    [REALITY_FIRST_SAMPLE] = {5e-5, 0.1 / 57.2957795, 0.0095, 0.085},
    [REALITY_FREE_FLIGHT] = {2.5e-5, 0.05 / 57.2957795, 0.0012, 0.011},
};

typedef struct toss_work {
    experiment_run *run;
    pawl_study *study;
    reality_data data;
    int stride, evaluations;
    reality_cube chosen; // the default stepper and law, fitted
    bool has_chosen;
    double least_position, least_rotation;
    pawl_pose *ours, *real, *other; // (TOSS_SAMPLES)
} toss_work;

// Where the recording may be; the first that opens.
static pawl_status toss_load(toss_work *w, char *tried, size_t size)
{
    char beside[1024] = "";
    if (w->run->models != NULL) {
        snprintf(beside, sizeof beside, "%s/../../shared/reality/cube-tosses.h5", w->run->models);
    }
    const char *named = getenv("PAWL_REALITY"); // and no other
    const char *paths[] = {named, named != NULL ? NULL : "../shared/reality/cube-tosses.h5",
                           named != NULL ? NULL : beside};
    pawl_env silent = *w->run->env;
    silent.log = NULL;
    size_t used = 0;
    for (int i = 0; i < 3; ++i) {
        if (paths[i] == NULL || paths[i][0] == '\0') {
            continue;
        }
        if (reality_data_load(&silent, paths[i], &w->data) == PAWL_OK) {
            return PAWL_OK;
        }
        if (used < size) {
            used +=
                (size_t)snprintf(tried + used, size - used, "%s%s", used > 0 ? ", " : "", paths[i]);
        }
    }
    return PAWL_BAD_FILE;
}

static void toss_say_missing(pawl_study *study, const char *tried)
{
    char text[2400];
    snprintf(text, sizeof text,
             "The recording of the tosses is missing. It is not part of pawl: part of the "
             "ContactNets data, "
             "converted to one HDF5 dataset a toss with rows of x y z [m], qw qx qy qz, vx vy vz "
             "[m/s] in world "
             "axes and wx wy wz [rad/s] in body axes. Set PAWL_REALITY to its path. Tried: %s.",
             tried);
    pawl_study_add_paragraph(study, text);
    pawl_study_add_claim(study, "recordings of real tosses that were found", "", 0.0, PAWL_AT_LEAST,
                         1.0);
}

// ---- The table -----------------------------------------------------------------------------------

static int toss_stepper(const char *name)
{
    for (int i = 0; pawl_stepper_name(i) != NULL; ++i) {
        if (strcmp(pawl_stepper_name(i), name) == 0) {
            return i;
        }
    }
    return 0;
}

static void toss_row(toss_work *w, int s, int law)
{
    const pawl_env *env = w->run->env;
    reality_cube cube = reality_cube_default((pawl_stepper_kind)toss_stepper(toss_steppers[s]),
                                             (pawl_impact_law)law);
    reality_score first = {NAN, NAN, NAN, 0}, flight = first;
    experiment_doing(w->run, toss_laws[law]);
    (void)reality_fit(env, &cube, &w->data, toss_fitted, w->stride, w->evaluations);
    bool done = reality_judge(env, &cube, &w->data, toss_judged, 2, REALITY_FIRST_SAMPLE, &first) &&
                reality_judge(env, &cube, &w->data, toss_judged, 2, REALITY_FREE_FLIGHT, &flight);
    experiment_done(w->run, 1.0);
    pawl_study_add_words(w->study, toss_steppers[s]);
    pawl_study_add_words(w->study, toss_laws[law]);
    const double numbers[] = {first.position,
                              flight.position,
                              first.rotation,
                              flight.rotation,
                              first.faces,
                              flight.faces,
                              cube.value[REALITY_FRICTION],
                              cube.value[REALITY_IMPACT_FRICTION],
                              cube.value[REALITY_RESTITUTION]};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        pawl_study_add_number(w->study, numbers[i]);
    }
    if (done) {
        w->least_position = fmin(w->least_position, flight.position);
        w->least_rotation = fmin(w->least_rotation, flight.rotation);
    }
    pawl_settings usual = pawl_settings_default();
    if (done && cube.settings.stepper == usual.stepper &&
        cube.settings.contact.impact == usual.contact.impact) {
        w->chosen = cube;
        w->has_chosen = true;
        pawl_study_add_claim(w->study, "default stepper and law: position error from the flight",
                             "% of the side", flight.position, PAWL_AT_MOST, 10.0);
        pawl_study_add_claim(w->study, "default stepper and law: rotation error from the flight",
                             "degrees", flight.rotation, PAWL_AT_MOST, 10.0);
        pawl_study_add_claim(w->study, "default stepper and law: tosses that end on the right face",
                             "%", flight.faces, PAWL_AT_LEAST, 90.0);
    }
}

static void toss_table(toss_work *w)
{
    static const pawl_study_column columns[] = {
        {"stepper", NULL, PAWL_NUMBER_GENERAL, 3, true, 0},
        {"law", NULL, PAWL_NUMBER_GENERAL, 3, true, 0},
        {"position, first", "%", PAWL_NUMBER_FIXED, 2, false, 0},
        {"position, flight", "%", PAWL_NUMBER_FIXED, 2, false, 0},
        {"rotation, first", "deg", PAWL_NUMBER_FIXED, 2, false, 0},
        {"rotation, flight", "deg", PAWL_NUMBER_FIXED, 2, false, 0},
        {"face, first", "%", PAWL_NUMBER_FIXED, 1, false, 0},
        {"face, flight", "%", PAWL_NUMBER_FIXED, 1, false, 0},
        {"mu", NULL, PAWL_NUMBER_FIXED, 3, false, 0},
        {"mu impact", NULL, PAWL_NUMBER_FIXED, 3, false, 0},
        {"e", NULL, PAWL_NUMBER_FIXED, 3, false, 0},
    };
    pawl_study_add_table(w->study, "Errors on the half that no parameter was fitted to",
                         "Position error over samples and tosses in percent of the side of 0.1048 "
                         "m, rotation error, share that "
                         "ends on the right face; started from the first sample, and from a fit of "
                         "the flight before the first contact.",
                         columns, (int)(sizeof columns / sizeof columns[0]));
    for (int s = 0; s < TOSS_STEPPERS; ++s) {
        for (int law = 0; law < TOSS_LAWS; ++law) {
            bool usual = s == 1 && (law == PAWL_IMPACT_POISSON || law == PAWL_IMPACT_ROUTH);
            if (!w->run->quick || usual) {
                toss_row(w, s, law);
            }
        }
    }
}

// ---- The floor -----------------------------------------------------------------------------------

// A number from a normal distribution, by the sum of twelve uniform ones: the same everywhere.
static double toss_normal(uint64_t *state)
{
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

static pawl_vec3 toss_normals(uint64_t *state, double scale)
{
    double x = toss_normal(state), y = toss_normal(state), z = toss_normal(state);
    return reality_vec(scale * x, scale * y, scale * z);
}

// Rollouts with noise at the start against those without: what no model can be better than.
static pawl_status toss_floor(toss_work *w, reality_start start, reality_score *out)
{
    reality_world world;
    uint64_t random = 5;
    *out = (reality_score){0};
    pawl_status status = reality_world_create(w->run->env, &w->chosen, &world);
    if (status != PAWL_OK) {
        return status;
    }
    for (int i = toss_judged; i < w->data.count && status == PAWL_OK; i += 2) {
        const reality_toss *toss = &w->data.tosses[i];
        const double *n = toss_noise[start];
        reality_noise noise = {toss_normals(&random, n[0]), toss_normals(&random, n[1]),
                               toss_normals(&random, n[2]), toss_normals(&random, n[3])};
        status = reality_roll(&world, toss, start, NULL, w->ours);
        if (status == PAWL_OK) {
            status = reality_roll(&world, toss, start, &noise, w->other);
        }
        reality_score one = reality_compare(w->ours, w->other, toss->count);
        out->position += one.position;
        out->rotation += one.rotation;
        out->tosses += 1;
    }
    reality_world_destroy(&world);
    out->position /= out->tosses > 0 ? out->tosses : 1;
    out->rotation /= out->tosses > 0 ? out->tosses : 1;
    return status;
}

static pawl_status toss_add_floor(toss_work *w)
{
    reality_score first, flight;
    EXPERIMENT_TRY(toss_floor(w, REALITY_FIRST_SAMPLE, &first));
    EXPERIMENT_TRY(toss_floor(w, REALITY_FREE_FLIGHT, &flight));
    char text[600];
    snprintf(text, sizeof text,
             "The floor: noise of tracking at the start alone moves the rest of a toss by %.2f %% "
             "of the side and %.2f degrees "
             "(first sample), %.2f %% and %.2f degrees (after the fit of the flight), with the "
             "default stepper and law. "
             "Errors cannot be smaller than that, whatever the model.",
             first.position, first.rotation, flight.position, flight.rotation);
    pawl_study_add_paragraph(w->study, text);
    pawl_study_add_claim(w->study, "least position error of all, over the floor by noise", "",
                         w->least_position / flight.position, PAWL_AT_LEAST, 1.0);
    return PAWL_OK;
}

// ---- The worst and the typical toss --------------------------------------------------------------

typedef struct toss_error {
    int toss;
    double error; // position in % plus rotation in degrees
} toss_error;

static int toss_compare(const void *a, const void *b)
{
    double x = ((const toss_error *)a)->error, y = ((const toss_error *)b)->error;
    return (x > y) - (x < y);
}

static void toss_plot(toss_work *w, const char *kind, const toss_error *e, const pawl_pose *ours)
{
    const reality_toss *toss = &w->data.tosses[e->toss];
    double *block = malloc(5 * (size_t)toss->count * sizeof *block);
    if (block == NULL) {
        return;
    }
    double *t = block, *z = t + toss->count, *real = z + toss->count, *off = real + toss->count,
           *turn = off + toss->count;
    for (int k = 0; k < toss->count; ++k) {
        pawl_pose at = reality_pose(toss, k);
        t[k] = k / REALITY_RATE;
        z[k] = ours[k].position.z;
        real[k] = at.position.z;
        off[k] = 100.0 * reality_apart(ours[k], at, &turn[k]) / REALITY_SIDE;
    }
    char title[160], note[200];
    snprintf(title, sizeof title, "The %s toss (%s): height of the cube", kind, toss->name);
    snprintf(note, sizeof note, "Its errors add up to %.1f (percent of the side plus degrees).",
             e->error);
    pawl_study_add_plot(w->study, &(pawl_study_plot){.title = title, .note = note, .unit = "m"});
    pawl_study_add_curve(
        w->study, &(pawl_study_curve){.label = "pawl", .count = toss->count, .x = t, .y = z});
    pawl_study_add_curve(
        w->study, &(pawl_study_curve){
                      .label = "real", .dashed = true, .count = toss->count, .x = t, .y = real});
    snprintf(title, sizeof title, "The %s toss: how far pawl is off", kind);
    pawl_study_add_plot(
        w->study,
        &(pawl_study_plot){.title = title, .unit = "% of the side, degrees", .zero = true});
    pawl_study_add_curve(
        w->study,
        &(pawl_study_curve){.label = "position [%]", .count = toss->count, .x = t, .y = off});
    pawl_study_add_curve(
        w->study,
        &(pawl_study_curve){.label = "rotation [deg]", .count = toss->count, .x = t, .y = turn});
    free(block);
}

static pawl_status toss_pictures(toss_work *w)
{
    reality_world world;
    toss_error *errors = malloc((size_t)w->data.count * sizeof *errors);
    int count = 0;
    pawl_status status =
        errors == NULL ? PAWL_NO_MEMORY : reality_world_create(w->run->env, &w->chosen, &world);
    if (status != PAWL_OK) {
        free(errors);
        return status;
    }
    for (int i = toss_judged; i < w->data.count && status == PAWL_OK; i += 2) {
        const reality_toss *toss = &w->data.tosses[i];
        status = reality_roll(&world, toss, REALITY_FREE_FLIGHT, NULL, w->ours);
        reality_poses(toss, w->real);
        reality_score one = reality_compare(w->ours, w->real, toss->count);
        errors[count++] = (toss_error){i, one.position + one.rotation};
    }
    qsort(errors, (size_t)count, sizeof *errors, toss_compare);
    const struct {
        const char *name;
        int at;
    } shown[] = {{"typical", count / 2}, {"worst", count - 1}};
    for (int k = 0; k < 2 && count > 0 && status == PAWL_OK; ++k) {
        const toss_error *e = &errors[shown[k].at];
        status = reality_roll(&world, &w->data.tosses[e->toss], REALITY_FREE_FLIGHT, NULL, w->ours);
        if (status == PAWL_OK) {
            toss_plot(w, shown[k].name, e, w->ours);
        }
    }
    reality_world_destroy(&world);
    free(errors);
    return status;
}

// ---- The experiment ------------------------------------------------------------------------------

static pawl_status toss_all(toss_work *w)
{
    char text[400];
    int most = 0;
    for (int i = 0; i < w->data.count; ++i) {
        most = w->data.tosses[i].count > most ? w->data.tosses[i].count : most;
    }
    if (most > TOSS_SAMPLES) {
        return PAWL_BAD_FILE;
    }
    snprintf(text, sizeof text,
             "%d tosses of an acrylic cube onto a wooden table, tracked at 148 Hz; steps of 1/592 "
             "s. Seven parameters are fitted "
             "on every %d-th toss from the first on, in %d evaluations, and judged on every second "
             "from the second on.",
             w->data.count, w->stride, w->evaluations);
    pawl_study_add_paragraph(w->study, text);
    toss_table(w);
    if (w->has_chosen) {
        EXPERIMENT_TRY(toss_add_floor(w));
        EXPERIMENT_TRY(toss_pictures(w));
    }
    return PAWL_OK;
}

static pawl_status toss_run(experiment_run *run, pawl_study *study)
{
    toss_work w = {.run = run,
                   .study = study,
                   .stride = run->quick ? 20 : 4,
                   .evaluations = run->quick ? 24 : 120,
                   .least_position = INFINITY,
                   .least_rotation = INFINITY};
    char tried[2048] = "";
    if (toss_load(&w, tried, sizeof tried) != PAWL_OK) {
        toss_say_missing(study, tried);
        return PAWL_OK;
    }
    experiment_expect(run, run->quick ? 2 : TOSS_STEPPERS * TOSS_LAWS);
    pawl_pose *poses = malloc(3 * (size_t)TOSS_SAMPLES * sizeof *poses);
    w.ours = poses;
    w.real = poses + TOSS_SAMPLES;
    w.other = poses + 2 * (size_t)TOSS_SAMPLES;
    pawl_status status = poses == NULL ? PAWL_NO_MEMORY : toss_all(&w);
    free(poses);
    reality_data_free(&w.data);
    return status;
}

const experiment experiment_reality = {
    .name = "reality",
    .summary = "285 real tosses of a cube, by stepper and law of impact",
    .source = "data of Pfrommer, Halm and Posa (2020), ContactNets; not part of pawl",
    .run = toss_run,
};
