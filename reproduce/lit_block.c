// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Tables 10.2 and 10.3 and Figure 4 of [Potra2006]: a block of 1 kg on a table with friction 0.8,
// pushed by 8 cos t, with scheme I and with scheme II. The printed numbers are those without
// location of stick and slip, although the text speaks of it; with it, scheme I has smoother rates.
// The last row of Table 10.2 is not reproduced: the scheme gives 4.409e-08.
#include "lit_setup.h"

#include <math.h>
#include <stdio.h>

enum { BLOCK_ROWS = 6, BLOCK_FIRST = 5, BLOCK_REFERENCE = 18, BLOCK_PHASES = 4 };
static const double block_end = 2.0;         // [s], of the tables
static const double block_figure_end = 10.0; // [s]
static const double block_figure_h = 0.01;   // [s]
static const double block_start = 3.0;       // [m]
static const double block_push = 8.0;        // [N]
#define BLOCK_GRAVITY 9.81                   // [m/s^2]
#define BLOCK_FRICTION 0.8

// A table as printed, and what the scheme gives where that is something else.
typedef struct block_case {
    const char *title, *note, *scheme;
    double paper[BLOCK_ROWS], paper_rate[BLOCK_ROWS];
    int paper_last;           // the last row of it that the scheme gives
    double right[BLOCK_ROWS]; // without location; two independent programs agree
    double located
        [BLOCK_ROWS]; // cut where the velocity vanishes, by an independent program; NaN: none
    double published[BLOCK_ROWS]; // cut as section 7.5 says, likewise
} block_case;
static const block_case block_one = {
    .title = "Table 10.2: scheme I",
    .note = "Without location of stick and slip, which is what the paper printed. Eh is the error "
            "of the "
            "position at 2 s against the exact one. The paper's last row does not come out of its "
            "scheme: 4.409e-08 does, in an independent program as well.",
    .scheme = "1",
    .paper = {5.197e-5, 1.025e-5, 2.555e-6, 6.551e-7, 1.549e-7, 3.959e-8},
    .paper_rate = {NAN, 5.068, 4.014, 3.899, 4.229, 3.912},
    .paper_last = BLOCK_ROWS - 2,
    .right = {5.197e-5, 1.025e-5, 2.555e-6, 6.552e-7, 1.549e-7, 4.409e-8},
    .located = {7.100e-5, 1.795e-5, 4.543e-6, 1.148e-6, 2.876e-7, 7.210e-8},
};
static const block_case block_two = {
    .title = "Table 10.3: scheme II",
    .note = "Without location of stick and slip, which is what the paper printed. Eh is the error "
            "of the "
            "position at 2 s against the exact one.",
    .scheme = "2",
    .paper = {8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8},
    .paper_rate = {NAN, 3.473, 4.111, 4.027, 3.820, 4.429},
    .paper_last = BLOCK_ROWS - 1,
    .right = {8.023e-5, 2.310e-5, 5.619e-6, 1.395e-6, 3.652e-7, 8.246e-8},
    .located = {NAN, NAN, NAN, NAN, NAN, NAN},
};

// ---- the exact motion --------------------------------------------------------------------------

// Slip from `start` to `end`; friction limits the push when it falls to mu m g, and what was gained
// is lost again when 8 (sin t - sin t_start) = sign mu g (t - t_start).
typedef struct block_phase {
    double start, end, sign;
} block_phase;

static double block_slip_velocity(const block_phase *p, double t)
{
    return block_push * (sin(t) - sin(p->start)) -
           p->sign * BLOCK_FRICTION * BLOCK_GRAVITY * (t - p->start);
}

static double block_slip_distance(const block_phase *p, double t)
{
    double s = t - p->start;
    return block_push * (cos(p->start) - cos(t) - sin(p->start) * s) -
           0.5 * p->sign * BLOCK_FRICTION * BLOCK_GRAVITY * s * s;
}

// The first four slips, which reach beyond 9 s.
static void block_phases(block_phase phases[BLOCK_PHASES])
{
    const double pi = 4.0 * atan(1.0);
    double lead = acos(BLOCK_FRICTION * BLOCK_GRAVITY / block_push);
    for (int k = 0; k < BLOCK_PHASES; ++k) {
        block_phase *p = &phases[k];
        *p = (block_phase){.start = k == 0 ? 0.0 : k * pi - lead, .sign = k % 2 == 0 ? 1.0 : -1.0};
        // The velocity has its sign just after the peak of the push and not a second later.
        double low = k * pi + lead, high = low + 1.0;
        for (int i = 0; i < 80; ++i) {
            double middle = 0.5 * (low + high);
            bool slides = p->sign * block_slip_velocity(p, middle) > 0.0;
            low = slides ? middle : low;
            high = slides ? high : middle;
        }
        p->end = low;
    }
}

static void block_exact(const block_phase phases[BLOCK_PHASES], double t, double *x, double *v)
{
    *x = block_start;
    *v = 0.0;
    for (int k = 0; k < BLOCK_PHASES && t > phases[k].start; ++k) {
        *x += block_slip_distance(&phases[k], fmin(t, phases[k].end));
        *v = t < phases[k].end ? block_slip_velocity(&phases[k], t) : 0.0;
    }
}

// ---- the model ---------------------------------------------------------------------------------

static pawl_status block_fill(pawl_builder *b)
{
    const lit_material material = {.friction = BLOCK_FRICTION, .restitution = 0.0};
    pawl_builder_set_gravity(b, (pawl_vec3){0.0, 0.0, -BLOCK_GRAVITY});
    pawl_body_id body;
    EXPERIMENT_TRY(lit_add_point(b, "block", 1.0, (pawl_vec3){block_start, 0.0, 0.0},
                                 (pawl_vec3){0}, material, &body));
    pawl_force_def push = pawl_force_def_default();
    push.body = body;
    push.force[0] = (pawl_signal){.kind = PAWL_SIGNAL_SINUSOID,
                                  .amplitude = block_push,
                                  .frequency = 1.0,
                                  .phase = 2.0 * atan(1.0)}; // cos t
    EXPERIMENT_TRY(pawl_builder_add_force(b, &push, NULL));
    return lit_add_plane(b, "table", (pawl_vec3){0}, (pawl_vec3){0.0, 0.0, 1.0}, material);
}

static pawl_status block_model(const pawl_env *env, pawl_model **out)
{
    pawl_builder *builder = NULL;
    EXPERIMENT_TRY(pawl_builder_create(env, "lit-block", &builder));
    return lit_finish_model(builder, block_fill(builder), out);
}

static void block_measure(const pawl_state *state, const void *user, double *values)
{
    block_exact(user, pawl_state_time(state), &values[2], &values[3]);
    values[0] = pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), 0)).position.x;
    values[1] = pawl_state_twist(state, pawl_model_body_at(pawl_state_model(state), 0)).linear.x;
}

// ---- runs --------------------------------------------------------------------------------------

typedef struct block_found {
    double plain[BLOCK_ROWS], located[BLOCK_ROWS]; // errors at 2 s against the exact position [m]
    double reference;                              // of the paper's own; NaN where it was not run
} block_found;

static pawl_status block_run_one(experiment_run *run, const pawl_model *model, lit_method method,
                                 int exponent, pawl_state *last, double *x)
{
    EXPERIMENT_TRY(lit_simulate(run, model, method, ldexp(1.0, -exponent), block_end, NULL, last));
    *x = pawl_state_pose(last, pawl_model_body_at(pawl_state_model(last), 0)).position.x;
    return PAWL_OK;
}

static pawl_status block_run_all(experiment_run *run, const block_case *table,
                                 const pawl_model *model, const block_phase *phases,
                                 lit_trace *trace, pawl_state *last, block_found *found)
{
    const lit_method plain = {"paper", table->scheme, "none"};
    const lit_method located = {"paper", table->scheme, "all"};
    double exact, still, x;
    block_exact(phases, block_end, &exact, &still);
    experiment_doing(run, "h = 2^-5 to 2^-10");
    for (int i = 0; i < BLOCK_ROWS; ++i) {
        EXPERIMENT_TRY(block_run_one(run, model, plain, BLOCK_FIRST + i, last, &x));
        found->plain[i] = fabs(x - exact);
        EXPERIMENT_TRY(block_run_one(run, model, located, BLOCK_FIRST + i, last, &x));
        found->located[i] = fabs(x - exact);
    }
    EXPERIMENT_TRY(lit_simulate(run, model, plain, block_figure_h, block_figure_end, trace, last));
    found->reference = NAN;
    if (!run->quick) {
        experiment_doing(run, "the paper's reference, h = 2^-18");
        const lit_method first = {"paper", "1", "none"};
        EXPERIMENT_TRY(block_run_one(run, model, first, BLOCK_REFERENCE, last, &x));
        found->reference = fabs(x - exact);
    }
    return PAWL_OK;
}

// ---- what is shown -----------------------------------------------------------------------------

static double block_ratio(const double *errors, int row)
{
    return row > 0 ? errors[row - 1] / errors[row] : NAN;
}

static void block_plain_table(pawl_study *study, const block_case *table, const block_found *found)
{
    const pawl_study_column columns[] = {
        {.name = "h", .unit = "s", .style = PAWL_NUMBER_POWER_OF_TWO},
        {.name = "Eh", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3, .against = 3},
        {.name = "paper", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
        {.name = "rate", .style = PAWL_NUMBER_FIXED, .digits = 3, .against = 5},
        {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 3},
    };
    pawl_study_add_table(study, table->title, table->note, columns, 5);
    double differing = 0.0, wrong = 0.0;
    for (int i = 0; i < BLOCK_ROWS; ++i) {
        pawl_study_add_number(study, ldexp(1.0, -(BLOCK_FIRST + i)));
        pawl_study_add_number(study, found->plain[i]);
        pawl_study_add_number(study, table->paper[i]);
        pawl_study_add_number(study, block_ratio(found->plain, i));
        pawl_study_add_number(study, table->paper_rate[i]);
        double apart = pawl_study_digits_apart(&columns[1], found->plain[i], table->paper[i]);
        double off = pawl_study_digits_apart(&columns[1], found->plain[i], table->right[i]);
        double rate_apart = i == 0
                                ? 0.0
                                : pawl_study_digits_apart(&columns[3], block_ratio(found->plain, i),
                                                          table->paper_rate[i]);
        bool same = apart <= 1.0 && rate_apart <= 1.0;
        differing += i <= table->paper_last && !same ? 1.0 : 0.0;
        wrong += off == 0.0 ? 0.0 : 1.0;
    }
    char text[96];
    (void)snprintf(
        text, sizeof text,
        "rows 2^-5 to 2^-%d that differ from the paper's by more than a last digit's unit",
        BLOCK_FIRST + table->paper_last);
    pawl_study_add_claim(study, text, NULL, differing, PAWL_AT_MOST, 0.0);
    pawl_study_add_claim(study, "rows whose digits differ from an independent program's", NULL,
                         wrong, PAWL_AT_MOST, 0.0);
}

static void block_located_table(pawl_study *study, const block_case *table,
                                const block_found *found)
{
    bool compared = !isnan(table->located[0]);
    const pawl_study_column columns[] = {
        {.name = "h", .unit = "s", .style = PAWL_NUMBER_POWER_OF_TWO},
        {.name = "Eh",
         .unit = "m",
         .style = PAWL_NUMBER_SCIENTIFIC,
         .digits = 3,
         .against = compared ? 4 : 0},
        {.name = "rate", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "independent", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 3},
    };
    pawl_study_add_table(
        study, "With transitions located",
        compared ? "The step is cut where the function (7.15) of section 7.5 vanishes, which "
                   "interpolates the last two states. Beside an independent program."
                 : "The step is cut where the velocity vanishes, and what rests does not chatter.",
        columns, compared ? 4 : 3);
    double wrong = 0.0;
    for (int i = 0; i < BLOCK_ROWS; ++i) {
        pawl_study_add_number(study, ldexp(1.0, -(BLOCK_FIRST + i)));
        pawl_study_add_number(study, found->located[i]);
        pawl_study_add_number(study, block_ratio(found->located, i));
        if (compared) {
            pawl_study_add_number(study, table->located[i]);
            double off = pawl_study_digits_apart(&columns[1], found->located[i], table->located[i]);
            wrong += off == 0.0 ? 0.0 : 1.0;
        }
    }
    if (compared) {
        pawl_study_add_claim(study,
                             "located: rows whose digits differ from an independent program's",
                             NULL, wrong, PAWL_AT_MOST, 0.0);
    }
    double order = log2(found->located[0] / found->located[BLOCK_ROWS - 1]) / (BLOCK_ROWS - 1);
    pawl_study_add_claim(study, "located: order of the error, 2^-5 to 2^-10", NULL, order,
                         PAWL_AT_LEAST, 1.9);
}

static void block_plots(pawl_study *study, const block_case *table, const lit_trace *trace)
{
    static const char *const titles[] = {"Figure 4: position", "Figure 4: velocity"};
    static const char *const units[] = {"m", "m/s"};
    char note[64], label[32];
    (void)snprintf(note, sizeof note, "scheme %s, h = 0.01 s",
                   table->scheme[0] == '1' ? "I" : "II");
    (void)snprintf(label, sizeof label, "scheme %s", table->scheme[0] == '1' ? "I" : "II");
    for (int k = 0; k < 2; ++k) {
        pawl_study_add_plot(study,
                            &(pawl_study_plot){.title = titles[k], .note = note, .unit = units[k]});
        lit_trace_add_curve(study, trace, k, label, false);
        lit_trace_add_curve(study, trace, 2 + k, "exact", true);
    }
}

static void block_show(pawl_study *study, const block_case *table, const block_found *found,
                       const lit_trace *trace)
{
    pawl_study_add_paragraph(
        study,
        "A block of 1 kg lies on a table with friction 0.8 and is pushed by 8 cos t newtons (g = "
        "9.81). It slides from 0 to 0.3386 s and sticks until 2.946 s; every half period has "
        "one such slip. The exact motion is known in closed form.");
    block_plain_table(study, table, found);
    block_located_table(study, table, found);
    if (!isnan(found->reference)) {
        pawl_study_add_claim(study, "the paper's reference (h = 2^-18) against the exact position",
                             "m", found->reference, PAWL_AT_MOST, 1e-11);
    }
    block_plots(study, table, trace);
}

static pawl_status block_run(experiment_run *run, pawl_study *study, const block_case *table)
{
    for (int i = 0; i < BLOCK_ROWS; ++i) {
        experiment_expect(run, 2.0 * ldexp(block_end, BLOCK_FIRST + i));
    }
    experiment_expect(run, block_figure_end / block_figure_h);
    experiment_expect(run, run->quick ? 0.0 : ldexp(block_end, BLOCK_REFERENCE));
    block_phase phases[BLOCK_PHASES];
    block_phases(phases);
    pawl_model *model = NULL;
    pawl_state *last = NULL;
    lit_trace trace = {.measure = block_measure, .user = phases};
    block_found found = {0};
    pawl_status status = block_model(run->env, &model);
    if (status == PAWL_OK) {
        status = pawl_state_create(run->env, model, &last);
    }
    if (status == PAWL_OK) {
        status = block_run_all(run, table, model, phases, &trace, last, &found);
    }
    if (status == PAWL_OK) {
        block_show(study, table, &found, &trace);
    }
    lit_trace_free(&trace);
    pawl_state_destroy(last);
    pawl_model_destroy(model);
    return status;
}

static pawl_status block_run_scheme_one(experiment_run *run, pawl_study *study)
{
    return block_run(run, study, &block_one);
}

static pawl_status block_run_scheme_two(experiment_run *run, pawl_study *study)
{
    return block_run(run, study, &block_two);
}

const experiment experiment_lit_block_one = {
    .name = "lit-10.2",
    .summary = "A block that sticks and slips, scheme I: velocities that come to rest",
    .source = LIT_PAPER "Table 10.2 and the upper half of Figure 4",
    .run = block_run_scheme_one,
};

const experiment experiment_lit_block_two = {
    .name = "lit-10.3",
    .summary = "A block that sticks and slips, scheme II: velocities that chatter in stick",
    .source = LIT_PAPER "Table 10.3 and the lower half of Figure 4",
    .run = block_run_scheme_two,
};
