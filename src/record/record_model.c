// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Writes the constant parts of a recording: attributes of the root and the /model group, which are enough to draw the
// mechanism and to name every column without the model file. Arrays are contiguous, so that a reader can detect a
// hostile size by the length of the file.
#include "record/record_model.h"
#include <string.h>

// Scratch that grows to the largest array and is freed once.
typedef struct model_writer {
    const pawl_env *env;
    hid_t file;
    const pawl_model *model;
    const record_counts *counts;
    void *scratch;
    size_t scratch_size;
    pawl_status status; // the first failure; PAWL_IO_ERROR stands for an HDF5 call
} model_writer;

static bool model_attribute(hid_t object, const char *name, hid_t file_type, hid_t type,
                            const void *value, hsize_t count)
{
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    hid_t attribute = space < 0
                          ? H5I_INVALID_HID
                          : H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    if (attribute >= 0) {
        (void)H5Aclose(attribute);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
    return ok;
}

static hid_t model_text_type(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type >= 0 && (H5Tset_size(type, size) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0 ||
                      H5Tset_strpad(type, H5T_STR_NULLPAD) < 0)) {
        (void)H5Tclose(type);
        type = H5I_INVALID_HID;
    }
    return type;
}

bool record_model_text(hid_t object, const char *name, const char *text)
{
    hid_t type = model_text_type(strlen(text) + 1);
    bool ok = type >= 0 && model_attribute(object, name, type, type, text, 1);
    if (type >= 0) {
        (void)H5Tclose(type);
    }
    return ok;
}

static void *model_scratch(model_writer *w, size_t size)
{
    if (w->status != PAWL_OK) {
        return NULL;
    }
    if (size > w->scratch_size) {
        pawl_free(w->env, w->scratch, w->scratch_size);
        w->scratch = pawl_alloc(w->env, size);
        w->scratch_size = w->scratch == NULL ? 0 : size;
        if (w->scratch == NULL) {
            w->status = PAWL_FAIL(w->env, PAWL_NO_MEMORY, "a recording needs %zu bytes", size);
            return NULL;
        }
    }
    memset(w->scratch, 0, size);
    return w->scratch;
}

// Nothing is written for an array without rows: HDF5 would make a dataset without storage.
static void model_array(model_writer *w, const char *path, hid_t file_type, hid_t type, int rows,
                        int columns, const void *data)
{
    if (w->status != PAWL_OK || rows == 0) {
        return;
    }
    const hsize_t dims[2] = {(hsize_t)rows, (hsize_t)columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, dims, NULL);
    hid_t link = H5Pcreate(H5P_LINK_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && link >= 0 && H5Pset_create_intermediate_group(link, 1) >= 0) {
        set = H5Dcreate2(w->file, path, file_type, space, link, H5P_DEFAULT, H5P_DEFAULT);
    }
    if (set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        w->status = PAWL_IO_ERROR;
    }
    if (set >= 0) {
        (void)H5Dclose(set);
    }
    if (link >= 0) {
        (void)H5Pclose(link);
    }
    if (space >= 0) {
        (void)H5Sclose(space);
    }
}

static void model_ints(model_writer *w, const char *path, int rows, int columns, const int *data)
{
    model_array(w, path, H5T_STD_I32LE, H5T_NATIVE_INT, rows, columns, data);
}

static void model_doubles(model_writer *w, const char *path, int rows, int columns,
                          const double *data)
{
    model_array(w, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, rows, columns, data);
}

// Names as texts of one length, the longest's, padded with zeros.
static void model_names(model_writer *w, const char *path, int count,
                        const char *(*name)(const pawl_model *model, int index))
{
    size_t longest = 1;
    for (int i = 0; i < count; ++i) {
        size_t length = strlen(name(w->model, i));
        longest = length > longest ? length : longest;
    }
    char *block = model_scratch(w, longest * (size_t)count);
    if (block == NULL) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        const char *text = name(w->model, i);
        memcpy(block + (size_t)i * longest, text, strlen(text));
    }
    hid_t type = model_text_type(longest);
    if (type < 0) {
        w->status = PAWL_IO_ERROR;
        return;
    }
    model_array(w, path, type, type, count, 1, block);
    (void)H5Tclose(type);
}

static const char *model_body_name(const pawl_model *model, int body)
{
    return pawl_model_body(model, pawl_model_body_at(model, body)).name;
}

static const char *model_joint_name(const pawl_model *model, int joint)
{
    return pawl_model_joint(model, pawl_model_joint_at(model, joint)).name;
}

static const char *model_joint_kind(const pawl_model *model, int joint)
{
    return pawl_joint_kind_name(pawl_model_joint(model, pawl_model_joint_at(model, joint)).kind);
}

static void model_put_pose(double row[7], pawl_pose p)
{
    const double values[7] = {p.position.x,    p.position.y,    p.position.z,   p.orientation.w,
                              p.orientation.x, p.orientation.y, p.orientation.z};
    memcpy(row, values, sizeof values);
}

static void model_bodies(model_writer *w)
{
    int n = w->counts->bodies;
    model_names(w, "/model/body_name", n, model_body_name);
    double *rows = model_scratch(w, (size_t)n * 4 * sizeof *rows);
    for (int b = 0; rows != NULL && b < n; ++b) {
        pawl_body_info info = pawl_model_body(w->model, pawl_model_body_at(w->model, b));
        const double values[4] = {info.mass, info.com.x, info.com.y, info.com.z};
        memcpy(rows + 4 * b, values, sizeof values);
    }
    model_doubles(w, "/model/body_mass_com", n, 4, rows);
}

static void model_joints(model_writer *w)
{
    int n = w->counts->joints;
    model_names(w, "/model/joint_name", n, model_joint_name);
    model_names(w, "/model/joint_kind", n, model_joint_kind);
    int *ints = model_scratch(w, (size_t)n * 5 * sizeof *ints);
    for (int j = 0, first = 0; ints != NULL && j < n; ++j) {
        pawl_joint_info info = pawl_model_joint(w->model, pawl_model_joint_at(w->model, j));
        const int values[5] = {(int)info.kind, pawl_body_index(info.base),
                               pawl_body_index(info.follower), first, info.coordinate_count};
        memcpy(ints + 5 * j, values, sizeof values);
        first += info.coordinate_count;
    }
    model_ints(w, "/model/joint_link", n, 5, ints);
    double *frames = model_scratch(w, (size_t)n * 14 * sizeof *frames);
    for (int j = 0; frames != NULL && j < n; ++j) {
        pawl_joint_info info = pawl_model_joint(w->model, pawl_model_joint_at(w->model, j));
        model_put_pose(frames + 14 * j, info.base_frame);
        model_put_pose(frames + 14 * j + 7, info.follower_frame);
    }
    model_doubles(w, "/model/joint_frame", n, 14, frames);
}

static void model_shapes(model_writer *w)
{
    int n = w->counts->shapes;
    int *link = model_scratch(w, (size_t)n * 2 * sizeof *link);
    for (int s = 0; link != NULL && s < n; ++s) {
        pawl_shape_info info = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s));
        link[2 * s] = (int)info.def.kind;
        link[2 * s + 1] = pawl_body_index(info.body);
    }
    model_ints(w, "/model/shape_link", n, 2, link);
    if (w->counts->colliders < n) {
        int *drawn = model_scratch(w, (size_t)n * sizeof *drawn);
        for (int s = 0; drawn != NULL && s < n; ++s) {
            drawn[s] = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def.visual_only;
        }
        model_ints(w, "/model/shape_visual", n, 1, drawn);
    }
    double *rows = model_scratch(w, (size_t)n * 14 * sizeof *rows);
    for (int s = 0; rows != NULL && s < n; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        double *row = rows + 14 * s;
        model_put_pose(row, def.frame);
        const double rest[7] = {def.size.x,          def.size.y,          def.size.z,
                                (double)def.rgba[0], (double)def.rgba[1], (double)def.rgba[2],
                                (double)def.rgba[3]};
        memcpy(row + 7, rest, sizeof rest);
    }
    model_doubles(w, "/model/shape_form", n, 14, rows);
}

// Triangles of the shapes that are meshes, one mesh after the other. Their points are among those of the hulls.
static void model_meshes(model_writer *w)
{
    int meshes = 0, triangles = 0;
    for (int s = 0; s < w->counts->shapes; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        meshes += def.triangle_count > 0;
        triangles += def.triangle_count;
    }
    if (meshes == 0) {
        return;
    }
    int *sizes = model_scratch(w, (size_t)meshes * sizeof *sizes);
    for (int s = 0, k = 0; sizes != NULL && k < meshes; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        if (def.triangle_count > 0) {
            sizes[k++] = def.triangle_count;
        }
    }
    model_ints(w, "/model/mesh_size", meshes, 1, sizes);
    int *rows = model_scratch(w, (size_t)triangles * 3 * sizeof *rows), *row = rows;
    for (int s = 0; rows != NULL && s < w->counts->shapes; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        if (def.triangle_count > 0) {
            size_t count = 3 * (size_t)def.triangle_count;
            memcpy(row, def.triangles, count * sizeof *row);
            row += count;
        }
    }
    model_ints(w, "/model/mesh_triangles", triangles, 3, rows);
}

// Points of the shapes that are hulls or meshes, one after the other.
static void model_hulls(model_writer *w)
{
    int hulls = 0, points = 0;
    for (int s = 0; s < w->counts->shapes; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        hulls += def.point_count > 0;
        points += def.point_count;
    }
    int *sizes = model_scratch(w, (size_t)hulls * sizeof *sizes);
    for (int s = 0, k = 0; sizes != NULL && k < hulls; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        if (def.point_count > 0) {
            sizes[k++] = def.point_count;
        }
    }
    model_ints(w, "/model/hull_size", hulls, 1, sizes);
    double *rows = model_scratch(w, (size_t)points * 3 * sizeof *rows);
    double *row = rows;
    for (int s = 0; rows != NULL && s < w->counts->shapes; ++s) {
        pawl_shape_def def = pawl_model_shape(w->model, pawl_model_shape_at(w->model, s)).def;
        for (int i = 0; i < def.point_count; ++i, row += 3) {
            row[0] = def.points[i].x;
            row[1] = def.points[i].y;
            row[2] = def.points[i].z;
        }
    }
    model_doubles(w, "/model/hull_points", points, 3, rows);
}

static void model_springs(model_writer *w)
{
    int n = w->counts->springs;
    int *link = model_scratch(w, (size_t)n * 2 * sizeof *link);
    for (int s = 0; link != NULL && s < n; ++s) {
        pawl_spring_def def = pawl_model_spring(w->model, pawl_model_spring_at(w->model, s));
        link[2 * s] = pawl_body_index(def.body_a);
        link[2 * s + 1] = pawl_body_index(def.body_b);
    }
    model_ints(w, "/model/spring_link", n, 2, link);
    double *rows = model_scratch(w, (size_t)n * 6 * sizeof *rows);
    for (int s = 0; rows != NULL && s < n; ++s) {
        pawl_spring_def def = pawl_model_spring(w->model, pawl_model_spring_at(w->model, s));
        const double values[6] = {def.point_a.x, def.point_a.y, def.point_a.z,
                                  def.point_b.x, def.point_b.y, def.point_b.z};
        memcpy(rows + 6 * s, values, sizeof values);
    }
    model_doubles(w, "/model/spring_points", n, 6, rows);
}

// Heights of all heightfields, one field after the other.
static void model_fields(model_writer *w)
{
    int n = pawl_model_heightfield_count(w->model), total = 0;
    int *sizes = model_scratch(w, (size_t)n * 2 * sizeof *sizes);
    for (int k = 0; sizes != NULL && k < n; ++k) {
        pawl_heightfield_def def = pawl_model_heightfield(w->model, k);
        sizes[2 * k] = def.x_count;
        sizes[2 * k + 1] = def.y_count;
        total += def.x_count * def.y_count;
    }
    model_ints(w, "/model/field_size", n, 2, sizes);
    double *forms = model_scratch(w, (size_t)n * 9 * sizeof *forms);
    for (int k = 0; forms != NULL && k < n; ++k) {
        pawl_heightfield_def def = pawl_model_heightfield(w->model, k);
        model_put_pose(forms + 9 * k, def.frame);
        forms[9 * k + 7] = def.dx;
        forms[9 * k + 8] = def.dy;
    }
    model_doubles(w, "/model/field_form", n, 9, forms);
    double *heights = model_scratch(w, (size_t)total * sizeof *heights), *at = heights;
    for (int k = 0; heights != NULL && k < n; ++k) {
        pawl_heightfield_def def = pawl_model_heightfield(w->model, k);
        size_t count = (size_t)def.x_count * (size_t)def.y_count;
        memcpy(at, def.heights, count * sizeof *at);
        at += count;
    }
    model_doubles(w, "/model/field_heights", total, 1, heights);
}

static void model_contact_points(model_writer *w)
{
    int n = pawl_model_contact_point_count(w->model);
    int *link = model_scratch(w, (size_t)n * 2 * sizeof *link);
    for (int k = 0; link != NULL && k < n; ++k) {
        pawl_contact_point_def def = pawl_model_contact_point(w->model, k);
        link[2 * k] = pawl_body_index(def.body);
        link[2 * k + 1] = (int)pawl_model_wrench_model(w->model, def.wrench_model).kind;
    }
    model_ints(w, "/model/contact_point_link", n, 2, link);
    double *forms = model_scratch(w, (size_t)n * 8 * sizeof *forms);
    for (int k = 0; forms != NULL && k < n; ++k) {
        pawl_contact_point_def def = pawl_model_contact_point(w->model, k);
        model_put_pose(forms + 8 * k, def.frame);
        forms[8 * k + 7] = def.radius;
    }
    model_doubles(w, "/model/contact_point_form", n, 8, forms);
}

static void model_head(model_writer *w, const pawl_sim *sim, const record_model_head *head)
{
    size_t size = record_settings_text(pawl_sim_settings(sim), NULL, 0) + 1;
    char *settings = model_scratch(w, size);
    if (settings == NULL) {
        return;
    }
    (void)record_settings_text(pawl_sim_settings(sim), settings, size);
    const record_counts *c = w->counts;
    const int format = RECORD_FORMAT;
    const int counts[7] = {c->bodies, c->joints,  c->coordinates, c->actuators,
                           c->shapes, c->springs, c->colliders};
    const uint64_t hash = pawl_model_hash(w->model);
    const uint64_t state_size = pawl_state_size(pawl_sim_state(sim));
    const pawl_vec3 g = pawl_model_gravity(w->model);
    const double gravity[3] = {g.x, g.y, g.z};
    hid_t f = w->file;
    bool ok =
        model_attribute(f, "format", H5T_STD_I32LE, H5T_NATIVE_INT, &format, 1) &&
        record_model_text(f, "pawl_version", pawl_version()) &&
        record_model_text(f, "model_name", pawl_model_name(w->model)) &&
        record_model_text(f, "model_path", head->model_path == NULL ? "" : head->model_path) &&
        record_model_text(f, "settings", settings) &&
        model_attribute(f, "model_hash", H5T_STD_U64LE, H5T_NATIVE_UINT64, &hash, 1) &&
        model_attribute(f, "state_size", H5T_STD_U64LE, H5T_NATIVE_UINT64, &state_size, 1) &&
        model_attribute(f, "counts", H5T_STD_I32LE, H5T_NATIVE_INT, counts, 7) &&
        model_attribute(f, "trace", H5T_STD_U32LE, H5T_NATIVE_UINT, &head->trace, 1) &&
        model_attribute(f, "interval", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &head->interval, 1) &&
        model_attribute(f, "flush_frames", H5T_STD_I32LE, H5T_NATIVE_INT, &head->flush_frames, 1) &&
        model_attribute(f, "gravity", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, gravity, 3) &&
        (head->motion_path == NULL || head->motion_path[0] == '\0' ||
         record_model_text(f, "motion_path", head->motion_path));
    w->status = ok ? PAWL_OK : PAWL_IO_ERROR;
}

pawl_status record_model_write(const pawl_env *env, hid_t file, const record_store *store,
                               const pawl_sim *sim, const record_counts *counts,
                               const record_model_head *head)
{
    model_writer w = {.env = env, .file = file, .model = pawl_sim_model(sim), .counts = counts};
    model_head(&w, sim, head);
    model_bodies(&w);
    model_joints(&w);
    model_shapes(&w);
    model_hulls(&w);
    model_meshes(&w);
    model_springs(&w);
    model_fields(&w);
    model_contact_points(&w);
    pawl_free(env, w.scratch, w.scratch_size);
    if (w.status == PAWL_IO_ERROR) {
        return record_h5_fail(store, PAWL_IO_ERROR, "cannot write the model's description");
    }
    return w.status;
}
