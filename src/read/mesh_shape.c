// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes as shapes: a collision mesh touches as its convex hull or, on request, as convex parts or as triangles; a
// visual mesh is drawn as triangles, in the colours of its materials.
#include "read/mesh_shape.h"
#include "math/mesh_simplify.h"
#include "math/vec.h"
#include "read/mesh_parts.h"
#include <stdio.h>
#include <string.h>

enum {
    DRAWN_OF_ONE = 200 * 1000, // triangles of one mesh that are kept for drawing
    DRAWN_LEAST = 500,         // also when the meshes before have used up MESH_DRAWN_TRIANGLES
    DRAWN_COLOURS = 32         // of one mesh
};

static pawl_status mesh_shape_give(xml_reader *reader, const mesh_place *place,
                                   const pawl_shape_def *def)
{
    const char *name = def->name != NULL ? def->name : place->owner;
    return xml_refused(reader, place->node, "shape", name != NULL ? name : "",
                       pawl_builder_add_shape(place->builder, place->body, def, NULL));
}

// ---- Shapes that touch --------------------------------------------------------------------------

typedef struct kept_hull {
    const struct kept_hull *next; // in the reader's list
    uint64_t key;                 // of the mesh
    mesh_hull hull;
} kept_hull;

// Made once for meshes with the same numbers: a file may use one a hundred times.
static pawl_status mesh_shape_kept(xml_reader *reader, const triangle_mesh *mesh,
                                   const mesh_hull **out)
{
    uint64_t key = mesh_key(mesh);
    for (const kept_hull *k = reader->hulls; k != NULL; k = k->next) {
        if (k->key == key) {
            *out = &k->hull;
            return PAWL_OK;
        }
    }
    kept_hull *made = xml_alloc(reader, sizeof *made);
    if (made == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(mesh_hull_make(reader, mesh->vertices, mesh->vertex_count, &made->hull));
    made->key = key;
    made->next = reader->hulls;
    reader->hulls = made;
    *out = &made->hull;
    return PAWL_OK;
}

static pawl_status mesh_shape_hull(xml_reader *reader, const mesh_place *place,
                                   const triangle_mesh *mesh, pawl_shape_def *def)
{
    const mesh_hull *hull;
    PAWL_TRY(mesh_shape_kept(reader, mesh, &hull));
    if (hull->count < 4) {
        return xml_error(reader, place->node,
                         "the %d vertices of the mesh lie on a line: no shape to collide with",
                         mesh->vertex_count);
    }
    if (hull->thickened) {
        PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, place->node,
                           "a flat collision mesh touches as a plate, 0.1 % of its size thick",
                           place->owner));
    }
    def->kind = PAWL_SHAPE_HULL;
    def->points = hull->points;
    def->point_count = hull->count;
    PAWL_TRY(xml_tally(reader, PAWL_LOG_NOTE, place->node,
                       "collision mesh touches as its convex hull", place->owner));
    return mesh_shape_give(reader, place, def);
}

static pawl_status mesh_shape_parts(xml_reader *reader, const mesh_place *place,
                                    const triangle_mesh *mesh, pawl_shape_def *def)
{
    const mesh_parts *parts;
    PAWL_TRY(mesh_parts_make(reader, mesh, &parts));
    if (parts->count <= 1) {
        return mesh_shape_hull(reader, place, mesh, def);
    }
    char text[200];
    snprintf(text, sizeof text, "%.100s (%d parts, %.2g m)", place->owner, parts->count,
             parts->concavity);
    PAWL_TRY(xml_tally(reader, PAWL_LOG_NOTE, place->node,
                       "collision mesh touches as convex parts, which fill pockets to a depth",
                       text));
    for (int i = 0; i < parts->count; ++i) {
        def->kind = PAWL_SHAPE_HULL;
        def->points = parts->hulls[i].points;
        def->point_count = parts->hulls[i].count;
        PAWL_TRY(mesh_shape_give(reader, place, def));
    }
    return PAWL_OK;
}

static pawl_status mesh_shape_touching(xml_reader *reader, const mesh_place *place,
                                       const triangle_mesh *mesh, pawl_shape_def *def)
{
    if (reader->mesh_contact == PAWL_MESH_HULL) {
        return mesh_shape_hull(reader, place, mesh, def);
    }
    if (reader->mesh_contact == PAWL_MESH_PARTS) {
        return mesh_shape_parts(reader, place, mesh, def);
    }
    def->kind = PAWL_SHAPE_MESH;
    def->points = mesh->vertices;
    def->point_count = mesh->vertex_count;
    def->triangles = mesh->triangles->v; // of all triangles, one after the other
    def->triangle_count = mesh->triangle_count;
    PAWL_TRY(xml_tally(reader, PAWL_LOG_NOTE, place->node,
                       "collision mesh touches by its triangles", place->owner));
    return mesh_shape_give(reader, place, def);
}

// ---- Shapes that are drawn ----------------------------------------------------------------------

typedef struct drawn_colours {
    int count;
    const mesh_part *of[DRAWN_COLOURS]; // the first part of each; NULL: no colour of its own
} drawn_colours;

static int drawn_colour_of(drawn_colours *c, const mesh_part *part)
{
    part = part != NULL && part->coloured ? part : NULL;
    for (int i = 0; i < c->count; ++i) {
        const mesh_part *other = c->of[i];
        if (other == part || (other != NULL && part != NULL &&
                              memcmp(other->rgba, part->rgba, sizeof part->rgba) == 0)) {
            return i;
        }
    }
    if (c->count == DRAWN_COLOURS) {
        return DRAWN_COLOURS - 1;
    }
    c->of[c->count] = part;
    return c->count++;
}

// The triangles of one colour, fewer where they are too many to draw.
static pawl_status drawn_add(xml_reader *reader, const mesh_place *place, const triangle_mesh *mesh,
                             const int *corners, int count, pawl_shape_def *def)
{
    drawn_mesh drawn;
    int most = reader->drawn_left < DRAWN_OF_ONE ? reader->drawn_left : DRAWN_OF_ONE;
    most = (int)((double)most * count / mesh->triangle_count);
    most = most < DRAWN_LEAST ? DRAWN_LEAST : most;
    PAWL_TRY(pawl_mesh_simplify(reader->env, mesh->vertices, mesh->vertex_count, corners, count,
                                most, &drawn));
    if (count > most) {
        xml_tally(reader, PAWL_LOG_NOTE, place->node,
                  "visual mesh with many triangles is drawn with fewer", place->owner);
    }
    pawl_status status = PAWL_OK;
    if (drawn.triangle_count > 0) {
        def->kind = PAWL_SHAPE_MESH;
        def->points = drawn.points;
        def->point_count = drawn.point_count;
        def->triangles = drawn.triangles;
        def->triangle_count = drawn.triangle_count;
        reader->drawn_left -= drawn.triangle_count;
        status = mesh_shape_give(reader, place, def);
    }
    pawl_drawn_mesh_free(reader->env, &drawn);
    return status;
}

static pawl_status mesh_shape_drawn(xml_reader *reader, const mesh_place *place,
                                    const triangle_mesh *mesh, pawl_shape_def *def)
{
    drawn_colours colours = {0};
    size_t n = (size_t)mesh->triangle_count;
    int *colour_of = xml_alloc(reader, (n + 1) * sizeof *colour_of);
    int *corners = xml_alloc(reader, (3 * n + 1) * sizeof *corners);
    if (colour_of == NULL || corners == NULL) {
        return PAWL_NO_MEMORY;
    }
    int parts = place->coloured ? 0 : mesh->part_count, plain = -1;
    memset(colour_of, 0xff, n * sizeof *colour_of);
    for (int k = 0; k < parts; ++k) {
        const mesh_part *part = &mesh->parts[k];
        int colour = drawn_colour_of(&colours, part);
        for (int t = part->first; t < part->first + part->count; ++t) {
            colour_of[t] = colour;
        }
        if (part->textured) {
            PAWL_TRY(xml_tally(reader, PAWL_LOG_NOTE, place->node,
                               "images on a visual mesh are not drawn, its plain colours are",
                               place->owner));
        }
    }
    for (size_t t = 0; t < n; ++t) {
        plain = colour_of[t] < 0 && plain < 0 ? drawn_colour_of(&colours, NULL) : plain;
        colour_of[t] = colour_of[t] < 0 ? plain : colour_of[t];
    }
    pawl_shape_def own = *def;
    for (int c = 0; c < colours.count; ++c) {
        int count = 0;
        for (size_t t = 0; t < n; ++t) {
            if (colour_of[t] == c) {
                memcpy(corners + 3 * count++, mesh->triangles[t].v, sizeof mesh->triangles[t].v);
            }
        }
        *def = own;
        if (colours.of[c] != NULL) {
            memcpy(def->rgba, colours.of[c]->rgba, sizeof def->rgba);
            for (int i = 0; i < 4; ++i) {
                def->rgba[i] = (float)clamp_to((double)def->rgba[i], 0.0, 1.0);
            }
        }
        if (count > 0) {
            PAWL_TRY(drawn_add(reader, place, mesh, corners, count, def));
        }
    }
    return PAWL_OK;
}

pawl_status mesh_shape_add(xml_reader *reader, const mesh_place *place, const triangle_mesh *mesh,
                           const pawl_shape_def *def)
{
    pawl_shape_def own = *def;
    if (!def->visual_only) {
        return mesh_shape_touching(reader, place, mesh, &own);
    }
    PAWL_TRY(xml_tally(reader, PAWL_LOG_NOTE, place->node,
                       "visual mesh, for drawing only; the motion is the same", place->owner));
    return reader->drawing ? mesh_shape_drawn(reader, place, mesh, &own) : PAWL_OK;
}

// ---- Files --------------------------------------------------------------------------------------

static pawl_status mesh_shape_missing(xml_reader *reader, const xmlNode *node, const char *uri,
                                      const char *owner, const char *tried)
{
    if (reader->lenient) {
        return xml_leave_out_shape(reader, node, false, "meshes that are there");
    }
    return xml_unsupported(
        reader, node,
        "mesh '%s' of the collision of '%s' is not there; tried %s; --path adds a folder, "
        "--lenient leaves the shape out",
        uri, owner, tried);
}

// A visual mesh that cannot be read changes nothing but the picture, so that it is a note.
static pawl_status mesh_shape_find_visual(xml_reader *reader, const xmlNode *node, const char *uri,
                                          const char *owner, const triangle_mesh **out)
{
    char tried[MESH_TRIED];
    *out = NULL;
    if (!reader->drawing) {
        return xml_tally(reader, PAWL_LOG_NOTE, node,
                         "visual mesh, for drawing only; the motion is the same", owner);
    }
    pawl_env quiet = *reader->env;
    const pawl_env *env = reader->env;
    quiet.log = NULL;
    reader->env = &quiet;
    pawl_status status = mesh_find(reader, node, NULL, uri, out, tried);
    if (status == PAWL_OK && *out == NULL) {
        status = mesh_find_nearby(reader, node, uri, out);
    }
    reader->env = env;
    if (status == PAWL_NO_MEMORY) {
        return PAWL_FAIL(env, status, "no memory for mesh '%s'", uri);
    }
    if (status != PAWL_OK || *out == NULL) {
        *out = NULL;
        return xml_tally(reader, PAWL_LOG_WARNING, node,
                         status != PAWL_OK ? "visual mesh that cannot be read is not drawn"
                                           : "visual mesh that is not there is not drawn",
                         reader->verbose ? uri : owner);
    }
    return PAWL_OK;
}

pawl_status mesh_shape_read(xml_reader *reader, const xmlNode *node, const char *uri,
                            pawl_vec3 scale, bool visual, const char *owner,
                            const triangle_mesh **out)
{
    const triangle_mesh *mesh;
    char tried[MESH_TRIED];
    *out = NULL;
    if (visual) {
        PAWL_TRY(mesh_shape_find_visual(reader, node, uri, owner, &mesh));
        if (mesh == NULL) {
            return PAWL_OK;
        }
    } else {
        pawl_status status = mesh_find(reader, node, NULL, uri, &mesh, tried);
        if (status == PAWL_OK && mesh == NULL) {
            status = mesh_find_nearby(reader, node, uri, &mesh);
        }
        if (status == PAWL_UNSUPPORTED && reader->lenient) {
            return xml_leave_out_shape(reader, node, false, "meshes that can be read");
        }
        PAWL_TRY(status);
        if (mesh == NULL) {
            return mesh_shape_missing(reader, node, uri, owner, tried);
        }
    }
    if (mesh->vertex_count == 0) {
        return xml_tally(reader, PAWL_LOG_WARNING, node,
                         "a mesh without triangles is left out: nothing touches it", owner);
    }
    if (!(scale.x != 0.0 && scale.y != 0.0 && scale.z != 0.0)) {
        return xml_error(reader, node, "got scale %g %g %g, expected numbers other than 0", scale.x,
                         scale.y, scale.z);
    }
    triangle_mesh *scaled = xml_alloc(reader, sizeof *scaled);
    if (scaled == NULL) {
        return PAWL_NO_MEMORY;
    }
    PAWL_TRY(mesh_scaled(reader, mesh, scale, scaled));
    *out = scaled;
    return PAWL_OK;
}
