// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Bodies, shapes and joints as JSON for the pages of web/ (docs/player.md). A recording contains them as arrays. A
// model is converted to the same arrays, so that one writer serves the report and the live viewer.
#include "page/page_scene.h"
#include "page/page_json.h"
#include "page/page_mesh.h"
#include "pawl/page.h"
#include "pawl/wrench.h"
#include <math.h>

enum {
    SCENE_MOST_CELLS = 250,           // of a heightfield, in each direction
    SCENE_MOST_TRIANGLES = 150 * 1000 // of meshes: about 2 MB in base64
};

page_scene page_scene_of_record(const pawl_record *record)
{
    return (page_scene){.env = record->env,
                        .name = record->model_name,
                        .gravity = record->gravity,
                        .body_count = record->counts.bodies,
                        .joint_count = record->counts.joints,
                        .shape_count = record->counts.shapes,
                        .field_count = record->field_count,
                        .bodies = record->bodies,
                        .joints = record->joints,
                        .shapes = record->shapes,
                        .fields = record->fields};
}

static int scene_index(pawl_body_id body)
{
    return pawl_body_is_world(body) ? PAWL_WORLD_INDEX : pawl_body_index(body);
}

pawl_status page_scene_of_model(const pawl_env *env, const pawl_model *model, page_scene *out)
{
    page_scene s = {.env = env,
                    .name = pawl_model_name(model),
                    .gravity = pawl_model_gravity(model),
                    .body_count = pawl_model_body_count(model),
                    .joint_count = pawl_model_joint_count(model),
                    .shape_count = pawl_model_shape_count(model),
                    .field_count = pawl_model_heightfield_count(model)};
    size_t sizes[4] = {
        (size_t)s.body_count * sizeof *s.bodies, (size_t)s.joint_count * sizeof *s.joints,
        (size_t)s.shape_count * sizeof *s.shapes, (size_t)s.field_count * sizeof *s.fields};
    s.block_size = sizes[0] + sizes[1] + sizes[2] + sizes[3] + 1;
    char *block = pawl_alloc(env, s.block_size);
    if (block == NULL) {
        return PAWL_FAIL(env, PAWL_NO_MEMORY, "no memory to describe a model");
    }
    record_body *bodies =
        (void *)block; // all four hold doubles or pointers: their sizes keep the alignment
    record_joint *joints = (void *)(block + sizes[0]);
    pawl_shape_info *shapes = (void *)(block + sizes[0] + sizes[1]);
    pawl_heightfield_def *fields = (void *)(block + sizes[0] + sizes[1] + sizes[2]);
    for (int b = 0; b < s.body_count; ++b) {
        pawl_body_info info = pawl_model_body(model, pawl_model_body_at(model, b));
        bodies[b] = (record_body){.name = info.name, .com = info.com, .mass = info.mass};
    }
    for (int j = 0; j < s.joint_count; ++j) {
        pawl_joint_info info = pawl_model_joint(model, pawl_model_joint_at(model, j));
        joints[j] = (record_joint){.name = info.name,
                                   .kind = info.kind,
                                   .base = scene_index(info.base),
                                   .follower = scene_index(info.follower),
                                   .base_frame = info.base_frame,
                                   .follower_frame = info.follower_frame,
                                   .coordinate_count = info.coordinate_count};
    }
    for (int k = 0; k < s.shape_count; ++k) {
        shapes[k] = pawl_model_shape(model, pawl_model_shape_at(model, k));
    }
    for (int f = 0; f < s.field_count; ++f) {
        fields[f] = pawl_model_heightfield(model, f);
    }
    s.bodies = bodies, s.joints = joints, s.shapes = shapes, s.fields = fields, s.block = block;
    *out = s;
    return PAWL_OK;
}

void page_scene_free(page_scene *scene)
{
    if (scene->block != NULL) {
        pawl_free(scene->env, scene->block, scene->block_size);
    }
    *scene = (page_scene){0};
}

// Models have hulls that are some; the points of a damaged recording need not be.
static pawl_status scene_hull(report_text *page, const page_scene *scene, int index,
                              const pawl_shape_def *shape)
{
    pawl_hull_faces *hull = NULL;
    pawl_status status =
        pawl_hull_faces_create(scene->env, shape->points, shape->point_count, &hull);
    if (status == PAWL_BAD_ARGUMENT) {
        return PAWL_FAIL(scene->env, PAWL_BAD_FILE, "the points of shape %d make no hull", index);
    }
    PAWL_TRY(status);
    report_add_plain(page, ",\"corners\":[");
    bool first = true;
    for (int f = 0; f < hull->count; ++f) {
        const pawl_vec3 *c = hull->corners + hull->start[f];
        for (int k = 1; k + 1 < hull->start[f + 1] - hull->start[f]; ++k) { // a fan of triangles
            report_add(page, "%s%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g", first ? "" : ",",
                       c[0].x, c[0].y, c[0].z, c[k].x, c[k].y, c[k].z, c[k + 1].x, c[k + 1].y,
                       c[k + 1].z);
            first = false;
        }
    }
    report_add_plain(page, "]");
    pawl_hull_faces_destroy(scene->env, hull);
    return PAWL_OK;
}

// A field with more points than anyone sees is drawn by every n-th of them.
static void scene_field(report_text *page, const pawl_heightfield_def *field)
{
    int step_x = (field->x_count - 1) / SCENE_MOST_CELLS + 1;
    int step_y = (field->y_count - 1) / SCENE_MOST_CELLS + 1;
    int columns = (field->x_count - 1) / step_x + 1, rows = (field->y_count - 1) / step_y + 1;
    report_add(page, ",\"field\":{\"columns\":%d,\"rows\":%d,\"dx\":%.9g,\"dy\":%.9g,\"heights\":[",
               columns, rows, step_x * field->dx, step_y * field->dy);
    for (int j = 0; j < rows; ++j) {
        for (int i = 0; i < columns; ++i) {
            double height =
                field
                    ->heights[(size_t)(j * step_y) * (size_t)field->x_count + (size_t)(i * step_x)];
            report_add(page, "%s%.5g", i + j > 0 ? "," : "", height);
        }
    }
    report_add_plain(page, "]}");
}

// A body with visuals is drawn by them; the shapes by which it touches stay hidden. Shapes are in the order of their
// bodies, so that those of one body follow each other.
void page_scene_drawn(const pawl_shape_info *shapes, int count, bool *drawn)
{
    for (int first = 0, last; first < count; first = last) {
        bool visual = false;
        for (last = first; last < count && pawl_body_same(shapes[first].body, shapes[last].body);
             ++last) {
            visual = visual || shapes[last].def.visual_only;
        }
        for (int k = first; k < last; ++k) {
            drawn[k] = !visual || shapes[k].def.visual_only;
        }
    }
}

static pawl_status scene_write_shapes(report_text *page, const page_scene *scene, const bool *drawn,
                                      const page_meshes *meshes)
{
    report_add_plain(page, ",\"shapes\":[");
    for (int k = 0; k < scene->shape_count; ++k) {
        const pawl_shape_info *info = &scene->shapes[k];
        const pawl_shape_def *shape = &info->def;
        bool is_field = shape->kind == PAWL_SHAPE_HEIGHTFIELD;
        const pawl_heightfield_def *field =
            is_field && shape->heightfield >= 0 && shape->heightfield < scene->field_count
                ? &scene->fields[shape->heightfield]
                : NULL;
        report_add(page, "%s{\"body\":%d,\"kind\":\"%s\",\"drawn\":%s,\"pose\":", k > 0 ? "," : "",
                   pawl_body_is_world(info->body) ? -1 : pawl_body_index(info->body),
                   pawl_shape_kind_name(shape->kind), drawn[k] ? "true" : "false");
        page_json_pose(page, field != NULL ? field->frame : shape->frame);
        report_add_plain(page, ",\"size\":");
        page_json_numbers(page, (const double[]){shape->size.x, shape->size.y, shape->size.z}, 3);
        report_add(page, ",\"colour\":[%.3g,%.3g,%.3g,%.3g],\"name\":", (double)shape->rgba[0],
                   (double)shape->rgba[1], (double)shape->rgba[2], (double)shape->rgba[3]);
        page_json_string(page, shape->name);
        report_add(page, ",\"friction\":%.6g", isfinite(shape->friction) ? shape->friction : 0.0);
        if (shape->kind == PAWL_SHAPE_HULL) {
            PAWL_TRY(scene_hull(page, scene, k, shape));
        } else if (page_meshes_of(meshes, k) >= 0) {
            report_add(page, ",\"mesh\":%d", page_meshes_of(meshes, k));
        } else if (field != NULL) {
            scene_field(page, field);
        }
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]");
    return PAWL_OK;
}

static pawl_status scene_shapes(report_text *page, const page_scene *scene)
{
    size_t size = (size_t)scene->shape_count * sizeof(bool) + 1;
    bool *drawn = pawl_alloc(scene->env, size);
    page_meshes *meshes = NULL;
    if (drawn == NULL) {
        return PAWL_FAIL(scene->env, PAWL_NO_MEMORY, "no memory for the shapes of a page");
    }
    page_scene_drawn(scene->shapes, scene->shape_count, drawn);
    pawl_status status = page_meshes_create(scene, drawn, SCENE_MOST_TRIANGLES, &meshes);
    if (status == PAWL_OK) {
        status = scene_write_shapes(page, scene, drawn, meshes);
    }
    if (status == PAWL_OK) {
        page_meshes_write(page, meshes);
    }
    page_meshes_destroy(meshes);
    pawl_free(scene->env, drawn, size);
    return status;
}

static void scene_bodies_and_joints(report_text *page, const page_scene *scene)
{
    report_add_plain(page, ",\"bodies\":[");
    for (int b = 0; b < scene->body_count; ++b) {
        const record_body *body = &scene->bodies[b];
        report_add_plain(page, b > 0 ? ",{\"name\":" : "{\"name\":");
        page_json_string(page, body->name);
        report_add(page, ",\"mass\":%.9g,\"com\":", body->mass);
        page_json_numbers(page, (const double[]){body->com.x, body->com.y, body->com.z}, 3);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "],\"joints\":[");
    bool first = true;
    for (int j = 0; j < scene->joint_count; ++j) {
        const record_joint *joint = &scene->joints[j];
        if (joint->follower < 0) {
            continue; // nothing that moves carries its frame
        }
        bool revolves = joint->kind == PAWL_JOINT_REVOLUTE ||
                        joint->kind == PAWL_JOINT_CYLINDRICAL || joint->kind == PAWL_JOINT_SCREW;
        report_add_plain(page, first ? "{\"name\":" : ",{\"name\":");
        first = false;
        page_json_string(page, joint->name);
        report_add(
            page,
            ",\"kind\":\"%s\",\"index\":%d,\"base\":%d,\"follower\":%d,\"revolves\":%s,\"pose\":",
            pawl_joint_kind_name(joint->kind), j, joint->base, joint->follower,
            revolves ? "true" : "false");
        page_json_pose(page, joint->follower_frame);
        report_add_plain(page, ",\"base_pose\":");
        page_json_pose(page, joint->base_frame);
        report_add_plain(page, "}");
    }
    report_add_plain(page, "]");
}

pawl_status page_scene_write(report_text *page, const page_scene *scene)
{
    pawl_vec3 g = scene->gravity;
    double length = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    double up[3] = {0.0, 0.0, 1.0};
    if (length > 0.0) {
        up[0] = -g.x / length, up[1] = -g.y / length, up[2] = -g.z / length;
    }
    report_add_plain(page, "\"name\":");
    page_json_string(page, scene->name);
    report_add_plain(page, ",\"up\":");
    page_json_numbers(page, up, 3);
    scene_bodies_and_joints(page, scene);
    return scene_shapes(page, scene);
}

double pawl_joint_gap(pawl_joint_kind kind, pawl_pose base, pawl_pose follower)
{
    // Which components of the displacement, in the base's axes, the joint holds.
    static const bool held[PAWL_JOINT_KIND_COUNT][3] = {
        [PAWL_JOINT_FIXED] = {true, true, true},
        [PAWL_JOINT_REVOLUTE] = {true, true, true},
        [PAWL_JOINT_PRISMATIC] = {false, true, true},
        [PAWL_JOINT_CYLINDRICAL] = {false, true, true},
        [PAWL_JOINT_UNIVERSAL] = {true, true, true},
        [PAWL_JOINT_SPHERICAL] = {true, true, true},
        [PAWL_JOINT_PLANAR] = {true, false, false},
        [PAWL_JOINT_GIMBAL] = {true, true, true},
        [PAWL_JOINT_SCREW] = {false, true, true},
        [PAWL_JOINT_POINT_ON_LINE] = {false, true, true},
        [PAWL_JOINT_POINT_ON_PLANE] = {true, false, false},
    };
    if ((int)kind < 0 || kind >= PAWL_JOINT_KIND_COUNT ||
        !(held[kind][0] || held[kind][1] || held[kind][2])) {
        return (double)NAN;
    }
    pawl_vec3 b = base.position, f = follower.position;
    pawl_vec3 t = {f.x - b.x, f.y - b.y, f.z - b.z};
    if (!(held[kind][0] && held[kind][1] && held[kind][2])) { // a length has no axes
        const pawl_quat q = base.orientation;
        const pawl_pose turn = {{0.0, 0.0, 0.0}, {q.w, -q.x, -q.y, -q.z}};
        t = pawl_pose_apply(turn, t);
    }
    double sum = (held[kind][0] ? t.x * t.x : 0.0) + (held[kind][1] ? t.y * t.y : 0.0) +
                 (held[kind][2] ? t.z * t.z : 0.0);
    return sqrt(sum);
}
