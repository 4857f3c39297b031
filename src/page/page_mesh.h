// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Meshes of a scene for pages: equal ones once, with a limited number of triangles, so that a page can be sent as a
// file.
#pragma once
#include "page/page_scene.h"

typedef struct page_meshes page_meshes;
// Of the shapes of a scene that are drawn (`drawn` has a value for each), with at most `most` triangles together but for
// a few hundred for each mesh.
pawl_status page_meshes_create(const page_scene *scene, const bool *drawn, int most,
                               page_meshes **out);
void page_meshes_destroy(page_meshes *meshes);            // NULL is fine
int page_meshes_of(const page_meshes *meshes, int shape); // its number, -1: none
// `,"meshes":[..]` and `,"triangles":[drawn, given]` (docs/player.md); nothing where there are none.
void page_meshes_write(report_text *page, const page_meshes *meshes);
