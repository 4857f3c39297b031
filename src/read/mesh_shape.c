// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes as shapes: a collision mesh touches as its convex hull or, where that was asked for, as it is; a visual mesh is
// for drawing.
#include "read/mesh_shape.h"
#include "math/vec.h"
#include <stdio.h>

static pawl_status mesh_shape_hull(xml_reader *reader, const xmlNode *node,
                                   const pawl_vec3 *vertices, int count, const char *owner,
                                   pawl_shape_def *def)
{
    mesh_hull hull;
    PAWL_TRY(mesh_hull_make(reader, vertices, count, &hull));
    if (hull.count < 4) {
        return xml_error(reader, node,
                         "the %d vertices of the mesh lie on a line: no shape to collide with",
                         count);
    }
    if (hull.thickened) {
        PAWL_TRY(xml_tally(reader, PAWL_LOG_WARNING, node,
                           "a flat collision mesh touches as a plate, 0.1 % of its size thick",
                           owner));
    }
    def->kind = PAWL_SHAPE_HULL;
    def->points = hull.points;
    def->point_count = hull.count;
    return PAWL_OK;
}

pawl_status mesh_shape_touching(xml_reader *reader, const xmlNode *node, const triangle_mesh *mesh,
                                const char *owner, pawl_shape_def *def)
{
    if (!reader->triangles) {
        PAWL_TRY(mesh_shape_hull(reader, node, mesh->vertices, mesh->vertex_count, owner, def));
        return xml_tally(reader, PAWL_LOG_NOTE, node, "collision mesh touches as its convex hull",
                         owner);
    }
    def->kind = PAWL_SHAPE_MESH;
    def->points = mesh->vertices;
    def->point_count = mesh->vertex_count;
    def->triangles = mesh->triangles->v; // of all triangles, one after the other
    def->triangle_count = mesh->triangle_count;
    return xml_tally(reader, PAWL_LOG_NOTE, node, "collision mesh touches by its triangles", owner);
}

pawl_status mesh_shape_read(xml_reader *reader, const xmlNode *node, const char *uri,
                            pawl_vec3 scale, bool visual, const char *owner, pawl_shape_def *def,
                            bool *known)
{
    *known = false;
    if (visual) {
        return xml_tally(reader, PAWL_LOG_NOTE, node,
                         "visual mesh, for drawing only; the motion is the same", owner);
    }
    const triangle_mesh *mesh;
    char tried[MESH_TRIED];
    pawl_status status = mesh_find(reader, node, NULL, uri, &mesh, tried);
    if (status == PAWL_UNSUPPORTED && reader->lenient) {
        return xml_leave_out_shape(reader, node, false, "meshes that can be read");
    }
    PAWL_TRY(status);
    if (mesh == NULL) {
        if (!reader->lenient) {
            return xml_unsupported(
                reader, node,
                "mesh '%s' of the collision of '%s' is not there; tried %s; --path adds a folder, "
                "--lenient leaves the shape out",
                uri, owner, tried);
        }
        return xml_leave_out_shape(reader, node, false, "meshes that are there");
    }
    if (!(scale.x != 0.0 && scale.y != 0.0 && scale.z != 0.0)) {
        return xml_error(reader, node, "got scale %g %g %g, expected numbers other than 0", scale.x,
                         scale.y, scale.z);
    }
    triangle_mesh scaled;
    PAWL_TRY(mesh_scaled(reader, mesh, scale, &scaled));
    PAWL_TRY(mesh_shape_touching(reader, node, &scaled, owner, def));
    *known = true;
    return PAWL_OK;
}
