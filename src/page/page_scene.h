// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// The parts of a machine for pages: the same for a recording and for a running model.
#pragma once
#include "page/report_text.h"
#include "record/record_layout.h"

// Borrows from the record or the model, which must outlive it.
typedef struct page_scene {
    const pawl_env *env;
    const char *name;
    pawl_vec3 gravity;
    int body_count, joint_count, shape_count, field_count;
    const record_body *bodies;
    const record_joint *joints;
    const pawl_shape_info *shapes;
    const pawl_heightfield_def *fields;
    void
        *block; // of a scene that was made from a model; NULL of one that borrows all from a record
    size_t block_size;
} page_scene;

page_scene page_scene_of_record(const pawl_record *record);
pawl_status page_scene_of_model(const pawl_env *env, const pawl_model *model, page_scene *out);
void page_scene_free(page_scene *scene);
// Which of the shapes of a model are drawn (count).
void page_scene_drawn(const pawl_shape_info *shapes, int count, bool *drawn);
// `"name":..,"up":..,"bodies":..,"joints":..,"shapes":..`: the inside of a JSON object (docs/player.md).
pawl_status page_scene_write(report_text *page, const page_scene *scene);
