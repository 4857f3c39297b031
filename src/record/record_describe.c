// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Reads what record_model.c wrote: names, joints, shapes, springs. Every number in the file is treated as hostile:
// kinds, indices and sizes are checked before they are used, and no more memory is allocated than the length of the
// file justifies. The report relies on these checks.
#include "record/record_model.h"
#include <limits.h>
#include <string.h>

enum { RECORD_HULL_POINTS = 4096 }; // of one hull, as pawl_shape_def has it
enum { RECORD_FIELDS = 1000 };      // more are not believed

// A whole array of /model into memory that the caller frees; *out stays NULL without rows.
static pawl_status describe_array(const pawl_record *r, const char *path, hid_t type, size_t item,
                                  int rows, int columns, void **out)
{
    *out = NULL;
    if (rows == 0) {
        return PAWL_OK;
    }
    size_t size = (size_t)rows * (size_t)columns * item;
    if (size > record_store_length(r->store)) {
        return record_bad(r, path);
    }
    const hsize_t inner[2] = {(hsize_t)columns, 1};
    hsize_t stored_rows = 0;
    hid_t set = record_open_set(r, path, columns > 1 ? 2 : 1, inner, &stored_rows);
    if (set < 0) {
        return record_bad(r, path);
    }
    pawl_status status = PAWL_OK;
    if (stored_rows != (hsize_t)rows || !record_set_is(set, H5Tget_class(type))) {
        status = record_bad(r, path);
    } else if ((*out = pawl_alloc(r->env, size)) == NULL) {
        status = PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for %s",
                           record_store_path(r->store), path);
    } else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0) {
        pawl_free(r->env, *out, size);
        *out = NULL;
        status = record_bad_h5(r, path);
    }
    (void)H5Dclose(set);
    return status;
}

// Names as one block of texts that each end with a zero, `*stride` bytes apart.
static pawl_status describe_names(const pawl_record *r, const char *path, int count, char **out,
                                  size_t *total, size_t *stride)
{
    if (count == 0) {
        return PAWL_OK;
    }
    hid_t set = H5Dopen2(r->file, path, H5P_DEFAULT);
    hid_t stored = set < 0 ? H5I_INVALID_HID : H5Dget_type(set);
    size_t width = 0;
    if (stored >= 0 && H5Tget_class(stored) == H5T_STRING && H5Tis_variable_str(stored) == 0) {
        width = H5Tget_size(stored);
    }
    uint64_t length = record_store_length(r->store);
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    if (width == 0 || width > length || (uint64_t)count > length / width) {
        if (stored >= 0) {
            (void)H5Tclose(stored);
        }
        return record_bad(r, path);
    }
    void *packed = NULL;
    pawl_status status = describe_array(r, path, stored, width, count, 1, &packed);
    (void)H5Tclose(stored);
    PAWL_TRY(status);
    *stride = width + 1;
    *total = *stride * (size_t)count;
    *out = pawl_alloc(r->env, *total);
    for (int i = 0; *out != NULL && i < count; ++i) {
        memcpy(*out + (size_t)i * *stride, (char *)packed + (size_t)i * width, width);
    }
    pawl_free(r->env, packed, width * (size_t)count);
    return *out != NULL ? PAWL_OK
                        : PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory for %s",
                                    record_store_path(r->store), path);
}

static pawl_pose describe_pose(const double v[7])
{
    return (pawl_pose){.position = {v[0], v[1], v[2]}, .orientation = {v[3], v[4], v[5], v[6]}};
}

static pawl_status describe_no_memory(const pawl_record *r)
{
    return PAWL_FAIL(r->env, PAWL_NO_MEMORY, "%s: no memory to describe its model",
                     record_store_path(r->store));
}

static pawl_status describe_bodies(pawl_record *r)
{
    int n = r->counts.bodies;
    size_t stride = 0;
    void *rows = NULL;
    PAWL_TRY(
        describe_names(r, "/model/body_name", n, &r->body_names, &r->body_names_size, &stride));
    PAWL_TRY(describe_array(r, "/model/body_mass_com", H5T_NATIVE_DOUBLE, 8, n, 4, &rows));
    const double *v = rows;
    pawl_status status = PAWL_OK;
    if (!record_finite(v, (size_t)n * 4)) {
        status = record_bad(r, "/model/body_mass_com");
    } else if ((r->bodies = pawl_alloc(r->env, (size_t)n * sizeof *r->bodies)) == NULL) {
        status = describe_no_memory(r);
    }
    for (int b = 0; status == PAWL_OK && b < n; ++b, v += 4) {
        r->bodies[b] = (record_body){
            .name = r->body_names + (size_t)b * stride, .mass = v[0], .com = {v[1], v[2], v[3]}};
    }
    pawl_free(r->env, rows, (size_t)n * 4 * 8);
    return status;
}

static bool describe_is_body(const pawl_record *r, int body)
{
    return body >= PAWL_WORLD_INDEX && body < r->counts.bodies;
}

static pawl_status describe_joint(pawl_record *r, int j, const char *name, const int link[5],
                                  const double frame[14], int *coordinates)
{
    if (link[0] < 0 || link[0] >= PAWL_JOINT_KIND_COUNT || !describe_is_body(r, link[1]) ||
        !describe_is_body(r, link[2]) || link[3] != *coordinates || link[4] < 0 || link[4] > 6 ||
        !record_finite(frame, 14)) {
        return record_bad(r, "/model/joint_link or joint_frame");
    }
    *coordinates += link[4];
    r->joints[j] = (record_joint){.name = name,
                                  .kind = (pawl_joint_kind)link[0],
                                  .base = link[1],
                                  .follower = link[2],
                                  .first_coordinate = link[3],
                                  .coordinate_count = link[4],
                                  .base_frame = describe_pose(frame),
                                  .follower_frame = describe_pose(frame + 7)};
    return PAWL_OK;
}

static pawl_status describe_joints(pawl_record *r)
{
    int n = r->counts.joints;
    size_t stride = 0;
    void *links = NULL, *frames = NULL;
    PAWL_TRY(
        describe_names(r, "/model/joint_name", n, &r->joint_names, &r->joint_names_size, &stride));
    pawl_status status = describe_array(r, "/model/joint_link", H5T_NATIVE_INT, 4, n, 5, &links);
    if (status == PAWL_OK) {
        status = describe_array(r, "/model/joint_frame", H5T_NATIVE_DOUBLE, 8, n, 14, &frames);
    }
    if (status == PAWL_OK) {
        r->joints = pawl_alloc(r->env, (size_t)n * sizeof *r->joints);
        status = r->joints == NULL ? describe_no_memory(r) : PAWL_OK;
    }
    int coordinates = 0;
    for (int j = 0; status == PAWL_OK && j < n; ++j) {
        status = describe_joint(r, j, r->joint_names + (size_t)j * stride, (int *)links + 5 * j,
                                (double *)frames + 14 * j, &coordinates);
    }
    if (status == PAWL_OK && coordinates != r->counts.coordinates) {
        status = record_bad(r, "number of joint coordinates");
    }
    pawl_free(r->env, links, (size_t)n * 5 * 4);
    pawl_free(r->env, frames, (size_t)n * 14 * 8);
    return status;
}

// A recording has indices alone: this id has no tag.
static pawl_body_id record_body_id(int index)
{
    return index < 0 ? PAWL_WORLD : (pawl_body_id){(uint32_t)index + 1, 0};
}

static pawl_status describe_shape(pawl_record *r, int s, const int link[2], const double v[14])
{
    if (link[0] < 0 || link[0] >= PAWL_SHAPE_COUNT || !describe_is_body(r, link[1]) ||
        !record_finite(v, 14)) {
        return record_bad(r, "/model/shape_link or shape_form");
    }
    r->shapes[s] = (pawl_shape_info){
        .body = record_body_id(link[1]),
        .def = {.kind = (pawl_shape_kind)link[0],
                .frame = describe_pose(v),
                .size = {v[7], v[8], v[9]},
                .rgba = {(float)v[10], (float)v[11], (float)v[12], (float)v[13]}}};
    return PAWL_OK;
}

// Which shapes are only drawn. Recordings before that had no such list: there all of them touch.
static pawl_status describe_visuals(pawl_record *r)
{
    int n = r->counts.shapes;
    void *visual = NULL;
    if (n == 0 || H5Lexists(r->file, "/model/shape_visual", H5P_DEFAULT) <= 0) {
        return PAWL_OK;
    }
    PAWL_TRY(describe_array(r, "/model/shape_visual", H5T_NATIVE_INT, 4, n, 1, &visual));
    for (int s = 0; s < n; ++s) {
        r->shapes[s].def.visual_only = ((int *)visual)[s] != 0;
    }
    pawl_free(r->env, visual, (size_t)n * 4);
    return PAWL_OK;
}

static pawl_status describe_shapes(pawl_record *r)
{
    int n = r->counts.shapes;
    void *links = NULL, *forms = NULL;
    PAWL_TRY(describe_array(r, "/model/shape_link", H5T_NATIVE_INT, 4, n, 2, &links));
    pawl_status status =
        describe_array(r, "/model/shape_form", H5T_NATIVE_DOUBLE, 8, n, 14, &forms);
    if (status == PAWL_OK) {
        r->shapes = pawl_alloc(r->env, (size_t)n * sizeof *r->shapes);
        status = r->shapes == NULL ? describe_no_memory(r) : PAWL_OK;
    }
    for (int s = 0; status == PAWL_OK && s < n; ++s) {
        status = describe_shape(r, s, (int *)links + 2 * s, (double *)forms + 14 * s);
    }
    if (status == PAWL_OK) {
        status = describe_visuals(r);
    }
    pawl_free(r->env, links, (size_t)n * 2 * 4);
    pawl_free(r->env, forms, (size_t)n * 14 * 8);
    return status;
}

static bool describe_has_points(const pawl_record *r, int shape)
{
    pawl_shape_kind kind = r->shapes[shape].def.kind;
    return kind == PAWL_SHAPE_HULL || kind == PAWL_SHAPE_MESH;
}

// How many points each hull or mesh has. Whether they make a solid shows when the hull is drawn.
static pawl_status describe_hull_sizes(pawl_record *r, const int *sizes)
{
    uint64_t total = 0;
    for (int s = 0, k = 0; s < r->counts.shapes; ++s) {
        if (!describe_has_points(r, s)) {
            continue;
        }
        bool hull = r->shapes[s].def.kind == PAWL_SHAPE_HULL;
        if (sizes[k] < (hull ? 4 : 3) || (hull && sizes[k] > RECORD_HULL_POINTS)) {
            return record_bad(r, "/model/hull_size");
        }
        total += (uint64_t)sizes[k++];
    }
    if (total > INT_MAX || total > record_store_length(r->store)) {
        return record_bad(r, "/model/hull_size");
    }
    r->hull_point_count = (int)total;
    return PAWL_OK;
}

static pawl_status describe_hull_points(pawl_record *r, const int *sizes, const double *v)
{
    if (!record_finite(v, (size_t)r->hull_point_count * 3)) {
        return record_bad(r, "/model/hull_points");
    }
    r->hull_points = pawl_alloc(r->env, (size_t)r->hull_point_count * sizeof *r->hull_points);
    if (r->hull_points == NULL) {
        return describe_no_memory(r);
    }
    for (int i = 0; i < r->hull_point_count; ++i) {
        r->hull_points[i] = (pawl_vec3){v[3 * i], v[3 * i + 1], v[3 * i + 2]};
    }
    pawl_vec3 *points = r->hull_points;
    for (int s = 0, k = 0; s < r->counts.shapes; ++s) {
        if (describe_has_points(r, s)) {
            r->shapes[s].def.points = points;
            r->shapes[s].def.point_count = sizes[k];
            points += sizes[k++];
        }
    }
    return PAWL_OK;
}

static pawl_status describe_hulls(pawl_record *r)
{
    int hulls = 0;
    for (int s = 0; s < r->counts.shapes; ++s) {
        hulls += describe_has_points(r, s);
    }
    if (hulls == 0) {
        return PAWL_OK;
    }
    void *sizes = NULL, *points = NULL;
    PAWL_TRY(describe_array(r, "/model/hull_size", H5T_NATIVE_INT, 4, hulls, 1, &sizes));
    pawl_status status = describe_hull_sizes(r, sizes);
    if (status == PAWL_OK) {
        status = describe_array(r, "/model/hull_points", H5T_NATIVE_DOUBLE, 8, r->hull_point_count,
                                3, &points);
    }
    if (status == PAWL_OK) {
        status = describe_hull_points(r, sizes, points);
    }
    pawl_free(r->env, sizes, (size_t)hulls * 4);
    pawl_free(r->env, points, (size_t)r->hull_point_count * 3 * 8);
    return status;
}

// Every corner is a point of its mesh.
static pawl_status describe_mesh_corners(pawl_record *r, const int *sizes)
{
    int *corner = r->mesh_corners;
    for (int s = 0, k = 0; s < r->counts.shapes; ++s) {
        pawl_shape_def *def = &r->shapes[s].def;
        if (def->kind != PAWL_SHAPE_MESH) {
            continue;
        }
        def->triangles = corner;
        def->triangle_count = sizes[k++];
        for (int i = 0; i < 3 * def->triangle_count; ++i, ++corner) {
            if (*corner < 0 || *corner >= def->point_count) {
                return record_bad(r, "/model/mesh_triangles");
            }
        }
    }
    return PAWL_OK;
}

static pawl_status describe_meshes(pawl_record *r)
{
    int meshes = 0;
    for (int s = 0; s < r->counts.shapes; ++s) {
        meshes += r->shapes[s].def.kind == PAWL_SHAPE_MESH;
    }
    if (meshes == 0) {
        return PAWL_OK;
    }
    void *sizes = NULL, *corners = NULL;
    PAWL_TRY(describe_array(r, "/model/mesh_size", H5T_NATIVE_INT, 4, meshes, 1, &sizes));
    pawl_status status = PAWL_OK;
    uint64_t total = 0;
    for (int k = 0; k < meshes && status == PAWL_OK; ++k) {
        int size = ((int *)sizes)[k];
        total += (uint64_t)(size > 0 ? size : 0);
        if (size < 1 || total > record_store_length(r->store) || total > INT_MAX / 3) {
            status = record_bad(r, "/model/mesh_size");
        }
    }
    if (status == PAWL_OK) {
        r->mesh_triangle_count = (int)total;
        status =
            describe_array(r, "/model/mesh_triangles", H5T_NATIVE_INT, 4, (int)total, 3, &corners);
    }
    if (status == PAWL_OK) {
        r->mesh_corners = corners;
        status = describe_mesh_corners(r, sizes);
    }
    pawl_free(r->env, sizes, (size_t)meshes * 4);
    return status;
}

static pawl_status describe_springs(pawl_record *r)
{
    int n = r->counts.springs;
    void *links = NULL, *points = NULL;
    PAWL_TRY(describe_array(r, "/model/spring_link", H5T_NATIVE_INT, 4, n, 2, &links));
    pawl_status status =
        describe_array(r, "/model/spring_points", H5T_NATIVE_DOUBLE, 8, n, 6, &points);
    if (status == PAWL_OK) {
        r->springs = pawl_alloc(r->env, (size_t)n * sizeof *r->springs);
        status = r->springs == NULL ? describe_no_memory(r) : PAWL_OK;
    }
    for (int s = 0; status == PAWL_OK && s < n; ++s) {
        const int *link = (int *)links + 2 * s;
        const double *v = (double *)points + 6 * s;
        if (!describe_is_body(r, link[0]) || !describe_is_body(r, link[1]) ||
            !record_finite(v, 6)) {
            status = record_bad(r, "/model/spring_link or spring_points");
        } else {
            r->springs[s] = (record_spring){.body_a = link[0],
                                            .body_b = link[1],
                                            .point_a = {v[0], v[1], v[2]},
                                            .point_b = {v[3], v[4], v[5]}};
        }
    }
    pawl_free(r->env, links, (size_t)n * 2 * 4);
    pawl_free(r->env, points, (size_t)n * 6 * 8);
    return status;
}

// How many heightfields there are, and what is in them; recordings without them have no such arrays.
static pawl_status describe_field_count(const pawl_record *r, int *out)
{
    *out = 0;
    if (H5Lexists(r->file, "/model/field_size", H5P_DEFAULT) <= 0) {
        return PAWL_OK;
    }
    const hsize_t inner[2] = {2, 1};
    hsize_t rows = 0;
    hid_t set = record_open_set(r, "/model/field_size", 2, inner, &rows);
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    if (set < 0 || rows > RECORD_FIELDS) {
        return record_bad(r, "/model/field_size");
    }
    *out = (int)rows;
    return PAWL_OK;
}

static pawl_status describe_field_sizes(pawl_record *r, const int *sizes, const double *forms,
                                        int count)
{
    uint64_t most = record_store_length(r->store) / 8, total = 0;
    for (int k = 0; k < count; ++k) {
        const double *v = forms + 9 * k;
        bool good = sizes[2 * k] >= 2 && sizes[2 * k + 1] >= 2 && record_finite(v, 9) &&
                    v[7] > 0.0 && v[8] > 0.0;
        uint64_t heights = good ? (uint64_t)sizes[2 * k] * (uint64_t)sizes[2 * k + 1] : 0;
        if (!good || heights > most - total) {
            return record_bad(r, "/model/field_size or field_form");
        }
        total += heights;
    }
    if (total > INT_MAX) {
        return record_bad(r, "/model/field_size");
    }
    r->fields = pawl_alloc(r->env, (size_t)count * sizeof *r->fields);
    if (r->fields == NULL) {
        return describe_no_memory(r);
    }
    r->field_count = count;
    void *heights = NULL;
    PAWL_TRY(
        describe_array(r, "/model/field_heights", H5T_NATIVE_DOUBLE, 8, (int)total, 1, &heights));
    r->field_heights = heights;
    r->field_height_count = (size_t)total;
    return record_finite(heights, (size_t)total) ? PAWL_OK : record_bad(r, "/model/field_heights");
}

static pawl_status describe_fields(pawl_record *r)
{
    int n;
    void *sizes = NULL, *forms = NULL;
    PAWL_TRY(describe_field_count(r, &n));
    if (n == 0) {
        return PAWL_OK;
    }
    PAWL_TRY(describe_array(r, "/model/field_size", H5T_NATIVE_INT, 4, n, 2, &sizes));
    pawl_status status = describe_array(r, "/model/field_form", H5T_NATIVE_DOUBLE, 8, n, 9, &forms);
    if (status == PAWL_OK) {
        status = describe_field_sizes(r, sizes, forms, n);
    }
    const double *heights = r->field_heights;
    for (int k = 0; status == PAWL_OK && k < n; ++k) {
        const int *size = (int *)sizes + 2 * k;
        const double *v = (double *)forms + 9 * k;
        r->fields[k] = (pawl_heightfield_def){.frame = describe_pose(v),
                                              .x_count = size[0],
                                              .y_count = size[1],
                                              .dx = v[7],
                                              .dy = v[8],
                                              .heights = heights};
        heights += (size_t)size[0] * (size_t)size[1];
    }
    pawl_free(r->env, sizes, (size_t)n * 2 * 4);
    pawl_free(r->env, forms, (size_t)n * 9 * 8);
    return status;
}

pawl_status record_model_read(pawl_record *r)
{
    PAWL_TRY(describe_bodies(r));
    PAWL_TRY(describe_joints(r));
    PAWL_TRY(describe_shapes(r));
    PAWL_TRY(describe_hulls(r));
    PAWL_TRY(describe_meshes(r));
    PAWL_TRY(describe_springs(r));
    return describe_fields(r);
}
