// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The figures of a run (pawl_verdict) as two rows of numbers, counts and figures. One table assigns fields to
// columns, for the writer, the reader and the names of the columns. Columns are appended, never moved: files with
// fewer columns are still read, and missing figures are not judged.
#include "pawl/io.h"
#include "record/record_layout.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum field_type {
    FIELD_LONG,
    FIELD_INT,
    FIELD_UNSIGNED,
    FIELD_BOOL,
    FIELD_END,
    FIELD_JOINT, // ids are stored as indices
    FIELD_SHAPE
} field_type;
typedef struct count_field {
    const char *name;
    size_t offset;
    field_type type;
} count_field;
typedef struct figure_field {
    const char *name;
    size_t offset;
} figure_field;

#define AT(field) offsetof(pawl_verdict, field)
#define METHOD(name, kind)                                                                         \
    {                                                                                              \
        "steps_" name, AT(methods) + (kind) * sizeof(int64_t), FIELD_LONG                          \
    }
static const count_field verdict_counts[RECORD_VERDICT_COUNTS] = {
    {"steps", AT(steps), FIELD_LONG},
    {"not_converged", AT(not_converged), FIELD_LONG},
    {"iterations_sum", AT(iterations_sum), FIELD_LONG},
    {"iterations_max", AT(iterations_max), FIELD_INT},
    {"worst_joint", AT(closure.worst_joint), FIELD_JOINT},
    {"worst_limit", AT(closure.worst_limit), FIELD_JOINT},
    {"contacts_max", AT(contacts_max), FIELD_INT},
    {"contacts_sum", AT(contacts_sum), FIELD_LONG},
    {"worst_shape_a", AT(worst_shape_a), FIELD_SHAPE},
    {"worst_shape_b", AT(worst_shape_b), FIELD_SHAPE},
    {"tunnelled", AT(tunnelled), FIELD_LONG},
    {"tunnel_step", AT(tunnel_step), FIELD_LONG},
    {"tunnel_shape_a", AT(tunnel_shape_a), FIELD_SHAPE},
    {"tunnel_shape_b", AT(tunnel_shape_b), FIELD_SHAPE},
    {"factorizations_sum", AT(factorizations_sum), FIELD_LONG},
    {"factorizations_max", AT(factorizations_max), FIELD_INT},
    {"islands_sum", AT(islands_sum), FIELD_LONG},
    {"islands_max", AT(islands_max), FIELD_INT},
    METHOD("none", PAWL_METHOD_NONE),
    METHOD("direct", PAWL_METHOD_DIRECT),
    METHOD("sweeps", PAWL_METHOD_SWEEPS),
    METHOD("admm", PAWL_METHOD_ADMM),
    METHOD("newton", PAWL_METHOD_NEWTON),
    // since format 5
    {"measured", AT(measured), FIELD_UNSIGNED},
    {"position_failures", AT(position_failures), FIELD_LONG},
    {"position_step", AT(position_step), FIELD_LONG},
    {"not_finite", AT(not_finite), FIELD_LONG},
    {"fell_back", AT(fell_back), FIELD_LONG},
    {"share_joint", AT(closure.ratio_joint), FIELD_JOINT},
    {"share_shape_a", AT(ratio_shape_a), FIELD_SHAPE},
    {"share_shape_b", AT(ratio_shape_b), FIELD_SHAPE},
    {"soft_joints", AT(soft_joints), FIELD_BOOL},
    {"soft_limits", AT(soft_limits), FIELD_BOOL},
    {"soft_contacts", AT(soft_contacts), FIELD_BOOL},
    {"end", AT(end), FIELD_END},
    {"misfit_joint", AT(misfit.worst_joint), FIELD_JOINT},
    {"passage_steps", AT(passage_steps), FIELD_LONG},
    {"passage_step", AT(passage_step), FIELD_LONG},
    {"passage_joint", AT(passage_joint), FIELD_JOINT},
    {"divided", AT(divided), FIELD_LONG},
    {"asleep_sum", AT(asleep_sum), FIELD_LONG},
    {"asleep_max", AT(asleep_max), FIELD_INT},
    {"blur_step", AT(blur_step), FIELD_LONG},
    {"blur_joint", AT(blur_joint), FIELD_JOINT},
};

#define DISSIPATOR(name, field, kind)                                                              \
    {                                                                                              \
        name, AT(field) + (kind) * sizeof(double)                                                  \
    }
static const figure_field verdict_figures[RECORD_VERDICT_FIGURES] = {
    {"primal", AT(residual.primal)},
    {"dual", AT(residual.dual)},
    {"complementarity", AT(residual.complementarity)},
    {"natural", AT(residual.natural)},
    {"natural_scaled", AT(residual.natural_scaled)},
    {"closure_position", AT(closure.position)},
    {"closure_rotation", AT(closure.rotation)},
    {"closure_limit", AT(closure.limit)},
    {"energy_initial", AT(energy_initial)},
    {"energy_final", AT(energy_final)},
    {"kinetic_max", AT(kinetic_max)}, // before format 5: the largest energy
    {"balance_max", AT(balance_max)},
    {"penetration", AT(penetration)},
    // since format 5
    {"own_residual", AT(own_residual)},
    {"closure_share", AT(closure.ratio)},
    {"start_limit", AT(start_limit)},
    {"size", AT(size)},
    {"potential_min", AT(potential_min)},
    {"potential_max", AT(potential_max)},
    {"work_in", AT(work_in)},
    {"work_out", AT(work_out)},
    {"energy_floor", AT(energy_floor)},
    {"depth_share", AT(depth_ratio)},
    {"time", AT(time)},
    {"requested_time", AT(requested_time)},
    DISSIPATOR("lowest_dampers", lowest_work, PAWL_DISSIPATOR_DAMPERS),
    DISSIPATOR("lowest_friction", lowest_work, PAWL_DISSIPATOR_FRICTION),
    DISSIPATOR("lowest_limits", lowest_work, PAWL_DISSIPATOR_LIMITS),
    DISSIPATOR("lowest_contacts", lowest_work, PAWL_DISSIPATOR_CONTACTS),
    DISSIPATOR("rise_dampers", work_rise, PAWL_DISSIPATOR_DAMPERS),
    DISSIPATOR("rise_friction", work_rise, PAWL_DISSIPATOR_FRICTION),
    DISSIPATOR("rise_limits", work_rise, PAWL_DISSIPATOR_LIMITS),
    DISSIPATOR("rise_contacts", work_rise, PAWL_DISSIPATOR_CONTACTS),
    DISSIPATOR("gain_dampers", work_gain, PAWL_DISSIPATOR_DAMPERS),
    DISSIPATOR("gain_friction", work_gain, PAWL_DISSIPATOR_FRICTION),
    DISSIPATOR("gain_limits", work_gain, PAWL_DISSIPATOR_LIMITS),
    DISSIPATOR("gain_contacts", work_gain, PAWL_DISSIPATOR_CONTACTS),
    {"last_kinetic", AT(energy.kinetic)},
    {"last_gravity", AT(energy.gravity)},
    {"last_springs", AT(energy.springs)},
    {"last_work_actuators", AT(energy.work_actuators)},
    {"last_work_dampers", AT(energy.work_dampers)},
    {"last_work_friction", AT(energy.work_friction)},
    {"last_work_motion", AT(energy.work_motion)},
    {"last_work_forces", AT(energy.work_forces)},
    {"last_work_limits", AT(energy.work_limits)},
    {"last_work_contacts", AT(energy.work_contacts)},
    {"last_balance", AT(energy.balance)},
    {"start_depth", AT(start_depth)},
    {"pushed_limits", AT(limit_correction_energy)},
    {"pushed_contacts", AT(contact_correction_energy)},
    {"misfit_position", AT(misfit.position)},
    {"misfit_rotation", AT(misfit.rotation)},
    {"misfit_expected", AT(misfit_expected)},
    {"settled", AT(settled)},
    {"imbalance", AT(imbalance)},
    {"dissipation_gap", AT(dissipation_gap)},
    {"blur", AT(blur)},
};

const char *record_verdict_column(bool figures, int column)
{
    return figures ? verdict_figures[column].name : verdict_counts[column].name;
}

static int64_t count_get(const pawl_verdict *v, const count_field *f)
{
    const char *at = (const char *)v + f->offset;
    switch (f->type) {
    case FIELD_INT:
        return *(const int *)(const void *)at;
    case FIELD_UNSIGNED:
        return *(const unsigned *)(const void *)at;
    case FIELD_BOOL:
        return *(const bool *)at ? 1 : 0;
    case FIELD_END:
        return (int64_t) * (const pawl_run_end *)(const void *)at;
    case FIELD_JOINT:
        return pawl_joint_index(*(const pawl_joint_id *)(const void *)at);
    case FIELD_SHAPE:
        return pawl_shape_index(*(const pawl_shape_id *)(const void *)at);
    case FIELD_LONG:
        break;
    }
    return *(const int64_t *)(const void *)at;
}

// False for a number that the field cannot hold.
static bool count_set(pawl_verdict *v, const count_field *f, int64_t value)
{
    char *at = (char *)v + f->offset;
    switch (f->type) {
    case FIELD_INT:
        *(int *)(void *)at = (int)value;
        return value >= INT32_MIN && value <= INT32_MAX;
    case FIELD_UNSIGNED:
        *(unsigned *)(void *)at = (unsigned)value;
        return value >= 0 && value <= UINT32_MAX;
    case FIELD_BOOL:
        *(bool *)at = value != 0;
        return value == 0 || value == 1;
    case FIELD_END:
        *(pawl_run_end *)(void *)at = (pawl_run_end)value;
        return value >= 0 && value < PAWL_RUN_END_COUNT;
    case FIELD_JOINT:
        *(pawl_joint_id *)(void *)at = (pawl_joint_id){(uint32_t)(value + 1), 0};
        return value >= -1 && value < INT32_MAX;
    case FIELD_SHAPE:
        *(pawl_shape_id *)(void *)at = (pawl_shape_id){(uint32_t)(value + 1), 0};
        return value >= -1 && value < INT32_MAX;
    case FIELD_LONG:
        break;
    }
    *(int64_t *)(void *)at = value;
    return true;
}

void record_verdict_pack(const pawl_verdict *v, int64_t counts[RECORD_VERDICT_COUNTS],
                         double figures[RECORD_VERDICT_FIGURES])
{
    for (int k = 0; k < RECORD_VERDICT_COUNTS; ++k) {
        counts[k] = count_get(v, &verdict_counts[k]);
    }
    for (int k = 0; k < RECORD_VERDICT_FIGURES; ++k) {
        memcpy(&figures[k], (const char *)v + verdict_figures[k].offset, sizeof figures[k]);
    }
}

bool record_verdict_unpack(pawl_verdict *v, const int64_t *counts, int count_width,
                           const double *figures, int figure_width)
{
    *v = (pawl_verdict){.measured = PAWL_MEASURED_RESIDUAL | PAWL_MEASURED_CROSSINGS |
                                    PAWL_MEASURED_BALANCE};
    bool whole = true;
    for (int k = 0; k < count_width; ++k) {
        whole = count_set(v, &verdict_counts[k], counts[k]) && whole;
    }
    for (int k = 0; k < figure_width; ++k) {
        memcpy((char *)v + verdict_figures[k].offset, &figures[k], sizeof figures[k]);
    }
    if (figure_width == RECORD_VERDICT_FIGURES_OLD) {
        v->own_residual = v->residual.natural_scaled;
    }
    return whole;
}

void record_verdict_of_model(pawl_verdict *v, const pawl_model *model)
{
    for (int k = 0; k < RECORD_VERDICT_COUNTS; ++k) {
        const count_field *f = &verdict_counts[k];
        void *at = (char *)v + f->offset;
        if (f->type == FIELD_JOINT) {
            pawl_joint_id *id = at;
            *id = pawl_joint_index(*id) >= 0 ? pawl_model_joint_at(model, pawl_joint_index(*id))
                                             : (pawl_joint_id){0, 0};
        } else if (f->type == FIELD_SHAPE) {
            pawl_shape_id *id = at;
            *id = pawl_shape_index(*id) >= 0 ? pawl_model_shape_at(model, pawl_shape_index(*id))
                                             : (pawl_shape_id){0, 0};
        }
    }
}

// ---- The verdict of a recording --------------------------------------------------------------------

static void verdict_joint_text(const void *user, pawl_joint_id joint, char *text, size_t size)
{
    const pawl_record *record = user;
    (void)snprintf(text, size, "%s", record->joints[pawl_joint_index(joint)].name);
}

static void verdict_shape_text(const void *user, pawl_shape_id shape, char *text, size_t size)
{
    const pawl_record *record = user;
    const pawl_shape_info *info = &record->shapes[pawl_shape_index(shape)];
    pawl_shape_text(info,
                    pawl_body_index(info->body) >= 0
                        ? record->bodies[pawl_body_index(info->body)].name
                        : "world",
                    text, size);
}

pawl_verdict_list pawl_record_judge(const pawl_record *record)
{
    const pawl_verdict_names names = {record, verdict_joint_text, verdict_shape_text};
    if (record == NULL) {
        return pawl_verdict_judge(NULL, NULL, NULL);
    }
    return pawl_verdict_judge(&record->verdict, &record->settings, &names);
}
