// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes in recordings: points and triangles as the model has them, and damaged ones refused.
#include "support/hdf5_values.h"
#include "support/mechanism.h"
#include "support/mesh_solids.h"
#include "support/recording.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void record_mesh(test_env *t, const char *path)
{
    mesh_solid *s = calloc(1, sizeof *s);
    solid_add_box(s, v3(0, 0, 0), v3(0.5, 1, 1.5), 1);
    mechanism m;
    mechanism_begin(&m);
    pawl_body_id body = mechanism_solid(&m, 1.0, v3(0, 0, 0), v3(1, 1, 1));
    pawl_shape_def def = pawl_shape_def_default();
    def.kind = PAWL_SHAPE_MESH;
    def.points = s->points;
    def.point_count = s->point_count;
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    CHECK_OK(pawl_builder_add_shape(m.builder, body, &def, NULL));
    pawl_settings settings = pawl_settings_default();
    mechanism_start(&m, &settings);
    recording r = {.env = &t->env, .model = m.model, .sim = m.sim, .verdict = m.verdict};
    CHECK_OK(recording_create(&r, path, 0.0, 1));
    CHECK_OK(recording_run(&r, 3));
    CHECK_OK(recording_close(&r));
    free(s);
    mechanism_end(&m);
}

TEST(meshes_are_recorded_and_drawn)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("mesh.h5", path, sizeof path);
    test_path("mesh.html", page, sizeof page);
    record_mesh(&t, path);
    double size[1], points[24 * 3], triangles[12 * 3];
    hdf5_exchange(path, "/model/mesh_size", size, false);
    hdf5_exchange(path, "/model/hull_points", points, false);
    hdf5_exchange(path, "/model/mesh_triangles", triangles, false);
    CHECK(size[0] == 12.0);
    for (int i = 0; i < 24; ++i) {
        CHECK(fabs(points[3 * i]) == 0.5 && fabs(points[3 * i + 2]) == 1.5);
    }
    CHECK_OK(pawl_report_write(&t.env, path, page));
    CHECK_NO_LEAK(&t);
}

TEST(damaged_meshes_are_refused)
{
    test_env t;
    test_env_init(&t);
    char path[256], page[256];
    test_path("bad-mesh.h5", path, sizeof path);
    test_path("bad-mesh.html", page, sizeof page);
    record_mesh(&t, path);
    double size[1], triangles[12 * 3];
    const double sizes[] = {-1.0, 0.0, 13.0, 2e9};
    hdf5_exchange(path, "/model/mesh_size", size, false);
    for (int k = 0; k < 4; ++k) {
        double bad = sizes[k];
        hdf5_exchange(path, "/model/mesh_size", &bad, true);
        CHECK(pawl_report_write(&t.env, path, page) != PAWL_OK);
        CHECK_MESSAGE(&t, "/model/mesh_");
    }
    hdf5_exchange(path, "/model/mesh_size", size, true);
    hdf5_exchange(path, "/model/mesh_triangles", triangles, false);
    triangles[7] = 24.0;
    hdf5_exchange(path, "/model/mesh_triangles", triangles, true);
    CHECK(pawl_report_write(&t.env, path, page) != PAWL_OK);
    CHECK_MESSAGE(&t, "/model/mesh_triangles");
    CHECK_NO_LEAK(&t);
}
