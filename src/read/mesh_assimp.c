// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Collada (DAE), glTF binary, PLY and others through assimp, where pawl was built with it. Meshes are read from
// memory, so that assimp opens no files. As in RViz and Gazebo, Collada's unit is applied and its up axis is not.
#include "read/mesh.h"
#include <stdio.h>
#include <string.h>

#if defined(PAWL_WITH_ASSIMP)
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

enum { ASSIMP_MAX_DEPTH = 200, ASSIMP_MAX_NODES = 100000 };

typedef struct assimp_walk {
    const struct aiScene *scene;
    triangle_mesh *out; // NULL: count alone
    size_t vertices, triangles;
    int nodes, parts;
    xml_reader *reader;
    const char *node_name; // of the node that is visited
} assimp_walk;

// Diffuse colour, and how far it lets light through.
static mesh_part assimp_material(const struct aiScene *scene, const struct aiMesh *mesh)
{
    mesh_part part = {.rgba = {1.0f, 1.0f, 1.0f, 1.0f}};
    if (mesh->mMaterialIndex >= scene->mNumMaterials) {
        return part;
    }
    const struct aiMaterial *material = scene->mMaterials[mesh->mMaterialIndex];
    struct aiColor4D c;
    part.textured = aiGetMaterialTextureCount(material, aiTextureType_DIFFUSE) > 0 ||
                    aiGetMaterialTextureCount(material, aiTextureType_BASE_COLOR) > 0;
    if (aiGetMaterialColor(material, AI_MATKEY_COLOR_DIFFUSE, &c) == aiReturn_SUCCESS) {
        float opacity = 1.0f;
        part.coloured = true;
        // aiGetMaterialFloat() is inline in a header without a definition elsewhere: no symbol without optimization.
        (void)aiGetMaterialFloatArray(material, AI_MATKEY_OPACITY, &opacity, NULL);
        const float rgba[4] = {c.r, c.g, c.b, opacity};
        memcpy(part.rgba, rgba, sizeof rgba);
    }
    return part;
}

static void assimp_take(assimp_walk *w, const struct aiMesh *mesh, const struct aiMatrix4x4 *m)
{
    size_t first = w->triangles;
    for (unsigned f = 0; f < mesh->mNumFaces; ++f) {
        const struct aiFace *face = &mesh->mFaces[f];
        if (face->mNumIndices != 3) {
            continue; // points and lines
        }
        if (w->out != NULL) {
            for (int k = 0; k < 3; ++k) {
                w->out->triangles[w->triangles].v[k] = (int)(w->vertices + face->mIndices[k]);
            }
        }
        w->triangles += 1;
    }
    for (unsigned i = 0; i < mesh->mNumVertices && w->out != NULL; ++i) {
        const struct aiVector3D *p = &mesh->mVertices[i];
        w->out->vertices[w->vertices + i] =
            (pawl_vec3){(double)m->a1 * p->x + (double)m->a2 * p->y + (double)m->a3 * p->z + m->a4,
                        (double)m->b1 * p->x + (double)m->b2 * p->y + (double)m->b3 * p->z + m->b4,
                        (double)m->c1 * p->x + (double)m->c2 * p->y + (double)m->c3 * p->z + m->c4};
    }
    w->vertices += mesh->mNumVertices;
    if (w->out != NULL) {
        mesh_part part = assimp_material(w->scene, mesh);
        part.first = (int)first;
        part.count = (int)(w->triangles - first);
        part.name = xml_join(w->reader, "", mesh->mName.data);
        part.node = xml_join(w->reader, "", w->node_name);
        w->out->parts[w->parts] = part;
    }
    w->parts += 1;
}

static bool assimp_visit(assimp_walk *w, const struct aiNode *node, struct aiMatrix4x4 m, int depth)
{
    if (depth > ASSIMP_MAX_DEPTH || ++w->nodes > ASSIMP_MAX_NODES) {
        return false;
    }
    struct aiMatrix4x4 own = m;
    aiMultiplyMatrix4(&own, &node->mTransformation);
    w->node_name = node->mName.data;
    for (unsigned i = 0; i < node->mNumMeshes; ++i) {
        assimp_take(w, w->scene->mMeshes[node->mMeshes[i]], &own);
    }
    for (unsigned i = 0; i < node->mNumChildren; ++i) {
        if (!assimp_visit(w, node->mChildren[i], own, depth + 1)) {
            return false;
        }
    }
    return true;
}

pawl_status mesh_read_assimp(const mesh_source *s, triangle_mesh *out)
{
    if (s->size == 0) { // assimp asserts
        snprintf(s->why, MESH_WHY, "the file is empty");
        return PAWL_BAD_FILE;
    }
    struct aiPropertyStore *store = aiCreatePropertyStore();
    if (store == NULL) {
        return PAWL_NO_MEMORY;
    }
    aiSetImportPropertyInteger(store, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    const struct aiScene *scene = aiImportFileFromMemoryWithProperties(
        s->data, (unsigned)s->size, aiProcess_Triangulate | aiProcess_JoinIdenticalVertices,
        s->ending, store);
    aiReleasePropertyStore(store);
    if (scene == NULL || scene->mRootNode == NULL) {
        snprintf(s->why, MESH_WHY, "assimp: %.120s", scene == NULL ? aiGetErrorString() : "empty");
        aiReleaseImport(scene);
        return PAWL_BAD_FILE;
    }
    struct aiMatrix4x4 one;
    aiIdentityMatrix4(&one);
    assimp_walk w = {.scene = scene};
    pawl_status status = PAWL_OK;
    if (!assimp_visit(&w, scene->mRootNode, one, 0)) {
        snprintf(s->why, MESH_WHY, "its nodes are too many or nested too deep");
        status = PAWL_BAD_FILE;
    }
    if (status == PAWL_OK) {
        status = mesh_reserve(s, out, w.vertices, w.triangles);
    }
    if (status == PAWL_OK) {
        out->parts = xml_alloc(s->reader, ((size_t)w.parts + 1) * sizeof *out->parts);
        status = out->parts != NULL ? PAWL_OK : PAWL_NO_MEMORY;
    }
    if (status == PAWL_OK) {
        w = (assimp_walk){.scene = scene, .out = out, .reader = s->reader};
        assimp_visit(&w, scene->mRootNode, one, 0);
        out->part_count = w.parts;
    }
    aiReleaseImport(scene);
    return status;
}

#else

pawl_status mesh_read_assimp(const mesh_source *s, triangle_mesh *out)
{
    (void)out;
    snprintf(s->why, MESH_WHY,
             "this pawl was built without assimp, which reads .%s; STL, OBJ and msh work without",
             s->ending);
    return PAWL_UNSUPPORTED;
}

#endif
