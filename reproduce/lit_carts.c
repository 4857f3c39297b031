// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Section 10.3 of [Potra2006], Figures 6 and 7: two carts of 1 kg on a floor with friction 0.05, the
// first on a spring to the wall and before a stopper with restitution 0.3, a damper between them.
// The paper shows that the energy stays bounded however stiff the spring or the damper. Bounded is not accurate: with
// the trapezoidal rule velocities that should decay change their sign in every step. The damped variant reaches the
// limit. The paper gives curves and no numbers; pawl's numbers are printed beside the exact ones.
#include "lit_carts_exact.h"
#include "lit_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CARTS_DELTAS = 3, CARTS_HALVINGS = 6, CARTS_METHODS = 3 };
static const double carts_h = 0.01;   // [s]
static const double carts_rest = 0.2; // where the spring is slack [m]
static const lit_method carts_trapezoid = {"paper", "2", "collisions"};
static const lit_method carts_damped = {"sdirk2", "2", "all"};
// Of the order test; the first without location of transitions.
static const lit_method carts_methods[CARTS_METHODS] = {
    {"paper", "2", "collisions"}, {"paper", "1", "all"}, {"sdirk2", "2", "all"}};

// One pair of spring and damper, run by one method.
typedef struct carts_run {
    lit_trace trace; // x2 - x1, x1 - rest, energy
    double energy_end, error_end, rise;
    double apart; // largest |x2 - x1 - 5| [m]
    double swing; // largest |x1 - rest| [m]
} carts_run;

// E(T) of the trapezoidal method as published, by an independent program; NaN where it was not run.
static const double carts_independent[LIT_CARTS_CASES] = {
    1.7474155894375788e-4, NAN, 0.9378720342601433, 1.0295525127930465e-3, NAN, 1.8925067687397976};

static bool carts_grows_delta(int index)
{
    return index < CARTS_DELTAS;
}

static double carts_end(int index)
{
    return carts_grows_delta(index) ? 4.0 : 2.0;
}

static pawl_status carts_fill(pawl_builder *b, int index)
{
    const lit_material cart = {.friction = 0.05, .restitution = 0.3};
    const lit_carts_exact *c = &lit_carts_exact_cases[index];
    double x = carts_grows_delta(index) ? 0.1 : 0.2, v = carts_grows_delta(index) ? -2.0 : -3.0;
    pawl_builder_set_gravity(b, (pawl_vec3){0.0, 0.0, -9.81});
    pawl_body_id body[2];
    for (int k = 0; k < 2; ++k) {
        EXPERIMENT_TRY(lit_add_point(b, k == 0 ? "left" : "right", 1.0,
                                     (pawl_vec3){x + 5.0 * k, 0.0, 0.0}, (pawl_vec3){v, 0.0, 0.0},
                                     cart, &body[k]));
    }
    EXPERIMENT_TRY(pawl_builder_exclude(b, body[0], body[1]));
    // The wall is 1 m behind the stopper: how far makes no difference along the line.
    pawl_spring_def spring = pawl_spring_def_default();
    spring.body_a = PAWL_WORLD;
    spring.point_a = (pawl_vec3){-1.0, 0.0, 0.0};
    spring.body_b = body[0];
    spring.stiffness = c->gamma;
    spring.rest_length = 1.0 + carts_rest;
    EXPERIMENT_TRY(pawl_builder_add_spring(b, &spring, NULL));
    pawl_spring_def damper = pawl_spring_def_default();
    damper.body_a = body[0];
    damper.body_b = body[1];
    damper.rest_length = 5.0;
    damper.damping = c->delta;
    EXPERIMENT_TRY(pawl_builder_add_spring(b, &damper, NULL));
    EXPERIMENT_TRY(lit_add_plane(b, "floor", (pawl_vec3){0}, (pawl_vec3){0.0, 0.0, 1.0},
                                 (lit_material){.friction = 0.05, .restitution = 0.0}));
    return lit_add_plane(b, "stopper", (pawl_vec3){0}, (pawl_vec3){1.0, 0.0, 0.0},
                         (lit_material){.friction = 0.0, .restitution = 0.3});
}

static pawl_status carts_model(const pawl_env *env, int index, pawl_model **out)
{
    pawl_builder *builder = NULL;
    EXPERIMENT_TRY(pawl_builder_create(env, "lit-carts", &builder));
    return lit_finish_model(builder, carts_fill(builder, index), out);
}

static void carts_measure(const pawl_state *state, const void *user, double *values)
{
    (void)user;
    double x1 = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), 0)).position.x,
           x2 = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), 1)).position.x;
    pawl_energy energy = pawl_state_energy(state);
    values[0] = x2 - x1;
    values[1] = x1 - carts_rest;
    values[2] = energy.kinetic + energy.springs;
}

static void carts_judge(carts_run *r, int index)
{
    const lit_trace *t = &r->trace;
    const double *exact = lit_carts_exact_cases[index].position_end;
    r->rise = 0.0;
    for (int i = 0; i < t->count; ++i) {
        r->apart = fmax(r->apart, fabs(t->column[0][i] - 5.0));
        r->swing = fmax(r->swing, fabs(t->column[1][i]));
        r->rise = i > 0 ? fmax(r->rise, t->column[2][i] - t->column[2][i - 1]) : 0.0;
    }
    int last = t->count - 1;
    double x1 = t->column[1][last] + carts_rest;
    r->energy_end = t->column[2][last];
    r->error_end = hypot(x1 - exact[0], x1 + t->column[0][last] - exact[1]);
}

static pawl_status carts_run_one(experiment_run *run, int index, lit_method method, double h,
                                 carts_run *out)
{
    *out = (carts_run){.trace = {.measure = carts_measure}};
    pawl_model *model = NULL;
    pawl_state *last = NULL;
    pawl_status status = carts_model(run->env, index, &model);
    if (status == PAWL_OK) {
        status = pawl_state_create(run->env, model, &last);
    }
    if (status == PAWL_OK) {
        status = lit_simulate(run, model, method, h, carts_end(index), &out->trace, last);
    }
    if (status == PAWL_OK) {
        carts_judge(out, index);
    }
    pawl_state_destroy(last);
    pawl_model_destroy(model);
    return status;
}

// All runs. Those of the order test halve h from 0.01 s.
typedef struct carts_found {
    carts_run trapezoid[LIT_CARTS_CASES], damped[LIT_CARTS_CASES];
    carts_run halved[CARTS_METHODS][CARTS_HALVINGS]; // gamma = 10^2, delta = 10
} carts_found;

static pawl_status carts_run_all(experiment_run *run, carts_found *found)
{
    experiment_doing(run, "six pairs of spring and damper");
    for (int i = 0; i < LIT_CARTS_CASES; ++i) {
        EXPERIMENT_TRY(carts_run_one(run, i, carts_trapezoid, carts_h, &found->trapezoid[i]));
        EXPERIMENT_TRY(carts_run_one(run, i, carts_damped, carts_h, &found->damped[i]));
    }
    experiment_doing(run, "order through reversals");
    for (int k = 0; k < CARTS_METHODS * CARTS_HALVINGS; ++k) {
        int m = k / CARTS_HALVINGS, halvings = k % CARTS_HALVINGS;
        EXPERIMENT_TRY(carts_run_one(run, CARTS_DELTAS, carts_methods[m], ldexp(carts_h, -halvings),
                                     &found->halved[m][halvings]));
    }
    return PAWL_OK;
}

static void carts_found_free(carts_found *found)
{
    for (int i = 0; i < LIT_CARTS_CASES; ++i) {
        lit_trace_free(&found->trapezoid[i].trace);
        lit_trace_free(&found->damped[i].trace);
    }
    for (int k = 0; k < CARTS_METHODS * CARTS_HALVINGS; ++k) {
        lit_trace_free(&found->halved[k / CARTS_HALVINGS][k % CARTS_HALVINGS].trace);
    }
}

// ---- what is shown -----------------------------------------------------------------------------

static void carts_energy_table(pawl_study *study, const carts_found *found)
{
    const pawl_study_column columns[] = {
        {.name = "spring", .unit = "N/m", .digits = 3},
        {.name = "damper", .unit = "N s/m", .digits = 3},
        {.name = "E(T) trapezoid",
         .unit = "J",
         .style = PAWL_NUMBER_SCIENTIFIC,
         .digits = 3,
         .against = 4},
        {.name = "independent", .unit = "J", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
        {.name = "E(T) sdirk2", .unit = "J", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
        {.name = "E(T) exact", .unit = "J", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
        {.name = "largest rise", .unit = "J", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 1},
        {.name = "|x2 - x1 - 5|", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2},
        {.name = "|x1 - 0.2|", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2},
    };
    pawl_study_add_table(study, "Energies and distances, h = 0.01 s",
                         "The largest rise of the energy in a step and the largest distances are "
                         "those of the trapezoidal method.",
                         columns, 9);
    double rise = 0.0, off = 0.0;
    for (int i = 0; i < LIT_CARTS_CASES; ++i) {
        const lit_carts_exact *c = &lit_carts_exact_cases[i];
        pawl_study_add_number(study, c->gamma);
        pawl_study_add_number(study, c->delta);
        pawl_study_add_number(study, found->trapezoid[i].energy_end);
        pawl_study_add_number(study, carts_independent[i]);
        pawl_study_add_number(study, found->damped[i].energy_end);
        pawl_study_add_number(study, c->energy_end);
        pawl_study_add_number(study, found->trapezoid[i].rise);
        pawl_study_add_number(study, found->trapezoid[i].apart);
        pawl_study_add_number(study, found->trapezoid[i].swing);
        rise = fmax(rise, found->trapezoid[i].rise / c->energy[0]);
        double other = found->trapezoid[i].energy_end / carts_independent[i] - 1.0;
        off = isnan(carts_independent[i]) ? off : fmax(off, fabs(other));
    }
    const int stiff_damper = CARTS_DELTAS - 1, stiff_spring = LIT_CARTS_CASES - 1;
    double exact = lit_carts_exact_cases[stiff_damper].energy_end;
    pawl_study_add_claim(study, "trapezoid: largest rise of the energy in a step, of its start",
                         NULL, rise, PAWL_AT_MOST, 1e-12);
    pawl_study_add_claim(study, "trapezoid: E(T) against an independent program's, relative", NULL,
                         off, PAWL_AT_MOST, 1e-6);
    pawl_study_add_claim(study, "trapezoid, damper 10^6: largest change of the carts' distance",
                         "m", found->trapezoid[stiff_damper].apart, PAWL_AT_MOST, 5e-6);
    pawl_study_add_claim(study, "trapezoid, spring 10^6: largest distance from the slack spring",
                         "m", found->trapezoid[stiff_spring].swing, PAWL_AT_MOST, 3e-3);
    pawl_study_add_claim(study, "sdirk2, damper 10^6: E(T) against the exact one, relative", NULL,
                         fabs(found->damped[stiff_damper].energy_end / exact - 1.0), PAWL_AT_MOST,
                         0.02);
    pawl_study_add_claim(study, "sdirk2, spring 10^6: E(T)", "J",
                         found->damped[stiff_spring].energy_end, PAWL_AT_MOST, 1e-3);
}

static double carts_order(const carts_run runs[CARTS_HALVINGS])
{
    return log2(runs[0].error_end / runs[CARTS_HALVINGS - 1].error_end) / (CARTS_HALVINGS - 1);
}

static void carts_order_table(pawl_study *study, const carts_found *found)
{
    const pawl_study_column columns[] = {
        {.name = "h", .unit = "s", .digits = 6},
        {.name = "trapezoid, impacts alone",
         .unit = "m",
         .style = PAWL_NUMBER_SCIENTIFIC,
         .digits = 3},
        {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "trapezoid, all located",
         .unit = "m",
         .style = PAWL_NUMBER_SCIENTIFIC,
         .digits = 3},
        {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2},
        {.name = "sdirk2, all located", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
        {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2},
    };
    pawl_study_add_table(
        study, "Order through reversals",
        "Spring 100 N/m, damper 10 N s/m: error of both positions at 2 s, after an "
        "impact and nine reversals, stops and releases. Located with scheme I.",
        columns, 1 + 2 * CARTS_METHODS);
    for (int k = 0; k < CARTS_HALVINGS; ++k) {
        pawl_study_add_number(study, ldexp(carts_h, -k));
        for (int m = 0; m < CARTS_METHODS; ++m) {
            const carts_run *runs = found->halved[m];
            pawl_study_add_number(study, runs[k].error_end);
            pawl_study_add_number(study, k > 0 ? runs[k - 1].error_end / runs[k].error_end : NAN);
        }
    }
    for (int m = 1; m < CARTS_METHODS; ++m) {
        char text[96];
        (void)snprintf(text, sizeof text, "order through the reversals, %s",
                       columns[1 + 2 * m].name);
        pawl_study_add_claim(study, text, NULL, carts_order(found->halved[m]), PAWL_AT_LEAST, 1.9);
    }
}

// "spring 10⁴" or "damper 10⁶": what grows in this case.
static const char *carts_label(int index, char *text, size_t size)
{
    static const char *const powers[] = {"10²", "10³", "10⁶", "10²", "10⁴", "10⁶"};
    (void)snprintf(text, size, "%s %s", carts_grows_delta(index) ? "damper" : "spring",
                   powers[index]);
    return text;
}

static void carts_distance_plot(pawl_study *study, const carts_run *runs, int first,
                                const pawl_study_plot *plot)
{
    char label[32];
    pawl_study_add_plot(study, plot);
    for (int i = first; i < first + CARTS_DELTAS; ++i) {
        lit_trace_add_curve(study, &runs[i].trace, carts_grows_delta(i) ? 0 : 1,
                            carts_label(i, label, sizeof label), false);
    }
}

static void carts_energy_plot(pawl_study *study, const carts_found *found, int index,
                              const char *figure)
{
    char label[32], title[64];
    double times[LIT_CARTS_SAMPLES];
    for (int i = 0; i < LIT_CARTS_SAMPLES; ++i) {
        times[i] = LIT_CARTS_INTERVAL * i;
    }
    (void)snprintf(title, sizeof title, "%s: energy, %s", figure,
                   carts_label(index, label, sizeof label));
    pawl_study_add_plot(study, &(pawl_study_plot){.title = title, .unit = "J", .zero = true});
    lit_trace_add_curve(study, &found->trapezoid[index].trace, 2, "trapezoid", false);
    lit_trace_add_curve(study, &found->damped[index].trace, 2, "sdirk2", false);
    pawl_study_add_curve(
        study, &(pawl_study_curve){.label = "exact",
                                   .points = true,
                                   .count = 1 + (int)lround(carts_end(index) / LIT_CARTS_INTERVAL),
                                   .x = times,
                                   .y = lit_carts_exact_cases[index].energy});
}

static void carts_show(pawl_study *study, const carts_found *found)
{
    pawl_study_add_paragraph(
        study,
        "Two carts of 1 kg on a floor with friction 0.05; a spring holds the first at 0.2 m, "
        "a stopper with restitution 0.3 stands at 0, a damper joins the two. First the "
        "damper gets stiffer (4 s from -2 m/s), then the spring (2 s from -3 m/s, "
        "damper 10 N s/m).");
    carts_energy_table(study, found);
    pawl_study_add_paragraph(
        study,
        "The trapezoidal rule keeps the energy bounded, as the paper shows, but not right: of a "
        "stiff damper or spring the fast motion is turned around in every step instead of "
        "dying out. The damped variant comes to the right end. What vibrates faster than a step "
        "can follow it takes out at once, where friction and damper need half a second.");
    carts_order_table(study, found);
    carts_distance_plot(study, found->trapezoid, 0,
                        &(pawl_study_plot){.title = "Figure 6: distance of the carts",
                                           .note = "trapezoid; x2 - x1",
                                           .unit = "m"});
    for (int i = 0; i < CARTS_DELTAS; ++i) {
        carts_energy_plot(study, found, i, "Figure 6");
    }
    carts_distance_plot(study, found->trapezoid, CARTS_DELTAS,
                        &(pawl_study_plot){.title = "Figure 7: distance from the slack spring",
                                           .note = "trapezoid; x1 - 0.2",
                                           .unit = "m",
                                           .zero = true});
    for (int i = CARTS_DELTAS; i < LIT_CARTS_CASES; ++i) {
        carts_energy_plot(study, found, i, "Figure 7");
    }
}

static pawl_status carts_reproduce(experiment_run *run, pawl_study *study)
{
    for (int i = 0; i < LIT_CARTS_CASES; ++i) {
        experiment_expect(run, 2.0 * carts_end(i) / carts_h);
    }
    for (int k = 0; k < CARTS_HALVINGS; ++k) {
        experiment_expect(run, CARTS_METHODS * ldexp(carts_end(CARTS_DELTAS) / carts_h, k));
    }
    carts_found *found = calloc(1, sizeof *found);
    if (found == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_status status = carts_run_all(run, found);
    if (status == PAWL_OK) {
        carts_show(study, found);
    }
    carts_found_free(found);
    free(found);
    return status;
}

const experiment experiment_lit_carts = {
    .name = "lit-carts",
    .summary = "Two carts with a stiff spring or damper: bounded energy, and the right one",
    .source = LIT_PAPER "Section 10.3, Figures 6 and 7",
    .run = carts_reproduce,
};
