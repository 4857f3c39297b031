// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Keyframes after reading, ordered by actuator, as signals need them.
#include "read/keyframe_tables.h"
#include "base/carver.h"
#include "base/guard.h"
#include <math.h>
#include <string.h>

struct pawl_keyframes {
    pawl_env env;
    size_t bytes;
    int count, actuator_count;
    pawl_interpolation between;
    double period;
    double *times;  // (count)
    double *values; // (actuator_count x count)
    bool *moved;    // (actuator_count)
    int start_count;
    pawl_joint_start *starts; // (start_count)
};

static pawl_keyframes *keyframe_tables_layout(pawl_carver *mem, const keyframe_rows *rows)
{
    pawl_keyframes *k = PAWL_CARVE(mem, pawl_keyframes, 1);
    double *times = PAWL_CARVE(mem, double, rows->count);
    double *values = PAWL_CARVE(mem, double, (size_t)rows->count *(size_t)rows->actuator_count);
    bool *moved = PAWL_CARVE(mem, bool, rows->actuator_count);
    pawl_joint_start *starts = PAWL_CARVE(mem, pawl_joint_start, rows->start_count);
    if (k != NULL) {
        *k = (pawl_keyframes){.count = rows->count,
                              .actuator_count = rows->actuator_count,
                              .between = rows->between,
                              .times = times,
                              .values = values,
                              .moved = moved,
                              .start_count = rows->start_count,
                              .starts = starts};
    }
    return k;
}

pawl_status keyframe_tables_make(const pawl_env *env, const keyframe_rows *rows,
                                 pawl_keyframes **out)
{
    pawl_carver need = {0};
    keyframe_tables_layout(&need, rows);
    char *block = pawl_alloc(env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "keyframes need %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    pawl_keyframes *k = keyframe_tables_layout(&mem, rows);
    k->env = *env;
    k->bytes = need.used;
    size_t count = (size_t)rows->count, n = (size_t)rows->actuator_count;
    memcpy(k->times, rows->times, count * sizeof *k->times);
    memcpy(k->moved, rows->moved, n * sizeof *k->moved);
    if (rows->start_count > 0) {
        memcpy(k->starts, rows->starts, (size_t)rows->start_count * sizeof *k->starts);
    }
    for (size_t i = 0; i < count; ++i) {
        for (size_t a = 0; a < n; ++a) {
            k->values[a * count + i] = rows->values[i * n + a];
        }
    }
    k->period = rows->loop_end >= 0 ? k->times[count - 1] - k->times[rows->loop_end] : 0.0;
    *out = k;
    return PAWL_OK;
}

void pawl_keyframes_destroy(pawl_keyframes *k)
{
    if (k != NULL) {
        pawl_env env = k->env;
        pawl_free(&env, k, k->bytes);
    }
}

int pawl_keyframes_count(const pawl_keyframes *k)
{
    return k != NULL ? k->count : 0;
}

double pawl_keyframes_time(const pawl_keyframes *k, int key)
{
    if (k == NULL || !PAWL_HAS(&k->env, "key", key, k->count)) {
        return NAN;
    }
    return k->times[key];
}

bool pawl_keyframes_target(const pawl_keyframes *k, pawl_actuator_id id, pawl_signal *out)
{
    int actuator = pawl_actuator_index(id);
    if (k == NULL || out == NULL || actuator < 0 || actuator >= k->actuator_count ||
        !k->moved[actuator]) {
        return false;
    }
    *out = (pawl_signal){.kind = PAWL_SIGNAL_TABLE,
                         .interpolation = k->between,
                         .period = k->period,
                         .count = k->count,
                         .times = k->times,
                         .values = k->values + (size_t)actuator * (size_t)k->count};
    return true;
}

pawl_status pawl_keyframes_apply(const pawl_keyframes *k, pawl_builder *builder)
{
    PAWL_NEED(NULL, k);
    PAWL_NEED(&k->env, builder);
    for (int a = 0; a < k->actuator_count; ++a) {
        pawl_signal target;
        if (pawl_keyframes_target(k, (pawl_actuator_id){(uint32_t)a + 1, 0}, &target)) {
            // A builder with fewer actuators than the motion has none to give, which is refused.
            PAWL_TRY(
                pawl_builder_set_target(builder, pawl_builder_actuator_at(builder, a), &target));
        }
    }
    for (int i = 0; i < k->start_count; ++i) {
        pawl_joint_id joint = pawl_builder_joint_at(builder, pawl_joint_index(k->starts[i].joint));
        PAWL_TRY(pawl_builder_set_start(builder, joint, k->starts[i].position));
    }
    return PAWL_OK;
}
