// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The plots of a report. If there are more columns than a plot can show, those with the largest changes are shown,
// with a notice.
#include "page/report_plots.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Columns of a series, one a curve.
typedef struct plots_choice {
    int column[REPORT_CURVES];
    int count;
} plots_choice;

static void plots_map_columns(const double *row, const void *user, double *values)
{
    const plots_choice *choice = user;
    for (int k = 0; k < choice->count; ++k) {
        values[k] = row[choice->column[k]];
    }
}

static void plots_label(report_source *source, int curve, const char *label)
{
    (void)snprintf(source->labels[curve], REPORT_LABEL, "%s", label);
}

static pawl_status plots_one(report_text *page, const pawl_record *record,
                             const report_source *source, const report_plot_style *style)
{
    report_plot plot;
    PAWL_TRY(report_plot_read(record, source, &plot));
    report_add_plain(page, page->size > 0 && page->data[page->size - 1] == '[' ? "" : ",");
    report_plot_write(page, &plot, style);
    report_plot_free(record->env, &plot);
    return PAWL_OK;
}

// ---- Energy -------------------------------------------------------------------------------------

static void plots_map_energy(const double *row, const void *user, double *values)
{
    (void)user;
    values[0] = row[0];
    values[1] = row[1];
    values[2] = row[2];
    values[3] = row[0] + row[1] + row[2];
}

static void plots_map_energy_no_springs(const double *row, const void *user, double *values)
{
    (void)user;
    values[0] = row[0];
    values[1] = row[1];
    values[2] = row[0] + row[1] + row[2];
}

static pawl_status plots_energy(report_text *page, const pawl_record *record)
{
    double low[RECORD_ENERGY_COUNT], high[RECORD_ENERGY_COUNT];
    PAWL_TRY(report_column_ranges(record, RECORD_ENERGY, low, high));
    bool springs = low[2] != 0.0 || high[2] != 0.0;
    report_source source = {.series = RECORD_ENERGY,
                            .curve_count = springs ? 4 : 3,
                            .map = springs ? plots_map_energy : plots_map_energy_no_springs};
    plots_label(&source, 0, "kinetic");
    plots_label(&source, 1, "gravity");
    plots_label(&source, 2, springs ? "springs" : "sum");
    plots_label(&source, 3, "sum");
    PAWL_TRY(plots_one(page, record, &source,
                       &(report_plot_style){.title = "Energy", .unit = "J", .zero = true}));

    static const char *const works[] = {"actuators",      "dampers", "friction", "motions",
                                        "applied forces", "limits",  "contacts"};
    plots_choice choice = {.count = 0};
    source = (report_source){.series = RECORD_ENERGY, .map = plots_map_columns, .user = &choice};
    for (int k = 0; k < 7; ++k) {
        if (low[3 + k] != 0.0 || high[3 + k] != 0.0) {
            plots_label(&source, choice.count, works[k]);
            choice.column[choice.count++] = 3 + k;
        }
    }
    if (choice.count > 0) {
        source.curve_count = choice.count;
        PAWL_TRY(plots_one(
            page, record, &source,
            &(report_plot_style){.title = "Work done since the start", .unit = "J", .zero = true}));
    }
    choice = (plots_choice){.column = {RECORD_ENERGY_COUNT - 1}, .count = 1};
    source.curve_count = 1;
    plots_label(&source, 0, "balance");
    return plots_one(page, record, &source,
                     &(report_plot_style){.title = "Energy balance: what no work explains",
                                          .unit = "J",
                                          .zero = true});
}

// ---- Motion -------------------------------------------------------------------------------------

// The wanted columns that change most, in their own order. *wanted counts all there are.
static void plots_choose(const double *low, const double *high, int width, const bool *want,
                         plots_choice *choice, int *wanted)
{
    *choice = (plots_choice){.count = 0};
    *wanted = 0;
    for (int c = 0; c < width; ++c) {
        *wanted += want[c] ? 1 : 0;
    }
    while (choice->count < REPORT_CURVES) {
        int best = -1;
        for (int c = 0; c < width; ++c) {
            bool taken = !want[c];
            for (int k = 0; k < choice->count; ++k) {
                taken = taken || choice->column[k] == c;
            }
            if (!taken && low[c] <= high[c] &&
                (best < 0 || high[c] - low[c] > high[best] - low[best])) {
                best = c;
            }
        }
        if (best < 0) {
            break;
        }
        int at = choice->count++;
        while (at > 0 && choice->column[at - 1] > best) {
            choice->column[at] = choice->column[at - 1];
            --at;
        }
        choice->column[at] = best;
    }
}

static void plots_coordinate_label(const pawl_record *record, int coordinate, report_source *source,
                                   int curve)
{
    for (int j = 0; j < record->counts.joints; ++j) {
        const record_joint *joint = &record->joints[j];
        int k = coordinate - joint->first_coordinate;
        if (k >= 0 && k < joint->coordinate_count) {
            char label[REPORT_LABEL];
            (void)snprintf(label, sizeof label,
                           joint->coordinate_count > 1 ? "%.80s [%d]" : "%.80s", joint->name, k);
            plots_label(source, curve, label);
            return;
        }
    }
}

// Scratch for one series: ranges of its columns, and which of them a plot wants.
typedef struct plots_columns {
    size_t width;
    double *low, *high;
    bool *want;
} plots_columns;

static pawl_status plots_columns_begin(const pawl_record *record, record_series series,
                                       plots_columns *c)
{
    hsize_t inner[2];
    c->width = record_series_shape(series, &record->counts, record->trace, inner);
    c->low = pawl_alloc(record->env, c->width * sizeof *c->low);
    c->high = pawl_alloc(record->env, c->width * sizeof *c->high);
    c->want = pawl_alloc(record->env, c->width * sizeof *c->want);
    if (c->low == NULL || c->high == NULL || c->want == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for a plot");
    }
    return report_column_ranges(record, series, c->low, c->high);
}

static void plots_columns_end(const pawl_record *record, plots_columns *c)
{
    pawl_free(record->env, c->low, c->width * sizeof *c->low);
    pawl_free(record->env, c->high, c->width * sizeof *c->high);
    pawl_free(record->env, c->want, c->width * sizeof *c->want);
}

// One plot of the angles or the lengths among joint coordinates or rates.
static pawl_status plots_coordinates(report_text *page, const pawl_record *record,
                                     record_series series, plots_columns *c, bool angles,
                                     const char *title, const char *unit)
{
    for (int j = 0; j < record->counts.joints; ++j) {
        const record_joint *joint = &record->joints[j];
        for (int k = 0; k < joint->coordinate_count; ++k) {
            c->want[joint->first_coordinate + k] =
                pawl_joint_kind_is_angle(joint->kind, k) == angles;
        }
    }
    plots_choice choice;
    int wanted;
    plots_choose(c->low, c->high, (int)c->width, c->want, &choice, &wanted);
    if (choice.count == 0) {
        return PAWL_OK;
    }
    report_source source = {
        .series = series, .curve_count = choice.count, .map = plots_map_columns, .user = &choice};
    for (int k = 0; k < choice.count; ++k) {
        plots_coordinate_label(record, choice.column[k], &source, k);
    }
    char note[96] = "";
    if (wanted > choice.count) {
        (void)snprintf(note, sizeof note, "The %d of %d joints that change most.", choice.count,
                       wanted);
    }
    return plots_one(
        page, record, &source,
        &(report_plot_style){.title = title, .unit = unit, .note = note[0] == '\0' ? NULL : note});
}

static pawl_status plots_motion_series(report_text *page, const pawl_record *record,
                                       record_series series, const char *const titles[2],
                                       const char *const units[2])
{
    if (!record_has(record, series)) {
        return PAWL_OK;
    }
    plots_columns c = {0};
    pawl_status status = plots_columns_begin(record, series, &c);
    for (int angles = 1; status == PAWL_OK && angles >= 0; --angles) {
        status =
            plots_coordinates(page, record, series, &c, angles == 1, titles[angles], units[angles]);
    }
    plots_columns_end(record, &c);
    return status;
}

static pawl_status plots_motion(report_text *page, const pawl_record *record)
{
    PAWL_TRY(plots_motion_series(page, record, RECORD_POSITION,
                                 (const char *const[]){"Joint displacements", "Joint angles"},
                                 (const char *const[]){"m", "rad"}));
    return plots_motion_series(page, record, RECORD_RATE,
                               (const char *const[]){"Joint velocities", "Joint rates"},
                               (const char *const[]){"m/s", "rad/s"});
}

// ---- Accuracy -----------------------------------------------------------------------------------

static pawl_status plots_accuracy(report_text *page, const pawl_record *record)
{
    plots_choice choice = {
        .column = {RECORD_CLOSURE_POSITION, RECORD_CLOSURE_ROTATION, RECORD_CLOSURE_LIMIT},
        .count = 3};
    report_source source = {
        .series = RECORD_RESIDUALS, .curve_count = 3, .map = plots_map_columns, .user = &choice};
    double low[RECORD_RESIDUAL_COUNT], high[RECORD_RESIDUAL_COUNT];
    PAWL_TRY(report_column_ranges(record, RECORD_RESIDUALS, low, high));
    plots_label(&source, 0, "position [m]");
    plots_label(&source, 1, "rotation [rad]");
    plots_label(&source, 2, "limits");
    source.curve_count = choice.count = high[RECORD_CLOSURE_LIMIT] > 0.0 ? 3 : 2;
    if (record->counts.joints > 0) {
        PAWL_TRY(plots_one(
            page, record, &source,
            &(report_plot_style){.title = "Closure error", .unit = "m, rad", .log = true}));
    }

    choice = (plots_choice){.column = {RECORD_NATURAL_SCALED}, .count = 1};
    source.curve_count = 1;
    plots_label(&source, 0, "natural, scaled");
    PAWL_TRY(plots_one(page, record, &source,
                       &(report_plot_style){.title = "Residual",
                                            .unit = "m/s",
                                            .log = true,
                                            .mark = record->settings.solver.tolerance,
                                            .mark_label = "tolerance"}));

    choice = (plots_choice){.column = {RECORD_ITERATIONS}, .count = 1};
    plots_label(&source, 0, "solver");
    if (high[RECORD_PROJECTIONS] > 0.0) {
        plots_label(&source, choice.count, "projection");
        choice.column[choice.count++] = RECORD_PROJECTIONS;
    }
    if (high[RECORD_FACTORIZATIONS] > 0.0) {
        plots_label(&source, choice.count, "factorizations");
        choice.column[choice.count++] = RECORD_FACTORIZATIONS;
    }
    source.curve_count = choice.count;
    return plots_one(page, record, &source,
                     &(report_plot_style){.title = "Iterations a step", .unit = "", .zero = true});
}

// ---- Loads --------------------------------------------------------------------------------------

static void plots_map_forces(const double *row, const void *user, double *values)
{
    const plots_choice *choice = user;
    for (int k = 0; k < choice->count; ++k) {
        const double *f = row + 6 * choice->column[k];
        values[k] = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    }
}

static pawl_status plots_reactions(report_text *page, const pawl_record *record, plots_columns *c)
{
    // The largest component stands for the size when the joints with most force are chosen.
    int joints = record->counts.joints;
    for (int j = 0; j < joints; ++j) {
        double most = 0.0;
        for (int k = 0; k < 3; ++k) {
            most = fmax(most, fmax(fabs(c->low[6 * j + k]), fabs(c->high[6 * j + k])));
        }
        c->low[j] = 0.0;
        c->high[j] = most;
        c->want[j] = most > 0.0;
    }
    plots_choice choice;
    int wanted;
    plots_choose(c->low, c->high, joints, c->want, &choice, &wanted);
    if (choice.count == 0) {
        return PAWL_OK;
    }
    report_source source = {.series = RECORD_REACTION,
                            .curve_count = choice.count,
                            .map = plots_map_forces,
                            .user = &choice};
    for (int k = 0; k < choice.count; ++k) {
        plots_label(&source, k, record->joints[choice.column[k]].name);
    }
    char note[96] = "";
    if (wanted > choice.count) {
        (void)snprintf(note, sizeof note, "The %d of %d joints with the largest forces.",
                       choice.count, wanted);
    }
    return plots_one(page, record, &source,
                     &(report_plot_style){.title = "Reaction forces in joints",
                                          .unit = "N",
                                          .zero = true,
                                          .note = note[0] == '\0' ? NULL : note});
}

static pawl_status plots_efforts(report_text *page, const pawl_record *record, plots_columns *c)
{
    memset(c->want, 1, c->width * sizeof *c->want);
    plots_choice choice;
    int wanted;
    plots_choose(c->low, c->high, (int)c->width, c->want, &choice, &wanted);
    if (choice.count == 0) {
        return PAWL_OK;
    }
    report_source source = {.series = RECORD_EFFORT,
                            .curve_count = choice.count,
                            .map = plots_map_columns,
                            .user = &choice};
    for (int k = 0; k < choice.count; ++k) {
        char label[32];
        (void)snprintf(label, sizeof label, "actuator %d", choice.column[k]);
        plots_label(&source, k, label);
    }
    return plots_one(
        page, record, &source,
        &(report_plot_style){.title = "Actuator efforts", .unit = "N or N m", .zero = true});
}

static pawl_status plots_load_series(report_text *page, const pawl_record *record,
                                     record_series series)
{
    if (!record_has(record, series)) {
        return PAWL_OK;
    }
    plots_columns c = {0};
    pawl_status status = plots_columns_begin(record, series, &c);
    if (status == PAWL_OK) {
        status = series == RECORD_REACTION ? plots_reactions(page, record, &c)
                                           : plots_efforts(page, record, &c);
    }
    plots_columns_end(record, &c);
    return status;
}

// ---- Contacts -----------------------------------------------------------------------------------

static pawl_status plots_contacts(report_text *page, const pawl_record *record)
{
    double low[RECORD_CONTACT_COUNT], high[RECORD_CONTACT_COUNT];
    PAWL_TRY(report_column_ranges(record, RECORD_CONTACTS, low, high));
    if (!(high[RECORD_CONTACT_ROWS] > 0.0)) {
        return PAWL_OK; // nothing ever came near
    }
    static const struct {
        int column;
        const char *label;
        report_plot_style style;
    } plots[] = {
        {RECORD_CONTACT_ROWS, "contacts", {.title = "Contact points", .unit = "", .zero = true}},
        {RECORD_CONTACT_PENETRATION,
         "worst since the frame before",
         {.title = "Penetration", .unit = "m", .log = true}},
        {RECORD_CONTACT_FORCE,
         "sum of all contacts",
         {.title = "Normal force of all contacts", .unit = "N", .zero = true}},
    };
    for (size_t k = 0; k < sizeof plots / sizeof plots[0]; ++k) {
        plots_choice choice = {.column = {plots[k].column}, .count = 1};
        report_source source = {
            .series = RECORD_CONTACTS, .curve_count = 1, .map = plots_map_columns, .user = &choice};
        plots_label(&source, 0, plots[k].label);
        PAWL_TRY(plots_one(page, record, &source, &plots[k].style));
    }
    return PAWL_OK;
}

pawl_status report_plots_write(report_text *page, const pawl_record *record)
{
    PAWL_TRY(plots_motion(page, record));
    if (record_has(record, RECORD_ENERGY)) {
        PAWL_TRY(plots_energy(page, record));
    }
    if (record_has(record, RECORD_RESIDUALS)) {
        PAWL_TRY(plots_accuracy(page, record));
    }
    PAWL_TRY(plots_load_series(page, record, RECORD_REACTION));
    PAWL_TRY(plots_load_series(page, record, RECORD_EFFORT));
    if (record_has(record, RECORD_CONTACTS)) {
        PAWL_TRY(plots_contacts(page, record));
    }
    return PAWL_OK;
}
