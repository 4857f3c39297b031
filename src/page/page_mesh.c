// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes of a scene for pages. Wheels and fingers often use one file several times, so equal meshes are written once
// and referred to by number. Points are 16-bit fractions of the box around the mesh: 1/65535 of its size is finer
// than a pixel. If there are too many triangles, pawl_mesh_simplify() reduces each mesh in proportion to its size.
#include "page/page_mesh.h"
#include "base/carver.h"
#include "base/hash.h"
#include "math/mesh_simplify.h"
#include "math/vec.h"
#include "page/page_json.h"
#include <math.h>
#include <string.h>

enum { PAGE_MESH_LEAST = 300 }; // triangles that a mesh keeps in any case

typedef struct page_mesh_source {
    uint64_t hash;
    int shape; // the first that has it
    drawn_mesh mesh;
} page_mesh_source;

struct page_meshes {
    const page_scene *scene;
    size_t bytes;
    int count;
    int64_t given; // triangles before
    bool thinned;
    page_mesh_source *source; // (count)
    int *number;              // (shapes)
};

static page_meshes *meshes_layout(int shapes, pawl_carver *mem)
{
    page_meshes *m = PAWL_CARVE(mem, page_meshes, 1);
    page_mesh_source *source = PAWL_CARVE(mem, page_mesh_source, shapes);
    int *number = PAWL_CARVE(mem, int, shapes);
    if (m != NULL) {
        *m = (page_meshes){.source = source, .number = number};
    }
    return m;
}

static uint64_t mesh_hash(const pawl_shape_def *shape)
{
    uint64_t h = PAWL_HASH_SEED;
    for (int i = 0; i < shape->point_count; ++i) {
        const double v[3] = {shape->points[i].x, shape->points[i].y, shape->points[i].z};
        h = pawl_hash_doubles(h, v, 3);
    }
    return pawl_hash_bytes(h, shape->triangles,
                           3 * (size_t)shape->triangle_count * sizeof *shape->triangles);
}

static bool mesh_same(const pawl_shape_def *a, const pawl_shape_def *b)
{
    return a->point_count == b->point_count && a->triangle_count == b->triangle_count &&
           memcmp(a->points, b->points, (size_t)a->point_count * sizeof *a->points) == 0 &&
           memcmp(a->triangles, b->triangles,
                  3 * (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

static void meshes_number(page_meshes *m, const bool *drawn)
{
    for (int s = 0; s < m->scene->shape_count; ++s) {
        const pawl_shape_def *shape = &m->scene->shapes[s].def;
        m->number[s] = -1;
        if (shape->kind != PAWL_SHAPE_MESH || !drawn[s]) {
            continue;
        }
        uint64_t hash = mesh_hash(shape);
        int k = 0;
        while (k < m->count && !(m->source[k].hash == hash &&
                                 mesh_same(&m->scene->shapes[m->source[k].shape].def, shape))) {
            ++k;
        }
        if (k == m->count) {
            m->source[m->count++] = (page_mesh_source){.hash = hash, .shape = s};
            m->given += shape->triangle_count;
        }
        m->number[s] = k;
    }
}

pawl_status page_meshes_create(const page_scene *scene, const bool *drawn, int most,
                               page_meshes **out)
{
    *out = NULL;
    pawl_carver need = {0};
    (void)meshes_layout(scene->shape_count, &need);
    char *block = pawl_alloc(scene->env, need.used);
    if (block == NULL) {
        return PAWL_FAIL(scene->env, PAWL_NO_MEMORY, "no memory for the meshes of a page");
    }
    pawl_carver mem = {.base = block, .capacity = need.used};
    page_meshes *m = meshes_layout(scene->shape_count, &mem);
    m->scene = scene;
    m->bytes = need.used;
    meshes_number(m, drawn);
    double part = m->given > most ? (double)most / (double)m->given : 1.0;
    m->thinned = part < 1.0;
    pawl_status status = PAWL_OK;
    for (int k = 0; k < m->count && status == PAWL_OK; ++k) {
        const pawl_shape_def *shape = &scene->shapes[m->source[k].shape].def;
        int own = part < 1.0 ? (int)(part * shape->triangle_count) : shape->triangle_count;
        own = own < PAGE_MESH_LEAST ? PAGE_MESH_LEAST : own;
        status = pawl_mesh_simplify(scene->env, shape->points, shape->point_count, shape->triangles,
                                    shape->triangle_count, own, &m->source[k].mesh);
    }
    if (status != PAWL_OK) {
        page_meshes_destroy(m);
        return status;
    }
    *out = m;
    return PAWL_OK;
}

void page_meshes_destroy(page_meshes *m)
{
    if (m == NULL) {
        return;
    }
    const pawl_env *env = m->scene->env;
    for (int k = 0; k < m->count; ++k) {
        pawl_drawn_mesh_free(env, &m->source[k].mesh);
    }
    pawl_free(env, m, m->bytes);
}

int page_meshes_of(const page_meshes *m, int shape)
{
    return m->number[shape];
}

// Bytes for base64 are collected in pieces that are a multiple of three, so that they join to one text.
typedef struct mesh_bytes {
    report_text *page;
    size_t used;
    unsigned char data[3 * 1024];
} mesh_bytes;

static void mesh_put(mesh_bytes *b, uint32_t value, int size)
{
    for (int k = 0; k < size; ++k) { // little endian
        b->data[b->used++] = (unsigned char)(value >> 8 * k);
        if (b->used == sizeof b->data) {
            page_json_base64_part(b->page, b->data, b->used);
            b->used = 0;
        }
    }
}

static void mesh_end(mesh_bytes *b)
{
    page_json_base64_part(b->page, b->data, b->used);
    b->used = 0;
    report_add_plain(b->page, "\"");
}

static void mesh_write(report_text *page, const drawn_mesh *mesh)
{
    pawl_vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_scale(-1.0, low);
    for (int i = 0; i < mesh->point_count; ++i) {
        pawl_vec3 p = mesh->points[i];
        low = v3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = v3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    if (mesh->point_count == 0) {
        low = high = v3(0.0, 0.0, 0.0);
    }
    pawl_vec3 size = v3_sub(high, low);
    mesh_bytes bytes = {.page = page};
    bool wide = mesh->point_count > 65536;
    report_add_plain(page, "{\"low\":");
    page_json_numbers(page, (const double[]){low.x, low.y, low.z}, 3);
    report_add_plain(page, ",\"size\":");
    page_json_numbers(page, (const double[]){size.x, size.y, size.z}, 3);
    report_add_plain(page, ",\"points\":\"");
    for (int i = 0; i < mesh->point_count; ++i) {
        const double v[3] = {mesh->points[i].x - low.x, mesh->points[i].y - low.y,
                             mesh->points[i].z - low.z};
        const double w[3] = {size.x, size.y, size.z};
        for (int k = 0; k < 3; ++k) {
            double fraction = w[k] > 0.0 ? v[k] / w[k] : 0.0;
            mesh_put(&bytes, (uint32_t)(clamp_to(fraction, 0.0, 1.0) * 65535.0 + 0.5), 2);
        }
    }
    mesh_end(&bytes);
    report_add(page, ",\"wide\":%s,\"triangles\":\"", wide ? "true" : "false");
    for (int k = 0; k < 3 * mesh->triangle_count; ++k) {
        mesh_put(&bytes, (uint32_t)mesh->triangles[k], wide ? 4 : 2);
    }
    mesh_end(&bytes);
    report_add_plain(page, "}");
}

void page_meshes_write(report_text *page, const page_meshes *m)
{
    if (m->count == 0) {
        return;
    }
    int64_t drawn = 0;
    report_add_plain(page, ",\"meshes\":[");
    for (int k = 0; k < m->count; ++k) {
        report_add_plain(page, k > 0 ? "," : "");
        mesh_write(page, &m->source[k].mesh);
        drawn += m->source[k].mesh.triangle_count;
    }
    long long given = m->thinned ? m->given : drawn; // triangles without area do not count
    report_add(page, "],\"triangles\":[%lld,%lld]", (long long)drawn, given);
}
