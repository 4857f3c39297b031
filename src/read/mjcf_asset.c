// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// <asset> of MJCF: meshes, height fields and models for <attach>; of materials the colour, for drawing.
#include "math/rotation.h"
#include "read/mjcf_parts.h"
#include <stdio.h>
#include <string.h>

// The name of an asset is that of its file without folder and ending, where it has none.
static const char *mjcf_asset_name(mjcf_reader *r, const xmlNode *node)
{
    const char *name = xml_attribute(node, "name"), *file = xml_attribute(node, "file");
    if (name != NULL || file == NULL) {
        return name;
    }
    const char *slash = strrchr(file, '/');
    file = slash != NULL ? slash + 1 : file;
    const char *dot = strrchr(file, '.');
    size_t length = dot != NULL ? (size_t)(dot - file) : strlen(file);
    char *copy = xml_alloc(r->xml, length + 1);
    if (copy != NULL) {
        memcpy(copy, file, length);
    }
    return copy;
}

static pawl_status mjcf_asset_add(mjcf_reader *r, const mjcf_spec *spec, const xmlNode *node,
                                  pawl_array *array, mjcf_scope scope, const char *tag)
{
    mjcf_asset asset = {.name = mjcf_asset_name(r, node)};
    if (asset.name == NULL) {
        return xml_error(r->xml, node, "<%s> has neither name nor file", node->name);
    }
    asset.e = (mjcf_element){.node = node, .spec = spec, .tag = tag};
    PAWL_TRY(mjcf_class_of(r, spec, node, "class", 0, &asset.e.default_class));
    PAWL_TRY(mjcf_enter(r, node, mjcf_spec_scope(spec, scope), asset.name, array->count));
    mjcf_asset *slot = mjcf_push(r, array, sizeof *slot);
    if (slot == NULL) {
        return PAWL_NO_MEMORY;
    }
    *slot = asset;
    return PAWL_OK;
}

pawl_status mjcf_assets_list(mjcf_reader *r, const mjcf_spec *spec)
{
    mjcf_children sections, children;
    PAWL_TRY(mjcf_list(r, spec->root, &sections));
    for (int s = 0; s < sections.count; ++s) {
        if (!xml_is(sections.nodes[s], "asset")) {
            continue;
        }
        PAWL_TRY(mjcf_list(r, sections.nodes[s], &children));
        for (int i = 0; i < children.count; ++i) {
            const xmlNode *node = children.nodes[i];
            if (xml_is(node, "mesh")) {
                PAWL_TRY(mjcf_asset_add(r, spec, node, &r->meshes, MJCF_MESH, "mesh"));
            } else if (xml_is(node, "hfield")) {
                PAWL_TRY(mjcf_asset_add(r, spec, node, &r->fields, MJCF_HFIELD, NULL));
            } else if (xml_is(node, "model")) {
                PAWL_TRY(mjcf_asset_add(r, spec, node, &r->models, MJCF_MODEL, NULL));
            } else if (xml_is(node, "material")) {
                if (xml_attribute(node, "name") != NULL) {
                    PAWL_TRY(
                        mjcf_asset_add(r, spec, node, &r->materials, MJCF_MATERIAL, "material"));
                }
            } else if (!xml_is(node, "texture") && !xml_is(node, "skin")) {
                PAWL_TRY(
                    xml_unsupported(r->xml, node, "<%s> in <asset> is not supported", node->name));
            }
        }
    }
    return PAWL_OK;
}

// Vertices and faces that stand in the file.
static pawl_status mjcf_mesh_inline(mjcf_reader *r, const mjcf_element *e, triangle_mesh *out)
{
    const char *text = mjcf_get(e, "vertex"), *faces = mjcf_get(e, "face");
    double *list;
    int count;
    PAWL_TRY(xml_number_list(r->xml, e->node, "vertex", text, &list, &count));
    if (count % 3 != 0 || count < 12) {
        return xml_error(r->xml, e->node,
                         "vertex: got %d numbers, expected three for each of four "
                         "or more vertices",
                         count);
    }
    out->vertex_count = count / 3;
    out->vertices = xml_alloc(r->xml, (size_t)count / 3 * sizeof *out->vertices);
    if (out->vertices == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < out->vertex_count; ++i) {
        out->vertices[i] = v3(list[3 * i], list[3 * i + 1], list[3 * i + 2]);
    }
    if (faces == NULL) {
        return PAWL_OK;
    }
    PAWL_TRY(xml_number_list(r->xml, e->node, "face", faces, &list, &count));
    out->triangle_count = count / 3;
    out->triangles = xml_alloc(r->xml, ((size_t)count / 3 + 1) * sizeof *out->triangles);
    if (out->triangles == NULL) {
        return PAWL_NO_MEMORY;
    }
    for (int i = 0; i < 3 * out->triangle_count; ++i) {
        if (!(list[i] >= 0.0 && list[i] < out->vertex_count)) {
            return xml_error(r->xml, e->node, "face: got vertex %g of %d", list[i],
                             out->vertex_count);
        }
        out->triangles[i / 3].v[i % 3] = (int)list[i];
    }
    return PAWL_OK;
}

pawl_status mjcf_mesh_of_hull(mjcf_reader *r, const xmlNode *node, const triangle_mesh *mesh,
                              triangle_mesh *out)
{
    mesh_hull hull;
    pawl_hull_faces *faces;
    PAWL_TRY(mesh_whole_hull(r->xml, mesh->vertices, mesh->vertex_count, out));
    out->path = mesh->path;
    if (out->triangle_count > 0) {
        return PAWL_OK;
    }
    PAWL_TRY(mesh_hull_make(r->xml, mesh->vertices, mesh->vertex_count, &hull));
    if (hull.count < 4 || hull.thickened) {
        return xml_error(r->xml, node, "the mesh is flat: it has no volume");
    }
    PAWL_TRY(pawl_hull_faces_create(r->xml->env, hull.points, hull.count, &faces));
    int corners = faces->start[faces->count];
    *out = (triangle_mesh){.path = mesh->path, .vertex_count = corners};
    out->vertices = xml_alloc(r->xml, (size_t)corners * sizeof *out->vertices);
    out->triangles = xml_alloc(r->xml, (size_t)corners * sizeof *out->triangles);
    bool room = out->vertices != NULL && out->triangles != NULL;
    for (int f = 0; room && f < faces->count; ++f) {
        for (int k = faces->start[f]; k < faces->start[f + 1]; ++k) {
            out->vertices[k] = faces->corners[k];
            if (k >= faces->start[f] + 2) {
                out->triangles[out->triangle_count++] =
                    (mesh_triangle){{faces->start[f], k - 1, k}};
            }
        }
    }
    pawl_hull_faces_destroy(r->xml->env, faces);
    return room ? PAWL_OK : PAWL_NO_MEMORY;
}

static pawl_status mjcf_mesh_file(mjcf_reader *r, const mjcf_element *e, triangle_mesh *out)
{
    const mjcf_compiler *c = &e->spec->compiler;
    const char *file = mjcf_get(e, "file");
    const char *folder = c->mesh_folder != NULL ? c->mesh_folder : c->asset_folder;
    if (file == NULL) {
        return xml_unsupported(r->xml, e->node,
                               "<mesh> has neither file nor vertex; made-up meshes are not read");
    }
    if (c->strip_path && strrchr(file, '/') != NULL) {
        file = strrchr(file, '/') + 1;
    }
    const triangle_mesh *found;
    char tried[MESH_TRIED];
    // MuJoCo's paths are relative to the model's own file, also in files that it includes.
    const xmlNode *places[] = {e->spec->root, e->node, r->specs->root};
    char again[MESH_TRIED];
    PAWL_TRY(mesh_find(r->xml, places[0], folder, file, &found, tried));
    for (int i = 1; i < 3 && found == NULL; ++i) {
        if (places[i]->doc != places[0]->doc) {
            PAWL_TRY(mesh_find(r->xml, places[i], folder, file, &found, again));
        }
    }
    if (found == NULL) {
        PAWL_TRY(mesh_find_nearby(r->xml, e->node, file, &found));
    }
    if (found == NULL) {
        return xml_unsupported(r->xml, e->node,
                               "mesh '%s' is not there; tried %s; --path adds a folder, --lenient "
                               "leaves its geoms out",
                               file, tried);
    }
    if (found->vertex_count == 0) {
        return xml_error(r->xml, e->node, "mesh '%s' has no vertex", file);
    }
    *out = *found;
    return PAWL_OK;
}

// refpos and refquat: the mesh is read as seen from that frame.
static pawl_status mjcf_mesh_place(mjcf_reader *r, const mjcf_element *e, triangle_mesh *mesh)
{
    pawl_pose frame = pawl_pose_identity();
    double q[4];
    int n;
    PAWL_TRY(mjcf_vec3(r, e, "refpos", &frame.position));
    PAWL_TRY(mjcf_numbers(r, e, "refquat", q, 4, &n));
    if (n == 4) {
        pawl_quat given = {q[0], q[1], q[2], q[3]};
        if (!(quat_norm2(given) > 1e-20)) {
            return xml_error(r->xml, e->node, "refquat has no direction");
        }
        frame.orientation = pawl_quat_normalize(given);
    }
    pawl_pose back = pawl_pose_inverse(frame);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        mesh->vertices[i] = pawl_pose_apply(back, mesh->vertices[i]);
    }
    return PAWL_OK;
}

pawl_status mjcf_asset_mesh(mjcf_reader *r, int index, const triangle_mesh **out)
{
    mjcf_asset *asset = &PAWL_ITEM(r->meshes, mjcf_asset, index);
    const mjcf_element *e = &asset->e;
    *out = asset->mesh;
    if (asset->mesh != NULL) {
        return PAWL_OK;
    }
    triangle_mesh raw = {0};
    triangle_mesh *mesh = xml_alloc(r->xml, sizeof *mesh);
    pawl_vec3 scale = v3(1.0, 1.0, 1.0);
    if (mesh == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(mjcf_get(e, "vertex") != NULL ? mjcf_mesh_inline(r, e, &raw)
                                           : mjcf_mesh_file(r, e, &raw));
    if (raw.vertex_count == 0) {
        return PAWL_OK; // left out
    }
    PAWL_TRY(mjcf_vec3(r, e, "scale", &scale));
    if (scale.x == 0.0 || scale.y == 0.0 || scale.z == 0.0) {
        return xml_error(r->xml, e->node, "scale: expected numbers other than 0");
    }
    PAWL_TRY(mesh_scaled(r->xml, &raw, scale, mesh));
    PAWL_TRY(mjcf_mesh_place(r, e, mesh));
    if (mesh->triangle_count == 0) {
        triangle_mesh hull;
        PAWL_TRY(mjcf_mesh_of_hull(r, e->node, mesh, &hull));
        *mesh = hull;
    }
    asset->mesh = mesh;
    *out = mesh;
    return PAWL_OK;
}
