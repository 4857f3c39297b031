// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Table 10.1 and Figure 2 of [Potra2006]: a double pendulum of two point masses that hits a wall
// five times, without friction, with scheme II. The digits of the table are reproduced with g = 9.8 (the paper names
// no value; 9.81 gives others) and restitution 0.1. Theta_1 is x1^2 + y1^2 - 1, and the columns E1 and E2 print
// -Theta: both are misprinted in the text. The paper's y is z here.
#include "lit_setup.h"

#include <math.h>

enum { PENDULUM_ROWS = 7, PENDULUM_FIRST = 5, PENDULUM_REFERENCE = 20 };
static const double pendulum_end = 2.5; // [s]

// Table 10.1 as printed; the rows are h = 2^-5 to 2^-11.
typedef struct pendulum_errors {
    double position, joint[2]; // E_h, E_1 and E_2
} pendulum_errors;
static const pendulum_errors pendulum_paper[PENDULUM_ROWS] = {
    {2.38e-3, {-1.27e-3, -3.18e-3}}, {6.14e-4, {-3.14e-4, -8.29e-4}},
    {1.54e-4, {-7.82e-5, -2.14e-4}}, {3.95e-5, {-1.95e-5, -5.48e-5}},
    {1.01e-5, {-4.88e-6, -1.37e-5}}, {2.42e-6, {-1.22e-6, -3.44e-6}},
    {6.15e-7, {-3.05e-7, -8.60e-7}},
};
static const double pendulum_paper_ratio[PENDULUM_ROWS][3] = {
    {NAN, NAN, NAN},    {3.88, 4.04, 3.84}, {3.97, 4.01, 3.88}, {3.91, 4.00, 3.90},
    {3.92, 4.00, 3.99}, {4.17, 4.00, 3.99}, {3.93, 4.01, 4.00},
};
// x1, y1, x2, y2 at 2.5 s: 40-digit extrapolation in angles, Newton's method on the times of the
// impacts; two other methods agree to 3e-14.
static const double pendulum_exact[4] = {0.021962117694924392, -0.9997588036053268,
                                         0.023769486773913436, -1.999757170312499};

enum { PENDULUM_IMPACTS = 5 };
static const lit_collision pendulum_exact_impacts[PENDULUM_IMPACTS] = {{0.5455080514420014, 0},
                                                                       {0.707932699995982, 1},
                                                                       {1.284726645954996, 0},
                                                                       {2.0977394548811543, 1},
                                                                       {2.131640284303554, 0}};

static pawl_status pendulum_fill(pawl_builder *b)
{
    const lit_material material = {.friction = 0.0, .restitution = 0.1};
    const double a1 = 4.0 * atan(1.0) / 3.0, a2 = 4.0 * atan(1.0) / 5.0;
    pawl_vec3 first = {sin(a1), 0.0, -cos(a1)};
    pawl_vec3 second = {first.x + sin(a2), 0.0, first.z - cos(a2)};
    pawl_builder_set_gravity(b, (pawl_vec3){0.0, 0.0, -9.8});
    pawl_body_id body[2];
    EXPERIMENT_TRY(lit_add_point(b, "m1", 1.0, first, (pawl_vec3){0}, material, &body[0]));
    EXPERIMENT_TRY(lit_add_point(b, "m2", 1.0, second, (pawl_vec3){0}, material, &body[1]));
    EXPERIMENT_TRY(pawl_builder_exclude(b, body[0], body[1]));
    for (int k = 0; k < 2; ++k) {
        pawl_joint_def rod = pawl_joint_def_default();
        rod.kind = PAWL_JOINT_DISTANCE;
        rod.base = k == 0 ? PAWL_WORLD : body[0];
        rod.follower = body[k];
        rod.length = 1.0;
        EXPERIMENT_TRY(pawl_builder_add_joint(b, &rod, NULL));
    }
    return lit_add_plane(b, "wall", (pawl_vec3){0}, (pawl_vec3){1.0, 0.0, 0.0}, material);
}

static pawl_status pendulum_model(const pawl_env *env, pawl_model **out)
{
    pawl_builder *builder = NULL;
    EXPERIMENT_TRY(pawl_builder_create(env, "lit-pendulum", &builder));
    return lit_finish_model(builder, pendulum_fill(builder), out);
}

static void pendulum_positions(const pawl_state *state, double q[4])
{
    for (int b = 0; b < 2; ++b) {
        pawl_vec3 p =
            pawl_state_pose(state, pawl_model_body_at(pawl_state_model(state), b)).position;
        q[2 * b] = p.x;
        q[2 * b + 1] = p.z;
    }
}

static double pendulum_distance(const double a[4], const double b[4])
{
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

static pendulum_errors pendulum_judge(const double q[4], const double reference[4])
{
    double dx = q[0] - q[2], dy = q[1] - q[3];
    return (pendulum_errors){
        .position = pendulum_distance(q, reference),
        .joint = {1.0 - (q[0] * q[0] + q[1] * q[1]), 1.0 - (dx * dx + dy * dy)}};
}

static void pendulum_measure(const pawl_state *state, const void *user, double *values)
{
    (void)user;
    double q[4];
    pendulum_positions(state, q);
    pawl_energy energy = pawl_state_energy(state);
    values[0] = q[0];
    values[1] = q[2];
    values[2] = energy.kinetic + energy.gravity;
}

// What was found: positions at the end for every h, and the paper's reference where it was run.
typedef struct pendulum_found {
    double q[PENDULUM_ROWS][4];
    double reference[4];
    bool has_reference;
} pendulum_found;

static const lit_method pendulum_method = {
    .variant = "paper", .scheme = "2", .events = "collisions"};

static pawl_status pendulum_run_all(experiment_run *run, const pawl_model *model, lit_trace *trace,
                                    pawl_state *last, pendulum_found *found)
{
    experiment_doing(run, "h = 2^-5 to 2^-11");
    for (int i = 0; i < PENDULUM_ROWS; ++i) {
        int exponent = PENDULUM_FIRST + i;
        EXPERIMENT_TRY(lit_simulate(run, model, pendulum_method, ldexp(1.0, -exponent),
                                    pendulum_end, exponent == 9 ? trace : NULL, last));
        pendulum_positions(last, found->q[i]);
    }
    found->has_reference = !run->quick;
    if (found->has_reference) {
        experiment_doing(run, "the paper's reference, h = 2^-20");
        EXPERIMENT_TRY(lit_simulate(run, model, pendulum_method, ldexp(1.0, -PENDULUM_REFERENCE),
                                    pendulum_end, NULL, last));
        pendulum_positions(last, found->reference);
    }
    return PAWL_OK;
}

enum { PENDULUM_COLUMNS = 13 };
static const pawl_study_column pendulum_columns[PENDULUM_COLUMNS] = {
    {.name = "h", .unit = "s", .style = PAWL_NUMBER_POWER_OF_TWO},
    {.name = "Eh", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2, .against = 3},
    {.name = "paper", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2},
    {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2, .against = 5},
    {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
    {.name = "E1", .unit = "m²", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2, .against = 7},
    {.name = "paper", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2},
    {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2, .against = 9},
    {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
    {.name = "E2", .unit = "m²", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2, .against = 11},
    {.name = "paper", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 2},
    {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 2, .against = 13},
    {.name = "paper", .style = PAWL_NUMBER_FIXED, .digits = 2},
};

// E_h, E_1 and E_2 of a row, for loops over the three.
static double pendulum_error(const pendulum_errors *row, int k)
{
    return k == 0 ? row->position : row->joint[k - 1];
}

static void pendulum_table(pawl_study *study, const pendulum_errors *ours, bool quick)
{
    double differing = 0.0, last_row = 0.0;
    pawl_study_add_table(
        study, "Table 10.1",
        quick ? "Eh against the exact solution; without --quick, against the run with "
                "h = 2^-20 as in the paper."
              : "Eh against the run with h = 2^-20, as in the paper.",
        pendulum_columns, PENDULUM_COLUMNS);
    for (int i = 0; i < PENDULUM_ROWS; ++i) {
        pawl_study_add_number(study, ldexp(1.0, -(PENDULUM_FIRST + i)));
        for (int k = 0; k < 3; ++k) {
            double value = pendulum_error(&ours[i], k);
            double ratio = i > 0 ? fabs(pendulum_error(&ours[i - 1], k) / value) : NAN;
            double paper = pendulum_error(&pendulum_paper[i], k);
            double paper_ratio = pendulum_paper_ratio[i][k];
            pawl_study_add_number(study, value);
            pawl_study_add_number(study, paper);
            pawl_study_add_number(study, ratio);
            pawl_study_add_number(study, paper_ratio);
            double apart = pawl_study_digits_apart(&pendulum_columns[1], value, paper);
            double ratio_apart =
                i > 0 ? pawl_study_digits_apart(&pendulum_columns[3], ratio, paper_ratio) : 0.0;
            if (i + 1 < PENDULUM_ROWS) {
                differing += (apart == 0.0 ? 0.0 : 1.0) + (ratio_apart == 0.0 ? 0.0 : 1.0);
            } else {
                last_row = fmax(last_row, fmax(apart, ratio_apart));
            }
        }
    }
    pawl_study_add_claim(study,
                         "printed numbers of rows 2^-5 to 2^-10 that differ from the paper's", NULL,
                         differing, PAWL_AT_MOST, 0.0);
    pawl_study_add_claim(study, "row 2^-11: largest difference in units of the last printed digit",
                         NULL, last_row, PAWL_AT_MOST, 1.0);
}

static void pendulum_exact_table(pawl_study *study, const double q[PENDULUM_ROWS][4],
                                 const pendulum_found *found)
{
    const pawl_study_column columns[] = {
        {.name = "h", .unit = "s", .style = PAWL_NUMBER_POWER_OF_TWO},
        {.name = "error", .unit = "m", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 4},
        {.name = "ratio", .style = PAWL_NUMBER_FIXED, .digits = 3},
        {.name = "error/h²", .unit = "m/s²", .style = PAWL_NUMBER_FIXED, .digits = 3},
    };
    pawl_study_add_table(study, "Against the exact solution",
                         "The positions of both masses at 2.5 s, after five impacts.", columns, 4);
    double before = NAN, first = NAN;
    for (int i = 0; i < PENDULUM_ROWS; ++i) {
        double h = ldexp(1.0, -(PENDULUM_FIRST + i));
        double error = pendulum_distance(q[i], pendulum_exact);
        pawl_study_add_number(study, h);
        pawl_study_add_number(study, error);
        pawl_study_add_number(study, before / error);
        pawl_study_add_number(study, error / (h * h));
        first = i == 0 ? error : first;
        before = error;
    }
    if (found->has_reference) {
        double h = ldexp(1.0, -PENDULUM_REFERENCE);
        double error = pendulum_distance(found->reference, pendulum_exact);
        pawl_study_add_number(study, h);
        pawl_study_add_number(study, error);
        pawl_study_add_number(study, NAN);
        pawl_study_add_number(study, error / (h * h));
        pawl_study_add_claim(study, "the paper's reference (h = 2^-20) against the exact solution",
                             "m", error, PAWL_AT_MOST, 1e-9);
    }
    pawl_study_add_claim(study, "order of the error against the exact solution, 2^-5 to 2^-11",
                         NULL, log2(first / before) / (PENDULUM_ROWS - 1), PAWL_AT_LEAST, 1.95);
}

static void pendulum_impact_table(pawl_study *study, const lit_trace *trace)
{
    const pawl_study_column columns[] = {
        {.name = "impact of", .words = true},
        {.name = "ours", .unit = "s", .style = PAWL_NUMBER_FIXED, .digits = 7},
        {.name = "exact", .unit = "s", .style = PAWL_NUMBER_FIXED, .digits = 7},
        {.name = "error", .unit = "s", .style = PAWL_NUMBER_SCIENTIFIC, .digits = 1},
    };
    double wrong = trace->collision_count == PENDULUM_IMPACTS ? 0.0 : 1.0, worst = 0.0;
    pawl_study_add_table(study, "Impacts, h = 2^-9", NULL, columns, 4);
    for (int i = 0; i < PENDULUM_IMPACTS; ++i) {
        const lit_collision *exact = &pendulum_exact_impacts[i];
        const lit_collision *ours = i < trace->collision_count ? &trace->collisions[i] : NULL;
        double time = ours != NULL ? ours->time : NAN;
        pawl_study_add_words(study, exact->body == 0 ? "m1" : "m2");
        pawl_study_add_number(study, time);
        pawl_study_add_number(study, exact->time);
        pawl_study_add_number(study, time - exact->time);
        wrong += ours != NULL && ours->body == exact->body ? 0.0 : 1.0;
        worst = fmax(worst, fabs(time - exact->time));
    }
    pawl_study_add_claim(study, "impacts that are missing, too many or of the other mass", NULL,
                         wrong, PAWL_AT_MOST, 0.0);
    pawl_study_add_claim(study, "largest error of an impact's time with h = 2^-9", "s", worst,
                         PAWL_AT_MOST, 2e-5);
}

static void pendulum_plots(pawl_study *study, const lit_trace *trace, const pendulum_errors *ours)
{
    pawl_study_add_plot(study, &(pawl_study_plot){.title = "Figure 2 (a): x of the two masses",
                                                  .note = "h = 2⁻⁹; the wall is at x = 0",
                                                  .unit = "m",
                                                  .zero = true});
    lit_trace_add_curve(study, trace, 0, "m1", false);
    lit_trace_add_curve(study, trace, 1, "m2", false);
    pawl_study_add_plot(study, &(pawl_study_plot){.title = "Figure 2 (b): total energy",
                                                  .note = "it falls at the five impacts",
                                                  .unit = "J"});
    lit_trace_add_curve(study, trace, 2, "kinetic + potential", false);
    double h[PENDULUM_ROWS], value[4][PENDULUM_ROWS];
    for (int i = 0; i < PENDULUM_ROWS; ++i) { // ascending h
        int from = PENDULUM_ROWS - 1 - i;
        h[i] = ldexp(1.0, -(PENDULUM_FIRST + from));
        for (int k = 0; k < 3; ++k) {
            value[k][i] = fabs(pendulum_error(&ours[from], k));
        }
        value[3][i] = pendulum_paper[from].position;
    }
    pawl_study_add_plot(study, &(pawl_study_plot){.title = "Errors at 2.5 s",
                                                  .note = "a factor of four for every halving",
                                                  .x_name = "h",
                                                  .x_unit = "s",
                                                  .unit = "m, m²",
                                                  .x_log = true,
                                                  .log = true,
                                                  .dots = true});
    static const char *const labels[] = {"Eh", "|E1|", "|E2|", "Eh, paper"};
    for (int k = 0; k < 4; ++k) {
        pawl_study_add_curve(study, &(pawl_study_curve){.label = labels[k],
                                                        .dashed = k == 3,
                                                        .count = PENDULUM_ROWS,
                                                        .x = h,
                                                        .y = value[k]});
    }
}

static void pendulum_show(pawl_study *study, const pendulum_found *found, const lit_trace *trace)
{
    pendulum_errors ours[PENDULUM_ROWS];
    for (int i = 0; i < PENDULUM_ROWS; ++i) {
        ours[i] =
            pendulum_judge(found->q[i], found->has_reference ? found->reference : pendulum_exact);
    }
    pawl_study_add_paragraph(
        study,
        "Two point masses on massless rods swing against a wall at x = 0 (restitution 0.1, "
        "no friction, g = 9.8), 2.5 s with scheme II and located impacts. Eh is the distance "
        "of the positions at the end from the reference, E1 and E2 are the errors of the two "
        "rods, -Theta; each ratio is to the row above.");
    pendulum_table(study, ours, !found->has_reference);
    pendulum_exact_table(study, found->q, found);
    pendulum_impact_table(study, trace);
    pendulum_plots(study, trace, ours);
}

static pawl_status pendulum_run(experiment_run *run, pawl_study *study)
{
    for (int i = 0; i < PENDULUM_ROWS; ++i) {
        experiment_expect(run, ldexp(pendulum_end, PENDULUM_FIRST + i));
    }
    experiment_expect(run, run->quick ? 0.0 : ldexp(pendulum_end, PENDULUM_REFERENCE));
    pawl_model *model = NULL;
    pawl_state *last = NULL;
    lit_trace trace = {.measure = pendulum_measure};
    pendulum_found found = {0};
    pawl_status status = pendulum_model(run->env, &model);
    if (status == PAWL_OK) {
        status = pawl_state_create(run->env, model, &last);
    }
    if (status == PAWL_OK) {
        status = pendulum_run_all(run, model, &trace, last, &found);
    }
    if (status == PAWL_OK) {
        pendulum_show(study, &found, &trace);
    }
    lit_trace_free(&trace);
    pawl_state_destroy(last);
    pawl_model_destroy(model);
    return status;
}

const experiment experiment_lit_pendulum = {
    .name = "lit-10.1",
    .summary = "A double pendulum against a wall: order two through five impacts",
    .source = LIT_PAPER "Table 10.1 and Figure 2",
    .run = pendulum_run,
};
