// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The series and tables of a recording as plain numbers, for readers without HDF5, such as Python. Whole numbers are
// read as doubles, which represent them exactly.
#include "base/guard.h"
#include "record/record_layout.h"
#include <string.h>

// The k-th thing that the file has: a series, then a table. False: there are fewer.
typedef struct series_place {
    int series, table; // one of them; -1: none
} series_place;

static int64_t series_table_rows(const pawl_record *r, int table)
{
    return table < RECORD_CONTACT_TABLES ? r->contact_rows : r->event_rows;
}

static bool series_find(const pawl_record *r, int index, series_place *out)
{
    for (int k = 0; k < RECORD_SERIES_COUNT; ++k) {
        if (record_has(r, (record_series)k) && index-- == 0) {
            *out = (series_place){k, -1};
            return true;
        }
    }
    for (int k = 0; k < RECORD_TABLE_COUNT; ++k) {
        if (series_table_rows(r, k) > 0 && index-- == 0) {
            *out = (series_place){-1, k};
            return true;
        }
    }
    return false;
}

int pawl_record_series_count(const pawl_record *record)
{
    int count = 0;
    series_place place;
    while (record != NULL && series_find(record, count, &place)) {
        ++count;
    }
    return count;
}

pawl_series pawl_record_series(const pawl_record *record, int index)
{
    series_place place;
    if (record == NULL || index < 0 || !series_find(record, index, &place)) {
        return (pawl_series){.name = "", .unit = "", .columns = ""};
    }
    if (place.series >= 0) {
        const record_series_info *info = &record_series_table[place.series];
        hsize_t inner[2] = {1, 1};
        record_series_shape((record_series)place.series, &record->counts, record->trace, inner);
        return (pawl_series){.name = info->path + (info->path[0] == '/'),
                             .unit = info->unit != NULL ? info->unit : "",
                             .columns = info->columns != NULL ? info->columns : "",
                             .rank = info->rank,
                             .size = {record->frames, info->rank > 1 ? (int64_t)inner[0] : 1,
                                      info->rank > 2 ? (int64_t)inner[1] : 1}};
    }
    const record_table_info *info = &record_table_info_of[place.table];
    return (pawl_series){.name = info->path + (info->path[0] == '/'),
                         .unit = info->unit != NULL ? info->unit : "",
                         .columns = info->columns != NULL ? info->columns : "",
                         .rank = 2,
                         .size = {series_table_rows(record, place.table), info->width, 1}};
}

pawl_status pawl_record_read(const pawl_record *record, int index, double *out)
{
    series_place place;
    PAWL_NEED(NULL, record);
    PAWL_NEED(record->env, out);
    if (index < 0 || !series_find(record, index, &place)) {
        return PAWL_FAIL(record->env, PAWL_BAD_ARGUMENT, "series %d of a recording that has %d",
                         index, pawl_record_series_count(record));
    }
    if (place.series >= 0) {
        return record_read_rows(record, (record_series)place.series, 0, record->frames, out);
    }
    return record_read_table(record, place.table, 0, series_table_rows(record, place.table), out);
}

int pawl_record_body_count(const pawl_record *record)
{
    return record != NULL ? record->counts.bodies : 0;
}

const char *pawl_record_body_name(const pawl_record *record, int body)
{
    return record != NULL && body >= 0 && body < record->counts.bodies ? record->bodies[body].name
                                                                       : "";
}

int pawl_record_joint_count(const pawl_record *record)
{
    return record != NULL ? record->counts.joints : 0;
}

const char *pawl_record_joint_name(const pawl_record *record, int joint)
{
    return record != NULL && joint >= 0 && joint < record->counts.joints
               ? record->joints[joint].name
               : "";
}

int pawl_record_joint_coordinates(const pawl_record *record, int joint)
{
    return record != NULL && joint >= 0 && joint < record->counts.joints
               ? record->joints[joint].coordinate_count
               : 0;
}
