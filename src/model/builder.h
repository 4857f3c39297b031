// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The contents of a builder until it is compiled. Names and tables are in the builder's own pool.
#pragma once
#include "base/array.h"
#include "base/carver.h"
#include "base/name_table.h"
#include "model/model.h"

// Pairs of bodies as numbers that sort like (a, b) with a < b; the world is the smallest.
static inline uint64_t pawl_exclusion_key(int a, int b)
{
    uint64_t low = (uint64_t)((a < b ? a : b) + 1), high = (uint64_t)((a < b ? b : a) + 1);
    return low << 32 | high;
}

typedef struct exclusion_pair {
    int a, b;
} exclusion_pair;
static inline exclusion_pair pawl_exclusion_pair(uint64_t key)
{
    return (exclusion_pair){(int)(key >> 32) - 1, (int)(key & UINT32_MAX) - 1};
}

struct pawl_builder {
    pawl_env env;
    const char *name;
    pawl_vec3 gravity;
    pawl_medium medium;
    pawl_softness soft[PAWL_SOFT_KIND_COUNT]; // of constraints that say nothing of their own
    pawl_array bodies;                        // pawl_body_def
    pawl_array shapes;                        // pawl_shape_info
    pawl_array joints;         // pawl_joint_def; a gear's is in gears under the same index
    pawl_array gears;          // pawl_gear_def, one for each joint
    pawl_array actuators;      // pawl_actuator_def
    pawl_array motions;        // pawl_motion_def
    pawl_array forces;         // pawl_force_def
    pawl_array springs;        // pawl_spring_def
    pawl_array excluded;       // uint64_t, see pawl_exclusion_key()
    pawl_array wrench_models;  // pawl_wrench_model_def
    pawl_array contact_points; // pawl_contact_point_def
    pawl_array heightfields;   // pawl_heightfield_def
    pawl_array starts;         // pawl_joint_start
    pawl_array warnings;       // pawl_warning
    pawl_array frames;         // pawl_frame
    name_table names;          // of bodies and joints
    pawl_array tags[ID_KINDS]; // uint32_t: of every thing that was added
    uint64_t tag;              // of all that was added so far
    pawl_array pool;           // builder_block
};

// A copy that lives as long as the builder; zeros where data is NULL. NULL when memory is out.
void *pawl_builder_keep(pawl_builder *b, const void *data, size_t size);
pawl_status pawl_builder_no_memory(const pawl_builder *b); // says so
// Keeps the name, or makes one up from what the thing is and its index: the next index that `find`
// (NULL where names may repeat) does not know.
pawl_status pawl_builder_keep_name(pawl_builder *b, const char **name, const char *what, int index,
                                   int (*find)(const pawl_builder *b, const char *name));
pawl_status pawl_builder_push(pawl_builder *b, pawl_array *array, const void *item, size_t size,
                              int *out);
// An id of any kind; PAWL_GIVE() writes it to where the caller wants it, which may be NULL.
typedef struct any_id {
    uint32_t index1, tag;
} any_id;
#define PAWL_GIVE(out, id)                                                                         \
    do {                                                                                           \
        if ((out) != NULL) {                                                                       \
            (out)->index1 = (id).index1;                                                           \
            (out)->tag = (id).tag;                                                                 \
        }                                                                                          \
    } while (0)
// Pushes a thing and its tag, which is a hash of its name, its numbers and all that was said before (builder_tag.c).
typedef struct tag_source {
    id_kind kind;
    const char *name;
    uint64_t hash; // of its numbers, after what was said before: pawl_tag_*(b->tag, def)
} tag_source;
uint64_t pawl_tag_softness(uint64_t seed, const pawl_softness *soft);
uint64_t pawl_tag_signal(uint64_t seed, const pawl_signal *signal);
uint64_t pawl_tag_body(uint64_t seed, const pawl_body_def *def);
uint64_t pawl_tag_shape(uint64_t seed, const pawl_shape_info *shape);
uint64_t pawl_tag_joint(uint64_t seed, const pawl_joint_def *def);
uint64_t pawl_tag_gear(uint64_t seed, const pawl_gear_def *def);
uint64_t pawl_tag_actuator(uint64_t seed, const pawl_actuator_def *def);
uint64_t pawl_tag_motion(uint64_t seed, const pawl_motion_def *def);
uint64_t pawl_tag_force(uint64_t seed, const pawl_force_def *def);
uint64_t pawl_tag_spring(uint64_t seed, const pawl_spring_def *def);
id_table pawl_builder_ids(const pawl_builder *b, id_kind kind);
// The index that an id has in this builder, else below 0 and a line in the log.
int pawl_builder_index(const pawl_builder *b, const char *function, id_kind kind, uint32_t index1,
                       uint32_t tag);
#define BUILDER_INDEX(b, kind, id) pawl_builder_index(b, __func__, kind, (id).index1, (id).tag)
// Without that line: where a message of its own follows.
#define BUILDER_QUIET(b, kind, id) pawl_builder_index(b, NULL, kind, (id).index1, (id).tag)
#define BUILDER_QUIET_OR_WORLD(b, id)                                                              \
    (pawl_body_is_world(id) ? PAWL_WORLD_INDEX : BUILDER_QUIET(b, ID_BODY, id))

// Whether a def states an inertia. A body with a mass and a density but none has that of its shapes.
bool pawl_body_has_inertia(const pawl_body_def *def);
// A shape of any kind, heightfields included; pawl_builder_add_shape() takes the others alone.
pawl_status pawl_builder_push_shape(pawl_builder *b, pawl_body_id body, const pawl_shape_def *def,
                                    pawl_shape_id *out);
bool pawl_builder_pose_good(pawl_pose *pose); // finite; its quaternion is then normalized

// What compile.c leaves to compile_wrench.c: contact points, their models and heightfields.
void pawl_compile_wrench_layout(const pawl_builder *b, pawl_carver *mem, pawl_model *m);
// Models without them keep the hash they have.
uint64_t pawl_compile_wrench_hash(uint64_t h, const pawl_model *m);
// Shared by the two.
char *pawl_compile_text(pawl_carver *mem, const char *text); // a copy
uint64_t pawl_compile_hash_pose(uint64_t h, pawl_pose p);
