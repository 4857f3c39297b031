// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The tables and small conversions behind record_layout.h, so that writer and reader cannot differ.
#include "record/record_layout.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LAYOUT_ROOT_SIZE = 160 };

const record_series_info record_series_table[RECORD_SERIES_COUNT] = {
    [RECORD_TIME] = {"/time", 0, 1, NULL, "s"},
    [RECORD_STEP] = {"/step", 0, 1, NULL, "1"},
    [RECORD_POSE] = {"/body/pose", PAWL_TRACE_Q, 3, "x y z qw qx qy qz", "m, 1"},
    [RECORD_TWIST] = {"/body/twist", PAWL_TRACE_V, 3, "vx vy vz wx wy wz", "m/s, rad/s"},
    [RECORD_POSITION] = {"/joint/position", PAWL_TRACE_Q, 2, NULL, "m or rad"},
    [RECORD_RATE] = {"/joint/rate", PAWL_TRACE_V, 2, NULL, "m/s or rad/s"},
    [RECORD_REACTION] = {"/joint/force", PAWL_TRACE_FORCE, 3, "fx fy fz tx ty tz", "N, N m"},
    [RECORD_EFFORT] = {"/actuator/effort", PAWL_TRACE_FORCE, 2, NULL, "N or N m"},
    [RECORD_ENERGY] = {"/energy", PAWL_TRACE_ENERGY, 2,
                       "kinetic gravity springs work_actuators work_dampers work_friction "
                       "work_motion work_forces work_limits work_contacts balance",
                       "J"},
    [RECORD_RESIDUALS] = {"/residuals", PAWL_TRACE_RESIDUALS, 2,
                          "natural_scaled natural primal dual complementarity iterations "
                          "projections not_converged closure_position closure_rotation "
                          "closure_limit factorizations",
                          "m/s or rad/s, -, N s, m/s or rad/s, J, 1, 1, 1, m, rad, m or rad, 1"},
    [RECORD_CONTACTS] = {"/contact/frame", PAWL_TRACE_CONTACTS, 2,
                         "first count penetration normal_force", "1, 1, m, N"},
};

const record_table_info record_table_info_of[RECORD_TABLE_COUNT] = {
    [RECORD_TABLE_PAIR] = {"/contact/pair", RECORD_PAIR_WIDTH, true,
                           "body_a body_b shape_a shape_b mode", "1"},
    [RECORD_TABLE_POINT] = {"/contact/point", RECORD_POINT_WIDTH, false,
                            "x y z nx ny nz fx fy fz gap", "m, 1, N, m"},
    [RECORD_TABLE_EVENT] = {"/event/what", RECORD_EVENT_WIDTH, true,
                            "kind shape_a shape_b joint coordinate", "1"},
    [RECORD_TABLE_INSTANT] = {"/event/instant", RECORD_INSTANT_WIDTH, false, "time figure",
                              "s, by kind"},
};

record_event record_event_row(const pawl_event *e)
{
    return (record_event){.what = {(int32_t)e->kind, pawl_shape_index(e->shape_a),
                                   pawl_shape_index(e->shape_b), pawl_joint_index(e->joint),
                                   e->coordinate},
                          .instant = {e->time, e->figure}};
}

recorded_event record_event_of_row(const int32_t what[RECORD_EVENT_WIDTH],
                                   const double instant[RECORD_INSTANT_WIDTH])
{
    return (recorded_event){.time = instant[0],
                            .kind = (pawl_event_kind)what[0],
                            .shape_a = what[1],
                            .shape_b = what[2],
                            .joint = what[3],
                            .coordinate = what[4],
                            .figure = instant[1]};
}

record_contact record_contact_row(const pawl_contact_info *c)
{
    return (record_contact){
        .pair = {pawl_body_index(c->body_a), pawl_body_index(c->body_b),
                 pawl_shape_index(c->shape_a), pawl_shape_index(c->shape_b), (int32_t)c->mode},
        .point = {c->position.x, c->position.y, c->position.z, c->normal.x, c->normal.y,
                  c->normal.z, c->force.x, c->force.y, c->force.z, c->gap}};
}

size_t record_series_shape(record_series series, const record_counts *counts, unsigned trace,
                           hsize_t dims[2])
{
    const record_series_info *info = &record_series_table[series];
    dims[0] = dims[1] = 1;
    switch (series) {
    case RECORD_POSE:
        dims[0] = (hsize_t)counts->bodies, dims[1] = 7;
        break;
    case RECORD_TWIST:
        dims[0] = (hsize_t)counts->bodies, dims[1] = 6;
        break;
    case RECORD_POSITION:
    case RECORD_RATE:
        dims[0] = (hsize_t)counts->coordinates;
        break;
    case RECORD_REACTION:
        dims[0] = (hsize_t)counts->joints, dims[1] = 6;
        break;
    case RECORD_EFFORT:
        dims[0] = (hsize_t)counts->actuators;
        break;
    case RECORD_ENERGY:
        dims[0] = RECORD_ENERGY_COUNT;
        break;
    case RECORD_RESIDUALS:
        dims[0] = RECORD_RESIDUAL_COUNT;
        break;
    case RECORD_CONTACTS:
        dims[0] = counts->colliders < 2 ? 0 : RECORD_CONTACT_COUNT;
        break;
    default:
        break;
    }
    if (info->trace != 0 && (trace & info->trace) == 0) {
        return 0;
    }
    return (size_t)dims[0] * (size_t)dims[1];
}

void record_energy_row(const pawl_energy *energy, double row[RECORD_ENERGY_COUNT])
{
    const double values[RECORD_ENERGY_COUNT] = {
        energy->kinetic,      energy->gravity,       energy->springs,     energy->work_actuators,
        energy->work_dampers, energy->work_friction, energy->work_motion, energy->work_forces,
        energy->work_limits,  energy->work_contacts, energy->balance};
    memcpy(row, values, sizeof values);
}

const char *const record_check_paths[RECORD_CHECK_COUNT] = {
    [RECORD_CHECK_FRAMES] = "/checkpoint/frames",
    [RECORD_CHECK_STATE] = "/checkpoint/state",
    [RECORD_CHECK_COUNTS] = "/checkpoint/verdict_counts",
    [RECORD_CHECK_FIGURES] = "/checkpoint/verdict_figures",
    [RECORD_CHECK_EVENTS] = "/checkpoint/events",
};
const char record_check_event_columns[] =
    "rows collision limit impact takeoff stick slip reversal lasting unresolved tunnelled "
    "fallback";
size_t record_settings_text(const pawl_settings *settings, char *text, size_t size)
{
    size_t used = 0;
    for (int i = 0; i < pawl_setting_count(); ++i) {
        char value[128];
        pawl_settings_get(settings, i, value, sizeof value);
        int length = snprintf(text != NULL && used < size ? text + used : NULL,
                              text != NULL && used < size ? size - used : 0, "%s=%s\n",
                              pawl_setting(i).key, value);
        used += length > 0 ? (size_t)length : 0;
    }
    return used;
}

static herr_t layout_keep_root(unsigned depth, const H5E_error2_t *error, void *text)
{
    // The walk goes from the outermost call to the root, so that the last one stays.
    (void)depth;
    (void)snprintf(text, LAYOUT_ROOT_SIZE, "%s", error->desc == NULL ? "" : error->desc);
    return 0;
}

pawl_status record_h5_fail(const record_store *store, pawl_status status, const char *tried)
{
    const pawl_env *env = record_store_env(store);
    const char *path = record_store_path(store);
    char root[LAYOUT_ROOT_SIZE] = "";
    (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, layout_keep_root, root);
    (void)H5Eclear2(H5E_DEFAULT);
    for (char *c = root; *c != '\0'; ++c) {
        *c = *c == '\n' ? ' ' : *c;
    }
    if (record_store_had_no_memory(store)) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "%s: %s: no memory", path, tried);
    }
    return root[0] == '\0' ? PAWL_FAIL(env, status, "%s: %s", path, tried)
                           : PAWL_FAIL(env, status, "%s: %s (HDF5: %s)", path, tried, root);
}
