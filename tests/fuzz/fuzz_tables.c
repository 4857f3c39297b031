// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Hostile tables of wrenches and heightfields: what is read goes into a model, and a foot there asks for
// its distance and its vertices.
#include "file_target.h"
#include "pawl/io.h"
#include "pawl/wrench.h"
#include "read/wrench_file.h"

#include <math.h>

// A foot with the wrench model, a little above and a little in the ground.
static void tables_ask(const pawl_env *env, const pawl_model *model)
{
    pawl_wrench_set_def def = pawl_wrench_set_def_default();
    pawl_wrench_set *set;
    if (pawl_wrench_set_create(env, model, &def, &set) != PAWL_OK) {
        return;
    }
    static double v[6 * PAWL_WRENCH_MAX_VERTICES], dv[36 * PAWL_WRENCH_MAX_VERTICES];
    for (int k = 0; k < 8 && pawl_wrench_set_point_count(set) == 1; ++k) {
        pawl_contact_frame frame = {.position = {0.1 * k, 0.05 * k, 0.01 - 0.01 * k},
                                    .rotation = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        pawl_wrench_set_vertices(set, 0, &frame, v, dv);
        (void)pawl_wrench_set_touch(set, 0, &frame);
    }
    pawl_wrench_set_destroy(set);
}

// The foot, on the heightfield that `def` is or on a floor.
static void tables_stand(const pawl_env *env, pawl_builder *builder, int wrench_model,
                         const pawl_heightfield_def *ground)
{
    pawl_body_def body = pawl_body_def_default();
    pawl_contact_point_def point = pawl_contact_point_def_default();
    point.wrench_model = wrench_model;
    if (pawl_builder_add_body(builder, &body, &point.body) != PAWL_OK ||
        pawl_builder_add_contact_point(builder, &point, NULL) != PAWL_OK ||
        pawl_builder_add_heightfield(builder, ground, NULL) != PAWL_OK) {
        return;
    }
    pawl_model *model;
    if (pawl_builder_compile(builder, &model) == PAWL_OK) {
        tables_ask(env, model);
        pawl_model_destroy(model);
    }
}

static const double tables_flat[4] = {0.0, 0.0, 0.0, 0.0};

static void tables_wrenches(const pawl_env *env)
{
    pawl_builder *builder;
    if (pawl_builder_create(env, "m", &builder) != PAWL_OK) {
        return;
    }
    pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_TABLE);
    int wrench_model;
    if (pawl_wrench_table_load(env, file_target_path(), builder, &def, &wrench_model) == PAWL_OK) {
        pawl_heightfield_def flat = pawl_heightfield_def_default();
        flat.x_count = flat.y_count = 2;
        flat.dx = flat.dy = 1.0;
        flat.heights = tables_flat;
        tables_stand(env, builder, wrench_model, &flat);
    }
    pawl_builder_destroy(builder);
}

static void tables_heights(const pawl_env *env)
{
    height_file file;
    pawl_builder *builder;
    if (height_file_read(env, file_target_path(), &file) == PAWL_OK &&
        pawl_builder_create(env, "m", &builder) == PAWL_OK) {
        pawl_heightfield_def ground = pawl_heightfield_def_default();
        ground.x_count = file.x_count;
        ground.y_count = file.y_count;
        ground.dx = file.dx;
        ground.dy = file.dy;
        ground.heights = file.heights.data;
        pawl_wrench_model_def def = pawl_wrench_model_def_default(PAWL_WRENCH_COULOMB);
        int wrench_model;
        if (pawl_builder_add_wrench_model(builder, &def, &wrench_model) == PAWL_OK) {
            tables_stand(env, builder, wrench_model, &ground);
        }
        pawl_builder_destroy(builder);
    }
    height_file_free(env, &file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pawl_env env = pawl_env_default();
    if (file_target_write(data, size)) {
        tables_wrenches(&env);
        tables_heights(&env);
    }
    return 0;
}
