// SPDX-License-Identifier: MIT
// Part of pawl, a rigid multibody dynamics engine.
//
// Images as height maps.
#pragma once
#include "read/xml_reader.h"

typedef struct height_image {
    int rows, columns;
    double *values; // row by row, the first at the top of the image; of images 0 to 1
} height_image;

enum { IMAGE_WHY = 160 };
pawl_status height_image_parse(xml_reader *reader, const char *data, size_t size, height_image *out,
                               char why[IMAGE_WHY]);
// By URI. Where it is not there, or not an image, an error at `where`; with --lenient a missing one has 0 rows.
pawl_status height_image_find(xml_reader *reader, const xmlNode *where, const char *folder,
                              const char *uri, height_image *out);
