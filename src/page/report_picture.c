// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Pictures of a motion, from poses sampled over the recording. The main one shows the start and a
// few other moments, chosen such that the poses differ as much as possible: poses at equal intervals could coincide
// in an oscillating motion.
#include "page/report_picture.h"
#include "base/carver.h"
#include "math/vec.h"
#include "page/page_scene.h"
#include "page/report_field.h"
#include "page/report_floor.h"
#include "page/report_mesh.h"
#include "page/report_view.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PICTURE_SAMPLES = 400, // poses read, at most
    PICTURE_GHOSTS = 5,    // other moments than the start
    PICTURE_DRAWN = 3000,  // shapes and links of one pose that are drawn, at most
    PICTURE_MARGIN = 40,
    PICTURE_PATHS = 14,
    PICTURE_FLOORS = 12,
    PICTURE_FACES = 8,         // of hulls that make the page as long as another shape
    PICTURE_TRIANGLES = 16000, // of meshes, before those that are hidden are left out
    PICTURE_MESH_LEAST = 60,   // of one mesh
    PICTURE_BUDGET = 1500      // of all poses of one drawing, before later moments are left out
};

// Something of a pose that is drawn in one piece, in order of depth.
typedef struct picture_item {
    double depth;
    int shape;    // >= 0; else ~body without shapes, drawn as a stick figure
    int triangle; // of the picture's list, of a mesh; -1: the whole shape
} picture_item;

// What one of the drawings has to hold.
typedef struct picture_scene {
    report_box box;
    report_floor floor[PICTURE_FLOORS]; // planes near enough to be seen
    int floor_count;
} picture_scene;

struct report_picture {
    const pawl_record *record;
    size_t bytes;
    int samples;
    int item_count; // of one pose, by how long they make the page
    double extent;
    report_view view;
    int ghost[PICTURE_GHOSTS], ghost_count; // samples, nearest to the start first
    int path_end;                           // the last sample of the paths in the main picture
    picture_scene main;
    double *time;            // (samples)
    double *apart;           // scratch: how far a sample is from all that are drawn (samples) [m]
    pawl_pose *poses;        // (samples x bodies)
    bool *has_shape;         // (bodies)
    pawl_hull_faces **hulls; // of the shapes that are hulls, else NULL (shapes)
    pawl_shape_info *shapes; // the record's; meshes have the points of the picture's (shapes)
    bool *drawn;           // the others touch, and other shapes of their bodies are drawn (shapes)
    drawn_mesh *meshes;    // of the shapes that are meshes (shapes)
    report_triangles seen; // of all meshes at the start
    size_t room_bytes;     // of its items and those below
    picture_item *all;     // (shapes + bodies + triangles)
};

static report_picture *picture_layout(const pawl_record *record, int samples, pawl_carver *mem)
{
    const record_counts *n = &record->counts;
    report_picture *p = PAWL_CARVE(mem, report_picture, 1);
    double *time = PAWL_CARVE(mem, double, samples);
    double *apart = PAWL_CARVE(mem, double, samples);
    pawl_pose *poses = PAWL_CARVE(mem, pawl_pose, (size_t)samples * (size_t)n->bodies);
    bool *has_shape = PAWL_CARVE(mem, bool, n->bodies);
    pawl_hull_faces **hulls = PAWL_CARVE(mem, pawl_hull_faces *, n->shapes);
    drawn_mesh *meshes = PAWL_CARVE(mem, drawn_mesh, n->shapes);
    pawl_shape_info *shapes = PAWL_CARVE(mem, pawl_shape_info, n->shapes);
    bool *drawn = PAWL_CARVE(mem, bool, n->shapes);
    if (p != NULL) {
        *p = (report_picture){.record = record,
                              .samples = samples,
                              .time = time,
                              .apart = apart,
                              .poses = poses,
                              .has_shape = has_shape,
                              .hulls = hulls,
                              .meshes = meshes,
                              .shapes = shapes,
                              .drawn = drawn};
    }
    return p;
}

static pawl_pose picture_pose(const report_picture *p, int sample, int body)
{
    return body < 0 ? pawl_pose_identity()
                    : p->poses[(size_t)sample * (size_t)p->record->counts.bodies + (size_t)body];
}

static pawl_vec3 picture_centre(const report_picture *p, int sample, int body)
{
    return pawl_pose_apply(picture_pose(p, sample, body), p->record->bodies[body].com);
}

static pawl_vec3 picture_anchor(const report_picture *p, int sample, int joint, bool on_base)
{
    const record_joint *j = &p->record->joints[joint];
    return pawl_pose_apply(picture_pose(p, sample, on_base ? j->base : j->follower),
                           on_base ? j->base_frame.position : j->follower_frame.position);
}

// ---- Reading ------------------------------------------------------------------------------------

static pawl_status picture_read(report_picture *p)
{
    const pawl_record *record = p->record;
    size_t bodies = (size_t)record->counts.bodies;
    double *row = pawl_alloc(record->env, bodies * 7 * sizeof *row);
    if (row == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for a picture");
    }
    pawl_status status = PAWL_OK;
    for (int s = 0; status == PAWL_OK && s < p->samples; ++s) {
        int64_t frame = p->samples < 2 ? 0 : s * (record->frames - 1) / (p->samples - 1);
        status = record_read_rows(record, RECORD_TIME, frame, 1, &p->time[s]);
        if (status == PAWL_OK) {
            status = record_read_rows(record, RECORD_POSE, frame, 1, row);
        }
        for (size_t b = 0; status == PAWL_OK && b < bodies; ++b) {
            const double *v = row + 7 * b;
            for (int k = 0; k < 7; ++k) {
                if (!(fabs(v[k]) < 1e12)) {
                    status = PAWL_FAIL(record->env, PAWL_BAD_FILE,
                                       "%s: pose of body '%s' in frame %lld is not usable",
                                       record_store_path(record->store), record->bodies[b].name,
                                       (long long)frame);
                    break;
                }
            }
            p->poses[(size_t)s * bodies + b] = (pawl_pose){.position = {v[0], v[1], v[2]},
                                                           .orientation = {v[3], v[4], v[5], v[6]}};
        }
    }
    pawl_free(record->env, row, bodies * 7 * sizeof *row);
    return status;
}

// Joint origins, centres of mass and corners: points that show how far a pose is from another.
static double picture_distance(const report_picture *p, int a, int b)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < p->record->counts.bodies; ++i, ++count) {
        sum += v3_norm(v3_sub(picture_centre(p, a, i), picture_centre(p, b, i)));
    }
    for (int j = 0; j < p->record->counts.joints; ++j, ++count) {
        sum += v3_norm(v3_sub(picture_anchor(p, a, j, false), picture_anchor(p, b, j, false)));
    }
    for (int k = 0; k < p->record->counts.shapes; ++k, ++count) { // a corner shows turning, too
        const pawl_shape_def *shape = &p->shapes[k].def;
        int body = pawl_body_index(p->shapes[k].body);
        pawl_vec3 corner =
            pawl_pose_apply(shape->frame, shape->point_count > 0 ? shape->points[0] : shape->size);
        sum += v3_norm(v3_sub(pawl_pose_apply(picture_pose(p, a, body), corner),
                              pawl_pose_apply(picture_pose(p, b, body), corner)));
    }
    return count > 0 ? sum / count : 0.0;
}

// Of the first plane or heightfield; false where there is none.
static bool picture_floor_normal(const report_picture *p, pawl_vec3 *normal)
{
    for (int k = 0; k < p->record->counts.shapes; ++k) {
        const pawl_shape_info *shape = &p->shapes[k];
        if (shape->def.kind == PAWL_SHAPE_PLANE) {
            pawl_pose frame = pawl_pose_compose(picture_pose(p, 0, pawl_body_index(shape->body)),
                                                shape->def.frame);
            *normal = pawl_quat_rotate(frame.orientation, v3(0, 0, 1));
            return true;
        }
    }
    if (p->record->field_count > 0) {
        *normal = pawl_quat_rotate(p->record->fields[0].frame.orientation, v3(0, 0, 1));
    }
    return p->record->field_count > 0;
}

// The cloud by which the view is chosen: features of all samples, outlines of some.
static pawl_status picture_choose_view(report_picture *p)
{
    const pawl_record *record = p->record;
    const record_counts *n = &record->counts;
    size_t room = (size_t)p->samples * ((size_t)n->bodies + (size_t)n->joints) +
                  (size_t)n->shapes * REPORT_SHAPE_POINTS + 1;
    pawl_vec3 *cloud = pawl_alloc(record->env, room * sizeof *cloud);
    if (cloud == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "no memory for a picture");
    }
    size_t count = 0;
    const report_view any = {.right = {1, 0, 0}, .up = {0, 0, 1}, .toward = {0, -1, 0}, .scale = 1};
    pawl_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_scale(-1.0, low);
    for (int s = 0; s < p->samples; ++s) {
        for (int b = 0; b < n->bodies; ++b) {
            cloud[count++] = picture_centre(p, s, b);
        }
        for (int j = 0; j < n->joints; ++j) {
            cloud[count++] = picture_anchor(p, s, j, false);
        }
        for (int k = 0; s == 0 && k < n->shapes; ++k) {
            const pawl_shape_info *shape = &p->shapes[k];
            count += (size_t)report_shape_points(
                &shape->def, picture_pose(p, 0, pawl_body_index(shape->body)), &any, cloud + count);
        }
        for (size_t i = 0; s == 0 && i < count; ++i) {
            low = v3(fmin(low.x, cloud[i].x), fmin(low.y, cloud[i].y), fmin(low.z, cloud[i].z));
            high = v3(fmax(high.x, cloud[i].x), fmax(high.y, cloud[i].y), fmax(high.z, cloud[i].z));
        }
    }
    p->extent = count > 0 ? v3_norm(v3_sub(high, low)) : 0.0;
    pawl_vec3 normal = {0};
    bool floor = picture_floor_normal(p, &normal);
    p->view = report_view_choose(cloud, count, record->gravity, floor ? &normal : NULL);
    pawl_free(record->env, cloud, room * sizeof *cloud);
    return PAWL_OK;
}

// Each further moment is the one farthest from all that are drawn already. Later samples, after a long path, are
// skipped: the first swing is more informative than all of them.
static void picture_choose_moments(report_picture *p)
{
    double travelled = 0.0;
    while (p->path_end + 1 < p->samples && travelled < 4.0 * p->extent) {
        travelled += picture_distance(p, p->path_end, p->path_end + 1);
        p->path_end++;
    }
    int most = PICTURE_BUDGET / p->item_count - 1;
    most = most > PICTURE_GHOSTS ? PICTURE_GHOSTS : most;
    for (int s = 0; s <= p->path_end; ++s) {
        p->apart[s] = picture_distance(p, 0, s);
    }
    while (p->ghost_count < most) {
        int farthest = 0;
        for (int s = 1; s <= p->path_end; ++s) {
            farthest = p->apart[s] > p->apart[farthest] ? s : farthest;
        }
        if (p->apart[farthest] <= 0.02 * p->extent) {
            break;
        }
        int at = p->ghost_count++;
        double from_start = picture_distance(p, 0, farthest);
        while (at > 0 && picture_distance(p, 0, p->ghost[at - 1]) > from_start) {
            p->ghost[at] = p->ghost[at - 1];
            --at;
        }
        p->ghost[at] = farthest;
        for (int s = 0; s <= p->path_end; ++s) {
            p->apart[s] = fmin(p->apart[s], picture_distance(p, farthest, s));
        }
    }
}

static void picture_scene_add(const report_picture *p, picture_scene *scene, int sample,
                              pawl_vec3 point)
{
    report_box_grow(&scene->box, &p->view, point, 0.0);
    for (int f = 0; f < scene->floor_count; ++f) {
        report_floor *floor = &scene->floor[f];
        report_floor_grow(floor, picture_pose(p, sample, floor->body), point);
    }
}

static void picture_scene_pose(const report_picture *p, picture_scene *scene, int sample)
{
    pawl_vec3 points[REPORT_SHAPE_POINTS];
    for (int k = 0; k < p->record->counts.shapes; ++k) {
        const pawl_shape_info *shape = &p->shapes[k];
        int count = report_shape_points(
            &shape->def, picture_pose(p, sample, pawl_body_index(shape->body)), &p->view, points);
        for (int i = 0; i < count; ++i) {
            picture_scene_add(p, scene, sample, points[i]);
        }
    }
    for (int b = 0; b < p->record->counts.bodies; ++b) {
        picture_scene_add(p, scene, sample, picture_centre(p, sample, b));
    }
    for (int j = 0; j < p->record->counts.joints; ++j) {
        picture_scene_add(p, scene, sample, picture_anchor(p, sample, j, true));
        picture_scene_add(p, scene, sample, picture_anchor(p, sample, j, false));
    }
}

static picture_scene picture_scene_begin(const report_picture *p)
{
    picture_scene scene = {.box = report_box_empty()};
    for (int k = 0; k < p->record->counts.shapes && scene.floor_count < PICTURE_FLOORS; ++k) {
        if (p->shapes[k].def.kind == PAWL_SHAPE_PLANE) {
            scene.floor[scene.floor_count++] = report_floor_begin(&p->shapes[k]);
        }
    }
    for (int k = 0; k < p->record->field_count && scene.floor_count < PICTURE_FLOORS; ++k) {
        scene.floor[scene.floor_count] = report_field_begin(&p->record->fields[k]);
        scene.floor[scene.floor_count++].field = k;
    }
    return scene;
}

static void picture_scene_end(const report_picture *p, picture_scene *scene)
{
    int kept = 0;
    for (int f = 0; f < scene->floor_count; ++f) {
        report_floor floor = scene->floor[f];
        if (report_floor_end(&floor)) {
            report_floor_box(&floor, picture_pose(p, 0, floor.body), &p->view, &scene->box);
            scene->floor[kept++] = floor;
        }
    }
    scene->floor_count = kept;
}

static void picture_measure(report_picture *p)
{
    p->main = picture_scene_begin(p);
    picture_scene_pose(p, &p->main, 0);
    for (int g = 0; g < p->ghost_count; ++g) {
        picture_scene_pose(p, &p->main, p->ghost[g]);
    }
    for (int s = 0; s <= p->path_end; ++s) {
        for (int b = 0; b < p->record->counts.bodies; ++b) {
            picture_scene_add(p, &p->main, s, picture_centre(p, s, b));
        }
    }
    picture_scene_end(p, &p->main);
}

// Faces of hulls, which the recording does not hold.
static pawl_status picture_make_hulls(report_picture *p)
{
    const pawl_record *record = p->record;
    p->item_count = record->counts.shapes + record->counts.bodies; // there is at least one body
    for (int k = 0; k < record->counts.shapes; ++k) {
        const pawl_shape_def *shape = &p->shapes[k].def;
        if (shape->kind != PAWL_SHAPE_HULL || !p->drawn[k]) {
            continue;
        }
        pawl_status status =
            pawl_hull_faces_create(record->env, shape->points, shape->point_count, &p->hulls[k]);
        if (status == PAWL_BAD_ARGUMENT) {
            return PAWL_FAIL(record->env, PAWL_BAD_FILE, "%s: the points of shape %d make no hull",
                             record_store_path(record->store), k);
        }
        PAWL_TRY(status);
        p->item_count += p->hulls[k]->count / PICTURE_FACES;
    }
    return PAWL_OK;
}

// Meshes with few enough triangles for a picture, and room for what is seen of them.
static pawl_status picture_make_meshes(report_picture *p)
{
    const pawl_record *record = p->record;
    double given = 0.0;
    int count = 0;
    for (int k = 0; k < record->counts.shapes; ++k) {
        given += p->drawn[k] ? record->shapes[k].def.triangle_count : 0;
    }
    double part = given > PICTURE_TRIANGLES ? PICTURE_TRIANGLES / given : 1.0;
    for (int k = 0; k < record->counts.shapes; ++k) {
        const pawl_shape_def *shape = &record->shapes[k].def;
        if (shape->kind == PAWL_SHAPE_MESH && p->drawn[k]) {
            int most = part < 1.0 ? (int)(part * shape->triangle_count) : shape->triangle_count;
            most = most < PICTURE_MESH_LEAST ? PICTURE_MESH_LEAST : most;
            PAWL_TRY(pawl_mesh_simplify(record->env, shape->points, shape->point_count,
                                        shape->triangles, shape->triangle_count, most,
                                        &p->meshes[k]));
            count += p->meshes[k].triangle_count;
            p->shapes[k].def.points = p->meshes[k].points;
            p->shapes[k].def.point_count = p->meshes[k].point_count;
        }
    }
    size_t items = (size_t)record->counts.shapes + (size_t)record->counts.bodies;
    size_t triangles = (size_t)count * sizeof *p->seen.item;
    p->room_bytes = triangles + (items + (size_t)count) * sizeof *p->all;
    char *room = pawl_alloc(record->env, p->room_bytes);
    if (room == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "a picture needs %zu bytes", p->room_bytes);
    }
    p->seen.item = (report_triangle *)(void *)room;
    p->seen.capacity = count;
    p->all = (picture_item *)(void *)(room + triangles);
    return PAWL_OK;
}

pawl_status report_picture_create(const pawl_record *record, report_picture **out)
{
    *out = NULL;
    if (!record_has(record, RECORD_POSE)) {
        return PAWL_OK;
    }
    // Large models get fewer samples: the picture then needs no more memory than a few frames.
    int64_t samples = 4000000 / record->counts.bodies;
    samples = samples > PICTURE_SAMPLES ? PICTURE_SAMPLES : samples < 8 ? 8 : samples;
    samples = samples > record->frames ? record->frames : samples;
    pawl_carver need = {0};
    (void)picture_layout(record, (int)samples, &need);
    char *block = pawl_alloc(record->env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(record->env, PAWL_NO_MEMORY, "a picture needs %zu bytes", need.used);
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    report_picture *p = picture_layout(record, (int)samples, &mem);
    p->bytes = need.used;
    memcpy(p->shapes, record->shapes, (size_t)record->counts.shapes * sizeof *p->shapes);
    page_scene_drawn(p->shapes, record->counts.shapes, p->drawn);
    pawl_status status = picture_make_meshes(p);
    if (status == PAWL_OK) {
        status = picture_read(p);
    }
    if (status == PAWL_OK) {
        status = picture_choose_view(p);
    }
    if (status == PAWL_OK) {
        status = picture_make_hulls(p);
    }
    if (status != PAWL_OK) {
        report_picture_destroy(p);
        return status;
    }
    picture_choose_moments(p);
    picture_measure(p);
    for (int k = 0; k < record->counts.shapes; ++k) {
        if (pawl_body_index(p->shapes[k].body) >= 0) {
            p->has_shape[pawl_body_index(p->shapes[k].body)] = true;
        }
    }
    *out = p;
    return PAWL_OK;
}

void report_picture_destroy(report_picture *p)
{
    if (p == NULL) {
        return;
    }
    for (int k = 0; k < p->record->counts.shapes; ++k) {
        pawl_hull_faces_destroy(p->record->env, p->hulls[k]);
        pawl_drawn_mesh_free(p->record->env, &p->meshes[k]);
    }
    pawl_free(p->record->env, p->seen.item, p->seen.item != NULL ? p->room_bytes : 0);
    pawl_free(p->record->env, p, p->bytes);
}

// ---- Drawing ------------------------------------------------------------------------------------

static int picture_compare(const void *a, const void *b)
{
    const picture_item *p = a, *q = b;
    if (p->depth != q->depth) {
        return p->depth < q->depth ? -1 : 1;
    }
    return p->shape != q->shape ? (p->shape < q->shape ? -1 : 1) : p->triangle - q->triangle;
}

static void picture_line(report_text *page, const char *class, report_point a, report_point b)
{
    report_add(page, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>", class, a.x, a.y, b.x, b.y);
}

// A body without shapes: rods from its centre to its joints.
static void picture_stick(report_text *page, const report_picture *p, const report_view *view,
                          int sample, int body)
{
    report_point centre = report_view_project(view, picture_centre(p, sample, body));
    for (int j = 0; j < p->record->counts.joints; ++j) {
        const record_joint *joint = &p->record->joints[j];
        if (joint->base == body || joint->follower == body) {
            pawl_vec3 anchor = picture_anchor(p, sample, j, joint->base == body);
            picture_line(page, "rod", centre, report_view_project(view, anchor));
        }
    }
    report_add(page, "<circle class=\"mass\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>", centre.x,
               centre.y);
}

// A zigzag between the points a spring acts on.
static void picture_spring(report_text *page, report_point a, report_point b)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = hypot(dx, dy);
    if (length < 1.0) {
        return;
    }
    const int teeth = 14;
    double width = fmin(7.0, 0.1 * length);
    double nx = -dy / length * width, ny = dx / length * width;
    report_add(page, "<path class=\"spring\" d=\"M%.1f %.1f", a.x, a.y);
    for (int i = 0; i < teeth; ++i) {
        double fraction = 0.15 + 0.7 * (i + 0.5) / teeth, side = i % 2 == 0 ? 1.0 : -1.0;
        report_add(page, "L%.1f %.1f", a.x + fraction * dx + side * nx,
                   a.y + fraction * dy + side * ny);
    }
    report_add(page, "L%.1f %.1f\"/>", b.x, b.y);
}

// Where the world holds the mechanism: a triangle under the joint, on hatched ground. Drawn under
// the bodies, and large enough to look out from behind them.
static void picture_grounds(report_text *page, const report_picture *p, const report_view *view)
{
    for (int j = 0; j < p->record->counts.joints && j < PICTURE_DRAWN; ++j) {
        const record_joint *joint = &p->record->joints[j];
        if (joint->base == PAWL_WORLD_INDEX && joint->kind != PAWL_JOINT_FREE &&
            joint->kind != PAWL_JOINT_GEAR) {
            report_point at = report_view_project(view, picture_anchor(p, 0, j, true));
            report_add(page,
                       "<path class=\"ground\" d=\"M%.1f %.1fl-17 30h34zm-27 30h54m-48 0l-6 8"
                       "m16 -8l-6 8m16 -8l-6 8m16 -8l-6 8m16 -8l-6 8\"/>",
                       at.x, at.y);
        }
    }
}

static void picture_floors(report_text *page, const report_picture *p, const picture_scene *scene,
                           const report_view *view, int sample)
{
    for (int f = 0; f < scene->floor_count; ++f) {
        const report_floor *floor = &scene->floor[f];
        if (floor->field >= 0) {
            report_field_draw(page, &p->record->fields[floor->field], floor, view);
        } else {
            report_floor_draw(page, floor, picture_pose(p, sample, floor->body), view);
        }
    }
}

static void picture_joints(report_text *page, const report_picture *p, const report_view *view,
                           int sample)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < p->record->counts.joints && j < PICTURE_DRAWN; ++j) {
            const record_joint *joint = &p->record->joints[j];
            if (joint->kind == PAWL_JOINT_GEAR || joint->kind == PAWL_JOINT_FREE ||
                joint->kind == PAWL_JOINT_SPAN) {
                continue;
            }
            report_point a = report_view_project(view, picture_anchor(p, sample, j, true));
            report_point b = report_view_project(view, picture_anchor(p, sample, j, false));
            if (pass == 0) {
                if (joint->kind == PAWL_JOINT_DISTANCE) {
                    picture_line(page, "rod", a, b);
                } else if (hypot(a.x - b.x, a.y - b.y) > 1.0) {
                    picture_line(page, "slide", a, b);
                }
            } else {
                report_add(page, "<circle class=\"joint\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>", b.x,
                           b.y, p->record->counts.joints > 40 ? "1.5" : "3.2");
            }
        }
    }
}

// Shapes, bodies without any and, with `meshes`, the triangles that are seen, from back to front.
static int picture_collect(report_picture *p, const report_view *view, int sample, bool meshes)
{
    const pawl_record *record = p->record;
    int count = 0;
    p->seen.count = 0;
    for (int k = 0; k < record->counts.shapes && count < PICTURE_DRAWN; ++k) {
        const pawl_shape_info *shape = &p->shapes[k];
        pawl_pose body = picture_pose(p, sample, pawl_body_index(shape->body));
        if (!p->drawn[k]) {
            continue;
        }
        if (meshes && p->meshes[k].triangle_count > 0) {
            report_mesh_add(&p->seen, &p->meshes[k], k, pawl_pose_compose(body, shape->def.frame),
                            view);
            continue;
        }
        pawl_vec3 centre = report_shape_centre(&shape->def, body);
        p->all[count++] = (picture_item){v3_dot(centre, view->toward), k, -1};
    }
    for (int b = 0; b < record->counts.bodies && count < PICTURE_DRAWN; ++b) {
        if (!p->has_shape[b]) {
            pawl_vec3 centre = picture_centre(p, sample, b);
            p->all[count++] = (picture_item){v3_dot(centre, view->toward), ~b, -1};
        }
    }
    if (p->seen.count > 0 && report_mesh_visible(record->env, &p->seen) != PAWL_OK) {
        p->seen.count = 0; // logged; the picture does without
    }
    for (int i = 0; i < p->seen.count; ++i) {
        p->all[count++] = (picture_item){p->seen.item[i].depth, p->seen.item[i].shape, i};
    }
    qsort(p->all, (size_t)count, sizeof *p->all, picture_compare);
    return count;
}

static void picture_pose_draw(report_text *page, report_picture *p, const report_view *view,
                              int sample, bool whole)
{
    const pawl_record *record = p->record;
    int count = picture_collect(p, view, sample, whole);
    for (int i = 0; i < count; ++i) {
        int k = p->all[i].shape, triangle = p->all[i].triangle;
        if (triangle >= 0) {
            report_mesh_draw(page, &p->seen.item[triangle], p->shapes[k].def.rgba);
        } else if (k >= 0) {
            const pawl_shape_info *shape = &p->shapes[k];
            report_shape_draw(page, &shape->def, p->hulls[k],
                              picture_pose(p, sample, pawl_body_index(shape->body)), view);
        } else {
            picture_stick(page, p, view, sample, ~k);
        }
    }
    for (int s = 0; s < record->counts.springs && s < PICTURE_DRAWN; ++s) {
        const record_spring *spring = &record->springs[s];
        pawl_vec3 a = pawl_pose_apply(picture_pose(p, sample, spring->body_a), spring->point_a);
        pawl_vec3 b = pawl_pose_apply(picture_pose(p, sample, spring->body_b), spring->point_b);
        picture_spring(page, report_view_project(view, a), report_view_project(view, b));
    }
    if (whole) {
        picture_joints(page, p, view, sample);
    }
}

// Like the body, where it has a colour of its own.
static void picture_path_colour(report_text *page, const report_picture *p, int body)
{
    for (int k = 0; p->has_shape[body] && k < p->record->counts.shapes; ++k) {
        if (pawl_body_index(p->shapes[k].body) == body) {
            const float *c = p->shapes[k].def.rgba;
            report_add(page, " style=\"stroke:rgb(%.0f%% %.0f%% %.0f%%)\"", 100.0 * (double)c[0],
                       100.0 * (double)c[1], 100.0 * (double)c[2]);
            return;
        }
    }
}

// Paths of the centres of mass up to a sample.
static void picture_paths(report_text *page, const report_picture *p, const report_view *view,
                          int to)
{
    int bodies = p->record->counts.bodies;
    int stride = (bodies + PICTURE_PATHS - 1) / PICTURE_PATHS;
    for (int b = (bodies - 1) % stride; b < bodies; b += stride) { // the last one is among them
        report_add(page, "<path class=\"path k%d\"", b % 8);
        picture_path_colour(page, p, b);
        report_add_plain(page, " d=\"");
        for (int s = 0; s <= to; ++s) {
            report_point at = report_view_project(view, picture_centre(p, s, b));
            report_add(page, "%c%.1f %.1f", s == 0 ? 'M' : 'L', at.x, at.y);
        }
        report_add_plain(page, "\"/>");
    }
}

static void picture_scale_bar(report_text *page, const report_view *view, double x, double y)
{
    double rough = 90.0 / view->scale; // what 90 units of paper mean
    double power = pow(10.0, floor(log10(rough)));
    double length = rough / power >= 5.0 ? 5.0 * power : rough / power >= 2.0 ? 2.0 * power : power;
    report_add(page, "<path class=\"bar\" d=\"M%.1f %.1fv6h%.1fv-6\"/>", x, y - 6.0,
               length * view->scale);
    report_add(page, "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\">%s m</text>",
               x + length * view->scale + 7.0, y + 1.0, report_format(length).text);
}

static double picture_aspect(const report_box *box)
{
    return fmax(box->y1 - box->y0, 1e-9) / fmax(box->x1 - box->x0, 1e-9);
}

double report_picture_height(const report_picture *p, double width)
{
    double height = (width - 2.0 * PICTURE_MARGIN) * picture_aspect(&p->main.box);
    return ceil(fmin(fmax(height + 2.0 * PICTURE_MARGIN, 260.0), 0.5 * width));
}

void report_picture_draw(report_text *page, report_picture *p, double width, double height)
{
    report_view view = p->view;
    report_view_fit(&view, &p->main.box, 0.0, 0.0, width, height, PICTURE_MARGIN);
    picture_floors(page, p, &p->main, &view, 0);
    picture_paths(page, p, &view, p->path_end);
    for (int g = p->ghost_count - 1; g >= 0; --g) {
        report_add(page, "<g class=\"pose\" opacity=\"%.2f\">",
                   0.42 - 0.28 * g / (p->ghost_count > 1 ? p->ghost_count - 1 : 1));
        picture_pose_draw(page, p, &view, p->ghost[g], false);
        report_add_plain(page, "</g>");
    }
    picture_grounds(page, p, &view);
    report_add_plain(page, "<g class=\"pose\">");
    picture_pose_draw(page, p, &view, 0, true);
    report_add_plain(page, "</g>");
    picture_scale_bar(page, &view, 16.0, height - 14.0);
    if (p->ghost_count > 0) {
        report_add(page,
                   "<text class=\"tick\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">solid: start; "
                   "pale: later, up to t = %s s; lines: centres of mass</text>",
                   width - 16.0, height - 13.0, report_format(p->time[p->path_end]).text);
    }
}
