// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes by URI: found, read once, checked. The ending of the name determines the format.
#include "base/hash.h"
#include "math/vec.h"
#include "read/mesh.h"
#include "read/search_path.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct mesh_format {
    const char *ending;
    pawl_status (*read)(const mesh_source *source, triangle_mesh *out);
} mesh_format;
static const mesh_format mesh_formats[] = {{"stl", mesh_read_stl},    {"obj", mesh_read_obj},
                                           {"msh", mesh_read_msh},    {"dae", mesh_read_assimp},
                                           {"glb", mesh_read_assimp}, {"ply", mesh_read_assimp},
                                           {"3ds", mesh_read_assimp}, {"off", mesh_read_assimp}};

pawl_status mesh_reserve(const mesh_source *s, triangle_mesh *mesh, size_t vertices,
                         size_t triangles)
{
    if (vertices > MESH_MAX_VERTICES || triangles > MESH_MAX_TRIANGLES) {
        snprintf(s->why, MESH_WHY, "%zu vertices and %zu triangles; at most %d and %d are read",
                 vertices, triangles, (int)MESH_MAX_VERTICES, (int)MESH_MAX_TRIANGLES);
        return PAWL_BAD_FILE;
    }
    mesh->vertices = xml_alloc(s->reader, (vertices + 1) * sizeof *mesh->vertices);
    mesh->triangles = xml_alloc(s->reader, (triangles + 1) * sizeof *mesh->triangles);
    mesh->vertex_count = (int)vertices;
    mesh->triangle_count = (int)triangles;
    return mesh->vertices != NULL && mesh->triangles != NULL ? PAWL_OK : PAWL_NO_MEMORY;
}

static pawl_status mesh_file_parse(const mesh_source *source, triangle_mesh *out)
{
    const char *ending = source->ending;
    char *why = source->why;
    const mesh_format *format = NULL;
    for (size_t i = 0; i < sizeof mesh_formats / sizeof mesh_formats[0]; ++i) {
        format = strcmp(mesh_formats[i].ending, ending) == 0 ? &mesh_formats[i] : format;
    }
    snprintf(why, MESH_WHY, "no memory");
    if (format == NULL) {
        snprintf(why, MESH_WHY,
                 "no reader for .%.10s; expected stl, obj, msh, dae, glb, ply, 3ds or off", ending);
        return PAWL_BAD_FILE;
    }
    if (source->size == 0) {
        snprintf(why, MESH_WHY, "the file is empty");
        return PAWL_BAD_FILE;
    }
    static const char pointer[] = "version https://git-lfs";
    if (source->size >= sizeof pointer && memcmp(source->data, pointer, sizeof pointer - 1) == 0) {
        snprintf(why, MESH_WHY, "a Git LFS pointer, not the mesh itself: git lfs pull fetches it");
        return PAWL_BAD_FILE;
    }
    PAWL_TRY(format->read(source, out));
    for (int i = 0; i < out->vertex_count; ++i) {
        if (!v3_finite(out->vertices[i])) {
            snprintf(why, MESH_WHY, "vertex %d is not finite", i);
            return PAWL_BAD_FILE;
        }
    }
    return PAWL_OK;
}

pawl_status mesh_parse(xml_reader *reader, const char *ending, const char *data, size_t size,
                       triangle_mesh *out, char why[MESH_WHY])
{
    mesh_source source = {reader, data, size, ending, why, NULL};
    return mesh_file_parse(&source, out);
}

static void mesh_file_ending(const char *path, char ending[8])
{
    const char *dot = strrchr(path, '.');
    snprintf(ending, 8, "%.7s", dot != NULL ? dot + 1 : "");
    for (char *c = ending; *c != '\0'; ++c) {
        *c = (char)tolower((unsigned char)*c);
    }
}

pawl_status mesh_file_slurp(const pawl_env *env, const char *path, char **data, size_t *size,
                            char why[MESH_WHY])
{
    struct stat info;
    *data = NULL;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        snprintf(why, MESH_WHY, "not a regular file");
        return PAWL_BAD_FILE;
    }
    if (info.st_size > (off_t)MESH_MAX_BYTES) {
        snprintf(why, MESH_WHY, "%lld bytes is too large: a mesh file has at most 256 MiB",
                 (long long)info.st_size);
        return PAWL_BAD_FILE;
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        snprintf(why, MESH_WHY, "%s", strerror(errno));
        return PAWL_BAD_FILE;
    }
    *size = (size_t)info.st_size;
    *data = pawl_alloc(env, *size + 1);
    bool whole = *data != NULL && fread(*data, 1, *size, stream) == *size;
    fclose(stream);
    if (!whole) {
        snprintf(why, MESH_WHY, "it could not be read whole");
        pawl_free(env, *data, *data != NULL ? *size + 1 : 0);
        *data = NULL;
        return PAWL_BAD_FILE;
    }
    (*data)[*size] = '\0';
    return PAWL_OK;
}

// The mesh of a file, read once.
static pawl_status mesh_file_open(xml_reader *reader, const xmlNode *where, const char *path,
                                  const triangle_mesh **out)
{
    for (const triangle_mesh *m = reader->meshes; m != NULL; m = m->next) {
        if (strcmp(m->path, path) == 0) {
            *out = m;
            return PAWL_OK;
        }
    }
    triangle_mesh *mesh = xml_alloc(reader, sizeof *mesh);
    if (mesh == NULL) {
        return PAWL_NO_MEMORY;
    }
    char ending[8], why[MESH_WHY] = "", *data;
    size_t size;
    mesh_file_ending(path, ending);
    pawl_status status = mesh_file_slurp(reader->env, path, &data, &size, why);
    if (status == PAWL_OK) {
        mesh_source source = {reader, data, size, ending, why, path};
        status = mesh_file_parse(&source, mesh);
        pawl_free(reader->env, data, size + 1);
    }
    if (status != PAWL_OK) {
        xml_error(reader, where, "mesh %s: %s", path, why);
        return status;
    }
    mesh->path = path;
    mesh->next = reader->meshes;
    reader->meshes = mesh;
    *out = mesh;
    return PAWL_OK;
}

pawl_status mesh_find(xml_reader *reader, const xmlNode *where, const char *folder, const char *uri,
                      const triangle_mesh **out, char tried[MESH_TRIED])
{
    const char *path;
    *out = NULL;
    PAWL_TRY(search_path_find(reader, where, folder, uri, &path, tried, MESH_TRIED));
    return path != NULL ? mesh_file_open(reader, where, path, out) : PAWL_OK;
}

pawl_status mesh_find_nearby(xml_reader *reader, const xmlNode *where, const char *uri,
                             const triangle_mesh **out)
{
    const char *path;
    *out = NULL;
    PAWL_TRY(search_path_nearby(reader, where, uri, &path));
    if (path == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, where,
                       "a mesh is not where its URI says; one of that name nearby is taken", path));
    return mesh_file_open(reader, where, path, out);
}

pawl_status mesh_scaled(xml_reader *reader, const triangle_mesh *mesh, pawl_vec3 scale,
                        triangle_mesh *out)
{
    *out = *mesh;
    out->vertices = xml_alloc(reader, ((size_t)mesh->vertex_count + 1) * sizeof *out->vertices);
    out->triangles = xml_alloc(reader, ((size_t)mesh->triangle_count + 1) * sizeof *out->triangles);
    if (out->vertices == NULL || out->triangles == NULL) {
        return PAWL_NO_MEMORY;
    }
    bool mirrored = scale.x * scale.y * scale.z < 0.0;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        pawl_vec3 v = mesh->vertices[i];
        out->vertices[i] = v3(scale.x * v.x, scale.y * v.y, scale.z * v.z);
    }
    for (int i = 0; i < mesh->triangle_count; ++i) {
        mesh_triangle t = mesh->triangles[i];
        out->triangles[i] = mirrored ? (mesh_triangle){{t.v[0], t.v[2], t.v[1]}} : t;
    }
    return PAWL_OK;
}

// Exporters put "geom-" and the like before the name of a geometry, which is all that assimp has of it.
static bool mesh_part_is(const mesh_part *part, const char *name)
{
    const char *own[] = {part->name, part->node};
    bool is = false;
    for (int i = 0; i < 2; ++i) {
        size_t have = own[i] != NULL ? strlen(own[i]) : 0, want = strlen(name);
        is = is || (have >= want && want > 0 && strcmp(own[i] + have - want, name) == 0 &&
                    (have == want || own[i][have - want - 1] == '-'));
    }
    return is;
}

pawl_status mesh_named_part(xml_reader *reader, const triangle_mesh *mesh, const char *name,
                            bool center, triangle_mesh *out)
{
    int count = 0;
    *out = *mesh;
    out->triangle_count = out->vertex_count = out->part_count = 0;
    for (int k = 0; k < mesh->part_count; ++k) {
        count += mesh_part_is(&mesh->parts[k], name) ? mesh->parts[k].count : 0;
    }
    out->vertices = xml_alloc(reader, (3 * (size_t)count + 1) * sizeof *out->vertices);
    out->triangles = xml_alloc(reader, ((size_t)count + 1) * sizeof *out->triangles);
    if (out->vertices == NULL || out->triangles == NULL) {
        return PAWL_NO_MEMORY;
    }
    pawl_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_scale(-1.0, low);
    for (int k = 0; k < mesh->part_count; ++k) {
        const mesh_part *part = &mesh->parts[k];
        bool meant = mesh_part_is(part, name);
        for (int t = part->first; meant && t < part->first + part->count; ++t) {
            for (int c = 0; c < 3; ++c) {
                pawl_vec3 v = mesh->vertices[mesh->triangles[t].v[c]];
                low = v3(fmin(low.x, v.x), fmin(low.y, v.y), fmin(low.z, v.z));
                high = v3(fmax(high.x, v.x), fmax(high.y, v.y), fmax(high.z, v.z));
                out->triangles[out->triangle_count].v[c] = out->vertex_count;
                out->vertices[out->vertex_count++] = v;
            }
            out->triangle_count += 1;
        }
    }
    for (int i = 0; center && i < out->vertex_count; ++i) {
        out->vertices[i] = v3_sub(out->vertices[i], v3_scale(0.5, v3_add(low, high)));
    }
    return PAWL_OK;
}

uint64_t mesh_key(const triangle_mesh *mesh)
{
    uint64_t key = pawl_hash_text(0, "mesh 1");
    key = pawl_hash_doubles(key, &mesh->vertices->x, 3 * (size_t)mesh->vertex_count);
    return pawl_hash_bytes(key, mesh->triangles,
                           (size_t)mesh->triangle_count * sizeof *mesh->triangles);
}
